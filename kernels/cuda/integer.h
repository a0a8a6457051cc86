/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's integer intrinsics. */
#ifndef WR_KERNELS_CUDA_INTEGER_H
#define WR_KERNELS_CUDA_INTEGER_H

#include "qualifiers.h"

/* One PTX instruction of up to four operands of type T, in registers of the asm letter. */
#define WR_PTX1(T, name, letter, A, a, op)                                                         \
    WR_DEVICE T name(A x)                                                                          \
    {                                                                                              \
        T r;                                                                                       \
                                                                                                   \
        __asm__(op " %0, %1;" : "=" letter(r) : a(x));                                             \
        return r;                                                                                  \
    }
#define WR_PTX2(T, name, letter, op)                                                               \
    WR_DEVICE T name(T x, T y)                                                                     \
    {                                                                                              \
        T r;                                                                                       \
                                                                                                   \
        __asm__(op " %0, %1, %2;" : "=" letter(r) : letter(x), letter(y));                         \
        return r;                                                                                  \
    }
#define WR_PTX3(T, name, letter, A, B, C, a, b, c, op)                                             \
    WR_DEVICE T name(A x, B y, C z)                                                                \
    {                                                                                              \
        T r;                                                                                       \
                                                                                                   \
        __asm__(op " %0, %1, %2, %3;" : "=" letter(r) : a(x), b(y), c(z));                         \
        return r;                                                                                  \
    }

/* Bits: how many are set, how many zeros lead, all in reverse. */
WR_PTX1(int, __popc, "r", unsigned, "r", "popc.b32")
WR_PTX1(int, __popcll, "r", unsigned long long, "l", "popc.b64")
WR_PTX1(int, __clz, "r", int, "r", "clz.b32")
WR_PTX1(int, __clzll, "r", long long, "l", "clz.b64")
WR_PTX1(unsigned, __brev, "r", unsigned, "r", "brev.b32")
WR_PTX1(unsigned long long, __brevll, "l", unsigned long long, "l", "brev.b64")

/* The place of the lowest bit that is set, from 1 on; 0: none is. */
WR_DEVICE int __ffs(int x)
{
    return 32 - __clz(x & -(unsigned)x);
}
WR_DEVICE int __ffsll(long long x)
{
    return 64 - __clzll((long long)(x & -(unsigned long long)x));
}

/* Four bytes of the eight of y:x, by the low three bits of each hex digit of the selector. */
WR_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned r;

    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector & 0x7777));
    return r;
}

/* The upper or lower word of hi:lo, shifted; by shift modulo 32, or with c by 32 at most. */
WR_PTX3(unsigned, __funnelshift_l, "r", unsigned, unsigned, unsigned, "r", "r", "r",
        "shf.l.wrap.b32")
WR_PTX3(unsigned, __funnelshift_lc, "r", unsigned, unsigned, unsigned, "r", "r", "r",
        "shf.l.clamp.b32")
WR_PTX3(unsigned, __funnelshift_r, "r", unsigned, unsigned, unsigned, "r", "r", "r",
        "shf.r.wrap.b32")
WR_PTX3(unsigned, __funnelshift_rc, "r", unsigned, unsigned, unsigned, "r", "r", "r",
        "shf.r.clamp.b32")

/* Products: the upper half, and of 24 bits the lower one. */
WR_PTX2(int, __mulhi, "r", "mul.hi.s32")
WR_PTX2(unsigned, __umulhi, "r", "mul.hi.u32")
WR_PTX2(long long, __mul64hi, "l", "mul.hi.s64")
WR_PTX2(unsigned long long, __umul64hi, "l", "mul.hi.u64")
WR_PTX2(int, __mul24, "r", "mul24.lo.s32")
WR_PTX2(unsigned, __umul24, "r", "mul24.lo.u32")

/* |x - y| + z */
WR_PTX3(unsigned, __sad, "r", int, int, unsigned, "r", "r", "r", "sad.s32")
WR_PTX3(unsigned, __usad, "r", unsigned, unsigned, unsigned, "r", "r", "r", "sad.u32")

/* Means that don't overflow: rounded down, and up. */
WR_DEVICE int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
WR_DEVICE int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
WR_DEVICE unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
WR_DEVICE unsigned __urhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

/* Sums of products of four bytes, and of two halves with two bytes. */
WR_PTX3(int, __dp4a, "r", int, int, int, "r", "r", "r", "dp4a.s32.s32")
WR_PTX3(unsigned, __dp4a, "r", unsigned, unsigned, unsigned, "r", "r", "r", "dp4a.u32.u32")
WR_PTX3(int, __dp2a_lo, "r", int, int, int, "r", "r", "r", "dp2a.lo.s32.s32")
WR_PTX3(unsigned, __dp2a_lo, "r", unsigned, unsigned, unsigned, "r", "r", "r", "dp2a.lo.u32.u32")
WR_PTX3(int, __dp2a_hi, "r", int, int, int, "r", "r", "r", "dp2a.hi.s32.s32")
WR_PTX3(unsigned, __dp2a_hi, "r", unsigned, unsigned, unsigned, "r", "r", "r", "dp2a.hi.u32.u32")

#define WR_MIN_MAX(T)                                                                              \
    WR_SIDES T min(T a, T b)                                                                       \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    WR_SIDES T max(T a, T b)                                                                       \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }
/* Of a signed and an unsigned number the unsigned form, as in C. */
#define WR_MIN_MAX_MIXED(T, U)                                                                     \
    WR_SIDES U min(T a, U b)                                                                       \
    {                                                                                              \
        return min((U)a, b);                                                                       \
    }                                                                                              \
    WR_SIDES U min(U a, T b)                                                                       \
    {                                                                                              \
        return min(a, (U)b);                                                                       \
    }                                                                                              \
    WR_SIDES U max(T a, U b)                                                                       \
    {                                                                                              \
        return max((U)a, b);                                                                       \
    }                                                                                              \
    WR_SIDES U max(U a, T b)                                                                       \
    {                                                                                              \
        return max(a, (U)b);                                                                       \
    }
WR_MIN_MAX(int)
WR_MIN_MAX(unsigned)
WR_MIN_MAX(long)
WR_MIN_MAX(unsigned long)
WR_MIN_MAX(long long)
WR_MIN_MAX(unsigned long long)
WR_MIN_MAX_MIXED(int, unsigned)
WR_MIN_MAX_MIXED(long, unsigned long)
WR_MIN_MAX_MIXED(long long, unsigned long long)

WR_SIDES unsigned umin(unsigned a, unsigned b)
{
    return min(a, b);
}
WR_SIDES unsigned umax(unsigned a, unsigned b)
{
    return max(a, b);
}
WR_SIDES long long llmin(long long a, long long b)
{
    return min(a, b);
}
WR_SIDES long long llmax(long long a, long long b)
{
    return max(a, b);
}
WR_SIDES unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return min(a, b);
}
WR_SIDES unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return max(a, b);
}

WR_DEVICE int abs(int x)
{
    return x < 0 ? (int)-(unsigned)x : x;
}
WR_DEVICE long labs(long x)
{
    return x < 0 ? (long)-(unsigned long)x : x;
}
WR_DEVICE long long llabs(long long x)
{
    return x < 0 ? (long long)-(unsigned long long)x : x;
}

#endif
