/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of sssp's two kernels. */
#include "kernels/reference.h"

#include <string.h>

static const char *accept(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iibin")) {
        return "sssp_accept takes 32-bit buffers distance and offer, a buffer of bytes changed, a "
               "32-bit buffer left, and a count of nodes";
    }
    int64_t nodes = launch->args[4].integer;
    int32_t *distance = launch->args[0].data;
    const int32_t *offer = launch->args[1].data;
    uint8_t *changed = launch->args[2].data;
    int32_t *left = launch->args[3].data;

    for (size_t i = 0; i < 3; i++) {
        if (nodes < 0 || !wr_reference_holds(launch, i, (uint64_t)nodes)) {
            return "a buffer is shorter than the count of nodes";
        }
    }
    if (!wr_reference_holds(launch, 3, 1)) {
        return "buffer left is empty";
    }
    for (int64_t node = 0; node < nodes; node++) {
        changed[node] = offer[node] < distance[node];
        if (changed[node] != 0) {
            distance[node] = offer[node];
            left[0] = 1;
        }
    }
    return NULL;
}

const char *wr_reference_sssp(const wr_reference_launch *launch)
{
    if ((int64_t)launch->block[0] != 256) {
        return "the kernels of sssp need block [256]";
    }
    if (strcmp(launch->kernel, "sssp_accept") == 0) {
        return accept(launch);
    }
    if (!wr_reference_takes(launch, "iiiibiin")) {
        return "sssp_relax takes 32-bit buffers starts, degrees, edges and weights, a buffer of "
               "bytes changed, 32-bit buffers distance and offer, and a count of nodes";
    }
    const int32_t *starts = launch->args[0].data;
    const int32_t *degrees = launch->args[1].data;
    const int32_t *edges = launch->args[2].data;
    const int32_t *weights = launch->args[3].data;
    const uint8_t *changed = launch->args[4].data;
    const int32_t *distance = launch->args[5].data;
    int32_t *offer = launch->args[6].data;
    int64_t nodes = launch->args[7].integer;

    if (nodes < 0 || nodes > 256 * (int64_t)launch->grid[0]) {
        return "the grid does not cover the nodes";
    }
    for (size_t i = 0; i < 7; i++) {
        if (i != 2 && i != 3 && !wr_reference_holds(launch, i, (uint64_t)nodes)) {
            return "a buffer is shorter than the count of nodes";
        }
    }
    for (int64_t node = 0; node < nodes; node++) {
        for (int32_t e = 0; changed[node] != 0 && e < degrees[node]; e++) {
            int64_t edge = (int64_t)starts[node] + e;

            if (edge < 0 || !wr_reference_holds(launch, 2, (uint64_t)edge + 1) ||
                !wr_reference_holds(launch, 3, (uint64_t)edge + 1)) {
                return "a node has an edge outside the buffers of edges and weights";
            }
            int32_t to = edges[edge];
            int64_t way = (int64_t)distance[node] + weights[edge];

            if (to < 0 || to >= nodes || way > INT32_MAX) {
                return "an edge leads to no node, or a way is too long";
            }
            offer[to] = way < offer[to] ? (int32_t)way : offer[to];
        }
    }
    return NULL;
}
