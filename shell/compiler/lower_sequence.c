/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of arithmetic that the machine does in several steps: products of 24 bits, tests of
 * floating-point classes, comparisons of pairs, packed conversions; and the carry flag.
 *
 * The carry flag of PTX is one virtual predicate of the function. So chains may be as long as
 * they like, cross branches, and be preempted: predicates are allocated, spilled and saved.
 */
#include "shell/compiler/lower.h"

#include "shell/isa/table.h"

static wr_ir_operand emit_op(wr_lower *lo, wr_op op, wr_type type, wr_ir_operand a, wr_ir_operand b)
{
    wr_ir_insn insn = wr_ir_insn_new(op, type);

    insn.src[0] = a;
    insn.src[1] = b;
    insn.dst = wr_lower_temp(lo, wr_ir_dst_words(&insn));
    wr_lower_emit(lo, &insn);
    return insn.dst;
}

/* ---- carry chains ---- */

static uint32_t carry_flag(wr_lower *lo)
{
    if (lo->carry == WR_IR_NO_REG) {
        lo->carry = wr_ir_new_pred(lo->ir);
    }
    return lo->carry;
}

bool wr_lower_carry(wr_lower *lo)
{
    static const struct {
        uint8_t op;
        bool takes;
    } map[WR_PTX_OP_COUNT] = {
        [WR_PTX_ADD] = {WR_OP_ADDC, false}, [WR_PTX_SUB] = {WR_OP_SUBC, false},
        [WR_PTX_MAD] = {WR_OP_MADC, false}, [WR_PTX_ADDC] = {WR_OP_ADDC, true},
        [WR_PTX_SUBC] = {WR_OP_SUBC, true}, [WR_PTX_MADC] = {WR_OP_MADC, true},
    };
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new((wr_op)map[ptx->op].op, wr_lower_type(ptx->type[0]));

    if (map[ptx->op].takes) {
        insn.ps = carry_flag(lo);
    } else {
        insn.m.ps_neg = true; /* no carry: not true */
    }
    if (ptx->mod[WR_PTX_SLOT_CC] != 0) {
        insn.pd = carry_flag(lo);
    }
    if (ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_HI) {
        insn.m.mode = WR_MUL_HI;
    }
    for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
        insn.src[i] = wr_lower_source(lo, &ptx->operands[1 + i]);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

/* ---- products ---- */

/* d = value + addend, clamped for .sat, or just value. */
static bool finish_sum(wr_lower *lo, wr_ir_operand value, const wr_ptx_operand *addend)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_move((wr_ir_operand){0}, value, 1);

    if (addend != NULL) {
        insn = wr_ir_insn_new(WR_OP_ADD, wr_lower_type(ptx->type[0]));
        insn.m.sat = ptx->mod[WR_PTX_SLOT_SAT] != 0;
        insn.src[0] = value;
        insn.src[1] = wr_lower_source(lo, addend);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_U32);
    return true;
}

/* mad.hi.sat.s32: only the sum is clamped. */
bool wr_lower_mad_sat(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn mul = wr_ir_insn_new(WR_OP_MUL, WR_S32);

    mul.m.mode = WR_MUL_HI;
    mul.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    mul.src[1] = wr_lower_source(lo, &ptx->operands[2]);
    mul.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &mul);
    return finish_sum(lo, mul.dst, &ptx->operands[3]);
}

/* The low 24 bits of each factor; of their product bits 31 to 0, or 47 to 16. */
bool wr_lower_mul24(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    bool is_signed = ptx->type[0] == WR_PTX_S32;
    bool hi = ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_HI;
    wr_type type = is_signed ? WR_S32 : WR_U32;
    wr_ir_insn mul = wr_ir_insn_new(WR_OP_MUL, type);
    wr_ir_operand product;

    for (unsigned i = 0; i < 2; i++) {
        wr_ir_insn cut = wr_ir_insn_new(WR_OP_BFE, type);

        cut.src[0] = wr_lower_source(lo, &ptx->operands[1 + i]);
        cut.src[1] = wr_ir_imm_operand(0);
        cut.src[2] = wr_ir_imm_operand(24);
        cut.dst = wr_lower_temp(lo, 1);
        wr_lower_emit(lo, &cut);
        mul.src[i] = cut.dst;
    }
    mul.m.mode = hi ? WR_MUL_WIDE : WR_MUL_LO;
    mul.dst = wr_lower_temp(lo, hi ? 2 : 1);
    wr_lower_emit(lo, &mul);
    product = mul.dst;
    if (hi) {
        product =
            emit_op(lo, WR_OP_SHR, is_signed ? WR_S64 : WR_U64, product, wr_ir_imm_operand(16));
    }
    return finish_sum(lo, product, ptx->op == WR_PTX_MAD24 ? &ptx->operands[3] : NULL);
}

/* ---- classes of floating-point values ---- */

static void emit_compare(wr_lower *lo, wr_cmp cmp, wr_type type, wr_ir_operand a, uint64_t b,
                         uint32_t pd, uint32_t and_ps)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SETP, type);

    insn.m.cmp = (uint8_t)cmp;
    insn.src[0] = a;
    insn.src[1] = wr_ir_imm_operand(b);
    insn.pd = pd;
    if (and_ps != WR_IR_NO_REG) {
        insn.m.boolop = WR_BOOL_AND;
        insn.ps = and_ps;
    }
    wr_lower_emit(lo, &insn);
}

/* On the bits without the sign: below infinity's pattern finite, above it NaN. Zero counts as
 * normal: less one, a subnormal is below the greatest subnormal's pattern, and zero is not. */
bool wr_lower_testp(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    bool wide = ptx->type[0] == WR_PTX_F64;
    wr_type bits = wide ? WR_B64 : WR_B32;
    wr_type type = wide ? WR_U64 : WR_U32;
    uint64_t infinity = wide ? UINT64_C(0x7ff) << 52 : 0x7f800000;
    uint64_t subnormals = wide ? (UINT64_C(1) << 52) - 1 : 0x7fffff;
    uint64_t magnitude = wide ? INT64_MAX : INT32_MAX;
    uint32_t pd = wr_lower_reg(lo, ptx->operands[0].reg);
    wr_ir_operand a = emit_op(lo, WR_OP_AND, bits, wr_lower_source(lo, &ptx->operands[1]),
                              wr_ir_imm_operand(magnitude));
    wr_ir_operand less;
    uint32_t finite;

    switch ((wr_ptx_mode)ptx->mod[WR_PTX_SLOT_MODE]) {
    case WR_PTX_MODE_FINITE:
        emit_compare(lo, WR_CMP_LT, type, a, infinity, pd, WR_IR_NO_REG);
        return true;
    case WR_PTX_MODE_INFINITE:
        emit_compare(lo, WR_CMP_EQ, type, a, infinity, pd, WR_IR_NO_REG);
        return true;
    case WR_PTX_MODE_NUMBER:
        emit_compare(lo, WR_CMP_LE, type, a, infinity, pd, WR_IR_NO_REG);
        return true;
    case WR_PTX_MODE_NOTANUMBER:
        emit_compare(lo, WR_CMP_GT, type, a, infinity, pd, WR_IR_NO_REG);
        return true;
    default:
        break;
    }
    less = emit_op(lo, WR_OP_SUB, type, a, wr_ir_imm_operand(1));
    if (ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_SUBNORMAL) {
        emit_compare(lo, WR_CMP_LT, type, less, subnormals, pd, WR_IR_NO_REG);
        return true;
    }
    finite = wr_ir_new_pred(lo->ir);
    emit_compare(lo, WR_CMP_LT, type, a, infinity, finite, WR_IR_NO_REG);
    emit_compare(lo, WR_CMP_GE, type, less, subnormals, pd, finite);
    return true;
}

/* ---- differences of bytes and halves ---- */

/* vabsdiff4 d, a, b, c: each byte the distance of those of a and b; with .add their sum, plus c.
 * vabsdiff2 is the same of halves. */
bool wr_lower_vabsdiff(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    unsigned width = ptx->op == WR_PTX_VABSDIFF4 ? 8 : 16;
    bool add = ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_ADD;
    wr_type type = wr_lower_type(ptx->type[1]);
    wr_ir_operand src[2] = {wr_lower_source(lo, &ptx->operands[1]),
                            wr_lower_source(lo, &ptx->operands[2])};
    wr_ir_operand zero = wr_ir_imm_operand(0);
    wr_ir_operand sum = add ? wr_lower_source(lo, &ptx->operands[3]) : zero;
    wr_ir_insn move;

    if (ptx->type[1] != ptx->type[2]) {
        return wr_lower_refuse(lo, "its sources must have the same type");
    }
    for (unsigned at = 0; at < 32; at += width) {
        wr_ir_operand part[2];

        for (unsigned i = 0; i < 2; i++) {
            part[i] = wr_lower_three(lo, WR_OP_BFE, type, src[i], wr_ir_imm_operand(at),
                                     wr_ir_imm_operand(width));
        }
        part[0] = wr_lower_three(lo, WR_OP_SAD, type, part[0], part[1], add ? sum : zero);
        sum = add || at == 0 ? part[0]
                             : wr_lower_three(lo, WR_OP_BFI, WR_B32, part[0], sum,
                                              wr_ir_imm_operand(at | width << 8));
    }
    move = wr_ir_move((wr_ir_operand){0}, sum, 1);
    wr_lower_emit_to(lo, &move, &ptx->operands[0], WR_U32);
    return true;
}

/* ---- 16-bit floats, alone and in pairs ---- */

static bool is_pair(wr_ptx_type type)
{
    return type == WR_PTX_F16X2 || type == WR_PTX_BF16X2;
}

static wr_type element_type(wr_ptx_type type)
{
    return type == WR_PTX_BF16 || type == WR_PTX_BF16X2 ? WR_BF16 : WR_F16;
}

static wr_ir_operand half_of(wr_lower *lo, wr_ir_operand pair, unsigned half)
{
    if (half == 0) {
        return pair;
    }
    if (pair.kind == WR_IR_IMM) {
        return wr_ir_imm_operand((pair.bits & UINT32_MAX) >> 16);
    }
    return emit_op(lo, WR_OP_SHR, WR_U32, pair, wr_ir_imm_operand(16));
}

/* Compares element `half` of the sources into `pd`. */
static void compare_half(wr_lower *lo, const wr_ir_operand src[2], unsigned half, wr_type type,
                         uint32_t pd)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SETP, type);

    insn.m.cmp = (uint8_t)(ptx->mod[WR_PTX_SLOT_CMP] - 1);
    insn.m.boolop = ptx->mod[WR_PTX_SLOT_BOOL];
    insn.m.ftz = ptx->mod[WR_PTX_SLOT_FTZ] != 0;
    insn.src[0] = half_of(lo, src[0], half);
    insn.src[1] = half_of(lo, src[1], half);
    if (insn.m.boolop != WR_BOOL_NONE) {
        insn.ps = wr_lower_pred(lo, &ptx->operands[3], &insn.m.ps_neg);
    }
    insn.pd = pd;
    wr_lower_emit(lo, &insn);
}

/* setp.f16x2 p|q: p of the low halves, q of the high ones. */
bool wr_lower_setp_pair(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    const wr_ptx_operand *dst = &ptx->operands[0];
    wr_ir_operand src[2] = {wr_lower_source(lo, &ptx->operands[1]),
                            wr_lower_source(lo, &ptx->operands[2])};
    wr_type type = element_type(ptx->type[0]);
    uint32_t low = wr_ir_new_pred(lo->ir);
    wr_ir_insn copy = wr_ir_insn_new(WR_OP_AND, WR_PRED);

    compare_half(lo, src, 0, type, low);
    if (dst->reg2 != WR_PTX_NO_REG) {
        compare_half(lo, src, 1, type, wr_lower_reg(lo, dst->reg2));
    }
    if (dst->reg == WR_PTX_NO_REG) {
        return true;
    }
    copy.ps = low;
    copy.pd = wr_lower_reg(lo, dst->reg);
    wr_lower_emit(lo, &copy);
    return true;
}

static uint64_t true_value(wr_ptx_type type)
{
    switch (type) {
    case WR_PTX_F16:
    case WR_PTX_F16X2:
        return 0x3c00;
    case WR_PTX_BF16:
    case WR_PTX_BF16X2:
        return 0x3f80;
    case WR_PTX_U16:
    case WR_PTX_S16:
        return 0xffff;
    case WR_PTX_F32:
        return 0x3f800000;
    default:
        return UINT32_MAX;
    }
}

/* set of 16-bit floats: a predicate each, and the value for true where it holds. An integer from
 * a pair has 16 bits for each half. */
bool wr_lower_set_half(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_operand src[2] = {wr_lower_source(lo, &ptx->operands[1]),
                            wr_lower_source(lo, &ptx->operands[2])};
    bool pair = is_pair(ptx->type[1]);
    uint64_t yes = pair && !is_pair(ptx->type[0]) ? 0xffff : true_value(ptx->type[0]);
    wr_ir_operand value[2];
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_OR, WR_B32);

    for (unsigned half = 0; half < (pair ? 2 : 1); half++) {
        wr_ir_insn select = wr_ir_insn_new(WR_OP_SELP, WR_B32);

        select.ps = wr_ir_new_pred(lo->ir);
        compare_half(lo, src, half, element_type(ptx->type[1]), select.ps);
        select.src[0] = wr_ir_imm_operand(yes << 16 * half);
        select.src[1] = wr_ir_imm_operand(0);
        select.dst = wr_lower_temp(lo, 1);
        wr_lower_emit(lo, &select);
        value[half] = select.dst;
    }
    if (!pair) {
        insn = wr_ir_move((wr_ir_operand){0}, value[0], 1);
    }
    insn.src[0] = value[0];
    if (pair) {
        insn.src[1] = value[1];
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_U32);
    return true;
}

/* cvt.f16x2.f32 d, a, b: a becomes the high half, b the low one. */
bool wr_lower_cvt_pair(wr_lower *lo, const wr_insn *modifiers)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_operand half[2];
    wr_ir_insn join = wr_ir_insn_new(WR_OP_PRMT, WR_B32);

    for (unsigned i = 0; i < 2; i++) {
        wr_ir_insn insn = wr_ir_insn_new(WR_OP_CVT, element_type(ptx->type[0]));

        insn.m.type2 = WR_F32;
        insn.m.rnd = modifiers->rnd;
        insn.m.sat = modifiers->sat;
        insn.m.ftz = modifiers->ftz;
        insn.m.variant = modifiers->variant;
        insn.src[0] = wr_lower_source(lo, &ptx->operands[2 - i]);
        insn.dst = wr_lower_temp(lo, 1);
        wr_lower_emit(lo, &insn);
        half[i] = insn.dst;
    }
    join.src[0] = half[0];
    join.src[1] = half[1];
    join.src[2] = wr_ir_imm_operand(0x5410);
    wr_lower_emit_to(lo, &join, &ptx->operands[0], WR_U32);
    return true;
}
