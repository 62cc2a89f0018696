/* Layout of a table file; made by hoofbeat.offline.core.header. */
#ifndef HB_TABLEFILE_H
#define HB_TABLEFILE_H
#include "hb.h"

#define HB_TABLES_MAGIC "HBTABLES"
#define HB_ALIGNED 64
#define HB_MOST_AXES 6
#define HB_MOST_NODES 256

enum { HB_STAGE_INIT = 0, HB_STAGE_PREPARE = 1, HB_STAGE_METHOD = 2, HB_STAGE_PLACE = 3, HB_STAGE_FRAMES = 4, HB_STAGE_SKIN = 5, HB_STAGES = 6 };

enum { HB_LEAF_NUMBER = 0, HB_LEAF_TABLE = 1, HB_LEAF_SCRATCH = 2, HB_LEAF_REGION = 3, HB_LEAF_GIVEN = 4, HB_LEAFS = 5 };

enum { HB_REGION_STATE = 0, HB_REGION_ASKED = 1, HB_REGION_COMMANDS = 2, HB_REGION_SENSES = 3, HB_REGION_WORLD = 4, HB_REGION_STEPS = 5, HB_REGION_FRAMES = 6, HB_REGION_POSITIONS = 7, HB_REGION_SHOWN = 8, HB_REGION_ROTATIONS = 9, HB_REGION_IDS = 10, HB_REGIONS = 11 };

enum { HB_GIVEN_TIME = 0, HB_GIVEN_SEED = 1, HB_GIVEN_POSITIONS = 2, HB_GIVEN_ROTATIONS = 3, HB_GIVEN_TURNS = 4, HB_GIVEN_MATRICES = 5, HB_GIVEN_VERTICES = 6, HB_GIVEN_NORMALS = 7, HB_GIVENS = 8 };

enum { HB_EXTRA_BENT = 0, HB_EXTRA_TRIANGLES = 1, HB_EXTRA_COLOURS = 2, HB_EXTRAS = 3 };

typedef struct {
    char kernel[48];
    int32_t first;
    int32_t leaves;
} hb_file_stage;
HB_ASSERT(sizeof(hb_file_stage) == 56, "size of hb_file_stage");
HB_ASSERT(offsetof(hb_file_stage, kernel) == 0, "hb_file_stage.kernel");
HB_ASSERT(offsetof(hb_file_stage, first) == 48, "hb_file_stage.first");
HB_ASSERT(offsetof(hb_file_stage, leaves) == 52, "hb_file_stage.leaves");

typedef struct {
    int32_t kind;
    int32_t axes;
    int64_t value;
    int64_t shape[6];
} hb_file_leaf;
HB_ASSERT(sizeof(hb_file_leaf) == 64, "size of hb_file_leaf");
HB_ASSERT(offsetof(hb_file_leaf, kind) == 0, "hb_file_leaf.kind");
HB_ASSERT(offsetof(hb_file_leaf, axes) == 4, "hb_file_leaf.axes");
HB_ASSERT(offsetof(hb_file_leaf, value) == 8, "hb_file_leaf.value");
HB_ASSERT(offsetof(hb_file_leaf, shape) == 16, "hb_file_leaf.shape");

typedef struct {
    char magic[8];
    int32_t version; /* TABLES_VERSION */
    int32_t layout; /* LAYOUT_VERSION of the rows */
    char stamp[16]; /* of the kernels */
    int64_t size; /* of the file [bytes], a multiple of 8 */
    uint64_t checksum; /* of the file, this field taken as 0 */
    int64_t text; /* where the text begins */
    int64_t text_size; /* without the zeros behind it */
    int64_t leaves; /* where the leaves begin */
    int64_t leaf_count;
    int64_t data; /* where the data begins */
    int64_t scratch; /* size of all scratch arrays, each at a multiple of 64 */
    int32_t nodes; /* of the skeleton */
    int32_t gaits;
    int32_t actions;
    int32_t settles; /* how often a herd is placed before its first step */
    int32_t scaled; /* 1 = the animal is of another size than the method's own */
    int32_t vertices; /* of the skin, 0 = none */
    int32_t triangles;
    int32_t extras; /* first leaf of `Extra` */
    hb_file_stage stages[6];
} hb_file_head;
HB_ASSERT(sizeof(hb_file_head) == 464, "size of hb_file_head");
HB_ASSERT(offsetof(hb_file_head, magic) == 0, "hb_file_head.magic");
HB_ASSERT(offsetof(hb_file_head, version) == 8, "hb_file_head.version");
HB_ASSERT(offsetof(hb_file_head, layout) == 12, "hb_file_head.layout");
HB_ASSERT(offsetof(hb_file_head, stamp) == 16, "hb_file_head.stamp");
HB_ASSERT(offsetof(hb_file_head, size) == 32, "hb_file_head.size");
HB_ASSERT(offsetof(hb_file_head, checksum) == 40, "hb_file_head.checksum");
HB_ASSERT(offsetof(hb_file_head, text) == 48, "hb_file_head.text");
HB_ASSERT(offsetof(hb_file_head, text_size) == 56, "hb_file_head.text_size");
HB_ASSERT(offsetof(hb_file_head, leaves) == 64, "hb_file_head.leaves");
HB_ASSERT(offsetof(hb_file_head, leaf_count) == 72, "hb_file_head.leaf_count");
HB_ASSERT(offsetof(hb_file_head, data) == 80, "hb_file_head.data");
HB_ASSERT(offsetof(hb_file_head, scratch) == 88, "hb_file_head.scratch");
HB_ASSERT(offsetof(hb_file_head, nodes) == 96, "hb_file_head.nodes");
HB_ASSERT(offsetof(hb_file_head, gaits) == 100, "hb_file_head.gaits");
HB_ASSERT(offsetof(hb_file_head, actions) == 104, "hb_file_head.actions");
HB_ASSERT(offsetof(hb_file_head, settles) == 108, "hb_file_head.settles");
HB_ASSERT(offsetof(hb_file_head, scaled) == 112, "hb_file_head.scaled");
HB_ASSERT(offsetof(hb_file_head, vertices) == 116, "hb_file_head.vertices");
HB_ASSERT(offsetof(hb_file_head, triangles) == 120, "hb_file_head.triangles");
HB_ASSERT(offsetof(hb_file_head, extras) == 124, "hb_file_head.extras");
HB_ASSERT(offsetof(hb_file_head, stages) == 128, "hb_file_head.stages");

/* Types of the regions, but for that of the state, and of what is given. */
#define HB_REGION_TYPES {0x0u, 0, 1}, {0x119a6e4bu, 128, 1}, {0x119a6e4bu, 128, 1}, {0x1920c96u, 200, 1}, {0x57c0425fu, 488, 1}, {0xb3671120u, 240, 1}, {0xbc849ddfu, 128, 1}, {0x3f25865fu, 8, 3}, {0x3f25865fu, 8, 3}, {0x363f7f3bu, 4, 3}, {0x8948f725u, 8, 1}
#define HB_GIVEN_TYPES {0xa62cd7e5u, 0, 0}, {0xfe4fc7b3u, 0, 0}, {0x363f7f3bu, 4, 3}, {0x363f7f3bu, 4, 3}, {0x41384fadu, 4, 2}, {0x363f7f3bu, 4, 3}, {0x363f7f3bu, 4, 3}, {0x363f7f3bu, 4, 3}

/* Rows, and what C files look at in them. */
#define HB_WORLD_SIZE 488
#define HB_WORLD_STEPPING 472
#define HB_WORLD_SINE 32
#define HB_STEP_SIZE 240
#define HB_STEP_EVENTS 236
#define HB_SENSE_SIZE 200

/* Sentences of the error codes. */
#define HB_SENTENCES \
    "all is well", \
    "these are no tables of hoofbeat, or they are damaged", \
    "these tables are of another version of the file format; export them again", \
    "this was made for other kernels, records or tables; export or save it again", \
    "the data ends before it should", \
    "the memory given is missing, too small or not aligned to 16 bytes", \
    "a command has a number that is not finite, or a gait or action that is not there", \
    "there is no such character, or no herd of so many", \
    "this is no snapshot of a herd, or it is damaged", \
    "a time step must be a finite number of seconds, 0 or more, and steps 0 or more", \
    "these tables have no skin", \
    "a kernel failed, which is a fault of hoofbeat; the herd must be made again"

#endif
