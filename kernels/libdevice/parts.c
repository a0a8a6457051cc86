/* SPDX-License-Identifier: Apache-2.0 */
/* Exact functions: parts of numbers, whole numbers, neighbours. */
#include "libdevice.h"

double __nv_floor(double x)
{
    return __builtin_floor(x);
}

/* x 2^n, rounded once: all products but the last are exact. */
double __nv_ldexp(double x, int n)
{
    for (int i = 0; i < 2 && n > 1023; i++) {
        x *= 0x1p1023;
        n -= 1023;
    }
    for (int i = 0; i < 2 && n < -1022; i++) {
        x *= 0x1p-969;
        n += 969;
    }
    n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
    return x * power_of_2(n);
}

double __nv_frexp(double x, int *exponent)
{
    double scaled = __builtin_fabs(x) < 0x1p-1022 ? x * 0x1p54 : x;
    long long at = bits(scaled);

    *exponent = 0;
    if (x == 0 || !(__builtin_fabs(x) < INF)) {
        return x + x;
    }
    *exponent = (int)(at >> 52 & 2047) - 1022 - (scaled != x ? 54 : 0);
    return number((at & ~(2047LL << 52)) | 1022LL << 52);
}
float __nv_frexpf(float x, int *exponent)
{
    return (float)__nv_frexp(x, exponent);
}
int __nv_ilogb(double x)
{
    int exponent;

    __nv_frexp(x, &exponent);
    return x != x || x == 0           ? -2147483647 - 1
           : __builtin_fabs(x) == INF ? 2147483647
                                      : exponent - 1;
}
int __nv_ilogbf(float x)
{
    return __nv_ilogb(x);
}

double __nv_modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x) == INF ? 0 : x - *whole, x);
}
float __nv_modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0 : x - *whole, x);
}

double __nv_nextafter(double x, double y)
{
    if (x != x || y != y) {
        return x + y;
    }
    if (x == y) {
        return y;
    }
    if (x == 0) {
        return __builtin_copysign(0x1p-1074, y);
    }
    return number(bits(x) + ((x < y) == (x > 0) ? 1 : -1));
}
float __nv_nextafterf(float x, float y)
{
    if (x != x || y != y) {
        return x + y;
    }
    if (x == y) {
        return y;
    }
    if (x == 0) {
        return __builtin_copysignf(0x1p-149f, y);
    }
    return __builtin_bit_cast(float, __builtin_bit_cast(int, x) + ((x < y) == (x > 0) ? 1 : -1));
}

/* A division of whole numbers, some bits at a time: what is left of |x|, and |y|, in units, and the
 * quotient modulo 2^64. x and y are finite, y is not 0. */
typedef struct division {
    unsigned long long rest, by, quotient;
    int exponent; /* of the unit */
} division;

#define UNIT(at) ((int)((at) >> 52) > 0 ? (int)((at) >> 52) : 1)
#define PART(at) (((at)&0xfffffffffffff) | ((at) >> 52 ? 1ull << 52 : 0))

static division divide(double x, double y)
{
    long long a = bits(__builtin_fabs(x)), b = bits(__builtin_fabs(y));
    division d = {PART(a), PART(b), 0, UNIT(b)};

    if (a < b) {
        d.exponent = UNIT(a); /* the smaller unit: y is a multiple of it, but may be too large */
        d.by = UNIT(b) - UNIT(a) < 10 ? d.by << (UNIT(b) - UNIT(a)) : ~0ull >> 1;
        return d;
    }
    d.quotient = d.rest / d.by;
    d.rest %= d.by;
    for (int left = UNIT(a) - UNIT(b); left > 0; left -= 11) {
        int shift = left < 11 ? left : 11;
        d.rest <<= shift;
        d.quotient = (d.quotient << shift) + d.rest / d.by;
        d.rest %= d.by;
    }
    return d;
}
static double in_units(division d, double sign)
{
    double x = __nv_ldexp((double)(long long)d.rest, d.exponent - 1075);

    return __builtin_copysign(1, sign) < 0 ? -x : x;
}

double __nv_fmod(double x, double y)
{
    if (x != x || y != y || __builtin_fabs(x) == INF || y == 0) {
        return NaN;
    }
    return __builtin_fabs(y) == INF ? x : in_units(divide(x, y), x);
}
/* The remainder of the division rounded to even, and the lowest three bits of its quotient with its
 * sign. */
double __nv_remquo(double x, double y, int *quotient)
{
    *quotient = 0;
    if (x != x || y != y || __builtin_fabs(x) == INF || y == 0) {
        return NaN;
    }
    if (__builtin_fabs(y) == INF) {
        return x;
    }
    division d = divide(x, y);
    if (2 * d.rest > d.by || (2 * d.rest == d.by && d.quotient % 2)) {
        d.rest -= d.by;
        d.quotient++;
    }
    int low = (int)(d.quotient & 7);
    *quotient = __builtin_copysign(1, x) == __builtin_copysign(1, y) ? low : -low;
    return in_units(d, x);
}
double __nv_remainder(double x, double y)
{
    int quotient;

    return __nv_remquo(x, y, &quotient);
}
float __nv_remquof(float x, float y, int *quotient)
{
    return (float)__nv_remquo(x, y, quotient);
}

long long __nv_llround(double x)
{
    return __nvvm_d2ll_rz(__nv_round(x));
}
long long __nv_llroundf(float x)
{
    return __nv_llround(x);
}
