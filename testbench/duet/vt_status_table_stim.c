/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of vt_status_table: TBs that stall, change places, wake and finish.
 *
 * A picture of the table is kept here, so that only what is meant as a fault is one. A swap is
 * taken only where the proposal of the cycle before still stands: nothing happened in that cycle.
 * A directed story of two TBs comes first, then kernels in a row.
 */
#include <string.h>

#include "testbench/stim.h"
#include "testbench/traffic.h"

#include "refmodel/gen/vt_status_table_pins.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_LAUNCH_TAKEN,
    FAULT_LAUNCH_PAST,
    FAULT_LAUNCH_WARPS,
    FAULT_FINISH_FREE,
    FAULT_FINISH_INACTIVE,
    FAULT_FINISH_PAST,
    FAULT_STALL_FREE,
    FAULT_STALL_INACTIVE,
    FAULT_STALL_PAST,
    FAULT_STALL_FULL,
    FAULT_STALL_WAKE,
    FAULT_WAKE_FREE,
    FAULT_WAKE_PAST,
    FAULT_WAKE_ZERO,
    FAULT_TAKE,
    FAULT_BAR_OUT,
    FAULT_BAR_IN,
    FAULT_MAP,
    FAULT_CFG_0,
    FAULT_CFG_ABOVE,
    FAULT_OUT_LAUNCH,
    FAULT_OUT_FINISH,
    FAULT_OUT_STALL,
    FAULT_OUT_WAKE,
    FAULT_IN_LAUNCH,
    FAULT_IN_STALL,
    FAULT_IN_WAKE,
    FAULT_KINDS = FAULT_IN_WAKE,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_LAUNCH_TAKEN] = "launch of a TB that is there",
    [FAULT_LAUNCH_PAST] = "launch past the last TB",
    [FAULT_LAUNCH_WARPS] = "launch past virtual warp 127",
    [FAULT_FINISH_FREE] = "finish of a free TB",
    [FAULT_FINISH_INACTIVE] = "finish of an inactive TB",
    [FAULT_FINISH_PAST] = "finish past the last TB",
    [FAULT_STALL_FREE] = "stall in a free TB",
    [FAULT_STALL_INACTIVE] = "stall in an inactive TB",
    [FAULT_STALL_PAST] = "stall past the last TB",
    [FAULT_STALL_FULL] = "stall in a TB whose warps all wait",
    [FAULT_STALL_WAKE] = "stall and wake in one inactive TB",
    [FAULT_WAKE_FREE] = "wake in a free TB",
    [FAULT_WAKE_PAST] = "wake past the last TB",
    [FAULT_WAKE_ZERO] = "wake in a TB of which nobody waits",
    [FAULT_TAKE] = "take without a swap",
    [FAULT_BAR_OUT] = "out_bar above N",
    [FAULT_BAR_IN] = "in_bar above N",
    [FAULT_MAP] = "map past the last slot",
    [FAULT_CFG_0] = "cfg with 0 warps",
    [FAULT_CFG_ABOVE] = "cfg with more than 32 warps",
    [FAULT_OUT_LAUNCH] = "launch of the TB that a swap brings out",
    [FAULT_OUT_FINISH] = "finish of the TB that a swap brings out",
    [FAULT_OUT_STALL] = "stall in the TB that a swap brings out",
    [FAULT_OUT_WAKE] = "wake in the TB that a swap brings out with nobody waiting",
    [FAULT_IN_LAUNCH] = "launch of the TB that a swap brings in",
    [FAULT_IN_STALL] = "stall in the TB that a swap brings in with all waiting",
    [FAULT_IN_WAKE] = "wake in the TB that a swap brings in with nobody waiting",
};

enum { TBS = 32, NO_TB = 99 };

typedef struct state {
    wr_vt_status_table_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    uint32_t step; /* of the directed story */

    uint32_t warps;
    bool used[TBS];
    bool active[TBS];
    uint32_t count[TBS];

    uint32_t epoch; /* cycles left of this kernel */
    uint32_t mood;  /* cycles left of these densities */
    uint32_t stall_percent, wake_percent;
    uint32_t focus; /* TB that most events go to */
    bool quiet;     /* no event in the cycle before */
    wr_vt_status_table_in before;
    uint64_t marks; /* bins that this cycle's events hit */
} state;

#define BINS                                                                                       \
    BIN(LAUNCH_ACTIVE, "launch, active")                                                           \
    BIN(LAUNCH_INACTIVE, "launch, inactive")                                                       \
    BIN(LAUNCH_FINISH, "launch and finish of one TB in one cycle")                                 \
    BIN(LAUNCH_LAST, "launch of the highest TB that N allows")                                     \
    BIN(FINISH, "finish")                                                                          \
    BIN(FULL_TABLE, "no free entry")                                                               \
    BIN(STALL_LAST, "stall of the last warp: the TB is stalled")                                   \
    BIN(WAKE_STALLED, "wake of a stalled TB before its swap")                                      \
    BIN(WAKE_READY, "last wake of an inactive TB: it is ready")                                    \
    BIN(WAKE_ACTIVE, "wake of an active TB")                                                       \
    BIN(CANCEL_FULL, "stall and wake of one stalled TB cancel")                                    \
    BIN(CANCEL_EMPTY, "stall and wake of one running TB cancel")                                   \
    BIN(BOTH, "stall and wake of two TBs in one cycle")                                            \
    BIN(PROPOSED, "swap proposed and not taken")                                                   \
    BIN(TAKE, "swap taken")                                                                        \
    BIN(TAKE_WAKE, "wake of the TB switched out in the cycle of its swap")                         \
    BIN(TAKE_STALL, "stall of the TB switched in in the cycle of its swap")                        \
    BIN(TAKE_READY, "swap out of a TB that is ready at once: all at barriers")                     \
    BIN(OUT_WRAPS, "search for a stalled TB goes round")                                           \
    BIN(IN_WRAPS, "search for a ready TB goes round")                                              \
    BIN(BUSY_EVENT, "stall or wake during a renaming")                                             \
    BIN(BUSY_WRITE, "map write during a renaming")                                                 \
    BIN(CFG, "new kernel")                                                                         \
    BIN(CFG_BUSY, "new kernel during a renaming")                                                  \
    BIN(ONE_WARP, "TBs of one warp")                                                               \
    BIN(MOST_WARPS, "TBs of 32 warps")                                                             \
    BIN(LOOK_FREE, "look at a free entry")                                                         \
    BIN(LOOK_VWI, "look at a slot with a virtual warp above 63")                                   \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

static void mark(state *s, uint32_t bin, bool hit)
{
    s->marks |= hit ? UINT64_C(1) << bin : 0;
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_vt_status_table_cfg *)cfg, .warps = 32};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed && s->cfg.tbs > 1 && s->cfg.slots > 1 ? 0 : UINT32_MAX;
}

static void new_kernel(state *s, wr_vt_status_table_in *in, uint32_t warps, uint32_t fault)
{
    const bool bad = fault == FAULT_CFG_0 || fault == FAULT_CFG_ABOVE;
    in->cfg = true;
    in->warps = (uint8_t)(fault == FAULT_CFG_0 ? 0 : bad ? 33 + wr_rng_below(&s->rng, 31) : warps);
    s->warps = bad ? 32 : warps;
    memset(s->used, 0, sizeof s->used);
    memset(s->active, 0, sizeof s->active);
    memset(s->count, 0, sizeof s->count);
}

static void launch(state *s, wr_vt_status_table_in *in, uint32_t tb, bool active)
{
    in->launch = true;
    in->launch_tb = (uint8_t)tb;
    in->launch_active = active;
    mark(s, active ? BIN_LAUNCH_ACTIVE : BIN_LAUNCH_INACTIVE, true);
    mark(s, BIN_LAUNCH_LAST, tb + 1 == s->cfg.tbs || (tb + 2) * s->warps > 128);
    mark(s, BIN_LAUNCH_FINISH, in->finish && in->finish_tb == tb);
    s->used[tb] = true;
    s->active[tb] = active;
    s->count[tb] = 0;
}

static void finish(state *s, wr_vt_status_table_in *in, uint32_t tb)
{
    in->finish = true;
    in->finish_tb = (uint8_t)tb;
    mark(s, BIN_FINISH, true);
    s->used[tb] = false;
    s->active[tb] = false;
}

static void stall(state *s, wr_vt_status_table_in *in, uint32_t tb)
{
    in->stall = true;
    in->stall_tb = (uint8_t)tb;
    s->count[tb]++;
    mark(s, BIN_STALL_LAST, s->count[tb] == s->warps);
}

static void wake(state *s, wr_vt_status_table_in *in, uint32_t tb)
{
    in->wake = true;
    in->wake_tb = (uint8_t)tb;
    mark(s, BIN_WAKE_STALLED, s->active[tb] && s->count[tb] == s->warps);
    mark(s, BIN_WAKE_ACTIVE, s->active[tb]);
    s->count[tb]--;
    mark(s, BIN_WAKE_READY, !s->active[tb] && s->count[tb] == 0);
}

static void take(state *s, wr_vt_status_table_in *in, const wr_vt_status_table_out *last,
                 uint32_t out_bar, uint32_t in_bar)
{
    const uint32_t most = s->warps;
    in->take = true;
    in->out_bar = (uint8_t)out_bar;
    in->in_bar = (uint8_t)in_bar;
    s->active[last->swap_out] = false;
    s->count[last->swap_out] = most - (out_bar < most ? out_bar : most);
    s->active[last->swap_in] = true;
    s->count[last->swap_in] = in_bar < most ? in_bar : most;
    mark(s, BIN_TAKE, true);
    mark(s, BIN_TAKE_READY, out_bar >= most);
}

/* A swap, and in its cycle an event that the TB cannot have which leaves, or which comes: it is
 * there, or inactive, or all of its warps wait, or none does. */
static void take_wrongly(state *s, wr_vt_status_table_in *in, const wr_vt_status_table_out *last,
                         fault_kind fault)
{
    const uint8_t tb = fault < FAULT_IN_LAUNCH ? last->swap_out : last->swap_in;
    uint32_t out_bar = wr_rng_below(&s->rng, s->warps + 1);
    uint32_t in_bar = wr_rng_below(&s->rng, s->warps + 1);
    const uint32_t all =
        s->faults.round % 2 == 0 ? s->warps : 63; /* one fault, or one behind one */
    if (fault == FAULT_OUT_LAUNCH || fault == FAULT_IN_LAUNCH) {
        in->launch = true;
        in->launch_tb = tb;
        in->launch_active = wr_rng_chance(&s->rng, 50);
    } else if (fault == FAULT_OUT_FINISH) {
        in->finish = true;
        in->finish_tb = tb;
    } else if (fault == FAULT_OUT_STALL || fault == FAULT_IN_STALL) {
        in->stall = true;
        in->stall_tb = tb;
        in_bar = fault == FAULT_IN_STALL ? all : in_bar;
    } else {
        in->wake = true;
        in->wake_tb = tb;
        out_bar = fault == FAULT_OUT_WAKE ? all : out_bar;
        in_bar = fault == FAULT_IN_WAKE ? 0 : in_bar;
    }
    take(s, in, last, out_bar, in_bar);
}

/* A TB from a random place on that is (in)active and has a count from low to high; or NO_TB. */
static uint32_t find_tb(state *s, bool used, bool active, uint32_t low, uint32_t high)
{
    const uint32_t start =
        wr_rng_chance(&s->rng, 60) ? s->focus : wr_rng_below(&s->rng, s->cfg.tbs);
    for (uint32_t i = 0; i < s->cfg.tbs; i++) {
        const uint32_t tb = (start + i) % s->cfg.tbs;
        if (s->used[tb] == used &&
            (!used || (s->active[tb] == active && s->count[tb] >= low && s->count[tb] <= high))) {
            return tb;
        }
    }
    return NO_TB;
}

static void directed(state *s, wr_vt_status_table_in *in, const wr_vt_status_table_out *last)
{
    const uint32_t walk = 12; /* first step behind the take */
    switch (s->step) {
    case 0:
        new_kernel(s, in, 2, FAULT_NONE);
        break;
    case 1:
        launch(s, in, 1, true);
        break;
    case 2:
        launch(s, in, 0, false);
        in->map_write = true;
        in->map_slot = 0;
        in->map_vwi = 2;
        break;
    case 3:
        in->map_write = true;
        in->map_slot = (uint8_t)(s->cfg.slots - 1);
        in->map_vwi = 3;
        stall(s, in, 1);
        break;
    case 5:
        stall(s, in, 1);
        break;
    case 8:
        if (last->swap_valid) {
            take(s, in, last, 1, 0);
        }
        break;
    case 10:
        wake(s, in, 1);
        break;
    default:
        in->look_slot = (uint8_t)(s->step % 2 == 0 ? 0 : s->cfg.slots - 1);
        break;
    }
    in->look_tb = s->step % 2;
    s->step++;
    if (s->step == walk + s->cfg.slots) {
        s->step = UINT32_MAX;
    }
}

static void random_counts(state *s, wr_vt_status_table_in *in, const wr_vt_status_table_out *last)
{
    wr_rng *r = &s->rng;
    const uint32_t most = s->warps;
    if (wr_rng_chance(r, 3)) { /* both on one TB: nothing happens, also at the ends */
        const uint32_t tb = find_tb(s, true, true, 0, most);
        if (tb != NO_TB) {
            in->stall = true;
            in->wake = true;
            in->stall_tb = (uint8_t)tb;
            in->wake_tb = (uint8_t)tb;
            mark(s, BIN_CANCEL_FULL, s->count[tb] == most);
            mark(s, BIN_CANCEL_EMPTY, s->count[tb] == 0);
            return;
        }
    }
    if (wr_rng_chance(r, s->stall_percent)) {
        const uint32_t tb = find_tb(s, true, true, 0, most - 1);
        if (tb != NO_TB) {
            stall(s, in, tb);
            mark(s, BIN_TAKE_STALL, in->take && tb == last->swap_in);
        }
    }
    if (wr_rng_chance(r, s->wake_percent)) {
        const bool out = in->take && wr_rng_chance(r, 50) && s->count[last->swap_out] > 0;
        const uint32_t tb = out ? last->swap_out : find_tb(s, true, wr_rng_chance(r, 40), 1, most);
        if (tb != NO_TB && !(in->stall && in->stall_tb == tb)) {
            wake(s, in, tb);
            mark(s, BIN_TAKE_WAKE, out);
        }
    }
    mark(s, BIN_BOTH, in->stall && in->wake);
}

static void random_places(state *s, wr_vt_status_table_in *in)
{
    wr_rng *r = &s->rng;
    if (wr_rng_chance(r, 2)) {
        const uint32_t tb = find_tb(s, true, true, 0, s->warps);
        if (tb != NO_TB) {
            finish(s, in, tb);
        }
    }
    if (wr_rng_chance(r, 10)) {
        const bool again = in->finish && wr_rng_chance(r, 50);
        const uint32_t tb = again ? in->finish_tb : find_tb(s, false, false, 0, 0);
        if (tb != NO_TB && (tb + 1) * s->warps <= 128) {
            launch(s, in, tb, wr_rng_chance(r, 60));
        }
    }
}

/* A TB of which the event of this kind is a fault; NO_TB: there is none. */
static uint32_t culprit(state *s, uint32_t fault)
{
    wr_rng *r = &s->rng;
    const uint32_t tbs = s->cfg.tbs;
    const uint32_t first = 128 / s->warps; /* whose warps have no numbers left */
    switch (fault) {
    case FAULT_LAUNCH_TAKEN:
        return find_tb(s, true, wr_rng_chance(r, 50), 0, 32);
    case FAULT_LAUNCH_WARPS:
        return first < tbs ? first + wr_rng_below(r, tbs - first) : NO_TB;
    case FAULT_FINISH_FREE:
    case FAULT_STALL_FREE:
    case FAULT_WAKE_FREE:
        return find_tb(s, false, false, 0, 0);
    case FAULT_FINISH_INACTIVE:
    case FAULT_STALL_INACTIVE:
        return find_tb(s, true, false, 0, 32);
    case FAULT_STALL_WAKE:
        return find_tb(s, true, false, 1, 32);
    case FAULT_STALL_FULL:
        return find_tb(s, true, true, s->warps, s->warps);
    case FAULT_WAKE_ZERO:
        return find_tb(s, true, wr_rng_chance(r, 50), 0, 0);
    default: /* past the last */
        return tbs < TBS ? tbs + wr_rng_below(r, TBS - tbs) : NO_TB;
    }
}

static void disturb(state *s, uint32_t fault, wr_vt_status_table_in *in,
                    const wr_vt_status_table_out *last)
{
    /* Alone, so that no event of the same cycle makes it good. */
    const bool alone = !in->launch && !in->finish && !in->stall && !in->wake && !in->take;
    const uint32_t tb = fault >= FAULT_LAUNCH_TAKEN && fault <= FAULT_WAKE_ZERO && alone
                            ? culprit(s, fault)
                            : NO_TB;
    const bool there = tb != NO_TB;
    switch (fault) {
    case FAULT_LAUNCH_TAKEN:
    case FAULT_LAUNCH_PAST:
    case FAULT_LAUNCH_WARPS:
        in->launch = in->launch || there;
        in->launch_tb = there ? (uint8_t)tb : in->launch_tb;
        break;
    case FAULT_FINISH_FREE:
    case FAULT_FINISH_INACTIVE:
    case FAULT_FINISH_PAST:
        in->finish = in->finish || there;
        in->finish_tb = there ? (uint8_t)tb : in->finish_tb;
        break;
    case FAULT_STALL_FREE:
    case FAULT_STALL_INACTIVE:
    case FAULT_STALL_PAST:
    case FAULT_STALL_FULL:
    case FAULT_STALL_WAKE:
        in->stall = in->stall || there;
        in->stall_tb = there ? (uint8_t)tb : in->stall_tb;
        in->wake = in->wake || (there && fault == FAULT_STALL_WAKE);
        in->wake_tb = there && fault == FAULT_STALL_WAKE ? (uint8_t)tb : in->wake_tb;
        break;
    case FAULT_WAKE_FREE:
    case FAULT_WAKE_PAST:
    case FAULT_WAKE_ZERO:
        in->wake = in->wake || there;
        in->wake_tb = there ? (uint8_t)tb : in->wake_tb;
        break;
    case FAULT_TAKE:
        in->take = in->take || last->busy;
        break;
    case FAULT_MAP:
        in->map_write = true;
        in->map_slot = 63;
        break;
    default:
        break;
    }
}

static void random_cycle(state *s, wr_vt_status_table_in *in, const wr_vt_status_table_out *last)
{
    wr_rng *r = &s->rng;
    wr_faults_step(&s->faults);
    const uint32_t fault = wr_faults_pick(&s->faults, last->fault, 10, r);
    in->map_write = wr_rng_chance(r, 15);
    in->map_slot = (uint8_t)wr_rng_below(r, s->cfg.slots);
    in->map_vwi = (uint8_t)wr_rng_below(r, 128);
    if (s->mood == 0) {
        static const uint32_t percents[] = {0, 10, 40, 90};
        s->mood = 30 + wr_rng_below(r, 100);
        s->stall_percent = percents[wr_rng_below(r, 4)];
        s->wake_percent = percents[wr_rng_below(r, 4)];
        s->focus = wr_rng_below(r, s->cfg.tbs);
    }
    s->mood--;
    if (s->epoch == 0 || (last->busy && wr_rng_chance(r, 1))) {
        static const uint32_t sizes[] = {1, 32, 2, 3, 4, 8, 1, 2};
        const uint32_t pick_size = wr_rng_below(r, 12);
        s->epoch = 200 + wr_rng_below(r, 1500);
        new_kernel(s, in, pick_size < 8 ? sizes[pick_size] : 1 + wr_rng_below(r, 32),
                   s->faults.first == FAULT_CFG_0 || s->faults.first == FAULT_CFG_ABOVE
                       ? s->faults.quiet > 0 ? FAULT_NONE : s->faults.first
                       : fault);
        return;
    }
    s->epoch--;
    if (last->swap_valid && s->quiet && fault >= FAULT_OUT_LAUNCH) {
        take_wrongly(s, in, last, (fault_kind)fault);
        return;
    }
    if (last->swap_valid && s->quiet && wr_rng_chance(r, 60)) {
        const uint32_t out_bar = wr_rng_below(r, s->warps + 1);
        const uint32_t in_bar = wr_rng_below(r, s->warps + 1);
        const uint32_t above = wr_rng_chance(r, 50) ? 63 : s->warps + 1;
        const bool wrong = fault == FAULT_BAR_OUT || fault == FAULT_BAR_IN;
        const bool both = wrong && s->faults.round % 2 == 1;
        take(s, in, last, fault == FAULT_BAR_OUT || both ? above : out_bar,
             fault == FAULT_BAR_IN || both ? above : in_bar);
    } else if (last->swap_valid && wr_rng_chance(r, 50)) {
        return; /* a quiet cycle */
    }
    random_counts(s, in, last);
    random_places(s, in);
    disturb(s, fault, in, last);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_vt_status_table_out *last = last_out;
    wr_vt_status_table_in *in = in_;

    s->marks = 0;
    if (s->step != UINT32_MAX) {
        directed(s, in, last);
    } else {
        random_cycle(s, in, last);
        in->look_slot = (uint8_t)wr_rng_below(&s->rng, 64);
        in->look_tb = (uint8_t)wr_rng_below(&s->rng, 32);
    }
    mark(s, BIN_CFG_BUSY, in->cfg && last->busy);
    mark(s, BIN_BUSY_EVENT, last->busy && (in->stall || in->wake));
    mark(s, BIN_BUSY_WRITE, last->busy && in->map_write);
    s->quiet = !(in->cfg || in->launch || in->finish || in->stall || in->wake || in->take);
    s->before = *in;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_vt_status_table_in *in = in_;
    const wr_vt_status_table_out *out = out_;
    bool full = true;
    for (uint32_t b = 0; b < BIN_COUNT; b++) {
        hits[b] += (s->marks >> b) & 1;
    }
    for (uint32_t t = 0; t < s->cfg.tbs; t++) {
        full = full && s->used[t];
    }
    hits[BIN_FULL_TABLE] += full;
    hits[BIN_PROPOSED] += out->swap_valid && !in->take;
    hits[BIN_OUT_WRAPS] += out->swap_valid && in->take && out->swap_out + 1u == s->cfg.tbs;
    hits[BIN_IN_WRAPS] += out->swap_valid && in->take && out->swap_in + 1u == s->cfg.tbs;
    hits[BIN_CFG] += in->cfg;
    hits[BIN_ONE_WARP] += in->take && s->warps == 1;
    hits[BIN_MOST_WARPS] += in->take && s->warps == 32;
    hits[BIN_LOOK_FREE] += out->look_count == 63 && in->look_tb < s->cfg.tbs;
    hits[BIN_LOOK_VWI] += out->look_vwi > 63;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

extern const wr_stim wr_vt_status_table_stim;
const wr_stim wr_vt_status_table_stim = {
    .block = "vt_status_table",
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
