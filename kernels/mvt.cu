/* SPDX-License-Identifier: Apache-2.0 */
/* x1 += A y1 and x2 += A' y2, after the idea of PolyBench's mvt: a thread a row, then a thread a
 * column. The first reads A with stride n, the second coalesced.
 */
#include "cuda.h"

extern "C" __global__ void mvt_rows(const float *a, const float *y, float *x, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    float sum = x[i];
#pragma unroll 1
    for (int j = 0; j < n; j++)
        sum += a[i * n + j] * y[j];
    x[i] = sum;
}

extern "C" __global__ void mvt_columns(const float *a, const float *y, float *x, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= n)
        return;
    float sum = x[j];
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += a[i * n + j] * y[i];
    x[j] = sum;
}
