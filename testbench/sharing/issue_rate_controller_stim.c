/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of issue_rate_controller: phases of some hundred cycles, each with its own mix of
 * kernels, density and decisions.
 *
 * Directed first: Fig. 4.5 of Lin-D, whose snapshot of a miss queue (2 requests of one kernel
 * among 6 of another) is filled and then served five times, as a plain FIFO and with the first
 * kernel as latency-sensitive. Then random phases; in runs with faults every kind of them.
 */
#include <string.h>

#include "refmodel/gen/issue_rate_controller_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_NBW,
    FAULT_DBW,
    FAULT_KERNEL,
    FAULT_CFG_KERNEL,
    FAULT_KINDS = FAULT_CFG_KERNEL,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_NBW] = "NoC percent above 100",
    [FAULT_DBW] = "DRAM percent above 100",
    [FAULT_KERNEL] = "kernel of an offer",
    [FAULT_CFG_KERNEL] = "kernel of a decision",
};

/* What a random phase does. */
typedef struct phase {
    uint32_t left; /* cycles */
    uint32_t favourite;
    uint32_t favour;      /* percent of requests that are the favourite's */
    uint32_t stores;      /* percent */
    uint32_t cfg;         /* per mille of cycles in which a decision comes */
    uint32_t clear;       /* per mille */
    uint32_t consume_all; /* the NoC takes everything, nothing, or as a gate says */
    bool offer_all;
    bool fifo;
} phase;

typedef struct state {
    wr_issue_rate_controller_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;
    bool directed; /* the directed cases come first */
    phase phase;
    wr_issue_rate_controller_in held; /* the offer that has not been taken */
    bool holds;
    wr_issue_rate_controller_in decision;
    bool decides;
    wr_issue_rate_controller_in now;
    wr_issue_rate_controller_in before; /* inputs and outputs of the cycle before */
    wr_issue_rate_controller_out shown;
    uint32_t requests; /* in the queue */
    bool fifo;         /* mode of this cycle */
} state;

enum {
    CONSUME_GATE,
    CONSUME_ALL,
    CONSUME_NONE,
    SNAPSHOT = 8,     /* requests of Fig. 4.5 */
    SERVED = 5,       /* of which the period serves these */
    SERVED_ALL = 30,  /* cycles until the first snapshot has left */
    SECOND_HALF = 36, /* cycles of the second */
    PER_MILLE = 1000,
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_issue_rate_controller_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

/* First cycle of the second half: a window has ended since the decisions, so there is credit. */
static uint64_t second_half(const state *s)
{
    return s->cfg.window > 36 ? s->cfg.window : 36;
}

/* The snapshot of Fig. 4.5, twice: taken, five requests served, a pause, the rest served. Where
 * Depth is below 8 some find no room. */
static void directed(const state *s, uint64_t cycle, wr_issue_rate_controller_in *in)
{
    static const uint8_t kernel_of[SNAPSHOT] = {1, 1, 0, 1, 1, 0, 1, 1};
    const bool second = cycle >= second_half(s);
    const uint64_t from = second ? second_half(s) : 14;
    in->fifo = cycle < SERVED_ALL;
    in->cfg = cycle == 0 || cycle == 14;
    in->cfg_kernel = cycle == 14;
    in->cfg_ls = cycle == 0;
    in->cfg_nbw = 100;
    in->cfg_dbw = 100;
    in->cfg_n16 = 16;
    in->view = 1;
    if (cycle >= from && cycle < from + SNAPSHOT) {
        const uint64_t i = cycle - from;
        in->valid = true;
        in->kernel = kernel_of[i];
        in->store = i == 3;
        in->tag = (uint8_t)(i + 1 + (second ? 16 : 0));
    }
    const uint64_t served = cycle - from - SNAPSHOT;
    in->out_ready = cycle >= from + SNAPSHOT && (served < SERVED || served >= SERVED + 2);
}

static void begin_phase(state *s)
{
    wr_rng *r = &s->rng;
    phase *p = &s->phase;
    p->left = 50 + wr_rng_below(r, 600);
    p->favourite = wr_rng_below(r, s->cfg.kernels);
    p->favour = wr_rng_chance(r, 30) ? 95 : wr_rng_below(r, 60);
    p->stores = wr_rng_chance(r, 20) ? 0 : wr_rng_chance(r, 20) ? 100 : 40;
    p->cfg = wr_rng_chance(r, 30) ? 200 : wr_rng_chance(r, 50) ? 10 : 2;
    p->clear = wr_rng_chance(r, 1) ? 30 : 0;
    p->consume_all = wr_rng_chance(r, 60)   ? CONSUME_GATE
                     : wr_rng_chance(r, 80) ? CONSUME_ALL
                                            : CONSUME_NONE;
    p->offer_all = wr_rng_chance(r, 40);
    p->fifo = wr_rng_chance(r, 15);
    if (wr_rng_chance(r, 3)) { /* one kernel's counters to the top */
        *p = (phase){.left = 6000,
                     .favourite = p->favourite,
                     .favour = 100,
                     .stores = wr_rng_chance(r, 50) ? 0 : 100,
                     .consume_all = CONSUME_ALL,
                     .offer_all = true};
    }
}

/* Quotas on the borders: none of a resource, all of it, no limit, and everything between. */
static void decide(state *s, bool faulty)
{
    wr_rng *r = &s->rng;
    wr_issue_rate_controller_in *d = &s->decision;
    *d = (wr_issue_rate_controller_in){.cfg = true};
    d->cfg_kernel = (uint8_t)wr_rng_below(r, s->cfg.kernels);
    d->cfg_ls = wr_rng_chance(r, 25);
    d->cfg_nbw = (uint8_t)(wr_rng_chance(r, 10) ? 100 : wr_rng_below(r, 101));
    d->cfg_dbw = (uint8_t)(wr_rng_chance(r, 10) ? 100 : wr_rng_below(r, 101));
    d->cfg_n16 = (uint8_t)(16 + wr_rng_below(r, 65));
    d->cfg_dreq = (uint8_t)(1 + wr_rng_below(r, 255));
    switch (wr_rng_below(r, 12)) {
    case 0:
        d->cfg_n16 = 0;
        break;
    case 1:
        d->cfg_dreq = 0;
        break;
    case 2:
        d->cfg_n16 = 0;
        d->cfg_dreq = 0;
        break;
    case 3:
        d->cfg_nbw = 0;
        break;
    case 4:
        d->cfg_n16 = 1;
        d->cfg_dreq = 0;
        d->cfg_nbw = (uint8_t)(1 + wr_rng_below(r, 100));
        break;
    case 5: /* each bit of a divisor alone, and nothing else that limits */
        d->cfg_n16 = (uint8_t)(1u << wr_rng_below(r, 8));
        d->cfg_dreq = 0;
        break;
    case 6:
        d->cfg_n16 = 0;
        d->cfg_dreq = (uint8_t)(1u << wr_rng_below(r, 8));
        break;
    default:
        break;
    }
    switch (wr_faults_pick(&s->faults, faulty, 10, r)) {
    case FAULT_NBW:
        d->cfg_nbw = (uint8_t)(101 + wr_rng_below(r, 27));
        break;
    case FAULT_DBW:
        d->cfg_dbw = (uint8_t)(101 + wr_rng_below(r, 27));
        break;
    case FAULT_CFG_KERNEL:
        d->cfg_kernel = 3; /* in range where there are four */
        break;
    default:
        break;
    }
    s->decides = true;
}

static void offer(state *s, bool faulty)
{
    wr_rng *r = &s->rng;
    wr_issue_rate_controller_in *in = &s->held;
    *in = (wr_issue_rate_controller_in){.valid = true};
    in->kernel = (uint8_t)(wr_rng_chance(r, s->phase.favour) ? s->phase.favourite
                                                             : wr_rng_below(r, s->cfg.kernels));
    in->store = wr_rng_chance(r, s->phase.stores);
    in->tag = (uint8_t)wr_rng_below(r, 256);
    if (wr_faults_pick(&s->faults, faulty, 2, r) == FAULT_KERNEL) {
        in->kernel = 3;
    }
    s->holds = true;
}

static void next_random(state *s, const wr_issue_rate_controller_out *last,
                        wr_issue_rate_controller_in *in)
{
    wr_rng *r = &s->rng;
    wr_faults_step(&s->faults);
    if (s->phase.left == 0) {
        begin_phase(s);
    }
    s->phase.left--;

    /* An offer that finds no room waits, or gives way to another kernel's. */
    if (s->holds &&
        ((s->before.valid && s->before.kernel < s->cfg.kernels && last->room[s->before.kernel]) ||
         s->held.kernel >= s->cfg.kernels || wr_rng_chance(r, 30))) {
        s->holds = false;
    }
    if (!s->holds && (s->phase.offer_all || wr_gate_open(&s->offer, r))) {
        offer(s, last->fault);
    }
    if (s->decides && s->before.cfg && last->cfg_ready) {
        s->decides = false;
    }
    if (!s->decides && wr_rng_below(r, PER_MILLE) < s->phase.cfg) {
        decide(s, last->fault);
    }
    if (s->decides) {
        *in = s->decision;
    } else { /* noise on pins that mean nothing without cfg */
        in->cfg_kernel = (uint8_t)wr_rng_below(r, 4);
        in->cfg_nbw = (uint8_t)wr_rng_below(r, 128);
    }
    in->valid = s->holds;
    in->kernel = s->holds ? s->held.kernel : (uint8_t)wr_rng_below(r, 4);
    in->store = s->holds && s->held.store;
    in->tag = s->holds ? s->held.tag : (uint8_t)wr_rng_below(r, 256);
    in->fifo = s->phase.fifo;
    in->out_ready = s->phase.consume_all == CONSUME_ALL ||
                    (s->phase.consume_all == CONSUME_GATE && wr_gate_open(&s->consume, r));
    in->clear = wr_rng_below(r, PER_MILLE) < s->phase.clear;
    in->view = (uint8_t)wr_rng_below(r, wr_rng_chance(r, 90) ? s->cfg.kernels : 4);
}

/* Follows what the last cycle did to queue and mode. */
static void watch(state *s, const wr_issue_rate_controller_out *last)
{
    s->before = s->now;
    s->shown = *last;
    const wr_issue_rate_controller_in *in = &s->before;
    const bool taken = in->valid && in->kernel < s->cfg.kernels && last->room[in->kernel];
    if (s->requests == 0 && !taken) {
        s->fifo = in->fifo;
    }
    s->requests += taken;
    s->requests -= last->out_valid && in->out_ready;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_issue_rate_controller_in *in = in_;
    watch(s, last_out);
    if (s->directed && cycle < second_half(s) + SECOND_HALF) {
        directed(s, cycle, in);
    } else {
        next_random(s, last_out, in);
    }
    s->now = *in;
}

static const char *const bin_names[] = {
    "request taken",
    "request taken while another leaves",
    "request refused, others have room",
    "request refused, queue full",
    "request taken that another kernel could not place",
    "load leaves",
    "store leaves",
    "request leaves past a throttled kernel",
    "request held back by the NoC",
    "request at the output replaced by another kernel's",
    "FIFO order: a request of a kernel other than 0 leaves in FIFO mode",
    "requests wait and none may leave",
    "two kernels throttled",
    "nothing waits",
    "last credit",
    "credit refilled from 0",
    "credit 255",
    "quota at the least",
    "quota at the most",
    "quota with a fraction",
    "decision: NoC limits",
    "decision: DRAM limits",
    "decision: no limit",
    "decision waits",
    "decision for a throttled kernel",
    "latency-sensitive",
    "decision acts while a kernel is throttled",
    "clear while a request leaves",
    "loads saturated",
    "stores saturated",
    "fault",
};
enum {
    BIN_TAKEN,
    BIN_TAKEN_LEAVES,
    BIN_REFUSED_ONE,
    BIN_REFUSED_FULL,
    BIN_RESERVED,
    BIN_LOAD,
    BIN_STORE,
    BIN_PASS,
    BIN_HELD,
    BIN_REPLACED,
    BIN_FIFO,
    BIN_ALL_THROTTLED,
    BIN_TWO_THROTTLED,
    BIN_IDLE,
    BIN_LAST_CREDIT,
    BIN_REFILL,
    BIN_CREDIT_255,
    BIN_QUOTA_MIN,
    BIN_QUOTA_MAX,
    BIN_FRACTION,
    BIN_NOC,
    BIN_DRAM,
    BIN_NO_LIMIT,
    BIN_CFG_WAITS,
    BIN_CFG_THROTTLED,
    BIN_LS,
    BIN_CFG_ACTS,
    BIN_CLEAR_LEAVES,
    BIN_LOADS_MAX,
    BIN_STORES_MAX,
    BIN_FAULT,
    BINS,
};

static void cover_decision(const state *s, const wr_issue_rate_controller_in *in,
                           const wr_issue_rate_controller_out *out, uint64_t *hits)
{
    hits[BIN_CFG_WAITS] += in->cfg && !out->cfg_ready;
    if (!in->cfg || !out->cfg_ready || in->cfg_kernel >= s->cfg.kernels) {
        return;
    }
    const bool no_noc = in->cfg_n16 == 0;
    const bool no_dram = in->cfg_dreq == 0;
    const uint32_t noc = 256u * s->cfg.noc_flits * in->cfg_nbw * in->cfg_dreq;
    const uint32_t dram = 16u * s->cfg.dram_bytes * in->cfg_dbw * in->cfg_n16;
    hits[BIN_NOC] += !no_noc && (no_dram || noc < dram);
    hits[BIN_DRAM] += !no_dram && (no_noc || dram < noc);
    hits[BIN_NO_LIMIT] += no_noc && no_dram;
    hits[BIN_CFG_THROTTLED] += out->throttled[in->cfg_kernel];
    hits[BIN_LS] += in->cfg_ls;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_issue_rate_controller_in *in = in_;
    const wr_issue_rate_controller_out *out = out_;
    const bool known = in->kernel < s->cfg.kernels;
    uint32_t rooms = 0;
    uint32_t throttled = 0;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        rooms += out->room[k];
        throttled += out->throttled[k];
    }
    const bool taken = in->valid && known && out->room[in->kernel];
    const bool refused = in->valid && known && !out->room[in->kernel];
    const bool leaves = out->out_valid && in->out_ready;
    hits[BIN_TAKEN] += taken;
    hits[BIN_TAKEN_LEAVES] += taken && leaves;
    hits[BIN_REFUSED_ONE] += refused && rooms > 0;
    hits[BIN_REFUSED_FULL] += refused && rooms == 0;
    hits[BIN_RESERVED] += taken && rooms < s->cfg.kernels;
    hits[BIN_LOAD] += leaves && !out->out_store;
    hits[BIN_STORE] += leaves && out->out_store;
    hits[BIN_PASS] += leaves && throttled > 0;
    hits[BIN_HELD] += out->out_valid && !in->out_ready;
    hits[BIN_REPLACED] += s->shown.out_valid && !s->before.out_ready && out->out_valid &&
                          s->shown.out_kernel != out->out_kernel;
    hits[BIN_FIFO] += leaves && s->fifo && out->out_kernel != 0;
    hits[BIN_ALL_THROTTLED] += throttled > 0 && !out->out_valid;
    hits[BIN_TWO_THROTTLED] += throttled > 1;
    hits[BIN_IDLE] += throttled == 0 && !out->out_valid;
    hits[BIN_LAST_CREDIT] += leaves && in->view == out->out_kernel && out->credit == 1;
    hits[BIN_REFILL] += s->before.view == in->view && s->shown.credit == 0 && out->credit > 0;
    hits[BIN_CREDIT_255] += out->credit == 255;
    hits[BIN_QUOTA_MIN] += out->quota == 16;
    hits[BIN_QUOTA_MAX] += out->quota == 4095;
    hits[BIN_FRACTION] += (out->quota & 15u) != 0;
    cover_decision(s, in, out, hits);
    hits[BIN_CFG_ACTS] += out->cfg_ready && !s->shown.cfg_ready && throttled > 0;
    hits[BIN_CLEAR_LEAVES] += in->clear && leaves;
    hits[BIN_LOADS_MAX] += out->loads == 4095;
    hits[BIN_STORES_MAX] += out->stores == 4095;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_issue_rate_controller_stim;
const wr_stim wr_issue_rate_controller_stim = {
    .block = "issue_rate_controller",
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
