/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

extern "C" __global__ void scale(float *x, float f, int n)
{
    x[threadIdx.x] = f * m;
}
