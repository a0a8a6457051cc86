/* Words for a run that can't go on: which TB and what its warps wait for. */
#include "shell/core/state.h"

#include <stdio.h>

static unsigned count(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

void wr_describe_deadlock(const wr_gpu *gpu, char *message, size_t size)
{
    const char *name = gpu->program.kernel->name;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        const wr_sm *sm = &gpu->sms[i];
        if (sm->tb_valid == 0) {
            continue;
        }
        const wr_tb *tb = &sm->tbs[__builtin_ctzll(sm->tb_valid)];
        uint64_t live = tb->live;
        uint32_t warp = (uint32_t)__builtin_ctzll(live);
        uint32_t pc = sm->depth[warp] != 0 ? sm->stack[warp][sm->depth[warp] - 1].pc : 0;
        snprintf(
            message, size,
            "deadlock in kernel %s at cycle %llu: SM %u, block (%u,%u,%u): of %u warps %u wait "
            "at a barrier, %u are stopped for preemption, %u wait for stores; warp %u is at pc "
            "0x%x; look for a barrier that not all threads reach",
            name, (unsigned long long)gpu->cycle, i, tb->ctaid[0], tb->ctaid[1], tb->ctaid[2],
            count(live), count(live & sm->barrier), count(live & sm->stopped),
            count(live & sm->membar), warp - tb->warp_base, pc);
        return;
    }
    snprintf(message, size,
             "deadlock in kernel %s at cycle %llu: %llu of %llu blocks are done and none is on an "
             "SM; the system holds them back",
             name, (unsigned long long)gpu->cycle, (unsigned long long)gpu->tbs_done,
             (unsigned long long)gpu->program.tbs);
}
