/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of a warp that is switched out, reduced by the compiler (Lin-D 3.6.6): what is live
 * at the points where it may be, and how small each register can be stored there for certain.
 *
 * Switch points are the first uses of registers that a load from global memory (or an atomic) is to
 * write, where the warp waits for the data, and barriers. At each, a register that lanes need takes
 * one word for each group of lanes where it is uniform in the groups, two where it is strided, and
 * 128 B else (Lin-P III.C); so does every register for which a load may be on its way, live or not,
 * since the reply is written there (D8). The largest sum of any point is what a warp that is away
 * is given, in lines of 128 B.
 *
 * That depends on the shape of the TB and on which lanes count (held.h): where
 * hardware finds out by comparing all 32 lanes how small a register is, only view `all` is safe.
 */
#ifndef WR_SHELL_COMPILER_REDUCED_H
#define WR_SHELL_COMPILER_REDUCED_H

#include <stdio.h>

#include "shell/compiler/held.h"

#define WR_REDUCED_LINE 128 /* bytes: a register of 32 lanes */
/* A kernel of more instructions is not analysed: everything counts as live and random. */
#define WR_REDUCED_MOST_INSNS (UINT32_C(1) << 16)

/* At a point; of the registers in view `view` the kind in kind[view], WR_HELD_UNSEEN for one that
 * nobody needs. */
typedef struct wr_switch_point {
    uint32_t insn, pc, line;
    bool is_bar;
    uint64_t slots;   /* registers that are stored: live, or awaited */
    uint64_t awaited; /* of these: a load may be on its way */
    uint8_t kind[WR_HELD_VIEWS][WR_ISA_MAX_REGS];
    uint32_t live_bytes, bytes[WR_HELD_VIEWS];
} wr_switch_point;

typedef struct wr_reduced {
    uint32_t block[3], group;
    wr_switch_point *points;
    size_t count;
    uint32_t full_bytes; /* all registers of a warp */
    uint32_t live_bytes; /* the most of any point */
    /* by view: the most of any point, its index, and the lines that it takes */
    uint32_t bytes[WR_HELD_VIEWS], lines[WR_HELD_VIEWS];
    size_t decides[WR_HELD_VIEWS];
    void *arena; /* owns all of it */
} wr_reduced;

wr_reduced *wr_reduce(const wr_kernel *kernel, const uint32_t block[3]);
void wr_reduced_free(wr_reduced *reduced);

/* Lines of `warpref compile`. */
void wr_reduced_print(FILE *out, const wr_kernel *kernel, const wr_reduced *reduced);

#endif
