/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of tb_launcher: plays the machine, the tables, the bitmap, the switch logic's requests,
 * warp_slots and the ME controller.
 *
 * Answers are plausible and hold no state of their own: what a step must be answered follows from
 * the step, which a copy of the model that gets the same inputs tells. Directed jobs first, of each
 * kind and at each level, with answers at once; then launches in a row with gates on every answer,
 * and in episodes with faults every kind of them.
 */
#include <string.h>

#include "testbench/duet/launcher_bins.h"

static const char *const fault_names[] = {
    [FAULT_CFG_BUSY] = "cfg with a job under way",
    [FAULT_WARPS_0] = "cfg with 0 warps",
    [FAULT_WARPS_ABOVE] = "cfg with more warps than TbWarps",
    [FAULT_LEVEL_3] = "cfg with level 3",
    [FAULT_BOOK_BUSY] = "book with a job under way",
    [FAULT_BOOK_AGAIN] = "book behind booked",
    [FAULT_BOOK_OFF] = "book at level off",
    [FAULT_BOOK_CFG] = "book with cfg",
    [FAULT_MC] = "booking of a TB that does not fit",
    [FAULT_BOOK_ROOM] = "booking without room",
    [FAULT_ENDED_PAST] = "end of a TB with warps past the last",
    [FAULT_TAB_ACK] = "tab_ack without a request",
    [FAULT_MAP_DONE] = "map_done without a request",
    [FAULT_FREE_OURS] = "a free that finds lines free already",
    [FAULT_FREE_THEIRS] = "a free of the switch logic that finds lines free already",
    [FAULT_LOOK] = "a warp that is launched has no entry",
    [FAULT_READ_TB] = "a TB that goes has no entry",
    [FAULT_VACATE] = "a warp that vacates has no entry",
    [FAULT_CLEAR_AWAY] = "a warp of a TB that has ended is switched out",
    [FAULT_VACATE_AWAY] = "a warp that vacates is switched out",
};
_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

/* A job that is brought about, with the answers in the order in which they are asked for: bit 0
 * first. */
typedef struct directed {
    uint8_t kernel;
    uint8_t job;   /* wr_launcher_job */
    uint8_t found; /* of allocs */
    uint8_t good;  /* of checks: running */
    bool place_ok;
} directed;

static const figures kernels[] = {
    {1, true, true, 2, 5, 3, 4, 2},  {1, false, true, 2, 4, 0, 0, 1},
    {2, false, true, 2, 4, 6, 6, 2}, {2, true, false, 1, 3, 9, 9, 1},
    {1, true, false, 1, 0, 2, 1, 0},
};
enum { ALL = 0xff };
static const directed list[] = {
    {0, WR_LAUNCHER_BOOK, ALL, 0, false},   {0, WR_LAUNCHER_NATIVE, ALL, 0, true},
    {0, WR_LAUNCHER_EXTRA, ALL, 0, true},   {0, WR_LAUNCHER_CLEAR, 0, 0, false},
    {0, WR_LAUNCHER_HANDED, 0, ALL, true},  {0, WR_LAUNCHER_HANDED, 0, 1, true},
    {0, WR_LAUNCHER_HANDED, 0, ALL, false}, {0, WR_LAUNCHER_VACATE, 0, 0, false},
    {0, WR_LAUNCHER_EXTRA, 0xfd, 0, true},  {0, WR_LAUNCHER_EXTRA, 1, 0, true},
    {1, WR_LAUNCHER_BOOK, ALL, 0, false},   {1, WR_LAUNCHER_EXTRA, ALL, 0, true},
    {1, WR_LAUNCHER_NATIVE, 1, 0, true},    {1, WR_LAUNCHER_EXTRA, 7, 0, true},
    {2, WR_LAUNCHER_BOOK, ALL, 0, false},   {2, WR_LAUNCHER_EXTRA, 0xfe, 0, true},
    {2, WR_LAUNCHER_NATIVE, ALL, 0, false}, {2, WR_LAUNCHER_EXTRA, 0, 0, false},
    {3, WR_LAUNCHER_BOOK, ALL, 0, false},   {3, WR_LAUNCHER_EXTRA, ALL, 0, false},
    {4, WR_LAUNCHER_BOOK, ALL, 0, false},   {4, WR_LAUNCHER_NATIVE, ALL, 0, true},
};
enum { DIRECTED = sizeof list / sizeof list[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;

    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_tb_launcher_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed ? 0 : DIRECTED;
    (void)wr_tb_launcher_init(&s->model, &s->cfg);
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* TBs that fit. */
static uint32_t most_tbs(const state *s, uint32_t warps)
{
    return warps == 0 ? s->cfg.tbs : less(s->cfg.tbs, s->cfg.warps / warps);
}

/* The kind of fault that this opportunity is used for. */
static uint32_t pick(state *s)
{
    const bool shown = s->model.fault_q;
    return wr_faults_pick(&s->faults, shown, shown ? 3 : 40, &s->rng);
}

static void take_figures(const figures *f, wr_tb_launcher_in *in)
{
    in->cfg = true;
    in->level = f->level;
    in->registers_move = f->move;
    in->use_l1 = f->use_l1;
    in->warps = f->warps;
    in->regs = f->regs;
    in->lines = f->lines;
    in->tb_regs = (uint16_t)(f->regs * f->warps & 0xfffu);
    in->smem = f->smem;
    in->mc = f->mc;
}

static uint16_t random_lines(state *s)
{
    const uint32_t kind = wr_rng_below(&s->rng, 10);
    return (uint16_t)(kind == 0   ? 0
                      : kind == 1 ? wr_rng_below(&s->rng, 1024)
                                  : 1 + wr_rng_below(&s->rng, 12));
}

static void new_figures(state *s, wr_tb_launcher_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t fault = pick(s);
    const uint32_t most = s->cfg.tb_warps;
    figures f = {.level = (uint8_t)(wr_rng_chance(r, 6) ? 0 : 1 + wr_rng_below(r, 2)),
                 .move = wr_rng_chance(r, 60),
                 .use_l1 = wr_rng_chance(r, 60),
                 .warps =
                     (uint8_t)(1 + wr_rng_below(r, wr_rng_chance(r, 85) ? less(most, 4) : most)),
                 .regs = random_lines(s),
                 .lines = random_lines(s),
                 .smem = random_lines(s)};

    const uint32_t near = (uint32_t)wr_near_value(most, 6, r);
    const uint32_t turn = s->model.fault_q ? near : most ^ 1u << s->faults.round % 6;
    if (wr_rng_chance(r, 10)) {
        f.warps = (uint8_t)(near < most && near != 0 ? near : most);
    }
    if (fault == FAULT_BOOK_OFF) {
        f.level = 0;
    } else if (s->faults.first != 0) {
        f.level = f.level == 0 ? 1 : f.level;
    }
    const uint32_t fit = most_tbs(s, f.warps);
    f.mc = (uint8_t)(wr_rng_chance(r, 4) ? fit : wr_rng_below(r, less(fit, 3) + 1));
    switch (fault) {
    case FAULT_WARPS_0:
        f.warps = 0;
        break;
    case FAULT_WARPS_ABOVE:
        f.warps = (uint8_t)(turn > most ? turn : most + 1 + wr_rng_below(r, 63 - most));
        break;
    case FAULT_LEVEL_3:
        f.level = 3;
        break;
    case FAULT_MC:
        f.mc = (uint8_t)(fit + 1 + wr_rng_below(r, 63 - fit));
        if (wr_rng_chance(r, 50)) { /* a TB that there is, but for one bit */
            const uint32_t one = wr_rng_below(r, fit + 1) | 4u << wr_rng_below(r, 4);

            f.mc = one > fit ? (uint8_t)one : f.mc;
        }
        break;
    default:
        break;
    }
    if (s->faults.first == FAULT_BOOK_ROOM) {
        f.mc = f.mc == 0 ? 1 : f.mc;
        f.regs = f.regs == 0 ? 1 : f.regs;
    }
    take_figures(&f, in);
    in->book = fault == FAULT_BOOK_CFG;
    if (f.warps != 0 && fit < WR_LAUNCHER_TBS) {
        in->ended &= (UINT32_C(1) << most_tbs(s, f.warps)) - 1;
    }
    s->here = wr_rng_chance(r, 50) ? UINT32_MAX : wr_rng_u32(r);
    s->epoch = s->faults.first != 0 ? 60 + wr_rng_below(r, 200) : 100 + wr_rng_below(r, 900);
}

static uint32_t reads_well(state *s, uint32_t fault, uint32_t kind)
{
    return fault != kind || wr_rng_chance(&s->rng, 20);
}

/* Answers of the tables to the step that stands. */
static void answer_read(state *s, wr_tb_launcher_in *in)
{
    const wr_tb_launcher *m = &s->model;
    wr_rng *r = &s->rng;
    const uint32_t fault = pick(s);
    const bool clear = m->job_q == WR_LAUNCHER_CLEAR || m->job_q == WR_LAUNCHER_VACATE;
    const uint32_t away = m->job_q == WR_LAUNCHER_VACATE ? FAULT_VACATE_AWAY : FAULT_CLEAR_AWAY;
    bool is_away = m->job_q == WR_LAUNCHER_EXTRA;
    bool none = false;

    in->tab_valid = wr_rng_chance(r, 90);
    in->tab_present = wr_rng_chance(r, 90);
    in->tab_whole = wr_rng_chance(r, 85);
    in->tab_state = (uint8_t)(wr_rng_chance(r, 85) ? 0 : wr_rng_below(r, 4));
    switch (m->state_q) {
    case WR_LAUNCHER_LOOK:
        in->tab_valid = reads_well(s, fault, FAULT_LOOK);
        break;
    case WR_LAUNCHER_READ_TB:
        in->tab_valid = reads_well(s, fault, FAULT_READ_TB);
        in->tab_whole = wr_rng_chance(r, 50);
        break;
    case WR_LAUNCHER_READ:
        in->tab_state = (uint8_t)wr_rng_below(r, 4);
        in->tab_valid = m->job_q == WR_LAUNCHER_VACATE ? reads_well(s, fault, FAULT_VACATE)
                                                       : wr_rng_chance(r, 80);
        in->tab_present = !clear || reads_well(s, fault, away);
        is_away = clear ? !in->tab_present : wr_rng_chance(r, 60);
        none = !clear;
        break;
    default:
        break;
    }
    in->tab_reg = (uint16_t)wr_rng_below(r, 4096);
    in->tab_meta = (uint16_t)(is_away ? wr_rng_below(r, 0xc00)
                              : none  ? 0xfff
                                      : 0xc00 + wr_rng_below(r, 64));
    if (wr_rng_chance(r, 3)) { /* the borders of what is a slot */
        static const uint16_t edges[] = {0xbff, 0xc00, 0xc3f, 0xc40, 0xfff, 0x800, 0xe00, 0xd00};
        in->tab_meta = edges[wr_rng_below(r, 8)];
    }
}

static void answer(state *s, bool at_once, wr_tb_launcher_in *in)
{
    wr_tb_launcher_out now;
    wr_rng *r = &s->rng;
    const wr_tb_launcher_in nothing = {0};
    const wr_tb_launcher *m = &s->model;

    wr_tb_launcher_eval(m, &nothing, &now);
    answer_read(s, in);
    in->tab_ack = now.tab_req ? at_once || wr_gate_open(&s->tables, r) : pick(s) == FAULT_TAB_ACK;
    in->map_done =
        m->map_busy_q ? at_once || wr_gate_open(&s->bitmap, r) : pick(s) == FAULT_MAP_DONE;
    in->map_addr = (uint16_t)wr_rng_below(r, 4096);
    in->map_found = wr_rng_chance(r, m->job_q == WR_LAUNCHER_BOOK ? 100 : 75);
    if (m->map_busy_q) {
        const bool ours = m->map_ours_q;
        const uint32_t fault = pick(s);
        if (ours && m->state_q >= WR_LAUNCHER_FREE_REGS) {
            in->map_found = reads_well(s, fault, FAULT_FREE_OURS);
        } else if (ours && m->job_q == WR_LAUNCHER_BOOK) {
            in->map_found = reads_well(s, fault, FAULT_BOOK_ROOM);
        } else if (!ours && s->mem.mem_free) {
            in->map_found = reads_well(s, fault, FAULT_FREE_THEIRS);
        }
    }
    in->place_ok = wr_rng_chance(r, 75);
    in->me_ready = at_once || wr_gate_open(&s->me, r);
    in->slot_next = (uint8_t)wr_rng_below(r, 64);
    in->ask_slot = (uint8_t)wr_rng_below(r, 64);
}

/* What the switch logic wants of the bitmap stands until its answer. */
static void play_switch(state *s, wr_tb_launcher_in *in)
{
    wr_rng *r = &s->rng;

    if (!s->mem.mem_req && wr_gate_open(&s->switches, r) && wr_rng_chance(r, 15)) {
        s->mem.mem_req = true;
        s->mem.mem_free = wr_rng_chance(r, 50);
        s->mem.switch_in = wr_rng_chance(r, 50);
        s->mem.mem_region = (uint8_t)wr_rng_below(r, 3);
        s->mem.mem_count = (uint16_t)wr_rng_below(r, 4096);
        s->mem.mem_addr = (uint16_t)wr_rng_below(r, 4096);
    }
    in->mem_req = s->mem.mem_req;
    in->mem_free = s->mem.mem_req ? s->mem.mem_free : wr_rng_chance(r, 50);
    in->mem_region = s->mem.mem_req ? s->mem.mem_region : (uint8_t)wr_rng_below(r, 4);
    in->mem_count = s->mem.mem_count;
    in->mem_addr = s->mem.mem_addr;
    in->switch_in = s->mem.mem_req ? s->mem.switch_in : wr_rng_chance(r, 15);
    if (s->model.map_busy_q && !s->model.map_ours_q && in->map_done) {
        s->mem.mem_req = false;
    }
}

static void play_ends(state *s, wr_tb_launcher_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t fit = most_tbs(s, s->model.warps_q);
    const uint32_t fault = pick(s);

    const bool books = s->model.job_q == WR_LAUNCHER_BOOK || s->model.job_q == WR_LAUNCHER_UNBOOK;
    if (fit != 0 && (s->model.run_q || books) && s->epoch != 0 &&
        wr_rng_chance(r, s->end_percent)) {
        in->ended = UINT32_C(1) << wr_rng_below(r, fit);
        in->ended |= wr_rng_chance(r, 20) ? UINT32_C(1) << wr_rng_below(r, fit) : 0;
    }
    if (s->cfg.tbs < WR_LAUNCHER_TBS && wr_rng_chance(r, 10)) {
        in->ended |= wr_rng_u32(r) << s->cfg.tbs; /* not looked at */
    }
    if (fault == FAULT_ENDED_PAST && fit < s->cfg.tbs) {
        in->ended |= UINT32_C(1) << (fit + wr_rng_below(r, s->cfg.tbs - fit));
    }
    if (wr_rng_chance(r, 10)) {
        s->queued = wr_rng_chance(r, 50) ? 0 : wr_rng_u32(r);
    }
    in->queued = s->epoch == 0 ? 0 : s->queued;
    if (!s->vacate && s->model.run_q && s->epoch != 0 && wr_rng_chance(r, 2)) {
        s->vacate = true;
        s->vacate_id = (uint8_t)wr_rng_below(r, s->cfg.warps);
    }
    in->vacate = s->vacate;
    in->vacate_id = s->vacate ? s->vacate_id : (uint8_t)wr_rng_below(r, 128);
}

static void play_launches(state *s, wr_tb_launcher_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t n = s->model.warps_q;
    const uint32_t fit = most_tbs(s, n);

    if (wr_rng_chance(r, 4)) {
        s->allow_percent = wr_rng_chance(r, 30)   ? 0
                           : wr_rng_chance(r, 60) ? 100
                                                  : wr_rng_below(r, 101);
        s->ready_percent = wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 101);
    }
    in->allow = s->epoch != 0 && wr_rng_chance(r, s->allow_percent);
    in->waiting = wr_rng_chance(r, 92);
    in->keep = wr_rng_chance(r, 65);
    in->ready_waits = wr_rng_chance(r, s->ready_percent);
    in->tb_found = wr_rng_chance(r, 85);
    in->tb_found_id = (uint8_t)wr_rng_below(r, 32);
    if (fit != 0 && wr_rng_chance(r, 85)) {
        in->tb_found_id = (uint8_t)(wr_rng_chance(r, 20) ? fit - 1 : wr_rng_below(r, fit));
    } else if (wr_rng_chance(r, 50)) {
        in->tb_found_id = (uint8_t)(fit & 31u);
    }
    in->slots_free = (uint8_t)(wr_rng_chance(r, 40)   ? 64
                               : wr_rng_chance(r, 30) ? (n - wr_rng_below(r, 2)) & 0x7fu
                               : wr_rng_chance(r, 50) ? wr_near_value(n, 7, r)
                                                      : wr_rng_below(r, 65));
}

/* Figures are noise where none are taken. */
static void noise(state *s, wr_tb_launcher_in *in)
{
    wr_rng *r = &s->rng;

    in->level = (uint8_t)wr_rng_below(r, 4);
    in->registers_move = wr_rng_chance(r, 50);
    in->use_l1 = wr_rng_chance(r, 50);
    in->warps = (uint8_t)wr_rng_below(r, 64);
    in->regs = (uint16_t)wr_rng_below(r, 1024);
    in->lines = (uint16_t)wr_rng_below(r, 1024);
    in->tb_regs = (uint16_t)wr_rng_below(r, 4096);
    in->smem = (uint16_t)wr_rng_below(r, 1024);
    in->mc = (uint8_t)wr_rng_below(r, 64);
}

static void random_cycle(state *s, wr_tb_launcher_in *in)
{
    const wr_tb_launcher *m = &s->model;
    const bool idle = m->job_q == WR_LAUNCHER_NONE;
    bool ending = false;
    wr_rng *r = &s->rng;

    wr_faults_step(&s->faults);
    answer(s, false, in);
    play_ends(s, in);
    play_switch(s, in);
    play_launches(s, in);
    for (uint32_t t = 0; t < WR_LAUNCHER_TBS; t++) {
        ending = ending || m->ended_q[t];
    }
    if (wr_rng_chance(r, 2)) {
        s->end_percent = wr_rng_chance(r, 40) ? 0 : 1 + wr_rng_below(r, 12);
    }
    s->epoch -= s->epoch > 0;
    const bool may_reset = wr_rng_chance(r, 10) || (!ending && !m->map_busy_q);
    if (idle && s->epoch == 0 && !s->vacate && may_reset) {
        new_figures(s, in);
    } else if (idle && !m->run_q && m->level_q != WR_LAUNCHER_LEVEL_OFF) {
        in->book = wr_rng_chance(r, 40);
    } else {
        const uint32_t fault = pick(s);
        in->cfg = !idle && fault == FAULT_CFG_BUSY;
        in->book = (!idle && fault == FAULT_BOOK_BUSY) ||
                   (idle && m->run_q && fault == FAULT_BOOK_AGAIN) ||
                   (idle && m->level_q == WR_LAUNCHER_LEVEL_OFF && fault == FAULT_BOOK_OFF);
        s->epoch = m->level_q == WR_LAUNCHER_LEVEL_OFF ? less(s->epoch, 12) : s->epoch;
    }
    in->here = s->here;
}

/* The next of the directed jobs, from idle to idle. */
static void directed_cycle(state *s, wr_tb_launcher_in *in)
{
    const directed *d = &list[s->step];
    const wr_tb_launcher *m = &s->model;
    const bool idle = m->job_q == WR_LAUNCHER_NONE;
    const bool ends = d->job == WR_LAUNCHER_CLEAR || d->job == WR_LAUNCHER_HANDED;
    const bool launches = d->job == WR_LAUNCHER_NATIVE || d->job == WR_LAUNCHER_EXTRA;

    answer(s, true, in);
    in->here = 0xfffffffdu; /* all but TB 1 */
    in->slots_free = d->job == WR_LAUNCHER_EXTRA ? 0 : 64;
    in->waiting = d->job != WR_LAUNCHER_CLEAR;
    in->keep = d->job == WR_LAUNCHER_HANDED;
    in->tb_found = true;
    in->place_ok = d->place_ok;
    in->tab_whole = true;
    in->tab_present = true;
    in->vacate = d->job == WR_LAUNCHER_VACATE && (s->begun == 0 || !idle);
    if (m->state_q == WR_LAUNCHER_CHECK) {
        in->tab_valid = true;
        in->tab_state = (d->good >> s->checked & 1) != 0 ? 0 : 1;
        s->checked += in->tab_ack;
    } else if (m->state_q == WR_LAUNCHER_CHECK_TB || m->state_q == WR_LAUNCHER_READ) {
        in->tab_valid = true;
    }
    if (m->state_q == WR_LAUNCHER_SMEM || m->state_q == WR_LAUNCHER_REGS ||
        m->state_q == WR_LAUNCHER_AWAY) {
        in->map_found = (d->found >> (s->asked & 7u) & 1) != 0;
        s->asked += in->map_done && m->map_ours_q;
    }
    in->allow = launches && (s->begun <= 1 || !idle);
    if (!idle) {
        s->begun = 3;
        return;
    }
    if (s->begun == 3 || s->begun > 4) { /* done */
        s->begun = 0;
        s->asked = 0;
        s->checked = 0;
        s->step++;
        in->allow = false;
        in->vacate = false;
        return;
    }
    if (d->job == WR_LAUNCHER_BOOK && s->begun == 0) {
        figures f = kernels[d->kernel];
        f.warps = (uint8_t)less(f.warps, s->cfg.tb_warps);
        f.mc = (uint8_t)less(f.mc, most_tbs(s, f.warps));
        take_figures(&f, in);
        in->vacate = false;
    } else if (d->job == WR_LAUNCHER_BOOK && s->begun == 1) {
        in->book = true;
    } else if (ends && s->begun == 0) {
        in->ended = 1;
    }
    s->begun++;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_tb_launcher_in *in = in_;

    (void)cycle;
    (void)last_out; /* the copy of the model says as much */
    noise(s, in);
    s->before = s->model;
    if (s->step < DIRECTED) {
        directed_cycle(s, in);
    } else {
        random_cycle(s, in);
    }
    wr_tb_launcher_tick(&s->model, in);
    if (s->before.job_q == WR_LAUNCHER_VACATE && s->model.job_q != WR_LAUNCHER_VACATE) {
        s->vacate = false;
    }
    if (s->before.job_q == WR_LAUNCHER_VACATE && s->before.state_q == WR_LAUNCHER_DROP &&
        in->tab_ack) {
        s->vacate = false;
    }
}

extern const wr_stim wr_tb_launcher_stim;
const wr_stim wr_tb_launcher_stim = {
    .block = "tb_launcher",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = launcher_bin_names,
    .bins = BINS,
    .cover = launcher_cover,
    .nears = launcher_nears,
    .near_count = NEARS - BINS,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
