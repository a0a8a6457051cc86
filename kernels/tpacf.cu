/* SPDX-License-Identifier: Apache-2.0 */
/* Two-point angular correlation, after the idea of Parboil's tpacf: for every pair of directions
 * out of two sets, the cosine between them is put into one of 32 bins, found by binary search in
 * the bins' sorted bounds.
 *
 * tpacf_normalise makes directions of length 1 out of any vectors. A TB keeps a histogram for
 * each of its warps in shared memory, so that only the lanes of one warp contend for a counter.
 */
#include "cuda.h"

#define THREADS 128
#define WARPS   (THREADS / 32)
#define BINS    32

extern "C" __global__ void tpacf_normalise(float *x, float *y, float *z, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count)
        return;
    float length = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    x[i] /= length;
    y[i] /= length;
    z[i] /= length;
}

/* bounds: BINS + 1 ascending values of 16 times the cosine; the outer two are never read. */
extern "C" __global__ void tpacf(const float *x1, const float *y1, const float *z1, const float *x2,
                                 const float *y2, const float *z2, const float *bounds,
                                 int *histogram, int count)
{
    __shared__ int counter[WARPS][BINS];
    __shared__ float bound[BINS + 1];
    __shared__ float other[3][THREADS];

    int tx = (int)threadIdx.x;
    int warp = tx / 32;
    for (int i = tx; i < WARPS * BINS; i += THREADS)
        counter[i / BINS][i % BINS] = 0;
    if (tx <= BINS)
        bound[tx] = bounds[tx];

    int i = (int)blockIdx.x * THREADS + tx;
    bool used = i < count;
    float x = used ? x1[i] : 0.0f;
    float y = used ? y1[i] : 0.0f;
    float z = used ? z1[i] : 0.0f;
#pragma unroll 1
    for (int base = 0; base < count; base += THREADS) {
        int left = min(count - base, THREADS);
        __syncthreads();
        if (tx < left) {
            other[0][tx] = x2[base + tx];
            other[1][tx] = y2[base + tx];
            other[2][tx] = z2[base + tx];
        }
        __syncthreads();
#pragma unroll 1
        for (int j = 0; used && j < left; j++) {
            float dot = 16.0f * (x * other[0][j] + y * other[1][j] + z * other[2][j]);
            int bin = 0;
#pragma unroll
            for (int step = BINS / 2; step > 0; step /= 2)
                if (dot >= bound[bin + step])
                    bin += step;
            atomicAdd(&counter[warp][bin], 1);
        }
    }
    __syncthreads();
    if (tx < BINS) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += counter[w][tx];
        atomicAdd(&histogram[tx], sum);
    }
}
