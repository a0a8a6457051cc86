/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch does to memory, byte by byte, as it runs: the plainest way to see which of its
 * instructions forbid that a TB runs again. It shares nothing with the compiler's answer.
 *
 * A byte that has been read in a launch before anything of the launch wrote it held what was there
 * before; who writes it now takes that away from the TB that has read it, should that run again,
 * and from others that have yet to read it. Atomics and services are seen outside by their nature.
 */
#ifndef WR_TESTS_LIBRARY_RERUN_ORACLE_H
#define WR_TESTS_LIBRARY_RERUN_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/core/seam/hooks.h"

enum { RERUN_MAX_KERNELS = 16 };

/* A kernel's launches, together. */
typedef struct rerun_kernel {
    const wr_kernel *kernel;
    unsigned launches, idempotent; /* of these, as the shell says */
    uint64_t reads, writes;        /* bytes of memory that TBs share */
    uint64_t overwrites;           /* of what was read before, atomics and services not counted */
    uint64_t outside;              /* lanes of atomics and services */
    uint64_t spoiling;             /* instructions that issued with a lane and spoil, as it says */
    /* harm that the shell does not see: how much, and where first */
    uint64_t missed;
    uint32_t missed_pc;
} rerun_kernel;

typedef struct rerun_oracle {
    wr_system_hooks hooks; /* for wr_gpu_attach; one thread */
    rerun_kernel kernels[RERUN_MAX_KERNELS];
    size_t kernel_count;
    rerun_kernel *now;
    uint8_t *bytes; /* of the launch in flight: from WR_MEM_BASE on */
    size_t size;
} rerun_oracle;

void rerun_oracle_init(rerun_oracle *o);
void rerun_oracle_free(rerun_oracle *o);

#endif
