/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by tiles of 16 x 16: a TB brings a tile of A and one of B into shared memory, every
 * thread adds up the products of its element, and the TB moves on along the row of A.
 * Sides are multiples of 16.
 */
#include "cuda.h"

#define TILE 16

extern "C" __global__ void matrixmul(const float *a, const float *b, float *c, int width_a,
                                     int width_b)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int row = (int)blockIdx.y * TILE + ty;
    int column = (int)blockIdx.x * TILE + tx;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < width_a; k += TILE) {
        tile_a[ty][tx] = a[row * width_a + k + tx];
        tile_b[ty][tx] = b[(k + ty) * width_b + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads();
    }
    c[row * width_b + column] = sum;
}
