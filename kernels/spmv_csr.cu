/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix times vector in compressed rows, a thread a row: y = A x. Rows differ in length,
 * so the threads of a warp leave the loop one after the other.
 *
 * spmv_offsets makes the rows' starts out of their lengths, in one TB: each thread adds up its
 * share of the rows, a scan in shared memory tells it where they begin.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void spmv_offsets(const int *lengths, int *starts, int rows)
{
    __shared__ int sums[THREADS];

    int tx = (int)threadIdx.x;
    int share = (rows + THREADS - 1) / THREADS;
    int first = tx * share;
    int last = min(first + share, rows);
    int own = 0;
#pragma unroll 1
    for (int row = first; row < last; row++)
        own += lengths[row];
    sums[tx] = own;
    __syncthreads();

#pragma unroll 1
    for (int step = 1; step < THREADS; step *= 2) {
        int left = tx >= step ? sums[tx - step] : 0;
        __syncthreads();
        sums[tx] += left;
        __syncthreads();
    }

    int start = sums[tx] - own;
#pragma unroll 1
    for (int row = first; row < last; row++) {
        starts[row] = start;
        start += lengths[row];
    }
    if (tx == THREADS - 1)
        starts[rows] = sums[tx];
}

extern "C" __global__ void spmv_csr(const int *starts, const int *columns, const float *values,
                                    const float *x, float *y, int rows)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows)
        return;
    float sum = 0.0f;
    int last = starts[row + 1];
#pragma unroll 1
    for (int i = starts[row]; i < last; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
