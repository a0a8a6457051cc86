/* SPDX-License-Identifier: Apache-2.0 */
/* Sinking: each instruction moves down, inside its block, to right before the first one that
 * needs its result, where that frees more words of registers than it keeps.
 *
 * The text usually loads early, to hide latency; so this is for kernels only that would spill
 * otherwise. Blocks are walked from the end, so that users have moved before what they use.
 * A load from memory that can be written passes nothing that writes memory or waits for others.
 */
#include <string.h>

#include "shell/compiler/alloc.h"
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define MAX_DISTANCE 500 /* instructions looked at, so that long blocks take linear time */

typedef struct sinker {
    const wr_ir *ir;
    const wr_live *live;
    const wr_ir_list *list;
    uint32_t block;
} sinker;

static bool may_move(const wr_ir_insn *insn)
{
    wr_isa_class cls = (wr_isa_class)wr_isa_rows[insn->m.op].cls;

    if (insn->guard != WR_IR_NO_REG || wr_ir_has_effect(insn)) {
        return false;
    }
    if (insn->m.op == WR_OP_S2R) {
        return insn->m.sreg != WR_SREG_CLOCK && insn->m.sreg != WR_SREG_GLOBALTIMER;
    }
    return cls == WR_CLASS_ARITH || cls == WR_CLASS_SETP || insn->m.op == WR_OP_LD;
}

static bool is_in(uint32_t cell, const uint32_t *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (cells[i] == cell) {
            return true;
        }
    }
    return false;
}

static bool overlap(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++) {
        if (is_in(a[i], b, b_count)) {
            return true;
        }
    }
    return false;
}

/* The instruction with `refs` can't pass `next`. */
static bool stops(const sinker *s, const wr_ir_insn *insn, const wr_ir_refs *refs,
                  const wr_ir_insn *next)
{
    bool fixed = insn->m.space == WR_SPACE_CONST || insn->m.space == WR_SPACE_PARAM;
    wr_ir_refs other;

    if (wr_ir_ends_block(next) || (insn->m.op == WR_OP_LD && !fixed && wr_ir_has_effect(next))) {
        return true;
    }
    wr_ir_get_refs(s->ir, next, &other);
    return overlap(refs->defs, refs->def_count, other.uses, other.use_count) ||
           overlap(refs->defs, refs->def_count, other.defs, other.def_count) ||
           overlap(refs->uses, refs->use_count, other.defs, other.def_count);
}

/* The cell is needed at `from` or behind it. What is not found nearby counts as not needed. */
static bool needed_behind(const sinker *s, uint32_t cell, uint32_t from)
{
    uint32_t end = s->list->count - from > MAX_DISTANCE ? from + MAX_DISTANCE : s->list->count;

    for (uint32_t i = from; i < end; i++) {
        wr_ir_refs refs;

        wr_ir_get_refs(s->ir, &s->list->at[i], &refs);
        if (is_in(cell, refs.uses, refs.use_count)) {
            return true;
        }
        if (refs.kills && is_in(cell, refs.defs, refs.def_count)) {
            return false;
        }
    }
    return end == s->list->count && wr_live_has_out(s->live, s->block, cell);
}

/* Words freed by moving the instruction from `at` to before `to`; source registers that would
 * have died in between count against it. */
static int gain(const sinker *s, const wr_ir_refs *refs, uint32_t to)
{
    int words = 0;

    for (uint32_t i = 0; i < refs->def_count; i++) {
        words += refs->defs[i] < s->ir->word_count ? 1 : 0;
    }
    for (uint32_t i = 0; i < refs->use_count; i++) {
        if (refs->uses[i] < s->ir->word_count && !is_in(refs->uses[i], refs->uses, i) &&
            !needed_behind(s, refs->uses[i], to)) {
            words--;
        }
    }
    return words;
}

static void sink_insn(const sinker *s, uint32_t at)
{
    wr_ir_insn insn = s->list->at[at];
    uint32_t to = at + 1;
    wr_ir_refs refs;

    if (!may_move(&insn)) {
        return;
    }
    wr_ir_get_refs(s->ir, &insn, &refs);
    while (to < s->list->count && to - at < MAX_DISTANCE &&
           !stops(s, &insn, &refs, &s->list->at[to])) {
        to++;
    }
    if (to == at + 1 || gain(s, &refs, to) <= 0) {
        return;
    }
    memmove(&s->list->at[at], &s->list->at[at + 1], (to - at - 1) * sizeof insn);
    s->list->at[to - 1] = insn;
}

void wr_alloc_sink(wr_alloc *alloc, const wr_live *live)
{
    wr_ir *ir = alloc->ir;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        sinker s = {ir, live, &ir->blocks[b].insns, b};

        for (uint32_t i = s.list->count; ir->blocks[b].reachable && i-- > 0;) {
            sink_insn(&s, i);
        }
    }
}
