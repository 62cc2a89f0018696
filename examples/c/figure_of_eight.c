/* A horse trots a figure of eight, without Python: roots and hooves as CSV on stdout.

       hoofbeat core export horse.hbt
       figure_of_eight horse.hbt 20 > ride.csv                  (20 seconds) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hb.h"

/* Each half of the figure takes as long as a full turn at this rate [rad/s]. */
#define TURN 0.7
#define DT (1 / 60.0)

static void *loaded(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    void *data = aligned_alloc(64, 1 << 24); /* begins at a multiple of 16, as it must */
    *size = file && data ? fread(data, 1, 1 << 24, file) : 0;
    if (file) fclose(file);
    return data;
}

static void need(int32_t code) {
    if (code == HB_OK) return;
    fprintf(stderr, "%s\n", hb_error(code));
    exit(1);
}

int main(int argc, char **argv) {
    size_t size;
    double seconds = argc > 2 ? atof(argv[2]) : 20;
    void *tables = loaded(argc > 1 ? argv[1] : "horse.hbt", &size);
    need(hb_tables_load(tables, size));

    /* One horse, in memory of our own; nothing is allocated from here on. */
    size_t needed = hb_herd_size(tables, 1);
    void *horse = aligned_alloc(64, (needed + 63) / 64 * 64);
    need(hb_init(horse, needed, tables, 1, 0));

    hb_command command = {.speed = 3.2, .gait = -1, .action = -1, .mood = -1};
    int toes[4]; /* nodes of the hooves: LF, RF, LH, RH */
    const char *text = strstr(hb_text(tables, NULL), "\"toes\"");
    sscanf(text, "%*[^{]{%*[^:]: %d,%*[^:]: %d,%*[^:]: %d,%*[^:]: %d", toes, toes + 1, toes + 2, toes + 3);
    printf("time,x,z,yaw,LF_x,LF_y,LF_z,RF_x,RF_y,RF_z,LH_x,LH_y,LH_z,RH_x,RH_y,RH_z\n");
    for (int step = 0; step < seconds / DT; step++) {
        int half = (int)(step * DT * TURN / 6.283185307179586);
        command.turn = half % 2 ? -TURN : TURN;
        need(hb_command_set(horse, 0, &command));
        need(hb_step(horse, DT, 1));
        hb_frame frame;
        need(hb_frame_get(horse, 0, &frame));
        const double *nodes = hb_positions(horse, 0);
        printf("%.4f,%.4f,%.4f,%.4f", frame.time, frame.root[0], frame.root[2], frame.yaw);
        for (int leg = 0; leg < 4; leg++)
            for (int axis = 0; axis < 3; axis++) printf(",%.4f", nodes[3 * toes[leg] + axis]);
        printf("\n");
    }
    free(horse);
    free(tables);
    return 0;
}
