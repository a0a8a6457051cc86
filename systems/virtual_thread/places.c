/* SPDX-License-Identifier: Apache-2.0 */
/* TBs: placing and ends.
 *
 *   a group is free         the TB is active, and its warps enter in the same cycle
 *   none is                 it is inactive, and the state of warps that have not run lies at home
 *   a TB ends               the next of the grid takes its number, its group and its room
 *   and the grid has none   inactive TBs are to have its group, but only a swap brings them there:
 *                           what is left of the TB is a TB that waits for ever, until the block
 *                           switches it out for good
 */
#include "systems/virtual_thread/state.h"

#include <string.h>

uint8_t *wr_vt_home(const wr_vt_unit *u, uint32_t tb, uint32_t index)
{
    const wr_vt *vt = u->vt;
    uint32_t place = u->home_of[tb] * vt->warps + index;

    return wr_sm_shared_line(u->sm, vt->capacity * vt->smem + place * vt->st_lines);
}

/* Slots of warps that are younger: of TBs placed later, and later ones of its own. */
static uint64_t younger(const wr_vt_unit *u, uint32_t tb, uint32_t index)
{
    const uint64_t all = wr_vt_all(u->vt);
    uint64_t slots = 0;

    for (uint32_t left = u->here & ~u->inactive; left != 0; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(left);
        uint64_t warps = u->born[t] > u->born[tb] ? all : t == tb ? all & ~1u << index : 0;

        slots |= warps << wr_vt_slot(u, t, 0);
    }
    return slots;
}

void wr_vt_enter(wr_vt_unit *u, uint32_t tb, uint32_t index, const wr_duet_meta *meta)
{
    const wr_vt *vt = u->vt;
    const wr_tb_where where = {.row = (tb * vt->warps + index) * vt->regs,
                               .kept = WR_KEEPS_REGISTERS};
    uint32_t slot = wr_vt_slot(u, tb, index);

    if ((u->finished[tb] >> index & 1) != 0) {
        return;
    }
    if (!wr_sm_warp_enter(u->sm, wr_sm_tb_id(u->sm, tb, index), slot, &where, WR_VT_POISON)) {
        wr_vt_abort(u, "virtual_thread: a warp enters a slot that is taken");
        return;
    }
    if (vt->keeps_age) {
        wr_sm_warp_age(u->sm, slot, younger(u, tb, index));
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(u->sm, slot, p, meta->preds[p]);
    }
    wr_sm_stack_write(u->sm, slot, meta->stack, meta->depth);
    wr_sm_warp_resume(u->sm, slot);
}

static wr_duet_meta first_meta(const wr_vt_unit *u, uint32_t tb, uint32_t index)
{
    wr_duet_meta meta = {.depth = 1};

    meta.stack[0] = wr_sm_tb_first(u->sm, tb, index);
    return meta;
}

/* Of the shell; false: no TB is to be had. */
static bool take_tb(wr_vt_unit *u, uint32_t tb)
{
    const wr_vt *vt = u->vt;
    uint32_t rows = vt->warps * vt->regs;
    wr_tb_info info;

    if (!wr_gpu_tb_take(vt->gpu, vt->stream, &info)) {
        return false;
    }
    if (!wr_sm_tb_place_away(u->sm, tb, &info, tb * vt->smem * WR_DUET_LINE)) {
        wr_vt_abort(u, "virtual_thread: no room for a TB that was reckoned with");
        return false;
    }
    for (uint32_t r = 0; r < rows; r++) {
        memset(wr_sm_register_line(u->sm, tb * rows + r), WR_VT_LAUNCH_POISON, WR_DUET_LINE);
    }
    memset(wr_sm_shared(u->sm, tb), WR_VT_LAUNCH_POISON, vt->shared_bytes);
    for (uint32_t j = 0; j < vt->warps; j++) {
        u->warp_of[wr_sm_tb_id(u->sm, tb, j)] = (uint16_t)(tb * WR_VT_TB_WARPS + j);
    }
    return true;
}

static void launch(wr_vt_unit *u, uint32_t tb, bool active)
{
    const wr_vt *vt = u->vt;
    uint32_t most;

    u->waits[tb] = u->told[tb] = u->barrier[tb] = u->finished[tb] = 0;
    u->here |= UINT32_C(1) << tb;
    u->born[tb] = u->counts.placed++;
    most = (uint32_t)__builtin_popcount(u->here);
    u->counts.most = most > u->counts.most ? most : u->counts.most;
    u->in.launch = true;
    u->in.launch_tb = (uint8_t)tb;
    u->in.launch_active = active;
    u->inactive |= active ? 0 : UINT32_C(1) << tb;
    for (uint32_t j = 0; j < vt->warps; j++) {
        wr_duet_meta meta = first_meta(u, tb, j);

        if (active) {
            wr_vt_enter(u, tb, j, &meta);
        } else {
            wr_duet_meta_pack(&meta, vt->st_lines, wr_vt_home(u, tb, j), WR_VT_POISON);
        }
    }
}

static void finish(wr_vt_unit *u, uint32_t tb)
{
    u->in.finish = true;
    u->in.finish_tb = (uint8_t)tb;
    u->ended &= ~(UINT32_C(1) << tb);
    u->waits[tb] = u->told[tb] = 0;
}

/* TBs are placed in the order of their numbers: the first ones have the groups. */
static void place_new(wr_vt_unit *u, uint32_t tb)
{
    const wr_vt *vt = u->vt;

    if (!take_tb(u, tb)) {
        return;
    }
    if (tb < vt->groups) {
        u->tb_of[tb] = u->group_of[tb] = (uint8_t)tb;
        u->unmapped |= (uint64_t)wr_vt_all(vt) << tb * vt->warps;
    } else {
        u->home_of[tb] = (uint8_t)(tb - vt->groups);
    }
    launch(u, tb, tb < vt->groups);
}

static bool grid_has_more(const wr_vt *vt)
{
    return wr_gpu_tbs_waiting(vt->gpu, vt->stream) != 0;
}

static uint32_t placed(const wr_vt_unit *u)
{
    return (uint32_t)__builtin_popcount(u->here | u->ended);
}

/* Of those that have ended: the first that is not known to wait for ever; 32: none. */
static uint32_t first_ended(const wr_vt_unit *u)
{
    uint32_t left = u->ended;

    while (left != 0 && u->waits[__builtin_ctz(left)] == wr_vt_all(u->vt)) {
        left &= left - 1;
    }
    return left != 0 ? (uint32_t)__builtin_ctz(left) : 32;
}

bool wr_vt_may_place(const wr_vt_unit *u)
{
    if (grid_has_more(u->vt)) {
        return u->ended != 0 || placed(u) < u->vt->capacity;
    }
    return u->ended != 0 && (u->inactive == 0 || first_ended(u) != 32);
}

void wr_vt_place(wr_vt_unit *u)
{
    uint32_t tb = u->ended != 0 ? (uint32_t)__builtin_ctz(u->ended) : placed(u);

    if (!wr_vt_may_place(u)) {
        return;
    }
    if (u->ended == 0) {
        place_new(u, tb);
    } else if (grid_has_more(u->vt)) {
        if (take_tb(u, tb)) {
            finish(u, tb);
            launch(u, tb, true);
        }
    } else if (u->inactive == 0) {
        finish(u, tb);
    } else {
        u->waits[first_ended(u)] = wr_vt_all(u->vt);
    }
}
