/* SPDX-License-Identifier: Apache-2.0 */
/* Views of SMs and memory; see probe.h. */
#include "shell/core/counters/probe.h"

#include "shell/core/gpu/state.h"

#include <string.h>

const char *const wr_warp_state_names[WR_WARP_STATES] = {
    [WR_WARP_EMPTY] = "empty",           [WR_WARP_READY] = "ready",
    [WR_WARP_ARITHMETIC] = "arithmetic", [WR_WARP_MEMORY] = "memory",
    [WR_WARP_FETCH] = "fetch",           [WR_WARP_MEMBAR] = "membar",
    [WR_WARP_BARRIER] = "barrier",       [WR_WARP_STOPPED] = "stopped",
    [WR_WARP_PLACED] = "placed",         [WR_WARP_DONE] = "done",
};

static wr_warp_state state_of(const wr_sm *sm, uint32_t warp)
{
    const struct {
        uint64_t warps;
        wr_warp_state state;
    } rows[] = {
        {~sm->valid, WR_WARP_EMPTY},
        {sm->done, WR_WARP_DONE},
        {sm->placed, WR_WARP_PLACED},
        {sm->stopped, WR_WARP_STOPPED},
        {sm->barrier, WR_WARP_BARRIER},
        {sm->membar, WR_WARP_MEMBAR},
        {~sm->ready & sm->awaits_memory, WR_WARP_MEMORY},
        {~sm->ready, WR_WARP_ARITHMETIC},
        {~sm->fetch.buffered, WR_WARP_FETCH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((rows[i].warps >> warp & 1) != 0) {
            return rows[i].state;
        }
    }
    return WR_WARP_READY;
}

/* The use that was charged for this cycle: issued, or else what is new beside the reason that
 * was charged for the cycles that were slept through. */
static wr_slot_use use_of(const uint64_t before[WR_SLOT_USES], const uint64_t after[WR_SLOT_USES],
                          wr_slot_use slept)
{
    for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
        if (u != slept && u != WR_SLOT_PAIR && before[u] != after[u]) {
            return (wr_slot_use)u;
        }
    }
    return slept;
}

void wr_gpu_look_warps(const wr_gpu *gpu, uint32_t sm, uint8_t warp[WR_CONFIG_MAX_WARPS])
{
    for (uint32_t w = 0; w < gpu->cfg.sm.max_warps; w++) {
        warp[w] = (uint8_t)state_of(&gpu->sms[sm], w);
    }
}

void wr_gpu_look_sm(wr_gpu *gpu, uint32_t number, wr_sm_view *view)
{
    wr_sm *sm = &gpu->sms[number];
    wr_sm_settle(sm, gpu->elapsed);
    wr_gpu_look_warps(gpu, number, view->warp);
    for (uint32_t s = 0; s < gpu->cfg.sm.schedulers; s++) {
        view->use[s] = (uint8_t)use_of(view->slots[s], sm->slots[s], (wr_slot_use)view->then[s]);
        uint64_t of;
        view->then[s] = (uint8_t)wr_stall(sm, s, &of);
        view->issued[s] = sm->schedule.last[s][sm->schedule.group[s]];
    }
    memcpy(view->slots, sm->slots, sizeof view->slots);
    view->tbs = (uint32_t)__builtin_popcountll(sm->tb_valid);
    view->lsu = sm->lsu_count;
    view->miss_queue = sm->miss_count;
    view->l1_mshrs = gpu->cfg.l1.mshrs - sm->l1.free_count;
}

wr_bank_view wr_gpu_look_bank(const wr_gpu *gpu, uint32_t number)
{
    const wr_l2_bank *bank = wr_memsys_l2(gpu->memsys, number);
    return (wr_bank_view){.requests = wr_l2_waiting(bank),
                          .mshrs = wr_l2_mshrs_in_use(bank),
                          .fetches = wr_l2_fetches_waiting(bank)};
}

wr_channel_view wr_gpu_look_channel(const wr_gpu *gpu, uint32_t number)
{
    const wr_gddr5 *dram = wr_memsys_dram(gpu->memsys, number);
    return (wr_channel_view){
        .reads = dram->count - dram->writes, .writes = dram->writes, .open = dram->open};
}
