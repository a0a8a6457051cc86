/* SPDX-License-Identifier: Apache-2.0 */
/* References of launch files that are not compiled into warpref: a function in a shared object.
 *
 *   checks:
 *     - {buffer: c, reference: my.so:add}
 *
 *   #include "warpref_reference.h"
 *   const char *add(const warpref_launch *launch)
 *   {
 *       const float *a = launch->args[0].data, *b = launch->args[1].data;
 *       float *c = launch->args[2].data;
 *       for (int64_t i = 0; i < launch->args[3].integer; i++)
 *           c[i] = a[i] + b[i];
 *       return NULL;
 *   }
 *
 *   cc -shared -fPIC -I PREFIX/include/warpref my.c -o my.so
 *
 * It is called once for each launch that ran, in order, in a process of its own in which the object
 * is loaded once, and does to ordinary memory what the kernel did to the GPU's. Buffers begin with
 * the contents that the launch file gave them; behind the last call they are compared. What it
 * prints goes to standard error.
 *
 * From C++ it is extern "C".
 */
#ifndef WARPREF_REFERENCE_H
#define WARPREF_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when what is below changes; an object with another one is refused. */
#define WARPREF_REFERENCE_ABI 1

/* By this the program knows which one the object was made with. */
extern const uint32_t warpref_reference_abi __attribute__((weak, visibility("default")));
const uint32_t warpref_reference_abi = WARPREF_REFERENCE_ABI;

/* Types are called as in the launch file: u8 s8 b8 u16 s16 b16 u32 s32 b32 f32 u64 s64 b64 f64. */

/* A buffer of the launch file. */
typedef struct warpref_buffer {
    const char *name;
    const char *type; /* of its elements */
    void *data;       /* aligned to 256 bytes */
    uint64_t count;   /* elements */
    uint64_t bytes;
} warpref_buffer;

/* An argument of the kernel, as the launch file gives it. */
typedef struct warpref_arg {
    const char *type;   /* of the value, or of the buffer's elements; of a struct b8 */
    const char *buffer; /* name of the buffer that it points into; NULL: a value or a struct */
    void *data;         /* the buffer from the offset on, or the struct's bytes; NULL: a value */
    uint64_t count;     /* elements from there to the end of the buffer */
    uint64_t bytes;     /* likewise */
    int64_t integer;    /* value of an integer type; of u64 and b64 its bits */
    double real;        /* value of a float type */
} warpref_arg;

typedef struct warpref_launch {
    const char *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t arg_count;
    uint32_t buffer_count;
    const warpref_arg *args;
    const warpref_buffer *buffers; /* all of the file's, in its order */
} warpref_launch;

/* NULL, or in plain words why the reference cannot follow this launch, which ends the check. */
typedef const char *warpref_reference(const warpref_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
