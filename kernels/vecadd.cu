/* SPDX-License-Identifier: Apache-2.0 */
/* c[i] = a[i] + b[i]: the smallest kernel, one guard and coalesced traffic. */
#include "cuda.h"

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        c[i] = a[i] + b[i];
}
