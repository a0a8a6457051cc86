/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar clean-ups: what any scalar compiler does before allocation, since the front end that
 * wrote the PTX left it to the assembler.
 *
 * Copies are replaced only where source and destination each have a single definition that
 * dominates the place of use. Then the source can't have changed in between: a path from the
 * copy to the use that passed the source's definition again would give a path from the entry
 * to the use without the copy.
 */
#include "shell/compiler/lower.h"
#include "shell/compiler/passes.h"

#define MAX_ROUNDS 16

/* The value that a use of `words` words at `operand` may take instead, from the copy that defines
 * its register; false where there is none. */
static bool look_through(const wr_ir *ir, const wr_cfg *cfg, const wr_defs *defs,
                         const wr_ir_operand *operand, unsigned words, uint32_t block,
                         uint32_t index, wr_ir_operand *value)
{
    const wr_ir_insn *copy = defs->def[operand->reg];
    const wr_ir_operand *src;

    if (copy == NULL || !wr_ir_is_move(copy) || copy->dead ||
        !wr_defs_reach(defs, cfg, operand->reg, block, index)) {
        return false;
    }
    src = &copy->src[0];
    *value = *src;
    switch ((wr_ir_kind)src->kind) {
    case WR_IR_REG:
        if (!wr_defs_reach(defs, cfg, src->reg, defs->block[operand->reg],
                           defs->index[operand->reg])) {
            return false;
        }
        value->word = (uint8_t)(src->word + operand->word);
        return value->word % words == 0 && value->word + words <= ir->regs[src->reg].words;
    case WR_IR_PARAM:
        value->bits += 4u * operand->word;
        return true;
    case WR_IR_IMM:
        value->bits >>= 32u * operand->word;
        return true;
    case WR_IR_NONE:
        break;
    }
    return false;
}

/* A constant address becomes the offset, of 32 bits, from nothing. */
static bool may_replace(const wr_ir_insn *insn, unsigned i, const wr_ir_operand *value)
{
    uint64_t address = (uint64_t)insn->offset + value->bits;

    if (i != 0 || !wr_ir_is_mem(insn) || value->kind != WR_IR_IMM) {
        return true;
    }
    return insn->m.src_regs[0] != 2 || address <= UINT32_MAX;
}

static bool propagate(wr_ir *ir, const wr_cfg *cfg, const wr_defs *defs, uint32_t block,
                      uint32_t index)
{
    wr_ir_insn *insn = &ir->blocks[block].insns.at[index];
    bool changed = false;

    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        unsigned words = wr_ir_src_words(insn, i);
        wr_ir_operand value;

        if (insn->src[i].kind != WR_IR_REG ||
            !look_through(ir, cfg, defs, &insn->src[i], words, block, index, &value) ||
            !may_replace(insn, i, &value)) {
            continue;
        }
        insn->src[i] = value;
        if (value.kind == WR_IR_IMM && i == 0 && wr_ir_is_mem(insn)) {
            insn->offset = (int64_t)(uint32_t)((uint64_t)insn->offset + value.bits);
            insn->src[0] = (wr_ir_operand){0};
            insn->m.src_regs[0] = 0;
        }
        changed = true;
    }
    return changed;
}

/* Loads from the parameter block whose address turned out to be fixed. */
static bool resolve_params(wr_ir *ir, wr_ir_block *block)
{
    wr_ir_list list = {0};
    bool any = false;

    for (uint32_t i = 0; i < block->insns.count; i++) {
        const wr_ir_insn *insn = &block->insns.at[i];

        any = any || (insn->m.op == WR_OP_LD && insn->m.space == WR_SPACE_PARAM &&
                      insn->src[0].kind == WR_IR_NONE && insn->guard == WR_IR_NO_REG);
    }
    if (!any) {
        return false;
    }
    for (uint32_t i = 0; i < block->insns.count; i++) {
        const wr_ir_insn *insn = &block->insns.at[i];

        if (insn->m.op == WR_OP_LD && insn->m.space == WR_SPACE_PARAM &&
            insn->src[0].kind == WR_IR_NONE && insn->guard == WR_IR_NO_REG) {
            wr_lower_param_load(ir, &list, insn);
        } else {
            wr_ir_append(ir, &list, insn);
        }
    }
    block->insns = list;
    return true;
}

static bool clean_once(wr_ir *ir, const wr_cfg *cfg)
{
    bool changed = false;
    wr_defs *defs;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        changed = resolve_params(ir, &ir->blocks[b]) || changed;
    }
    defs = wr_defs_build(ir);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        uint32_t b = cfg->order[k];

        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            changed = propagate(ir, cfg, defs, b, i) || changed;
            changed = wr_fold_insn(insn) || changed;
            if (wr_ir_is_mem(insn)) {
                changed = wr_fold_address(ir, cfg, defs, b, i) || changed;
            }
        }
    }
    changed = wr_pass_dead_code(ir) > 0 || changed;
    return changed;
}

void wr_pass_clean(wr_ir *ir, const wr_cfg *cfg)
{
    unsigned rounds = 0;

    while (rounds < MAX_ROUNDS && clean_once(ir, cfg)) {
        rounds++;
    }
}
