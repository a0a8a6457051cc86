/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of float for which libclc's are not near enough, or lose subnormals. Rare ones are
 * rounded from double. */
#include "libdevice.h"

WR_CLC1(4, erfc)
WR_CLC1(4, tanh)

float __nv_exp2f(float x)
{
    return __nvvm_ex2_approx_f(x);
}
/* x = n ln 2 + f: n, and e^f - 1 by a polynomial that holds up to 1/2; x is at most 110 from 0. */
static float reduced_exp(float x, float *n)
{
    *n = __builtin_fabsf(x) < 0.5f ? 0 : __builtin_rintf(x * 0x1.715476p+0f);
    float most = __builtin_fmaf(*n, -0x1.62e400p-1f, x),
          f = __builtin_fmaf(*n, -0x1.7f7d1cp-20f, most);
    float rest = __builtin_fmaf(*n, -0x1.7f7d1cp-20f, most - f);
    float p = __builtin_fmaf(f, 0x1.a24876p-13f, 0x1.6e8b60p-10f);

    p = __builtin_fmaf(p, f, 0x1.11103ep-7f);
    p = __builtin_fmaf(p, f, 0x1.55537cp-5f);
    p = __builtin_fmaf(p, f, 0x1.555556p-3f);
    p = __builtin_fmaf(p, f, 0.5f);
    return f + __builtin_fmaf(p * f, f, rest);
}
static float power_of_2f(float n)
{
    return __builtin_bit_cast(float, ((int)n + 127) << 23);
}
float __nv_expf(float x)
{
    float n, p = reduced_exp(x < -110 ? -110 : x > 90 ? 90 : x, &n) + 1;
    /* in two steps, of which the first is exact */
    float part = n < -100 ? 0x1p-64f : n > 100 ? 0x1p64f : 1;

    n -= n < -100 ? -64 : n > 100 ? 64 : 0;
    return x != x ? x + x : p * power_of_2f(n) * part;
}
float __nv_expm1f(float x)
{
    float n, p = reduced_exp(x < -20 ? -20 : x > 90 ? 90 : x, &n);
    float part = n > 100 ? 0x1p64f : 1, scale = power_of_2f(n > 100 ? n - 64 : n);

    p = n < 25 ? __builtin_fmaf(scale, p, scale - 1) : __builtin_fmaf(scale, p, -1 / part) + scale;
    return x != x ? x + x : __builtin_copysignf(p * part, x);
}
float __nv_coshf(float x)
{
    float a = __builtin_fabsf(x), e = __nv_expf(a);

    return a > 88 ? (float)__nv_cosh(x) : __builtin_fmaf(0.5f, e, 0.5f / e);
}
float __nv_tanhf(float x)
{
    float a = __builtin_fabsf(x);

    return a > 0.55f ? __builtin_copysignf(1 - 2 / (__nv_expf(2 * a) + 1), x) : clc_tanhf(x);
}
/* x = 2^n (1 + f), f from -1/3 to 1/3, and a polynomial in f. */
float __nv_logf(float x)
{
    float n = 0, most = 0x1.fffffep+127f;

    if (!(x > 0 && x <= most)) {
        return x == 0 ? -__builtin_inff() : x > 0 ? x : x != x ? x + x : __builtin_nanf("");
    }
    if (x < 0x1p-126f) {
        x *= 0x1p23f;
        n = -23;
    }
    int at = __builtin_bit_cast(int, x), exponent = (at - 0x3f2aaaab) & ~0x7fffff;
    float f = __builtin_bit_cast(float, at - exponent) - 1, square = f * f;
    float p = __builtin_fmaf(f, -0x1.fcdbfep-4f, 0x1.199722p-3f);

    n += (float)(exponent >> 23);
    p = __builtin_fmaf(p, f, -0x1.f756a2p-4f);
    p = __builtin_fmaf(p, f, 0x1.1fdbe0p-3f);
    p = __builtin_fmaf(p, f, -0x1.55783ep-3f);
    p = __builtin_fmaf(p, f, 0x1.99bf94p-3f);
    p = __builtin_fmaf(p, f, -0x1.ffffb4p-3f);
    p = __builtin_fmaf(p, f, 0x1.55552cp-2f);
    p = __builtin_fmaf(p, f, -0.5f);
    p = __builtin_fmaf(p, square, f);
    return __builtin_fmaf(n, 0x1.62e430p-1f, p);
}
/* x is n / 2 + r, |r| at most 1/4: polynomials in r^2. */
static float sin_and_cos_of_pi(float x, float *cosine)
{
    float a = __builtin_fabsf(x) < 0x1p24f ? x : x - x; /* even, infinite or NaN */
    float n = __builtin_rintf(2 * a), r = __builtin_fmaf(-0.5f, n, a), t = r * r;
    float s = __builtin_fmaf(t, 0x1.4cb5dap-4f, -0x1.32ce1ap-1f);
    float c = __builtin_fmaf(t, -0x1.a1e652p-6f, 0x1.e1ec6ap-3f);
    int quarter = (int)n & 3;

    s = __builtin_fmaf(__builtin_fmaf(s, t, 0x1.466bc2p+1f), t, -0x1.4abbcep+2f);
    s = __builtin_fmaf(r, 0x1.921fb6p+1f, r * __builtin_fmaf(s, t, -0x1.777a5cp-24f));
    c = __builtin_fmaf(__builtin_fmaf(c, t, -0x1.55d3c2p+0f), t, 0x1.03c1f0p+2f);
    c = __builtin_fmaf(__builtin_fmaf(c, t, -0x1.3bd3ccp+2f), t, 1);
    float sine = quarter & 1 ? c : s;
    *cosine = (quarter & 1 ? s : c) * (quarter == 1 || quarter == 2 ? -1.0f : 1.0f);
    return a == 0 ? __builtin_copysignf(a, x) : quarter & 2 ? -sine : sine;
}
float __nv_sinpif(float x)
{
    float cosine;

    return sin_and_cos_of_pi(x, &cosine);
}
float __nv_cospif(float x)
{
    float cosine;

    sin_and_cos_of_pi(x, &cosine);
    return cosine;
}
void __nv_sincospif(float x, float *sine, float *cosine)
{
    *sine = sin_and_cos_of_pi(x, cosine);
}
float __nv_rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_f(x);
}
float __nv_erfcf(float x)
{
    return x > 0.8f ? (float)__nv_erfc(x) : clc_erfcf(x);
}

/* Exact in double, and then exact in float. */
float __nv_fmodf(float x, float y)
{
    return (float)__nv_fmod(x, y);
}
float __nv_remainderf(float x, float y)
{
    return (float)__nv_remainder(x, y);
}
float __nv_ldexpf(float x, int n)
{
    n = n < -400 ? -400 : n > 400 ? 400 : n;
    return (float)((double)x * power_of_2(n));
}
float __nv_rcbrtf(float x)
{
    double clc_cbrt(double) __asm__("_Z4cbrtd");

    return (float)(1 / clc_cbrt(x));
}

#define WR_ROUNDED(name)                                                                           \
    double __nv_##name(double x);                                                                  \
    float __nv_##name##f(float x)                                                                  \
    {                                                                                              \
        return (float)__nv_##name(x);                                                              \
    }
WR_ROUNDED(erfcinv)
WR_ROUNDED(erfcx)
WR_ROUNDED(erfinv)
WR_ROUNDED(lgamma)
WR_ROUNDED(normcdf)
WR_ROUNDED(normcdfinv)
WR_ROUNDED(tgamma)
