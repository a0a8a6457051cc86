/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram of bytes in 256 bins, after the idea of NVIDIA's sample. histogram256 takes four bytes
 * a word; each warp of a TB counts into bins of its own in shared memory, whose sums are the TB's
 * partial histogram. histogram256_merge adds the partial ones, a TB for each bin: its threads read
 * that bin of many of them, and so does the TB of each bin of the same line.
 */
#include "cuda.h"

#define BINS  256
#define WARPS 6

extern "C" __global__ void histogram256(const unsigned *words, int *partial, int count)
{
    __shared__ int bins[WARPS * BINS];

    int tx = (int)threadIdx.x;
    int threads = WARPS * 32;
    int *mine = &bins[tx / 32 * BINS];
#pragma unroll 1
    for (int i = tx; i < WARPS * BINS; i += threads)
        bins[i] = 0;
    __syncthreads();

#pragma unroll 1
    for (int i = (int)blockIdx.x * threads + tx; i < count; i += threads * (int)gridDim.x) {
        unsigned word = words[i];
        atomicAdd(&mine[word & 255], 1);
        atomicAdd(&mine[word >> 8 & 255], 1);
        atomicAdd(&mine[word >> 16 & 255], 1);
        atomicAdd(&mine[word >> 24], 1);
    }
    __syncthreads();

#pragma unroll 1
    for (int bin = tx; bin < BINS; bin += threads) {
        int sum = 0;
        for (int warp = 0; warp < WARPS; warp++)
            sum += bins[warp * BINS + bin];
        partial[(int)blockIdx.x * BINS + bin] = sum;
    }
}

extern "C" __global__ void histogram256_merge(const int *partial, int *histogram, int parts)
{
    __shared__ int sums[BINS];

    int tx = (int)threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int i = tx; i < parts; i += BINS)
        sum += partial[(int)blockIdx.x + i * BINS];
    sums[tx] = sum;
#pragma unroll 1
    for (int stride = BINS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (tx < stride)
            sums[tx] += sums[tx + stride];
    }
    if (tx == 0)
        histogram[blockIdx.x] = sums[0];
}
