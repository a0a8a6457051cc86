/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_switch_logic: plays the queues, the tables, the bitmap and the free list.
 *
 * The neighbours answer with plausible values and hold no state of their own: a warp that leaves
 * is stalled in some slot, one that comes in lies somewhere below 0xC00. Directed switches first,
 * each op at each level with answers at once, then kernels in a row with random offers, gates on
 * both answers, and in runs with faults every kind of them.
 *
 * A request is answered only when it stands for certain: it stood unanswered in the cycle before,
 * or the step answered then has one step that can follow, a request too.
 */
#include <string.h>

#include "refmodel/duet/context_switch_logic.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_CFG_BUSY,
    FAULT_WARPS_0,
    FAULT_WARPS_ABOVE,
    FAULT_LINES_0,
    FAULT_FULL_0,
    FAULT_FULL_BELOW,
    FAULT_STALLED_GONE,
    FAULT_STALLED_OTHER,
    FAULT_READY_GONE,
    FAULT_READY_OTHER,
    FAULT_STALLED_ID,
    FAULT_READY_ID,
    FAULT_TAB_ACK,
    FAULT_MEM_ACK,
    FAULT_STATE_OUT,
    FAULT_STATE_IN,
    FAULT_META_OUT,
    FAULT_META_IN,
    FAULT_SLOTS,
    FAULT_KINDS = FAULT_SLOTS,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_CFG_BUSY] = "cfg during a switch",
    [FAULT_WARPS_0] = "cfg with 0 warps",
    [FAULT_WARPS_ABOVE] = "cfg with more warps than TbWarps",
    [FAULT_LINES_0] = "cfg of TBs with 0 lines",
    [FAULT_FULL_0] = "cfg of warps with full 0",
    [FAULT_FULL_BELOW] = "cfg of warps with full below lines",
    [FAULT_STALLED_GONE] = "stalled unit gone before its pop",
    [FAULT_STALLED_OTHER] = "another stalled unit before the pop",
    [FAULT_READY_GONE] = "ready unit gone before its pop",
    [FAULT_READY_OTHER] = "another ready unit before the pop",
    [FAULT_STALLED_ID] = "stalled id that cannot be",
    [FAULT_READY_ID] = "ready id that cannot be",
    [FAULT_TAB_ACK] = "tab_ack without a request",
    [FAULT_MEM_ACK] = "mem_ack without a request",
    [FAULT_STATE_OUT] = "state of a warp that leaves",
    [FAULT_STATE_IN] = "state of a warp that comes in",
    [FAULT_META_OUT] = "metadata of a warp that leaves, not in a slot",
    [FAULT_META_IN] = "metadata of a warp that comes in, in a slot",
    [FAULT_SLOTS] = "no slot free",
};

typedef struct kernel {
    uint8_t limits;
    uint8_t warps; /* 33: the most that fit */
    uint16_t lines;
    uint16_t full;
    bool use_l1;
} kernel;

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
    bool acked;     /* a request was answered in the cycle before */
    wr_context_switch_logic_in in_before;
    wr_context_switch_logic_out out_before;
} state;

enum { R = WR_CSL_LIMIT_REGISTERS, W = WR_CSL_LIMIT_SLOTS, S = WR_CSL_LIMIT_SHARED };

static const kernel kernels[] = {
    {R, 3, 5, 9, false},    {R | W, 33, 0, 1, true}, {W, 1, 7, 0, false},       {S, 2, 1, 0, true},
    {S | W, 33, 768, 0, 0}, {R | S, 4, 5, 9, false}, {R, 33, 1023, 1023, true},
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
}

static uint32_t most_warps(const state *s, uint32_t warps)
{
    return warps < s->cfg.tb_warps ? warps : s->cfg.tb_warps;
}

static kernel random_kernel(state *s)
{
    wr_rng *r = &s->rng;
    kernel k = {.use_l1 = wr_rng_chance(r, 60)};
    k.limits = (uint8_t)wr_rng_below(r, 8);
    k.warps = (uint8_t)most_warps(s, wr_rng_chance(r, 30) ? 33 : 1 + wr_rng_below(r, 8));
    const uint32_t span = wr_rng_chance(r, 4) ? 1024 : 24;
    k.full =
        (uint16_t)(span == 1024 && wr_rng_chance(r, 40) ? 1023 : 1 + wr_rng_below(r, span - 1));
    k.lines = wr_rng_chance(r, 30) ? k.full : (uint16_t)wr_rng_below(r, k.full + 1u);
    if ((k.limits & (R | S)) == S && k.lines == 0) {
        k.lines = 1;
    }
    return k;
}

static uint8_t random_id(state *s, bool faulty)
{
    const uint32_t n = s->kernel.warps;
    const bool tb = (s->kernel.limits & (R | S)) == S;
    const uint32_t tbs = 128 / n < 32 ? 128 / n : 32;
    const uint32_t ids = tb ? tbs : tbs * n;
    if (faulty) {
        return (uint8_t)(wr_rng_chance(&s->rng, 50) && ids < 128 ? ids
                                                                 : wr_rng_below(&s->rng, 128));
    }
    return (uint8_t)(wr_rng_chance(&s->rng, 15) ? ids - 1 : wr_rng_below(&s->rng, ids));
}

/* The request that stands in this cycle for certain, given what was answered in the one before. */
static uint8_t standing(const state *s, const wr_context_switch_logic_out *last)
{
    const bool both = last->op == WR_CSL_EXCHANGE;
    if (!last->tab_req && !last->mem_req) {
        return WR_CSL_IDLE;
    }
    if (!s->acked) {
        return last->state;
    }
    switch (last->state) {
    case WR_CSL_READ_OUT:
        return both ? WR_CSL_READ_IN : WR_CSL_ALLOC;
    case WR_CSL_RD_OUT:
        return both ? WR_CSL_RD_IN : WR_CSL_WR_OUT;
    case WR_CSL_RD_IN:
        return both ? WR_CSL_WR_OUT : WR_CSL_WR_IN;
    case WR_CSL_WR_OUT:
        return both ? WR_CSL_WR_IN : WR_CSL_IDLE;
    case WR_CSL_ADDR_OUT:
        return WR_CSL_MASK_OUT;
    case WR_CSL_ADDR_IN:
        return WR_CSL_MASK_IN;
    case WR_CSL_MASK_IN:
        return both ? WR_CSL_IDLE : WR_CSL_FREE;
    default:
        return WR_CSL_IDLE;
    }
}

static void answer(state *s, uint8_t step_now, wr_context_switch_logic_in *in, uint32_t fault)
{
    wr_rng *r = &s->rng;
    const bool coming = step_now == WR_CSL_READ_IN || step_now == WR_CSL_RD_IN;
    const bool tb = (s->kernel.limits & (R | S)) == S;
    const bool random = s->step >= STEPS;

    in->tab_reg = (uint16_t)wr_rng_below(r, 4096);
    in->tab_meta = (uint16_t)(coming ? wr_rng_below(r, 0xc00) : 0xc00 + wr_rng_below(r, 64));
    in->tab_state = coming ? WR_WARP_READY : WR_WARP_STALLED;
    if (coming && tb && wr_rng_chance(r, 30)) {
        in->tab_state = WR_WARP_ABSENT;
    }
    in->mem_addr = (uint16_t)(wr_rng_chance(r, 5) ? 4095 : wr_rng_below(r, 4096));
    in->mem_found = random ? wr_rng_chance(r, 65) : (steps[s->step].found >> s->asked) & 1;
    if (step_now == WR_CSL_IDLE) {
        return;
    }
    if (step_now == WR_CSL_ALLOC || step_now == WR_CSL_ALLOC_L1 || step_now == WR_CSL_FREE) {
        in->mem_ack = !random || wr_gate_open(&s->bitmap, r);
        s->asked += in->mem_ack && step_now != WR_CSL_FREE;
    } else {
        in->tab_ack = !random || wr_gate_open(&s->tables, r);
    }
    if (fault == (coming ? FAULT_STATE_IN : FAULT_STATE_OUT)) {
        in->tab_state = (uint8_t)wr_rng_below(r, 4);
    } else if (fault == (coming ? FAULT_META_IN : FAULT_META_OUT)) {
        in->tab_meta = wr_rng_chance(r, 50) ? (uint16_t)(coming ? 0xc00 : 0xbff)
                                            : (uint16_t)wr_rng_below(r, 4096);
    } else if (fault == FAULT_SLOTS) {
        in->slots_free = 0;
    }
}

static void set_kernel(state *s, const kernel *k, wr_context_switch_logic_in *in)
{
    s->kernel = *k;
    s->kernel.warps = (uint8_t)most_warps(s, k->warps);
    s->configured = true;
    in->cfg = true;
    in->limits = s->kernel.limits;
    in->warps = s->kernel.warps;
    in->lines = s->kernel.lines;
    in->full = s->kernel.full;
    in->use_l1 = s->kernel.use_l1;
}

static void directed(state *s, wr_context_switch_logic_in *in)
{
    const step *d = &steps[s->step];
    if (!s->configured) {
        set_kernel(s, &kernels[d->kernel], in);
        s->stalled = d->stalled;
        s->ready = d->ready;
        s->stalled_id = random_id(s, false);
        s->ready_id = random_id(s, false);
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

static void random_offers(state *s, const wr_context_switch_logic_out *last,
                          wr_context_switch_logic_in *in)
{
    wr_rng *r = &s->rng;
    const bool drain = s->epoch == 0;
    in->may_leave = drain || wr_rng_chance(r, 70);
    in->want = wr_rng_chance(r, 60);
    in->slots_free = (uint8_t)(drain || wr_rng_chance(r, 60) ? 64 : 1 + wr_rng_below(r, 40));
    if (!drain && last->op == WR_CSL_NONE &&
        wr_rng_chance(r, 25)) { /* just as many as a TB has warps, or one too few */
        in->slots_free = (uint8_t)(s->kernel.warps - wr_rng_below(r, 2));
    }
    if (drain) {
        s->ready = s->ready && last->level != WR_CSL_OFF;
        if (s->idle > 2 && !s->in_before.stalled_valid && !s->in_before.ready_valid) {
            const kernel k = random_kernel(s);
            set_kernel(s, &k, in);
            s->epoch = 50 + wr_rng_below(r, 900);
        }
        return;
    }
    s->epoch--;
    if (!s->stalled && wr_gate_open(&s->offers, r)) {
        s->stalled = wr_rng_chance(r, 50);
        s->stalled_id =
            random_id(s, wr_faults_pick(&s->faults, last->fault, 5, r) == FAULT_STALLED_ID);
    }
    if (!s->ready && wr_gate_open(&s->offers, r)) {
        s->ready = wr_rng_chance(r, 40);
        s->ready_id = random_id(s, wr_faults_pick(&s->faults, last->fault, 5, r) == FAULT_READY_ID);
    }
}

/* Faults that need no answer: they come at any time that makes them one. */
static void disturb(state *s, uint32_t fault, const wr_context_switch_logic_out *last,
                    wr_context_switch_logic_in *in)
{
    wr_rng *r = &s->rng;
    switch (fault) {
    case FAULT_CFG_BUSY:
        in->cfg = in->cfg || last->state == WR_CSL_MOVE;
        break;
    case FAULT_WARPS_0:
    case FAULT_WARPS_ABOVE:
        in->warps = fault == FAULT_WARPS_0 ? 0 : (uint8_t)(s->cfg.tb_warps + 1);
        break;
    case FAULT_LINES_0:
        in->limits = in->cfg ? S : in->limits;
        in->lines = in->cfg ? 0 : in->lines;
        break;
    case FAULT_FULL_0:
    case FAULT_FULL_BELOW:
        if (in->cfg) {
            in->limits = R;
            in->lines = fault == FAULT_FULL_0 ? 0 : (uint16_t)(2 + wr_rng_below(r, 1022));
            in->full = (uint16_t)(in->lines > 0 ? in->lines - 1 : 0);
        }
        break;
    case FAULT_STALLED_GONE:
        in->stalled_valid = false;
        break;
    case FAULT_STALLED_OTHER:
        in->stalled_id = (uint8_t)wr_near_value(in->stalled_id, 7, r);
        break;
    case FAULT_READY_GONE:
        in->ready_valid = false;
        break;
    case FAULT_READY_OTHER:
        in->ready_id = (uint8_t)wr_near_value(in->ready_id, 7, r);
        break;
    case FAULT_TAB_ACK:
        in->tab_ack = true;
        break;
    case FAULT_MEM_ACK:
        in->mem_ack = true;
        break;
    default:
        break;
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

    s->out_before = *last;
    s->idle = last->op == WR_CSL_NONE ? s->idle + 1 : 0;
    s->stalled = s->stalled && !last->stalled_pop;
    s->ready = s->ready && !last->ready_pop;
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

    const uint32_t first = s->faults.first;
    uint32_t fault = random ? wr_faults_pick(&s->faults, last->fault, 4, r) : FAULT_NONE;
    if (random && in->cfg && s->faults.quiet == 0 && !last->fault && first >= FAULT_WARPS_0 &&
        first <= FAULT_FULL_BELOW) {
        fault = first; /* new kernels are rare */
    }
    answer(s, standing(s, last), in, fault);
    disturb(s, fault, last, in);
    s->acked = in->tab_ack || in->mem_ack;
    s->in_before = *in;
}

#define BINS                                                                                       \
    BIN(EXCHANGE_WARP, "exchange of warps")                                                        \
    BIN(EXCHANGE_TB, "exchange of TBs")                                                            \
    BIN(EXCHANGE_META, "exchange of warps, only metadata moves")                                   \
    BIN(IN_WARP, "warp in")                                                                        \
    BIN(IN_TB, "TB in")                                                                            \
    BIN(IN_META, "warp in, only metadata moves")                                                   \
    BIN(OUT_WARP, "warp out to shared memory")                                                     \
    BIN(OUT_TB, "TB out to the register file")                                                     \
    BIN(OUT_META, "warp out, only metadata moves")                                                 \
    BIN(OUT_L1, "out to the L1")                                                                   \
    BIN(OUT_NONE, "out without room becomes back, no L1")                                          \
    BIN(OUT_NONE_L1, "out without room becomes back, L1 too")                                      \
    BIN(IN_NONE, "in without room")                                                                \
    BIN(IN_YIELDS, "in without room, then the stalled unit goes first")                            \
    BIN(BACK_WARP, "warp back")                                                                    \
    BIN(BACK_TB, "TB back")                                                                        \
    BIN(BACK_OFF, "back at level off")                                                             \
    BIN(BACK_UNWANTED, "back: may leave, nobody wants its place")                                  \
    BIN(ONE_TOO_FEW, "the largest TB ready, one slot too few")                                     \
    BIN(NO_SLOTS, "a ready unit waits for slots")                                                  \
    BIN(READY_OFF, "a ready unit at level off")                                                    \
    BIN(LAST_SLOT, "the last free slots are just enough")                                          \
    BIN(ONE_WARP, "TB of one warp switched")                                                       \
    BIN(MOST_WARPS, "TB of the most warps switched")                                               \
    BIN(VIA_READY, "absent warp of a TB comes in by way of ready")                                 \
    BIN(ONE_BEAT, "move of the fewest beats")                                                      \
    BIN(LONGEST, "move of 1,023 lines and metadata")                                               \
    BIN(LONG_MOVE, "move past beat 255")                                                           \
    BIN(ODD_LINES, "move of an odd number of lines")                                               \
    BIN(WRAP, "metadata address wraps")                                                            \
    BIN(LAST_TB, "TB 31 in a mask")                                                                \
    BIN(LAST_INDEX, "last warp of its TB in a mask")                                               \
    BIN(TABLE_TWICE, "tables answer in two cycles running")                                        \
    BIN(TABLE_WAITS, "tables keep a request waiting")                                              \
    BIN(BITMAP_WAITS, "bitmap keeps a request waiting")                                            \
    BIN(CFG, "figures taken")                                                                      \
    BIN(CFG_BOTH, "registers and shared memory both limit")                                        \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

static void cover_begin(const state *s, const wr_context_switch_logic_out *out, uint64_t *hits)
{
    const wr_context_switch_logic_in *was = &s->in_before;
    const bool tb = out->level == WR_CSL_TB;
    const bool warp = out->level == WR_CSL_WARP;
    const bool body = (s->kernel.limits & R) != 0;
    hits[BIN_EXCHANGE_WARP] += out->op == WR_CSL_EXCHANGE && warp && body;
    hits[BIN_EXCHANGE_META] += out->op == WR_CSL_EXCHANGE && warp && !body;
    hits[BIN_EXCHANGE_TB] += out->op == WR_CSL_EXCHANGE && tb;
    hits[BIN_IN_META] += out->op == WR_CSL_IN && warp && !body;
    hits[BIN_OUT_META] += out->op == WR_CSL_OUT && warp && !body;
    hits[BIN_BACK_WARP] += out->op == WR_CSL_BACK && warp;
    hits[BIN_BACK_TB] += out->op == WR_CSL_BACK && tb;
    hits[BIN_BACK_OFF] += out->op == WR_CSL_BACK && out->level == WR_CSL_OFF;
    hits[BIN_BACK_UNWANTED] += out->op == WR_CSL_BACK && was->may_leave && !was->want;
    hits[BIN_LAST_SLOT] += out->op == WR_CSL_IN && was->slots_free == (tb ? s->kernel.warps : 1);
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_switch_logic_in *in = in_;
    const wr_context_switch_logic_out *out = out_;
    const wr_context_switch_logic_out *was = &s->out_before;
    const bool tb = out->level == WR_CSL_TB;
    const bool allocated = out->mem_req && in->mem_ack && !out->mem_free;
    const uint32_t lines = out->mem_count;

    if (was->op == WR_CSL_NONE && out->op != WR_CSL_NONE) {
        cover_begin(s, out, hits);
    }
    if (allocated && out->op == WR_CSL_IN) {
        hits[BIN_IN_WARP] += in->mem_found && !tb;
        hits[BIN_IN_TB] += in->mem_found && tb;
        hits[BIN_IN_NONE] += !in->mem_found;
        hits[BIN_IN_YIELDS] += !in->mem_found && in->stalled_valid;
    }
    if (allocated && out->op == WR_CSL_OUT) {
        const bool l1 = out->state == WR_CSL_ALLOC_L1;
        hits[BIN_OUT_WARP] += in->mem_found && !tb && !l1 && lines > s->cfg.st_lines;
        hits[BIN_OUT_TB] += in->mem_found && tb && !l1;
        hits[BIN_OUT_L1] += in->mem_found && l1;
        hits[BIN_OUT_NONE] += !in->mem_found && !l1 && !s->kernel.use_l1;
        hits[BIN_OUT_NONE_L1] += !in->mem_found && l1;
        hits[BIN_ODD_LINES] += in->mem_found && lines % 2 == 1;
    }
    if (out->op == WR_CSL_NONE && in->ready_valid && !in->cfg) {
        hits[BIN_NO_SLOTS] +=
            out->level != WR_CSL_OFF && in->slots_free < (tb ? s->kernel.warps : 1);
        hits[BIN_ONE_TOO_FEW] += tb && in->slots_free + 1u == s->kernel.warps &&
                                 s->kernel.warps == s->cfg.tb_warps && !in->stalled_valid;
        hits[BIN_READY_OFF] += out->level == WR_CSL_OFF;
    }
    if (out->state == WR_CSL_MASK_OUT || out->state == WR_CSL_MASK_IN) {
        hits[BIN_ONE_WARP] += tb && s->kernel.warps == 1;
        hits[BIN_MOST_WARPS] += tb && s->kernel.warps == s->cfg.tb_warps;
        hits[BIN_LAST_TB] += out->tab_id == 31;
        hits[BIN_LAST_INDEX] += !tb && out->tab_index > 0 && out->tab_index + 1 == s->kernel.warps;
    }
    hits[BIN_VIA_READY] += out->state == WR_CSL_WR_IN && out->tab_state == WR_WARP_READY;
    hits[BIN_ONE_BEAT] += was->move && !out->move &&
                          was->move_beat * s->cfg.port_bytes < s->cfg.st_lines * WR_CSL_LINE_BYTES;
    hits[BIN_LONGEST] += out->move && s->kernel.lines == 1023 &&
                         out->move_beat * s->cfg.port_bytes >= 1023 * WR_CSL_LINE_BYTES;
    hits[BIN_LONG_MOVE] += out->move_beat > 255;
    hits[BIN_WRAP] +=
        out->state == WR_CSL_WR_OUT && out->op == WR_CSL_OUT && out->tab_meta < out->move_away;
    hits[BIN_TABLE_TWICE] +=
        in->tab_ack && out->tab_req && was->tab_req && was->state != out->state;
    hits[BIN_TABLE_WAITS] += out->tab_req && !in->tab_ack;
    hits[BIN_BITMAP_WAITS] += out->mem_req && !in->mem_ack;
    hits[BIN_CFG] += in->cfg && out->op == WR_CSL_NONE;
    hits[BIN_CFG_BOTH] += in->cfg && out->op == WR_CSL_NONE && (in->limits & (R | S)) == (R | S);
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
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
