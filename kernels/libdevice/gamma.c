/* SPDX-License-Identifier: Apache-2.0 */
/* The gamma function, and what is made of the error function. */
#include "libdevice.h"

#define TWO_OVER_ROOT_PI 0x1.20dd750429b6dp+0
#define ONE_OVER_ROOT_PI 0x1.20dd750429b6dp-1
#define ROOT_2           0x1.6a09e667f3bcdp+0

/* 1 / gamma(x), x from 1 to 2. */
static double inverse_gamma(double x)
{
    static const double by[] = {
        -0x1.d47df5e91a073p-31, 0x1.20da203cf8f4bp-26, -0x1.7efb9c9a91b70p-24,
        0x1.f2d1ef981b484p-25,  0x1.2166db6de81dcp-19, -0x1.d24ce84e43604p-17,
        0x1.a963c57849819p-16,  0x1.3f84607e206fbp-13, -0x1.232bd878a5ef6p-10,
        0x1.15f7f06059362p-9,   0x1.b16203e5e2607p-8,  -0x1.5955cc3971e04p-5,
        0x1.a18540be32cb0p-5,   0x1.669be41a9388dp-3,  -0x1.0da5a671c048ap-1,
        -0x1.514d3d90584b3p-5,  0x1.20dd750429b6dp+0};
    double p = by[0];

    x -= 1.5;
#pragma unroll
    for (int i = 1; i < 17; i++) {
        p = __builtin_fma(p, x, by[i]);
    }
    return p;
}

/* Stirling's, x from 13 on: gamma(x) is the product of the result and *other. */
static double large_gamma(double x, double *other)
{
    static const double by[] = {0x1.a41a41a41a41ap-8,  -0x1.f6ab0d9993c7dp-10,
                                0x1.b951e2b18ff23p-11, -0x1.3813813813814p-11,
                                0x1.a01a01a01a01ap-11, -0x1.6c16c16c16c17p-9,
                                0x1.5555555555555p-4};
    double over = 1 / x, square = over * over, p = by[0];

#pragma unroll
    for (int i = 1; i < 7; i++) {
        p = __builtin_fma(p, square, by[i]);
    }
    *other = __nv_pow(x, 0.5 * x - 0.25);
    double first = *other * __nv_exp(-x) * 0x1.40d931ff62706p+1;
    return __builtin_fma(first, __nv_expm1(p * over), first);
}

double __nv_tgamma(double x)
{
    double a = __builtin_fabs(x), product = 1, other = 1, gamma;

    if (x != x || x == INF || x == 0) {
        return x == 0 ? 1 / x : x;
    }
    if (x < 0 && x == __nv_floor(x)) {
        return NaN;
    }
    if (x > 172 || x < -185) {
        return x > 0 ? INF : __nv_fmod(__nv_floor(x), 2) == 0 ? 0.0 : -0.0;
    }
    if (x > -1 && x < 1) {
        product = x < 0 ? x * (x + 1) : x;
        return 1 / (inverse_gamma(x < 0 ? x + 2 : x + 1) * product);
    }
    if (a >= 13) {
        gamma = large_gamma(a, &other);
    } else {
        double down = a;
        while (down >= 2) {
            down -= 1;
            product *= down;
        }
        gamma = product / inverse_gamma(down);
    }
    /* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
    return x > 0 ? gamma * other : -0x1.921fb54442d18p+1 / (x * __nv_sinpi(x)) / other / gamma;
}

/* e^(x^2) erfc(x) */
double __nv_erfcx(double x)
{
    double lost, square = product(x, x, &lost);

    if (x < -27 || x != x) {
        return x != x ? x + x : INF;
    }
    if (x < 12) {
        double e = __nv_exp(square);
        return e < INF ? __builtin_fma(e, lost, e) * __nv_erfc(x) : INF;
    }
    /* its series for large x: 1 - 1/2x^2 + 3/4x^4 - ... */
    double by = x < 0x1p500 ? -0.5 / square : 0, sum = 1;
#pragma unroll
    for (int n = 10; n > 0; n--) {
        sum = __builtin_fma((2 * n - 1) * by, sum, 1);
    }
    return ONE_OVER_ROOT_PI / x * sum;
}

/* The argument's rounding would count x^2 times. */
double __nv_normcdf(double x)
{
    if (!(__builtin_fabs(x) < 40)) {
        return x < 0 ? 0 : x > 0 ? 1 : x + x;
    }
    double t = x * -0x1.6a09e667f3bcdp-1;
    double rest = __builtin_fma(x, -0x1.6a09e667f3bcdp-1, -t) + x * 0x1.bdd3413b26456p-55;

    return 0.5 * __builtin_fma(-TWO_OVER_ROOT_PI * rest, __nv_exp(-t * t), __nv_erfc(t));
}

double __nv_erfinv(double x);

double __nv_erfcinv(double x)
{
    if (!(x > 0 && x < 2)) {
        return x == 0 ? INF : x == 2 ? -INF : NaN;
    }
    if (x > 0.5 && x < 1.5) {
        return __nv_erfinv(1 - x);
    }
    double p = x > 1 ? 2 - x : x, log_p = __nv_log(p);
    double t = __builtin_sqrt(-2 * (log_p - 0x1.62e42fefa39efp-1));
    double above = __builtin_fma(__builtin_fma(0.010328, t, 0.802853), t, 2.515517);
    double below =
        __builtin_fma(__builtin_fma(__builtin_fma(0.001308, t, 0.189269), t, 1.432788), t, 1);
    double y = (t - above / below) / ROOT_2;

    /* Newton's steps in the logarithm, which holds the smallest p */
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        double scaled = __nv_erfcx(y);
        y += (__nv_log(scaled) - y * y - log_p) * scaled / TWO_OVER_ROOT_PI;
    }
    return x > 1 ? -y : y;
}
double __nv_erfinv(double x)
{
    double __nv_erf(double);
    double a = __builtin_fabs(x);

    if (!(a < 1)) {
        return a == 1 ? __builtin_copysign(INF, x) : NaN;
    }
    if (a > 0.5) {
        return __builtin_copysign(__nv_erfcinv(1 - a), x);
    }
    if (a < 0x1p-30) {
        return x / TWO_OVER_ROOT_PI;
    }
    double w = __nv_log(1 - a * a), half = 4.3307467508 + 0.5 * w; /* 2 / (.147 pi) */
    double y = __builtin_sqrt(__builtin_sqrt(half * half - w / 0.147) - half);

#pragma unroll 1
    for (int i = 0; i < 2; i++) { /* Halley's */
        double step = (__nv_erf(y) - a) / TWO_OVER_ROOT_PI * __nv_exp(y * y);
        y -= step / __builtin_fma(y, step, 1);
    }
    return __builtin_copysign(y, x);
}

double __nv_normcdfinv(double x)
{
    if (!(x > 0 && x < 1)) {
        return x == 0 ? -INF : x == 1 ? INF : NaN;
    }
    return x <= 0.5 ? -ROOT_2 * __nv_erfcinv(2 * x) : ROOT_2 * __nv_erfcinv(2 * (1 - x));
}
