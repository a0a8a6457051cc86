/* SPDX-License-Identifier: Apache-2.0 */
/* Random control-flow graphs of up to 40 blocks, for test_graphs. Sets of blocks are bits of a
 * word.
 *
 * Graphs are of several kinds: any edges, edges to near blocks, chains of comparisons as brx.idx
 * becomes, nests; with unreachable blocks, several exits or none, loops without an end, and
 * loops with several heads. */
#ifndef WR_TESTS_COMPILER_GRAPH_GEN_H
#define WR_TESTS_COMPILER_GRAPH_GEN_H

#include "shell/compiler/cfg.h"

#define MAX_BLOCKS 40
#define REGS       4
#define PREDS      2
#define NONE       WR_IR_NO_BLOCK

typedef uint64_t block_set;

typedef struct graph {
    wr_ir ir;
    wr_cfg *cfg;
    uint32_t n;
    block_set succ[MAX_BLOCKS], pred[MAX_BLOCKS];
    block_set reachable, ends; /* ends: no successor */
    block_set barriers, lanes; /* hold such an instruction */
    block_set all;
} graph;

typedef struct totals {
    unsigned graphs, irreducible, endless, unreachable, exits, self_loops, chains, moved, crossed;
    unsigned loops, live;
} totals;

static inline block_set bit(uint32_t b)
{
    return b < 64 ? UINT64_C(1) << b : 0;
}

static inline bool has(block_set s, uint32_t b)
{
    return (s >> b & 1) != 0;
}

/* Blocks that edges reach from a set, through none of `without`. */
block_set closure(const graph *g, const block_set *edges, block_set from, block_set without);
/* A graph drawn from *s; what it is of is counted. Its pool is the caller's to free. */
void make_graph(graph *g, uint64_t *s, totals *sum);

#endif
