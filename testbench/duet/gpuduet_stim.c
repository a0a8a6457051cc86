/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of gpuduet: the player of duet_unit's pins; behind them storage that holds any words,
 * the compiler's kinds, at most as many words as move, and loads of warps that are away. A copy of
 * the model that gets the same inputs tells what is asked in this cycle.
 *
 * A reply is for a warp that is absent and still waits; when it waits no more the reply falls,
 * whether it was written or not.
 */
#include <string.h>

#include "refmodel/duet/gpuduet.h"
#include "testbench/duet/unit_play.h"
#include "testbench/stim.h"

enum { LANES = 32, WHOLE = 3, POINT_AT = 8, POINT_BITS = 24 };

typedef enum wrong {
    WRONG_NONE,
    WRONG_GROUP,
    WRONG_KINDS_ACK,
    WRONG_WORDS,
    WRONG_REG,
    WRONG_PRESENT,
    WRONG_HEAD,
    WRONG_KIND,
    WRONG_PINS,
    WRONG_KINDS = WRONG_PINS,
} wrong;

static const char *const wrong_names[] = {
    [WRONG_GROUP] = "group 3 behind a start",
    [WRONG_KINDS_ACK] = "kinds that nobody asked for",
    [WRONG_WORDS] = "more words kept than lines hold",
    [WRONG_REG] = "a reply's register that a warp can't have",
    [WRONG_PRESENT] = "a reply for a warp that is not absent",
    [WRONG_HEAD] = "metadata without a switch point",
    [WRONG_KIND] = "a reply's register that is not kept whole",
    [WRONG_PINS] = "pins of the control at random",
};
_Static_assert(sizeof wrong_names / sizeof wrong_names[0] == WRONG_KINDS + 1, "one name per kind");

typedef struct state {
    player play;
    wr_gpuduet model, before; /* behind the cycles so far; before the last of them */
    wr_faults faults;
    wr_gate replies, kinds;
    bool shown; /* a fault has */

    uint8_t group;
    bool half;
    bool quick; /* nothing is waited for, and little is kept: an out needs that units meet */
    bool reply, ended, again; /* the reply's last cycle: was the one before; the one before that */
    uint8_t warp, reg;
    uint32_t point;
    uint32_t patience; /* cycles in which who comes in waits for a native launch to be under way */
} state;

static void init(void *state_, const void *cfg_, uint64_t seed, bool with_directed)
{
    state *s = state_;
    const wr_gpuduet_cfg *c = cfg_;
    const wr_duet_unit_cfg unit = {.reg_units = c->reg_units,
                                   .smem_units = c->smem_units,
                                   .l1_units = c->l1_units,
                                   .warps = c->warps,
                                   .tbs = c->tbs,
                                   .slots = c->slots,
                                   .st_lines = c->st_lines};

    memset(s, 0, sizeof *s);
    play_init(&s->play, &unit, seed, (wr_faults){.kinds = FAULT_KINDS}, with_directed);
    s->faults = wr_faults_of(seed, WRONG_KINDS);
    (void)wr_gpuduet_init(&s->model, c);
}

static uint32_t pick_wrong(state *s, uint32_t percent)
{
    return wr_faults_pick(&s->faults, s->shown, s->shown ? 3 : percent, &s->play.rng);
}

static bool is_absent(const state *s, uint32_t id)
{
    const wr_warp_context_table *t = &s->model.unit.wct;

    return t->valid_q[id] && t->state_q[id] == WR_WARP_ABSENT;
}

/* Switched out, and data may still come for it. */
static bool waits_away(const state *s, uint32_t id)
{
    const uint8_t what = s->play.m.warps[id].what;

    return is_absent(s, id) && (what == MEMORY || what == BARRIER);
}

/* Launch and storage -------------------------------------------------------------------------- */

static void words(wr_rng *r, uint32_t *word)
{
    const bool rising = wr_rng_chance(r, 20);
    const uint32_t base = wr_rng_u32(r);

    for (uint32_t i = 0; i < LANES; i++) {
        word[i] = rising ? base + i * 0x01000193u : wr_edge_value(r);
    }
}

static uint32_t some_point(wr_rng *r)
{
    return wr_rng_chance(r, 15)   ? 0
           : wr_rng_chance(r, 40) ? 1u << wr_rng_below(r, POINT_BITS)
                                  : 1 + wr_rng_below(r, (1u << POINT_BITS) - 1);
}

/* Pins beside the control's. A switch point stands while something moves. */
static void show_storage(state *s, wr_gpuduet_in *in)
{
    wr_rng *r = &s->play.rng;
    const bool head = s->model.reply.state_q == WR_ABSENT_REPLY_READ;

    in->group = s->group;
    in->half = s->half;
    s->point = s->model.unit.csl.op_q != WR_CSL_NONE ? s->point : some_point(r);
    in->point = s->point;
    words(r, in->home_rdata);
    words(r, in->away_rdata);
    if (s->model.mover.head_q) {
        in->away_rdata[0] =
            (some_point(r) | (s->patience > 0)) << POINT_AT | (in->away_rdata[0] & 0xffu);
    }
    in->head = (1 + wr_rng_below(r, (1u << POINT_BITS) - 1)) << POINT_AT | wr_rng_below(r, 256);
    if (head && pick_wrong(s, 30) == WRONG_HEAD) {
        in->head &= 0xffu;
    }
    in->kind_low = wr_rng_u64(r) >> 1;
    in->kind_high = wr_rng_u64(r) >> 1;
}

/* Behind a start: what stands to the next one. */
static void new_launch(state *s)
{
    wr_rng *r = &s->play.rng;

    s->group = (uint8_t)wr_rng_below(r, 3);
    s->quick = is_directed(&s->play) || (s->play.m.mood.calm && wr_rng_chance(r, 75));
    s->half = !s->quick && wr_rng_chance(r, 60);
    if (pick_wrong(s, 100) == WRONG_GROUP) {
        s->group = 3;
    }
}

/* Kinds --------------------------------------------------------------------------------------- */

static uint32_t words_kept(const state *s, uint64_t low, uint64_t high)
{
    const uint32_t groups = 4u >> s->model.mover.group_q;
    uint32_t sum = 0;

    for (uint32_t reg = 0; reg < s->model.cfg.regs; reg++) {
        const uint32_t kind = (uint32_t)(low >> reg & 1) | (uint32_t)(high >> reg & 1) << 1;
        sum += kind == WHOLE ? (uint32_t)LANES : kind * groups;
    }
    return sum;
}

static uint64_t few(wr_rng *r)
{
    const uint64_t half = wr_rng_u64(r);

    return half & wr_rng_u64(r);
}

/* Any, few, none, or all kept whole; no more words than move. */
static void kinds_of_move(state *s, wr_gpuduet_in *in, bool fits)
{
    wr_rng *r = &s->play.rng;
    const uint32_t mix = !fits ? 3 : s->quick ? 2 : wr_rng_below(r, 4);

    if (mix == 1) {
        in->kind_low &= few(r);
        in->kind_high &= few(r);
    } else if (mix >= 2) {
        in->kind_low = in->kind_high = mix == 2 ? 0 : UINT64_MAX >> 1;
    }
    for (uint32_t reg = 0;
         fits && words_kept(s, in->kind_low, in->kind_high) > s->model.mover.lines_q * LANES;
         reg++) {
        in->kind_low &= ~(UINT64_C(1) << reg);
        in->kind_high &= ~(UINT64_C(1) << reg);
    }
}

/* The reply's register is kept whole, now and then not at all. */
static void kinds_of_reply(state *s, wr_gpuduet_in *in)
{
    wr_rng *r = &s->play.rng;
    const uint64_t bit = UINT64_C(1) << s->model.reply.regno_q;
    uint32_t kind = wr_rng_chance(r, 10) ? 0 : WHOLE;

    if (wr_rng_chance(r, 20)) { /* few below it, so that the words may begin a line */
        in->kind_low &= ~(bit - 1);
        in->kind_high &= ~(bit - 1);
    }
    if (pick_wrong(s, 60) == WRONG_KIND) {
        kind = up_to(r, 2);
    }
    in->kind_low = (in->kind_low & ~bit) | ((kind & 1) != 0 ? bit : 0);
    in->kind_high = (in->kind_high & ~bit) | ((kind & 2) != 0 ? bit : 0);
}

/* The compiler's table is late for a reply while a switch has not come to its move, so that both
 * ask; and in some moves for who comes in, until a native launch is under way (see meet). */
static void answer_kinds(state *s, const wr_gpuduet_out *out, wr_gpuduet_in *in)
{
    wr_rng *r = &s->play.rng;
    const bool of_mover = out->mover_state == WR_CONTEXT_MOVER_KINDS_OUT ||
                          out->mover_state == WR_CONTEXT_MOVER_KINDS_IN;
    const bool both = of_mover && s->model.reply.state_q == WR_ABSENT_REPLY_KIND;
    const bool late = (out->op != WR_CSL_NONE && !out->move && wr_rng_chance(r, 90)) ||
                      (out->op == WR_CSL_IN && s->patience > 0) ||
                      (both && !s->model.phase_q && wr_rng_chance(r, 50));

    if (!out->move) {
        s->patience = wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 100);
    } else if (s->play.model.launcher.job_q == WR_LAUNCHER_NATIVE && wr_rng_chance(r, 30)) {
        s->patience = 0;
    }
    s->patience -= s->patience > 0;
    in->kinds_ack = out->kinds && (s->quick || (!late && wr_gate_open(&s->kinds, r)));
    if (!in->kinds_ack) {
        in->kinds_ack = !out->kinds && pick_wrong(s, 40) == WRONG_KINDS_ACK;
    } else if (of_mover && (!in->half || !s->model.phase_q)) {
        kinds_of_move(s, in, pick_wrong(s, 60) != WRONG_WORDS);
    } else {
        kinds_of_reply(s, in);
    }
}

/* Replies ------------------------------------------------------------------------------------- */

/* Picks one; false: nobody is away. */
static bool begin_reply(state *s)
{
    wr_rng *r = &s->play.rng;
    const uint32_t kind = pick_wrong(s, 30);
    const uint32_t regs = s->model.cfg.regs;
    uint32_t id = wr_rng_below(r, s->model.cfg.warps);

    for (uint32_t n = 0; n < s->model.cfg.warps && !waits_away(s, id); n++) {
        id = (id + 1) % s->model.cfg.warps;
    }
    if (kind == WRONG_PRESENT) {
        id = wr_rng_below(r, WARP_IDS);
    }
    s->warp = (uint8_t)id;
    s->reg = (uint8_t)(kind == WRONG_REG      ? regs + wr_rng_below(r, 64 - regs)
                       : wr_rng_chance(r, 30) ? regs - 1
                                              : wr_rng_below(r, regs));
    return waits_away(s, id) || kind == WRONG_PRESENT;
}

static void show_reply(state *s, wr_gpuduet_in *in)
{
    wr_rng *r = &s->play.rng;
    const bool stands = !s->ended && (waits_away(s, s->warp) || s->faults.first == WRONG_PRESENT);

    if (s->reply) {
        s->reply = stands || (s->ended && begin_reply(s));
    } else {
        s->reply = wr_gate_open(&s->replies, r) && begin_reply(s);
    }
    in->reply = s->reply;
    in->reply_warp = s->reply ? s->warp : (uint8_t)wr_rng_below(r, WARP_IDS);
    in->reply_reg = s->reply ? s->reg : (uint8_t)wr_rng_below(r, 64);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    player *p = &s->play;
    wr_gpuduet_in *in = in_;
    wr_duet_unit_in unit = {0};
    wr_duet_unit_out said;
    wr_gpuduet_out out;

    (void)cycle;
    (void)last_out; /* the copy of the model says as much */
    wr_faults_step(&s->faults);
    play_begin(p, &unit);
    if (unit.start) {
        new_launch(s);
    }
    show_reply(s, in);
    show_storage(s, in);
    if (pick_wrong(s, 40) == WRONG_PINS) {
        scatter(&p->rng, &p->m.cfg, &unit);
    }
    unit.find = s->model.reply.state_q == WR_ABSENT_REPLY_FIND;
    unit.find_id = s->model.reply.warp_q;
    wr_unit_settle(&p->model, &unit, &p->wires);
    answer_place(p, &unit);
    wr_gpuduet_from_duet_unit(&unit, in);
    wr_gpuduet_eval(&s->model, in, &out);
    unit.move_ack = out.move_ack;
    answer_book(p, &unit);
    answer_kinds(s, &out, in);
    play_end(p, &unit, &said);
    wr_gpuduet_from_duet_unit(&unit, in);
    wr_gpuduet_eval(&s->model, in, &out);
    s->shown = s->shown || out.fault;
    s->again = s->ended;
    s->ended = out.last;
    s->before = s->model;
    wr_gpuduet_tick(&s->model, in);
}

/* Coverage ------------------------------------------------------------------------------------ */

#define GPUDUET_BINS                                                                               \
    BIN(LINES_OUT, "shared memory leaves")                                                         \
    BIN(LINES_IN, "shared memory comes")                                                           \
    BIN(LINES_BOTH, "shared memory changes places")                                                \
    BIN(META_OUT, "metadata leave")                                                                \
    BIN(META_IN, "metadata come")                                                                  \
    BIN(META_BOTH, "metadata change places")                                                       \
    BIN(REGS_OUT, "registers leave")                                                               \
    BIN(REGS_IN, "registers come")                                                                 \
    BIN(REGS_BOTH, "registers change places")                                                      \
    BIN(GROUP_8, "kinds with groups of 8 lanes")                                                   \
    BIN(GROUP_16, "of 16")                                                                         \
    BIN(GROUP_32, "of 32")                                                                         \
    BIN(HALF_REGS, "registers move in half lines")                                                 \
    BIN(HALF_LINES, "shared memory does")                                                          \
    BIN(HALF_META, "metadata do")                                                                  \
    BIN(PHASE_WHOLE, "not the mover's turn, but the port has whole lines")                         \
    BIN(REPLY_FIND, "the tables are asked where a warp lies")                                      \
    BIN(REPLY_FIND_WAITS, "and have no time")                                                      \
    BIN(REPLY_READ, "the head is read")                                                            \
    BIN(REPLY_READ_WAITS, "it waits for a move")                                                   \
    BIN(REPLY_WRITE, "a register is written whole")                                                \
    BIN(REPLY_STAYS, "a register that has stayed")                                                 \
    BIN(REPLY_PART, "a part of it")                                                                \
    BIN(REPLY_REST, "its rest")                                                                    \
    BIN(REPLY_WRITE_WAITS, "a write waits for a move")                                             \
    BIN(REPLY_REST_WAITS, "the rest waits for one")                                                \
    BIN(REPLY_DROP, "nobody needs the data")                                                       \
    BIN(REPLY_NEXT, "a reply in the cycle behind the last one's")                                  \
    BIN(KINDS_MOVER, "kinds for the mover")                                                        \
    BIN(KINDS_REPLY, "for a reply")                                                                \
    BIN(KINDS_BOTH, "both ask")                                                                    \
    BIN(KINDS_BOTH_ACK, "and the mover has them")                                                  \
    BIN(KINDS_TURN, "for a reply, the mover would ask but has not its turn")                       \
    BIN(KINDS_LATE, "nobody answers yet")                                                          \
    BIN(FALLS_FIND, "a reply falls when the tables are asked")                                     \
    BIN(FALLS_READ, "when the head is")                                                            \
    BIN(FALLS_KINDS, "when kinds are")                                                             \
    BIN(FALLS_SUM, "when words are added up")                                                      \
    BIN(FALLS_WRITE, "when it is to be written")                                                   \
    BIN(FALLS_REST, "when its rest is")                                                            \
    BIN(FAULT_UNIT, "fault of the control")                                                        \
    BIN(FAULT_MOVER, "fault of the mover")                                                         \
    BIN(FAULT_REPLY, "fault of a reply")

#define BIN(name, text) BIN_##name,
enum { GPUDUET_BINS BIN_COUNT };
#undef BIN
#define BIN(name, text) [BIN_##name] = (text),
static const char *const bin_names[] = {GPUDUET_BINS};
#undef BIN

#define HIT(name, condition) hits[BIN_##name] += (condition)

static void cover_moves(const state *s, const wr_gpuduet_in *in, const wr_gpuduet_out *out,
                        uint64_t *hits)
{
    const wr_gpuduet *m = &s->before;
    const bool ends = out->move_ack;
    const uint32_t what = out->move_meta            ? BIN_META_OUT
                          : out->level == WR_CSL_TB ? BIN_LINES_OUT
                                                    : BIN_REGS_OUT;

    if (ends) {
        hits[what + (out->move_out ? 0u : 1u) + (out->move_out && out->move_in ? 2u : 0u)]++;
    }
    HIT(HALF_REGS, in->half && ends && what == BIN_REGS_OUT);
    HIT(HALF_LINES, in->half && ends && what == BIN_LINES_OUT);
    HIT(HALF_META, in->half && ends && what == BIN_META_OUT);
    HIT(PHASE_WHOLE, !in->half && m->phase_q && out->move);
}

static void cover_kinds(const state *s, const wr_gpuduet_in *in, const wr_gpuduet_out *out,
                        uint64_t *hits)
{
    const wr_gpuduet *m = &s->before;
    const bool would = out->mover_state == WR_CONTEXT_MOVER_KINDS_OUT ||
                       out->mover_state == WR_CONTEXT_MOVER_KINDS_IN;
    const bool turn = !in->half || !m->phase_q;
    const bool reply = out->reply_state == WR_ABSENT_REPLY_KIND;

    if (would && turn && in->kinds_ack) {
        hits[BIN_GROUP_8 + m->mover.group_q]++;
    }
    HIT(KINDS_MOVER, would && turn && in->kinds_ack);
    HIT(KINDS_REPLY, reply && !would && in->kinds_ack);
    HIT(KINDS_BOTH, reply && would && turn);
    HIT(KINDS_BOTH_ACK, reply && would && turn && in->kinds_ack);
    HIT(KINDS_TURN, reply && would && !turn && in->kinds_ack);
    HIT(KINDS_LATE, out->kinds && !in->kinds_ack);
}

static void cover_replies(const state *s, const wr_gpuduet_in *in, const wr_gpuduet_out *out,
                          uint64_t *hits)
{
    const uint8_t now = out->reply_state;
    const uint8_t then = s->model.reply.state_q;
    const bool stands = in->reply;

    HIT(REPLY_FIND, stands && now == WR_ABSENT_REPLY_FIND && then != now);
    HIT(REPLY_FIND_WAITS, stands && now == WR_ABSENT_REPLY_FIND && then == now);
    HIT(REPLY_READ, stands && out->read);
    HIT(REPLY_READ_WAITS, stands && now == WR_ABSENT_REPLY_READ && out->move);
    HIT(REPLY_WRITE, out->write && out->last && out->write_word == 0 && s->before.reply.move_q);
    HIT(REPLY_STAYS, out->write && !s->before.reply.move_q);
    HIT(REPLY_PART, out->write && !out->last);
    HIT(REPLY_REST, out->write && now == WR_ABSENT_REPLY_REST);
    HIT(REPLY_WRITE_WAITS, stands && now == WR_ABSENT_REPLY_WRITE && out->move);
    HIT(REPLY_REST_WAITS, stands && now == WR_ABSENT_REPLY_REST && out->move);
    HIT(REPLY_DROP, out->last && now == WR_ABSENT_REPLY_DROP);
    HIT(REPLY_NEXT, stands && now == WR_ABSENT_REPLY_IDLE && s->again);
    if (!stands && now >= WR_ABSENT_REPLY_FIND && now <= WR_ABSENT_REPLY_REST) {
        hits[BIN_FALLS_FIND + now - WR_ABSENT_REPLY_FIND]++;
    }
}

static void cover(const void *state_, const void *in, const void *out, uint64_t *hits)
{
    const state *s = state_;
    wr_duet_unit_out unit;

    cover_moves(s, in, out, hits);
    cover_kinds(s, in, out, hits);
    cover_replies(s, in, out, hits);
    wr_unit_show(&s->play.before, &(wr_duet_unit_in){0}, &s->play.wires, &unit);
    HIT(FAULT_UNIT, unit.fault);
    HIT(FAULT_MOVER, s->before.mover.fault_q);
    HIT(FAULT_REPLY, s->before.reply.fault_q);
}

extern const wr_stim wr_gpuduet_stim;
const wr_stim wr_gpuduet_stim = {
    .block = "gpuduet",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BIN_COUNT,
    .cover = cover,
    .fault_names = wrong_names,
    .faults = WRONG_KINDS,
    .faults_at = offsetof(state, faults),
};
