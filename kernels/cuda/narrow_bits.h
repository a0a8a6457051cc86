/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of floating point types of 16 bits from and to other numbers, in each rounding; a type is
 * known by the bits of its mantissa, 10 or 7. On the device what is one instruction is that.
 */
#ifndef WR_KERNELS_CUDA_NARROW_BITS_H
#define WR_KERNELS_CUDA_NARROW_BITS_H

#include "math.h"
#include "rounding.h"
#include "vector_types.h"
#include "warp.h"

enum wr_rounding { WR_NEAREST, WR_TO_ZERO, WR_DOWN, WR_UP };

/* sign, magnitude x 2^exponent; the magnitude is not 0. */
template <int mantissa>
static inline __host__ __device__ unsigned short
wr_narrow_round(bool negative, unsigned long long magnitude, int exponent, wr_rounding how)
{
    const int bias = (1 << (14 - mantissa)) - 1;
    const unsigned infinity = (2 * bias + 1) << mantissa;
    const unsigned sign = negative ? 0x8000 : 0;
    const int top = 63 - __builtin_clzll(magnitude) + exponent;    /* of the value */
    const int unit = (top < 1 - bias ? 1 - bias : top) - mantissa; /* of the result's last place */
    const int shift = unit - exponent;
    unsigned long long whole = magnitude, rest = 0, half = 1;

    if (shift > 63) { /* less than half of the last place */
        whole = 0;
        rest = 1;
        half = 2;
    } else if (shift > 0) {
        whole = magnitude >> shift;
        rest = magnitude & ((1ull << shift) - 1);
        half = 1ull << (shift - 1);
    } else {
        whole = magnitude << -shift;
    }
    if (how == WR_NEAREST ? rest > half || (rest == half && (whole & 1) != 0)
                          : rest != 0 && how == (negative ? WR_DOWN : WR_UP)) {
        whole++;
    }
    /* whole holds the hidden bit, if there is one; a carry goes into the exponent by itself */
    const unsigned long long bits =
        top > bias ? infinity
                   : whole + ((unsigned long long)(unit + mantissa + bias - 1) << mantissa);

    if (bits >= infinity) {
        const bool stays =
            how == WR_TO_ZERO || (how == WR_DOWN && !negative) || (how == WR_UP && negative);

        return (unsigned short)(sign | (stays ? infinity - 1 : infinity));
    }
    return (unsigned short)(sign | (unsigned)bits);
}

template <int mantissa>
static inline __host__ __device__ unsigned short wr_narrow_of_real(double v, wr_rounding how)
{
    unsigned long long bits;

    __builtin_memcpy(&bits, &v, sizeof bits);
    const bool negative = bits >> 63 != 0;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const unsigned long long part = bits & 0xfffffffffffffull;

    if (exponent == 0x7ff) {
        const unsigned infinity = ((1 << (15 - mantissa)) - 1) << mantissa;

        return (unsigned short)(part != 0 ? 0x7fff : infinity | (negative ? 0x8000 : 0));
    }
    if (exponent == 0 && part == 0) {
        return negative ? 0x8000 : 0;
    }
    return wr_narrow_round<mantissa>(negative, exponent == 0 ? part : part | 1ull << 52,
                                     (exponent == 0 ? 1 : exponent) - 1075, how);
}

/* A float is a double; to the nearest and to zero the device has an instruction. */
template <int mantissa>
static inline __host__ __device__ unsigned short wr_narrow_of_real(float v, wr_rounding how)
{
#ifdef __CUDA_ARCH__
    unsigned short got;

    if (__builtin_constant_p(v)) { /* a constant stays one */
        return wr_narrow_of_real<mantissa>((double)v, how);
    }
    if (how == WR_NEAREST) {
        if (mantissa == 10) {
            __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(got) : "f"(v));
        } else {
            __asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(got) : "f"(v));
        }
        return got;
    }
    if (how == WR_TO_ZERO) {
        if (mantissa == 10) {
            __asm__("cvt.rz.f16.f32 %0, %1;" : "=h"(got) : "f"(v));
        } else {
            __asm__("cvt.rz.bf16.f32 %0, %1;" : "=h"(got) : "f"(v));
        }
        return got;
    }
#endif
    return wr_narrow_of_real<mantissa>((double)v, how);
}

template <int mantissa, typename T>
static inline __host__ __device__ unsigned short wr_narrow_of_whole(T v, wr_rounding how)
{
    const bool negative = v < 0;
    const unsigned long long magnitude =
        negative ? 0 - (unsigned long long)v : (unsigned long long)v;

    return magnitude == 0 ? 0 : wr_narrow_round<mantissa>(negative, magnitude, 0, how);
}

template <int mantissa> static inline __host__ __device__ float wr_narrow_value(unsigned short bits)
{
#ifdef __CUDA_ARCH__
    float got;

    if (mantissa == 10) {
        __asm__("cvt.f32.f16 %0, %1;" : "=f"(got) : "h"(bits));
        return got;
    }
#endif
    /* the same exponent and mantissa further up in a float, and a product for the other bias */
    unsigned word = (bits & 0x7fffu) << (23 - mantissa);
    float v;

    __builtin_memcpy(&v, &word, sizeof v);
    if (mantissa == 10) {
        v = (bits & 0x7c00) == 0x7c00
                ? ((bits & 0x3ff) != 0 ? __builtin_nanf("") : __builtin_inff())
                : v * 0x1p112f;
    }
    return (bits & 0x8000) != 0 ? -v : v;
}

/* `rounded` as an integer, the nearest where it is out of range; `nan` where `v` is none. */
template <typename T>
static inline __host__ __device__ T wr_narrow_whole(float rounded, float v, T low, T high, T nan)
{
    if (v != v) {
        return nan;
    }
    if (rounded <= (float)low) {
        return low;
    }
    return rounded >= (float)high ? high : (T)rounded;
}

#endif
