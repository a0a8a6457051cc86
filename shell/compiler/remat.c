/* SPDX-License-Identifier: Apache-2.0 */
/* Rematerialisation: a value that is computed again at each use takes no register in between, nor
 * memory.
 *
 * It can be, where its only definition is pure and what that reads is a constant, a parameter,
 * the constant bank, another such value, or a register that is live wherever the value is used
 * anyway. That register must have a single definition too, before the value's; then it still
 * holds at the use what the value was made of (see clean.c).
 */
#include <string.h>

#include "shell/compiler/alloc.h"
#include "shell/isa/table.h"

#define NEAR 8 /* instructions */

wr_remat *wr_remat_new(const wr_alloc *alloc, const wr_live *live)
{
    wr_ir *ir = alloc->ir;
    wr_pool *pool = alloc->pool;
    wr_remat *r = wr_pool_alloc(pool, 1, sizeof *r);

    *r = (wr_remat){.alloc = alloc, .live = live, .defs = wr_defs_build_in(ir, pool)};
    r->first = wr_pool_alloc(pool, ir->reg_count, sizeof *r->first);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            const wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            for (unsigned k = 0; k < wr_ir_src_count(insn); k++) {
                uint32_t reg = insn->src[k].reg;

                if (insn->src[k].kind != WR_IR_REG) {
                    continue;
                }
                r->uses = wr_pool_grow(pool, r->uses, r->use_count, &r->use_cap, sizeof *r->uses);
                r->uses[r->use_count] = (wr_remat_use){b, i, r->first[reg]};
                r->first[reg] = ++r->use_count;
            }
        }
    }
    return r;
}

static bool is_pure(const wr_ir_insn *def)
{
    if (def->ps != WR_IR_NO_REG || def->ps2 != WR_IR_NO_REG || def->pd != WR_IR_NO_REG ||
        def->pd2 != WR_IR_NO_REG || def->m.op == WR_OP_S2R) {
        return false;
    }
    if (def->m.op == WR_OP_LD) {
        return !def->m.is_volatile && def->src[0].kind != WR_IR_REG &&
               (def->m.space == WR_SPACE_CONST || def->m.space == WR_SPACE_PARAM);
    }
    return wr_isa_rows[def->m.op].cls == WR_CLASS_ARITH &&
           wr_isa_rows[def->m.op].info.unit != WR_UNIT_SFU;
}

/* All of `source` is live behind every block that uses `reg`. */
static bool stays(const wr_remat *r, uint32_t reg, uint32_t source)
{
    const wr_ir_reg *words = &r->alloc->ir->regs[source];

    for (uint32_t u = r->first[reg]; u != 0; u = r->uses[u - 1].next) {
        for (uint32_t w = 0; w < words->words; w++) {
            if (!wr_live_has_out(r->live, r->uses[u - 1].block, words->word0 + w)) {
                return false;
            }
        }
    }
    return true;
}

/* `depth`: how many of the chain come behind this one for certain. */
static bool build(const wr_remat *r, uint32_t reg, uint32_t part, const bool *spilled,
                  uint32_t depth, wr_remat_chain *chain)
{
    const wr_ir_insn *def = r->defs->def[part];

    if (def == NULL || depth == WR_REMAT_MAX || !is_pure(def)) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(def); i++) {
        uint32_t source = def->src[i].reg;

        if (def->src[i].kind != WR_IR_REG) {
            continue;
        }
        if (!wr_defs_reach(r->defs, r->alloc->cfg, source, r->defs->block[part],
                           r->defs->index[part])) {
            return false;
        }
        if (!(spilled != NULL && spilled[source]) && stays(r, reg, source)) {
            continue;
        }
        if (!build(r, reg, source, spilled, depth + 1, chain)) {
            return false;
        }
    }
    if (chain->count == WR_REMAT_MAX) {
        return false;
    }
    chain->at[chain->count++] = *def;
    return true;
}

bool wr_remat_find(const wr_remat *r, uint32_t reg, const bool *spilled, wr_remat_chain *chain)
{
    chain->count = 0;
    if (r->alloc->ir->regs[reg].spill_temp || !build(r, reg, reg, spilled, 0, chain)) {
        return false;
    }
    /* Each use must come behind the definition, or it would see a value too early. */
    for (uint32_t u = r->first[reg]; u != 0; u = r->uses[u - 1].next) {
        if (!wr_defs_reach(r->defs, r->alloc->cfg, reg, r->uses[u - 1].block,
                           r->uses[u - 1].index)) {
            return false;
        }
    }
    return true;
}

bool wr_remat_pays(const wr_remat *r, uint32_t reg)
{
    for (uint32_t u = r->first[reg]; u != 0; u = r->uses[u - 1].next) {
        if (r->uses[u - 1].block != r->defs->block[reg] ||
            r->uses[u - 1].index > r->defs->index[reg] + NEAR) {
            return true;
        }
    }
    return false;
}
