/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete cosine transform of an image in blocks of 8 x 8: D = C X C' as two products of
 * 8 x 8 matrices in shared memory, one thread a coefficient. A TB of 8 x 32 threads takes four
 * blocks, one below the other; the image's sides are multiples of 8 and 32.
 */
#include "cuda.h"

#define SIDE   8
#define BLOCKS 4

/* Row u, column x: half of a(u) cos((2x + 1) u pi / 16), a(0) = 1 / sqrt(2), else 1. */
static __constant__ float cosine[SIDE][SIDE] = {
    {0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f,
     0.35355339f},
    {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f,
     -0.49039264f},
    {0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f,
     0.46193977f},
    {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f,
     -0.41573481f},
    {0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f,
     0.35355339f},
    {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f,
     -0.27778512f},
    {0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f,
     0.19134172f},
    {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f,
     -0.09754516f},
};

extern "C" __global__ void dct8x8(const float *image, float *out, int width)
{
    __shared__ float pixel[BLOCKS * SIDE][SIDE + 1];
    __shared__ float half[BLOCKS * SIDE][SIDE + 1];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int top = ty & ~(SIDE - 1); /* first row of this thread's block in shared memory */
    int u = ty - top;
    int at = ((int)blockIdx.y * BLOCKS * SIDE + ty) * width + (int)blockIdx.x * SIDE + tx;
    pixel[ty][tx] = image[at];
    __syncthreads();

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        sum += cosine[u][i] * pixel[top + i][tx];
    half[ty][tx] = sum;
    __syncthreads();

    sum = 0.0f;
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        sum += half[ty][i] * cosine[tx][i];
    out[at] = sum;
}
