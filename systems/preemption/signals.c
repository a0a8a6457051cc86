/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption signals by the clock (Lin-P V.A): every `period` cycles one goes to an SM, whose TBs
 * leave and come back to it at once (P30).
 *
 * - A signal on an SM without TBs does nothing and is counted.
 * - A signal on an SM that is busy with an earlier preemption, or less than WR_PREEMPT_GAP cycles
 *   past it, is deferred until then; of several such signals one is kept. The gap lets resumed
 * warps pass the preemption point that they stand at, so that signals without end cannot keep a
 * kernel from ever making progress.
 */
#include "systems/preemption/state.h"

#include <assert.h>

static uint64_t draw(wr_preemption *p) /* splitmix64 */
{
    uint64_t z = (p->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t distance(wr_preemption *p)
{
    uint64_t period = p->options.period;

    return p->options.random_cycles ? 1 + draw(p) % (2 * period - 1) : period;
}

static uint32_t choose_sm(wr_preemption *p)
{
    assert(p->sm_count > 0);
    switch (p->options.pick) {
    case WR_PICK_ROTATE:
        return (uint32_t)(p->signals.due % p->sm_count);
    case WR_PICK_RANDOM:
        return (uint32_t)(draw(p) % p->sm_count);
    default:
        return p->options.fixed_sm;
    }
}

/* An SM that is ready gets its signal now. */
static void raise_signal(wr_preemption *p, uint32_t id)
{
    if (wr_sm_tb_count(wr_gpu_sm(p->gpu, id), WR_ALL_STREAMS) == 0) {
        p->signals.idle++;
        return;
    }
    wr_preempt_leave(p, id, WR_ALL_TBS, true, 0);
}

void wr_preempt_signals_start(wr_preemption *p, uint64_t seed, bool has_first, uint64_t first)
{
    p->random = seed;
    p->next = p->options.period == 0 ? UINT64_MAX : has_first ? first : distance(p);
}

void wr_preempt_signals_cycle(wr_preemption *p, uint64_t now)
{
    for (uint32_t id = 0; p->waiting_count > 0 && id < p->sm_count; id++) {
        if (p->waiting[id] && wr_preempt_ready(p, id, now)) {
            p->waiting[id] = false;
            p->waiting_count--;
            raise_signal(p, id);
        }
    }
    while (p->next <= now) {
        uint32_t id = choose_sm(p);

        if (p->waiting[id]) {
            p->signals.merged++;
        } else if (wr_preempt_ready(p, id, now)) {
            raise_signal(p, id);
        } else {
            p->signals.deferred++;
            p->waiting[id] = true;
            p->waiting_count++;
        }
        p->signals.due++;
        p->next += distance(p);
        if (p->options.count != 0 && p->signals.due == p->options.count) {
            p->next = UINT64_MAX;
        }
    }
}

uint64_t wr_preempt_signals_next(const wr_preemption *p)
{
    uint64_t next = p->next;

    for (uint32_t id = 0; p->waiting_count > 0 && id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];

        if (p->waiting[id] && !unit->leaving && !unit->returning && unit->ready_at < next) {
            next = unit->ready_at;
        }
    }
    return next;
}
