/* SPDX-License-Identifier: Apache-2.0 */
/* Words for a run that can't go on: which TB and what its warps wait for. */
#include "shell/core/gpu/state.h"

#include <stdio.h>

static unsigned count(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

void wr_describe_deadlock(const wr_gpu *gpu, char *message, size_t size)
{
    char name[180] = "(none)";
    uint64_t now = gpu->before + gpu->cycle;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        const wr_sm *sm = &gpu->sms[i];
        if (sm->tb_valid == 0) {
            continue;
        }
        const wr_tb *tb = &sm->tbs[__builtin_ctzll(sm->tb_valid)];
        uint64_t live = tb->live;
        wr_launch_name(tb->program->launch, name, sizeof name);
        if (live == 0) {
            (void)snprintf(message, size,
                           "deadlock in kernel %s at cycle %llu: SM %u, block (%u,%u,%u): the "
                           "system keeps all %u warps that have not finished away from the SM",
                           name, (unsigned long long)now, i, tb->ctaid[0], tb->ctaid[1],
                           tb->ctaid[2], count(tb->unfinished));
            return;
        }
        uint32_t warp = (uint32_t)__builtin_ctzll(live);
        uint32_t pc = sm->depth[warp] != 0 ? sm->stack[warp][sm->depth[warp] - 1].pc : 0;
        (void)snprintf(
            message, size,
            "deadlock in kernel %s at cycle %llu: SM %u, block (%u,%u,%u): of %u warps %u wait "
            "at a barrier, %u are stopped for preemption, %u wait for stores; warp %u is at pc "
            "0x%x; look for a barrier that not all threads reach",
            name, (unsigned long long)now, i, tb->ctaid[0], tb->ctaid[1], tb->ctaid[2], count(live),
            count(live & sm->barrier), count(live & sm->stopped), count(live & sm->membar),
            sm->index_of[warp], pc);
        return;
    }
    uint64_t done = 0;
    uint64_t tbs = 0;
    if (gpu->in_flight != 0) {
        const wr_grid *oldest = &gpu->grids[gpu->order[0]];
        wr_launch_name(oldest->program.launch, name, sizeof name);
        done = oldest->tbs_done;
        tbs = oldest->program.tbs;
    }
    (void)snprintf(
        message, size,
        "deadlock in kernel %s at cycle %llu: %llu of %llu blocks are done and none is on an "
        "SM; the system holds them back",
        name, (unsigned long long)now, (unsigned long long)done, (unsigned long long)tbs);
}
