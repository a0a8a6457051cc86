/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of arithmetic, logic, comparison, selection and conversion: one table row an
 * operation, and a shape for each way in which PTX operands become ours. Operations that the
 * machine does not have are put together from those that it has. */
#include "shell/compiler/lower.h"

#include "shell/isa/table.h"

typedef enum shape {
    SHAPE_NONE,  /* refused, `why` says it */
    SHAPE_PLAIN, /* dst, sources in order */
    SHAPE_MUL,   /* lo, hi, wide; mad of floats is fma */
    SHAPE_LOGIC, /* plain, or on predicates */
    SHAPE_SETP,
    SHAPE_SET,
    SHAPE_SELP,
    SHAPE_SLCT,
    SHAPE_CVT,
    SHAPE_BFI,
    SHAPE_COPYSIGN,
    SHAPE_CARRY,
    SHAPE_MUL24,
    SHAPE_TESTP,
    SHAPE_VABSDIFF,
    SHAPE_CVT_PACK,
    SHAPE_VARIANT, /* plain; `variant` from the mode, or the last operand */
} shape;

typedef struct row {
    uint8_t shape, op;
    const char *why;
} row;

static const row rows[WR_PTX_OP_COUNT] = {
    [WR_PTX_ADD] = {SHAPE_PLAIN, WR_OP_ADD, NULL},
    [WR_PTX_SUB] = {SHAPE_PLAIN, WR_OP_SUB, NULL},
    [WR_PTX_MUL] = {SHAPE_MUL, WR_OP_MUL, NULL},
    [WR_PTX_MAD] = {SHAPE_MUL, WR_OP_MAD, NULL},
    [WR_PTX_FMA] = {SHAPE_PLAIN, WR_OP_FMA, NULL},
    [WR_PTX_DIV] = {SHAPE_PLAIN, WR_OP_DIV, NULL},
    [WR_PTX_REM] = {SHAPE_PLAIN, WR_OP_REM, NULL},
    [WR_PTX_ABS] = {SHAPE_PLAIN, WR_OP_ABS, NULL},
    [WR_PTX_NEG] = {SHAPE_PLAIN, WR_OP_NEG, NULL},
    [WR_PTX_MIN] = {SHAPE_PLAIN, WR_OP_MIN, NULL},
    [WR_PTX_MAX] = {SHAPE_PLAIN, WR_OP_MAX, NULL},
    [WR_PTX_RCP] = {SHAPE_PLAIN, WR_OP_RCP, NULL},
    [WR_PTX_SQRT] = {SHAPE_PLAIN, WR_OP_SQRT, NULL},
    [WR_PTX_RSQRT] = {SHAPE_PLAIN, WR_OP_RSQRT, NULL},
    [WR_PTX_SIN] = {SHAPE_PLAIN, WR_OP_SIN, NULL},
    [WR_PTX_COS] = {SHAPE_PLAIN, WR_OP_COS, NULL},
    [WR_PTX_LG2] = {SHAPE_PLAIN, WR_OP_LG2, NULL},
    [WR_PTX_EX2] = {SHAPE_PLAIN, WR_OP_EX2, NULL},
    [WR_PTX_COPYSIGN] = {SHAPE_COPYSIGN, 0, NULL},
    [WR_PTX_AND] = {SHAPE_LOGIC, WR_OP_AND, NULL},
    [WR_PTX_OR] = {SHAPE_LOGIC, WR_OP_OR, NULL},
    [WR_PTX_XOR] = {SHAPE_LOGIC, WR_OP_XOR, NULL},
    [WR_PTX_NOT] = {SHAPE_LOGIC, WR_OP_NOT, NULL},
    [WR_PTX_CNOT] = {SHAPE_PLAIN, WR_OP_CNOT, NULL},
    [WR_PTX_SHL] = {SHAPE_PLAIN, WR_OP_SHL, NULL},
    [WR_PTX_SHR] = {SHAPE_PLAIN, WR_OP_SHR, NULL},
    [WR_PTX_POPC] = {SHAPE_PLAIN, WR_OP_POPC, NULL},
    [WR_PTX_CLZ] = {SHAPE_PLAIN, WR_OP_CLZ, NULL},
    [WR_PTX_BREV] = {SHAPE_PLAIN, WR_OP_BREV, NULL},
    [WR_PTX_BFE] = {SHAPE_PLAIN, WR_OP_BFE, NULL},
    [WR_PTX_BFI] = {SHAPE_BFI, WR_OP_BFI, NULL},
    [WR_PTX_SET] = {SHAPE_SET, WR_OP_SET, NULL},
    [WR_PTX_SETP] = {SHAPE_SETP, WR_OP_SETP, NULL},
    [WR_PTX_SELP] = {SHAPE_SELP, WR_OP_SELP, NULL},
    [WR_PTX_SLCT] = {SHAPE_SLCT, WR_OP_SELP, NULL},
    [WR_PTX_CVT] = {SHAPE_CVT, WR_OP_CVT, NULL},
    [WR_PTX_CVT_PACK] = {SHAPE_CVT_PACK, 0, NULL},
    [WR_PTX_ADDC] = {SHAPE_CARRY, 0, NULL},
    [WR_PTX_SUBC] = {SHAPE_CARRY, 0, NULL},
    [WR_PTX_MADC] = {SHAPE_CARRY, 0, NULL},
    [WR_PTX_MUL24] = {SHAPE_MUL24, 0, NULL},
    [WR_PTX_MAD24] = {SHAPE_MUL24, 0, NULL},
    [WR_PTX_SAD] = {SHAPE_PLAIN, WR_OP_SAD, NULL},
    [WR_PTX_VABSDIFF2] = {SHAPE_VABSDIFF, 0, NULL},
    [WR_PTX_VABSDIFF4] = {SHAPE_VABSDIFF, 0, NULL},
    [WR_PTX_DP4A] = {SHAPE_VARIANT, WR_OP_DP4A, NULL},
    [WR_PTX_DP2A] = {SHAPE_VARIANT, WR_OP_DP2A, NULL},
    [WR_PTX_TANH] = {SHAPE_PLAIN, WR_OP_TANH, NULL},
    [WR_PTX_TESTP] = {SHAPE_TESTP, 0, NULL},
    [WR_PTX_LOP3] = {SHAPE_VARIANT, WR_OP_LOP3, NULL},
    [WR_PTX_SHF] = {SHAPE_VARIANT, WR_OP_SHF, NULL},
    [WR_PTX_PRMT] = {SHAPE_VARIANT, WR_OP_PRMT, NULL},
    [WR_PTX_BFIND] = {SHAPE_VARIANT, WR_OP_BFIND, NULL},
    [WR_PTX_FNS] = {SHAPE_PLAIN, WR_OP_FNS, NULL},
    [WR_PTX_BMSK] = {SHAPE_VARIANT, WR_OP_BMSK, NULL},
    [WR_PTX_SZEXT] = {SHAPE_VARIANT, WR_OP_SZEXT, NULL},
};

enum { SAT = 1, RELU = 2 }; /* in WR_PTX_SLOT_SAT */

static bool map_round(wr_lower *lo, uint8_t *rnd)
{
    static const uint8_t map[] = {
        [0] = WR_RND_NONE,
        [WR_PTX_RND_RN] = WR_RND_RN,
        [WR_PTX_RND_RZ] = WR_RND_RZ,
        [WR_PTX_RND_RM] = WR_RND_RM,
        [WR_PTX_RND_RP] = WR_RND_RP,
        [WR_PTX_RND_RNI] = WR_RND_RNI,
        [WR_PTX_RND_RZI] = WR_RND_RZI,
        [WR_PTX_RND_RMI] = WR_RND_RMI,
        [WR_PTX_RND_RPI] = WR_RND_RPI,
        [WR_PTX_RND_APPROX] = WR_RND_APPROX,
        [WR_PTX_RND_FULL] = WR_RND_APPROX,
    };
    uint8_t ptx = lo->insn->mod[WR_PTX_SLOT_RND];

    if (ptx == WR_PTX_RND_RNA) {
        return wr_lower_refuse(lo, "rounding .rna is not implemented");
    }
    *rnd = map[ptx];
    return true;
}

static bool takes_relu(const wr_insn *m)
{
    bool half =
        m->type == WR_F16 || m->type == WR_BF16 || m->type == WR_F16X2 || m->type == WR_BF16X2;

    if (m->op == WR_OP_MIN || m->op == WR_OP_MAX) {
        return m->type == WR_S32 || m->type == WR_S16X2;
    }
    return half && (m->op == WR_OP_FMA || m->op == WR_OP_CVT);
}

/* The modifiers that all arithmetic may have. */
static bool map_modifiers(wr_lower *lo, wr_insn *m)
{
    const uint8_t *mod = lo->insn->mod;

    if (mod[WR_PTX_SLOT_XORSIGN] != mod[WR_PTX_SLOT_ABS]) {
        return wr_lower_refuse(lo, ".xorsign and .abs come together");
    }
    m->variant = (uint8_t)((mod[WR_PTX_SLOT_NAN] != 0 ? WR_VAR_NAN : 0) |
                           (mod[WR_PTX_SLOT_XORSIGN] != 0 ? WR_VAR_XORSIGN : 0) |
                           (mod[WR_PTX_SLOT_SAT] == RELU ? WR_VAR_RELU : 0));
    if (mod[WR_PTX_SLOT_SAT] == RELU && !takes_relu(m)) {
        return wr_lower_refuse(lo, "this operation has no .relu in this type");
    }
    if (mod[WR_PTX_SLOT_SAT] == SAT && (m->op == WR_OP_MIN || m->op == WR_OP_MAX)) {
        return wr_lower_refuse(lo, "this operation has no .sat");
    }
    m->ftz = mod[WR_PTX_SLOT_FTZ] != 0;
    m->sat = mod[WR_PTX_SLOT_SAT] == SAT;
    return map_round(lo, &m->rnd);
}

static bool lower_plain(wr_lower *lo, wr_op op)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(op, wr_lower_type(ptx->type[0]));

    if (!map_modifiers(lo, &insn.m)) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
        insn.src[i] = wr_lower_source(lo, &ptx->operands[1 + i]);
    }
    if (ptx->mod[WR_PTX_SLOT_OOB] != 0) {
        return wr_lower_oob(lo, &insn);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

static bool lower_mul(wr_lower *lo, wr_op op)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(op, wr_lower_type(ptx->type[0]));

    if (wr_ptx_type_is_float(ptx->type[0])) {
        return lower_plain(lo, op == WR_OP_MAD ? WR_OP_FMA : op);
    }
    if (ptx->mod[WR_PTX_SLOT_SAT] == SAT) {
        return wr_lower_mad_sat(lo);
    }
    if (!map_modifiers(lo, &insn.m)) {
        return false;
    }
    if (ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_HI) {
        insn.m.mode = WR_MUL_HI;
    } else if (ptx->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_WIDE) {
        insn.m.mode = WR_MUL_WIDE;
    }
    for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
        insn.src[i] = wr_lower_source(lo, &ptx->operands[1 + i]);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

static bool lower_logic(wr_lower *lo, wr_op op)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(op == WR_OP_NOT ? WR_OP_AND : op, WR_PRED);

    if (ptx->type[0] != WR_PTX_PRED) {
        return lower_plain(lo, op);
    }
    insn.pd = wr_lower_reg(lo, ptx->operands[0].reg);
    insn.ps = wr_lower_pred(lo, &ptx->operands[1], &insn.m.ps_neg);
    if (op == WR_OP_NOT) {
        insn.m.ps_neg = !insn.m.ps_neg;
    } else {
        insn.ps2 = wr_lower_pred(lo, &ptx->operands[2], &insn.m.ps2_neg);
    }
    wr_lower_emit(lo, &insn);
    return true;
}

/* Comparison and the predicate that is combined with it; a constant one is folded. */
static void map_compare(wr_lower *lo, wr_ir_insn *insn)
{
    const wr_ptx_insn *ptx = lo->insn;

    insn->m.cmp = (uint8_t)(ptx->mod[WR_PTX_SLOT_CMP] - 1);
    insn->m.boolop = ptx->mod[WR_PTX_SLOT_BOOL];
    insn->m.ftz = ptx->mod[WR_PTX_SLOT_FTZ] != 0;
    insn->src[0] = wr_lower_source(lo, &ptx->operands[1]);
    insn->src[1] = wr_lower_source(lo, &ptx->operands[2]);
    if (insn->m.boolop != WR_BOOL_NONE) {
        insn->ps = wr_lower_pred(lo, &ptx->operands[3], &insn->m.ps_neg);
    }
}

static bool lower_setp(wr_lower *lo)
{
    const wr_ptx_operand *dst = &lo->insn->operands[0];
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SETP, wr_lower_type(lo->insn->type[0]));

    if (insn.m.type == WR_F16X2 || insn.m.type == WR_BF16X2) {
        return wr_lower_setp_pair(lo);
    }
    map_compare(lo, &insn);
    if (dst->kind == WR_PTX_OPD_REG && dst->reg != WR_PTX_NO_REG) {
        insn.pd = wr_lower_reg(lo, dst->reg);
    }
    if (dst->kind == WR_PTX_OPD_REG && dst->reg2 != WR_PTX_NO_REG) {
        insn.pd2 = wr_lower_reg(lo, dst->reg2);
    }
    wr_lower_emit(lo, &insn);
    return true;
}

static bool lower_set(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SET, wr_lower_type(lo->insn->type[0]));

    insn.m.type2 = (uint8_t)wr_lower_type(lo->insn->type[1]);
    if (wr_ptx_type_is_float(lo->insn->type[1]) && wr_ptx_type_size(lo->insn->type[1]) <= 4 &&
        insn.m.type2 != WR_F32) {
        return wr_lower_set_half(lo);
    }
    map_compare(lo, &insn);
    wr_lower_emit_to(lo, &insn, &lo->insn->operands[0], (wr_type)insn.m.type);
    return true;
}

static wr_type bits_of(wr_ptx_type type)
{
    return wr_ptx_type_size(type) == 8 ? WR_B64 : WR_B32;
}

static bool lower_selp(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SELP, bits_of(ptx->type[0]));

    insn.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    insn.src[1] = wr_lower_source(lo, &ptx->operands[2]);
    insn.ps = wr_lower_pred(lo, &ptx->operands[3], &insn.m.ps_neg);
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

/* slct d, a, b, c = c >= 0 ? a : b; a NaN selects b. */
static bool lower_slct(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn test = wr_ir_insn_new(WR_OP_SETP, wr_lower_type(ptx->type[1]));
    wr_ir_insn select = wr_ir_insn_new(WR_OP_SELP, bits_of(ptx->type[0]));

    test.m.cmp = WR_CMP_GE;
    test.m.ftz = ptx->mod[WR_PTX_SLOT_FTZ] != 0;
    test.src[0] = wr_lower_source(lo, &ptx->operands[3]);
    test.src[1] = wr_ir_imm_operand(0);
    test.pd = wr_ir_new_pred(lo->ir);
    wr_lower_emit(lo, &test);
    select.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    select.src[1] = wr_lower_source(lo, &ptx->operands[2]);
    select.ps = test.pd;
    wr_lower_emit_to(lo, &select, &ptx->operands[0], (wr_type)select.m.type);
    return true;
}

static bool lower_cvt(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn;

    if (wr_ptx_type_is_format(ptx->type[0]) || wr_ptx_type_is_format(ptx->type[1])) {
        return wr_lower_cvt_fp8(lo);
    }
    insn = wr_ir_insn_new(WR_OP_CVT, wr_lower_type(ptx->type[0]));
    insn.m.type2 = (uint8_t)wr_lower_type(ptx->type[1]);
    if ((wr_isa_rows[WR_OP_CVT].types >> insn.m.type2 & 1) == 0) {
        return wr_lower_refuse(lo, "the machine does not convert from this type");
    }
    if (!map_modifiers(lo, &insn.m)) {
        return false;
    }
    if (ptx->operand_count == 3) {
        return wr_lower_cvt_pair(lo, &insn.m);
    }
    insn.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

static wr_ir_operand emit_binary(wr_lower *lo, wr_op op, wr_ir_operand a, wr_ir_operand b)
{
    wr_ir_insn insn = wr_ir_insn_new(op, WR_B32);

    insn.src[0] = a;
    insn.src[1] = b;
    insn.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &insn);
    return insn.dst;
}

/* Position and length go into one operand: position | length << 8. */
static bool lower_bfi(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BFI, wr_lower_type(ptx->type[0]));
    wr_ir_operand mask = wr_ir_imm_operand(255);
    wr_ir_operand pos = wr_lower_source(lo, &ptx->operands[3]);
    wr_ir_operand len = wr_lower_source(lo, &ptx->operands[4]);

    insn.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    insn.src[1] = wr_lower_source(lo, &ptx->operands[2]);
    if (pos.kind == WR_IR_IMM && len.kind == WR_IR_IMM) {
        insn.src[2] = wr_ir_imm_operand((pos.bits & 255) | (len.bits & 255) << 8);
    } else {
        pos = emit_binary(lo, WR_OP_AND, pos, mask);
        len = emit_binary(lo, WR_OP_AND, len, mask);
        len = emit_binary(lo, WR_OP_SHL, len, wr_ir_imm_operand(8));
        insn.src[2] = emit_binary(lo, WR_OP_OR, pos, len);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

static wr_ir_operand high_word(wr_ir_operand operand, bool wide)
{
    if (wide && operand.kind == WR_IR_REG) {
        operand.word = 1;
    } else if (wide) {
        operand.bits >>= 32;
    }
    return operand;
}

/* copysign d, a, b: the sign of a with the rest of b. */
static bool lower_copysign(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    bool wide = ptx->type[0] == WR_PTX_F64;
    uint32_t dst;
    wr_ir_operand a, b, sign, rest;
    wr_ir_insn join;

    if (!wide && ptx->type[0] != WR_PTX_F32) {
        return wr_lower_refuse(lo, "the machine does not have this operation in this type");
    }
    dst = wr_lower_reg(lo, ptx->operands[0].reg);
    a = wr_lower_source(lo, &ptx->operands[1]);
    b = wr_lower_source(lo, &ptx->operands[2]);
    sign = emit_binary(lo, WR_OP_AND, high_word(a, wide), wr_ir_imm_operand(0x80000000u));
    rest = emit_binary(lo, WR_OP_AND, high_word(b, wide), wr_ir_imm_operand(0x7fffffffu));
    if (wide) {
        join = wr_ir_move(wr_ir_reg_operand(dst, 0), b, 1);
        wr_lower_emit(lo, &join);
    }
    join = wr_ir_insn_new(WR_OP_OR, WR_B32);
    join.src[0] = sign;
    join.src[1] = rest;
    join.dst = wr_ir_reg_operand(dst, wide ? 1 : 0);
    wr_lower_emit(lo, &join);
    return true;
}

static uint8_t variant_of(const wr_ptx_insn *ptx)
{
    static const uint8_t by_mode[] = {
        [WR_PTX_MODE_F4E] = WR_PRMT_F4E,
        [WR_PTX_MODE_B4E] = WR_PRMT_B4E,
        [WR_PTX_MODE_RC8] = WR_PRMT_RC8,
        [WR_PTX_MODE_ECL] = WR_PRMT_ECL,
        [WR_PTX_MODE_ECR] = WR_PRMT_ECR,
        [WR_PTX_MODE_RC16] = WR_PRMT_RC16,
        [WR_PTX_MODE_L_WRAP] = WR_SHF_WRAP,
        [WR_PTX_MODE_R_WRAP] = WR_SHF_WRAP | WR_SHF_RIGHT,
        [WR_PTX_MODE_R_CLAMP] = WR_SHF_RIGHT,
        [WR_PTX_MODE_WRAP] = WR_BITS_WRAP,
        [WR_PTX_MODE_HI] = WR_DP2A_HI,
        [WR_PTX_MODE_SHIFTAMT] = WR_BFIND_SHIFT,
        [WR_PTX_MODE_L2] = 0,
    };

    if (ptx->op == WR_PTX_LOP3) {
        return (uint8_t)ptx->operands[4].bits;
    }
    return by_mode[ptx->mod[WR_PTX_SLOT_MODE]];
}

/* lop3.or d|p, ..., q: p is `d is not 0, or q`. */
static bool lower_lop3_pair(wr_lower *lo, wr_ir_insn *lop3)
{
    const wr_ptx_insn *ptx = lo->insn;
    const wr_ptx_operand *dst = &ptx->operands[0];
    wr_ir_insn test = wr_ir_insn_new(WR_OP_SETP, WR_B32);

    if (ptx->mod[WR_PTX_SLOT_BOOL] == WR_PTX_BOOL_XOR) {
        return wr_lower_refuse(lo, "its predicate is combined by .and or .or");
    }
    for (unsigned i = 0; i < 3; i++) {
        lop3->src[i] = wr_lower_source(lo, &ptx->operands[1 + i]);
    }
    lop3->dst = dst->reg != WR_PTX_NO_REG ? wr_ir_reg_operand(wr_lower_reg(lo, dst->reg), 0)
                                          : wr_lower_temp(lo, 1);
    wr_lower_emit(lo, lop3);
    test.m.cmp = WR_CMP_NE;
    test.m.boolop = ptx->mod[WR_PTX_SLOT_BOOL];
    test.src[0] = lop3->dst;
    test.src[1] = wr_ir_imm_operand(0);
    test.ps = wr_lower_pred(lo, &ptx->operands[5], &test.m.ps_neg);
    test.pd = wr_lower_reg(lo, dst->reg2);
    wr_lower_emit(lo, &test);
    return true;
}

static bool lower_variant(wr_lower *lo, wr_op op)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(op, wr_lower_type(ptx->type[0]));

    if (op == WR_OP_LOP3 && ptx->operands[4].bits > UINT8_MAX) {
        return wr_lower_refuse(lo, "a truth table is 0 to 255");
    }
    insn.m.variant = variant_of(ptx);
    if (ptx->mod[WR_PTX_SLOT_BOOL] != 0) {
        return lower_lop3_pair(lo, &insn);
    }
    if (op == WR_OP_DP4A || op == WR_OP_DP2A) {
        insn.m.type2 = (uint8_t)wr_lower_type(ptx->type[1]);
    }
    for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
        insn.src[i] = wr_lower_source(lo, &ptx->operands[1 + i]);
    }
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_U32);
    return true;
}

bool wr_lower_arith(wr_lower *lo)
{
    const row *r = &rows[lo->insn->op];
    wr_op op = (wr_op)r->op;

    if (wr_lower_llvm(lo)) {
        return true;
    }
    if (lo->insn->mod[WR_PTX_SLOT_CC] != 0) {
        return wr_lower_carry(lo);
    }
    switch ((shape)r->shape) {
    case SHAPE_PLAIN:
        return lower_plain(lo, op);
    case SHAPE_MUL:
        return lower_mul(lo, op);
    case SHAPE_LOGIC:
        return lower_logic(lo, op);
    case SHAPE_SETP:
        return lower_setp(lo);
    case SHAPE_SET:
        return lower_set(lo);
    case SHAPE_SELP:
        return lower_selp(lo);
    case SHAPE_SLCT:
        return lower_slct(lo);
    case SHAPE_CVT:
        return lower_cvt(lo);
    case SHAPE_BFI:
        return lower_bfi(lo);
    case SHAPE_COPYSIGN:
        return lower_copysign(lo);
    case SHAPE_CARRY:
        return wr_lower_carry(lo);
    case SHAPE_MUL24:
        return lo->insn->mod[WR_PTX_SLOT_SAT] == RELU
                   ? wr_lower_refuse(lo, "this operation has no .relu in this type")
                   : wr_lower_mul24(lo);
    case SHAPE_TESTP:
        return wr_lower_testp(lo);
    case SHAPE_VABSDIFF:
        return wr_lower_vabsdiff(lo);
    case SHAPE_CVT_PACK:
        return wr_lower_cvt_pack(lo);
    case SHAPE_VARIANT:
        return lower_variant(lo, op);
    case SHAPE_NONE:
        break;
    }
    return wr_lower_refuse(lo, r->why != NULL ? r->why : "the machine does not have it");
}
