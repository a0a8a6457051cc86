/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/sad.cu's second kernel with all that Parboil's larger_sad_calc_8 writes: of four 4 x 4
 * blocks the sums of those side by side, of those one above the other, and of all four. A TB of
 * 32 x 4 threads takes 2 x 2 such groups, a warp each.
 */
#include "../../../kernels/cuda.h"

#define RANGE         8
#define SPAN          (2 * RANGE + 1)
#define DISPLACEMENTS (SPAN * SPAN)

/* wide, tall: two blocks, one behind the other, for each of square. width: small blocks in a row.
 */
extern "C" __global__ void sad_larger_8(const int *small, int *wide, int *tall, int *square,
                                        int width)
{
    int x = (int)(2 * blockIdx.x + threadIdx.y % 2);
    int y = (int)(2 * blockIdx.y + threadIdx.y / 2);
    int group = y * (width / 2) + x;
    const int *upper = small + (2 * y * width + 2 * x) * DISPLACEMENTS;
    const int *lower = upper + width * DISPLACEMENTS;
#pragma unroll 1
    for (int d = (int)threadIdx.x; d < DISPLACEMENTS; d += (int)blockDim.x) {
        int a = upper[d];
        int b = upper[d + DISPLACEMENTS];
        int c = lower[d];
        int e = lower[d + DISPLACEMENTS];
        wide[2 * group * DISPLACEMENTS + d] = a + b;
        wide[(2 * group + 1) * DISPLACEMENTS + d] = c + e;
        tall[2 * group * DISPLACEMENTS + d] = a + c;
        tall[(2 * group + 1) * DISPLACEMENTS + d] = b + e;
        square[group * DISPLACEMENTS + d] = a + b + c + e;
    }
}
