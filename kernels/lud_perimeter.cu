/* SPDX-License-Identifier: Apache-2.0 */
/* LU decomposition by blocks of 16 x 16, second kernel: with the diagonal block done, TB b works
 * on the block b + 1 to the right (rows of U) and b + 1 down (columns of L). One half of its warp
 * takes the one, the other half the other, so the warp is diverged for most of the time.
 */
#include "lud_diagonal.cu"

extern "C" __global__ void lud_perimeter(float *matrix, int size, int offset)
{
    __shared__ float diagonal[SIDE][SIDE];
    __shared__ float right[SIDE][SIDE];
    __shared__ float below[SIDE][SIDE];

    int tx = (int)threadIdx.x;
    int lane = tx % SIDE;
    int away = SIDE * ((int)blockIdx.x + 1);
    float *corner = matrix + offset * size + offset;

    /* Each half brings every other row. */
#pragma unroll 1
    for (int i = tx / SIDE; i < SIDE; i += 2) {
        diagonal[i][lane] = corner[i * size + lane];
        right[i][lane] = corner[i * size + away + lane];
        below[i][lane] = corner[(away + i) * size + lane];
    }
    __syncthreads();

    if (tx < SIDE) {
#pragma unroll 1
        for (int i = 1; i < SIDE; i++)
#pragma unroll 1
            for (int k = 0; k < i; k++)
                right[i][lane] = right[i][lane] - diagonal[i][k] * right[k][lane];
    } else {
#pragma unroll 1
        for (int i = 0; i < SIDE; i++) {
#pragma unroll 1
            for (int k = 0; k < i; k++)
                below[lane][i] = below[lane][i] - below[lane][k] * diagonal[k][i];
            below[lane][i] = below[lane][i] / diagonal[i][i];
        }
    }
    __syncthreads();

#pragma unroll 1
    for (int i = tx / SIDE; i < SIDE; i += 2) {
        corner[i * size + away + lane] = right[i][lane];
        corner[(away + i) * size + lane] = below[i][lane];
    }
}
