/* SPDX-License-Identifier: Apache-2.0 */
/* What the lanes of a warp hold in a register, as far as the code alone says, and what an
 * instruction makes of it.
 *
 * Lanes are looked at in groups of neighbours, those that hardware compresses together (Lin-P
 * III.C): 8 or 16 where blockDim.x is that, else 32. In order, each kind a case of the next:
 *
 *   warp     all lanes hold the same
 *   group    the lanes of each group do
 *   strided  lane i of each group holds base + i * step, modulo 2^32, with a base and a step of the
 *            group's own; where the step is `known` it is the same in all groups
 *   random   nothing is known
 *
 * `zeros` are low bits of lane 0's value in each group that are 0 for certain, which masks and
 * shifts of thread numbers need: while base and i * step have no bit in common, they can be taken
 * apart again.
 *
 * Which lanes are meant is the caller's: the rules hold for any set of lanes that execute an
 * instruction together.
 */
#ifndef WR_SHELL_COMPILER_LANES_H
#define WR_SHELL_COMPILER_LANES_H

#include "shell/isa/kernel.h"

#define WR_LANES_OF_WARP 32

typedef enum wr_lanes_kind {
    WR_LANES_UNSEEN, /* no path leads here */
    WR_LANES_WARP,
    WR_LANES_GROUP,
    WR_LANES_STRIDED,
    WR_LANES_RANDOM,
} wr_lanes_kind;

typedef struct wr_lanes {
    uint8_t kind; /* wr_lanes_kind */
    bool known;   /* the step; of what is uniform it is 0 */
    uint8_t zeros;
    uint32_t step;
} wr_lanes;

/* A TB's shape, and what its thread numbers are in the lanes of its warps. */
typedef struct wr_lanes_shape {
    uint32_t group; /* lanes */
    wr_lanes tid[3];
    bool whole; /* no warp lacks a lane */
} wr_lanes_shape;

/* Lanes compressed together in a TB of that width. */
uint32_t wr_lanes_group(uint32_t block_x);

/* By looking at every thread of the TB, of at most 2^20. */
wr_lanes_shape wr_lanes_shape_of(const uint32_t block[3]);

/* Registers and predicates of a warp; of predicates the kind alone, never strided. */
typedef struct wr_lanes_state {
    wr_lanes reg[WR_ISA_MAX_REGS];
    uint8_t pred[WR_ISA_PREDS];
} wr_lanes_state;

extern const wr_lanes wr_lanes_random;

/* Either of the two, the same one in all lanes. */
wr_lanes wr_lanes_join(wr_lanes a, wr_lanes b);
bool wr_lanes_same(wr_lanes a, wr_lanes b);

/* Kind of a predicate as it stands in an instruction: PT is the same in all lanes. */
wr_lanes_kind wr_lanes_pred(const wr_lanes_state *state, uint8_t pred);

/* From before an instruction to behind it. `apart`: lanes that count do not execute it, and keep
 * what they have. */
void wr_lanes_step(const wr_lanes_shape *shape, const wr_insn *insn, bool apart,
                   wr_lanes_state *state);

#endif
