/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/mm2.cu, but each step of the sum goes to global memory, as Lin-D 3.4.2 says of the paper's MM. */
#include "../../../kernels/cuda.h"

extern "C" __global__ void mm2(const float *a, const float *b, float *product, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= n || j >= n)
        return;
    volatile float *stored = &product[i * n + j];
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        sum += a[i * n + k] * b[k * n + j];
        *stored = sum;
    }
}
