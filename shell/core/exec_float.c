/* Floating-point lane functions; see exec.h.
 *
 * fp32 and fp64 are the host's IEEE arithmetic, one rounding an operation (the file must be
 * compiled without contraction); fma rounds once. The approximate functions of a GPU (rcp,
 * rsqrt, ex2, lg2, sin, cos, div.approx) are computed in fp64 and rounded: more exact than the
 * hardware, which guarantees a few units in the last place. fp16 is computed in fp32 and
 * rounded; for fma alone that can round twice.
 */
#include "shell/core/exec.h"

#include <math.h>

#define FLOAT_FN(name, expr)                                                                       \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)                               \
        {                                                                                          \
            float A = wr_as_float(pa[i]), B = wr_as_float(pb[i]), C = wr_as_float(pc[i]);          \
            (void)A, (void)B, (void)C;                                                             \
            d[i] = wr_float_bits(expr);                                                            \
        }                                                                                          \
    }
#define DOUBLE_FN(name, expr)                                                                      \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)                               \
        {                                                                                          \
            double A = wr_as_double(wr_lane64(pa, i)), B = wr_as_double(wr_lane64(pb, i)),         \
                   C = wr_as_double(wr_lane64(pc, i));                                             \
            (void)A, (void)B, (void)C;                                                             \
            wr_set_lane64(d, i, wr_double_bits(expr));                                             \
        }                                                                                          \
    }

/* A NaN loses against a number, and -0 is below +0. */
static inline float min_f32(float a, float b)
{
    if (isnan(a)) {
        return b;
    }
    if (isnan(b)) {
        return a;
    }
    if (a == b) {
        return signbit(a) ? a : b;
    }
    return a < b ? a : b;
}
static inline float max_f32(float a, float b)
{
    if (isnan(a)) {
        return b;
    }
    if (isnan(b)) {
        return a;
    }
    if (a == b) {
        return signbit(a) ? b : a;
    }
    return a > b ? a : b;
}
static inline double min_f64(double a, double b)
{
    if (isnan(a)) {
        return b;
    }
    if (isnan(b)) {
        return a;
    }
    if (a == b) {
        return signbit(a) ? a : b;
    }
    return a < b ? a : b;
}
static inline double max_f64(double a, double b)
{
    if (isnan(a)) {
        return b;
    }
    if (isnan(b)) {
        return a;
    }
    if (a == b) {
        return signbit(a) ? b : a;
    }
    return a > b ? a : b;
}

FLOAT_FN(add_f32, A + B)
FLOAT_FN(sub_f32, A - B)
FLOAT_FN(mul_f32, A *B)
FLOAT_FN(fma_f32, fmaf(A, B, C))
FLOAT_FN(div_f32, A / B)
FLOAT_FN(rcp_f32, 1.0f / A)
FLOAT_FN(sqrt_f32, sqrtf(A))
FLOAT_FN(min_fn32, min_f32(A, B))
FLOAT_FN(max_fn32, max_f32(A, B))
FLOAT_FN(abs_f32, wr_as_float(wr_float_bits(A) & 0x7fffffffu))
FLOAT_FN(neg_f32, wr_as_float(wr_float_bits(A) ^ 0x80000000u))
FLOAT_FN(rsqrt_f32, (float)(1.0 / sqrt((double)A)))
FLOAT_FN(ex2_f32, (float)exp2((double)A))
FLOAT_FN(lg2_f32, (float)log2((double)A))
FLOAT_FN(sin_f32, (float)sin((double)A))
FLOAT_FN(cos_f32, (float)cos((double)A))

DOUBLE_FN(add_f64, A + B)
DOUBLE_FN(sub_f64, A - B)
DOUBLE_FN(mul_f64, A *B)
DOUBLE_FN(fma_f64, fma(A, B, C))
DOUBLE_FN(div_f64, A / B)
DOUBLE_FN(rcp_f64, 1.0 / A)
DOUBLE_FN(sqrt_f64, sqrt(A))
DOUBLE_FN(rsqrt_f64, 1.0 / sqrt(A))
DOUBLE_FN(min_fn64, min_f64(A, B))
DOUBLE_FN(max_fn64, max_f64(A, B))
DOUBLE_FN(abs_f64, wr_as_double(wr_double_bits(A) & ~(UINT64_C(1) << 63)))
DOUBLE_FN(neg_f64, wr_as_double(wr_double_bits(A) ^ UINT64_C(1) << 63))

typedef struct float_row {
    wr_lane_fn f32, f64;
    bool keeps_nan; /* the result is bits of an operand: a NaN stays as it is */
} float_row;

static const float_row rows[WR_OP_COUNT] = {
    [WR_OP_ADD] = {add_f32, add_f64, false},       [WR_OP_SUB] = {sub_f32, sub_f64, false},
    [WR_OP_MUL] = {mul_f32, mul_f64, false},       [WR_OP_MAD] = {fma_f32, fma_f64, false},
    [WR_OP_FMA] = {fma_f32, fma_f64, false},       [WR_OP_DIV] = {div_f32, div_f64, false},
    [WR_OP_MIN] = {min_fn32, min_fn64, false},     [WR_OP_MAX] = {max_fn32, max_fn64, false},
    [WR_OP_ABS] = {abs_f32, abs_f64, true},        [WR_OP_NEG] = {neg_f32, neg_f64, true},
    [WR_OP_RCP] = {rcp_f32, rcp_f64, false},       [WR_OP_SQRT] = {sqrt_f32, sqrt_f64, false},
    [WR_OP_RSQRT] = {rsqrt_f32, rsqrt_f64, false}, [WR_OP_EX2] = {ex2_f32, NULL, false},
    [WR_OP_LG2] = {lg2_f32, NULL, false},          [WR_OP_SIN] = {sin_f32, NULL, false},
    [WR_OP_COS] = {cos_f32, NULL, false},
};

wr_lane_fn wr_exec_float_fn(const wr_insn *insn, uint32_t *passes)
{
    bool single = insn->type == WR_F32 || insn->type == WR_F16;
    if (!single && insn->type != WR_F64) {
        return NULL;
    }
    const float_row *row = &rows[insn->op];
    *passes = 0;
    if (insn->rnd == WR_RND_RZ || insn->rnd == WR_RND_RM || insn->rnd == WR_RND_RP) {
        *passes |= WR_PASS_ROUND;
    }
    if (!single) {
        *passes |= insn->sat ? WR_PASS_SAT64 : 0;
        return row->f64;
    }
    *passes |= insn->ftz ? WR_PASS_FTZ : 0;
    *passes |= row->keeps_nan ? 0 : WR_PASS_NAN;
    *passes |= insn->sat ? WR_PASS_SAT : 0;
    *passes |= insn->type == WR_F16 ? WR_PASS_F16 : 0;
    return row->f32;
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

uint16_t wr_float_to_half(float value)
{
    uint32_t bits = wr_float_bits(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0x7fff; /* any NaN */
    }
    if (magnitude >= 0x477ff000u) { /* 65520 and up round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    }
    uint32_t shift = 13;
    uint32_t mantissa = magnitude - (112u << 23); /* exponent and fraction together */
    if (magnitude < 0x38800000u) {                /* below 2^-14: subnormal */
        uint32_t exponent = magnitude >> 23;
        if (exponent < 102) {
            return (uint16_t)sign;
        }
        mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        shift = 126 - exponent;
    }
    uint32_t rest = mantissa & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    uint32_t result = mantissa >> shift;
    if (rest > half || (rest == half && (result & 1) != 0)) {
        result++;
    }
    return (uint16_t)(sign | result);
}
