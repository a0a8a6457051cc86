/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix times vector, a thread a row, in ELLPACK-R: entry k of all rows lies together, so that a warp's
 * loads of columns and values are coalesced. A column is kept as its distance from the row, modulo rows: small
 * distances are a band, any are a random matrix. After Parboil's spmv, which is transposed likewise (JDS).
 */
#include "cuda.h"

extern "C" __global__ void spmv_ellr(const int *lengths, const int *distances, const float *values,
                                     const float *x, float *y, int rows)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows)
        return;
    float sum = 0.0f;
    int length = lengths[row];
#pragma unroll 1
    for (int k = 0, at = row; k < length; k++, at += rows) {
        int column = row + distances[at];
        if (column >= rows)
            column -= rows;
        sum += values[at] * x[column];
    }
    y[row] = sum;
}
