/* A herd's step: the order of `Herd._advance` in hoofbeat/horse.py, for kernels that were compiled ahead. */
#include "herd.h"
#include <string.h>

int32_t hb_stage_run(const hb_stage *stage, double dt) {
    if (stage->dt) memcpy(hb_at(stage->dt), &dt, sizeof dt);
    return ((hb_kernel)(intptr_t)stage->kernel)(hb_at(stage->slots));
}

/* What uneven ground turned in the last step is no part of the method's pose. */
static void straighten(const hb_program *p) {
    static const float identity[4] = {0, 0, 0, 1};
    const int64_t *bent = hb_at(p->bent);
    float *rotations = hb_at(p->rotations);
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t k = 0; k < p->bent_count; k++)
            memcpy(rotations + 4 * (i * p->nodes + bent[k]), identity, sizeof identity);
}

static int32_t *events_of(int64_t first, int64_t stride, int64_t i) {
    return hb_at(first + i * stride);
}

/* Events of the parts of a step add up, in the frames' rows until the last. */
static void add_events(const hb_program *p, int64_t part, int64_t parts) {
    for (int64_t i = 0; i < p->count; i++) {
        int32_t *step = events_of(p->events, p->event_stride, i);
        int32_t *frame = events_of(p->frame_events, p->frame_stride, i);
        *frame = part ? *frame | *step : *step;
        if (part == parts - 1) *step = *frame;
    }
}

int32_t hb_part_run(const hb_program *p, double dt) {
    straighten(p);
    int32_t status = hb_stage_run(&p->method, dt);
    return status ? status : hb_stage_run(&p->place, dt);
}

int32_t hb_run(const hb_program *p, double dt) {
    int32_t status = hb_stage_run(&p->prepare, dt);
    if (status) return status;
    const int64_t *result = hb_at(p->prepare.result);
    int64_t parts = result[0];
    memcpy(&dt, &result[1], sizeof dt);
    for (int64_t k = 0; k < parts; k++) {
        status = hb_part_run(p, dt);
        if (status) return status;
        if (parts > 1) add_events(p, k, parts);
    }
    return hb_stage_run(&p->frames, 0.0);
}
