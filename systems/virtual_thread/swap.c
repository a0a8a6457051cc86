/* SPDX-License-Identifier: Apache-2.0 */
/* Two TBs change places, as the block proposes: warps leave, state moves, warps enter.
 *
 * All warps of the TB that goes out leave in the cycle of the take; where one of them has something
 * in the pipeline, the proposal stands until it has not. Their state is packed then, and its lines
 * follow at the port's pace. A warp comes in once its lines have come and the block's map has its
 * slot, so moves and the renaming go on side by side.
 *
 * Registers and shared memory stay; what loads in flight give is in its row when they land.
 */
#include "systems/virtual_thread/state.h"

#include <string.h>

/* Finished warps give their slots back; the others could leave now. */
static bool may_leave(wr_vt_unit *u, uint32_t tb)
{
    const wr_vt *vt = u->vt;
    bool may = true;
    uint64_t slots = 0;

    for (uint32_t j = 0; may && j < vt->warps; j++) {
        uint32_t slot = wr_vt_slot(u, tb, j);

        if ((u->finished[tb] >> j & 1) == 0) {
            slots |= UINT64_C(1) << slot;
            may = wr_sm_warp(u->sm, slot).depth <= wr_duet_deepest(vt->st_lines);
        } else if (wr_sm_tb_warp(u->sm, tb, j) != UINT32_MAX) {
            may = wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_VT_POISON);
        }
    }
    wr_sm_hold(u->sm, vt->owner, slots);
    for (; may && slots != 0; slots &= slots - 1) {
        may = wr_sm_warp_may_leave(u->sm, (uint32_t)__builtin_ctzll(slots));
    }
    if (!may) {
        wr_sm_hold(u->sm, vt->owner, 0);
    }
    return may;
}

static uint32_t with_loads(const wr_vt_unit *u, uint32_t tb)
{
    uint32_t warps = 0;

    for (uint32_t j = 0; j < u->vt->warps; j++) {
        bool some = wr_sm_warp_pending(u->sm, wr_sm_tb_id(u->sm, tb, j)) != 0;

        warps |= some && (u->finished[tb] >> j & 1) == 0 ? UINT32_C(1) << j : 0;
    }
    return warps;
}

static void leave(wr_vt_unit *u, uint32_t tb)
{
    const wr_vt *vt = u->vt;
    uint32_t at_barrier = u->barrier[tb];

    for (uint32_t j = 0; j < vt->warps; j++) {
        uint32_t slot = wr_vt_slot(u, tb, j);
        wr_duet_meta meta = {0};

        if ((u->finished[tb] >> j & 1) == 0) {
            meta.depth = wr_sm_stack(u->sm, slot, meta.stack);
            for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
                meta.preds[p] = wr_sm_pred(u->sm, slot, p);
            }
            (void)wr_sm_warp_leave(u->sm, slot, WR_KEEPS_REGISTERS, WR_VT_POISON);
        }
        wr_duet_meta_pack(&meta, vt->st_lines, u->swap.going[j], WR_VT_POISON);
    }
    u->barrier[tb] = at_barrier; /* they were told woken as they left */
}

/* What the block counts of both from now on. */
static void recount(wr_vt_unit *u, uint32_t out, uint32_t in, uint32_t loads)
{
    uint32_t at_rest = u->barrier[in] | u->finished[in];

    u->waits[out] = u->told[out] = loads;
    u->waits[in] = u->told[in] = at_rest;
    u->in.take = true;
    u->in.out_bar = (uint8_t)(u->vt->warps - (uint32_t)__builtin_popcount(loads));
    u->in.in_bar = (uint8_t)__builtin_popcount(at_rest);
}

bool wr_vt_take(wr_vt_unit *u)
{
    const uint32_t all = wr_vt_all(u->vt);
    uint32_t out = u->out.swap_out;
    uint32_t in = u->out.swap_in;

    u->deadlocked = false;
    if (!u->out.swap_valid || u->swap.on || u->unmapped != 0 || u->waits[out] != all ||
        u->told[out] != all) {
        return false;
    }
    bool sends = (u->ended >> out & 1) == 0;
    uint32_t loads = sends ? with_loads(u, out) : all; /* of one that has ended: for ever */

    u->deadlocked = loads == 0;
    if (u->deadlocked || (sends && !may_leave(u, out))) {
        return false;
    }
    u->swap = (wr_vt_swap){.on = true, .sends = sends, .out = (uint8_t)out, .in = (uint8_t)in};
    if (sends) {
        leave(u, out);
        u->inactive |= UINT32_C(1) << out;
    }
    u->ended &= ~(UINT32_C(1) << out);
    u->inactive &= ~(UINT32_C(1) << in);
    u->group_of[in] = u->group_of[out];
    u->tb_of[u->group_of[in]] = (uint8_t)in;
    u->home_of[out] = u->home_of[in];
    recount(u, out, in, loads);
    u->counts.swaps++;
    return true;
}

/* Both TBs' home is one: what comes in makes room for what goes out. */
static void step(wr_vt_unit *u)
{
    wr_vt_swap *s = &u->swap;
    uint32_t lines = u->vt->st_lines;
    size_t bytes = (size_t)lines * WR_DUET_LINE;
    uint32_t j = s->sends ? s->steps / 2 : s->steps;
    uint8_t *home = wr_vt_home(u, s->in, j);

    if (s->sends && s->steps % 2 != 0) {
        memcpy(home, s->going[j], bytes);
    } else {
        wr_duet_meta_unpack(home, lines, &s->coming[j]);
        memset(home, WR_VT_POISON, bytes);
    }
    s->steps++;
    u->counts.lines += lines;
}

static bool has_come(wr_vt_unit *u, uint32_t j)
{
    const wr_vt_swap *s = &u->swap;

    if ((u->finished[s->in] >> j & 1) != 0) {
        return true; /* none is to come; its TB may end before its lines have moved */
    }
    if (s->steps <= (s->sends ? 2 * j : j)) {
        return false;
    }
    u->in.look_slot = (uint8_t)wr_vt_slot(u, s->in, j);
    wr_vt_status_table_port_eval(&u->table, &u->in, &u->out);
    return u->out.look_vwi == s->in * u->vt->warps + j;
}

void wr_vt_move(wr_vt_unit *u)
{
    const wr_vt *vt = u->vt;
    wr_vt_swap *s = &u->swap;
    uint32_t steps = vt->warps * (s->sends ? 2 : 1);

    if (!s->on) {
        return;
    }
    if (s->steps < steps) {
        s->bytes += vt->port_bytes;
        u->counts.cycles++;
    }
    while (s->steps < steps && s->bytes >= (s->steps + 1) * vt->st_lines * WR_DUET_LINE) {
        step(u);
    }
    while (s->entered < vt->warps && has_come(u, s->entered)) {
        wr_vt_enter(u, s->in, s->entered, &s->coming[s->entered]);
        s->entered++;
    }
    if (s->entered < vt->warps && s->steps == steps && !u->out.busy) {
        wr_vt_abort(u, "virtual_thread: the map does not have the slots of a TB that comes in");
    }
    s->on = s->entered < vt->warps || s->steps < steps;
}
