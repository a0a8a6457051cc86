/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of warp_quota: calculations with random inputs, and schedulers that issue under them.
 *
 * Directed first: the example of SMK 5.4, two kernels that could have 8 TBs each, run 2 and 4, and
 * issue 0.4 and 0.5 instructions a cycle alone. Then random phases; in runs with faults every kind
 * of them.
 *
 * Only allowed instructions are issued. allow is known of the cycle before, so a scheduler waits a
 * cycle where it may have fallen since: behind a refill, behind the end of the first calculation,
 * and behind an issue of the same kernel, unless left of that kernel was in view and above 1.
 */
#include <string.h>

#include "refmodel/gen/warp_quota_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    KERNELS = 4,
    WRITES = 6,
    EXAMPLE = 240, /* cycles of it */
};

typedef enum what {
    WHAT_ALONE,
    WHAT_RESIDENT,
    WHAT_MOST,
    WHAT_NONE, /* and how many there are */
} what;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_ISSUE,
    FAULT_CALC_BUSY,
    FAULT_WE_BUSY,
    FAULT_MOST_0,
    FAULT_WHAT,
    FAULT_KERNEL,
    FAULT_ISSUE_KERNEL,
    FAULT_KINDS = FAULT_ISSUE_KERNEL,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_ISSUE] = "issue without allow",
    [FAULT_CALC_BUSY] = "calc while busy",
    [FAULT_WE_BUSY] = "write while busy",
    [FAULT_MOST_0] = "most 0",
    [FAULT_WHAT] = "what 3",
    [FAULT_KERNEL] = "kernel of a write",
    [FAULT_ISSUE_KERNEL] = "kernel of an issue",
};

typedef struct state {
    wr_warp_quota_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed; /* the directed cases come first */

    uint32_t left; /* cycles of this phase */
    uint32_t favourite;
    uint32_t favour; /* percent of issues that are the favourite's */
    uint32_t dense;  /* percent of cycles in which a scheduler issues */
    uint32_t resident;
    uint32_t view;
    uint32_t writes; /* until the next calculation; 0: none planned */
    bool calculate;
    bool alike;               /* they make all kernels the same */
    uint16_t same[WHAT_NONE]; /* namely so */
    uint32_t mute;            /* bit k: kernel k issues nothing */
    uint32_t mute_left;       /* cycles for which that holds: whole epochs */
    uint32_t since;           /* cycles behind the calculation's begin */
    uint32_t profile;         /* phases left: a kernel issues alone for an epoch, then nothing */
    wr_warp_quota_in now;
    wr_warp_quota_in before;
    wr_warp_quota_out shown;
} state;

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_warp_quota_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
    /* From seed 1 on the longest of those that keep the protocol. */
    s->profile = seed % 256 == 127 ? 2 : 0;
}

/* Whether this is the last cycle of a calculation, which takes so many from the one behind calc on.
 */
static bool calculation_ends(const state *s)
{
    return s->shown.busy && s->since == s->cfg.kernels * (s->cfg.kernels + 32);
}

static bool may_issue(const state *s, uint32_t i, uint32_t k)
{
    const wr_warp_quota_out *last = &s->shown;
    if (((last->allow[i] >> k) & 1u) == 0 || last->refill[i] ||
        (last->busy && !last->managed && s->since > s->cfg.kernels * (s->cfg.kernels + 32))) {
        return false; /* the quotas are none until the first refill */
    }
    const bool again = s->before.issue[i] && s->before.issue_kernel[i] == k;
    return !again || !last->managed || (s->before.view == k && last->left[i] > 1);
}

/* Six writes, a calculation, and issues from both kernels in turn: the example from cycle 0 on,
 * then two kernels so unequal that the second gets the least share. There a kernel without any
 * quota is the only resident one until all counters hold the new shares, then the second kernel is.
 */
static void directed(state *s, uint64_t cycle, wr_warp_quota_in *in)
{
    static const uint16_t values[2][WRITES] = {{4000, 2, 8, 5000, 4, 8}, {65535, 63, 1, 0, 1, 1}};
    const bool second = cycle >= EXAMPLE;
    const uint64_t at = cycle % EXAMPLE;
    in->view = second && cycle % 2 == 1;
    in->resident = !second ? 3 : at < EXAMPLE - 40 ? 4 : 2;
    in->kernel = (uint8_t)(at / 3 % 2);
    if (at < WRITES) {
        in->we = true;
        in->what = (uint8_t)(at % 3);
        in->value = values[second][at];
    }
    in->calc = at == WRITES;
    for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
        in->issue_kernel[i] = (uint8_t)((cycle + i) % 2);
        in->issue[i] = cycle > WRITES && may_issue(s, i, in->issue_kernel[i]);
    }
}

static uint16_t value_of(state *s, uint32_t write)
{
    wr_rng *r = &s->rng;
    if (write == WHAT_ALONE) {
        static const uint16_t edges[] = {0, 1, 2, 0xffff, 4000, 5000};
        const uint32_t pick = wr_rng_below(r, 12);
        if (pick < 6) {
            return edges[pick];
        }
        const bool one_bit = pick >= 10; /* 0 but for it */
        return (uint16_t)(one_bit ? 1u << wr_rng_below(r, 16) : wr_rng_u32(r));
    }
    const uint32_t tbs = wr_rng_chance(r, 15) ? 63 : 1 + wr_rng_below(r, 32);
    const uint32_t noise = wr_rng_chance(r, 10) ? wr_rng_below(r, 1024) << 6 : 0;
    const bool none = write == WHAT_RESIDENT && wr_rng_chance(r, 30);
    return (uint16_t)(noise | (none ? 0 : tbs));
}

static void begin_phase(state *s)
{
    wr_rng *r = &s->rng;
    static const uint32_t densities[] = {100, 100, 90, 50, 10, 0};
    if (s->profile == 2) {
        s->profile = 1;
        s->left = s->cfg.epoch;
        s->favourite = wr_rng_below(r, s->cfg.kernels);
        s->favour = 100;
        s->dense = 100;
        s->resident = 1u << s->favourite;
        return;
    }
    if (s->profile == 1) {
        s->profile = 0;
        s->mute = 1u << s->favourite;
        s->mute_left = s->cfg.epoch + 1;
        s->left = s->mute_left;
        s->favour = 90;
        s->dense = 50;
        s->resident = 15;
        return;
    }
    s->left = 20 + wr_rng_below(r, s->cfg.epoch < 2000 ? s->cfg.epoch : 2000);
    s->favourite = wr_rng_below(r, s->cfg.kernels);
    s->favour = wr_rng_chance(r, 50) ? 90 : 0;
    s->dense = densities[wr_rng_below(r, sizeof densities / sizeof densities[0])];
    s->resident = wr_rng_chance(r, 50) ? 15 : wr_rng_below(r, 16);
    if (s->mute_left == 0) {
        s->mute = wr_rng_chance(r, 50) ? 0 : 1u << wr_rng_below(r, s->cfg.kernels);
        s->mute_left = 2 * s->cfg.epoch;
    }
    if (wr_rng_chance(r, 40)) {
        s->calculate = true;
        s->alike = wr_rng_chance(r, 20);
        s->writes = s->alike ? WHAT_NONE * s->cfg.kernels : 1 + wr_rng_below(r, 12);
        for (uint32_t w = 0; s->alike && w < WHAT_NONE; w++) {
            s->same[w] = wr_rng_chance(r, 70) ? UINT16_MAX : value_of(s, w);
        }
    }
}

static void drive(state *s, wr_warp_quota_in *in)
{
    wr_rng *r = &s->rng;
    const wr_warp_quota_out *last = &s->shown;
    /* Neither busy now nor begun by the cycle before. */
    const bool idle = !last->busy && !s->before.calc;
    /* Every other time that a calculation is disturbed, in its last cycle. */
    const bool late = s->faults.round % 2 == 1;
    const bool at_end = late && s->faults.quiet == 0 && calculation_ends(s) &&
                        (s->faults.first == FAULT_CALC_BUSY || s->faults.first == FAULT_WE_BUSY);
    const uint32_t picked = wr_faults_pick(&s->faults, last->fault, 5, r);
    const uint32_t fault = at_end ? s->faults.first : picked;
    in->kernel = (uint8_t)wr_rng_below(r, s->cfg.kernels);
    in->what = (uint8_t)wr_rng_below(r, 3);
    in->value = value_of(s, in->what);
    if (s->writes > 0 && idle) {
        in->we = true;
        s->writes--;
        if (s->alike) {
            in->kernel = (uint8_t)(s->writes / WHAT_NONE);
            in->what = (uint8_t)(s->writes % WHAT_NONE);
            in->value = s->same[in->what];
        }
    }
    if (s->calculate && s->writes == 0 && idle) {
        in->calc = true;
        s->calculate = false;
    }
    const bool surely_busy = late ? calculation_ends(s) : s->before.calc && !last->busy;
    switch (fault) {
    case FAULT_CALC_BUSY:
        in->calc = in->calc || surely_busy;
        break;
    case FAULT_WE_BUSY:
        in->we = in->we || surely_busy;
        break;
    case FAULT_MOST_0: {
        in->what = in->we ? WHAT_MOST : in->what;
        /* 0 in the six bits that count, every other time with one of the others. */
        const uint32_t round = s->faults.round;
        const uint32_t other = round % 2 == 0 ? 0 : 64u << round / 2 % 10;
        in->value = in->we ? (uint16_t)other : in->value;
        break;
    }
    case FAULT_WHAT:
        in->what = WHAT_NONE;
        break;
    case FAULT_KERNEL:
        in->kernel = 3; /* in range where there are four */
        break;
    default:
        break;
    }
}

static void issue(state *s, uint32_t i, wr_warp_quota_in *in)
{
    wr_rng *r = &s->rng;
    const wr_warp_quota_out *last = &s->shown;
    const uint32_t k = wr_rng_chance(r, s->favour) ? s->favourite : wr_rng_below(r, s->cfg.kernels);
    in->issue_kernel[i] = (uint8_t)k;
    in->issue[i] = wr_rng_chance(r, s->dense) && ((s->mute >> k) & 1u) == 0 && may_issue(s, i, k);
    switch (wr_faults_pick(&s->faults, last->fault, 2, r)) {
    case FAULT_ISSUE:
        in->issue[i] = in->issue[i] ||
                       (last->managed && !last->refill[i] && ((last->allow[i] >> k) & 1u) == 0);
        break;
    case FAULT_ISSUE_KERNEL:
        if (s->cfg.kernels < KERNELS) {
            in->issue[i] = true;
            in->issue_kernel[i] = KERNELS - 1;
        }
        break;
    default:
        break;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_warp_quota_in *in = in_;
    s->before = s->now;
    s->shown = *(const wr_warp_quota_out *)last_out;
    s->since = s->before.calc && !s->shown.busy ? 1 : s->since + 1;
    if (s->directed && cycle < 2 * EXAMPLE) {
        directed(s, cycle, in);
    } else {
        wr_faults_step(&s->faults);
        if (s->left == 0) {
            begin_phase(s);
        }
        s->left--;
        s->mute_left -= s->mute_left > 0;
        drive(s, in);
        in->resident = (uint8_t)s->resident;
        if (!s->shown.epoch_end) { /* else the same kernel before it and after it */
            const bool favoured = s->favour > 0 && wr_rng_chance(&s->rng, 80);
            s->view = favoured ? s->favourite : wr_rng_below(&s->rng, KERNELS);
        }
        in->view = (uint8_t)s->view;
        for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
            issue(s, i, in);
        }
    }
    s->now = *in;
}

static const char *const bin_names[] = {
    "write",
    "calculation",
    "calculation with a write",
    "calculation ends",
    "first calculation ends",
    "refill in the middle of a calculation",
    "issue before the first calculation",
    "issue",
    "all schedulers issue",
    "last instruction of a quota",
    "nothing left of a kernel",
    "nothing left of any kernel",
    "refill: nothing left of any resident kernel",
    "refill: a kernel that is not resident has some left",
    "refill: epoch ends with some left",
    "refill with an issue",
    "issue in the last cycle of an epoch",
    "no kernel resident",
    "resident kernel without a share",
    "share raised to 1",
    "one kernel has the whole epoch",
    "a kernel loses its quota",
    "kernel issued nothing in the last epoch",
    "kernel issued in the last epoch",
    "kernel issued more than 32,767 in the last epoch",
    "fault",
};
enum {
    BIN_WRITE,
    BIN_CALC,
    BIN_CALC_WRITE,
    BIN_CALC_END,
    BIN_FIRST_END,
    BIN_REFILL_BUSY,
    BIN_ISSUE_FREE,
    BIN_ISSUE,
    BIN_ISSUE_ALL,
    BIN_LAST,
    BIN_EMPTY,
    BIN_ALL_EMPTY,
    BIN_REFILL,
    BIN_REFILL_ABSENT,
    BIN_REFILL_EPOCH,
    BIN_REFILL_ISSUE,
    BIN_EPOCH_ISSUE,
    BIN_NO_RESIDENT,
    BIN_NO_SHARE,
    BIN_RAISED,
    BIN_WHOLE,
    BIN_LOST,
    BIN_ISSUED_NONE,
    BIN_ISSUED,
    BIN_ISSUED_HIGH,
    BIN_FAULT,
    BINS,
};

static void cover_scheduler(const wr_warp_quota_in *in, const wr_warp_quota_out *out, uint32_t i,
                            uint64_t *hits)
{
    const bool issued = in->issue[i] && ((out->allow[i] >> in->issue_kernel[i]) & 1u) != 0;
    const bool viewed = in->issue_kernel[i] == in->view;
    const bool absent = ((in->resident >> in->view) & 1u) == 0;
    hits[BIN_ISSUE_FREE] += issued && !out->managed;
    hits[BIN_ISSUE] += issued && out->managed;
    hits[BIN_LAST] += issued && viewed && out->managed && out->left[i] == 1;
    hits[BIN_EMPTY] += out->managed && out->share > 0 && out->left[i] == 0;
    hits[BIN_ALL_EMPTY] += out->allow[i] == 0;
    hits[BIN_REFILL_BUSY] += out->refill[i] && out->busy;
    hits[BIN_REFILL] += out->refill[i] && !out->epoch_end;
    hits[BIN_REFILL_ABSENT] += out->refill[i] && !out->epoch_end && absent && out->left[i] > 0;
    hits[BIN_REFILL_EPOCH] += out->refill[i] && out->epoch_end && out->left[i] > 0;
    hits[BIN_REFILL_ISSUE] += out->refill[i] && issued;
    hits[BIN_EPOCH_ISSUE] += issued && out->epoch_end;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_warp_quota_in *in = in_;
    const wr_warp_quota_out *out = out_;
    const bool known = in->view < s->cfg.kernels;
    const bool same_view = in->view == s->before.view;
    uint32_t issues = 0;
    for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
        issues += in->issue[i];
        cover_scheduler(in, out, i, hits);
    }
    hits[BIN_WRITE] += in->we && !out->busy;
    hits[BIN_CALC] += in->calc && !out->busy;
    hits[BIN_CALC_WRITE] += in->calc && in->we && !out->busy;
    hits[BIN_CALC_END] += s->shown.busy && !out->busy;
    hits[BIN_FIRST_END] += out->managed && !s->shown.managed;
    hits[BIN_ISSUE_ALL] += issues == s->cfg.schedulers;
    hits[BIN_NO_RESIDENT] += out->managed && in->resident == 0;
    hits[BIN_NO_SHARE] +=
        known && out->managed && out->share == 0 && ((in->resident >> in->view) & 1u) != 0;
    hits[BIN_RAISED] += out->share == 1 && out->quota < s->cfg.schedulers;
    hits[BIN_WHOLE] += out->quota == s->cfg.epoch;
    hits[BIN_LOST] += same_view && s->shown.quota > 0 && out->quota == 0;
    hits[BIN_ISSUED_NONE] += same_view && s->shown.issued > 0 && out->issued == 0;
    hits[BIN_ISSUED] += out->issued > 0;
    hits[BIN_ISSUED_HIGH] += out->issued > 32767;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_warp_quota_stim;
const wr_stim wr_warp_quota_stim = {
    .block = "warp_quota",
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
