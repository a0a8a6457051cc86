/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram that saturates at 255, after the idea of Parboil's histo, in three launches:
 * histo_range finds the least and the greatest key, histo_main counts in shared memory and adds
 * each TB's counters to the whole, histo_final saturates to bytes. Keys lie in 0..BINS - 1, and
 * only the bins between least and greatest are touched.
 */
#include "cuda.h"

#define THREADS 256
#define BINS    1024

extern "C" __global__ void histo_range(const int *keys, int *least, int *most, int count)
{
    __shared__ int lows[THREADS];
    __shared__ int highs[THREADS];

    int tx = (int)threadIdx.x;
    int low = BINS;
    int high = -1;
#pragma unroll 1
    for (int i = (int)blockIdx.x * THREADS + tx; i < count; i += THREADS * (int)gridDim.x) {
        low = min(low, keys[i]);
        high = max(high, keys[i]);
    }
    lows[tx] = low;
    highs[tx] = high;
    __syncthreads();
#pragma unroll 1
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tx < stride) {
            lows[tx] = min(lows[tx], lows[tx + stride]);
            highs[tx] = max(highs[tx], highs[tx + stride]);
        }
        __syncthreads();
    }
    if (tx == 0) {
        atomicMin(least, lows[0]);
        atomicMax(most, highs[0]);
    }
}

extern "C" __global__ void histo_main(const int *keys, const int *least, const int *most,
                                      int *counts, int count)
{
    __shared__ int counter[BINS];

    int tx = (int)threadIdx.x;
    int low = *least;
    int high = *most;
#pragma unroll 1
    for (int bin = low + tx; bin <= high; bin += THREADS)
        counter[bin] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = (int)blockIdx.x * THREADS + tx; i < count; i += THREADS * (int)gridDim.x)
        atomicAdd(&counter[keys[i]], 1);
    __syncthreads();
#pragma unroll 1
    for (int bin = low + tx; bin <= high; bin += THREADS)
        if (counter[bin] > 0)
            atomicAdd(&counts[bin], counter[bin]);
}

extern "C" __global__ void histo_final(const int *counts, unsigned char *histogram)
{
    int bin = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (bin < BINS)
        histogram[bin] = (unsigned char)min(counts[bin], 255);
}
