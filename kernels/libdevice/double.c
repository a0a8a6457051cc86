/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm and roots of double, to one unit of the last place. */
#include "libdevice.h"

WR_CLC1(4, cbrt)

/* x = 2^n m, m from sqrt(1/2) to sqrt(2); with s = (m - 1) / (m + 1) its logarithm is 2 atanh(s).
 * What is large is kept apart from what is small. */
double __nv_log(double x)
{
    int n = 0;

    if (!(x > 0 && x < INF)) {
        return x == 0 ? -INF : x > 0 ? x : x != x ? x + x : NaN;
    }
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        n = -54;
    }
    long long at = bits(x), from = at - 0x3fe6a09e667f3bcd;
    double f = number(0x3fe6a09e667f3bcd + (from & 0xfffffffffffff)) - 1;
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double p = __builtin_fma(z, 0x1.2b5b5fb2eac92p-3, 0x1.39fe208c33457p-3);

    n += (int)(from >> 52);
    p = __builtin_fma(p, z, 0x1.7462b69705382p-3);
    p = __builtin_fma(p, z, 0x1.c71c62debf86bp-3);
    p = __builtin_fma(p, z, 0x1.2492492df6947p-2);
    p = __builtin_fma(p, z, 0x1.99999999952b2p-2);
    p = __builtin_fma(p, z, 0x1.5555555555558p-1);
    p = s * __builtin_fma(p, z, half); /* log(1 + f) = f - (half - p) */
    return __builtin_fma(n, 0x1.62e42fefa3800p-1,
                         f - (half - __builtin_fma(n, 0x1.ef35793c76730p-45, p)));
}

/* 1 / sqrt(x + rest), which is nearly that of x: a step of Newton's with what the products'
 * rounding has lost. */
static double inverse_root(double x, double rest)
{
    double root = 1 / __builtin_sqrt(x), of_x, of_root;
    double of = product(root, x, &of_x), one = product(root, of, &of_root);

    return __builtin_fma(root, 0.5 * ((1 - one) - of_root - root * (of_x + root * rest)), root);
}
double __nv_rsqrt(double x)
{
    return x > 0 && x < INF ? inverse_root(x, 0) : 1 / __builtin_sqrt(x);
}
double __nv_rcbrt(double x)
{
    double a = __builtin_fabs(x), scale = a < 0x1p-900 ? 0x1p54 : a > 0x1p900 ? 0x1p-54 : 1;
    double root = 1 / clc_cbrt(x *= scale * scale * scale), lost_2, lost_3, lost;

    if (x == 0 || a == INF || x != x) {
        return root;
    }
    double square = product(root, root, &lost_2);
    double cube = product(square, root, &lost_3);
    double one = product(cube, x, &lost);
    lost += x * (lost_3 + lost_2 * root);
    return __builtin_fma(root, ((1 - one) - lost) / 3, root) * scale;
}

/* Lengths: of numbers scaled by a power of 2, so that squares neither overflow nor vanish, with the
 * sum's rounding beside it. */
typedef struct length {
    double sum, rest; /* of squares */
    int exponent;     /* of the scale */
    double is;        /* what it is where `known` */
    int known;        /* infinite, NaN or 0 */
} length;

static length squares(int n, const double *x)
{
    length l = {0};
    double most = 0;

    for (int i = 0; i < n; i++) {
        double a = __builtin_fabs(x[i]);
        l.known |= a == INF ? 2 : a != a ? 1 : 0;
        most = a > most ? a : most;
    }
    if (l.known || most == 0) {
        l.is = l.known & 2 ? INF : l.known ? NaN : 0;
        l.known = 1;
        return l;
    }
    l.exponent = most < 0x1p-1022 ? -1022 : (int)(bits(most) >> 52) - 1023;
    for (int i = 0; i < n; i++) {
        double lost, square, sum, part;
        double a = __nv_ldexp(x[i], -l.exponent);
        square = product(a, a, &lost);
        sum = l.sum + square;
        part = sum - l.sum;
        l.rest += (l.sum - (sum - part)) + (square - part) + lost;
        l.sum = sum;
    }
    return l;
}
static double long_as(length l)
{
    double root = __builtin_sqrt(l.sum), lost, square = product(root, root, &lost);

    root += ((l.sum - square) - lost + l.rest) / (2 * root);
    return l.known ? l.is : __nv_ldexp(root, l.exponent);
}
static double inverse(length l)
{
    return l.known ? 1 / l.is : __nv_ldexp(inverse_root(l.sum, l.rest), -l.exponent);
}

double __nv_norm(int n, const double *x)
{
    return long_as(squares(n, x));
}
double __nv_rnorm(int n, const double *x)
{
    return inverse(squares(n, x));
}
double __nv_rhypot(double x, double y)
{
    double of[] = {x, y};

    return inverse(squares(2, of));
}
double __nv_norm3d(double x, double y, double z)
{
    double of[] = {x, y, z};

    return long_as(squares(3, of));
}
double __nv_rnorm3d(double x, double y, double z)
{
    double of[] = {x, y, z};

    return inverse(squares(3, of));
}
double __nv_norm4d(double x, double y, double z, double w)
{
    double of[] = {x, y, z, w};

    return long_as(squares(4, of));
}
double __nv_rnorm4d(double x, double y, double z, double w)
{
    double of[] = {x, y, z, w};

    return inverse(squares(4, of));
}

/* The squares of floats neither overflow nor vanish in double. */
static double sum_f(int n, const float *x)
{
    double sum = 0;
    int infinite = 0;

    for (int i = 0; i < n; i++) {
        sum = __builtin_fma(x[i], x[i], sum);
        infinite |= __builtin_fabsf(x[i]) == __builtin_inff();
    }
    return infinite ? INF : sum;
}
float __nv_normf(int n, const float *x)
{
    return (float)__builtin_sqrt(sum_f(n, x));
}
float __nv_rnormf(int n, const float *x)
{
    return (float)(1 / __builtin_sqrt(sum_f(n, x)));
}
float __nv_rhypotf(float x, float y)
{
    float of[] = {x, y};

    return __nv_rnormf(2, of);
}
float __nv_norm3df(float x, float y, float z)
{
    float of[] = {x, y, z};

    return __nv_normf(3, of);
}
float __nv_rnorm3df(float x, float y, float z)
{
    float of[] = {x, y, z};

    return __nv_rnormf(3, of);
}
float __nv_norm4df(float x, float y, float z, float w)
{
    float of[] = {x, y, z, w};

    return __nv_normf(4, of);
}
float __nv_rnorm4df(float x, float y, float z, float w)
{
    float of[] = {x, y, z, w};

    return __nv_rnormf(4, of);
}
