/* SPDX-License-Identifier: Apache-2.0 */
/* LU decomposition by blocks of 16 x 16, first of three kernels, after the idea of Rodinia's lud:
 * the block on the diagonal is decomposed in place (Crout). TB b takes the block b further down;
 * a decomposition of the whole matrix launches one TB. Half a warp works, of which less and less
 * has something to do.
 */
#include "cuda.h"

#define SIDE 16

extern "C" __global__ void lud_diagonal(float *matrix, int size, int offset)
{
    __shared__ float block[SIDE][SIDE];

    int tx = (int)threadIdx.x;
    int start = offset + SIDE * (int)blockIdx.x;
    float *at = matrix + start * size + start + tx;

#pragma unroll 1
    for (int i = 0; i < SIDE; i++)
        block[i][tx] = at[i * size];
    __syncthreads();

#pragma unroll 1
    for (int i = 0; i < SIDE - 1; i++) {
        if (tx > i) { /* column i of L, row tx */
#pragma unroll 1
            for (int k = 0; k < i; k++)
                block[tx][i] = block[tx][i] - block[tx][k] * block[k][i];
            block[tx][i] = block[tx][i] / block[i][i];
        }
        __syncthreads();
        if (tx > i) { /* row i + 1 of U, column tx */
#pragma unroll 1
            for (int k = 0; k <= i; k++)
                block[i + 1][tx] = block[i + 1][tx] - block[i + 1][k] * block[k][tx];
        }
        __syncthreads();
    }

#pragma unroll 1
    for (int i = 1; i < SIDE; i++)
        at[i * size] = block[i][tx];
}
