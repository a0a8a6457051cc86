/* SPDX-License-Identifier: Apache-2.0 */
/* Which SM runs how many CTAs of whom, and when that is looked at anew.
 *
 *   FREE       one kernel is in flight: no limits
 *   SAMPLING   a kernel is new: each has a group of SMs, of which the j-th of g holds j / g of the
 *              CTAs that an SM of its own would, rounded up; behind the warm-up, which begins anew
 *              while other TBs are there, the counts of one window are the samples
 *   SHARED     the combination holds on all SMs; the costs of requests are of the last window
 *
 * The groups are this project's: Lin-D ends before 4.5.4.
 *
 * A launch that ends is followed by the next of its stream most often, so that its kernel counts as
 * in flight for a while.
 */
#include "systems/ccbp/state.h"

#include <string.h>

enum { GONE = 100 /* cycles without a launch after which a kernel is */ };

static uint32_t number(uint32_t kernels)
{
    return (uint32_t)__builtin_popcount(kernels);
}

uint32_t wr_ccbp_in_flight(const wr_ccbp *p)
{
    uint32_t kernels = 0;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        kernels |= p->kernel[k].in_flight ? 1u << k : 0;
    }
    return kernels;
}

/* First cycle in which one of these kernels, which has no launch, is gone; UINT64_MAX: none. */
static uint64_t gone_at(const wr_ccbp *p)
{
    uint64_t at = UINT64_MAX;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const wr_ccbp_kernel *own = &p->kernel[k];

        if (wr_ccbp_has(p->decided, k) && !own->in_flight && own->ended_at + GONE < at) {
            at = own->ended_at + GONE;
        }
    }
    return p->phase == WR_CCBP_FREE ? UINT64_MAX : at;
}

/* The kernel that has this SM to itself, since it gets no CTA beside the others; else NONE. */
static uint32_t owner_of(const wr_ccbp *p, uint32_t sm)
{
    const uint32_t k = wr_ccbp_nth(p->decided, (sm + p->turn) % number(p->decided));

    return k != WR_CCBP_NONE && p->kernel[k].ctas == 0 ? k : WR_CCBP_NONE;
}

/* CTAs of the kernel that the SM may hold. */
static uint32_t most_of(const wr_ccbp *p, uint32_t sm, uint32_t k)
{
    const wr_ccbp_kernel *own = &p->kernel[k];
    uint32_t owner;

    switch (p->phase) {
    case WR_CCBP_SAMPLING:
        return p->group[sm] == k ? p->group_ctas[sm] : 0;
    case WR_CCBP_SHARED:
        owner = owner_of(p, sm);
        return owner == WR_CCBP_NONE ? own->ctas : owner == k ? own->alone : 0;
    default:
        return UINT32_MAX;
    }
}

void wr_ccbp_close_full(wr_ccbp *p, wr_sm *sm)
{
    /* What comes to a kernel that was alone waits for `begin`, so that groups are of whole SMs. */
    const bool waits = p->stale && p->phase == WR_CCBP_FREE && !wr_ccbp_logic_works(p) &&
                       number(wr_ccbp_in_flight(p)) > 1;
    uint32_t closed = 0;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const uint32_t bit = 1u << p->kernel[k].stream;

        if (p->kernel[k].in_flight &&
            (waits || wr_sm_tb_count(sm, bit) >= most_of(p, wr_sm_id(sm), k))) {
            closed |= bit;
        }
    }
    wr_sm_close(sm, p->owner, closed);
}

static void close_all(wr_ccbp *p)
{
    for (uint32_t i = 0; i < p->sm_count; i++) {
        wr_ccbp_close_full(p, wr_gpu_sm(p->gpu, i));
    }
}

/* Groups of SMs, one for each kernel, in the order of their numbers. */
static void part(wr_ccbp *p)
{
    const uint32_t kernels = number(p->decided);
    uint32_t begin = 0;
    uint32_t n = 0;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        if (!wr_ccbp_has(p->decided, k)) {
            continue;
        }
        const uint32_t end = ++n * p->sm_count / kernels;
        const uint32_t size = end - begin;

        for (uint32_t j = 1; begin < end; begin++, j++) {
            p->group[begin] = (uint8_t)k;
            p->group_ctas[begin] = (uint8_t)((j * p->kernel[k].alone + size - 1) / size);
        }
    }
}

static uint64_t issued(const wr_ccbp *p, uint32_t sm)
{
    return wr_meter_issued(wr_gpu_sm(p->gpu, sm), p->kernel[p->group[sm]].stream);
}

/* What SMs and banks have counted since the last time, and they begin anew. */
static void take_counts(wr_ccbp *p, uint64_t now)
{
    for (uint32_t i = 0; p->has_logic && i < p->sm_count; i++) {
        wr_ccbp_station_take(p, i, now, &p->logic.sm[i]);
    }
    for (uint32_t i = 0; p->has_logic && i < p->bank_count; i++) {
        wr_ccbp_counts_take(p, i, &p->logic.bank[i]);
    }
}

/* They are not of a window: counters may have stood at their most. */
static void drop_counts(wr_ccbp *p, uint64_t now)
{
    take_counts(p, now);
    memset(p->logic.sm, 0, sizeof p->logic.sm);
    memset(p->logic.bank, 0, sizeof p->logic.bank);
}

/* TBs of before the sampling have run to their ends. */
static bool is_clear(const wr_ccbp *p)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < p->sm_count; i++) {
        const uint32_t own = 1u << p->kernel[p->group[i]].stream;

        others += wr_sm_tb_count(wr_gpu_sm(p->gpu, i), WR_ALL_STREAMS & ~own);
    }
    return others == 0;
}

/* The warm-up is over: what is counted from here on is the sample. */
static void begin_window(wr_ccbp *p, uint64_t now)
{
    if (!is_clear(p)) {
        p->next_end = now + p->warm_up;
        return;
    }

    for (uint32_t i = 0; i < p->sm_count; i++) {
        p->issued_at[i] = issued(p, i);
    }
    drop_counts(p, now);
    p->is_warm = true;
    p->next_end = now + WR_CCBP_WINDOW;
}

/* The SM's window is over: it is a sample of its kernel; of several with as many CTAs the last. */
static void sample_sm(wr_ccbp *p, uint32_t sm)
{
    wr_ccbp_kernel *own = &p->kernel[p->group[sm]];
    const uint32_t n = p->group_ctas[sm];

    own->is_sampled[n] = true;
    own->issued[n] = issued(p, sm) - p->issued_at[sm];
    own->loads[n] = p->logic.sm[sm].loads[p->group[sm]];
    own->stores[n] = p->logic.sm[sm].stores[p->group[sm]];
}

static void end_window(wr_ccbp *p, uint64_t now)
{
    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        wr_ccbp_kernel *own = &p->kernel[k];

        if (wr_ccbp_has(p->decided, k)) {
            own->known = true;
            memset(own->is_sampled, 0, sizeof own->is_sampled);
            memset(own->issued, 0, sizeof own->issued);
        }
    }
    take_counts(p, now);
    for (uint32_t i = 0; i < p->sm_count; i++) {
        sample_sm(p, i);
    }
    p->next_end = UINT64_MAX;
}

static bool wants_samples(const wr_ccbp *p)
{
    bool unknown = false;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        unknown = unknown || (wr_ccbp_has(p->decided, k) && !p->kernel[k].known);
    }
    return p->samples && unknown && p->sm_count >= number(p->decided);
}

/* With the counts that stand in logic. */
static void decide(wr_ccbp *p, uint64_t now)
{
    if (p->has_logic) {
        wr_ccbp_logic_begin(p, true);
        return;
    }
    wr_ccbp_combine(p);
    wr_ccbp_share(p, now);
}

/* The kernels in flight are others than those that were decided for. */
static void begin(wr_ccbp *p, uint64_t now)
{
    const bool limited = p->phase == WR_CCBP_SHARED;

    p->decided = wr_ccbp_in_flight(p);
    p->since = now;
    p->next_end = UINT64_MAX;
    if (number(p->decided) < 2) {
        p->phase = WR_CCBP_FREE;
    } else if (!wants_samples(p)) {
        drop_counts(p, now);
        decide(p, now);
        return;
    } else {
        part(p);
        p->phase = WR_CCBP_SAMPLING;
        p->is_warm = false;
        p->next_end = now + p->warm_up;
        p->counts.samplings++;
    }
    close_all(p);
    wr_ccbp_limit_phase(p);
    if (limited && p->queue >= WR_CCBP_PRIORITY && p->decided != 0) {
        wr_ccbp_logic_tell(p);
    }
}

void wr_ccbp_share(wr_ccbp *p, uint64_t now)
{
    const bool was_shared = p->phase == WR_CCBP_SHARED;

    p->phase = WR_CCBP_SHARED;
    p->since = now;
    p->next_end = now + WR_CCBP_WINDOW;
    close_all(p);
    if (!was_shared) {
        wr_ccbp_limit_phase(p);
    }
}

/* A window of SHARED has ended. */
static void next_window(wr_ccbp *p, uint64_t now)
{
    p->next_end = now + WR_CCBP_WINDOW;
    p->counts.windows++;
    if (p->sm_count < number(p->decided)) {
        p->turn++;
        close_all(p);
    }
    if (p->has_logic) {
        take_counts(p, now);
        wr_ccbp_logic_begin(p, p->scheme == WR_CCBP_BY_ALGORITHM);
    }
}

void wr_ccbp_cycle(wr_ccbp *p, uint64_t now)
{
    if (wr_ccbp_logic_works(p)) {
        wr_ccbp_logic_cycle(p, now);
    } else if ((p->stale && now > p->stale_at) || now >= gone_at(p)) {
        p->stale = false;
        begin(p, now);
    } else if (now >= p->next_end && p->phase == WR_CCBP_SHARED) {
        next_window(p, now);
    } else if (now >= p->next_end && !p->is_warm) {
        begin_window(p, now);
    } else if (now >= p->next_end) {
        end_window(p, now);
        decide(p, now);
    }
}

uint64_t wr_ccbp_next(const wr_ccbp *p, uint64_t now)
{
    uint64_t at = gone_at(p);

    if (wr_ccbp_logic_works(p) || p->stale) {
        return now + 1;
    }
    at = p->next_end < at ? p->next_end : at;
    return at > now ? at : now + 1;
}
