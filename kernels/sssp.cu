/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths from some sources, after the idea of LonestarGPU's sssp: rounds of Bellman and
 * Ford, each over all nodes whose distance has become less in the round before.
 *
 * sssp_relax offers each neighbour of such a node a way by it. Offers go into a second array of
 * distances, by atomic minimum, so that it doesn't matter who comes when; sssp_accept takes what
 * has become less. Node i has the edges starts[i] ... starts[i] + degrees[i] - 1. Nodes are far
 * from each other in memory and edges of different number: lines are used once, warps diverge.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void sssp_relax(const int *starts, const int *degrees, const int *edges,
                                      const int *weights, const unsigned char *changed,
                                      const int *distance, int *offer, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node >= nodes || !changed[node])
        return;
    int own = distance[node];
    int end = starts[node] + degrees[node];
#pragma unroll 1
    for (int i = starts[node]; i < end; i++) {
        int to = edges[i];
        int way = own + weights[i];
        if (way < offer[to])
            atomicMin(&offer[to], way);
    }
}

extern "C" __global__ void sssp_accept(int *distance, const int *offer, unsigned char *changed,
                                       int *left, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node >= nodes)
        return;
    int best = offer[node];
    bool less = best < distance[node];
    changed[node] = less;
    if (less) {
        distance[node] = best;
        if (*left == 0) /* else thousands of stores to one word */
            *left = 1;
    }
}
