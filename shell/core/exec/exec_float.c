/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point lane functions; see exec.h.
 *
 * fp32 and fp64 are the host's IEEE arithmetic, one rounding an operation (the file must be
 * compiled without contraction); fma rounds once. The approximate functions of a GPU (rcp,
 * rsqrt, ex2, lg2, sin, cos, div.approx) are computed in fp64 and rounded: more exact than the
 * hardware, which guarantees a few units in the last place. 16-bit types are in exec_half.c.
 */
#include "shell/core/exec/exec.h"

#include <math.h>

#define FLOAT_FN(name, expr)                                                                       \
    WR_LANE_CLONES static void name(wr_lanes *x)                                                   \
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
FLOAT_FN(tanh_f32, (float)tanh((double)A))

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

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the high word of a result. */
static inline double flushed_f64(double v)
{
    return fpclassify(v) == FP_SUBNORMAL ? copysign(0.0, v) : v;
}
static inline double gross_f64(double v)
{
    if (isnan(v)) {
        return wr_as_double(UINT64_C(0x7fffffff00000000));
    }
    return wr_as_double(wr_double_bits(flushed_f64(v)) & UINT64_C(0xffffffff00000000));
}
DOUBLE_FN(gross_rcp_f64, gross_f64(1.0 / flushed_f64(A)))
DOUBLE_FN(gross_rsqrt_f64, gross_f64(1.0 / sqrt(flushed_f64(A))))

/* min and max with .NaN or .xorsign.abs: magnitudes compared, the signs' product on top. */
static float variant_f32(const wr_insn *insn, float a, float b)
{
    bool flip = (insn->variant & WR_VAR_XORSIGN) != 0;
    uint32_t sign = (wr_float_bits(a) ^ wr_float_bits(b)) & 0x80000000u;
    if (flip) {
        a = fabsf(a);
        b = fabsf(b);
    }
    float r = insn->op == WR_OP_MIN ? min_f32(a, b) : max_f32(a, b);
    if ((insn->variant & WR_VAR_NAN) != 0 && (isnan(a) || isnan(b))) {
        r = NAN;
    }
    return flip && !isnan(r) ? wr_as_float(wr_float_bits(r) | sign) : r;
}
FLOAT_FN(minmax_f32, variant_f32(x->insn, A, B))

typedef struct float_row {
    wr_lane_fn f32, f64;
    bool keeps_nan; /* the result is bits of an operand: a NaN stays as it is */
} float_row;

static const float_row rows[WR_OP_COUNT] = {
    [WR_OP_ADD] = {add_f32, add_f64, false},
    [WR_OP_SUB] = {sub_f32, sub_f64, false},
    [WR_OP_MUL] = {mul_f32, mul_f64, false},
    [WR_OP_MAD] = {wr_exec_fma_f32, fma_f64, false},
    [WR_OP_FMA] = {wr_exec_fma_f32, fma_f64, false},
    [WR_OP_DIV] = {div_f32, div_f64, false},
    [WR_OP_MIN] = {min_fn32, min_fn64, false},
    [WR_OP_MAX] = {max_fn32, max_fn64, false},
    [WR_OP_ABS] = {abs_f32, abs_f64, true},
    [WR_OP_NEG] = {neg_f32, neg_f64, true},
    [WR_OP_RCP] = {rcp_f32, rcp_f64, false},
    [WR_OP_SQRT] = {sqrt_f32, sqrt_f64, false},
    [WR_OP_RSQRT] = {rsqrt_f32, rsqrt_f64, false},
    [WR_OP_EX2] = {ex2_f32, NULL, false},
    [WR_OP_LG2] = {lg2_f32, NULL, false},
    [WR_OP_SIN] = {sin_f32, NULL, false},
    [WR_OP_COS] = {cos_f32, NULL, false},
    [WR_OP_TANH] = {tanh_f32, NULL, false},
};

wr_lane_fn wr_exec_float_fn(const wr_insn *insn, uint32_t *passes)
{
    bool single = insn->type == WR_F32;
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
        if (insn->ftz && insn->rnd == WR_RND_APPROX) {
            return insn->op == WR_OP_RCP ? gross_rcp_f64 : gross_rsqrt_f64;
        }
        return row->f64;
    }
    *passes |= insn->ftz ? WR_PASS_FTZ : 0;
    *passes |= row->keeps_nan ? 0 : WR_PASS_NAN;
    *passes |= insn->sat ? WR_PASS_SAT : 0;
    return insn->variant != 0 ? minmax_f32 : row->f32;
}
