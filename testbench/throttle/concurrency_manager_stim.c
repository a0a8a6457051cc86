/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of concurrency_manager: kernels, each a number of intervals that are planned before they
 * begin.
 *
 * A plan gives an interval its length and every counter the value that it shall have when it is
 * read: sums at and beside the thresholds, stalls of a core that differ by k and by one more from a
 * neighbour's. The stalls of a cycle are then drawn so that the values are met. The directed plans
 * stand in concurrency_plan.h. Most intervals are cut short so that many fit into a run.
 */
#include <string.h>

#include "refmodel/gen/concurrency_manager_pins.h"
#include "testbench/stim.h"
#include "testbench/throttle/concurrency_plan.h"
#include "testbench/traffic.h"

enum {
    LEVELS = 9,
    CORES_MAX = 32,
    PARTS_MAX = 8,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_STALL,
    FAULT_CUT,
    FAULT_LOAD,
    FAULT_KINDS = FAULT_LOAD,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_STALL] = "three schedulers of two",
    [FAULT_CUT] = "cut while sums are gathered",
    [FAULT_LOAD] = "low threshold above the high one",
};

/* A counter's way to its value. */
typedef struct goal {
    uint32_t left;   /* stalls still to come */
    uint32_t cycles; /* cycles in which they may */
} goal;

typedef struct state {
    wr_concurrency_manager_cfg cfg;
    wr_rng rng;
    wr_faults faults;

    uint32_t step;      /* directed intervals begun */
    uint32_t intervals; /* left in this kernel */
    uint32_t cyc;       /* of the interval */
    uint32_t length;    /* of the interval, planned */
    uint32_t usual;     /* length of this kernel's intervals */
    bool balance;
    uint32_t k;
    uint32_t th_high;
    uint32_t th_low;
    uint32_t
        mc_share[PARTS_MAX]; /* planned for the window that begins when the partition is read */
    uint32_t net_share[PARTS_MAX];
    uint32_t core_share[CORES_MAX];
    goal mc[PARTS_MAX];
    goal net[PARTS_MAX];
    goal core[CORES_MAX];

    /* What the bins need: core 0's counter and averages, as driven. */
    uint32_t stalls;      /* of core 0 since it was read */
    uint32_t stalls_read; /* as read in this cycle */
    uint32_t avg[LEVELS];
    bool valid[LEVELS];
    bool all_mc;          /* partition 0 stalled in every cycle since it was read */
    bool whole;           /* and that was a whole interval */
    uint32_t last_length; /* of the interval before */
    uint32_t at;          /* cycle of the interval that is driven */
    bool ends;            /* the interval ends with it */
    uint32_t high;        /* thresholds in force in it */
    uint32_t low;
    wr_concurrency_manager_in last_in;
} state;

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_concurrency_manager_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed ? 0 : planned_intervals();
    s->length = s->cfg.parts + 2;
    s->usual = s->length;
    s->balance = true;
    s->th_high = s->cfg.interval;
    s->th_low = s->cfg.interval / 4;
}

static uint32_t fit(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

/* Spreads a sum over the partitions, none above the interval's length. */
static void share_sum(state *s, uint32_t sum, uint32_t *share)
{
    const uint32_t parts = s->cfg.parts;
    uint32_t left = fit(sum, parts * s->length);
    for (uint32_t p = 0; p < parts; p++) {
        const uint32_t rest = (parts - 1 - p) * s->length;
        const uint32_t least = left > rest ? left - rest : 0;
        const uint32_t most = fit(left, s->length);
        share[p] = least + wr_rng_below(&s->rng, most - least + 1);
        left -= share[p];
    }
}

/* A sum for Part 1: far from, beside and on the thresholds. */
static uint32_t pick_sum(state *s, uint32_t wish)
{
    wr_rng *r = &s->rng;
    const uint32_t full = s->cfg.parts * s->length;
    if (wish == REDUCE) {
        return wr_rng_chance(r, 40) ? s->th_high : s->th_high + wr_rng_below(r, full + 1);
    }
    if (wish == INCREASE) {
        return s->th_low == 0 || wr_rng_chance(r, 40) ? s->th_low - (s->th_low > 0)
                                                      : wr_rng_below(r, s->th_low);
    }
    const uint32_t band = s->th_high > s->th_low ? s->th_high - s->th_low : 1;
    const uint32_t pick = wr_rng_below(r, 3);
    return pick == 0 ? s->th_low : s->th_low + (pick == 1 ? band - 1 : wr_rng_below(r, band));
}

static uint32_t pick_stall(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t k = (s->k + 1) * s->cfg.interval / 32;
    const uint32_t most = 2 * s->length;
    const uint32_t values[] = {0, k, k + 1, 2 * k, 2 * k + 1, most, wr_rng_below(r, most + 1)};
    return fit(values[wr_rng_below(r, sizeof values / sizeof values[0])], most);
}

static void plan_shares(state *s, uint32_t wish, const planned *p)
{
    wr_rng *r = &s->rng;
    /* reduce needs one high sum, increase two low ones, keep none high and one not low. */
    uint32_t mc = wish;
    uint32_t net = wish;
    if (wr_rng_chance(r, 60)) {
        mc = wish == REDUCE ? wr_rng_below(r, 3) : mc;
        net = wish == KEEP ? wr_rng_below(r, 2) : net;
        if (wr_rng_chance(r, 50)) {
            const uint32_t swap = mc;
            mc = net;
            net = swap;
        }
    }
    share_sum(s, pick_sum(s, mc), s->mc_share);
    share_sum(s, pick_sum(s, net), s->net_share);
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        s->core_share[c] = fit(p != NULL ? p->stall : pick_stall(s), 2 * s->length);
    }
}

/* Everything stalls in every cycle of the interval. */
static void stall_always(state *s)
{
    for (uint32_t p = 0; p < s->cfg.parts; p++) {
        s->mc_share[p] = s->length;
        s->net_share[p] = s->length;
    }
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        s->core_share[c] = 2 * s->length;
    }
}

/* Plans the interval whose cycle 0 is the next cycle driven. */
static void begin_interval(state *s)
{
    wr_rng *r = &s->rng;
    const planned *p = plan_at(s->step);
    s->step += p != NULL;
    s->cyc = 0;
    s->last_length = s->length;
    if (p != NULL) {
        s->length = fit(p->length, s->cfg.interval);
    } else {
        s->length = fit(s->usual + wr_rng_below(r, 3), s->cfg.interval);
        s->intervals -= s->intervals > 0;
        if (wr_rng_below(r, 30 + s->cfg.interval / 8) == 0) { /* a whole one */
            s->length = s->cfg.interval;
            if (wr_rng_chance(r, 50)) {
                stall_always(s);
                return;
            }
        }
    }
    plan_shares(s, p != NULL ? p->wish : wr_rng_below(r, 3), p);
}

static void forget(state *s)
{
    s->stalls = 0;
    memset(s->valid, 0, sizeof s->valid);
    memset(s->mc, 0, sizeof s->mc);
    memset(s->net, 0, sizeof s->net);
    memset(s->core, 0, sizeof s->core);
    s->all_mc = false;
    for (uint32_t p = 0; p < s->cfg.parts; p++) { /* stalls that must not enter a sum */
        s->mc[p] = (goal){wr_rng_below(&s->rng, 3), 4};
        s->net[p] = (goal){wr_rng_below(&s->rng, 3), 4};
    }
}

static void start_kernel(state *s, wr_concurrency_manager_in *in)
{
    wr_rng *r = &s->rng;
    const planned *p = plan_at(s->step);
    const uint32_t shortest = s->cfg.parts + 2;
    in->start = true;
    s->balance = p != NULL ? p->balance : wr_rng_chance(r, 80);
    s->k = p == NULL ? wr_rng_below(r, 4) : p->stall == MOST ? 3 : 0;
    in->balance = s->balance;
    in->k = (uint8_t)s->k;
    s->usual = shortest + wr_rng_below(r, wr_rng_chance(r, 50) ? 12 : 60);
    s->intervals = 2 + wr_rng_below(r, wr_rng_chance(r, 30) ? 5 : 60);
    /* Thresholds that sums of so short intervals can reach, or the paper's. */
    in->load = p == NULL || s->step == 0;
    const uint32_t full = s->cfg.parts * fit(s->usual, s->cfg.interval);
    s->th_high = p != NULL ? 8 : 1 + wr_rng_below(r, full);
    s->th_low = p != NULL ? 2 : wr_rng_below(r, s->th_high + 1);
    if (p == NULL && wr_rng_chance(r, 10)) { /* each bit alone, most of them above any sum */
        s->th_high = 1u << wr_rng_below(r, 13);
        s->th_low = wr_rng_chance(r, 50) ? s->th_high : 0;
    }
    in->th_high = (uint16_t)s->th_high;
    in->th_low = (uint16_t)s->th_low;
    forget(s);
    begin_interval(s);
}

/* Whether a counter that may rise by up to `step` does, so that its value is met. */
static uint32_t draw(goal *g, uint32_t step, wr_rng *rng)
{
    const uint32_t after = g->cycles > 0 ? (g->cycles - 1) * step : 0;
    const uint32_t least = g->left > after ? g->left - after : 0;
    const uint32_t most = fit(g->left, step);
    const uint32_t n = least >= most ? most : least + wr_rng_below(rng, most - least + 1);
    g->left -= n;
    g->cycles -= g->cycles > 0;
    return n;
}

static void drive_stalls(state *s, bool faulty, wr_concurrency_manager_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t parts = s->cfg.parts;
    if (s->cyc < parts) {
        s->mc[s->cyc] = (goal){s->mc_share[s->cyc], s->length};
        s->net[s->cyc] = (goal){s->net_share[s->cyc], s->length};
    }
    for (uint32_t p = 0; p < parts; p++) {
        in->stall_mc[p] = draw(&s->mc[p], 1, r) != 0;
        in->stall_net[p] = draw(&s->net[p], 1, r) != 0;
    }
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        if (s->cyc == parts) {
            s->core[c] = (goal){s->core_share[c], s->length};
        }
        in->stall_core[c] = (uint8_t)draw(&s->core[c], 2, r);
    }
    if (faulty) {
        in->stall_core[wr_rng_below(r, s->cfg.cores)] = 3;
    }
}

static uint32_t level_of(uint32_t limit)
{
    static const uint8_t warps[LEVELS] = {1, 2, 3, 4, 6, 8, 16, 24, 48};
    for (uint32_t l = 0; l < LEVELS; l++) {
        if (warps[l] == limit) {
            return l;
        }
    }
    return LEVELS;
}

/* Core 0's average of its level, with the stalls that are read now. */
static uint32_t new_avg(const state *s, uint32_t level)
{
    const uint32_t stall = fit(s->stalls_read, 2047);
    return s->valid[level] ? (s->avg[level] + 3 * stall) / 4 : stall;
}

/* The shadow of core 0, behind the cycle that was driven last. */
static void follow(state *s, const wr_concurrency_manager_out *last)
{
    const uint32_t level = level_of(last->limit[0]);
    if (last->decide && !s->last_in.start && s->balance && level < LEVELS) {
        s->avg[level] = new_avg(s, level);
        s->valid[level] = true;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    const wr_concurrency_manager_out *last = last_out;
    wr_concurrency_manager_in *in = in_;
    const bool directed = plan_at(s->step) != NULL;
    const uint32_t parts = s->cfg.parts;

    if (cycle > 0) {
        follow(s, last);
    }
    *in = (wr_concurrency_manager_in){
        .balance = wr_rng_chance(r, 50), /* without meaning but with start */
        .th_high = (uint16_t)wr_rng_below(r, 8192),
        .th_low = (uint16_t)wr_rng_below(r, 8192),
        .k = (uint8_t)s->k,
        .core = (uint8_t)(directed ? 0 : wr_rng_below(r, wr_rng_chance(r, 60) ? s->cfg.cores : 32)),
        .level = (uint8_t)(directed ? (s->cyc + 6) % 9 : wr_rng_below(r, 12)),
    };
    uint32_t kind = FAULT_NONE;
    if (!directed) {
        wr_faults_step(&s->faults);
        kind = wr_faults_pick(&s->faults, last->fault, 3, r);
    }
    s->at = s->cyc;
    s->ends = false;
    s->high = s->th_high;
    s->low = s->th_low;
    s->stalls_read = s->stalls;
    drive_stalls(s, kind == FAULT_STALL, in);
    s->stalls = (s->cyc == parts ? 0 : s->stalls) + fit(in->stall_core[0], 2);
    s->whole = s->cyc == 0 && s->all_mc && s->last_length == s->cfg.interval;
    s->all_mc = (s->cyc == 0 || s->all_mc) && in->stall_mc[0];

    if (!directed && (wr_rng_below(r, 300) == 0 || kind == FAULT_LOAD)) {
        const uint32_t high = wr_rng_below(r, parts * s->usual + 1);
        const uint32_t low = wr_rng_below(r, high + 1);
        in->load = true;
        s->th_high = kind == FAULT_LOAD ? low : high;
        s->th_low = kind == FAULT_LOAD ? high + 1 : low;
        in->th_high = (uint16_t)s->th_high;
        in->th_low = (uint16_t)s->th_low;
    }
    in->cut = kind == FAULT_CUT && s->cyc <= parts;

    /* Ends of kernels: a start somewhere, often in the cycle of a decision. */
    const bool over = !directed && s->intervals == 0 && wr_rng_chance(r, s->cyc == parts ? 30 : 3);
    const planned *p = plan_at(s->step);
    const bool planned_start = p != NULL && p->start && (s->step == 0 || s->cyc + 1 == s->length) &&
                               (s->step == 0 || plan_at(s->step - 1) != p);
    if (over || (planned_start && cycle > 0)) {
        const bool loaded = in->load;
        start_kernel(s, in);
        in->load = in->load || loaded;
        in->cut = wr_rng_chance(r, 10);
    } else if (s->step > 0 && s->cyc + 1 >= s->length) {
        const bool natural = s->length == s->cfg.interval;
        in->cut = !natural || wr_rng_chance(r, 20);
        s->ends = true;
        begin_interval(s);
    } else {
        s->cyc++;
    }
    s->last_in = *in;
}

static const char *const bin_names[] = {
    "interval ends by itself",
    "interval cut",
    "cut with the natural end",
    "first interval: no decision",
    "start while sums are gathered",
    "start in the cycle of a decision",
    "start elsewhere",
    "thresholds loaded in the cycle of a decision",
    "a sum at the high threshold",
    "a sum one below the high threshold",
    "a sum at the low threshold",
    "a sum one below the low threshold",
    "only stall_MC high",
    "only stall_net high",
    "one sum low, one not",
    "a partition stalls in every cycle of a whole interval",
    "a core stalls twice in every cycle of an interval",
    "CM-CPU: reduce by 2",
    "CM-CPU: reduce at 8",
    "CM-CPU: reduce at 1",
    "CM-CPU: increase at 7",
    "CM-CPU: increase at 8",
    "CM-CPU: increase at 48",
    "CM-CPU: keep",
    "CM-BAL: reduce a level",
    "CM-BAL: reduce at 1",
    "CM-BAL: increase a level",
    "CM-BAL: increase at 48",
    "CM-BAL: level above better by more than k, against Part 1",
    "CM-BAL: level above better by k",
    "CM-BAL: level below worse by more than k, reduce stopped",
    "CM-BAL: level below worse by k, reduce goes on",
    "CM-BAL: no average below, reduce",
    "CM-BAL: forced up",
    "CM-BAL: forced down",
    "CM-BAL: forced down at 48",
    "CM-BAL: forced although reduce was stopped",
    "CM-BAL: a move in the fourth interval",
    "average cut off",
    "average of a level that has none is read",
    "core that is not there is read",
    "fault",
};
enum {
    BIN_NATURAL,
    BIN_CUT,
    BIN_CUT_NATURAL,
    BIN_FIRST,
    BIN_START_GATHER,
    BIN_START_DECIDE,
    BIN_START_ELSE,
    BIN_LOAD_DECIDE,
    BIN_AT_HIGH,
    BIN_BELOW_HIGH,
    BIN_AT_LOW,
    BIN_BELOW_LOW,
    BIN_MC_HIGH,
    BIN_NET_HIGH,
    BIN_ONE_LOW,
    BIN_PART_FULL,
    BIN_CORE_FULL,
    BIN_CPU_REDUCE_2,
    BIN_CPU_REDUCE_8,
    BIN_CPU_REDUCE_1,
    BIN_CPU_INCREASE_7,
    BIN_CPU_INCREASE_8,
    BIN_CPU_INCREASE_48,
    BIN_CPU_KEEP,
    BIN_BAL_REDUCE,
    BIN_BAL_REDUCE_1,
    BIN_BAL_INCREASE,
    BIN_BAL_INCREASE_48,
    BIN_BAL_UP,
    BIN_BAL_UP_K,
    BIN_BAL_VETO,
    BIN_BAL_VETO_K,
    BIN_BAL_NO_LOW,
    BIN_BAL_FORCED_UP,
    BIN_BAL_FORCED_DOWN,
    BIN_BAL_FORCED_48,
    BIN_BAL_FORCED_VETO,
    BIN_BAL_MOVE_FOURTH,
    BIN_AVG_CUT,
    BIN_READ_INVALID,
    BIN_READ_ABSENT,
    BIN_FAULT,
    BINS,
};

static void cover_sums(const state *s, const wr_concurrency_manager_out *out, uint64_t *hits)
{
    const uint32_t high = s->high;
    const uint32_t low = s->low;
    const uint32_t mc = out->sum_mc;
    const uint32_t net = out->sum_net;
    hits[BIN_AT_HIGH] += mc == high || net == high;
    hits[BIN_BELOW_HIGH] += mc + 1 == high || net + 1 == high;
    hits[BIN_AT_LOW] += low > 0 && (mc == low || net == low);
    hits[BIN_BELOW_LOW] += mc + 1 == low || net + 1 == low;
    hits[BIN_MC_HIGH] += mc >= high && net < high;
    hits[BIN_NET_HIGH] += net >= high && mc < high;
    hits[BIN_ONE_LOW] += mc < high && net < high && (mc < low) != (net < low);
    hits[BIN_CORE_FULL] += s->stalls_read > 0 && s->stalls_read == 2 * s->cfg.interval;
}

static void cover_cpu(uint32_t part1, uint32_t limit, uint64_t *hits)
{
    hits[BIN_CPU_REDUCE_2] += part1 == REDUCE && limit > 8;
    hits[BIN_CPU_REDUCE_8] += part1 == REDUCE && limit == 8;
    hits[BIN_CPU_REDUCE_1] += part1 == REDUCE && limit == 1;
    hits[BIN_CPU_INCREASE_7] += part1 == INCREASE && limit == 7;
    hits[BIN_CPU_INCREASE_8] += part1 == INCREASE && limit == 8;
    hits[BIN_CPU_INCREASE_48] += part1 == INCREASE && limit == 48;
    hits[BIN_CPU_KEEP] += part1 == KEEP;
}

/* Core 0, whose averages the stimulus follows; run is known when core 0 is the one that is read. */
static void cover_balanced(const state *s, const wr_concurrency_manager_in *in,
                           const wr_concurrency_manager_out *out, uint64_t *hits)
{
    const uint32_t l = level_of(out->limit[0]);
    if (l == LEVELS) {
        return;
    }
    const uint32_t k = (in->k + 1u) * s->cfg.interval / 32;
    const uint32_t here = new_avg(s, l);
    const bool has_up = l < LEVELS - 1 && s->valid[l + 1];
    const bool has_low = l > 0 && s->valid[l - 1];
    const bool up = has_up && here > s->avg[l + 1] + k;
    const bool worse = has_low && s->avg[l - 1] > here + k;
    const bool reduce = out->part1 == REDUCE;
    const bool increase = out->part1 == INCREASE;
    const bool veto = reduce && !up && worse;
    const bool moves = up || (increase && l < LEVELS - 1) || (reduce && l > 0 && !veto);
    const bool fourth = in->core == 0 && out->run == 3;

    hits[BIN_BAL_REDUCE] += reduce && l > 0 && !up && !veto;
    hits[BIN_BAL_REDUCE_1] += reduce && l == 0 && !up;
    hits[BIN_BAL_INCREASE] += increase && l < LEVELS - 1 && !up;
    hits[BIN_BAL_INCREASE_48] += increase && l == LEVELS - 1;
    hits[BIN_BAL_UP] += up && reduce;
    hits[BIN_BAL_UP_K] += has_up && here == s->avg[l + 1] + k && !increase;
    hits[BIN_BAL_VETO] += veto;
    hits[BIN_BAL_VETO_K] += reduce && !up && has_low && s->avg[l - 1] == here + k;
    hits[BIN_BAL_NO_LOW] += reduce && l > 0 && !up && !has_low;
    hits[BIN_BAL_FORCED_UP] += fourth && !moves && out->limit[0] < 6;
    hits[BIN_BAL_FORCED_DOWN] += fourth && !moves && out->limit[0] >= 6;
    hits[BIN_BAL_FORCED_48] += fourth && !moves && out->limit[0] == 48;
    hits[BIN_BAL_FORCED_VETO] += fourth && veto;
    hits[BIN_BAL_MOVE_FOURTH] += fourth && moves;
    hits[BIN_AVG_CUT] += s->valid[l] && (s->avg[l] + 3 * fit(s->stalls_read, 2047)) % 4 != 0;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_concurrency_manager_in *in = in_;
    const wr_concurrency_manager_out *out = out_;
    const bool gathers = s->at <= s->cfg.parts;
    const bool natural = s->ends && s->at + 1 == s->cfg.interval;
    hits[BIN_NATURAL] += natural && !in->cut;
    hits[BIN_CUT] += s->ends && !natural;
    hits[BIN_CUT_NATURAL] += natural && in->cut;
    hits[BIN_FIRST] += !in->start && s->at == s->cfg.parts && !out->decide;
    hits[BIN_START_GATHER] += in->start && gathers && s->at < s->cfg.parts;
    hits[BIN_START_ELSE] += in->start && !gathers;
    hits[BIN_FAULT] += out->fault;
    hits[BIN_READ_ABSENT] += in->core >= s->cfg.cores;
    hits[BIN_READ_INVALID] += in->core < s->cfg.cores && in->level < LEVELS && !out->avg_valid;
    hits[BIN_PART_FULL] += s->whole;
    hits[BIN_START_DECIDE] += in->start && out->decide;
    hits[BIN_LOAD_DECIDE] += in->load && out->decide;
    if (in->start || !out->decide) {
        return;
    }
    cover_sums(s, out, hits);
    if (s->balance) {
        cover_balanced(s, in, out, hits);
    } else {
        cover_cpu(out->part1, out->limit[0], hits);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_concurrency_manager_stim;
const wr_stim wr_concurrency_manager_stim = {
    .block = "concurrency_manager",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
