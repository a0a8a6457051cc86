/* SPDX-License-Identifier: Apache-2.0 */
/* Issue of an SM: each scheduler chooses a warp (schedule.h) whose next instruction finds a
 * place in front of its unit (units.h). With an issue width of 2 the warp's second instruction
 * goes with it where it does not wait for the first and needs other units.
 */
#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

void wr_sm_release(wr_sm *sm, uint32_t warp, uint64_t regs, uint8_t preds)
{
    assert(sm->in_pipe != 0);
    sm->in_pipe--;
    if (warp >= WR_MAX_WARPS) {
        wr_identity_release(sm, warp - WR_MAX_WARPS, regs);
        return;
    }
    uint64_t bit = UINT64_C(1) << warp;
    sm->warps[warp].pending_regs &= ~regs;
    sm->warps[warp].pending_data &= ~regs;
    sm->warps[warp].pending_preds &= (uint8_t)~preds;
    if ((sm->warps[warp].pending_data & sm->warps[warp].need_regs) == 0) {
        sm->awaits_memory &= ~bit;
    }
    if ((sm->warps[warp].pending_regs & sm->warps[warp].need_regs) == 0 &&
        (sm->warps[warp].pending_preds & sm->warps[warp].need_preds) == 0) {
        bool wakes = (sm->listens & WR_LISTEN_WOKEN) != 0 &&
                     (sm->valid & ~(sm->ready | sm->placed) & bit) != 0;
        sm->ready |= bit;
        if (wakes) {
            wr_warp_woken(sm, warp);
        }
    }
}

/* A warp at a barrier that has its preemption point in front executes that again. */
static void step_back(wr_sm *sm, uint32_t warp)
{
    if (wr_warp_uop(sm, warp)->after_pp) {
        sm->warps[warp].next--;
        sm->warps[warp].stack[sm->warps[warp].depth - 1].pc = wr_warp_uop(sm, warp)->insn->pc;
        wr_sm_refresh(sm, warp);
    }
}

void wr_sm_stop(wr_sm *sm, uint64_t warps)
{
    sm->stopped |= warps;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        uint64_t bit = UINT64_C(1) << warp;
        bool waits = ((sm->barrier | ~sm->ready) & bit) != 0;
        if ((sm->barrier & bit) != 0) { /* the arrival is undone */
            wr_barrier_leave(sm, warp);
        }
        step_back(sm, warp);
        if (waits) {
            wr_warp_woken(sm, warp);
        }
        sm->stats.stops++;
        sm->progress_at = sm->gpu->cycle;
        if (sm->hooks->warp_stopped != NULL) {
            sm->hooks->warp_stopped(sm->hooks->self, sm, warp);
        }
    }
}

static inline void assign(uint64_t *mask, uint64_t bit, bool on)
{
    *mask = on ? *mask | bit : *mask & ~bit;
}

void wr_sm_refresh(wr_sm *sm, uint32_t warp)
{
    const uint64_t bit = UINT64_C(1) << warp;
    const wr_uop *u = wr_warp_uop(sm, warp);
    const bool ready = ((sm->warps[warp].pending_regs & u->need) |
                        (sm->warps[warp].pending_preds & (uint64_t)u->need_preds)) == 0;
    sm->warps[warp].need_regs = u->need;
    sm->warps[warp].need_preds = u->need_preds;
    assign(&sm->ready, bit, ready);
    assign(&sm->awaits_memory, bit, !ready && (sm->warps[warp].pending_data & u->need) != 0);
    if (u->point || sm->at_point != 0) {
        assign(&sm->at_point, bit, u->point);
    }
    sm->pool_mask[sm->warps[warp].pool] &= ~bit;
    sm->pool_mask[u->pool] |= bit;
    sm->warps[warp].pool = u->pool;
    wr_fetch_follow(&sm->fetch, warp, &sm->warps[warp]);
    uint64_t stops = sm->halting | (u->point ? sm->stopping & ~sm->step_over : 0);
    if ((stops & ~sm->stopped & bit) != 0) {
        wr_sm_stop(sm, bit);
    }
    if ((sm->listens & WR_LISTEN_STALLED) != 0 && (sm->ready & bit) == 0) {
        wr_warp_stalled(sm, warp,
                        (sm->awaits_memory & bit) != 0 ? WR_WAIT_MEMORY : WR_WAIT_ARITHMETIC);
    }
}

static bool is_to_l1(const wr_uop *u)
{
    return u->pool == WR_POOL_MEM &&
           (u->insn->space == WR_SPACE_GLOBAL || u->insn->space == WR_SPACE_GENERIC ||
            u->insn->space == WR_SPACE_LOCAL);
}

bool wr_goes_to_l1(const wr_sm *sm, uint32_t warp)
{
    return is_to_l1(wr_warp_uop(sm, warp));
}

bool wr_memory_held(const wr_sm *sm, uint32_t warp, const wr_uop *u)
{
    const uint32_t stream = sm->tbs[sm->warps[warp].tb].program->stream;
    bool held = (sm->memory_held >> stream & 1) != 0 ||
                ((sm->loads_held >> warp & 1) != 0 && u->insn->op == WR_OP_LD);
    return held && is_to_l1(u);
}

uint64_t wr_memory_waits(const wr_sm *sm, uint64_t warps)
{
    uint64_t waits = 0;
    for (uint64_t left = warps & sm->pool_mask[WR_POOL_MEM]; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        waits |= wr_memory_held(sm, warp, wr_warp_uop(sm, warp)) ? left & -left : 0;
    }
    return waits;
}

/* Of these warps, whose next instruction needs a pool, those that find no place in front of it. */
static uint64_t crowded(const wr_sm *sm, uint32_t scheduler, wr_pool pool, uint64_t warps)
{
    switch (pool) {
    case WR_POOL_NONE:
        return 0;
    case WR_POOL_MEM:
        if (sm->lsu_count < WR_LSU_QUEUE) {
            return 0;
        }
        return sm->lsu_queues != 1 ? warps & ~wr_lsu_apart(sm, warps) : warps;
    default:
        return wr_units_room(&sm->units, pool, scheduler, sm->now) ? 0 : warps;
    }
}

/* Of the candidates of a scheduler, those that find a place in front of their unit. */
static uint64_t servable(const wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    uint64_t warps = 0;
    for (uint64_t left = candidates; left != 0;) {
        wr_pool pool = (wr_pool)sm->warps[__builtin_ctzll(left)].pool;
        uint64_t of_pool = left & sm->pool_mask[pool];
        warps |= of_pool & ~crowded(sm, scheduler, pool, of_pool);
        left &= ~of_pool;
    }
    return warps;
}

uint64_t wr_issue_enter(wr_sm *sm, uint32_t warp, const wr_uop *u)
{
    uint32_t more;
    uint64_t at = wr_operands_read(&sm->operands, sm->now, warp, u);
    uint64_t start = wr_units_enter(&sm->units, (wr_pool)u->pool, warp % sm->schedule.schedulers,
                                    sm->now, at, u->interval, &more);
    return start + u->latency + more;
}

void wr_issue_write_back(wr_sm *sm, uint32_t warp, const wr_uop *u, uint64_t at)
{
    if (u->write != 0 || u->write_preds != 0) {
        sm->in_pipe++;
        sm->warps[warp].pending_regs |= u->write;
        sm->warps[warp].pending_preds |= u->write_preds;
        at = wr_operands_write(&sm->operands, sm->now, at, warp, u->write);
        wr_wheel_add(&sm->wheel, sm->now, at, (uint16_t)warp, u->write, u->write_preds);
    }
}

static void arithmetic(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    uint64_t end = wr_issue_enter(sm, warp, u);
    if (mask != 0) {
        if (u->kind == WR_KIND_S2R) {
            wr_exec_sreg(sm, warp, u->insn, mask);
        } else {
            wr_exec_alu(u, sm->warps[warp].rows, sm->warps[warp].preds, mask);
        }
        wr_issue_write_back(sm, warp, u, end);
    }
    wr_simt_advance(sm, warp);
}

bool wr_issue_across(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    uint32_t alive = 0;
    uint32_t lane = 0;
    for (uint32_t i = 0; i < sm->warps[warp].depth; i++) {
        alive |= sm->warps[warp].stack[i].mask;
    }
    const char *why =
        mask != 0 ? wr_exec_warp(u, sm->warps[warp].rows, sm->warps[warp].preds, mask, alive, &lane)
                  : NULL;
    if (why != NULL) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, lane, "%s: the lane %s",
                    wr_isa_op_info((wr_op)u->insn->op)->name, why);
    }
    return why == NULL;
}

/* Shuffles and their like. */
static bool across(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    uint64_t end = wr_issue_enter(sm, warp, u);
    if (!wr_issue_across(sm, warp, u, mask)) {
        return false;
    }
    if (mask != 0) {
        wr_issue_write_back(sm, warp, u, end);
    }
    wr_simt_advance(sm, warp);
    return true;
}

/* In line in the issue of each access. */
static inline bool enter_lsu(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask,
                             wr_lsu_queue *q)
{
    wr_lsu_entry *e = &q->entry[(q->head + q->count) % WR_LSU_QUEUE];
    if (!wr_exec_memory(sm, warp, u, mask, e)) {
        return false;
    }
    e->ready_at = wr_operands_read(&sm->operands, sm->now, warp, u);
    e->issued_at = sm->now;
    q->count++;
    sm->lsu_count++;
    sm->l1_insns[e->stream] += e->path != WR_LSU_BANKED && e->path != WR_LSU_CONST ? 1 : 0;
    sm->in_pipe++;
    sm->warps[warp].pending_regs |= e->regs;
    sm->warps[warp].pending_data |= e->regs;
    return true;
}

bool wr_issue_memory(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask, wr_lsu_queue *q)
{
    return enter_lsu(sm, warp, u, mask, q);
}

static bool memory(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    if (mask != 0) {
        if (!enter_lsu(sm, warp, u, mask, wr_lsu_queue_of_warp(sm, warp))) {
            return false;
        }
        if (u->spoils) {
            sm->tbs[sm->warps[warp].tb].spoilt = true;
        }
    }
    wr_simt_advance(sm, warp);
    return true;
}

bool wr_issue_branch(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    uint32_t active = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;
    sm->stats.branches++;
    if (mask != 0 && mask != active) {
        sm->stats.divergent++;
        sm->stats.divergent_uniform += u->insn->uniform ? 1 : 0;
    }
    if (!wr_simt_branch(sm, warp, u->insn, mask)) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES,
                    "the SIMT stack is full (%d entries): branches nest too deeply", WR_SIMT_DEPTH);
        return false;
    }
    return true;
}

void wr_issue_trap(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t lane)
{
    if (insn == NULL) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES, "ran past the kernel's last instruction");
        return;
    }
    const wr_kernel *k = sm->tbs[sm->warps[warp].tb].program->kernel;
    if (insn->mode == WR_TRAP_STACK) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, lane,
                    "the thread's stack of %u bytes is full: calls nest too deeply; allow more "
                    "with 'stack' in the launch file, --stack, or cudaDeviceSetLimit",
                    k->stack_bytes);
    } else if (insn->mode == WR_TRAP_CALL) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, lane,
                    "an indirect call of a value that is no function which it may mean");
    } else {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, lane, "trap executed");
    }
}

/* Issues the warp's next instruction, which is u. */
static void issue(wr_sm *sm, uint32_t warp, const wr_uop *u)
{
    wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    uint64_t bit = UINT64_C(1) << warp;
    if (u->kind == WR_KIND_END) {
        wr_issue_trap(sm, warp, NULL, WR_LANES);
        return;
    }
    uint32_t mask = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;
    if (u->guarded) {
        uint32_t active = mask;
        mask &= wr_exec_pred(sm->warps[warp].preds, u->insn->guard, u->insn->guard_neg);
        sm->stats.guarded_lanes += (uint32_t)__builtin_popcount(active & ~mask);
    }
    if (u->kind != WR_KIND_PP && u->kind != WR_KIND_BAR && u->kind != WR_KIND_MEMBAR) {
        sm->work_at = sm->now;
    }
    uint64_t lanes = mask == UINT32_MAX ? WR_LANES : (uint32_t)__builtin_popcount(mask);
    sm->stats.insns[u->cls]++;
    sm->stats.thread_insns += lanes;
    tb->issued++;
    tb->thread_insns += lanes;
    if ((sm->listens & WR_LISTEN_ISSUED) != 0) {
        sm->hooks->warp_issued(sm->hooks->self, sm, warp, (uint32_t)lanes);
    }
    switch ((wr_kind)u->kind) {
    case WR_KIND_ALU:
    case WR_KIND_PRED:
    case WR_KIND_S2R:
        arithmetic(sm, warp, u, mask);
        break;
    case WR_KIND_WARP:
        if (!across(sm, warp, u, mask)) {
            return;
        }
        break;
    case WR_KIND_MEM:
        if (!memory(sm, warp, u, mask)) {
            return;
        }
        break;
    case WR_KIND_BRA:
        if (!wr_issue_branch(sm, warp, u, mask)) {
            return;
        }
        break;
    case WR_KIND_EXIT:
        wr_simt_exit(sm, warp, mask);
        if (sm->warps[warp].depth == 0) {
            wr_warp_finished(sm, warp);
            return;
        }
        break;
    case WR_KIND_BAR:
        if (mask == 0) {
            sm->step_over &= ~bit;
            wr_simt_advance(sm, warp);
            break;
        }
        wr_barrier_arrive(sm, warp, u, mask);
        return;
    case WR_KIND_MEMBAR:
        if (mask != 0 && sm->stores[sm->warps[warp].id] != 0) {
            sm->membar |= bit; /* goes on when the last store is acknowledged */
            wr_warp_stalled(sm, warp, WR_WAIT_MEMBAR);
            return;
        }
        wr_simt_advance(sm, warp);
        break;
    case WR_KIND_TRAP:
        if (mask != 0) {
            wr_issue_trap(sm, warp, u->insn, (uint32_t)__builtin_ctz(mask));
            return;
        }
        wr_simt_advance(sm, warp);
        break;
    case WR_KIND_SERVICE:
        if (mask != 0) {
            if (!wr_exec_service(sm, warp, u, mask)) {
                return;
            }
            tb->spoilt |= u->spoils;
            wr_issue_write_back(sm, warp, u, sm->now + u->latency);
        }
        wr_simt_advance(sm, warp);
        break;
    case WR_KIND_PP:
        sm->stats.points++;
        if (!u[1].after_pp) { /* else the barrier behind is part of the point */
            sm->step_over &= ~bit;
        }
        wr_simt_advance(sm, warp);
        break;
    case WR_KIND_NOP:
    case WR_KIND_END:
        wr_simt_advance(sm, warp);
        break;
    }
    wr_sm_refresh(sm, warp);
}

/* The warp, whose instruction for a pool has just issued, can issue another in this cycle. */
static bool second(wr_sm *sm, uint32_t scheduler, uint32_t warp, uint8_t pool)
{
    uint64_t bit = UINT64_C(1) << warp;
    return !sm->status->faulted && (wr_sm_issuable(sm) & bit) != 0 &&
           sm->warps[warp].pool != pool &&
           crowded(sm, scheduler, (wr_pool)sm->warps[warp].pool, bit) == 0;
}

/* The warp that scheduler s chooses in this cycle; UINT32_MAX: none can issue. Whether there is a
 * place is asked of the first one's unit alone, mostly: it is the first of those with a place too.
 */
static uint32_t choose(wr_sm *sm, uint32_t s)
{
    uint64_t candidates = wr_sm_issuable(sm) & sm->schedule.mask[s];
    if ((sm->listens & WR_LISTEN_CHOOSE) != 0) {
        candidates = servable(sm, s, candidates);
        return candidates != 0 ? sm->hooks->choose_warp(sm->hooks->self, sm, s, candidates)
                               : UINT32_MAX;
    }
    while (candidates != 0) {
        uint32_t warp = wr_schedule_first(&sm->schedule, s, candidates);
        wr_pool pool = (wr_pool)sm->warps[warp].pool;
        uint64_t wait = crowded(sm, s, pool, candidates & sm->pool_mask[pool]);
        if ((wait >> warp & 1) == 0) {
            wr_schedule_take(&sm->schedule, s, warp);
            return warp;
        }
        candidates &= ~wait;
    }
    return UINT32_MAX;
}

/* What becomes of a scheduler's slots that no warp takes, where a system listens. */
static void charge_unused(wr_sm *sm, uint32_t s, uint32_t width)
{
    if (sm->listens == 0) {
        uint64_t of;
        sm->slots[s][wr_stall(sm, s, &of)] += width;
        return;
    }
    const bool shared = (sm->listens & WR_LISTEN_SHARED) != 0;
    if ((sm->listens & WR_LISTEN_CHOOSE) != 0) {
        uint64_t could = servable(sm, s, wr_sm_issuable(sm) & sm->schedule.mask[s]);
        if (could != 0) { /* the system has chosen none */
            sm->slots[s][WR_SLOT_HELD] += width;
            if (shared) {
                wr_tally_stall(sm, could, WR_SLOT_HELD, width);
            }
            return;
        }
    }
    if ((sm->listens & WR_LISTEN_SPARE) != 0) {
        wr_spare use = sm->hooks->spare_slot(sm->hooks->self, sm, s);
        if (use != WR_SPARE_FREE) {
            sm->progress_at = sm->now;
            sm->slots[s][use == WR_SPARE_ISSUED ? WR_SLOT_ISSUED : WR_SLOT_CURSOR]++;
            sm->slots[s][WR_SLOT_PAIR] += width - 1;
            if (shared && width != 1) { /* the system does not say whose instruction it was */
                wr_tally_stall(sm, sm->schedule.mask[s] & sm->valid, WR_SLOT_PAIR, width - 1);
            }
            return;
        }
    }
    wr_stall_charge(sm, s, width);
}

/* The slots of a scheduler, with what its warp has issued in this cycle before. False: the SM must
 * be alone before the next instruction of it. */
static bool issue_of(wr_sm *sm, uint32_t s, uint32_t warp, uint32_t used)
{
    const uint32_t width = sm->cfg->sm.issue_width;
    uint8_t pool;
    do {
        const wr_uop *u = wr_warp_uop(sm, warp);
        if (u->alone && !sm->alone) {
            sm->chosen = warp;
            sm->chosen_did = used;
            return false;
        }
        pool = u->pool;
        issue(sm, warp, u);
        used++;
    } while (used < width && pool != WR_POOL_NONE && second(sm, s, warp, pool));
    sm->progress_at = sm->now;
    sm->stats.dual_issued += used - 1;
    sm->slots[s][WR_SLOT_ISSUED] += used;
    if (used != width) {
        sm->slots[s][WR_SLOT_PAIR] += width - used;
        if ((sm->listens & WR_LISTEN_SHARED) != 0) {
            wr_tally_stall(sm, UINT64_C(1) << warp, WR_SLOT_PAIR, width - used);
        }
    }
    return true;
}

bool wr_sm_issue(wr_sm *sm)
{
    const uint32_t count = sm->schedule.schedulers;
    uint32_t s =
        (uint32_t)sm->now % sm->schedule.turns; /* else one takes every collector that is free */
    uint32_t warp = sm->chosen;
    uint32_t used = sm->chosen_did;
    s = s + sm->turn < count ? s + sm->turn : s + sm->turn - count;
    sm->chosen = UINT32_MAX;
    sm->chosen_did = 0;
    for (; sm->turn < count; sm->turn++) {
        warp = warp != UINT32_MAX ? warp : choose(sm, s);
        if (warp == UINT32_MAX) {
            charge_unused(sm, s, sm->cfg->sm.issue_width);
        } else if (!issue_of(sm, s, warp, used)) {
            return false;
        }
        warp = UINT32_MAX;
        used = 0;
        s = s + 1 < count ? s + 1 : 0;
    }
    return true;
}

bool wr_sm_may_issue(wr_sm *sm)
{
    uint64_t waiting = wr_sm_issuable(sm);
    if (sm->lsu_count < WR_LSU_QUEUE) {
        return waiting != 0;
    }
    uint64_t at_lsu = waiting & sm->pool_mask[WR_POOL_MEM];
    return waiting != at_lsu || (sm->lsu_queues != 1 && wr_lsu_apart(sm, at_lsu) != 0);
}
