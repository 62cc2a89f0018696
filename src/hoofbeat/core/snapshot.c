/* Snapshots: all that a herd's next step depends on, in one piece of memory without addresses. */
#include "herd.h"
#include <string.h>

static const char magic[8] = "HBHERDS";

typedef struct {
    char magic[8];
    int32_t layout;
    int32_t count;
    char stamp[16];    /* of the kernels */
    uint64_t tables;   /* checksum of the tables */
    int64_t size;      /* of the snapshot [bytes] */
    uint64_t checksum; /* of what stands before and of the rows */
} snapshot_head;
HB_ASSERT(sizeof(snapshot_head) == 56, "size of a snapshot's head");

/* What is kept; frames and shown positions follow from it. */
static const int kept[] = {HB_REGION_STATE, HB_REGION_ASKED, HB_REGION_COMMANDS, HB_REGION_SENSES,
                           HB_REGION_WORLD, HB_REGION_STEPS, HB_REGION_POSITIONS, HB_REGION_ROTATIONS};
#define KEPT ((int)(sizeof kept / sizeof *kept))

static size_t bytes_of(const hb_herd *herd, int k) {
    return (size_t)(hb_region_size(herd->tables, kept[k]) * herd->count);
}

static size_t size_of(const hb_herd *herd) {
    size_t size = sizeof(snapshot_head);
    for (int k = 0; k < KEPT; k++) size += bytes_of(herd, k);
    return size;
}

static snapshot_head head_of(const hb_herd *herd) {
    snapshot_head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.layout = HB_LAYOUT_VERSION;
    head.count = (int32_t)herd->count;
    memcpy(head.stamp, hb_stamp(), sizeof head.stamp);
    head.tables = herd->tables->checksum;
    head.size = (int64_t)size_of(herd);
    return head;
}

static uint64_t sum_of(const void *snapshot, size_t size) {
    size_t head = sizeof(snapshot_head);
    uint64_t sum = hb_checksum(snapshot, offsetof(snapshot_head, checksum), HB_FNV);
    return hb_checksum((const unsigned char *)snapshot + head, size - head, sum);
}

size_t hb_snapshot_size(const void *memory) {
    const hb_herd *herd = hb_herd_of(memory);
    return herd ? size_of(herd) : 0;
}

int32_t hb_snapshot(const void *memory, void *out, size_t size) {
    const hb_herd *herd = hb_herd_of(memory);
    if (!herd || !out || size < size_of(herd)) return HB_NO_MEMORY;
    if (herd->failed) return HB_KERNEL;
    snapshot_head head = head_of(herd);
    unsigned char *to = (unsigned char *)out + sizeof head;
    for (int k = 0; k < KEPT; to += bytes_of(herd, k), k++)
        memcpy(to, herd->regions[kept[k]], bytes_of(herd, k));
    memcpy(out, &head, sizeof head);
    head.checksum = sum_of(out, (size_t)head.size);
    memcpy(out, &head, sizeof head);
    return HB_OK;
}

static int32_t check(const hb_herd *herd, const void *snapshot, size_t size) {
    snapshot_head given, wanted = head_of(herd);
    if (size < sizeof given) return HB_CUT_SHORT;
    memcpy(&given, snapshot, sizeof given);
    if (memcmp(given.magic, magic, sizeof magic)) return HB_BAD_SNAPSHOT;
    if (memcmp(&given, &wanted, offsetof(snapshot_head, size))) return HB_OTHER_LAYOUT;
    if (given.size != wanted.size) return HB_BAD_SNAPSHOT;
    if (size < (size_t)given.size) return HB_CUT_SHORT;
    return sum_of(snapshot, (size_t)given.size) == given.checksum ? HB_OK : HB_BAD_SNAPSHOT;
}

int32_t hb_restore(void *memory, const void *snapshot, size_t size) {
    if (!hb_herd_of(memory) || !snapshot) return HB_NO_MEMORY;
    hb_herd *herd = memory;
    int32_t problem = check(herd, snapshot, size);
    if (problem) return problem;
    const unsigned char *from = (const unsigned char *)snapshot + sizeof(snapshot_head);
    for (int k = 0; k < KEPT; from += bytes_of(herd, k), k++)
        memcpy(herd->regions[kept[k]], from, bytes_of(herd, k));
    herd->failed = hb_stage_run(&herd->program.frames, 0.0);
    return herd->failed ? HB_KERNEL : HB_OK;
}
