/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code as a graph, and where lanes can be that have parted.
 *
 * Blocks are runs of instructions; they end at branches, at `exit` (a guarded one goes on with the
 * lanes that are left), and in front of what is branched to or where lanes meet. Block 0 is the
 * kernel's first. A branch's join is where the warp's stack lets the two sides meet.
 */
#ifndef WR_SHELL_COMPILER_FLOW_H
#define WR_SHELL_COMPILER_FLOW_H

#include "shell/compiler/regions.h"
#include "shell/isa/kernel.h"

#define WR_FLOW_NONE UINT32_MAX

typedef struct wr_flow_block {
    uint32_t first, end;          /* instructions */
    uint32_t succ[2], succ_count; /* the next block first */
    uint32_t join;                /* of a guarded branch at its end; NONE: the exit, or no branch */
    bool branches;                /* a guarded branch at its end */
    bool leaves;            /* lanes may end in it, and others go on: behind a trap nobody does */
    uint64_t writes, loads; /* registers; those of `loads` from memory off the SM */
    uint8_t pred_writes;
} wr_flow_block;

typedef struct wr_flow {
    const wr_kernel *kernel;
    wr_flow_block *blocks;
    uint32_t count;
    wr_pool *pool;
    wr_ir ir; /* the blocks and joins alone, for regions */
    wr_cfg cfg;
    wr_regions *regions;
    uint32_t *stack;
} wr_flow;

/* In the pool. */
wr_flow *wr_flow_new(wr_pool *pool, const wr_kernel *kernel);

/* Registers that an instruction reads and writes. */
uint64_t wr_flow_reads(const wr_insn *insn);
uint64_t wr_flow_writes(const wr_insn *insn);
/* It waits long for what it writes: memory that lies behind the SM's L1. */
bool wr_flow_loads(const wr_insn *insn);

/* Fills `in`, by block: where lanes can be that part at the end of `block` and have not met
 * (regions.h). */
void wr_flow_region(wr_flow *flow, uint32_t block, bool *in);

/* The same beyond all joins: whatever comes behind the block. */
void wr_flow_behind(wr_flow *flow, uint32_t block, bool *in);

#endif
