/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest ways between all pairs of nodes (Floyd and Warshall): a launch for each node k, which
 * asks of every pair whether the way over k is shorter, and notes k where it is. Which k it is
 * stands in memory; floyd_warshall_next counts it on, so that the host's loop has one launch file.
 * Distances are not negative, so row and column k do not change in their own pass.
 */
#include "cuda.h"

extern "C" __global__ void floyd_warshall(int *distance, int *over, const int *pass, int nodes)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int k = *pass;

    if (x < nodes && y < nodes) {
        int way = distance[y * nodes + k] + distance[k * nodes + x];
        if (way < distance[y * nodes + x]) {
            distance[y * nodes + x] = way;
            over[y * nodes + x] = k;
        }
    }
}

extern "C" __global__ void floyd_warshall_next(int *pass)
{
    if (threadIdx.x == 0)
        *pass += 1;
}
