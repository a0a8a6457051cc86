/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose warps are hard to switch out: each counts what went right in its own word of `out`.
 * `in` counts up from 0, so that what a load gives is known. */
#include "cuda.h"

enum { WORDS = 1 << 16 };

/* Odd warps use a word of one line before the barrier. Even ones ask for words of many lines later,
 * wait at the barrier while these are on their way, and use them behind it. */
extern "C" __global__ void ahead(int *out, const int *in, int rounds)
{
    __shared__ int row[512];
    int t = (int)threadIdx.x, right = 0;

    row[256 + t] = t;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int odd = t / 32 % 2, at = ((odd ? t : t * 8) + r * 8192 + (int)blockIdx.x * 4096) % WORDS, a;

        if (odd) {
            a = in[at] == at ? at : -1;
        } else {
            volatile int work = 0;
#pragma unroll 1
            for (int i = 0; i < 3; i++)
                work = work + i;
            a = in[at];
        }
        row[t] = r * 256 + t;
        __syncthreads();
        right += a == at && row[256 + t] == t && row[(t + 32) % 256] == r * 256 + (t + 32) % 256;
        __syncthreads();
    }
    if (right == rounds)
        atomicAdd(&out[0], 1);
}

/* One warp of each TB ends before the others have begun. */
extern "C" __global__ void early(int *out, const int *in, int rounds)
{
    volatile __shared__ int row[512];
    int t = (int)threadIdx.x, right = 0;

    row[t] = row[256 + t] = t;
    if (t < 32)
        return;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t + r * 4096 + (int)blockIdx.x * 256) % WORDS;

        right += in[at] == at;
    }
    if (right == rounds && row[t] == t && row[256 + t] == t)
        atomicAdd(&out[0], 1);
}

/* TBs of 32 warps, which wait for each other. */
extern "C" __global__ void wide(int *out, const int *in, int rounds)
{
    __shared__ int row[1024];
    int t = (int)threadIdx.x, right = 0;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t * 32 + r * 512 + (int)blockIdx.x) % WORDS;

        row[t] = in[at];
        __syncthreads();
        right += row[(t + 992) % 1024] == (at + WORDS - 1024) % WORDS || t < 32;
        __syncthreads();
    }
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
#define SPLIT(bit, body)                           \
    if ((t >> (bit) & 1) != 0) {                   \
        sum += in[at + (bit)] - at;                \
        body sum -= in[at + 8 + (bit)] - at;       \
    } else {                                       \
        sum += 3 * (in[at + 16 + (bit)] - at);     \
    }
extern "C" __global__ void deep(int *out, const volatile int *in, int rounds)
{
    int t = (int)threadIdx.x, right = 0;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = (t * 96 + r * 2048 + (int)blockIdx.x * 64) % (WORDS - 32), sum = 0, want = 0;

        SPLIT(0, SPLIT(1, SPLIT(2, SPLIT(3, SPLIT(4, )))))
#pragma unroll 1
        for (int bit = 0; bit < 5; bit++) {
            if ((t >> bit & 1) == 0) {
                want += 3 * (16 + bit);
                break;
            }
            want -= 8;
        }
        right += sum == want;
    }
    if (right == rounds)
        atomicAdd(&out[2], 1);
}

// TBs that end as soon as they have come.
extern "C" __global__ void brief(int *out)
{
    if (blockIdx.x == 399)
        out[0] = 400;
}
