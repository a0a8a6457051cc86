/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between all types against exact numbers and C's rounding modes. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/float_oracle.h"

/* The source's type is the last word in front of the operands. */
typedef struct source {
    unsigned bits;
    bool is_signed, is_float, bfloat;
} source;

static source source_of(const arith_env *e)
{
    const char *end = strstr(e->text, " o0"), *p = end;
    source s = {0};

    while (p[-1] != '.') {
        p--;
    }
    s.is_signed = *p == 's';
    s.bfloat = *p == 'b';
    s.is_float = *p == 'f' || s.bfloat;
    for (; p < end; p++) {
        if (*p >= '0' && *p <= '9') {
            s.bits = 10 * s.bits + (unsigned)(*p - '0');
        }
    }
    return s;
}

static __int128 int_value(source s, uint64_t v)
{
    return s.is_signed ? (__int128)arith_signed(v, s.bits) : (__int128)arith_cut(v, s.bits);
}

static double float_value(const arith_env *e, source s, uint64_t v)
{
    if (s.bits == 16) {
        return arith_half((uint16_t)v, s.bfloat);
    }
    return s.bits == 32 ? (double)flush(e, arith_f32(v)) : arith_f64(v);
}

/* A number into the destination's range, extended to 64 bits. */
static uint64_t clamped(const arith_env *e, __int128 v)
{
    __int128 top = ((__int128)1 << (e->bits - (e->is_signed ? 1 : 0))) - 1;
    __int128 bottom = e->is_signed ? -top - 1 : 0;

    return (uint64_t)(v > top ? top : v < bottom ? bottom : v);
}

ORACLE(o_int_int)
{
    __int128 v = int_value(source_of(e), in[0]);

    if (has(e, "sat")) {
        out[0] = clamped(e, v);
    } else {
        out[0] = e->is_signed ? (uint64_t)arith_signed((uint64_t)v, e->bits)
                              : arith_cut((uint64_t)v, e->bits);
    }
}

static double integral(const arith_env *e, double v)
{
    if (has(e, "rni")) {
        double down = floor(v), part = v - down;

        if (part != 0.5) {
            return part > 0.5 ? ceil(v) : down;
        }
        return fmod(down, 2.0) == 0.0 ? down : ceil(v);
    }
    return has(e, "rzi") ? trunc(v) : has(e, "rmi") ? floor(v) : has(e, "rpi") ? ceil(v) : v;
}

ORACLE(o_float_int)
{
    double v = integral(e, float_value(e, source_of(e), in[0]));

    if (isnan(v)) { /* PTX ISA 9.0, cvt */
        bool middle = source_of(e).bits == 64 || e->bits == 64;
        __int128 half = (__int128)1 << (e->bits - 1);

        out[0] = middle ? (uint64_t)(e->is_signed ? -half : half) : 0;
    } else if (fabs(v) >= 0x1p100) {
        out[0] = clamped(e, v > 0 ? (__int128)1 << 100 : -((__int128)1 << 100));
    } else {
        out[0] = clamped(e, (__int128)v);
    }
}

/* Rounds and clamps. */
static uint64_t narrowed(const arith_env *e, __float128 v)
{
    volatile double d = (double)v;
    volatile float f;

    if (e->bits == 16) {
        return half_result(e, rounded(e, v, e->bfloat));
    }
    fesetround(rounding(e));
    f = (float)d; /* only of values that a double holds */
    fesetround(FE_TONEAREST);
    f = flush(e, f);
    if (has(e, "sat")) {
        f = isnan(f) || f <= 0.0f ? 0.0f : f > 1.0f ? 1.0f : f;
    }
    if (e->bits == 32) {
        return arith_bits32(f);
    }
    if (has(e, "sat")) {
        d = isnan(d) || d <= 0.0 ? 0.0 : d > 1.0 ? 1.0 : d;
    }
    return arith_bits64(d);
}

ORACLE(o_int_float)
{
    source s = source_of(e);
    __int128 v = int_value(s, in[0]);
    volatile uint64_t u = (uint64_t)v;
    volatile int64_t i = (int64_t)v;
    volatile float f;
    volatile double d;

    if (e->bits == 16 || has(e, "sat")) {
        out[0] = narrowed(e, (__float128)v);
        return;
    }
    fesetround(rounding(e));
    f = s.is_signed ? (float)i : (float)u;
    d = s.is_signed ? (double)i : (double)u;
    fesetround(FE_TONEAREST);
    out[0] = e->bits == 32 ? arith_bits32(f) : arith_bits64(d);
}

ORACLE(o_float_float)
{
    out[0] = narrowed(e, integral(e, float_value(e, source_of(e), in[0])));
}

ORACLE(o_cvt_pair)
{
    uint64_t low = narrowed(e, (__float128)flush(e, arith_f32(in[1])));
    uint64_t high = narrowed(e, (__float128)flush(e, arith_f32(in[0])));

    out[0] = high << 16 | low;
}

#define ALL_INTS "u8 s8 u16 s16 u32 s32 u64 s64"
#define INT_ROWS(type, letter)                                                                     \
    {"cvt.$T." type " o0, i0;", ALL_INTS, NULL, "d", letter, o_int_int, 0},                        \
        {"cvt.sat.$T." type " o0, i0;", ALL_INTS, NULL, "d", letter, o_int_int, 0},                \
    {                                                                                              \
        "cvt.$M.$T." type " o0, i0;", "f16 bf16 f32 f64", ROUNDS " rn.sat", "T", letter,           \
            o_int_float, 0                                                                         \
    }
#define FLOAT_ROW(type, letter, modes)                                                             \
    {                                                                                              \
        "cvt.$M.$T." type " o0, i0;", ALL_INTS, modes, "d", letter, o_float_int, 0                 \
    }

static void conversions(void **state)
{
    static const arith_case cases[] = {
        INT_ROWS("u8", "h"),
        INT_ROWS("s8", "w"),
        INT_ROWS("u16", "h"),
        INT_ROWS("s16", "h"),
        INT_ROWS("u32", "w"),
        INT_ROWS("s32", "w"),
        INT_ROWS("u64", "d"),
        INT_ROWS("s64", "d"),
        FLOAT_ROW("f16", "e", "rni rzi rmi rpi rzi.sat"),
        FLOAT_ROW("bf16", "e", "rni rzi rmi rpi rzi.sat"),
        {"cvt.$M.$T.f16 o0, i0;", "bf16", ROUNDS, "T", "e", o_float_float, 0},
        {"cvt.$M.$T.bf16 o0, i0;", "f16", ROUNDS, "T", "e", o_float_float, 0},
        {"cvt.$M.$T.bf16 o0, i0;", "bf16", "rni rzi rmi rpi", "T", "e", o_float_float, 0},
        FLOAT_ROW("f32", "f", "rni rzi rmi rpi rni.sat rpi.ftz rmi.ftz.sat"),
        FLOAT_ROW("f64", "F", "rni rzi rmi rpi rni.sat"),
        {"cvt.$M.$T.f32 o0, i0;", "f16", ROUNDS " rn.sat rz.ftz", "T", "f", o_float_float, 0},
        {"cvt.$M.$T.f32 o0, i0;", "bf16", ROUNDS, "T", "f", o_float_float, 0},
        {"cvt.$M.$T.f64 o0, i0;", "f16 bf16 f32", ROUNDS " rn.sat", "T", "F", o_float_float, 0},
        {"cvt.$M.$T.f64 o0, i0;", "f32", "rn.ftz rz.ftz.sat", "T", "F", o_float_float, 0},
        {"cvt.$T.f16 o0, i0;", "f32 f64", NULL, "T", "e", o_float_float, 0},
        {"cvt.sat.$T.f16 o0, i0;", "f32 f64", NULL, "T", "e", o_float_float, 0},
        {"cvt.$T.f32 o0, i0;", "f64", NULL, "T", "f", o_float_float, 0},
        {"cvt.ftz.$T.f32 o0, i0;", "f64", NULL, "T", "f", o_float_float, 0},
        {"cvt.$M.$T.f16 o0, i0;", "f16", "rni rzi rmi rpi", "T", "e", o_float_float, 0},
        {"cvt.$M.$T.f32 o0, i0;", "f32", "rni rzi rmi rpi rni.ftz sat ftz.sat", "T", "f",
         o_float_float, 0},
        {"cvt.$M.$T.f64 o0, i0;", "f64", "rni rzi rmi rpi sat", "T", "F", o_float_float, 0},
        {"cvt.$M.$T.f32 o0, i0, i1;", "f16x2 bf16x2", "rn rz rn.relu", "T", "ff", o_cvt_pair, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

ORACLE(o_from_bf16)
{
    double v = arith_half((uint16_t)in[0], e->bfloat);

    out[0] = arith_bits32((float)v);
    out[1] = arith_bits64(v);
}

static void from_bf16(void **state)
{
    static const arith_case cases[] = {
        {"cvt.f32.$T o0, i0; cvt.f64.$T o1, i0;", "bf16", NULL, "fF", "T", o_from_bf16, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),
        cmocka_unit_test(from_bf16),
    };

    return cmocka_run_group_tests_name("conversions", tests, NULL, NULL);
}
