/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: CVT between all pairs of types; see exec.h.
 *
 * Two steps through a wide middle: integers pass as 64 bits, floating point as fp64, which
 * holds every value of the narrower formats. Into integers: round as the instruction says, NaN
 * becomes 0, what is out of range becomes the nearest value that fits. Into floating point: the
 * rounding mode of the instruction, once, because each final step starts from an exact value.
 */
#include "shell/core/exec/exec.h"

#include <math.h>

typedef struct cvt_type {
    uint8_t bits;
    bool is_signed, is_float, defined, bfloat;
} cvt_type;
static const cvt_type types[WR_TYPE_COUNT] = {
    [WR_U8] = {8, false, false, true},   [WR_S8] = {8, true, false, true},
    [WR_B8] = {8, false, false, true},   [WR_U16] = {16, false, false, true},
    [WR_S16] = {16, true, false, true},  [WR_B16] = {16, false, false, true},
    [WR_U32] = {32, false, false, true}, [WR_S32] = {32, true, false, true},
    [WR_B32] = {32, false, false, true}, [WR_U64] = {64, false, false, true},
    [WR_S64] = {64, true, false, true},  [WR_B64] = {64, false, false, true},
    [WR_F16] = {16, true, true, true},   [WR_F32] = {32, true, true, true},
    [WR_F64] = {64, true, true, true},   [WR_BF16] = {16, true, true, true, true},
};

/* An integer of a type, extended to 64 bits. */
static inline uint64_t extend(uint64_t v, const cvt_type *t)
{
    if (t->bits == 64) {
        return v;
    }
    unsigned shift = 64U - t->bits;
    return t->is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static void load_ints(const wr_lanes *x, const cvt_type *t, uint64_t out[WR_LANES])
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        out[i] = extend(t->bits == 64 ? wr_lane64(x->a, i) : x->a[i], t);
    }
}

static void store_ints(wr_lanes *x, const cvt_type *t, const uint64_t in[WR_LANES])
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t v = extend(in[i], t);
        if (t->bits == 64) {
            wr_set_lane64(x->d, i, v);
        } else {
            x->d[i] = (uint32_t)v;
        }
    }
}

static void load_floats(const wr_lanes *x, const cvt_type *t, double out[WR_LANES])
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        if (t->bits == 64) {
            out[i] = wr_as_double(wr_lane64(x->a, i));
        } else if (t->bits == 32) {
            out[i] = (double)wr_as_float(x->a[i]);
        } else {
            out[i] = wr_half_value((uint16_t)x->a[i], t->bfloat);
        }
    }
}

static void store_floats(wr_lanes *x, const cvt_type *t, const double in[WR_LANES])
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        if (t->bits == 64) {
            wr_set_lane64(x->d, i, wr_double_bits(in[i]));
        } else if (t->bits == 32) {
            x->d[i] = wr_float_bits((float)in[i]);
        } else {
            uint16_t r = wr_half_round(in[i], t->bfloat, x->insn->rnd);
            x->d[i] = wr_half_clamp(r, x->insn, t->bfloat);
        }
    }
}

/* cvt.sat between integers: the nearest value that fits the destination. */
static uint64_t saturate(uint64_t v, const cvt_type *from, const cvt_type *to)
{
    bool negative = from->is_signed && (int64_t)v < 0;
    if (!to->is_signed) {
        uint64_t top = to->bits == 64 ? UINT64_MAX : (UINT64_C(1) << to->bits) - 1;
        return negative ? 0 : v > top ? top : v;
    }
    int64_t top = (int64_t)(UINT64_MAX >> (65U - to->bits));
    if (negative) {
        return (int64_t)v < -top - 1 ? (uint64_t)(-top - 1) : v;
    }
    return v > (uint64_t)top ? (uint64_t)top : v;
}

static void cvt_int_int(wr_lanes *x)
{
    const cvt_type *from = &types[x->insn->type2];
    const cvt_type *to = &types[x->insn->type];
    uint64_t v[WR_LANES];
    load_ints(x, from, v);
    if (x->insn->sat) {
        for (unsigned i = 0; i < WR_LANES; i++) {
            v[i] = saturate(v[i], from, to);
        }
    }
    store_ints(x, to, v);
}

/* An integer as fp64 that rounds to 16 bits as the integer would: what does not fit 53 bits is
 * cut with the last bit kept sticky. */
static double half_input(uint64_t v, bool is_signed)
{
    bool negative = is_signed && (int64_t)v < 0;
    uint64_t magnitude = negative ? 0 - v : v;
    uint64_t lost = magnitude & 0x7ff;
    double r = magnitude >> 53 == 0 ? (double)magnitude
                                    : ldexp((double)(magnitude >> 11 | (lost != 0 ? 1u : 0u)), 11);
    return negative ? -r : r;
}

static void cvt_int_float(wr_lanes *x)
{
    const cvt_type *from = &types[x->insn->type2];
    const cvt_type *to = &types[x->insn->type];
    uint64_t v[WR_LANES];
    load_ints(x, from, v);
    for (unsigned i = 0; i < WR_LANES; i++) {
        if (to->bits == 64) {
            double r = from->is_signed ? (double)(int64_t)v[i] : (double)v[i];
            wr_set_lane64(x->d, i, wr_double_bits(r));
        } else if (to->bits == 16) {
            double r = half_input(v[i], from->is_signed);
            uint16_t h = wr_half_round(r, to->bfloat, x->insn->rnd);
            x->d[i] = wr_half_clamp(h, x->insn, to->bfloat);
        } else {
            float r = from->is_signed ? (float)(int64_t)v[i] : (float)v[i];
            x->d[i] = wr_float_bits(r);
        }
    }
}

static double to_integral(double v, uint8_t round)
{
    switch (round) {
    case WR_RND_RM:
    case WR_RND_RMI:
        return floor(v);
    case WR_RND_RP:
    case WR_RND_RPI:
        return ceil(v);
    case WR_RND_RN:
    case WR_RND_RNI:
        return nearbyint(v);
    default:
        return trunc(v);
    }
}

static void cvt_float_int(wr_lanes *x)
{
    const cvt_type *to = &types[x->insn->type];
    double v[WR_LANES];
    uint64_t out[WR_LANES];
    load_floats(x, &types[x->insn->type2], v);
    double top = ldexp(1.0, to->bits - (to->is_signed ? 1 : 0)); /* first value above the range */
    double bottom = to->is_signed ? -top : 0.0;
    uint64_t most = to->is_signed ? UINT64_MAX >> (65U - to->bits) : UINT64_MAX >> (64U - to->bits);
    uint64_t middle = to->is_signed ? ~most : UINT64_C(1) << (to->bits - 1U);
    uint64_t of_nan = x->insn->type2 == WR_F64 || to->bits == 64 ? middle : 0;
    for (unsigned i = 0; i < WR_LANES; i++) {
        double r = to_integral(v[i], x->insn->rnd);
        if (isnan(r)) {
            out[i] = of_nan;
        } else if (r >= top) {
            out[i] = most;
        } else if (r < bottom) {
            out[i] = to->is_signed ? ~most : 0;
        } else {
            out[i] = r < 0.0 ? (uint64_t)(int64_t)r : (uint64_t)r;
        }
    }
    store_ints(x, to, out);
}

static void cvt_float_float(wr_lanes *x)
{
    double v[WR_LANES];
    load_floats(x, &types[x->insn->type2], v);
    if (x->insn->rnd >= WR_RND_RNI && x->insn->rnd <= WR_RND_RPI) {
        for (unsigned i = 0; i < WR_LANES; i++) {
            v[i] = to_integral(v[i], x->insn->rnd);
        }
    }
    store_floats(x, &types[x->insn->type], v);
}

wr_lane_fn wr_exec_cvt_fn(const wr_insn *insn, uint32_t *passes)
{
    if (insn->op != WR_OP_CVT || !types[insn->type].defined || !types[insn->type2].defined) {
        return NULL;
    }
    bool from_float = types[insn->type2].is_float;
    bool to_float = types[insn->type].is_float;
    *passes = 0;
    if (insn->ftz && insn->type2 == WR_F32) {
        *passes |= insn->type == WR_F32 ? WR_PASS_FTZ : WR_PASS_FTZ_IN;
    } else if (insn->ftz && insn->type == WR_F32) {
        *passes |= WR_PASS_FTZ | WR_PASS_OUT_ONLY;
    }
    if (to_float) {
        bool directed = insn->rnd == WR_RND_RZ || insn->rnd == WR_RND_RM || insn->rnd == WR_RND_RP;
        *passes |= directed && types[insn->type].bits != 16 ? WR_PASS_ROUND : 0;
        if (insn->type == WR_F32) {
            *passes |= WR_PASS_NAN | (insn->sat ? WR_PASS_SAT : 0);
        } else if (insn->type == WR_F64) {
            *passes |= insn->sat ? WR_PASS_SAT64 : 0;
        }
        return from_float ? cvt_float_float : cvt_int_float;
    }
    return from_float ? cvt_float_int : cvt_int_int;
}
