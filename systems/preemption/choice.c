/* SPDX-License-Identifier: Apache-2.0 */
/* How a TB leaves: by the scheme, or of the three by Chimera's costs.
 *
 *   manner   latency                                    overhead, in warp instructions
 *   switch   bytes of the SM's TBs / its share of       2 x latency x IPC of the SM, its TBs' even
 *            memory bandwidth                           share each
 *   drain    instructions left x CPI of the TB          (latency of the slowest - its own) / CPI
 *   flush    0, where the TB may be flushed             what it has executed
 *
 * The least overhead of those within the constraint; where none is, the least latency. Instructions
 * left: the mean of the launch's finished TBs less its own; before one has finished, a drain takes
 * for ever. Register bytes of a switch: what is occupied.
 *
 * A TB may be flushed where its launch is idempotent (strict), or as long as it has not executed an
 * instruction that is not (relaxed); and not more than WR_PREEMPT_FLUSHES times, so that it ends
 * one day. One that the scheme would flush and that may not be is drained.
 */
#include "systems/preemption/state.h"

#include <math.h>

static bool may_flush(const wr_preemption *p, uint32_t id, uint32_t slot)
{
    const wr_preempt_unit *unit = &p->units[id];

    if (unit->who_flushes[slot] >= WR_PREEMPT_FLUSHES) {
        return false;
    }
    return wr_gpu_idempotent(p->gpu, unit->who[slot].stream) ||
           (p->options.idempotence == WR_RELAXED && !unit->who[slot].spoilt);
}

typedef struct cost {
    double latency, overhead;
} cost;

/* Cycles that the TB still needs, by what others of its launch have needed. */
static double cycles_left(const wr_preemption *p, uint32_t id, uint32_t slot, double *cpi)
{
    const wr_preempt_unit *unit = &p->units[id];
    double mean = wr_gpu_tb_instructions(p->gpu, unit->who[slot].stream);
    double done = (double)unit->who[slot].issued;
    double here = (double)(wr_gpu_cycle(p->gpu) - unit->placed_at[slot]);

    *cpi = done > 0 ? here / done : 1;
    return mean == 0 ? INFINITY : mean > done ? (mean - done) * *cpi : 0;
}

static double context_bytes(const wr_tb_info *tb)
{
    return (double)tb->warps * tb->regs * WR_CTX_REGISTER + tb->shared_bytes;
}

/* Of the SM's TBs: what their contexts take in bytes, and the cycles of the slowest to its end. */
static void weigh_sm(const wr_preemption *p, uint32_t id, double *bytes, double *slowest,
                     double *ipc, uint32_t *count)
{
    const wr_preempt_unit *unit = &p->units[id];

    for (uint32_t t = 0; t < p->tbs_per_sm; t++) {
        if (unit->who[t].valid) {
            double cpi;
            double left = cycles_left(p, id, t, &cpi);

            *slowest = isfinite(left) && left > *slowest ? left : *slowest;
            *bytes += context_bytes(&unit->who[t]);
            *ipc += cpi > 0 ? 1 / cpi : 0;
            ++*count;
        }
    }
}

static wr_leave cheapest(const wr_preemption *p, uint32_t id, uint32_t slot)
{
    double bytes = 0;
    double slowest = 0;
    double ipc = 0;
    double cpi;
    uint32_t count = 0;

    weigh_sm(p, id, &bytes, &slowest, &ipc, &count);
    double latency = bytes / p->sm_bytes_per_cycle;
    double left = cycles_left(p, id, slot, &cpi);
    cost of[WR_LEAVES] = {
        [WR_LEAVE_SWITCH] = {latency, 2 * latency * ipc / count},
        [WR_LEAVE_DRAIN] = {left, isfinite(left) ? (slowest - left) / cpi : INFINITY},
        [WR_LEAVE_FLUSH] = {INFINITY, INFINITY},
    };
    wr_leave best = WR_LEAVE_SWITCH;

    if (may_flush(p, id, slot)) {
        of[WR_LEAVE_FLUSH] = (cost){0, (double)p->units[id].who[slot].issued};
    }
    for (wr_leave how = 0; how < WR_LEAVES; how++) {
        bool in_time = of[how].latency <= (double)p->options.constraint;
        bool best_in_time = of[best].latency <= (double)p->options.constraint;
        bool better = in_time == best_in_time && (in_time ? of[how].overhead < of[best].overhead
                                                          : of[how].latency < of[best].latency);

        best = (in_time && !best_in_time) || better ? how : best;
    }
    return best;
}

wr_leave wr_preempt_choose(const wr_preemption *p, uint32_t id, uint32_t slot)
{
    switch (p->options.scheme) {
    case WR_SCHEME_SWITCH:
        return WR_LEAVE_SWITCH;
    case WR_SCHEME_DRAIN:
        return WR_LEAVE_DRAIN;
    case WR_SCHEME_FLUSH:
        return may_flush(p, id, slot) ? WR_LEAVE_FLUSH : WR_LEAVE_DRAIN;
    default:
        return cheapest(p, id, slot);
    }
}
