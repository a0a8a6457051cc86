/* SPDX-License-Identifier: Apache-2.0 */
/* Issue slots by quotas (SMK 5.4): the block warp_quota of an SM says which kernels each of its
 * warp schedulers may issue from.
 *
 * The block is clocked in cycles in which its schedulers issue, or in which it is at work; the
 * cycles between are made up for in one step. It sees each cycle in which a scheduler issues, and
 * for whom: two instructions of one warp in a cycle are one, since the quotas are of issue cycles
 * ("x% of the cycles are used to issue instructions").
 *
 * What a kernel issues alone, x, is what the block of the SM that it has to itself counted in an
 * epoch, the last one in which nobody else was there, no TB left, and it had one; T is how many it
 * had, in the mean, so that a kernel with few TBs left, or between two launches, is not taken for
 * one that issues little. All epochs end together. Until x of all kernels in flight is known, T is
 * what an SM of its own holds, and quotas go by TBs. S is the TBs of the SM's partition, else those
 * that are there: so a TB that is to leave gets to its preemption point. Quotas are calculated anew
 * when one of these changes; a scheduler takes them up when what is left to all kernels is used up,
 * or the epoch ends.
 */
#include "systems/smk/state.h"

#include <stdio.h>
#include <string.h>

bool wr_smk_quota_open(wr_smk *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_warp_quota_cfg cfg = {
        .kernels = WR_SMK_KERNELS, .schedulers = p->schedulers, .epoch = WR_SMK_EPOCH};

    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_smk_sm *here = &p->sm[id];
        char name[16];

        here->quota_open = wr_warp_quota_port_open_behind(&here->quota, wr_bay_behind(setup->bay),
                                                          &cfg, err, err_size);
        if (!here->quota_open) {
            return false;
        }
        wr_warp_quota_port_reset(&here->quota);
        (void)snprintf(name, sizeof name, "quota%u", id);
        here->quota_unit = wr_bay_add_unit(p->bay, name, WR_BAY_FREE);
        wr_bay_add_port(p->bay, here->quota_unit, &here->quota.port, &here->quota_out);
    }
    return true;
}

void wr_smk_quota_close(wr_smk *p)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        if (p->sm[id].quota_open) {
            wr_warp_quota_port_close(&p->sm[id].quota);
        }
    }
}

/* Inside the SM's cycle: nothing but this SM's own. */
void wr_smk_quota_issued(wr_smk *p, wr_sm *sm, uint32_t warp)
{
    wr_smk_sm *here = &p->sm[wr_sm_id(sm)];
    uint32_t scheduler = p->scheduler_of[warp];

    if (!here->is_watched) {
        return;
    }
    if (p->spare && (here->quota_out.allow[scheduler] >> here->kernel_of_warp[warp] & 1) == 0) {
        return; /* the slot is of no quota */
    }
    here->quota_in.issue[scheduler] = true;
    here->quota_in.issue_kernel[scheduler] = here->kernel_of_warp[warp];
    here->has_issued = true;
}

uint64_t wr_smk_quota_first(const wr_smk *p, const wr_sm *sm, uint32_t scheduler,
                            uint64_t candidates)
{
    const wr_smk_sm *here = &p->sm[wr_sm_id(sm)];
    uint64_t first = 0;

    for (uint64_t left = here->is_watched ? candidates : 0; left != 0; left &= left - 1) {
        const uint32_t kernel = here->kernel_of_warp[__builtin_ctzll(left)];

        first |= (here->quota_out.allow[scheduler] >> kernel & 1) != 0 ? left & -left : 0;
    }
    return first != 0 ? first : candidates;
}

void wr_smk_quota_changed(wr_smk *p, uint32_t sm)
{
    if (p->quotas) {
        p->sm[sm].is_stale = true;
        p->look_quota = true;
    }
}

static bool all_known(const wr_smk *p)
{
    bool known = true;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        known = known && (!p->kernel[k].in_flight || p->kernel[k].profiled != 0);
    }
    return known;
}

static uint16_t value_of(const wr_smk *p, uint32_t sm, uint32_t what, uint32_t kernel)
{
    const wr_smk_sm *here = &p->sm[sm];
    const bool known = all_known(p);

    switch (what) {
    case WR_WARP_QUOTA_ALONE:
        return known ? p->kernel[kernel].issues : 0;
    case WR_WARP_QUOTA_RESIDENT:
        return (uint16_t)((here->parted >> kernel & 1u) != 0
                              ? here->range[kernel].tbs
                              : here->held[kernel] + here->leaving[kernel]);
    default:
        return known ? p->kernel[kernel].profiled : (uint16_t)p->kernel[kernel].alone;
    }
}

/* Kernels with a TB on the SM that issues: one that is to leave does up to its preemption point,
 * unless it stands at once. */
static uint8_t residents(const wr_smk *p, uint32_t sm)
{
    uint64_t leaving = p->queue.kind == WR_CONTEXT_ALL ? wr_tb_queue_leaving(&p->queue, sm) : 0;
    uint32_t kernels = 0;

    for (uint32_t t = 0; t < WR_CONFIG_MAX_TBS; t++) {
        const wr_smk_tb *tb = &p->sm[sm].tb[t];

        kernels |= tb->there && (leaving >> t & 1u) == 0 ? 1u << tb->kernel : 0u;
    }
    return (uint8_t)kernels;
}

static void run_block(wr_smk *p, uint32_t sm, uint64_t cycles)
{
    wr_smk_sm *here = &p->sm[sm];
    wr_warp_quota_in *in = &here->quota_in;

    if (cycles == 0) {
        return;
    }
    (void)wr_bay_begin(p->bay, here->quota_unit, here->quota_cycles);
    if (cycles == 1) {
        wr_warp_quota_port_eval(&here->quota, in, &here->quota_out);
        wr_warp_quota_port_tick(&here->quota, in);
    } else {
        wr_warp_quota_port_skip(&here->quota, in, cycles);
    }
    (void)wr_bay_end(p->bay, here->quota_unit);
    here->quota_cycles += cycles;
}

/* The next value that the block does not have yet, into its pins; without any, a calculation. */
static void write_next(wr_smk *p, uint32_t sm)
{
    wr_smk_sm *here = &p->sm[sm];
    wr_warp_quota_in *in = &here->quota_in;
    uint32_t kernels = wr_smk_in_flight(p);

    in->we = in->calc = false;
    if (here->quota_out.busy || !here->is_watched) {
        return;
    }
    for (uint32_t i = 0; i < 3 * WR_SMK_KERNELS; i++) {
        uint32_t what = i / WR_SMK_KERNELS;
        uint32_t k = i % WR_SMK_KERNELS;
        uint16_t value = (kernels >> k & 1u) != 0     ? value_of(p, sm, what, k)
                         : what == WR_WARP_QUOTA_MOST ? 1
                                                      : 0;

        if (here->has[what][k] != value) {
            here->has[what][k] = value;
            here->wants_calc = true;
            in->we = true;
            in->what = (uint8_t)what;
            in->kernel = (uint8_t)k;
            in->value = value;
            return;
        }
    }
    here->is_stale = false;
    in->calc = here->wants_calc;
    p->counts.quotas += here->wants_calc;
    here->wants_calc = false;
}

/* Schedulers let go what the block allows. */
static void allow(wr_smk *p, uint32_t id)
{
    wr_smk_sm *here = &p->sm[id];

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        uint32_t held = 0;

        if (!p->kernel[k].in_flight) {
            continue;
        }
        for (uint32_t s = 0; s < p->schedulers; s++) {
            uint32_t allowed = here->quota_out.allow[s];

            held |= (allowed >> k & 1u) == 0 ? 1u << s : 0u;
        }
        wr_sm_hold_stream(wr_gpu_sm(p->gpu, id), p->owner, p->kernel[k].stream, held);
    }
}

static bool refills(const wr_smk_sm *here)
{
    bool any = false;

    for (uint32_t s = 0; s < 4; s++) {
        any = any || here->quota_out.refill[s];
    }
    return any;
}

/* Up to and with cycle `now`. */
static void cycle(wr_smk *p, uint32_t id, uint64_t now)
{
    wr_smk_sm *here = &p->sm[id];
    wr_warp_quota_in *in = &here->quota_in;
    bool issue[4];
    char text[512];

    memcpy(issue, in->issue, sizeof issue);
    memset(in->issue, 0, sizeof in->issue);
    run_block(p, id, now - here->quota_cycles); /* with what stood before */
    memcpy(in->issue, issue, sizeof issue);
    in->resident = residents(p, id);
    write_next(p, id);
    run_block(p, id, 1);
    memset(in->issue, 0, sizeof in->issue);
    in->we = in->calc = false;
    here->has_issued = false;
    wr_warp_quota_port_eval(&here->quota, in, &here->quota_out); /* of the next cycle */
    if (wr_bay_check(p->bay, here->quota_unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, here->quota_unit, text));
        return;
    }
    if (!p->spare) {
        allow(p, id);
    }
    here->at_work = refills(here) || here->quota_out.busy || here->is_stale || here->wants_calc;
}

/* The last cycle of the epoch that this cycle is in. */
static uint64_t epoch_end(uint64_t now)
{
    return now / WR_SMK_EPOCH * WR_SMK_EPOCH + WR_SMK_EPOCH - 1;
}

/* What kernels have issued alone in the epoch that has just ended. */
static void profile(wr_smk *p, uint32_t id)
{
    wr_smk_sm *here = &p->sm[id];
    const uint32_t k = wr_smk_profiled(p, id);
    uint64_t own = 0;
    uint64_t others = here->away_cycles - here->away_before;

    here->away_before = here->away_cycles;
    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        const uint64_t held = here->tb_cycles[s] - here->tb_before[s];

        here->tb_before[s] = here->tb_cycles[s];
        *(k != WR_SMK_NONE && s == p->kernel[k].stream ? &own : &others) += held;
    }
    const uint16_t tbs = (uint16_t)((own + WR_SMK_EPOCH / 2) / WR_SMK_EPOCH);

    if (k == WR_SMK_NONE || tbs == 0 || others != 0) {
        return;
    }
    here->quota_in.view = (uint8_t)k;
    wr_warp_quota_port_eval(&here->quota, &here->quota_in, &here->quota_out);
    if (p->kernel[k].issues != here->quota_out.issued || p->kernel[k].profiled != tbs) {
        p->kernel[k].issues = here->quota_out.issued;
        p->kernel[k].profiled = tbs;
        for (uint32_t i = 0; i < p->sm_count; i++) {
            wr_smk_quota_changed(p, i);
        }
    }
}

/* With one kernel nothing is shared, and nothing is counted. */
static void watch(wr_smk *p)
{
    uint32_t kernels = wr_smk_in_flight(p);
    bool shared = (kernels & (kernels - 1)) != 0;

    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_smk_sm *here = &p->sm[id];

        if (here->is_watched && !shared) {
            for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
                wr_sm_hold_stream(wr_gpu_sm(p->gpu, id), p->owner, s, 0);
            }
            here->at_work = false;
        }
        here->is_watched = shared;
    }
}

void wr_smk_quota_cycle(wr_smk *p, uint64_t now)
{
    bool ends = now == epoch_end(now);

    if (!p->quotas) {
        return;
    }
    if (p->look_quota) {
        watch(p);
        p->look_quota = false;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_smk_sm *here = &p->sm[id];

        if (here->is_watched && (here->has_issued || here->at_work || here->is_stale || ends)) {
            cycle(p, id, now);
        }
    }
    if (ends) {
        wr_smk_note(p);
    }
    for (uint32_t id = 0; ends && id < p->sm_count; id++) {
        profile(p, id);
    }
}

uint64_t wr_smk_quota_next(const wr_smk *p, uint64_t now)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t id = 0; p->quotas && id < p->sm_count; id++) {
        const wr_smk_sm *here = &p->sm[id];

        if (here->is_watched && (here->at_work || here->is_stale)) {
            return now + 1;
        }
        if (here->is_watched) {
            next = epoch_end(now + 1);
        }
    }
    return p->look_quota ? now + 1 : next;
}
