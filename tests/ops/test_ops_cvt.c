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

/* ---- 8-bit floats, by their definition ---- */

/* Magnitude of a code: sign, exponent, fraction; e4m3 has no infinities and one NaN. */
static double value8(bool e4m3, unsigned code)
{
    unsigned bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    unsigned exponent = (code & 0x7f) >> bits, fraction = code & ((1u << bits) - 1);

    if (e4m3 ? (code & 0x7f) == 0x7f : (code & 0x7f) > 0x7c) {
        return (double)NAN;
    }
    if (!e4m3 && (code & 0x7f) == 0x7c) {
        return (double)INFINITY;
    }
    return exponent == 0 ? ldexp(fraction, 1 - (int)bias - (int)bits)
                         : ldexp((1u << bits) + fraction, (int)exponent - (int)bias - (int)bits);
}

/* The nearest code; of two the even one, and none beyond the largest number. */
static unsigned code8(const arith_env *e, double v)
{
    bool e4m3 = e->type[1] == '4';
    unsigned top = e4m3 ? 0x7e : 0x7b, code = 0;

    if (isnan(v)) {
        return 0x7f;
    }
    if (has(e, "relu") && signbit(v) != 0) {
        return 0;
    }
    while (code < top) {
        double middle = (value8(e4m3, code) + value8(e4m3, code + 1)) / 2;

        if (fabs(v) < middle || (fabs(v) == middle && (code & 1) == 0)) {
            break;
        }
        code++;
    }
    return code | (signbit(v) != 0 ? 0x80 : 0);
}

ORACLE(o_to_fp8)
{
    out[0] = code8(e, (double)arith_f32(in[0])) << 8 | code8(e, (double)arith_f32(in[1]));
}

ORACLE(o_pair_to_fp8)
{
    out[0] = code8(e, arith_half((uint16_t)(in[0] >> 16), false)) << 8 |
             code8(e, arith_half((uint16_t)in[0], false));
}

ORACLE(o_from_fp8)
{
    out[0] = 0;
    for (unsigned i = 0; i < 2; i++) {
        unsigned code = (unsigned)(in[0] >> 8 * i) & 0xff;
        double v = value8(e->type[1] == '4', code);

        v = (code & 0x80) != 0 ? -v : v;
        if (has(e, "relu") && !isnan(v) && signbit(v) != 0) {
            v = 0.0;
        }
        out[0] |= (uint64_t)(isnan(v) ? 0x7fff : rounded(e, (__float128)v, false)) << 16 * i;
    }
}

/* cvt.pack: clamped by hand, b in the lowest bits. */
ORACLE(o_pack)
{
    unsigned bits = (unsigned)(e->type[1] - '0') % 10;
    int64_t top, bottom;

    bits = e->type[1] == '1' ? 16 : bits;
    top = ((int64_t)1 << (bits - (e->is_signed ? 1 : 0))) - 1;
    bottom = e->is_signed ? -top - 1 : 0;
    out[0] = bits == 16 ? 0 : in[2] << 2 * bits;
    for (unsigned i = 0; i < 2; i++) {
        int64_t v = arith_signed(in[1 - i], 32);

        v = v > top ? top : v < bottom ? bottom : v;
        out[0] |= arith_cut((uint64_t)v, bits) << i * bits;
    }
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
        {"cvt.$M.$T.f32 o0, i0, i1;", "e4m3x2 e5m2x2", "rn.satfinite rn.satfinite.relu", "h", "kk",
         o_to_fp8, 0},
        {"cvt.$M.$T.f16x2 o0, i0;", "e4m3x2 e5m2x2", "rn.satfinite rn.satfinite.relu", "h", "x",
         o_pair_to_fp8, 0},
        {"cvt.$M.f16x2.$T o0, i0;", "e4m3x2 e5m2x2", "rn rn.relu", "w", "n", o_from_fp8, 0},
        {"cvt.pack.sat.$T.s32 o0, i0, i1;", "u16 s16", NULL, "w", "ww", o_pack, 0},
        {"cvt.pack.sat.$T.s32.b32 o0, i0, i1, i2;", "u2 s2 u4 s4 u8 s8", NULL, "w", "ccw", o_pack,
         0},
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
