"""Interface: error codes of the C functions and the text of `core/hb.h` around the generated records."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """What a C function gives back."""

    HB_OK = 0
    HB_BAD_TABLES = 1
    HB_OTHER_VERSION = 2
    HB_OTHER_LAYOUT = 3
    HB_CUT_SHORT = 4
    HB_NO_MEMORY = 5
    HB_BAD_COMMAND = 6
    HB_BAD_INDEX = 7
    HB_BAD_SNAPSHOT = 8
    HB_BAD_TIME = 9
    HB_NO_SKIN = 10
    HB_KERNEL = 11


#: One sentence each; without the quotes and backslashes of C.
SENTENCES = {
    Code.HB_OK: "all is well",
    Code.HB_BAD_TABLES: "these are no tables of hoofbeat, or they are damaged",
    Code.HB_OTHER_VERSION: "these tables are of another version of the file format; export them again",
    Code.HB_OTHER_LAYOUT: "this was made for other kernels, records or tables; export or save it again",
    Code.HB_CUT_SHORT: "the data ends before it should",
    Code.HB_NO_MEMORY: "the memory given is missing, too small or not aligned to 16 bytes",
    Code.HB_BAD_COMMAND: "a command has a number that is not finite, or a gait or action that is not there",
    Code.HB_BAD_INDEX: "there is no such character, or no herd of so many",
    Code.HB_BAD_SNAPSHOT: "this is no snapshot of a herd, or it is damaged",
    Code.HB_BAD_TIME: "a time step must be a finite number of seconds, 0 or more, and steps 0 or more",
    Code.HB_NO_SKIN: "these tables have no skin",
    Code.HB_KERNEL: "a kernel failed, which is a fault of hoofbeat; the herd must be made again",
}

TEXT = """/* hoofbeat's engine without Python: see docs/core.md. Made by hoofbeat.offline.core.header. */
#ifndef HB_H
#define HB_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define HB_ASSERT static_assert
extern "C" {{
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

#define HB_LAYOUT_VERSION {layout} /* of the records below and of snapshots */
#define HB_TABLES_VERSION {tables} /* of table files */

enum {{
{errors}
}};

/* What a rider wants, and what the horse does. `gait`, `going_to` and `action` count in lists of `hb_text`,
   -1 = none; so does `refused`, in `refusals`. */
{records}
{words}

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
typedef struct {{
    uint32_t kind;  /* tells types of items apart */
    int32_t item;   /* bytes of an item of an array, 0 = a number */
    int32_t axes;   /* of an array */
}} hb_argument;

/* A kernel by its name. */
typedef struct {{
    const char *name;
    hb_kernel code;
    const hb_argument *arguments;
    int32_t count;   /* of arguments */
    int32_t results; /* slots behind the arguments that it fills */
}} hb_entry;
extern const hb_entry hb_entries[];
extern const int32_t hb_entry_count;
/* Tells builds of the kernels apart: 16 characters. */
HB_EXPORT const char *hb_stamp(void);

/* One kernel with its arguments. Addresses are whole numbers, so that the record is the same everywhere. */
typedef struct {{
    int64_t kernel; /* address of the code */
    int64_t slots;  /* address of its arguments */
    int64_t dt;     /* address of the slot that takes the time step, 0 = none */
    int64_t result; /* address of what it gives back, 0 = nothing */
}} hb_stage;

/* A herd's step: what runs in which order, and the memory that is looked at between. */
typedef struct {{
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
}} hb_program;

/* Advance by dt [s]; 0 = done, else the status of the kernel that failed. */
HB_EXPORT int32_t hb_run(const hb_program *program, double dt);

#ifdef __cplusplus
}}
#endif
#endif
"""
