/* SPDX-License-Identifier: Apache-2.0 */
/* What is libclc's, as it is or behind a guard. */
#include "libdevice.h"

#define WR_AS_IT_IS1(length, name)                                                                 \
    WR_CLC1(length, name)                                                                          \
    float __nv_##name##f(float x)                                                                  \
    {                                                                                              \
        return clc_##name##f(x);                                                                   \
    }                                                                                              \
    double __nv_##name(double x)                                                                   \
    {                                                                                              \
        return clc_##name(x);                                                                      \
    }
#define WR_AS_IT_IS2(length, name)                                                                 \
    WR_CLC2(length, name)                                                                          \
    float __nv_##name##f(float x, float y)                                                         \
    {                                                                                              \
        return clc_##name##f(x, y);                                                                \
    }                                                                                              \
    double __nv_##name(double x, double y)                                                         \
    {                                                                                              \
        return clc_##name(x, y);                                                                   \
    }
/* An odd function: libclc loses the sign of zero in some. */
#define WR_ODD(length, name)                                                                       \
    WR_CLC1(length, name)                                                                          \
    float __nv_##name##f(float x)                                                                  \
    {                                                                                              \
        return x == 0 ? x : clc_##name##f(x);                                                      \
    }                                                                                              \
    double __nv_##name(double x)                                                                   \
    {                                                                                              \
        return x == 0 ? x : clc_##name(x);                                                         \
    }

WR_AS_IT_IS1(4, acos)
WR_AS_IT_IS1(5, acosh)
WR_AS_IT_IS1(4, asin)
WR_AS_IT_IS1(5, asinh)
WR_ODD(4, atan)
WR_AS_IT_IS1(5, atanh)
WR_AS_IT_IS1(4, cbrt)
WR_AS_IT_IS1(3, cos)
WR_ODD(3, erf)
WR_AS_IT_IS1(5, exp10)
WR_AS_IT_IS1(5, log10)
WR_AS_IT_IS1(5, log1p)
WR_AS_IT_IS1(4, log2)
WR_AS_IT_IS1(4, logb)
WR_AS_IT_IS1(5, round)
WR_ODD(3, sin)
WR_ODD(3, tan)
WR_AS_IT_IS2(5, atan2)
WR_AS_IT_IS2(5, hypot)
WR_AS_IT_IS2(3, pow)

WR_CLC1(3, exp)
WR_CLC1(4, exp2)
WR_CLC1(4, erfc)
WR_CLC1(4, sinh)
WR_CLC1(4, tanh)
WR_CLC1(5, cospi)
WR_CLC1(5, sinpi)
WR_CLC1(6, lgamma)

double __nv_exp(double x)
{
    return clc_exp(x);
}
double __nv_exp2(double x)
{
    return clc_exp2(x);
}
double __nv_erfc(double x)
{
    return clc_erfc(x);
}
double __nv_lgamma(double x)
{
    return clc_lgamma(x);
}
double __nv_sinpi(double x)
{
    return clc_sinpi(x);
}
double __nv_cospi(double x)
{
    return clc_cospi(x);
}
double __nv_tanh(double x) /* nearer than libclc's where it is nearly 1 */
{
    double a = __builtin_fabs(x);

    return a > 1.5 ? __builtin_copysign(1 - 2 / (clc_exp(2 * a) + 1), x) : clc_tanh(x);
}
float __nv_sinhf(float x)
{
    return clc_sinhf(x);
}

/* Half of e to the power x, for x from 709 on: 2043 ln 2 is nearly a double, and what is left of x
 * exact. */
static double half_exp(double x)
{
    return clc_exp(x - 0x1.62066151add8bp+10) * 0x1p1021 * 0x1p1021;
}
/* Beyond 709 libclc's look behind the ends of their tables. */
double __nv_sinh(double x)
{
    double a = __builtin_fabs(x);

    return a < 709 ? clc_sinh(x) : a >= 709 ? __builtin_copysign(half_exp(a), x) : x + x;
}
/* x = n ln 2 + f: n, f, e^f - 1 - f and e^-f - 1 by polynomials for cosh(f) - 1 and sinh(f), which
 * hold up to 1/2. */
static int reduced_exp(double x, double *of_f, double *up, double *down)
{
    int n = __builtin_fabs(x) < 0.5 ? 0 : (int)__builtin_rint(x * 0x1.71547652b82fep+0);
    double most = __builtin_fma(n, -0x1.62e42fefa3800p-1, x);
    double f = __builtin_fma(n, -0x1.ef35793c76730p-45, most), t = f * f;
    double rest = __builtin_fma(n, -0x1.ef35793c76730p-45, most - f);
    double c = __builtin_fma(t, 0x1.9510c8314620ep-37, 0x1.1eed0d1c3f9c9p-29);
    double s = __builtin_fma(t, 0x1.afe276e54df69p-41, 0x1.6123e702c4c41p-33);

    c = __builtin_fma(c, t, 0x1.27e4fba3d93dap-22);
    c = __builtin_fma(c, t, 0x1.a01a01a00a7d5p-16);
    c = __builtin_fma(c, t, 0x1.6c16c16c16c40p-10);
    c = __builtin_fma(c, t, 0x1.5555555555555p-5);
    c = __builtin_fma(c, t, 0.5) * t;
    s = __builtin_fma(s, t, 0x1.ae6456a905711p-26);
    s = __builtin_fma(s, t, 0x1.71de3a5565267p-19);
    s = __builtin_fma(s, t, 0x1.a01a01a01a02dp-13);
    s = __builtin_fma(s, t, 0x1.1111111111111p-7);
    s = __builtin_fma(s, t, 0x1.5555555555555p-3);
    s = __builtin_fma(s * t, f, rest);
    *of_f = f;
    *up = s + c;
    *down = c - s - f;
    return n;
}
double __nv_expm1(double x)
{
    double f, up, down;

    if (!(x > -40 && x < 700)) {
        return x < 0 ? -1 : clc_exp(x) - 1;
    }
    double scale = power_of_2(reduced_exp(x, &f, &up, &down)), e = f + up;

    return __builtin_copysign(scale < 0x1p53 ? __builtin_fma(scale, e, scale - 1)
                                             : __builtin_fma(scale, e, -1) + scale,
                              x);
}
double __nv_cosh(double x)
{
    double a = __builtin_fabs(x);

    if (a < 40) { /* (e^a + e^-a) / 2 */
        double f, up, down;
        int n = reduced_exp(a, &f, &up, &down);
        double other = power_of_2(-n - 1), half = power_of_2(n - 1);
        return half +
               __builtin_fma(half, f, __builtin_fma(half, up, __builtin_fma(other, down, other)));
    }
    return a < 709 ? 0.5 * clc_exp(a) : a >= 709 ? half_exp(a) : x + x;
}
