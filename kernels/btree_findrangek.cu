/* SPDX-License-Identifier: Apache-2.0 */
/* Search of ranges of keys in a B+ tree, after the idea of Rodinia's b+tree. As btree_findk, but
 * each TB carries both ends of a range down at once; where both are keys of the tree, the answer
 * is the first record and the number of records. Trees are made by btree_build.
 */
#include "btree_findk.cu"

extern "C" __global__ void btree_findrangek(int height, const int *keys, const int *children,
                                            int *low_nodes, int *low_next, int *high_nodes,
                                            int *high_next, const int *starts, const int *extents,
                                            int *first, int *length)
{
    int i = (int)threadIdx.x;
    int query = (int)blockIdx.x;

#pragma unroll 1
    for (int level = 0; level < height; level++) {
        int low = low_nodes[query] * STRIDE + i;
        if (keys[low] <= starts[query] && keys[low + 1] > starts[query])
            low_next[query] = children[low];
        int high = high_nodes[query] * STRIDE + i;
        int end = starts[query] + extents[query];
        if (keys[high] <= end && keys[high + 1] > end)
            high_next[query] = children[high];
        __syncthreads();
        if (i == 0) {
            low_nodes[query] = low_next[query];
            high_nodes[query] = high_next[query];
        }
        __syncthreads();
    }

    int low = low_nodes[query] * STRIDE + i;
    if (keys[low] == starts[query])
        first[query] = children[low];
    __syncthreads();
    int high = high_nodes[query] * STRIDE + i;
    if (keys[high] == starts[query] + extents[query])
        length[query] = children[high] - first[query] + 1;
}
