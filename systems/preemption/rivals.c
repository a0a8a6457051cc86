/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of higher priority: SMs give way to them.
 *
 * Of the launches that wait for room the one of highest priority, and of these the oldest, is the
 * claimant. While no SM has room for a TB of it, SMs that hold TBs of lower priority give way, all
 * of these TBs, until the claimant's TBs that wait have room to come: as many to an SM as would fit
 * an empty one. Which SMs: the one with the fewest TBs to leave first, then the lowest.
 *
 * A launch that preempts may itself be preempted by one of still higher priority; its TBs are then
 * absent like any other's, and the launch waits.
 */
#include "systems/preemption/state.h"

uint32_t wr_preempt_priority(const wr_preemption *p, uint32_t stream)
{
    const wr_launch *launch = wr_gpu_launch(p->gpu, stream);

    return launch ? launch->priority : 0;
}

bool wr_preempt_has_rivals(const wr_preemption *p)
{
    const wr_launch *first = NULL;

    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        const wr_launch *launch = wr_gpu_launch(p->gpu, s);

        if (launch && first && launch->priority != first->priority) {
            return true;
        }
        first = launch ? launch : first;
    }
    return false;
}

/* TBs of the stream's launch that are not on an SM and want to be: new ones, and absent ones that
 * may come to any. */
static uint64_t waiting_tbs(const wr_preemption *p, uint32_t stream)
{
    uint64_t count = wr_gpu_tbs_waiting(p->gpu, stream);

    for (uint32_t i = 0; i < p->absent_count; i++) {
        count += p->absent[i].home == UINT32_MAX && p->absent[i].tb.info.stream == stream;
    }
    return count;
}

/* Who waits with the highest priority, the oldest of them; UINT32_MAX: none does. */
static uint32_t find_claimant(const wr_preemption *p)
{
    for (uint32_t i = 0; i < wr_gpu_launches(p->gpu); i++) {
        uint32_t stream = wr_gpu_launch_stream(p->gpu, i); /* by priority, then by age */

        if (waiting_tbs(p, stream) != 0) {
            return stream;
        }
    }
    return UINT32_MAX;
}

bool wr_preempt_waits(const wr_preemption *p, uint32_t *priority)
{
    uint32_t claimant = find_claimant(p);

    *priority = claimant != UINT32_MAX ? wr_preempt_priority(p, claimant) : 0;
    return claimant != UINT32_MAX;
}

/* TB slots of the SM with TBs below a priority. */
uint64_t wr_preempt_lower_tbs(const wr_preemption *p, uint32_t id, uint32_t priority)
{
    const wr_sm *sm = wr_gpu_sm(p->gpu, id);
    uint64_t tbs = 0;

    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) {
        wr_tb_info tb = wr_sm_tb(sm, slot);

        tbs |= (uint64_t)(tb.valid && wr_preempt_priority(p, tb.stream) < priority) << slot;
    }
    return tbs;
}

/* SMs that give way to a launch of this priority or a higher one. */
static uint32_t giving_way(const wr_preemption *p, uint32_t priority)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];

        count += (unit->leaving || unit->clearing) && !unit->by_signal &&
                 wr_preempt_priority(p, unit->claimant) >= priority;
    }
    return count;
}

/* Some SM has room for a TB of the claimant already, and not for those alone who belong there. */
static bool has_room(const wr_preemption *p, uint32_t claimant)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];
        bool is_kept = unit->returning || (unit->leaving && unit->by_signal);

        if (!is_kept && !unit->full && wr_sm_tb_room(wr_gpu_sm(p->gpu, id), claimant, 0)) {
            return true;
        }
    }
    return false;
}

/* The SM that gives way next; UINT32_MAX: none is ready. */
static uint32_t choose_victim(const wr_preemption *p, uint32_t priority, uint64_t now)
{
    uint32_t best = UINT32_MAX;
    int fewest = 0;

    for (uint32_t id = 0; id < p->sm_count; id++) {
        int count = __builtin_popcountll(wr_preempt_lower_tbs(p, id, priority));

        count += wr_preempt_any_kept(p, id, priority); /* its room is wanted too */
        if (count != 0 && wr_preempt_ready(p, id, now) && (best == UINT32_MAX || count < fewest)) {
            best = id;
            fewest = count;
        }
    }
    return best;
}

void wr_preempt_rivals_cycle(wr_preemption *p, uint64_t now)
{
    uint32_t claimant = find_claimant(p);

    if (!p->has_rivals || claimant == UINT32_MAX || has_room(p, claimant)) {
        return;
    }
    uint32_t priority = wr_preempt_priority(p, claimant);
    uint32_t each =
        wr_gpu_occupancy(wr_gpu_configuration(p->gpu), wr_gpu_launch(p->gpu, claimant)).tbs;
    uint64_t wanted = (waiting_tbs(p, claimant) + each - 1) / each;

    wanted = wanted < p->options.most_sms ? wanted : p->options.most_sms;
    while (giving_way(p, priority) < wanted) {
        uint32_t id = choose_victim(p, priority, now);

        if (id == UINT32_MAX) {
            return;
        }
        wr_preempt_leave(p, id, wr_preempt_lower_tbs(p, id, priority), false, claimant);
    }
}

/* SMs that could give way are in their gap. */
uint64_t wr_preempt_rivals_next(const wr_preemption *p, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    uint32_t priority;

    if (!p->has_rivals || !wr_preempt_waits(p, &priority)) {
        return UINT64_MAX;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];

        if (unit->ready_at > now && unit->ready_at < next) {
            next = unit->ready_at;
        }
    }
    return next;
}
