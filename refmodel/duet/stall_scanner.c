/* SPDX-License-Identifier: Apache-2.0 */
/* stall_scanner: slots as bits of a word, absent warps as a list of flags, TBs in the order of age.
 */
#include "refmodel/duet/stall_scanner.h"

#include "refmodel/skip.h"

#include <string.h>

enum {
    SLOT_MASK = 0x3f,
    ID_MASK = 0x7f,
    TB_MASK = 0x1f,
    WRITE_WARP = 1, /* tab_op of context_switch_logic */
    READ_TB = 2,
    RUNNING = 0,
    STALLED = 1,
    READY = 3,
};

/* What the tables are asked for. */
typedef enum want { NOTHING, WAKE, END, RESTART, STALL, LOOK } want;

wr_status wr_stall_scanner_init(wr_stall_scanner *s, const wr_stall_scanner_cfg *cfg)
{
    if (!wr_stall_scanner_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_stall_scanner_reset(s);
    return WR_OK;
}

void wr_stall_scanner_reset(wr_stall_scanner *s)
{
    const wr_stall_scanner_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static bool tbs_move(const wr_stall_scanner *s)
{
    return s->level_q == WR_SCANNER_TB;
}

static uint64_t bit(uint32_t slot)
{
    return UINT64_C(1) << slot;
}

/* A TB is looked at, and its warps have entries. */
static bool there(const wr_stall_scanner *s)
{
    return s->at_valid_q && s->at_base_q + s->warps_q <= s->cfg.warps;
}

/* Slots: what may be begun with each of them in this cycle. */
typedef struct slots {
    uint64_t ends; /* level TB: restarts */
    uint64_t stalls;
    uint64_t looks; /* stalls at a barrier, where an absent warp of the TB is needed */
    uint64_t waits; /* in a way that lets a warp leave */
} slots;

/* Somebody is to leave, or the switch logic is at work. */
static bool is_engaged(const wr_stall_scanner_in *in)
{
    return in->stalled_valid || in->op != WR_SCANNER_NONE;
}

static slots look_at_slots(const wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    const uint64_t all = UINT64_MAX >> (WR_SCANNER_SLOTS - s->cfg.slots);
    const uint64_t done = in->done & all;
    const uint64_t memory = in->memory & in->clear & all;
    const uint64_t barrier = in->barrier & in->clear & all;
    const bool engaged = is_engaged(in);
    slots v = {.waits = memory | barrier};

    if (!s->run_q) {
        return v;
    }
    if (tbs_move(s)) {
        v.ends = s->mark_q & s->woke_q;
        v.stalls = in->ready_valid ? ~s->mark_q & (done | v.waits) : 0;
        return v;
    }
    v.ends = s->vacate_q ? 0 : done & ~s->mark_q & ~(engaged ? bit(s->out_slot_q) : 0);
    if (in->ready_valid && in->stalled_space && !engaged) {
        v.stalls = memory & ~done;
        v.looks = barrier & ~done & ~memory;
    }
    return v;
}

/* The lowest one of the set from this slot on, going round; 0 where it is empty. */
static uint8_t first_from(uint64_t set, uint32_t from)
{
    const uint64_t behind = set & (UINT64_MAX << from);

    return (uint8_t)(set == 0 ? 0 : __builtin_ctzll(behind != 0 ? behind : set));
}

/* What this cycle's slot asks for. */
static want slot_wants(const wr_stall_scanner *s, const wr_stall_scanner_in *in, const slots *v)
{
    const uint64_t slot = bit(s->slot_q);
    const uint32_t tb = UINT32_C(1) << s->tb_q[s->slot_q];

    if (!s->pick_q || (in->closed & tb) != 0 || (tbs_move(s) && (s->busy_q & tb) != 0)) {
        return NOTHING;
    }
    if ((v->ends & slot) != 0) {
        return tbs_move(s) ? RESTART : END;
    }
    if ((v->stalls & slot) != 0) {
        return STALL;
    }
    return (v->looks & slot) == 0 ? NOTHING : s->sure_q ? STALL : LOOK;
}

/* Of a cycle: what is asked, and what the TB that is looked at comes to. */
typedef struct cycle {
    slots at;
    want slot; /* wish of the slot whose turn it is */
    want asked;
    bool acked;
    uint64_t unit;       /* slots of the TB that is to leave; level warp: of the TB that is split */
    bool comes;          /* level TB: the TB that is looked at is coming in */
    bool moves;          /* the walk */
    bool stalled, ready; /* level TB: its TB is pushed */
} cycle;

static cycle look(const wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    const uint32_t head = in->op == WR_SCANNER_NONE ? in->stalled_id & TB_MASK : s->out_tb_q;
    const uint32_t of = tbs_move(s) ? head : in->split_tb & TB_MASK;
    const bool brings = in->op == WR_SCANNER_IN || in->op == WR_SCANNER_EXCHANGE;
    cycle c = {.at = look_at_slots(s, in)};

    if (tbs_move(s) || in->split) {
        for (uint32_t i = 0; i < s->cfg.slots; i++) {
            c.unit |= s->tb_q[i] == of ? bit(i) : 0;
        }
    }
    c.comes = tbs_move(s) && brings && s->at_tb_q == s->in_tb_q;
    c.slot = slot_wants(s, in, &c.at);
    c.asked = s->found_q && !c.comes && (tbs_move(s) || in->ready_space) ? WAKE : c.slot;
    c.acked = in->tab_ack && c.asked != NOTHING;
    c.moves = s->run_q && !s->found_q && !(tbs_move(s) && c.acked);

    const uint32_t tb = UINT32_C(1) << s->at_tb_q;
    const bool judged = tbs_move(s) && c.moves && there(s) && ((in->closed | s->busy_q) & tb) == 0;
    c.stalled = judged && in->group_stalled && in->ready_valid && in->stalled_space &&
                !is_engaged(in); /* one that is pushed sooner has waited for long when it leaves */
    c.ready = judged && in->group_ready && in->ready_space && !c.stalled;
    return c;
}

static uint8_t warp_found(const wr_stall_scanner *s)
{
    return (uint8_t)((s->at_base_q + s->found_index_q) & ID_MASK);
}

static void show_request(const wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c,
                         wr_stall_scanner_out *out)
{
    const bool reads = c->asked == END || c->asked == LOOK;

    out->tab_req = c->asked != NOTHING;
    if (!out->tab_req) {
        return;
    }
    out->tab_op = reads ? READ_TB : WRITE_WARP;
    out->tab_id = reads              ? s->tb_q[s->slot_q]
                  : c->asked == WAKE ? warp_found(s)
                                     : in->slot_id & ID_MASK;
    out->tab_state = c->asked == STALL ? STALLED : c->asked == WAKE ? READY : RUNNING;
    out->tab_barrier = c->asked == STALL && ((in->barrier | in->done) >> s->slot_q & 1) != 0;
    if (!tbs_move(s) && c->acked && !reads) {
        out->stalled_push = c->asked == STALL;
        out->ready_push = c->asked == WAKE;
        out->push_id = out->tab_id;
    }
}

void wr_stall_scanner_eval(const wr_stall_scanner *s, const wr_stall_scanner_in *in,
                           wr_stall_scanner_out *out)
{
    const cycle c = look(s, in);
    const bool none = in->op == WR_SCANNER_NONE;
    const bool leaves = none || in->op == WR_SCANNER_OUT || in->op == WR_SCANNER_EXCHANGE;
    const uint64_t marked = s->mark_q & c.unit;

    memset(out, 0, sizeof *out);
    if (tbs_move(s)) {
        out->hold = leaves && (in->stalled_valid || !none) ? marked : 0;
        out->may_leave =
            (marked & ~in->done) != 0 && (marked & (s->woke_q | ~(c.at.waits | in->done))) == 0;
    } else {
        out->hold = leaves && s->held_q ? bit(s->out_slot_q) : 0;
        out->may_leave = (c.at.waits >> s->out_slot_q & 1) != 0;
    }
    show_request(s, in, &c, out);
    if (c.stalled || c.ready) {
        out->stalled_push = c.stalled;
        out->ready_push = c.ready;
        out->push_id = s->at_tb_q;
    }
    out->look_slot = s->slot_q;
    out->group_first = s->at_base_q & ID_MASK;
    out->group_count = s->warps_q;
    out->vacate = s->vacate_q;
    out->vacate_id = s->vacate_id_q;
    out->busy = s->busy_q;
    out->fault = s->fault_q;
}

/* The clock edge: what each part makes of the state `was`, which the others do not change for it.
 */

/* Comes last: of what was known nothing is valid any more. */
static void configure(wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    const bool bad = in->warps == 0 || in->warps > s->cfg.tb_warps || in->level > WR_SCANNER_TB;

    s->level_q = bad ? WR_SCANNER_OFF : in->level;
    s->warps_q = in->warps;
    s->run_q = false;
    s->mark_q = 0;
    s->pick_q = s->sure_q = false;
    memset(s->absent_q, 0, sizeof s->absent_q);
    s->count_q = 0;
    s->at_valid_q = s->found_q = false;
    s->busy_q = 0;
    s->held_q = s->out_popped_q = s->in_popped_q = false;
    s->vacate_q = s->claim_q = false;
    s->fault_q = s->fault_q || bad;
}

/* The next slot, or one that stays in turn. */
static void turn(wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    const uint64_t set = c->at.ends | (c->at.stalls != 0 ? c->at.stalls : c->at.looks);
    const bool served = c->acked && c->asked == c->slot;

    if (served && c->slot == LOOK && !in->tab_whole) {
        s->sure_q = true;
    } else if (s->pick_q && (served || c->slot == NOTHING)) {
        s->pick_q = false;
        s->sure_q = false;
        s->scan_q = (uint8_t)(s->slot_q + 1u == s->cfg.slots ? 0 : s->slot_q + 1);
    } else if (!s->sure_q) {
        s->pick_q = set != 0;
        s->slot_q = first_from(set, s->scan_q);
    }
}

/* Units that were pushed are in no queue any more, and the switch logic has done with them. */
static void release(wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    if (in->op != WR_SCANNER_NONE) {
        s->out_popped_q = s->out_popped_q || in->stalled_pop;
        s->in_popped_q = s->in_popped_q || in->ready_pop;
        return;
    }
    if (tbs_move(s)) {
        s->busy_q &= ~((s->out_popped_q ? UINT32_C(1) << s->out_tb_q : 0) |
                       (s->in_popped_q ? UINT32_C(1) << s->in_tb_q : 0));
    } else if (!in->stalled_valid) {
        s->busy_q = 0;
    }
    s->out_popped_q = s->in_popped_q = false;
    s->out_tb_q = in->stalled_id & TB_MASK;
    s->in_tb_q = in->ready_id & TB_MASK;
}

/* Level warp: who is to leave is held until somebody else has its slot. */
static void hold(wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    const bool gone = (in->claim && (in->claim_slot & SLOT_MASK) == s->out_slot_q) ||
                      (in->give && (in->give_slot & SLOT_MASK) == s->out_slot_q);
    const bool over = in->op == WR_SCANNER_NONE && !in->stalled_valid;

    s->held_q = s->held_q && !gone && !over && in->op != WR_SCANNER_BACK;
    if (c->acked && c->asked == STALL && !tbs_move(s)) {
        s->out_slot_q = s->slot_q;
        s->held_q = true;
        s->busy_q = UINT32_C(1) << s->tb_q[s->slot_q]; /* nobody else is on the way */
    }
}

static void mark(wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    const uint64_t all = UINT64_MAX >> (WR_SCANNER_SLOTS - s->cfg.slots);
    const uint64_t slot = c->acked && c->asked != WAKE ? bit(s->slot_q) : 0;
    const bool marks =
        c->asked == (tbs_move(s) ? STALL : END) && (c->asked != END || in->tab_whole);
    const uint64_t kept = tbs_move(s) ? (in->op == WR_SCANNER_BACK ? ~c->unit : UINT64_MAX)
                                      : in->done & (in->split ? ~c->unit : UINT64_MAX);

    s->woke_q = ((c->asked == STALL ? s->woke_q & ~slot : s->woke_q) | in->woken) & all;
    s->mark_q = marks ? s->mark_q | slot : c->asked == RESTART ? s->mark_q & ~slot : s->mark_q;
    s->mark_q &= kept;
    if (in->give) {
        s->mark_q &= ~bit(in->give_slot & SLOT_MASK);
    }
}

static void vacate(wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    if (in->give && (in->give_slot & SLOT_MASK) == s->vacate_slot_q) {
        s->vacate_q = false;
    }
    if (c->acked && c->asked == END && !in->tab_whole) {
        s->vacate_q = true;
        s->vacate_id_q = in->slot_id & ID_MASK;
        s->vacate_slot_q = s->slot_q;
    }
}

/* A slot has another warp: in the cycle behind, its TB is known. */
static void claim(wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    const uint32_t slot = in->claim_slot & SLOT_MASK;
    const uint32_t id = in->claim_id & ID_MASK;
    const bool claims = in->claim && slot < s->cfg.slots && id < s->cfg.warps;

    if (s->claim_q && s->warps_q != 0 && s->claim_id_q / s->warps_q < s->cfg.tbs) {
        const uint32_t tb = s->claim_id_q / s->warps_q;

        s->tb_q[s->claim_slot_q] = (uint8_t)tb;
        s->busy_q |= tbs_move(s) ? 0 : UINT32_C(1) << tb;
        s->mark_q &= ~bit(s->claim_slot_q);
    } else if (s->claim_q) {
        s->fault_q = true;
    }
    s->claim_q = claims;
    if (claims) {
        s->claim_slot_q = (uint8_t)slot;
        s->claim_id_q = (uint8_t)id;
    }
}

static void absent(wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    const uint32_t away = in->away_id & ID_MASK;
    const uint32_t arrive = in->arrive_id & ID_MASK;

    if (c->acked && c->asked == WAKE) {
        s->absent_q[warp_found(s)] = false;
    }
    if (in->claim) {
        s->absent_q[in->claim_id & ID_MASK] = false;
    }
    if (in->away && away < s->cfg.warps) {
        s->absent_q[away] = true;
    }
    if (in->arrive && arrive < s->cfg.warps && !tbs_move(s)) {
        s->absent_q[arrive] = true;
    }
}

/* From the oldest TB on, anew behind each warp that is found and each TB that comes. */
static void walk(wr_stall_scanner *s, const wr_stall_scanner *was, const wr_stall_scanner_in *in,
                 const cycle *c)
{
    const bool full = !tbs_move(s) && !in->ready_space;
    const bool anew = full || (in->placed && (in->placed_tb & TB_MASK) < s->cfg.tbs);

    if ((c->acked && c->asked == WAKE) || (was->found_q && c->comes) || anew) {
        s->found_q = false;
        s->at_valid_q = false;
        s->pos_q = 0;
    }
    if (!c->moves || anew) {
        return;
    }
    for (uint32_t j = was->warps_q; there(was) && !c->comes && j-- > 0;) {
        if (was->absent_q[was->at_base_q + j] && in->free[was->at_base_q + j]) {
            s->found_q = true;
            s->found_index_q = (uint8_t)j;
        }
    }
    if (!s->found_q) {
        s->at_valid_q = was->pos_q < was->count_q;
        if (s->at_valid_q) {
            s->at_tb_q = was->order_q[was->pos_q];
            s->at_base_q = (uint16_t)(s->at_tb_q * was->warps_q);
        }
        s->pos_q = (uint8_t)(was->pos_q + 1u < was->count_q ? was->pos_q + 1 : 0);
    }
}

/* The TB is the last in the order of age; those behind its old place move up. */
static void place(wr_stall_scanner *s, uint32_t tb)
{
    const uint32_t count = s->count_q;
    bool moves = false;

    for (uint32_t i = 0; i < count; i++) {
        moves = moves || s->order_q[i] == tb;
        if (moves) {
            s->order_q[i] = i + 1 < count ? s->order_q[i + 1] : (uint8_t)tb;
        }
    }
    if (!moves && count < s->cfg.tbs) {
        s->order_q[count] = (uint8_t)tb;
        s->count_q++;
    }
}

static bool faulty(const wr_stall_scanner *s, const wr_stall_scanner_in *in, const cycle *c)
{
    const uint32_t warps = s->cfg.warps;

    return (in->tab_ack && c->asked == NOTHING) ||
           (in->booked && (s->run_q || s->level_q == WR_SCANNER_OFF)) ||
           (in->away && (in->away_id & ID_MASK) >= warps) ||
           (in->arrive && (in->arrive_id & ID_MASK) >= warps) ||
           (in->claim &&
            ((in->claim_slot & SLOT_MASK) >= s->cfg.slots || (in->claim_id & ID_MASK) >= warps)) ||
           (in->give && (in->give_slot & SLOT_MASK) >= s->cfg.slots) ||
           (in->placed && (in->placed_tb & TB_MASK) >= s->cfg.tbs);
}

void wr_stall_scanner_tick(wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    const wr_stall_scanner was = *s;
    const cycle c = look(s, in);

    s->fault_q = s->fault_q || faulty(s, in, &c);
    release(s, in);
    s->busy_q |= c.stalled || c.ready ? UINT32_C(1) << was.at_tb_q : 0;
    hold(s, in, &c);
    mark(s, in, &c);
    vacate(s, in, &c);
    claim(s, in);
    absent(s, in, &c);
    walk(s, &was, in, &c);
    turn(s, in, &c);
    if (in->placed && (in->placed_tb & TB_MASK) < s->cfg.tbs) {
        place(s, in->placed_tb & TB_MASK);
    }
    s->run_q = s->run_q || (in->booked && s->level_q != WR_SCANNER_OFF);
    if (in->cfg) {
        configure(s, in);
    }
}

static void tick(void *s, const void *in)
{
    wr_stall_scanner_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_stall_scanner_eval(s, in, out);
}

/* Each cycle of the walk may do something. */
static uint64_t coast(void *s, const void *in, uint64_t most)
{
    (void)s;
    (void)in;
    (void)most;
    return 0;
}

static const wr_skip free_run = {sizeof(wr_stall_scanner), sizeof(wr_stall_scanner_out), tick, eval,
                                 coast};

void wr_stall_scanner_skip(wr_stall_scanner *s, const wr_stall_scanner_in *in, uint64_t n)
{
    wr_stall_scanner copy;

    wr_skip_run(&free_run, s, &copy, in, s->cfg.tbs, n);
}

uint64_t wr_stall_scanner_quiet(const wr_stall_scanner *s, const wr_stall_scanner_in *in)
{
    wr_stall_scanner copy;
    wr_stall_scanner other;
    wr_stall_scanner_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &other, in, out);
}
