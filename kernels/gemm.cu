/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha A B + beta C, one thread an element, straight from global memory: the way of
 * PolyBench's GPU kernels. A is m x k, B is k x n.
 */
#include "cuda.h"

extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta,
                                int m, int n, int k)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= m || j >= n)
        return;
    float value = c[i * n + j] * beta;
#pragma unroll 1
    for (int p = 0; p < k; p++)
        value += alpha * a[i * k + p] * b[p * n + j];
    c[i * n + j] = value;
}
