/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose warps are hard to switch out: each counts what went right in its own word of `out`.
 * `in` counts up from 0, so that what a load gives is known. */
#include "cuda.h"

enum { WORDS = 1 << 16 };

/* Odd warps use their words before the barrier. Even ones ask for many lines, wait at the barrier
 * while they are on their way, and use them behind it; one warp leaves before the others. */
extern "C" __global__ void ahead(int *out, const int *in, int rounds)
{
    __shared__ int row[512];
    int t = (int)threadIdx.x, right = 0;

    row[256 + t] = t;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t * 160 + r * 4096 + (int)blockIdx.x * 1024) % WORDS;
        int next = in[at];

        if (t / 32 % 2 != 0)
            next = next == at ? at : -1;
        row[t] = r * 256 + t;
        __syncthreads();
        right += next == at && row[(t + 32) % 256] == r * 256 + (t + 32) % 256 && row[256 + t] == t;
        __syncthreads();
    }
    if (t / 32 == 2)
        right += in[t] == t ? 0 : 1;
    else if (t / 32 != 3)
        right += in[(t * 544 + (int)blockIdx.x) % WORDS] == (t * 544 + (int)blockIdx.x) % WORDS ? 0 : 1;
    if (right == rounds)
        atomicAdd(&out[0], 1);
}

static __device__ int any(int x)
{
    int is;

    __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 q, %1, 0; bar.red.or.pred p, 0, q;"
                     " selp.s32 %0, 1, 0, p; }" : "=r"(is) : "r"(x) : "memory");
    return is;
}

/* Barriers that reduce: in odd rounds one thread of the TB says yes. */
extern "C" __global__ void votes(int *out, const int *in, int rounds)
{
    int t = (int)threadIdx.x, right = 0;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t * 96 + r * 512 + (int)blockIdx.x) % WORDS;

        right += any(in[at] - at == 0 && t == r * 7 % 256 && r % 2 != 0) == r % 2;
    }
    if (right == rounds)
        atomicAdd(&out[1], 1);
}

/* Warps diverge five times over, and wait for loads at every depth. */
#define SPLIT(bit, body)                          \
    if ((t >> (bit) & 1) != 0) {                  \
        sum += in[at + (bit)] - at;               \
        body sum += in[at + 8 + (bit)] - at;      \
    } else {                                      \
        sum += in[at + 16 + (bit)] - at;          \
        body sum += in[at + 24 + (bit)] - at;     \
    }
extern "C" __global__ void deep(int *out, const int *in, int rounds)
{
    int t = (int)threadIdx.x, right = 0;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t * 96 + r * 2048 + (int)blockIdx.x * 64) % (WORDS - 32), sum = 0, want = 0;

        SPLIT(0, SPLIT(1, SPLIT(2, SPLIT(3, SPLIT(4, )))))
#pragma unroll 1
        for (int bit = 0; bit < 5; bit++)
            want += 2 * bit + ((t >> bit & 1) != 0 ? 8 : 40);
        right += sum == want;
    }
    if (right == rounds)
        atomicAdd(&out[2], 1);
}
