/* SPDX-License-Identifier: Apache-2.0 */
/* Clean-ups of predicates, which are few (WR_ISA_PREDS): copies and constants to their uses, and
 * what combines a comparison with another predicate into the comparison itself.
 *
 *     setp.lt p, a, b;  and q, p, r   ->   setp.lt.and q, a, b, r
 *
 * As with registers (clean.c), this is done where predicates and the registers that are read have
 * a single definition that comes before the place of use. Branches and exits keep their guard
 * though it is constant: the graph is as it is.
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define MAX_ROUNDS 8
#define NEAR       16 /* instructions that a comparison moves down: its sources live on so far */

/* A predicate or its opposite; NO_REG is true. */
typedef struct value {
    uint32_t pred;
    bool neg;
} value;

static bool is_const(value v)
{
    return v.pred == WR_IR_NO_REG;
}

wr_pred_defs *wr_pred_defs_build(const wr_ir *ir)
{
    wr_pred_defs *defs = wr_pool_alloc(ir->pool, 1, sizeof *defs);
    uint32_t n = ir->pred_count;
    uint8_t *writes = wr_pool_alloc(ir->pool, n, 1);

    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    defs->def = wr_pool_alloc(ir->pool, n, sizeof *defs->def);
    defs->block = wr_pool_alloc(ir->pool, n, sizeof *defs->block);
    defs->index = wr_pool_alloc(ir->pool, n, sizeof *defs->index);
    defs->uses = wr_pool_alloc(ir->pool, n, sizeof *defs->uses);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];
            const uint32_t written[2] = {insn->pd, insn->pd2};
            const uint32_t read[3] = {insn->guard, insn->ps, insn->ps2};

            for (unsigned k = 0; k < 3; k++) {
                if (read[k] != WR_IR_NO_REG) {
                    defs->uses[read[k]]++;
                }
            }
            for (unsigned k = 0; k < 2; k++) {
                uint32_t pred = written[k];

                if (pred == WR_IR_NO_REG) {
                    continue;
                }
                writes[pred] = writes[pred] == 0 ? 1 : 2;
                defs->def[pred] = writes[pred] == 1 && insn->guard == WR_IR_NO_REG ? insn : NULL;
                defs->block[pred] = b;
                defs->index[pred] = i;
            }
        }
    }
    return defs;
}

bool wr_pred_defs_reach(const wr_pred_defs *defs, const wr_cfg *cfg, uint32_t pred, uint32_t block,
                        uint32_t index)
{
    if (defs->def[pred] == NULL) {
        return false;
    }
    if (defs->block[pred] == block) {
        return defs->index[pred] < index;
    }
    return cfg->idom[block] != WR_IR_NO_BLOCK && cfg->idom[defs->block[pred]] != WR_IR_NO_BLOCK &&
           wr_cfg_dominates(cfg, defs->block[pred], block);
}

typedef struct cleaner {
    wr_ir *ir;
    const wr_cfg *cfg;
    const wr_defs *defs;
    const wr_pred_defs *preds;
    bool changed;
} cleaner;

static bool is_logic(const wr_ir_insn *insn)
{
    return insn->m.type == WR_PRED &&
           (insn->m.op == WR_OP_AND || insn->m.op == WR_OP_OR || insn->m.op == WR_OP_XOR);
}

static bool is_copy(const wr_ir_insn *insn)
{
    return is_logic(insn) && insn->m.op == WR_OP_AND && insn->ps2 == WR_IR_NO_REG &&
           !insn->m.ps2_neg && insn->guard == WR_IR_NO_REG;
}

static void make_copy(wr_ir_insn *insn, value v)
{
    insn->m.op = WR_OP_AND;
    insn->m.type = WR_PRED;
    insn->ps = v.pred;
    insn->m.ps_neg = v.neg;
    insn->ps2 = WR_IR_NO_REG;
    insn->m.ps2_neg = false;
}

static void make_const(wr_ir_insn *insn, bool truth)
{
    make_copy(insn, (value){WR_IR_NO_REG, !truth});
}

/* What can stand for the predicate at this place; itself where nothing can. */
static value look_through(const cleaner *c, value v, uint32_t block, uint32_t index)
{
    const wr_ir_insn *copy = is_const(v) ? NULL : c->preds->def[v.pred];

    if (copy == NULL || !is_copy(copy) || copy->dead ||
        !wr_pred_defs_reach(c->preds, c->cfg, v.pred, block, index)) {
        return v;
    }
    if (copy->ps != WR_IR_NO_REG &&
        !wr_pred_defs_reach(c->preds, c->cfg, copy->ps, c->preds->block[v.pred],
                            c->preds->index[v.pred])) {
        return v;
    }
    return (value){copy->ps, copy->m.ps_neg != v.neg};
}

static void propagate(cleaner *c, wr_ir_insn *insn, uint32_t block, uint32_t index)
{
    value guard = look_through(c, (value){insn->guard, insn->m.guard_neg}, block, index);
    value a = look_through(c, (value){insn->ps, insn->m.ps_neg}, block, index);
    value b = look_through(c, (value){insn->ps2, insn->m.ps2_neg}, block, index);
    bool stays = insn->m.op == WR_OP_BRA || insn->m.op == WR_OP_EXIT || insn->m.op == WR_OP_TRAP;

    if (insn->ps != a.pred || insn->ps2 != b.pred) {
        c->changed = true;
    }
    insn->ps = a.pred;
    insn->m.ps_neg = a.neg;
    insn->ps2 = b.pred;
    insn->m.ps2_neg = b.neg;
    if (insn->guard == guard.pred || (stays && is_const(guard))) {
        return;
    }
    c->changed = true;
    if (is_const(guard) && guard.neg) {
        insn->dead = true;
    } else {
        insn->guard = guard.pred;
        insn->m.guard_neg = guard.neg;
    }
}

static void fold_logic(cleaner *c, wr_ir_insn *insn)
{
    value a = {insn->ps, insn->m.ps_neg}, b = {insn->ps2, insn->m.ps2_neg};

    if (insn->m.op == WR_OP_AND && is_const(b) && !b.neg) {
        return;
    }
    if (is_const(a)) {
        value other = a;

        a = b;
        b = other;
    }
    if (!is_const(b)) {
        return;
    }
    c->changed = true;
    if (insn->m.op == WR_OP_XOR) {
        make_copy(insn, (value){a.pred, a.neg == b.neg});
    } else if ((insn->m.op == WR_OP_AND) == b.neg) {
        make_const(insn, insn->m.op == WR_OP_OR);
    } else {
        make_copy(insn, a);
    }
}

static void no_combination(wr_ir_insn *insn)
{
    insn->m.boolop = WR_BOOL_NONE;
    insn->ps = WR_IR_NO_REG;
    insn->m.ps_neg = false;
}

/* A comparison that is combined with a constant. */
static void fold_compare(cleaner *c, wr_ir_insn *insn)
{
    bool truth = !insn->m.ps_neg, guard_neg = insn->m.guard_neg;

    if (insn->m.boolop == WR_BOOL_NONE || insn->ps != WR_IR_NO_REG) {
        return;
    }
    if ((insn->m.boolop == WR_BOOL_AND) == truth) {
        no_combination(insn);
        c->changed = true;
    } else if (insn->m.op == WR_OP_SETP && insn->m.boolop != WR_BOOL_XOR &&
               insn->pd2 == WR_IR_NO_REG && insn->pd != WR_IR_NO_REG) {
        insn->m = wr_ir_insn_new(WR_OP_AND, WR_PRED).m;
        insn->m.guard_neg = guard_neg;
        insn->src[0] = (wr_ir_operand){0};
        insn->src[1] = (wr_ir_operand){0};
        make_const(insn, truth);
        c->changed = true;
    }
}

static void fold_select(cleaner *c, wr_ir_insn *insn)
{
    if (insn->ps != WR_IR_NO_REG) {
        return;
    }
    insn->m.op = WR_OP_MOV;
    if (insn->m.ps_neg) {
        insn->src[0] = insn->src[1];
    }
    insn->src[1] = (wr_ir_operand){0};
    insn->m.ps_neg = false;
    c->changed = true;
}

/* The comparison that holds exactly where this one does not. */
static wr_cmp opposite(wr_cmp cmp, bool is_float)
{
    static const uint8_t whole[] = {
        [WR_CMP_EQ] = WR_CMP_NE, [WR_CMP_NE] = WR_CMP_EQ, [WR_CMP_LT] = WR_CMP_GE,
        [WR_CMP_LE] = WR_CMP_GT, [WR_CMP_GT] = WR_CMP_LE, [WR_CMP_GE] = WR_CMP_LT,
        [WR_CMP_LO] = WR_CMP_HS, [WR_CMP_LS] = WR_CMP_HI, [WR_CMP_HI] = WR_CMP_LS,
        [WR_CMP_HS] = WR_CMP_LO,
    };
    static const uint8_t real[] = {
        [WR_CMP_EQ] = WR_CMP_NEU,  [WR_CMP_NE] = WR_CMP_EQU,  [WR_CMP_LT] = WR_CMP_GEU,
        [WR_CMP_LE] = WR_CMP_GTU,  [WR_CMP_GT] = WR_CMP_LEU,  [WR_CMP_GE] = WR_CMP_LTU,
        [WR_CMP_EQU] = WR_CMP_NE,  [WR_CMP_NEU] = WR_CMP_EQ,  [WR_CMP_LTU] = WR_CMP_GE,
        [WR_CMP_LEU] = WR_CMP_GT,  [WR_CMP_GTU] = WR_CMP_LE,  [WR_CMP_GEU] = WR_CMP_LT,
        [WR_CMP_NUM] = WR_CMP_NAN, [WR_CMP_NAN] = WR_CMP_NUM,
    };

    return (wr_cmp)(is_float ? real[cmp] : whole[cmp]);
}

static bool is_float(uint8_t type)
{
    return type == WR_F16 || type == WR_BF16 || type == WR_F32 || type == WR_F64;
}

/* The comparison that makes `v` for this use alone, and that may as well be made at `index`. */
static wr_ir_insn *find_compare(const cleaner *c, value v, uint32_t block, uint32_t index)
{
    wr_ir_insn *setp = is_const(v) ? NULL : c->preds->def[v.pred];
    uint32_t at;

    if (setp == NULL || setp->m.op != WR_OP_SETP || setp->dead || setp->pd != v.pred ||
        setp->pd2 != WR_IR_NO_REG || setp->m.boolop != WR_BOOL_NONE ||
        c->preds->uses[v.pred] != 1 || c->preds->block[v.pred] != block) {
        return NULL;
    }
    at = c->preds->index[v.pred];
    if (at >= index || index - at > NEAR) {
        return NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (setp->src[i].kind == WR_IR_REG &&
            !wr_defs_reach(c->defs, c->cfg, setp->src[i].reg, block, at)) {
            return NULL;
        }
    }
    return setp;
}

static void combine(cleaner *c, wr_ir_insn *insn, uint32_t block, uint32_t index)
{
    static const uint8_t boolop[WR_OP_COUNT] = {
        [WR_OP_AND] = WR_BOOL_AND, [WR_OP_OR] = WR_BOOL_OR, [WR_OP_XOR] = WR_BOOL_XOR};
    value a = {insn->ps, insn->m.ps_neg}, b = {insn->ps2, insn->m.ps2_neg};
    wr_ir_insn *setp, joined;

    if (insn->guard != WR_IR_NO_REG || is_const(a) || is_const(b)) {
        return;
    }
    setp = find_compare(c, b, block, index);
    if (setp == NULL) {
        value other = a;

        a = b;
        b = other;
        setp = find_compare(c, b, block, index);
    }
    if (setp == NULL) {
        return;
    }
    joined = *setp;
    if (b.neg) {
        joined.m.cmp = (uint8_t)opposite((wr_cmp)setp->m.cmp, is_float(setp->m.type));
    }
    joined.m.boolop = boolop[insn->m.op];
    joined.pd = insn->pd;
    joined.ps = a.pred;
    joined.m.ps_neg = a.neg;
    joined.line = insn->line;
    joined.column = insn->column;
    joined.ptx = insn->ptx;
    *insn = joined;
    setp->dead = true;
    c->changed = true;
}

static void visit(cleaner *c, uint32_t block, uint32_t index)
{
    wr_ir_insn *insn = &c->ir->blocks[block].insns.at[index];

    if (insn->dead) {
        return;
    }
    propagate(c, insn, block, index);
    if (insn->dead) {
        return;
    }
    if (is_logic(insn)) {
        fold_logic(c, insn);
    } else if (insn->m.op == WR_OP_SETP || insn->m.op == WR_OP_SET) {
        fold_compare(c, insn);
    } else if (insn->m.op == WR_OP_SELP) {
        fold_select(c, insn);
    }
    if (is_logic(insn) && insn->pd2 == WR_IR_NO_REG) {
        combine(c, insn, block, index);
    }
}

bool wr_pass_predicates(wr_ir *ir, const wr_cfg *cfg)
{
    bool any = false;

    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        cleaner c = {.ir = ir, .cfg = cfg};

        c.defs = wr_defs_build(ir);
        c.preds = wr_pred_defs_build(ir);
        for (uint32_t k = 0; k < cfg->order_count; k++) {
            for (uint32_t i = 0; i < ir->blocks[cfg->order[k]].insns.count; i++) {
                visit(&c, cfg->order[k], i);
            }
        }
        wr_ir_sweep(ir);
        if (!c.changed) {
            break;
        }
        any = true;
    }
    return any;
}
