/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators by Lengauer and Tarjan, with path compression alone: near linear, whatever the graph.
 * Inside, nodes are the numbers that a walk depth first gives them.
 */
#include "shell/compiler/graph.h"

#include <string.h>

void wr_edges_add(wr_pool *pool, wr_edges *e, uint32_t from, uint32_t to)
{
    e->at = wr_pool_grow(pool, e->at, e->count, &e->cap, sizeof *e->at);
    e->at[e->count][0] = from;
    e->at[e->count][1] = to;
    e->count++;
}

wr_graph wr_graph_new(wr_pool *pool, uint32_t nodes, uint32_t root, const wr_edges *e,
                      bool reversed)
{
    wr_graph g = {nodes, root, wr_pool_alloc(pool, nodes + 1, sizeof(uint32_t)),
                  wr_pool_alloc(pool, e->count, sizeof(uint32_t))};
    uint32_t *fill = wr_pool_alloc(pool, nodes, sizeof *fill);
    unsigned from = reversed ? 1 : 0;

    for (uint32_t i = 0; i < e->count; i++) {
        g.first[e->at[i][from] + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        g.first[n + 1] += g.first[n];
    }
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t n = e->at[i][from];

        g.to[g.first[n] + fill[n]++] = e->at[i][1 - from];
    }
    return g;
}

/* Iterative: kernels may be deep. */
uint32_t wr_graph_order(wr_pool *pool, const wr_graph *g, uint32_t *order, uint32_t *number)
{
    uint32_t *stack = wr_pool_alloc(pool, g->nodes, sizeof *stack);
    uint32_t *next = wr_pool_alloc(pool, g->nodes, sizeof *next);
    uint32_t depth = 0, found = 0;

    memset(number, 0xff, g->nodes * sizeof *number);
    stack[depth++] = g->root;
    number[g->root] = 0;
    while (depth > 0) {
        uint32_t n = stack[depth - 1];

        if (g->first[n] + next[n] < g->first[n + 1]) {
            uint32_t s = g->to[g->first[n] + next[n]++];

            if (number[s] == WR_NO_NODE) {
                number[s] = 0;
                stack[depth++] = s;
            }
        } else {
            order[found++] = n;
            depth--;
        }
    }
    for (uint32_t i = 0; i < found / 2; i++) {
        uint32_t n = order[i];

        order[i] = order[found - 1 - i];
        order[found - 1 - i] = n;
    }
    for (uint32_t i = 0; i < found; i++) {
        number[order[i]] = i;
    }
    return found;
}

/* ---- dominators ---- */

typedef struct walk {
    uint32_t *number, *node; /* of a node; of a number */
    uint32_t count;
    uint32_t *parent;          /* in the tree of the walk */
    uint32_t *semi;            /* semidominator so far */
    uint32_t *above, *best;    /* forest: NO_NODE = a root; least semi on the way above */
    uint32_t *bucket, *behind; /* lists of those with this semidominator: first, next */
    uint32_t *idom;
    uint32_t *path;
} walk;

static void number_nodes(wr_pool *pool, const wr_graph *g, walk *w)
{
    uint32_t *next = wr_pool_alloc(pool, g->nodes, sizeof *next), depth = 0;

    memset(w->number, 0xff, g->nodes * sizeof *w->number);
    w->path[depth++] = g->root;
    w->number[g->root] = 0;
    w->node[w->count++] = g->root;
    while (depth > 0) {
        uint32_t n = w->path[depth - 1], to;

        if (g->first[n] + next[n] == g->first[n + 1]) {
            depth--;
            continue;
        }
        to = g->to[g->first[n] + next[n]++];
        if (w->number[to] != WR_NO_NODE) {
            continue;
        }
        w->parent[w->count] = w->number[n];
        w->number[to] = w->count;
        w->node[w->count++] = to;
        w->path[depth++] = to;
    }
}

/* The one with the least semidominator from v up to below its root. */
static uint32_t best_above(walk *w, uint32_t v)
{
    uint32_t depth = 0;

    if (w->above[v] == WR_NO_NODE) {
        return v;
    }
    for (uint32_t u = v; w->above[w->above[u]] != WR_NO_NODE; u = w->above[u]) {
        w->path[depth++] = u;
    }
    while (depth > 0) {
        uint32_t u = w->path[--depth], a = w->above[u];

        if (w->semi[w->best[a]] < w->semi[w->best[u]]) {
            w->best[u] = w->best[a];
        }
        w->above[u] = w->above[a];
    }
    return w->best[v];
}

static void find_semidominator(walk *w, const wr_graph *back, uint32_t v)
{
    uint32_t n = w->node[v];

    for (uint32_t k = back->first[n]; k < back->first[n + 1]; k++) {
        uint32_t from = w->number[back->to[k]], best;

        if (from == WR_NO_NODE) {
            continue;
        }
        best = best_above(w, from);
        if (w->semi[best] < w->semi[v]) {
            w->semi[v] = w->semi[best];
        }
    }
    w->behind[v] = w->bucket[w->semi[v]];
    w->bucket[w->semi[v]] = v;
}

static void empty_bucket(walk *w, uint32_t v)
{
    for (uint32_t u = w->bucket[v]; u != WR_NO_NODE; u = w->behind[u]) {
        uint32_t best = best_above(w, u);

        w->idom[u] = w->semi[best] < w->semi[u] ? best : v;
    }
    w->bucket[v] = WR_NO_NODE;
}

static uint32_t *nodes_of(wr_pool *pool, const wr_graph *g)
{
    return wr_pool_alloc(pool, g->nodes, sizeof(uint32_t));
}

void wr_graph_dominators(const wr_graph *g, const wr_graph *back, uint32_t *idom)
{
    wr_pool *pool = wr_pool_new();
    walk w = {.number = nodes_of(pool, g),
              .node = nodes_of(pool, g),
              .parent = nodes_of(pool, g),
              .semi = nodes_of(pool, g),
              .above = nodes_of(pool, g),
              .best = nodes_of(pool, g),
              .bucket = nodes_of(pool, g),
              .behind = nodes_of(pool, g),
              .idom = nodes_of(pool, g),
              .path = nodes_of(pool, g)};

    number_nodes(pool, g, &w);
    for (uint32_t v = 0; v < w.count; v++) {
        w.semi[v] = w.best[v] = v;
        w.above[v] = w.bucket[v] = WR_NO_NODE;
    }
    for (uint32_t v = w.count; v-- > 1;) {
        find_semidominator(&w, back, v);
        w.above[v] = w.parent[v];
        empty_bucket(&w, w.parent[v]);
    }
    memset(idom, 0xff, g->nodes * sizeof *idom);
    idom[g->root] = g->root;
    for (uint32_t v = 1; v < w.count; v++) {
        if (w.idom[v] != w.semi[v]) {
            w.idom[v] = w.idom[w.idom[v]];
        }
        idom[w.node[v]] = w.node[w.idom[v]];
    }
    wr_pool_free(pool);
}
