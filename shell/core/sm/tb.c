/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks in the slots of an SM: placing, finishing, taking off.
 *
 * A TB takes a TB slot, consecutive warp slots, registers and shared memory. The last two are taken
 * by amount, and each slot has storage of its own, so that nothing can fragment; where a system
 * says at which row and byte a TB's lie (wr_tb_where), it answers for it that they are free.
 */
#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

static uint64_t warp_bits(uint32_t base, uint32_t count)
{
    return (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << base;
}

static uint32_t tb_registers(const wr_program *p)
{
    return p->regs * p->warps * WR_LANES;
}

static uint32_t registers_to_get(const wr_program *p, uint32_t kept)
{
    return (kept & WR_KEEPS_REGISTERS) != 0 ? 0 : tb_registers(p);
}

static uint32_t shared_to_get(const wr_program *p, uint32_t kept)
{
    return (kept & WR_KEEPS_SHARED) != 0 ? 0 : p->shared_charge;
}

bool wr_tb_fits(const wr_sm *sm, const wr_program *p, uint32_t kept, uint32_t *warp_base,
                uint32_t *slot)
{
    uint64_t all_slots = warp_bits(0, sm->cfg->sm.max_tbs);
    uint64_t free_slots = all_slots & ~sm->tb_valid;
    if (free_slots == 0 || sm->regs_used + registers_to_get(p, kept) > sm->cfg->sm.registers ||
        sm->shared_used + shared_to_get(p, kept) > sm->cfg->sm.shared_bytes) {
        return false;
    }
    for (uint32_t base = 0; base + p->warps <= sm->cfg->sm.max_warps; base++) {
        if ((sm->valid & warp_bits(base, p->warps)) == 0) {
            *warp_base = base;
            *slot = (uint32_t)__builtin_ctzll(free_slots);
            return true;
        }
    }
    return false;
}

static void fill(uint32_t *words, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = value;
    }
}

void wr_warp_poison(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison)
{
    const wr_kernel *k = sm->tbs[sm->warps[warp].tb].program->kernel;
    if ((kept & WR_KEEPS_REGISTERS) == 0) {
        fill(sm->warps[warp].rows, (size_t)k->regs * WR_LANES, poison);
    }
    fill(sm->warps[warp].preds, WR_ISA_PREDS, poison);
}

void wr_tb_poison(wr_sm *sm, uint32_t slot, uint32_t kept, uint32_t poison)
{
    const wr_tb *tb = &sm->tbs[slot];
    for (uint64_t left = tb->slots; left != 0; left &= left - 1) {
        wr_warp_poison(sm, (uint32_t)__builtin_ctzll(left), kept, poison);
    }
    if ((kept & WR_KEEPS_SHARED) == 0 && tb->shared != NULL) {
        memset(tb->shared, (int)(poison & 0xff), tb->program->shared);
    }
}

/* Registers of the slot's own, or its warp's place in the TB's. */
static uint32_t *rows_for(const wr_sm *sm, const wr_program *p, const wr_tb_where *where,
                          uint32_t warp, uint32_t index)
{
    size_t row = where != NULL ? where->row + (size_t)index * p->regs : (size_t)warp * WR_WARP_REGS;
    return sm->regs + row * WR_LANES;
}

static void clear_warp(wr_sm *sm, uint32_t warp, uint32_t slot, uint32_t index)
{
    wr_identity_take(sm, slot, index, warp);
    sm->warps[warp].pending_regs = 0;
    sm->warps[warp].pending_data = 0;
    sm->warps[warp].pending_preds = 0;
    sm->warps[warp].next = 0;
    sm->warps[warp].count = 0;
    sm->warps[warp].depth = 0;
    sm->warps[warp].tb = (uint8_t)slot;
    sm->warps[warp].code = sm->tbs[slot].program->uops;
    sm->warps[warp].index = (uint8_t)index;
}

void wr_tb_clear_masks(wr_sm *sm, uint64_t warps)
{
    uint64_t keep = ~warps;
    sm->done &= keep;
    sm->stopped &= keep;
    sm->barrier &= keep;
    sm->membar &= keep;
    sm->ready &= keep;
    sm->awaits_memory &= keep;
    sm->placed &= keep;
    sm->step_over &= keep;
    sm->at_point &= keep;
    for (unsigned i = 0; i < WR_POOLS; i++) {
        sm->pool_mask[i] &= keep;
    }
    sm->fetch.buffered &= keep;
}

/* A TB that is nowhere yet. */
static wr_tb fresh(const wr_program *p, uint32_t linear, uint32_t frame)
{
    const uint32_t *grid = p->launch->grid;
    return (wr_tb){
        .valid = true,
        .program = p,
        .ctaid = {linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]},
        .linear = linear,
        .frame = frame,
        .unfinished = (uint32_t)warp_bits(0, p->warps)};
}

uint32_t wr_tb_place(wr_sm *sm, const wr_program *p, uint32_t linear, uint32_t frame,
                     const wr_tb_where *where, uint32_t poison)
{
    uint32_t kept = where != NULL ? where->kept : 0;
    uint32_t base;
    uint32_t slot;
    if (!wr_tb_fits(sm, p, kept, &base, &slot)) {
        return UINT32_MAX;
    }
    size_t shared = where != NULL ? where->shared : (size_t)slot * sm->cfg->sm.shared_bytes;
    assert(where == NULL ||
           (((size_t)where->row + (size_t)p->warps * p->regs) * WR_LANES <= sm->cfg->sm.registers &&
            shared + p->shared <= sm->cfg->sm.shared_bytes));
    wr_sm_settle(sm, sm->gpu->elapsed);
    wr_tb *tb = &sm->tbs[slot];
    *tb = fresh(p, linear, frame);
    tb->warp_base = base;
    tb->slots = tb->live = warp_bits(base, p->warps);
    tb->shared = sm->shared + shared;
    sm->tb_valid |= UINT64_C(1) << slot;
    wr_tally_placed(sm, p->stream);
    sm->valid |= tb->live;
    sm->free_to_go |= tb->live;
    sm->resident += p->warps;
    wr_tb_clear_masks(sm, tb->live);
    wr_control_placed(sm, slot);
    sm->stopped |= tb->live;
    sm->placed |= tb->live;
    sm->regs_used += registers_to_get(p, kept);
    sm->shared_used += shared_to_get(p, kept);
    wr_schedule_place(&sm->schedule, tb->live);
    for (uint32_t i = 0; i < p->warps; i++) {
        clear_warp(sm, base + i, slot, i);
        sm->warps[base + i].rows = rows_for(sm, p, where, base + i, i);
    }
    wr_tb_poison(sm, slot, kept, poison);
    wr_gpu_progress(sm->gpu);
    return slot;
}

bool wr_tb_place_away(wr_sm *sm, uint32_t slot, const wr_program *p, uint32_t linear,
                      uint32_t frame, uint32_t shared)
{
    uint32_t charge = shared != WR_ELSEWHERE ? p->shared_charge : 0;
    assert(slot < sm->cfg->sm.max_tbs);
    if (sm->tbs[slot].valid || sm->shared_used + charge > sm->cfg->sm.shared_bytes ||
        wr_identity_away(sm) + p->warps > WR_MOST_AWAY) {
        return false;
    }
    assert(shared == WR_ELSEWHERE || (size_t)shared + p->shared <= sm->cfg->sm.shared_bytes);
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->tbs[slot] = fresh(p, linear, frame);
    sm->tbs[slot].shared = shared != WR_ELSEWHERE ? sm->shared + shared : NULL;
    sm->tb_valid |= UINT64_C(1) << slot;
    wr_tally_placed(sm, p->stream);
    sm->shared_used += charge;
    for (uint32_t i = 0; i < p->warps; i++) {
        wr_identity_take(sm, slot, i, WR_AWAY);
    }
    wr_control_placed(sm, slot);
    sm->stats.tbs_started++;
    wr_gpu_progress(sm->gpu);
    return true;
}

wr_simt_entry wr_tb_first(const wr_program *p, uint32_t index)
{
    uint32_t threads = p->threads - index * WR_LANES;
    uint32_t mask = threads >= WR_LANES ? UINT32_MAX : (1u << threads) - 1;
    return (wr_simt_entry){0, mask, UINT32_MAX};
}

void wr_tb_start(wr_sm *sm, uint32_t slot)
{
    wr_tb *tb = &sm->tbs[slot];
    const wr_program *p = tb->program;
    sm->stopped &= ~tb->live;
    sm->placed &= ~tb->live;
    for (uint32_t i = 0; i < p->warps; i++) {
        uint32_t warp = tb->warp_base + i;
        sm->warps[warp].stack[0] = wr_tb_first(p, i);
        sm->warps[warp].depth = 1;
        fill(sm->warps[warp].preds, WR_ISA_PREDS, 0);
        wr_sm_refresh(sm, warp);
    }
    sm->stats.tbs_started++;
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
}

void wr_tb_remove(wr_sm *sm, uint32_t slot, uint32_t kept)
{
    wr_tb *tb = &sm->tbs[slot];
    uint64_t warps = tb->slots;
    assert(tb->valid);
    for (uint32_t i = 0; i < tb->program->warps; i++) {
        wr_identity_drop(sm, tb->ids[i]);
    }
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->valid &= ~warps;
    sm->free_to_go &= ~warps;
    sm->resident -= (uint32_t)__builtin_popcountll(warps);
    wr_control_removed(sm, slot, warps);
    sm->slot_stats[slot].tbs++;
    sm->slot_stats[slot].issued += tb->issued;
    sm->issued_of[tb->program->stream] += tb->issued;
    sm->slot_stats[slot].thread_insns += tb->thread_insns;
    wr_tb_clear_masks(sm, warps);
    if ((kept & WR_KEEPS_REGISTERS) == 0) { /* of those that have not given them back before */
        sm->regs_used -= tb->program->regs * WR_LANES * (uint32_t)__builtin_popcountll(warps);
    }
    if (tb->shared != NULL) {
        sm->shared_used -= shared_to_get(tb->program, kept);
    }
    sm->tb_valid &= ~(UINT64_C(1) << slot);
    sm->gpu->full &= ~(UINT64_C(1) << sm->id);
    tb->valid = false;
    wr_grid_count(&sm->gpu->grids[tb->program->stream], tb->issued, tb->thread_insns);
    wr_gpu_progress(sm->gpu);
}

void wr_warp_finished(wr_sm *sm, uint32_t warp)
{
    uint32_t slot = sm->warps[warp].tb;
    wr_tb *tb = &sm->tbs[slot];
    uint64_t bit = UINT64_C(1) << warp;
    sm->done |= bit;
    tb->live &= ~bit;
    tb->unfinished &= ~(1u << sm->warps[warp].index);
    if (sm->hooks->warp_done != NULL) {
        sm->hooks->warp_done(sm->hooks->self, sm, warp);
    }
    if (tb->unfinished != 0) {
        wr_barrier_check(sm, slot);
        return;
    }
    tb->leaving = true;
    wr_tb_leave(sm, slot);
}

void wr_tb_leave(wr_sm *sm, uint32_t slot)
{
    const wr_tb *tb = &sm->tbs[slot];
    wr_grid *grid = &sm->gpu->grids[tb->program->stream];
    for (uint32_t i = 0; sm->cfg->sm.exit_waits_stores != 0 && i < tb->program->warps; i++) {
        if (sm->stores[tb->ids[i]] != 0) {
            return;
        }
    }
    if (tb->program->frame_bytes != 0) {
        grid->frames[grid->frames_free++] = tb->frame;
    }
    grid->issued_done += tb->issued_before + tb->issued;
    wr_tb_remove(sm, slot, 0);
    sm->stats.tbs_done++;
    grid->tbs_done++;
    if (sm->hooks->tb_done != NULL) {
        sm->hooks->tb_done(sm->hooks->self, sm, slot, tb->program->stream);
    }
}
