/* SPDX-License-Identifier: Apache-2.0 */
/* Episodes that nobody has meant: a block in the middle of its work, and then some cycles of inputs
 * that are those of the stimulus but for any of them. So events meet that no protocol lets meet,
 * two faults come in one cycle, and pins that mean nothing have any value. What a block does then
 * is defined, so model and RTL must still agree.
 *
 * Every other time they begin in the cycle behind which an output changes: with the last cycle of
 * an operation, say. Which that is a model of its own tells, which goes ahead.
 *
 * The stimulus keeps the protocol up to the first such cycle and is not asked behind it, for it no
 * longer knows what stands. */
#ifndef WR_TESTBENCH_WILD_H
#define WR_TESTBENCH_WILD_H

#include "dpi/block.h"
#include "testbench/rng.h"
#include "testbench/stim.h"

typedef struct wr_wild {
    wr_rng rng;
    uint64_t from;   /* the first wild cycle */
    uint64_t until;  /* the first one behind them */
    uint64_t length; /* cycles of the episode */
} wr_wild;

/* The seed is the stimulus' too, and odd. state and model are those of a block: scratch, state_size
 * bytes each of the stimulus and of the block; the state is begun anew behind it. False: cfg is
 * none of the block's. */
bool wr_wild_begin(wr_wild *w, const wr_block_desc *block, const void *cfg, const wr_stim *stim,
                   uint64_t seed, void *state, void *model);

/* The inputs of a cycle; in: those of the cycle before, last_out: what stood with them. */
void wr_wild_inputs(wr_wild *w, const wr_block_desc *block, const void *cfg, const wr_stim *stim,
                    void *state, uint64_t cycle, const void *last_out, void *in);

#endif
