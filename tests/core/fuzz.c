/* Damaged tables, snapshots and commands: each gives an error code or does no harm.

   fuzz FILE.hbt CASES SEED

   Half of the tables and snapshots get a checksum that fits, so that the checks behind it are reached. Tables
   that are still accepted are ridden where only their structure was touched; bytes of data are trusted. */
#include "herd.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 2
#define CODES 12

static uint64_t state;
static long seen[3][CODES], ridden;

static uint64_t random_word(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

static size_t below(size_t n) { return (size_t)(random_word() >> 11) % n; }

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void must(int32_t code) {
    if (code) fail(hb_error(code));
}

static void count(int kind, int32_t code) {
    if (code < 0 || code >= CODES) fail("an unknown code");
    seen[kind][code]++;
}

static void *room(size_t size) {
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory) fail("no memory");
    return memset(memory, 0, size);
}

/* Change some bytes of `data`, in one of several ways; within `focus` bytes where that is not 0. */
static void damage(unsigned char *data, size_t size, size_t focus) {
    static const int64_t odd[] = {0,   1,   -1,    2,         3,         63,        64,
                                  255, 256, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    if (!focus || focus > size) focus = size;
    for (size_t k = 1 + below(3); k > 0; k--) {
        size_t at = below(focus), length = 1 + below(8);
        if (length > focus - at) length = focus - at;
        switch (below(6)) {
        case 0: data[at] ^= (unsigned char)(1u << below(8)); break;
        case 1: data[at] = (unsigned char)random_word(); break;
        case 2: memcpy(data + at, &odd[below(sizeof odd / sizeof *odd)], length); break;
        case 3: memmove(data + at, data + below(focus - length + 1), length); break;
        case 4: at &= ~(size_t)3; data[at] = (unsigned char)(data[at] + 1 - 2 * below(2)); break;
        default: {
            uint64_t word = random_word() >> below(64);
            memcpy(data + at, &word, length);
        }
        }
    }
}

static void seal_tables(unsigned char *data, size_t size) {
    hb_file_head *head = (hb_file_head *)data;
    uint64_t sum = hb_checksum(data, 40, HB_FNV);
    head->checksum = 0;
    sum = hb_checksum(data + 40, size - 40, sum);
    head->checksum = sum;
}

/* Only what says how arguments are laid out may differ, not a number that a kernel is given. */
static int is_ridable(const unsigned char *given, const unsigned char *good) {
    const hb_file_head *head = (const hb_file_head *)good;
    if (memcmp(given + head->data, good + head->data, (size_t)(head->size - head->data))) return 0;
    if (((const hb_file_head *)given)->leaves != head->leaves) return 0;
    const hb_file_leaf *a = hb_leaves((const hb_file_head *)given), *b = hb_leaves(head);
    for (int64_t k = 0; k < head->leaf_count; k++)
        if (a[k].kind == HB_LEAF_NUMBER && (b[k].kind != a[k].kind || a[k].value != b[k].value)) return 0;
    return 1;
}

static void ride(const void *tables) {
    ridden++;
    size_t size = hb_herd_size(tables, COUNT);
    if (!size) fail("tables without a size");
    void *herd = room(size);
    int32_t vertices = 0, triangles = 0;
    if (hb_init(herd, size, tables, COUNT, 1) == HB_OK) {
        hb_command command = {.speed = 3.0, .gait = -1, .action = -1, .mood = -1};
        must(hb_command_set(herd, -1, &command));
        hb_step(herd, 1 / 60.0, 3);
        if (hb_skin_counts(tables, &vertices, &triangles) == HB_OK) {
            float *points = room((size_t)vertices * 24);
            hb_skin(herd, 0, points, points + 3 * (size_t)vertices);
            free(points);
        }
    }
    free(herd);
}

static void fuzz_tables(const unsigned char *good, unsigned char *work, size_t size) {
    const hb_file_head *head = (const hb_file_head *)good;
    size_t structure = (size_t)head->data, focus = below(4) ? structure : size, given = size;
    memcpy(work, good, size);
    if (below(2)) focus = below(2) ? sizeof *head : focus;
    damage(work, size, focus);
    if (below(16) == 0) given = below(size);
    if (below(2)) seal_tables(work, size);
    unsigned char *exact = given == size ? work : room(given ? given : 1);
    if (exact != work) memcpy(exact, work, given);
    int32_t code = hb_tables_load(exact, given);
    count(0, code);
    size_t length;
    if (code == HB_OK && hb_text(exact, &length)[length] != 0) fail("text without an end");
    if (code == HB_OK && is_ridable(work, good)) ride(exact);
    if (exact != work) free(exact);
}

static void fuzz_snapshot(void *herd, const unsigned char *good, unsigned char *work, size_t size) {
    size_t given = size, head = 56;
    memcpy(work, good, size);
    damage(work, size, below(2) ? head : size);
    if (below(16) == 0) given = below(size);
    if (below(2)) {
        uint64_t sum = hb_checksum(work + head, size - head, hb_checksum(work, 48, HB_FNV));
        memcpy(work + 48, &sum, sizeof sum);
    }
    int32_t code = hb_restore(herd, work, given);
    count(1, code);
    /* What was accepted has other rows, which are trusted; go back to good ones. */
    if (code == HB_OK) must(hb_restore(herd, good, size));
}

static void fuzz_command(void *herd) {
    static const double odd[] = {0, 1, -1, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, NAN, 1e6, 14, 0.3};
    hb_command command = {.speed = 3.0, .gait = -1, .action = -1, .mood = -1};
    if (below(2)) damage((unsigned char *)&command, sizeof command, 0);
    for (size_t k = below(4); k > 0; k--) {
        double *numbers = &command.speed;
        numbers[below(13)] = odd[below(sizeof odd / sizeof *odd)];
    }
    if (below(4) == 0) command.gait = (int32_t)below(14) - 2;
    int32_t who = (int32_t)below(COUNT + 2) - 1;
    int32_t code = hb_command_set(herd, who, &command);
    count(2, code);
    static const double times[] = {1 / 60.0, 0, -1, 1e300, INFINITY, NAN, 0.25, 5e-324};
    if (below(8) == 0) hb_step(herd, times[below(8)], (int32_t)below(4) - 1);
}

static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the tables");
    *size = (size_t)ftell(file);
    unsigned char *data = room(*size);
    rewind(file);
    if (fread(data, 1, *size, file) != *size) fail("cannot read the tables");
    fclose(file);
    return data;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("fuzz FILE.hbt CASES SEED");
    size_t size, kept;
    unsigned char *tables = read_file(argv[1], &size), *work = room(size);
    long cases = atol(argv[2]);
    state = strtoull(argv[3], NULL, 10) * 2 + 1;
    must(hb_tables_load(tables, size));
    size_t needed = hb_herd_size(tables, COUNT);
    void *herd = room(needed);
    must(hb_init(herd, needed, tables, COUNT, 1));
    must(hb_step(herd, 0.02, 10));
    kept = hb_snapshot_size(herd);
    unsigned char *snapshot = room(kept), *torn = room(kept);
    must(hb_snapshot(herd, snapshot, kept));
    for (long k = 0; k < cases; k++) {
        switch (k % 3) {
        case 0: fuzz_tables(tables, work, size); break;
        case 1: fuzz_snapshot(herd, snapshot, torn, kept); break;
        default: fuzz_command(herd);
        }
    }
    for (int kind = 0; kind < 3; kind++)
        for (int code = 0; code < CODES; code++)
            if (seen[kind][code]) printf("%d %d %ld\n", kind, code, seen[kind][code]);
    printf("3 0 %ld\n", ridden); /* damaged tables that were ridden without harm */
    free(tables), free(work), free(herd), free(snapshot), free(torn);
    return 0;
}
