/* SPDX-License-Identifier: Apache-2.0 */
/* A warp apart from its slot: leaving it, and coming back to another one.
 *
 * What is in flight for a warp in a slot names the slot; when the warp leaves it is renamed, and
 * renamed again when it comes back. Stores can't be renamed, their tags are out in the memory
 * system: they name the identity, which is the number of the warp's first slot unless that is
 * taken.
 *
 * Invariants:
 * - an identity is used from the warp's placing to the end of its TB;
 * - slot_of[id_of[w]] = w for each warp in a slot;
 * - at most WR_MOST_AWAY are in no slot, so that an identity is free for whoever gets one;
 * - a warp in no slot has nothing in flight but loads and stores; one that has retired, stores.
 */
#include "shell/core/gpu/state.h"

#include <assert.h>

static bool is_used(const wr_sm *sm, uint32_t id)
{
    return (sm->ids_used[id / 64] >> id % 64 & 1) != 0;
}

void wr_identity_take(wr_sm *sm, uint32_t tb_slot, uint32_t index, uint32_t warp)
{
    uint32_t id = warp != WR_AWAY ? warp : WR_MAX_WARPS;
    for (uint32_t i = 0; is_used(sm, id); i++) { /* rather one that no slot has */
        assert(i < WR_WARP_IDS);
        id = (WR_MAX_WARPS + i) % WR_WARP_IDS;
    }
    sm->ids_used[id / 64] |= UINT64_C(1) << id % 64;
    sm->slot_of[id] = (uint8_t)warp;
    sm->tbs[tb_slot].ids[index] = (uint8_t)id;
    if (warp == WR_AWAY) {
        sm->away[id] =
            (wr_away){.tb_slot = (uint8_t)tb_slot, .index = (uint8_t)index, .alone = true};
    } else {
        sm->warps[warp].id = (uint8_t)id;
    }
}

void wr_identity_drop(wr_sm *sm, uint32_t id)
{
    sm->ids_used[id / 64] &= ~(UINT64_C(1) << id % 64);
    sm->slot_of[id] = WR_AWAY;
    sm->away[id] = (wr_away){0};
}

void wr_identity_release(wr_sm *sm, uint32_t id, uint64_t regs)
{
    wr_away *a = &sm->away[id];
    a->pending &= ~regs;
    if (sm->hooks->warp_loaded != NULL) {
        sm->hooks->warp_loaded(sm->hooks->self, sm, id, regs);
    }
}

void wr_identity_pass(wr_sm *sm, uint32_t id)
{
    sm->away[id].passed = true;
    if (sm->slot_of[id] == WR_AWAY && sm->hooks->warp_passed != NULL) {
        sm->hooks->warp_passed(sm->hooks->self, sm, id);
    }
}

/* Loads, of which nothing is there where no register is pending. */
static void rename_in_flight(wr_sm *sm, uint64_t pending, uint32_t from, uint32_t to)
{
    if (pending == 0) {
        return;
    }
    wr_wheel_rename(&sm->wheel, (uint16_t)from, (uint16_t)to);
    for (uint32_t word = 0; 64 * word < sm->op_limit * sm->lsu_queues; word++) {
        for (uint64_t left = sm->ops_used[word]; left != 0; left &= left - 1) {
            wr_mem_op *op = &sm->ops[64 * word + (uint32_t)__builtin_ctzll(left)];
            op->warp = op->warp == from ? (uint16_t)to : op->warp;
        }
    }
}

uint32_t wr_sm_warp_id(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps && (sm->valid >> warp & 1) != 0);
    return sm->warps[warp].id;
}

uint32_t wr_sm_warp_slot(const wr_sm *sm, uint32_t id)
{
    assert(id < WR_WARP_IDS);
    return sm->slot_of[id] == WR_AWAY ? UINT32_MAX : sm->slot_of[id];
}

uint32_t wr_sm_tb_id(const wr_sm *sm, uint32_t tb_slot, uint32_t index)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    assert(index < sm->tbs[tb_slot].program->warps);
    return sm->tbs[tb_slot].ids[index];
}

uint64_t wr_sm_warp_pending(const wr_sm *sm, uint32_t id)
{
    assert(id < WR_WARP_IDS && is_used(sm, id));
    uint32_t warp = sm->slot_of[id];
    return warp == WR_AWAY ? sm->away[id].pending : sm->warps[warp].pending_regs;
}

/* It waits at a barrier whose reduction needs its registers. */
static bool gives_to_barrier(const wr_sm *sm, uint32_t warp)
{
    const wr_insn *insn = wr_warp_uop(sm, warp)->insn;
    return (sm->barrier >> warp & 1) != 0 && insn->op == WR_OP_BAR && insn->mode >= WR_BAR_POPC;
}

uint32_t wr_identity_away(const wr_sm *sm)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < WR_WARP_IDS / 64; i++) {
        used += (uint32_t)__builtin_popcountll(sm->ids_used[i]);
    }
    return used - sm->resident;
}

static bool in_lsu(const wr_sm *sm, uint32_t warp)
{
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        if (wr_lsu_entry_at(sm, i)->warp == warp) {
            return true;
        }
    }
    return false;
}

bool wr_sm_warp_clear(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    return wr_warp_settled(sm, warp) && !in_lsu(sm, warp);
}

bool wr_sm_warp_may_leave(const wr_sm *sm, uint32_t warp)
{
    uint64_t bit = UINT64_C(1) << warp;
    assert(warp < sm->cfg->sm.max_warps);
    return (sm->valid & ~(sm->done | sm->membar | sm->placed) & (sm->stopped | sm->held) & bit) !=
               0 &&
           wr_identity_away(sm) < WR_MOST_AWAY && !gives_to_barrier(sm, warp) &&
           wr_sm_warp_clear(sm, warp);
}

/* The slot is free; its registers are no longer charged. */
static void vacate(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison)
{
    uint64_t bit = UINT64_C(1) << warp;
    wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    wr_warp_poison(sm, warp, kept, poison);
    sm->slot_of[sm->warps[warp].id] = WR_AWAY;
    tb->live &= ~bit;
    tb->slots &= ~bit;
    sm->valid &= ~bit;
    sm->free_to_go &= ~bit;
    sm->resident--;
    wr_control_removed(sm, UINT32_MAX, bit);
    wr_tb_clear_masks(sm, bit);
    sm->regs_used -= tb->program->regs * WR_LANES;
    sm->gpu->full &= ~(UINT64_C(1) << sm->id);
    wr_gpu_progress(sm->gpu);
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1); /* for the dispatcher */
}

uint32_t wr_sm_warp_leave(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison)
{
    uint64_t bit = UINT64_C(1) << warp;
    uint32_t id = sm->warps[warp].id;
    assert(wr_sm_warp_may_leave(sm, warp));
    wr_sm_settle(sm, sm->gpu->elapsed);
    if (((sm->barrier | ~sm->ready) & bit) != 0) {
        wr_warp_woken(sm, warp);
    }
    sm->away[id] = (wr_away){.pending = sm->warps[warp].pending_regs,
                             .tb_slot = sm->warps[warp].tb,
                             .index = sm->warps[warp].index,
                             .alone = true,
                             .at_barrier = (sm->barrier & bit) != 0,
                             .barrier = sm->warps[warp].waits_at};
    rename_in_flight(sm, sm->away[id].pending, warp, WR_MAX_WARPS + id);
    vacate(sm, warp, kept, poison);
    return id;
}

bool wr_sm_warp_retire(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison)
{
    assert(warp < sm->cfg->sm.max_warps && (sm->valid & sm->done) >> warp & 1);
    if (!wr_warp_drained(sm, warp) || in_lsu(sm, warp) || wr_identity_away(sm) >= WR_MOST_AWAY) {
        return false;
    }
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->away[sm->warps[warp].id] =
        (wr_away){.tb_slot = sm->warps[warp].tb, .index = sm->warps[warp].index};
    vacate(sm, warp, kept, poison);
    return true;
}

bool wr_sm_warp_enter(wr_sm *sm, uint32_t id, uint32_t warp, const wr_tb_where *where,
                      uint32_t poison)
{
    uint64_t bit = UINT64_C(1) << warp;
    const wr_away *a = &sm->away[id];
    assert(id < WR_WARP_IDS && is_used(sm, id) && sm->slot_of[id] == WR_AWAY && a->alone);
    assert(warp < sm->cfg->sm.max_warps);
    wr_tb *tb = &sm->tbs[a->tb_slot];
    uint32_t regs = tb->program->regs * WR_LANES;
    size_t row = where != NULL ? where->row : (size_t)warp * WR_WARP_REGS;
    if ((sm->valid & bit) != 0 || sm->regs_used + regs > sm->cfg->sm.registers) {
        return false;
    }
    assert(where == NULL || row * WR_LANES + regs <= sm->cfg->sm.registers);
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->slot_of[id] = (uint8_t)warp;
    sm->warps[warp].id = (uint8_t)id;
    sm->warps[warp].tb = a->tb_slot;
    sm->warps[warp].code = tb->program->uops;
    sm->warps[warp].index = a->index;
    tb->live |= bit;
    tb->slots |= bit;
    sm->valid |= bit;
    sm->free_to_go |= bit;
    sm->resident++;
    sm->regs_used += regs;
    wr_tb_clear_masks(sm, bit);
    sm->stopped |= bit;
    sm->placed |= bit;
    sm->warps[warp].rows = sm->regs + row * WR_LANES;
    sm->warps[warp].next = 0;
    sm->warps[warp].depth = 0;
    sm->warps[warp].count = 0;
    sm->warps[warp].pending_regs = sm->warps[warp].pending_data = a->pending;
    sm->warps[warp].pending_preds = 0;
    rename_in_flight(sm, a->pending, WR_MAX_WARPS + id, warp);
    wr_schedule_place(&sm->schedule, bit);
    wr_control_placed(sm, a->tb_slot);
    wr_warp_poison(sm, warp, where != NULL ? where->kept : 0, poison);
    wr_gpu_progress(sm->gpu);
    return true;
}

bool wr_identity_rejoin(wr_sm *sm, uint32_t warp)
{
    wr_away *a = &sm->away[sm->warps[warp].id];
    bool alone = a->alone;
    if (a->at_barrier && a->passed) {
        wr_simt_advance(sm, warp);
    } else if (a->at_barrier) {
        sm->barrier |= UINT64_C(1) << warp;
        sm->warps[warp].waits_at = a->barrier;
        wr_warp_stalled(sm, warp, WR_WAIT_BARRIER);
    }
    a->alone = a->at_barrier = a->passed = false;
    return alone;
}
