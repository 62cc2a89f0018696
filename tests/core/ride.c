/* A herd rides for a while, with changing commands, snapshots on the way and a skin where there is one.

   ride FILE.hbt COUNT STEPS */
#include "hb.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int32_t code) {
    if (code == HB_OK) return;
    fprintf(stderr, "%s\n", hb_error(code));
    exit(1);
}

static void *room(size_t size) {
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory) exit(2);
    return memset(memory, 0, size);
}

int main(int argc, char **argv) {
    FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END)) return 2;
    size_t size = (size_t)ftell(file);
    void *tables = room(size);
    rewind(file);
    if (fread(tables, 1, size, file) != size) return 2;
    fclose(file);
    must(hb_tables_load(tables, size));
    int32_t count = atoi(argv[2]), steps = atoi(argv[3]), vertices, triangles;
    /* Exactly as large as is asked for, so that a byte more is noticed. */
    size_t needed = hb_herd_size(tables, count);
    void *herd = aligned_alloc(16, needed);
    must(hb_init(herd, needed, tables, count, 7));
    int has_skin = hb_skin_counts(tables, &vertices, &triangles) == HB_OK;
    float *skin = malloc(24 * (size_t)vertices + 1);
    size_t kept = hb_snapshot_size(herd);
    char *snapshot = malloc(kept), *again = malloc(kept);
    double way = 0;
    for (int32_t step = 0; step < steps; step++) {
        hb_command command = {.speed = step % 97 * 0.1, .gait = -1, .action = -1, .mood = -1};
        command.turn = step % 31 * 0.05 - 0.7;
        must(hb_command_set(herd, step % count, &command));
        must(hb_step(herd, step % 50 ? 1 / 60.0 : 0.25, 1));
        if (step % 40 == 20) must(hb_snapshot(herd, snapshot, kept));
        if (step % 40 == 30) must(hb_restore(herd, snapshot, kept));
        if (has_skin && step % 20 == 0) must(hb_skin(herd, step % count, skin, skin + 3 * vertices));
        hb_frame frame;
        must(hb_frame_get(herd, count - 1, &frame));
        way += frame.speed;
    }
    must(hb_snapshot(herd, snapshot, kept));
    must(hb_restore(herd, snapshot, kept));
    must(hb_snapshot(herd, again, kept));
    if (memcmp(snapshot, again, kept)) return 3;
    printf("%d steps of %d, %.1f m/s on average\n", steps, count, way / steps);
    free(tables), free(herd), free(skin), free(snapshot), free(again);
    return 0;
}
