/* hoofbeat's engine without Python: see docs/core.md. */
#ifndef HB_H
#define HB_H
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define HB_EXPORT __declspec(dllexport)
#elif defined(__wasm__)
#define HB_EXPORT __attribute__((visibility("default"), used))
#else
#define HB_EXPORT __attribute__((visibility("default")))
#endif

/* A compiled kernel: its arguments lie in slots of 8 bytes, in the order in which it takes them. */
typedef int32_t (*hb_kernel)(int64_t *slots);
extern const hb_kernel hb_kernels[];
extern const int32_t hb_kernel_count;

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

#endif
