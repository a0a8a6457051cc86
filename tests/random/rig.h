/* SPDX-License-Identifier: Apache-2.0 */
/* What a random kernel is written in, once for the device (clang's CUDA) and once for the host,
 * where it is the reference: each thread of a block is a coroutine, a barrier a switch to the
 * next. Nothing here comes from the shell.
 *
 * Operations that C leaves open are functions with PTX's meaning on both sides; a float is
 * looked at through bits32 and bits64 alone, which make all NaNs one.
 */
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;

#ifdef __CUDA__
#include "cuda.h"
#define FN        static inline __device__
#define ALIGN(n)  __attribute__((aligned(n)))
#define DYN(name) extern __shared__ u32 name[]
#define KERNEL    extern "C" __global__

/* Written in PTX: clang gives its own intrinsics C's meaning, where a value that does not fit has
 * none. */
#define ASM1(name, to, from, text, out, in)                                                        \
    FN to name(from a)                                                                             \
    {                                                                                              \
        to r;                                                                                      \
        asm(text " %0, %1;" : out(r) : in(a));                                                     \
        return r;                                                                                  \
    }
#define ASM2(name, type, text, reg)                                                                \
    FN type name(type a, type b)                                                                   \
    {                                                                                              \
        type r;                                                                                    \
        asm(text " %0, %1, %2;" : "=" reg(r) : reg(a), reg(b));                                    \
        return r;                                                                                  \
    }
FN f32 fma32(f32 a, f32 b, f32 c)
{
    return __nvvm_fma_rn_f(a, b, c);
}
FN f64 fma64(f64 a, f64 b, f64 c)
{
    return __nvvm_fma_rn_d(a, b, c);
}
FN f32 sqrt32(f32 a)
{
    return __nvvm_sqrt_rn_f(a);
}
FN f64 sqrt64(f64 a)
{
    return __nvvm_sqrt_rn_d(a);
}
ASM2(min32, f32, "min.f32", "f")
ASM2(max32, f32, "max.f32", "f")
ASM2(min64, f64, "min.f64", "d")
ASM2(max64, f64, "max.f64", "d")
ASM2(add_rz, f32, "add.rz.f32", "f")
ASM2(mul_rp, f32, "mul.rp.f32", "f")
ASM2(div_rm, f32, "div.rm.f32", "f")
ASM1(floor32, f32, f32, "cvt.rmi.f32.f32", "=f", "f")
ASM1(ceil32, f32, f32, "cvt.rpi.f32.f32", "=f", "f")
ASM1(trunc32, f32, f32, "cvt.rzi.f32.f32", "=f", "f")
ASM1(floor64, f64, f64, "cvt.rmi.f64.f64", "=d", "d")
ASM1(f32_s32, s32, f32, "cvt.rzi.s32.f32", "=r", "f")
ASM1(f32_s32n, s32, f32, "cvt.rni.s32.f32", "=r", "f")
ASM1(f32_u32, u32, f32, "cvt.rzi.u32.f32", "=r", "f")
ASM1(f32_s64, s64, f32, "cvt.rzi.s64.f32", "=l", "f")
ASM1(f64_s32, s32, f64, "cvt.rzi.s32.f64", "=r", "d")
ASM1(f64_u32, u32, f64, "cvt.rzi.u32.f64", "=r", "d")
ASM1(f64_s64, s64, f64, "cvt.rzi.s64.f64", "=l", "d")
ASM1(f64_u64, u64, f64, "cvt.rzi.u64.f64", "=l", "d")
FN u32 mulhi_u32(u32 a, u32 b)
{
    return (u32)__nvvm_mulhi_ui(a, b);
}
FN s32 mulhi_s32(s32 a, s32 b)
{
    return __nvvm_mulhi_i(a, b);
}
FN u64 mulhi_u64(u64 a, u64 b)
{
    return (u64)__nvvm_mulhi_ull(a, b);
}
FN s64 mulhi_s64(s64 a, s64 b)
{
    return __nvvm_mulhi_ll(a, b);
}
FN u32 atom_add(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
FN u32 atom_xor(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_xor_gen_i((int *)p, (int)v);
}
FN u32 atom_and(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_and_gen_i((int *)p, (int)v);
}
FN u32 atom_or(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_or_gen_i((int *)p, (int)v);
}
FN u32 atom_umax(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_max_gen_ui(p, v);
}
FN u32 atom_smin(u32 *p, u32 v)
{
    return (u32)__nvvm_atom_min_gen_i((int *)p, (int)v);
}
FN u64 atom_add64(u64 *p, u64 v)
{
    return (u64)__nvvm_atom_add_gen_ll((s64 *)p, (s64)v);
}
#else
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define FN              static inline
#define ALIGN(n)        __attribute__((aligned(n)))
#define DYN(name)       static u32 *const name = dynamic_shared
#define KERNEL          static
#define __shared__      static
#define __syncthreads() wait()

static struct {
    u32 x, y, z;
} threadIdx, blockIdx, blockDim, gridDim;
static u32 dynamic_shared[12288];

FN f32 fma32(f32 a, f32 b, f32 c)
{
    return fmaf(a, b, c);
}
FN f64 fma64(f64 a, f64 b, f64 c)
{
    return fma(a, b, c);
}
FN f32 sqrt32(f32 a)
{
    return sqrtf(a);
}
FN f64 sqrt64(f64 a)
{
    return sqrt(a);
}
#define LESSER(a, b)    (a != a ? b : b != b ? a : a < b ? a : b < a ? b : signbit(a) ? a : b)
#define LARGER(a, b)    (a != a ? b : b != b ? a : a > b ? a : b > a ? b : signbit(a) ? b : a)
FN f32 min32(f32 a, f32 b)
{
    return LESSER(a, b);
}
FN f32 max32(f32 a, f32 b)
{
    return LARGER(a, b);
}
FN f64 min64(f64 a, f64 b)
{
    return LESSER(a, b);
}
FN f64 max64(f64 a, f64 b)
{
    return LARGER(a, b);
}
#define ROUNDED(name, mode, op)                                                                    \
    static f32 name(f32 a, f32 b)                                                                  \
    {                                                                                              \
        volatile f32 x = a, y = b, r;                                                              \
        fesetround(mode);                                                                          \
        r = x op y;                                                                                \
        fesetround(FE_TONEAREST);                                                                  \
        return r;                                                                                  \
    }
ROUNDED(add_rz, FE_TOWARDZERO, +)
ROUNDED(mul_rp, FE_UPWARD, *)
ROUNDED(div_rm, FE_DOWNWARD, /)
FN f32 floor32(f32 a)
{
    return floorf(a);
}
FN f32 ceil32(f32 a)
{
    return ceilf(a);
}
FN f32 trunc32(f32 a)
{
    return truncf(a);
}
FN f64 floor64(f64 a)
{
    return floor(a);
}
#define TO(name, from, to, low, below, above, high, nan)                                           \
    FN to name(from a)                                                                             \
    {                                                                                              \
        return a != a ? (nan) : a <= (below) ? (low) : a >= (above) ? (high) : (to)a;              \
    }
TO(f32_s32, f32, s32, INT32_MIN, -0x1p31f, 0x1p31f, INT32_MAX, 0)
FN s32 f32_s32n(f32 a)
{
    return f32_s32(rintf(a));
}
TO(f32_u32, f32, u32, 0, -1.0f, 0x1p32f, UINT32_MAX, 0)
TO(f32_s64, f32, s64, INT64_MIN, -0x1p63f, 0x1p63f, INT64_MAX, INT64_MIN)
TO(f64_s32, f64, s32, INT32_MIN, -0x1p31 - 1, 0x1p31, INT32_MAX, INT32_MIN)
TO(f64_u32, f64, u32, 0, -1.0, 0x1p32, UINT32_MAX, 1u << 31)
TO(f64_s64, f64, s64, INT64_MIN, -0x1p63, 0x1p63, INT64_MAX, INT64_MIN)
TO(f64_u64, f64, u64, 0, -1.0, 0x1p64, UINT64_MAX, 1ull << 63)
FN u32 mulhi_u32(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}
FN s32 mulhi_s32(s32 a, s32 b)
{
    return (s32)((s64)a * b >> 32);
}
FN u64 mulhi_u64(u64 a, u64 b)
{
    return (u64)((unsigned __int128)a * b >> 64);
}
FN s64 mulhi_s64(s64 a, s64 b)
{
    return (s64)((__int128)a * b >> 64);
}
FN u32 atom_add(u32 *p, u32 v)
{
    u32 old = *p;
    *p += v;
    return old;
}
FN u32 atom_xor(u32 *p, u32 v)
{
    u32 old = *p;
    *p ^= v;
    return old;
}
FN u32 atom_and(u32 *p, u32 v)
{
    u32 old = *p;
    *p &= v;
    return old;
}
FN u32 atom_or(u32 *p, u32 v)
{
    u32 old = *p;
    *p |= v;
    return old;
}
FN u32 atom_umax(u32 *p, u32 v)
{
    u32 old = *p;
    *p = v > old ? v : old;
    return old;
}
FN u32 atom_smin(u32 *p, u32 v)
{
    u32 old = *p;
    *p = (s32)v < (s32)old ? v : old;
    return old;
}
FN u64 atom_add64(u64 *p, u64 v)
{
    u64 old = *p;
    *p += v;
    return old;
}

/* Threads as coroutines; barriers by number. */
enum { THREADS = 1024, STACK = 32768, BARRIERS = 16 };
static ucontext_t scheduler, threads[THREADS];
static char *stacks;
static u32 current, alive, progress, running[THREADS];
static struct {
    u32 arrived, turn, sum[2];
} bars[BARRIERS];
static void (*body)(void);

static void yield(void)
{
    swapcontext(&threads[current], &scheduler);
}
static void bar_opens(u32 number)
{
    progress++;
    bars[number].arrived = 0;
    bars[number].turn++;
    bars[number].sum[bars[number].turn & 1] = 0;
}
static void wait(void)
{
    u32 turn = bars[0].turn;
    bars[0].arrived++;
    while (bars[0].turn == turn)
        yield();
}
static void enter(void)
{
    body();
    running[current] = 0;
    alive--;
    progress++;
}

static void run(void (*kernel)(void), u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz)
{
    u32 count = bx * by * bz;
    if (!stacks)
        stacks = (char *)malloc((size_t)THREADS * STACK);
    body = kernel;
    gridDim.x = gx, gridDim.y = gy, gridDim.z = gz;
    blockDim.x = bx, blockDim.y = by, blockDim.z = bz;
    for (u32 b = 0; b < gx * gy * gz; b++) {
        blockIdx.x = b % gx, blockIdx.y = b / gx % gy, blockIdx.z = b / gx / gy;
        for (u32 t = 0; t < count; t++) {
            getcontext(&threads[t]);
            threads[t].uc_stack.ss_sp = stacks + (size_t)t * STACK;
            threads[t].uc_stack.ss_size = STACK;
            threads[t].uc_link = &scheduler;
            makecontext(&threads[t], enter, 0);
            running[t] = 1;
        }
        memset(bars, 0, sizeof bars);
        for (alive = count; alive;) {
            u32 before = progress;
            for (current = 0; current < count; current++) {
                if (!running[current])
                    continue;
                threadIdx.x = current % bx, threadIdx.y = current / bx % by;
                threadIdx.z = current / bx / by;
                swapcontext(&scheduler, &threads[current]);
                if (alive && bars[0].arrived == alive)
                    bar_opens(0);
            }
            if (progress == before)
                exit(3); /* all wait for each other */
        }
    }
}

static void *load(const char *name, size_t bytes)
{
    FILE *f = fopen(name, "rb");
    void *data = calloc(1, bytes);
    if (!f || fread(data, 1, bytes, f) != bytes)
        exit(2);
    fclose(f);
    return data;
}

static void save(const char *name, const void *data, size_t bytes)
{
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
        exit(2);
}
#endif

FN u32 bits32(f32 a)
{
    union {
        f32 f;
        u32 u;
    } x;
    x.f = a;
    return a != a ? 0x7fc00000u : x.u;
}
FN u64 bits64(f64 a)
{
    union {
        f64 f;
        u64 u;
    } x;
    x.f = a;
    return a != a ? 0x7ff8000000000000ull : x.u;
}
FN f32 from32(u32 a)
{
    union {
        f32 f;
        u32 u;
    } x;
    x.u = a;
    return x.f;
}
FN f64 from64(u64 a)
{
    union {
        f64 f;
        u64 u;
    } x;
    x.u = a;
    return x.f;
}
FN u32 clz32(u32 a)
{
    return a ? (u32)__builtin_clz(a) : 32;
}
FN u32 clz64(u64 a)
{
    return a ? (u32)__builtin_clzll(a) : 64;
}
FN u32 ctz32(u32 a)
{
    return a ? (u32)__builtin_ctz(a) : 32;
}
FN u32 popc64(u64 a)
{
    return (u32)__builtin_popcountll(a);
}
FN u32 popc32(u32 a)
{
    return (u32)__builtin_popcount(a);
}
FN u32 brev32(u32 a)
{
    return __builtin_bitreverse32(a);
}
FN u64 brev64(u64 a)
{
    return __builtin_bitreverse64(a);
}
FN u32 rot32(u32 a, u32 n)
{
    return a << (n & 31) | a >> (-n & 31);
}
FN u64 rot64(u64 a, u32 n)
{
    return a << (n & 63) | a >> (-n & 63);
}
FN u32 swap32(u32 a)
{
    return __builtin_bswap32(a);
}
FN u32 fun32(u32 a, u32 b, u32 n)
{
    return (u32)(((u64)a << 32 | b) >> (n & 31));
}
typedef struct ALIGN(16) quad {
    u32 x, y, z, w;
} quad;
typedef struct ALIGN(8) pair {
    u32 x, y;
} pair;

#include "ops.h"
