/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_mover. Launches of both levels, and jobs: bodies and metadata that leave,
 * come and change places. Directed, in each size of group: few registers of all kinds, and all
 * registers of one kind, changing places. Then random ones: kept registers of all kinds, of one,
 * few or none, as many words as the lines hold, contexts of different size changing places; the
 * port free always, or now and then. Rows and lines that come hold any words. In episodes with
 * faults one of the kinds below comes first. */
#include "refmodel/duet/context_mover.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

#include <string.h>

enum { GROUPS = 3, KINDS = 4, DIRECTED_EACH = 4, DIRECTED = GROUPS * DIRECTED_EACH };
enum { MOST_LINES = 1023, MOST_POINT = (1 << 24) - 1 };
enum { MIX_FEW = KINDS, MIX_ANY, MIX_MOST_WHOLE, MIX_TOP, MIXES };

typedef enum fault_kind {
    FAULT_NONE = 0,
    FAULT_CFG,
    FAULT_GROUP,
    FAULT_NO_WAY,
    FAULT_NO_LINES,
    FAULT_KINDS_ACK,
    FAULT_OUT_OVER,
    FAULT_IN_OVER,
    FAULT_KINDS = FAULT_IN_OVER,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_CFG] = "figures while a job is under way",
    [FAULT_GROUP] = "a group of no size",
    [FAULT_NO_WAY] = "a job that goes nowhere",
    [FAULT_NO_LINES] = "a body without lines",
    [FAULT_KINDS_ACK] = "kinds that nobody asked for",
    [FAULT_OUT_OVER] = "more words than lines hold, of a warp that leaves",
    [FAULT_IN_OVER] = "and of one that comes",
};

typedef struct state {
    wr_context_mover_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate jobs, answers, port;
    wr_context_mover_in was; /* the pins of the cycle before */
    bool tb;                 /* the launch */
    uint32_t group, lines, mix;
    uint32_t given; /* jobs so far: the first are the directed ones, where they are wanted */
    bool offered, meta, out, in;
    uint16_t home, away;
    uint32_t point, comes_at; /* switch points of the job */
    bool head_due;            /* the word with comes_at is due */
    uint32_t left;            /* rows that pack has not asked for */
    uint32_t words;           /* of the warp that has left */
    uint64_t low, high;       /* kinds asked for last */
    wr_context_mover_part part;
} state;

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    *s = (state){.cfg = *(const wr_context_mover_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->given = with_directed ? 0 : DIRECTED;
}

static bool job_ok(const state *s, const wr_context_mover_in *in)
{
    return (in->out || in->in) && (in->meta || !s->tb || s->lines != 0);
}

static wr_context_mover_part kinds_or_drain(uint32_t point)
{
    return point != 0 ? WR_CONTEXT_MOVER_KINDS_IN : WR_CONTEXT_MOVER_DRAIN;
}

/* The part of this cycle, as far as something hangs on it: those behind kinds_in are one. */
static wr_context_mover_part part_of(state *s, const wr_context_mover_out *last)
{
    const wr_context_mover_in *was = &s->was;

    if (last->state == WR_CONTEXT_MOVER_IDLE) {
        return was->cfg || !was->req || !job_ok(s, was) ? WR_CONTEXT_MOVER_IDLE
               : was->meta || s->tb                     ? WR_CONTEXT_MOVER_COPY
               : was->in                                ? WR_CONTEXT_MOVER_HEAD
               : was->point != 0                        ? WR_CONTEXT_MOVER_KINDS_OUT
                                                        : WR_CONTEXT_MOVER_DRAIN;
    }
    if (!was->go) {
        return (wr_context_mover_part)last->state;
    }
    switch ((wr_context_mover_part)last->state) {
    case WR_CONTEXT_MOVER_HEAD:
        return s->out && s->point != 0 ? WR_CONTEXT_MOVER_KINDS_OUT : WR_CONTEXT_MOVER_POINT;
    case WR_CONTEXT_MOVER_KINDS_OUT:
        return was->kinds_ack ? WR_CONTEXT_MOVER_PACK : WR_CONTEXT_MOVER_KINDS_OUT;
    case WR_CONTEXT_MOVER_PACK:
        if (s->left != 0) {
            s->left--;
            return WR_CONTEXT_MOVER_PACK;
        }
        return s->in ? kinds_or_drain(s->comes_at) : WR_CONTEXT_MOVER_DRAIN;
    case WR_CONTEXT_MOVER_POINT:
        return kinds_or_drain(s->comes_at);
    case WR_CONTEXT_MOVER_KINDS_IN:
        return was->kinds_ack ? WR_CONTEXT_MOVER_SUM : WR_CONTEXT_MOVER_KINDS_IN;
    case WR_CONTEXT_MOVER_COPY:
    case WR_CONTEXT_MOVER_SUM:
    case WR_CONTEXT_MOVER_LOAD:
    case WR_CONTEXT_MOVER_UNPACK:
    case WR_CONTEXT_MOVER_DRAIN:
    case WR_CONTEXT_MOVER_IDLE:
        break;
    }
    return last->ack ? WR_CONTEXT_MOVER_IDLE : (wr_context_mover_part)last->state;
}

static void words(state *s, uint32_t *word)
{
    const bool rising = wr_rng_chance(&s->rng, 20);
    const uint32_t base = wr_rng_u32(&s->rng);

    for (uint32_t i = 0; i < s->cfg.lanes; i++) {
        word[i] = rising ? base + i * 0x01000193u : wr_edge_value(&s->rng);
    }
}

static void noise(state *s, wr_context_mover_in *in)
{
    wr_rng *r = &s->rng;

    in->tb = wr_rng_chance(r, 50);
    in->group = (uint8_t)wr_rng_below(r, 4);
    in->lines = (uint16_t)wr_rng_below(r, MOST_LINES + 1);
    in->meta = wr_rng_chance(r, 50);
    in->out = wr_rng_chance(r, 50);
    in->in = wr_rng_chance(r, 50);
    in->home = (uint16_t)wr_rng_below(r, WR_CONTEXT_MOVER_ADDRESSES);
    in->away = (uint16_t)wr_rng_below(r, WR_CONTEXT_MOVER_ADDRESSES);
    in->point = wr_rng_u32(r) & MOST_POINT;
    in->kind_low = wr_rng_u64(r) >> 1;
    in->kind_high = wr_rng_u64(r) >> 1;
    words(s, in->home_rdata);
    words(s, in->away_rdata);
}

static bool directed(const state *s)
{
    return s->given < DIRECTED;
}

static uint32_t some_lines(state *s)
{
    wr_rng *r = &s->rng;

    if (s->tb) {
        return wr_rng_chance(r, 2)    ? MOST_LINES - wr_rng_below(r, 4)
               : wr_rng_chance(r, 10) ? 1 + wr_rng_below(r, 130)
                                      : 1 + wr_rng_below(r, 6);
    }
    return wr_rng_chance(r, 40)  ? s->cfg.regs
           : wr_rng_chance(r, 5) ? (wr_rng_chance(r, 50) ? 0 : MOST_LINES)
                                 : 1 + wr_rng_below(r, s->cfg.regs);
}

static void configure(state *s, wr_context_mover_in *in)
{
    const bool told = directed(s);

    s->tb = !told && wr_rng_chance(&s->rng, 30);
    s->group = told ? s->given / DIRECTED_EACH : wr_rng_below(&s->rng, GROUPS);
    s->lines = told ? s->cfg.regs : some_lines(s);
    s->mix = wr_rng_below(&s->rng, MIXES);
    in->cfg = true;
    in->tb = s->tb;
    in->group = (uint8_t)s->group;
    in->lines = (uint16_t)s->lines;
}

static uint32_t some_point(state *s)
{
    wr_rng *r = &s->rng;

    return wr_rng_chance(r, 15)   ? 0
           : wr_rng_chance(r, 40) ? 1u << wr_rng_below(r, 24)
           : wr_rng_chance(r, 10) ? (uint32_t)MOST_POINT
                                  : 1 + wr_rng_below(r, MOST_POINT);
}

static void offer(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t ways = directed(s) ? 3 : 1 + wr_rng_below(r, 3);

    s->offered = true;
    s->meta = !directed(s) && wr_rng_chance(r, s->lines > 200 && s->tb ? 70 : 25);
    s->out = (ways & 1) != 0;
    s->in = (ways & 2) != 0;
    s->home = (uint16_t)(wr_rng_chance(r, 10) ? 4095u - wr_rng_below(r, 8) : wr_rng_below(r, 4096));
    s->away = (uint16_t)(wr_rng_chance(r, 10) ? 4095u - wr_rng_below(r, 8) : wr_rng_below(r, 4096));
    s->point = directed(s) ? 1 : some_point(s);
    s->comes_at = directed(s) ? 2 : some_point(s);
    if (!directed(s) && wr_rng_chance(r, 30)) {
        s->mix = wr_rng_below(r, MIXES);
    }
}

static uint32_t words_of(const state *s, uint64_t low, uint64_t high, uint32_t reg)
{
    const uint32_t lanes = 8u << s->group;
    const uint32_t groups = lanes < s->cfg.lanes ? s->cfg.lanes / lanes : 1;
    const uint32_t kind = (uint32_t)(low >> reg & 1) | (uint32_t)(high >> reg & 1) << 1;

    return kind == WR_CONTEXT_MOVER_WHOLE ? s->cfg.lanes : kind * groups;
}

static uint32_t all_words(const state *s)
{
    uint32_t sum = 0;

    for (uint32_t reg = 0; reg < s->cfg.regs; reg++) {
        sum += words_of(s, s->low, s->high, reg);
    }
    return sum;
}

static uint64_t few(wr_rng *r)
{
    uint64_t set = UINT64_MAX;

    for (uint32_t i = 0; i < 3; i++) {
        set &= wr_rng_u64(r);
    }
    return set;
}

static uint64_t registers(const state *s)
{
    return (UINT64_C(1) << s->cfg.regs) - 1;
}

/* Kept registers of a mix, no more than the lines hold. */
static void mixed(state *s, bool fits)
{
    wr_rng *r = &s->rng;
    const uint64_t regs = registers(s);
    const uint32_t mix = !directed(s)                    ? s->mix
                         : s->given % DIRECTED_EACH == 0 ? (uint32_t)MIX_TOP
                                                         : s->given % DIRECTED_EACH;
    const uint64_t not_whole = few(r);

    s->low = mix == MIX_FEW          ? few(r)
             : mix == MIX_ANY        ? wr_rng_u64(r)
             : mix == MIX_MOST_WHOLE ? UINT64_MAX ^ not_whole
             : mix == MIX_TOP        ? 0
             : mix & 1               ? UINT64_MAX
                                     : 0;
    s->high = mix == MIX_FEW          ? few(r)
              : mix == MIX_ANY        ? wr_rng_u64(r)
              : mix == MIX_MOST_WHOLE ? UINT64_MAX
              : mix == MIX_TOP        ? 0
              : mix & 2               ? UINT64_MAX
                                      : 0;
    if (mix == MIX_TOP) { /* the last registers: one of each kind */
        s->low = UINT64_C(5) << s->cfg.regs >> 3;
        s->high = UINT64_C(6) << s->cfg.regs >> 3;
    }
    s->low &= regs;
    s->high &= regs;
    for (uint32_t reg = 0; fits && all_words(s) > s->lines * s->cfg.lanes; reg++) {
        s->low &= ~(UINT64_C(1) << reg);
        s->high &= ~(UINT64_C(1) << reg);
    }
}

static void answer(state *s, wr_context_mover_in *in, bool fits)
{
    const bool leaves = s->part == WR_CONTEXT_MOVER_KINDS_OUT;

    mixed(s, fits);
    in->kinds_ack = true;
    in->kind_low = s->low | (in->kind_low & ~registers(s));
    in->kind_high = s->high | (in->kind_high & ~registers(s));
    if (leaves) {
        s->left = (uint32_t)__builtin_popcountll(s->low | s->high);
        s->words = all_words(s);
    }
}

/* Changes a cycle that would be right, where the kind fits it; what it says of kinds is done in
 * `next`. */
static void fault(state *s, fault_kind kind, wr_context_mover_in *in)
{
    const bool idle = s->part == WR_CONTEXT_MOVER_IDLE;

    switch (kind) {
    case FAULT_CFG:
        in->cfg = in->cfg || !idle;
        break;
    case FAULT_GROUP:
        if (in->cfg && idle) {
            in->group = 3;
            s->group = 2;
        }
        break;
    case FAULT_NO_WAY:
        if (in->req && idle) {
            in->out = in->in = false;
            s->offered = false;
        }
        break;
    case FAULT_NO_LINES:
        if (in->cfg && idle) {
            in->tb = s->tb = true;
            in->lines = 0;
            s->lines = 0;
        }
        break;
    case FAULT_KINDS_ACK:
        in->kinds_ack =
            in->kinds_ack || !in->go ||
            (s->part != WR_CONTEXT_MOVER_KINDS_OUT && s->part != WR_CONTEXT_MOVER_KINDS_IN);
        break;
    case FAULT_OUT_OVER:
    case FAULT_IN_OVER:
    case FAULT_NONE:
        break;
    }
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_context_mover_out *last = last_out;
    wr_context_mover_in *in = in_v;
    wr_rng *r = &s->rng;

    if (s->head_due && s->was.go) {
        s->head_due = false;
    }
    if (last->state == WR_CONTEXT_MOVER_HEAD && s->was.go) {
        s->head_due = true;
    }
    s->part = cycle == 0 ? WR_CONTEXT_MOVER_IDLE : part_of(s, last);
    if (s->part == WR_CONTEXT_MOVER_IDLE && last->state != WR_CONTEXT_MOVER_IDLE) {
        s->offered = false;
        s->given += directed(s);
    }
    noise(s, in);
    wr_faults_step(&s->faults);
    const fault_kind kind = (fault_kind)wr_faults_pick(&s->faults, last->fault, 20, r);

    in->go = directed(s) || wr_gate_open(&s->port, r);
    if (s->part == WR_CONTEXT_MOVER_IDLE) {
        const bool due =
            directed(s) ? s->given % DIRECTED_EACH == 0 && !s->was.cfg : wr_rng_chance(r, 15);

        if ((cycle == 0 || due) && !s->offered) {
            configure(s, in);
        }
        if (!s->offered && wr_gate_open(&s->jobs, r)) {
            offer(s);
        }
        s->offered = s->offered && (s->lines != 0 || s->meta || !s->tb || kind == FAULT_NO_LINES);
    }
    in->req = s->offered || (s->part != WR_CONTEXT_MOVER_IDLE && wr_rng_chance(r, 50));
    if (s->part == WR_CONTEXT_MOVER_IDLE && s->offered) {
        in->meta = s->meta;
        in->out = s->out;
        in->in = s->in;
        in->home = s->home;
        in->away = s->away;
    }
    if (s->part <= WR_CONTEXT_MOVER_KINDS_OUT && s->offered) {
        in->point = s->point;
    }
    if (s->head_due) {
        in->away_rdata[0] = (in->away_rdata[0] & 0xffu) | s->comes_at << 8;
    }
    if ((s->part == WR_CONTEXT_MOVER_KINDS_OUT || s->part == WR_CONTEXT_MOVER_KINDS_IN) && in->go &&
        wr_gate_open(&s->answers, r)) {
        answer(s, in,
               kind != (s->part == WR_CONTEXT_MOVER_KINDS_OUT ? FAULT_OUT_OVER : FAULT_IN_OVER));
    }
    fault(s, kind, in);
    s->was = *in;
}

enum {
    BIN_COPY_OUT,
    BIN_COPY_IN,
    BIN_COPY_BOTH,
    BIN_META_OUT,
    BIN_META_IN,
    BIN_META_BOTH,
    BIN_LONG,
    BIN_GROUP_8,
    BIN_GROUP_16,
    BIN_GROUP_32,
    BIN_OUT_ALONE,
    BIN_IN_ALONE,
    BIN_CHANGE,
    BIN_NO_POINT_OUT,
    BIN_NO_POINT_IN,
    BIN_NO_POINT_CHANGE,
    BIN_NOTHING_KEPT,
    BIN_ALL_WHOLE,
    BIN_ALL_FULL,
    BIN_REST,
    BIN_REST_BESIDE_KINDS,
    BIN_REST_IN_DRAIN,
    BIN_BACK_IN_DRAIN,
    BIN_LOAD_HOME,
    BIN_LOAD_AWAY,
    BIN_NO_LOAD,
    BIN_LINE_HOME,
    BIN_LINE_AWAY,
    BIN_ROW_FROM_WINDOW,
    BIN_READ_AND_WRITE,
    BIN_WRAP_HOME,
    BIN_WRAP_AWAY,
    BIN_WAITS_COPY,
    BIN_WAITS_PACK,
    BIN_WAITS_UNPACK,
    BIN_WAITS_DRAIN,
    BIN_KINDS_TOLD,
    BIN_KINDS_LATE,
    BIN_NEXT_AT_ONCE,
    BIN_CFG_BESIDE,
    BINS
};
static const char *const bin_names[] = {
    [BIN_COPY_OUT] = "lines leave",
    [BIN_COPY_IN] = "lines come",
    [BIN_COPY_BOTH] = "lines change places",
    [BIN_META_OUT] = "metadata leave",
    [BIN_META_IN] = "metadata come",
    [BIN_META_BOTH] = "metadata change places",
    [BIN_LONG] = "a copy of 1,000 lines or more",
    [BIN_GROUP_8] = "kinds with groups of 8 lanes",
    [BIN_GROUP_16] = "of 16",
    [BIN_GROUP_32] = "of 32",
    [BIN_OUT_ALONE] = "registers leave",
    [BIN_IN_ALONE] = "registers come",
    [BIN_CHANGE] = "registers change places",
    [BIN_NO_POINT_OUT] = "a warp leaves of which nothing is kept",
    [BIN_NO_POINT_IN] = "one comes",
    [BIN_NO_POINT_CHANGE] = "both have nothing",
    [BIN_NOTHING_KEPT] = "a point where no register is kept",
    [BIN_ALL_WHOLE] = "all registers whole",
    [BIN_ALL_FULL] = "the words fill the lines exactly, which are fewer than registers",
    [BIN_REST] = "a last line that is not full",
    [BIN_REST_BESIDE_KINDS] = "it is written beside a question for kinds",
    [BIN_REST_IN_DRAIN] = "it is written in drain",
    [BIN_BACK_IN_DRAIN] = "what a line held is written in drain",
    [BIN_LOAD_HOME] = "the last line is in a row",
    [BIN_LOAD_AWAY] = "it is in the context",
    [BIN_NO_LOAD] = "it is full",
    [BIN_LINE_HOME] = "a line of words is in a row",
    [BIN_LINE_AWAY] = "it is in the context",
    [BIN_ROW_FROM_WINDOW] = "a register needs no line",
    [BIN_READ_AND_WRITE] = "a row is read while another is written",
    [BIN_WRAP_HOME] = "rows or lines pass the last address",
    [BIN_WRAP_AWAY] = "lines of the context do",
    [BIN_WAITS_COPY] = "no port in copy",
    [BIN_WAITS_PACK] = "in pack",
    [BIN_WAITS_UNPACK] = "in unpack",
    [BIN_WAITS_DRAIN] = "in drain",
    [BIN_KINDS_TOLD] = "kinds are told",
    [BIN_KINDS_LATE] = "they are waited for",
    [BIN_NEXT_AT_ONCE] = "a job in the first cycle that can be",
    [BIN_CFG_BESIDE] = "figures beside a job that waits",
};

static void cover_registers(const state *s, const wr_context_mover_in *in,
                            const wr_context_mover_out *out, uint64_t *hits)
{
    const bool counts = out->kinds && in->kinds_ack;
    const uint32_t sum = counts ? all_words(s) : 0;
    const bool unpacks = out->state == WR_CONTEXT_MOVER_UNPACK && in->go;
    const bool drains = out->state == WR_CONTEXT_MOVER_DRAIN && in->go;
    const bool loads = out->state == WR_CONTEXT_MOVER_LOAD && in->go;

    hits[BIN_GROUP_8] += counts && s->group == 0;
    hits[BIN_GROUP_16] += counts && s->group == 1;
    hits[BIN_GROUP_32] += counts && s->group == 2;
    hits[BIN_OUT_ALONE] += counts && s->out && !s->in;
    hits[BIN_IN_ALONE] += counts && s->in && !s->out;
    hits[BIN_CHANGE] += counts && s->in && s->out;
    hits[BIN_NOTHING_KEPT] += counts && sum == 0;
    hits[BIN_ALL_WHOLE] += counts && sum == s->cfg.regs * s->cfg.lanes;
    hits[BIN_ALL_FULL] +=
        counts && sum == s->lines * s->cfg.lanes && s->lines != 0 && s->lines < s->cfg.regs;
    hits[BIN_REST] += counts && sum % s->cfg.lanes != 0;
    hits[BIN_REST_BESIDE_KINDS] += out->kinds && out->away_wr;
    hits[BIN_REST_IN_DRAIN] += drains && out->away_wr;
    hits[BIN_BACK_IN_DRAIN] += drains && out->home_wr && s->in && s->comes_at == 0;
    hits[BIN_LOAD_HOME] += loads && out->home_rd;
    hits[BIN_LOAD_AWAY] += loads && out->away_rd;
    hits[BIN_NO_LOAD] +=
        counts && out->state == WR_CONTEXT_MOVER_KINDS_IN && sum != 0 && sum % s->cfg.lanes == 0;
    hits[BIN_LINE_HOME] += unpacks && out->home_rd;
    hits[BIN_LINE_AWAY] += unpacks && out->away_rd;
    hits[BIN_ROW_FROM_WINDOW] += unpacks && out->home_wr && !out->home_rd && !out->away_rd;
    if (drains && out->ack && !out->home_wr && !out->away_wr) {
        hits[BIN_NO_POINT_OUT] += s->out && !s->in && s->point == 0;
        hits[BIN_NO_POINT_IN] += s->in && !s->out && s->comes_at == 0;
        hits[BIN_NO_POINT_CHANGE] += s->in && s->out && s->point == 0 && s->comes_at == 0;
    }
}

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_context_mover_in *in = in_v;
    const wr_context_mover_out *out = out_v;
    const bool copied = out->state == WR_CONTEXT_MOVER_COPY && out->ack;
    const bool meta = copied && s->meta;
    const bool body = copied && !s->meta;

    hits[BIN_COPY_OUT] += body && s->out && !s->in;
    hits[BIN_COPY_IN] += body && s->in && !s->out;
    hits[BIN_COPY_BOTH] += body && s->in && s->out;
    hits[BIN_META_OUT] += meta && s->out && !s->in;
    hits[BIN_META_IN] += meta && s->in && !s->out;
    hits[BIN_META_BOTH] += meta && s->in && s->out;
    hits[BIN_LONG] += body && s->lines >= 1000;
    hits[BIN_READ_AND_WRITE] += out->home_rd && out->home_wr;
    hits[BIN_WRAP_HOME] +=
        (out->home_rd && out->home_raddr < s->home) || (out->home_wr && out->home_waddr < s->home);
    hits[BIN_WRAP_AWAY] += (out->away_rd || out->away_wr) && out->away_addr < s->away;
    hits[BIN_WAITS_COPY] += out->state == WR_CONTEXT_MOVER_COPY && !in->go;
    hits[BIN_WAITS_PACK] += out->state == WR_CONTEXT_MOVER_PACK && !in->go;
    hits[BIN_WAITS_UNPACK] += out->state == WR_CONTEXT_MOVER_UNPACK && !in->go;
    hits[BIN_WAITS_DRAIN] += out->state == WR_CONTEXT_MOVER_DRAIN && !in->go;
    hits[BIN_KINDS_TOLD] += out->kinds && in->kinds_ack;
    hits[BIN_KINDS_LATE] += out->kinds && !in->kinds_ack;
    hits[BIN_NEXT_AT_ONCE] += out->ack && in->req;
    hits[BIN_CFG_BESIDE] += in->cfg && in->req && out->state == WR_CONTEXT_MOVER_IDLE;
    cover_registers(s, in, out, hits);
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_mover_stim;
const wr_stim wr_context_mover_stim = {
    .block = "context_mover",
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
