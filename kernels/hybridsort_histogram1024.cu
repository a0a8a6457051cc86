/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram of floats in 1024 bins, after the idea of Rodinia's hybridsort. Each of a TB's three
 * warps counts in a histogram of its own in shared memory, so atomics collide less; then the TB
 * adds the three and the sums go to the histogram in global memory.
 */
#include "cuda.h"

#define BINS    1024
#define WARPS   3
#define THREADS (32 * WARPS)

extern "C" __global__ void hybridsort_histogram1024(int *histogram, const float *data, float lowest,
                                                    float per_bin, int count)
{
    __shared__ int bins[WARPS][BINS];

    int tx = (int)threadIdx.x;
    int threads = (int)gridDim.x * THREADS;

#pragma unroll 1
    for (int i = tx; i < WARPS * BINS; i += THREADS)
        bins[0][i] = 0;
    __syncthreads();

#pragma unroll 1
    for (int i = (int)blockIdx.x * THREADS + tx; i < count; i += threads) {
        int bin = (int)((data[i] - lowest) * per_bin);
        atomicAdd(&bins[tx / 32][min(bin, BINS - 1)], 1);
    }
    __syncthreads();

#pragma unroll 1
    for (int i = tx; i < BINS; i += THREADS)
        atomicAdd(&histogram[i], bins[0][i] + bins[1][i] + bins[2][i]);
}
