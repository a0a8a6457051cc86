/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point arithmetic and conversions that say how they round: _rn to the nearest, halves to
 * even; _rz toward zero; _ru up; _rd down. And bits as another type.
 */
#ifndef WR_KERNELS_CUDA_ROUNDING_H
#define WR_KERNELS_CUDA_ROUNDING_H

#include "integer.h"

#define WR_ROUNDED(M, ...)                                                                         \
    M(_rn, "rn", ##__VA_ARGS__)                                                                    \
    M(_rz, "rz", ##__VA_ARGS__) M(_ru, "rp", ##__VA_ARGS__) M(_rd, "rm", ##__VA_ARGS__)

#define WR_ARITHMETIC(end, mode)                                                                   \
    WR_PTX2(float, __fadd##end, "f", "add." mode ".f32")                                           \
    WR_PTX2(float, __fsub##end, "f", "sub." mode ".f32")                                           \
    WR_PTX2(float, __fmul##end, "f", "mul." mode ".f32")                                           \
    WR_PTX2(float, __fdiv##end, "f", "div." mode ".f32")                                           \
    WR_PTX3(float, __fmaf##end, "f", float, float, float, "f", "f", "f", "fma." mode ".f32")       \
    WR_PTX1(float, __frcp##end, "f", float, "f", "rcp." mode ".f32")                               \
    WR_PTX1(float, __fsqrt##end, "f", float, "f", "sqrt." mode ".f32")                             \
    WR_PTX2(double, __dadd##end, "d", "add." mode ".f64")                                          \
    WR_PTX2(double, __dsub##end, "d", "sub." mode ".f64")                                          \
    WR_PTX2(double, __dmul##end, "d", "mul." mode ".f64")                                          \
    WR_PTX2(double, __ddiv##end, "d", "div." mode ".f64")                                          \
    WR_PTX3(double, __fma##end, "d", double, double, double, "d", "d", "d", "fma." mode ".f64")    \
    WR_PTX1(double, __drcp##end, "d", double, "d", "rcp." mode ".f64")                             \
    WR_PTX1(double, __dsqrt##end, "d", double, "d", "sqrt." mode ".f64")                           \
    WR_PTX1(float, __double2float##end, "f", double, "d", "cvt." mode ".f32.f64")
WR_ROUNDED(WR_ARITHMETIC)

/* To integers: the mode is cvt's for whole numbers; what does not fit becomes the nearest that
 * does, NaN 0, or the least number where the source has 64 bits. */
#define WR_TO_INTEGER(end, mode)                                                                   \
    WR_PTX1(int, __float2int##end, "r", float, "f", "cvt." mode "i.s32.f32")                       \
    WR_PTX1(unsigned, __float2uint##end, "r", float, "f", "cvt." mode "i.u32.f32")                 \
    WR_PTX1(long long, __float2ll##end, "l", float, "f", "cvt." mode "i.s64.f32")                  \
    WR_PTX1(unsigned long long, __float2ull##end, "l", float, "f", "cvt." mode "i.u64.f32")        \
    WR_PTX1(int, __double2int##end, "r", double, "d", "cvt." mode "i.s32.f64")                     \
    WR_PTX1(unsigned, __double2uint##end, "r", double, "d", "cvt." mode "i.u32.f64")               \
    WR_PTX1(long long, __double2ll##end, "l", double, "d", "cvt." mode "i.s64.f64")                \
    WR_PTX1(unsigned long long, __double2ull##end, "l", double, "d", "cvt." mode "i.u64.f64")
WR_ROUNDED(WR_TO_INTEGER)

#define WR_FROM_INTEGER(end, mode)                                                                 \
    WR_PTX1(float, __int2float##end, "f", int, "r", "cvt." mode ".f32.s32")                        \
    WR_PTX1(float, __uint2float##end, "f", unsigned, "r", "cvt." mode ".f32.u32")                  \
    WR_PTX1(float, __ll2float##end, "f", long long, "l", "cvt." mode ".f32.s64")                   \
    WR_PTX1(float, __ull2float##end, "f", unsigned long long, "l", "cvt." mode ".f32.u64")         \
    WR_PTX1(double, __ll2double##end, "d", long long, "l", "cvt." mode ".f64.s64")                 \
    WR_PTX1(double, __ull2double##end, "d", unsigned long long, "l", "cvt." mode ".f64.u64")
WR_ROUNDED(WR_FROM_INTEGER)

WR_DEVICE double __int2double_rn(int x)
{
    return x;
}
WR_DEVICE double __uint2double_rn(unsigned x)
{
    return x;
}

#define WR_BITS_AS(name, from, to)                                                                 \
    WR_DEVICE to name(from x)                                                                      \
    {                                                                                              \
        to bits;                                                                                   \
                                                                                                   \
        __builtin_memcpy(&bits, &x, sizeof bits);                                                  \
        return bits;                                                                               \
    }
WR_BITS_AS(__float_as_int, float, int)
WR_BITS_AS(__float_as_uint, float, unsigned)
WR_BITS_AS(__int_as_float, int, float)
WR_BITS_AS(__uint_as_float, unsigned, float)
WR_BITS_AS(__double_as_longlong, double, long long)
WR_BITS_AS(__longlong_as_double, long long, double)

WR_DEVICE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
WR_DEVICE int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
WR_DEVICE double __hiloint2double(int hi, int lo)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}

#endif
