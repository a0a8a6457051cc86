/* SPDX-License-Identifier: Apache-2.0 */
/* State of stopped TBs, for systems; see context.h. The context queue's part is in sm/injection.c.
 */
#include "shell/core/seam/context.h"

#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

/* State may be read and written only while the warp can't issue and nothing of it is in the
 * pipeline, but for loads. */
static void assert_stopped(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    assert(((sm->stopped | sm->held) >> warp & 1) != 0 && wr_warp_settled(sm, warp));
    (void)sm;
    (void)warp;
}

const uint32_t *wr_sm_reg(const wr_sm *sm, uint32_t warp, uint32_t reg)
{
    assert_stopped(sm, warp);
    assert(reg < WR_ISA_MAX_REGS);
    return wr_warp_row(sm, warp, reg);
}

void wr_sm_reg_write(wr_sm *sm, uint32_t warp, uint32_t reg, const uint32_t lanes[32])
{
    assert_stopped(sm, warp);
    assert(reg < WR_ISA_MAX_REGS);
    memcpy(wr_warp_row(sm, warp, reg), lanes, WR_ROW_BYTES);
}

uint32_t wr_sm_pred(const wr_sm *sm, uint32_t warp, uint32_t pred)
{
    assert_stopped(sm, warp);
    assert(pred < WR_ISA_PREDS);
    return sm->warps[warp].preds[pred];
}

void wr_sm_pred_write(wr_sm *sm, uint32_t warp, uint32_t pred, uint32_t lanes)
{
    assert_stopped(sm, warp);
    assert(pred < WR_ISA_PREDS);
    sm->warps[warp].preds[pred] = lanes;
}

uint32_t wr_sm_stack(const wr_sm *sm, uint32_t warp, wr_simt_entry out[WR_SIMT_DEPTH])
{
    assert(warp < sm->cfg->sm.max_warps);
    memcpy(out, sm->warps[warp].stack, sm->warps[warp].depth * sizeof *out);
    return sm->warps[warp].depth;
}

/* A warp without stack entries has finished. */
static void mark_finished(wr_sm *sm, uint32_t warp)
{
    uint64_t bit = UINT64_C(1) << warp;
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->done |= bit;
    sm->tbs[sm->warps[warp].tb].live &= ~bit;
    sm->tbs[sm->warps[warp].tb].unfinished &= ~(1u << sm->warps[warp].index);
    wr_barrier_check(sm, sm->warps[warp].tb);
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
}

void wr_sm_stack_write(wr_sm *sm, uint32_t warp, const wr_simt_entry *entries, uint32_t depth)
{
    assert_stopped(sm, warp);
    assert(depth <= WR_SIMT_DEPTH);
    sm->warps[warp].depth = depth;
    if (depth == 0) {
        mark_finished(sm, warp);
        return;
    }
    memcpy(sm->warps[warp].stack, entries, depth * sizeof *entries);
    const wr_kernel *k = sm->tbs[sm->warps[warp].tb].program->kernel;
    uint32_t word = entries[depth - 1].pc / 8;
    bool known = word < k->word_count && k->insn_at[word] != UINT32_MAX;
    sm->warps[warp].next = known ? k->insn_at[word] : (uint32_t)k->insn_count;
}

uint16_t wr_sm_pledges(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    const wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        bits |= (tb->pledged[i] >> sm->warps[warp].index & 1) << i;
    }
    return (uint16_t)bits;
}

void wr_sm_pledges_write(wr_sm *sm, uint32_t warp, uint16_t barriers)
{
    assert_stopped(sm, warp);
    wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        uint32_t bit = (uint32_t)(barriers >> i & 1) << sm->warps[warp].index;
        tb->pledged[i] |= bit;
        tb->arrived[i] |= bit;
    }
}

uint8_t *wr_sm_shared(wr_sm *sm, uint32_t tb_slot)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    return sm->tbs[tb_slot].shared;
}

uint64_t wr_sm_fetch(const wr_sm *sm, uint32_t warp, uint32_t pc)
{
    assert(warp < sm->cfg->sm.max_warps && (sm->valid >> warp & 1) != 0);
    const wr_kernel *k = sm->tbs[sm->warps[warp].tb].program->kernel;
    return pc / 8 < k->word_count ? k->words[pc / 8] : 0;
}

void wr_sm_tb_park(wr_sm *sm, uint32_t tb_slot, uint32_t kept, uint32_t poison)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    wr_tb *tb = &sm->tbs[tb_slot];
    assert((uint32_t)__builtin_popcountll(tb->live) ==
           (uint32_t)__builtin_popcount(tb->unfinished)); /* none is away */
    assert((kept & WR_KEEPS_REGISTERS) == 0 ||
           (uint32_t)__builtin_popcountll(tb->slots) == tb->program->warps);
    for (uint64_t left = tb->live; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        assert((sm->stopped >> warp & 1) != 0 && wr_warp_drained(sm, warp));
    }
    wr_tb_poison(sm, tb_slot, kept, poison);
    wr_tb_remove(sm, tb_slot, kept);
    sm->gpu->grids[tb->program->stream].result.tbs_evicted++;
    sm->stats.tbs_evicted++;
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1); /* for the dispatcher */
}

void wr_sm_tb_evict(wr_sm *sm, uint32_t tb_slot, uint32_t poison)
{
    wr_sm_tb_park(sm, tb_slot, 0, poison);
}

void wr_sm_warp_resume(wr_sm *sm, uint32_t warp)
{
    assert_stopped(sm, warp);
    uint64_t bit = UINT64_C(1) << warp;
    assert((sm->stopped & bit) != 0);
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->stopped &= ~bit;
    sm->placed &= ~bit;
    wr_gpu_progress(sm->gpu);
    if (sm->warps[warp].depth == 0) {
        mark_finished(sm, warp);
        return;
    }
    sm->step_over |= wr_identity_rejoin(sm, warp) ? 0 : bit;
    wr_sm_refresh(sm, warp);
    sm->step_over &= sm->at_point | ~bit;
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
}
