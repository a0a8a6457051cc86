/* SPDX-License-Identifier: Apache-2.0 */
/* The cursor's way along a path; see path.h. */
#include "systems/preexecution/path.h"

#include "shell/isa/uses.h"

#include <assert.h>

static uint64_t rows_of(const wr_path *p, const wr_path_step *step)
{
    const wr_insn *insn = &p->kernel->insns[step->insn];

    return insn->dst == WR_ISA_RZ ? 0 : wr_regs_set(step->result.row, insn->dst_regs);
}

/* Results are there, or will be in time, or not. */
static void set_late(wr_path *p, const wr_insn *insn, bool late)
{
    const uint64_t regs = wr_insn_writes(insn);
    const uint32_t preds = wr_insn_writes_preds(insn);

    p->late_regs = late ? p->late_regs | regs : p->late_regs & ~regs;
    p->late_preds = late ? p->late_preds | preds : p->late_preds & ~preds;
}

static void leave_out(wr_path *p, const wr_insn *insn)
{
    set_late(p, insn, true);
    p->cursor.pc += insn->size;
}

static bool is_late(const wr_path *p, const wr_insn *insn)
{
    return wr_insn_needs(insn, p->late_regs, p->late_preds);
}

/* Free spare rows in a row; WR_ISA_RZ: there are none. */
static uint8_t find_rows(const wr_path *p, uint32_t first, uint32_t limit, uint32_t count)
{
    for (uint32_t row = first; row + count <= limit; row++) {
        if ((p->rows & wr_regs_set((uint8_t)row, (uint8_t)count)) == 0) {
            return (uint8_t)row;
        }
    }
    return WR_ISA_RZ;
}

/* A branch goes the way of all its lanes, or the path ends. */
static wr_cursor_result follow(wr_path *p, const wr_sm *sm, uint32_t warp, uint32_t at,
                               uint64_t now)
{
    const wr_insn *insn = &p->kernel->insns[at];
    wr_cursor *c = &p->cursor;
    const uint32_t guard = insn->guard == WR_ISA_PT ? UINT32_MAX : c->preds[insn->guard];
    const uint32_t taken = c->lanes & (insn->guard_neg ? ~guard : guard);
    uint32_t own;

    if ((wr_pred_set(insn->guard) & p->late_preds) != 0 || (taken != 0 && taken != c->lanes)) {
        return WR_CURSOR_ENDS;
    }
    if (insn->guard != WR_ISA_PT &&
        (now < c->preds_at || !wr_sm_guard(sm, warp, at, c->lanes, &own))) {
        return WR_CURSOR_WAITS;
    }
    c->pc = taken != 0 ? insn->target : c->pc + insn->size;
    return WR_CURSOR_ISSUED;
}

/* What was executed when the warp waited before. */
static void know(wr_path *p, const wr_path_step *step, const wr_insn *insn)
{
    const wr_result *r = &step->result;
    const uint8_t preds[2] = {insn->pd, insn->pd2};

    for (uint32_t i = 0; insn->dst != WR_ISA_RZ && i < insn->dst_regs; i++) {
        p->cursor.row[insn->dst + i] = (uint8_t)(r->row + i);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (preds[i] != WR_ISA_PT) {
            p->cursor.preds[preds[i]] = r->preds[i];
        }
    }
    p->cursor.preds_at = r->preds_at > p->cursor.preds_at ? r->preds_at : p->cursor.preds_at;
    set_late(p, insn, false);
    p->cursor.pc += insn->size;
}

static wr_cursor_result preload(wr_path *p, wr_sm *sm, uint32_t warp, wr_path_step *step,
                                const wr_insn *insn)
{
    const wr_cursor_result result = wr_sm_cursor_preload(sm, warp, &p->cursor);

    if (result == WR_CURSOR_ISSUED) { /* the cursor has moved on */
        step->loaded = true;
        set_late(p, insn, true);
    }
    return result;
}

static wr_cursor_result execute(wr_path *p, wr_sm *sm, uint32_t warp, wr_path_step *step,
                                const wr_insn *insn, uint32_t limit)
{
    const uint32_t count = insn->dst == WR_ISA_RZ ? 0 : insn->dst_regs;
    const uint8_t preds[2] = {insn->pd, insn->pd2};
    const uint8_t row =
        count != 0 ? find_rows(p, wr_sm_first_spare_row(sm, warp), limit, count) : WR_ISA_RZ;

    if (count != 0 && row == WR_ISA_RZ) {
        return WR_CURSOR_ENDS;
    }
    const wr_cursor_result result = wr_sm_cursor_issue(sm, warp, &p->cursor, row);

    if (result == WR_CURSOR_ISSUED) {
        step->done = true;
        step->result = (wr_result){.row = row, .preds_at = p->cursor.preds_at};
        for (uint32_t i = 0; i < 2; i++) {
            step->result.preds[i] = preds[i] != WR_ISA_PT ? p->cursor.preds[preds[i]] : 0;
        }
        p->rows |= rows_of(p, step);
        p->done++;
        set_late(p, insn, false);
    }
    return result;
}

wr_cursor_result wr_path_look(wr_path *p, wr_sm *sm, uint32_t warp, uint32_t reach, uint32_t limit,
                              bool preloads, wr_path_counts *counts)
{
    const uint32_t word = p->cursor.pc / 8;

    if (p->at == reach || p->cursor.pc == p->reconv || word >= p->kernel->word_count) {
        return WR_CURSOR_ENDS;
    }
    const uint32_t insn_at = p->kernel->insn_at[word];
    const wr_insn *insn = &p->kernel->insns[insn_at];
    wr_path_step *step = &p->steps[(p->first + p->at) % reach];
    wr_cursor_result result = WR_CURSOR_ENDS;
    uint64_t *count = &counts->left_out;

    if (p->at == p->count) {
        *step = (wr_path_step){.insn = insn_at};
    }
    assert(step->insn == insn_at);
    if (insn->op == WR_OP_BRA) {
        result = follow(p, sm, warp, insn_at, wr_gpu_cycle(wr_sm_gpu(sm)));
        if (result == WR_CURSOR_ENDS) {
            return result;
        }
        count = &counts->branches;
    } else if (insn->unit == WR_UNIT_NONE) {
        return WR_CURSOR_ENDS;
    } else if (step->done) {
        know(p, step, insn);
        result = WR_CURSOR_ISSUED;
        count = &counts->known;
    } else if (!is_late(p, insn) && insn->op == WR_OP_LD && preloads && !step->loaded) {
        result = preload(p, sm, warp, step, insn);
        count = result == WR_CURSOR_ISSUED ? &counts->preloads : count;
    } else if (!is_late(p, insn) && insn->unit != WR_UNIT_MEM) {
        result = execute(p, sm, warp, step, insn, limit);
        count = result == WR_CURSOR_ISSUED ? &counts->ahead : count;
    }
    if (result == WR_CURSOR_WAITS) {
        return result;
    }
    if (result == WR_CURSOR_ENDS) {
        leave_out(p, insn);
    }
    (*count)++;
    p->at++;
    p->count = p->at > p->count ? p->at : p->count;
    return WR_CURSOR_ISSUED;
}

void wr_path_begin(wr_path *p, const wr_sm *sm, uint32_t warp, uint32_t reach)
{
    const wr_warp_at at = wr_sm_warp_at(sm, warp);
    const wr_insn *insn = &at.kernel->insns[at.insn];
    wr_path_step *step = &p->steps[p->first];

    p->kernel = at.kernel;
    p->cursor = wr_sm_cursor(sm, warp);
    p->reconv = at.reconv;
    p->late_regs = wr_sm_loading(sm, warp);
    p->late_preds = 0;
    p->at = 0;
    if (insn->unit == WR_UNIT_NONE) {
        return;
    }
    if (p->count == 0) { /* the one that waits is known, and costs no look */
        *step = (wr_path_step){.insn = at.insn};
        p->count = 1;
    }
    assert(step->insn == at.insn && reach > 1);
    if (!step->done) {
        leave_out(p, insn);
        p->at = 1;
    }
}

void wr_path_trim(wr_path *p, uint32_t reach)
{
    for (; p->count != 0; p->count--) {
        const wr_path_step *last = &p->steps[(p->first + p->count - 1) % reach];

        if (last->done || last->loaded) {
            return;
        }
    }
}

wr_path_step wr_path_pop(wr_path *p, uint32_t reach)
{
    const wr_path_step step = p->steps[p->first];

    assert(p->count != 0);
    p->first = (p->first + 1) % reach;
    p->count--;
    if (step.done) {
        p->done--;
        p->rows &= ~rows_of(p, &step);
    }
    return step;
}

void wr_path_forget(wr_path *p)
{
    p->first = p->count = p->done = 0;
    p->rows = 0;
}
