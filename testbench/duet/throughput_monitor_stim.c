/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of throughput_monitor: kernels, each a warm-up and windows that are planned before they
 * begin.
 *
 * A plan gives a window its length, its clocks, and per part the count that it shall reach:
 * nothing, everything, or just below, at or just above a bound of Table 3.3. The events of a cycle
 * are then drawn so that the count is met exactly. Directed windows put every part on every bound,
 * alone and together; random ones follow, most of them cut short so that many fit into a run.
 */
#include <string.h>

#include "refmodel/gen/throughput_monitor_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

/* What is counted; up and down are the two directions of one part. */
typedef enum counted {
    SCHED,
    L1,
    UP,
    DOWN,
    L2,
    DRAM,
    COUNTED,
} counted;

/* By kind: 1 and what is counted. */
static const char *const fault_names[] = {
    NULL,
    "issued above its most",
    "l1 above its most",
    "up above its most",
    "down above its most",
    "l2 above its most",
    "dram above its most",
};

typedef enum goal {
    GOAL_NONE,
    GOAL_ALL,
    GOAL_RANDOM,
    GOAL_LOW_BELOW, /* the bound for underutilised */
    GOAL_LOW_AT,
    GOAL_LOW_ABOVE,
    GOAL_HIGH_BELOW, /* the bound for saturated */
    GOAL_HIGH_AT,
    GOAL_HIGH_ABOVE,
    GOAL_IDLE_BELOW, /* 3 % */
    GOAL_IDLE_AT,
    GOALS,
} goal;

typedef enum phase {
    PHASE_IDLE,
    PHASE_WARM,
    PHASE_MEASURE,
} phase;

typedef struct count {
    uint32_t ports;
    uint64_t low; /* bounds of use, in 1 / 10,000 of ports x cycles */
    uint64_t high;
    uint32_t ticks; /* own cycles in one cycle of the block, where constant */
    uint64_t can;   /* most that the rest of the window takes, at that pace */
    uint64_t left;  /* still to come in this window */
    uint64_t total; /* done in this window, and what could have been */
    uint64_t possible;
} count;

typedef struct state {
    wr_throughput_monitor_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    count part[COUNTED];

    phase phase;
    uint32_t step;  /* directed windows begun */
    uint32_t whole; /* whole ones begun */
    bool calm;      /* no start, stop or fault in this window */
    uint64_t now;
    uint32_t idle;     /* cycles of idle left */
    uint32_t cycle;    /* of the warm-up or window */
    uint32_t length;   /* at which it ends, by itself or cut */
    bool mixed_clocks; /* ticks change from cycle to cycle; goals do not hold */
    bool window_ends;  /* in this cycle */
    bool ended;        /* in the cycle before */
    bool dropped_by_start;
    bool dropped_by_stop;
    bool last_valid;
} state;

typedef struct planned {
    uint32_t length;
    uint32_t ticks;
    goal goal;
    int part; /* COUNTED: all */
} planned;

static const planned plan_of[] = {
    {4, 1, GOAL_NONE, COUNTED},        {5, 2, GOAL_ALL, COUNTED},
    {10, 1, GOAL_LOW_BELOW, COUNTED},  {10, 1, GOAL_LOW_AT, COUNTED},
    {5, 1, GOAL_HIGH_ABOVE, L1},       {1, 1, GOAL_NONE, COUNTED},
    {1, 1, GOAL_HIGH_ABOVE, UP},       {1, 0, GOAL_NONE, COUNTED}, /* clocks that stand still */
    {25, 2, GOAL_LOW_BELOW, COUNTED},  {25, 2, GOAL_LOW_AT, COUNTED},
    {25, 2, GOAL_LOW_ABOVE, COUNTED},  {25, 2, GOAL_HIGH_BELOW, COUNTED},
    {25, 2, GOAL_HIGH_AT, COUNTED},    {25, 2, GOAL_HIGH_ABOVE, COUNTED},
    {25, 2, GOAL_HIGH_ABOVE, SCHED},   {25, 2, GOAL_HIGH_ABOVE, L1},
    {25, 2, GOAL_HIGH_ABOVE, UP},      {25, 2, GOAL_HIGH_ABOVE, DOWN},
    {25, 2, GOAL_HIGH_ABOVE, L2},      {25, 2, GOAL_HIGH_ABOVE, DRAM},
    {20, 1, GOAL_LOW_AT, COUNTED},     {20, 1, GOAL_HIGH_AT, COUNTED},
    {25, 3, GOAL_LOW_AT, SCHED},       {25, 3, GOAL_LOW_AT, L1},
    {25, 3, GOAL_LOW_AT, UP},          {25, 3, GOAL_LOW_AT, DOWN},
    {25, 3, GOAL_LOW_AT, L2},          {25, 3, GOAL_LOW_AT, DRAM},
    {25, 3, GOAL_IDLE_BELOW, COUNTED}, {25, 3, GOAL_IDLE_AT, COUNTED},
};
enum { DIRECTED = sizeof plan_of / sizeof plan_of[0] };

/* Windows that end by themselves. They are long where the window is, so random ones come first. */
static const planned whole_of[] = {
    {65535, 1, GOAL_LOW_AT, COUNTED},
    {65535, 3, GOAL_ALL, COUNTED},
    {65535, 1, GOAL_IDLE_BELOW, COUNTED},
};
enum { WHOLE = sizeof whole_of / sizeof whole_of[0], WHOLE_FROM = 10000 };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_throughput_monitor_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, COUNTED);
    s->step = with_directed ? 0 : DIRECTED;
    const wr_throughput_monitor_cfg *c = &s->cfg;
    const uint64_t noc = (uint64_t)c->sustain * 100;
    s->part[SCHED] = (count){.ports = c->sms * c->scheds, .low = 6000, .high = 8000};
    s->part[L1] = (count){.ports = c->sms, .low = 6000, .high = 8000};
    s->part[UP] = (count){.ports = c->sms, .low = noc * 60 / 100, .high = noc * 90 / 100};
    s->part[DOWN] = (count){.ports = c->parts, .low = noc * 60 / 100, .high = noc * 90 / 100};
    s->part[L2] = (count){.ports = c->parts, .low = 6000, .high = 8000};
    s->part[DRAM] = (count){.ports = c->parts, .low = 5000, .high = 100u * c->dram_sat};
    s->idle = 2;
}

static uint64_t aim(goal g, const count *p, uint64_t possible, wr_rng *rng)
{
    const uint64_t low = possible * p->low;
    const uint64_t high = possible * p->high;
    const uint64_t idle = possible * 300;
    uint64_t want = 0;
    switch (g) {
    case GOAL_ALL:
        want = possible;
        break;
    case GOAL_RANDOM:
        want = wr_rng_below(rng, (uint32_t)possible + 1u);
        break;
    case GOAL_LOW_BELOW:
        want = low == 0 ? 0 : (low - 1) / 10000;
        break;
    case GOAL_LOW_AT:
        want = low / 10000;
        break;
    case GOAL_LOW_ABOVE:
        want = low / 10000 + 1;
        break;
    case GOAL_HIGH_BELOW:
        want = high == 0 ? 0 : (high - 1) / 10000;
        break;
    case GOAL_HIGH_AT:
        want = high / 10000;
        break;
    case GOAL_HIGH_ABOVE:
        want = high / 10000 + 1;
        break;
    case GOAL_IDLE_BELOW:
        want = idle == 0 ? 0 : (idle - 1) / 10000;
        break;
    case GOAL_IDLE_AT:
        want = (idle + 9999) / 10000;
        break;
    case GOAL_NONE:
    case GOALS:
        break;
    }
    return want < possible ? want : possible;
}

static void set_part(state *s, counted k, uint32_t ticks, goal g)
{
    count *p = &s->part[k];
    p->ticks = k == SCHED || k == L1 ? 1 : ticks;
    p->can = (uint64_t)p->ports * p->ticks * s->length;
    p->left = aim(g, p, p->can, &s->rng);
    p->total = 0;
    p->possible = 0;
}

static void begin_window(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t most = s->cfg.window;
    s->cycle = 0;
    s->mixed_clocks = false;
    const bool whole = s->whole < WHOLE && s->now > WHOLE_FROM;
    s->calm = s->step < DIRECTED || whole;
    if (s->calm) {
        const planned *d = whole ? &whole_of[s->whole++] : &plan_of[s->step++];
        s->length = d->length < most ? d->length : most;
        for (int k = 0; k < COUNTED; k++) {
            set_part(s, (counted)k, d->ticks,
                     d->part == COUNTED || d->part == k ? d->goal : GOAL_NONE);
        }
        return;
    }
    /* A length that bounds divide well, any other short one, the longest now and then. */
    s->length = wr_rng_chance(r, 50) ? 5 * (1 + wr_rng_below(r, 10)) : 1 + wr_rng_below(r, 40);
    if (s->length > most || wr_rng_below(r, 30 + most / 4) == 0) {
        s->length = most;
    }
    s->mixed_clocks = wr_rng_chance(r, 30);
    const uint32_t noc_ticks = wr_rng_below(r, 4);
    const uint32_t l2_ticks = wr_rng_below(r, 4);
    const uint32_t dram_ticks = wr_rng_below(r, 4);
    const uint32_t ticks[COUNTED] = {1, 1, noc_ticks, noc_ticks, l2_ticks, dram_ticks};
    const bool one = wr_rng_chance(r, 40); /* all but one well below */
    const uint32_t odd_one = wr_rng_below(r, COUNTED);
    for (uint32_t k = 0; k < COUNTED; k++) {
        goal g = (goal)wr_rng_below(r, GOALS);
        if (one && k != odd_one) {
            g = wr_rng_chance(r, 50) ? GOAL_NONE : GOAL_LOW_BELOW;
        }
        set_part(s, (counted)k, ticks[k], g);
    }
}

static void begin_kernel(state *s)
{
    wr_rng *r = &s->rng;
    s->phase = s->cfg.warmup == 0 ? PHASE_MEASURE : PHASE_WARM;
    s->cycle = 0;
    s->length = s->cfg.warmup;
    s->ended = false;
    if (s->phase == PHASE_MEASURE) {
        begin_window(s);
    } else if (s->step == 0 || wr_rng_below(r, 20 + s->length / 50) != 0) {
        const uint32_t cut = s->step == 0 ? 3 : 1 + wr_rng_below(r, 20);
        s->length = cut < s->length ? cut : s->length;
    }
}

/* The events of one part in this cycle; its goal is still met in the cycles that are left. */
static uint32_t draw(state *s, counted k, uint32_t ticks)
{
    count *p = &s->part[k];
    const uint32_t most = p->ports * ticks;
    uint32_t n = wr_rng_below(&s->rng, most + 1);
    if (!s->mixed_clocks) {
        p->can -= most;
        const uint64_t least = p->left > p->can ? p->left - p->can : 0;
        n = n < least ? (uint32_t)least : n;
        n = n > p->left ? (uint32_t)p->left : n;
        p->left -= n;
    }
    p->total += n;
    p->possible += most;
    return n;
}

static void play_window(state *s, wr_throughput_monitor_in *in)
{
    wr_rng *r = &s->rng;
    in->noc_cycles = (uint8_t)(s->mixed_clocks ? wr_rng_below(r, 4) : s->part[UP].ticks);
    in->l2_cycles = (uint8_t)(s->mixed_clocks ? wr_rng_below(r, 4) : s->part[L2].ticks);
    in->dram_cycles = (uint8_t)(s->mixed_clocks ? wr_rng_below(r, 4) : s->part[DRAM].ticks);
    in->issued = (uint8_t)draw(s, SCHED, 1);
    in->l1 = (uint8_t)draw(s, L1, 1);
    in->up = (uint8_t)draw(s, UP, in->noc_cycles);
    in->down = (uint8_t)draw(s, DOWN, in->noc_cycles);
    in->l2 = (uint8_t)draw(s, L2, in->l2_cycles);
    in->dram = (uint8_t)draw(s, DRAM, in->dram_cycles);
}

static void noise(state *s, wr_throughput_monitor_in *in)
{
    wr_rng *r = &s->rng;
    in->noc_cycles = (uint8_t)wr_rng_below(r, 4);
    in->l2_cycles = (uint8_t)wr_rng_below(r, 4);
    in->dram_cycles = (uint8_t)wr_rng_below(r, 4);
    in->issued = (uint8_t)wr_rng_below(r, s->part[SCHED].ports + 1);
    in->l1 = (uint8_t)wr_rng_below(r, s->part[L1].ports + 1);
    in->up = (uint8_t)wr_rng_below(r, s->part[UP].ports * in->noc_cycles + 1);
    in->down = (uint8_t)wr_rng_below(r, s->part[DOWN].ports * in->noc_cycles + 1);
    in->l2 = (uint8_t)wr_rng_below(r, s->part[L2].ports * in->l2_cycles + 1);
    in->dram = (uint8_t)wr_rng_below(r, s->part[DRAM].ports * in->dram_cycles + 1);
}

/* One pin above its range: by one, or anywhere. */
static void spoil(state *s, uint32_t kind, wr_throughput_monitor_in *in)
{
    wr_rng *r = &s->rng;
    uint8_t *pin[COUNTED] = {&in->issued, &in->l1, &in->up, &in->down, &in->l2, &in->dram};
    const uint32_t ticks[COUNTED] = {
        1, 1, in->noc_cycles, in->noc_cycles, in->l2_cycles, in->dram_cycles};
    const uint32_t width[COUNTED] = {8, 6, 7, 7, 7, 7};
    const uint32_t k = kind - 1;
    const uint32_t most = s->part[k].ports * ticks[k];
    const uint32_t top = (1u << width[k]) - 1u;
    const uint32_t above = wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, top - most);
    *pin[k] = (uint8_t)(most + 1 + above);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    const wr_throughput_monitor_out *last = last_out;
    wr_throughput_monitor_in *in = in_;
    const bool directed = s->step < DIRECTED || (s->phase == PHASE_MEASURE && s->calm);
    s->now = cycle;

    *in = (wr_throughput_monitor_in){0};
    s->last_valid = last->valid;
    s->ended = s->window_ends;
    s->window_ends = false;
    s->dropped_by_start = false;
    s->dropped_by_stop = false;
    if (s->phase == PHASE_MEASURE) {
        play_window(s, in);
    } else {
        noise(s, in);
    }
    if (s->phase == PHASE_IDLE) {
        in->cut = wr_rng_chance(r, 10);
        in->stop = !directed && wr_rng_chance(r, 5);
        s->idle -= s->idle > 0;
        in->start = s->idle == 0;
    } else if (!directed) {
        /* Often in the cycle behind a window, where a verdict is under way. */
        const uint32_t seldom = 6 * s->length + 60;
        in->start = wr_rng_chance(r, s->ended ? 4 : 0) || wr_rng_below(r, seldom) == 0;
        in->stop = wr_rng_chance(r, s->ended ? 4 : 0) || wr_rng_below(r, seldom) == 0;
        in->stop = in->stop || (in->start && wr_rng_chance(r, 20));
        wr_faults_step(&s->faults);
        const uint32_t kind = wr_faults_pick(&s->faults, last->fault, 3, r);
        if (kind != 0) {
            spoil(s, kind, in);
            s->mixed_clocks = true; /* the plan is off */
        }
    }
    s->dropped_by_start = in->start && s->ended;
    s->dropped_by_stop = in->stop && !in->start && s->ended;
    if (in->start) {
        in->cut = in->cut || wr_rng_chance(r, 20);
        begin_kernel(s);
        return;
    }
    if (in->stop && s->phase != PHASE_IDLE) {
        s->phase = PHASE_IDLE;
        s->idle = 1 + wr_rng_below(r, 6);
        in->cut = wr_rng_chance(r, 20);
        return;
    }
    if (s->phase == PHASE_IDLE || ++s->cycle < s->length) {
        return;
    }
    const uint32_t natural = s->phase == PHASE_WARM ? s->cfg.warmup : s->cfg.window;
    in->cut = s->length != natural || wr_rng_chance(r, 20);
    if (s->phase == PHASE_MEASURE) {
        s->window_ends = true;
    }
    s->phase = PHASE_MEASURE;
}

/* The next window is planned once the cover of this cycle has seen the last one. */
static void next_planned(void *state_, uint64_t cycle, const void *last_out, void *in)
{
    state *s = state_;
    if (s->phase == PHASE_MEASURE && s->cycle >= s->length) {
        begin_window(s);
    }
    next(s, cycle, last_out, in);
}

static const char *const bin_names[] = {
    "events in idle",
    "stop in idle",
    "cut in idle",
    "warm-up ends by itself",
    "warm-up cut",
    "window ends by itself",
    "window cut",
    "cut with the natural end",
    "window of one cycle",
    "start in warm-up",
    "start in a window",
    "start and stop",
    "start drops a verdict",
    "stop drops a verdict",
    "start with a verdict shown",
    "verdict under",
    "verdict moderate",
    "verdict saturated",
    "verdicts in two cycles running",
    "saturated by schedulers alone",
    "saturated by L1 alone",
    "saturated by interconnect alone",
    "saturated by L2 alone",
    "saturated by DRAM alone",
    "not under by schedulers alone",
    "not under by L1 alone",
    "not under by interconnect alone",
    "not under by L2 alone",
    "not under by DRAM alone",
    "every part at its low bound",
    "every part at its high bound",
    "interconnect high upwards alone",
    "interconnect high downwards alone",
    "L1 idle",
    "L1 not idle by one port cycle",
    "window without interconnect cycles",
    "full use",
    "clocks that change",
    "fault",
};
enum {
    BIN_IDLE_EVENTS,
    BIN_IDLE_STOP,
    BIN_IDLE_CUT,
    BIN_WARM_END,
    BIN_WARM_CUT,
    BIN_WINDOW_END,
    BIN_WINDOW_CUT,
    BIN_CUT_NATURAL,
    BIN_ONE,
    BIN_START_WARM,
    BIN_START_MEASURE,
    BIN_START_STOP,
    BIN_START_DROPS,
    BIN_STOP_DROPS,
    BIN_START_VALID,
    BIN_UNDER,
    BIN_MODERATE,
    BIN_SATURATED,
    BIN_RUNNING,
    BIN_HIGH_ALONE,                     /* five */
    BIN_LOW_ALONE = BIN_HIGH_ALONE + 5, /* five */
    BIN_LOW_AT = BIN_LOW_ALONE + 5,
    BIN_HIGH_AT,
    BIN_UP_ALONE,
    BIN_DOWN_ALONE,
    BIN_L1_IDLE,
    BIN_L1_BUSY,
    BIN_NO_NOC,
    BIN_FULL,
    BIN_MIXED,
    BIN_FAULT,
    BINS,
};

/* Bins of the window that ends in this cycle, by the counts that the stimulus itself keeps. */
static void cover_window(const state *s, uint64_t *hits)
{
    bool low_at = true;
    bool high_at = true;
    bool full = true;
    for (int k = 0; k < COUNTED; k++) {
        const count *p = &s->part[k];
        low_at = low_at && p->possible > 0 && p->total * 10000 == p->possible * p->low;
        high_at = high_at && p->possible > 0 && p->total * 10000 == p->possible * p->high;
        full = full && p->possible > 0 && p->total == p->possible;
    }
    const count *up = &s->part[UP];
    const count *down = &s->part[DOWN];
    const bool up_high = up->total * 10000 > up->possible * up->high;
    const bool down_high = down->total * 10000 > down->possible * down->high;
    const uint64_t l1 = s->part[L1].total * 100;
    const uint64_t idle = s->part[L1].possible * 3;
    hits[BIN_ONE] += s->cycle == 1;
    hits[BIN_LOW_AT] += low_at;
    hits[BIN_HIGH_AT] += high_at;
    hits[BIN_UP_ALONE] += up_high && !down_high;
    hits[BIN_DOWN_ALONE] += down_high && !up_high;
    hits[BIN_L1_IDLE] += l1 < idle;
    hits[BIN_L1_BUSY] += l1 >= idle && l1 < idle + 100;
    hits[BIN_NO_NOC] += up->possible == 0;
    hits[BIN_FULL] += full;
    hits[BIN_MIXED] += s->mixed_clocks && s->cycle > 1;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_throughput_monitor_in *in = in_;
    const wr_throughput_monitor_out *out = out_;
    const bool runs = !in->start && !in->stop && out->state != PHASE_IDLE;
    const bool warm = out->state == PHASE_WARM;
    const bool ends = runs && s->cycle >= s->length;
    const bool natural = ends && s->cycle == (warm ? s->cfg.warmup : s->cfg.window);

    hits[BIN_IDLE_EVENTS] += out->state == PHASE_IDLE && in->issued != 0;
    hits[BIN_IDLE_STOP] += out->state == PHASE_IDLE && in->stop;
    hits[BIN_IDLE_CUT] += out->state == PHASE_IDLE && in->cut;
    hits[BIN_WARM_END] += natural && warm && !in->cut;
    hits[BIN_WARM_CUT] += ends && warm && !natural;
    hits[BIN_WINDOW_END] += natural && !warm && !in->cut;
    hits[BIN_WINDOW_CUT] += ends && !warm && !natural;
    hits[BIN_CUT_NATURAL] += natural && in->cut;
    hits[BIN_START_WARM] += in->start && warm;
    hits[BIN_START_MEASURE] += in->start && out->state == PHASE_MEASURE;
    hits[BIN_START_STOP] += in->start && in->stop;
    hits[BIN_START_DROPS] += s->dropped_by_start;
    hits[BIN_STOP_DROPS] += s->dropped_by_stop;
    hits[BIN_START_VALID] += in->start && out->valid;
    hits[BIN_FAULT] += out->fault;
    hits[BIN_RUNNING] += out->valid && s->last_valid;
    if (out->valid) {
        hits[BIN_UNDER] += out->verdict == 0;
        hits[BIN_MODERATE] += out->verdict == 1;
        hits[BIN_SATURATED] += out->verdict == 2;
        for (unsigned p = 0; p < 5; p++) {
            hits[BIN_HIGH_ALONE + p] += out->high == 1u << p;
            hits[BIN_LOW_ALONE + p] += out->low == (31u & ~(1u << p));
        }
    }
    if (s->window_ends) {
        cover_window(s, hits);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == COUNTED + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_throughput_monitor_stim;
const wr_stim wr_throughput_monitor_stim = {
    .block = "throughput_monitor",
    .state_size = sizeof(state),
    .init = init,
    .next = next_planned,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = COUNTED,
    .faults_at = offsetof(state, faults),
};
