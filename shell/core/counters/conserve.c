/* SPDX-License-Identifier: Apache-2.0 */
/* Do the accounts balance after a run? See counters.h. */
#include "shell/core/counters.h"
#include "shell/core/gpu/state.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct account {
    const char *what;
    uint64_t have, want;
} account;

static bool balance(uint32_t sm, const account *accounts, size_t count, char *message, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (accounts[i].have != accounts[i].want) {
            (void)snprintf(message, size, "SM %u: %s: %" PRIu64 ", expected %" PRIu64, sm,
                           accounts[i].what, accounts[i].have, accounts[i].want);
            return false;
        }
    }
    return true;
}

static bool slots_conserved(const wr_sm *sm, uint64_t cycles, char *message, size_t size)
{
    uint64_t issued = 0;
    for (uint32_t s = 0; s < sm->cfg->sm.schedulers; s++) {
        uint64_t sum = 0;
        for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
            sum += sm->slots[s][u];
        }
        issued += sm->slots[s][WR_SLOT_ISSUED];
        const account slots = {"slots of a scheduler", sum, cycles * sm->cfg->sm.issue_width};
        if (!balance(sm->id, &slots, 1, message, size)) {
            return false;
        }
    }
    uint64_t in_slots = 0;
    for (uint32_t t = 0; t < sm->cfg->sm.max_tbs; t++) {
        in_slots += sm->slot_stats[t].issued;
    }
    uint64_t loads = 0;
    uint64_t load_cycles = 0;
    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        loads += sm->loads_of[s];
        load_cycles += sm->load_cycles_of[s];
    }
    const account accounts[] = {
        {"slots that issued", issued, wr_stats_issued(&sm->stats) - sm->stats.reused},
        {"instructions by TB slot", in_slots, wr_stats_issued(&sm->stats)},
        {"loads by stream", loads, sm->load_latency.count},
        {"cycles of loads by stream", load_cycles, sm->load_latency.sum},
    };
    return balance(sm->id, accounts, sizeof accounts / sizeof accounts[0], message, size);
}

static bool sm_conserved(const wr_sm *sm, char *message, size_t size)
{
    uint64_t stores = 0;
    for (uint32_t id = 0; id < WR_WARP_IDS; id++) {
        stores += sm->stores[id];
    }
    const wr_sm_stats *s = &sm->stats;
    const account accounts[] = {
        {"instructions issued and not ended", sm->in_pipe, 0},
        {"TBs that left", s->tbs_done + s->tbs_evicted, s->tbs_started + s->tbs_restored},
        {"warps in slots", (uint64_t)__builtin_popcountll(sm->valid) + sm->resident, 0},
        {"registers held", sm->regs_used, 0},
        {"bytes of shared memory held", sm->shared_used, 0},
        {"free MSHRs of the L1", sm->l1.free_count, sm->cfg->l1.mshrs},
        {"memory operations in flight", sm->op_count, 0},
        {"stores not acknowledged", stores, 0},
        {"requests in queues", sm->lsu_count + sm->miss_count + wr_sm_ctx_pending(sm), 0},
    };
    return balance(sm->id, accounts, sizeof accounts / sizeof accounts[0], message, size);
}

bool wr_gpu_conserved(const wr_gpu *gpu, char *message, size_t size)
{
    uint64_t sent = 0;
    uint64_t got = 0;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm *sm = &gpu->sms[i];
        wr_sm_settle(sm, gpu->cycle);
        if (!sm_conserved(sm, message, size) || !slots_conserved(sm, gpu->cycle, message, size)) {
            return false;
        }
        sent += sm->stats.request_bytes;
        got += sm->stats.reply_bytes;
    }
    const wr_memsys_stats m = wr_memsys_totals(gpu->memsys, gpu->cycle);
    for (uint32_t i = 0; i < wr_cpus_count(gpu->cpus); i++) {
        sent += wr_cpus_stats(gpu->cpus, i)->request_bytes;
        got += wr_cpus_stats(gpu->cpus, i)->reply_bytes;
    }
    uint64_t cpus = wr_cpus_in_flight(gpu->cpus); /* these never come to an end */
    if (m.requests != m.replies + cpus || m.request_bytes != sent || m.reply_bytes != got) {
        (void)snprintf(message, size,
                       "interconnect: %" PRIu64 " requests, %" PRIu64 " replies; SMs sent %" PRIu64
                       " bytes, it took %" PRIu64 "; it gave %" PRIu64 ", SMs got %" PRIu64,
                       m.requests, m.replies, sent, m.request_bytes, m.reply_bytes, got);
        return false;
    }
    return cpus != 0 || wr_memsys_conserved(gpu->memsys, message, size);
}
