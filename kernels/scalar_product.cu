/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar products of many pairs of vectors, one pair a TB.
 *
 * Each of the TB's threads adds up every blockDim.x-th product; a tree with halving strides in
 * shared memory adds up the threads.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void scalar_product(const float *a, const float *b, float *product,
                                          int elements)
{
    __shared__ float sum[THREADS];

    int tx = (int)threadIdx.x;
    int base = elements * (int)blockIdx.x;
    float own = 0.0f;
#pragma unroll 1
    for (int i = tx; i < elements; i += THREADS)
        own += a[base + i] * b[base + i];
    sum[tx] = own;
    __syncthreads();

#pragma unroll 1
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tx < stride)
            sum[tx] += sum[tx + stride];
        __syncthreads();
    }
    if (tx == 0)
        product[blockIdx.x] = sum[0];
}
