/* hoofbeat's engine without Python: see docs/core.md. Made by hoofbeat.offline.core.header. */
#ifndef HB_H
#define HB_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define HB_ASSERT static_assert
extern "C" {
#else
#define HB_ASSERT _Static_assert
#endif

#if defined(_WIN32)
#define HB_EXPORT __declspec(dllexport)
#elif defined(__wasm__)
#define HB_EXPORT __attribute__((visibility("default"), used))
#else
#define HB_EXPORT __attribute__((visibility("default")))
#endif

#define HB_LAYOUT_VERSION 2 /* of the records below and of snapshots */
#define HB_TABLES_VERSION 1 /* of table files */

enum {
    HB_OK = 0, /* all is well */
    HB_BAD_TABLES = 1, /* these are no tables of hoofbeat, or they are damaged */
    HB_OTHER_VERSION = 2, /* these tables are of another version of the file format; export them again */
    HB_OTHER_LAYOUT = 3, /* this was made for other kernels, records or tables; export or save it again */
    HB_CUT_SHORT = 4, /* the data ends before it should */
    HB_NO_MEMORY = 5, /* the memory given is missing, too small or not aligned to 16 bytes */
    HB_BAD_COMMAND = 6, /* a command has a number that is not finite, or a gait or action that is not there */
    HB_BAD_INDEX = 7, /* there is no such character, or no herd of so many */
    HB_BAD_SNAPSHOT = 8, /* this is no snapshot of a herd, or it is damaged */
    HB_BAD_TIME = 9, /* a time step must be a finite number of seconds, 0 or more, and steps 0 or more */
    HB_NO_SKIN = 10, /* these tables have no skin */
    HB_KERNEL = 11, /* a kernel failed, which is a fault of hoofbeat; the herd must be made again */
};

/* What a rider wants, and what the horse does. `gait`, `going_to` and `action` count in lists of `hb_text`,
   -1 = none; so does `refused`, in `refusals`. */
typedef struct {
    double speed; /* ahead, negative = backward [m/s] */
    double sideways; /* to the left [m/s] */
    double turn; /* left positive [rad/s] */
    double heading; /* wanted instead of a turn, world [rad] */
    double extension; /* -1 = collected, 1 = extended */
    double look[3]; /* point to look at, world [m] */
    double push[3]; /* change of velocity by a push, world [m/s]; none = 0 */
    double jump[2]; /* height and distance [m] */
    int32_t gait;
    int32_t action;
    int32_t mood;
    uint8_t has_heading;
    uint8_t has_look;
    uint8_t has_jump;
    uint8_t fill0[1];
    int32_t clamped; /* bits of CLAMPS: what was brought into range, written by the clamping kernel */
    uint8_t fill1[4];
} hb_command;
HB_ASSERT(sizeof(hb_command) == 128, "size of hb_command");
HB_ASSERT(offsetof(hb_command, speed) == 0, "hb_command.speed");
HB_ASSERT(offsetof(hb_command, sideways) == 8, "hb_command.sideways");
HB_ASSERT(offsetof(hb_command, turn) == 16, "hb_command.turn");
HB_ASSERT(offsetof(hb_command, heading) == 24, "hb_command.heading");
HB_ASSERT(offsetof(hb_command, extension) == 32, "hb_command.extension");
HB_ASSERT(offsetof(hb_command, look) == 40, "hb_command.look");
HB_ASSERT(offsetof(hb_command, push) == 64, "hb_command.push");
HB_ASSERT(offsetof(hb_command, jump) == 88, "hb_command.jump");
HB_ASSERT(offsetof(hb_command, gait) == 104, "hb_command.gait");
HB_ASSERT(offsetof(hb_command, action) == 108, "hb_command.action");
HB_ASSERT(offsetof(hb_command, mood) == 112, "hb_command.mood");
HB_ASSERT(offsetof(hb_command, has_heading) == 116, "hb_command.has_heading");
HB_ASSERT(offsetof(hb_command, has_look) == 117, "hb_command.has_look");
HB_ASSERT(offsetof(hb_command, has_jump) == 118, "hb_command.has_jump");
HB_ASSERT(offsetof(hb_command, clamped) == 120, "hb_command.clamped");

typedef struct {
    double root[3]; /* on the ground, world [m] */
    double yaw; /* heading [rad], 0 = +Z, left positive */
    double speed; /* over the ground [m/s] */
    double time; /* since the start [s] */
    float contact[4]; /* 1 = on the ground */
    float phase[4]; /* each leg's own time, 0 = its touchdown */
    float shortfall[4]; /* how far each leg misses its target [m] */
    int8_t foot_phase[4]; /* STANCE, STRIKING or FLIGHT */
    int32_t gait;
    int32_t going_to;
    int32_t refused;
    int32_t events;
    int32_t clamped;
    uint8_t airborne;
    uint8_t fill0[7];
} hb_frame;
HB_ASSERT(sizeof(hb_frame) == 128, "size of hb_frame");
HB_ASSERT(offsetof(hb_frame, root) == 0, "hb_frame.root");
HB_ASSERT(offsetof(hb_frame, yaw) == 24, "hb_frame.yaw");
HB_ASSERT(offsetof(hb_frame, speed) == 32, "hb_frame.speed");
HB_ASSERT(offsetof(hb_frame, time) == 40, "hb_frame.time");
HB_ASSERT(offsetof(hb_frame, contact) == 48, "hb_frame.contact");
HB_ASSERT(offsetof(hb_frame, phase) == 64, "hb_frame.phase");
HB_ASSERT(offsetof(hb_frame, shortfall) == 80, "hb_frame.shortfall");
HB_ASSERT(offsetof(hb_frame, foot_phase) == 96, "hb_frame.foot_phase");
HB_ASSERT(offsetof(hb_frame, gait) == 100, "hb_frame.gait");
HB_ASSERT(offsetof(hb_frame, going_to) == 104, "hb_frame.going_to");
HB_ASSERT(offsetof(hb_frame, refused) == 108, "hb_frame.refused");
HB_ASSERT(offsetof(hb_frame, events) == 112, "hb_frame.events");
HB_ASSERT(offsetof(hb_frame, clamped) == 116, "hb_frame.clamped");
HB_ASSERT(offsetof(hb_frame, airborne) == 120, "hb_frame.airborne");

/* `foot_phase` of each leg. */
enum { HB_STANCE = 0, HB_STRIKING = 1, HB_FLIGHT = 2 };
/* Bits of `events`; the first two are shifted left by the leg, LF, RF, LH, RH. */
enum { HB_TOUCHDOWN = 1, HB_LIFTOFF = 16, HB_TAKEOFF = 256, HB_LANDING = 512 };
/* Bits of `clamped`: what of the command was brought into range. */
enum { HB_CLAMPED_SPEED = 1, HB_CLAMPED_TURN = 2, HB_CLAMPED_HEADING = 4, HB_CLAMPED_GAIT = 8,
       HB_CLAMPED_ACTION = 16, HB_CLAMPED_LOOK = 32, HB_CLAMPED_PUSH = 64, HB_CLAMPED_JUMP = 128,
       HB_CLAMPED_MOOD = 256, HB_CLAMPED_DT = 512, HB_CLAMPED_EXTENSION = 1024, HB_CLAMPED_SIDEWAYS = 2048 };

/* One sentence about an error code; never NULL. */
HB_EXPORT const char *hb_error(int32_t code);

/* Check a table file in memory: it must begin at a multiple of 16 bytes and stay where it is, unchanged, as
   long as a herd of it is used. Functions that take `tables` take what this has found to be HB_OK. */
HB_EXPORT int32_t hb_tables_load(const void *blob, size_t size);
/* The text of a table file, JSON in UTF-8 that ends with a zero: method, gaits, actions, joints ... */
HB_EXPORT const char *hb_text(const void *tables, size_t *size);
/* Numbers of vertices and triangles of the skin; HB_NO_SKIN where there is none. */
HB_EXPORT int32_t hb_skin_counts(const void *tables, int32_t *vertices, int32_t *triangles);
/* Three vertices a triangle, counter-clockwise seen from outside; NULL where there is no skin. */
HB_EXPORT const uint32_t *hb_skin_triangles(const void *tables);
/* sRGB and alpha, four bytes a vertex; NULL where there is no skin. */
HB_EXPORT const uint8_t *hb_skin_colours(const void *tables);

/* Bytes that a herd needs; 0 where there can be none of so many. */
HB_EXPORT size_t hb_herd_size(const void *tables, int32_t count);
/* Make a herd of `count` characters, standing at the origin, in memory that begins at a multiple of 16 bytes.
   It stays there, and what follows allocates nothing. Any two herds can be used in two threads. */
HB_EXPORT int32_t hb_init(void *herd, size_t size, const void *tables, int32_t count, int64_t seed);
/* What character i, or with i = -1 each, is to do from now on. On an error nothing is changed. */
HB_EXPORT int32_t hb_command_set(void *herd, int32_t i, const hb_command *command);
/* Advance n times by dt [s]. */
HB_EXPORT int32_t hb_step(void *herd, double dt, int32_t n);
/* Character i after the last step. */
HB_EXPORT int32_t hb_frame_get(const void *herd, int32_t i, hb_frame *out);
/* Its nodes: double (J, 3), world [m], valid until the herd is gone; NULL where there is no character i. */
HB_EXPORT const double *hb_positions(const void *herd, int32_t i);
/* Its joints: float (J, 4), xyzw, local; the first is relative to the root. */
HB_EXPORT const float *hb_rotations(const void *herd, int32_t i);
/* The skin of character i, float (V, 3) each: vertices [m] relative to `root` of its frame, with the axes of
   the world, and unit normals. */
HB_EXPORT int32_t hb_skin(const void *herd, int32_t i, float *vertices, float *normals);

/* A snapshot holds all that the next step depends on. */
HB_EXPORT size_t hb_snapshot_size(const void *herd);
HB_EXPORT int32_t hb_snapshot(const void *herd, void *out, size_t size);
/* Go back; the herd must have the same tables and number. On an error nothing is changed. */
HB_EXPORT int32_t hb_restore(void *herd, const void *snapshot, size_t size);

/* ---- What follows is for Python, which puts the parts together by itself. ---- */

/* A compiled kernel: its arguments lie in slots of 8 bytes, in the order in which it takes them. */
typedef int32_t (*hb_kernel)(int64_t *slots);

/* An argument of a kernel. An array takes 5 + 2 * axes slots, a number one. */
typedef struct {
    uint32_t kind;  /* tells types of items apart */
    int32_t item;   /* bytes of an item of an array, 0 = a number */
    int32_t axes;   /* of an array */
} hb_argument;

/* A kernel by its name. */
typedef struct {
    const char *name;
    hb_kernel code;
    const hb_argument *arguments;
    int32_t count;   /* of arguments */
    int32_t results; /* slots behind the arguments that it fills */
} hb_entry;
extern const hb_entry hb_entries[];
extern const int32_t hb_entry_count;
/* Tells builds of the kernels apart: 16 characters. */
HB_EXPORT const char *hb_stamp(void);

/* One kernel with its arguments. Addresses are whole numbers, so that the record is the same everywhere. */
typedef struct {
    int64_t kernel; /* address of the code */
    int64_t slots;  /* address of its arguments */
    int64_t dt;     /* address of the slot that takes the time step, 0 = none */
    int64_t result; /* address of what it gives back, 0 = nothing */
} hb_stage;

/* A herd's step: what runs in which order, and the memory that is looked at between. */
typedef struct {
    hb_stage prepare; /* limits of commands and time; gives back the number of parts and the length of each */
    hb_stage method;
    hb_stage place;
    hb_stage frames;
    int64_t count;       /* characters */
    int64_t nodes;       /* of each */
    int64_t rotations;   /* float (count, nodes, 4) */
    int64_t bent;        /* int64 (bent_count): nodes that uneven ground turned in the last step */
    int64_t bent_count;
    int64_t events;       /* int32, of the first character's STEP row */
    int64_t event_stride; /* bytes from one row to the next */
    int64_t frame_events; /* the same of FRAME rows */
    int64_t frame_stride;
} hb_program;

/* Advance by dt [s]; 0 = done, else the status of the kernel that failed. */
HB_EXPORT int32_t hb_run(const hb_program *program, double dt);

#ifdef __cplusplus
}
#endif
#endif
