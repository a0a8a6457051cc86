/* SPDX-License-Identifier: Apache-2.0 */
/* What systems may see and do; see hooks.h. The context queue's part is in port.c. */
#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

wr_sm *wr_gpu_sm(wr_gpu *gpu, uint32_t id)
{
    assert(id < gpu->cfg.sms);
    return &gpu->sms[id];
}

uint32_t wr_gpu_sm_count(const wr_gpu *gpu)
{
    return gpu->cfg.sms;
}

const wr_gpu_config *wr_gpu_configuration(const wr_gpu *gpu)
{
    return &gpu->cfg;
}

void wr_gpu_abort(wr_gpu *gpu, const char *message)
{
    wr_gpu_end(gpu, WR_RUN_SYSTEM, message);
}

void wr_gpu_refuse(wr_gpu *gpu, const char *message)
{
    wr_gpu_end(gpu, WR_RUN_REFUSED, message);
}

uint32_t wr_gpu_launches(const wr_gpu *gpu)
{
    return gpu->in_flight;
}

const wr_launch *wr_gpu_launch(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    const wr_grid *grid = &gpu->grids[stream];
    return grid->in_flight ? grid->program.launch : NULL;
}

uint32_t wr_gpu_oldest_waiting(const wr_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        const wr_grid *grid = &gpu->grids[gpu->order[i]];
        if (grid->next_tb < grid->program.tbs) {
            return gpu->order[i];
        }
    }
    return UINT32_MAX;
}

wr_gpu *wr_sm_gpu(wr_sm *sm)
{
    return sm->gpu;
}

uint32_t wr_sm_id(const wr_sm *sm)
{
    return sm->id;
}

void wr_sm_attend(wr_sm *sm, bool on)
{
    if (sm->attended != on) {
        sm->attended = on;
        sm->gpu->attended += on ? 1 : UINT32_MAX;     /* wraps: one less */
        wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1); /* the dispatcher gets a cycle to ask again */
    }
}

void wr_sm_signal(wr_sm *sm, bool up)
{
    if (up == sm->signalled) {
        return;
    }
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->signalled = up;
    wr_gpu_progress(sm->gpu);
    if (up) {
        sm->step_over = 0;
        wr_sm_stop(sm, sm->valid & sm->at_point & ~(sm->done | sm->stopped));
    } else {
        sm->stopped &= sm->placed;
        wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
    }
}

uint32_t wr_sm_tb_slots(const wr_sm *sm)
{
    return sm->cfg->sm.max_tbs;
}

uint32_t wr_sm_warp_slots(const wr_sm *sm)
{
    return sm->cfg->sm.max_warps;
}

wr_tb_info wr_sm_tb(const wr_sm *sm, uint32_t tb_slot)
{
    assert(tb_slot < sm->cfg->sm.max_tbs);
    const wr_tb *tb = &sm->tbs[tb_slot];
    if (!tb->valid || tb->leaving) { /* of one that leaves, nothing is to be saved */
        return (wr_tb_info){0};
    }
    const wr_program *p = tb->program;
    return (wr_tb_info){.valid = true,
                        .launch = p->launch,
                        .stream = p->stream,
                        .ctaid = {tb->ctaid[0], tb->ctaid[1], tb->ctaid[2]},
                        .linear = tb->linear,
                        .warp_base = tb->warp_base,
                        .warps = p->warps,
                        .threads = p->threads,
                        .regs = p->kernel->regs,
                        .shared_bytes = p->shared,
                        .local_frame = tb->frame};
}

static bool is_drained(const wr_sm *sm, uint32_t warp)
{
    return sm->pending_regs[warp] == 0 && sm->pending_preds[warp] == 0;
}

wr_warp_info wr_sm_warp(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    uint64_t bit = UINT64_C(1) << warp;
    if ((sm->valid & bit) == 0) {
        return (wr_warp_info){0};
    }
    uint32_t slot = sm->tb_of[warp];
    uint32_t depth = sm->depth[warp];
    return (wr_warp_info){.valid = true,
                          .done = (sm->done & bit) != 0,
                          .stopped = (sm->stopped & bit) != 0,
                          .drained = is_drained(sm, warp),
                          .tb_slot = slot,
                          .index = warp - sm->tbs[slot].warp_base,
                          .pc = depth != 0 ? sm->stack[warp][depth - 1].pc : 0,
                          .depth = depth};
}

/* State may be read and written only while nothing of the warp is in the pipeline. */
static void assert_stopped(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    assert((sm->stopped >> warp & 1) != 0 && is_drained(sm, warp));
    (void)sm;
    (void)warp;
}

const uint32_t *wr_sm_reg(const wr_sm *sm, uint32_t warp, uint32_t reg)
{
    assert_stopped(sm, warp);
    assert(reg < WR_ISA_MAX_REGS);
    return sm->regs + ((size_t)warp * WR_WARP_REGS + reg) * WR_LANES;
}

void wr_sm_reg_write(wr_sm *sm, uint32_t warp, uint32_t reg, const uint32_t lanes[32])
{
    assert_stopped(sm, warp);
    assert(reg < WR_ISA_MAX_REGS);
    memcpy(sm->regs + ((size_t)warp * WR_WARP_REGS + reg) * WR_LANES, lanes, WR_ROW_BYTES);
}

uint32_t wr_sm_pred(const wr_sm *sm, uint32_t warp, uint32_t pred)
{
    assert_stopped(sm, warp);
    assert(pred < WR_ISA_PREDS);
    return sm->preds[warp][pred];
}

void wr_sm_pred_write(wr_sm *sm, uint32_t warp, uint32_t pred, uint32_t lanes)
{
    assert_stopped(sm, warp);
    assert(pred < WR_ISA_PREDS);
    sm->preds[warp][pred] = lanes;
}

uint32_t wr_sm_stack(const wr_sm *sm, uint32_t warp, wr_simt_entry out[WR_SIMT_DEPTH])
{
    assert(warp < sm->cfg->sm.max_warps);
    memcpy(out, sm->stack[warp], sm->depth[warp] * sizeof *out);
    return sm->depth[warp];
}

/* A warp without stack entries has finished. */
static void mark_finished(wr_sm *sm, uint32_t warp)
{
    uint64_t bit = UINT64_C(1) << warp;
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->done |= bit;
    sm->tbs[sm->tb_of[warp]].live &= ~bit;
    wr_barrier_check(sm, sm->tb_of[warp]);
}

void wr_sm_stack_write(wr_sm *sm, uint32_t warp, const wr_simt_entry *entries, uint32_t depth)
{
    assert_stopped(sm, warp);
    assert(depth <= WR_SIMT_DEPTH);
    memcpy(sm->stack[warp], entries, depth * sizeof *entries);
    sm->depth[warp] = depth;
    if (depth == 0) {
        mark_finished(sm, warp);
        return;
    }
    const wr_kernel *k = sm->tbs[sm->tb_of[warp]].program->kernel;
    uint32_t word = entries[depth - 1].pc / 8;
    bool known = word < k->word_count && k->insn_at[word] != UINT32_MAX;
    sm->next[warp] = known ? k->insn_at[word] : (uint32_t)k->insn_count;
}

uint16_t wr_sm_pledges(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    const wr_tb *tb = &sm->tbs[sm->tb_of[warp]];
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        bits |= (uint32_t)(tb->pledged[i] >> warp & 1) << i;
    }
    return (uint16_t)bits;
}

void wr_sm_pledges_write(wr_sm *sm, uint32_t warp, uint16_t barriers)
{
    assert_stopped(sm, warp);
    wr_tb *tb = &sm->tbs[sm->tb_of[warp]];
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        uint64_t bit = (uint64_t)(barriers >> i & 1) << warp;
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
    const wr_kernel *k = sm->tbs[sm->tb_of[warp]].program->kernel;
    return pc / 8 < k->word_count ? k->words[pc / 8] : 0;
}

void wr_sm_tb_evict(wr_sm *sm, uint32_t tb_slot, uint32_t poison)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    wr_tb *tb = &sm->tbs[tb_slot];
    for (uint64_t left = tb->live; left != 0; left &= left - 1) {
        assert_stopped(sm, (uint32_t)__builtin_ctzll(left));
    }
    wr_tb_poison(sm, tb_slot, poison);
    wr_tb_remove(sm, tb_slot);
    sm->gpu->grids[tb->program->stream].result.tbs_evicted++;
    sm->stats.tbs_evicted++;
}

uint32_t wr_sm_tb_place(wr_sm *sm, const wr_tb_info *tb, uint32_t poison)
{
    const wr_grid *grid = &sm->gpu->grids[tb->stream];
    assert(grid->in_flight && tb->launch == grid->program.launch);
    uint32_t slot = wr_tb_place(sm, &grid->program, tb->linear, tb->local_frame, poison);
    if (slot != UINT32_MAX) {
        sm->stats.tbs_restored++;
        sm->gpu->grids[tb->stream].result.tbs_restored++;
    }
    return slot;
}

void wr_sm_warp_resume(wr_sm *sm, uint32_t warp)
{
    assert_stopped(sm, warp);
    uint64_t bit = UINT64_C(1) << warp;
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->stopped &= ~bit;
    sm->placed &= ~bit;
    wr_gpu_progress(sm->gpu);
    if (sm->depth[warp] == 0) {
        mark_finished(sm, warp);
        return;
    }
    sm->step_over |= bit;
    wr_sm_refresh(sm, warp);
    sm->step_over &= sm->at_point | ~bit;
    wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
}
