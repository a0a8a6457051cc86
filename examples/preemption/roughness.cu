/* SPDX-License-Identifier: Apache-2.0 */
/* How rough each row of an image is: the sum of squared differences of neighbours, tile by tile.
 *
 * A thread block takes a row. Each tile goes through shared memory, between two barriers, and at
 * the end the threads' sums are folded there, between further ones. So a block can be preempted
 * all along its way.
 */
#include "cuda.h"

#define THREADS 128

extern "C" __global__ void roughness(const unsigned char *pixels, int *sums, int tiles)
{
    __shared__ int tile[THREADS];

    int t = (int)threadIdx.x;
    const unsigned char *row = pixels + (int)blockIdx.x * tiles * THREADS;
    int own = 0;

#pragma unroll 1
    for (int k = 0; k < tiles; k++) {
        tile[t] = row[k * THREADS + t];
        __syncthreads();
        int step = tile[t] - tile[(t + 1) % THREADS];
        own += step * step;
        __syncthreads();
    }
    tile[t] = own;
    __syncthreads();

#pragma unroll 1
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride)
            tile[t] += tile[t + stride];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = tile[0];
}
