/* SPDX-License-Identifier: Apache-2.0 */
/* If-conversion: short sides of a branch become guarded instructions, and the branch goes away.
 *
 *     @p bra T;               side                     @p bra T;               side, guard !p
 *     side             ->     join          and        side; bra J;      ->    other, guard p
 *  T: join                                          T: other                   join
 *                                                   J: join
 *
 * and a side that ends the thread becomes a guarded exit, but not at the end of a loop, which
 * would seem to have none.
 *
 * What a side writes and only the side needs is written by all lanes, without a guard, where that
 * costs nothing and can't fault: a guarded write does not kill, so its register would be live
 * from the start. Such a write must not reach a lane of the other way: the cell is not live there.
 * A load into such a cell keeps its branch. Instructions that act across lanes keep theirs too.
 *
 * Cells live at the start of a block don't change while others are converted, but blocks that
 * took part in a conversion are left alone until liveness is known again.
 */
#include <string.h>

#include "shell/compiler/live.h"
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define MAX_ROUNDS 4
#define MAX_COST   6 /* instructions of both sides; one on a slow unit counts as two */

typedef struct converter {
    wr_ir *ir;
    const wr_cfg *cfg;
    const wr_live *live;
    bool *touched; /* by block */
} converter;

/* How a side's instruction runs when the branch is gone. */
typedef enum way { KEEP_BRANCH, ALL_LANES, GUARDED } way;

/* Instructions before the jump at the end, if there is one. */
static uint32_t body_count(const wr_ir_block *block)
{
    const wr_ir_list *list = &block->insns;

    if (list->count > 0 && list->at[list->count - 1].m.op == WR_OP_BRA) {
        return list->count - 1;
    }
    return list->count;
}

static way way_of(const converter *c, const wr_ir_insn *insn, uint32_t pred, uint32_t elsewhere)
{
    wr_isa_class cls = (wr_isa_class)wr_isa_rows[insn->m.op].cls;
    bool pure = cls == WR_CLASS_ARITH || cls == WR_CLASS_SETP, needed = false, all = true;
    wr_ir_refs refs;

    if (insn->guard != WR_IR_NO_REG) {
        return KEEP_BRANCH;
    }
    if (insn->m.op == WR_OP_EXIT) {
        return GUARDED;
    }
    if (!pure && cls != WR_CLASS_MEM) {
        return KEEP_BRANCH;
    }
    wr_ir_get_refs(c->ir, insn, &refs);
    for (uint32_t i = 0; i < refs.def_count; i++) {
        bool live = wr_live_has_in(c->live, elsewhere, refs.defs[i]);

        if (refs.defs[i] == c->ir->word_count + pred) {
            return KEEP_BRANCH;
        }
        needed = needed || live;
        all = all && live;
    }
    if (pure && !needed) {
        return ALL_LANES;
    }
    return all ? GUARDED : KEEP_BRANCH;
}

/* What the side costs; 0: it can't be converted. `elsewhere`: where lanes go on that do not take
 * this side. */
static uint32_t cost_of(const converter *c, uint32_t side, uint32_t pred, uint32_t elsewhere)
{
    const wr_ir_block *block = &c->ir->blocks[side];
    uint32_t cost = 0;

    for (uint32_t i = 0; i < body_count(block); i++) {
        const wr_ir_insn *insn = &block->insns.at[i];

        if (way_of(c, insn, pred, elsewhere) == KEEP_BRANCH) {
            return 0;
        }
        cost += wr_isa_rows[insn->m.op].info.unit == WR_UNIT_SFU ? 2 : 1;
    }
    return cost;
}

static void move_side(converter *c, wr_ir_list *to, uint32_t side, const wr_ir_insn *branch,
                      bool neg, uint32_t elsewhere)
{
    wr_ir_block *block = &c->ir->blocks[side];

    for (uint32_t i = 0; i < body_count(block); i++) {
        wr_ir_insn insn = block->insns.at[i];

        if (way_of(c, &insn, branch->guard, elsewhere) == GUARDED) {
            insn.guard = branch->guard;
            insn.m.guard_neg = neg;
        }
        wr_ir_append(c->ir, to, &insn);
    }
    block->insns.count = 0;
    c->touched[side] = true;
}

/* The only way into the block is from `from`. */
static bool only_from(const converter *c, uint32_t block, uint32_t from)
{
    return c->ir->blocks[block].pred_count == 1 && c->ir->blocks[block].preds[0] == from;
}

static bool ends_thread(const wr_ir_block *block)
{
    return block->succ_count == 0 && block->insns.count > 0 &&
           block->insns.at[block->insns.count - 1].m.op == WR_OP_EXIT;
}

/* Ends the block with a jump to `join`. */
static void jump(converter *c, uint32_t block, uint32_t join, const wr_ir_insn *branch)
{
    wr_ir_insn to = wr_ir_insn_new(WR_OP_BRA, (wr_type)branch->m.type);

    to.target = join;
    to.line = branch->line;
    to.column = branch->column;
    to.ptx = branch->ptx;
    wr_ir_append(c->ir, &c->ir->blocks[block].insns, &to);
    c->ir->blocks[block].succ[0] = join;
    c->ir->blocks[block].succ_count = 1;
    c->touched[block] = true;
    c->touched[join] = true;
}

static bool convert(converter *c, uint32_t b)
{
    wr_ir_block *block = &c->ir->blocks[b];
    wr_ir_list *list = &block->insns;
    wr_ir_insn branch;
    uint32_t side = block->succ[0], other, cost, join;

    if (block->succ_count != 2 || list->count == 0) {
        return false;
    }
    branch = list->at[list->count - 1];
    other = branch.target;
    if (branch.m.op != WR_OP_BRA || branch.guard == WR_IR_NO_REG || side == other || side == b ||
        other == b || c->touched[b] || c->touched[side] || c->touched[other] ||
        !only_from(c, side, b)) {
        return false;
    }
    cost = cost_of(c, side, branch.guard, other);
    if (cost == 0 || cost > MAX_COST) {
        return false;
    }
    if ((ends_thread(&c->ir->blocks[side]) && !wr_cfg_dominates(c->cfg, other, b)) ||
        (c->ir->blocks[side].succ_count == 1 && c->ir->blocks[side].succ[0] == other)) {
        list->count--;
        move_side(c, list, side, &branch, !branch.m.guard_neg, other);
        jump(c, b, other, &branch);
        return true;
    }
    if (c->ir->blocks[side].succ_count != 1 || c->ir->blocks[other].succ_count != 1 ||
        c->ir->blocks[side].succ[0] != c->ir->blocks[other].succ[0] || !only_from(c, other, b)) {
        return false;
    }
    join = c->ir->blocks[side].succ[0];
    if (join == b || c->touched[join]) {
        return false;
    }
    if (body_count(&c->ir->blocks[other]) > 0) {
        uint32_t more = cost_of(c, other, branch.guard, join);

        if (more == 0 || cost + more > MAX_COST) {
            return false;
        }
    }
    list->count--;
    move_side(c, list, side, &branch, !branch.m.guard_neg, other);
    move_side(c, list, other, &branch, branch.m.guard_neg, join);
    jump(c, b, join, &branch);
    return true;
}

wr_cfg *wr_pass_ifconv(wr_ir *ir, wr_cfg *cfg)
{
    bool changed = true;

    for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
        wr_pool *pool = wr_pool_new();
        converter c = {.ir = ir, .cfg = cfg, .live = wr_live_build(ir, cfg, pool)};

        changed = false;
        c.touched = wr_pool_alloc(pool, ir->block_count, sizeof *c.touched);
        for (uint32_t k = 0; k < cfg->order_count; k++) {
            changed = convert(&c, cfg->order[k]) || changed;
        }
        wr_pool_free(pool);
        if (changed) {
            cfg = wr_cfg_build(ir);
        }
    }
    return cfg;
}
