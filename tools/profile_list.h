/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as people and scripts read it. */
#ifndef WR_TOOLS_PROFILE_LIST_H
#define WR_TOOLS_PROFILE_LIST_H

#include <stdio.h>

#include "tools/profile.h"

#define WR_PROFILE_WAITS (WR_WAIT_MEMBAR + 1)

/* Of an instruction, or of several. */
typedef struct wr_profile_count {
    uint64_t issued;                  /* warp instructions */
    uint64_t lanes;                   /* active in these */
    uint64_t lines;                   /* of memory */
    uint64_t waits[WR_PROFILE_WAITS]; /* cycles of warps, by wr_wait */
} wr_profile_count;

void wr_profile_count_add(wr_profile_count *sum, const wr_profile_count *more);

typedef struct wr_profile_kernel {
    const char *file; /* of several; NULL: there is one */
    const wr_kernel *kernel;
    wr_profile_count *counts; /* by instruction, of all SMs */
} wr_profile_kernel;

/* False: a write failed, or memory ran out (errno). */
bool wr_profile_csv(FILE *out, const wr_profile_kernel *kernels, size_t count);
bool wr_profile_text(FILE *out, const wr_profile_kernel *kernels, size_t count);

#endif
