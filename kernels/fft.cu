/* SPDX-License-Identifier: Apache-2.0 */
/* Fast Fourier transform of runs of 512 complex numbers, radix 2, decimation in time: numbers
 * are loaded in bit-reversed order, nine rounds of butterflies follow in shared memory, real and
 * imaginary parts apart. Twiddle factors come from the approximate sine and cosine.
 * in and out: real part, imaginary part, real part ...
 */
#include "cuda.h"

#define THREADS 256
#define RUN     (2 * THREADS)
#define BITS    9
#define PI      3.14159265f

static __device__ int reversed(int i)
{
    return (int)(__builtin_bitreverse32((unsigned)i) >> (32 - BITS));
}

extern "C" __global__ void fft(const float *in, float *out)
{
    __shared__ float real[RUN];
    __shared__ float imaginary[RUN];

    int tx = (int)threadIdx.x;
    int base = (int)blockIdx.x * RUN;
    for (int i = tx; i < RUN; i += THREADS) {
        int to = reversed(i);
        real[to] = in[2 * (base + i)];
        imaginary[to] = in[2 * (base + i) + 1];
    }

#pragma unroll 1
    for (int half = 1; half < RUN; half *= 2) {
        __syncthreads();
        int place = tx & (half - 1);
        int at = 2 * tx - place;
        float angle = -PI * (float)place / (float)half;
        float c = __cosf(angle);
        float s = __sinf(angle);
        float re = real[at + half] * c - imaginary[at + half] * s;
        float im = real[at + half] * s + imaginary[at + half] * c;
        real[at + half] = real[at] - re;
        imaginary[at + half] = imaginary[at] - im;
        real[at] += re;
        imaginary[at] += im;
    }
    __syncthreads();
    for (int i = tx; i < RUN; i += THREADS) {
        out[2 * (base + i)] = real[i];
        out[2 * (base + i) + 1] = imaginary[i];
    }
}
