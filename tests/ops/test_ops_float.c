/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point instructions against C with its rounding modes, and against exact sums rounded by
 * search where 16-bit types are the result. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/float_oracle.h"

static double select_extreme(const arith_env *e, double a, double b)
{
    bool flip = has(e, "xorsign"), negative = signbit(a) != signbit(b);
    bool less;
    double r;

    if (flip) {
        a = fabs(a);
        b = fabs(b);
    }
    less = a < b || (a == b && signbit(a) && !signbit(b));
    if (isnan(a) || isnan(b)) {
        r = has(e, "NaN") || (isnan(a) && isnan(b)) ? (double)NAN : isnan(a) ? b : a;
    } else {
        r = op(e, "min") == less ? a : b;
    }
    if (flip && !isnan(r)) {
        r = negative ? -fabs(r) : fabs(r);
    }
    return r;
}

/* ---- f32, f64 ---- */

ORACLE(o_f32)
{
    volatile float a = flush(e, arith_f32(in[0])), b = flush(e, arith_f32(in[1])), r;
    volatile float c = flush(e, arith_f32(in[2]));

    fesetround(rounding(e));
    if (op(e, "add")) {
        r = a + b;
    } else if (op(e, "sub")) {
        r = a - b;
    } else if (op(e, "mul")) {
        r = a * b;
    } else if (op(e, "fma") || op(e, "mad")) {
        r = fmaf(a, b, c);
    } else if (op(e, "div")) {
        r = a / b;
    } else if (op(e, "rcp")) {
        r = 1.0f / a;
    } else if (op(e, "sqrt")) {
        r = sqrtf(a);
    } else {
        r = (float)select_extreme(e, (double)a, (double)b);
    }
    fesetround(FE_TONEAREST);
    r = flush(e, r);
    if (has(e, "sat")) {
        r = isnan(r) || r <= 0.0f ? 0.0f : r > 1.0f ? 1.0f : r;
    }
    out[0] = arith_bits32(r);
}

ORACLE(o_f64)
{
    volatile double a = arith_f64(in[0]), b = arith_f64(in[1]), c = arith_f64(in[2]), r;

    fesetround(rounding(e));
    if (op(e, "add")) {
        r = a + b;
    } else if (op(e, "sub")) {
        r = a - b;
    } else if (op(e, "mul")) {
        r = a * b;
    } else if (op(e, "fma") || op(e, "mad")) {
        r = fma(a, b, c);
    } else if (op(e, "div")) {
        r = a / b;
    } else if (op(e, "rcp")) {
        r = 1.0 / a;
    } else if (op(e, "sqrt")) {
        r = sqrt(a);
    } else if (op(e, "rsqrt")) {
        r = 1.0 / sqrt(a);
    } else {
        r = select_extreme(e, a, b);
    }
    fesetround(FE_TONEAREST);
    out[0] = arith_bits64(r);
}

/* The gross approximations: the high word of the quotient, subnormals being zeros. */
ORACLE(o_gross)
{
    double a = arith_f64(in[0]), r;

    a = fabs(a) < 0x1p-1022 ? copysign(0.0, a) : a;
    r = op(e, "rcp") ? 1.0 / a : 1.0 / sqrt(a);
    r = fabs(r) < 0x1p-1022 ? copysign(0.0, r) : r;
    out[0] = arith_bits64(r) >> 32 << 32;
}

ORACLE(o_approx)
{
    long double a = (long double)flush(e, arith_f32(in[0]));
    long double r;

    if (op(e, "rsqrt")) {
        r = 1.0L / sqrtl(a);
    } else if (op(e, "sin")) {
        r = sinl(a);
    } else if (op(e, "cos")) {
        r = cosl(a);
    } else if (op(e, "lg2")) {
        r = log2l(a);
    } else if (op(e, "ex2")) {
        r = exp2l(a);
    } else {
        r = tanhl(a);
    }
    out[0] = arith_bits32(flush(e, (float)r));
}

ORACLE(o_sign)
{
    uint64_t sign = UINT64_C(1) << (e->bits - 1);
    uint64_t v = in[0];

    if (has(e, "ftz") && e->bits == 32 && (v & 0x7f800000) == 0) {
        v &= sign;
    }
    out[0] = op(e, "abs") ? v & ~sign : v ^ sign;
}

ORACLE(o_copysign)
{
    uint64_t sign = UINT64_C(1) << (e->bits - 1);

    out[0] = (in[0] & sign) | (in[1] & ~sign);
}

ORACLE(o_testp)
{
    int class = e->bits == 32 ? fpclassify(arith_f32(in[0])) : fpclassify(arith_f64(in[0]));

    if (has(e, "finite")) {
        out[0] = class != FP_NAN && class != FP_INFINITE;
    } else if (has(e, "infinite")) {
        out[0] = class == FP_INFINITE;
    } else if (has(e, "number")) {
        out[0] = class != FP_NAN;
    } else if (has(e, "notanumber")) {
        out[0] = class == FP_NAN;
    } else if (has(e, "normal")) {
        out[0] = class == FP_NORMAL || class == FP_ZERO;
    } else {
        out[0] = class == FP_SUBNORMAL;
    }
}

ORACLE(o_slct)
{
    out[0] = flush(e, arith_f32(in[2])) >= 0.0f ? in[0] : in[1];
}

/* ---- comparison ---- */

static bool compares(const arith_env *e, double a, double b)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    bool none = isnan(a) || isnan(b);
    bool results[] = {a == b, !none && a != b, a<b, a <= b, a> b, a >= b};

    if (strncmp(e->mode, "num", 3) == 0) {
        return !none;
    }
    if (strncmp(e->mode, "nan", 3) == 0) {
        return none;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(e->mode, names[i], 2) == 0) {
            return results[i] || (e->mode[2] == 'u' && none);
        }
    }
    return false;
}

static double value_of(const arith_env *e, uint64_t bits)
{
    if (e->bits == 16) {
        return value16(e, bits);
    }
    return e->bits == 32 ? (double)flush(e, arith_f32(bits)) : arith_f64(bits);
}

ORACLE(o_setp)
{
    bool r = compares(e, value_of(e, in[0]), value_of(e, in[1]));

    out[0] = r;
    out[1] = !r;
}

ORACLE(o_setp_bool)
{
    bool r = compares(e, value_of(e, in[0]), value_of(e, in[1])), c = in[2] != 0;

    out[0] = r && c;
    out[1] = !r && c;
    out[2] = r || c;
    out[3] = !r || c;
    out[4] = r != c;
}

ORACLE(o_setp_pair)
{
    for (unsigned h = 0; h < 2; h++) {
        bool r = compares(e, value16(e, in[0] >> 16 * h), value16(e, in[1] >> 16 * h));

        out[h] = r && in[2] != 0;
        out[2 + h] = r || in[2] != 0;
        out[4 + h] = r != (in[2] != 0);
        out[6 + h] = r;
    }
}

ORACLE(o_set)
{
    bool r = compares(e, value_of(e, in[0]), value_of(e, in[1]));

    out[0] = r ? UINT32_MAX : 0;
    out[1] = r ? 0x3f800000 : 0;
    out[2] = out[0];
}

ORACLE(o_set_bool)
{
    bool r = compares(e, value_of(e, in[0]), value_of(e, in[1])), c = in[2] != 0;
    bool results[] = {r && c, r || c, r != c};

    for (unsigned i = 0; i < 3; i++) {
        out[3 * i] = out[3 * i + 2] = results[i] ? UINT32_MAX : 0;
        out[3 * i + 1] = results[i] ? 0x3f800000 : 0;
    }
}

ORACLE(o_set_half)
{
    bool r = compares(e, value16(e, in[0]), value16(e, in[1]));

    out[0] = r ? 0x3c00 : 0;
    out[1] = r ? 0x3f80 : 0;
    out[2] = out[3] = r ? 0xffff : 0;
    out[4] = out[5] = r ? UINT32_MAX : 0;
}

ORACLE(o_set_pair)
{
    out[0] = out[1] = out[2] = 0;
    for (unsigned h = 0; h < 2; h++) {
        bool r = compares(e, value16(e, in[0] >> 16 * h), value16(e, in[1] >> 16 * h));

        out[0] |= (uint64_t)(r ? 0x3c00 : 0) << 16 * h;
        out[1] |= (uint64_t)(r ? 0x3f80 : 0) << 16 * h;
        out[2] |= (uint64_t)(r ? 0xffff : 0) << 16 * h;
    }
    out[3] = out[2];
}

/* With a predicate: and, or, xor; of each the two floats, then the integers. */
ORACLE(o_set_half_bool)
{
    unsigned kinds = e->pair ? 4 : 6;
    bool c = in[2] != 0;

    memset(out, 0, (size_t)3 * kinds * sizeof *out);
    for (unsigned h = 0; h < (e->pair ? 2u : 1u); h++) {
        bool r = compares(e, value16(e, in[0] >> 16 * h), value16(e, in[1] >> 16 * h));
        bool results[] = {r && c, r || c, r != c};

        for (unsigned i = 0; i < 3; i++) {
            uint64_t all = e->pair ? 0xffff : UINT32_MAX;

            if (!results[i]) {
                continue;
            }
            out[kinds * i] |= UINT64_C(0x3c00) << 16 * h;
            out[kinds * i + 1] |= UINT64_C(0x3f80) << 16 * h;
            for (unsigned k = 2; k < kinds; k++) {
                out[kinds * i + k] |= all << 16 * h;
            }
        }
    }
}

/* ---- 16 bits ---- */

static uint16_t half_op(const arith_env *e, uint64_t x, uint64_t y, uint64_t z)
{
    double a = value16(e, x), b = value16(e, y), c = value16(e, z);

    if (op(e, "add")) {
        return half_result(e, arith_round16(a, b, e->bfloat, "rn"));
    }
    if (op(e, "sub")) {
        return half_result(e, arith_round16(a, -b, e->bfloat, "rn"));
    }
    if (op(e, "mul")) {
        return half_result(e, rounded(e, (__float128)a * b, e->bfloat));
    }
    if (op(e, "fma")) {
        return half_result(e, arith_round16((__float128)a * b, c, e->bfloat, "rn"));
    }
    if (op(e, "ex2")) {
        return half_result(e, rounded(e, (__float128)exp2l((long double)a), e->bfloat));
    }
    if (op(e, "tanh")) {
        return half_result(e, rounded(e, (__float128)tanhl((long double)a), e->bfloat));
    }
    if (op(e, "abs") || op(e, "neg")) {
        uint16_t v =
            has(e, "ftz") && fabs(a) < 0x1p-14 && !isnan(a) ? (uint16_t)(x & 0x8000) : (uint16_t)x;

        return op(e, "abs") ? v & 0x7fff : v ^ 0x8000;
    }
    return half_result(e, rounded(e, select_extreme(e, a, b), e->bfloat));
}

ORACLE(o_half)
{
    out[0] = half_op(e, in[0], in[1], in[2]);
    if (e->pair) {
        out[0] |= (uint64_t)half_op(e, in[0] >> 16, in[1] >> 16, in[2] >> 16) << 16;
    }
}

/* ---- the cases ---- */

#define CMPS "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
#define SET_ONE(bool, a, b, c)                                                                     \
    "set.$M." bool ".u32.$T " a                                                                    \
                   ", i0, i1, i2; set.$M." bool ".f32.$T " b                                       \
                                                ", i0, i1, i2; set.$M." bool ".s32.$T " c          \
                                                                             ", i0, i1, i2;"
#define SET_TO(bool, type, d) "set.$M." bool "." type ".$T " d ", i0, i1, i2; "
#define SET_HALF(bool, a, b, c, d, e, f)                                                           \
    SET_TO(bool, "f16", a)                                                                         \
    SET_TO(bool, "bf16", b)                                                                        \
    SET_TO(bool, "u16", c) SET_TO(bool, "s16", d) SET_TO(bool, "u32", e) SET_TO(bool, "s32", f)
#define SET_PAIR(bool, a, b, c, d)                                                                 \
    SET_TO(bool, "f16x2", a)                                                                       \
    SET_TO(bool, "bf16x2", b) SET_TO(bool, "u32", c) SET_TO(bool, "s32", d)

/* fma.oob: 0 where a factor is the NaN of what lies out of bounds, half by half. */
ORACLE(o_oob)
{
    o_half(e, in, out);
    for (unsigned i = 0; i < (e->pair ? 2 : 1); i++) {
        uint64_t half = UINT64_C(0xffff) << 16 * i;

        if ((in[0] & half) >> 16 * i == 0x7ff7 || (in[1] & half) >> 16 * i == 0x7ff7) {
            out[0] &= ~half;
        }
    }
}

static void single(void **state)
{
    static const arith_case cases[] = {
        {"$M.$T o0, i0, i1;", "f32", "add add.rn add.rp add.ftz add.sat", "T", "TT", o_f32, 0},
        {"$M.$T o0, i0, i1;", "f32", "sub sub.rz sub.rm sub.rn.ftz sub.sat", "T", "TT", o_f32, 0},
        {"$M.$T o0, i0, i1;", "f32", "mul mul.rm mul.rz mul.rz.ftz mul.rp.ftz.sat", "T", "TT",
         o_f32, 0},
        {"$M.$T o0, i0, i1, i2;", "f32",
         "fma.rn fma.rz fma.rm fma.rp fma.rn.ftz fma.rz.sat fma.rn.ftz.sat mad.rn mad.rz mad.rm "
         "mad.rp.ftz",
         "T", "TTT", o_f32, 0},
        {"div.$M.$T o0, i0, i1;", "f32", ROUNDS " rn.ftz rz.ftz", "T", "TT", o_f32, 0},
        {"div.$M.$T o0, i0, i1;", "f32", "approx full approx.ftz full.ftz", "T", "TT", o_f32, 1},
        {"$M.$T o0, i0;", "f32",
         "rcp.rn rcp.rz rcp.rm rcp.rp rcp.rn.ftz sqrt.rn sqrt.rz sqrt.rm sqrt.rp sqrt.rz.ftz", "T",
         "T", o_f32, 0},
        {"$M.$T o0, i0;", "f32", "rcp.approx rcp.approx.ftz sqrt.approx sqrt.approx.ftz", "T", "T",
         o_f32, 1},
        {"$M.$T o0, i0;", "f32", "rsqrt.approx rsqrt.approx.ftz", "T", "T", o_approx, 1},
        {"$M.$T o0, i0;", "f32", "sin.approx sin.approx.ftz", "T", "T", o_approx, 1},
        {"$M.$T o0, i0;", "f32", "cos.approx cos.approx.ftz", "T", "T", o_approx, 1},
        {"$M.$T o0, i0;", "f32", "lg2.approx lg2.approx.ftz", "T", "T", o_approx, 1},
        {"$M.$T o0, i0;", "f32", "ex2.approx ex2.approx.ftz", "T", "T", o_approx, 1},
        {"$M.$T o0, i0;", "f32", "tanh.approx", "T", "T", o_approx, 1},
        {"$M.$T o0, i0, i1;", "f32",
         "min max min.ftz max.ftz min.NaN max.NaN min.xorsign.abs max.xorsign.abs "
         "min.ftz.NaN.xorsign.abs max.NaN.xorsign.abs",
         "T", "TT", o_f32, 0},
        {"$M.$T o0, i0;", "f32", "abs neg abs.ftz neg.ftz", "T", "T", o_sign, 0},
        {"copysign.$T o0, i0, i1;", "f32 f64", NULL, "T", "TT", o_copysign, 0},
        {"testp.$M.$T o0, i0;", "f32 f64", "finite infinite number notanumber normal subnormal",
         "p", "T", o_testp, 0},
        {"slct.$T.f32 o0, i0, i1, i2;", "b16 b32 b64 u16 s16 u32 s32 u64 s64 f32 f64", NULL, "T",
         "TTf", o_slct, 0},
        {"slct.ftz.$T.f32 o0, i0, i1, i2;", "b16 b32 b64 u16 s16 u32 s32 u64 s64 f32 f64", NULL,
         "T", "TTf", o_slct, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void twofold(void **state)
{
    static const arith_case cases[] = {
        {"$M.$T o0, i0, i1;", "f64", "add add.rn add.rp add.rz", "T", "TT", o_f64, 0},
        {"$M.$T o0, i0, i1;", "f64", "sub sub.rn sub.rz sub.rm", "T", "TT", o_f64, 0},
        {"$M.$T o0, i0, i1;", "f64", "mul mul.rz mul.rm mul.rp", "T", "TT", o_f64, 0},
        {"$M.$T o0, i0, i1;", "f64", "min max div.rn div.rz div.rm div.rp", "T", "TT", o_f64, 0},
        {"$M.$T o0, i0, i1, i2;", "f64", "fma.rn fma.rz fma.rm fma.rp mad.rn mad.rz mad.rm mad.rp",
         "T", "TTT", o_f64, 0},
        {"$M.$T o0, i0;", "f64",
         "rcp.rn rcp.rz rcp.rm rcp.rp sqrt.rn sqrt.rz sqrt.rm sqrt.rp rsqrt.approx", "T", "T",
         o_f64, 0},
        {"$M.$T o0, i0;", "f64", "rcp.approx.ftz", "T", "T", o_gross, 0},
        {"$M.$T o0, i0;", "f64", "rsqrt.approx.ftz", "T", "T", o_gross, 0},
        {"$M.$T o0, i0;", "f64", "abs neg", "T", "T", o_sign, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void comparisons(void **state)
{
    static const arith_case cases[] = {
        {"setp.$M.$T o0|o1, i0, i1;", "f16 bf16 f32 f64", CMPS, "pp", "TTp", o_setp, 0},
        {"setp.$M.and.$T o0|o1, i0, i1, i2; setp.$M.or.$T o2|o3, i0, i1, i2; "
         "setp.$M.xor.$T o4, i0, i1, i2;",
         "f16 bf16 f32 f64", CMPS, "ppppp", "TTp", o_setp_bool, 0},
        {"setp.$M.$T o0|o1, i0, i1;", "f16 f32", "lt.ftz equ.ftz", "pp", "TTp", o_setp, 0},
        {"setp.$M.and.$T o0|o1, i0, i1, i2; setp.$M.or.$T o2|o3, i0, i1, i2; "
         "setp.$M.xor.$T o4|o5, i0, i1, i2; setp.$M.$T o6|o7, i0, i1;",
         "f16x2 bf16x2", CMPS, "pppppppp", "TTp", o_setp_pair, 0},
        {"set.$M.u32.$T o0, i0, i1; set.$M.f32.$T o1, i0, i1; set.$M.s32.$T o2, i0, i1;", "f32 f64",
         CMPS, "wfw", "TT", o_set, 0},
        {SET_ONE("and", "o0", "o1", "o2") " " SET_ONE("or", "o3", "o4",
                                                      "o5") " " SET_ONE("xor", "o6", "o7", "o8"),
         "f32 f64", CMPS, "wfwwfwwfw", "TTp", o_set_bool, 0},
        {"set.$M.f16.$T o0, i0, i1; set.$M.bf16.$T o1, i0, i1; set.$M.u16.$T o2, i0, i1; "
         "set.$M.s16.$T o3, i0, i1; set.$M.u32.$T o4, i0, i1; set.$M.s32.$T o5, i0, i1;",
         "f16 bf16", CMPS, "hhhhww", "TT", o_set_half, 0},
        {"set.$M.f16.$T o0, i0, i1; set.$M.bf16.$T o1, i0, i1; set.$M.u16.$T o2, i0, i1; "
         "set.$M.s16.$T o3, i0, i1; set.$M.u32.$T o4, i0, i1; set.$M.s32.$T o5, i0, i1;",
         "f16", "lt.ftz equ.ftz", "hhhhww", "TT", o_set_half, 0},
        {"set.$M.f16x2.$T o0, i0, i1; set.$M.bf16x2.$T o1, i0, i1; set.$M.u32.$T o2, i0, i1; "
         "set.$M.s32.$T o3, i0, i1;",
         "f16x2 bf16x2", CMPS, "wwww", "TT", o_set_pair, 0},
        {SET_HALF("and", "o0", "o1", "o2", "o3", "o4", "o5")
             SET_HALF("or", "o6", "o7", "o8", "o9", "o10", "o11")
                 SET_HALF("xor", "o12", "o13", "o14", "o15", "o16", "o17"),
         "f16 bf16", CMPS, "hhhhwwhhhhwwhhhhww", "TTp", o_set_half_bool, 0},
        {SET_PAIR("and", "o0", "o1", "o2", "o3") SET_PAIR("or", "o4", "o5", "o6", "o7")
             SET_PAIR("xor", "o8", "o9", "o10", "o11"),
         "f16x2 bf16x2", CMPS, "wwwwwwwwwwww", "TTp", o_set_half_bool, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void halves(void **state)
{
    static const arith_case cases[] = {
        {"$M.$T o0, i0, i1;", "f16 f16x2",
         "add sub mul add.rn.ftz sub.ftz mul.rn.ftz add.sat sub.rn.sat mul.ftz.sat", "T", "TT",
         o_half, 0},
        {"$M.$T o0, i0, i1;", "bf16 bf16x2", "add sub mul add.rn sub.rn mul.rn", "T", "TT", o_half,
         0},
        {"$M.$T o0, i0, i1, i2;", "f16 f16x2",
         "fma.rn fma.rn.ftz fma.rn.sat fma.rn.relu fma.rn.ftz.relu", "T", "TTT", o_half, 0},
        {"$M.$T o0, i0, i1, i2;", "f16 f16x2", "fma.rn.oob fma.rn.oob.relu fma.rn.oob.sat", "T",
         "ooT", o_oob, 0},
        {"$M.$T o0, i0, i1, i2;", "bf16 bf16x2", "fma.rn.oob fma.rn.oob.relu", "T", "ooT", o_oob,
         0},
        {"$M.$T o0, i0, i1, i2;", "bf16 bf16x2", "fma.rn fma.rn.relu", "T", "TTT", o_half, 0},
        {"$M.$T o0, i0, i1;", "f16 f16x2 bf16 bf16x2",
         "min max min.NaN max.NaN min.xorsign.abs max.NaN.xorsign.abs", "T", "TT", o_half, 0},
        {"$M.$T o0, i0, i1;", "f16 f16x2", "min.ftz max.ftz.NaN", "T", "TT", o_half, 0},
        {"$M.$T o0, i0;", "f16 f16x2 bf16 bf16x2", "abs neg", "T", "T", o_half, 0},
        {"$M.$T o0, i0;", "f16 f16x2", "abs.ftz neg.ftz", "T", "T", o_half, 0},
        {"$M.$T o0, i0;", "f16 bf16 f16x2 bf16x2", "ex2.approx tanh.approx", "T", "T", o_half, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single),
        cmocka_unit_test(twofold),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(halves),
    };

    return cmocka_run_group_tests_name("floating-point instructions", tests, NULL, NULL);
}
