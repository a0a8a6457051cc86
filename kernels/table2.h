/* SPDX-License-Identifier: Apache-2.0 */
/* Lin-P Table II: what the paper's 23 kernels need and how many TBs of them share an SM. The
 * paper's shared memory is that of the kernel, 16 B more, and its parameters. */
#ifndef WR_KERNELS_TABLE2_H
#define WR_KERNELS_TABLE2_H

#include <stddef.h>
#include <stdint.h>

typedef struct wr_table2_row {
    const char *kernel; /* name in kernels/ */
    const char *label;  /* the paper's */
    uint32_t warps;     /* per TB */
    uint32_t regs;      /* vector registers per warp */
    uint32_t shared;    /* bytes per TB */
    uint32_t tbs;       /* per SM */
    const char *limit;  /* as wr_occupancy names it */
} wr_table2_row;

/* In the paper's order; sets *count. */
const wr_table2_row *wr_table2(size_t *count);

#endif
