/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of floyd_warshall: one pass for each launch. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_floyd_warshall(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "floyd_warshall_next") == 0) {
        if (!wr_reference_takes(launch, "i") || !wr_reference_holds(launch, 0, 1)) {
            return "floyd_warshall_next takes the 32-bit buffer pass";
        }
        ++*(int32_t *)launch->args[0].data;
        return NULL;
    }
    if (!wr_reference_takes(launch, "iiin")) {
        return "floyd_warshall takes 32-bit buffers distance, over and pass, and a count of nodes";
    }
    int32_t *distance = launch->args[0].data;
    int32_t *over = launch->args[1].data;
    const int32_t *pass = launch->args[2].data;
    int64_t nodes = launch->args[3].integer;

    if (nodes < 0 || nodes > (int64_t)launch->grid[0] * launch->block[0] ||
        nodes > (int64_t)launch->grid[1] * launch->block[1]) {
        return "the grid does not cover the nodes";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(nodes * nodes)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(nodes * nodes)) ||
        !wr_reference_holds(launch, 2, 1)) {
        return "a buffer is too short";
    }
    if (pass[0] < 0 || pass[0] >= nodes) {
        return "there are more passes than nodes";
    }
    const int32_t *row = distance + pass[0] * nodes;
    for (int64_t from = 0; from < nodes; from++) {
        int32_t first = distance[from * nodes + pass[0]];
        for (int64_t to = 0; to < nodes; to++) {
            if (first + row[to] < distance[from * nodes + to]) {
                distance[from * nodes + to] = first + row[to];
                over[from * nodes + to] = pass[0];
            }
        }
    }
    return NULL;
}
