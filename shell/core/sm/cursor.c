/* SPDX-License-Identifier: Apache-2.0 */
/* Issue at a cursor; see seam/cursor.h.
 *
 * The instruction is copied with its registers replaced by their rows and made into a uop of its
 * own, so that nothing behind it knows that it is not the warp's.
 */
#include "shell/core/seam/cursor.h"

#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

wr_cursor wr_sm_cursor(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps && sm->warps[warp].depth != 0);
    const wr_simt_entry *top = &sm->warps[warp].stack[sm->warps[warp].depth - 1];
    wr_cursor c = {.pc = top->pc, .lanes = top->mask};
    for (uint32_t r = 0; r < WR_ISA_MAX_REGS; r++) {
        c.row[r] = (uint8_t)r;
    }
    memcpy(c.preds, sm->warps[warp].preds, sizeof c.preds);
    return c;
}

uint32_t wr_sm_first_spare_row(const wr_sm *sm, uint32_t warp)
{
    return sm->tbs[sm->warps[warp].tb].program->kernel->regs;
}

const uint32_t *wr_sm_row(const wr_sm *sm, uint32_t warp, uint32_t row)
{
    assert(warp < sm->cfg->sm.max_warps && row < WR_ISA_MAX_REGS);
    return wr_warp_row(sm, warp, row);
}

/* An operand of `count` registers from `reg` on; false: its rows do not lie together. */
static bool map(const wr_cursor *c, uint8_t *reg, uint32_t count)
{
    uint32_t first = *reg;
    if (first == WR_ISA_RZ || count == 0) {
        return true;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (c->row[first + i] != c->row[first] + i) {
            return false;
        }
    }
    *reg = c->row[first];
    return true;
}

/* The instruction's sources in rows; false: they do not lie together. */
static bool map_sources(const wr_cursor *c, const wr_uop *u, wr_insn *out)
{
    bool ok = true;
    *out = *u->insn;
    for (uint32_t i = 0; ok && i < 3; i++) {
        ok = map(c, &out->src[i], out->src_regs[i]);
    }
    return ok;
}

/* The instruction in rows; false: it is not for a cursor. */
static bool map_insn(const wr_sm *sm, uint32_t warp, const wr_cursor *c, const wr_uop *u,
                     uint32_t to, wr_insn *out)
{
    bool ok =
        (u->kind == WR_KIND_ALU || u->kind == WR_KIND_PRED) && !u->alone && map_sources(c, u, out);
    if (!ok || out->dst == WR_ISA_RZ || out->dst_regs == 0) {
        return ok;
    }
    if (to == WR_ISA_RZ) {
        ok = map(c, &out->dst, out->dst_regs);
    } else {
        out->dst = (uint8_t)to;
    }
    return ok && out->dst >= wr_sm_first_spare_row(sm, warp) &&
           out->dst + out->dst_regs <= WR_ISA_MAX_REGS;
}

/* Rows that a register's lanes come from where an instruction that gives it new ones leaves some
 * lanes out. */
static uint64_t kept_rows(const wr_cursor *c, const wr_insn *insn)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < insn->dst_regs && insn->guard != WR_ISA_PT; i++) {
        rows |= UINT64_C(1) << c->row[insn->dst + i];
    }
    return rows;
}

/* The register is in rows from `to` on now, with the lanes that it had. */
static void rename_to(wr_sm *sm, uint32_t warp, wr_cursor *c, const wr_insn *insn, uint32_t to)
{
    uint32_t *rows = sm->warps[warp].rows;
    for (uint32_t i = 0; i < insn->dst_regs; i++) {
        uint8_t *row = &c->row[insn->dst + i];
        memmove(rows + (size_t)(to + i) * WR_LANES, rows + (size_t)*row * WR_LANES,
                WR_LANES * sizeof *rows);
        *row = (uint8_t)(to + i);
    }
}

/* The uop at the cursor; NULL: no instruction begins there. */
static const wr_uop *uop_at(const wr_sm *sm, uint32_t warp, const wr_cursor *c)
{
    const wr_program *p = sm->tbs[sm->warps[warp].tb].program;
    uint32_t word = c->pc / 8;
    uint32_t at = word < p->kernel->word_count ? p->kernel->insn_at[word] : UINT32_MAX;
    return at != UINT32_MAX ? &p->uops[at] : NULL;
}

/* It waits for rows that it needs, for its cursor's predicates, or for its turn. */
static bool waits(wr_sm *sm, uint32_t warp, const wr_cursor *c, const wr_uop *u, uint64_t need)
{
    const wr_insn *insn = u->insn;
    bool reads_preds = insn->guard != WR_ISA_PT || insn->ps != WR_ISA_PT || insn->ps2 != WR_ISA_PT;
    bool awaits_preds = reads_preds && (sm->now < c->preds_at || /* or it began with them: */
                                        (sm->warps[warp].pending_preds & u->need_preds) != 0);
    return (sm->warps[warp].pending_regs & need) != 0 || awaits_preds ||
           !wr_sm_may_go_ahead(sm, warp);
}

wr_cursor_result wr_sm_cursor_issue(wr_sm *sm, uint32_t warp, wr_cursor *c, uint32_t to)
{
    const wr_uop *at = uop_at(sm, warp, c);
    wr_insn insn;
    wr_uop u;
    if (at == NULL || !map_insn(sm, warp, c, at, to, &insn) ||
        !wr_program_uop(sm->cfg, &insn, at->ext, &u)) {
        return WR_CURSOR_ENDS;
    }
    const wr_insn *own = at->insn;
    bool renames = to != WR_ISA_RZ && own->dst != WR_ISA_RZ && own->dst_regs != 0;
    uint64_t need = u.need | (renames ? kept_rows(c, own) : 0);
    if (waits(sm, warp, c, &u, need) ||
        !wr_units_room(&sm->units, (wr_pool)u.pool, warp % sm->schedule.schedulers, sm->now)) {
        return WR_CURSOR_WAITS;
    }
    uint32_t mask = c->lanes & wr_exec_pred(c->preds, insn.guard, insn.guard_neg);
    uint64_t end = wr_issue_enter(sm, warp, &u);
    c->pc += insn.size;
    if (renames) {
        rename_to(sm, warp, c, own, to);
    }
    if (mask == 0) {
        return WR_CURSOR_ISSUED;
    }
    wr_exec_alu(&u, sm->warps[warp].rows, c->preds, mask);
    if (u.write_preds != 0) { /* its own: the scoreboard's are the warp's */
        uint64_t written = wr_operands_write(&sm->operands, sm->now, end, warp, 0);
        c->preds_at = written > c->preds_at ? written : c->preds_at;
        u.write_preds = 0;
    }
    wr_issue_write_back(sm, warp, &u, end);
    return WR_CURSOR_ISSUED;
}

wr_cursor_result wr_sm_cursor_preload(wr_sm *sm, uint32_t warp, wr_cursor *c)
{
    const wr_uop *at = uop_at(sm, warp, c);
    wr_lsu_queue *q = wr_lsu_queue_of_warp(sm, warp);
    wr_insn insn;
    wr_uop u;
    if (at == NULL || at->insn->op != WR_OP_LD ||
        (at->insn->space != WR_SPACE_GLOBAL && at->insn->space != WR_SPACE_LOCAL) ||
        wr_exec_goes_past_l1(sm, at->insn) || !map_sources(c, at, &insn)) {
        return WR_CURSOR_ENDS;
    }
    insn.dst = WR_ISA_RZ;
    if (!wr_program_uop(sm->cfg, &insn, at->ext, &u)) {
        return WR_CURSOR_ENDS;
    }
    if (waits(sm, warp, c, &u, u.read) || q->count >= WR_LSU_QUEUE ||
        wr_memory_held(sm, warp, &u)) {
        return WR_CURSOR_WAITS;
    }
    uint32_t mask = c->lanes & wr_exec_pred(c->preds, insn.guard, insn.guard_neg);
    if (!wr_exec_load_is_sound(sm, warp, &insn, mask)) {
        return WR_CURSOR_ENDS;
    }
    c->pc += insn.size;
    return mask == 0 || wr_issue_memory(sm, warp, &u, mask, q) ? WR_CURSOR_ISSUED : WR_CURSOR_ENDS;
}

void wr_sm_use_spare_slots(wr_sm *sm, wr_owner owner, bool on)
{
    uint32_t bit = 1u << owner;
    assert(owner < WR_MAX_OWNERS);
    sm->control.spare = on ? sm->control.spare | bit : sm->control.spare & ~bit;
    wr_sm_settle(sm, sm->gpu->elapsed);
    if (sm->control.spare != 0 && sm->hooks->spare_slot != NULL) {
        sm->listens |= WR_LISTEN_SPARE;
        wr_sm_wake_next(sm);
    } else {
        sm->listens &= ~(uint32_t)WR_LISTEN_SPARE;
    }
}
