/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose TBs are hard to take away and to bring back: each counts what went right in its own
 * word of `out`. */
#include "cuda.h"

/* Warps come to each barrier one long after the other, so that it is half reached most of the time;
 * values walk round the TB. */
extern "C" __global__ void half(int *out, int rounds)
{
    __shared__ int row[256];
    int t = (int)threadIdx.x, mine = t;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        volatile int work = 0;
#pragma unroll 1
        for (int i = 0; i < t / 32 * 3; i++)
            work = work + i;
        row[t] = mine;
        __syncthreads();
        mine = row[(t + 1) % 256];
        __syncthreads();
    }
    if (mine == (t + rounds) % 256)
        atomicAdd(&out[0], 1);
}

static __device__ __attribute__((noinline)) int tower(int n)
{
    return n == 0 ? 0 : n + tower(n - 1);
}

extern "C" __global__ void recurse(int *out, int depth)
{
    int n = depth + (int)threadIdx.x % 4;

    if (tower(n) == n * (n + 1) / 2)
        atomicAdd(&out[1], 1);
}

struct node {
    int value;
    node *next;
};

/* A list of the heap, and a line for each TB. */
extern "C" __global__ void talk(int *out, int n)
{
    node *head = 0;
    int sum = 0;

    for (int i = 0; i < n; i++) {
        node *fresh = (node *)malloc(sizeof(node));
        if (!fresh)
            return;
        fresh->value = i + (int)threadIdx.x;
        fresh->next = head;
        head = fresh;
    }
    if (threadIdx.x == 0)
        printf("TB %d\n", (int)blockIdx.x);
    __syncthreads();
    while (head) {
        node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    if (sum == n * (n - 1) / 2 + n * (int)threadIdx.x)
        atomicAdd(&out[2], 1);
}

/* TBs that fill an SM's threads, with shared memory that the launch asks for. */
extern "C" __global__ void wide(int *out, int rounds)
{
    extern __shared__ int all[];
    int t = (int)threadIdx.x, mine = (int)blockIdx.x + t;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        all[t] = mine;
        __syncthreads();
        mine = all[1023 - t];
        __syncthreads();
    }
    if (mine == (int)blockIdx.x + (rounds % 2 ? 1023 - t : t))
        atomicAdd(&out[3], 1);
}

/* Old values of an atomic: each number is drawn once. */
extern "C" __global__ void draw(int *out, int *seen, int rounds)
{
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int number = atomicAdd(&out[4], 1);
        atomicAdd(&seen[number], 1);
    }
}
