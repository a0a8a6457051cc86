/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive prefix sum of a whole array with Blelloch's two sweeps, in three launches: each TB
 * scans 512 elements and leaves their total, one TB scans the totals, and each TB adds to its
 * elements what lies before it.
 *
 * The up-sweep builds a tree of sums in place; the down-sweep hands each node the sum of all
 * that is left of it.
 */
#include "cuda.h"

#define THREADS 256
#define SPAN    (2 * THREADS)

extern "C" __global__ void prefix_sum_tb(const int *in, int *out, int *totals, int count)
{
    __shared__ int tree[SPAN];

    int tx = (int)threadIdx.x;
    int base = (int)blockIdx.x * SPAN;
    tree[tx] = base + tx < count ? in[base + tx] : 0;
    tree[tx + THREADS] = base + tx + THREADS < count ? in[base + tx + THREADS] : 0;

    int step = 1;
#pragma unroll 1
    for (int nodes = THREADS; nodes > 0; nodes /= 2) {
        __syncthreads();
        if (tx < nodes) {
            int left = step * (2 * tx + 1) - 1;
            tree[left + step] += tree[left];
        }
        step *= 2;
    }
    __syncthreads();
    if (tx == 0) {
        totals[blockIdx.x] = tree[SPAN - 1];
        tree[SPAN - 1] = 0;
    }

#pragma unroll 1
    for (int nodes = 1; nodes <= THREADS; nodes *= 2) {
        step /= 2;
        __syncthreads();
        if (tx < nodes) {
            int left = step * (2 * tx + 1) - 1;
            int before = tree[left + step];
            tree[left + step] = before + tree[left];
            tree[left] = before;
        }
    }
    __syncthreads();
    if (base + tx < count)
        out[base + tx] = tree[tx];
    if (base + tx + THREADS < count)
        out[base + tx + THREADS] = tree[tx + THREADS];
}

extern "C" __global__ void prefix_sum_add(int *out, const int *before, int count)
{
    int i = (int)blockIdx.x * SPAN + (int)threadIdx.x;
    int add = before[blockIdx.x];
    if (i < count)
        out[i] += add;
    if (i + THREADS < count)
        out[i + THREADS] += add;
}
