/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_switch_logic: plays the queues, the tables, the bitmap, the mover and the
 * free list.
 *
 * The neighbours answer with plausible values and hold no state of their own: a warp that leaves
 * is stalled in some slot, one that comes in lies somewhere below 0xC00. Directed switches first,
 * each op at each level with answers at once, then kernels in a row (switch_kernels.h) with random
 * offers, gates on all answers, and in runs with faults every kind of them.
 *
 * A request is answered, and a fault of a step begun, only when the step stands for certain: its
 * request stood unanswered in the cycle before, or only one step can follow what was answered then.
 */
#include <string.h>

#include "testbench/duet/switch_bins.h"
#include "testbench/duet/switch_steps.h"

static const char *const fault_names[] = {
    [FAULT_WARPS_0] = "cfg with 0 warps",
    [FAULT_WARPS_ABOVE] = "cfg with more warps than TbWarps",
    [FAULT_LINES_0] = "cfg of TBs with 0 lines",
    [FAULT_FULL_0] = "cfg of warps with full 0",
    [FAULT_FULL_BELOW] = "cfg of warps with full below lines",
    [FAULT_STALLED_WARP] = "stalled warp of a TB above 31",
    [FAULT_STALLED_TB] = "stalled TB above 31",
    [FAULT_STALLED_PAST] = "stalled TB with warps past 127",
    [FAULT_READY_WARP] = "ready warp of a TB above 31",
    [FAULT_READY_TB] = "ready TB above 31",
    [FAULT_READY_PAST] = "ready TB with warps past 127",
    [FAULT_CFG_BUSY] = "cfg during a switch",
    [FAULT_STALLED_GONE] = "stalled unit gone before its pop",
    [FAULT_STALLED_OTHER] = "another stalled unit before the pop",
    [FAULT_READY_GONE] = "ready unit gone before its pop",
    [FAULT_READY_OTHER] = "another ready unit before the pop",
    [FAULT_TAB_ACK_NONE] = "tab_ack without any request",
    [FAULT_TAB_ACK_BITMAP] = "tab_ack with a request to the bitmap",
    [FAULT_MEM_ACK_NONE] = "mem_ack without any request",
    [FAULT_MEM_ACK_TABLES] = "mem_ack with a request to the tables",
    [FAULT_MOVE_ACK] = "a move_ack that nobody asked for",
    [FAULT_STATE_READ_OUT] = "state of the warp that leaves, in read_out",
    [FAULT_STATE_READ_IN] = "state of the warp that comes in, in read_in",
    [FAULT_STATE_RD_OUT] = "state of a warp that leaves, in rd_out",
    [FAULT_STATE_RD_IN] = "state of a warp that comes in, in rd_in",
    [FAULT_META_OUT_BELOW] = "metadata of a warp that leaves, below the slots",
    [FAULT_META_OUT_ABOVE] = "metadata of a warp that leaves, above the slots",
    [FAULT_META_IN] = "metadata of a warp that comes in, not below the slots",
    [FAULT_SLOTS] = "no slot free",
};

/* One directed switch: what is offered, and the answers of the bitmap in order, lowest bit first.
 */
typedef struct step {
    uint8_t kernel;
    bool stalled, ready, may_leave, want;
    uint8_t slots;
    uint8_t found;
} step;

typedef struct state {
    wr_context_switch_logic_cfg cfg;
    wr_rng rng;
    wr_gate tables;
    wr_gate bitmap;
    wr_gate mover;
    wr_gate offers;
    wr_faults faults;

    uint32_t step;  /* directed step under way; past the last: random */
    uint32_t asked; /* allocations answered in it */
    kernel kernel;
    bool configured;
    bool stalled, ready; /* offers that stand */
    uint8_t stalled_id, ready_id;
    uint32_t idle;  /* cycles without an op, so far */
    uint32_t epoch; /* random cycles left before the next kernel */
    bool full_once; /* the last alloc for a switch in failed */
    uint8_t now;    /* step of this cycle, or UNSURE */
    bool moved;     /* of the switch: its unit has been moved */
    uint32_t metas; /* and metadata of so many warps, with that under way */
    wr_context_switch_logic_in in_now, in_before;
    wr_context_switch_logic_out out_before;
} state;

static const kernel kernels[] = {
    {R, 3, 5, 9, false, false},       {R | W, 33, 0, 1, true, false},
    {W, 1, 7, 0, false, false},       {S, 2, 1, 0, true, false},
    {S | W, 33, 768, 0, 0, false},    {R | S, 4, 5, 9, false, false},
    {R, 33, 1023, 1023, true, false},
};

static const step steps[] = {
    {0, true, true, true, false, 0, 0},    {0, false, true, false, false, 1, 1},
    {0, true, false, true, true, 0, 1},    {0, true, false, true, true, 0, 0},
    {0, true, false, true, false, 0, 0},   {0, true, false, false, true, 0, 0},
    {0, false, true, false, false, 0, 0},  {0, false, true, false, false, 1, 2},
    {1, true, true, true, false, 0, 0},    {1, true, false, true, true, 0, 2},
    {1, true, false, true, true, 0, 0},    {1, true, true, false, true, 9, 2},
    {2, true, true, true, false, 0, 0},    {2, false, true, false, false, 1, 0},
    {2, true, false, true, true, 0, 1},    {3, true, true, true, false, 0, 0},
    {3, false, true, false, false, 2, 1},  {3, false, true, false, false, 1, 1},
    {3, true, false, true, true, 0, 1},    {3, true, false, true, true, 0, 2},
    {3, true, false, true, true, 0, 0},    {5, true, true, true, true, 64, 0},
    {4, false, true, false, false, 64, 1}, {6, true, true, true, true, 0, 0},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_context_switch_logic_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed ? 0 : STEPS;
    if (s->cfg.tb_warps < 5) { /* no TB has warps past 127 */
        uint32_t *first = &s->faults.first;
        *first = *first == FAULT_STALLED_PAST ? FAULT_STALLED_TB
                 : *first == FAULT_READY_PAST ? FAULT_READY_TB
                                              : *first;
    }
}

static void answer(state *s, wr_context_switch_logic_in *in)
{
    wr_rng *r = &s->rng;
    const bool random = s->step >= STEPS;
    const wr_csl_level level = level_of(&s->kernel);

    in->tab_reg = (uint16_t)(wr_rng_chance(r, 5) ? 4095 : wr_rng_below(r, 4096));
    in->tab_meta = (uint16_t)wr_rng_below(r, 4096);
    in->tab_state = (uint8_t)wr_rng_below(r, 4); /* of a TB nobody looks at it */
    in->mem_addr = (uint16_t)(wr_rng_chance(r, 5) ? 4095 : wr_rng_below(r, 4096));
    in->mem_found = random ? wr_rng_chance(r, 65) : (steps[s->step].found >> s->asked) & 1;
    if (s->now == WR_CSL_RD_OUT || (s->now == WR_CSL_READ_OUT && level != WR_CSL_TB)) {
        in->tab_state = WR_WARP_STALLED;
    } else if (s->now == WR_CSL_RD_IN || (s->now == WR_CSL_READ_IN && level != WR_CSL_TB)) {
        in->tab_state = level == WR_CSL_TB && wr_rng_chance(r, 30) ? WR_WARP_ABSENT : WR_WARP_READY;
    }
    if (s->now == WR_CSL_RD_OUT) {
        in->tab_meta =
            (uint16_t)(WR_CSL_META_SLOT + (wr_rng_chance(r, 10) ? 63 : wr_rng_below(r, 64)));
    } else if (s->now == WR_CSL_RD_IN) {
        in->tab_meta = (uint16_t)(wr_rng_chance(r, 5) ? WR_CSL_META_SLOT - 1
                                                      : wr_rng_below(r, WR_CSL_META_SLOT));
    }
    if (asks_bitmap(s->now)) {
        in->mem_ack = !random || wr_gate_open(&s->bitmap, r);
        s->asked += in->mem_ack && s->now != WR_CSL_FREE;
    } else if (asks_tables(s->now)) {
        in->tab_ack = !random || wr_gate_open(&s->tables, r);
    } else if (asks_mover(s->now)) {
        in->move_ack = !random || wr_gate_open(&s->mover, r);
    }
}

static void set_kernel(state *s, const kernel *k, wr_context_switch_logic_in *in)
{
    s->kernel = *k;
    s->configured = true;
    in->cfg = true;
    in->limits = k->limits;
    in->warps = k->warps;
    in->lines = k->lines;
    in->full = k->full;
    in->use_l1 = k->use_l1;
}

static void directed(state *s, wr_context_switch_logic_in *in)
{
    const step *d = &steps[s->step];
    if (!s->configured) {
        kernel k = kernels[d->kernel];
        k.warps = (uint8_t)(k.warps < s->cfg.tb_warps ? k.warps : s->cfg.tb_warps);
        set_kernel(s, &k, in);
        s->stalled = d->stalled;
        s->ready = d->ready;
        s->stalled_id = random_id(&s->kernel, &s->rng);
        s->ready_id = random_id(&s->kernel, &s->rng);
        s->asked = 0;
        s->idle = 0;
        return;
    }
    in->may_leave = d->may_leave;
    in->want = d->want;
    in->slots_free = d->slots;
    if (s->idle > 3) { /* done, or nothing can begin */
        s->stalled = false;
        s->ready = false;
        s->configured = false;
        s->step++;
    }
}

/* The kind of fault that this opportunity is used for; before the first one has shown every other
 * opportunity is, as long as the kind is one of these. */
static uint32_t pick(state *s, bool shown)
{
    return wr_faults_pick(&s->faults, shown, shown ? 10 : 50, &s->rng);
}

static void new_kernel(state *s, bool shown, wr_context_switch_logic_in *in)
{
    wr_rng *r = &s->rng;
    kernel k = random_kernel(shown ? FAULT_NONE : s->faults.first, &s->cfg, r);
    const uint32_t fault = shown && is_cfg_fault(s->faults.first) && wr_rng_chance(r, 85)
                               ? s->faults.first
                               : pick(s, shown);
    if (is_cfg_fault(fault)) {
        refuse(&k, fault, shown ? wr_rng_below(r, 60) : s->faults.round, &s->cfg, r);
    }
    set_kernel(s, &k, in);
    s->epoch = s->faults.first == 0            ? 50 + wr_rng_below(r, 900)
               : is_cfg_fault(s->faults.first) ? 10 + wr_rng_below(r, 40)
                                               : 50 + wr_rng_below(r, 350);
}

static void offer(state *s, bool shown)
{
    wr_rng *r = &s->rng;
    const uint32_t first = shown ? FAULT_NONE : s->faults.first;
    const bool outs = first == FAULT_STALLED_GONE || first == FAULT_STALLED_OTHER ||
                      first == FAULT_TAB_ACK_BITMAP || first == FAULT_MOVE_ACK ||
                      first == FAULT_CFG_BUSY ||
                      (is_stalled_id(first) && s->faults.round % 3 == 1); /* these want one */
    if (!s->stalled && wr_gate_open(&s->offers, r)) {
        const uint32_t fault = pick(s, shown);
        s->stalled = wr_rng_chance(r, 50);
        s->stalled_id = fault <= FAULT_STALLED_PAST ? bad_id(&s->kernel, fault, s->faults.round, r)
                                                    : random_id(&s->kernel, r);
    }
    if (!s->ready && wr_gate_open(&s->offers, r)) {
        const uint32_t fault = pick(s, shown);
        s->ready = wr_rng_chance(r, outs ? 10 : 40);
        s->ready_id = fault > FAULT_STALLED_PAST ? bad_id(&s->kernel, fault, s->faults.round, r)
                                                 : random_id(&s->kernel, r);
    }
}

/* Free slots: often just as many as a unit needs, or one bit apart from that. */
static uint8_t random_slots(state *s, bool drain)
{
    wr_rng *r = &s->rng;
    const uint32_t need = unit_warps(&s->kernel);
    if (drain || wr_rng_chance(r, 45)) {
        return 64;
    }
    switch (wr_rng_below(r, 4)) {
    case 0:
        return (uint8_t)(need - wr_rng_below(r, 2));
    case 1:
        return (uint8_t)wr_near_value(need, 6, r);
    default:
        return (uint8_t)wr_rng_below(r, 41);
    }
}

static void random_offers(state *s, const wr_context_switch_logic_out *last,
                          wr_context_switch_logic_in *in)
{
    wr_rng *r = &s->rng;
    const bool drain = s->epoch == 0;
    /* Every third time it is a back that takes the id that cannot be, and every third an out. */
    const bool stays = !last->fault && is_stalled_id(s->faults.first) && s->faults.round % 3 == 2;
    in->may_leave = drain || wr_rng_chance(r, stays ? 5 : 70);
    in->want = wr_rng_chance(r, 60);
    in->slots_free = random_slots(s, drain);
    if (last->op == WR_CSL_IN && in->slots_free == 0) {
        in->slots_free = 1; /* nobody else takes those that the unit needs */
    }
    s->epoch -= s->epoch > 0;
    if (!drain) {
        offer(s, last->fault);
        return;
    }
    s->ready = s->ready && last->level != WR_CSL_OFF;
    if (s->idle > 2 && !s->in_before.stalled_valid && !s->in_before.ready_valid) {
        new_kernel(s, last->fault, in);
        if (wr_rng_chance(r, 50)) {
            offer(s, last->fault); /* nothing is decided in this cycle */
        }
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_context_switch_logic_out *last = last_out;
    wr_context_switch_logic_in *in = in_;
    const bool random = s->step >= STEPS;
    wr_rng *r = &s->rng;

    s->in_before = s->in_now;
    s->idle = last->op == WR_CSL_NONE ? s->idle + 1 : 0;
    s->stalled = s->stalled && !last->stalled_pop;
    s->ready = s->ready && !last->ready_pop;
    if (last->op == WR_CSL_IN && last->mem_req && !last->mem_free && s->in_before.mem_ack) {
        s->full_once = !s->in_before.mem_found;
    }
    s->full_once = s->full_once && (last->op == WR_CSL_NONE || last->op == WR_CSL_IN);
    s->now = step_now(&s->kernel, &s->in_before, last);
    s->moved = s->now == WR_CSL_MOVE || (s->moved && last->op != WR_CSL_NONE);
    s->metas = last->op == WR_CSL_NONE ? 0 : s->metas;
    s->metas += s->now == WR_CSL_META && last->state != WR_CSL_META;
    s->out_before = *last;
    in->limits = (uint8_t)wr_rng_below(r, 8); /* noise where nothing is taken */
    in->warps = (uint8_t)wr_rng_below(r, 64);
    in->lines = (uint16_t)wr_rng_below(r, 1024);
    in->slot = (uint8_t)wr_rng_below(r, 64);
    if (random) {
        wr_faults_step(&s->faults);
        random_offers(s, last, in);
    } else {
        directed(s, in);
    }
    in->stalled_valid = s->stalled;
    in->ready_valid = s->ready;
    in->stalled_id = s->stalled ? s->stalled_id : (uint8_t)wr_rng_below(r, 128);
    in->ready_id = s->ready ? s->ready_id : (uint8_t)wr_rng_below(r, 128);
    answer(s, in);
    if (random) {
        const uint32_t fault = pick(s, last->fault);
        const uint32_t round = last->fault ? wr_rng_below(r, 420) : s->faults.round;
        spoil_answer(&s->kernel, s->now, fault, round, in);
        spoil_heads(&s->kernel, s->now, fault, round, last->op, in);
    }
    s->in_now = *in;
}

/* Figures are taken in this cycle. */
static void cover_cfg(const state *s, const wr_context_switch_logic_in *in, uint64_t *hits)
{
    const uint32_t rs = in->limits & (R | S);
    const bool refused = s->kernel.refused;
    hits[BIN_CFG]++;
    hits[BIN_CFG_BOTH] += rs == (R | S);
    hits[BIN_LIMITS_0 + in->limits]++;
    hits[BIN_CFG_OFFER] += in->stalled_valid && in->ready_valid && in->may_leave;
    hits[BIN_FULL_UNUSED] += !refused && rs != R && in->full < in->lines;
    hits[BIN_LINES_UNUSED] += !refused && rs != R && rs != S && in->lines == 0;
    hits[NEAR_WARPS_MOST] |= wr_near_bit(in->warps, s->cfg.tb_warps);
    hits[NEAR_WARPS_0] |= wr_near_bit(in->warps, 0);
    hits[NEAR_LINES_0] |= !refused && rs == S ? wr_near_bit(in->lines, 0) : 0;
    hits[NEAR_FULL_0] |= !refused && rs == R ? wr_near_bit(in->full, 0) : 0;
    hits[NEAR_FULL] |= rs == R && in->full < in->lines ? wr_near_bit(in->full, in->lines) : 0;
}

static bool cannot_be(const kernel *k, uint32_t id)
{
    const uint32_t last = id % TBS * k->warps + k->warps;
    return level_of(k) == WR_CSL_WARP ? id >= TBS * k->warps
                                      : level_of(k) == WR_CSL_TB && (id >= TBS || last > WARPS);
}

/* A unit that a decision has taken; bad: its id is the first fault of the episode. */
static void cover_unit(const state *s, uint32_t id, bool bad, uint64_t *hits)
{
    const uint32_t n = s->kernel.warps;
    const bool tb = level_of(&s->kernel) == WR_CSL_TB;
    const bool warp = level_of(&s->kernel) == WR_CSL_WARP;
    hits[BIN_ID_EDGE] += tb && id < TBS && (id + 1) * n == WARPS;
    hits[BIN_ID_FULL] += tb && id == TBS - 1 && n == s->cfg.tb_warps;
    hits[BIN_ID_WARP_EDGE] += warp && id + 1 == TBS * n;
    hits[BIN_ID_WARP_FIRST] += warp && id == TBS * n && bad;
    hits[BIN_ID_32] += tb && id / TBS == 1 && bad;
    hits[BIN_ID_64] += tb && id / TBS == 2 && bad;
    hits[BIN_ID_127] += warp && id == WARPS - 1;
}

/* The cycle behind a decision. */
static void cover_begin(const state *s, const wr_context_switch_logic_out *out, uint64_t *hits)
{
    const wr_context_switch_logic_in *was = &s->in_before;
    const bool tb = out->level == WR_CSL_TB;
    const bool warp = out->level == WR_CSL_WARP;
    const bool body = (s->kernel.limits & R) != 0;
    const bool first = out->fault && !s->out_before.fault;
    const bool bad_out = first && cannot_be(&s->kernel, was->stalled_id);
    const bool bad_in = first && cannot_be(&s->kernel, was->ready_id);
    const bool room = was->slots_free >= unit_warps(&s->kernel);
    if (out->op != WR_CSL_IN) {
        cover_unit(s, was->stalled_id, bad_out, hits);
    }
    if (out->op == WR_CSL_IN || out->op == WR_CSL_EXCHANGE) {
        cover_unit(s, was->ready_id, bad_in, hits);
    }
    hits[BIN_ID_OUT] += out->op == WR_CSL_OUT && bad_out;
    hits[BIN_ID_IN] += out->op == WR_CSL_IN && bad_in;
    hits[BIN_ID_EXCHANGE] += out->op == WR_CSL_EXCHANGE && bad_out && !bad_in;
    hits[BIN_ID_EXCHANGE_IN] += out->op == WR_CSL_EXCHANGE && bad_in && !bad_out;
    hits[BIN_ID_BACK] += out->op == WR_CSL_BACK && bad_out;
    hits[BIN_EXCHANGE_WARP] += out->op == WR_CSL_EXCHANGE && warp && body;
    hits[BIN_EXCHANGE_META] += out->op == WR_CSL_EXCHANGE && warp && !body;
    hits[BIN_EXCHANGE_TB] += out->op == WR_CSL_EXCHANGE && tb;
    hits[BIN_IN_META] += out->op == WR_CSL_IN && warp && !body;
    hits[BIN_OUT_META] += out->op == WR_CSL_OUT && warp && !body;
    hits[BIN_BACK_WARP] += out->op == WR_CSL_BACK && warp;
    hits[BIN_BACK_TB] += out->op == WR_CSL_BACK && tb;
    hits[BIN_BACK_OFF] += out->op == WR_CSL_BACK && out->level == WR_CSL_OFF;
    hits[BIN_BACK_UNWANTED] +=
        out->op == WR_CSL_BACK && (tb || warp) && was->may_leave && !was->want;
    hits[BIN_BACK_MAY_NOT] +=
        out->op == WR_CSL_BACK && (tb || warp) && !was->may_leave && was->want && !was->ready_valid;
    hits[BIN_LAST_SLOT] += out->op == WR_CSL_IN && was->slots_free == unit_warps(&s->kernel);
    hits[BIN_YIELD_BACK] +=
        out->op == WR_CSL_BACK && s->full_once && (tb || warp) && was->ready_valid && room;
    hits[BIN_IN_AGAIN] += out->op == WR_CSL_IN && s->full_once;
}

/* Nothing is under way. */
static void cover_idle(const state *s, const wr_context_switch_logic_in *in,
                       const wr_context_switch_logic_out *out, uint64_t *hits)
{
    const bool tb = out->level == WR_CSL_TB;
    const uint32_t need = tb ? s->kernel.warps : 1;
    if (in->cfg) {
        cover_cfg(s, in, hits);
    } else if (in->ready_valid) {
        hits[BIN_NO_SLOTS] += out->level != WR_CSL_OFF && in->slots_free < need;
        hits[BIN_ONE_TOO_FEW] +=
            tb && in->slots_free + 1u == need && need == s->cfg.tb_warps && !in->stalled_valid;
        hits[BIN_READY_OFF] += out->level == WR_CSL_OFF;
        hits[NEAR_SLOTS] |= tb && !in->stalled_valid ? wr_near_bit(in->slots_free, need) : 0;
    }
}

/* An allocation is answered. */
static void cover_alloc(const state *s, const wr_context_switch_logic_in *in,
                        const wr_context_switch_logic_out *out, uint64_t *hits)
{
    const bool tb = out->level == WR_CSL_TB;
    const bool l1 = out->state == WR_CSL_ALLOC_L1;
    const uint32_t lines = out->mem_count;
    if (out->op == WR_CSL_IN) {
        hits[BIN_IN_WARP] += in->mem_found && !tb;
        hits[BIN_IN_TB] += in->mem_found && tb;
        hits[BIN_IN_NONE] += !in->mem_found;
        hits[BIN_IN_YIELDS] += !in->mem_found && in->stalled_valid;
    } else {
        hits[BIN_OUT_WARP] += in->mem_found && !tb && !l1 && lines > s->cfg.st_lines;
        hits[BIN_OUT_TB] += in->mem_found && tb && !l1;
        hits[BIN_OUT_L1] += in->mem_found && l1;
        hits[BIN_OUT_NONE] += !in->mem_found && !l1 && !s->kernel.use_l1;
        hits[BIN_OUT_NONE_L1] += !in->mem_found && l1;
        hits[BIN_ALONE_L1] += in->mem_found && l1 && !moves_body(&s->kernel);
    }
}

/* What the mover is asked for is done, or not yet. */
static void cover_move(const state *s, const wr_context_switch_logic_in *in,
                       const wr_context_switch_logic_out *out, uint64_t *hits)
{
    const bool tb = out->level == WR_CSL_TB;
    const uint8_t which = (uint8_t)(out->op - WR_CSL_OUT); /* out, in, exchange */
    const bool first = !s->out_before.move;
    if (!in->move_ack) {
        hits[out->move_meta ? BIN_META_WAITS : BIN_MOVE_WAITS]++;
        return;
    }
    hits[out->move_meta ? BIN_META_ONCE : BIN_MOVE_ONCE] += first;
    if (out->move_meta) {
        hits[BIN_META_OUT_WARP + which] += !tb;
        hits[BIN_META_OUT_TB + which] += tb && s->metas == s->kernel.warps && s->metas > 1;
        hits[BIN_ALONE_OUT + which] += !s->moved;
    }
}

/* Protocol faults of a step, while none has shown. */
static void cover_faults(const state *s, const wr_context_switch_logic_in *in,
                         const wr_context_switch_logic_out *out, uint64_t *hits)
{
    static const uint8_t pairs[] = {
        [WR_CSL_READ_OUT] = BIN_MEM_ACK_READ, [WR_CSL_READ_IN] = BIN_MEM_ACK_READ,
        [WR_CSL_RD_OUT] = BIN_MEM_ACK_RD,     [WR_CSL_RD_IN] = BIN_MEM_ACK_RD,
        [WR_CSL_WR_OUT] = BIN_MEM_ACK_WR,     [WR_CSL_WR_IN] = BIN_MEM_ACK_WR,
        [WR_CSL_ADDR_OUT] = BIN_MEM_ACK_LEFT, [WR_CSL_MASK_OUT] = BIN_MEM_ACK_LEFT,
        [WR_CSL_ADDR_IN] = BIN_MEM_ACK_CAME,  [WR_CSL_MASK_IN] = BIN_MEM_ACK_CAME,
        [WR_CSL_IDLE] = BIN_MEM_ACK_IDLE,     [WR_CSL_MOVE] = BIN_MEM_ACK_MOVE,
        [WR_CSL_META] = BIN_MEM_ACK_META,
    };
    static const uint8_t no_move[] = {
        [WR_CSL_IDLE] = BIN_MOVE_ACK_IDLE,     [WR_CSL_READ_OUT] = BIN_MOVE_ACK_READ,
        [WR_CSL_READ_IN] = BIN_MOVE_ACK_READ,  [WR_CSL_ALLOC] = BIN_MOVE_ACK_ALLOC,
        [WR_CSL_ALLOC_L1] = BIN_MOVE_ACK_L1,   [WR_CSL_RD_OUT] = BIN_MOVE_ACK_RD,
        [WR_CSL_RD_IN] = BIN_MOVE_ACK_RD,      [WR_CSL_WR_OUT] = BIN_MOVE_ACK_WR,
        [WR_CSL_WR_IN] = BIN_MOVE_ACK_WR,      [WR_CSL_ADDR_OUT] = BIN_MOVE_ACK_LEFT,
        [WR_CSL_MASK_OUT] = BIN_MOVE_ACK_LEFT, [WR_CSL_ADDR_IN] = BIN_MOVE_ACK_CAME,
        [WR_CSL_MASK_IN] = BIN_MOVE_ACK_CAME,  [WR_CSL_FREE] = BIN_MOVE_ACK_FREE,
    };
    const uint8_t at = out->state;
    const bool choosing = at >= WR_CSL_READ_OUT && at <= WR_CSL_ALLOC_L1;
    const bool ins = choosing && out->op == WR_CSL_IN && moves_body(&s->kernel);
    const bool alone = out->level != WR_CSL_TB;
    if (in->cfg && out->op != WR_CSL_NONE) {
        hits[BIN_CFG_OUT + out->op - WR_CSL_OUT]++;
    }
    if (choosing && out->op == WR_CSL_OUT) {
        hits[BIN_GONE_READ_OUT] += !in->stalled_valid && at == WR_CSL_READ_OUT;
        hits[BIN_GONE_ALLOC] += !in->stalled_valid && at == WR_CSL_ALLOC;
        hits[BIN_GONE_L1] += !in->stalled_valid && at == WR_CSL_ALLOC_L1;
        hits[NEAR_STALLED] |= in->stalled_valid ? wr_near_bit(in->stalled_id, s->stalled_id) : 0;
    } else if (ins) {
        hits[BIN_GONE_READ_IN] += !in->ready_valid && at == WR_CSL_READ_IN;
        hits[BIN_GONE_ALLOC_IN] += !in->ready_valid && at == WR_CSL_ALLOC;
        hits[NEAR_READY] |= in->ready_valid ? wr_near_bit(in->ready_id, s->ready_id) : 0;
    }
    hits[BIN_TAB_ACK_IDLE] += in->tab_ack && at == WR_CSL_IDLE;
    hits[BIN_TAB_ACK_MOVE] += in->tab_ack && at == WR_CSL_MOVE;
    hits[BIN_TAB_ACK_META] += in->tab_ack && at == WR_CSL_META;
    hits[BIN_TAB_ACK_ALLOC] += in->tab_ack && at == WR_CSL_ALLOC;
    hits[BIN_TAB_ACK_L1] += in->tab_ack && at == WR_CSL_ALLOC_L1;
    hits[BIN_TAB_ACK_FREE] += in->tab_ack && at == WR_CSL_FREE;
    if (in->mem_ack && !asks_bitmap(at)) {
        hits[pairs[at]]++;
    }
    if (in->move_ack && !asks_mover(at)) {
        hits[no_move[at]]++;
    }
    if (in->tab_ack && (at == WR_CSL_RD_OUT || (at == WR_CSL_READ_OUT && alone))) {
        hits[BIN_OUT_RUNNING] += in->tab_state == WR_WARP_RUNNING;
        hits[BIN_OUT_ABSENT] += in->tab_state == WR_WARP_ABSENT;
        hits[BIN_OUT_READY] += in->tab_state == WR_WARP_READY;
    }
    if (in->tab_ack && (at == WR_CSL_RD_IN || (at == WR_CSL_READ_IN && alone))) {
        hits[BIN_IN_RUNNING] += in->tab_state == WR_WARP_RUNNING;
        hits[BIN_IN_STALLED] += in->tab_state == WR_WARP_STALLED;
        hits[BIN_IN_ABSENT] += in->tab_state == WR_WARP_ABSENT && alone;
    }
    if (in->tab_ack && at == WR_CSL_RD_OUT) {
        hits[NEAR_META] |= wr_near_bit(in->tab_meta / 64u, WR_CSL_META_SLOT / 64u);
    }
    hits[BIN_META_AT] += in->tab_ack && at == WR_CSL_RD_IN && in->tab_meta == WR_CSL_META_SLOT;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_switch_logic_in *in = in_;
    const wr_context_switch_logic_out *out = out_;
    const wr_context_switch_logic_out *was = &s->out_before;
    const bool tb = out->level == WR_CSL_TB;
    const bool rd_in = in->tab_ack && out->state == WR_CSL_RD_IN;
    const uint32_t away = LINES_MAX + s->cfg.st_lines * s->cfg.tb_warps;

    if (out->op == WR_CSL_NONE) {
        cover_idle(s, in, out, hits);
    } else if (was->op == WR_CSL_NONE) {
        cover_begin(s, out, hits);
    }
    if (out->mem_req && in->mem_ack && !out->mem_free) {
        cover_alloc(s, in, out, hits);
    }
    if (out->move) {
        cover_move(s, in, out, hits);
    }
    if (!out->fault) {
        cover_faults(s, in, out, hits);
    }
    if (out->state == WR_CSL_MASK_OUT || out->state == WR_CSL_MASK_IN) {
        hits[BIN_ONE_WARP] += tb && s->kernel.warps == 1;
        hits[BIN_MOST_WARPS] += tb && s->kernel.warps == s->cfg.tb_warps;
        hits[BIN_LAST_TB] += out->tab_id == 31;
        hits[BIN_LAST_INDEX] += !tb && out->tab_index > 0 && out->tab_index + 1 == s->kernel.warps;
    }
    hits[BIN_VIA_READY] += out->state == WR_CSL_WR_IN && out->tab_state == WR_WARP_READY;
    hits[BIN_LAST_TAKE] += tb && out->slot_take && s->metas == s->cfg.tb_warps;
    hits[BIN_MOST_LINES] += out->mem_req && out->mem_count == away;
    hits[BIN_WRAP] +=
        out->state == WR_CSL_WR_OUT && out->op == WR_CSL_OUT && out->tab_meta < out->move_away;
    hits[BIN_META_BELOW] += rd_in && in->tab_meta == WR_CSL_META_SLOT - 1;
    hits[BIN_EXCHANGE_FULL] += rd_in && out->op == WR_CSL_EXCHANGE && in->slots_free == 0;
    hits[BIN_SLOT_63] += (out->slot_take || out->slot_give) && out->slot == 63;
    hits[BIN_TABLE_TWICE] +=
        in->tab_ack && out->tab_req && was->tab_req && was->state != out->state;
    hits[BIN_TABLE_WAITS] += out->tab_req && !in->tab_ack;
    hits[BIN_BITMAP_WAITS] += out->mem_req && !in->mem_ack;
    hits[BIN_BOTH_ACKS] += in->tab_ack && in->mem_ack;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

extern const wr_stim wr_context_switch_logic_stim;
const wr_stim wr_context_switch_logic_stim = {
    .block = "context_switch_logic",
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
