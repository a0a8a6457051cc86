/* SPDX-License-Identifier: Apache-2.0 */
/* TBs that have left their SM and not ended: they come back, and before any new TB of their launch.
 *
 * - Those that a signal took off an SM come back to it at once, in the order of their slots, before
 *   anybody else gets its room (P30).
 * - Others come back to whatever SM has room, as soon as no launch of higher priority waits for
 *   room: of the highest priority first, then in the order in which they left.
 *
 * A door is an SM for a stream's new TBs. It is closed while a launch of higher priority waits,
 * while TBs of its own priority or a higher one wait to come back, and while the SM's engine brings
 * back TBs.
 */
#include "systems/preemption/state.h"

#include <assert.h>
#include <string.h>

void wr_preempt_add_absent(wr_preemption *p, const wr_absent *absent)
{
    assert(p->absent_count < p->absent_most);
    p->absent[p->absent_count++] = *absent;
}

void wr_preempt_remove_absent(wr_preemption *p, uint32_t at)
{
    p->absent_count--;
    memmove(&p->absent[at], &p->absent[at + 1], (p->absent_count - at) * sizeof p->absent[0]);
}

/* False: it begins anew, and does not fit now. */
static bool bring(wr_preemption *p, uint32_t id, const wr_absent *absent)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);

    if (!absent->tb.info.fresh) {
        return wr_context_engine_restore(&unit->engine, sm, &absent->tb);
    }
    uint32_t slot = wr_sm_tb_place(sm, &absent->tb.info, NULL, WR_CONTEXT_POISON);

    if (slot == UINT32_MAX) {
        return false;
    }
    unit->flushes[slot] = absent->tb.tag;
    unit->placed_at[slot] = wr_gpu_cycle(p->gpu);
    wr_sm_tb_start(sm, slot);
    return true;
}

uint32_t wr_preempt_next_home(const wr_preemption *p, uint32_t id, uint32_t from)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < p->absent_count; i++) {
        const wr_absent *a = &p->absent[i];

        if (a->home == id && a->by_signal && a->slot >= from &&
            (best == UINT32_MAX || a->slot < p->absent[best].slot)) {
            best = i;
        }
    }
    return best;
}

void wr_preempt_bring_home(wr_preemption *p, uint32_t id)
{
    uint32_t from = 0;

    if (p->options.in_place) {
        return; /* they are dealt */
    }
    for (uint32_t i = wr_preempt_next_home(p, id, 0); i != UINT32_MAX;
         i = wr_preempt_next_home(p, id, from)) {
        from = p->absent[i].slot + 1;
        if (bring(p, id, &p->absent[i])) {
            wr_preempt_remove_absent(p, i);
        } else {
            p->absent[i].home = UINT32_MAX; /* other TBs lie otherwise now */
        }
    }
}

/* The absent TB that this SM is to take next; UINT32_MAX: none may or can. */
static uint32_t next_back(const wr_preemption *p, uint32_t id)
{
    const wr_sm *sm = wr_gpu_sm(p->gpu, id);
    uint32_t best = UINT32_MAX;
    uint32_t waits = 0;

    (void)wr_preempt_waits(p, &waits);
    for (uint32_t i = 0; i < p->absent_count; i++) {
        const wr_absent *a = &p->absent[i];
        uint32_t priority = wr_preempt_priority(p, a->tb.info.stream);

        if (a->home == UINT32_MAX && priority >= waits &&
            (best == UINT32_MAX ||
             priority > wr_preempt_priority(p, p->absent[best].tb.info.stream)) &&
            wr_sm_tb_room(sm, a->tb.info.stream, 0)) {
            best = i;
        }
    }
    return best;
}

uint64_t wr_preempt_back_next(const wr_preemption *p, uint64_t now)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t id = 0; id < p->sm_count && p->absent_count != 0 && !p->options.in_place; id++) {
        uint64_t at = p->units[id].ready_at > now ? p->units[id].ready_at : now + 1;

        if (at < next && wr_preempt_ready(p, id, at) && next_back(p, id) != UINT32_MAX) {
            next = at;
        }
    }
    return next;
}

void wr_preempt_bring_back(wr_preemption *p, uint64_t now)
{
    for (uint32_t id = 0; id < p->sm_count && p->absent_count != 0 && !p->options.in_place; id++) {
        if (!wr_preempt_ready(p, id, now)) {
            continue;
        }
        uint32_t i = next_back(p, id);

        if (i != UINT32_MAX && bring(p, id, &p->absent[i])) {
            wr_preempt_remove_absent(p, i);
        }
    }
}

/* Streams with a launch below this priority, or at it. */
static uint32_t streams_below(const wr_preemption *p, uint32_t priority, bool at_it_too)
{
    uint32_t streams = 0;

    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        const wr_launch *launch = wr_gpu_launch(p->gpu, s);
        bool is_below =
            launch && (launch->priority < priority || (at_it_too && launch->priority == priority));

        streams |= is_below ? 1u << s : 0;
    }
    return streams;
}

void wr_preempt_doors(wr_preemption *p)
{
    uint32_t waits = 0;
    uint32_t closed = wr_preempt_waits(p, &waits) ? streams_below(p, waits, false) : 0;

    for (uint32_t i = 0; i < p->absent_count; i++) {
        uint32_t stream = p->absent[i].tb.info.stream;

        if (p->absent[i].home == UINT32_MAX && (closed >> stream & 1u) == 0) {
            closed |= streams_below(p, wr_preempt_priority(p, stream), true);
        }
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];
        bool all = p->options.in_place || unit->returning || (unit->leaving && unit->by_signal) ||
                   (!unit->leaving && !wr_context_engine_idle(&unit->engine));
        uint32_t here = closed;

        if (unit->leaving && !unit->by_signal) {
            here |= streams_below(p, wr_preempt_priority(p, unit->claimant), false);
        }
        wr_sm_close(wr_gpu_sm(p->gpu, id), p->owner, all ? WR_ALL_STREAMS : here);
    }
}
