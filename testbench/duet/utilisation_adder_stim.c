/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of utilisation_adder. Directed: all at rest, all in full use at each pace of the clocks,
 * each kind of value alone, each SM and partition alone. Then stretches of random traffic, in which
 * each kind keeps a level and the clocks a pace, or change them from cycle to cycle; in episodes
 * with faults a value above its range now and then. */
#include <string.h>

#include "refmodel/gen/utilisation_adder_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

/* What each SM or partition says; those in front of L1 can be above their range. */
typedef enum kind { ISSUED, UP, DOWN, L2, DRAM, L1, KINDS } kind;
enum { EVERY = (1 << KINDS) - 1, FAULTS = L1 };

/* By kind of fault: 1 and what is above. */
static const char *const fault_names[] = {
    NULL,
    "issued above Scheds",
    "up above noc_cycles",
    "down above noc_cycles",
    "l2 above l2_cycles",
    "dram above dram_cycles",
};

typedef enum level {
    LEVEL_NONE,
    LEVEL_ALL,
    LEVEL_BELOW, /* one below full use, each */
    LEVEL_ONE,   /* one of them, full */
    LEVEL_FEW,
    LEVEL_ANY,
    LEVELS,
} level;

enum { START = 1, STOP = 2, CUT = 4 };

typedef struct plan {
    level level;
    uint8_t kinds; /* those that do something, a bit each */
    uint8_t ticks; /* of the three clocks */
    uint8_t run;
} plan;

static const plan plans[] = {
    {LEVEL_NONE, 0, 0, 0},
    {LEVEL_ANY, EVERY, 1, START},
    {LEVEL_ALL, EVERY, 1, 0},
    {LEVEL_ALL, EVERY, 2, 0},
    {LEVEL_ALL, EVERY, 3, 0},
    {LEVEL_NONE, 0, 3, 0},
    {LEVEL_ALL, 1 << ISSUED, 3, CUT},
    {LEVEL_ALL, 1 << UP, 3, 0},
    {LEVEL_ALL, 1 << DOWN, 3, 0},
    {LEVEL_ALL, 1 << L2, 3, 0},
    {LEVEL_ALL, 1 << DRAM, 3, 0},
    {LEVEL_ALL, 1 << L1, 3, 0},
    {LEVEL_BELOW, EVERY, 3, 0},
    {LEVEL_NONE, 0, 0, STOP},
    {LEVEL_NONE, 0, 0, START | STOP},
    {LEVEL_NONE, 0, 0, CUT},
};
enum {
    PLANS = sizeof plans / sizeof plans[0],
    ELEMENTS = 32,
    DIRECTED = PLANS + ELEMENTS,
};

typedef struct state {
    wr_utilisation_adder_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    uint32_t step; /* directed cycles begun */
    uint32_t left; /* cycles of this stretch */
    level level[KINDS];
    uint8_t ticks[3]; /* noc, l2, dram */
    bool mixed_ticks; /* they change from cycle to cycle */
} state;

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_utilisation_adder_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULTS);
    s->step = with_directed ? 0 : DIRECTED;
}

static uint32_t count_of(const wr_utilisation_adder_cfg *cfg, kind k)
{
    return k == ISSUED || k == UP || k == L1 ? cfg->sms : cfg->parts;
}

static uint32_t most_of(const wr_utilisation_adder_cfg *cfg, const wr_utilisation_adder_in *in,
                        kind k)
{
    const uint32_t most[KINDS] = {cfg->scheds,   in->noc_cycles,  in->noc_cycles,
                                  in->l2_cycles, in->dram_cycles, 1};
    return most[k];
}

static void say(wr_utilisation_adder_in *in, kind k, uint32_t element, uint32_t value)
{
    uint8_t *const pin[] = {in->issued, in->up, in->down, in->l2, in->dram};

    if (k == L1) {
        in->l1[element] = value != 0;
    } else {
        pin[k][element] = (uint8_t)value;
    }
}

static uint32_t said(const wr_utilisation_adder_in *in, kind k, uint32_t element)
{
    const uint8_t *const pin[] = {in->issued, in->up, in->down, in->l2, in->dram};

    return k == L1 ? in->l1[element] : pin[k][element];
}

static void play(state *s, wr_utilisation_adder_in *in, kind k, level l)
{
    const uint32_t n = count_of(&s->cfg, k);
    const uint32_t most = most_of(&s->cfg, in, k);
    const uint32_t one = l == LEVEL_ONE ? wr_rng_below(&s->rng, n) : 0;

    for (uint32_t i = 0; i < n && l != LEVEL_NONE; i++) {
        uint32_t value = most;

        if (l == LEVEL_BELOW) {
            value -= value > 0;
        } else if (l == LEVEL_ONE) {
            value = i == one ? most : 0;
        } else if (l == LEVEL_ANY || (l == LEVEL_FEW && wr_rng_chance(&s->rng, 20))) {
            value = wr_rng_below(&s->rng, most + 1);
        } else if (l == LEVEL_FEW) {
            value = 0;
        }
        say(in, k, i, value);
    }
}

static void set_clocks(wr_utilisation_adder_in *in, uint32_t noc, uint32_t l2, uint32_t dram)
{
    in->noc_cycles = (uint8_t)noc;
    in->l2_cycles = (uint8_t)l2;
    in->dram_cycles = (uint8_t)dram;
}

static void play_directed(state *s, wr_utilisation_adder_in *in)
{
    const uint32_t n = s->step++;

    if (n < PLANS) {
        const plan *p = &plans[n];
        set_clocks(in, p->ticks, p->ticks, p->ticks);
        in->start = (p->run & START) != 0;
        in->stop = (p->run & STOP) != 0;
        in->cut = (p->run & CUT) != 0;
        for (int k = 0; k < KINDS; k++) {
            play(s, in, (kind)k, (p->kinds >> k & 1) != 0 ? p->level : LEVEL_NONE);
        }
        return;
    }
    set_clocks(in, 1 + n % 3, 1 + (n + 1) % 3, 1 + (n + 2) % 3);
    for (int k = 0; k < KINDS; k++) {
        say(in, (kind)k, (n - PLANS) % count_of(&s->cfg, (kind)k), most_of(&s->cfg, in, (kind)k));
    }
}

static void begin_stretch(state *s)
{
    wr_rng *r = &s->rng;
    const bool alike = wr_rng_chance(r, 30);
    const level all = (level)wr_rng_below(r, LEVELS);

    s->left = 1 + wr_rng_below(r, 12);
    s->mixed_ticks = wr_rng_chance(r, 50);
    for (int k = 0; k < KINDS; k++) {
        s->level[k] = alike ? all : (level)wr_rng_below(r, LEVELS);
    }
    for (int c = 0; c < 3; c++) {
        s->ticks[c] = (uint8_t)wr_rng_below(r, 4);
    }
}

static void play_random(state *s, wr_utilisation_adder_in *in, bool shown)
{
    wr_rng *r = &s->rng;
    uint32_t ticks[3];

    if (s->left == 0) {
        begin_stretch(s);
    }
    s->left--;
    wr_faults_step(&s->faults);
    const uint32_t fault = wr_faults_pick(&s->faults, shown, 3, r);
    for (int c = 0; c < 3; c++) {
        ticks[c] = s->mixed_ticks ? wr_rng_below(r, 4) : s->ticks[c];
        /* Three cycles leave no value that is above them. */
        ticks[c] -= fault > 1 + ISSUED && ticks[c] == 3;
    }
    set_clocks(in, ticks[0], ticks[1], ticks[2]);
    for (int k = 0; k < KINDS; k++) {
        play(s, in, (kind)k, s->level[k]);
    }
    if (fault != 0) {
        const kind k = (kind)(fault - 1);
        const uint32_t most = most_of(&s->cfg, in, k);
        const uint32_t top = k == ISSUED ? 7 : 3;
        const uint32_t above = wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, top - most);
        say(in, k, wr_rng_below(r, count_of(&s->cfg, k)), most + 1 + above);
    }
    in->start = wr_rng_chance(r, 5);
    in->stop = wr_rng_chance(r, 5);
    in->cut = wr_rng_chance(r, 10);
}

static bool busy(const wr_utilisation_adder_in *in)
{
    static const wr_utilisation_adder_in rest;

    return memcmp(in, &rest, sizeof rest) != 0;
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_utilisation_adder_out *last = last_out;
    wr_utilisation_adder_in *in = in_v;

    (void)cycle;
    if (s->step < DIRECTED) {
        play_directed(s, in);
    } else if (wr_rng_chance(&s->rng, 97)) {
        play_random(s, in, last->fault);
    } /* else all at rest */
}

/* Bins of each kind. */
enum { OF_NONE, OF_FULL, OF_FIRST, OF_LAST, OF_SOME, OF_KIND };

#define KIND_BINS(name)                                                                            \
    name ": none, but could be", name ": full", name ": only the first", name ": only the last",   \
        name ": some"

static const char *const bin_names[] = {
    KIND_BINS("issued"),
    KIND_BINS("up"),
    KIND_BINS("down"),
    KIND_BINS("l2"),
    KIND_BINS("dram"),
    KIND_BINS("l1"),
    "up full, down none",
    "down full, up none",
    "interconnect stands",
    "L2 stands",
    "DRAM stands",
    "three cycles of each clock",
    "three clocks of different pace",
    "start",
    "stop",
    "cut",
    "start and stop",
    "all at rest behind a busy cycle",
    "everything full",
    "fault",
};
enum {
    BIN_UP_ALONE = KINDS * OF_KIND,
    BIN_DOWN_ALONE,
    BIN_NO_NOC,
    BIN_NO_L2,
    BIN_NO_DRAM,
    BIN_THREE,
    BIN_PACES,
    BIN_START,
    BIN_STOP,
    BIN_CUT,
    BIN_BOTH,
    BIN_REST,
    BIN_ALL_FULL,
    BIN_FAULT,
    BINS,
};

/* Which of its bins a kind is in. Where a clock stands no use is possible, so it is in none. */
static int bin_of(const state *s, const wr_utilisation_adder_in *in, kind k)
{
    const uint32_t n = count_of(&s->cfg, k);
    const uint32_t most = most_of(&s->cfg, in, k);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += said(in, k, i);
    }
    if (most == 0) {
        return -1;
    }
    if (sum == 0) {
        return OF_NONE;
    }
    if (sum == n * most) {
        return OF_FULL;
    }
    if (sum == said(in, k, 0)) {
        return OF_FIRST;
    }
    return sum == said(in, k, n - 1) ? OF_LAST : OF_SOME;
}

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_utilisation_adder_in *in = in_v;
    const wr_utilisation_adder_out *out = out_v;
    int bin[KINDS];
    bool all_full = true;

    for (int k = 0; k < KINDS; k++) {
        bin[k] = bin_of(s, in, (kind)k);
        if (bin[k] >= 0) {
            hits[k * OF_KIND + bin[k]]++;
        }
        all_full = all_full && bin[k] == OF_FULL;
    }
    hits[BIN_UP_ALONE] += bin[UP] == OF_FULL && bin[DOWN] == OF_NONE;
    hits[BIN_DOWN_ALONE] += bin[DOWN] == OF_FULL && bin[UP] == OF_NONE;
    hits[BIN_NO_NOC] += in->noc_cycles == 0;
    hits[BIN_NO_L2] += in->l2_cycles == 0;
    hits[BIN_NO_DRAM] += in->dram_cycles == 0;
    hits[BIN_THREE] += in->noc_cycles == 3 && in->l2_cycles == 3 && in->dram_cycles == 3;
    hits[BIN_PACES] += in->noc_cycles != in->l2_cycles && in->l2_cycles != in->dram_cycles &&
                       in->dram_cycles != in->noc_cycles;
    hits[BIN_START] += in->start;
    hits[BIN_STOP] += in->stop;
    hits[BIN_CUT] += in->cut;
    hits[BIN_BOTH] += in->start && in->stop;
    hits[BIN_REST] += (out->issued != 0 || out->l1 != 0) && !busy(in);
    hits[BIN_ALL_FULL] += all_full;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULTS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_utilisation_adder_stim;
const wr_stim wr_utilisation_adder_stim = {
    .block = "utilisation_adder",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = FAULTS,
    .faults_at = offsetof(state, faults),
};
