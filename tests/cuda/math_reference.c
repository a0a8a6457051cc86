/* SPDX-License-Identifier: Apache-2.0 */
/* How far results of math functions are from the true ones, which libquadmath has in 113 bits.
 *
 *   math_reference NAME TYPE RESULTS ARGUMENTS...
 *
 * NAME is that of the function in double; TYPE, float or double, that of the numbers in the files.
 * Prints "ERROR COUNT ARGUMENTS...": the largest error in units of the last place (ulp) of the true
 * result, and where. What should be NaN or infinite and is not, or the other way round, is an
 * infinite error; so is a zero of the wrong sign where the argument is zero.
 */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 quad;
#define MOST_ARGUMENTS 4

static quad exp10_of(const quad *x)
{
    return powq(10, x[0]);
}
static quad exp2_of(const quad *x)
{
    return powq(2, x[0]);
}
static quad rsqrt_of(const quad *x)
{
    return 1 / sqrtq(x[0]);
}
static quad rcbrt_of(const quad *x)
{
    return 1 / cbrtq(x[0]);
}

/* Of pi x, by the distance from the nearest zero or extreme, which is exact. */
static quad sinpi_at(quad x)
{
    quad r = fmodq(fabsq(x), 2), sign = x < 0 ? -1 : 1;
    if (r > 1) {
        sign = -sign;
        r -= 1;
    }
    if (x == 0) {
        return x;
    }
    r = r > 0.5Q ? 1 - r : r;
    return sign * (r > 0.25Q ? cosq((0.5Q - r) * M_PIq) : sinq(r * M_PIq));
}
static quad sinpi_of(const quad *x)
{
    return sinpi_at(x[0]);
}
static quad cospi_of(const quad *x)
{
    quad r = fmodq(fabsq(x[0]), 2);
    return sinpi_at(r <= 0.5Q ? 0.5Q - r : r <= 1.5Q ? 0.5Q - r : r - 1.5Q);
}

static quad erfcx_at(quad x)
{
    if (x < 50) {
        return expq(x * x) * erfcq(x);
    }
    quad t = 0; /* a continued fraction */
    for (int n = 60; n > 0; n--) {
        t = (quad)n / 2 / (x + t);
    }
    return 1 / (x + t) / sqrtq(M_PIq);
}
static quad erfcx_of(const quad *x)
{
    return erfcx_at(x[0]);
}

/* The y of which erfc(y) is x, by Newton's steps: of the logarithm where x is small. */
static quad erfcinv_at(quad x)
{
    if (!(x > 0 && x < 2)) {
        return x == 0 ? (quad)INFINITY : x == 2 ? -(quad)INFINITY : nanq("");
    }
    if (x >= 1) {
        return x == 1 ? 0 : -erfcinv_at(2 - x);
    }
    quad y = x > 0.1Q ? (1 - x) * 0.886Q : sqrtq(-logq(x)) * 0.9Q;
    for (int i = 0; i < 60; i++) {
        quad e = erfcq(y);
        quad by = x < 0.4Q ? (logq(e) - logq(x)) * e : e - x;
        by *= sqrtq(M_PIq) / 2 * expq(y * y);
        y += by;
        if (fabsq(by) <= fabsq(y) * 1e-32Q) {
            break;
        }
    }
    return y;
}
static quad erfcinv_of(const quad *x)
{
    return erfcinv_at(x[0]);
}
static quad erfinv_of(const quad *x)
{
    quad a = fabsq(x[0]), y = a * 0.8862269254527580136490837416705726Q;
    if (!(a <= 0.5Q)) {
        return a <= 1 ? copysignq(erfcinv_at(1 - a), x[0]) : nanq("");
    }
    for (int i = 0; i < 40; i++) {
        y -= (erfq(y) - a) * sqrtq(M_PIq) / 2 * expq(y * y);
    }
    return copysignq(y, x[0]);
}
static quad normcdf_of(const quad *x)
{
    return erfcq(-x[0] * M_SQRT1_2q) / 2;
}
static quad normcdfinv_of(const quad *x)
{
    return x[0] == 0   ? -(quad)INFINITY
           : x[0] == 1 ? (quad)INFINITY
                       : -M_SQRT2q * erfcinv_at(2 * x[0]);
}

static quad length(const quad *x, int n)
{
    quad sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
        infinite |= isinfq(x[i]) != 0;
    }
    return infinite ? (quad)INFINITY : sqrtq(sum);
}
static quad hypot_of(const quad *x)
{
    return length(x, 2);
}
static quad norm3d_of(const quad *x)
{
    return length(x, 3);
}
static quad norm4d_of(const quad *x)
{
    return length(x, 4);
}
static quad rhypot_of(const quad *x)
{
    return 1 / length(x, 2);
}
static quad rnorm3d_of(const quad *x)
{
    return 1 / length(x, 3);
}
static quad rnorm4d_of(const quad *x)
{
    return 1 / length(x, 4);
}
static quad divide_of(const quad *x)
{
    return x[0] / x[1];
}

#define ONE(name)                                                                                  \
    static quad name##_of(const quad *x)                                                           \
    {                                                                                              \
        return name##q(x[0]);                                                                      \
    }
#define TWO(name)                                                                                  \
    static quad name##_of(const quad *x)                                                           \
    {                                                                                              \
        return name##q(x[0], x[1]);                                                                \
    }
ONE(acos)
ONE(acosh)
ONE(asin)
ONE(asinh)
ONE(atan)
ONE(atanh)
ONE(cbrt)
ONE(cos)
ONE(cosh)
ONE(erf)
ONE(erfc)
ONE(exp)
ONE(expm1)
ONE(lgamma)
ONE(log)
ONE(log10)
ONE(log1p)
ONE(log2)
ONE(sin)
ONE(sinh)
ONE(tan)
ONE(tanh)
ONE(tgamma)
TWO(atan2)
TWO(pow)

#define F(name, count)                                                                             \
    {                                                                                              \
#name, name##_of, count                                                                    \
    }
static const struct function {
    const char *name;
    quad (*of)(const quad *x);
    int arguments;
} functions[] = {F(acos, 1),       F(acosh, 1),  F(asin, 1),   F(asinh, 1),  F(atan, 1),
                 F(atan2, 2),      F(atanh, 1),  F(cbrt, 1),   F(cos, 1),    F(cosh, 1),
                 F(cospi, 1),      F(divide, 2), F(erf, 1),    F(erfc, 1),   F(erfcinv, 1),
                 F(erfcx, 1),      F(erfinv, 1), F(exp, 1),    F(exp10, 1),  F(exp2, 1),
                 F(expm1, 1),      F(hypot, 2),  F(lgamma, 1), F(log, 1),    F(log10, 1),
                 F(log1p, 1),      F(log2, 1),   F(norm3d, 3), F(norm4d, 4), F(normcdf, 1),
                 F(normcdfinv, 1), F(pow, 2),    F(rcbrt, 1),  F(rhypot, 2), F(rnorm3d, 3),
                 F(rnorm4d, 4),    F(rsqrt, 1),  F(sin, 1),    F(sinh, 1),   F(sinpi, 1),
                 F(tan, 1),        F(tanh, 1),   F(tgamma, 1)};

static void *whole(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    void *p = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!p) {
        perror(path);
        exit(2);
    }
    rewind(f);
    *bytes = fread(p, 1, (size_t)size, f);
    (void)fclose(f);
    return p;
}

static double at(const void *numbers, bool is_float, size_t i)
{
    return is_float ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

/* In ulp of the number nearest to what is wanted. */
static double error(double got, quad want, bool is_float)
{
    double near = is_float ? (double)(float)want : (double)want;
    int exponent = 0, digits = is_float ? 24 : 53, least = is_float ? -149 : -1074;
    if (isnan(near) || isnan(got)) {
        return isnan(near) && isnan(got) ? 0 : INFINITY;
    }
    if (isinf(near) || isinf(got)) {
        return near == got ? 0 : INFINITY;
    }
    (void)frexp(near, &exponent);
    exponent = near == 0 || exponent - digits < least ? least : exponent - digits;
    return (double)fabsq(ldexpq((quad)got - want, -exponent));
}

int main(int argc, char **argv)
{
    const struct function *f = functions, *end = functions + sizeof functions / sizeof *functions;
    while (f < end && (argc < 4 || strcmp(f->name, argv[1]) != 0)) {
        f++;
    }
    if (f == end || argc != 4 + f->arguments) {
        (void)fprintf(stderr, "usage: math_reference NAME float|double RESULTS ARGUMENTS...\n");
        return 2;
    }
    bool is_float = strcmp(argv[2], "float") == 0;
    size_t bytes = 0, others = 0, worst_at = 0;
    const void *results = whole(argv[3], &bytes), *arguments[MOST_ARGUMENTS];
    for (int k = 0; k < f->arguments; k++) {
        arguments[k] = whole(argv[4 + k], &others);
        if (others != bytes) {
            (void)fprintf(stderr, "%s: not as long as %s\n", argv[4 + k], argv[3]);
            return 2;
        }
    }
    size_t count = bytes / (is_float ? sizeof(float) : sizeof(double));
    double worst = -1;
    for (size_t i = 0; i < count; i++) {
        quad x[MOST_ARGUMENTS];
        for (int k = 0; k < f->arguments; k++) {
            x[k] = at(arguments[k], is_float, i);
        }
        double got = at(results, is_float, i);
        quad want = f->of(x);
        double e = error(got, want, is_float);
        if (want == 0 && got == 0 && x[0] == 0 && !signbitq(want) != !signbit(got)) {
            e = INFINITY;
        }
        if (e > worst) {
            worst = e;
            worst_at = i;
        }
    }
    printf("%.3g %zu", worst, count);
    for (int k = 0; k < f->arguments; k++) {
        printf(" %.17g", at(arguments[k], is_float, worst_at));
    }
    printf("\n");
    return 0;
}
