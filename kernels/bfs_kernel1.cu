/* SPDX-License-Identifier: Apache-2.0 */
/* First half of a step of breadth-first search, after the idea of Rodinia's bfs.
 *
 * Each node of the frontier leaves it and gives every neighbour that is not visited yet its own
 * cost plus 1. All nodes of a frontier have the same cost, so it doesn't matter who writes last.
 * Loops of different length make warps diverge.
 *
 * Node i has the edges starts[i] ... starts[i] + degrees[i] - 1. The second half is included, so
 * that a launch file can alternate both.
 */
#include "bfs_kernel2.cu"

extern "C" __global__ void bfs_kernel1(const int *starts, const int *degrees, const int *edges,
                                       unsigned char *frontier, unsigned char *updating,
                                       const unsigned char *visited, int *cost, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node < nodes && frontier[node]) {
        frontier[node] = 0;
        int end = starts[node] + degrees[node];
#pragma unroll 1
        for (int i = starts[node]; i < end; i++) {
            int neighbour = edges[i];
            if (!visited[neighbour]) {
                cost[neighbour] = cost[node] + 1;
                updating[neighbour] = 1;
            }
        }
    }
}
