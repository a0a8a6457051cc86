/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mst's three kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { MEAN = 4, EDGE_BITS = 19, NO_OFFER = INT32_MAX };

/* The arguments that the first two kernels share, in their order. */
typedef struct graph {
    const int32_t *moved, *edges, *weights, *component;
    int32_t *offers;
    int64_t nodes;
} graph;

static bool numbers_below(const int32_t *numbers, int64_t count, int64_t limit)
{
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= limit) {
            return false;
        }
    }
    return true;
}

static const char *take_graph(const wr_reference_launch *launch, int64_t nodes, graph *g)
{
    uint64_t edges = (uint64_t)(MEAN * (nodes + 1));

    *g = (graph){.moved = launch->args[0].data,
                 .edges = launch->args[1].data,
                 .weights = launch->args[2].data,
                 .component = launch->args[3].data,
                 .offers = launch->args[4].data,
                 .nodes = nodes};
    if (edges > (uint64_t)1 << EDGE_BITS || !wr_reference_holds(launch, 0, (uint64_t)nodes + 1) ||
        !wr_reference_holds(launch, 1, edges) || !wr_reference_holds(launch, 2, edges) ||
        !wr_reference_holds(launch, 3, (uint64_t)nodes) ||
        !wr_reference_holds(launch, 4, (uint64_t)nodes)) {
        return "there are more than 2^19 edges, 4 a node and 4 more, or a buffer is too short";
    }
    if (!numbers_below(g->moved, nodes + 1, MEAN) ||
        !numbers_below(g->edges, (int64_t)edges, nodes) ||
        !numbers_below(g->weights, (int64_t)edges, 1 << (31 - EDGE_BITS)) ||
        !numbers_below(g->component, nodes, nodes)) {
        return "moved goes to 3, weights to 4095, edges and components to the number of the last "
               "node, and none is negative";
    }
    return NULL;
}

/* Both ends of each edge offer it to their components. */
static void offer(const graph *g)
{
    for (int64_t node = 0; node < g->nodes; node++) {
        int64_t end = MEAN * (node + 1) + g->moved[node + 1];

        for (int64_t e = MEAN * node + g->moved[node]; e < end; e++) {
            const int32_t ends[2] = {g->component[node], g->component[g->edges[e]]};
            int32_t value = (int32_t)((int64_t)g->weights[e] << EDGE_BITS | e);

            for (int i = 0; i < 2 && ends[0] != ends[1]; i++) {
                if (value < g->offers[ends[i]]) {
                    g->offers[ends[i]] = value;
                }
            }
        }
    }
}

/* From the edges to the roots, where the kernel goes from the roots to the edges. */
static void take(const graph *g, int32_t *hook, uint8_t *chosen, int32_t *weight)
{
    for (int64_t node = 0; node < g->nodes; node++) {
        int64_t end = MEAN * (node + 1) + g->moved[node + 1];

        for (int64_t e = MEAN * node + g->moved[node]; e < end; e++) {
            int32_t one = g->component[node];
            int32_t other = g->component[g->edges[e]];
            int64_t value = (int64_t)g->weights[e] << EDGE_BITS | e;
            bool of_one = g->component[one] == one && g->offers[one] == value;
            bool of_other = g->component[other] == other && g->offers[other] == value;

            if (value == NO_OFFER || one == other || (!of_one && !of_other)) {
                continue;
            }
            if (of_one && (!of_other || one > other)) {
                hook[one] = other;
            } else {
                hook[other] = one;
            }
            chosen[e] = 1;
            *weight += g->weights[e];
        }
    }
}

static const char *jump(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiin")) {
        return "mst_jump takes 32-bit buffers component, hook and offers, and a count of nodes";
    }
    int32_t *component = launch->args[0].data;
    const int32_t *hook = launch->args[1].data;
    int32_t *offers = launch->args[2].data;
    int64_t nodes = launch->args[3].integer;

    for (size_t i = 0; i < 3; i++) {
        if (nodes < 0 || nodes > 256 * (int64_t)launch->grid[0] ||
            !wr_reference_holds(launch, i, (uint64_t)nodes)) {
            return "the grid does not cover the nodes, or a buffer is shorter than their count";
        }
    }
    if (!numbers_below(component, nodes, nodes) || !numbers_below(hook, nodes, nodes)) {
        return "a component or a hook is no node";
    }
    for (int64_t node = 0; node < nodes; node++) {
        int64_t hops = 0;

        while (hook[component[node]] != component[node]) {
            component[node] = hook[component[node]];
            if (++hops > nodes) {
                return "hooks go in a circle";
            }
        }
        offers[node] = NO_OFFER;
    }
    return NULL;
}

const char *wr_reference_mst(const wr_reference_launch *launch)
{
    bool hooks = strcmp(launch->kernel, "mst_hook") == 0;
    size_t last = hooks ? 8 : 5;
    graph g;

    if ((int64_t)launch->block[0] != 256) {
        return "the kernels of mst need block [256]";
    }
    if (strcmp(launch->kernel, "mst_jump") == 0) {
        return jump(launch);
    }
    if (!wr_reference_takes(launch, hooks ? "iiiiiibin" : "iiiiin")) {
        return "mst_offer and mst_hook take 32-bit buffers moved, edges, weights, component and "
               "offers, mst_hook a 32-bit buffer hook, a buffer of bytes chosen and a 32-bit "
               "buffer weight, and both a count of nodes";
    }
    int64_t nodes = launch->args[last].integer;

    if (nodes < 0 || nodes > 256 * (int64_t)launch->grid[0]) {
        return "the grid does not cover the nodes";
    }
    const char *wrong = take_graph(launch, nodes, &g);

    if (wrong) {
        return wrong;
    }
    if (!hooks) {
        offer(&g);
        return NULL;
    }
    if (!wr_reference_holds(launch, 5, (uint64_t)nodes) ||
        !wr_reference_holds(launch, 6, (uint64_t)(MEAN * (nodes + 1))) ||
        !wr_reference_holds(launch, 7, 1)) {
        return "buffer hook has no element a node, chosen none an edge, or weight is empty";
    }
    take(&g, launch->args[5].data, launch->args[6].data, launch->args[7].data);
    return NULL;
}
