/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: one instruction at a time, without looking at others but for address arithmetic.
 *
 * Only integer operations are folded; floating point is left to the machine, which rounds as
 * the instruction says.
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

static bool is_int(const wr_ir_insn *insn, unsigned *bits)
{
    switch ((wr_type)insn->m.type) {
    case WR_U32:
    case WR_S32:
    case WR_B32:
        *bits = 32;
        return true;
    case WR_U64:
    case WR_S64:
    case WR_B64:
        *bits = 64;
        return true;
    default:
        return false;
    }
}

static bool is_imm(const wr_ir_operand *operand, uint64_t bits)
{
    return operand->kind == WR_IR_IMM && operand->bits == bits;
}

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & UINT32_MAX;
}

static void make_move(wr_ir_insn *insn, wr_ir_operand src, unsigned bits)
{
    insn->m.op = WR_OP_MOV;
    insn->m.type = bits == 64 ? WR_B64 : WR_B32;
    insn->m.type2 = 0;
    insn->m.mode = 0;
    insn->m.rnd = 0;
    insn->m.ftz = false;
    insn->m.sat = false;
    insn->src[0] = src;
    insn->src[1] = (wr_ir_operand){0};
    insn->src[2] = (wr_ir_operand){0};
}

static bool commutes(wr_op op)
{
    return op == WR_OP_ADD || op == WR_OP_MUL || op == WR_OP_MAD || op == WR_OP_AND ||
           op == WR_OP_OR || op == WR_OP_XOR || op == WR_OP_MIN || op == WR_OP_MAX;
}

static bool fold_constants(wr_ir_insn *insn, unsigned bits)
{
    uint64_t a = insn->src[0].bits, b = insn->src[1].bits, value;

    if (insn->src[0].kind != WR_IR_IMM || insn->src[1].kind != WR_IR_IMM) {
        return false;
    }
    switch ((wr_op)insn->m.op) {
    case WR_OP_ADD:
        value = a + b;
        break;
    case WR_OP_SUB:
        value = a - b;
        break;
    case WR_OP_MUL:
        if (insn->m.mode != WR_MUL_LO) {
            return false;
        }
        value = a * b;
        break;
    case WR_OP_AND:
        value = a & b;
        break;
    case WR_OP_OR:
        value = a | b;
        break;
    case WR_OP_XOR:
        value = a ^ b;
        break;
    case WR_OP_SHL:
        value = (b & UINT32_MAX) >= bits ? 0 : a << (b & UINT32_MAX);
        break;
    case WR_OP_SHR:
        if (insn->m.type == WR_S32 || insn->m.type == WR_S64) {
            return false;
        }
        value = (b & UINT32_MAX) >= bits ? 0 : cut(a, bits) >> (b & UINT32_MAX);
        break;
    default:
        return false;
    }
    make_move(insn, wr_ir_imm_operand(cut(value, bits)), bits);
    return true;
}

/* x + 0, x * 1, x << 0 and the like. */
static bool fold_neutral(wr_ir_insn *insn, unsigned bits)
{
    wr_op op = (wr_op)insn->m.op;
    bool neutral = false;

    if (op == WR_OP_ADD || op == WR_OP_SUB || op == WR_OP_SHL || op == WR_OP_SHR ||
        op == WR_OP_OR || op == WR_OP_XOR) {
        neutral = is_imm(&insn->src[1], 0);
    } else if (op == WR_OP_MUL && insn->m.mode == WR_MUL_LO) {
        neutral = is_imm(&insn->src[1], 1);
    } else if (op == WR_OP_AND) {
        neutral =
            insn->src[1].kind == WR_IR_IMM && cut(insn->src[1].bits, bits) == cut(UINT64_MAX, bits);
    }
    if (neutral) {
        make_move(insn, insn->src[0], bits);
    }
    return neutral;
}

/* x * 0, x & 0. */
static bool fold_zero(wr_ir_insn *insn, unsigned bits)
{
    bool zero = insn->m.op == WR_OP_AND || (insn->m.op == WR_OP_MUL && insn->m.mode == WR_MUL_LO);

    if (!zero || !is_imm(&insn->src[1], 0)) {
        return false;
    }
    make_move(insn, wr_ir_imm_operand(0), bits);
    return true;
}

/* A conversion between integers that only drops high words, or nothing. */
static bool fold_cvt(wr_ir_insn *insn)
{
    unsigned from, to;
    wr_ir_insn source = *insn;

    source.m.type = insn->m.type2;
    if (insn->m.op != WR_OP_CVT || insn->m.sat || !is_int(insn, &to) || !is_int(&source, &from) ||
        to > from) {
        return false;
    }
    make_move(insn, insn->src[0], to);
    return true;
}

/* Comparisons with 1 and -1 that are as good with 0, which needs no constant. */
static bool fold_compare(wr_ir_insn *insn)
{
    static const struct {
        uint8_t cmp, with_zero;
        int8_t value;
        bool is_signed;
    } same[] = {
        {WR_CMP_LT, WR_CMP_LE, 1, true},  {WR_CMP_GE, WR_CMP_GT, 1, true},
        {WR_CMP_GT, WR_CMP_GE, -1, true}, {WR_CMP_LE, WR_CMP_LT, -1, true},
        {WR_CMP_LT, WR_CMP_EQ, 1, false}, {WR_CMP_GE, WR_CMP_NE, 1, false},
        {WR_CMP_LO, WR_CMP_EQ, 1, false}, {WR_CMP_HS, WR_CMP_NE, 1, false},
    };
    bool is_signed = insn->m.type == WR_S32 || insn->m.type == WR_S64;
    unsigned bits;

    if (!is_int(insn, &bits) || insn->src[1].kind != WR_IR_IMM) {
        return false;
    }
    for (unsigned i = 0; i < sizeof same / sizeof same[0]; i++) {
        if (same[i].cmp != insn->m.cmp || same[i].is_signed != is_signed ||
            cut(insn->src[1].bits, bits) != cut((uint64_t)(int64_t)same[i].value, bits)) {
            continue;
        }
        insn->m.cmp = same[i].with_zero;
        insn->src[1].bits = 0;
        return true;
    }
    return false;
}

bool wr_fold_insn(wr_ir_insn *insn)
{
    wr_op op = (wr_op)insn->m.op;
    bool changed = false;
    unsigned bits;

    if (op == WR_OP_CVT) {
        return fold_cvt(insn);
    }
    if (op == WR_OP_SETP) {
        return fold_compare(insn);
    }
    if (op == WR_OP_MOV || !is_int(insn, &bits) || insn->m.sat ||
        wr_isa_rows[op].cls != WR_CLASS_ARITH) {
        return false;
    }
    if (commutes(op) && insn->src[0].kind == WR_IR_IMM && insn->src[1].kind != WR_IR_IMM) {
        wr_ir_operand first = insn->src[0];

        insn->src[0] = insn->src[1];
        insn->src[1] = first;
        changed = true;
    }
    if (op == WR_OP_SUB && insn->src[1].kind == WR_IR_IMM && insn->src[0].kind != WR_IR_IMM) {
        insn->m.op = WR_OP_ADD;
        insn->src[1].bits = cut(0 - insn->src[1].bits, bits);
        changed = true;
    }
    return fold_constants(insn, bits) || fold_neutral(insn, bits) || fold_zero(insn, bits) ||
           changed;
}

/* [r + off] with r = x + constant -> [x + ...], where r serves only as an address: else x would
 * have to live on beside r. x must be the same at the access as at the addition: both have a
 * single definition, x's before the addition and r's before the access (see clean.c). An access
 * that takes the low word of r as its address (narrow.c) takes that of x. */
bool wr_fold_address(const wr_ir *ir, const wr_cfg *cfg, const wr_defs *defs, uint32_t block,
                     uint32_t index)
{
    wr_ir_insn *insn = &ir->blocks[block].insns.at[index];
    uint32_t reg = insn->src[0].reg;
    const wr_ir_insn *add;
    unsigned bits;
    int64_t offset;

    if (insn->src[0].kind != WR_IR_REG || insn->src[0].word != 0) {
        return false;
    }
    add = defs->def[reg];
    if (add == NULL || add->dead || add->m.op != WR_OP_ADD || !is_int(add, &bits) ||
        bits < 32u * insn->m.src_regs[0] || defs->uses[reg] != defs->addr_uses[reg] ||
        add->src[0].kind != WR_IR_REG || add->src[1].kind != WR_IR_IMM || add->src[0].word != 0 ||
        !wr_defs_reach(defs, cfg, reg, block, index) ||
        !wr_defs_reach(defs, cfg, add->src[0].reg, defs->block[reg], defs->index[reg]) ||
        32u * ir->regs[add->src[0].reg].words != bits) {
        return false;
    }
    offset = bits == 64 ? (int64_t)add->src[1].bits : (int32_t)(uint32_t)add->src[1].bits;
    if (offset != (int32_t)offset) {
        return false;
    }
    offset += insn->offset;
    if (offset != (int32_t)offset) {
        return false;
    }
    insn->offset = offset;
    insn->src[0] = add->src[0];
    return true;
}
