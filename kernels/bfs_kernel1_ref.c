/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of bfs_kernel1 and, in launches of it, of bfs_kernel2. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_bfs_kernel1(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "bfs_kernel2") == 0) {
        return wr_reference_bfs_kernel2(launch);
    }
    if (!wr_reference_takes(launch, "iiibbbin")) {
        return "bfs_kernel1 takes 32-bit buffers starts, degrees, edges, buffers of bytes "
               "frontier, updating, visited, a 32-bit buffer cost, and a count of nodes";
    }
    int64_t nodes = launch->args[7].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){512, 1, 1}) ||
        nodes < 0 || nodes > 512 * (int64_t)launch->grid[0]) {
        return "bfs_kernel1 needs block [512, 1, 1] and a grid [n, 1, 1] that covers all nodes";
    }
    for (size_t i = 0; i < 7; i++) {
        if (i != 2 && !wr_reference_holds(launch, i, (uint64_t)nodes)) {
            return "a buffer is shorter than the count of nodes";
        }
    }
    const int32_t *starts = launch->args[0].data;
    const int32_t *degrees = launch->args[1].data;
    const int32_t *edges = launch->args[2].data;
    uint8_t *frontier = launch->args[3].data;
    uint8_t *updating = launch->args[4].data;
    const uint8_t *visited = launch->args[5].data;
    int32_t *cost = launch->args[6].data;

    for (int64_t node = 0; node < nodes; node++) {
        if (frontier[node] == 0) {
            continue;
        }
        frontier[node] = 0;
        for (int32_t e = 0; e < degrees[node]; e++) {
            int64_t edge = (int64_t)starts[node] + e;
            if (edge < 0 || (uint64_t)edge >= launch->args[2].count) {
                return "a node has an edge outside the buffer of edges";
            }
            int32_t to = edges[edge];
            if (to < 0 || to >= nodes) {
                return "an edge leads to no node";
            }
            if (visited[to]) {
                continue;
            }
            cost[to] = cost[node] + 1;
            updating[to] = 1;
        }
    }
    return NULL;
}
