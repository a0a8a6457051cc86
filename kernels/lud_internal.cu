/* SPDX-License-Identifier: Apache-2.0 */
/* LU decomposition by blocks of 16 x 16, third kernel: every block right and below of the
 * perimeter loses the product of its row's block of L and its column's block of U. All three
 * kernels are in this module, so a launch file can decompose a matrix.
 */
#include "lud_perimeter.cu"

extern "C" __global__ void lud_internal(float *matrix, int size, int offset)
{
    __shared__ float lower[SIDE][SIDE];
    __shared__ float upper[SIDE][SIDE];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int row = offset + SIDE * ((int)blockIdx.y + 1) + ty;
    int col = offset + SIDE * ((int)blockIdx.x + 1) + tx;

    lower[ty][tx] = matrix[row * size + offset + tx];
    upper[ty][tx] = matrix[(offset + ty) * size + col];
    __syncthreads();

    float value = matrix[row * size + col];
#pragma unroll 1
    for (int k = 0; k < SIDE; k++)
        value = value - lower[ty][k] * upper[k][tx];
    matrix[row * size + col] = value;
}
