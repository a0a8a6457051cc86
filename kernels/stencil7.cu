/* SPDX-License-Identifier: Apache-2.0 */
/* Seven-point stencil on a box, after the idea of Parboil's stencil: a thread owns a column of
 * points (x, y) and walks up z, keeping the points below, at and above itself in registers.
 * out = c1 * (sum of the six neighbours) - c0 * point; the box's faces are left alone.
 */
#include "cuda.h"

extern "C" __global__ void stencil7(const float *in, float *out, float c0, float c1, int nx, int ny,
                                    int nz)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1;
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y) + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny;
    int at = plane + y * nx + x;
    float below = in[at - plane];
    float point = in[at];
#pragma unroll 1
    for (int z = 1; z < nz - 1; z++) {
        float above = in[at + plane];
        float around = above + below + in[at + nx] + in[at - nx] + in[at + 1] + in[at - 1];
        out[at] = around * c1 - point * c0;
        below = point;
        point = above;
        at += plane;
    }
}
