/* SPDX-License-Identifier: Apache-2.0 */
/* Stalls, wake-ups and ends of warps become states of the tables and entries of the queues.
 *
 *   a warp waits, and somebody is ready for its place   running -> stalled; level warp: queued
 *   an absent warp has its loads, or its barrier opens  absent -> ready; level warp: queued
 *   a warp ends                                         level warp: slot and registers are free
 *   all warps of a TB are stalled, or able to go on     level TB: the TB is queued
 *
 * A warp is marked stalled only while somebody is ready, nothing of it is in the pipeline, and, at
 * level warp, the switch logic is free: else it would go back to running when its turn comes (Lin-D
 * 3.6.5: the condition for switching out is not met). Its stall may end while it is queued; the
 * switch logic is told.
 *
 * At level warp those that wait for memory leave first. One at a barrier leaves only where a warp
 * of its TB is absent: a barrier whose warps are all in their slots opens by itself, so where
 * nobody in a slot can go on, one may leave. Of absent warps that can go on those of the oldest TB
 * come first. With `switch=tb` (GPUDuet_TB, 3.7.2) a warp leaves where all of its TB waits, and
 * comes back where no warp of its TB awaits a load.
 */
#include "systems/duet/state.h"

static bool has_finished(const wr_duet_unit *u, uint32_t warp)
{
    const wr_duet *d = u->duet;

    return (u->tb_finished[warp / d->warps] >> warp % d->warps & 1) != 0;
}

static bool any_away(const wr_duet_unit *u, uint32_t tb)
{
    return wr_duet_any_of(&u->away, tb * u->duet->warps, u->duet->warps);
}

/* Nobody of the TB in a slot goes on. */
static bool tb_waits(const wr_duet_unit *u, uint32_t tb)
{
    uint64_t still = u->wait_memory | u->wait_barrier | u->ended | u->kept;
    bool waits = true;

    for (uint32_t s = 0; s < WR_DUET_SLOTS; s++) {
        bool its = u->owner[s] != WR_DUET_WARPS && u->owner[s] / u->duet->warps == tb;

        waits = waits && (!its || (still >> s & 1) != 0);
    }
    return waits;
}

/* Nobody of the TB that is absent awaits a load. */
static bool tb_has_loads(const wr_duet_unit *u, uint32_t tb)
{
    bool has = true;

    for (uint32_t w = tb * u->duet->warps; w < (tb + 1) * u->duet->warps; w++) {
        has = has && (!wr_duet_has(&u->away, w) || u->flying[w] == 0);
    }
    return has;
}

/* Slots whose warps wait at a barrier in a way that a switch can hide. */
static uint64_t waiting_at_barriers(const wr_duet_unit *u)
{
    uint64_t slots = u->duet->barriers_stay ? 0 : u->wait_barrier;

    if (wr_duet_whole_tbs(u->duet) || u->duet->together) {
        return slots;
    }
    for (uint64_t left = slots; left != 0; left &= left - 1) {
        uint32_t warp = u->owner[__builtin_ctzll(left)];

        slots &= warp != WR_DUET_WARPS && any_away(u, warp / u->duet->warps) ? UINT64_MAX
                                                                             : ~(left & -left);
    }
    return slots;
}

static uint64_t waiting(const wr_duet_unit *u)
{
    return u->wait_memory | waiting_at_barriers(u);
}

/* Where whole TBs move a finished warp keeps its place, as one that waits at a barrier. */
static uint64_t finished_slots(const wr_duet_unit *u)
{
    uint64_t slots = 0;

    for (uint32_t s = 0; wr_duet_whole_tbs(u->duet) && s < WR_DUET_SLOTS; s++) {
        uint32_t warp = u->owner[s];

        slots |= warp != WR_DUET_WARPS && has_finished(u, warp) ? UINT64_C(1) << s : 0;
    }
    return slots;
}

uint64_t wr_duet_unit_slots(const wr_duet_unit *u, uint32_t unit)
{
    const wr_duet *d = u->duet;
    uint32_t warps = wr_duet_whole_tbs(d) ? d->warps : 1;
    uint64_t slots = 0;

    for (uint32_t s = 0; s < WR_DUET_SLOTS; s++) {
        slots |= u->owner[s] / warps == unit && u->owner[s] != WR_DUET_WARPS &&
                         !has_finished(u, u->owner[s])
                     ? UINT64_C(1) << s
                     : 0;
    }
    return slots;
}

/* The warp in this slot, which is held, could leave now. */
static bool slot_may_leave(wr_duet_unit *u, uint32_t slot)
{
    const wr_duet *d = u->duet;
    wr_warp_info info = wr_sm_warp(u->sm, slot);
    const wr_switch_point *point = wr_duet_point(&d->shape, info.pc);

    u->held_at = point != NULL ? (uint32_t)(point - d->shape.reduced->points) + 1 : 0;
    return (waiting(u) >> slot & 1) != 0 && !(wr_duet_whole_tbs(d) && (u->woke >> slot & 1) != 0) &&
           info.depth <= wr_duet_deepest(d->st_lines) && point != NULL &&
           wr_sm_warp_may_leave(u->sm, slot);
}

bool wr_duet_may_leave(wr_duet_unit *u, uint32_t unit)
{
    uint64_t slots = wr_duet_unit_slots(u, unit);
    bool may = slots != 0;

    for (; may && slots != 0; slots &= slots - 1) {
        may = slot_may_leave(u, (uint32_t)__builtin_ctzll(slots));
    }
    return may;
}

static bool somebody_is_ready(const wr_duet_unit *u)
{
    return wr_duet_whole_tbs(u->duet) ? u->queues_out.tb_valid[1] : u->queues_out.warp_valid[1];
}

/* Level warp: one is on its way out already. A warp that queues behind others for long would have
 * gone on when its turn comes. */
static bool is_engaged(const wr_duet_unit *u)
{
    return !wr_duet_whole_tbs(u->duet) &&
           (u->queues_out.warp_valid[0] || u->csl_out.op != WR_CSL_NONE);
}

uint64_t wr_duet_candidates(const wr_duet_unit *u)
{
    uint64_t slots = 0;

    if (u->phase != WR_DUET_RUN || !somebody_is_ready(u) || is_engaged(u)) {
        return 0;
    }
    for (uint64_t left = waiting(u) | finished_slots(u); left != 0; left &= left - 1) {
        uint32_t s = (uint32_t)__builtin_ctzll(left);
        uint32_t warp = u->owner[s];

        slots |= warp != WR_DUET_WARPS && !wr_duet_has(&u->queued, warp) &&
                         !wr_duet_has(&u->marked, warp) && wr_sm_warp_clear(u->sm, s) &&
                         (!u->duet->together || tb_waits(u, warp / u->duet->warps))
                     ? left & -left
                     : 0;
    }
    return slots;
}

static void update(wr_duet_unit *u, uint32_t warp, wr_warp_state state, bool barrier)
{
    u->wct_in.op = WR_WARP_CONTEXT_UPDATE;
    u->wct_in.id = (uint8_t)warp;
    u->wct_in.fields = WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_BARRIER;
    u->wct_in.state = (uint8_t)state;
    u->wct_in.barrier = barrier;
}

static void push(wr_duet_unit *u, uint32_t queue, uint32_t warp)
{
    u->queues_in.warp_push[queue] = true;
    u->queues_in.warp_push_id[queue] = (uint8_t)warp;
    wr_duet_add(&u->queued, warp);
}

/* The warp of the set that may be queued and is of the oldest TB; WR_DUET_WARPS: there is none. */
static uint32_t oldest_of(const wr_duet_unit *u, const wr_duet_set *s)
{
    uint32_t found = WR_DUET_WARPS;
    uint32_t found_at = UINT32_MAX;

    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t left = s->bits[half]; left != 0; left &= left - 1) {
            uint32_t warp = half * 64 + (uint32_t)__builtin_ctzll(left);
            uint32_t tb = warp / u->duet->warps;
            uint32_t at = wr_sm_tb(u->sm, tb).linear;

            at = u->duet->together && !tb_has_loads(u, tb) ? UINT32_MAX : at;
            found = at < found_at ? warp : found;
            found_at = at < found_at ? at : found_at;
        }
    }
    return found;
}

/* True: the tables have a command. */
static bool serve_wake(wr_duet_unit *u)
{
    bool tbs = wr_duet_whole_tbs(u->duet);
    uint32_t warp = oldest_of(u, &u->wake);

    if (warp == WR_DUET_WARPS || (!tbs && !u->queues_out.warp_space[1])) {
        return false;
    }
    wr_duet_look(u, warp);
    bool absent = u->wct_out.look_state == WR_WARP_ABSENT;
    if (!u->wct_out.look_valid || (!absent && u->wct_out.look_state != WR_WARP_READY)) {
        if (!wr_duet_has(&u->away, warp)) { /* it came back with its TB */
            wr_duet_drop(&u->wake, warp);
        }
        return false; /* else the tables do not say yet that it has left */
    }
    wr_duet_drop(&u->wake, warp);
    if (absent) {
        update(u, warp, WR_WARP_READY, false);
    }
    if (!tbs) {
        push(u, 1, warp);
    }
    u->tb_news |= UINT32_C(1) << warp / u->duet->warps;
    return absent;
}

static bool serve_stall(wr_duet_unit *u)
{
    bool tbs = wr_duet_whole_tbs(u->duet);
    uint64_t slots = wr_duet_candidates(u);

    if (slots == 0 || (!tbs && !u->queues_out.warp_space[0])) {
        return false;
    }
    slots = !tbs && (slots & u->wait_memory) != 0 ? slots & u->wait_memory : slots;
    uint64_t behind = u->scan < 64 ? slots & (UINT64_MAX << u->scan) : 0;
    uint32_t slot = (uint32_t)__builtin_ctzll(behind != 0 ? behind : slots);
    uint32_t warp = u->owner[slot];
    u->scan = slot + 1;
    wr_duet_look(u, warp);
    if (u->wct_out.look_state != WR_WARP_RUNNING) {
        return false;
    }
    update(u, warp, WR_WARP_STALLED, (u->wait_barrier >> slot & 1) != 0 || has_finished(u, warp));
    if (tbs) { /* its TB may wait long for the others: what it waits for may change */
        wr_duet_add(&u->marked, warp);
        u->woke &= ~(UINT64_C(1) << slot);
    } else {
        push(u, 0, warp);
    }
    return true;
}

/* Level TB: a warp that was marked and has gone on, in a TB that is not in the queue. */
static bool serve_restart(wr_duet_unit *u)
{
    uint64_t waits = (waiting(u) & ~u->woke) | finished_slots(u);

    for (uint32_t s = 0; wr_duet_any(&u->marked) && s < WR_DUET_SLOTS; s++) {
        uint32_t warp = u->owner[s];

        if (warp == WR_DUET_WARPS || !wr_duet_has(&u->marked, warp) || (waits >> s & 1) != 0 ||
            (u->tb_queued >> warp / u->duet->warps & 1) != 0) {
            continue;
        }
        wr_duet_drop(&u->marked, warp);
        wr_duet_look(u, warp);
        if (u->wct_out.look_state == WR_WARP_STALLED) {
            update(u, warp, WR_WARP_RUNNING, false);
            return true;
        }
    }
    return false;
}

/* While a warp is on its way out or in the table does not say so yet, or no more. */
static bool is_whole(wr_duet_unit *u, uint32_t tb)
{
    wr_duet_look_tb(u, tb);
    return !any_away(u, tb) && u->tct_out.look_mask == 0;
}

/* A finished warp keeps its place for the next TB, which gets all of it at once: where whole TBs
 * are switched, and else while no warp of its TB is absent. Where one is it gives its place back:
 * else finished ones could hold all room while every TB waits for an absent one. */
static bool serve_end(wr_duet_unit *u)
{
    wr_duet *d = u->duet;

    for (uint64_t left = u->ended; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t warp = u->owner[slot];
        uint32_t tb = warp / d->warps;

        if (warp == WR_DUET_WARPS || (u->tbs_ended >> tb & 1) != 0) {
            u->ended &= ~(left & -left); /* its TB's end says it */
            continue;
        }
        if (!wr_duet_whole_tbs(d) && is_whole(u, tb)) {
            u->ended &= ~(left & -left);
            u->kept |= left & -left;
            continue;
        }
        if (wr_duet_has(&u->queued, warp) ||
            !wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON)) {
            continue;
        }
        u->tb_finished[tb] |= UINT64_C(1) << warp % d->warps;
        u->ended &= ~(left & -left);
        if (wr_duet_whole_tbs(d)) {
            if (wr_duet_has(&u->marked, warp)) { /* as waiting for memory */
                u->wct_in.op = WR_WARP_CONTEXT_UPDATE;
                u->wct_in.id = (uint8_t)warp;
                u->wct_in.fields = WR_WARP_CONTEXT_FIELD_BARRIER;
                u->wct_in.barrier = true;
                return true;
            }
            continue;
        }
        wr_duet_vacate(u, warp);
        return true;
    }
    return false;
}

void wr_duet_forget_slot(wr_duet_unit *u, uint32_t slot)
{
    uint64_t others = ~(UINT64_C(1) << slot);

    u->owner[slot] = WR_DUET_WARPS;
    u->wait_memory &= others;
    u->wait_barrier &= others;
    u->ended &= others;
    u->kept &= others;
}

void wr_duet_vacate(wr_duet_unit *u, uint32_t warp)
{
    wr_duet *d = u->duet;

    wr_duet_look(u, warp);
    uint32_t slot = (uint32_t)u->wct_out.look_meta_addr - WR_CSL_META_SLOT;
    uint32_t row = u->wct_out.look_reg_addr;
    if (!u->wct_out.look_present) {
        wr_duet_abort(u, "duet: a warp has ended that the table says is not in its slot");
        return;
    }
    for (uint32_t r = 0; r < d->regs; r++) {
        wr_duet_fill(wr_duet_line(u, row + r), WR_DUET_POISON);
    }
    wr_duet_give_room(u, row, d->regs);
    u->slots_free |= UINT64_C(1) << slot;
    wr_duet_forget_slot(u, slot);
    wr_duet_drop(&u->marked, warp);
    u->wct_in.op = WR_WARP_CONTEXT_REMOVE;
    u->wct_in.id = (uint8_t)warp;
}

void wr_duet_scan(wr_duet_unit *u)
{
    if (u->phase != WR_DUET_RUN || serve_end(u) || serve_wake(u)) {
        return;
    }
    if (!wr_duet_whole_tbs(u->duet) || !serve_restart(u)) {
        (void)serve_stall(u);
    }
}

uint32_t wr_duet_tbs_to_judge(const wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    uint32_t tbs = 0;

    if (u->phase != WR_DUET_RUN || !wr_duet_whole_tbs(d)) {
        return 0;
    }
    for (uint32_t left = u->tbs_here & ~u->tb_queued & ~(uint32_t)u->tbs_ended; left != 0;
         left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(left);
        bool all_marked = true;

        for (uint32_t j = 0; j < d->warps; j++) {
            all_marked = all_marked && wr_duet_has(&u->marked, t * d->warps + j);
        }
        tbs |=
            (all_marked && somebody_is_ready(u)) || ((u->tb_news >> t & 1) != 0 && any_away(u, t))
                ? left & -left
                : 0;
    }
    return tbs;
}

/* One TB a cycle. */
void wr_duet_judge(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    uint32_t tbs = wr_duet_tbs_to_judge(u);

    if (tbs == 0 || u->wct_in.op != WR_WARP_CONTEXT_NONE) { /* a command changes the answer */
        return;
    }
    uint32_t behind = u->judge < 32 ? tbs & (UINT32_MAX << u->judge) : 0;
    uint32_t t = (uint32_t)__builtin_ctz(behind != 0 ? behind : tbs);
    u->judge = t + 1;
    u->wct_in.group_first = (uint8_t)(t * d->warps);
    u->wct_in.group_count = (uint8_t)d->warps;
    wr_warp_context_table_port_eval(&u->wct, &u->wct_in, &u->wct_out);
    const bool is[2] = {u->wct_out.group_stalled, u->wct_out.group_ready};
    u->tb_news &= ~(UINT32_C(1) << t); /* looked at again when something of it changes */
    for (uint32_t queue = 0; queue < 2; queue++) {
        if (is[queue] && u->queues_out.tb_space[queue]) {
            u->queues_in.tb_push[queue] = true;
            u->queues_in.tb_push_id[queue] = (uint8_t)t;
            u->tb_queued |= UINT32_C(1) << t;
            return;
        }
        if (is[queue]) {
            u->tb_news |= UINT32_C(1) << t;
        }
    }
}
