/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with all that a checkpoint has to keep: barriers, shared memory, lanes apart, atomics,
 * printf, malloc over several launches, recursion with local memory, a loop of the host. What they
 * leave in buffers does not depend on the order in which TBs run. */
#include "cuda.h"

/* What had contents is zeros. */
extern "C" __global__ void wipe(int *words)
{
    words[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

extern "C" __global__ void keep(int **ptr)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    ptr[t] = (int *)malloc(8 + 16 * (t % 5));
    ptr[t][0] = 3 * t;
    if (t % 3 == 0) {
        free(malloc(40));
    }
}

extern "C" __global__ void use(int **ptr, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = ptr[t][0];
    free(ptr[t]);
    int *again = (int *)malloc(16);
    again[0] = 7;
    out[t] += again[0];
    free(again);
    ptr[t] = 0;
}

/* Rounds of a rotation through shared memory; lanes part by their number, and predicates live across
 * the barriers. */
extern "C" __global__ void tiles(int *out, int *count, int rounds)
{
    __shared__ int tile[128];
    int t = threadIdx.x, sum = blockIdx.x;
    bool odd = t & 1, third = t % 3 == 0;
    tile[t] = t + blockIdx.x;
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        int next = tile[(t + i + 1) % 128];
        __syncthreads();
        if (odd) {
            next = next * 5 + 1;
        } else if (third) {
            for (int k = 0; k < t % 7; k++) {
                next ^= next << 3 | k;
            }
        }
        tile[t] = next;
        sum += third ? next : -next;
        if ((t + i) % 16 == 0) {
            atomicAdd(count, 1);
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = sum + tile[127 - t];
}

extern "C" __global__ void tick(int *ticks)
{
    if (threadIdx.x == 0) {
        atomicAdd(ticks, 1);
    }
}

extern "C" __global__ void clear(int *changed)
{
    if (threadIdx.x == 0) {
        changed[0] = 0;
    }
}

/* Distances along a line, a step a launch, until nothing changes. */
extern "C" __global__ void relax(int *distance, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && distance[i] + 1 < distance[i + 1] && distance[i] < 1000000) {
        distance[i + 1] = distance[i] + 1;
        changed[0] = 1;
    }
}

static __device__ __attribute__((noinline)) int walk(int n, int *sum)
{
    int r = n <= 0 ? 1 : walk(n - 1 - (threadIdx.x & 1), sum) + walk(n - 2, sum);
    *sum += r;
    return r;
}

extern "C" __global__ void climb(int *out, int n)
{
    int sum = 0, r = walk(n + blockIdx.x % 3, &sum);
    out[blockIdx.x * blockDim.x + threadIdx.x] = r * 1000 + sum;
}

extern "C" __global__ void chat(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if ((threadIdx.x + i) % 13 == 0) {
            printf("%d.%d.%d\n", blockIdx.x, threadIdx.x, i);
        }
        __syncthreads();
    }
}
