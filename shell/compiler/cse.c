/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: an instruction that computes what one that dominates it has computed
 * becomes a copy of that one's result, and copy propagation does the rest.
 *
 * Both results and all register operands must have a single definition, which comes before
 * the first of the two; then the operands can't have changed in between (see clean.c). Loads from
 * memory that can be written are the same only inside a block with nothing in between that
 * writes memory or lets others write it. Constants are left alone: a register that is kept for
 * one costs more than loading it again. So are values that change by themselves (clocks, and
 * where a TB runs, which preemption moves), and what lanes tell each other.
 */
#include <assert.h>

#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define MAX_PROBES 32

typedef struct entry {
    const wr_ir_insn *insn;
    uint32_t block, index, epoch;
    uint32_t next; /* index + 1 of the next in the bucket */
} entry;

typedef struct table {
    wr_ir *ir;
    const wr_cfg *cfg;
    const wr_defs *defs;
    const wr_pred_defs *preds;
    entry *entries;
    uint32_t count, cap;
    uint32_t *bucket;
    uint32_t buckets; /* a power of two */
    uint32_t epoch;   /* of memory: grows at each block and at each effect */
} table;

static bool is_fixed_sreg(wr_sreg sreg)
{
    return sreg <= WR_SREG_LANEID || (sreg >= WR_SREG_LANEMASK_EQ && sreg <= WR_SREG_LANEMASK_GT) ||
           sreg == WR_SREG_GRIDID;
}

static bool is_fixed_memory(const wr_ir_insn *insn)
{
    return insn->m.space == WR_SPACE_CONST || insn->m.space == WR_SPACE_PARAM;
}

/* A comparison by itself, whose result is one predicate. */
static bool is_comparison(const table *t, const wr_ir_insn *insn)
{
    return insn->m.op == WR_OP_SETP && insn->pd != WR_IR_NO_REG && insn->pd2 == WR_IR_NO_REG &&
           insn->ps == WR_IR_NO_REG && t->preds->def[insn->pd] == insn;
}

static bool takes_part(const table *t, const wr_ir_insn *insn)
{
    unsigned words = wr_ir_dst_words(insn);

    if (insn->m.op == WR_OP_SETP) {
        return is_comparison(t, insn);
    }
    if (insn->dst.kind != WR_IR_REG || t->defs->def[insn->dst.reg] != insn || words > 2 ||
        insn->pd != WR_IR_NO_REG || insn->pd2 != WR_IR_NO_REG || insn->ps != WR_IR_NO_REG ||
        insn->ps2 != WR_IR_NO_REG || insn->to_generic != 0) {
        return false;
    }
    if (insn->m.op == WR_OP_S2R) {
        return is_fixed_sreg((wr_sreg)insn->m.sreg);
    }
    if (insn->m.op == WR_OP_LD) {
        return !insn->m.is_volatile;
    }
    return insn->m.op != WR_OP_MOV &&
           (wr_isa_rows[insn->m.op].cls == WR_CLASS_ARITH || insn->m.op == WR_OP_SET);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t hash_of(const wr_ir_insn *insn)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), insn->m.op);

    hash = mix(hash, insn->m.type);
    hash = mix(hash, insn->m.sreg);
    hash = mix(hash, (uint64_t)insn->offset);
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        hash = mix(hash, insn->src[i].kind);
        hash = mix(hash, insn->src[i].kind == WR_IR_REG ? insn->src[i].reg : insn->src[i].bits);
    }
    return hash ^ hash >> 32;
}

static bool same_operand(const wr_ir_operand *a, const wr_ir_operand *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == WR_IR_REG) {
        return a->reg == b->reg && a->word == b->word;
    }
    return a->kind == WR_IR_NONE || a->bits == b->bits;
}

static bool same_insn(const wr_ir_insn *a, const wr_ir_insn *b)
{
    if (!wr_ir_does_same(a, b)) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(a); i++) {
        if (!same_operand(&a->src[i], &b->src[i])) {
            return false;
        }
    }
    return true;
}

/* Operands come before the instruction on every path and never change. */
static bool operands_hold(const table *t, const wr_ir_insn *insn, uint32_t block, uint32_t index)
{
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (insn->src[i].kind == WR_IR_REG &&
            !wr_defs_reach(t->defs, t->cfg, insn->src[i].reg, block, index)) {
            return false;
        }
    }
    return true;
}

static void remember(table *t, const wr_ir_insn *insn, uint32_t block, uint32_t index,
                     uint32_t slot)
{
    t->entries = wr_pool_grow(t->ir->pool, t->entries, t->count, &t->cap, sizeof *t->entries);
    t->entries[t->count] = (entry){insn, block, index, t->epoch, t->bucket[slot]};
    t->bucket[slot] = ++t->count;
}

static bool result_reaches(const table *t, const wr_ir_insn *earlier, uint32_t block,
                           uint32_t index)
{
    if (earlier->m.op == WR_OP_SETP) {
        return wr_pred_defs_reach(t->preds, t->cfg, earlier->pd, block, index);
    }
    return wr_defs_reach(t->defs, t->cfg, earlier->dst.reg, block, index);
}

/* The earlier instruction with the same result, or NULL. */
static const wr_ir_insn *find(const table *t, const wr_ir_insn *insn, uint32_t block,
                              uint32_t index, uint32_t slot)
{
    unsigned probes = 0;

    for (uint32_t at = t->bucket[slot]; at != 0 && probes < MAX_PROBES; probes++) {
        const entry *e;

        assert(t->entries != NULL);
        e = &t->entries[at - 1];
        if (same_insn(e->insn, insn) &&
            (insn->m.op != WR_OP_LD || is_fixed_memory(insn) || e->epoch == t->epoch) &&
            result_reaches(t, e->insn, block, index)) {
            return e->insn;
        }
        at = e->next;
    }
    return NULL;
}

static wr_ir_insn copy_of(const wr_ir_insn *insn, const wr_ir_insn *earlier)
{
    wr_ir_insn copy;

    if (insn->m.op != WR_OP_SETP) {
        return wr_ir_move(insn->dst, wr_ir_reg_operand(earlier->dst.reg, 0), wr_ir_dst_words(insn));
    }
    copy = wr_ir_insn_new(WR_OP_AND, WR_PRED);
    copy.pd = insn->pd;
    copy.ps = earlier->pd;
    return copy;
}

static bool visit(table *t, wr_ir_insn *insn, uint32_t block, uint32_t index)
{
    const wr_ir_insn *earlier;
    uint32_t slot;
    wr_ir_insn copy;

    if (wr_ir_has_effect(insn)) {
        t->epoch++;
    }
    if (insn->guard != WR_IR_NO_REG || !takes_part(t, insn) ||
        !operands_hold(t, insn, block, index)) {
        return false;
    }
    slot = (uint32_t)hash_of(insn) & (t->buckets - 1);
    earlier = find(t, insn, block, index, slot);
    if (earlier == NULL) {
        remember(t, insn, block, index, slot);
        return false;
    }
    copy = copy_of(insn, earlier);
    copy.line = insn->line;
    copy.column = insn->column;
    copy.ptx = insn->ptx;
    *insn = copy;
    return true;
}

bool wr_pass_cse(wr_ir *ir, const wr_cfg *cfg)
{
    table t = {.ir = ir, .cfg = cfg, .buckets = 256};
    uint32_t insns = 0;
    bool changed = false;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        insns += ir->blocks[b].insns.count;
    }
    while (t.buckets < insns) {
        t.buckets *= 2;
    }
    t.defs = wr_defs_build(ir);
    t.preds = wr_pred_defs_build(ir);
    t.bucket = wr_pool_alloc(ir->pool, t.buckets, sizeof *t.bucket);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        wr_ir_list *list = &ir->blocks[cfg->order[k]].insns;

        t.epoch++;
        for (uint32_t i = 0; i < list->count; i++) {
            changed = visit(&t, &list->at[i], cfg->order[k], i) || changed;
        }
    }
    return changed;
}
