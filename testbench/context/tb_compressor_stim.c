/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of tb_compressor: whole registers of a thread block, as base and stride of each group.
 *
 * Directed first: the paper's examples (ty * 16 + tx, tx, ty, i), one group alone, exactly as many
 * groups as fit and one result more, a random result at either end. Then registers of every class
 * and of those beside it: one base or stride off at any group, in any one bit; a step of the stride
 * instead of stride x PAG, a step that wraps to 0. In runs with faults every kind of them, also in
 * results that do not fit: of these nothing is kept but the fault.
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
    FLAW_BASE,    /* one base is off by a bit */
    FLAW_STRIDE,  /* one stride is off by a bit */
    FLAW_UNIFORM, /* one result is uniform: its strides are 0 */
    FLAW_SHIFT,   /* one base is off by a bit, and those behind it follow */
    FLAW_KINDS,
} flaw;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_PAG_FIRST,
    FAULT_PAG_LATER,
    FAULT_PAG_LATER_32,
    FAULT_PAG_OVER,
    FAULT_PAG_OTHER,
    FAULT_PAG_OTHER_OVER,
    FAULT_DEAD_FIRST,
    FAULT_DEAD_LATER,
    FAULT_DEAD_OVER,
    FAULT_KINDS = FAULT_DEAD_OVER,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_PAG_FIRST] = "reserved PAG first",
    [FAULT_PAG_LATER] = "reserved PAG behind a first result",
    [FAULT_PAG_LATER_32] = "reserved PAG behind a first result of PAG 32",
    [FAULT_PAG_OVER] = "reserved PAG of a result that does not fit",
    [FAULT_PAG_OTHER] = "another PAG than the first result",
    [FAULT_PAG_OTHER_OVER] = "another PAG than the first, of a result that does not fit",
    [FAULT_DEAD_FIRST] = "dead first result",
    [FAULT_DEAD_LATER] = "dead result behind the first",
    [FAULT_DEAD_OVER] = "dead result that does not fit",
};

/* A register of a TB. */
typedef struct tb_register {
    uint8_t pag;
    values values;
    flaw flaw;
    uint32_t flaw_at; /* group */
    uint32_t flaw_bit;
    uint32_t base, stride; /* of the first group */
    bool as_strided;       /* a result without a stride was offered as strided */
    uint32_t warps;
    uint32_t fits;      /* results that fit */
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
    bool left;                /* a last beat, in the cycle before */
    uint8_t left_class;       /* of the register before */
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
    const uint32_t at = s->reg.flaw_at;
    const uint32_t count = groups(s, &s->reg);
    const uint32_t bit = 1u << s->reg.flaw_bit;
    const uint32_t shift = (s->base[at] ^ bit) - s->base[at];
    for (uint32_t i = 0; i < ALL_MAX; i++) {
        if (s->reg.flaw == FLAW_SHIFT ? i >= at : s->reg.flaw == FLAW_BASE && i == at) {
            s->base[i] += shift;
        }
        s->stride[i] ^= s->reg.flaw == FLAW_STRIDE && i == at ? bit : 0;
        if (s->reg.flaw == FLAW_UNIFORM && i / count == at / count) {
            s->stride[i] = 0;
        }
    }
    s->reg.base = s->base[0];
    s->reg.stride = s->stride[0];
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

/* A fault of results that do not fit. */
static bool fault_over(uint32_t fault)
{
    return fault == FAULT_PAG_OVER || fault == FAULT_PAG_OTHER_OVER || fault == FAULT_DEAD_OVER;
}

/* Half of the registers are of the two global classes, but for a flaw. */
static values random_values(wr_rng *r)
{
    const values global = wr_rng_chance(r, 50) ? VALUES_UNIFORM : VALUES_STRIDED;
    return wr_rng_chance(r, 50) ? global : (values)wr_rng_below(r, VALUES_KINDS);
}

/* Of a register without strides one that shows; else most often the one that a single step sees. */
static flaw random_flaw(wr_rng *r, values of)
{
    const uint32_t pick = 1 + wr_rng_below(r, FLAW_KINDS);
    if (of == VALUES_UNIFORM) {
        return pick % 2 == 0 ? FLAW_STRIDE : FLAW_BASE;
    }
    return pick == FLAW_KINDS ? FLAW_SHIFT : (flaw)pick;
}

/* The group with the flaw: in the first result, at the start of any, the last one, or anywhere. */
static uint32_t flaw_place(state *s)
{
    const uint32_t count = groups(s, &s->reg);
    switch (wr_rng_below(&s->rng, 4)) {
    case 0:
        return wr_rng_below(&s->rng, count);
    case 1:
        return wr_rng_below(&s->rng, s->reg.warps) * count;
    case 2:
        return s->reg.warps * count - 1;
    default:
        return wr_rng_below(&s->rng, s->reg.warps * count);
    }
}

static void begin(state *s)
{
    wr_rng *r = &s->rng;
    const bool is_directed = s->registers < DIRECTED;
    const directed *d = is_directed ? &cases[s->registers] : NULL;
    s->reg.pag = is_directed ? d->pag : (uint8_t)wr_rng_below(r, 3);
    s->reg.values = is_directed ? d->values : random_values(r);
    s->reg.flaw = is_directed || wr_rng_chance(r, 15) ? FLAW_NONE : random_flaw(r, s->reg.values);
    const uint32_t fits = s->cfg.entries / groups(s, &s->reg);
    s->reg.fits = fits;
    const uint32_t over = fault_over(s->faults.first) ? 50 : 10; /* percent */
    if (is_directed) {
        s->reg.warps = d->past < 0 ? (uint32_t)-d->past : fits + (uint32_t)d->past;
        s->reg.warps = d->past < 0 && s->reg.warps > fits ? fits : s->reg.warps;
        s->reg.random_at = d->random_at == 0 ? s->reg.warps : d->random_at - 1;
    } else {
        const uint32_t few = wr_rng_chance(r, 60) ? 3 : 6; /* all beats of a long one take time */
        const uint32_t most = fits > few && wr_rng_chance(r, 85) ? few : fits;
        s->reg.warps = wr_rng_chance(r, 12) ? fits : 1 + wr_rng_below(r, most);
        s->reg.warps = wr_rng_chance(r, over) ? fits + 1 + wr_rng_below(r, 2) : s->reg.warps;
        s->reg.random_at = wr_rng_chance(r, 15) ? wr_rng_below(r, s->reg.warps) : s->reg.warps;
    }
    s->reg.random_at = s->reg.random_at > s->reg.warps ? s->reg.warps : s->reg.random_at;
    s->warp = 0;
    s->reg.as_strided = false;
    s->reg.flaw_bit = wr_rng_below(r, 32);
    s->reg.flaw_at = flaw_place(s);
    const uint32_t stride = wr_rng_chance(r, 50) ? 1 + wr_rng_below(r, 8) : wr_edge_value(r);
    fill(s, is_directed ? 0 : wr_edge_value(r), is_directed ? d->stride : stride);
    s->registers++;
}

/* Whether the next result can break the protocol so. */
static bool fault_can_be(const state *s, uint32_t kind)
{
    const bool over = s->warp >= s->reg.fits;
    switch (kind) {
    case FAULT_PAG_FIRST:
    case FAULT_DEAD_FIRST:
        return s->warp == 0;
    case FAULT_PAG_LATER:
        return s->warp > 0 && !over && s->reg.pag != 2;
    case FAULT_PAG_LATER_32: /* it breaks no other rule */
        return s->warp > 0 && !over && s->reg.pag == 2;
    case FAULT_PAG_OTHER:
    case FAULT_DEAD_LATER:
        return s->warp > 0 && !over;
    default:
        return fault_over(kind) && over;
    }
}

static void spoil(state *s, uint32_t kind, wr_tb_compressor_in *in)
{
    if (kind >= FAULT_DEAD_FIRST) {
        in->pattern = 0;
    } else if (kind == FAULT_PAG_OTHER || kind == FAULT_PAG_OTHER_OVER) {
        in->pag = (uint8_t)((s->reg.pag + 1 + wr_rng_below(&s->rng, 2)) % 3);
    } else {
        in->pag = 3;
    }
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
    if (in->pattern == UNIFORM && s->registers > DIRECTED && wr_rng_chance(r, 10)) {
        in->pattern = STRIDED; /* with strides of 0, which the warp level would call uniform */
        s->reg.as_strided = true;
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
    const uint32_t kind = wr_faults_pick(&s->faults, faulty, faulty ? 5 : 20, r);
    if (fault_can_be(s, kind)) {
        spoil(s, kind, in);
    }
    s->warp++;
    in->last = s->warp == s->reg.warps;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_tb_compressor_out *last = last_out;

    s->left = last->valid && last->last && s->last.ready;
    s->left_class = s->left ? last->tb_class : s->left_class;
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

#define BINS                                                                                       \
    BIN(RESULT, "result taken")                                                                    \
    BIN(IN_A_ROW, "results in consecutive cycles")                                                 \
    BIN(REFUSED, "result refused while beats leave")                                               \
    BIN(SINGLE, "a single result")                                                                 \
    BIN(EXACT, "exactly as many groups as fit")                                                    \
    BIN(GU, "global uniform")                                                                      \
    BIN(GU_ONE, "global uniform, one group")                                                       \
    BIN(LU, "local uniform")                                                                       \
    BIN(LU_OFF, "local uniform, last base off")                                                    \
    BIN(GS_8, "global strided, PAG 8")                                                             \
    BIN(GS_16, "global strided, PAG 16")                                                           \
    BIN(GS_32, "global strided, PAG 32")                                                           \
    BIN(GS_ONE, "global strided, one group")                                                       \
    BIN(GS_WRAP, "global strided, stride x PAG wraps to 0")                                        \
    BIN(LS, "local strided")                                                                       \
    BIN(LS_BASE, "local strided, one base off")                                                    \
    BIN(LS_STRIDE, "local strided, one stride off")                                                \
    BIN(LS_STEP, "local strided, step is the stride")                                              \
    BIN(LS_MIXED, "local strided, a uniform result among strided ones")                            \
    BIN(LS_FULL, "local strided, full buffers")                                                    \
    BIN(RANDOM_FIRST, "random, first result")                                                      \
    BIN(RANDOM_LAST, "random, last result")                                                        \
    BIN(BYPASS, "bypass, one result too many")                                                     \
    BIN(BYPASS_RANDOM, "bypass with a random result")                                              \
    BIN(HELD, "beat held back")                                                                    \
    BIN(HELD_FIRST, "first beat of several held back")                                             \
    BIN(LAST_BEAT, "last beat behind others")                                                      \
    BIN(MOST, "the most results that fit, PAG 8")                                                  \
    BIN(MOST_16, "the most results that fit, PAG 16")                                              \
    BIN(MOST_32, "the most results that fit, PAG 32")                                              \
    BIN(OVER, "one result more than fit, PAG 8")                                                   \
    BIN(OVER_16, "one result more than fit, PAG 16")                                               \
    BIN(OVER_32, "one result more than fit, PAG 32")                                               \
    BIN(BYPASS_MORE, "bypass, more results behind the first too many")                             \
    BIN(RANDOM_OVER, "a random result that does not fit")                                          \
    BIN(LU_FULL, "local uniform, full buffers")                                                    \
    BIN(GU_STRIDED, "global uniform, a result as strided with stride 0")                           \
    BIN(GS_HIGH, "global strided, stride x PAG past 2^32")                                         \
    BIN(GS_NEGATIVE, "global strided, negative stride")                                            \
    BIN(GS_ROUND, "global strided, the bases wrap")                                                \
    BIN(BEHIND_LOCAL, "global class behind a local one")                                           \
    BIN(BEHIND_RANDOM, "global class behind a random register")                                    \
    BIN(BEHIND_BYPASS, "global class behind a bypassed register")                                  \
    BIN(AT_ONCE, "result taken in the cycle behind a last beat")                                   \
    BIN(FAULT_WAITS, "result that breaks the protocol kept waiting")                               \
    BIN(PAG_FIRST, "taken with PAG 3 first")                                                       \
    BIN(PAG_LATER, "taken with PAG 3 later")                                                       \
    BIN(PAG_OTHER, "taken with another PAG")                                                       \
    BIN(DEAD, "taken dead")                                                                        \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

/* Operands that differ in one bit alone, each bit, in a register that has no other flaw: so the
 * class hangs on this comparison. A result's first group is compared with the result before. */
static const wr_near nears[] = {
    {.name = "stride of the first result and 0", .width = 32},
    {.name = "stride of a later result and 0", .width = 32},
    {.name = "stride of the first result and stride 0", .width = 32},
    {.name = "stride of a later result and stride 0", .width = 32},
    {.name = "base of the first result and base 0", .width = 32},
    {.name = "base at the start of a result and base 0", .width = 32},
    {.name = "base of a later result and base 0", .width = 32},
    {.name = "base of the first result and the step to it", .width = 32},
    {.name = "base at the start of a result and the step to it", .width = 32},
    {.name = "base of a later result and the step to it", .width = 32},
    {.name = "PAG and that of the first result", .width = 2},
};
enum {
    NEAR_SLOPE = BIN_COUNT,
    NEAR_STRAY = NEAR_SLOPE + 2,
    NEAR_VARY = NEAR_STRAY + 2, /* of the first result; start of a later one; the rest of it */
    NEAR_JUMP = NEAR_VARY + 3,
    NEAR_PAG = NEAR_JUMP + 3,
};

/* A register of a local class: which comparison has made it so. */
static void cover_flaw(const state *s, const tb_register *reg, uint64_t *hits)
{
    const uint32_t count = groups(s, reg);
    const bool later = reg->flaw_at >= count;
    const uint32_t part = !later ? 0 : reg->flaw_at % count == 0 ? 1 : 2;
    const uint64_t bit = UINT64_C(1) << reg->flaw_bit;
    const bool strided = reg->values == VALUES_STRIDED;
    if (reg->values == VALUES_UNIFORM && reg->flaw == FLAW_STRIDE) {
        hits[NEAR_SLOPE + later] |= bit;
    } else if (reg->flaw_at == 0) {
        return;
    } else if (strided && reg->flaw == FLAW_STRIDE) {
        hits[NEAR_STRAY + later] |= bit;
    } else if (reg->values == VALUES_UNIFORM && reg->flaw == FLAW_BASE) {
        hits[NEAR_VARY + part] |= bit;
    } else if (strided && reg->flaw == FLAW_SHIFT) {
        hits[NEAR_JUMP + part] |= bit;
    }
}

/* The last beat of a register leaves: what it was. */
static void cover_class(const state *s, const wr_tb_compressor_out *out, uint64_t *hits)
{
    const tb_register *reg = &s->gone;
    const uint32_t n = reg->warps * groups(s, reg);
    const bool sound = reg->flaw == FLAW_NONE;
    const bool strided = reg->values == VALUES_STRIDED;
    const uint32_t fits = reg->fits;
    const uint64_t step = (uint64_t)reg->stride << (3 + reg->pag);
    const bool global = out->tb_class == GLOBAL_UNIFORM || out->tb_class == GLOBAL_STRIDED;
    hits[BIN_EXACT] += n == s->cfg.entries && out->tb_class != BYPASS;
    hits[BIN_MOST + reg->pag] += reg->warps == fits && out->count > 0;
    hits[BIN_OVER + reg->pag] += reg->warps == fits + 1;
    hits[BIN_BEHIND_LOCAL] +=
        global && (s->left_class == LOCAL_UNIFORM || s->left_class == LOCAL_STRIDED);
    hits[BIN_BEHIND_RANDOM] += global && s->left_class == CLASS_RANDOM;
    hits[BIN_BEHIND_BYPASS] += global && s->left_class == BYPASS;
    switch (out->tb_class) {
    case GLOBAL_UNIFORM:
        hits[BIN_GU]++;
        hits[BIN_GU_ONE] += n == 1;
        hits[BIN_GU_STRIDED] += n > 1 && reg->as_strided;
        break;
    case LOCAL_UNIFORM:
        hits[BIN_LU]++;
        hits[BIN_LU_OFF] +=
            reg->values == VALUES_UNIFORM && reg->flaw == FLAW_BASE && reg->flaw_at == n - 1;
        hits[BIN_LU_FULL] += n == s->cfg.entries;
        cover_flaw(s, reg, hits);
        break;
    case GLOBAL_STRIDED:
        hits[BIN_GS_8] += reg->pag == 0 && n > 1;
        hits[BIN_GS_16] += reg->pag == 1 && n > 1;
        hits[BIN_GS_32] += reg->pag == 2 && n > 1;
        hits[BIN_GS_ONE] += n == 1;
        hits[BIN_GS_WRAP] += reg->values == VALUES_WRAP && n > 1;
        hits[BIN_GS_HIGH] += n > 1 && step >> 32 != 0 && (uint32_t)step != 0;
        hits[BIN_GS_NEGATIVE] += n > 1 && reg->stride >> 31 != 0;
        hits[BIN_GS_ROUND] += n > 1 && reg->base + (n - 1) * step > UINT32_MAX;
        break;
    case LOCAL_STRIDED:
        hits[BIN_LS]++;
        hits[BIN_LS_BASE] += strided && reg->flaw == FLAW_BASE;
        hits[BIN_LS_STRIDE] += strided && reg->flaw == FLAW_STRIDE;
        hits[BIN_LS_MIXED] += strided && reg->flaw == FLAW_UNIFORM;
        hits[BIN_LS_STEP] += reg->values == VALUES_STEP && sound;
        hits[BIN_LS_FULL] += n == s->cfg.entries;
        cover_flaw(s, reg, hits);
        break;
    case CLASS_RANDOM:
        hits[BIN_RANDOM_FIRST] += reg->warps > 1 && reg->random_at == 0;
        hits[BIN_RANDOM_LAST] += reg->warps > 1 && reg->random_at == reg->warps - 1;
        break;
    default:
        hits[BIN_BYPASS] += reg->warps == fits + 1;
        hits[BIN_BYPASS_MORE] += reg->warps > fits + 1;
        hits[BIN_BYPASS_RANDOM] += reg->random_at < fits;
        hits[BIN_RANDOM_OVER] += reg->random_at >= fits && reg->random_at < reg->warps;
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
    hits[BIN_AT_ONCE] += taken && s->left;
    hits[BIN_FAULT_WAITS] +=
        in->valid && !out->ready && !out->fault && (in->pag == 3 || in->pattern == 0);
    hits[NEAR_PAG] |= taken && in->pag != 3 && s->warp > 1 ? wr_near_bit(in->pag, s->reg.pag) : 0;
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_HELD_FIRST] += out->valid && !in->ready && !out->last;
    hits[BIN_LAST_BEAT] += out->valid && in->ready && out->last && out->count > 0 &&
                           (out->tb_class == LOCAL_UNIFORM || out->tb_class == LOCAL_STRIDED);
    if (out->valid && in->ready && out->last) {
        cover_class(s, out, hits);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

extern const wr_stim wr_tb_compressor_stim;
const wr_stim wr_tb_compressor_stim = {
    .block = "tb_compressor",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BIN_COUNT,
    .cover = cover,
    .nears = nears,
    .near_count = sizeof nears / sizeof nears[0],
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
