/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of bandwidth_converter: rounds. A round adds counts of some kernels, asks for the cost
 * of one, and shows samples of it in rising order of CTAs. Directed: a short round of one SM and
 * one slice; then sums that rise past their most. Then random rounds, whose counts are of one kind
 * each (nothing, a few, what fills the bandwidth, all that fits a counter), with operations that
 * wait and cycles without any. */
#include "refmodel/gen/bandwidth_converter_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

#include <string.h>

enum { KERNELS = 4, COUNT_MAX = 16383, REQUESTS_MAX = 4095 };
enum { REQUESTS, SLICE, COST, SAMPLE }; /* codes of op */

/* Most that a sum holds, and additions of full counts that pass it. */
enum { LOADS_MAX = 65535, ACCESSES_MAX = (1 << 18) - 1, LINES_MAX = (1 << 19) - 1, FILLS = 17 };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_KERNEL,
    FAULT_OTHER,
    FAULT_NO_CTAS,
    FAULT_ABOVE,
    FAULT_FEWER,
    FAULT_KINDS = FAULT_FEWER,
} fault_kind;
static const char *const fault_names[] = {
    [FAULT_KERNEL] = "kernel that is not there",
    [FAULT_OTHER] = "sample of another kernel than that of the last cost",
    [FAULT_NO_CTAS] = "sample of no CTAs",
    [FAULT_ABOVE] = "sample of more CTAs than there may be",
    [FAULT_FEWER] = "sample of fewer CTAs than the one before",
};
_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

typedef struct counts {
    uint32_t loads, stores, accesses, lines;
} counts;

typedef struct state {
    wr_bandwidth_converter_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate gate;
    wr_bandwidth_converter_in offer; /* until it is taken; req 0: none */
    bool strays;                     /* the offer breaks the protocol */
    uint32_t story;                  /* operations of the directed part so far */
    bool told;
    uint32_t adds, samples; /* of the round, still to come */
    bool wants_cost;
    uint32_t kernel, ctas; /* of the last cost, and of the last sample behind it */
    uint32_t kind;         /* of counts */
    counts sum[KERNELS];   /* since each kernel's last cost */
    uint32_t entries;      /* written since */
    uint32_t last_value[2];
} state;

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_bandwidth_converter_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->told = !with_directed;
}

/* The next operation of the directed part; false: it is over. */
static bool tell(state *s, wr_bandwidth_converter_in *in)
{
    static const wr_bandwidth_converter_in first[] = {
        {.req = true, .op = REQUESTS, .kernel = 1, .a = 3, .b = 1, .view = 1},
        {.req = true, .op = SLICE, .kernel = 1, .a = 8, .b = 3, .c = 2, .view = 1},
        {.req = true, .op = COST, .kernel = 1, .view = 1},
        {.req = true, .op = SAMPLE, .kernel = 1, .a = 1, .b = 1, .c = 1, .view = 1},
        {.req = true, .op = SAMPLE, .kernel = 1, .a = REQUESTS_MAX, .b = 0, .c = 3, .view = 1},
    };
    enum { FIRST = sizeof first / sizeof first[0], THEN = FIRST + 2 * FILLS };
    const uint32_t at = s->story++;

    if (at < FIRST) {
        *in = first[at];
        in->c = (uint16_t)(in->op == SAMPLE && in->c > s->cfg.max_ctas ? s->cfg.max_ctas : in->c);
    } else if (at < THEN) {
        *in = (wr_bandwidth_converter_in){.req = true,
                                          .op = (uint8_t)((at - FIRST) / FILLS),
                                          .a = COUNT_MAX,
                                          .b = COUNT_MAX,
                                          .c = COUNT_MAX};
    } else {
        *in = (wr_bandwidth_converter_in){.req = true, .op = COST};
        return at == THEN;
    }
    return true;
}

/* A count of up to `most`; `fill`: what makes the bandwidth full. */
static uint32_t count(state *s, uint32_t most, uint32_t fill)
{
    wr_rng *r = &s->rng;
    uint32_t n;

    switch (s->kind) {
    case 0:
        return 0;
    case 1:
        return wr_rng_below(r, 4);
    case 2:
        n = wr_rng_below(r, fill + fill / 4 + 2);
        break;
    case 3:
        n = most - (wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 3));
        break;
    default:
        n = wr_rng_below(r, most + 1);
        break;
    }
    return n < most ? n : most;
}

static void plan(state *s)
{
    wr_rng *r = &s->rng;

    s->adds = wr_rng_chance(r, 10) ? 40 : wr_rng_below(r, 8);
    s->wants_cost = true;
    s->samples = wr_rng_chance(r, 20) ? 0 : 1 + wr_rng_below(r, 5);
    s->kind = wr_rng_below(r, 5);
}

/* CTAs of the next sample: often the same, one more, or the most. */
static uint32_t more_ctas(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t left = s->cfg.max_ctas - s->ctas;
    const uint32_t pick = wr_rng_below(r, 5);
    const uint32_t n = s->ctas + (left == 0 || pick == 0 ? 0
                                  : pick == 1            ? left
                                  : pick < 4             ? 1
                                                         : wr_rng_below(r, left + 1));
    return n == 0 ? 1 : n;
}

static void play(state *s, wr_bandwidth_converter_in *in)
{
    wr_rng *r = &s->rng;
    const wr_bandwidth_converter_cfg *cfg = &s->cfg;
    const uint32_t flits = cfg->noc_flits * cfg->units / cfg->load_flits;

    if (s->adds == 0 && !s->wants_cost && s->samples == 0) {
        plan(s);
    }
    /* What an operation does not read is there all the same. */
    *in = (wr_bandwidth_converter_in){.req = true,
                                      .kernel = (uint8_t)wr_rng_below(r, cfg->kernels),
                                      .a = (uint16_t)wr_rng_below(r, COUNT_MAX + 1),
                                      .b = (uint16_t)wr_rng_below(r, COUNT_MAX + 1),
                                      .c = (uint16_t)wr_rng_below(r, COUNT_MAX + 1)};
    if (s->adds > 0) {
        s->adds--;
        in->op = (uint8_t)(wr_rng_chance(r, 50) ? REQUESTS : SLICE);
        const uint32_t most = in->op == REQUESTS ? REQUESTS_MAX : COUNT_MAX;
        const uint32_t noise = in->op == REQUESTS ? wr_rng_below(r, 4) << 12 : 0;
        in->a = (uint16_t)(count(s, most, flits) | noise);
        in->b = (uint16_t)(count(s, most, flits) | noise);
        in->c = in->op == SLICE ? (uint16_t)count(s, most, flits) : in->c;
    } else if (s->wants_cost) {
        s->wants_cost = false;
        in->op = COST;
    } else {
        s->samples--;
        in->op = SAMPLE;
        in->kernel = (uint8_t)s->kernel;
        in->a = (uint16_t)(count(s, REQUESTS_MAX, flits) | wr_rng_below(r, 4) << 12);
        in->b = (uint16_t)(count(s, REQUESTS_MAX, flits) | wr_rng_below(r, 4) << 12);
        in->c = (uint16_t)(more_ctas(s) | wr_rng_below(r, 256) << 6);
    }
}

static void break_protocol(state *s, bool shown, wr_bandwidth_converter_in *in)
{
    wr_rng *r = &s->rng;
    const wr_bandwidth_converter_cfg *cfg = &s->cfg;
    const uint32_t kind = wr_faults_pick(&s->faults, shown, 10, r);
    uint32_t ctas;

    if (kind == FAULT_KERNEL && cfg->kernels < KERNELS) {
        in->kernel = (uint8_t)(cfg->kernels + wr_rng_below(r, KERNELS - cfg->kernels));
        s->strays = true;
        return;
    }
    if (in->op != SAMPLE || kind == FAULT_NONE || kind == FAULT_KERNEL) {
        return;
    }
    s->strays = true;
    switch (kind) {
    case FAULT_OTHER:
        in->kernel = (uint8_t)((s->kernel + 1 + wr_rng_below(r, cfg->kernels - 1)) % cfg->kernels);
        return;
    case FAULT_NO_CTAS:
        ctas = 0;
        break;
    case FAULT_ABOVE:
        ctas = wr_rng_chance(r, 50) ? cfg->max_ctas + 1
                                    : cfg->max_ctas + 1 + wr_rng_below(r, 63 - cfg->max_ctas);
        break;
    default: /* one fewer, or any; none where that is another fault */
        if (s->ctas < 2) {
            s->strays = false;
            return;
        }
        ctas = wr_rng_chance(r, 50) ? s->ctas - 1 : 1 + wr_rng_below(r, s->ctas - 1);
        break;
    }
    in->c = (uint16_t)((in->c & ~63u) | ctas);
}

/* What was offered has been taken. */
static void taken(state *s)
{
    const wr_bandwidth_converter_in *in = &s->offer;
    counts *sum = &s->sum[in->kernel];

    if (s->strays) {
        return;
    }
    switch (in->op) {
    case REQUESTS:
        sum->loads += in->a & 4095u;
        sum->stores += in->b & 4095u;
        break;
    case SLICE:
        sum->accesses += in->a;
        sum->lines += (uint32_t)in->b + in->c;
        break;
    case COST:
        *sum = (counts){0};
        s->kernel = in->kernel;
        s->ctas = 0;
        break;
    default:
        s->ctas = in->c & 63u;
        break;
    }
    s->entries = 0;
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_bandwidth_converter_out *last = last_out;
    wr_bandwidth_converter_in *in = in_v;

    (void)cycle;
    wr_faults_step(&s->faults);
    s->entries += last->we;
    if (last->we) {
        s->last_value[last->what] = last->value;
    }
    if (s->offer.req && last->ready) {
        taken(s);
        s->offer.req = false;
    }
    if (!s->offer.req && !s->told) {
        s->told = !tell(s, &s->offer);
    } else if (!s->offer.req && wr_gate_open(&s->gate, &s->rng)) {
        s->strays = false;
        play(s, &s->offer);
        break_protocol(s, last->fault, &s->offer);
    }
    *in = s->offer;
    if (s->told) {
        in->view = (uint8_t)wr_rng_below(&s->rng, KERNELS);
    }
}

enum {
    BIN_REQUESTS,
    BIN_SLICE,
    BIN_COST,
    BIN_SAMPLE,
    BIN_WAITS,
    BIN_NO_REQUESTS,
    BIN_NO_ACCESSES,
    BIN_BOTH,
    BIN_FULL_REQUESTS,
    BIN_FULL_SLICE,
    BIN_MANY_BYTES,
    BIN_SAME_CTAS,
    BIN_ONE_MORE,
    BIN_GAP,
    BIN_ALL_CTAS,
    BIN_NBW_ENTRY,
    BIN_DBW_ENTRY,
    BIN_FULL,
    BIN_EMPTY,
    BIN_BETWEEN,
    BIN_FLAT,
    BIN_NOT_THERE,
    BIN_FAULT,
    BINS
};
static const char *const bin_names[] = {
    [BIN_REQUESTS] = "counts of an SM are added",
    [BIN_SLICE] = "counts of a slice",
    [BIN_COST] = "a cost begins",
    [BIN_SAMPLE] = "a sample begins",
    [BIN_WAITS] = "an operation waits",
    [BIN_NO_REQUESTS] = "cost of a kernel that sent nothing",
    [BIN_NO_ACCESSES] = "cost of a kernel without accesses of L2",
    [BIN_BOTH] = "cost of loads and stores",
    [BIN_FULL_REQUESTS] = "cost with loads or stores at their most",
    [BIN_FULL_SLICE] = "cost with accesses or lines at their most",
    [BIN_MANY_BYTES] = "a request of 255 bytes",
    [BIN_SAME_CTAS] = "a sample of the same CTAs as the one before",
    [BIN_ONE_MORE] = "of one more",
    [BIN_GAP] = "of several more",
    [BIN_ALL_CTAS] = "of the most",
    [BIN_NBW_ENTRY] = "an entry of the NoC",
    [BIN_DBW_ENTRY] = "an entry of DRAM",
    [BIN_FULL] = "an entry of 100 percent",
    [BIN_EMPTY] = "an entry of 0 percent",
    [BIN_BETWEEN] = "an entry between two samples",
    [BIN_FLAT] = "an entry as the one before",
    [BIN_NOT_THERE] = "costs of a kernel that is not there",
    [BIN_FAULT] = "fault",
};

static void cover_cost(const state *s, const wr_bandwidth_converter_in *in, uint64_t *hits)
{
    const counts *c = &s->sum[in->kernel];

    hits[BIN_COST]++;
    hits[BIN_NO_REQUESTS] += c->loads + c->stores == 0;
    hits[BIN_NO_ACCESSES] += c->accesses == 0;
    hits[BIN_BOTH] += c->loads != 0 && c->stores != 0;
    hits[BIN_FULL_REQUESTS] += c->loads > LOADS_MAX || c->stores > LOADS_MAX;
    hits[BIN_FULL_SLICE] += c->accesses > ACCESSES_MAX || c->lines > LINES_MAX;
}

static void cover_sample(const state *s, const wr_bandwidth_converter_in *in, uint64_t *hits)
{
    const uint32_t ctas = in->c & 63u;

    hits[BIN_SAMPLE]++;
    hits[BIN_SAME_CTAS] += ctas == s->ctas;
    hits[BIN_ONE_MORE] += ctas == s->ctas + 1;
    hits[BIN_GAP] += ctas > s->ctas + 1;
    hits[BIN_ALL_CTAS] += ctas == s->cfg.max_ctas;
}

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_bandwidth_converter_in *in = in_v;
    const wr_bandwidth_converter_out *out = out_v;

    if (in->req && out->ready && !s->strays) {
        hits[BIN_REQUESTS] += in->op == REQUESTS;
        hits[BIN_SLICE] += in->op == SLICE;
        if (in->op == COST) {
            cover_cost(s, in, hits);
        } else if (in->op == SAMPLE) {
            cover_sample(s, in, hits);
        }
    }
    hits[BIN_WAITS] += in->req && !out->ready;
    hits[BIN_MANY_BYTES] += out->dreq == 255;
    hits[BIN_NBW_ENTRY] += out->we && !out->what;
    hits[BIN_DBW_ENTRY] += out->we && out->what;
    hits[BIN_FULL] += out->we && out->value == 100;
    hits[BIN_EMPTY] += out->we && out->value == 0;
    hits[BIN_BETWEEN] += out->we && out->index < s->ctas && out->value != 0 && out->value != 100;
    hits[BIN_FLAT] += out->we && s->entries > 1 && out->value == s->last_value[out->what];
    hits[BIN_NOT_THERE] += in->view >= s->cfg.kernels;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_bandwidth_converter_stim;
const wr_stim wr_bandwidth_converter_stim = {
    .block = "bandwidth_converter",
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
