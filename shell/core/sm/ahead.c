/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions before their turn; see seam/ahead.h.
 *
 * As at a cursor the instruction is copied with its registers replaced by rows, and made into a uop
 * of its own.
 */
#include "shell/core/seam/ahead.h"

#include "shell/core/gpu/state.h"

#include <assert.h>

wr_warp_at wr_sm_warp_at(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps && sm->warps[warp].depth != 0);
    const wr_simt_entry *top = &sm->warps[warp].stack[sm->warps[warp].depth - 1];
    const wr_program *p = sm->tbs[sm->warps[warp].tb].program;
    return (wr_warp_at){.kernel = p->kernel,
                        .stream = p->stream,
                        .insn = sm->warps[warp].next,
                        .lanes = top->mask,
                        .reconv = sm->warps[warp].depth > 1 ? top->reconv : UINT32_MAX};
}

bool wr_sm_guard(const wr_sm *sm, uint32_t warp, uint32_t insn, uint32_t lanes, uint32_t *holds)
{
    const wr_insn *i = sm->warps[warp].code[insn].insn;
    *holds = lanes & wr_exec_pred(sm->warps[warp].preds, i->guard, i->guard_neg);
    return i->guard == WR_ISA_PT || (sm->warps[warp].pending_preds >> i->guard & 1u) == 0;
}

bool wr_sm_awaits(const wr_sm *sm, uint32_t warp, uint8_t row, uint8_t pred)
{
    return (sm->warps[warp].pending_regs >> row & 1u) != 0 ||
           (pred != WR_ISA_PT && (sm->warps[warp].pending_preds >> pred & 1u) != 0);
}

uint64_t wr_sm_loading(const wr_sm *sm, uint32_t warp)
{
    return sm->warps[warp].pending_data;
}

/* Counts it as issued; the lanes that execute it. */
static uint32_t count(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t active)
{
    const uint32_t mask =
        active & wr_exec_pred(sm->warps[warp].preds, u->insn->guard, u->insn->guard_neg);
    const uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    sm->work_at = sm->now;
    sm->stats.insns[u->cls]++;
    sm->stats.thread_insns += lanes;
    sm->stats.guarded_lanes += (uint32_t)__builtin_popcount(active & ~mask);
    tb->issued++;
    tb->thread_insns += lanes;
    return mask;
}

static bool ready(const wr_sm *sm, uint32_t warp, const wr_uop *u)
{
    return (sm->warps[warp].pending_regs & u->need) == 0 &&
           (sm->warps[warp].pending_preds & u->need_preds) == 0;
}

static wr_cursor_result arithmetic(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t active)
{
    if (!wr_units_room(&sm->units, (wr_pool)u->pool, warp % sm->schedule.schedulers, sm->now)) {
        return WR_CURSOR_WAITS;
    }
    const uint64_t end = wr_issue_enter(sm, warp, u);
    const uint32_t mask = count(sm, warp, u, active);
    if (mask != 0) {
        wr_exec_alu(u, sm->warps[warp].rows, sm->warps[warp].preds, mask);
        wr_issue_write_back(sm, warp, u, end);
    }
    return WR_CURSOR_ISSUED;
}

static wr_cursor_result load(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t active)
{
    wr_lsu_queue *q = wr_lsu_queue_of_warp(sm, warp);
    if (q->count >= WR_LSU_QUEUE || wr_memory_held(sm, warp, u)) {
        return WR_CURSOR_WAITS;
    }
    if (!wr_exec_load_is_sound(
            sm, warp, u->insn,
            active & wr_exec_pred(sm->warps[warp].preds, u->insn->guard, u->insn->guard_neg))) {
        return WR_CURSOR_WAITS; /* for its turn: the fault is told where it stands in order */
    }
    const uint32_t mask = count(sm, warp, u, active);
    if (mask == 0) {
        return WR_CURSOR_ISSUED;
    }
    return wr_issue_memory(sm, warp, u, mask, q) ? WR_CURSOR_ISSUED : WR_CURSOR_ENDS;
}

wr_cursor_result wr_sm_ahead_issue(wr_sm *sm, uint32_t warp, const wr_ahead *a)
{
    const wr_program *p = sm->tbs[sm->warps[warp].tb].program;
    const wr_uop *own = &p->uops[a->insn];
    wr_insn insn = *own->insn;
    wr_uop u;
    if (insn.dst_regs > 1 || own->alone || (own->kind == WR_KIND_MEM && insn.op != WR_OP_LD) ||
        (own->kind != WR_KIND_MEM && own->kind != WR_KIND_ALU && own->kind != WR_KIND_PRED)) {
        return WR_CURSOR_ENDS;
    }
    for (uint32_t i = 0; i < 3; i++) {
        insn.src[i] = insn.src_regs[i] == 1 ? a->src[i] : insn.src[i];
    }
    insn.dst = insn.dst_regs == 1 ? a->dst : insn.dst;
    if (!wr_program_uop(sm->cfg, &insn, own->ext, &u)) {
        return WR_CURSOR_ENDS;
    }
    if (!wr_sm_may_go_ahead(sm, warp) || !ready(sm, warp, &u)) {
        return WR_CURSOR_WAITS;
    }
    return u.kind == WR_KIND_MEM ? load(sm, warp, &u, a->lanes)
                                 : arithmetic(sm, warp, &u, a->lanes);
}

wr_cursor_result wr_sm_copy(wr_sm *sm, uint32_t warp, uint8_t to, uint8_t from)
{
    const wr_insn insn = {.op = WR_OP_MOV,
                          .type = WR_B32,
                          .unit = WR_UNIT_INT,
                          .guard = WR_ISA_PT,
                          .dst = to,
                          .dst_regs = 1,
                          .src = {from, WR_ISA_RZ, WR_ISA_RZ},
                          .src_regs = {1, 0, 0},
                          .nsrc = 1,
                          .pd = WR_ISA_PT,
                          .pd2 = WR_ISA_PT,
                          .ps = WR_ISA_PT,
                          .ps2 = WR_ISA_PT};
    const uint32_t lanes = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;
    wr_uop u;
    const bool known = wr_program_uop(sm->cfg, &insn, NULL, &u);
    assert(known);
    (void)known;
    if (!ready(sm, warp, &u) ||
        !wr_units_room(&sm->units, (wr_pool)u.pool, warp % sm->schedule.schedulers, sm->now)) {
        return WR_CURSOR_WAITS;
    }
    const uint64_t end = wr_issue_enter(sm, warp, &u);
    sm->work_at = sm->now;
    wr_exec_alu(&u, sm->warps[warp].rows, sm->warps[warp].preds, lanes);
    wr_issue_write_back(sm, warp, &u, end);
    wr_sm_pass(sm, warp);
    return WR_CURSOR_ISSUED;
}

static void set_pred(wr_sm *sm, uint32_t warp, uint8_t pred, uint32_t value, uint32_t mask)
{
    if (pred != WR_ISA_PT) {
        uint32_t *own = &sm->warps[warp].preds[pred];
        *own = (*own & ~mask) | (value & mask);
    }
}

wr_cursor_result wr_sm_reuse(wr_sm *sm, uint32_t warp, const wr_result *r)
{
    const wr_uop *u = wr_warp_uop(sm, warp);
    const wr_insn *insn = u->insn;
    const uint64_t rows = insn->dst_regs != 0 && insn->dst != WR_ISA_RZ
                              ? ((UINT64_C(1) << insn->dst_regs) - 1) << r->row
                              : 0;
    const uint64_t now = sm->gpu->cycle;
    if ((sm->warps[warp].pending_regs & (u->write | rows)) != 0 ||
        (sm->warps[warp].pending_preds & u->need_preds) != 0 || now < r->preds_at) {
        return WR_CURSOR_WAITS;
    }
    const uint32_t mask = count(sm, warp, u, sm->warps[warp].stack[sm->warps[warp].depth - 1].mask);
    sm->work_at = sm->progress_at = now;
    sm->stats.reused++;
    for (uint32_t i = 0; rows != 0 && i < insn->dst_regs; i++) {
        wr_exec_merge(wr_warp_row(sm, warp, (uint8_t)(insn->dst + i)),
                      wr_warp_row(sm, warp, (uint8_t)(r->row + i)), mask);
    }
    set_pred(sm, warp, insn->pd, r->preds[0], mask);
    set_pred(sm, warp, insn->pd2, r->preds[1], mask);
    wr_sm_pass(sm, warp);
    return WR_CURSOR_ISSUED;
}

void wr_sm_pass(wr_sm *sm, uint32_t warp)
{
    wr_simt_advance(sm, warp);
    wr_sm_refresh(sm, warp);
    wr_sm_wake_next(sm);
}
