/* SPDX-License-Identifier: Apache-2.0 */
/* Fast-forward; see forward.h. */
#include "shell/core/gpu/state.h"
#include "shell/isa/name.h"

#include <string.h>

/* Long enough to keep a warp's rows in the host's caches, short enough that a warp that spins until
 * another has moved does not spin for long. */
#define TURN_INSNS 1024 /* of a warp in a turn */
#define TURNS      16   /* of a TB in a round */

bool wr_gpu_forward(wr_gpu *gpu, const wr_forward_to *to)
{
    gpu->forward.to = *to;
    gpu->forward.on = wr_trail_init(&gpu->forward.trail, &gpu->cfg);
    return gpu->forward.on;
}

wr_forwarded wr_gpu_forwarded(const wr_gpu *gpu)
{
    wr_forwarded done = gpu->forward.done;
    done.on = gpu->forward.on;
    return done;
}

void wr_forward_hold(wr_gpu *gpu)
{
    wr_forward *f = &gpu->forward;
    if (f->held) {
        return;
    }
    f->held = true;
    f->hooks = gpu->hooks;
    f->listens = gpu->sms[0].listens & ~(uint32_t)WR_LISTEN_SHARED;
    memset(&gpu->hooks, 0, sizeof gpu->hooks);
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        gpu->sms[i].listens &= WR_LISTEN_SHARED;
    }
}

bool wr_forward_names(const wr_forward_to *to, const wr_kernel *kernel)
{
    return to->kernel != NULL &&
           (strcmp(kernel->name, to->kernel) == 0 || wr_name_is(kernel->name, to->kernel));
}

static void count_launch(wr_forwarded *done, const wr_kernel *kernel)
{
    uint32_t i = 0;
    while (i < done->kernel_count && done->kernels[i].kernel != kernel) {
        i++;
    }
    done->more_kernels = done->more_kernels || i == WR_FORWARD_KERNELS;
    if (i < WR_FORWARD_KERNELS) {
        done->kernel_count = i < done->kernel_count ? done->kernel_count : i + 1;
        done->kernels[i].kernel = kernel;
        done->kernels[i].launches++;
    }
}

bool wr_forward_meets(wr_gpu *gpu, const wr_launch *launch)
{
    wr_forward *f = &gpu->forward;
    count_launch(&f->done, launch->kernel);
    if (wr_forward_names(&f->to, launch->kernel) && ++f->met == f->to.nth) {
        f->last = true;
    }
    return f->last;
}

/* The warp's instructions, up to what others must do first; returns their number. */
static uint32_t run_warp(wr_sm *sm, uint32_t warp, uint64_t clock)
{
    const wr_uop *uops = sm->tbs[sm->warps[warp].tb].program->uops;
    wr_forwarded *done = &sm->gpu->forward.done;
    uint32_t *rows = sm->warps[warp].rows;
    uint32_t *preds = sm->warps[warp].preds;
    const wr_simt_entry *stack = sm->warps[warp].stack;
    uint32_t count = 0;
    uint64_t lanes = 0;
    bool goes_on = true;
    while (goes_on && count < TURN_INSNS) {
        const wr_uop *u = &uops[sm->warps[warp].next];
        uint32_t mask = stack[sm->warps[warp].depth - 1].mask;
        mask &= u->guarded ? wr_exec_pred(preds, u->insn->guard, u->insn->guard_neg) : UINT32_MAX;
        count++;
        lanes += mask == UINT32_MAX ? WR_LANES : (uint32_t)__builtin_popcount(mask);
        bool advances = true;
        switch ((wr_kind)u->kind) {
        case WR_KIND_ALU:
        case WR_KIND_PRED:
            if (mask != 0) {
                wr_exec_alu(u, rows, preds, mask);
            }
            break;
        case WR_KIND_MEM:
            advances = goes_on = mask == 0 || wr_exec_memory(sm, warp, u, mask, NULL);
            break;
        case WR_KIND_WARP:
            advances = goes_on = wr_issue_across(sm, warp, u, mask);
            break;
        case WR_KIND_SERVICE:
            advances = goes_on = mask == 0 || wr_exec_service(sm, warp, u, mask);
            break;
        case WR_KIND_S2R:
            sm->now += clock + count;
            if (mask != 0) {
                wr_exec_sreg(sm, warp, u->insn, mask);
            }
            sm->now -= clock + count;
            break;
        case WR_KIND_BRA:
            advances = false;
            goes_on = wr_issue_branch(sm, warp, u, mask);
            break;
        case WR_KIND_EXIT:
            advances = false;
            wr_simt_exit(sm, warp, mask);
            if (sm->warps[warp].depth == 0) {
                wr_warp_finished(sm, warp);
                goes_on = false;
            }
            break;
        case WR_KIND_BAR:
            advances = mask == 0;
            if (mask != 0) {
                goes_on = wr_barrier_arrive(sm, warp, u, mask) && (sm->barrier >> warp & 1) == 0;
            }
            break;
        case WR_KIND_TRAP:
            advances = goes_on = mask == 0;
            if (mask != 0) {
                wr_issue_trap(sm, warp, u->insn, (uint32_t)__builtin_ctz(mask));
            }
            break;
        case WR_KIND_END:
            wr_issue_trap(sm, warp, NULL, WR_LANES);
            advances = goes_on = false;
            break;
        case WR_KIND_MEMBAR:
        case WR_KIND_PP:
        case WR_KIND_NOP:
            break;
        }
        if (advances) {
            wr_simt_advance(sm, warp);
        }
    }
    done->insns += count;
    done->thread_insns += lanes;
    return count;
}

/* A turn of each warp of the TB that does not wait; returns the instructions of the busiest. */
static uint32_t run_turn(wr_sm *sm, uint32_t slot, uint64_t clock)
{
    const wr_tb *tb = &sm->tbs[slot];
    uint32_t most = 0;
    for (uint64_t left = tb->live; left != 0 && !sm->status->faulted; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        if ((sm->barrier >> warp & 1) == 0) {
            uint32_t count = run_warp(sm, warp, clock);
            most = count > most ? count : most;
        }
    }
    return most;
}

/* Its turns in a round; returns their instructions, of the busiest warp of each. */
static uint64_t run_tb(wr_sm *sm, uint32_t slot)
{
    const wr_tb *tb = &sm->tbs[slot];
    wr_forward *f = &sm->gpu->forward;
    wr_grid *grid = &sm->gpu->grids[tb->program->stream];
    uint64_t clock = 0;
    for (uint32_t i = 0; i < TURNS && tb->valid && !sm->status->faulted; i++) {
        uint32_t most = run_turn(sm, slot, clock);
        if (most == 0) {
            break;
        }
        clock += most;
    }
    if (!tb->valid) {
        grid->result.tbs_forward++;
        f->done.tbs++;
        f->done.launches += grid->result.tbs_forward == grid->program.tbs ? 1 : 0;
    }
    return clock;
}

bool wr_forward_round(wr_gpu *gpu)
{
    wr_forward *f = &gpu->forward;
    bool placed = false;
    uint64_t most = 0;
    while (!f->last && wr_dispatch(gpu)) {
        placed = true;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms && !gpu->ended; i++) {
        wr_sm *sm = &gpu->sms[i];
        for (uint64_t left = sm->tb_valid; left != 0 && !sm->status->faulted; left &= left - 1) {
            uint64_t count = run_tb(sm, (uint32_t)__builtin_ctzll(left));
            most = count > most ? count : most;
        }
        if (sm->status->faulted) {
            wr_gpu_end_by_fault(gpu, sm);
        }
    }
    f->clock += most;
    f->last = f->last || f->done.insns >= f->to.insns;
    return placed || most != 0;
}

void wr_forward_forget(wr_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm *sm = &gpu->sms[i];
        memset(&sm->stats, 0, sizeof sm->stats);
        memset(sm->slot_stats, 0, sizeof sm->slot_stats);
        memset(&sm->barrier_wait, 0, sizeof sm->barrier_wait);
    }
}

void wr_forward_end(wr_gpu *gpu)
{
    wr_forward *f = &gpu->forward;
    wr_forward_forget(gpu);
    f->on = false;
    gpu->hooks = f->hooks;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        gpu->sms[i].listens = f->listens | (gpu->sms[i].listens & WR_LISTEN_SHARED);
    }
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        wr_grid_charge(gpu, gpu->order[i]);
    }
    f->done.warm_lines = wr_trail_warm(&f->trail, gpu->memsys);
    gpu->full = 0;
    gpu->thawed = true;
    gpu->progress_at = gpu->work_at = gpu->cycle;
}
