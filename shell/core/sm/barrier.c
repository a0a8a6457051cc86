/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of a thread block.
 *
 * Warps count as a whole, as 32 threads each. A warp that arrives to wait stays with its PC at
 * the barrier; a warp that only arrives (`bar.arrive`) is pledged and goes on. When all have
 * arrived, those that wait step over. Without a count "all" are the TB's warps that have not
 * finished; with one, as many warps as it says.
 *
 * So a waiting warp that is preempted needs nothing saved but its PC, and executes the barrier
 * again (P21, P22). Pledges are saved: one bit a barrier and warp, also of a warp that has
 * finished since. The count of a barrier comes again with each warp that executes it.
 */
#include "shell/core/exec/memcheck.h"
#include "shell/core/gpu/state.h"

/* The value that a warp-wide operand has in its first active lane. */
static uint32_t scalar(const wr_sm *sm, uint32_t warp, const wr_uop *u, unsigned slot,
                       uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint8_t reg = u->insn->src[slot];
    if (u->ext != NULL && u->insn->ext_slot == slot) {
        return u->ext[lane];
    }
    return reg == WR_ISA_RZ ? 0 : wr_warp_row(sm, warp, reg)[lane];
}

static uint32_t active(const wr_sm *sm, uint32_t warp, const wr_insn *insn)
{
    return sm->warps[warp].stack[sm->warps[warp].depth - 1].mask &
           wr_exec_pred(sm->warps[warp].preds, insn->guard, insn->guard_neg);
}

static const wr_insn *waiting_at(const wr_sm *sm, uint32_t warp)
{
    return wr_warp_uop(sm, warp)->insn;
}

/* Threads that wait, and those of them for which the predicate holds. */
static void count_threads(const wr_sm *sm, uint64_t warps, uint32_t *threads, uint32_t *yes)
{
    *threads = *yes = 0;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        const wr_insn *insn = waiting_at(sm, warp);
        uint32_t mask = active(sm, warp, insn);
        uint32_t holds = wr_exec_pred(sm->warps[warp].preds, insn->ps, insn->ps_neg);
        *threads += (uint32_t)__builtin_popcount(mask);
        *yes += (uint32_t)__builtin_popcount(mask & holds);
    }
}

/* What the barrier's reduction gives, into the warp's registers. */
static void give_result(wr_sm *sm, uint32_t warp, uint32_t threads, uint32_t yes)
{
    const wr_insn *insn = waiting_at(sm, warp);
    uint32_t mask = active(sm, warp, insn);
    bool holds = insn->mode == WR_BAR_AND ? yes == threads : yes != 0;
    if (insn->op != WR_OP_BAR || insn->mode < WR_BAR_POPC) {
        return;
    }
    if (insn->pd != WR_ISA_PT) {
        uint32_t *pred = &sm->warps[warp].preds[insn->pd];
        *pred = (*pred & ~mask) | (holds ? mask : 0);
    }
    if (insn->dst != WR_ISA_RZ) {
        uint32_t row[WR_LANES];
        for (uint32_t i = 0; i < WR_LANES; i++) {
            row[i] = yes;
        }
        wr_exec_merge(wr_warp_row(sm, warp, insn->dst), row, mask);
    }
}

static void count_wait(wr_sm *sm, uint32_t id)
{
    wr_histogram_add(&sm->barrier_wait, sm->now - sm->arrived_at[id]);
}

static void release(wr_sm *sm, uint64_t warps)
{
    uint32_t threads;
    uint32_t yes;
    count_threads(sm, warps, &threads, &yes);
    sm->barrier &= ~warps;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        count_wait(sm, sm->warps[warp].id);
        give_result(sm, warp, threads, yes);
        wr_warp_woken(sm, warp);
        wr_simt_advance(sm, warp);
        wr_sm_refresh(sm, warp);
    }
    wr_sm_wake(sm, sm->now + 1);
}

/* The slots of these warps of the TB; one that is away goes on when it is back and resumed. */
static uint64_t waiting_slots(wr_sm *sm, const wr_tb *tb, uint32_t waiting)
{
    uint64_t warps = 0;
    for (uint32_t left = waiting; left != 0; left &= left - 1) {
        uint32_t id = tb->ids[__builtin_ctz(left)];
        if (sm->away[id].at_barrier) {
            count_wait(sm, id);
            wr_identity_pass(sm, id);
        } else {
            warps |= UINT64_C(1) << sm->slot_of[id];
        }
    }
    return warps;
}

/* Opens the TB's barrier i where all have arrived. */
static void check(wr_sm *sm, wr_tb *tb, uint32_t i)
{
    uint32_t arrived = tb->arrived[i];
    bool waited_for = arrived != tb->pledged[i];
    if (arrived == 0 || (!waited_for && tb->expected[i] == 0)) { /* restored: no count yet */
        return;
    }
    uint32_t all = tb->unfinished;
    uint32_t warps = tb->expected[i] / WR_LANES;
    if (warps != 0 ? (uint32_t)__builtin_popcount(arrived) >= warps
                   : (arrived & all) == all && all != 0) {
        uint32_t waiting = arrived & ~tb->pledged[i];
        if (sm->gpu->forward.check != NULL) {
            wr_memcheck_pass(sm->gpu->forward.check, sm, (uint32_t)(tb - sm->tbs), waiting, i);
        }
        tb->arrived[i] = tb->pledged[i] = 0;
        release(sm, waiting_slots(sm, tb, waiting));
    }
}

/* The barrier's number and count; false: fault. */
static bool operands(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask, uint32_t *number,
                     uint32_t *count)
{
    const wr_insn *insn = u->insn;
    bool fixed = insn->src[0] == WR_ISA_RZ && (u->ext == NULL || insn->ext_slot != 0);
    bool counted = insn->src[1] != WR_ISA_RZ || (u->ext != NULL && insn->ext_slot == 1);
    *number = *count = 0;
    if (insn->op == WR_OP_BAR_PP) {
        return true;
    }
    *number = fixed ? insn->barrier : scalar(sm, warp, u, 0, mask);
    *count = counted ? scalar(sm, warp, u, 1, mask) : 0;
    if (*number >= WR_BARRIERS) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES, "barrier %u: they are numbered 0 to %u",
                    *number, WR_BARRIERS - 1);
        return false;
    }
    if (counted && (*count == 0 || *count % WR_LANES != 0 ||
                    *count > sm->tbs[sm->warps[warp].tb].program->warps * WR_LANES)) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES,
                    "barrier %u for %u threads: give a multiple of 32 up to the block's %u",
                    *number, *count, sm->tbs[sm->warps[warp].tb].program->warps * WR_LANES);
        return false;
    }
    return true;
}

bool wr_barrier_arrive(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    uint64_t bit = UINT64_C(1) << warp;
    uint32_t own = 1u << sm->warps[warp].index;
    uint32_t number;
    uint32_t count;
    if (!operands(sm, warp, u, mask, &number, &count)) {
        return false;
    }
    if ((tb->pledged[number] & own) != 0) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES,
                    "a second arrival at barrier %u before the first has been waited for", number);
        return false;
    }
    if ((tb->arrived[number] & ~tb->pledged[number]) != 0 && tb->expected[number] != count) {
        wr_sm_fault(sm, warp, WR_RUN_TRAP, WR_LANES,
                    "barrier %u for %u threads, but others wait there for %u (0: all); give the "
                    "same count everywhere",
                    number, count, tb->expected[number]);
        return false;
    }
    if (sm->gpu->forward.check != NULL) {
        wr_memcheck_arrive(sm->gpu->forward.check, sm, sm->warps[warp].tb, sm->warps[warp].index,
                           number);
    }
    sm->stats.barriers++;
    sm->step_over &= ~bit;
    tb->arrived[number] |= own;
    tb->expected[number] = count;
    if (u->insn->op == WR_OP_BAR && u->insn->mode == WR_BAR_ARRIVE) {
        tb->pledged[number] |= own;
        wr_simt_advance(sm, warp);
        wr_sm_refresh(sm, warp);
    } else {
        sm->barrier |= bit;
        sm->warps[warp].waits_at = (uint8_t)number;
        sm->arrived_at[sm->warps[warp].id] = sm->now;
        wr_warp_stalled(sm, warp, WR_WAIT_BARRIER);
    }
    check(sm, tb, number);
    return true;
}

void wr_barrier_leave(wr_sm *sm, uint32_t warp)
{
    uint64_t bit = UINT64_C(1) << warp;
    sm->barrier &= ~bit;
    sm->tbs[sm->warps[warp].tb].arrived[sm->warps[warp].waits_at] &= ~(1u << sm->warps[warp].index);
}

void wr_barrier_check(wr_sm *sm, uint32_t tb_slot)
{
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        check(sm, &sm->tbs[tb_slot], i);
    }
}
