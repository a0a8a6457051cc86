/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of an image and of its squares, after the idea of Rodinia's srad_v1: TBs of 512 threads sum
 * 512 elements each in a tree; the next launch sums their results, which lie `stride` * 512 apart.
 */
#include "cuda.h"

#define THREADS 512

extern "C" __global__ void srad_reduce(int count, int stride, float *sums, float *squares)
{
    __shared__ float sum[THREADS];
    __shared__ float square[THREADS];

    int tx = (int)threadIdx.x;
    int i = (int)blockIdx.x * THREADS + tx;

    sum[tx] = i < count ? sums[i * stride] : 0.0f;
    square[tx] = i < count ? squares[i * stride] : 0.0f;
    __syncthreads();

#pragma unroll 1
    for (int step = 1; step < THREADS; step *= 2) {
        if (tx % (2 * step) == 0) {
            sum[tx] = sum[tx] + sum[tx + step];
            square[tx] = square[tx] + square[tx + step];
        }
        __syncthreads();
    }

    if (tx == 0) {
        sums[i * stride] = sum[0];
        squares[i * stride] = square[0];
    }
}
