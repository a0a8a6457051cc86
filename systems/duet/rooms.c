/* SPDX-License-Identifier: Apache-2.0 */
/* Room for TBs: lines of the unified space by the bitmap, warp slots, entries of the tables.
 *
 * booking   TBs that the dispatcher has placed, as the n-th of an SM, lie where a first fit of n
 *           such TBs puts them: their lines are taken from the empty bitmap in that order, and what
 *           belongs to TBs that have ended is given back
 * launch    a native TB, with everything in place, where slots are free and nobody is ready for
 *           them; else an extra one, switched out from the start: its lines are taken one run
 *           behind the other, and given back if one can't be had
 * end       of a TB: where all of it is in place and a TB waits, that one gets its entries, lines
 * and slots as they are; else its warps' entries go, one a cycle, then its own
 */
#include "systems/duet/state.h"

#include "shell/core/seam/meter.h"

#include <assert.h>
#include <string.h>

void wr_duet_give_room(wr_duet_unit *u, uint32_t addr, uint32_t count)
{
    assert(u->rooms < WR_DUET_ROOMS);
    if (count != 0) {
        u->room[u->rooms++] = (wr_duet_run){.addr = (uint16_t)addr, .count = (uint16_t)count};
    }
}

static void add_item(wr_duet_unit *u, uint32_t region, uint32_t other, uint32_t count)
{
    wr_duet_placing *p = &u->placing;

    if (count != 0) {
        p->item[p->items++] = (wr_duet_run){
            .region = (uint8_t)region, .other = (uint8_t)other, .count = (uint16_t)count};
    }
}

/* Launches */

static void plan_launch(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    bool tbs = wr_duet_whole_tbs(d);
    bool extra = u->placing.extra;
    uint32_t spare = u->use_l1 ? WR_DUET_IN_L1 : WR_DUET_IN_SHARED;

    if (tbs && extra) {
        add_item(u, WR_DUET_IN_REGISTERS, u->use_l1 ? WR_DUET_IN_L1 : WR_DUET_IN_REGISTERS,
                 d->smem + d->warps * d->st_lines);
    } else {
        add_item(u, WR_DUET_IN_SHARED, WR_DUET_IN_SHARED, d->smem);
    }
    for (uint32_t i = 0; i < d->warps && !(extra && wr_duet_registers_move(d)); i++) {
        add_item(u, WR_DUET_IN_REGISTERS, WR_DUET_IN_REGISTERS, d->regs);
    }
    for (uint32_t i = 0; extra && !tbs && i < d->warps; i++) {
        add_item(u, WR_DUET_IN_SHARED, spare, wr_duet_body(d) + d->st_lines);
    }
}

static void undo_launch(wr_duet_unit *u)
{
    wr_duet_placing *p = &u->placing;

    for (uint32_t i = 0; i < p->got; i++) {
        wr_duet_give_room(u, p->item[i].addr, p->item[i].count);
    }
    for (uint32_t i = 0; !p->extra && i < u->duet->warps; i++) {
        u->slots_free |= UINT64_C(1) << p->slot[i];
    }
    p->on = false;
    if (p->extra) {
        u->launch_blocked = true;
    } else {
        u->native_blocked = true;
    }
}

bool wr_duet_may_launch(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    bool allowed = u->me_out.allow && u->me_out.tbs < u->me_out.mc + d->most_extra;

    if (u->phase != WR_DUET_RUN || u->placing.on || u->launch_blocked || !allowed ||
        u->me_launches != 0 || u->me_leaves != 0 || u->me_out.busy || u->tbs_ended != 0 ||
        d->launch == NULL || wr_gpu_tbs_waiting(d->gpu, d->stream) == 0) {
        return false;
    }
    u->tct_in.find_kind = WR_TB_CONTEXT_FREE;
    u->tct_in.find_from = 0;
    wr_tb_context_table_port_eval(&u->tct, &u->tct_in, &u->tct_out);
    return u->tct_out.find_found && (u->tct_out.find_id + 1u) * d->warps <= WR_DUET_WARPS;
}

/* Slots are taken only in a cycle in which the switch logic is shown none, or while a switch that
 * takes none is under way. */
static bool may_be_native(const wr_duet_unit *u)
{
    uint8_t op = u->csl_out.op;

    return !u->native_blocked && op != WR_CSL_IN &&
           (uint32_t)__builtin_popcountll(u->slots_free) >= u->duet->warps &&
           !u->queues_out.warp_valid[1] && !u->queues_out.tb_valid[1];
}

void wr_duet_begin_launch(wr_duet_unit *u)
{
    wr_duet_placing *p = &u->placing;

    if (!wr_duet_may_launch(u)) {
        return;
    }
    *p = (wr_duet_placing){.on = true, .tb = u->tct_out.find_id};
    p->extra = !may_be_native(u);
    for (uint32_t i = 0; !p->extra && i < u->duet->warps; i++) {
        p->slot[i] = (uint8_t)__builtin_ctzll(u->slots_free);
        u->slots_free &= u->slots_free - 1;
        u->csl_in.slots_free = 0;
    }
    plan_launch(u);
}

/* The shell's TB behind the entries of number t; false: there is none to be had. */
static bool take_tb(wr_duet_unit *u, uint32_t t, uint32_t smem, bool elsewhere)
{
    const wr_duet *d = u->duet;
    wr_tb_info tb;

    if (!wr_gpu_tb_take(d->gpu, d->stream, &tb)) {
        return false;
    }
    uint32_t at = d->smem != 0 ? (smem - d->rf_lines) * WR_DUET_LINE : 0;
    if (!wr_sm_tb_place_away(u->sm, t, &tb, elsewhere ? WR_ELSEWHERE : at)) {
        wr_duet_abort(u, "duet: the tables have room for a TB that the SM does not");
        return false;
    }
    for (uint32_t i = 0; i < d->smem; i++) {
        wr_duet_fill(wr_duet_line(u, smem + i), WR_DUET_LAUNCH_POISON);
    }
    for (uint32_t j = 0; j < d->warps; j++) {
        uint32_t warp = t * d->warps + j;

        u->identity[warp] = (uint8_t)wr_sm_tb_id(u->sm, t, j);
        u->warp_of[u->identity[warp]] = (uint8_t)warp;
        u->flying[warp] = 0;
        wr_duet_add(&u->away, warp);
    }
    u->tb_finished[t] = 0;
    return true;
}

static void insert_warp(wr_duet_unit *u, uint32_t j, uint32_t reg, uint32_t meta)
{
    const wr_duet *d = u->duet;
    const wr_duet_placing *p = &u->placing;

    u->wct_in.op = WR_WARP_CONTEXT_INSERT;
    u->wct_in.id = (uint8_t)(p->tb * d->warps + j);
    u->wct_in.state = p->extra ? WR_WARP_READY : WR_WARP_RUNNING;
    u->wct_in.reg_addr = (uint16_t)reg;
    u->wct_in.meta_addr = (uint16_t)meta;
}

static void end_launch(wr_duet_unit *u)
{
    wr_duet_placing *p = &u->placing;
    uint32_t here;

    p->on = false;
    u->tbs_here |= UINT32_C(1) << p->tb;
    u->tb_news |= UINT32_C(1) << p->tb;
    u->me_launches++;
    here = (uint32_t)__builtin_popcount(u->tbs_here);
    u->counts.resident_most = here > u->counts.resident_most ? here : u->counts.resident_most;
    u->counts.extra += p->extra;
    u->counts.native += !p->extra;
}

bool wr_duet_insert_one(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    wr_duet_placing *p = &u->placing;
    wr_duet_meta meta;

    if (!p->on || p->got < p->items || u->phase != WR_DUET_RUN) {
        return false;
    }
    bool tbs = wr_duet_whole_tbs(d);
    bool own_smem = d->smem != 0;
    uint32_t j = p->inserted;
    uint32_t smem = own_smem ? p->item[0].addr : WR_DUET_NONE;
    uint32_t reg = p->item[own_smem + j].addr; /* of its registers, or of its whole context */
    uint32_t at = WR_CSL_META_SLOT + p->slot[j];
    if (p->extra) {
        at = tbs                         ? smem + d->smem + j * d->st_lines
             : wr_duet_registers_move(d) ? reg + d->shape.lines
                                         : p->item[own_smem + d->warps + j].addr;
    }
    if (j == 0 && !take_tb(u, p->tb, smem, p->extra && tbs)) {
        undo_launch(u);
        u->launch_blocked = true; /* until something ends */
        return false;
    }
    if (j == 0) {
        u->tct_in.op = WR_TB_CONTEXT_INSERT;
        u->tct_in.id = p->tb;
        u->tct_in.mask = p->extra ? (uint32_t)((UINT64_C(1) << d->warps) - 1) : 0;
        u->tct_in.addr = (uint16_t)smem;
    }
    insert_warp(u, j, reg, at);
    for (uint32_t r = 0; !(p->extra && wr_duet_registers_move(d)) && r < d->regs; r++) {
        wr_duet_fill(wr_duet_line(u, reg + r), WR_DUET_LAUNCH_POISON);
    }
    wr_duet_first_meta(u, p->tb, j, &meta);
    if (p->extra) {
        wr_duet_put_meta(u, at, &meta);
        if (!tbs) {
            wr_duet_add(&u->wake, p->tb * d->warps + j);
        }
    } else {
        u->owner[p->slot[j]] = (uint8_t)(p->tb * d->warps + j);
        wr_duet_enter(u, p->tb * d->warps + j, p->slot[j], reg, &meta);
    }
    if (++p->inserted == d->warps) {
        end_launch(u);
    }
    return true;
}

/* Booking */

static void plan_booking(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;

    u->placing = (wr_duet_placing){0};
    for (uint32_t i = 0; i < u->me_out.mc; i++) {
        add_item(u, WR_DUET_IN_SHARED, WR_DUET_IN_SHARED, d->smem);
        add_item(u, WR_DUET_IN_REGISTERS, WR_DUET_IN_REGISTERS, d->warps * d->regs);
    }
}

/* The TB's items: its shared memory, if it has any, and its registers. */
static const wr_duet_run *booked(const wr_duet_unit *u, uint32_t tb)
{
    return &u->placing.item[tb * (1u + (u->duet->smem != 0))];
}

/* None has finished and only awaits its stores: it holds its slot, but is none to be booked. */
static bool none_leaves(const wr_duet_unit *u)
{
    uint32_t tbs = 0;

    for (uint32_t i = 0; i < u->me_out.mc; i++) {
        tbs += wr_sm_tb(u->sm, i).valid;
    }
    return u->me_launches == 0 && u->me_leaves == 0 && tbs == u->me_out.tbs;
}

static void locate(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    u->ended = 0;
    wr_tb_where where[WR_CONFIG_MAX_TBS] = {{0}};

    for (uint32_t i = 0; i < u->me_out.mc; i++) {
        const wr_duet_run *r = booked(u, i);
        bool here = wr_sm_tb(u->sm, i).valid;

        where[i].shared = d->smem != 0 ? ((uint32_t)r->addr - d->rf_lines) * WR_DUET_LINE : 0;
        where[i].row = r[d->smem != 0].addr;
        u->tbs_here |= here ? UINT32_C(1) << i : 0;
        u->tb_finished[i] = 0;
        for (uint32_t j = 0; here && j < d->warps; j++) {
            uint32_t warp = i * d->warps + j;
            uint32_t slot = wr_sm_tb_warp(u->sm, i, j);

            u->owner[slot] = (uint8_t)warp;
            u->slots_free &= ~(UINT64_C(1) << slot);
            u->identity[warp] = (uint8_t)wr_sm_tb_id(u->sm, i, j);
            u->warp_of[u->identity[warp]] = (uint8_t)warp;
            u->flying[warp] = 0;
            u->ended |= wr_sm_warp(u->sm, slot).done ? UINT64_C(1) << slot : 0;
        }
    }
    if (!wr_sm_tbs_locate(u->sm, where, WR_DUET_POISON)) {
        wr_duet_abort(u, "duet: no memory to move an SM's storage");
    }
}

static uint32_t slot_of(const wr_duet_unit *u, uint32_t warp)
{
    uint32_t slot = 0;

    while (slot < WR_DUET_SLOTS && u->owner[slot] != warp) {
        slot++;
    }
    return slot;
}

/* The next warp of a TB that was on the SM when it was located; true: there was one. */
static bool book_one(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    wr_duet_placing *p = &u->placing;

    for (; p->inserted < u->me_out.mc * d->warps; p->inserted++) {
        uint32_t i = p->inserted / d->warps;
        uint32_t j = p->inserted % d->warps;
        const wr_duet_run *r = booked(u, i);

        if ((u->tbs_here >> i & 1) == 0) {
            for (uint32_t k = 0; j == 0 && k < 1u + (d->smem != 0); k++) {
                wr_duet_give_room(u, r[k].addr, r[k].count);
            }
            continue;
        }
        p->tb = (uint8_t)i;
        if (j == 0) {
            u->tct_in.op = WR_TB_CONTEXT_INSERT;
            u->tct_in.id = p->tb;
            u->tct_in.addr = d->smem != 0 ? r->addr : WR_DUET_NONE;
        }
        insert_warp(u, j, r[d->smem != 0].addr + j * d->regs,
                    WR_CSL_META_SLOT + slot_of(u, i * d->warps + j));
        p->inserted++;
        return true;
    }
    return false;
}

void wr_duet_book(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    wr_duet_placing *p = &u->placing;

    if (u->phase != WR_DUET_BOOK || (p->items != 0 && p->got < p->items)) {
        return;
    }
    if (p->items == 0) {
        plan_booking(u);
    } else if (!p->located && !none_leaves(u)) {
        return;
    } else if (!p->located) {
        p->located = true;
        locate(u);
    } else if (!book_one(u)) {
        u->csl_in.cfg = true;
        u->csl_in.limits = d->limits;
        u->csl_in.warps = (uint8_t)d->warps;
        u->csl_in.lines = (uint16_t)wr_duet_body(d);
        u->csl_in.full = (uint16_t)d->regs;
        u->csl_in.use_l1 = u->use_l1;
        u->placing = (wr_duet_placing){0};
        u->phase = WR_DUET_RUN;
    }
}

/* Ends */

static bool is_queued(const wr_duet_unit *u, uint32_t tb)
{
    bool queued = (u->tb_queued >> tb & 1) != 0;

    for (uint32_t j = 0; j < u->duet->warps; j++) {
        queued = queued || wr_duet_has(&u->queued, tb * u->duet->warps + j);
    }
    return queued;
}

/* The next TB takes the place of one that has ended and was whole: its entries stay. One entry is
 * looked at in a cycle. */
typedef enum handing { HANDS_NOT, HANDS_ON, HANDED } handing;

static handing hand_over(wr_duet_unit *u, uint32_t t)
{
    const wr_duet *d = u->duet;
    wr_duet_meta meta;
    bool allowed = u->me_out.tbs <= u->me_out.mc + u->me_out.me &&
                   u->me_out.tbs <= u->me_out.mc + d->most_extra;

    u->checked = u->handing == t ? u->checked : 0;
    u->handing = t;
    if (u->placing.on || !allowed || u->me_launches != 0 || u->me_leaves != 0 ||
        d->launch == NULL || wr_gpu_tbs_waiting(d->gpu, d->stream) == 0) {
        u->checked = 0;
        return HANDS_NOT;
    }
    if (u->checked < d->warps) {
        wr_duet_look(u, t * d->warps + u->checked);
        bool stays = u->wct_out.look_valid && u->wct_out.look_present &&
                     u->wct_out.look_state == WR_WARP_RUNNING;
        u->checked = stays ? u->checked + 1 : 0;
        return stays ? HANDS_ON : HANDS_NOT;
    }
    u->checked = 0;
    wr_duet_look_tb(u, t);
    if (!u->tct_out.look_present || !take_tb(u, t, u->tct_out.look_addr, false)) {
        return HANDS_NOT;
    }
    for (uint32_t j = 0; j < d->warps; j++) {
        uint32_t warp = t * d->warps + j;

        wr_duet_look(u, warp);
        uint32_t slot = (uint32_t)u->wct_out.look_meta_addr - WR_CSL_META_SLOT;
        uint32_t row = u->wct_out.look_reg_addr;
        for (uint32_t r = 0; r < d->regs; r++) {
            wr_duet_fill(wr_duet_line(u, row + r), WR_DUET_LAUNCH_POISON);
        }
        wr_duet_forget_slot(u, slot);
        u->owner[slot] = (uint8_t)warp;
        wr_duet_first_meta(u, t, j, &meta);
        wr_duet_enter(u, warp, slot, row, &meta);
    }
    u->tbs_ended &= ~(UINT64_C(1) << t);
    u->me_leaves++;
    u->me_launches++;
    u->counts.handed++;
    return HANDED;
}

bool wr_duet_clear_one(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;

    if (u->phase != WR_DUET_RUN) {
        return false;
    }
    for (uint64_t left = u->tbs_ended; left != 0; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);

        if (is_queued(u, t)) {
            u->checked = 0;
            continue;
        }
        if (u->clearing != t && hand_over(u, t) != HANDS_NOT) {
            return true;
        }
        u->clearing = t;
        for (uint32_t j = 0; j < d->warps; j++) {
            wr_duet_look(u, t * d->warps + j);
            if (u->wct_out.look_valid) {
                wr_duet_vacate(u, t * d->warps + j);
                return true;
            }
        }
        wr_duet_look_tb(u, t);
        wr_duet_give_room(u, u->tct_out.look_addr, d->smem);
        for (uint32_t i = 0; i < d->smem; i++) {
            wr_duet_fill(wr_duet_line(u, u->tct_out.look_addr + i), WR_DUET_POISON);
        }
        u->tct_in.op = WR_TB_CONTEXT_REMOVE;
        u->tct_in.id = (uint8_t)t;
        u->tbs_ended &= ~(left & -left);
        u->tbs_here &= ~(UINT32_C(1) << t);
        u->clearing = WR_DUET_TBS;
        u->me_leaves++;
        return true;
    }
    return false;
}

/* The bitmap: requests of the unit, and of the switch logic, which goes first. */

static void take_answer(wr_duet_unit *u)
{
    wr_duet_placing *p = &u->placing;

    u->map_busy = false;
    u->map_in.valid = false;
    if (u->map_in.op == WR_ONCHIP_BITMAP_FREE && !u->map_out.found) {
        wr_duet_abort(u, "duet: lines are given back that the bitmap says are free");
    }
    if (u->map_in.op == WR_ONCHIP_BITMAP_FREE) {
        u->launch_blocked = u->native_blocked = u->in_blocked = false;
    }
    if (!u->map_ours) {
        u->csl_in.mem_ack = true;
        u->csl_in.mem_found = u->map_out.found;
        u->csl_in.mem_addr = u->map_out.addr;
        u->in_blocked = u->in_blocked || (u->csl_out.op == WR_CSL_IN &&
                                          u->csl_out.state == WR_CSL_ALLOC && !u->map_out.found);
    } else if (u->map_in.op == WR_ONCHIP_BITMAP_FREE) {
        memmove(u->room, u->room + 1, --u->rooms * sizeof u->room[0]);
    } else if (u->map_out.found) {
        p->item[p->got++].addr = u->map_out.addr;
    } else if (u->phase == WR_DUET_BOOK) {
        wr_duet_abort(u, "duet: TBs are on the SM that its lines can't hold");
    } else if (p->item[p->got].region != p->item[p->got].other) {
        p->item[p->got].region = p->item[p->got].other;
    } else {
        undo_launch(u);
    }
}

void wr_duet_answer_map(wr_duet_unit *u)
{
    const wr_context_switch_logic_out *o = &u->csl_out;
    const wr_duet_placing *p = &u->placing;
    bool wants = p->items != 0 && p->got < p->items;

    if (u->map_busy) {
        if (u->map_out.done) {
            take_answer(u);
        }
        return;
    }
    u->map_ours = !o->mem_req;
    if (o->mem_req) {
        u->map_in = (wr_onchip_bitmap_in){.valid = true,
                                          .op = o->mem_free,
                                          .region = o->mem_region,
                                          .count = o->mem_count,
                                          .addr = o->mem_addr};
    } else if (u->rooms != 0) {
        u->map_in = (wr_onchip_bitmap_in){.valid = true,
                                          .op = WR_ONCHIP_BITMAP_FREE,
                                          .count = u->room[0].count,
                                          .addr = u->room[0].addr};
    } else if (wants && (p->on || u->phase == WR_DUET_BOOK)) {
        u->map_in = (wr_onchip_bitmap_in){.valid = true,
                                          .op = WR_ONCHIP_BITMAP_ALLOC,
                                          .region = p->item[p->got].region,
                                          .count = p->item[p->got].count};
    }
    u->map_busy = u->map_in.valid;
}
