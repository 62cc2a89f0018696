/* Herds: characters in memory of the caller's, by the tables of one configuration. */
#include "herd.h"
#include <string.h>

#define MOST_CHARACTERS 1000000

const hb_herd *hb_herd_of(const void *memory) {
    const hb_herd *herd = memory;
    return herd && (uintptr_t)herd % 16 == 0 && herd->magic == HB_HERD_MAGIC ? herd : NULL;
}

/* Bytes of the method's own row, which the kernel knows that begins it. */
static int64_t state_size(const hb_file_head *tables) {
    const hb_file_stage *stage = &tables->stages[HB_STAGE_INIT];
    const hb_entry *entry = hb_entry_of(stage->kernel);
    const hb_file_leaf *leaf = hb_leaves(tables) + stage->first;
    for (int32_t k = 0; k < stage->leaves; k++)
        if (leaf[k].kind == HB_LEAF_REGION && leaf[k].value == HB_REGION_STATE)
            return entry->arguments[k].item;
    return 0;
}

int64_t hb_region_size(const hb_file_head *tables, int region) {
    switch (region) {
    case HB_REGION_STATE: return state_size(tables);
    case HB_REGION_ASKED: case HB_REGION_COMMANDS: return sizeof(hb_command);
    case HB_REGION_SENSES: return HB_SENSE_SIZE;
    case HB_REGION_WORLD: return HB_WORLD_SIZE;
    case HB_REGION_STEPS: return HB_STEP_SIZE;
    case HB_REGION_FRAMES: return sizeof(hb_frame);
    case HB_REGION_POSITIONS: return 24 * (int64_t)tables->nodes;
    case HB_REGION_SHOWN: return tables->scaled ? 24 * (int64_t)tables->nodes : 0;
    case HB_REGION_ROTATIONS: return 16 * (int64_t)tables->nodes;
    default: return 8;
    }
}

/* Slots of a stage, with those of its result. */
static int64_t slot_count(const hb_entry *entry) {
    int64_t slots = entry->results;
    for (int32_t k = 0; k < entry->count; k++) slots += hb_slots_of(&entry->arguments[k]);
    return slots;
}

/* Memory of a herd: this many bytes for slots, then scratch, then the regions. */
static int64_t slots_size(const hb_file_head *tables) {
    int64_t slots = 0;
    for (int stage = 0; stage < HB_STAGE_SKIN; stage++)
        slots += slot_count(hb_entry_of(tables->stages[stage].kernel));
    return hb_aligned(8 * slots);
}

size_t hb_herd_size(const void *memory, int32_t count) {
    const hb_file_head *tables = memory;
    if (!tables || count < 1 || count > MOST_CHARACTERS) return 0;
    int64_t size = hb_aligned(sizeof(hb_herd)) + slots_size(tables) + tables->scratch;
    for (int region = 0; region < HB_REGIONS; region++)
        size += hb_aligned(hb_region_size(tables, region) * count);
    return (uint64_t)size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

/* Fill the slots of a stage; returns where the next begin. */
static int64_t *bind(const hb_herd *herd, int index, hb_stage *stage, int64_t *slots, void *scratch) {
    const hb_file_head *tables = herd->tables;
    const hb_entry *entry = hb_entry_of(tables->stages[index].kernel);
    const hb_file_leaf *leaf = hb_leaves(tables) + tables->stages[index].first;
    unsigned char *own = scratch;
    memset(stage, 0, sizeof *stage);
    stage->kernel = (int64_t)(intptr_t)entry->code;
    stage->slots = hb_address(slots);
    for (int32_t k = 0; k < entry->count; k++, leaf++) {
        const hb_argument *argument = &entry->arguments[k];
        int64_t shape[HB_MOST_AXES];
        switch (leaf->kind) {
        case HB_LEAF_TABLE: hb_fill(slots, argument, leaf->shape, hb_data(tables) + leaf->value); break;
        case HB_LEAF_SCRATCH: hb_fill(slots, argument, leaf->shape, own + leaf->value); break;
        case HB_LEAF_REGION:
            hb_region_shape(tables, (int)leaf->value, herd->count, shape);
            hb_fill(slots, argument, shape, herd->regions[leaf->value]);
            break;
        case HB_LEAF_GIVEN: stage->dt = hb_address(slots); break;
        default: slots[0] = leaf->value;
        }
        slots += hb_slots_of(argument);
    }
    if (entry->results) stage->result = hb_address(slots);
    return slots + entry->results;
}

static void lay_out(hb_herd *herd) {
    unsigned char *next = (unsigned char *)herd + hb_aligned(sizeof *herd) + slots_size(herd->tables);
    next += herd->tables->scratch;
    for (int region = 0; region < HB_REGIONS; region++) {
        herd->regions[region] = next;
        next += hb_aligned(hb_region_size(herd->tables, region) * herd->count);
    }
    if (!herd->tables->scaled) herd->regions[HB_REGION_SHOWN] = herd->regions[HB_REGION_POSITIONS];
}

static void make_program(hb_herd *herd, hb_stage *init) {
    hb_program *p = &herd->program;
    const hb_file_head *tables = herd->tables;
    const hb_file_leaf *bent = hb_leaves(tables) + tables->extras + HB_EXTRA_BENT;
    int64_t *slots = (int64_t *)((unsigned char *)herd + hb_aligned(sizeof *herd));
    unsigned char *scratch = (unsigned char *)slots + slots_size(tables);
    hb_stage *stages[HB_STAGE_SKIN] = {init, &p->prepare, &p->method, &p->place, &p->frames};
    for (int k = 0; k < HB_STAGE_SKIN; k++) slots = bind(herd, k, stages[k], slots, scratch);
    p->count = herd->count;
    p->nodes = tables->nodes;
    p->rotations = hb_address(herd->regions[HB_REGION_ROTATIONS]);
    p->bent = hb_address(hb_data(tables) + bent->value);
    p->bent_count = bent->shape[0];
    p->events = hb_address(herd->regions[HB_REGION_STEPS] + HB_STEP_EVENTS);
    p->event_stride = HB_STEP_SIZE;
    p->frame_events = hb_address(herd->regions[HB_REGION_FRAMES] + offsetof(hb_frame, events));
    p->frame_stride = sizeof(hb_frame);
}

/* Where all begin: rotations of nothing, no foot in a step, a command to stand. */
static void fill_rows(hb_herd *herd) {
    static const float identity[4] = {0, 0, 0, 1}, none[4] = {-1, -1, -1, -1};
    hb_command stand;
    memset(&stand, 0, sizeof stand);
    stand.gait = stand.action = stand.mood = -1;
    for (int64_t i = 0; i < herd->count; i++) {
        memcpy(herd->regions[HB_REGION_IDS] + 8 * i, &i, sizeof i);
        memcpy(herd->regions[HB_REGION_ASKED] + sizeof stand * i, &stand, sizeof stand);
        memcpy(herd->regions[HB_REGION_WORLD] + HB_WORLD_SIZE * i + HB_WORLD_STEPPING, none, sizeof none);
        unsigned char *rotations = herd->regions[HB_REGION_ROTATIONS] + 16 * i * herd->tables->nodes;
        for (int64_t k = 0; k < herd->tables->nodes; k++)
            memcpy(rotations + 16 * k, identity, sizeof identity);
    }
}

static void read_commands(hb_herd *herd) {
    size_t size = sizeof(hb_command) * (size_t)herd->count;
    memcpy(herd->regions[HB_REGION_COMMANDS], herd->regions[HB_REGION_ASKED], size);
}

/* Put the feet down where the standing pose has them, without time passing. */
static int32_t settle(hb_herd *herd) {
    int32_t status = 0;
    read_commands(herd);
    for (int32_t k = 0; k < herd->tables->settles && !status; k++) status = hb_part_run(&herd->program, 0.0);
    return status ? status : hb_stage_run(&herd->program.frames, 0.0);
}

int32_t hb_init(void *memory, size_t size, const void *tables, int32_t count, int64_t seed) {
    size_t needed = hb_herd_size(tables, count);
    if (!needed) return HB_BAD_INDEX;
    if (!memory || (uintptr_t)memory % 16 || size < needed) return HB_NO_MEMORY;
    hb_herd *herd = memset(memory, 0, needed);
    hb_stage init;
    herd->tables = tables;
    herd->count = count;
    lay_out(herd);
    make_program(herd, &init);
    fill_rows(herd);
    memcpy(hb_at(init.dt), &seed, sizeof seed);
    init.dt = 0;
    if (hb_stage_run(&init, 0.0) || settle(herd)) return HB_KERNEL;
    herd->magic = HB_HERD_MAGIC;
    return HB_OK;
}

/* Neither infinite nor no number. */
static int is_finite(double value) { return value - value == 0.0; }

static int is_good(const hb_herd *herd, const hb_command *c) {
    const double plain[] = {c->speed, c->sideways, c->turn, c->heading, c->extension, c->look[0], c->look[1],
                            c->look[2], c->push[0], c->push[1], c->push[2], c->jump[0], c->jump[1]};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (!is_finite(plain[k])) return 0;
    const hb_file_head *tables = herd->tables;
    return c->gait >= -1 && c->gait < tables->gaits && c->action >= -1 && c->action < tables->actions;
}

int32_t hb_command_set(void *memory, int32_t i, const hb_command *command) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || !command) return HB_NO_MEMORY;
    if (i < -1 || i >= herd->count) return HB_BAD_INDEX;
    if (!is_good(herd, command)) return HB_BAD_COMMAND;
    hb_command asked = *command;
    asked.has_heading = asked.has_heading != 0;
    asked.has_look = asked.has_look != 0;
    asked.has_jump = asked.has_jump != 0;
    asked.clamped = 0;
    memset(asked.fill0, 0, sizeof asked.fill0);
    memset(asked.fill1, 0, sizeof asked.fill1);
    int64_t first = i < 0 ? 0 : i, end = i < 0 ? herd->count : (int64_t)i + 1;
    for (int64_t k = first; k < end; k++)
        memcpy(herd->regions[HB_REGION_ASKED] + sizeof asked * k, &asked, sizeof asked);
    return HB_OK;
}

int32_t hb_step(void *memory, double dt, int32_t n) {
    if (!hb_herd_of(memory)) return HB_NO_MEMORY;
    if (!is_finite(dt) || dt < 0 || n < 0) return HB_BAD_TIME;
    hb_herd *herd = memory;
    for (int32_t k = 0; k < n && !herd->failed; k++) {
        read_commands(herd);
        herd->failed = hb_run(&herd->program, dt);
    }
    return herd->failed ? HB_KERNEL : HB_OK;
}

int32_t hb_frame_get(const void *memory, int32_t i, hb_frame *out) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || !out) return HB_NO_MEMORY;
    if (i < 0 || i >= herd->count) return HB_BAD_INDEX;
    memcpy(out, herd->regions[HB_REGION_FRAMES] + sizeof *out * i, sizeof *out);
    return HB_OK;
}

const double *hb_positions(const void *memory, int32_t i) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || i < 0 || i >= herd->count) return NULL;
    return (const double *)herd->regions[HB_REGION_SHOWN] + 3 * (int64_t)herd->tables->nodes * i;
}

const float *hb_rotations(const void *memory, int32_t i) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || i < 0 || i >= herd->count) return NULL;
    return (const float *)herd->regions[HB_REGION_ROTATIONS] + 4 * (int64_t)herd->tables->nodes * i;
}
