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
 * The rules hold for any set of lanes that execute an instruction together. Two are asked for:
 *
 *   needed   lanes that will read the register. What is left in lanes that have ended, or wait
 *            where the register is dead, is no matter.
 *   all      all 32 lanes of the register file, as hardware compares them that knows no more
 *            (reg_compressor): lanes that sit out a branch, have ended, or never were, too, which
 *            keep what they had.
 */
#ifndef WR_SHELL_COMPILER_HELD_H
#define WR_SHELL_COMPILER_HELD_H

#include "shell/isa/kernel.h"

#define WR_HELD_LANES 32

typedef enum wr_held_kind {
    WR_HELD_UNSEEN, /* no path leads here */
    WR_HELD_WARP,
    WR_HELD_GROUP,
    WR_HELD_STRIDED,
    WR_HELD_RANDOM,
} wr_held_kind;

typedef struct wr_held {
    uint8_t kind; /* wr_held_kind */
    bool known;   /* the step; of what is uniform it is 0 */
    uint8_t zeros;
    uint32_t step;
} wr_held;

typedef enum wr_held_view { WR_HELD_NEEDED, WR_HELD_ALL, WR_HELD_VIEWS } wr_held_view;

/* A TB's shape, and what its thread numbers are in the lanes of its warps. */
typedef struct wr_held_shape {
    uint32_t group; /* lanes */
    wr_held tid[3];
    bool whole; /* no warp lacks a lane */
} wr_held_shape;

/* Lanes compressed together in a TB of that width. */
uint32_t wr_held_group(uint32_t block_x);

/* By looking at every thread of the TB, of at most 2^20. */
wr_held_shape wr_held_shape_of(const uint32_t block[3]);

/* Registers and predicates of a warp; of predicates the kind alone, never strided. */
typedef struct wr_held_state {
    wr_held reg[WR_ISA_MAX_REGS];
    uint8_t pred[WR_ISA_PREDS];
} wr_held_state;

extern const wr_held wr_held_random;

/* Either of the two, the same one in all lanes. */
wr_held wr_held_join(wr_held a, wr_held b);
bool wr_held_same(wr_held a, wr_held b);

/* Kind of a predicate as it stands in an instruction: PT is the same in all lanes. */
wr_held_kind wr_held_pred(const wr_held_state *state, uint8_t pred);

/* From before an instruction to behind it. `apart`: lanes that count do not execute it, and keep
 * what they have. */
void wr_held_step(const wr_held_shape *shape, const wr_insn *insn, bool apart,
                  wr_held_state *state);

#endif
