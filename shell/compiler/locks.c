/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of single lanes: lanes that have left a loop must not wait for those that wait in it for
 * them.
 *
 *     L: atom.cas r, [lock], 0, 1           @p bra out, join J     those that have the lock go
 *        @r != 0 bra L              ->      bra L                  first, as far as J
 *        ...                           out: ...
 *        atom.exch [lock], 0                atom.exch [lock], 0
 *        more                            J: more
 *
 * Clang moves the body of `while (!done) if (took the lock) { ... done = true; }` behind the loop,
 * as C++ allows: one thread sees no difference. Lanes that left would wait for the others at the
 * loop's end, and those for the word that the first write behind it.
 *
 * A loop waits for a word where its branches depend on a load or atomic of it, at an address and
 * with operands that stay, and on nothing else that changes from round to round. Where the word is
 * written behind the loop, on ways that come from it alone and without a meeting of lanes, lanes
 * meet behind the last such write. The branch out of the loop is made the taken one, whose lanes go
 * first. A lock that is taken while another is held is given back by then, too: where the loop lies
 * between another one and its meeting wr_place, that place holds for both.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/compiler/live.h"
#include "shell/compiler/locks.h"
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

enum {
    DEEP = 6,  /* instructions looked at behind an address */
    MOST = 128 /* blocks of a loop */
};

typedef struct finder {
    wr_ir *ir;
    const wr_cfg *cfg;
    wr_live *live;
    wr_defs *defs;
    wr_pred_defs *pred_defs;
    bool *in, *needed, *defined, *region; /* by block, cell, cell, block */
    uint32_t *stack;
    uint32_t members[MOST], member_count; /* of `in`, rising */
    wr_spin *spins;
    uint32_t spin_count, spin_cap;
} finder;

/* Marks `from` and what is reached from it without passing `stop`. */
static void spread(finder *f, bool *set, uint32_t from, uint32_t stop)
{
    uint32_t depth = 0;

    if (from == stop || set[from]) {
        return;
    }
    set[from] = true;
    f->stack[depth++] = from;
    while (depth > 0) {
        const wr_ir_block *b = &f->ir->blocks[f->stack[--depth]];

        for (uint32_t k = 0; k < b->succ_count; k++) {
            uint32_t next = b->succ[k];

            if (next != stop && !set[next] && f->ir->blocks[next].reachable) {
                set[next] = true;
                f->stack[depth++] = next;
            }
        }
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1; /* none is there twice */
}

static void forget_members(finder *f)
{
    while (f->member_count > 0) {
        f->in[f->members[--f->member_count]] = false;
    }
}

static void add_member(finder *f, uint32_t block)
{
    if (!f->in[block] && f->ir->blocks[block].reachable && f->member_count < MOST) {
        f->in[block] = true;
        f->members[f->member_count++] = block;
    }
}

/* The block is the head's latch; then `in` and `members` hold the blocks of this loop, without
 * others that clang lets begin at the same head. A loop of MOST blocks is not looked at, so that
 * deep nests cost no more than their length: those that wait are small. */
static bool find_members(finder *f, uint32_t head, uint32_t latch)
{
    forget_members(f);
    if (!f->ir->blocks[latch].reachable || !wr_cfg_dominates(f->cfg, head, latch)) {
        return false;
    }
    add_member(f, head);
    add_member(f, latch);
    for (uint32_t i = 1; i < f->member_count; i++) {
        const wr_ir_block *b = &f->ir->blocks[f->members[i]];

        for (uint32_t k = 0; k < b->pred_count; k++) {
            add_member(f, b->preds[k]);
        }
    }
    if (f->member_count == MOST) {
        forget_members(f);
        return false;
    }
    qsort(f->members, f->member_count, sizeof *f->members, by_number);
    return true;
}

static const wr_ir_insn *branch_of(const wr_ir *ir, uint32_t block)
{
    const wr_ir_list *list = &ir->blocks[block].insns;
    const wr_ir_insn *last = list->count > 0 ? &list->at[list->count - 1] : NULL;

    return last != NULL && last->m.op == WR_OP_BRA && last->guard != WR_IR_NO_REG ? last : NULL;
}

/* The branch of `block` leaves the loop, or decides what is needed in it. */
static bool decides(finder *f, uint32_t block)
{
    const wr_ir_block *at = &f->ir->blocks[block];
    uint32_t join = f->cfg->ipdom[block];

    if (join == WR_IR_NO_BLOCK || !f->in[join]) {
        return true;
    }
    for (uint32_t m = 0; m < f->member_count; m++) {
        f->region[f->members[m]] = false;
    }
    for (uint32_t k = 0; k < at->succ_count; k++) {
        spread(f, f->region, at->succ[k], join); /* all of it is in the loop, as the join is */
    }
    for (uint32_t m = 0; m < f->member_count; m++) {
        uint32_t b = f->members[m];
        const wr_ir_list *list = &f->ir->blocks[b].insns;

        for (uint32_t i = 0; f->region[b] && i < list->count; i++) {
            wr_ir_refs refs;

            wr_ir_get_refs(f->ir, &list->at[i], &refs);
            for (uint32_t d = 0; d < refs.def_count; d++) {
                if (f->needed[refs.defs[d]]) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Marks what the loop defines, and what its branches depend on; false where that is carried from
 * round to round. */
static bool slice(finder *f, uint32_t head)
{
    uint32_t cells = wr_ir_cells(f->ir);
    bool grows = true;

    memset(f->needed, 0, cells * sizeof *f->needed);
    memset(f->defined, 0, cells * sizeof *f->defined);
    for (bool first = true; grows; first = false) {
        grows = false;
        for (uint32_t m = 0; m < f->member_count; m++) {
            uint32_t b = f->members[m];
            const wr_ir_list *list = &f->ir->blocks[b].insns;
            const wr_ir_insn *branch = branch_of(f->ir, b);

            for (uint32_t i = list->count; i-- > 0;) {
                bool counts = &list->at[i] == branch && decides(f, b);
                wr_ir_refs refs;

                wr_ir_get_refs(f->ir, &list->at[i], &refs);
                for (uint32_t d = 0; d < refs.def_count; d++) {
                    f->defined[refs.defs[d]] = true;
                    counts = counts || f->needed[refs.defs[d]];
                }
                for (uint32_t u = 0; counts && u < refs.use_count; u++) {
                    grows = grows || !f->needed[refs.uses[u]];
                    f->needed[refs.uses[u]] = true;
                }
            }
        }
        grows = grows || first;
    }
    for (uint32_t c = 0; c < cells; c++) {
        if (f->needed[c] && f->defined[c] && wr_live_has_in(f->live, head, c)) {
            return false;
        }
    }
    return true;
}

/* The operand is the same in every round of the loop. */
static bool stays(const finder *f, const wr_ir_operand *operand, unsigned deep)
{
    const wr_ir_insn *def;
    bool inside = false;

    if (operand->kind != WR_IR_REG) {
        return true;
    }
    for (unsigned w = 0; w < f->ir->regs[operand->reg].words; w++) {
        inside = inside || f->defined[f->ir->regs[operand->reg].word0 + w];
    }
    def = f->defs->def[operand->reg];
    if (!inside) {
        return true;
    }
    if (def == NULL || deep == 0 || wr_isa_rows[def->m.op].cls != WR_CLASS_ARITH ||
        def->ps != WR_IR_NO_REG) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(def); i++) {
        if (!stays(f, &def->src[i], deep - 1)) {
            return false;
        }
    }
    return true;
}

/* Both operands have one value, by what defines them. */
static bool same(const finder *f, const wr_ir_operand *a, const wr_ir_operand *b, unsigned deep)
{
    const wr_ir_insn *x, *y;

    if (a->kind != b->kind || a->word != b->word || a->bits != b->bits) {
        return false;
    }
    if (a->kind != WR_IR_REG) {
        return true;
    }
    x = f->defs->def[a->reg];
    y = f->defs->def[b->reg];
    if (a->reg == b->reg) {
        return x != NULL;
    }
    if (x == NULL || y == NULL || deep == 0 || !wr_ir_does_same(x, y) || x->ps != WR_IR_NO_REG ||
        y->ps != WR_IR_NO_REG ||
        (wr_isa_rows[x->m.op].cls != WR_CLASS_ARITH &&
         (x->m.op != WR_OP_LD || x->m.space != WR_SPACE_PARAM))) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(x); i++) {
        if (!same(f, &x->src[i], &y->src[i], deep - 1)) {
            return false;
        }
    }
    return true;
}

/* The instruction reads a word for which the loop may wait. */
static bool is_wait(const finder *f, const wr_ir_insn *insn)
{
    bool counts = false;
    wr_ir_refs refs;

    if ((insn->m.op != WR_OP_ATOM && insn->m.op != WR_OP_LD) || insn->guard != WR_IR_NO_REG ||
        insn->m.space == WR_SPACE_PARAM || insn->m.space == WR_SPACE_CONST ||
        insn->m.space == WR_SPACE_LOCAL) {
        return false;
    }
    wr_ir_get_refs(f->ir, insn, &refs);
    for (uint32_t d = 0; d < refs.def_count; d++) {
        counts = counts || f->needed[refs.defs[d]];
    }
    for (unsigned i = 0; counts && i < wr_ir_src_count(insn); i++) {
        counts = stays(f, &insn->src[i], DEEP);
    }
    return counts;
}

/* The operand of an address without the constants that are added to it. */
static wr_ir_operand base_of(const finder *f, const wr_ir_insn *insn, int64_t *offset)
{
    wr_ir_operand base = insn->src[0];

    *offset = insn->offset;
    for (unsigned deep = 0; deep < DEEP && base.kind == WR_IR_REG; deep++) {
        const wr_ir_insn *def = f->defs->def[base.reg];
        bool first = def != NULL && def->m.op == WR_OP_ADD && def->src[0].kind == WR_IR_IMM;

        if (def == NULL || def->m.op != WR_OP_ADD || base.word != 0 ||
            def->src[first ? 0 : 1].kind != WR_IR_IMM) {
            break;
        }
        *offset += (int64_t)def->src[first ? 0 : 1].bits;
        base = def->src[first ? 1 : 0];
    }
    return base;
}

/* Both instructions are of one word of memory. */
static bool same_word(const finder *f, const wr_ir_insn *a, const wr_ir_insn *b)
{
    int64_t a_offset, b_offset;
    wr_ir_operand a_base = base_of(f, a, &a_offset), b_base = base_of(f, b, &b_offset);

    return a_offset == b_offset && a->m.space == b->m.space && same(f, &a_base, &b_base, DEEP);
}

static bool writes_same(const finder *f, const wr_ir_insn *insn, const wr_ir_insn *word)
{
    return (insn->m.op == WR_OP_ATOM || insn->m.op == WR_OP_RED || insn->m.op == WR_OP_ST) &&
           same_word(f, insn, word);
}

/* Behind the last write to the word in the block; 0: there is none. */
static uint32_t last_write(const finder *f, uint32_t block, const wr_ir_insn *word)
{
    const wr_ir_list *list = &f->ir->blocks[block].insns;
    uint32_t behind = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        behind = writes_same(f, &list->at[i], word) ? i + 1 : behind;
    }
    return behind;
}

/* Lanes meet in the block, before the instruction `end`. */
static bool meets(const finder *f, uint32_t block, uint32_t end)
{
    const wr_ir_list *list = &f->ir->blocks[block].insns;

    for (uint32_t i = 0; i < list->count && i < end; i++) {
        uint16_t op = list->at[i].m.op;

        if (op == WR_OP_BAR || op == WR_OP_BAR_PP || wr_isa_rows[op].cls == WR_CLASS_WARP) {
            return true;
        }
    }
    return false;
}

/* The branch depends on what was read of the word. */
static bool asks(const finder *f, const wr_ir_insn *branch, const wr_ir_insn *word)
{
    const wr_ir_insn *test = f->pred_defs->def[branch->guard];

    for (unsigned i = 0; test != NULL && i < wr_ir_src_count(test); i++) {
        const wr_ir_insn *def =
            test->src[i].kind == WR_IR_REG ? f->defs->def[test->src[i].reg] : NULL;

        if (def != NULL && (def->m.op == WR_OP_ATOM || def->m.op == WR_OP_LD) &&
            same_word(f, def, word)) {
            return true;
        }
    }
    return false;
}

/* The branch of a first round of the loop that clang has put in front of it, or NO_BLOCK. */
static uint32_t find_guard(const finder *f, const wr_spin *w, const wr_ir_insn *word)
{
    uint32_t b = f->cfg->idom[w->head];
    const wr_ir_insn *branch;

    while (f->ir->blocks[b].succ_count == 1 && f->cfg->idom[b] != b) {
        b = f->cfg->idom[b];
    }
    branch = branch_of(f->ir, b);
    if (branch == NULL || f->ir->blocks[b].succ_count != 2 || f->in[b] ||
        (f->ir->blocks[b].succ[0] != w->out && f->ir->blocks[b].succ[1] != w->out)) {
        return WR_IR_NO_BLOCK;
    }
    return asks(f, branch, word) ? b : WR_IR_NO_BLOCK;
}

/* Where lanes meet that leave the loop of `w` after the wait for a word; false: it is written
 * nowhere behind, or lanes meet before. */
static bool find_meet(finder *f, wr_spin *w, const wr_ir_insn *word)
{
    uint32_t n = f->ir->block_count, root;
    bool any = false;

    w->guard = find_guard(f, w, word);
    root = w->guard != WR_IR_NO_BLOCK ? w->guard : w->exit;
    memset(f->region, 0, n * sizeof *f->region);
    spread(f, f->region, w->out, w->head);
    for (uint32_t b = 0; b < n; b++) {
        any = any || (f->region[b] && !f->in[b] && wr_cfg_dominates(f->cfg, root, b) &&
                      last_write(f, b, word) != 0);
    }
    w->meet = (wr_place){w->out, 0};
    while (any && w->meet.block != n) {
        bool later = false;

        memset(f->region, 0, n * sizeof *f->region);
        for (uint32_t k = 0; k < f->ir->blocks[w->meet.block].succ_count; k++) {
            spread(f, f->region, f->ir->blocks[w->meet.block].succ[k], w->head);
        }
        for (uint32_t b = 0; b < n; b++) {
            later = later || (f->region[b] && wr_cfg_dominates(f->cfg, root, b) &&
                              last_write(f, b, word) != 0);
        }
        w->meet.index = last_write(f, w->meet.block, word);
        if (!later) {
            break;
        }
        w->meet = (wr_place){f->cfg->ipdom[w->meet.block], 0};
        w->meet.block = w->meet.block == WR_IR_NO_BLOCK ? n : w->meet.block;
    }
    if (!any) {
        return false;
    }
    memset(f->region, 0, n * sizeof *f->region);
    if (w->out != w->meet.block) {
        f->region[w->head] = true; /* not round the loop again */
        spread(f, f->region, w->out, w->meet.block);
        f->region[w->head] = false;
    }
    for (uint32_t b = 0; b < n; b++) {
        if (f->region[b] && !f->in[b] && meets(f, b, UINT32_MAX)) {
            return false;
        }
    }
    return w->meet.block == n || !meets(f, w->meet.block, w->meet.index);
}

/* Place b is at or behind a, where both are on all ways from one block on. */
static bool is_behind(const finder *f, wr_place a, wr_place b)
{
    uint32_t at = a.block;

    if (a.block == b.block) {
        return b.index >= a.index;
    }
    while (at != WR_IR_NO_BLOCK && at != b.block && at < f->ir->block_count) {
        at = f->cfg->ipdom[at];
    }
    return at == b.block || (at == WR_IR_NO_BLOCK && b.block == f->ir->block_count);
}

/* Lanes that part at the block's branch all come to the place. */
static bool come_to(const finder *f, uint32_t block, wr_place meet)
{
    uint32_t join = f->cfg->ipdom[block];

    return is_behind(f, (wr_place){join == WR_IR_NO_BLOCK ? f->ir->block_count : join, 0}, meet);
}

/* Keeps the loop that waits for the word, and which branches its meeting place is for. */
static void keep(finder *f, wr_spin *w)
{
    uint32_t n = f->ir->block_count;

    w->in = wr_pool_alloc(f->ir->pool, n, sizeof *w->in);
    w->parts = wr_pool_alloc(f->ir->pool, n, sizeof *w->parts);
    memcpy(w->in, f->in, n * sizeof *w->in);
    for (uint32_t b = 0; b < n; b++) {
        uint32_t join = f->cfg->ipdom[b];

        w->parts[b] = (f->in[b] || b == w->guard) && f->ir->blocks[b].succ_count == 2 &&
                      (join == WR_IR_NO_BLOCK || !f->in[join]) && come_to(f, b, w->meet);
    }
    f->spins = wr_pool_grow(f->ir->pool, f->spins, f->spin_count, &f->spin_cap, sizeof *f->spins);
    f->spins[f->spin_count++] = *w;
}

/* Looks at the loop's way out by the branch of `block`. */
static void look_at_exit(finder *f, uint32_t head, uint32_t block, uint32_t out)
{
    wr_spin w = {.head = head, .exit = block, .out = out};

    for (uint32_t m = 0; m < f->member_count; m++) {
        const wr_ir_list *list = &f->ir->blocks[f->members[m]].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            if (is_wait(f, &list->at[i]) && find_meet(f, &w, &list->at[i]) &&
                come_to(f, block, w.meet)) {
                keep(f, &w);
                return;
            }
        }
    }
}

/* A load or atomic that the loop could wait for: without one it is not looked at. */
static bool reads_words(const finder *f)
{
    for (uint32_t m = 0; m < f->member_count; m++) {
        const wr_ir_list *list = &f->ir->blocks[f->members[m]].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            if (list->at[i].m.op == WR_OP_ATOM ||
                (list->at[i].m.op == WR_OP_LD && list->at[i].m.is_volatile)) {
                return true;
            }
        }
    }
    return false;
}

/* Looks at the loop that goes from the latch back to the head. */
static void look_at_loop(finder *f, uint32_t head, uint32_t latch)
{
    if (!find_members(f, head, latch) || !reads_words(f) || !slice(f, head)) {
        return;
    }
    for (uint32_t m = 0; m < f->member_count; m++) {
        uint32_t b = f->members[m];
        const wr_ir_block *block = &f->ir->blocks[b];

        if (block->succ_count != 2 || branch_of(f->ir, b) == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            bool back = block->succ[1 - k] == head && b == latch;

            if (!f->in[block->succ[k]] && (f->in[block->succ[1 - k]] || back)) {
                look_at_exit(f, head, b, block->succ[k]);
            }
        }
    }
}

static void find_spins(finder *f)
{
    for (uint32_t i = 0; i < f->cfg->order_count; i++) {
        uint32_t head = f->cfg->order[i];

        if (f->cfg->loop_head[head] != head) {
            continue;
        }
        for (uint32_t k = 0; k < f->ir->blocks[head].pred_count; k++) {
            look_at_loop(f, head, f->ir->blocks[head].preds[k]);
        }
    }
}

/* A lock that is taken while another is held: both are given back before lanes meet. */
static void nest(finder *f)
{
    for (uint32_t i = 0; i < f->spin_count; i++) {
        const wr_spin *outer = &f->spins[i];

        memset(f->region, 0, f->ir->block_count * sizeof *f->region);
        spread(f, f->region, outer->out, outer->meet.block);
        for (uint32_t k = 0; k < f->spin_count; k++) {
            wr_spin *inner = &f->spins[k];

            if (k != i && f->region[inner->head] && !outer->in[inner->head] &&
                wr_cfg_dominates(f->cfg, outer->exit, inner->head) &&
                is_behind(f, inner->meet, outer->meet)) {
                inner->meet = outer->meet;
            }
        }
    }
}

/* Loops alone that read words are looked at closely. */
static bool has_loop_that_reads(finder *f)
{
    for (uint32_t b = 0; b < f->ir->block_count; b++) {
        const wr_ir_block *head = &f->ir->blocks[b];

        for (uint32_t k = 0; head->reachable && k < head->pred_count; k++) {
            if (find_members(f, b, head->preds[k]) && reads_words(f)) {
                return true;
            }
        }
    }
    return false;
}

bool wr_pass_locks(wr_ir *ir, const wr_cfg *cfg)
{
    uint32_t n = ir->block_count, cells = wr_ir_cells(ir);
    finder f = {.ir = ir,
                .cfg = cfg,
                .in = wr_pool_alloc(ir->pool, n, sizeof *f.in),
                .region = wr_pool_alloc(ir->pool, n, sizeof *f.region),
                .stack = wr_pool_alloc(ir->pool, n, sizeof *f.stack)};

    if (!has_loop_that_reads(&f)) {
        return false;
    }
    f.needed = wr_pool_alloc(ir->pool, cells, sizeof *f.needed);
    f.defined = wr_pool_alloc(ir->pool, cells, sizeof *f.defined);
    f.live = wr_live_build(ir, cfg, ir->pool);
    f.defs = wr_defs_build(ir);
    f.pred_defs = wr_pred_defs_build(ir);
    find_spins(&f);
    if (f.spin_count == 0) {
        return false;
    }
    nest(&f);
    wr_locks_part(ir, f.spins, f.spin_count);
    return true;
}
