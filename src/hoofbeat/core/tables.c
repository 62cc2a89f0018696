/* Table files: checked before anything of them is used. Bytes of data are trusted, structure is not. */
#include "herd.h"
#include <string.h>

#define MOST_SCRATCH (1 << 24)
#define MOST_NAMES 4096
#define MOST_VERTICES (1 << 20)

/* A check's place: what is expected next. */
typedef struct {
    const hb_file_head *head;
    int64_t leaf;    /* index of the next leaf */
    int64_t data;    /* where the next array of the data begins */
    int64_t scratch; /* and the next of scratch */
    int64_t data_size;
    uint32_t state; /* kind of the state's rows, 0 = not yet met */
} walk;

static const hb_argument region_types[HB_REGIONS] = {HB_REGION_TYPES};
static const hb_argument given_types[HB_GIVENS] = {HB_GIVEN_TYPES};

uint64_t hb_checksum(const void *data, size_t size, uint64_t value) {
    const unsigned char *bytes = data;
    for (size_t done = 0; done < size; done += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + done, size - done < 8 ? size - done : 8);
        value = (value ^ word) * UINT64_C(0x100000001B3);
    }
    return value;
}

const hb_entry *hb_entry_of(const char *name) {
    for (int32_t k = 0; k < hb_entry_count; k++)
        if (strncmp(hb_entries[k].name, name, sizeof((hb_file_stage *)0)->kernel) == 0) return &hb_entries[k];
    return NULL;
}

int64_t hb_bytes(const int64_t *shape, int32_t axes, int64_t item, int64_t most) {
    int64_t bytes = item;
    for (int32_t k = 0; k < axes; k++) {
        if (shape[k] < 0 || (shape[k] && bytes > most / shape[k])) return -1;
        bytes *= shape[k];
    }
    return bytes > most ? -1 : bytes;
}

static int32_t shape3(int64_t *shape, int64_t a, int64_t b, int64_t c) {
    shape[0] = a, shape[1] = b, shape[2] = c;
    return 3;
}

int32_t hb_region_shape(const hb_file_head *head, int region, int64_t count, int64_t *shape) {
    shape[0] = count;
    if (region == HB_REGION_POSITIONS || region == HB_REGION_SHOWN)
        return shape3(shape, count, head->nodes, 3);
    return region == HB_REGION_ROTATIONS ? shape3(shape, count, head->nodes, 4) : 1;
}

int32_t hb_given_shape(const hb_file_head *head, int given, int64_t *shape) {
    switch (given) {
    case HB_GIVEN_POSITIONS: return shape3(shape, 1, head->nodes, 3);
    case HB_GIVEN_ROTATIONS: return shape3(shape, 1, head->nodes, 4);
    case HB_GIVEN_TURNS: shape[0] = head->nodes, shape[1] = 4; return 2;
    case HB_GIVEN_MATRICES: return shape3(shape, head->nodes, 3, 4);
    case HB_GIVEN_VERTICES: case HB_GIVEN_NORMALS: return shape3(shape, 1, head->vertices, 3);
    default: return 0;
    }
}

void hb_fill(int64_t *slots, const hb_argument *argument, const int64_t *shape, const void *memory) {
    int64_t stride = argument->item, items = 1;
    int32_t axes = argument->axes;
    for (int32_t k = axes - 1; k >= 0; k--) {
        slots[5 + k] = shape[k];
        slots[5 + axes + k] = stride;
        stride *= shape[k];
        items *= shape[k];
    }
    slots[0] = slots[1] = 0;
    slots[2] = items;
    slots[3] = argument->item;
    slots[4] = hb_address(memory);
}

/* An array must begin where the one before it ends. */
static int check_array(int64_t *next, int64_t most, const hb_file_leaf *leaf, int32_t axes, int32_t item) {
    if (leaf->axes != axes || leaf->value != *next) return 0;
    int64_t bytes = hb_bytes(leaf->shape, axes, item, most);
    if (bytes < 0 || bytes > most - *next) return 0;
    for (int32_t k = axes; k < HB_MOST_AXES; k++)
        if (leaf->shape[k]) return 0;
    *next = hb_aligned(*next + bytes);
    return 1;
}

static int is_type(const hb_argument *argument, const hb_argument *wanted) {
    return argument->kind == wanted->kind && argument->item == wanted->item && argument->axes == wanted->axes;
}

static int check_region(walk *w, int stage, int64_t region, const hb_argument *argument) {
    if (region < 0 || region >= HB_REGIONS || region == HB_REGION_ASKED || stage == HB_STAGE_SKIN) return 0;
    if (region == HB_REGION_SHOWN && !w->head->scaled) return 0;
    if (region != HB_REGION_STATE) return is_type(argument, &region_types[region]);
    if (stage == HB_STAGE_INIT && !w->state) w->state = argument->kind;
    return argument->kind == w->state && argument->item > 0 && argument->axes == 1 &&
           (stage == HB_STAGE_INIT || stage == HB_STAGE_METHOD);
}

static int check_given(int stage, int64_t given, const hb_argument *argument) {
    int64_t number = stage == HB_STAGE_INIT ? HB_GIVEN_SEED : HB_GIVEN_TIME;
    int posed = given >= HB_GIVEN_POSITIONS && given < HB_GIVENS;
    if (stage == HB_STAGE_SKIN ? !posed : given != number) return 0;
    return is_type(argument, &given_types[given]) && stage != HB_STAGE_FRAMES;
}

static int check_leaf(walk *w, int stage, const hb_argument *argument) {
    const hb_file_leaf *leaf = hb_leaves(w->head) + w->leaf++;
    switch (leaf->kind) {
    case HB_LEAF_NUMBER: return argument->item == 0;
    case HB_LEAF_TABLE:
        return argument->item > 0 &&
               check_array(&w->data, w->data_size, leaf, argument->axes, argument->item);
    case HB_LEAF_SCRATCH:
        return argument->item > 0 && stage != HB_STAGE_SKIN &&
               check_array(&w->scratch, MOST_SCRATCH, leaf, argument->axes, argument->item);
    case HB_LEAF_REGION: return argument->item > 0 && check_region(w, stage, leaf->value, argument);
    case HB_LEAF_GIVEN: return check_given(stage, leaf->value, argument);
    default: return 0;
    }
}

/* How many leaves of a stage are of a kind and value. */
static int times(const hb_file_head *head, int stage, int kind, int64_t value) {
    const hb_file_leaf *leaf = hb_leaves(head) + head->stages[stage].first;
    int found = 0;
    for (int32_t k = 0; k < head->stages[stage].leaves; k++)
        found += leaf[k].kind == kind && leaf[k].value == value;
    return found;
}

/* A skin takes all that is given of a pose, once, in order. */
static int check_poses(const hb_file_head *head) {
    const hb_file_leaf *leaf = hb_leaves(head) + head->stages[HB_STAGE_SKIN].first;
    int64_t next = HB_GIVEN_POSITIONS;
    for (int32_t k = 0; k < head->stages[HB_STAGE_SKIN].leaves; k++)
        if (leaf[k].kind == HB_LEAF_GIVEN && leaf[k].value != next++) return 0;
    return next == HB_GIVENS;
}

static int check_stage(walk *w, int stage) {
    const hb_file_stage *given = &w->head->stages[stage];
    if (stage == HB_STAGE_SKIN && !w->head->vertices)
        return given->kernel[0] == 0 && given->first == w->leaf && given->leaves == 0;
    const hb_entry *entry = hb_entry_of(given->kernel);
    if (!entry || given->first != w->leaf || given->leaves != entry->count) return 0;
    if (entry->count > w->head->leaf_count - w->leaf) return 0;
    if (entry->results != (stage == HB_STAGE_PREPARE ? 2 : 0)) return 0;
    for (int32_t k = 0; k < entry->count; k++)
        if (!check_leaf(w, stage, &entry->arguments[k])) return 0;
    switch (stage) {
    case HB_STAGE_INIT: return times(w->head, stage, HB_LEAF_GIVEN, HB_GIVEN_SEED) == 1 && w->state;
    case HB_STAGE_FRAMES: return times(w->head, stage, HB_LEAF_REGION, HB_REGION_FRAMES) == 1;
    case HB_STAGE_SKIN: return check_poses(w->head);
    default: return times(w->head, stage, HB_LEAF_GIVEN, HB_GIVEN_TIME) == 1;
    }
}

/* The nth array of the data that a stage takes, NULL = none. */
static const hb_file_leaf *table_of(const hb_file_head *head, int stage, int n) {
    const hb_file_leaf *leaf = hb_leaves(head) + head->stages[stage].first;
    for (int32_t k = 0; k < head->stages[stage].leaves; k++)
        if (leaf[k].kind == HB_LEAF_TABLE && n-- == 0) return &leaf[k];
    return NULL;
}

static int has_rows(const hb_file_head *head, int stage, int n, int64_t rows) {
    const hb_file_leaf *leaf = table_of(head, stage, n);
    return leaf && leaf->shape[0] == rows;
}

/* Counts in the head are those of the arrays that they belong to. */
static int check_counts(const hb_file_head *head) {
    if (!has_rows(head, HB_STAGE_PREPARE, 0, head->gaits)) return 0;
    for (int n = 0; n < 2; n++)
        if (!has_rows(head, HB_STAGE_PLACE, n, head->nodes)) return 0;
    if (!head->vertices) return 1;
    for (int n = 0; n < 6; n++)
        if (!has_rows(head, HB_STAGE_SKIN, n, n < 2 ? head->nodes : head->vertices)) return 0;
    return table_of(head, HB_STAGE_SKIN, 4)->shape[1] == 4;
}

/* Nodes and vertices that are named as numbers are there. */
static int check_names(const hb_file_head *head) {
    const hb_file_leaf *extras = hb_leaves(head) + head->extras;
    const int64_t *bent = (const int64_t *)(hb_data(head) + extras[HB_EXTRA_BENT].value);
    for (int64_t k = 0; k < extras[HB_EXTRA_BENT].shape[0]; k++)
        if (bent[k] < 0 || bent[k] >= head->nodes) return 0;
    const uint32_t *corner = (const uint32_t *)(hb_data(head) + extras[HB_EXTRA_TRIANGLES].value);
    for (int64_t k = 0; k < 3 * (int64_t)head->triangles; k++)
        if (corner[k] >= (uint32_t)head->vertices) return 0;
    if (!head->vertices) return 1;
    const uint16_t *joint = (const uint16_t *)(hb_data(head) + table_of(head, HB_STAGE_SKIN, 4)->value);
    for (int64_t k = 0; k < 4 * (int64_t)head->vertices; k++)
        if (joint[k] >= head->nodes) return 0;
    return 1;
}

static int check_extras(walk *w) {
    const hb_file_head *head = w->head;
    if (head->extras != w->leaf || head->leaf_count != w->leaf + HB_EXTRAS) return 0;
    const hb_file_leaf *leaf = hb_leaves(head) + head->extras;
    static const struct {
        int32_t axes, item;
        int64_t width;
    } form[HB_EXTRAS] = {{1, 8, 0}, {2, 4, 3}, {2, 1, 4}};
    const int64_t rows[HB_EXTRAS] = {leaf[0].shape[0], head->triangles, head->vertices};
    for (int k = 0; k < HB_EXTRAS; k++) {
        if (leaf[k].kind != HB_LEAF_TABLE || leaf[k].shape[0] != rows[k]) return 0;
        if (form[k].width && leaf[k].shape[1] != form[k].width) return 0;
        if (!check_array(&w->data, w->data_size, &leaf[k], form[k].axes, form[k].item)) return 0;
    }
    return 1;
}

static int check_head(const hb_file_head *head) {
    int64_t text = (int64_t)sizeof *head, size = head->size;
    if (head->text != text || head->text_size < 1 || head->text_size >= size - text) return 0;
    const char *end = (const char *)head + text + head->text_size;
    if (end[-1] != '}' || end[0] != 0) return 0;
    if (head->leaves != (text + head->text_size + 8) / 8 * 8 || head->leaves > size) return 0;
    int64_t leaf = sizeof(hb_file_leaf);
    if (head->leaf_count < 0 || head->leaf_count > (size - head->leaves) / leaf) return 0;
    if (head->data != hb_aligned(head->leaves + head->leaf_count * leaf)) return 0;
    return head->data <= size && head->nodes > 0 && head->nodes <= HB_MOST_NODES && head->gaits > 0 &&
           head->gaits <= MOST_NAMES && head->actions >= 0 && head->actions <= MOST_NAMES &&
           head->settles >= 1 && head->settles <= 2 && (head->scaled == 0 || head->scaled == 1) &&
           head->vertices >= 0 && head->vertices <= MOST_VERTICES && head->triangles >= 0 &&
           (head->vertices || !head->triangles);
}

static int check_structure(const hb_file_head *head) {
    if (!check_head(head)) return 0;
    walk w = {head, 0, 0, 0, head->size - head->data, 0};
    for (int stage = 0; stage < HB_STAGES; stage++)
        if (!check_stage(&w, stage)) return 0;
    if (!check_extras(&w) || w.data != w.data_size || w.scratch != head->scratch) return 0;
    return check_counts(head) && check_names(head);
}

int32_t hb_tables_load(const void *blob, size_t size) {
    const hb_file_head *head = blob;
    if (!blob || (uintptr_t)blob % 16) return HB_NO_MEMORY;
    if (size < 16) return HB_CUT_SHORT;
    if (memcmp(head->magic, HB_TABLES_MAGIC, sizeof head->magic)) return HB_BAD_TABLES;
    if (head->version != HB_TABLES_VERSION) return HB_OTHER_VERSION;
    if (size < sizeof *head) return HB_CUT_SHORT;
    if (head->layout != HB_LAYOUT_VERSION || memcmp(head->stamp, hb_stamp(), sizeof head->stamp))
        return HB_OTHER_LAYOUT;
    if (head->size < (int64_t)sizeof *head || head->size % 8) return HB_BAD_TABLES;
    if ((uint64_t)head->size > size) return HB_CUT_SHORT;
    size_t before = offsetof(hb_file_head, checksum), after = before + 8;
    uint64_t sum = hb_checksum("\0\0\0\0\0\0\0", 8, hb_checksum(blob, before, HB_FNV));
    sum = hb_checksum((const unsigned char *)blob + after, (size_t)head->size - after, sum);
    if (sum != head->checksum || !check_structure(head)) return HB_BAD_TABLES;
    return HB_OK;
}

const char *hb_text(const void *tables, size_t *size) {
    const hb_file_head *head = tables;
    if (size) *size = (size_t)head->text_size;
    return (const char *)tables + head->text;
}

static const void *extra(const hb_file_head *head, int k) {
    return head->vertices ? hb_data(head) + hb_leaves(head)[head->extras + k].value : NULL;
}

int32_t hb_skin_counts(const void *tables, int32_t *vertices, int32_t *triangles) {
    const hb_file_head *head = tables;
    if (vertices) *vertices = head->vertices;
    if (triangles) *triangles = head->triangles;
    return head->vertices ? HB_OK : HB_NO_SKIN;
}

const uint32_t *hb_skin_triangles(const void *tables) { return extra(tables, HB_EXTRA_TRIANGLES); }
const uint8_t *hb_skin_colours(const void *tables) { return extra(tables, HB_EXTRA_COLOURS); }

const char *hb_error(int32_t code) {
    static const char *const sentences[] = {HB_SENTENCES};
    int32_t known = (int32_t)(sizeof sentences / sizeof *sentences);
    return code >= 0 && code < known ? sentences[code] : "this is no error code of hoofbeat";
}
