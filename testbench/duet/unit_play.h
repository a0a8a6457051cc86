/* SPDX-License-Identifier: Apache-2.0 */
/* The player of duet_unit's pins: the machine of unit_machine.h at them, a launch behind the other;
 * a copy of the model that gets the same inputs tells what is asked in this cycle. Moves and looks
 * are its user's.
 *
 * Directed first: short launches of each level whose warps wait much. Then any; some of them calm,
 * for an out needs that units meet which rarely do (see meet). In episodes with faults the machine
 * is as good until the first one, then every kind mixes, among them pins at random.
 *
 * A cycle: play_begin, what the user adds, wr_unit_settle, answer_place, answer_book, play_end.
 */
#ifndef WR_TESTBENCH_DUET_UNIT_PLAY_H
#define WR_TESTBENCH_DUET_UNIT_PLAY_H

#include <string.h>

#include "refmodel/duet/launcher_view.h"
#include "refmodel/duet/throughput_monitor.h"
#include "refmodel/duet/unit_wires.h"
#include "testbench/duet/unit_machine.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_START,
    FAULT_BOOK,
    FAULT_PLACED,
    FAULT_PLACED_MANY,
    FAULT_ENDED_MANY,
    FAULT_VERDICT_3,
    FAULT_VERDICT_EARLY,
    FAULT_WARPS_0,
    FAULT_WARPS_ABOVE,
    FAULT_LINES_0,
    FAULT_FULL_LESS,
    FAULT_NO_TB,
    FAULT_REDUCED,
    FAULT_TOO_MANY,
    FAULT_ENDED_PAST,
    FAULT_ENDED_NONE,
    FAULT_ENDED_AWAY,
    FAULT_ASK_SLOT,
    FAULT_BOOK_ROOM,
    FAULT_BOOK_WARPS,
    FAULT_MOVE_ACK,
    FAULT_PINS,
    FAULT_KINDS = FAULT_PINS,
} fault_kind;

typedef struct player {
    machine m;
    wr_rng rng;
    wr_faults faults;
    wr_gate places;
    wr_duet_unit model, before; /* behind the cycles so far; before the last of them */
    wr_unit_wires wires;        /* in the last of them */

    uint32_t launches; /* of the directed ones, then random */
    bool started;      /* there was one */
    bool shown;        /* a fault has */
    bool refuses;      /* the machine has a bad time */
    bool storms;       /* the dispatcher places and clears a TB in each cycle */
    uint32_t gap;      /* cycles before the next launch */
    uint32_t age;      /* of this one */
    uint32_t verdict_in, hand_in;
    uint8_t first; /* class of the next verdict */
    uint32_t here;
} player;

/* A launch that is directed; verdict under comes with the start. */
typedef struct directed {
    limit by;
    uint8_t tbs, warps, grid;
    mood mood;
} directed;

static const directed list[] = {
    {BY_REGISTERS_ALL, 1, 2, 6, {3, 400, 6, 0, 0, 0, false, false}},
    {BY_SHARED, 2, 2, 9, {4, 80, 4, 30, 1, 0, false, false}},
    {BY_SLOTS, 2, 2, 9, {5, 80, 4, 30, 1, 0, false, false}},
    {BY_REGISTERS_L1, 1, 2, 9, {4, 300, 6, 0, 0, 0, false, false}},
    {BY_SHARED_L1, 2, 1, 8, {4, 90, 4, 0, 0, 0, false, false}},
    {BY_TWO, 2, 1, 5, {4, 40, 2, 20, 1, 0, false, false}},
};
enum { DIRECTED = sizeof list / sizeof list[0] };

static inline void play_init(player *s, const wr_duet_unit_cfg *cfg, uint64_t seed,
                             wr_faults faults, bool with_directed)
{
    memset(s, 0, sizeof *s);
    s->m.cfg = *cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = faults;
    s->launches = with_directed ? 0 : DIRECTED;
    s->gap = with_directed ? 0 : 1 + wr_rng_below(&s->rng, 8) + s->faults.quiet;
    s->gap += s->faults.first == FAULT_VERDICT_EARLY ? 40 : 0;
    for (uint32_t i = 0; i < WARP_IDS; i++) {
        s->m.warps[i].slot = NOWHERE;
    }
    (void)wr_duet_unit_init(&s->model, &s->m.cfg);
}

/* The kind of fault that this opportunity is used for. */
static inline uint32_t pick(player *s, uint32_t percent)
{
    return wr_faults_pick(&s->faults, s->shown, s->shown ? 3 : percent, &s->rng);
}

/* The launch under way. */
static inline bool is_directed(const player *s)
{
    return s->launches <= DIRECTED && s->started;
}

static inline bool is_native(const player *s)
{
    return wr_unit_is_native(&s->model);
}

/* Launches ------------------------------------------------------------------------------------ */

static inline mood any_mood(wr_rng *r, bool slow)
{
    static const uint16_t runs[] = {1, 4, 10, 40};
    static const uint16_t waits[] = {6, 20, 40, 80, 300};
    static const uint8_t barriers[] = {0, 0, 20, 50, 100};
    static const uint8_t refusals[] = {0, 10, 50, 100, 100};

    return (mood){.run = runs[wr_rng_below(r, 4)],
                  .wait = slow ? 1000 : waits[wr_rng_below(r, 5)],
                  .parts = wr_rng_below(r, slow                   ? 3
                                           : wr_rng_chance(r, 30) ? 16
                                                                  : 5),
                  .barriers = barriers[wr_rng_below(r, 5)],
                  .clear = wr_rng_below(r, 5),
                  .refuse = refusals[wr_rng_below(r, 5)],
                  .few = wr_rng_chance(r, 40)};
}

static inline mood calm_mood(const machine *m, wr_rng *r)
{
    const bool crowd = m->f.mc + 1u == m->cfg.tbs; /* all are to be there at a time */
    const uint32_t cycles = m->cfg.slots * (crowd ? 64 : 16);

    return (mood){.run = cycles, .wait = cycles, .calm = true, .few = wr_rng_chance(r, 75)};
}

/* Figures that are wrong in the way of this kind. */
static inline void spoil(player *s, uint32_t kind, figures *f)
{
    const uint32_t most = tb_warps_of(&s->m.cfg);
    wr_rng *r = &s->rng;

    switch (kind) {
    case FAULT_WARPS_0:
        f->warps = 0;
        break;
    case FAULT_WARPS_ABOVE:
        f->warps = (uint8_t)(most + up_to(r, MOST_ANY - most));
        break;
    case FAULT_LINES_0:
        f->limits = WR_CSL_LIMIT_SHARED;
        f->lines = 0;
        break;
    case FAULT_FULL_LESS:
        f->limits = WR_CSL_LIMIT_REGISTERS;
        f->lines = f->regs + 1u > FIELD_10 ? FIELD_10 : (uint16_t)(f->regs + 1);
        f->regs = (uint16_t)less(f->regs, FIELD_10 - 1);
        break;
    case FAULT_NO_TB:
        f->tb_regs = (uint16_t)(s->m.cfg.reg_units + up_to(r, FIELD_12 - s->m.cfg.reg_units));
        break;
    case FAULT_REDUCED:
        f->tb_regs = (uint16_t)less(f->tb_regs, FIELD_12 - 1);
        f->tb_reduced = (uint16_t)(f->tb_regs + 1);
        break;
    default:
        break;
    }
}

static inline figures next_figures(player *s, bool calm)
{
    const wr_duet_unit_cfg *cfg = &s->m.cfg;
    figures f;

    if (s->launches < DIRECTED) {
        const directed *d = &list[s->launches];
        const uint32_t warps = less(d->warps, cfg->slots);
        return figures_by(cfg, &s->rng, d->by, less(d->tbs, cfg->slots / warps), warps);
    }
    f = calm ? full_figures(cfg, &s->rng) : any_figures(cfg, &s->rng);
    if (s->faults.first == FAULT_ENDED_PAST) { /* more TBs than have warps */
        f = figures_by(cfg, &s->rng, BY_SHARED, 1, less(cfg->warps / cfg->tbs + 1, cfg->slots));
    }
    spoil(s, pick(s, 100), &f);
    return f;
}

static inline void start(player *s, wr_duet_unit_in *in)
{
    machine *m = &s->m;
    wr_rng *r = &s->rng;

    const bool directs = s->launches < DIRECTED;
    const bool calm = !directs && wr_rng_chance(r, 25);

    m->f = next_figures(s, calm);
    for (uint32_t t = 0; t < TB_IDS; t++) {
        clear_tb(m, t);
    }
    s->verdict_in = s->hand_in = 1;
    s->first = WR_DUET_UNDER;
    if (directs) {
        m->mood = list[s->launches].mood;
        m->grid = list[s->launches].grid;
    } else if (calm) {
        m->mood = calm_mood(m, r);
        m->grid = m->f.mc + 8u + up_to(r, 24);
        s->hand_in = m->f.mc;
    } else {
        const bool slow = m->f.lines > 64; /* switches take long */
        m->mood = any_mood(r, slow);
        m->grid = m->f.mc + up_to(r, slow ? 8 : wr_rng_chance(r, 50) ? 12 : 80);
        s->verdict_in = wr_rng_chance(r, 80) ? wr_rng_below(r, 40) : 200;
        s->hand_in = wr_rng_chance(r, 80) ? wr_rng_below(r, 40) : wr_rng_below(r, 400);
        s->first = (uint8_t)(wr_rng_chance(r, 80) ? WR_DUET_UNDER : wr_rng_below(r, 3));
    }
    s->launches++;
    s->started = true;
    s->age = 0;
    s->gap = wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 30);
    show(m, in);
    in->start = true;
}

/* The dispatcher places while it may, and each TB that has ended leaves at once. */
static inline void play_native(player *s, wr_duet_unit_in *in)
{
    machine *m = &s->m;
    wr_rng *r = &s->rng;
    const uint32_t room = less(m->f.mc, fitting_tbs(m));
    uint32_t t = wr_rng_chance(r, 60) || room == 0 ? 0 : wr_rng_below(r, room);

    for (uint32_t i = 0; i < TB_IDS; i++) {
        if ((in->ended >> i & 1) != 0) {
            clear_tb(m, i);
        }
    }
    if (!s->started || (m->grid == 0 && all_tbs_gone(m))) {
        if (s->gap == 0 && s->model.state_q == WR_DUET_UNIT_NATIVE) {
            start(s, in);
        }
        s->gap -= s->gap > 0;
        return;
    }
    for (uint32_t i = 0; i < room && m->tbs[t].here; i++) {
        t = (t + 1) % room;
    }
    if (s->age > 1 && room != 0 && !m->tbs[t].here && m->grid != 0 && s->model.launches_q < 32 &&
        (is_directed(s) || m->mood.calm || wr_gate_open(&s->places, r)) &&
        free_slots(m) >= m->f.warps) {
        dispatch(m, r, t);
        in->placed = true;
        in->placed_tb = (uint8_t)t;
    }
}

/* Verdicts from the first launch on, now and then one behind the other. */
static inline void play_verdict(player *s, wr_duet_unit_in *in)
{
    wr_rng *r = &s->rng;

    in->verdict = (uint8_t)wr_rng_below(r, 4);
    in->l1_idle = is_directed(s) || s->m.mood.calm || wr_rng_chance(r, 75);
    if (!s->started || s->verdict_in-- != 0) {
        return;
    }
    in->valid = true;
    in->verdict = s->first;
    s->first = (uint8_t)(s->m.mood.calm         ? WR_DUET_UNDER
                         : wr_rng_chance(r, 90) ? wr_rng_below(r, 2)
                                                : WR_DUET_SATURATED);
    s->verdict_in = wr_rng_chance(r, 20) ? 0 : wr_rng_below(r, wr_rng_chance(r, 50) ? 40 : 600);
}

/* Faults -------------------------------------------------------------------------------------- */

/* One of the TBs in the set, or past the last. */
static inline uint32_t one_of(wr_rng *r, uint32_t set)
{
    uint32_t t = wr_rng_below(r, TB_IDS);

    for (uint32_t i = 0; i < TB_IDS && (set >> t & 1) == 0; i++) {
        t = (t + 1) % TB_IDS;
    }
    return set == 0 ? TB_IDS : t;
}

/* TBs whose end would be a lie of this kind. */
static inline uint32_t false_ends(const player *s, uint32_t kind)
{
    const machine *m = &s->m;
    uint32_t set = 0;

    for (uint32_t t = 0; t < m->cfg.tbs; t++) {
        const bool has_warps = t < fitting_tbs(m);
        bool away = false;

        for (uint32_t j = 0; j < m->f.warps && has_warps; j++) {
            away = away || m->warps[t * m->f.warps + j].slot < 0;
        }
        away = away && m->tbs[t].here && !m->tbs[t].ended && m->tbs[t].coming == 0;
        const bool none = has_warps && !s->model.tct.valid_q[t] && s->model.launcher.tb_q != t;
        set |= (kind == FAULT_ENDED_PAST   ? !has_warps
                : kind == FAULT_ENDED_AWAY ? away
                                           : none)
                   ? UINT32_C(1) << t
                   : 0;
    }
    return set;
}

static inline uint64_t word(wr_rng *r)
{
    const uint64_t some = wr_rng_u64(r);

    switch (wr_rng_below(r, 4)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return some & wr_rng_u64(r) & wr_rng_u64(r);
    default:
        return some;
    }
}

/* Levels that lie, events of nobody, figures of nothing. */
static inline void scatter(wr_rng *r, const wr_duet_unit_cfg *cfg, wr_duet_unit_in *in)
{
    switch (wr_rng_below(r, 8)) {
    case 0:
        in->memory = word(r);
        in->clear = word(r);
        break;
    case 1:
        in->barrier = word(r);
        in->woken = word(r);
        break;
    case 2:
        in->done = word(r);
        break;
    case 3:
        for (uint32_t i = 0; i < cfg->warps; i++) {
            in->free[i] = wr_rng_chance(r, 50);
        }
        break;
    case 4:
        in->ended = (uint32_t)word(r);
        break;
    case 5:
        in->limits = (uint8_t)(word(r) & 7);
        in->warps = (uint8_t)(word(r) & MOST_ANY);
        in->regs = (uint16_t)(word(r) & FIELD_10);
        in->lines = (uint16_t)(word(r) & FIELD_10);
        in->tb_regs = (uint16_t)(word(r) & FIELD_12);
        in->tb_reduced = (uint16_t)(word(r) & FIELD_12);
        in->smem = (uint16_t)(word(r) & FIELD_10);
        in->meta = (uint8_t)(word(r) & META_MOST);
        break;
    case 6:
        in->most = (uint8_t)(word(r) & MOST_ANY);
        in->waiting = wr_rng_chance(r, 50);
        in->place_ok = wr_rng_chance(r, 50);
        in->here = (uint32_t)word(r);
        break;
    default:
        in->start = wr_rng_chance(r, 10);
        in->book = wr_rng_chance(r, 10);
        in->placed = wr_rng_chance(r, 30);
        in->valid = wr_rng_chance(r, 30);
        in->move_ack = wr_rng_chance(r, 30);
        break;
    }
}

static inline void break_protocol(player *s, wr_duet_unit_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t kind = pick(s, 40);
    const uint32_t tbs = s->m.cfg.tbs;
    const bool native = is_native(s);

    switch (kind) {
    case FAULT_START:
        in->start = in->start || s->model.state_q != WR_DUET_UNIT_NATIVE;
        break;
    case FAULT_BOOK:
        in->book = true; /* taken back where extra is 1 */
        break;
    case FAULT_PLACED:
        in->placed = in->placed || !native || tbs < TB_IDS;
        in->placed_tb =
            (uint8_t)(tbs < TB_IDS ? tbs + wr_rng_below(r, TB_IDS - tbs) : wr_rng_below(r, TB_IDS));
        break;
    case FAULT_PLACED_MANY:
        s->storms = s->storms || native;
        break;
    case FAULT_ENDED_MANY:
        in->ended = native ? UINT32_MAX : in->ended;
        break;
    case FAULT_VERDICT_3:
        in->valid = s->started;
        in->verdict = 3;
        break;
    case FAULT_VERDICT_EARLY:
        in->valid = in->valid || !s->started;
        break;
    case FAULT_TOO_MANY:
        in->placed = native && s->age > 1;
        in->placed_tb = (uint8_t)wr_rng_below(r, tbs);
        break;
    case FAULT_ENDED_PAST:
    case FAULT_ENDED_NONE:
    case FAULT_ENDED_AWAY:
        if (s->model.launcher.run_q) {
            const uint32_t t = one_of(r, false_ends(s, kind));
            in->ended |= t < TB_IDS ? UINT32_C(1) << t : 0;
        }
        break;
    case FAULT_MOVE_ACK:
        in->move_ack = true;
        break;
    case FAULT_PINS:
        for (uint32_t n = up_to(r, 4); n > 0; n--) {
            scatter(r, &s->m.cfg, in);
        }
        break;
    default:
        break;
    }
    if (s->storms) { /* one ends with each that comes */
        s->storms = !s->shown && native;
        in->placed = true;
        in->placed_tb = (uint8_t)wr_rng_below(r, tbs);
        in->ended |= 1;
    }
}

/* Answers ------------------------------------------------------------------------------------- */

/* The machine hands over where it may. */
static inline void hand_over(player *s, wr_duet_unit_in *in)
{
    const bool extra = wr_unit_hands_over(&s->model, in, &s->wires);

    in->book = in->book && !extra;
    if (!extra || in->start || s->hand_in-- != 0) {
        s->hand_in = s->hand_in > 400 ? 0 : s->hand_in;
        return;
    }
    in->book = true;
    s->here = 0;
    for (uint32_t t = 0; t < TB_IDS; t++) {
        s->here |= s->m.tbs[t].here ? UINT32_C(1) << t : 0;
    }
    switch (pick(s, 100)) {
    case FAULT_BOOK_ROOM:
        in->tb_regs = (uint16_t)(s->m.cfg.reg_units + 1);
        break;
    case FAULT_BOOK_WARPS:
        in->warps = 0;
        break;
    default:
        break;
    }
}

static inline void answer_place(player *s, wr_duet_unit_in *in)
{
    wr_rng *r = &s->rng;
    const wr_tb_launcher_out *l = &s->wires.launcher;

    in->ask_slot = (uint8_t)wr_rng_below(r, SLOT_IDS);
    in->place_ok = wr_rng_chance(r, 50);
    if (l->place) {
        const bool bad = s->refuses && wr_rng_chance(r, s->m.mood.refuse);
        const bool enough = s->m.mood.few && s->model.me.tbs_q > s->model.me.mc_q;
        in->place_ok = s->m.grid != 0 && !bad && !enough;
    }
    if (l->ask) {
        in->ask_slot = (uint8_t)(s->m.warps[l->warp].slot & (SLOT_IDS - 1));
    }
    if (l->ask && pick(s, 40) == FAULT_ASK_SLOT) {
        uint32_t slot = s->m.cfg.slots;
        while (slot > 0 && !s->model.slots.taken_q[slot - 1]) {
            slot--;
        }
        in->ask_slot = (uint8_t)(slot != 0                   ? slot - 1
                                 : s->m.cfg.slots < SLOT_IDS ? s->m.cfg.slots
                                                             : in->ask_slot);
    }
}

/* Whether the machine hands over, and which TBs it has. */
static inline void answer_book(player *s, wr_duet_unit_in *in)
{
    wr_rng *r = &s->rng;

    if (is_native(s)) {
        hand_over(s, in);
    }
    in->here = is_native(s) && !in->book ? wr_rng_u32(r) : s->here;
}

/* In a calm launch units wait until one alone is ready, and nobody leaves for it. When room comes
 * for it by the end of a TB, another begins to wait just then: it is stalled while the former comes
 * in, and nobody is ready behind it. During a native launch one may become ready. */
static inline void meet(player *s)
{
    const wr_duet_unit *u = &s->model;
    const bool tbs = u->csl.level_q == WR_CSL_TB;
    const uint8_t *count = tbs ? u->queues.tb_count_q : u->queues.warp_count_q;
    const bool room =
        u->launcher.state_q == (tbs ? WR_LAUNCHER_FREE_SMEM : WR_LAUNCHER_DROP) && count[1] == 1;
    const bool many = s->m.mood.calm && count[1] > 1 && wr_rng_chance(&s->rng, 10);

    if (u->csl.op_q == WR_CSL_NONE && count[0] == 0 && (room || many)) {
        wait_now(&s->m, &s->rng, tbs);
    }
    if (u->csl.op_q == WR_CSL_NONE && u->launcher.job_q == WR_LAUNCHER_NATIVE && count[1] == 0 &&
        wr_rng_chance(&s->rng, 10)) {
        wake_now(&s->m, &s->rng, tbs);
    }
}

static inline void play_begin(player *s, wr_duet_unit_in *in)
{
    machine *m = &s->m;
    wr_rng *r = &s->rng;

    s->before = s->model;
    wr_faults_step(&s->faults);
    s->age += s->age < UINT16_MAX;
    in->placed_tb = (uint8_t)wr_rng_below(r, TB_IDS);
    s->refuses = s->refuses != (wr_rng_below(r, 100) == 0);
    meet(s);
    show(m, in);
    in->ended = new_ends(m);
    for (uint32_t t = 0; t < TB_IDS; t++) {
        m->tbs[t].ended = m->tbs[t].ended || (in->ended >> t & 1) != 0;
    }
    if (is_native(s)) {
        play_native(s, in);
    }
    play_verdict(s, in);
}

/* The answers are in: the cycle goes by. What the unit says of it is in out. */
static inline void play_end(player *s, const wr_duet_unit_in *in, wr_duet_unit_out *out)
{
    machine *m = &s->m;
    wr_rng *r = &s->rng;

    wr_unit_settle(&s->model, in, &s->wires);
    wr_unit_show(&s->model, in, &s->wires, out);
    s->shown = s->shown || out->fault;
    hear(m, r, in, out);
    run(m, r, out->hold);
    m->grid -= m->grid > 0 && !is_directed(s) && wr_rng_below(r, all_tbs_gone(m) ? 4 : 300) == 0;
    wr_unit_step(&s->model, in, &s->wires);
}

#endif
