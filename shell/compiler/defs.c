/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions and uses of virtual registers, and dead code. */
#include <assert.h>

#include "shell/compiler/passes.h"

wr_defs *wr_defs_build(const wr_ir *ir)
{
    return wr_defs_build_in(ir, ir->pool);
}

wr_defs *wr_defs_build_in(const wr_ir *ir, wr_pool *pool)
{
    wr_defs *defs = wr_pool_alloc(pool, 1, sizeof *defs);
    uint32_t n = ir->reg_count;
    uint8_t *writes = wr_pool_alloc(pool, n, 1);

    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    defs->def = wr_pool_alloc(pool, n, sizeof *defs->def);
    defs->block = wr_pool_alloc(pool, n, sizeof *defs->block);
    defs->index = wr_pool_alloc(pool, n, sizeof *defs->index);
    defs->uses = wr_pool_alloc(pool, n, sizeof *defs->uses);
    defs->addr_uses = wr_pool_alloc(pool, n, sizeof *defs->addr_uses);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        wr_ir_list *list = &ir->blocks[b].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            wr_ir_insn *insn = &list->at[i];
            uint32_t reg = insn->dst.reg;

            for (unsigned k = 0; k < wr_ir_src_count(insn); k++) {
                if (insn->src[k].kind != WR_IR_REG) {
                    continue;
                }
                defs->uses[insn->src[k].reg]++;
                if (k == 0 && wr_ir_is_mem(insn)) {
                    defs->addr_uses[insn->src[k].reg]++;
                }
            }
            if (insn->dst.kind != WR_IR_REG) {
                continue;
            }
            writes[reg] = writes[reg] == 0 ? 1 : 2;
            defs->def[reg] = NULL;
            if (writes[reg] == 1 && insn->guard == WR_IR_NO_REG &&
                wr_ir_dst_words(insn) == ir->regs[reg].words) {
                defs->def[reg] = insn;
                defs->block[reg] = b;
                defs->index[reg] = i;
            }
        }
    }
    return defs;
}

bool wr_defs_reach(const wr_defs *defs, const wr_cfg *cfg, uint32_t reg, uint32_t block,
                   uint32_t index)
{
    if (defs->def[reg] == NULL) {
        return false;
    }
    if (defs->block[reg] == block) {
        return defs->index[reg] < index;
    }
    return cfg->idom[block] != WR_IR_NO_BLOCK && cfg->idom[defs->block[reg]] != WR_IR_NO_BLOCK &&
           wr_cfg_dominates(cfg, defs->block[reg], block);
}

/* ---- dead code: what no instruction with an effect needs, loops included ---- */

typedef struct writer {
    wr_ir_insn *insn;
    uint32_t next; /* index + 1 of the next writer of the same item */
} writer;

typedef struct marker {
    const wr_ir *ir;
    writer *writers;
    uint32_t count, cap;
    uint32_t *head;  /* by item: registers, then predicates */
    uint32_t *stack; /* items whose writers are to be marked */
    uint32_t depth;
    bool *seen;
} marker;

static void add_writer(marker *m, uint32_t item, wr_ir_insn *insn)
{
    m->writers = wr_pool_grow(m->ir->pool, m->writers, m->count, &m->cap, sizeof *m->writers);
    m->writers[m->count] = (writer){insn, m->head[item]};
    m->head[item] = ++m->count;
}

static void need(marker *m, uint32_t item)
{
    if (!m->seen[item]) {
        m->seen[item] = true;
        m->stack[m->depth++] = item;
    }
}

static void need_pred(marker *m, uint32_t pred)
{
    if (pred != WR_IR_NO_REG) {
        need(m, m->ir->reg_count + pred);
    }
}

static void mark_insn(marker *m, wr_ir_insn *insn)
{
    insn->dead = false;
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (insn->src[i].kind == WR_IR_REG) {
            need(m, insn->src[i].reg);
        }
    }
    need_pred(m, insn->guard);
    need_pred(m, insn->ps);
    need_pred(m, insn->ps2);
}

static void collect(marker *m, wr_ir_insn *insn)
{
    insn->dead = true;
    if (insn->dst.kind == WR_IR_REG) {
        add_writer(m, insn->dst.reg, insn);
    }
    if (insn->pd != WR_IR_NO_REG) {
        add_writer(m, m->ir->reg_count + insn->pd, insn);
    }
    if (insn->pd2 != WR_IR_NO_REG) {
        add_writer(m, m->ir->reg_count + insn->pd2, insn);
    }
}

/* Atomics whose result nobody needs still act. */
uint32_t wr_pass_dead_code(wr_ir *ir)
{
    uint32_t items = ir->reg_count + ir->pred_count;
    marker m = {.ir = ir};
    uint32_t dropped = 0;

    m.head = wr_pool_alloc(ir->pool, items, sizeof *m.head);
    m.stack = wr_pool_alloc(ir->pool, items, sizeof *m.stack);
    m.seen = wr_pool_alloc(ir->pool, items, sizeof *m.seen);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            collect(&m, &ir->blocks[b].insns.at[i]);
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            if (wr_ir_has_effect(&ir->blocks[b].insns.at[i])) {
                mark_insn(&m, &ir->blocks[b].insns.at[i]);
            }
        }
    }
    while (m.depth > 0) {
        uint32_t item = m.stack[--m.depth];

        for (uint32_t w = m.head[item]; w != 0; w = m.writers[w - 1].next) {
            wr_ir_insn *insn;

            assert(m.writers != NULL);
            insn = m.writers[w - 1].insn;
            if (insn->dead) {
                mark_insn(&m, insn);
            }
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            dropped += ir->blocks[b].insns.at[i].dead ? 1 : 0;
        }
    }
    wr_ir_sweep(ir);
    return dropped;
}
