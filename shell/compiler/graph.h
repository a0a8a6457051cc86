/* SPDX-License-Identifier: Apache-2.0 */
/* Directed graphs of numbered nodes, their orders and dominators. */
#ifndef WR_SHELL_COMPILER_GRAPH_H
#define WR_SHELL_COMPILER_GRAPH_H

#include <stdbool.h>

#include "shell/compiler/pool.h"

#define WR_NO_NODE UINT32_MAX

/* In compressed rows: the edges from n lead to to[first[n]] .. to[first[n + 1] - 1]. */
typedef struct wr_graph {
    uint32_t nodes, root;
    uint32_t *first; /* nodes + 1 */
    uint32_t *to;
} wr_graph;

typedef struct wr_edges {
    uint32_t (*at)[2];
    uint32_t count, cap;
} wr_edges;

void wr_edges_add(wr_pool *pool, wr_edges *e, uint32_t from, uint32_t to);

wr_graph wr_graph_new(wr_pool *pool, uint32_t nodes, uint32_t root, const wr_edges *e,
                      bool reversed);

/* Reverse post-order of what the root reaches; returns how many. `number[n]` becomes the place of
 * n, or NO_NODE. */
uint32_t wr_graph_order(wr_pool *pool, const wr_graph *g, uint32_t *order, uint32_t *number);

/* The immediate dominators: the root's is itself; NO_NODE: unreachable. `back` is g reversed. */
void wr_graph_dominators(const wr_graph *g, const wr_graph *back, uint32_t *idom);

#endif
