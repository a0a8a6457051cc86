/* SPDX-License-Identifier: Apache-2.0 */
/* Search of keys in a B+ tree, after the idea of Rodinia's b+tree. One TB carries one query down
 * the tree: each of its 256 threads looks at one key of the node, and the one whose interval
 * holds the query names the child. A barrier separates the levels.
 *
 * Nodes have 256 keys and the bound behind the last (257 words) and as many children; they lie
 * level by level. btree_build makes a tree of `levels` levels in which inner nodes have `fanout`
 * children, leaves are full, and record r has the key r * gap.
 */
#include "cuda.h"

#define ORDER   256
#define STRIDE  (ORDER + 1)
#define HIGHEST 0x7fffffff

extern "C" __global__ void btree_build(int *keys, int *children, int levels, int fanout, int gap)
{
    int node = (int)blockIdx.x;
    int i = (int)threadIdx.x;
    int first = 0;
    int width = 1;
    int span = ORDER;

#pragma unroll 1
    for (int level = 1; level < levels; level++)
        span *= fanout;
#pragma unroll 1
    while (node >= first + width) {
        first += width;
        width *= fanout;
        span /= fanout;
    }
    bool leaf = span == ORDER;
    int used = leaf ? ORDER : fanout;
    int record = (node - first) * span + i * (span / used);
    keys[node * STRIDE + i] = i < used ? record * gap : HIGHEST;
    children[node * STRIDE + i] = leaf ? record : first + width + (node - first) * fanout + i;
    if (i == 0) {
        keys[node * STRIDE + ORDER] = HIGHEST;
        children[node * STRIDE + ORDER] = 0;
    }
}

/* nodes, next: one word a query, 0 at first: the node that it has come to. */
extern "C" __global__ void btree_findk(int height, const int *keys, const int *children,
                                       const int *records, int *nodes, int *next,
                                       const int *queries, int *answers)
{
    int i = (int)threadIdx.x;
    int query = (int)blockIdx.x;

#pragma unroll 1
    for (int level = 0; level < height; level++) {
        int at = nodes[query] * STRIDE + i;
        if (keys[at] <= queries[query] && keys[at + 1] > queries[query])
            next[query] = children[at];
        __syncthreads();
        if (i == 0)
            nodes[query] = next[query];
        __syncthreads();
    }

    int at = nodes[query] * STRIDE + i;
    if (keys[at] == queries[query])
        answers[query] = records[children[at]];
}
