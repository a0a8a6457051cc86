/* SPDX-License-Identifier: Apache-2.0 */
/* Slips of LLVM's NVPTX back end (14 to 19): what the source said, in place of what stands in the
 * text. They are only looked for in text that says that it is LLVM's, and not in its inline
 * assembly, since PTX gives the same instructions a meaning of their own (docs/ptx.md).
 */
#include <string.h>

#include "shell/compiler/lower.h"

static bool is_reg(const wr_lower *lo, const wr_ptx_operand *operand, const char *name)
{
    return operand->kind == WR_PTX_OPD_REG && operand->reg != WR_PTX_NO_REG &&
           strcmp(lo->scope.func->regs[operand->reg].name, name) == 0;
}

/* `x >> position & mask` of a signed x becomes an unsigned field that may leave the word, where its
 * sign should follow; and a mask of which the shift leaves nothing, one of negative length. */
static bool lower_field(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    const wr_ptx_operand *at = &ptx->operands[2], *length = &ptx->operands[3];
    bool wide = ptx->type[0] == WR_PTX_U64;
    uint64_t width = wide ? 64 : 32, bits = length->bits & UINT32_MAX;
    wr_ir_insn shift = wr_ir_insn_new(WR_OP_SHR, wide ? WR_S64 : WR_S32);
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_AND, wide ? WR_B64 : WR_B32);

    if ((!wide && ptx->type[0] != WR_PTX_U32) || at->kind != WR_PTX_OPD_IMM ||
        length->kind != WR_PTX_OPD_IMM || at->bits >= width || at->bits + bits <= width) {
        return false;
    }
    shift.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    shift.src[1] = wr_ir_imm_operand(at->bits);
    shift.dst = wr_lower_temp(lo, wide ? 2 : 1);
    wr_lower_emit(lo, &shift);
    insn.src[0] = shift.dst;
    insn.src[1] = wr_ir_imm_operand(bits >> 31 != 0 ? 0
                                    : bits >= width ? UINT64_MAX
                                                    : (UINT64_C(1) << bits) - 1);
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

/* A shift of a sign-extended word by 31 becomes a product by 2^31, which has no such number. */
static bool lower_product(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_NEG, WR_S64);
    wr_ir_operand times = wr_ir_imm_operand((uint64_t)INT32_MIN);
    wr_ir_insn product = wr_ir_insn_new(WR_OP_MUL, WR_S32);

    if (ptx->mod[WR_PTX_SLOT_MODE] != WR_PTX_MODE_WIDE || ptx->type[0] != WR_PTX_S32 ||
        ptx->operands[2].kind != WR_PTX_OPD_IMM || ptx->operands[2].bits != times.bits) {
        return false;
    }
    product.m.mode = WR_MUL_WIDE;
    product.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    product.src[1] = times;
    product.dst = wr_lower_temp(lo, 2);
    wr_lower_emit(lo, &product);
    insn.src[0] = product.dst;
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_S64);
    return true;
}

/* A rotation by `amount` is a block of its own, {shl lhs, x, amount; sub amt2, width, amount;
 * shr rhs, x, amt2; add}, which wants an amount below the width. */
static bool lower_rotation(wr_lower *lo, wr_op op)
{
    const wr_ptx_insn *ptx = lo->insn;
    const wr_ptx_operand *amount = &ptx->operands[2];
    bool turns = is_reg(lo, &ptx->operands[0], op == WR_OP_SUB ? "%amt2" : "%lhs");
    wr_ir_insn insn = wr_ir_insn_new(op, wr_lower_type(ptx->type[0]));
    uint64_t width = op == WR_OP_SUB ? ptx->operands[1].bits : ptx->type[0] == WR_PTX_B64 ? 64 : 32;

    if (!turns || amount->kind != WR_PTX_OPD_REG) {
        return false;
    }
    insn.src[0] = wr_lower_source(lo, &ptx->operands[1]);
    insn.src[1] = wr_lower_three(lo, WR_OP_AND, WR_B32, wr_lower_source(lo, amount),
                                 wr_ir_imm_operand(width - 1), (wr_ir_operand){0});
    wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    return true;
}

bool wr_lower_llvm(wr_lower *lo)
{
    if (!lo->insn->by_llvm) {
        return false;
    }
    switch (lo->insn->op) {
    case WR_PTX_BFE:
        return lower_field(lo);
    case WR_PTX_MUL:
        return lower_product(lo);
    case WR_PTX_SHL:
        return lower_rotation(lo, WR_OP_SHL);
    case WR_PTX_SHR:
        return lower_rotation(lo, WR_OP_SHR);
    case WR_PTX_SUB:
        return lower_rotation(lo, WR_OP_SUB);
    default:
        return false;
    }
}
