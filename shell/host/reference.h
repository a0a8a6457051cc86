/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's plain C reference looks like to the host.
 *
 * A reference is called once for every launch that ran, in order, with the same arguments, and
 * does to ordinary memory what the kernel did to the GPU's. Buffers begin with the contents
 * that the launch file gave them; afterwards the host compares.
 */
#ifndef WR_SHELL_HOST_REFERENCE_H
#define WR_SHELL_HOST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/isa/isa.h"

typedef struct wr_reference_arg {
    uint8_t type;    /* wr_type of the value, or of the buffer's elements */
    void *data;      /* buffer: its elements from the offset; struct: its bytes; NULL for a value */
    uint64_t count;  /* elements of the buffer */
    int64_t integer; /* value of an integer type */
    double real;     /* value of a float type */
} wr_reference_arg;

typedef struct wr_reference_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    const wr_reference_arg *args;
    size_t arg_count;
} wr_reference_launch;

/* Returns NULL, or in plain words why this launch is none that the reference can follow (a
 * block of another size, a buffer too short). */
typedef const char *(*wr_reference_fn)(const wr_reference_launch *launch);

#endif
