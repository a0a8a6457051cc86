/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA promises and C++ does not (docs/cuda.md, What clang takes for granted), and locks of
 * single lanes: compiled.py has what each kernel leaves in its 64 words. Words are 0 before; in[i]
 * is i.
 */
#include "cuda.h"

#define KERNEL extern "C" __global__ void
#define T      ((int)threadIdx.x)

/* ---- values that only a leader has, functions that do not return ---- */

static __device__ int broadcast(int value)
{
    return __shfl_sync(~0u, value, 0);
}
KERNEL leader(const int *, int *out)
{
    int r;

    if (T % 32 == 0) {
        r = atomicAdd(&out[63], 1);
    }
    r = __shfl_sync(~0u, r, 0);
    if (T < 32) {
        out[T] = r >= 0 && r < 2;
    }
}
KERNEL leader_in_function(const int *, int *out)
{
    int r;

    if (T % 32 == 0) {
        r = atomicAdd(&out[63], 1);
    }
    r = broadcast(r);
    if (T < 32) {
        out[T] = r >= 0 && r < 2;
    }
}
static __device__ int ticket_of(int *count)
{
    int r;

    if (T % 32 == 0) {
        r = atomicAdd(count, 1);
    }
    return r;
}
KERNEL leader_returned(const int *, int *out)
{
    int r = __shfl_sync(~0u, ticket_of(&out[63]), 0);

    if (T < 32) {
        out[T] = r >= 0 && r < 2;
    }
}
static __device__ int put(int *out, int x)
{
    if (x < 0) {
        return -1;
    }
    out[T] = x + 1;
}
KERNEL no_return(const int *in, int *out)
{
    put(out, in[T]);
}

/* ---- loops without an end, address 0, other types ---- */

KERNEL endless(const int *in, int *out)
{
    if (in[T] == 5) {
        for (;;) {
        }
    }
    out[T] = 1;
}
KERNEL null(const int *in, int *out)
{
    if (in[T] == 5) {
        *(int *)nullptr = 1;
    }
    out[T] = 1;
}
KERNEL other_type(const int *in, int *out)
{
    int *word = out + T;
    float *same = (float *)(out + in[T]);

    *word = 1;
    *same = 2.0f;
    out[T] = *word == 0x40000000;
}
KERNEL saturates(const int *in, int *out)
{
    float big = 1e9f * (float)(in[T] + 3);

    out[T] = T % 2 ? (int)big == 0x7fffffff : (int)(unsigned)-big == 0;
}
KERNEL beyond_width(const int *in, int *out)
{
    out[T] = (1 << in[T] + 32) + (int)(1u << in[T] + 32) + (int)(1ll << in[T] + 64);
}

/* ---- locks ---- */

__device__ int locks[4], tickets[2];

KERNEL lock_done(const int *, int *out)
{
    bool done = false;

    while (!done) {
        if (atomicCAS(&locks[0], 0, 1) == 0) {
            out[0] += 1;
            __threadfence();
            atomicExch(&locks[0], 0);
            done = true;
        }
    }
    out[1 + T % 32] = 7;
}
KERNEL lock_break(const int *, int *out)
{
    for (;;) {
        if (atomicCAS(&locks[0], 0, 1) == 0) {
            out[0] += 1;
            __threadfence();
            atomicExch(&locks[0], 0);
            break;
        }
    }
}
KERNEL lock_do(const int *, int *out)
{
    bool got;

    do {
        got = atomicExch(&locks[0], 1) == 0;
        if (got) {
            out[0] += 1;
            __threadfence();
            *(volatile int *)&locks[0] = 0;
        }
    } while (!got);
}
KERNEL lock_spin(const int *, int *out)
{
    while (atomicCAS(&locks[0], 0, 1) != 0) {
    }
    out[0] += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
}
KERNEL lock_read_first(const int *, int *out)
{
    for (;;) {
        while (*(volatile int *)&locks[0] != 0) {
        }
        if (atomicExch(&locks[0], 1) == 0) {
            break;
        }
    }
    out[0] += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
}
KERNEL lock_pauses(const int *, int *out)
{
    unsigned ns = 8;

    while (atomicCAS(&locks[0], 0, 1) != 0) {
        __nanosleep(ns);
        if (ns < 256) {
            ns *= 2;
        }
    }
    out[0] += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
}
KERNEL lock_each(const int *in, int *out)
{
    int *lock = &locks[in[T] % 4];

    while (atomicCAS(lock, 0, 1) != 0) {
    }
    out[in[T] % 4] += 1;
    __threadfence();
    atomicExch(lock, 0);
}
KERNEL lock_two(const int *in, int *out)
{
    int i = in[T] % 3;

    while (atomicCAS(&locks[i], 0, 1) != 0) {
    }
    while (atomicCAS(&locks[i + 1], 0, 1) != 0) {
    }
    out[i] += 1;
    out[i + 1] += 1;
    __threadfence();
    atomicExch(&locks[i + 1], 0);
    atomicExch(&locks[i], 0);
}
KERNEL lock_ways(const int *in, int *out)
{
    while (atomicCAS(&locks[0], 0, 1) != 0) {
    }
    if (in[T] & 1) {
        out[0] += 1;
        __threadfence();
        atomicExch(&locks[0], 0);
    } else {
        out[1] += 2;
        __threadfence();
        atomicExch(&locks[0], 0);
    }
    out[2 + T % 32] = 7;
}
KERNEL lock_rounds(const int *, int *out)
{
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        while (atomicCAS(&locks[0], 0, 1) != 0) {
        }
        out[k] += 1;
        __threadfence();
        atomicExch(&locks[0], 0);
    }
}
KERNEL lock_ticket(const int *, int *out)
{
    int mine = atomicAdd(&tickets[0], 1);

    while (*(volatile int *)&tickets[1] != mine) {
    }
    out[0] += 1;
    __threadfence();
    atomicAdd(&tickets[1], 1);
}
KERNEL lock_shared(const int *in, int *out)
{
    __shared__ int lock, sum;

    if (T == 0) {
        lock = 0;
        sum = 0;
    }
    __syncthreads();
    if (in[T] % 2 == 0) {
        while (atomicExch(&lock, 1) != 0) {
        }
        sum += in[T];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    out[T] = sum;
}

/* ---- memory ---- */

struct Made {
    int a;
    __device__ Made() {}
    __device__ ~Made() {}
};
struct Overlay {
    int head[4];
    float rest[28];
};
__constant__ int three = 3;
__device__ int global_word;
extern __shared__ Overlay over;

KERNEL shared_types(const int *in, int *out)
{
    __shared__ Made one, many[2];

    if (T == 0) {
        one.a = 1;
        many[1].a = 2;
    }
    if (T < 4) {
        over.head[T] = in[T];
    }
    if (T < 28) {
        over.rest[T] = 0.5f * (float)in[T];
    }
    __syncthreads();
    out[T] = one.a + many[1].a +
             (over.head[3 - T % 4] + (int)over.rest[T % 28] == 3 - T % 4 + T % 28 / 2);
}
KERNEL spaces(const int *in, int *out)
{
    __shared__ int s[4];
    int l = in[T];

    if (T != 0) {
        return;
    }
    out[0] =
        __isGlobal(out) | __isGlobal(s) << 1 | __isGlobal(&l) << 2 | __isGlobal(&global_word) << 3;
    out[1] = __isShared(out) | __isShared(s) << 1 | __isShared(&l) << 2 | __isShared(&three) << 3;
    out[2] = __isLocal(out) | __isLocal(s) << 1 | __isLocal(&l) << 2 | __isLocal(&three) << 3;
    out[3] = __isConstant(out) | __isConstant(s) << 1 | __isConstant(&l) << 2 |
             __isConstant(&three) << 3;
    *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[2])) = 77;
    out[4] = s[2];
    asm volatile("st.shared.u32 [%0], 78;" ::"r"((unsigned)__cvta_generic_to_shared(&s[2]))
                 : "memory");
    out[5] = s[2];
    *(int *)__cvta_global_to_generic(__cvta_generic_to_global(&out[6])) = 79;
    *(int *)__cvta_local_to_generic(__cvta_generic_to_local(&l)) = 80;
    out[7] = l;
    out[8] = *(const int *)__cvta_constant_to_generic(__cvta_generic_to_constant(&three));
}
