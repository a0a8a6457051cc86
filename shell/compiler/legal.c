/* SPDX-License-Identifier: Apache-2.0 */
/* Legalising constant operands.
 *
 * An instruction has one place for a constant of 32 bits, an immediate or a place in the
 * constant bank; a memory access has it for the offset alone. Zero is RZ and costs nothing. All
 * others are loaded right before the use: short live ranges cost instructions but no
 * registers, and registers are what a context switch pays for.
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

/* The type in which source i is read. */
static wr_type source_type(const wr_ir_insn *insn, unsigned i)
{
    switch ((wr_isa_width)wr_isa_rows[insn->m.op].src[i]) {
    case WR_W_TYPE2:
        return (wr_type)insn->m.type2;
    case WR_W_WORD:
        return WR_U32;
    case WR_W_ADDR:
        return insn->m.src_regs[0] == 2 ? WR_U64 : WR_U32;
    default:
        return (wr_type)insn->m.type;
    }
}

static uint64_t constant_of(const wr_ir_insn *insn, unsigned i)
{
    uint64_t bits = insn->src[i].bits;

    return wr_ir_src_words(insn, i) == 2 ? bits : bits & UINT32_MAX;
}

/* The constant fits the extension word as it is read there. The addend of a wide MAD is wider
 * than the type says, so it stays out. */
static bool encodable(const wr_ir_insn *insn, unsigned i)
{
    uint64_t bits = constant_of(insn, i);

    if (wr_ir_is_mem(insn)) {
        return false;
    }
    if (wr_isa_rows[insn->m.op].src[i] == WR_W_WIDE && insn->m.mode == WR_MUL_WIDE) {
        return false;
    }
    if (insn->src[i].kind == WR_IR_PARAM || wr_ir_src_words(insn, i) == 1) {
        return true;
    }
    if (source_type(insn, i) == WR_F64) {
        return (bits & UINT32_MAX) == 0;
    }
    return (int64_t)bits == (int32_t)bits;
}

/* The value of the extension word. */
static uint64_t encoded(const wr_ir_insn *insn, unsigned i)
{
    uint64_t bits = constant_of(insn, i);

    if (insn->src[i].kind == WR_IR_PARAM) {
        return insn->src[i].bits;
    }
    return wr_ir_src_words(insn, i) == 2 && source_type(insn, i) == WR_F64 ? bits >> 32
                                                                           : bits & UINT32_MAX;
}

static void place_of(wr_ir_insn *insn, const wr_ir_insn *user)
{
    insn->line = user->line;
    insn->column = user->column;
    insn->ptx = user->ptx;
}

static void load_word(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *user, wr_ir_operand dst,
                      uint64_t bits)
{
    wr_ir_insn insn = wr_ir_move(dst, wr_ir_imm_operand(bits & UINT32_MAX), 1);

    if ((bits & UINT32_MAX) == 0) {
        insn.src[0] = (wr_ir_operand){0};
    }
    place_of(&insn, user);
    wr_ir_append(ir, list, &insn);
}

/* Loads the constant of source i into a new register in front. */
static void materialise(wr_ir *ir, wr_ir_list *list, wr_ir_insn *insn, unsigned i)
{
    unsigned words = wr_ir_src_words(insn, i);
    wr_ir_operand dst = wr_ir_reg_operand(wr_ir_new_reg(ir, words), 0);
    uint64_t bits = constant_of(insn, i);
    wr_ir_insn move = wr_ir_move(dst, insn->src[i], words);

    if (insn->src[i].kind == WR_IR_PARAM || words == 1 || (int64_t)bits == (int32_t)bits) {
        move.src[0].bits = insn->src[i].kind == WR_IR_PARAM ? insn->src[i].bits : bits;
        place_of(&move, insn);
        wr_ir_append(ir, list, &move);
    } else {
        load_word(ir, list, insn, dst, bits);
        dst.word = 1;
        load_word(ir, list, insn, dst, bits >> 32);
        dst.word = 0;
    }
    insn->src[i] = dst;
    if (i == 0 && wr_ir_is_mem(insn)) {
        insn->m.src_regs[0] = (uint8_t)words;
    }
}

/* A 64-bit move of a constant that does not fit one word becomes two moves, in place. */
static bool split_move(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *insn)
{
    uint64_t bits = insn->src[0].bits;
    wr_ir_insn half = *insn;

    if (insn->m.op != WR_OP_MOV || insn->m.type != WR_B64 || insn->src[0].kind != WR_IR_IMM ||
        (int64_t)bits == (int32_t)bits) {
        return false;
    }
    half.m.type = WR_B32;
    for (unsigned word = 0; word < 2; word++) {
        half.dst = wr_ir_reg_operand(insn->dst.reg, insn->dst.word + word);
        half.src[0] = wr_ir_imm_operand(bits >> 32 * word & UINT32_MAX);
        if (half.src[0].bits == 0) {
            half.src[0] = (wr_ir_operand){0};
        }
        wr_ir_append(ir, list, &half);
    }
    return true;
}

static void extend(wr_ir_insn *insn, unsigned i)
{
    insn->m.ext = insn->src[i].kind == WR_IR_PARAM ? WR_EXT_PARAM : WR_EXT_IMM;
    insn->m.ext_slot = (uint8_t)i;
    insn->m.imm = (uint32_t)encoded(insn, i);
}

/* RZ as the mask of lanes would mean that none is given. */
static bool is_mask(const wr_ir_insn *insn, unsigned i)
{
    wr_op op = (wr_op)insn->m.op;

    return (op == WR_OP_SHFL || op == WR_OP_VOTE || op == WR_OP_MATCH || op == WR_OP_REDUX ||
            op == WR_OP_WARPSYNC) &&
           i + 1 == wr_ir_src_count(insn);
}

static void legalise(wr_ir *ir, wr_ir_list *list, wr_ir_insn *insn)
{
    if (split_move(ir, list, insn)) {
        return;
    }
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        wr_ir_operand *src = &insn->src[i];

        if (src->kind == WR_IR_IMM && constant_of(insn, i) == 0 &&
            !(i == 0 && wr_ir_is_mem(insn)) && !is_mask(insn, i)) {
            *src = (wr_ir_operand){0};
        }
        if (src->kind != WR_IR_IMM && src->kind != WR_IR_PARAM) {
            continue;
        }
        if (encodable(insn, i) && insn->m.ext == WR_EXT_NONE) {
            extend(insn, i);
        } else {
            materialise(ir, list, insn, i);
        }
    }
    if (wr_ir_is_mem(insn) && insn->offset != 0) {
        insn->m.ext = WR_EXT_IMM;
        insn->m.imm = (uint32_t)insn->offset;
    }
    wr_ir_append(ir, list, insn);
}

/* Moves that were made on the way lack their extension word. */
static void finish_moves(wr_ir_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        wr_ir_insn *insn = &list->at[i];

        if (insn->m.op == WR_OP_MOV && insn->m.ext == WR_EXT_NONE &&
            (insn->src[0].kind == WR_IR_IMM || insn->src[0].kind == WR_IR_PARAM)) {
            extend(insn, 0);
        }
    }
}

void wr_pass_legalise(wr_ir *ir)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        wr_ir_list list = {0};

        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            legalise(ir, &list, &ir->blocks[b].insns.at[i]);
        }
        finish_moves(&list);
        ir->blocks[b].insns = list;
    }
}
