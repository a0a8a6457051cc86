/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts floats in 0..1, after the idea of the bucket sort in Rodinia's hybridsort, in four
 * launches: count the keys of every bucket, turn counts into starts, scatter keys into their
 * buckets, sort each bucket in shared memory.
 *
 * Where a key lands inside its bucket depends on the order of atomics; the last launch makes the
 * result independent of it. A bucket holds at most CAPACITY keys.
 */
#include "cuda.h"

#define THREADS  128
#define CAPACITY (4 * THREADS)
#define BUCKETS  128

static __device__ int bucket_of(float key)
{
    return min((int)(key * (float)BUCKETS), BUCKETS - 1);
}

extern "C" __global__ void bucket_count(const float *keys, int *counts, int count)
{
    __shared__ int counter[BUCKETS];

    int tx = (int)threadIdx.x;
    counter[tx] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = (int)blockIdx.x * THREADS + tx; i < count; i += THREADS * (int)gridDim.x)
        atomicAdd(&counter[bucket_of(keys[i])], 1);
    __syncthreads();
    atomicAdd(&counts[tx], counter[tx]);
}

/* starts: BUCKETS + 1. next: where the next key of a bucket goes. */
extern "C" __global__ void bucket_starts(const int *counts, int *starts, int *next)
{
    __shared__ int sum[BUCKETS];

    int tx = (int)threadIdx.x;
    sum[tx] = counts[tx];
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < BUCKETS; step *= 2) {
        int left = tx >= step ? sum[tx - step] : 0;
        __syncthreads();
        sum[tx] += left;
        __syncthreads();
    }
    starts[tx + 1] = sum[tx];
    next[tx] = sum[tx] - counts[tx];
    if (tx == 0)
        starts[0] = 0;
}

extern "C" __global__ void bucket_scatter(const float *keys, int *next, float *scattered, int count)
{
#pragma unroll 1
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < count;
         i += THREADS * (int)gridDim.x) {
        float key = keys[i];
        scattered[atomicAdd(&next[bucket_of(key)], 1)] = key;
    }
}

/* Bitonic network over the bucket, filled up with a key above all. */
extern "C" __global__ void bucket_sort(const int *starts, float *keys)
{
    __shared__ float run[CAPACITY];

    int tx = (int)threadIdx.x;
    int first = starts[blockIdx.x];
    int count = starts[blockIdx.x + 1] - first;
    for (int i = tx; i < CAPACITY; i += THREADS)
        run[i] = i < count ? keys[first + i] : 2.0f;

#pragma unroll 1
    for (int size = 2; size <= CAPACITY; size *= 2) {
#pragma unroll 1
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int i = tx; i < CAPACITY / 2; i += THREADS) {
                int at = 2 * i - (i & (stride - 1));
                float low = run[at];
                float high = run[at + stride];
                if ((low > high) == ((at & size) == 0)) {
                    run[at] = high;
                    run[at + stride] = low;
                }
            }
        }
    }
    __syncthreads();
    for (int i = tx; i < count; i += THREADS)
        keys[first + i] = run[i];
}
