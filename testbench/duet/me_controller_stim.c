/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of me_controller: kernels, each with its figures, a search, and then verdicts, launches
 * and leaves.
 *
 * Directed kernels are the paper's examples where the sizes are the paper's, and kernels limited by
 * each resource, by two, and by none, at sizes derived from the configuration; each with verdicts
 * that take one path of the policy. Random kernels lie around the same limits.
 */
#include <string.h>

#include "refmodel/gen/me_controller_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    UNDER = 0,
    MODERATE = 1,
    SATURATED = 2,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_START_LEFT,
    FAULT_NO_WARPS,
    FAULT_REDUCED,
    FAULT_VERDICT_BUSY,
    FAULT_CLASS,
    FAULT_LAUNCH,
    FAULT_LEAVE,
    FAULT_LEAVE_LAUNCH,
    FAULT_NO_FIT,
    FAULT_VERDICT_EARLY,
    FAULT_KINDS = FAULT_VERDICT_EARLY,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_START_LEFT] = "start with resident TBs",
    [FAULT_NO_WARPS] = "start with 0 warps",
    [FAULT_REDUCED] = "start with reduced above regs",
    [FAULT_VERDICT_BUSY] = "verdict while busy",
    [FAULT_CLASS] = "class 3",
    [FAULT_LAUNCH] = "launch without allow",
    [FAULT_LEAVE] = "leave of no TB",
    [FAULT_LEAVE_LAUNCH] = "leave beside the launch of the only TB",
    [FAULT_NO_FIT] = "start where no TB fits",
    [FAULT_VERDICT_EARLY] = "verdict before the first start",
};

typedef enum limit {
    LIMIT_REGS,
    LIMIT_SMEM,
    LIMIT_WARPS,
    LIMIT_SLOTS,
    LIMIT_BOTH,
    LIMIT_L1, /* registers fill all but a rest, shared memory too */
    LIMIT_RANDOM,
    LIMIT_TABLE, /* registers; extra TBs are as many as the tables hold, or shared memory */
    LIMITS,
} limit;

typedef struct state {
    wr_me_controller_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate launch;
    wr_gate leave;

    uint32_t kernels;
    uint32_t verdicts;           /* of this kernel */
    uint32_t mood;               /* the class that is likely at present */
    uint32_t left;               /* verdicts to come */
    uint32_t gap;                /* cycles to the next */
    bool draining;               /* TBs leave, then the next kernel starts */
    wr_me_controller_in kernel;  /* its figures */
    wr_me_controller_in last_in; /* of the cycle before */
    wr_me_controller_out last;   /* outputs of the cycle before */
    bool seen_saturated;         /* a saturated verdict of this kernel came before this cycle */
    uint32_t safe;               /* ME in force at its last unsaturated one */
} state;

typedef struct planned {
    limit limit;
    uint32_t native; /* TBs to aim at */
    uint32_t first;  /* classes of the verdicts */
    uint32_t second;
    uint32_t third;
} planned;

static const planned plan_of[] = {
    {LIMIT_L1, 3, UNDER, UNDER, MODERATE},         {LIMIT_SMEM, 2, MODERATE, MODERATE, SATURATED},
    {LIMIT_REGS, 3, UNDER, SATURATED, MODERATE},   {LIMIT_WARPS, 2, MODERATE, UNDER, SATURATED},
    {LIMIT_SLOTS, 32, UNDER, UNDER, UNDER},        {LIMIT_BOTH, 2, UNDER, MODERATE, SATURATED},
    {LIMIT_L1, 2, SATURATED, UNDER, MODERATE},     {LIMIT_SMEM, 1, UNDER, UNDER, SATURATED},
    {LIMIT_TABLE, 1, UNDER, SATURATED, SATURATED},
};
enum { DIRECTED = sizeof plan_of / sizeof plan_of[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_me_controller_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->kernels = with_directed ? 0 : DIRECTED;
    s->draining = true;
}

/* A TB's part of `whole` where `tbs` of them shall fit, as far as the pin can say it. */
static uint32_t share(uint32_t whole, uint32_t tbs, uint32_t most)
{
    const uint32_t part = whole / tbs;
    return part > most ? most : part;
}

static void make_kernel(state *s, limit kind, uint32_t tbs, wr_me_controller_in *k)
{
    wr_rng *r = &s->rng;
    const wr_me_controller_cfg *c = &s->cfg;
    uint32_t warps = 1 + wr_rng_below(r, share(c->warp_slots, tbs, 32));
    uint32_t regs = wr_rng_below(r, share(c->rf_lines, 2 * tbs, 4095) + 1);
    uint32_t smem = wr_rng_below(r, share(c->smem_lines, 4 * tbs, 1023) + 1);
    uint32_t percent = 30 + wr_rng_below(r, 71);

    if (kind == LIMIT_REGS || kind == LIMIT_BOTH || kind == LIMIT_L1) {
        regs = share(c->rf_lines, tbs, 4095);
    }
    if (kind == LIMIT_SMEM || kind == LIMIT_BOTH) {
        smem = share(c->smem_lines, tbs, 1023);
    }
    if (kind == LIMIT_L1) {
        smem = share(c->smem_lines, tbs + 1, 1023);
        percent = 100;
        const uint32_t rest = c->rf_lines - tbs * regs + c->smem_lines - (tbs + 1) * smem;
        const uint32_t most = rest + c->l1_lines;
        regs -= regs > most ? wr_rng_below(r, 2) : 0;
        percent = regs > most && regs > 0 ? 100 * most / regs : percent;
    }
    if (kind == LIMIT_WARPS) {
        warps = share(c->warp_slots, tbs, 63);
        warps += warps == 0; /* more TBs than warps cannot be */
        smem = wr_rng_chance(r, 50) ? 0 : smem;
    }
    if (kind == LIMIT_SLOTS) {
        warps = 1;
        regs = wr_rng_below(r, share(c->rf_lines, 2 * c->tbs, 4095) + 1);
        smem = wr_rng_below(r, 100) < 50 ? 0 : share(c->smem_lines, 2 * c->tbs, 1023);
    }
    if (kind == LIMIT_RANDOM) {
        warps = 1 + wr_rng_below(r, wr_rng_chance(r, 50) ? 63 : 8);
        regs = wr_rng_below(r, c->rf_lines + 1);
        smem = wr_rng_below(r, c->smem_lines + 1);
    }
    if (kind == LIMIT_TABLE) {
        warps = 1;
        regs = share(c->rf_lines, tbs + 1, 4094) + 1;
        smem = wr_rng_chance(r, 50) ? 0 : share(c->smem_lines, tbs + 1, 1023);
        percent = 0;
    }
    k->warps = (uint8_t)warps;
    k->regs = (uint16_t)regs;
    k->reduced = (uint16_t)(regs * percent / 100);
    k->smem = (uint16_t)smem;
    const uint32_t lines = share((uint32_t)c->rf_lines + c->smem_lines, 1, 127);
    k->meta =
        (uint8_t)(wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, wr_rng_chance(r, 80) ? 5 : lines + 1));
}

/* A figure above what there is: this bit alone where that is enough. */
static uint32_t above(wr_rng *r, uint32_t bit, uint32_t whole, uint32_t bits)
{
    const uint32_t most = (1u << bits) - 1;
    const uint32_t one = 1u << bit;
    return one > whole ? one : whole < most ? whole + 1 + wr_rng_below(r, most - whole) : most;
}

/* Figures of a TB of which one does not fit, where the pin can say so, each bit in its turn; or
 * warps and registers. */
static void no_fit(state *s, wr_me_controller_in *in)
{
    enum { REGS = 12, SMEM = 10, WARPS = 6 };
    const wr_me_controller_cfg *c = &s->cfg;
    const uint32_t turn = s->faults.round % (REGS + SMEM + WARPS + 1);
    if (turn < REGS) {
        in->regs = (uint16_t)above(&s->rng, turn, c->rf_lines, REGS);
        in->reduced = 0;
    } else if (turn < REGS + SMEM) {
        in->smem = (uint16_t)above(&s->rng, turn - REGS, c->smem_lines, SMEM);
    } else if (turn < REGS + SMEM + WARPS) {
        in->warps = (uint8_t)above(&s->rng, turn - REGS - SMEM, c->warp_slots, WARPS);
    } else {
        in->regs = (uint16_t)c->rf_lines;
        in->reduced = (uint16_t)c->rf_lines;
        in->warps = 63;
    }
}

static void start_kernel(state *s, bool shown, wr_me_controller_in *in)
{
    wr_rng *r = &s->rng;
    const wr_me_controller_cfg *c = &s->cfg;
    const bool planned_one = s->kernels < DIRECTED;
    const planned *p = &plan_of[s->kernels % DIRECTED];
    const limit kind = planned_one ? p->limit : (limit)wr_rng_below(r, LIMITS);
    uint32_t tbs = planned_one ? p->native : 1 + wr_rng_below(r, c->tb_slots);
    tbs = tbs > c->tb_slots ? c->tb_slots : tbs;
    if (!planned_one && wr_rng_chance(r, 60)) {
        tbs = 1 + wr_rng_below(r, c->tb_slots < 6 ? c->tb_slots : 6);
    }
    make_kernel(s, kind, tbs, in);
    /* A TB that does not fit at all is a fault, so it is kept for the runs that want one. */
    in->warps = (uint8_t)(in->warps > c->warp_slots ? c->warp_slots : in->warps);
    in->start = true;
    const uint32_t near = in->regs | 1u << s->faults.round % 12; /* one bit alone, each in turn */
    switch (wr_faults_pick(&s->faults, shown, 20, r)) {
    case FAULT_NO_WARPS:
        in->warps = 0;
        break;
    case FAULT_REDUCED:
        in->reduced =
            (uint16_t)(near > in->regs ? near : in->regs + 1 + wr_rng_below(r, 4095u - in->regs));
        break;
    case FAULT_NO_FIT:
        no_fit(s, in);
        break;
    default:
        break;
    }
    s->kernel = *in;
    s->kernels++;
    s->verdicts = 0;
    s->seen_saturated = false;
    s->safe = 0;
    s->draining = false;
    s->left = planned_one ? 3 : 1 + wr_rng_below(r, wr_rng_chance(r, 50) ? 4 : 50);
    s->mood = wr_rng_below(r, 3);
    s->gap = wr_rng_below(r, 12);
}

static void give_verdict(state *s, bool shown, wr_me_controller_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t n = s->verdicts++;
    in->valid = true;
    s->left--;
    if (s->kernels <= DIRECTED) {
        const planned *p = &plan_of[s->kernels - 1];
        in->verdict = (uint8_t)(n == 0 ? p->first : n == 1 ? p->second : p->third);
        in->l1_idle = true;
        s->gap = 1;
        return;
    }
    if (wr_rng_chance(r, 20)) {
        s->mood = wr_rng_below(r, 3);
    }
    in->verdict = (uint8_t)(wr_rng_chance(r, 80) ? s->mood : wr_rng_below(r, 2));
    in->l1_idle = wr_rng_chance(r, 70);
    if (wr_faults_pick(&s->faults, shown, 5, r) == FAULT_CLASS) {
        in->verdict = 3;
    }
    s->gap = wr_rng_chance(r, 50) ? wr_rng_below(r, 3) : wr_rng_below(r, 40);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    wr_me_controller_in *in = in_;
    const bool shown = ((const wr_me_controller_out *)last_out)->fault;
    const bool random = s->kernels >= DIRECTED;

    s->last = *(const wr_me_controller_out *)last_out;
    if (s->last_in.valid && !s->last_in.start && !s->last.busy) {
        s->seen_saturated = s->seen_saturated || s->last_in.verdict == SATURATED;
        s->safe = s->last_in.verdict < SATURATED ? s->last.me : s->safe;
    }
    *in = (wr_me_controller_in){
        .warps = (uint8_t)wr_rng_below(r, 64), /* without meaning but with start */
        .regs = (uint16_t)wr_rng_below(r, 4096),
        .reduced = (uint16_t)wr_rng_below(r, 4096),
        .smem = (uint16_t)wr_rng_below(r, 1024),
        .meta = (uint8_t)wr_rng_below(r, 128),
        .verdict = (uint8_t)wr_rng_below(r, 4),
        .l1_idle = wr_rng_chance(r, 50),
    };
    /* What stands in this cycle, as far as the cycle before tells. */
    const wr_me_controller_out *last = &s->last;
    const bool launched = s->last_in.launch && last->allow;
    const bool left = s->last_in.leave && last->tbs > 0;
    const uint32_t tbs = s->last_in.start ? 0 : (uint32_t)last->tbs + launched - left;
    const bool started = s->kernels > 0;
    const bool done = started && !s->last_in.start && !last->busy;
    const bool known = done && !s->last_in.valid;
    const bool allow = known && tbs < (uint32_t)last->mc + last->me;

    const bool launching = !s->draining || wr_rng_chance(r, 5);
    in->launch = allow && launching && wr_gate_open(&s->launch, r);
    in->leave = tbs > 0 && (s->draining || wr_gate_open(&s->leave, r));
    if (done && s->left > 0 && s->gap == 0) {
        give_verdict(s, shown, in);
    }
    s->gap -= done && s->gap > 0;
    s->draining = s->draining || (s->left == 0 && (s->kernels < 6 || wr_rng_chance(r, 5)));
    if (random) {
        wr_faults_step(&s->faults);
        const uint32_t kind = wr_faults_pick(&s->faults, shown, 3, r);
        in->launch = in->launch || (kind == FAULT_LAUNCH && known && !allow);
        in->launch = in->launch || (kind == FAULT_LEAVE_LAUNCH && allow && tbs == 0);
        in->leave = in->leave || (kind == FAULT_LEAVE && known && tbs == 0 && !in->launch) ||
                    (kind == FAULT_LEAVE_LAUNCH && allow && tbs == 0);
        in->valid = in->valid || (kind == FAULT_VERDICT_BUSY && s->last_in.start);
        if (kind == FAULT_START_LEFT && tbs > 0 && !launched) {
            start_kernel(s, shown, in);
        }
    }
    in->valid = in->valid || (s->faults.first == FAULT_VERDICT_EARLY && cycle == 1);

    const bool free = tbs == 0 && !in->start;
    const bool abandons = free && random && last->busy && wr_rng_chance(r, 2);
    if (abandons || (free && s->draining && (!random || wr_rng_chance(r, 30)) && cycle > 1)) {
        const wr_me_controller_in events = *in;
        start_kernel(s, shown, in);
        in->valid = events.valid || (random && wr_rng_chance(r, 10));
        in->launch = random && wr_rng_chance(r, 10);
        in->leave = random && wr_rng_chance(r, 10);
    }
    s->last_in = *in;
}

static const char *const bin_names[] = {
    "native limit: registers alone",
    "native limit: shared memory alone",
    "native limit: warp slots alone",
    "native limit: TB slots alone",
    "native limit: registers and shared memory",
    "native limit: exactly filled",
    "not one TB fits",
    "extra TBs end: warps of the table",
    "extra TBs end: TBs of the table",
    "extra TBs end: shared memory, warp level",
    "extra TBs end: registers, TB level",
    "extra TBs end: lines in all",
    "warp level with extra TBs",
    "TB level with extra TBs",
    "no extra TB, with L1 neither",
    "L1 needed",
    "L1 needed and bypassed",
    "L1 needed, busy in the first window",
    "L1 needed, first window saturated",
    "first verdict under",
    "first verdict moderate",
    "first verdict saturated",
    "ME jumps to the bound later",
    "ME climbs",
    "ME stays at the bound",
    "saturated behind a climb",
    "saturated behind a jump of two or more",
    "saturated at an ME that was unsaturated",
    "saturated again, and ME is not 0",
    "verdict behind a saturated one",
    "launch",
    "leave",
    "launch and leave in one cycle",
    "launch of an extra TB",
    "launch in the cycle of a verdict",
    "no launch allowed: full",
    "more TBs than allowed",
    "start while busy",
    "start in the cycle of a verdict",
    "fault",
};
enum {
    BIN_LIM_REGS,
    BIN_LIM_SMEM,
    BIN_LIM_WARPS,
    BIN_LIM_SLOTS,
    BIN_LIM_BOTH,
    BIN_EXACT,
    BIN_NO_FIT,
    BIN_END_WARPS,
    BIN_END_TBS,
    BIN_END_SMEM,
    BIN_END_REGS,
    BIN_END_ALL,
    BIN_WARP_LEVEL,
    BIN_TB_LEVEL,
    BIN_NO_EXTRA,
    BIN_L1,
    BIN_L1_BYPASS,
    BIN_L1_BUSY,
    BIN_L1_SATURATED,
    BIN_FIRST_UNDER,
    BIN_FIRST_MODERATE,
    BIN_FIRST_SATURATED,
    BIN_JUMP,
    BIN_CLIMB,
    BIN_AT_BOUND,
    BIN_SAT_CLIMB,
    BIN_SAT_JUMP,
    BIN_SAT_SAME,
    BIN_SAT_AGAIN,
    BIN_AFTER_SATURATED,
    BIN_LAUNCH,
    BIN_LEAVE,
    BIN_BOTH,
    BIN_EXTRA,
    BIN_LAUNCH_VERDICT,
    BIN_FULL,
    BIN_ABOVE,
    BIN_START_BUSY,
    BIN_START_VERDICT,
    BIN_FAULT,
    BINS,
};

/* Why the search ended where it did, by the kernel's figures. */
static void cover_search(const state *s, const wr_me_controller_out *out, uint64_t *hits)
{
    const wr_me_controller_cfg *c = &s->cfg;
    const wr_me_controller_in *k = &s->kernel;
    const uint32_t n = out->mc + 1u;
    const bool warps = n * k->warps > c->warp_slots;
    const bool slots = n > c->tb_slots;
    const bool regs = n * k->regs > c->rf_lines;
    const bool smem = n * k->smem > c->smem_lines;
    hits[BIN_LIM_REGS] += regs && !smem && !warps && !slots;
    hits[BIN_LIM_SMEM] += smem && !regs && !warps && !slots;
    hits[BIN_LIM_WARPS] += warps && !regs && !smem && !slots;
    hits[BIN_LIM_SLOTS] += slots && !regs && !smem && !warps;
    hits[BIN_LIM_BOTH] += regs && smem;
    hits[BIN_EXACT] +=
        out->mc * k->regs == c->rf_lines || (smem && out->mc * k->smem == c->smem_lines);
    hits[BIN_NO_FIT] += out->mc == 0;
    hits[BIN_NO_EXTRA] += out->bound == 0;
    hits[BIN_L1] += out->needs_l1;
    if (out->level == 0) {
        return;
    }
    const uint32_t e = out->mc + out->bound + 1u;
    const bool end_warps = e * k->warps > c->warps;
    const bool end_tbs = e > c->tbs;
    const bool end_smem = e * k->smem > c->smem_lines;
    const bool end_regs = e * k->regs > c->rf_lines;
    hits[BIN_END_WARPS] += end_warps && !end_tbs;
    hits[BIN_END_TBS] += end_tbs && !end_warps;
    hits[BIN_END_SMEM] += out->level == 1 && end_smem && !end_warps && !end_tbs;
    hits[BIN_END_REGS] += out->level == 2 && end_regs && !end_warps && !end_tbs;
    hits[BIN_END_ALL] += !end_warps && !end_tbs && (out->level == 1 ? !end_smem : !end_regs);
    hits[BIN_WARP_LEVEL] += out->level == 1 && out->bound > 0;
    hits[BIN_TB_LEVEL] += out->level == 2 && out->bound > 0;
}

/* A verdict that is taken; it was the n-th of its kernel, and a kernel's first comes with ME 0. */
static void cover_verdict(const state *s, const wr_me_controller_in *in,
                          const wr_me_controller_out *out, uint64_t *hits)
{
    const bool first = s->verdicts == 1;
    const uint32_t usable = out->needs_l1 && !out->bypass ? 0 : out->bound;
    if (first) {
        hits[BIN_FIRST_UNDER] += in->verdict == UNDER;
        hits[BIN_FIRST_MODERATE] += in->verdict == MODERATE;
        hits[BIN_FIRST_SATURATED] += in->verdict == SATURATED;
        hits[BIN_L1_BYPASS] += out->needs_l1 && in->verdict != SATURATED && in->l1_idle;
        hits[BIN_L1_BUSY] += out->needs_l1 && in->verdict != SATURATED && !in->l1_idle;
        hits[BIN_L1_SATURATED] += out->needs_l1 && in->verdict == SATURATED;
        return;
    }
    hits[BIN_AFTER_SATURATED] += s->seen_saturated;
    hits[BIN_SAT_AGAIN] += s->seen_saturated && in->verdict == SATURATED && out->me > 0;
    if (s->seen_saturated) {
        return;
    }
    hits[BIN_JUMP] += in->verdict == UNDER && out->me + 1u < usable;
    hits[BIN_CLIMB] += in->verdict == MODERATE && out->me < usable;
    hits[BIN_AT_BOUND] += in->verdict == MODERATE && out->me == usable && usable > 0;
    hits[BIN_SAT_CLIMB] += in->verdict == SATURATED && out->me == s->safe + 1u;
    hits[BIN_SAT_JUMP] += in->verdict == SATURATED && out->me > s->safe + 1u;
    hits[BIN_SAT_SAME] += in->verdict == SATURATED && out->me > 0 && out->me <= s->safe;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_me_controller_in *in = in_;
    const wr_me_controller_out *out = out_;
    const bool done = !out->busy && s->last.busy;
    const bool allowed = out->tbs < out->mc + out->me;

    hits[BIN_FAULT] += out->fault;
    hits[BIN_START_BUSY] += in->start && out->busy;
    hits[BIN_START_VERDICT] += in->start && in->valid;
    if (in->start || out->busy || s->kernels == 0) {
        return;
    }
    if (done) {
        cover_search(s, out, hits);
    }
    if (in->valid && in->verdict != 3) {
        cover_verdict(s, in, out, hits);
    }
    hits[BIN_LAUNCH] += in->launch && out->allow;
    hits[BIN_LEAVE] += in->leave && out->tbs > 0;
    hits[BIN_BOTH] += in->launch && out->allow && in->leave && out->tbs > 0;
    hits[BIN_EXTRA] += in->launch && out->allow && out->tbs >= out->mc;
    hits[BIN_LAUNCH_VERDICT] += in->launch && out->allow && in->valid;
    hits[BIN_FULL] += !allowed && out->mc > 0 && out->tbs == out->mc + out->me;
    hits[BIN_ABOVE] += out->tbs > out->mc + out->me;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_me_controller_stim;
const wr_stim wr_me_controller_stim = {
    .block = "me_controller",
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
