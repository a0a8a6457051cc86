/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive scan of each TB's elements in the way of Hillis and Steele: at step s every thread
 * adds the element s places to its left, out of one buffer of shared memory into the other.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void scan(const int *in, int *out, int count)
{
    __shared__ int row[2][THREADS];

    int tx = (int)threadIdx.x;
    int i = (int)blockIdx.x * THREADS + tx;
    int from = 0;
    row[0][tx] = i < count ? in[i] : 0;
    __syncthreads();

#pragma unroll 1
    for (int step = 1; step < THREADS; step *= 2) {
        int value = row[from][tx];
        if (tx >= step)
            value += row[from][tx - step];
        from = 1 - from;
        row[from][tx] = value;
        __syncthreads();
    }
    if (i < count)
        out[i] = row[from][tx];
}
