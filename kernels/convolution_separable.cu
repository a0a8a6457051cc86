/* SPDX-License-Identifier: Apache-2.0 */
/* Separable convolution of an image: rows, then columns, after the idea of the CUDA samples. A TB
 * brings its part and a halo of RADIUS pixels on both sides into shared memory; beyond the edge
 * pixels are 0. weights: 2 * RADIUS + 1, from the left and from above.
 */
#include "cuda.h"

#define RADIUS 8
#define ROW    128 /* pixels of a row a TB */
#define TILE_X 16  /* columns a TB */
#define TILE_Y 16  /* rows of them */

extern "C" __global__ void convolution_rows(const float *in, float *out, const float *weights,
                                            int width)
{
    __shared__ float part[ROW + 2 * RADIUS];

    int tx = (int)threadIdx.x;
    int first = (int)blockIdx.x * ROW - RADIUS;
    const float *row = in + (int)blockIdx.y * width;
    for (int i = tx; i < ROW + 2 * RADIUS; i += ROW)
        part[i] = first + i >= 0 && first + i < width ? row[first + i] : 0.0f;
    __syncthreads();

    int x = (int)blockIdx.x * ROW + tx;
    float sum = 0.0f;
    for (int i = 0; i <= 2 * RADIUS; i++)
        sum += weights[i] * part[tx + i];
    if (x < width)
        out[(int)blockIdx.y * width + x] = sum;
}

extern "C" __global__ void convolution_columns(const float *in, float *out, const float *weights,
                                               int width, int height)
{
    __shared__ float part[TILE_Y + 2 * RADIUS][TILE_X + 1];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int x = (int)blockIdx.x * TILE_X + tx;
    int first = (int)blockIdx.y * TILE_Y - RADIUS;
    for (int i = ty; i < TILE_Y + 2 * RADIUS; i += TILE_Y) {
        int y = first + i;
        part[i][tx] = x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();

    int y = (int)blockIdx.y * TILE_Y + ty;
    float sum = 0.0f;
    for (int i = 0; i <= 2 * RADIUS; i++)
        sum += weights[i] * part[ty + i][tx];
    if (x < width && y < height)
        out[y * width + x] = sum;
}
