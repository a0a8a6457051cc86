/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of stall_scanner: see the header. */
#include "tests/oracle/stall_scanner_oracle.h"

#include <string.h>

typedef wr_stall_scanner_in pins_in;
typedef wr_stall_scanner_out pins_out;

enum {
    LEVEL_WARP = 1,
    LEVEL_TB = 2,
    OP_NONE = 0,
    OP_OUT = 1,
    OP_IN = 2,
    OP_EXCHANGE = 3,
    OP_BACK = 4
};

void wr_oracle_scanner_reset(wr_oracle_scanner *o)
{
    const wr_stall_scanner_cfg cfg = o->cfg;

    memset(o, 0, sizeof *o);
    o->cfg = cfg;
    o->found = -1;
    o->claimed_slot = -1;
}

static bool is(uint64_t levels, unsigned slot)
{
    return (levels >> slot & 1) != 0;
}

static bool may_wait(const pins_in *in, unsigned slot)
{
    return (is(in->memory, slot) || is(in->barrier, slot)) && is(in->clear, slot);
}

/* The switch logic or its stalled queue is in use. */
static bool engaged(const pins_in *in)
{
    return in->op != OP_NONE || in->stalled_valid;
}

/* What could be begun with a slot, whether or not it has its turn. A warp at a barrier is a stall
 * once its TB is known to be split. */
static unsigned offers(const wr_oracle_scanner *o, const pins_in *in, unsigned slot, bool split)
{
    const wr_oracle_scanner_slot *s = &o->slot[slot];
    const bool done = is(in->done, slot);

    if (!o->running) {
        return WR_OS_NOTHING;
    }
    if (o->level == LEVEL_TB) {
        if (s->marked) {
            return s->went_on ? WR_OS_RESTART : WR_OS_NOTHING;
        }
        return in->ready_valid && (done || may_wait(in, slot)) ? WR_OS_STALL : WR_OS_NOTHING;
    }
    if (done) {
        const bool leaving = engaged(in) && slot == o->pushed_slot;
        return s->marked || o->vacates || leaving ? WR_OS_NOTHING : WR_OS_END;
    }
    if (engaged(in) || !in->ready_valid || !in->stalled_space || !may_wait(in, slot)) {
        return WR_OS_NOTHING;
    }
    return is(in->memory, slot) || split ? WR_OS_STALL : WR_OS_LOOK;
}

/* What the slot whose turn it is wants of the tables. */
static unsigned wish(const wr_oracle_scanner *o, const pins_in *in)
{
    const unsigned tb = o->slot[o->turn].tb;

    if (!o->has_turn || is(in->closed, tb) || (o->level == LEVEL_TB && o->queued[tb])) {
        return WR_OS_NOTHING;
    }
    return offers(o, in, o->turn, o->split_seen);
}

/* Level TB: the TB that is looked at is coming in. */
static bool comes_in(const wr_oracle_scanner *o, const pins_in *in)
{
    return o->level == LEVEL_TB && (in->op == OP_IN || in->op == OP_EXCHANGE) &&
           o->at == o->head[1];
}

unsigned wr_oracle_scanner_asks(const wr_oracle_scanner *o, const pins_in *in)
{
    const bool room = o->level == LEVEL_TB || in->ready_space;

    return o->found >= 0 && room && !comes_in(o, in) ? (unsigned)WR_OS_WAKE : wish(o, in);
}

static bool acked(const wr_oracle_scanner *o, const pins_in *in, unsigned what)
{
    return in->tab_ack && wr_oracle_scanner_asks(o, in) == what;
}

static bool any_ack(const wr_oracle_scanner *o, const pins_in *in)
{
    return in->tab_ack && wr_oracle_scanner_asks(o, in) != WR_OS_NOTHING;
}

/* The walk goes on in this cycle. */
static bool walks(const wr_oracle_scanner *o, const pins_in *in)
{
    return o->running && o->found < 0 && !(o->level == LEVEL_TB && any_ack(o, in));
}

static bool fits(const wr_oracle_scanner *o, unsigned tb)
{
    return (tb + 1) * o->n <= o->cfg.warps;
}

/* Level TB: 1 the TB that is looked at is pushed as stalled, 2 as ready, 0 it is not. */
static unsigned judged(const wr_oracle_scanner *o, const pins_in *in)
{
    if (o->level != LEVEL_TB || !walks(o, in) || !o->at_any || !fits(o, o->at) ||
        is(in->closed, o->at) || o->queued[o->at]) {
        return 0;
    }
    if (in->group_stalled && in->ready_valid && in->stalled_space && !engaged(in)) {
        return 1;
    }
    return in->group_ready && in->ready_space ? 2 : 0;
}

/* Level TB: the slots of the TB that is to leave. */
static bool leaves(const wr_oracle_scanner *o, const pins_in *in, unsigned slot)
{
    const unsigned tb = in->op == OP_NONE ? in->stalled_id % 32 : o->head[0];

    return o->slot[slot].marked && o->slot[slot].tb == tb;
}

static void show_leaving(const wr_oracle_scanner *o, const pins_in *in, pins_out *out)
{
    const bool holds = in->op == OP_NONE || in->op == OP_OUT || in->op == OP_EXCHANGE;
    bool all = true;
    bool some = false;

    if (o->level != LEVEL_TB) {
        out->hold = holds && o->held ? UINT64_C(1) << o->pushed_slot : 0;
        out->may_leave = may_wait(in, o->pushed_slot);
        return;
    }
    for (unsigned slot = 0; slot < o->cfg.slots; slot++) {
        if (leaves(o, in, slot)) {
            const bool done = is(in->done, slot);
            out->hold |= holds && engaged(in) ? UINT64_C(1) << slot : 0;
            some = some || !done;
            all = all && !o->slot[slot].went_on && (done || may_wait(in, slot));
        }
    }
    out->may_leave = all && some;
}

void wr_oracle_scanner_output(const wr_oracle_scanner *o, const pins_in *in, pins_out *out)
{
    const unsigned ask = wr_oracle_scanner_asks(o, in);
    const unsigned verdict = judged(o, in);

    memset(out, 0, sizeof *out);
    show_leaving(o, in, out);
    out->look_slot = (uint8_t)o->turn;
    out->tab_req = ask != WR_OS_NOTHING;
    switch (ask) {
    case WR_OS_WAKE:
        out->tab_op = 1;
        out->tab_id = (uint8_t)(o->at * o->n + (unsigned)o->found);
        out->tab_state = 3;
        break;
    case WR_OS_END:
    case WR_OS_LOOK:
        out->tab_op = 2;
        out->tab_id = (uint8_t)o->slot[o->turn].tb;
        break;
    case WR_OS_RESTART:
        out->tab_op = 1;
        out->tab_id = in->slot_id;
        break;
    case WR_OS_STALL:
        out->tab_op = 1;
        out->tab_id = in->slot_id;
        out->tab_state = 1;
        out->tab_barrier = is(in->barrier, o->turn) || is(in->done, o->turn);
        break;
    default:
        break;
    }
    if (o->level == LEVEL_TB) {
        out->stalled_push = verdict == 1;
        out->ready_push = verdict == 2;
        out->push_id = (uint8_t)(verdict != 0 ? o->at : 0);
    } else {
        out->stalled_push = acked(o, in, WR_OS_STALL);
        out->ready_push = acked(o, in, WR_OS_WAKE);
        out->push_id = out->stalled_push || out->ready_push ? out->tab_id : 0;
    }
    out->group_first = (uint8_t)(o->first % 128);
    out->group_count = (uint8_t)o->n;
    out->vacate = o->vacates;
    out->vacate_id = (uint8_t)o->vacating;
    for (unsigned tb = 0; tb < 32; tb++) {
        out->busy |= o->queued[tb] ? 1u << tb : 0;
    }
    out->fault = o->fault;
}

/* The TB before which exactly `older` others have been placed; -1: there are not so many. */
static int by_age(const wr_oracle_scanner *o, unsigned older)
{
    for (unsigned tb = 0; tb < o->cfg.tbs; tb++) {
        unsigned before = 0;

        for (unsigned other = 0; other < o->cfg.tbs; other++) {
            before += o->placed[other] != 0 && o->placed[other] < o->placed[tb];
        }
        if (o->placed[tb] != 0 && before == older) {
            return (int)tb;
        }
    }
    return -1;
}

static void clock_walk(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in)
{
    const bool full = o->level != LEVEL_TB && !in->ready_space;
    const bool comes = in->placed && in->placed_tb < o->cfg.tbs;

    if (comes || acked(was, in, WR_OS_WAKE) || (was->found >= 0 && comes_in(was, in)) || full) {
        o->found = -1;
        o->at_any = false;
        o->walk = 0;
        return;
    }
    if (!walks(was, in)) {
        return;
    }
    for (unsigned j = 0; was->at_any && fits(was, was->at) && !comes_in(was, in) && j < was->n;
         j++) {
        if (was->away[was->at * was->n + j] && in->free[was->at * was->n + j]) {
            o->found = (int)j;
            return;
        }
    }
    const int next = by_age(was, was->walk);
    o->at_any = next >= 0;
    if (next >= 0) {
        o->at = (unsigned)next;
        o->first = o->at * o->n;
    }
    o->walk = by_age(was, was->walk + 1) >= 0 ? was->walk + 1 : 0;
}

/* Memory goes before barriers: those are picked only where nobody waits for memory. */
static bool is_offered(const wr_oracle_scanner *o, const pins_in *in, unsigned slot)
{
    const unsigned what = offers(o, in, slot, false);

    for (unsigned other = 0; what == WR_OS_LOOK && other < o->cfg.slots; other++) {
        if (offers(o, in, other, false) == WR_OS_STALL) {
            return false;
        }
    }
    return what != WR_OS_NOTHING;
}

static void clock_turn(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in)
{
    const unsigned want = wish(was, in);
    const bool served = want != WR_OS_NOTHING && acked(was, in, want);

    if (served && want == WR_OS_LOOK && !in->tab_whole) {
        o->split_seen = true;
        return;
    }
    if (was->has_turn && (served || want == WR_OS_NOTHING)) {
        o->has_turn = false;
        o->split_seen = false;
        o->start = was->turn + 1 < o->cfg.slots ? was->turn + 1 : 0;
        return;
    }
    if (was->split_seen) {
        return;
    }
    o->has_turn = false;
    o->turn = 0;
    for (unsigned k = 0; k < o->cfg.slots && !o->has_turn; k++) {
        const unsigned slot = (was->start + k) % o->cfg.slots;

        if (is_offered(was, in, slot)) {
            o->has_turn = true;
            o->turn = slot;
        }
    }
}

static void clock_queued(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in)
{
    if (in->op != OP_NONE) {
        o->popped[0] = was->popped[0] || in->stalled_pop;
        o->popped[1] = was->popped[1] || in->ready_pop;
    } else {
        for (unsigned tb = 0; tb < 32; tb++) {
            const bool left =
                (was->popped[0] && was->head[0] == tb) || (was->popped[1] && was->head[1] == tb);
            if (o->level == LEVEL_TB ? left : !in->stalled_valid) {
                o->queued[tb] = false;
            }
        }
        o->popped[0] = o->popped[1] = false;
        o->head[0] = in->stalled_id % 32;
        o->head[1] = in->ready_id % 32;
    }
    if (judged(was, in) != 0) {
        o->queued[was->at] = true;
    }
}

static void clock_held(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in)
{
    const bool another = (in->claim && in->claim_slot == was->pushed_slot) ||
                         (in->give && in->give_slot == was->pushed_slot);

    if (another || !engaged(in) || in->op == OP_BACK) {
        o->held = false;
    }
    if (o->level != LEVEL_TB && acked(was, in, WR_OS_STALL)) {
        o->held = true;
        o->pushed_slot = was->turn;
        o->queued[was->slot[was->turn].tb] = true;
    }
}

/* What becomes of one slot. */
static void clock_slot(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in,
                       unsigned slot)
{
    wr_oracle_scanner_slot *s = &o->slot[slot];
    const bool tbs = o->level == LEVEL_TB;
    const bool turn = slot == was->turn;

    if (turn && acked(was, in, WR_OS_STALL)) {
        s->went_on = false;
        s->marked = tbs || s->marked;
    }
    if (turn && acked(was, in, WR_OS_END) && in->tab_whole) {
        s->marked = true;
    }
    if (turn && acked(was, in, WR_OS_RESTART)) {
        s->marked = false;
    }
    s->went_on = s->went_on || is(in->woken, slot);
    const unsigned leaver = in->op == OP_NONE ? in->stalled_id % 32 : was->head[0];
    if (tbs && in->op == OP_BACK && was->slot[slot].tb == leaver) {
        s->marked = false;
    }
    if (!tbs && ((in->split && was->slot[slot].tb == in->split_tb) || !is(in->done, slot))) {
        s->marked = false;
    }
    if (in->give && in->give_slot == slot) {
        s->marked = false;
    }
    const unsigned tb = o->n == 0 ? 32 : was->claimed_warp / o->n;
    if (was->claimed_slot == (int)slot && tb < o->cfg.tbs) {
        s->tb = tb;
        s->marked = false;
        o->queued[tb] = o->queued[tb] || !tbs;
    }
}

static void clock_events(wr_oracle_scanner *o, const wr_oracle_scanner *was, const pins_in *in)
{
    const unsigned warps = o->cfg.warps;
    const bool claims = in->claim && in->claim_slot < o->cfg.slots && in->claim_id < warps;

    if (in->give && in->give_slot == was->vacating_slot) {
        o->vacates = false;
    }
    if (acked(was, in, WR_OS_END) && !in->tab_whole) {
        o->vacates = true;
        o->vacating = in->slot_id;
        o->vacating_slot = was->turn;
    }
    o->claimed_slot = claims ? in->claim_slot : -1;
    o->claimed_warp = in->claim_id;
    if (acked(was, in, WR_OS_WAKE)) {
        o->away[was->at * was->n + (unsigned)was->found] = false;
    }
    if (in->claim && in->claim_id < warps) {
        o->away[in->claim_id] = false;
    }
    if (in->away && in->away_id < warps) {
        o->away[in->away_id] = true;
    }
    if (in->arrive && in->arrive_id < warps && o->level != LEVEL_TB) {
        o->away[in->arrive_id] = true;
    }
    if (in->placed && in->placed_tb < o->cfg.tbs) {
        o->placed[in->placed_tb] = ++o->placings;
    }
}

static bool faulty(const wr_oracle_scanner *o, const pins_in *in)
{
    const unsigned warps = o->cfg.warps;

    return (in->cfg && (in->warps == 0 || in->warps > o->cfg.tb_warps || in->level > LEVEL_TB)) ||
           (in->booked && (o->running || o->level == 0)) || (in->tab_ack && !any_ack(o, in)) ||
           (in->claim && (in->claim_slot >= o->cfg.slots || in->claim_id >= warps)) ||
           (o->claimed_slot >= 0 && (o->n == 0 || o->claimed_warp / o->n >= o->cfg.tbs)) ||
           (in->give && in->give_slot >= o->cfg.slots) || (in->away && in->away_id >= warps) ||
           (in->arrive && in->arrive_id >= warps) || (in->placed && in->placed_tb >= o->cfg.tbs);
}

/* What a launch leaves of what was known: the numbers that are shown, and TBs of slots. */
static void launch(wr_oracle_scanner *o, const pins_in *in)
{
    const bool bad = in->warps == 0 || in->warps > o->cfg.tb_warps || in->level > LEVEL_TB;

    o->level = bad ? 0 : in->level;
    o->n = in->warps;
    o->running = false;
    for (unsigned slot = 0; slot < 64; slot++) {
        o->slot[slot].marked = false;
    }
    memset(o->away, 0, sizeof o->away);
    memset(o->placed, 0, sizeof o->placed);
    memset(o->queued, 0, sizeof o->queued);
    o->has_turn = o->split_seen = o->at_any = o->held = o->vacates = false;
    o->popped[0] = o->popped[1] = false;
    o->found = -1;
    o->claimed_slot = -1;
}

void wr_oracle_scanner_clock(wr_oracle_scanner *o, const pins_in *in)
{
    const wr_oracle_scanner was = *o;

    o->fault = o->fault || faulty(&was, in);
    clock_queued(o, &was, in);
    clock_held(o, &was, in);
    for (unsigned slot = 0; slot < o->cfg.slots; slot++) {
        clock_slot(o, &was, in, slot);
    }
    clock_events(o, &was, in);
    clock_walk(o, &was, in);
    clock_turn(o, &was, in);
    o->running = o->running || (in->booked && o->level != 0);
    if (in->cfg) {
        launch(o, in);
    }
}
