/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of tb_compressor: whole registers of a thread block, as base and stride of each group.
 *
 * Directed first: the paper's examples (ty * 16 + tx, tx, ty, i), one group alone, exactly as many
 * groups as fit and one result more, a random result at either end. Then registers of every class
 * and of those beside it: one base or stride off at any group, a step of the stride instead of
 * stride x PAG, a step that wraps to 0. In runs with faults every kind of them.
 */
#include <string.h>

#include "refmodel/gen/tb_compressor_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { UNIFORM = 1, RANDOM = 2, STRIDED = 3 };
enum { LOCAL_UNIFORM = 1, CLASS_RANDOM, LOCAL_STRIDED, BYPASS, GLOBAL_UNIFORM, GLOBAL_STRIDED };
enum { ENTRIES_MAX = 64, GROUPS_MAX = 8, ALL_MAX = ENTRIES_MAX + 2 * GROUPS_MAX };

typedef enum values {
    VALUES_UNIFORM, /* i */
    VALUES_BASES,   /* ty: a base per group, no stride */
    VALUES_STRIDED, /* ty * 16 + tx: one progression over all groups */
    VALUES_SAME,    /* tx: one base, one stride */
    VALUES_STEP,    /* steps of the stride, not of stride x PAG */
    VALUES_WRAP,    /* stride x PAG is 0 modulo 2^32, all bases equal */
    VALUES_ANY,
    VALUES_KINDS,
} values;

typedef enum flaw {
    FLAW_NONE,
    FLAW_BASE,    /* one base is off */
    FLAW_STRIDE,  /* one stride is off */
    FLAW_UNIFORM, /* one result is uniform: its strides are 0 */
    FLAW_SHIFT,   /* all bases from one group on are shifted */
    FLAW_KINDS,
} flaw;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_PAG_FIRST,
    FAULT_PAG_LATER,
    FAULT_PAG_OTHER,
    FAULT_DEAD,
    FAULT_KINDS = FAULT_DEAD,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_PAG_FIRST] = "reserved PAG first",
    [FAULT_PAG_LATER] = "reserved PAG behind a first result",
    [FAULT_PAG_OTHER] = "another PAG than the first result",
    [FAULT_DEAD] = "dead register",
};

/* A register of a TB. */
typedef struct tb_register {
    uint8_t pag;
    values values;
    flaw flaw;
    uint32_t flaw_at; /* group */
    uint32_t warps;
    uint32_t random_at; /* warp whose result is random; warps: none */
} tb_register;

typedef struct state {
    wr_tb_compressor_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;

    uint32_t registers; /* begun so far */
    uint32_t warp;      /* next one of the register that comes */
    tb_register reg;    /* that comes */
    tb_register gone;   /* all of it has been taken: its beats leave */
    uint32_t base[ALL_MAX];
    uint32_t stride[ALL_MAX];

    wr_tb_compressor_in held; /* the offer that has not been taken */
    wr_tb_compressor_in last; /* pins of the cycle before */
    uint32_t in_a_row;        /* results taken in consecutive cycles */
} state;

/* Groups of one result. */
static uint32_t groups(const state *s, const tb_register *reg)
{
    const uint32_t pag = 8u << reg->pag;
    return (4 * s->cfg.words + pag - 1) / pag;
}

static void fill(state *s, uint32_t base, uint32_t stride)
{
    const uint32_t pag_log2 = 3u + s->reg.pag;
    const uint32_t wrap = 1u << (32 - pag_log2);
    for (uint32_t i = 0; i < ALL_MAX; i++) {
        s->base[i] = base;
        s->stride[i] = stride;
        switch (s->reg.values) {
        case VALUES_UNIFORM:
            s->stride[i] = 0;
            break;
        case VALUES_BASES:
            s->base[i] = base + i;
            s->stride[i] = 0;
            break;
        case VALUES_STRIDED:
            s->base[i] = base + i * (stride << pag_log2);
            break;
        case VALUES_SAME:
            break;
        case VALUES_STEP:
            s->base[i] = base + i * stride;
            break;
        case VALUES_WRAP:
            s->stride[i] = wrap;
            break;
        case VALUES_ANY:
        case VALUES_KINDS:
            s->base[i] = wr_edge_value(&s->rng);
            s->stride[i] = wr_edge_value(&s->rng);
            break;
        }
    }
    for (uint32_t i = 0; i < ALL_MAX; i++) {
        const bool here = i == s->reg.flaw_at;
        s->base[i] += s->reg.flaw == FLAW_BASE && here ? 1u << wr_rng_below(&s->rng, 32) : 0;
        s->stride[i] ^= s->reg.flaw == FLAW_STRIDE && here ? 1u << wr_rng_below(&s->rng, 32) : 0;
        s->base[i] += s->reg.flaw == FLAW_SHIFT && i >= s->reg.flaw_at ? 1 : 0;
        if (s->reg.flaw == FLAW_UNIFORM &&
            i / groups(s, &s->reg) == s->reg.flaw_at / groups(s, &s->reg)) {
            s->stride[i] = 0;
        }
    }
}

typedef struct directed {
    uint8_t pag;
    values values;
    uint32_t stride;
    int32_t past;       /* results past what fits; below 0: that many in all */
    uint32_t random_at; /* 0: none, else warp + 1 */
} directed;

static const directed cases[] = {
    {1, VALUES_STRIDED, 1, -8, 0}, /* ty * 16 + tx of a TB of 16 x 16 */
    {1, VALUES_SAME, 1, -8, 0},    /* tx */
    {1, VALUES_BASES, 0, -8, 0},   /* ty */
    {1, VALUES_UNIFORM, 0, -8, 0}, /* i */
    {2, VALUES_UNIFORM, 0, -1, 0}, {2, VALUES_STRIDED, 4, -1, 0}, {2, VALUES_STRIDED, 4, 0, 0},
    {0, VALUES_STRIDED, 4, 0, 0},  {2, VALUES_STRIDED, 4, 1, 0},  {0, VALUES_STRIDED, 4, 1, 0},
    {2, VALUES_STRIDED, 4, -3, 1}, {2, VALUES_STRIDED, 4, -3, 3}, {1, VALUES_WRAP, 0, -4, 0},
    {1, VALUES_STEP, 1, -4, 0},
};
enum { DIRECTED = sizeof cases / sizeof cases[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_tb_compressor_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->registers = with_directed ? 0 : DIRECTED;
}

static void begin(state *s)
{
    wr_rng *r = &s->rng;
    const bool is_directed = s->registers < DIRECTED;
    const directed *d = is_directed ? &cases[s->registers] : NULL;
    s->reg.pag = is_directed ? d->pag : (uint8_t)wr_rng_below(r, 3);
    s->reg.values = is_directed ? d->values : (values)wr_rng_below(r, VALUES_KINDS);
    s->reg.flaw =
        is_directed || wr_rng_chance(r, 30) ? FLAW_NONE : (flaw)wr_rng_below(r, FLAW_KINDS);
    const uint32_t fits = s->cfg.entries / groups(s, &s->reg);
    if (is_directed) {
        s->reg.warps = d->past < 0 ? (uint32_t)-d->past : fits + (uint32_t)d->past;
        s->reg.warps = d->past < 0 && s->reg.warps > fits ? fits : s->reg.warps;
        s->reg.random_at = d->random_at == 0 ? s->reg.warps : d->random_at - 1;
    } else {
        s->reg.warps = wr_rng_chance(r, 20) ? fits : 1 + wr_rng_below(r, fits < 6 ? fits : 6);
        s->reg.warps = wr_rng_chance(r, 10) ? fits + 1 + wr_rng_below(r, 2) : s->reg.warps;
        s->reg.random_at = wr_rng_chance(r, 15) ? wr_rng_below(r, s->reg.warps) : s->reg.warps;
    }
    s->reg.random_at = s->reg.random_at > s->reg.warps ? s->reg.warps : s->reg.random_at;
    s->warp = 0;
    s->reg.flaw_at = wr_rng_below(r, s->reg.warps * groups(s, &s->reg));
    if (wr_rng_chance(r, 30)) { /* at the border between two results, or the last one */
        s->reg.flaw_at =
            s->reg.warps * groups(s, &s->reg) - 1 - wr_rng_below(r, 2) * (groups(s, &s->reg) - 1);
    }
    const uint32_t stride = wr_rng_chance(r, 50) ? 1 + wr_rng_below(r, 8) : wr_edge_value(r);
    fill(s, is_directed ? 0 : wr_edge_value(r), is_directed ? d->stride : stride);
    s->registers++;
}

static void offer(state *s, bool faulty)
{
    wr_rng *r = &s->rng;
    wr_tb_compressor_in *in = &s->held;
    const uint32_t count = groups(s, &s->reg);
    const uint32_t *base = &s->base[s->warp * count];
    const uint32_t *stride = &s->stride[s->warp * count];

    *in = (wr_tb_compressor_in){.valid = true, .pag = s->reg.pag, .pattern = UNIFORM};
    for (uint32_t w = 0; w < s->cfg.words; w++) { /* noise where no word is in use */
        in->word[w] = wr_rng_u32(r);
    }
    for (uint32_t g = 0; g < count; g++) {
        in->pattern = stride[g] != 0 ? STRIDED : in->pattern;
    }
    if (s->reg.values == VALUES_ANY && wr_rng_chance(r, 20)) {
        in->pattern = STRIDED; /* with strides of 0, which the warp level would call uniform */
    }
    for (uint32_t g = 0; g < count; g++) {
        if (in->pattern == STRIDED) {
            in->word[2 * g] = base[g];
            in->word[2 * g + 1] = stride[g];
        } else {
            in->word[g] = base[g];
        }
    }
    in->pattern = s->warp == s->reg.random_at ? RANDOM : in->pattern;
    if (s->registers > DIRECTED) {
        wr_faults_step(&s->faults);
    }
    switch (wr_faults_pick(&s->faults, faulty, 5, r)) {
    case FAULT_PAG_FIRST:
        in->pag = s->warp == 0 ? 3 : in->pag;
        break;
    case FAULT_PAG_LATER:
        in->pag = s->warp > 0 && s->reg.pag != 2 ? 3 : in->pag;
        break;
    case FAULT_PAG_OTHER:
        in->pag = s->warp > 0 ? (uint8_t)((s->reg.pag + 1 + wr_rng_below(r, 2)) % 3) : in->pag;
        break;
    case FAULT_DEAD:
        in->pattern = 0;
        break;
    default:
        break;
    }
    s->warp++;
    in->last = s->warp == s->reg.warps;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_tb_compressor_out *last = last_out;

    if (last->ready && s->last.valid) {
        s->in_a_row++;
        s->gone = s->last.last ? s->reg : s->gone;
        s->held = (wr_tb_compressor_in){0};
    } else {
        s->in_a_row = 0;
    }
    if (!s->held.valid && (s->registers <= DIRECTED || wr_gate_open(&s->offer, &s->rng))) {
        if (s->warp == s->reg.warps) {
            begin(s);
        }
        offer(s, last->fault);
    }
    wr_tb_compressor_in *in = in_;
    *in = s->held;
    if (!in->valid) { /* noise on pins that mean nothing without valid */
        in->last = wr_rng_chance(&s->rng, 50);
        in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
        in->pattern = (uint8_t)wr_rng_below(&s->rng, 4);
    }
    in->ready = s->registers <= DIRECTED || wr_gate_open(&s->consume, &s->rng);
    s->last = *in;
}

static const char *const bin_names[] = {
    "result taken",
    "results in consecutive cycles",
    "result refused while beats leave",
    "a single result",
    "exactly as many groups as fit",
    "global uniform",
    "global uniform, one group",
    "local uniform",
    "local uniform, last base off",
    "global strided, PAG 8",
    "global strided, PAG 16",
    "global strided, PAG 32",
    "global strided, one group",
    "global strided, stride x PAG wraps to 0",
    "local strided",
    "local strided, one base off",
    "local strided, one stride off",
    "local strided, step is the stride",
    "local strided, a uniform result among strided ones",
    "local strided, full buffers",
    "random, first result",
    "random, last result",
    "bypass, one result too many",
    "bypass with a random result",
    "beat held back",
    "first beat of several held back",
    "last beat behind others",
    "taken with PAG 3 first",
    "taken with PAG 3 later",
    "taken with another PAG",
    "taken dead",
    "fault",
};
enum {
    BIN_RESULT,
    BIN_IN_A_ROW,
    BIN_REFUSED,
    BIN_SINGLE,
    BIN_EXACT,
    BIN_GU,
    BIN_GU_ONE,
    BIN_LU,
    BIN_LU_OFF,
    BIN_GS_8,
    BIN_GS_16,
    BIN_GS_32,
    BIN_GS_ONE,
    BIN_GS_WRAP,
    BIN_LS,
    BIN_LS_BASE,
    BIN_LS_STRIDE,
    BIN_LS_STEP,
    BIN_LS_MIXED,
    BIN_LS_FULL,
    BIN_RANDOM_FIRST,
    BIN_RANDOM_LAST,
    BIN_BYPASS,
    BIN_BYPASS_RANDOM,
    BIN_HELD,
    BIN_HELD_FIRST,
    BIN_LAST_BEAT,
    BIN_PAG_FIRST,
    BIN_PAG_LATER,
    BIN_PAG_OTHER,
    BIN_DEAD,
    BIN_FAULT,
    BINS,
};

/* The last beat of a register leaves: what it was. */
static void cover_class(const state *s, const wr_tb_compressor_out *out, uint64_t *hits)
{
    const tb_register *reg = &s->gone;
    const uint32_t n = reg->warps * groups(s, reg);
    const bool sound = reg->flaw == FLAW_NONE;
    const bool strided = reg->values == VALUES_STRIDED;
    hits[BIN_EXACT] += n == s->cfg.entries && out->tb_class != BYPASS;
    switch (out->tb_class) {
    case GLOBAL_UNIFORM:
        hits[BIN_GU]++;
        hits[BIN_GU_ONE] += n == 1;
        break;
    case LOCAL_UNIFORM:
        hits[BIN_LU]++;
        hits[BIN_LU_OFF] +=
            reg->values == VALUES_UNIFORM && reg->flaw == FLAW_BASE && reg->flaw_at == n - 1;
        break;
    case GLOBAL_STRIDED:
        hits[BIN_GS_8] += reg->pag == 0 && n > 1;
        hits[BIN_GS_16] += reg->pag == 1 && n > 1;
        hits[BIN_GS_32] += reg->pag == 2 && n > 1;
        hits[BIN_GS_ONE] += n == 1;
        hits[BIN_GS_WRAP] += reg->values == VALUES_WRAP && n > 1;
        break;
    case LOCAL_STRIDED:
        hits[BIN_LS]++;
        hits[BIN_LS_BASE] += strided && reg->flaw == FLAW_BASE;
        hits[BIN_LS_STRIDE] += strided && reg->flaw == FLAW_STRIDE;
        hits[BIN_LS_MIXED] += strided && reg->flaw == FLAW_UNIFORM;
        hits[BIN_LS_STEP] += reg->values == VALUES_STEP && sound;
        hits[BIN_LS_FULL] += n == s->cfg.entries;
        break;
    case CLASS_RANDOM:
        hits[BIN_RANDOM_FIRST] += reg->warps > 1 && reg->random_at == 0;
        hits[BIN_RANDOM_LAST] += reg->warps > 1 && reg->random_at == reg->warps - 1;
        break;
    default:
        hits[BIN_BYPASS] += reg->warps == s->cfg.entries / groups(s, reg) + 1;
        hits[BIN_BYPASS_RANDOM] += reg->random_at < reg->warps;
        break;
    }
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_tb_compressor_in *in = in_;
    const wr_tb_compressor_out *out = out_;
    const bool taken = in->valid && out->ready;
    hits[BIN_RESULT] += taken;
    hits[BIN_IN_A_ROW] += taken && s->in_a_row > 0;
    hits[BIN_REFUSED] += in->valid && !out->ready;
    hits[BIN_SINGLE] += taken && in->last && s->reg.warps == 1;
    hits[BIN_PAG_FIRST] += taken && in->pag == 3 && s->warp == 1;
    hits[BIN_PAG_LATER] += taken && in->pag == 3 && s->warp > 1;
    hits[BIN_PAG_OTHER] += taken && in->pag != 3 && in->pag != s->reg.pag;
    hits[BIN_DEAD] += taken && in->pattern == 0;
    hits[BIN_FAULT] += out->fault;
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_HELD_FIRST] += out->valid && !in->ready && !out->last;
    hits[BIN_LAST_BEAT] += out->valid && in->ready && out->last && out->count > 0 &&
                           (out->tb_class == LOCAL_UNIFORM || out->tb_class == LOCAL_STRIDED);
    if (out->valid && in->ready && out->last) {
        cover_class(s, out, hits);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_tb_compressor_stim;
const wr_stim wr_tb_compressor_stim = {
    .block = "tb_compressor",
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
