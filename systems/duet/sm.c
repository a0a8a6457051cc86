/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of an SM's unit: what the machine tells it, and what of its outputs goes where.
 *
 * Outputs that need an answer (place, ask, extra) do not depend on it: the unit is asked once with
 * none, and where one is due once more with it.
 */
#include "systems/duet/state.h"

#include <stdio.h>
#include <string.h>

enum {
    LIVELY = 4,       /* cycles that a unit goes on behind an event, beside one for each TB */
    BEHIND_START = 2, /* cycles behind a start, from which on it takes placed TBs */
};

void wr_duet_abort(wr_duet_sm *u, const char *what)
{
    if (!u->duet->failed) {
        u->duet->failed = true;
        wr_gpu_abort(u->duet->gpu, wr_bay_fail(u->duet->bay, u->bay_unit, what));
    }
}

static const char *const shown[] = {"none", "running", "waits", "stalled", "absent", "ready"};
enum { SHOWN_NONE, SHOWN_RUNNING, SHOWN_WAITS };

/* At creation: a signal for each warp of the tables. */
static void add_signals(wr_duet_sm *u)
{
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        char name[16];

        (void)snprintf(name, sizeof name, "warp%03u", w);
        u->signal[w] = wr_bay_add_signal(u->duet->bay, u->bay_unit, name, 3, shown,
                                         sizeof shown / sizeof shown[0]);
    }
}

bool wr_duet_sm_open(wr_duet_sm *u, const wr_gpu_config *c, char *err, size_t err_size)
{
    const wr_duet *d = u->duet;
    const wr_gpuduet_cfg block = {.reg_units = d->rf_lines,
                                  .smem_units = d->smem_lines,
                                  .l1_units = d->l1_lines,
                                  .warps = WR_DUET_WARPS,
                                  .tbs = c->sm.max_tbs,
                                  .slots = c->sm.max_warps,
                                  .st_lines = d->st_lines,
                                  .regs = WR_DUET_REGISTER_LINES};

    if (!wr_gpuduet_port_open_behind(&u->block, wr_bay_behind(d->bay), &block, err, err_size)) {
        return false;
    }
    u->opened = true;
    wr_gpuduet_port_reset(&u->block);
    wr_bay_add_port(d->bay, u->bay_unit, &u->block.port, &u->out);
    add_signals(u);
    wr_gpuduet_port_eval(&u->block, &u->in, &u->out);
    memset(u->owner, WR_DUET_NONE, sizeof u->owner);
    memset(u->slot, WR_DUET_NONE, sizeof u->slot);
    u->leaving = WR_DUET_NONE;
    return true;
}

void wr_duet_sm_close(wr_duet_sm *u)
{
    if (u->opened) {
        wr_port_close(&u->block.port);
        u->opened = false;
    }
}

void wr_duet_sm_start(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    uint32_t meta = d->warps * d->st_lines;

    u->in = (wr_gpuduet_in){.limits = d->limits,
                            .warps = (uint8_t)d->warps,
                            .regs = (uint16_t)d->regs,
                            .lines = (uint16_t)wr_duet_body(d),
                            .tb_regs = (uint16_t)(d->warps * d->regs),
                            .tb_reduced = (uint16_t)(d->warps * d->shape.lines),
                            .smem = (uint16_t)d->smem,
                            .meta = (uint8_t)(meta < 127 ? meta : 127), /* 7 bits */
                            .most = (uint8_t)(d->off ? 0 : d->most_extra),
                            .group = wr_duet_group(&d->shape),
                            .half = d->port_bytes < WR_DUET_LINE};
    u->starts = true;
    u->behind_start = 0;
    u->placed_count = 0;
    u->tbs_ended = 0;
    u->wait_memory = u->wait_barrier = u->woken = u->ended = u->done = u->clear = 0;
    u->lively = LIVELY;
}

bool wr_duet_sm_native(const wr_duet_sm *u)
{
    return u->out.state == WR_DUET_UNIT_NATIVE && !u->handing;
}

/* Nobody of the TB in a slot goes on. */
static bool tb_waits(const wr_duet_sm *u, uint32_t tb)
{
    uint64_t still = u->wait_memory | u->wait_barrier | u->ended | u->done;
    bool waits = true;

    for (uint32_t w = tb * u->duet->warps; w < (tb + 1) * u->duet->warps; w++) {
        waits = waits && (u->slot[w] == WR_DUET_NONE || (still >> u->slot[w] & 1) != 0);
    }
    return waits;
}

/* Nobody of the TB that is absent awaits a load. */
static bool tb_has_loads(const wr_duet_sm *u, uint32_t tb)
{
    bool has = true;

    for (uint32_t w = tb * u->duet->warps; w < (tb + 1) * u->duet->warps; w++) {
        has = has && (!wr_duet_has(&u->away, w) || u->flying[w] == 0);
    }
    return has;
}

/* GPUDuet_TB: a warp waits when all of its TB does, and is free when no load of it is due. */
static void tell_together(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    uint64_t slots = 0;

    for (uint32_t t = 0; (t + 1) * d->warps <= WR_DUET_WARPS && t < WR_DUET_TBS; t++) {
        bool waits = tb_waits(u, t);
        bool has_loads = tb_has_loads(u, t);

        for (uint32_t w = t * d->warps; w < (t + 1) * d->warps; w++) {
            slots |= waits && u->slot[w] != WR_DUET_NONE ? UINT64_C(1) << u->slot[w] : 0;
            wr_duet_set_free(u, w);
            u->in.free[w] = u->in.free[w] && has_loads;
        }
    }
    u->in.memory &= slots;
    u->in.barrier &= slots;
}

/* Finished warps leave the shell's slots as soon as they can; the unit's they keep till it says. */
static void retire_some(wr_duet_sm *u)
{
    for (uint64_t left = u->ended; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t warp = u->owner[slot];

        if (warp == WR_DUET_NONE) {
            u->ended &= ~(left & -left); /* its TB has ended */
        } else if (wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON)) {
            u->ended &= ~(left & -left);
            u->done |= left & -left;
            wr_duet_add(&u->finished, warp);
        }
    }
}

/* Of what a warp waits for nothing is on its way but loads that the compiler keeps room for: one
 * from shared memory comes soon.
 */
static bool is_clear(const wr_duet_sm *u, uint32_t slot)
{
    const wr_switch_point *point = wr_duet_point(&u->duet->shape, wr_sm_warp(u->sm, slot).pc);
    const uint32_t id = u->identity[u->owner[slot]];

    return wr_sm_warp_clear(u->sm, slot) && point != NULL &&
           (wr_sm_warp_pending(u->sm, id) & ~point->awaited) == 0;
}

/* Once a warp that waits is clear it stays so until it goes on. */
static void look_who_is_clear(wr_duet_sm *u)
{
    const uint64_t waits = (u->wait_memory | u->wait_barrier) & u->taken;

    for (uint64_t left = waits & ~u->clear; left != 0; left &= left - 1) {
        if (is_clear(u, (uint32_t)__builtin_ctzll(left))) {
            u->clear |= left & -left;
        }
    }
}

static void tell_warps(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    wr_gpuduet_in *in = &u->in;

    retire_some(u);
    look_who_is_clear(u);
    in->memory = u->wait_memory;
    in->barrier = d->barriers_stay ? 0 : u->wait_barrier;
    in->clear = u->clear;
    in->done = u->done;
    in->woken = u->woken;
    u->woken = 0;
    if (d->together) {
        tell_together(u);
    }
}

/* The oldest TB that the dispatcher has placed and the unit does not know. */
static void tell_tbs(wr_duet_sm *u)
{
    wr_gpuduet_in *in = &u->in;

    in->start = u->starts;
    in->waiting = u->duet->launch != NULL && wr_gpu_tbs_waiting(u->duet->gpu, u->duet->stream) != 0;
    in->ended = u->tbs_ended;
    u->tbs_ended = 0;
    in->placed = u->placed_count != 0 && !u->starts && u->behind_start >= BEHIND_START;
    in->placed_tb = in->placed ? u->placed[0] : 0;
    if (in->placed) {
        memmove(u->placed, u->placed + 1, --u->placed_count);
    }
    u->behind_start += u->behind_start < BEHIND_START;
    u->starts = false;
}

/* All TBs that the SM has are counted, and none of them only awaits its stores. */
static bool may_hand_over(const wr_duet_sm *u)
{
    uint32_t tbs = 0;

    for (uint32_t i = 0; i < u->out.mc; i++) {
        tbs += wr_sm_tb(u->sm, i).valid;
    }
    return tbs == u->out.tbs && u->placed_count == 0 && u->in.ended == 0 &&
           (!u->out.bypass || wr_sm_l1_empty(u->sm));
}

/* The SM is closed once extra TBs are allowed. */
static void prepare(wr_duet_sm *u)
{
    wr_duet *d = u->duet;

    u->handing = true;
    wr_sm_close(u->sm, d->owner, WR_ALL_STREAMS);
    if (u->out.bypass) {
        wr_sm_l1_off(u->sm, true);
        d->bypassed++;
    }
}

/* The grid has no TB left; the next launch opens the SM. */
static void take_back(wr_duet_sm *u)
{
    if (u->taken != 0) {
        wr_duet_abort(u, "duet: of no TB is anything left, but of warp slots some are taken");
    }
    u->handing = false;
    u->lively = LIVELY;
    if (u->out.bypass) {
        wr_sm_l1_off(u->sm, false);
    }
}

static void answer(wr_duet_sm *u)
{
    wr_gpuduet_in *in = &u->in;

    in->place_ok = in->book = false;
    in->ask_slot = 0;
    wr_gpuduet_port_eval(&u->block, in, &u->out);
    if (u->out.place) {
        in->place_ok = wr_duet_place(u);
    } else if (u->out.ask) {
        in->ask_slot = u->slot[u->out.warp];
    } else if (u->out.extra && !u->handing) {
        prepare(u);
    } else if (u->out.extra && may_hand_over(u)) {
        in->book = true;
        wr_duet_hand_over(u);
    }
    if (in->place_ok || u->out.ask || in->book) {
        wr_gpuduet_port_eval(&u->block, in, &u->out);
    }
    in->kinds_ack = u->out.kinds;
    if (u->out.kinds) {
        wr_duet_kinds(&u->duet->shape, u->out.kinds_point, &in->kind_low, &in->kind_high);
    }
    if (u->out.read) {
        memcpy(&in->head, wr_duet_line(u, u->out.read_line), sizeof in->head);
    }
}

static void hold(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const uint64_t slots = u->out.hold & u->taken;

    if (slots != u->held) {
        wr_sm_hold(u->sm, d->owner, slots);
        u->held = slots;
    }
    if (slots != 0 && u->out.op == WR_CSL_NONE && !wr_duet_whole_tbs(d)) {
        wr_warp_info info = wr_sm_warp(u->sm, (uint32_t)__builtin_ctzll(slots));
        const wr_switch_point *point = wr_duet_point(&d->shape, info.pc);

        u->held_at = point != NULL ? (uint32_t)(point - d->shape.reduced->points) + 1 : 0;
    }
}

/* Of a warp that runs the machine says whether it waits, or has finished and keeps its place. */
static void show_warps(wr_duet_sm *u)
{
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        uint32_t what = u->entry[w] == 0 ? SHOWN_NONE : SHOWN_WAITS + u->entry[w] - 1u;

        if (what == SHOWN_WAITS && u->slot[w] != WR_DUET_NONE) {
            uint64_t slot = UINT64_C(1) << u->slot[w];

            what = ((u->ended | u->done) & slot) != 0                 ? SHOWN_NONE
                   : ((u->wait_memory | u->wait_barrier) & slot) != 0 ? SHOWN_WAITS
                                                                      : SHOWN_RUNNING;
        }
        wr_bay_set(u->duet->bay, u->signal[w], what);
    }
}

static void note_entry(wr_duet_sm *u)
{
    if (u->out.entry_op == WR_WARP_CONTEXT_REMOVE) {
        u->entry[u->out.entry_id] = 0;
    } else if (u->out.entry_op != WR_WARP_CONTEXT_NONE) {
        u->entry[u->out.entry_id] = (uint8_t)(1 + u->out.entry_state);
    }
    if (u->out.entry_op == WR_WARP_CONTEXT_UPDATE && u->out.entry_state == WR_WARP_ABSENT) {
        wr_duet_absent(u, u->out.entry_id);
    }
}

static void check_unit(wr_duet_sm *u)
{
    char text[512];

    if (wr_bay_check(u->duet->bay, u->bay_unit, text, sizeof text)) {
        wr_duet_abort(u, text);
    } else if (u->out.fault) {
        wr_duet_abort(u, "duet: the block reports a protocol fault");
    }
}

/* While the dispatcher places TBs: ME is told of one a cycle, once its search is over. */
static void go_on(wr_duet_sm *u)
{
    const uint32_t events = (uint32_t)__builtin_popcount(u->in.ended) + u->in.placed;

    if (events != 0 || u->in.start || u->in.valid) {
        u->lively += u->lively < LIVELY ? LIVELY + events : events;
    } else if (!u->out.searching && u->lively != 0) {
        u->lively--;
    }
}

/* A cycle of the block. */
static void cycle(wr_duet_sm *u)
{
    const uint8_t op = u->out.op;
    const uint8_t state = u->out.state;

    wr_duet_reply_offer(u);
    tell_tbs(u);
    if (u->out.state != WR_DUET_UNIT_NATIVE) {
        tell_warps(u);
    }
    u->in.point = u->held_at;
    answer(u);
    u->counts.ops[u->out.op] += op == WR_CSL_NONE && u->out.op != WR_CSL_NONE;
    u->counts.resident_most =
        u->out.tbs > u->counts.resident_most ? u->out.tbs : u->counts.resident_most;
    wr_duet_move(u);
    wr_duet_reply_write(u);
    hold(u); /* before anybody enters a slot that one has left */
    wr_duet_come_and_go(u);
    note_entry(u);
    wr_gpuduet_port_tick(&u->block, &u->in);
    wr_duet_read(u);
    if ((state == WR_DUET_UNIT_RUN && u->out.state == WR_DUET_UNIT_NATIVE) ||
        (u->handing && u->out.state == WR_DUET_UNIT_NATIVE && !u->in.waiting)) {
        take_back(u);
    }
    go_on(u);
}

void wr_duet_sm_cycle(wr_duet_sm *u, bool verdict)
{
    wr_duet *d = u->duet;

    if (wr_bay_begin(d->bay, u->bay_unit, wr_gpu_cycle(d->gpu))) {
        show_warps(u);
    }
    u->in.valid = verdict || (!d->watches && u->starts);
    u->in.verdict = d->watches ? d->watch.out.verdict : (uint8_t)WR_DUET_UNDER;
    u->in.l1_idle = d->gives_l1 && (!d->watches || d->watch.out.l1_idle);
    cycle(u);
    u->counts.move_cycles += u->out.move;
    if (d->port_bytes > WR_DUET_LINE) { /* the block's clock is the port's */
        u->in.valid = false;
        cycle(u);
    }
    (void)wr_bay_end(d->bay, u->bay_unit);
    check_unit(u);
}

bool wr_duet_sm_active(const wr_duet_sm *u)
{
    return u->lively != 0 || u->placed_count != 0 || u->tbs_ended != 0 || u->out.searching ||
           u->out.extra || !wr_duet_sm_native(u);
}
