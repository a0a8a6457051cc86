/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's math functions: of double, of float with and without the f behind the name, and the fast
 * forms of float. What is no machine instruction is in kernels/libdevice/, which is linked where it
 * is used; how near each is: docs/cuda.md.
 */
#ifndef WR_KERNELS_CUDA_MATH_H
#define WR_KERNELS_CUDA_MATH_H

#include "integer.h"
#include "qualifiers.h"
#include "rounding.h"

/* A function of libdevice: its arguments with their types, and without. */
#define WR_PARAMETERS(...) __VA_ARGS__
#define WR_FROM_LIBDEVICE(T, name, overload, takes, of)                                            \
    extern "C" __device__ T __nv_##name(takes);                                                    \
    WR_DEVICE T overload(takes)                                                                    \
    {                                                                                              \
        return __nv_##name(of);                                                                    \
    }
#define WR_AND_NAME(T, name, takes, of)                                                            \
    WR_DEVICE T name(takes)                                                                        \
    {                                                                                              \
        return __nv_##name(of);                                                                    \
    }
#define WR_BOTH(name, result, result_f, takes, takes_f, of)                                        \
    WR_FROM_LIBDEVICE(result, name, name, WR_PARAMETERS takes, WR_PARAMETERS of)                   \
    WR_FROM_LIBDEVICE(result_f, name##f, name, WR_PARAMETERS takes_f, WR_PARAMETERS of)            \
    WR_AND_NAME(result_f, name##f, WR_PARAMETERS takes_f, WR_PARAMETERS of)
#define WR_MATH1(name) WR_BOTH(name, double, float, (double x), (float x), (x))
#define WR_MATH2(name)                                                                             \
    WR_BOTH(name, double, float, (double x, double y), (float x, float y), (x, y))
#define WR_MATH3(name)                                                                             \
    WR_BOTH(name, double, float, (double x, double y, double z), (float x, float y, float z),      \
            (x, y, z))
#define WR_MATH4(name)                                                                             \
    WR_BOTH(name, double, float, (double x, double y, double z, double w),                         \
            (float x, float y, float z, float w), (x, y, z, w))

WR_MATH1(acos)
WR_MATH1(acosh)
WR_MATH1(asin)
WR_MATH1(asinh)
WR_MATH1(atan)
WR_MATH1(atanh)
WR_MATH1(cbrt)
WR_MATH1(cos)
WR_MATH1(cosh)
WR_MATH1(cospi)
WR_MATH1(erf)
WR_MATH1(erfc)
WR_MATH1(erfcinv)
WR_MATH1(erfcx)
WR_MATH1(erfinv)
WR_MATH1(exp)
WR_MATH1(exp10)
WR_MATH1(expm1)
WR_MATH1(lgamma)
WR_MATH1(log)
WR_MATH1(log10)
WR_MATH1(log1p)
WR_MATH1(log2)
WR_MATH1(logb)
WR_MATH1(normcdf)
WR_MATH1(normcdfinv)
WR_MATH1(rcbrt)
WR_MATH1(round)
WR_MATH1(sin)
WR_MATH1(sinh)
WR_MATH1(sinpi)
WR_MATH1(tan)
WR_MATH1(tanh)
WR_MATH1(tgamma)
WR_MATH2(atan2)
WR_MATH2(fmod)
WR_MATH2(hypot)
WR_MATH2(nextafter)
WR_MATH2(pow)
WR_MATH2(remainder)
WR_MATH2(rhypot)
WR_MATH3(norm3d)
WR_MATH3(rnorm3d)
WR_MATH4(norm4d)
WR_MATH4(rnorm4d)
WR_BOTH(norm, double, float, (int n, const double *x), (int n, const float *x), (n, x))
WR_BOTH(rnorm, double, float, (int n, const double *x), (int n, const float *x), (n, x))
WR_BOTH(ldexp, double, float, (double x, int n), (float x, int n), (x, n))
WR_BOTH(frexp, double, float, (double x, int *exponent), (float x, int *exponent), (x, exponent))
WR_BOTH(modf, double, float, (double x, double *whole), (float x, float *whole), (x, whole))
WR_BOTH(ilogb, int, int, (double x), (float x), (x))
WR_BOTH(remquo, double, float, (double x, double y, int *quotient),
        (float x, float y, int *quotient), (x, y, quotient))
WR_BOTH(llround, long long, long long, (double x), (float x), (x))

extern "C" __device__ double __nv_exp2(double x);
WR_DEVICE double exp2(double x)
{
    return __nv_exp2(x);
}
extern "C" __device__ double __nv_rsqrt(double x);
WR_DEVICE double rsqrt(double x)
{
    return __nv_rsqrt(x);
}
extern "C" __device__ void __nv_sincospif(float x, float *sine, float *cosine);
WR_DEVICE void sincospif(float x, float *sine, float *cosine)
{
    __nv_sincospif(x, sine, cosine);
}

/* Of integers as of double: else clang takes templates of the host's library. */
#define WR_OF_INTEGER(name, T)                                                                     \
    WR_DEVICE double name(T x)                                                                     \
    {                                                                                              \
        return name((double)x);                                                                    \
    }
#define WR_OF_INTEGERS(name)                                                                       \
    WR_OF_INTEGER(name, int)                                                                       \
    WR_OF_INTEGER(name, unsigned)                                                                  \
    WR_OF_INTEGER(name, long)                                                                      \
    WR_OF_INTEGER(name, unsigned long)                                                             \
    WR_OF_INTEGER(name, long long)                                                                 \
    WR_OF_INTEGER(name, unsigned long long)
WR_OF_INTEGERS(acos)
WR_OF_INTEGERS(acosh)
WR_OF_INTEGERS(asin)
WR_OF_INTEGERS(asinh)
WR_OF_INTEGERS(atan)
WR_OF_INTEGERS(atanh)
WR_OF_INTEGERS(cbrt)
WR_OF_INTEGERS(cos)
WR_OF_INTEGERS(cosh)
WR_OF_INTEGERS(cospi)
WR_OF_INTEGERS(erf)
WR_OF_INTEGERS(erfc)
WR_OF_INTEGERS(erfcinv)
WR_OF_INTEGERS(erfcx)
WR_OF_INTEGERS(erfinv)
WR_OF_INTEGERS(exp)
WR_OF_INTEGERS(exp10)
WR_OF_INTEGERS(expm1)
WR_OF_INTEGERS(lgamma)
WR_OF_INTEGERS(log)
WR_OF_INTEGERS(log10)
WR_OF_INTEGERS(log1p)
WR_OF_INTEGERS(log2)
WR_OF_INTEGERS(normcdf)
WR_OF_INTEGERS(normcdfinv)
WR_OF_INTEGERS(rcbrt)
WR_OF_INTEGERS(sin)
WR_OF_INTEGERS(sinh)
WR_OF_INTEGERS(sinpi)
WR_OF_INTEGERS(tan)
WR_OF_INTEGERS(tanh)
WR_OF_INTEGERS(tgamma)
WR_OF_INTEGERS(exp2)
WR_OF_INTEGERS(rsqrt)

/* Machine instructions: of double, of float by the same name, and with f. */
#define WR_MACHINE1(T, name, double_form, float_form)                                              \
    WR_DEVICE T name(double x)                                                                     \
    {                                                                                              \
        return double_form;                                                                        \
    }                                                                                              \
    WR_DEVICE float name(float x)                                                                  \
    {                                                                                              \
        return float_form;                                                                         \
    }                                                                                              \
    WR_DEVICE float name##f(float x)                                                               \
    {                                                                                              \
        return float_form;                                                                         \
    }
WR_MACHINE1(double, ceil, __builtin_ceil(x), __builtin_ceilf(x))
WR_MACHINE1(double, fabs, __builtin_fabs(x), __builtin_fabsf(x))
WR_MACHINE1(double, floor, __builtin_floor(x), __builtin_floorf(x))
WR_MACHINE1(double, nearbyint, __builtin_rint(x), __builtin_rintf(x))
WR_MACHINE1(double, rint, __builtin_rint(x), __builtin_rintf(x))
WR_MACHINE1(double, sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
WR_MACHINE1(double, trunc, __builtin_trunc(x), __builtin_truncf(x))

#define WR_MACHINE2(name, double_form, float_form)                                                 \
    WR_DEVICE double name(double x, double y)                                                      \
    {                                                                                              \
        return double_form;                                                                        \
    }                                                                                              \
    WR_DEVICE float name(float x, float y)                                                         \
    {                                                                                              \
        return float_form;                                                                         \
    }                                                                                              \
    WR_DEVICE float name##f(float x, float y)                                                      \
    {                                                                                              \
        return float_form;                                                                         \
    }
WR_MACHINE2(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
WR_MACHINE2(fdim, (x <= y ? 0 : x - y), (x <= y ? 0 : x - y))
WR_MACHINE2(fmax, __nvvm_fmax_d(x, y), __nvvm_fmax_f(x, y))
WR_MACHINE2(fmin, __nvvm_fmin_d(x, y), __nvvm_fmin_f(x, y))

/* On the host too, as nvcc has them. */
#ifdef __CUDA_ARCH__
#define WR_EXTREME(name, x, y, end) f##name##end(x, y)
#else
#define WR_EXTREME(name, x, y, end) __builtin_f##name##end(x, y)
#endif
#define WR_EXTREMES(name)                                                                          \
    WR_SIDES double name(double x, double y)                                                       \
    {                                                                                              \
        return WR_EXTREME(name, x, y, );                                                           \
    }                                                                                              \
    WR_SIDES float name(float x, float y)                                                          \
    {                                                                                              \
        return WR_EXTREME(name, x, y, f);                                                          \
    }                                                                                              \
    WR_SIDES double name(double x, float y)                                                        \
    {                                                                                              \
        return name(x, (double)y);                                                                 \
    }                                                                                              \
    WR_SIDES double name(float x, double y)                                                        \
    {                                                                                              \
        return name((double)x, y);                                                                 \
    }
WR_EXTREMES(max)
WR_EXTREMES(min)
WR_DEVICE double abs(double x)
{
    return fabs(x);
}
WR_DEVICE float abs(float x)
{
    return fabsf(x);
}
WR_DEVICE double fma(double x, double y, double z)
{
    return __fma_rn(x, y, z);
}
WR_DEVICE float fma(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
WR_DEVICE float fmaf(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
WR_DEVICE float exp2f(float x)
{
    return __nvvm_ex2_approx_f(x);
}
WR_DEVICE float exp2(float x)
{
    return exp2f(x);
}
WR_DEVICE float rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_f(x);
}
WR_DEVICE float rsqrt(float x)
{
    return rsqrtf(x);
}

/* Two at once, powers that are whole, powers of two. */
#define WR_PAIRS(T, f)                                                                             \
    WR_DEVICE void sincos##f(T x, T *sine, T *cosine)                                              \
    {                                                                                              \
        *sine = sin##f(x);                                                                         \
        *cosine = cos##f(x);                                                                       \
    }                                                                                              \
    WR_DEVICE T scalbn##f(T x, int n)                                                              \
    {                                                                                              \
        return ldexp##f(x, n);                                                                     \
    }                                                                                              \
    WR_DEVICE T scalbln##f(T x, long n)                                                            \
    {                                                                                              \
        return ldexp##f(x, n < -10000 ? -10000 : n > 10000 ? 10000 : (int)n);                      \
    }                                                                                              \
    WR_DEVICE long lround##f(T x)                                                                  \
    {                                                                                              \
        return (long)llround##f(x);                                                                \
    }                                                                                              \
    WR_DEVICE T pow(T x, int n)                                                                    \
    {                                                                                              \
        return pow##f(x, (T)n);                                                                    \
    }
WR_PAIRS(double, )
WR_PAIRS(float, f)
WR_DEVICE void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

WR_DEVICE long long llrint(double x)
{
    return __double2ll_rn(x);
}
WR_DEVICE long long llrintf(float x)
{
    return __float2ll_rn(x);
}
WR_DEVICE long lrint(double x)
{
    return sizeof(long) == 8 ? (long)__double2ll_rn(x) : (long)__double2int_rn(x);
}
WR_DEVICE long lrintf(float x)
{
    return sizeof(long) == 8 ? (long)__float2ll_rn(x) : (long)__float2int_rn(x);
}

/* Beside a host's headers these are the host's, which are of both sides. */
#ifndef WR_HOSTED
#define WR_KINDS(T)                                                                                \
    WR_DEVICE bool isnan(T x)                                                                      \
    {                                                                                              \
        return x != x;                                                                             \
    }                                                                                              \
    WR_DEVICE bool isinf(T x)                                                                      \
    {                                                                                              \
        return fabs(x) == __builtin_inff();                                                        \
    }                                                                                              \
    WR_DEVICE bool isfinite(T x)                                                                   \
    {                                                                                              \
        return fabs(x) < __builtin_inff();                                                         \
    }
WR_KINDS(double)
WR_KINDS(float)
WR_DEVICE bool signbit(double x)
{
    return __double_as_longlong(x) < 0;
}
WR_DEVICE bool signbit(float x)
{
    return __float_as_int(x) < 0;
}
#endif
WR_DEVICE double nan(const char *)
{
    return __builtin_nan("");
}
WR_DEVICE float nanf(const char *)
{
    return __builtin_nanf("");
}

/* Fast forms, of a few machine instructions. */
WR_DEVICE float __sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}
WR_DEVICE float __cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}
WR_DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
WR_DEVICE float __fdividef(float x, float y)
{
    return __nvvm_div_approx_f(x, y);
}
WR_DEVICE float __tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
WR_DEVICE float __log2f(float x)
{
    return __nvvm_lg2_approx_f(x);
}
WR_DEVICE float __logf(float x)
{
    return __log2f(x) * 0x1.62e430p-1f;
}
WR_DEVICE float __log10f(float x)
{
    return __log2f(x) * 0x1.344136p-2f;
}
WR_DEVICE float __expf(float x)
{
    return __nvvm_ex2_approx_f(x * 0x1.715476p+0f);
}
WR_DEVICE float __exp10f(float x)
{
    return __nvvm_ex2_approx_f(x * 0x1.a934f0p+1f);
}
WR_DEVICE float __powf(float x, float y)
{
    return __nvvm_ex2_approx_f(y * __log2f(x));
}
WR_DEVICE float __saturatef(float x)
{
    return __nvvm_saturate_f(x);
}

#endif
