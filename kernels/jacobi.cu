/* SPDX-License-Identifier: Apache-2.0 */
/* One Jacobi step on a grid: every inner point becomes the mean of itself and its four
 * neighbours; the edge is copied. The host swaps the grids between launches.
 */
#include "cuda.h"

extern "C" __global__ void jacobi(const float *from, float *to, int n)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n || y >= n)
        return;
    int at = y * n + x;
    float value = from[at];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        value = 0.2f * (value + from[at - 1] + from[at + 1] + from[at + n] + from[at - n]);
    to[at] = value;
}
