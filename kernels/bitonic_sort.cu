/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts with Batcher's bitonic network. bitonic_sort takes runs of 512 keys through shared memory:
 * first all columns up to size 512, after which runs ascend and descend by turns, later the last
 * nine strides of one larger size. bitonic_merge is one column of larger stride, in global
 * memory. The count is a power of two, at least 512.
 */
#include "cuda.h"

#define THREADS 256
#define RUN     (2 * THREADS)

extern "C" __global__ void bitonic_sort(int *keys, int first_size, int last_size)
{
    __shared__ int run[RUN];

    int tx = (int)threadIdx.x;
    int base = (int)blockIdx.x * RUN;
    run[tx] = keys[base + tx];
    run[tx + THREADS] = keys[base + tx + THREADS];

#pragma unroll 1
    for (int size = first_size; size <= last_size; size *= 2) {
#pragma unroll 1
        for (int stride = min(size, RUN) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * tx - (tx & (stride - 1));
            bool up = ((base + at) & size) == 0;
            int low = run[at];
            int high = run[at + stride];
            if ((low > high) == up) {
                run[at] = high;
                run[at + stride] = low;
            }
        }
    }
    __syncthreads();
    keys[base + tx] = run[tx];
    keys[base + tx + THREADS] = run[tx + THREADS];
}

extern "C" __global__ void bitonic_merge(int *keys, int size, int stride)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int at = 2 * i - (i & (stride - 1));
    bool up = (at & size) == 0;
    int low = keys[at];
    int high = keys[at + stride];
    if ((low > high) == up) {
        keys[at] = high;
        keys[at + stride] = low;
    }
}
