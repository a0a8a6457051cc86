/* SPDX-License-Identifier: Apache-2.0 */
/* Haar wavelet transform of runs of 512 samples, all nine levels in shared memory: each level
 * halves the averages, and its details go out at once. A thread keeps its pair in registers over
 * the barrier, so that averages can be written over the samples.
 */
#include "cuda.h"

#define THREADS 256
#define RUN     (2 * THREADS)
#define SCALE   0.70710678f /* 1 / sqrt(2) */

extern "C" __global__ void haar_dwt(const float *in, float *out)
{
    __shared__ float average[RUN];

    int tx = (int)threadIdx.x;
    int base = (int)blockIdx.x * RUN;
    average[tx] = in[base + tx];
    average[tx + THREADS] = in[base + tx + THREADS];
    __syncthreads();

#pragma unroll 1
    for (int pairs = THREADS; pairs > 0; pairs /= 2) {
        float even = 0.0f;
        float odd = 0.0f;
        if (tx < pairs) {
            even = average[2 * tx];
            odd = average[2 * tx + 1];
        }
        __syncthreads();
        if (tx < pairs) {
            average[tx] = (even + odd) * SCALE;
            out[base + pairs + tx] = (even - odd) * SCALE;
        }
        __syncthreads();
    }
    if (tx == 0)
        out[base] = average[0];
}
