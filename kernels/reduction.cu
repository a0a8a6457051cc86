/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of an array, after the idea of the CUDA samples' reduction: each TB folds its part to one
 * sum in shared memory, and a second launch with one TB folds the TBs' sums.
 *
 * A thread first adds two elements per round of the grid, so that every thread has work before
 * the tree begins. Integers: the order of additions does not matter.
 */
#include "cuda.h"

#define THREADS 128

extern "C" __global__ void reduction(const int *values, int *sums, int count)
{
    __shared__ int part[THREADS];

    int tx = (int)threadIdx.x;
    int own = 0;
#pragma unroll 1
    for (int i = (int)blockIdx.x * 2 * THREADS + tx; i < count; i += 2 * THREADS * (int)gridDim.x) {
        own += values[i];
        if (i + THREADS < count)
            own += values[i + THREADS];
    }
    part[tx] = own;
    __syncthreads();

#pragma unroll 1
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tx < stride)
            part[tx] += part[tx + stride];
        __syncthreads();
    }
    if (tx == 0)
        sums[blockIdx.x] = part[0];
}
