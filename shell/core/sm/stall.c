/* SPDX-License-Identifier: Apache-2.0 */
/* Charging of issue slots and queues; see stall.h. */
#include "shell/core/sm/stall.h"

#include "shell/core/gpu/state.h"

const wr_slot_name wr_slot_names[WR_SLOT_USES] = {
    [WR_SLOT_ISSUED] = {"issued", "an instruction issued"},
    [WR_SLOT_CURSOR] = {"cursor", "an instruction issued ahead of its warp (a system's cursor)"},
    [WR_SLOT_PAIR] = {"stall.pair", "no second instruction may go with the first (dual issue)"},
    [WR_SLOT_UNIT] = {"stall.unit", "no free operand collector in front of the unit"},
    [WR_SLOT_LSU] = {"stall.lsu_full", "the LSU's queue is full"},
    [WR_SLOT_LIMIT] = {"stall.limit", "a warp could issue, but the warp limit keeps it"},
    [WR_SLOT_HELD] = {"stall.held", "a warp could issue, but a system holds it"},
    [WR_SLOT_ARITHMETIC] = {"stall.arithmetic", "a result of arithmetic is awaited"},
    [WR_SLOT_MEMORY] = {"stall.memory", "data of the LSU are awaited"},
    [WR_SLOT_FETCH] = {"stall.fetch", "the instruction buffers are empty"},
    [WR_SLOT_MEMBAR] = {"stall.membar", "warps wait for their stores"},
    [WR_SLOT_BARRIER] = {"stall.barrier", "warps wait at a barrier"},
    [WR_SLOT_PREEMPT] = {"stall.preempt", "warps are stopped for preemption"},
    [WR_SLOT_EMPTY] = {"stall.empty", "no warp that has not finished"},
};

uint64_t wr_stall_held(const wr_sm *sm, uint32_t scheduler)
{
    uint64_t own = sm->schedule.mask[scheduler] & sm->valid & ~(sm->done | sm->stopped);
    uint64_t held = own & sm->held & ~(sm->barrier | sm->membar);
    return (held & sm->ready & sm->fetch.buffered) != 0 || held == own ? held : 0;
}

static void count_queues(wr_sm *sm, uint64_t cycles)
{
    sm->stats.lsu_occupancy += cycles * sm->lsu_count;
    sm->stats.miss_occupancy += cycles * sm->miss_count;
    sm->stats.warp_cycles += cycles * sm->resident;
}

void wr_sm_settle_slots(wr_sm *sm, uint64_t to)
{
    uint64_t cycles = to - sm->counted;
    for (uint32_t s = 0; s < sm->cfg->sm.schedulers; s++) {
        wr_stall_charge(sm, s, cycles * sm->cfg->sm.issue_width);
    }
    count_queues(sm, cycles);
    sm->counted = to;
}
