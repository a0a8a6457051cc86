/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of haws_unit: warps that stall, run ahead along random chains and come back, many at
 * once.
 *
 * Directed: I4 and I6 behind the stall at I3 (Gong Fig. 5.7), then the loop of Fig. 5.1, of warp 0,
 * there and back. Then at random: offers for whoever has the turn, chains whose distances, branches
 * and reconvergence PCs lie close together, registers of a small set, completions in any order, and
 * fetch at the oldest entry's PC, beside it and elsewhere. To aim, the stimulus keeps a model of
 * its own beside the hardware that it drives.
 */
#include <string.h>

#include "refmodel/hints/haws_unit.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { VALID = 1 << 23, STALL = 1 << 22, DIRECT = 1 << 22, RENAME = 1 << 8, P0 = 0xf0 };
enum { FIRST = 20, SECOND = 70 }; /* the directed cases end: Fig. 5.7, Fig. 5.1 */

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_DECODE,
    FAULT_PC,
    FAULT_NO_HINT,
    FAULT_RESERVED,
    FAULT_OTHER_DST,
    FAULT_RENAME_SPECIAL,
    FAULT_RENAME_SELF,
    FAULT_TAKE,
    FAULT_DONE_NONE,
    FAULT_DONE_READY,
    FAULT_DONE_WARP,
    FAULT_CHECK_MODE,
    FAULT_CHECK_WARP,
    FAULT_CLEAR_WARP,
    FAULT_KINDS = FAULT_CLEAR_WARP,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_DECODE] = "an offer without a turn",
    [FAULT_PC] = "an offer at another PC",
    [FAULT_NO_HINT] = "a chain without a hint",
    [FAULT_RESERVED] = "reserved bits",
    [FAULT_OTHER_DST] = "another destination without renaming",
    [FAULT_RENAME_SPECIAL] = "renaming of or to a special code",
    [FAULT_RENAME_SELF] = "renaming to itself",
    [FAULT_TAKE] = "take of nothing",
    [FAULT_DONE_NONE] = "done of no entry",
    [FAULT_DONE_READY] = "done of a ready entry",
    [FAULT_DONE_WARP] = "done of no warp",
    [FAULT_CHECK_MODE] = "check of a warp that is not in order",
    [FAULT_CHECK_WARP] = "check of no warp",
    [FAULT_CLEAR_WARP] = "clear of no warp",
};

typedef struct state {
    wr_haws_unit_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed;
    wr_haws_unit shadow;
    wr_gate decode, take, done, check;
    uint8_t stays[WR_HAWS_WARPS]; /* cycles until the warp stalls, or goes on */
    bool stalled[WR_HAWS_WARPS];
    uint32_t fetch_pc; /* directed: of the warp back in order */
    uint32_t finish_at[WR_HAWS_ENTRIES];
    uint32_t calm; /* cycles in which few warps stall, or many; of these first nothing is taken */
    bool many;
} state;

/* An instruction of a directed program. */
typedef struct row {
    uint8_t pc;
    bool branch;
    uint8_t dst, renamed, src, to; /* to: where the chain goes on; 0: it ends */
} row;

static const row fig_5_7[] = {
    {3, false, 0, 0, 1, 4}, {4, false, 4, 4, 1, 6}, {6, false, 5, 5, 4, 0}};
static const row fig_5_1[] = {
    {17, false, 0, 0, 9, 19}, {19, false, 7, 7, 7, 20}, {20, true, 0, 0, 7, 1},
    {1, false, P0, P0, 7, 2}, {2, true, 0, 0, P0, 3},   {3, false, 9, 40, 5, 4},
    {4, false, 9, 41, 9, 5},  {5, false, 9, 42, 9, 6},  {6, false, 9, 43, 5, 7},
    {7, false, 9, 44, 9, 0},
};

static uint32_t put(int32_t value, uint32_t at, uint32_t width)
{
    return ((uint32_t)value & ((1u << width) - 1u)) << at;
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    memset(s, 0, sizeof *s);
    s->cfg = *(const wr_haws_unit_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
    (void)wr_haws_unit_init(&s->shadow, &s->cfg);
}

static uint32_t below(state *s, uint32_t n)
{
    return wr_rng_below(&s->rng, n);
}

static bool chance(state *s, uint32_t percent)
{
    return wr_rng_chance(&s->rng, percent);
}

static uint32_t pc_at(const wr_haws_warp *w, int32_t offset)
{
    return w->base + (uint32_t)offset;
}

static const row *find(const row *rows, size_t count, uint32_t pc)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].pc == pc) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Warp 0 stalls, runs ahead, and comes back. A result takes three cycles, that of I6 six: fetch
 * comes to it before and waits. */
static void directed(state *s, uint64_t cycle, const wr_haws_unit_out *now, wr_haws_unit_in *in)
{
    const bool second = cycle >= FIRST;
    const row *rows = second ? fig_5_1 : fig_5_7;
    const size_t count = second ? sizeof fig_5_1 / sizeof *rows : sizeof fig_5_7 / sizeof *rows;
    const uint32_t base = rows[0].pc;
    const uint64_t at = second ? cycle - FIRST : cycle;
    const uint32_t back = second ? 36 : 12;
    const row *r = find(rows, count, now->serve_entry ? base : now->serve_pc);
    const wr_haws_warp *w = &s->shadow.warp_q[0];

    in->stalled[0] = at >= 2 && at < back;
    s->fetch_pc = at < back ? base : s->fetch_pc;
    if (now->serve && r != NULL) {
        const int32_t to = r->to == 0 ? 0 : (int32_t)r->to - (int32_t)base;
        const bool renames = r->renamed != r->dst && r->dst < s->cfg.special_base &&
                             r->renamed < s->cfg.special_base;
        in->decode = true;
        in->pc = now->serve_entry ? base : now->serve_pc;
        in->branch = r->branch && !now->serve_entry;
        in->dst = r->dst;
        in->src_used[0] = true;
        in->src[0] = r->src;
        in->mask = now->serve_entry ? 0xf : 0;
        in->target = r->pc == 20 ? 1 : 22;
        in->rpc = 22;
        in->hint = VALID | put(to, 9, s->cfg.offset_w) | (renames ? RENAME | r->renamed : r->dst);
        in->hint |= now->serve_entry ? (uint32_t)STALL : 0;
        if (in->branch && r->pc == 20) {
            in->hint = VALID | DIRECT | put(to, 0, s->cfg.branch_w);
        } else if (in->branch) {
            in->hint = VALID | put(to, 11, s->cfg.branch_w);
        }
    }
    in->take = now->issue;
    if (now->issue) {
        const uint32_t takes = now->issue_pc == 6 && !second ? 6 : 3;
        s->finish_at[now->issue_id] = now->issue_control ? 0 : (uint32_t)cycle + takes;
    }
    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        if (s->finish_at[i] == cycle && cycle != 0 && !w->ring[i].ready) {
            in->done = true;
            in->done_id = (uint8_t)i;
        }
    }
    if (at > back) {
        in->check = true;
        in->check_pc = s->fetch_pc;
    }
}

/* Warps stall and go on, each for a time. */
static void stalls(state *s, wr_haws_unit_in *in)
{
    if (s->calm-- == 0) {
        s->calm = 100 + below(s, 200);
        s->many = chance(s, 60);
    }
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        if (s->stays[i] == 0) {
            s->stalled[i] = !s->stalled[i];
            s->stays[i] = (uint8_t)(s->stalled[i] == s->many ? 20 + below(s, 150) : below(s, 30));
        } else {
            s->stays[i]--;
        }
        in->stalled[i] = s->stalled[i];
    }
}

static uint8_t reg_of(state *s)
{
    const uint32_t special = s->cfg.special_base;
    const uint32_t pick = below(s, 20);
    const uint32_t code = pick == 0   ? special
                          : pick == 1 ? special - 1
                          : pick == 2 ? 255
                                      : below(s, 6);
    return (uint8_t)code;
}

/* A distance behind `own`, now and then one at an end of its field or anywhere. */
static int32_t distance(state *s, int32_t own, uint32_t width)
{
    const int32_t half = 1 << (width - 1u);
    const int32_t reach = 1 << (s->cfg.offset_w - 1u);
    const int32_t edges[] = {0, reach - 1, reach, -reach, -reach - 1, half - 1, -half, own, 1};
    const uint32_t pick = below(s, 100);
    int32_t to = pick < 75   ? own + 1 + (int32_t)below(s, 4)
                 : pick < 90 ? edges[below(s, sizeof edges / sizeof edges[0])]
                             : (int32_t)below(s, 2 * (uint32_t)half) - half;
    return to >= -half && to < half ? to : 0;
}

/* PCs of interest about the way to `to`: just outside it, its ends, inside. */
static uint32_t about(state *s, uint32_t from, uint32_t to)
{
    const uint32_t pcs[] = {from - 1,
                            from,
                            to,
                            to + 1,
                            from + (to - from) / 2,
                            UINT32_MAX,
                            wr_near_value(to, 32, &s->rng) & UINT32_MAX};
    const uint32_t pick = below(s, 12);
    return pick < sizeof pcs / sizeof pcs[0] ? pcs[pick] : to + 1 + below(s, 200);
}

static uint64_t lanes_of(state *s)
{
    const uint64_t random = (uint64_t)wr_rng_u32(&s->rng) << 32 | wr_rng_u32(&s->rng);
    const uint32_t pick = below(s, 8);
    return pick < 2 ? UINT64_MAX : pick == 2 ? 0 : pick == 3 ? UINT64_C(1) << below(s, 64) : random;
}

static void offer_entry(state *s, wr_haws_unit_in *in)
{
    const int32_t to = distance(s, 0, s->cfg.offset_w);
    in->pc = wr_edge_value(&s->rng);
    in->hint = VALID | STALL | put(to, 9, s->cfg.offset_w) | below(s, 512);
    in->branch = chance(s, 20);
    in->rpc = s->calm > 220 ? in->pc - 1 : about(s, in->pc + 1, in->pc + (uint32_t)to);
    in->mask = lanes_of(s) | 1;
}

static void offer_branch(state *s, const wr_haws_warp *w, wr_haws_unit_in *in)
{
    const int32_t taken = distance(s, w->offset, s->cfg.branch_w);
    const int32_t other = distance(s, w->offset, s->cfg.branch_w);
    const uint32_t to = w->base + (uint32_t)taken;
    in->branch = true;
    in->mask = lanes_of(s);
    in->mask = chance(s, 40) ? w->lanes : chance(s, 20) ? ~w->lanes : in->mask;
    in->target = about(s, to, to);
    in->target = chance(s, 60) ? to : in->target;
    in->rpc = about(s, chance(s, 50) ? in->target : in->pc + 1, w->base + (uint32_t)other);
    in->hint = VALID | put(taken, 0, s->cfg.branch_w);
    in->hint |= chance(s, 30) ? (uint32_t)DIRECT : put(other, 11, s->cfg.branch_w);
}

static void offer_chain(state *s, const wr_haws_unit_out *now, wr_haws_unit_in *in)
{
    const wr_haws_warp *w = &s->shadow.warp_q[now->serve_warp];
    in->pc = s->shadow.fault_q && chance(s, 5) ? (uint32_t)wr_near_value(now->serve_pc, 32, &s->rng)
                                               : now->serve_pc;
    in->dst = reg_of(s);
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        const wr_haws_entry *e = &w->ring[below(s, s->cfg.entries)];
        in->src_used[i] = chance(s, 60);
        in->src[i] = chance(s, 70)   ? reg_of(s)
                     : chance(s, 50) ? e->dst
                                     : (uint8_t)wr_near_value(e->dst, 8, &s->rng);
    }
    if (chance(s, 25)) {
        offer_branch(s, w, in);
        return;
    }
    const int32_t to = distance(s, w->offset, s->cfg.offset_w);
    const uint32_t renamed =
        chance(s, 70) ? 6 + below(s, 5) : (uint32_t)wr_near_value(in->dst, 8, &s->rng);
    const bool renames =
        chance(s, 50) && in->dst < s->cfg.special_base && renamed < s->cfg.special_base;
    in->hint = VALID | put(to, 9, s->cfg.offset_w) | (renames ? RENAME | renamed : in->dst);
    in->mask = lanes_of(s);
}

/* A running entry of any warp that finishes. */
static void finish(state *s, wr_haws_unit_in *in)
{
    const uint32_t first = below(s, s->cfg.warps);
    for (uint32_t n = 0; n < s->cfg.warps; n++) {
        const uint32_t warp = (first + n) % s->cfg.warps;
        const wr_haws_warp *w = &s->shadow.warp_q[warp];
        for (uint32_t k = 0; k < w->count; k++) {
            const uint32_t id = (w->head + k) % s->cfg.entries;
            if (!w->ring[id].ready && (k + 1 == w->count || chance(s, 60))) {
                in->done = true;
                in->done_warp = (uint8_t)warp;
                in->done_id = (uint8_t)id;
                return;
            }
        }
    }
}

static void look_in_order(state *s, wr_haws_unit_in *in)
{
    const uint32_t first = below(s, s->cfg.warps);
    uint32_t warp = first;
    for (uint32_t n = 0; n < s->cfg.warps; n++) {
        const uint32_t at = (first + n) % s->cfg.warps;
        const wr_haws_warp *w = &s->shadow.warp_q[at];
        if (w->mode == WR_HAWS_IN_ORDER && (w->count != 0 || n + 1 == s->cfg.warps)) {
            warp = at;
            break;
        }
    }
    const wr_haws_warp *w = &s->shadow.warp_q[warp];
    const uint32_t head = pc_at(w, w->ring[w->head].offset);
    in->check_warp = (uint8_t)warp;
    in->check_pc = chance(s, 65)   ? head
                   : chance(s, 40) ? (uint32_t)wr_near_value(head, 32, &s->rng)
                   : chance(s, 50) ? pc_at(w, w->offset)
                                   : wr_rng_u32(&s->rng);
    in->check = w->mode == WR_HAWS_IN_ORDER && wr_gate_open(&s->check, &s->rng);
}

/* One of the bits that a hint of this kind leaves unused, often the highest, which marks a stall
 * point elsewhere; 0: there is none. */
static uint32_t unused(state *s, const wr_haws_unit_in *in, bool entry)
{
    uint32_t named = 0x1ffu | put(-1, 9, s->cfg.offset_w);
    named |= entry ? (uint32_t)STALL : 0;
    if (in->branch && !entry) {
        named = DIRECT | put(-1, 0, s->cfg.branch_w);
        named |= (in->hint & DIRECT) != 0 ? 0 : put(-1, 11, s->cfg.branch_w);
    }
    uint32_t left = (VALID - 1) & ~named;
    const uint32_t count = (uint32_t)__builtin_popcount(left);
    for (uint32_t n = count == 0 ? 0 : chance(s, 40) ? count - 1 : below(s, count); n > 0; n--) {
        left &= left - 1;
    }
    return left & (0 - left);
}

static void break_protocol(state *s, uint32_t kind, const wr_haws_unit_out *now,
                           wr_haws_unit_in *in)
{
    const bool chain = in->decode && now->serve && !now->serve_entry;
    const bool plain = chain && !in->branch;
    const uint32_t special = s->cfg.special_base;
    const uint32_t warp = below(s, s->cfg.warps);
    const wr_haws_warp *w = &s->shadow.warp_q[warp];
    switch ((fault_kind)kind) {
    case FAULT_DECODE:
        in->decode = true;
        break;
    case FAULT_PC:
        in->pc ^= chain ? 1u << below(s, 32) : 0;
        break;
    case FAULT_NO_HINT:
        in->hint &= chain ? VALID - 1 : UINT32_MAX;
        break;
    case FAULT_RESERVED:
        in->hint |= unused(s, in, now->serve_entry);
        break;
    case FAULT_OTHER_DST:
        in->hint = plain ? (in->hint & ~(uint32_t)RENAME) ^ 1u << below(s, 8) : in->hint;
        break;
    case FAULT_RENAME_SPECIAL:
        if (plain && special < 256) {
            const uint32_t code = special + below(s, 256 - special);
            const bool from = chance(s, 50);
            in->dst = from ? (uint8_t)code : in->dst;
            in->hint = (in->hint & ~0xffu) | RENAME | (from ? in->dst ^ 1u : code);
        }
        break;
    case FAULT_RENAME_SELF:
        in->hint = plain ? (in->hint & ~0xffu) | RENAME | in->dst : in->hint;
        break;
    case FAULT_TAKE:
        in->take = true;
        break;
    case FAULT_DONE_NONE:
    case FAULT_DONE_READY:
        in->done = true;
        in->done_warp = (uint8_t)warp;
        in->done_id = (uint8_t)(kind == FAULT_DONE_NONE ? below(s, 16) : w->head);
        break;
    case FAULT_DONE_WARP:
        in->done = true;
        in->done_warp = (uint8_t)below(s, 64);
        break;
    case FAULT_CHECK_MODE:
        in->check = true;
        in->check_warp = (uint8_t)warp;
        break;
    case FAULT_CHECK_WARP:
        in->check = true;
        in->check_warp = (uint8_t)below(s, 64);
        break;
    case FAULT_CLEAR_WARP:
        in->clear = true;
        in->clear_warp = (uint8_t)below(s, 64);
        break;
    case FAULT_NONE:
        break;
    }
}

static void random_cycle(state *s, const wr_haws_unit_out *now, wr_haws_unit_in *in)
{
    stalls(s, in);
    if (now->serve && wr_gate_open(&s->decode, &s->rng)) {
        in->decode = true;
        if (now->serve_entry) {
            offer_entry(s, in);
            in->hint &= ~(chance(s, 15) ? (uint32_t)VALID : chance(s, 10) ? (uint32_t)STALL : 0);
        } else {
            offer_chain(s, now, in);
        }
    } else {
        in->pc = wr_rng_u32(&s->rng); /* none is offered: the pins mean nothing */
        in->hint = wr_rng_u32(&s->rng) & 0xffffff;
        in->mask = lanes_of(s);
    }
    in->take = now->issue && !(s->many && s->calm > 220) && wr_gate_open(&s->take, &s->rng);
    if (wr_gate_open(&s->done, &s->rng)) {
        finish(s, in);
    }
    look_in_order(s, in);
    if (chance(s, 2)) {
        const uint32_t warps[] = {now->serve_warp, now->issue_warp, in->check_warp,
                                  below(s, s->cfg.warps)};
        in->clear = true;
        in->clear_warp = (uint8_t)(warps[below(s, 4)] % s->cfg.warps);
    }
    wr_faults_step(&s->faults);
    break_protocol(s, wr_faults_pick(&s->faults, s->shadow.fault_q, 10, &s->rng), now, in);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_haws_unit_in *in = in_;
    wr_haws_unit_out now;
    (void)last_out;
    wr_haws_unit_eval(&s->shadow, in, &now);
    if (s->directed && cycle < SECOND) {
        directed(s, cycle, &now, in);
        wr_haws_unit_eval(&s->shadow, in, &now);
        s->fetch_pc += in->check && now.action != WR_HAWS_WAIT ? 1u : 0;
        s->fetch_pc = s->fetch_pc == 21 ? 1 : s->fetch_pc; /* I20 jumps to I1 */
    } else {
        random_cycle(s, &now, in);
    }
    wr_haws_unit_tick(&s->shadow, in);
}

static const char *const bin_names[] = {
    "a chain begins",
    "a stall point without a chain",
    "a stall point that gives way to take",
    "a source that runs",
    "a source that is renamed",
    "issued, renamed",
    "issued, not renamed",
    "issued, a branch",
    "a split, the taken side first",
    "a split, the other side first",
    "not taken",
    "ring full",
    "taken as the stall ends",
    "action wait",
    "action skip",
    "action copy",
    "action branch",
    "clear of the warp served",
    "clear of the warp at issue",
    "clear of a warp that holds entries",
    "half of the warps in hint mode",
    "fault",
};
enum {
    BIN_BEGINS,
    BIN_SEEN,
    BIN_GIVES_WAY,
    BIN_RUNS,
    BIN_MAPPED,
    BIN_RENAMED,
    BIN_IN_PLACE,
    BIN_BRANCH,
    BIN_TAKEN_FIRST,
    BIN_OTHER_FIRST,
    BIN_NOT_TAKEN,
    BIN_FULL,
    BIN_LATE,
    BIN_WAIT,
    BIN_SKIP,
    BIN_COPY,
    BIN_AGAIN,
    BIN_CLEAR_SERVED,
    BIN_CLEAR_ISSUE,
    BIN_CLEAR_HOLDS,
    BIN_HALF,
    BIN_FAULT,
    BINS
};

static const wr_near nears[] = {{"check_pc and the oldest entry's", 32, NULL},
                                {"an offer's PC and serve_pc", 32, NULL},
                                {"a source and the dst of an entry", 8, NULL},
                                {"renamed and dst of the oldest entry", 8, NULL},
                                {"rpc and the first PC of a chain", 32, NULL}};

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_; /* its model is a cycle ahead */
    const wr_haws_unit_in *in = in_;
    const wr_haws_unit_out *out = out_;
    const wr_haws_warp *served = &s->shadow.warp_q[out->serve_warp];
    const wr_haws_issue *at = &s->shadow.at_issue_q;
    const bool comes = s->shadow.issue_q && at->warp == out->serve_warp;
    const bool clears_served = in->clear && in->clear_warp == out->serve_warp;
    const bool offered = out->serve && in->decode && in->stalled[out->serve_warp] && !clears_served;
    uint32_t hinting = 0;
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        hinting += out->hint[i];
    }
    hits[BIN_BEGINS] += offered && out->serve_entry && served->mode == WR_HAWS_HINT;
    hits[BIN_SEEN] += offered && out->serve_entry && served->seen;
    hits[BIN_GIVES_WAY] += offered && out->serve_entry && in->take && out->issue;
    hits[BIN_RUNS] += offered && !out->serve_entry && !comes && in->pc == out->serve_pc &&
                      served->mode == WR_HAWS_HINT;
    hits[BIN_MAPPED] += comes && in->src_used[0] && at->src[0] != in->src[0];
    hits[BIN_RENAMED] += in->take && out->issue && out->issue_dst != out->issue_renamed;
    hits[BIN_IN_PLACE] += in->take && out->issue && out->issue_dst == out->issue_renamed;
    hits[BIN_BRANCH] += in->take && out->issue && out->issue_control;
    hits[BIN_TAKEN_FIRST] += comes && at->lanes_behind != at->lanes && in->target != in->rpc;
    hits[BIN_OTHER_FIRST] += comes && at->lanes_behind != at->lanes && in->target == in->rpc;
    hits[BIN_NOT_TAKEN] += out->issue && !in->take;
    hits[BIN_FULL] +=
        in->take && out->issue && s->shadow.warp_q[out->issue_warp].count == s->cfg.entries;
    hits[BIN_LATE] += in->take && out->issue && !in->stalled[out->issue_warp];
    hits[BIN_WAIT] += in->check && out->action == WR_HAWS_WAIT;
    hits[BIN_SKIP] += in->check && out->action == WR_HAWS_SKIP;
    hits[BIN_COPY] += in->check && out->action == WR_HAWS_COPY;
    hits[BIN_AGAIN] += in->check && out->action == WR_HAWS_BRANCH;
    hits[BIN_CLEAR_SERVED] += clears_served && out->serve && in->decode;
    hits[BIN_CLEAR_ISSUE] += in->clear && out->issue && in->clear_warp == out->issue_warp;
    hits[BIN_CLEAR_HOLDS] +=
        in->clear && in->clear_warp < s->cfg.warps && out->holds[in->clear_warp];
    hits[BIN_HALF] += hinting * 2 >= s->cfg.warps;
    hits[BIN_FAULT] += out->fault;
    if (in->check_warp < s->cfg.warps && out->holds[in->check_warp] &&
        out->action == WR_HAWS_NORMAL && !out->hint[in->check_warp]) {
        const wr_haws_warp *w = &s->shadow.warp_q[in->check_warp];
        const uint32_t head = pc_at(w, w->ring[w->head].offset);
        hits[BINS] |= wr_near_bit(head, in->check_pc);
    }
    if (offered && out->serve_entry) {
        hits[BINS + 4] |=
            served->mode == WR_HAWS_HINT ? wr_near_bit(in->rpc, pc_at(served, served->offset)) : 0;
    } else if (offered) {
        hits[BINS + 1] |= wr_near_bit(in->pc, out->serve_pc);
        for (uint32_t n = 0; comes && in->src_used[0] && n < served->count; n++) {
            const wr_haws_entry *e = &served->ring[(served->head + n) % s->cfg.entries];
            hits[BINS + 2] |= e->control ? 0 : wr_near_bit(in->src[0], e->dst);
        }
    }
    hits[BINS + 3] |= in->check ? wr_near_bit(out->copy_from, out->copy_to) : 0;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_haws_unit_stim;
const wr_stim wr_haws_unit_stim = {
    .block = "haws_unit",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .nears = nears,
    .near_count = sizeof nears / sizeof nears[0],
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
