/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of operations across the lanes of a warp, and of barriers. */
#include "shell/compiler/lower.h"

#include <string.h>

#include "shell/isa/table.h"

static wr_ir_operand emit_binary(wr_lower *lo, wr_op op, wr_ir_operand a, uint64_t b)
{
    wr_ir_insn insn = wr_ir_insn_new(op, WR_B32);

    insn.src[0] = a;
    insn.src[1] = wr_ir_imm_operand(b);
    insn.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &insn);
    return insn.dst;
}

/* Lane or distance, and c << 8, in one operand. */
static wr_ir_operand shuffle_control(wr_lower *lo)
{
    wr_ir_operand b = wr_lower_source(lo, &lo->insn->operands[2]);
    wr_ir_operand c = wr_lower_source(lo, &lo->insn->operands[3]);
    wr_ir_insn join = wr_ir_insn_new(WR_OP_BFI, WR_B32);

    if (b.kind == WR_IR_IMM && c.kind == WR_IR_IMM) {
        return wr_ir_imm_operand((b.bits & 31) | (c.bits & 0x1f1f) << 8);
    }
    /* The machine looks at 5 bits of each field, so only b must not reach into c. */
    join.src[0] = c;
    join.src[1] =
        b.kind == WR_IR_IMM ? wr_ir_imm_operand(b.bits & 31) : emit_binary(lo, WR_OP_AND, b, 31);
    join.src[2] = wr_ir_imm_operand(8 | 16 << 8);
    join.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &join);
    return join.dst;
}

/* The mask of lanes of the .sync forms, else nothing: the lanes that execute it. */
static bool lower_members(wr_lower *lo, unsigned operand, wr_ir_operand *mask)
{
    *mask = (wr_ir_operand){0};
    if (operand >= lo->insn->operand_count) {
        return true;
    }
    *mask = wr_lower_source(lo, &lo->insn->operands[operand]);
    if (mask->kind != WR_IR_IMM || (mask->bits & UINT32_MAX) != 0) {
        return true;
    }
    return wr_lower_refuse(lo, "the member mask names no lane: name those that execute it");
}

/* dst and the predicate behind it, `d|p`. */
static void emit_pair(wr_lower *lo, wr_ir_insn *insn)
{
    const wr_ptx_operand *dst = &lo->insn->operands[0];

    if (dst->kind == WR_PTX_OPD_REG && dst->reg2 != WR_PTX_NO_REG) {
        insn->pd = wr_lower_reg(lo, dst->reg2);
    }
    wr_lower_emit_to(lo, insn, dst, WR_U32);
}

static bool lower_shfl(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SHFL, WR_B32);

    insn.m.mode = (uint8_t)(lo->insn->mod[WR_PTX_SLOT_MODE] - WR_PTX_MODE_UP);
    insn.src[0] = wr_lower_source(lo, &lo->insn->operands[1]);
    insn.src[1] = shuffle_control(lo);
    if (!lower_members(lo, 4, &insn.src[2])) {
        return false;
    }
    emit_pair(lo, &insn);
    return true;
}

static bool lower_vote(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_VOTE, WR_B32);

    insn.m.mode = (uint8_t)(ptx->mod[WR_PTX_SLOT_MODE] - WR_PTX_MODE_ALL);
    insn.ps = wr_lower_pred(lo, &ptx->operands[1], &insn.m.ps_neg);
    if (!lower_members(lo, 2, &insn.src[0])) {
        return false;
    }
    if (insn.m.mode == WR_VOTE_BALLOT) {
        wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_U32);
    } else {
        insn.pd = wr_lower_reg(lo, ptx->operands[0].reg);
        wr_lower_emit(lo, &insn);
    }
    return true;
}

static bool lower_activemask(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_VOTE, WR_B32);

    insn.m.mode = WR_VOTE_BALLOT;
    wr_lower_emit_to(lo, &insn, &lo->insn->operands[0], WR_U32);
    return true;
}

static bool lower_match(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_MATCH, wr_lower_type(lo->insn->type[0]));
    bool all = lo->insn->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_ALL;

    insn.m.mode = all ? WR_MATCH_ALL : WR_MATCH_ANY;
    insn.src[0] = wr_lower_source(lo, &lo->insn->operands[1]);
    if (!lower_members(lo, 2, &insn.src[1])) {
        return false;
    }
    emit_pair(lo, &insn);
    return true;
}

static bool lower_redux(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_REDUX, wr_lower_type(lo->insn->type[0]));

    insn.m.mode = (uint8_t)(lo->insn->mod[WR_PTX_SLOT_MODE] - WR_PTX_MODE_ADD);
    insn.src[0] = wr_lower_source(lo, &lo->insn->operands[1]);
    if (!lower_members(lo, 2, &insn.src[1])) {
        return false;
    }
    wr_lower_emit_to(lo, &insn, &lo->insn->operands[0], (wr_type)insn.m.type);
    return true;
}

static bool lower_warp_sync(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_WARPSYNC, WR_B32);

    if (!lower_members(lo, 0, &insn.src[0])) {
        return false;
    }
    wr_lower_emit(lo, &insn);
    return true;
}

_Static_assert(WR_PTX_MODE_IDX - WR_PTX_MODE_UP == WR_SHFL_IDX &&
                   WR_PTX_MODE_BALLOT - WR_PTX_MODE_ALL == WR_VOTE_BALLOT &&
                   WR_PTX_MODE_XOR - WR_PTX_MODE_ADD == WR_ATOM_XOR,
               "modes are in the same order in both lists");

bool wr_lower_across(wr_lower *lo)
{
    switch (lo->insn->op) {
    case WR_PTX_SHFL:
        return lower_shfl(lo);
    case WR_PTX_VOTE:
        return lower_vote(lo);
    case WR_PTX_MATCH:
        return lower_match(lo);
    case WR_PTX_REDUX:
        return lower_redux(lo);
    case WR_PTX_BAR_WARP_SYNC:
        return lower_warp_sync(lo);
    default:
        return lower_activemask(lo);
    }
}

/* ---- barriers: number, and where it is given the count of threads ---- */

static bool lower_barrier_operands(wr_lower *lo, unsigned at, bool counted, wr_ir_insn *insn)
{
    wr_ir_operand number = wr_lower_source(lo, &lo->insn->operands[at]);

    if (number.kind == WR_IR_IMM && number.bits > 15) {
        return wr_lower_refuse(lo, "barriers are numbered 0 to 15");
    }
    if (number.kind == WR_IR_IMM) {
        insn->m.barrier = (uint8_t)number.bits;
    } else {
        insn->src[0] = number;
    }
    if (!counted) {
        return true;
    }
    insn->src[1] = wr_lower_source(lo, &lo->insn->operands[at + 1]);
    if (insn->src[1].kind == WR_IR_IMM && (insn->src[1].bits & UINT32_MAX) == 0) {
        return wr_lower_refuse(lo, "a barrier for no thread: count those that take part");
    }
    return true;
}

/* `barrier` without .aligned counts thread by thread, and the machine by warps: that is the same
 * where the warp's lanes are together, which is tested first. */
static void come_together(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_WARPSYNC, WR_B32);

    if (strncmp(ptx->text, "barrier", 7) == 0 && ptx->mod[WR_PTX_SLOT_ALIGNED] == 0) {
        wr_lower_emit(lo, &insn);
    }
}

static bool lower_bar_red(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BAR, WR_U8);
    uint8_t mode = ptx->mod[WR_PTX_SLOT_MODE];

    insn.m.mode = mode == WR_PTX_MODE_AND  ? WR_BAR_AND
                  : mode == WR_PTX_MODE_OR ? WR_BAR_OR
                                           : WR_BAR_POPC;
    if (!lower_barrier_operands(lo, 1, ptx->operand_count == 4, &insn)) {
        return false;
    }
    come_together(lo);
    insn.ps = wr_lower_pred(lo, &ptx->operands[ptx->operand_count - 1], &insn.m.ps_neg);
    if (insn.m.mode == WR_BAR_POPC) {
        wr_lower_emit_to(lo, &insn, &ptx->operands[0], WR_U32);
    } else {
        insn.pd = wr_lower_reg(lo, ptx->operands[0].reg);
        wr_lower_emit(lo, &insn);
    }
    return true;
}

bool wr_lower_barrier(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BAR, WR_U8);

    if (ptx->op == WR_PTX_BAR_RED) {
        return lower_bar_red(lo);
    }
    if (ptx->op == WR_PTX_BAR_ARRIVE) {
        insn.m.mode = WR_BAR_ARRIVE;
    }
    if (!lower_barrier_operands(lo, 0, ptx->operand_count == 2, &insn)) {
        return false;
    }
    if (ptx->op == WR_PTX_BAR_SYNC && ptx->operand_count == 1 && insn.src[0].kind == WR_IR_NONE &&
        insn.m.barrier == 0) {
        insn.m.op = WR_OP_BAR_PP;
    }
    come_together(lo);
    wr_lower_emit(lo, &insn);
    return true;
}
