/* SPDX-License-Identifier: Apache-2.0 */
/* Minimum spanning forest in rounds of Boruvka, after the idea of LonestarGPU's mst.
 *
 * All nodes begin as components of their own. In a round mst_offer offers each component the
 * edges that leave it, mst_hook takes the lightest one of each into the forest and hooks the
 * component on the one behind it, and mst_jump follows the hooks until each node knows its new
 * component, which goes by the number of its root.
 *
 * An offer is the weight above the number of the edge, in one word: no two are equal, so the
 * atomic minimum doesn't depend on who comes when, and only two components that took the same
 * edge can hook on each other. Node i has the edges from MEAN * i + moved[i] to where those of
 * the next node begin; an edge is stored at one of its ends and offered to both.
 */
#include "cuda.h"

#define THREADS   256
#define MEAN      4  /* edges a node */
#define EDGE_BITS 19 /* of an offer; above them are 12 of weight */
#define NO_OFFER  0x7fffffff

extern "C" __global__ void mst_offer(const int *moved, const int *edges, const int *weights,
                                     const int *component, int *offers, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node >= nodes)
        return;
    int own = component[node];
    int end = MEAN * (node + 1) + moved[node + 1];
    int least = NO_OFFER;
#pragma unroll 1
    for (int i = MEAN * node + moved[node]; i < end; i++) {
        int other = component[edges[i]];
        if (other == own)
            continue;
        int offer = weights[i] << EDGE_BITS | i;
        least = min(least, offer);
        if (offer < offers[other])
            atomicMin(&offers[other], offer);
    }
    if (least < offers[own])
        atomicMin(&offers[own], least);
}

/* Of two components that took the same edge, the one of less number stays a root. A TB adds up its
 * weights by itself first, else thousands of atomics meet in one word. */
extern "C" __global__ void mst_hook(const int *moved, const int *edges, const int *weights,
                                    const int *component, const int *offers, int *hook,
                                    unsigned char *chosen, int *weight, int nodes)
{
    __shared__ int sum;

    int root = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (root < nodes && component[root] == root && offers[root] != NO_OFFER) {
        int offer = offers[root];
        int edge = offer & ((1 << EDGE_BITS) - 1);
        int node = edge / MEAN; /* the edge is of this node or the one before */
        if (edge < MEAN * node + moved[node])
            node--;
        int from = component[node];
        int to = component[edges[edge]];
        int other = from == root ? to : from;
        if (offers[other] != offer || root > other) {
            hook[root] = other;
            chosen[edge] = 1;
            atomicAdd(&sum, weights[edge]);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && sum > 0)
        atomicAdd(weight, sum);
}

extern "C" __global__ void mst_jump(int *component, const int *hook, int *offers, int nodes)
{
    int node = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (node >= nodes)
        return;
    int at = component[node];
#pragma unroll 1
    for (int next = hook[at]; next != at; next = hook[at])
        at = next;
    component[node] = at;
    offers[node] = NO_OFFER;
}
