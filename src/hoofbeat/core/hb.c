/* A herd's step: the order of `Herd._advance` in hoofbeat/horse.py, for kernels that were compiled ahead. */
#include "hb.h"
#include <string.h>

static void *at(int64_t address) { return (void *)(intptr_t)address; }

static int32_t run_stage(const hb_stage *stage, double dt) {
    if (stage->dt) memcpy(at(stage->dt), &dt, sizeof dt);
    return ((hb_kernel)(intptr_t)stage->kernel)(at(stage->slots));
}

/* What uneven ground turned in the last step is no part of the method's pose. */
static void straighten(const hb_program *p) {
    static const float identity[4] = {0, 0, 0, 1};
    const int64_t *bent = at(p->bent);
    float *rotations = at(p->rotations);
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t k = 0; k < p->bent_count; k++)
            memcpy(rotations + 4 * (i * p->nodes + bent[k]), identity, sizeof identity);
}

static int32_t *events_of(int64_t first, int64_t stride, int64_t i) { return at(first + i * stride); }

/* Events of the parts of a step add up, in the frames' rows until the last. */
static void add_events(const hb_program *p, int64_t part, int64_t parts) {
    for (int64_t i = 0; i < p->count; i++) {
        int32_t *step = events_of(p->events, p->event_stride, i);
        int32_t *frame = events_of(p->frame_events, p->frame_stride, i);
        *frame = part ? *frame | *step : *step;
        if (part == parts - 1) *step = *frame;
    }
}

HB_EXPORT int32_t hb_run(const hb_program *p, double dt) {
    int32_t status = run_stage(&p->prepare, dt);
    if (status) return status;
    const int64_t *result = at(p->prepare.result);
    int64_t parts = result[0];
    memcpy(&dt, &result[1], sizeof dt);
    for (int64_t k = 0; k < parts; k++) {
        straighten(p);
        status = run_stage(&p->method, dt);
        if (!status) status = run_stage(&p->place, dt);
        if (status) return status;
        if (parts > 1) add_events(p, k, parts);
    }
    return run_stage(&p->frames, 0.0);
}
