/* SPDX-License-Identifier: Apache-2.0 */
/* Second half of a step of breadth-first search, after the idea of Rodinia's bfs.
 *
 * Nodes that the first half marked in `updating` (exactly 1; other values are no mark) become
 * the next frontier and count as visited. `more` says whether there was any.
 */
#include "cuda.h"

#define THREADS 512

extern "C" __global__ void bfs_kernel2(unsigned char *frontier, unsigned char *updating,
                                       unsigned char *visited, int *more, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node < nodes && updating[node] == 1) {
        frontier[node] = 1;
        visited[node] = 1;
        *more = 1;
        updating[node] = 0;
    }
}
