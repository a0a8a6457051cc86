/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of bfs_kernel2: every marked node joins the frontier. */
#include "kernels/reference.h"

const char *wr_reference_bfs_kernel2(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "bbbin")) {
        return "bfs_kernel2 takes buffers of bytes frontier, updating, visited, a 32-bit buffer "
               "more, and a count of nodes";
    }
    int64_t nodes = launch->args[4].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){512, 1, 1}) ||
        nodes < 0 || nodes > 512 * (int64_t)launch->grid[0]) {
        return "bfs_kernel2 needs block [512, 1, 1] and a grid [n, 1, 1] that covers all nodes";
    }
    for (size_t i = 0; i < 3; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)nodes)) {
            return "a buffer is shorter than the count of nodes";
        }
    }
    if (!wr_reference_holds(launch, 3, 1)) {
        return "the flag has an element";
    }
    uint8_t *frontier = launch->args[0].data;
    uint8_t *updating = launch->args[1].data;
    uint8_t *visited = launch->args[2].data;
    int32_t *more = launch->args[3].data;

    for (int64_t i = 0; i < nodes; i++) {
        if (updating[i] != 1) {
            continue;
        }
        updating[i] = 0;
        visited[i] = frontier[i] = 1;
        more[0] = 1;
    }
    return NULL;
}
