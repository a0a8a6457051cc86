/* SPDX-License-Identifier: Apache-2.0 */
/* One warp loads one word: the latency of a load on an idle machine. */
#include "../../../kernels/cuda.h"

extern "C" __global__ void one_load(const int *in, int *out)
{
    out[threadIdx.x] = in[0];
}
