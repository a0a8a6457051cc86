/* SPDX-License-Identifier: Apache-2.0 */
/* Spilling: a register lives in the thread's local memory and passes through a temporary at
 * each instruction that touches it; a predicate lives in a register as 0 or 1, and that register
 * may be spilled in a later round like any other.
 *
 * A register that can be computed again (remat.c) is not stored at all.
 */
#include <string.h>

#include "shell/compiler/alloc.h"
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

typedef struct spiller {
    wr_alloc *alloc;
    wr_ir *ir;
    wr_remat_chain **chains; /* by register: how it is computed again, or NULL */
    bool *reg_spilled;       /* by register */
    bool *pred_spilled;      /* by predicate */
    uint32_t *slot;          /* by register: byte in the frame */
    uint32_t *pred_reg;      /* by predicate: register that holds it */
    uint32_t regs;           /* registers and predicates before this round */
    uint32_t preds;
    const wr_split *split;  /* by register, or NULL */
    uint32_t *enter, *next; /* by head of a loop: the first register split there + 1; the next */
    uint32_t head;          /* of the innermost loop around the present block, or NO_BLOCK */
} spiller;

static uint32_t new_temp(wr_ir *ir, unsigned words)
{
    uint32_t reg = wr_ir_new_reg(ir, words);

    ir->regs[reg].spill_temp = true;
    return reg;
}

static wr_ir_insn access_slot(const spiller *s, wr_op op, uint32_t reg, unsigned word,
                              unsigned words)
{
    wr_ir_insn insn = wr_ir_insn_new(op, words == 2 ? WR_B64 : WR_B32);

    insn.m.vec = words == 4 ? 4 : 1;
    insn.m.space = WR_SPACE_LOCAL;
    insn.offset = s->slot[reg] + 4 * (int64_t)word;
    if (insn.offset != 0) {
        insn.m.ext = WR_EXT_IMM;
        insn.m.imm = (uint32_t)insn.offset;
    }
    return insn;
}

static void place_like(wr_ir_insn *insn, const wr_ir_insn *user)
{
    insn->line = user->line;
    insn->column = user->column;
    insn->ptx = user->ptx;
}

/* Computes the register again into new ones. Each part of the chain names the registers of the
 * program, so those that came before in the chain are replaced by their copies. */
static void rebuild(spiller *s, wr_ir_list *list, const wr_ir_insn *user, wr_ir_operand *operand)
{
    const wr_remat_chain *chain = s->chains[operand->reg];
    uint32_t copies[WR_REMAT_MAX] = {0};

    for (uint32_t k = 0; k < chain->count; k++) {
        wr_ir_insn insn = chain->at[k];

        copies[k] = new_temp(s->ir, s->ir->regs[insn.dst.reg].words);
        for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
            for (uint32_t j = 0; j < k; j++) {
                if (insn.src[i].kind == WR_IR_REG && insn.src[i].reg == chain->at[j].dst.reg) {
                    insn.src[i].reg = copies[j];
                }
            }
        }
        insn.dst.reg = copies[k];
        place_like(&insn, user);
        wr_ir_append(s->ir, list, &insn);
    }
    operand->reg = copies[chain->count - 1];
}

static void reload(spiller *s, wr_ir_list *list, const wr_ir_insn *user, wr_ir_operand *operand,
                   unsigned words)
{
    wr_ir_operand temp = wr_ir_reg_operand(new_temp(s->ir, words), 0);
    wr_ir_insn insn;

    if (s->split != NULL && s->head != WR_IR_NO_BLOCK && s->split[operand->reg].head == s->head) {
        operand->reg = s->split[operand->reg].reg;
        return;
    }
    if (s->chains[operand->reg] != NULL) {
        rebuild(s, list, user, operand);
        return;
    }
    insn = access_slot(s, WR_OP_LD, operand->reg, operand->word, words);
    place_like(&insn, user);
    insn.dst = temp;
    wr_ir_append(s->ir, list, &insn);
    *operand = temp;
}

static uint32_t reload_pred(spiller *s, wr_ir_list *list, const wr_ir_insn *user, uint32_t pred)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SETP, WR_U32);

    if (pred == WR_IR_NO_REG || pred >= s->preds || !s->pred_spilled[pred]) {
        return pred;
    }
    insn.m.cmp = WR_CMP_NE;
    insn.src[0] = wr_ir_reg_operand(s->pred_reg[pred], 0);
    insn.pd = wr_ir_new_pred(s->ir);
    place_like(&insn, user);
    wr_ir_append(s->ir, list, &insn);
    return insn.pd;
}

/* After `user` wrote the temporary predicate `pred` in place of `spilled`. */
static void store_pred(spiller *s, wr_ir_list *list, const wr_ir_insn *user, uint32_t spilled,
                       uint32_t pred)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SELP, WR_B32);

    insn.src[0] = wr_ir_imm_operand(1);
    insn.m.ext = WR_EXT_IMM;
    insn.m.imm = 1;
    insn.ps = pred;
    insn.dst = wr_ir_reg_operand(s->pred_reg[spilled], 0);
    place_like(&insn, user);
    wr_ir_append(s->ir, list, &insn);
}

static bool spilled_pred(const spiller *s, uint32_t pred)
{
    return pred != WR_IR_NO_REG && pred < s->preds && s->pred_spilled[pred];
}

static bool spilled_operand(const spiller *s, const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_REG && operand->reg < s->regs && s->reg_spilled[operand->reg];
}

/* The temporary that an instruction writes in place of a spilled predicate. Under a guard it
 * has the old value first, so that it is whole and does not seem live from the start. */
static uint32_t target_pred(spiller *s, wr_ir_list *list, const wr_ir_insn *user, uint32_t pred)
{
    return user->guard == WR_IR_NO_REG ? wr_ir_new_pred(s->ir) : reload_pred(s, list, user, pred);
}

static void rewrite(spiller *s, wr_ir_list *list, const wr_ir_insn *original)
{
    wr_ir_insn insn = *original;
    uint32_t home = insn.dst.reg, pd = insn.pd, pd2 = insn.pd2;
    bool store = spilled_operand(s, &insn.dst);

    if (store && s->chains[home] != NULL) {
        return;
    }
    for (unsigned i = 0; i < wr_ir_src_count(&insn); i++) {
        if (spilled_operand(s, &insn.src[i])) {
            reload(s, list, original, &insn.src[i], wr_ir_src_words(&insn, i));
        }
    }
    insn.guard = reload_pred(s, list, original, insn.guard);
    insn.ps = reload_pred(s, list, original, insn.ps);
    insn.ps2 = reload_pred(s, list, original, insn.ps2);
    if (store && insn.guard != WR_IR_NO_REG) {
        reload(s, list, original, &insn.dst, wr_ir_dst_words(&insn));
    } else if (store) {
        insn.dst = wr_ir_reg_operand(new_temp(s->ir, wr_ir_dst_words(&insn)), 0);
    }
    if (spilled_pred(s, pd)) {
        insn.pd = target_pred(s, list, &insn, pd);
    }
    if (spilled_pred(s, pd2)) {
        insn.pd2 = target_pred(s, list, &insn, pd2);
    }
    wr_ir_append(s->ir, list, &insn);
    if (store) {
        wr_ir_insn st = access_slot(s, WR_OP_ST, home, original->dst.word, wr_ir_dst_words(&insn));

        st.src[1] = insn.dst;
        place_like(&st, original);
        wr_ir_append(s->ir, list, &st);
    }
    if (spilled_pred(s, pd)) {
        store_pred(s, list, &insn, pd, insn.pd);
    }
    if (spilled_pred(s, pd2)) {
        store_pred(s, list, &insn, pd2, insn.pd2);
    }
}

/* A place in the frame for each register that is not computed again. */
static void give_homes(spiller *s)
{
    wr_ir *ir = s->ir;

    for (uint32_t r = 0; r < s->regs; r++) {
        uint32_t bytes = 4u * ir->regs[r].words;

        if (!s->reg_spilled[r] || s->chains[r] != NULL) {
            continue;
        }
        s->slot[r] = (ir->local_bytes + bytes - 1) / bytes * bytes;
        ir->spill_bytes += bytes;
        ir->local_bytes = s->slot[r] + bytes;
    }
}

static void find_splits(spiller *s, const wr_remat *remat, const bool *spill)
{
    bool *in_memory = wr_pool_alloc(s->alloc->pool, s->regs, sizeof *in_memory);

    for (uint32_t r = 0; r < s->regs; r++) {
        in_memory[r] = s->reg_spilled[r] && s->chains[r] == NULL;
    }
    s->split = wr_alloc_split(s->alloc, remat->live, spill, in_memory);
    if (s->split == NULL) {
        return;
    }
    s->enter = wr_pool_alloc(s->alloc->pool, s->ir->block_count, sizeof *s->enter);
    s->next = wr_pool_alloc(s->alloc->pool, s->regs, sizeof *s->next);
    for (uint32_t r = 0; r < s->regs; r++) {
        if (s->split[r].head == WR_IR_NO_BLOCK) {
            continue;
        }
        s->next[r] = s->enter[s->split[r].head];
        s->enter[s->split[r].head] = r + 1;
    }
}

/* Loads what stays in registers in loops that begin behind the block. */
static void enter_loops(const spiller *s, wr_ir_list *list, uint32_t block)
{
    const wr_ir_block *b = &s->ir->blocks[block];

    for (uint32_t k = 0; s->split != NULL && k < b->succ_count; k++) {
        uint32_t head = b->succ[k];

        if (s->alloc->cfg->loop_head[head] != head || s->head == head) {
            continue;
        }
        for (uint32_t r = s->enter[head]; r != 0; r = s->next[r - 1]) {
            wr_ir_insn insn = access_slot(s, WR_OP_LD, r - 1, 0, s->ir->regs[r - 1].words);

            insn.dst = wr_ir_reg_operand(s->split[r - 1].reg, 0);
            if (b->insns.count > 0) {
                place_like(&insn, &b->insns.at[b->insns.count - 1]);
            }
            wr_ir_append(s->ir, list, &insn);
        }
    }
}

static void rewrite_block(spiller *s, uint32_t block)
{
    wr_ir_list list = {0}, *old = &s->ir->blocks[block].insns;
    uint32_t last =
        old->count > 0 && wr_ir_ends_block(&old->at[old->count - 1]) ? old->count - 1 : old->count;

    s->head = s->alloc->cfg->loop_head[block];
    for (uint32_t i = 0; i < last; i++) {
        rewrite(s, &list, &old->at[i]);
    }
    enter_loops(s, &list, block);
    if (last < old->count) {
        rewrite(s, &list, &old->at[last]);
    }
    *old = list;
}

void wr_alloc_spill(wr_alloc *alloc, const wr_remat *remat, const bool *spill)
{
    wr_ir *ir = alloc->ir;
    spiller s = {.alloc = alloc, .ir = ir, .regs = ir->reg_count, .preds = ir->pred_count};
    wr_remat_chain chain;

    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    s.chains = wr_pool_alloc(alloc->pool, s.regs, sizeof *s.chains);
    s.reg_spilled = wr_pool_alloc(alloc->pool, s.regs, sizeof *s.reg_spilled);
    s.slot = wr_pool_alloc(alloc->pool, s.regs, sizeof *s.slot);
    s.pred_spilled = wr_pool_alloc(alloc->pool, s.preds, sizeof *s.pred_spilled);
    s.pred_reg = wr_pool_alloc(alloc->pool, s.preds, sizeof *s.pred_reg);
    for (uint32_t r = 0; r < s.regs; r++) {
        s.reg_spilled[r] = spill[r];
    }
    for (uint32_t r = 0; r < s.regs; r++) {
        if (spill[r] && wr_remat_find(remat, r, s.reg_spilled, &chain)) {
            s.chains[r] = wr_pool_alloc(alloc->pool, 1, sizeof chain);
            *s.chains[r] = chain;
        }
    }
    for (uint32_t p = 0; p < s.preds; p++) {
        s.pred_spilled[p] = spill[s.regs + p];
    }
    give_homes(&s);
    find_splits(&s, remat, spill);
    for (uint32_t p = 0; p < s.preds; p++) {
        if (s.pred_spilled[p]) {
            s.pred_reg[p] = wr_ir_new_reg(ir, 1);
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        rewrite_block(&s, b);
    }
}
