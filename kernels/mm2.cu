/* SPDX-License-Identifier: Apache-2.0 */
/* D = (A B) C in two launches of plain matrix products, after the idea of PolyBench's 2mm: one
 * thread an element, no shared memory. Matrices are n x n.
 */
#include "cuda.h"

extern "C" __global__ void mm2(const float *a, const float *b, float *product, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= n || j >= n)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    product[i * n + j] = sum;
}
