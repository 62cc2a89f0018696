/* A herd in memory, for the C files of the library alone. */
#ifndef HB_HERD_H
#define HB_HERD_H
#include "tablefile.h"

#define HB_HERD_MAGIC UINT64_C(0x4452454842545048)

/* The memory of a herd begins with this; slots of the kernels, scratch and regions follow. */
typedef struct {
    uint64_t magic;
    const hb_file_head *tables;
    int64_t count;
    int64_t failed; /* status of a kernel that failed, 0 = none */
    hb_program program;
    unsigned char *regions[HB_REGIONS];
} hb_herd;

static inline void *hb_at(int64_t address) { return (void *)(intptr_t)address; }
static inline int64_t hb_address(const void *memory) { return (int64_t)(intptr_t)memory; }
static inline int64_t hb_aligned(int64_t size) { return (size + HB_ALIGNED - 1) / HB_ALIGNED * HB_ALIGNED; }

/* The herd in memory that was given by the caller, or NULL where it is none. */
const hb_herd *hb_herd_of(const void *memory);
/* Bytes of a region for each character; 0 where tables have no such region. */
int64_t hb_region_size(const hb_file_head *tables, int region);
/* Run one kernel; 0 or its status. */
int32_t hb_stage_run(const hb_stage *stage, double dt);
/* Run the method and place what it asks for: a part of a step. */
int32_t hb_part_run(const hb_program *program, double dt);

/* FNV-1a over words of 8 bytes, from the value so far; the last word is filled with zeros. */
#define HB_FNV UINT64_C(0xCBF29CE484222325)
uint64_t hb_checksum(const void *data, size_t size, uint64_t value);

/* A kernel by its name, NULL = there is none. */
const hb_entry *hb_entry_of(const char *name);
static inline const hb_file_leaf *hb_leaves(const hb_file_head *tables) {
    return (const hb_file_leaf *)((const unsigned char *)tables + tables->leaves);
}
static inline const unsigned char *hb_data(const hb_file_head *tables) {
    return (const unsigned char *)tables + tables->data;
}
/* Bytes of an array; -1 where they are more than `most`. */
int64_t hb_bytes(const int64_t *shape, int32_t axes, int64_t item, int64_t most);
/* Shape of what a leaf of kind REGION or GIVEN stands for; returns the number of axes. */
int32_t hb_region_shape(const hb_file_head *tables, int region, int64_t count, int64_t *shape);
int32_t hb_given_shape(const hb_file_head *tables, int given, int64_t *shape);
/* Slots that an argument takes, and filling those of an array, dense. */
static inline int64_t hb_slots_of(const hb_argument *argument) {
    return argument->item ? 5 + 2 * (int64_t)argument->axes : 1;
}
void hb_fill(int64_t *slots, const hb_argument *argument, const int64_t *shape, const void *memory);

#endif
