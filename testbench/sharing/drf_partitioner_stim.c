/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of drf_partitioner: demands of some kernels, a start, reads of the counters all the
 * time.
 *
 * Directed first: Fig. 8 of SMK in parts of the limits, a TB of a whole resource, of none, equal
 * kernels, nobody at all. Then random ones: demands that divide a limit, that are alike or in
 * proportion so that shares tie, and in runs with faults every kind of them.
 */
#include <string.h>

#include "refmodel/gen/drf_partitioner_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { KERNELS_MAX = 8, REG = 0, THREAD, SMEM, TB, RESOURCES };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_LOAD_BUSY,
    FAULT_START_BUSY,
    FAULT_KERNEL,
    FAULT_REG,
    FAULT_THREAD,
    FAULT_SMEM,
    FAULT_KINDS = FAULT_SMEM,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_LOAD_BUSY] = "load while busy",
    [FAULT_START_BUSY] = "start while busy",
    [FAULT_KERNEL] = "kernel",
    [FAULT_REG] = "registers above the limit",
    [FAULT_THREAD] = "threads above the limit",
    [FAULT_SMEM] = "shared memory above the limit",
};

typedef struct state {
    wr_drf_partitioner_cfg cfg;
    wr_rng rng;
    wr_gate gate;
    wr_faults faults;

    uint32_t starts;    /* begun so far */
    uint32_t load_next; /* kernel whose demand comes next; Kernels: start */
    uint32_t plan[KERNELS_MAX][RESOURCES];
    uint32_t mask;
    bool early; /* the start comes with the last load */

    /* As the pins have it. */
    uint32_t demand[KERNELS_MAX][RESOURCES];
    uint32_t tbs[KERNELS_MAX];
    uint32_t in;      /* kernels still in */
    bool dropped;     /* one is out already */
    bool loaded_done; /* a load behind the partition that stands */
    wr_drf_partitioner_in last;
} state;

static uint32_t limit_of(const state *s, uint32_t r)
{
    const uint32_t limits[RESOURCES] = {s->cfg.reg_limit, s->cfg.thread_limit, s->cfg.smem_limit,
                                        s->cfg.tb_limit};
    return limits[r];
}

/* Demands of two kernels in 1/300 of the limits; the others get those of the second. */
static const uint32_t directed[][2][3] = {
    {{30, 20, 0}, {9, 15, 18}}, /* Fig. 8: 10, 6.66, 0 % and 3, 5, 6 % */
    {{300, 0, 0}, {0, 300, 0}}, {{0, 0, 300}, {0, 0, 300}}, {{0, 0, 0}, {30, 30, 30}},
    {{75, 0, 0}, {0, 75, 0}},   {{100, 0, 0}, {0, 50, 0}},
};
enum { DIRECTED = sizeof directed / sizeof directed[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_drf_partitioner_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->starts = with_directed ? 0 : DIRECTED;
    for (uint32_t k = 0; k < KERNELS_MAX; k++) {
        s->demand[k][TB] = 1;
    }
    s->load_next = s->cfg.kernels;
}

static uint32_t random_demand(state *s, uint32_t r)
{
    wr_rng *rng = &s->rng;
    const uint32_t limit = limit_of(s, r);
    switch (wr_rng_below(rng, 8)) {
    case 0:
        return 0;
    case 1:
        return wr_rng_below(rng, limit + 1);
    case 2:
        return limit / (1 + wr_rng_below(rng, 16));
    case 3:
        return limit / 2 + wr_rng_below(rng, 2);
    case 4:
        return limit / 100;
    default:
        return wr_rng_below(rng, limit / 6 + 1);
    }
}

static void prepare(state *s)
{
    wr_rng *rng = &s->rng;
    const bool is_directed = s->starts < DIRECTED;
    const uint32_t alike = wr_rng_below(rng, 4);
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        for (uint32_t r = 0; r < TB; r++) {
            if (is_directed) {
                s->plan[k][r] = limit_of(s, r) * directed[s->starts][k > 0][r] / 300;
            } else if (k > 0 && alike == 0) { /* the kernel before, or twice as much */
                s->plan[k][r] = s->plan[k - 1][r] << (wr_rng_chance(rng, 30) ? 1 : 0);
            } else if (k > 0 && alike == 1) { /* the same part of another resource */
                s->plan[k][r] = (uint32_t)((uint64_t)s->plan[k - 1][(r + 1) % TB] * limit_of(s, r) /
                                           limit_of(s, (r + 1) % TB));
            } else {
                s->plan[k][r] = random_demand(s, r);
            }
            s->plan[k][r] = s->plan[k][r] > limit_of(s, r) ? limit_of(s, r) : s->plan[k][r];
        }
    }
    s->mask = is_directed || wr_rng_chance(rng, 60) ? 255 : wr_rng_below(rng, 256);
    s->mask = is_directed || wr_rng_chance(rng, 95) ? s->mask : 0;
    s->early = wr_rng_chance(rng, 30);
    s->load_next = is_directed || wr_rng_chance(rng, 80) ? 0 : wr_rng_below(rng, s->cfg.kernels);
    s->starts++;
}

static void load(state *s, wr_drf_partitioner_in *in)
{
    const uint32_t k = s->load_next;
    in->load = true;
    in->kernel = (uint8_t)k;
    in->regs = (uint16_t)s->plan[k][REG];
    in->threads = (uint16_t)s->plan[k][THREAD];
    in->smem = (uint16_t)s->plan[k][SMEM];
    s->load_next++;
    in->start = s->load_next == s->cfg.kernels && s->early;
}

static uint16_t too_much(state *s, uint32_t r)
{
    const uint32_t limit = limit_of(s, r);
    const uint32_t over = wr_rng_chance(&s->rng, 50) ? 0 : wr_rng_below(&s->rng, 8191 - limit);
    return (uint16_t)(limit + 1 + over);
}

/* Breaks the protocol, where that is possible in this cycle. */
static void spoil(state *s, wr_drf_partitioner_in *in, bool busy, bool shown)
{
    if (s->starts > DIRECTED) {
        wr_faults_step(&s->faults);
    }
    const fault_kind kind = (fault_kind)wr_faults_pick(&s->faults, shown, 3, &s->rng);
    if (busy) {
        in->load = in->load || kind == FAULT_LOAD_BUSY;
        in->start = in->start || kind == FAULT_START_BUSY;
    } else if (in->load) {
        in->kernel =
            kind == FAULT_KERNEL && s->cfg.kernels < KERNELS_MAX
                ? (uint8_t)(s->cfg.kernels + wr_rng_below(&s->rng, KERNELS_MAX - s->cfg.kernels))
                : in->kernel;
        in->regs = kind == FAULT_REG ? too_much(s, REG) : in->regs;
        in->threads = kind == FAULT_THREAD ? too_much(s, THREAD) : in->threads;
        in->smem = kind == FAULT_SMEM ? too_much(s, SMEM) : in->smem;
    }
}

/* What the pins of the cycle before have changed. */
static void follow(state *s, const wr_drf_partitioner_out *out)
{
    const wr_drf_partitioner_in *in = &s->last;
    if (out->grant && s->tbs[out->pick] < s->cfg.tb_limit) {
        s->tbs[out->pick]++;
    }
    if (out->drop) {
        s->in &= ~(1u << out->pick);
        s->dropped = true;
    }
    if (out->busy) {
        return;
    }
    if (in->load && in->kernel < s->cfg.kernels) {
        const uint32_t demand[] = {in->regs, in->threads, in->smem};
        for (uint32_t r = 0; r < TB; r++) {
            s->demand[in->kernel][r] = demand[r] < limit_of(s, r) ? demand[r] : limit_of(s, r);
        }
        s->loaded_done = true;
    }
    if (in->start) {
        memset(s->tbs, 0, sizeof s->tbs);
        s->in = in->mask & ((1u << s->cfg.kernels) - 1u);
        s->dropped = false;
        s->loaded_done = false;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_drf_partitioner_out *last = last_out;
    wr_rng *rng = &s->rng;

    if (cycle > 0) {
        follow(s, last);
    }
    /* Where the layout just ended one cycle is lost: its last one looks like those before it. */
    const bool busy = last->busy || s->last.start;

    wr_drf_partitioner_in *in = in_;
    *in = (wr_drf_partitioner_in){.kernel = (uint8_t)wr_rng_below(rng, 8),
                                  .regs = (uint16_t)wr_rng_below(rng, 8192),
                                  .threads = (uint16_t)wr_rng_below(rng, 8192),
                                  .smem = (uint16_t)wr_rng_below(rng, 8192),
                                  .mask = (uint8_t)wr_rng_below(rng, 256),
                                  .read = (uint8_t)wr_rng_below(rng, 8)};
    if (wr_rng_chance(rng, 70)) {
        in->read = (uint8_t)wr_rng_below(rng, s->cfg.kernels);
    }
    if (!busy && (s->starts < DIRECTED || wr_gate_open(&s->gate, rng))) {
        if (s->load_next > s->cfg.kernels || s->starts == 0) {
            prepare(s);
        }
        if (s->load_next < s->cfg.kernels) {
            load(s, in);
        } else {
            in->start = true;
        }
        if (in->start) {
            in->mask = (uint8_t)s->mask;
            s->load_next = s->cfg.kernels + 1;
        }
    }
    spoil(s, in, busy, last->fault);
    s->last = *in;
}

static const char *const bin_names[] = {
    "start, all kernels take part",
    "start, one kernel alone",
    "start, nobody takes part",
    "start, kernels that are not there in the mask",
    "start with a load",
    "start over a partition",
    "load behind a partition",
    "given: dominant in registers",
    "given: dominant in threads",
    "given: dominant in shared memory",
    "given: dominant in TB slots",
    "given behind a kernel that is out",
    "first TB to the lowest index, another has the smaller share",
    "rK ties, per-TB shares differ",
    "rK ties, per-TB shares tie too",
    "out: registers alone",
    "out: threads alone",
    "out: shared memory alone",
    "out: TB slots alone",
    "out: several resources",
    "out without a TB",
    "registers used up to the last",
    "threads used up to the last",
    "shared memory used up to the last",
    "TB slots used up to the last",
    "read: a range",
    "read: an empty range",
    "read while busy",
    "read of a kernel that is not there",
    "refused: load while busy",
    "refused: start while busy",
    "refused: kernel that is not there",
    "one unit of registers too many",
    "one thread too many",
    "one unit of shared memory too many",
};
enum {
    BIN_ALL,
    BIN_ONE,
    BIN_NOBODY,
    BIN_NOT_THERE,
    BIN_START_LOAD,
    BIN_START_OVER,
    BIN_LOAD_BEHIND,
    BIN_GIVEN_REG,
    BIN_GIVEN_TB = BIN_GIVEN_REG + TB,
    BIN_GIVEN_BEHIND,
    BIN_FIRST,
    BIN_TIE,
    BIN_TIE_BOTH,
    BIN_OUT_REG,
    BIN_OUT_TB = BIN_OUT_REG + TB,
    BIN_OUT_MORE,
    BIN_OUT_NONE,
    BIN_LAST_REG,
    BIN_LAST_TB = BIN_LAST_REG + TB,
    BIN_RANGE,
    BIN_EMPTY,
    BIN_READ_BUSY,
    BIN_READ_NOT_THERE,
    BIN_LOAD_BUSY,
    BIN_BUSY_START,
    BIN_BAD_KERNEL,
    BIN_BAD_REG,
    BIN_BAD_THREAD,
    BIN_BAD_SMEM,
    BINS,
};

/* The resource of which a TB takes the largest part. */
static uint32_t dominant(const state *s, uint32_t k)
{
    uint32_t best = REG;
    for (uint32_t r = THREAD; r < RESOURCES; r++) {
        if ((uint64_t)s->demand[k][r] * limit_of(s, best) >
            (uint64_t)s->demand[k][best] * limit_of(s, r)) {
            best = r;
        }
    }
    return best;
}

/* Dominant shares of `a` TBs of kernel k and `b` of kernel j: below, equal, above. */
static int compare(const state *s, uint32_t k, uint32_t a, uint32_t j, uint32_t b)
{
    const uint32_t x = dominant(s, k);
    const uint32_t y = dominant(s, j);
    const uint64_t left = (uint64_t)a * s->demand[k][x] * limit_of(s, y);
    const uint64_t right = (uint64_t)b * s->demand[j][y] * limit_of(s, x);
    return (left > right) - (left < right);
}

static uint32_t taken(const state *s, uint32_t r)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        sum += s->tbs[k] * s->demand[k][r];
    }
    return sum;
}

static void cover_pick(const state *s, const wr_drf_partitioner_out *out, uint64_t *hits)
{
    const uint32_t k = out->pick;
    if (out->drop) {
        uint32_t short_of = 0;
        uint32_t which = 0;
        for (uint32_t r = 0; r < RESOURCES; r++) {
            const bool full = taken(s, r) + s->demand[k][r] > limit_of(s, r);
            short_of += full;
            which = full ? r : which;
        }
        hits[BIN_OUT_REG + which] += short_of == 1;
        hits[BIN_OUT_MORE] += short_of > 1;
        hits[BIN_OUT_NONE] += s->tbs[k] == 0;
        return;
    }
    hits[BIN_GIVEN_REG + dominant(s, k)]++;
    hits[BIN_GIVEN_BEHIND] += s->dropped;
    for (uint32_t j = 0; j < s->cfg.kernels; j++) {
        if (j == k || (s->in >> j & 1u) == 0) {
            continue;
        }
        if (taken(s, TB) == 0) {
            hits[BIN_FIRST] += compare(s, j, 1, k, 1) < 0;
        } else if (compare(s, j, s->tbs[j], k, s->tbs[k]) == 0) {
            const bool tie = compare(s, j, 1, k, 1) == 0;
            hits[tie ? BIN_TIE_BOTH : BIN_TIE]++;
        }
    }
}

static void cover_inputs(const state *s, const wr_drf_partitioner_in *in,
                         const wr_drf_partitioner_out *out, uint64_t *hits)
{
    const uint32_t there = (1u << s->cfg.kernels) - 1u;
    const uint32_t mask = in->mask & there;
    if (in->start && !out->busy) {
        hits[BIN_ALL] += mask == there;
        hits[BIN_ONE] += mask != 0 && (mask & (mask - 1)) == 0;
        hits[BIN_NOBODY] += mask == 0;
        hits[BIN_NOT_THERE] += in->mask > there;
        hits[BIN_START_LOAD] += in->load;
        hits[BIN_START_OVER] += out->done;
    }
    hits[BIN_LOAD_BUSY] += in->load && out->busy;
    hits[BIN_BUSY_START] += in->start && out->busy;
    if (in->load && !out->busy) {
        hits[BIN_BAD_KERNEL] += in->kernel >= s->cfg.kernels;
        hits[BIN_BAD_REG] += in->regs == s->cfg.reg_limit + 1;
        hits[BIN_BAD_THREAD] += in->threads == s->cfg.thread_limit + 1;
        hits[BIN_BAD_SMEM] += in->smem == s->cfg.smem_limit + 1;
    }
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_drf_partitioner_in *in = in_;
    const wr_drf_partitioner_out *out = out_;
    cover_inputs(s, in, out, hits);
    if (out->grant || out->drop) {
        cover_pick(s, out, hits);
    } else if (out->busy && s->in == 0) { /* all that was given is known, no load is in between */
        for (uint32_t r = 0; r < RESOURCES; r++) {
            hits[BIN_LAST_REG + r] += taken(s, r) == limit_of(s, r);
        }
    }
    const bool there = in->read < s->cfg.kernels;
    hits[BIN_RANGE] += out->done && there && out->reg_end > out->reg_start && out->reg_start > 0;
    hits[BIN_EMPTY] += out->done && there && out->tbs == 0 && in->read > 0 && out->reg_end > 0;
    hits[BIN_READ_BUSY] += out->busy && there && s->tbs[in->read] > 0;
    hits[BIN_READ_NOT_THERE] += out->done && !there;
    hits[BIN_LOAD_BEHIND] += out->done && there && out->tbs > 0 && s->loaded_done;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_drf_partitioner_stim;
const wr_stim wr_drf_partitioner_stim = {
    .block = "drf_partitioner",
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
