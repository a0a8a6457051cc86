/* SPDX-License-Identifier: Apache-2.0 */
/* Words for a run that can't go on: which TB and what its warps wait for. */
#include "shell/core/gpu/state.h"

#include <stdarg.h>
#include <stdio.h>

#define MOST_GROUPS 6

static unsigned count(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

typedef enum waiting { AT_BARRIER, STOPPED, FOR_STORES, OTHERWISE } waiting;

static waiting waits_for(const wr_sm *sm, uint64_t bit)
{
    if ((sm->barrier & bit) != 0) {
        return AT_BARRIER;
    }
    if ((sm->stopped & bit) != 0) {
        return STOPPED;
    }
    return (sm->membar & bit) != 0 ? FOR_STORES : OTHERWISE;
}

/* Adds formatted text to a message; returns its new length. */
__attribute__((format(printf, 4, 5))) static size_t add(char *message, size_t size, size_t used,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = used < size ? vsnprintf(message + used, size - used, format, args) : 0;
    va_end(args);
    return used + (n > 0 ? (size_t)n : 0);
}

/* Which warps of the TB wait where and for what; those at one instruction are told together. */
static size_t describe_warps(const wr_sm *sm, const wr_tb *tb, char *message, size_t size,
                             size_t used)
{
    static const char *const texts[][2] = {
        [AT_BARRIER] = {"waits at a barrier", "wait at a barrier"},
        [STOPPED] = {"is stopped for preemption", "are stopped for preemption"},
        [FOR_STORES] = {"waits for its stores", "wait for their stores"},
        [OTHERWISE] = {"cannot issue", "cannot issue"},
    };
    const wr_kernel *k = tb->program->kernel;
    uint64_t left = tb->live;
    for (uint32_t groups = 0; left != 0; groups++) {
        char place[WR_SOURCE_TEXT];
        uint64_t same = 0;
        uint32_t first = (uint32_t)__builtin_ctzll(left);
        uint32_t at = sm->warps[first].next;
        waiting why = waits_for(sm, left & -left);
        for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
            bool alike =
                sm->warps[__builtin_ctzll(rest)].next == at && waits_for(sm, rest & -rest) == why;
            same |= alike ? rest & -rest : 0;
        }
        if (groups == MOST_GROUPS) {
            return add(message, size, used, ", and %u more elsewhere", count(left));
        }
        wr_source_text(k->sources, at < k->insn_count && k->lines != NULL ? k->lines[at] : 0, place,
                       sizeof place);
        used = add(message, size, used, "%s %u warp%s %s at pc 0x%x (%s)", groups == 0 ? "" : ",",
                   count(same), count(same) == 1 ? "" : "s", texts[why][count(same) != 1],
                   at < k->insn_count ? k->insns[at].pc : 0, place);
        left &= ~same;
    }
    return used;
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
        int n = snprintf(message, size,
                         "deadlock in kernel %s at cycle %llu: SM %u, block (%u,%u,%u):", name,
                         (unsigned long long)now, i, tb->ctaid[0], tb->ctaid[1], tb->ctaid[2]);
        size_t used = describe_warps(sm, tb, message, size, n > 0 ? (size_t)n : 0);
        (void)add(message, size, used, "; look for a barrier that not all threads reach");
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
