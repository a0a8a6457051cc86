/* SPDX-License-Identifier: Apache-2.0 */
/* What the registers of a warp hold at its switch points as it runs, beside what the compiler says
 * of them (shell/compiler/reduced.h). The values alone are looked at: which lanes need a register
 * is read off the warp's stack and the machine code's liveness, which loads are on their way off
 * the scoreboard.
 *
 * What the compiler calls uniform or strided must be that, in each group, every time; a register
 * that a lane needs, or that a load will write, must have room. The other way round the compiler
 * may be too careful, and it is counted how often.
 */
#ifndef WR_TESTS_LIBRARY_REDUCED_ORACLE_H
#define WR_TESTS_LIBRARY_REDUCED_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/compiler/reduced.h"
#include "shell/core/seam/hooks.h"

enum { REDUCED_MAX_KERNELS = 16, REDUCED_MAX_SLOTS = 64, REDUCED_KINDS = 3 };

/* Of a view: how often a register was called uniform, strided, random and looked at; how often
 * what was called random was none. */
typedef struct reduced_view {
    uint64_t seen[REDUCED_KINDS], careful;
    uint32_t most_bytes; /* at any point, by the values that were there */
} reduced_view;

/* A kernel in TBs of one shape. */
typedef struct reduced_kernel {
    const wr_kernel *kernel; /* while its module is there */
    char name[64];
    wr_reduced *said;
    uint64_t *live;  /* by instruction */
    uint32_t *point; /* by instruction: its number + 1; 0: it is none */
    reduced_view view[WR_HELD_VIEWS];
    uint64_t visits, diverged;  /* of warps at points; with lanes elsewhere */
    uint64_t stalls, elsewhere; /* for data of a load; where there is no point */
    uint64_t wrong;
    char first_wrong[256];
} reduced_kernel;

typedef struct reduced_oracle {
    wr_system_hooks hooks; /* for wr_gpu_attach; one thread */
    reduced_kernel kernels[REDUCED_MAX_KERNELS];
    size_t count;
    uint64_t *loads; /* by SM and warp slot: registers that a load was to write, unless used */
    size_t load_count;
    bool bold; /* takes what is random for strided: to see that it is noticed */
} reduced_oracle;

void reduced_oracle_init(reduced_oracle *o, bool bold);
void reduced_oracle_free(reduced_oracle *o);

#endif
