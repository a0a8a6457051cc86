/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of ccbp_allocator: jobs. A job writes tables and needs, starts, waits for the end and
 * looks at every kernel's share.
 *
 * The first jobs are directed and short, so that a step's phases show. Then random jobs, in which
 * each limit binds now and then; in runs with faults every kind of them.
 *
 * The stimulus remembers what it has written. When a job ends it adds up what the pins have shown
 * and says, for the coverage, which limits have bound.
 */
#include <assert.h>
#include <string.h>

#include "refmodel/gen/ccbp_allocator_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    KERNELS = 4,
    NEEDS = 3, /* registers, shared memory, threads */
    TABLE = 33,
    DIRECTED = 4,                                /* jobs */
    SHAPES = 18,                                 /* of tables; most are ramps */
    WRITES = KERNELS * (2 * 32 + NEEDS + 2 + 1), /* a kernel can be sent away again */
};

typedef enum what {
    WHAT_NBW,
    WHAT_DBW,
    WHAT_NEED, /* three of them */
    WHAT_CTAS = WHAT_NEED + NEEDS,
    WHAT_TYPE,
    WHAT_NONE,
} what;

typedef enum kind {
    KIND_LATENCY,
    KIND_NOC,
    KIND_DRAM,
    KIND_BY_RULE,
} kind;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_WE_BUSY,
    FAULT_START_BUSY,
    FAULT_INDEX_0,
    FAULT_INDEX_ABOVE,
    FAULT_PERCENT,
    FAULT_CTAS,
    FAULT_WHAT,
    FAULT_KERNEL,
    FAULT_PRIOR,
    FAULT_KINDS = FAULT_PRIOR,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_WE_BUSY] = "write while busy",
    [FAULT_START_BUSY] = "start while busy",
    [FAULT_INDEX_0] = "index 0",
    [FAULT_INDEX_ABOVE] = "index above the most",
    [FAULT_PERCENT] = "percent above 100",
    [FAULT_CTAS] = "CTAs",
    [FAULT_WHAT] = "what",
    [FAULT_KERNEL] = "kernel",
    [FAULT_PRIOR] = "prior",
};

typedef enum phase {
    PHASE_WRITE,
    PHASE_START,
    PHASE_RUN,
    PHASE_LOOK,
} phase;

typedef struct entry {
    uint8_t what;
    uint8_t kernel;
    uint8_t index;
    uint32_t value;
} entry;

/* What a finished job has shown. */
enum {
    SAW_LATENCY,
    SAW_NOC,
    SAW_DRAM,
    SAW_RULE_LATENCY,
    SAW_RULE_NOC,
    SAW_RULE_DRAM,
    SAW_RULE_AT_LIMIT,
    SAW_RULE_TIE,
    SAW_REGS,
    SAW_SMEM,
    SAW_THREADS,
    SAW_SLOTS,
    SAW_NBW_100,
    SAW_DBW_100,
    SAW_MOST,
    SAW_NOTHING,
    SAW_ABSENT,
    SAW_TOO_BIG,
    SAW_EXACT,
    SAW_WHOLE,
    SAW_EQUAL,
    SAW_NO_BANDWIDTH,
    SAW,
};

typedef struct state {
    wr_ccbp_allocator_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    uint32_t jobs;
    phase phase;
    entry writes[WRITES];
    uint32_t count;
    uint32_t at;
    uint32_t looked; /* kernels seen since the end of the job */
    bool fresh;      /* the start was in the cycle before: done may still be the last job's */

    uint8_t table[2][KERNELS][TABLE]; /* as written: NoC, DRAM */
    uint32_t need[KERNELS][NEEDS];
    uint8_t ctas[KERNELS];
    uint8_t type[KERNELS];
    wr_ccbp_allocator_out shown[KERNELS];
    bool saw[SAW]; /* in this cycle alone */
} state;

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_ccbp_allocator_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->jobs = with_directed ? 0 : DIRECTED;
}

static void plan(state *s, uint32_t write, uint32_t kernel, uint32_t index, uint32_t value)
{
    assert(s->count < WRITES);
    s->writes[s->count++] = (entry){
        .what = (uint8_t)write, .kernel = (uint8_t)kernel, .index = (uint8_t)index, .value = value};
}

/* Short ones: they show each kind of step. */
static void plan_directed(state *s)
{
    switch (s->jobs) {
    case 0: /* a NoC-intensive kernel, the others absent */
        plan(s, WHAT_NBW, 0, 1, 2);
        plan(s, WHAT_DBW, 0, 1, 5);
        if (s->cfg.max_ctas > 1) {
            plan(s, WHAT_NBW, 0, 2, 4);
            plan(s, WHAT_DBW, 0, 2, 8);
        }
        plan(s, WHAT_NEED, 0, 0, 3);
        plan(s, WHAT_CTAS, 0, 0, s->cfg.max_ctas > 1 ? 2 : 1);
        plan(s, WHAT_TYPE, 0, 0, KIND_NOC);
        break;
    case 1: /* two latency-sensitive ones with one CTA each: 99 + 2 % do not fit */
        plan(s, WHAT_DBW, 0, 1, 99);
        plan(s, WHAT_CTAS, 0, 0, 1);
        plan(s, WHAT_TYPE, 0, 0, KIND_LATENCY);
        plan(s, WHAT_DBW, 1, 1, 2);
        plan(s, WHAT_CTAS, 1, 0, 1);
        break;
    case 2: /* the last CTA's own percent is 1, and so much more of the other does not fit */
        for (uint32_t n = 1; n <= s->cfg.max_ctas && n <= 6; n++) {
            const bool last = n == 6 || n == s->cfg.max_ctas;
            plan(s, WHAT_DBW, 0, n, last ? 1 : n);
            plan(s, WHAT_NBW, 0, n, last ? 100 : 0);
        }
        plan(s, WHAT_CTAS, 0, 0, s->cfg.max_ctas);
        plan(s, WHAT_TYPE, 0, 0, KIND_DRAM);
        plan(s, WHAT_CTAS, 1, 0, 0);
        break;
    default: /* at the threshold of the rule, and too big for an SM */
        plan(s, WHAT_NBW, 0, 1, s->cfg.ls_percent);
        plan(s, WHAT_DBW, 0, 1, 1);
        plan(s, WHAT_NEED + 2, 0, 0, s->cfg.threads + 1);
        plan(s, WHAT_TYPE, 0, 0, KIND_BY_RULE);
        break;
    }
}

/* Bandwidth over CTAs: a ramp to a random top, sometimes flat, falling, without any, noise, next to
 * nothing or all, or with holes, which are not written. */
static void plan_table(state *s, uint32_t write, uint32_t k, uint32_t top, uint32_t written,
                       uint32_t shape)
{
    wr_rng *r = &s->rng;
    const uint32_t last = s->cfg.max_ctas;
    for (uint32_t n = 1; n <= last; n++) {
        uint32_t value = (top * n + last / 2) / last;
        if (shape == 0) {
            value = top;
        } else if (shape == 1) {
            value = 0;
        } else if (shape == 2) {
            value = wr_rng_below(r, top + 1);
        } else if (shape == 3) {
            value = top - value;
        } else if (shape == 4) {
            value = wr_rng_chance(r, 50) ? wr_rng_below(r, 4) : 100;
        }
        if (n <= written && (shape != 5 || wr_rng_chance(r, 50))) {
            plan(s, write, k, n, value);
        }
    }
}

static uint32_t limit(const state *s, uint32_t resource)
{
    return resource == 0 ? s->cfg.regs : resource == 1 ? s->cfg.smem : s->cfg.threads;
}

/* What would fit but for one bit, or with a sum's carry. */
static uint32_t too_much(wr_rng *r, uint32_t need)
{
    return wr_rng_chance(r, 30) ? 0x1ffff - need : need | 1u << wr_rng_below(r, 17);
}

static uint32_t top_of(state *s)
{
    static const uint32_t tops[] = {100, 90, 60, 30, 10};
    wr_rng *r = &s->rng;
    switch (wr_rng_below(r, 4)) {
    case 0:
        return s->cfg.ls_percent;
    case 1:
        return s->cfg.ls_percent - 1;
    case 2:
        return tops[wr_rng_below(r, sizeof tops / sizeof tops[0])];
    default:
        return wr_rng_below(r, 101);
    }
}

/* In a crowd all kernels need next to nothing, so that the CTA slots are what binds. */
static void plan_kernel(state *s, uint32_t k, bool crowd)
{
    wr_rng *r = &s->rng;
    const uint32_t top = crowd ? 100 / s->cfg.kernels : top_of(s);
    const bool whole = crowd || wr_rng_chance(r, 80);
    const uint32_t written = whole ? s->cfg.max_ctas : wr_rng_below(r, s->cfg.max_ctas);
    const uint32_t shape = wr_rng_below(r, SHAPES);
    plan_table(s, WHAT_NBW, k, top, written, shape);
    plan_table(s, WHAT_DBW, k, crowd || wr_rng_chance(r, 20) ? top : top_of(s), written,
               wr_rng_chance(r, 25) ? shape : wr_rng_below(r, SHAPES));
    for (uint32_t n = 0; n < NEEDS; n++) {
        const uint32_t most = limit(s, n);
        uint32_t need = most / (1 + wr_rng_below(r, 2 * s->cfg.max_ctas));
        if (crowd) {
            need = wr_rng_below(r, 2);
        } else if (wr_rng_chance(r, 40)) {
            need = most / 64;
        } else if (wr_rng_chance(r, 5)) {
            need = most + 1 < 0x20000 ? most + 1 : 0x1ffff;
        }
        if (!crowd && wr_rng_chance(r, 5)) {
            need = too_much(r, need);
        }
        plan(s, WHAT_NEED + n, k, wr_rng_below(r, 64), need);
    }
    plan(s, WHAT_CTAS, k, wr_rng_below(r, 64),
         crowd || wr_rng_chance(r, 60) ? s->cfg.max_ctas : wr_rng_below(r, s->cfg.max_ctas + 1));
    plan(s, WHAT_TYPE, k, wr_rng_below(r, 64),
         wr_rng_chance(r, 50) ? KIND_BY_RULE : wr_rng_below(r, 3));
}

static void begin_job(state *s)
{
    wr_rng *r = &s->rng;
    s->count = 0;
    s->at = 0;
    if (s->jobs < DIRECTED) {
        plan_directed(s);
    } else {
        const bool crowd = wr_rng_chance(r, 5);
        const bool all = crowd || s->jobs == DIRECTED || wr_rng_chance(r, 20);
        const uint32_t one = wr_rng_below(r, s->cfg.kernels);
        for (uint32_t k = 0; k < s->cfg.kernels; k++) {
            if (all || k == one) {
                plan_kernel(s, k, crowd);
            }
        }
        /* A kernel alone, or with others that want no bandwidth, can have the whole of it. */
        for (uint32_t k = 0; wr_rng_chance(r, 10) && k < s->cfg.kernels; k++) {
            if (k != one) {
                plan(s, WHAT_CTAS, k, 0, 0);
            }
        }
    }
    s->jobs++;
    s->phase = PHASE_WRITE;
}

static void remember(state *s, const entry *e)
{
    switch (e->what) {
    case WHAT_NBW:
    case WHAT_DBW:
        s->table[e->what][e->kernel][e->index] = (uint8_t)(e->value < 100 ? e->value : 100);
        break;
    case WHAT_CTAS:
        s->ctas[e->kernel] = (uint8_t)(e->value < s->cfg.max_ctas ? e->value : s->cfg.max_ctas);
        break;
    case WHAT_TYPE:
        s->type[e->kernel] = e->value & 3u;
        break;
    default:
        s->need[e->kernel][e->what - WHAT_NEED] = e->value;
        break;
    }
}

/* Turns a write into one that breaks the protocol. True where it is still stored. */
static bool spoil(state *s, uint32_t fault, entry *e)
{
    wr_rng *r = &s->rng;
    const bool table = e->what <= WHAT_DBW;
    const bool one_bit = fault != FAULT_NONE && wr_rng_chance(r, 50); /* good but for it */
    switch (fault) {
    case FAULT_INDEX_0:
        e->index = table ? 0 : e->index;
        return !table;
    case FAULT_INDEX_ABOVE:
        if (table) {
            const uint32_t above = s->cfg.max_ctas + 1 + wr_rng_below(r, 20);
            e->index = (uint8_t)(one_bit && e->index < 32 ? e->index | 32u : above);
        }
        return !table;
    case FAULT_PERCENT:
        if (table) {
            e->value =
                one_bit ? e->value | 128u << wr_rng_below(r, 10) : 101 + wr_rng_below(r, 100000);
        }
        return true;
    case FAULT_CTAS:
        if (e->what == WHAT_CTAS) {
            e->value = one_bit
                           ? e->value | 0x10000u >> (wr_rng_chance(r, 30) ? 0 : wr_rng_below(r, 11))
                           : s->cfg.max_ctas + 1 + wr_rng_below(r, 5);
        }
        return true;
    case FAULT_WHAT:
        e->what = WHAT_NONE;
        return false;
    case FAULT_KERNEL:
        e->kernel = s->cfg.kernels < KERNELS ? KERNELS - 1 : e->kernel;
        return s->cfg.kernels == KERNELS;
    default:
        return true;
    }
}

static void put(wr_ccbp_allocator_in *in, const entry *e)
{
    in->we = true;
    in->what = e->what;
    in->kernel = e->kernel;
    in->index = e->index;
    in->value = e->value;
}

static void write_next(state *s, bool faulty, wr_ccbp_allocator_in *in)
{
    entry e = s->writes[s->at++];
    const uint32_t often = e.what == WHAT_CTAS ? 30 : 3; /* one write of many */
    const uint32_t fault = wr_faults_pick(&s->faults, faulty, often, &s->rng);
    if (spoil(s, fault, &e)) {
        remember(s, &e);
    }
    put(in, &e);
}

static void see_kernel(state *s, uint32_t k)
{
    const wr_ccbp_allocator_out *o = &s->shown[k];
    const uint32_t nbw = s->table[0][k][s->ctas[k]];
    const uint32_t dbw = s->table[1][k][s->ctas[k]];
    const uint32_t most = nbw > dbw ? nbw : dbw;
    const bool rule = s->type[k] == KIND_BY_RULE;
    s->saw[SAW_LATENCY] |= o->kind == KIND_LATENCY && o->cta > 0;
    s->saw[SAW_NOC] |= o->kind == KIND_NOC && o->nbw > 0;
    s->saw[SAW_DRAM] |= o->kind == KIND_DRAM && o->dbw > 0;
    s->saw[SAW_RULE_LATENCY] |= rule && o->kind == KIND_LATENCY && most > 0;
    s->saw[SAW_RULE_NOC] |= rule && o->kind == KIND_NOC;
    s->saw[SAW_RULE_DRAM] |= rule && o->kind == KIND_DRAM;
    s->saw[SAW_RULE_AT_LIMIT] |= rule && most == s->cfg.ls_percent;
    s->saw[SAW_RULE_TIE] |= rule && most >= s->cfg.ls_percent && nbw == dbw;
    s->saw[SAW_MOST] |= s->ctas[k] > 0 && o->cta == s->ctas[k];
    s->saw[SAW_NOTHING] |= s->ctas[k] > 0 && o->cta == 0;
    s->saw[SAW_ABSENT] |= s->ctas[k] == 0;
    s->saw[SAW_WHOLE] |= o->dom == 256;
    s->saw[SAW_NO_BANDWIDTH] |= o->kind != KIND_LATENCY && s->table[o->kind - 1][k][o->cta] == 0;
    for (uint32_t n = 0; n < NEEDS; n++) {
        s->saw[SAW_TOO_BIG] |= s->need[k][n] > limit(s, n);
    }
}

/* The job is over and every kernel has been looked at. */
static void judge(state *s)
{
    uint32_t used[NEEDS] = {0};
    uint32_t slots = 0;
    uint32_t nbw = 0;
    uint32_t dbw = 0;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        see_kernel(s, k);
        slots += s->shown[k].cta;
        nbw += s->shown[k].nbw;
        dbw += s->shown[k].dbw;
        for (uint32_t n = 0; n < NEEDS; n++) {
            used[n] += s->shown[k].cta * s->need[k][n];
        }
        for (uint32_t j = 0; j < k; j++) {
            s->saw[SAW_EQUAL] |= s->shown[j].dom == s->shown[k].dom && s->shown[k].dom > 0;
        }
    }
    for (uint32_t n = 0; n < NEEDS; n++) {
        s->saw[SAW_EXACT] |= used[n] == limit(s, n);
        for (uint32_t k = 0; k < s->cfg.kernels; k++) {
            s->saw[SAW_REGS + n] |= s->shown[k].cta < s->ctas[k] && s->shown[k].cta > 0 &&
                                    used[n] + s->need[k][n] > limit(s, n);
        }
    }
    s->saw[SAW_SLOTS] |= slots == s->cfg.slots;
    s->saw[SAW_NBW_100] |= nbw == 100;
    s->saw[SAW_DBW_100] |= dbw == 100;
}

static void start(state *s, bool faulty, wr_ccbp_allocator_in *in)
{
    in->start = true;
    in->prior = (uint8_t)(wr_rng_chance(&s->rng, 60) ? 1 : 1 + wr_rng_below(&s->rng, 15));
    if (wr_faults_pick(&s->faults, faulty, 10, &s->rng) == FAULT_PRIOR) {
        in->prior = 0;
    }
    s->phase = PHASE_RUN;
    s->fresh = true;
}

static void run(state *s, const wr_ccbp_allocator_out *last, wr_ccbp_allocator_in *in)
{
    /* Every kernel's last step does not fit, so with fewer steps than kernels it goes on. */
    const bool goes_on = last->busy && last->steps < s->cfg.kernels;
    switch (wr_faults_pick(&s->faults, last->fault, 1, &s->rng)) {
    case FAULT_WE_BUSY:
        if (goes_on) {
            put(in, &(entry){.what = (uint8_t)wr_rng_below(&s->rng, 7), .index = 1, .value = 1});
        }
        break;
    case FAULT_START_BUSY:
        in->start = goes_on;
        in->prior = 1;
        break;
    default:
        break;
    }
    if (last->done && !s->fresh) {
        s->phase = PHASE_LOOK;
        s->looked = 0;
    }
    s->fresh = false;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_ccbp_allocator_out *last = last_out;
    wr_ccbp_allocator_in *in = in_;
    memset(s->saw, 0, sizeof s->saw);
    if (cycle == 0) {
        begin_job(s);
    }
    if (s->jobs > DIRECTED) {
        wr_faults_step(&s->faults);
    }
    in->kernel = (uint8_t)wr_rng_below(&s->rng, 4);
    in->value = wr_rng_below(&s->rng, 0x20000);
    in->view = (uint8_t)(s->jobs == 1 ? 0 : wr_rng_below(&s->rng, 4));
    switch (s->phase) {
    case PHASE_WRITE:
        if (wr_rng_chance(&s->rng, 95) || s->jobs == 1) {
            write_next(s, last->fault, in);
        }
        if (s->at == s->count) {
            s->phase = PHASE_START;
            if (s->jobs > DIRECTED && in->we && wr_rng_chance(&s->rng, 30)) {
                start(s, last->fault, in); /* with the last write */
            }
        }
        break;
    case PHASE_START:
        start(s, last->fault, in);
        break;
    case PHASE_RUN:
        run(s, last, in);
        break;
    case PHASE_LOOK:
        if (s->looked > 0) {
            s->shown[s->looked - 1] = *last;
        }
        if (s->looked < s->cfg.kernels) {
            in->view = (uint8_t)s->looked++;
        } else {
            judge(s);
            begin_job(s);
        }
        break;
    }
}

static const char *const bin_names[] = {
    "latency-sensitive kernel got CTAs",
    "NoC-intensive kernel got bandwidth",
    "DRAM-intensive kernel got bandwidth",
    "rule: latency-sensitive",
    "rule: NoC",
    "rule: DRAM",
    "rule: at the threshold",
    "rule: NoC and DRAM equal",
    "registers leave no room for a CTA",
    "shared memory leaves no room",
    "threads leave no room",
    "all CTA slots used",
    "NoC used to 100 %",
    "DRAM used to 100 %",
    "a kernel has its most CTAs",
    "a kernel got nothing",
    "a kernel is absent",
    "a CTA that no SM holds",
    "a resource used up exactly",
    "a kernel has all of its dominant resource",
    "two kernels with equal shares",
    "kernel of a bandwidth that it does not use",
    "write",
    "write of the last table entry",
    "write with start",
    "start",
    "start with priority above 1",
    "running",
    "ended",
    "more than 100 steps",
    "fault",
};
enum {
    BIN_WRITE = SAW,
    BIN_WRITE_LAST,
    BIN_WRITE_START,
    BIN_START,
    BIN_PRIOR,
    BIN_RUNNING,
    BIN_ENDED,
    BIN_LONG,
    BIN_FAULT,
    BINS,
};

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_ccbp_allocator_in *in = in_;
    const wr_ccbp_allocator_out *out = out_;
    const bool starts = in->start && !out->busy;
    for (uint32_t i = 0; i < SAW; i++) {
        hits[i] += s->saw[i];
    }
    hits[BIN_WRITE] += in->we && !out->busy;
    hits[BIN_WRITE_LAST] +=
        in->we && !out->busy && in->what <= WHAT_DBW && in->index == s->cfg.max_ctas;
    hits[BIN_WRITE_START] += in->we && starts;
    hits[BIN_START] += starts;
    hits[BIN_PRIOR] += starts && in->prior > 1;
    hits[BIN_RUNNING] += out->busy;
    hits[BIN_ENDED] += out->done && s->phase == PHASE_LOOK;
    hits[BIN_LONG] += out->done && out->steps > 100;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_ccbp_allocator_stim;
const wr_stim wr_ccbp_allocator_stim = {
    .block = "ccbp_allocator",
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
