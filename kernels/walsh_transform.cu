/* SPDX-License-Identifier: Apache-2.0 */
/* Fast Walsh-Hadamard transform of runs of 512 integers in shared memory: nine rounds of
 * butterflies (a, b) -> (a + b, a - b) with growing distance.
 */
#include "cuda.h"

#define THREADS 256
#define RUN     (2 * THREADS)

extern "C" __global__ void walsh_transform(const int *in, int *out)
{
    __shared__ int run[RUN];

    int tx = (int)threadIdx.x;
    int base = (int)blockIdx.x * RUN;
    run[tx] = in[base + tx];
    run[tx + THREADS] = in[base + tx + THREADS];

#pragma unroll 1
    for (int stride = 1; stride < RUN; stride *= 2) {
        __syncthreads();
        int at = 2 * tx - (tx & (stride - 1));
        int a = run[at];
        int b = run[at + stride];
        run[at] = a + b;
        run[at + stride] = a - b;
    }
    __syncthreads();
    out[base + tx] = run[tx];
    out[base + tx + THREADS] = run[tx + THREADS];
}
