/* SPDX-License-Identifier: Apache-2.0 */
/* 3 x 3 convolution of an image with fixed weights, after the idea of PolyBench's 2dconv: one
 * thread a pixel, from global memory; the edge is left alone.
 */
#include "cuda.h"

extern "C" __global__ void conv2d(const float *in, float *out, int width, int height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const float *above = in + (y - 1) * width + x;
    const float *row = above + width;
    const float *below = row + width;
    out[y * width + x] = 0.2f * above[-1] + -0.3f * above[0] + 0.4f * above[1] + 0.5f * row[-1] +
                         0.6f * row[0] + 0.7f * row[1] + -0.8f * below[-1] + -0.9f * below[0] +
                         0.10f * below[1];
}
