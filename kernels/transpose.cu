/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes a matrix by tiles of 32 x 32 through shared memory, so that reads and writes are
 * both coalesced. A row of the tile has one element more than needed: the 32 elements of a
 * column then lie in 32 banks.
 */
#include "cuda.h"

#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int x = (int)blockIdx.x * TILE + tx;
    int y = (int)blockIdx.y * TILE + ty;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[ty + j][tx] = in[(y + j) * width + x];
    __syncthreads();

    x = (int)blockIdx.y * TILE + tx;
    y = (int)blockIdx.x * TILE + ty;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[tx][ty + j];
}
