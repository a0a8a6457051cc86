/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit floating point, fp16 and bfloat16, alone and in pairs; see exec.h.
 *
 * A value is computed in fp64 and rounded once. Products of two values are exact there; a sum
 * that is not is made odd in its last bit, so that the rounding to 16 bits sees on which side of
 * a tie the true value lies. Any NaN result is 0x7fff.
 */
#include "shell/core/exec/exec.h"

#include <math.h>

typedef struct format {
    int fraction, bias;
} format;

static format format_of(bool bfloat)
{
    return bfloat ? (format){7, 127} : (format){10, 15};
}

float wr_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = half >> 10 & 0x1fu;
    uint32_t fraction = half & 0x3ffu;
    if (exponent == 0) { /* zero or subnormal: fraction x 2^-24 is exact in fp32 */
        float value = (float)fraction * 0x1p-24f;
        return wr_as_float(wr_float_bits(value) | sign);
    }
    exponent = exponent == 31 ? 255 : exponent + 112;
    return wr_as_float(sign | exponent << 23 | fraction << 13);
}

double wr_half_value(uint16_t bits, bool bfloat)
{
    return (double)(bfloat ? wr_as_float((uint32_t)bits << 16) : wr_half_to_float(bits));
}

static bool away_from_zero(uint8_t round, bool negative, uint64_t rest, uint64_t tie, bool odd)
{
    switch (round) {
    case WR_RND_RZ:
        return false;
    case WR_RND_RM:
        return negative && rest != 0;
    case WR_RND_RP:
        return !negative && rest != 0;
    default:
        return rest > tie || (rest == tie && odd);
    }
}

uint16_t wr_half_round(double value, bool bfloat, uint8_t round)
{
    format f = format_of(bfloat);
    bool negative = signbit(value) != 0;
    uint32_t sign = negative ? 0x8000u : 0;
    uint32_t infinity = (2u * (uint32_t)f.bias + 1) << f.fraction;
    if (isnan(value)) {
        return 0x7fff;
    }
    if (isinf(value) || value == 0.0) {
        return (uint16_t)(sign | (isinf(value) ? infinity : 0));
    }
    int exponent;
    uint64_t units = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53); /* x 2^(exponent-53) */
    int lowest = 1 - f.bias - f.fraction; /* exponent of the last bit of subnormals */
    int last = exponent - 1 - f.fraction; /* exponent of the result's last bit */
    last = last < lowest ? lowest : last;
    int drop = last - (exponent - 53);
    uint64_t kept = drop < 64 ? units >> drop : 0;
    uint64_t rest = drop < 64 ? units & ((UINT64_C(1) << drop) - 1) : units;
    uint64_t tie = drop <= 64 ? UINT64_C(1) << (drop - 1) : UINT64_MAX;
    kept += away_from_zero(round, negative, rest, tie, (kept & 1) != 0) ? 1 : 0;
    uint64_t bits = ((uint64_t)(last - lowest) << f.fraction) + kept;
    if (bits >= infinity) {
        bool to_max = round == WR_RND_RZ || round == (negative ? WR_RND_RP : WR_RND_RM);
        bits = to_max ? infinity - 1 : infinity;
    }
    return (uint16_t)(sign | bits);
}

static double sum(double a, double b)
{
    double s = a + b;
    if (!isfinite(s)) {
        return s;
    }
    double part = s - a;
    double error = (a - (s - part)) + (b - part);
    uint64_t bits = wr_double_bits(s);
    if (error != 0.0 && (bits & 1) == 0) {
        bits = (error > 0.0) == (s > 0.0) ? bits + 1 : bits - 1;
    }
    return wr_as_double(bits);
}

static double lesser_or_greater(const wr_insn *insn, double a, double b)
{
    bool flip = (insn->variant & WR_VAR_XORSIGN) != 0;
    bool negative = (signbit(a) != 0) != (signbit(b) != 0);
    double r;
    if (flip) {
        a = fabs(a);
        b = fabs(b);
    }
    if (isnan(a) || isnan(b)) {
        bool takes_nan = (insn->variant & WR_VAR_NAN) != 0 || (isnan(a) && isnan(b));
        r = takes_nan ? (double)NAN : isnan(a) ? b : a;
    } else if (a == b) {
        r = (signbit(a) != 0) == (insn->op == WR_OP_MIN) ? a : b;
    } else {
        r = (insn->op == WR_OP_MIN) == (a < b) ? a : b;
    }
    return flip && !isnan(r) ? copysign(r, negative ? -1.0 : 1.0) : r;
}

static double compute(const wr_insn *insn, double a, double b, double c)
{
    switch (insn->op) {
    case WR_OP_ADD:
        return sum(a, b);
    case WR_OP_SUB:
        return sum(a, -b);
    case WR_OP_MUL:
        return a * b;
    case WR_OP_FMA:
        return sum(a * b, c);
    case WR_OP_EX2:
        return exp2(a);
    case WR_OP_TANH:
        return tanh(a);
    default:
        return lesser_or_greater(insn, a, b);
    }
}

uint16_t wr_half_clamp(uint16_t bits, const wr_insn *insn, bool bfloat)
{
    double v = wr_half_value(bits, bfloat);
    if (insn->sat) {
        return v > 1.0 ? wr_half_round(1.0, bfloat, WR_RND_RN) : v > 0.0 ? bits : 0;
    }
    return (insn->variant & WR_VAR_RELU) != 0 && !isnan(v) && signbit(v) != 0 ? 0 : bits;
}

static uint16_t flush(uint16_t bits, const wr_insn *insn, bool bfloat)
{
    uint16_t exponent = bfloat ? 0x7f80 : 0x7c00;
    return insn->ftz && (bits & exponent) == 0 ? bits & 0x8000u : bits;
}

static uint16_t half_op(const wr_insn *insn, bool bfloat, uint32_t a, uint32_t b, uint32_t c)
{
    uint16_t in[3] = {flush((uint16_t)a, insn, bfloat), flush((uint16_t)b, insn, bfloat),
                      flush((uint16_t)c, insn, bfloat)};
    if (insn->op == WR_OP_ABS) {
        return in[0] & 0x7fffu;
    }
    if (insn->op == WR_OP_NEG) {
        return in[0] ^ 0x8000u;
    }
    double v = compute(insn, wr_half_value(in[0], bfloat), wr_half_value(in[1], bfloat),
                       wr_half_value(in[2], bfloat));
    uint16_t r = flush(wr_half_round(v, bfloat, WR_RND_RN), insn, bfloat);
    return wr_half_clamp(r, insn, bfloat);
}

static void half_lanes(wr_lanes *x)
{
    bool bfloat = x->insn->type == WR_BF16 || x->insn->type == WR_BF16X2;
    bool pair = x->insn->type == WR_F16X2 || x->insn->type == WR_BF16X2;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint32_t a = x->a[i];
        uint32_t b = x->b[i];
        uint32_t c = x->c[i];
        uint32_t r = half_op(x->insn, bfloat, a, b, c);
        if (pair) {
            r |= (uint32_t)half_op(x->insn, bfloat, a >> 16, b >> 16, c >> 16) << 16;
        }
        x->d[i] = r;
    }
}

wr_lane_fn wr_exec_half_fn(const wr_insn *insn, uint32_t *passes)
{
    static const bool has[WR_OP_COUNT] = {
        [WR_OP_ADD] = true, [WR_OP_SUB] = true, [WR_OP_MUL] = true, [WR_OP_FMA] = true,
        [WR_OP_ABS] = true, [WR_OP_NEG] = true, [WR_OP_MIN] = true, [WR_OP_MAX] = true,
        [WR_OP_EX2] = true, [WR_OP_TANH] = true};
    bool half = insn->type == WR_F16 || insn->type == WR_BF16 || insn->type == WR_F16X2 ||
                insn->type == WR_BF16X2;
    *passes = 0;
    return half && has[insn->op] ? half_lanes : NULL;
}
