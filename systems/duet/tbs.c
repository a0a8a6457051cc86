/* SPDX-License-Identifier: Apache-2.0 */
/* TBs and warps of an SM that come and go, as its unit says: the shell's side of it.
 *
 * hand-over   TBs that the dispatcher has placed, as the n-th of an SM, lie where a first fit of n
 *             such TBs puts them: there the unit books them
 * place       a TB of the grid takes the TB slot; its warps then enter slots, or lie switched out
 */
#include "systems/duet/state.h"

#include "shell/core/seam/meter.h"

#include <string.h>

/* Metadata of a warp that has not run. */
static wr_duet_meta first_meta(const wr_duet_sm *u, uint32_t warp)
{
    const uint32_t n = u->duet->warps;
    wr_duet_meta meta = {.depth = 1};

    meta.stack[0] = wr_sm_tb_first(u->sm, warp / n, warp % n);
    return meta;
}

static void name_warp(wr_duet_sm *u, uint32_t tb, uint32_t index)
{
    const uint32_t warp = tb * u->duet->warps + index;

    u->identity[warp] = (uint8_t)wr_sm_tb_id(u->sm, tb, index);
    u->warp_of[u->identity[warp]] = (uint8_t)warp;
    wr_duet_drop(&u->finished, warp);
}

static void take_slot(wr_duet_sm *u, uint32_t warp, uint32_t slot, uint32_t row)
{
    u->owner[slot] = (uint8_t)warp;
    u->slot[warp] = (uint8_t)slot;
    u->row[warp] = (uint16_t)row;
    u->taken |= UINT64_C(1) << slot;
}

void wr_duet_hand_over(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    wr_tb_where where[WR_CONFIG_MAX_TBS] = {{0}};

    u->in.here = 0;
    for (uint32_t i = 0; i < u->out.mc; i++) {
        const bool here = wr_sm_tb(u->sm, i).valid;

        where[i].shared = i * d->smem * WR_DUET_LINE;
        where[i].row = i * d->warps * d->regs;
        u->in.here |= here ? UINT32_C(1) << i : 0;
        for (uint32_t j = 0; here && j < d->warps; j++) {
            const uint32_t slot = wr_sm_tb_warp(u->sm, i, j);

            name_warp(u, i, j);
            take_slot(u, i * d->warps + j, slot, where[i].row + j * d->regs);
            u->ended |= wr_sm_warp(u->sm, slot).done ? UINT64_C(1) << slot : 0;
        }
    }
    if (!wr_sm_tbs_locate(u->sm, where, WR_DUET_POISON)) {
        wr_duet_abort(u, "duet: no memory to move an SM's storage");
    }
}

bool wr_duet_place(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const wr_gpuduet_out *o = &u->out;
    const bool elsewhere = o->kind == WR_DUET_UNIT_PLACE_EXTRA && wr_duet_whole_tbs(d);
    wr_tb_info tb;

    if (!wr_gpu_tb_take(d->gpu, d->stream, &tb)) {
        return false;
    }
    const uint32_t at = d->smem != 0 ? ((uint32_t)o->smem - d->rf_lines) * WR_DUET_LINE : 0;
    if (!wr_sm_tb_place_away(u->sm, o->tb, &tb, elsewhere ? WR_ELSEWHERE : at)) {
        wr_duet_abort(u, "duet: the unit has room for a TB that the SM does not");
        return false;
    }
    wr_duet_fill(u, o->smem, d->smem, WR_DUET_LAUNCH_POISON);
    for (uint32_t j = 0; j < d->warps; j++) {
        name_warp(u, o->tb, j);
        wr_duet_add(&u->away, o->tb * d->warps + j);
    }
    u->counts.placed[o->kind]++;
    return true;
}

void wr_duet_forget_slot(wr_duet_sm *u, uint32_t slot)
{
    const uint64_t others = ~(UINT64_C(1) << slot);

    if (u->owner[slot] != WR_DUET_NONE) {
        u->slot[u->owner[slot]] = WR_DUET_NONE;
    }
    u->owner[slot] = WR_DUET_NONE;
    u->ended &= others;
    u->done &= others;
    u->taken &= others;
}

/* Slots of warps that are younger: by their TBs' numbers in the grid, then by their own. */
static uint64_t younger(wr_duet_sm *u, uint32_t warp)
{
    const wr_duet *d = u->duet;
    const uint32_t mine = wr_sm_tb(u->sm, warp / d->warps).linear;
    uint64_t slots = 0;

    for (uint32_t s = 0; s < WR_DUET_SLOTS; s++) {
        const uint32_t other = u->owner[s];

        if (other != WR_DUET_NONE && other != warp) {
            const uint32_t tb = wr_sm_tb(u->sm, other / d->warps).linear;

            slots |= tb > mine || (tb == mine && other > warp) ? UINT64_C(1) << s : 0;
        }
    }
    return slots;
}

void wr_duet_enter(wr_duet_sm *u, uint32_t warp, uint32_t slot, uint32_t row,
                   const wr_duet_meta *meta)
{
    const wr_duet *d = u->duet;
    const wr_tb_where where = {.row = row, .kept = WR_KEEPS_REGISTERS};

    if (slot >= WR_DUET_SLOTS || row + d->regs > d->rf_lines) {
        wr_duet_abort(u, "duet: a warp enters a slot, or has registers, that the SM does not have");
        return;
    }
    wr_duet_forget_slot(u, slot);
    take_slot(u, warp, slot, row);
    if (wr_duet_has(&u->finished, warp)) { /* it keeps its place alone */
        u->done |= UINT64_C(1) << slot;
        return;
    }
    if (!wr_sm_warp_enter(u->sm, u->identity[warp], slot, &where, WR_DUET_POISON)) {
        wr_duet_abort(u, "duet: a warp enters a slot that is taken");
        return;
    }
    for (uint64_t left = u->flying[warp]; left != 0; left &= left - 1) {
        const uint32_t reg = (uint32_t)__builtin_ctzll(left);

        memcpy(wr_duet_line(u, row + reg), u->values[warp][reg], WR_DUET_LINE);
    }
    u->flying[warp] = 0;
    wr_duet_drop(&u->away, warp);
    wr_duet_drop(&u->at_barrier, warp);
    u->in.free[warp] = false;
    if (d->keeps_age) {
        wr_sm_warp_age(u->sm, slot, younger(u, warp));
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(u->sm, slot, p, meta->preds[p]);
    }
    wr_sm_stack_write(u->sm, slot, meta->stack, meta->depth);
    wr_sm_warp_resume(u->sm, slot);
}

static void arrive(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const wr_duet_meta meta = first_meta(u, u->out.warp);

    wr_duet_put_meta(u, u->out.meta, &meta);
    if (!wr_duet_registers_move(d)) {
        wr_duet_fill(u, u->out.row, d->regs, WR_DUET_LAUNCH_POISON);
        u->row[u->out.warp] = u->out.row;
    }
    wr_duet_set_free(u, u->out.warp);
}

void wr_duet_come_and_go(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const wr_gpuduet_out *o = &u->out;

    if (o->left) {
        wr_duet_fill(u, o->row, d->regs, WR_DUET_POISON);
        wr_duet_forget_slot(u, o->slot);
    }
    if (o->gone) {
        wr_duet_fill(u, o->smem, d->smem, WR_DUET_POISON);
    }
    if (o->enter) {
        const wr_duet_meta meta = first_meta(u, o->warp);

        wr_duet_fill(u, o->row, d->regs, WR_DUET_LAUNCH_POISON);
        wr_duet_enter(u, o->warp, o->slot, o->row, &meta);
    }
    if (o->arrive) {
        arrive(u);
    }
    if (o->back) {
        const uint32_t slot = o->moved_meta & (WR_DUET_SLOTS - 1);
        wr_duet_meta meta;

        wr_duet_slot_meta(u, slot, &meta);
        wr_duet_enter(u, o->moved_id, slot, o->moved_row, &meta);
    }
}
