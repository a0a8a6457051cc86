/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of l2_meter. Directed: each count of each kernel up to its most and past it, and read.
 * Then random: kernels with shares of their own, in calm times and busy ones, and reads that are
 * seldom enough for counts to reach their most, or one behind the other. */
#include "refmodel/gen/l2_meter_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

#include <string.h>

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_KERNEL,
    FAULT_FETCHED,
    FAULT_SECTORS,
    FAULT_WRITTEN,
    FAULT_OWNER,
    FAULT_READ,
    FAULT_KINDS = FAULT_READ,
} fault_kind;
static const char *const fault_names[] = {
    [FAULT_KERNEL] = "access of a kernel that is not there",
    [FAULT_FETCHED] = "sectors fetched without access",
    [FAULT_SECTORS] = "more than four sectors fetched",
    [FAULT_WRITTEN] = "more than four sectors written back",
    [FAULT_OWNER] = "write-back of a kernel that is not there",
    [FAULT_READ] = "read of a kernel that is not there",
};
_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

typedef struct state {
    wr_l2_meter_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate accesses, write_backs;
    uint32_t story; /* cycles of the directed part that are left */
    uint32_t often; /* cycles from a read to the next, at most */
    uint32_t read_in;
    uint32_t misses; /* percent */
    uint32_t reads;  /* one behind the other, still to come */
    uint32_t mood;   /* cycles that it lasts */
} state;

static uint32_t most(const wr_l2_meter_cfg *cfg)
{
    return (1u << cfg->bits) - 1;
}

/* Cycles for each kernel of the story; wide counts are filled once. */
static uint32_t story_each(const wr_l2_meter_cfg *cfg)
{
    return most(cfg) + 3;
}

static uint32_t story_of(const wr_l2_meter_cfg *cfg)
{
    return (cfg->bits > 9 ? 1 : cfg->kernels) * story_each(cfg);
}

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_l2_meter_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->story = with_directed ? story_of(&s->cfg) : 0;
}

/* All three counts of one kernel behind the other rise past their most; then it is read. */
static void tell(state *s, wr_l2_meter_in *in)
{
    const uint32_t each = story_each(&s->cfg);
    const uint32_t at = story_of(&s->cfg) - s->story;

    in->kernel = in->owner = in->read_kernel = (uint8_t)(s->cfg.kernels - 1 - at / each);
    in->access = at % each != each - 1;
    in->fetched = in->written = in->access ? 4 : 0;
    in->read = at % each == each - 1;
    s->story--;
}

static void new_mood(state *s)
{
    static const uint32_t intervals[] = {2, 8, 40, 400, 20000, 60000};
    static const uint32_t misses[] = {0, 10, 50, 90, 100};

    s->often = intervals[wr_rng_below(&s->rng, 6)];
    s->misses = misses[wr_rng_below(&s->rng, 5)];
    s->mood = 100 + wr_rng_below(&s->rng, s->often > 400 ? 60000 : 2000);
}

/* Of a line: most often all four. */
static uint32_t sectors(state *s)
{
    return wr_rng_chance(&s->rng, 50) ? 4 : 1 + wr_rng_below(&s->rng, 4);
}

static void play(state *s, wr_l2_meter_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t kernels = s->cfg.kernels;

    if (s->mood-- == 0) {
        new_mood(s);
    }
    in->access = wr_gate_open(&s->accesses, r);
    in->kernel = (uint8_t)wr_rng_below(r, in->access ? kernels : 4);
    in->fetched = (uint8_t)(in->access && wr_rng_chance(r, s->misses) ? sectors(s) : 0);
    in->written = (uint8_t)(wr_gate_open(&s->write_backs, r) ? sectors(s) : 0);
    in->owner = (uint8_t)wr_rng_below(r, in->written != 0 ? kernels : 4);
    if (s->reads == 0 && s->read_in == 0) {
        s->reads = 1 + wr_rng_below(r, 2 * kernels);
        s->read_in = 1 + wr_rng_below(r, s->often);
    }
    in->read = s->reads > 0;
    s->reads -= in->read;
    s->read_in -= s->read_in > 0;
    in->read_kernel = (uint8_t)wr_rng_below(r, in->read ? kernels : 4);
}

static void break_protocol(state *s, bool shown, wr_l2_meter_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t kind = wr_faults_pick(&s->faults, shown, 10, r);
    const uint8_t stray = (uint8_t)(kernels + wr_rng_below(r, 4 - (kernels < 4 ? kernels : 3)));

    if (kind == FAULT_FETCHED) {
        in->access = false;
        in->fetched = (uint8_t)sectors(s);
    } else if (kind == FAULT_SECTORS) {
        in->access = true;
        in->kernel = (uint8_t)wr_rng_below(r, kernels);
        in->fetched = (uint8_t)(5 + wr_rng_below(r, 3));
    } else if (kind == FAULT_WRITTEN) {
        in->owner = (uint8_t)wr_rng_below(r, kernels);
        in->written = (uint8_t)(5 + wr_rng_below(r, 3));
    } else if (kind == FAULT_KERNEL && kernels < 4) {
        in->access = true;
        in->kernel = stray;
    } else if (kind == FAULT_OWNER && kernels < 4) {
        in->written = (uint8_t)sectors(s);
        in->owner = stray;
    } else if (kind == FAULT_READ && kernels < 4) {
        in->read = true;
        in->read_kernel = stray;
    }
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_l2_meter_out *last = last_out;
    wr_l2_meter_in *in = in_v;

    (void)cycle;
    wr_faults_step(&s->faults);
    if (s->story > 0) {
        tell(s, in);
        return;
    }
    play(s, in);
    break_protocol(s, last->fault, in);
}

enum {
    BIN_ACCESS,
    BIN_MISS,
    BIN_PART,
    BIN_WRITE_BACK,
    BIN_WRITTEN_PART,
    BIN_BOTH,
    BIN_READ,
    BIN_READ_ACCESS,
    BIN_READ_MISS,
    BIN_READ_WRITE_BACK,
    BIN_READ_OTHER,
    BIN_READ_TWICE,
    BIN_SHOWN,
    BIN_FULL_ACCESS,
    BIN_FULL_MISS,
    BIN_FULL_WRITE_BACK,
    BIN_NOT_THERE,
    BIN_FAULT,
    BINS
};
static const char *const bin_names[] = {
    [BIN_ACCESS] = "a hit",
    [BIN_MISS] = "a miss",
    [BIN_PART] = "of some sectors",
    [BIN_WRITE_BACK] = "a write-back",
    [BIN_WRITTEN_PART] = "a write-back of some sectors",
    [BIN_BOTH] = "an access and a write-back of one kernel",
    [BIN_READ] = "counts are taken",
    [BIN_READ_ACCESS] = "a hit of the kernel whose counts are taken",
    [BIN_READ_MISS] = "a miss of it",
    [BIN_READ_WRITE_BACK] = "a write-back of it",
    [BIN_READ_OTHER] = "an access of another one",
    [BIN_READ_TWICE] = "counts are taken that are 0",
    [BIN_SHOWN] = "counts are shown and not taken",
    [BIN_FULL_ACCESS] = "accesses at their most, and one more",
    [BIN_FULL_MISS] = "misses",
    [BIN_FULL_WRITE_BACK] = "write-backs",
    [BIN_NOT_THERE] = "counts of a kernel that is not there",
    [BIN_FAULT] = "fault",
};

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_l2_meter_in *in = in_v;
    const wr_l2_meter_out *out = out_v;
    const bool same = in->access && in->kernel == in->read_kernel;
    const bool mine = in->written != 0 && in->owner == in->read_kernel;

    hits[BIN_ACCESS] += in->access && in->fetched == 0;
    hits[BIN_MISS] += in->access && in->fetched != 0;
    hits[BIN_PART] += in->access && in->fetched != 0 && in->fetched < 4;
    hits[BIN_WRITE_BACK] += in->written != 0;
    hits[BIN_WRITTEN_PART] += in->written != 0 && in->written < 4;
    hits[BIN_BOTH] += in->access && in->written != 0 && in->kernel == in->owner;
    hits[BIN_READ] += in->read;
    hits[BIN_READ_ACCESS] += in->read && same && in->fetched == 0;
    hits[BIN_READ_MISS] += in->read && same && in->fetched != 0;
    hits[BIN_READ_WRITE_BACK] += in->read && mine;
    hits[BIN_READ_OTHER] += in->read && in->access && !same;
    hits[BIN_READ_TWICE] += in->read && out->accesses == 0 && out->write_backs == 0;
    hits[BIN_SHOWN] += !in->read && out->accesses != 0;
    hits[BIN_FULL_ACCESS] += !in->read && same && out->accesses == most(&s->cfg);
    hits[BIN_FULL_MISS] += !in->read && same && in->fetched != 0 && out->fetches == most(&s->cfg);
    hits[BIN_FULL_WRITE_BACK] += !in->read && mine && out->write_backs == most(&s->cfg);
    hits[BIN_NOT_THERE] += in->read_kernel >= s->cfg.kernels;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_l2_meter_stim;
const wr_stim wr_l2_meter_stim = {
    .block = "l2_meter",
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
