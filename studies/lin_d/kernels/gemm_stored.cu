/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/gemm.cu, but each step of the sum goes to global memory, as Lin-D 3.4.2 says of the paper's GEMM. */
#include "../../../kernels/cuda.h"

extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta,
                                int m, int n, int k)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= m || j >= n)
        return;
    volatile float *sum = &c[i * n + j];
    float value = *sum * beta;
#pragma unroll 1
    for (int p = 0; p < k; p++) {
        value += alpha * a[i * k + p] * b[p * n + j];
        *sum = value;
    }
}
