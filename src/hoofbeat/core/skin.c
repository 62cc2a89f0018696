/* Skins: the vertices of a character as its joints carry them, by the kernel that Python uses. */
#include "herd.h"
#include <string.h>

#define MOST_SLOTS 256

/* A pose about its root, with the heading taken out, and room for the kernel. */
typedef struct {
    float positions[HB_MOST_NODES][3];
    float turns[HB_MOST_NODES][4];
    float matrices[HB_MOST_NODES][3][4];
} pose;

static void take_pose(const hb_herd *herd, int32_t i, const double *axes, pose *out) {
    hb_frame frame;
    hb_frame_get(herd, i, &frame);
    const double *nodes = hb_positions(herd, i);
    for (int32_t k = 0; k < herd->tables->nodes; k++) {
        double x = nodes[3 * k] - frame.root[0], z = nodes[3 * k + 2] - frame.root[2];
        out->positions[k][0] = (float)(axes[1] * x - axes[0] * z);
        out->positions[k][1] = (float)(nodes[3 * k + 1] - frame.root[1]);
        out->positions[k][2] = (float)(axes[0] * x + axes[1] * z);
    }
}

/* Turn vectors (count, 3) by the heading. */
static void turn(float *vectors, int32_t count, const double *axes) {
    float sine = (float)axes[0], cosine = (float)axes[1];
    for (float *v = vectors; v < vectors + 3 * (size_t)count; v += 3) {
        float x = v[0], z = v[2];
        v[0] = cosine * x + sine * z;
        v[2] = cosine * z - sine * x;
    }
}

static int32_t blend(const hb_file_head *tables, void *const *given) {
    const hb_file_stage *stage = &tables->stages[HB_STAGE_SKIN];
    const hb_entry *entry = hb_entry_of(stage->kernel);
    const hb_file_leaf *leaf = hb_leaves(tables) + stage->first;
    int64_t slots[MOST_SLOTS], place = 0;
    for (int32_t k = 0; k < entry->count; k++, leaf++) {
        const hb_argument *argument = &entry->arguments[k];
        int64_t shape[HB_MOST_AXES];
        if (place + hb_slots_of(argument) > MOST_SLOTS) return HB_KERNEL;
        if (leaf->kind == HB_LEAF_TABLE)
            hb_fill(slots + place, argument, leaf->shape, hb_data(tables) + leaf->value);
        else if (leaf->kind == HB_LEAF_GIVEN) {
            hb_given_shape(tables, (int)leaf->value, shape);
            hb_fill(slots + place, argument, shape, given[leaf->value]);
        } else slots[place] = leaf->value;
        place += hb_slots_of(argument);
    }
    return entry->code(slots) ? HB_KERNEL : HB_OK;
}

int32_t hb_skin(const void *memory, int32_t i, float *vertices, float *normals) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || !vertices || !normals) return HB_NO_MEMORY;
    if (!herd->tables->vertices) return HB_NO_SKIN;
    if (i < 0 || i >= herd->count) return HB_BAD_INDEX;
    double axes[2]; /* sine and cosine of the heading */
    memcpy(axes, herd->regions[HB_REGION_WORLD] + HB_WORLD_SIZE * (int64_t)i + HB_WORLD_SINE, sizeof axes);
    pose posed;
    take_pose(herd, i, axes, &posed);
    float *rotations = (float *)herd->regions[HB_REGION_ROTATIONS] + 4 * (int64_t)herd->tables->nodes * i;
    void *const given[HB_GIVENS] = {NULL,        NULL,           posed.positions, rotations,
                                    posed.turns, posed.matrices, vertices,        normals};
    int32_t problem = blend(herd->tables, given);
    if (problem) return problem;
    turn(vertices, herd->tables->vertices, axes);
    turn(normals, herd->tables->vertices, axes);
    return HB_OK;
}
