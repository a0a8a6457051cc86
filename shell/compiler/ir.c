/* SPDX-License-Identifier: Apache-2.0 */
/* What every pass needs of the intermediate form: making instructions, and saying exactly
 * which cells an instruction reads and writes. */
#include "shell/compiler/ir.h"

#include <assert.h>

#include "shell/isa/table.h"

uint32_t wr_ir_new_reg(wr_ir *ir, unsigned words)
{
    uint32_t reg = ir->reg_count;

    ir->regs = wr_pool_grow(ir->pool, ir->regs, ir->reg_count, &ir->reg_cap, sizeof *ir->regs);
    ir->regs[reg] = (wr_ir_reg){.word0 = ir->word_count, .words = (uint8_t)words};
    ir->reg_count++;
    ir->word_count += words;
    return reg;
}

uint32_t wr_ir_new_pred(wr_ir *ir)
{
    return ir->pred_count++;
}

uint32_t wr_ir_cells(const wr_ir *ir)
{
    return ir->word_count + ir->pred_count;
}

wr_ir_operand wr_ir_reg_operand(uint32_t reg, unsigned word)
{
    return (wr_ir_operand){.kind = WR_IR_REG, .word = (uint8_t)word, .reg = reg};
}

wr_ir_operand wr_ir_imm_operand(uint64_t bits)
{
    return (wr_ir_operand){.kind = WR_IR_IMM, .bits = bits};
}

wr_ir_insn wr_ir_insn_new(wr_op op, wr_type type)
{
    wr_ir_insn insn = {.guard = WR_IR_NO_REG,
                       .pd = WR_IR_NO_REG,
                       .pd2 = WR_IR_NO_REG,
                       .ps = WR_IR_NO_REG,
                       .ps2 = WR_IR_NO_REG,
                       .target = WR_IR_NO_BLOCK};

    insn.m.op = (uint16_t)op;
    insn.m.type = (uint8_t)type;
    insn.m.vec = 1;
    return insn;
}

wr_ir_insn wr_ir_move(wr_ir_operand dst, wr_ir_operand src, unsigned words)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_MOV, words == 2 ? WR_B64 : WR_B32);

    insn.dst = dst;
    insn.src[0] = src;
    return insn;
}

unsigned wr_ir_dst_words(const wr_ir_insn *insn)
{
    return wr_isa_operand_regs(&insn->m, -1, 1);
}

unsigned wr_ir_src_words(const wr_ir_insn *insn, unsigned i)
{
    return wr_isa_operand_regs(&insn->m, (int)i, insn->m.src_regs[0] == 2 ? 2 : 1);
}

unsigned wr_ir_src_count(const wr_ir_insn *insn)
{
    return wr_isa_source_count(&insn->m);
}

bool wr_ir_is_mem(const wr_ir_insn *insn)
{
    return wr_isa_rows[insn->m.op].cls == WR_CLASS_MEM;
}

bool wr_ir_is_move(const wr_ir_insn *insn)
{
    return insn->m.op == WR_OP_MOV && insn->guard == WR_IR_NO_REG;
}

bool wr_ir_ends_block(const wr_ir_insn *insn)
{
    if (insn->m.op == WR_OP_BRA) {
        return true;
    }
    return (insn->m.op == WR_OP_EXIT || insn->m.op == WR_OP_TRAP) && insn->guard == WR_IR_NO_REG;
}

bool wr_ir_has_effect(const wr_ir_insn *insn)
{
    switch ((wr_op)insn->m.op) {
    case WR_OP_LD:
        return insn->m.is_volatile;
    case WR_OP_ST:
    case WR_OP_ATOM:
    case WR_OP_RED:
    case WR_OP_PP:
    case WR_OP_BAR_PP:
    case WR_OP_BAR:
    case WR_OP_WARPSYNC:
    case WR_OP_MEMBAR:
    case WR_OP_EXIT:
    case WR_OP_TRAP:
    case WR_OP_BRA:
    case WR_OP_PRINTF:
    case WR_OP_MALLOC:
    case WR_OP_FREE:
    case WR_OP_ASSERT:
        return true;
    default:
        return false;
    }
}

static void add_words(const wr_ir *ir, const wr_ir_operand *operand, unsigned words,
                      uint32_t *cells, uint32_t *count)
{
    if (operand->kind != WR_IR_REG) {
        return;
    }
    assert(operand->word + words <= ir->regs[operand->reg].words);
    for (unsigned i = 0; i < words; i++) {
        assert(*count < WR_IR_MAX_REFS);
        cells[(*count)++] = ir->regs[operand->reg].word0 + operand->word + i;
    }
}

static void add_pred(const wr_ir *ir, uint32_t pred, uint32_t *cells, uint32_t *count)
{
    if (pred != WR_IR_NO_REG) {
        cells[(*count)++] = ir->word_count + pred;
    }
}

void wr_ir_get_refs(const wr_ir *ir, const wr_ir_insn *insn, wr_ir_refs *refs)
{
    unsigned nsrc = wr_ir_src_count(insn);

    refs->use_count = 0;
    refs->def_count = 0;
    refs->kills = insn->guard == WR_IR_NO_REG;
    for (unsigned i = 0; i < nsrc; i++) {
        add_words(ir, &insn->src[i], wr_ir_src_words(insn, i), refs->uses, &refs->use_count);
    }
    add_pred(ir, insn->guard, refs->uses, &refs->use_count);
    add_pred(ir, insn->ps, refs->uses, &refs->use_count);
    add_pred(ir, insn->ps2, refs->uses, &refs->use_count);
    add_words(ir, &insn->dst, wr_ir_dst_words(insn), refs->defs, &refs->def_count);
    add_pred(ir, insn->pd, refs->defs, &refs->def_count);
    add_pred(ir, insn->pd2, refs->defs, &refs->def_count);
}

bool wr_ir_does_same(const wr_ir_insn *a, const wr_ir_insn *b)
{
    const wr_insn *m = &a->m, *n = &b->m;

    return m->op == n->op && m->type == n->type && m->type2 == n->type2 && m->mode == n->mode &&
           m->cmp == n->cmp && m->boolop == n->boolop && m->rnd == n->rnd &&
           m->variant == n->variant && m->ps_neg == n->ps_neg && m->sreg == n->sreg &&
           m->space == n->space && m->vec == n->vec && m->ftz == n->ftz && m->sat == n->sat &&
           a->offset == b->offset && m->src_regs[0] == n->src_regs[0];
}

void wr_ir_escape(wr_ir *ir, uint64_t start, uint64_t bytes)
{
    ir->escapes =
        wr_pool_grow(ir->pool, ir->escapes, ir->escape_count, &ir->escape_cap, sizeof *ir->escapes);
    ir->escapes[ir->escape_count++] = (wr_ir_range){start, start + bytes};
}

void wr_ir_append(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *insn)
{
    list->at = wr_pool_grow(ir->pool, list->at, list->count, &list->cap, sizeof *list->at);
    list->at[list->count++] = *insn;
}

void wr_ir_sweep(wr_ir *ir)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        wr_ir_list *list = &ir->blocks[b].insns;
        uint32_t kept = 0;

        for (uint32_t i = 0; i < list->count; i++) {
            if (!list->at[i].dead) {
                list->at[kept++] = list->at[i];
            }
        }
        list->count = kept;
    }
}
