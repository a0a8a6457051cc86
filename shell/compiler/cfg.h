/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: dominators, post-dominators, loops, and the regions of divergent branches. */
#ifndef WR_SHELL_COMPILER_CFG_H
#define WR_SHELL_COMPILER_CFG_H

#include "shell/compiler/ir.h"

typedef struct wr_cfg {
    uint32_t block_count;
    uint32_t *order; /* reachable blocks in reverse post-order */
    uint32_t order_count;
    uint32_t *idom; /* immediate dominator; the entry's is itself; NO_BLOCK: unreachable */
    uint32_t *dom_first, *dom_end; /* the numbers of the blocks that a block dominates */
    uint32_t *ipdom;     /* immediate post-dominator; NO_BLOCK = the exit (or unreachable) */
    uint32_t *join;      /* where lanes that part at the block's branch meet again: its ipdom; on
                          * the way to a barrier or an instruction across lanes, without regard to
                          * lanes that never reach one */
    uint32_t *loop_head; /* header of the innermost natural loop around, or NO_BLOCK */
    uint32_t *loop_depth;
    bool *inner_head; /* header of a loop that holds no other loop */
    bool tied;        /* a loop without an end was given one, to find joins */
} wr_cfg;

/* Fills `preds` and `reachable` of the blocks and makes the rest. */
wr_cfg *wr_cfg_build(wr_ir *ir);

/* a dominates b (both reachable). */
bool wr_cfg_dominates(const wr_cfg *cfg, uint32_t a, uint32_t b);

/* The block ends in a branch on which lanes may part: a BRA under a guard that is not marked
 * uniform. */
bool wr_cfg_may_diverge(const wr_ir *ir, uint32_t block);

#endif
