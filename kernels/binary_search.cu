/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread looks up one key in a sorted table: the place of the first entry that is not
 * below the key. Threads of a warp walk apart, so their loads spread over the table, and they
 * leave the loop up to one round apart.
 */
#include "cuda.h"

extern "C" __global__ void binary_search(const int *table, const int *keys, int *places,
                                         int entries, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count)
        return;
    int key = keys[i];
    int place = 0;
    int left = entries;
#pragma unroll 1
    while (left > 0) {
        int half = left / 2;
        bool above = table[place + half] < key;
        place = above ? place + half + 1 : place;
        left = above ? left - half - 1 : half;
    }
    places[i] = place;
}
