/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowing: pairs of which only the low word is ever needed become words.
 *
 * Addresses of shared and local memory have 32 bits; PTX cuts a wider register to the space's
 * width (PTX ISA, "Addresses as Operands"). So in a module with 64-bit addresses what computes
 * them can be done in words, and so can what a conversion cuts afterwards. A pair is *wide* where
 * its high word is read, or an operation that gives a pair is not one of those whose low word
 * depends on low words alone. A pair that a wide one is computed from is wide too; all others
 * become words.
 *
 * The end of a counted loop compares its counter with a constant. There a pair may become a word
 * as well: where the counter starts at one constant, grows by another, and leaves the loop when
 * it meets a third (see `is_counter_test`), all its values are known to fit.
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

typedef struct writer {
    wr_ir_insn *insn;
    uint32_t block;
    uint32_t next; /* index + 1 of the register's next writer */
} writer;

typedef struct narrower {
    wr_ir *ir;
    const wr_cfg *cfg;
    writer *writers;
    uint32_t count, cap;
    uint32_t *first; /* by register: index + 1 of a writer */
    bool *wide;      /* by register */
    uint32_t *stack, depth;
    uint32_t *word_of;     /* by register: the word that takes its place; NO_REG = none */
    uint32_t *pred_writes; /* by predicate */
} narrower;

static bool is_int_64(uint8_t type)
{
    return type == WR_U64 || type == WR_S64 || type == WR_B64;
}

static uint8_t word_type(uint8_t type)
{
    return type == WR_U64 ? WR_U32 : type == WR_S64 ? WR_S32 : type == WR_B64 ? WR_B32 : type;
}

/* The low word of the result depends on the low words of the sources alone. */
static bool is_narrowable(const wr_ir_insn *insn)
{
    if (insn->m.sat || wr_ir_dst_words(insn) != 2 || insn->dst.word != 0) {
        return false;
    }
    switch ((wr_op)insn->m.op) {
    case WR_OP_MUL:
    case WR_OP_MAD:
        if (insn->m.mode == WR_MUL_WIDE) {
            return insn->m.type == WR_U32 || insn->m.type == WR_S32;
        }
        return insn->m.mode == WR_MUL_LO && is_int_64(insn->m.type);
    case WR_OP_CVT:
        return is_int_64(insn->m.type) && insn->m.type2 <= WR_S64;
    case WR_OP_MOV:
    case WR_OP_SELP:
    case WR_OP_ADD:
    case WR_OP_SUB:
    case WR_OP_NEG:
    case WR_OP_AND:
    case WR_OP_OR:
    case WR_OP_XOR:
    case WR_OP_NOT:
    case WR_OP_SHL:
        return is_int_64(insn->m.type);
    default:
        return false;
    }
}

static bool is_pair(const narrower *n, const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_REG && n->ir->regs[operand->reg].words == 2;
}

static void make_wide(narrower *n, uint32_t reg)
{
    if (!n->wide[reg]) {
        n->wide[reg] = true;
        n->stack[n->depth++] = reg;
    }
}

/* ---- counters ---- */

static bool is_small(const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_IMM && (int64_t)operand->bits == (int32_t)operand->bits;
}

/* The one writer of a register, or NULL. */
static const writer *only_writer(const narrower *n, uint32_t reg)
{
    uint32_t w = n->first[reg];

    return w != 0 && n->writers[w - 1].next == 0 ? &n->writers[w - 1] : NULL;
}

static bool is_plain(const wr_ir_insn *insn, wr_op op)
{
    return insn->m.op == op && insn->guard == WR_IR_NO_REG && is_narrowable(insn);
}

/* The counter's start and the way back to the loop's head, from the two writers of a register:
 * a constant, and the next value. */
static bool find_counter(const narrower *n, uint32_t reg, const writer **start, const writer **step)
{
    uint32_t a = n->first[reg], b = a != 0 ? n->writers[a - 1].next : 0;

    if (b == 0 || n->writers[b - 1].next != 0) {
        return false;
    }
    *start = &n->writers[a - 1];
    *step = &n->writers[b - 1];
    if (!is_plain((*start)->insn, WR_OP_MOV) || !is_small(&(*start)->insn->src[0])) {
        *start = *step;
        *step = &n->writers[a - 1];
    }
    return is_plain((*start)->insn, WR_OP_MOV) && is_small(&(*start)->insn->src[0]);
}

/* `next` = counter + a constant: the counter, else NO_REG. */
static uint32_t counter_of(const wr_ir_insn *add)
{
    return is_plain(add, WR_OP_ADD) && add->src[0].kind == WR_IR_REG && add->src[0].word == 0 &&
                   is_small(&add->src[1])
               ? add->src[0].reg
               : WR_IR_NO_REG;
}

/* The block ends in a branch that goes to `head` where the test finds a difference, and else out
 * of the loop that only `head` leads into. */
static bool leaves_when_equal(const narrower *n, uint32_t block, uint32_t head,
                              const wr_ir_insn *test)
{
    const wr_ir_block *b = &n->ir->blocks[block];
    const wr_ir_insn *branch = &b->insns.at[b->insns.count - 1];
    bool taken_equal = (test->m.cmp == WR_CMP_EQ) != branch->m.guard_neg;
    uint32_t other;

    if (b->succ_count != 2 || branch->m.op != WR_OP_BRA || branch->guard != test->pd ||
        b->succ[0] == branch->target || (taken_equal ? b->succ[0] : branch->target) != head) {
        return false;
    }
    other = taken_equal ? branch->target : b->succ[0];
    return wr_cfg_dominates(n->cfg, head, block) && n->cfg->loop_head[block] == head &&
           n->cfg->loop_depth[other] < n->cfg->loop_depth[block];
}

static uint32_t index_in(const wr_ir_block *block, const wr_ir_insn *insn)
{
    return (uint32_t)(insn - block->insns.at);
}

/* The block enters the loop at `head` with the counter at its start: nothing comes between. */
static bool enters(const wr_ir *ir, uint32_t head, uint32_t latch, uint32_t entry)
{
    const wr_ir_block *h = &ir->blocks[head];

    return entry != latch && h->pred_count == 2 &&
           ((h->preds[0] == latch && h->preds[1] == entry) ||
            (h->preds[0] == entry && h->preds[1] == latch));
}

/* The test in `block` compares a counter with the constant at which it leaves the loop:
 *
 *     entry: c = start
 *     head:  ...
 *     block: next = c + step;  p = next == end;  c = next;  unless p go to head
 *
 * with head entered from `entry` and `block` alone. Then c takes the values start, start + step ..
 * up to end, if end is one of them, and no other. The copy `c = next` may be missing where next
 * and c are one register. */
static bool is_counter_test(const narrower *n, const wr_ir_insn *test, uint32_t block)
{
    const wr_ir *ir = n->ir;
    const writer *start, *step, *add;
    uint32_t counter;
    int64_t from, by, to;

    if (test->m.op != WR_OP_SETP || !is_int_64(test->m.type) || test->guard != WR_IR_NO_REG ||
        (test->m.cmp != WR_CMP_EQ && test->m.cmp != WR_CMP_NE) || test->pd2 != WR_IR_NO_REG ||
        test->m.boolop != WR_BOOL_NONE || test->pd == WR_IR_NO_REG || !is_pair(n, &test->src[0]) ||
        !is_small(&test->src[1])) {
        return false;
    }
    add = only_writer(n, test->src[0].reg);
    counter = add != NULL ? counter_of(add->insn) : test->src[0].reg;
    if (counter == WR_IR_NO_REG || !find_counter(n, counter, &start, &step)) {
        return false;
    }
    if (add == NULL) { /* one register */
        if (counter_of(step->insn) != counter) {
            return false;
        }
        add = step;
    } else if (!is_plain(step->insn, WR_OP_MOV) || step->insn->src[0].kind != WR_IR_REG ||
               step->insn->src[0].word != 0 || step->insn->src[0].reg != test->src[0].reg) {
        return false;
    }
    if (step->block != block || add->block != block ||
        index_in(&ir->blocks[block], add->insn) > index_in(&ir->blocks[block], test) ||
        index_in(&ir->blocks[block], add->insn) > index_in(&ir->blocks[block], step->insn)) {
        return false;
    }
    from = (int64_t)start->insn->src[0].bits;
    by = (int64_t)add->insn->src[1].bits;
    to = (int64_t)test->src[1].bits;
    if (by == 0 || (to - from) % by != 0 || (to - from) / by < 1) {
        return false;
    }
    for (uint32_t k = 0; k < ir->blocks[block].succ_count; k++) {
        if (enters(ir, ir->blocks[block].succ[k], block, start->block) &&
            leaves_when_equal(n, block, ir->blocks[block].succ[k], test)) {
            return n->pred_writes[test->pd] == 1;
        }
    }
    return false;
}

/* ---- which pairs are wide ---- */

static void see_writes(narrower *n, wr_ir_insn *insn, uint32_t block)
{
    if (insn->pd != WR_IR_NO_REG) {
        n->pred_writes[insn->pd]++;
    }
    if (insn->pd2 != WR_IR_NO_REG) {
        n->pred_writes[insn->pd2]++;
    }
    if (insn->dst.kind != WR_IR_REG) {
        return;
    }
    n->writers = wr_pool_grow(n->ir->pool, n->writers, n->count, &n->cap, sizeof *n->writers);
    n->writers[n->count] = (writer){insn, block, n->first[insn->dst.reg]};
    n->first[insn->dst.reg] = ++n->count;
}

/* Writes of single words: one of the high word must be a move, which then goes away. */
static void see_result(narrower *n, const wr_ir_insn *insn)
{
    if (!is_pair(n, &insn->dst)) {
        return;
    }
    if (wr_ir_dst_words(insn) == 2 ? !is_narrowable(insn)
                                   : insn->dst.word == 1 && insn->m.op != WR_OP_MOV) {
        make_wide(n, insn->dst.reg);
    }
}

static void see_sources(narrower *n, const wr_ir_insn *insn, uint32_t block)
{
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        bool whole = wr_ir_src_words(insn, i) == 2;

        if (!is_pair(n, &insn->src[i]) || n->wide[insn->src[i].reg]) {
            continue;
        }
        if (whole ? !(is_narrowable(insn) && is_pair(n, &insn->dst)) &&
                        !(i == 0 && is_counter_test(n, insn, block))
                  : insn->src[i].word == 1) {
            make_wide(n, insn->src[i].reg);
        }
    }
}

static void spread(narrower *n)
{
    while (n->depth > 0) {
        uint32_t reg = n->stack[--n->depth];

        for (uint32_t w = n->first[reg]; w != 0; w = n->writers[w - 1].next) {
            const wr_ir_insn *insn = n->writers[w - 1].insn;

            for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
                if (is_pair(n, &insn->src[i]) && wr_ir_src_words(insn, i) == 2) {
                    make_wide(n, insn->src[i].reg);
                }
            }
        }
    }
}

/* An access to shared or local memory takes the low word of its address. */
static bool cut_address(const narrower *n, wr_ir_insn *insn)
{
    if (!wr_ir_is_mem(insn) || !is_pair(n, &insn->src[0]) || insn->m.src_regs[0] != 2 ||
        (insn->m.space != WR_SPACE_SHARED && insn->m.space != WR_SPACE_LOCAL)) {
        return false;
    }
    insn->m.src_regs[0] = 1;
    return true;
}

/* ---- rewriting ---- */

static bool becomes_word(const narrower *n, const wr_ir_operand *operand)
{
    return is_pair(n, operand) && !n->wide[operand->reg];
}

static void rename_operand(narrower *n, wr_ir_operand *operand)
{
    uint32_t reg = operand->reg;

    if (n->word_of[reg] == WR_IR_NO_REG) {
        n->word_of[reg] = wr_ir_new_reg(n->ir, 1);
    }
    *operand = wr_ir_reg_operand(n->word_of[reg], 0);
}

/* The operation gives a word, from the low words of its sources. */
static void cut_operation(wr_ir_insn *insn)
{
    if (insn->m.op == WR_OP_CVT && insn->m.type2 >= WR_U32) {
        insn->m.op = WR_OP_MOV;
        insn->m.type = WR_B32;
        insn->m.type2 = 0;
        insn->m.rnd = 0;
    } else if (insn->m.op == WR_OP_MUL || insn->m.op == WR_OP_MAD) {
        insn->m.mode = WR_MUL_LO;
    }
    insn->m.type = word_type(insn->m.type);
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (insn->src[i].kind == WR_IR_IMM) {
            insn->src[i].bits &= UINT32_MAX;
        }
    }
}

static bool rewrite(narrower *n, wr_ir_insn *insn)
{
    bool changed = false;

    if (becomes_word(n, &insn->dst)) {
        if (insn->dst.word == 1) {
            insn->dead = true;
        } else if (wr_ir_dst_words(insn) == 2) {
            cut_operation(insn);
        }
        insn->dst.word = 0;
        rename_operand(n, &insn->dst);
        changed = true;
    } else if (insn->m.op == WR_OP_SETP && becomes_word(n, &insn->src[0]) &&
               wr_ir_src_words(insn, 0) == 2) {
        cut_operation(insn); /* of a counter */
    }
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (becomes_word(n, &insn->src[i])) {
            rename_operand(n, &insn->src[i]);
        }
    }
    return changed;
}

bool wr_pass_narrow(wr_ir *ir, const wr_cfg *cfg)
{
    narrower n = {.ir = ir, .cfg = cfg};
    uint32_t regs = ir->reg_count;
    bool changed = false;

    n.first = wr_pool_alloc(ir->pool, regs, sizeof *n.first);
    n.wide = wr_pool_alloc(ir->pool, regs, sizeof *n.wide);
    n.stack = wr_pool_alloc(ir->pool, regs, sizeof *n.stack);
    n.word_of = wr_pool_alloc(ir->pool, regs, sizeof *n.word_of);
    n.pred_writes = wr_pool_alloc(ir->pool, ir->pred_count, sizeof *n.pred_writes);
    for (uint32_t r = 0; r < regs; r++) {
        n.word_of[r] = WR_IR_NO_REG;
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            changed = cut_address(&n, insn) || changed;
            see_writes(&n, insn, b);
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            see_result(&n, &ir->blocks[b].insns.at[i]);
            see_sources(&n, &ir->blocks[b].insns.at[i], b);
        }
    }
    spread(&n);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            changed = rewrite(&n, &ir->blocks[b].insns.at[i]) || changed;
        }
    }
    wr_ir_sweep(ir);
    return changed;
}
