/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of stall_scanner: plays the machine, warp_slots, the queues, the switch logic, the
 * launcher and the tables.
 *
 * The block takes nearly anything of its neighbours, so what they do need not fit together: levels
 * of slots and warps change by a phase's densities, units that are pushed come to the heads of
 * short queues, switches take them in turn, slots are claimed and given, warps leave. A copy of the
 * model that gets the same inputs tells when an ack may come. Directed first: each command once, at
 * both levels.
 */
#include <string.h>

#include "testbench/duet/scanner_bins.h"

static const char *const fault_names[] = {
    [FAULT_WARPS_0] = "cfg with 0 warps",
    [FAULT_WARPS_ABOVE] = "cfg with more warps than TbWarps",
    [FAULT_LEVEL_3] = "cfg with level 3",
    [FAULT_BOOKED_OFF] = "booked at level off",
    [FAULT_BOOKED_AGAIN] = "booked again",
    [FAULT_TAB_ACK] = "tab_ack without a request",
    [FAULT_CLAIM_SLOT] = "claim of a slot past the last",
    [FAULT_CLAIM_ID] = "claim for a warp past the last",
    [FAULT_CLAIM_TB] = "claim for a warp of a TB past the last",
    [FAULT_GIVE] = "give past the last slot",
    [FAULT_AWAY] = "an absent warp past the last",
    [FAULT_ARRIVE] = "an arrival past the last warp",
    [FAULT_PLACED] = "a TB placed past the last",
};
_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

enum { DIRECTED = 96, WARP_IDS = 128, SLOT_NUMBERS = 64, TB_NUMBERS = 32 };

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Which faults there are: none past the end where no number is. */
static bool there_is(const state *s, uint32_t kind)
{
    switch (kind) {
    case FAULT_CLAIM_SLOT:
    case FAULT_GIVE:
        return s->cfg.slots < SLOT_NUMBERS;
    case FAULT_CLAIM_ID:
    case FAULT_AWAY:
    case FAULT_ARRIVE:
        return s->cfg.warps < WARP_IDS;
    case FAULT_CLAIM_TB:
        return s->cfg.warps > s->cfg.tbs;
    case FAULT_PLACED:
        return s->cfg.tbs < TB_NUMBERS;
    default:
        return true;
    }
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;

    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_stall_scanner_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    if (!there_is(s, s->faults.first)) {
        s->faults.first = FAULT_TAB_ACK;
    }
    s->step = with_directed ? 0 : DIRECTED;
    (void)wr_stall_scanner_init(&s->model, &s->cfg);
}

/* The kind of fault that this opportunity is used for. */
static uint32_t pick(state *s)
{
    const bool shown = s->model.fault_q;
    const uint32_t kind = wr_faults_pick(&s->faults, shown, shown ? 3 : 40, &s->rng);

    return there_is(s, kind) ? kind : FAULT_NONE;
}

/* TBs whose warps have entries. */
static uint32_t fitting(const state *s)
{
    const uint32_t n = s->model.warps_q;
    return n == 0 ? 1 : less(s->cfg.tbs, s->cfg.warps / n);
}

/* A TB of those that the traffic is about; now and then any. */
static uint32_t some_tb(state *s)
{
    const uint32_t fit = fitting(s);
    return fit == 0 ? 0
                    : wr_rng_below(&s->rng, wr_rng_chance(&s->rng, 90) ? less(s->tbs, fit) : fit);
}

static uint8_t some_warp(state *s)
{
    const uint32_t n = s->model.warps_q;
    uint32_t warp = wr_rng_below(&s->rng, s->cfg.warps);

    if (n != 0 && fitting(s) != 0) {
        warp = some_tb(s) * n + wr_rng_below(&s->rng, n);
    } else if (n != 0) { /* not even one fits: those there are are of TB 0 */
        warp = wr_rng_below(&s->rng, less(n, s->cfg.warps));
    }
    return (uint8_t)warp;
}

static uint64_t dense(wr_rng *r, uint32_t percent)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < 64 && percent != 0; i++) {
        word |= (uint64_t)wr_rng_chance(r, percent) << i;
    }
    return word;
}

static uint32_t density(wr_rng *r)
{
    static const uint32_t some[] = {0, 0, 2, 10, 40, 80, 98, 100};
    return some[wr_rng_below(r, 8)];
}

static void new_phase(state *s)
{
    wr_rng *r = &s->rng;
    densities *d = &s->part;

    s->phase = 20 + wr_rng_below(r, 200);
    d->memory = density(r);
    d->barrier = density(r);
    d->clear = wr_rng_chance(r, 60) ? 95 : density(r);
    d->done = wr_rng_chance(r, 40) ? 0 : density(r);
    d->free = density(r);
    d->closed = wr_rng_chance(r, 60) ? 0 : density(r);
    d->whole = density(r);
    d->stalled = density(r);
    d->ready = density(r);
    d->slots = 1 + wr_rng_below(r, 40);
    d->gone = 1 + wr_rng_below(r, 30);
    s->tbs = 1 + wr_rng_below(r, wr_rng_chance(r, 70) ? 4 : TB_NUMBERS);
    s->always_ready = wr_rng_chance(r, 60);
    s->full_stalled = wr_rng_chance(r, 10);
    s->full_ready = wr_rng_chance(r, 15);
}

/* Levels stand for a while; a waiting warp that goes on is woken. */
static void play_machine(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const densities *d = &s->part;
    wr_stall_scanner_in *l = &s->levels;
    const uint64_t changes = wr_rng_chance(r, 30) ? dense(r, wr_rng_chance(r, 20) ? 60 : 6) : 0;
    const uint64_t waited = l->memory | l->barrier;

    if (changes != 0) {
        l->memory = (l->memory & ~changes) | (dense(r, d->memory) & changes);
        l->barrier = (l->barrier & ~changes) | (dense(r, d->barrier) & changes);
        l->clear = (l->clear & ~changes) | (dense(r, d->clear) & changes);
        l->done = (l->done & ~changes) | (dense(r, d->done) & changes);
        if (wr_rng_chance(r, 85)) {
            l->memory &= ~l->done;
            l->barrier &= ~l->done;
        }
    }
    if (wr_rng_chance(r, 20)) {
        const uint32_t from = wr_rng_below(r, s->cfg.warps);
        const uint32_t to = less(s->cfg.warps, from + 1 + wr_rng_below(r, 16));
        for (uint32_t w = from; w < to; w++) {
            l->free[w] = wr_rng_chance(r, d->free);
        }
    }
    if (wr_rng_chance(r, 10)) {
        l->closed = (uint32_t)dense(r, d->closed);
    }
    *in = *l;
    in->woken = waited & ~(l->memory | l->barrier);
    in->woken |= wr_rng_chance(r, 10) ? dense(r, 5) : 0;
}

static void push(units *u, uint8_t id)
{
    if (u->count < QUEUE) {
        u->id[u->count++] = id;
    }
}

static void pop(units *u)
{
    if (u->count != 0) {
        memmove(u->id, u->id + 1, sizeof u->id - 1);
        u->count--;
    }
}

/* The heads of the queues, and the switch under way. */
static void play_switches(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const bool tbs = s->model.level_q == WR_SCANNER_TB;

    if (s->op == WR_SCANNER_NONE && wr_gate_open(&s->switches, r)) {
        const uint32_t op = 1 + wr_rng_below(r, 4);
        const bool outs = op != WR_SCANNER_IN;
        const bool ins = op == WR_SCANNER_IN || op == WR_SCANNER_EXCHANGE;
        if ((!outs || s->stalled.count != 0) && (!ins || s->ready.count != 0)) {
            s->op = op;
            s->op_left = 1 + wr_rng_below(r, 14);
            s->out_pops = outs;
            s->in_pops = ins && !(op == WR_SCANNER_IN && wr_rng_chance(r, 20));
        }
    } else if (s->op != WR_SCANNER_NONE) {
        s->op_left--;
        s->op = s->op_left == 0 ? WR_SCANNER_NONE : s->op;
    }
    in->op = (uint8_t)s->op;
    in->stalled_valid = s->stalled.count != 0;
    in->stalled_id = s->stalled.count != 0 ? s->stalled.id[0]
                     : tbs                 ? (uint8_t)(some_tb(s) | (wr_rng_below(r, 4) << 5))
                                           : (uint8_t)wr_rng_below(r, WARP_IDS);
    in->stalled_space = s->stalled.count < QUEUE && !s->full_stalled;
    in->ready_valid = s->ready.count != 0 || s->always_ready;
    in->ready_id = s->ready.count != 0 ? s->ready.id[0] : (uint8_t)some_tb(s);
    in->ready_space = s->ready.count < QUEUE && !s->full_ready;
    if (s->op != WR_SCANNER_NONE && (s->op_left == 1 || wr_rng_chance(r, 30))) {
        in->stalled_pop = s->out_pops;
        in->ready_pop = s->in_pops;
        s->out_pops = s->in_pops = false;
    } else if (s->op == WR_SCANNER_NONE) { /* not looked at */
        in->stalled_pop = wr_rng_chance(r, 20);
        in->ready_pop = wr_rng_chance(r, 20);
    }
}

static uint8_t some_slot(state *s, uint32_t known)
{
    wr_rng *r = &s->rng;
    const uint32_t kind = wr_rng_below(r, 10);
    uint32_t slot = wr_rng_below(r, s->cfg.slots);

    if (kind < 3) {
        slot = known;
    } else if (kind < 5) {
        slot = (uint32_t)wr_near_value(known, 6, r);
    }
    return (uint8_t)(slot % s->cfg.slots);
}

/* Slots that change hands, warps that go, TBs that come. */
static void play_slots(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const wr_stall_scanner *m = &s->model;

    in->claim_slot = (uint8_t)wr_rng_below(r, SLOT_NUMBERS); /* noise where nothing is asked */
    in->claim_id = (uint8_t)wr_rng_below(r, WARP_IDS);
    in->give_slot = (uint8_t)wr_rng_below(r, SLOT_NUMBERS);
    in->away_id = (uint8_t)wr_rng_below(r, WARP_IDS);
    in->arrive_id = (uint8_t)wr_rng_below(r, WARP_IDS);
    in->placed_tb = (uint8_t)wr_rng_below(r, TB_NUMBERS);
    in->split_tb = (uint8_t)wr_rng_below(r, TB_NUMBERS);
    in->slot_id = wr_rng_chance(r, 70) ? some_warp(s) : (uint8_t)wr_rng_below(r, WARP_IDS);
    if (m->warps_q != 0 && wr_rng_chance(r, s->part.slots)) {
        in->claim = true;
        in->claim_slot = some_slot(s, m->out_slot_q);
        in->claim_id = some_warp(s);
    }
    if (wr_rng_chance(r, s->part.slots / 2)) {
        in->give = true;
        in->give_slot = some_slot(s, m->vacate_q ? m->vacate_slot_q : m->out_slot_q);
    }
    if (wr_rng_chance(r, s->part.gone)) {
        in->away = true;
        in->away_id = some_warp(s);
    }
    if (wr_rng_chance(r, s->part.gone / 2)) {
        in->arrive = true;
        in->arrive_id = some_warp(s);
    }
    if (wr_rng_chance(r, 5)) {
        in->split = true;
        in->split_tb = (uint8_t)(wr_rng_chance(r, 60) ? some_tb(s) : m->tb_q[m->slot_q] ^ 1u);
    }
    const bool many = s->tbs > 16;
    if (wr_rng_chance(r, many ? 30 : s->phase % 40 < 6 ? 40 : 2)) {
        in->placed = true;
        in->placed_tb =
            (uint8_t)(wr_rng_chance(r, many ? 10 : 80) ? some_tb(s) : wr_rng_below(r, s->cfg.tbs));
    }
}

static void play_faults(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const wr_stall_scanner *m = &s->model;
    const uint32_t past_tbs = s->cfg.tbs * m->warps_q;

    switch (pick(s)) {
    case FAULT_BOOKED_OFF:
        in->booked = m->level_q == WR_SCANNER_OFF;
        break;
    case FAULT_BOOKED_AGAIN:
        in->booked = m->run_q;
        break;
    case FAULT_CLAIM_SLOT:
        in->claim = true;
        in->claim_slot = (uint8_t)(s->cfg.slots + wr_rng_below(r, SLOT_NUMBERS - s->cfg.slots));
        in->claim_id = some_warp(s);
        break;
    case FAULT_CLAIM_ID:
        in->claim = true;
        in->claim_slot = some_slot(s, 0);
        in->claim_id = (uint8_t)(s->cfg.warps + wr_rng_below(r, WARP_IDS - s->cfg.warps));
        break;
    case FAULT_CLAIM_TB:
        if (past_tbs < s->cfg.warps) {
            in->claim = true;
            in->claim_slot = some_slot(s, 0);
            in->claim_id = (uint8_t)(past_tbs + wr_rng_below(r, s->cfg.warps - past_tbs));
        }
        break;
    case FAULT_GIVE:
        in->give = true;
        in->give_slot = (uint8_t)(s->cfg.slots + wr_rng_below(r, SLOT_NUMBERS - s->cfg.slots));
        break;
    case FAULT_AWAY:
        in->away = true;
        in->away_id = (uint8_t)(s->cfg.warps + wr_rng_below(r, WARP_IDS - s->cfg.warps));
        break;
    case FAULT_ARRIVE:
        in->arrive = true;
        in->arrive_id = (uint8_t)(s->cfg.warps + wr_rng_below(r, WARP_IDS - s->cfg.warps));
        break;
    case FAULT_PLACED:
        in->placed = true;
        in->placed_tb = (uint8_t)(s->cfg.tbs + wr_rng_below(r, TB_NUMBERS - s->cfg.tbs));
        break;
    default:
        break;
    }
}

static void new_launch(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t most = s->cfg.tb_warps;
    const uint32_t kind = pick(s);
    const uint32_t near =
        s->model.fault_q ? (uint32_t)wr_near_value(most, 6, r) : most ^ 1u << s->faults.round % 6;

    in->cfg = true;
    in->level = (uint8_t)(wr_rng_chance(r, 8) ? 0 : 1 + wr_rng_below(r, 2));
    in->warps = (uint8_t)(1 + wr_rng_below(r, wr_rng_chance(r, 75) ? less(most, 4) : most));
    if (wr_rng_chance(r, 15)) {
        in->warps = (uint8_t)(near < most && near != 0 ? near : most);
    }
    switch (kind) {
    case FAULT_WARPS_0:
        in->warps = 0;
        break;
    case FAULT_WARPS_ABOVE:
        in->warps = (uint8_t)(near > most ? near : most + 1 + wr_rng_below(r, 63 - most));
        break;
    case FAULT_LEVEL_3:
        in->level = 3;
        break;
    case FAULT_BOOKED_OFF:
        in->level = 0;
        break;
    case FAULT_CLAIM_TB: /* those with TBs past the last */
        in->warps = 1;
        break;
    default:
        break;
    }
    s->epoch = s->faults.first != 0 ? 100 + wr_rng_below(r, 300) : 200 + wr_rng_below(r, 1800);
    s->stalled.count = s->ready.count = 0;
    s->op = WR_SCANNER_NONE;
}

static void ack(state *s, bool at_once, wr_stall_scanner_in *in)
{
    wr_stall_scanner_out out;

    wr_stall_scanner_eval(&s->model, in, &out);
    in->tab_ack =
        out.tab_req ? at_once || wr_gate_open(&s->tables, &s->rng) : pick(s) == FAULT_TAB_ACK;
}

/* What was pushed and popped in this cycle. */
static void queue(state *s, const wr_stall_scanner_in *in)
{
    wr_stall_scanner_out out;

    wr_stall_scanner_eval(&s->model, in, &out);
    if (in->stalled_pop && s->op != WR_SCANNER_NONE) {
        pop(&s->stalled);
    }
    if (in->ready_pop && s->op != WR_SCANNER_NONE) {
        pop(&s->ready);
    }
    if (out.stalled_push) {
        push(&s->stalled, out.push_id);
    }
    if (out.ready_push) {
        push(&s->ready, out.push_id);
    }
}

static void random_cycle(state *s, wr_stall_scanner_in *in)
{
    wr_rng *r = &s->rng;
    const wr_stall_scanner *m = &s->model;

    wr_faults_step(&s->faults);
    if (s->phase == 0) {
        new_phase(s);
    }
    s->phase--;
    s->epoch -= s->epoch > 0;
    play_machine(s, in);
    play_switches(s, in);
    play_slots(s, in);
    play_faults(s, in);
    in->level = (uint8_t)wr_rng_below(r, 4); /* noise where nothing is taken */
    in->warps = (uint8_t)wr_rng_below(r, 64);
    in->tab_whole = wr_rng_chance(r, s->part.whole);
    in->group_stalled = wr_rng_chance(r, s->part.stalled);
    in->group_ready = wr_rng_chance(r, s->part.ready);
    if (s->epoch == 0) {
        new_launch(s, in);
    } else if (!m->run_q && m->level_q != WR_SCANNER_OFF) {
        in->booked = wr_rng_chance(r, 10);
    } else if (m->level_q == WR_SCANNER_OFF) {
        s->epoch = less(s->epoch, 30);
    }
    ack(s, false, in);
}

/* Two warps a TB, four of them in slots, one TB absent. Level warp: one goes at a barrier, one
 * waits for memory, one ends; then the same at level TB. */
static void directed_cycle(state *s, wr_stall_scanner_in *in)
{
    const uint32_t n = s->step % (DIRECTED / 2);
    const bool tbs = s->step >= DIRECTED / 2;
    const uint32_t slots = less(4, s->cfg.slots);
    const uint32_t wide = less(2, s->cfg.tb_warps);

    in->clear = UINT64_MAX;
    in->slot_id = (uint8_t)less(s->model.slot_q, s->cfg.warps - 1);
    if (n == 0) {
        in->cfg = true;
        in->level = tbs ? WR_SCANNER_TB : WR_SCANNER_WARP;
        in->warps = (uint8_t)wide;
        s->stalled.count = s->ready.count = 0;
        s->op = WR_SCANNER_NONE;
    } else if (n <= slots && (n - 1) / wide < s->cfg.tbs && n <= s->cfg.warps) {
        in->claim = true;
        in->claim_slot = in->claim_id = (uint8_t)(n - 1);
    }
    in->booked = n == 8;
    in->placed = n >= 5 && n < 8 && n - 5 < s->cfg.tbs;
    in->placed_tb = (uint8_t)(in->placed ? n - 5 : 0);
    in->away = n >= 9 && n < 11 && n - 5 < s->cfg.warps;
    in->away_id = (uint8_t)(in->away ? n - 5 : 0);
    for (uint32_t w = 0; w < s->cfg.warps; w++) {
        in->free[w] = n >= 11;
    }
    in->memory = n >= 18 ? 1 : 0;
    in->barrier = n >= 12 ? 2 : 0;
    in->done = n >= 34 ? UINT64_C(4) : 0;
    in->woken = n == 30 ? 1 : 0;
    in->tab_whole = n >= 40;
    in->give = n == 39;
    in->give_slot = (uint8_t)(in->give ? less(2, s->cfg.slots - 1) : 0);
    in->group_stalled = tbs && n >= 26 && n < 29;
    in->group_ready = tbs && n >= 14 && n < 17;
    in->stalled_valid = s->stalled.count != 0;
    in->stalled_id = s->stalled.id[0];
    in->ready_valid = s->ready.count != 0;
    in->ready_id = s->ready.id[0];
    in->stalled_space = in->ready_space = true;
    if (s->op == WR_SCANNER_NONE && n > 18 && in->stalled_valid && in->ready_valid) {
        s->op = WR_SCANNER_EXCHANGE;
        s->op_left = 4;
        in->stalled_pop = in->ready_pop = false;
    } else if (s->op != WR_SCANNER_NONE) {
        in->stalled_pop = in->ready_pop = s->op_left == 4;
        s->op = --s->op_left == 0 ? WR_SCANNER_NONE : s->op;
    }
    in->op = (uint8_t)s->op;
    ack(s, true, in);
    s->step++;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_stall_scanner_in *in = in_;

    (void)cycle;
    (void)last_out; /* the copy of the model says as much */
    s->before = s->model;
    if (s->step < DIRECTED) {
        directed_cycle(s, in);
    } else {
        random_cycle(s, in);
    }
    queue(s, in);
    wr_stall_scanner_tick(&s->model, in);
}

extern const wr_stim wr_stall_scanner_stim;
const wr_stim wr_stall_scanner_stim = {
    .block = "stall_scanner",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = scanner_bin_names,
    .bins = BINS,
    .cover = scanner_cover,
    .nears = scanner_nears,
    .near_count = NEARS - BINS,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
