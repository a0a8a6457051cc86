/* SPDX-License-Identifier: Apache-2.0 */
/* Launches and their TBs, for systems; see launch.h. */
#include "shell/core/seam/launch.h"

#include "shell/core/gpu/state.h"

#include <assert.h>

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

uint32_t wr_gpu_launch_stream(const wr_gpu *gpu, uint32_t i)
{
    assert(i < gpu->in_flight);
    return gpu->order[i];
}

uint64_t wr_gpu_tbs_waiting(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    const wr_grid *grid = &gpu->grids[stream];
    return grid->in_flight ? grid->program.tbs - grid->next_tb : 0;
}

double wr_gpu_tb_instructions(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    const wr_grid *grid = &gpu->grids[stream];
    return grid->tbs_done != 0 ? (double)grid->issued_done / (double)grid->tbs_done : 0;
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

wr_tb_needs wr_gpu_tb_needs(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS && gpu->grids[stream].in_flight);
    const wr_program *p = &gpu->grids[stream].program;
    return (wr_tb_needs){.registers = p->regs * p->warps * WR_LANES,
                         .threads = p->warps * WR_LANES,
                         .shared_bytes = p->shared_charge};
}

bool wr_gpu_idempotent(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS && gpu->grids[stream].in_flight);
    return gpu->grids[stream].program.idempotent;
}

void wr_sm_close(wr_sm *sm, wr_owner owner, uint32_t streams)
{
    wr_control *c = &sm->control;
    uint32_t closed = 0;
    assert(owner < WR_MAX_OWNERS);
    c->close[owner] = streams;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        closed |= c->close[o];
    }
    if ((c->closed & ~closed) != 0) { /* the dispatcher gets a cycle to look again */
        sm->gpu->full &= ~(UINT64_C(1) << sm->id);
        wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
    }
    c->closed = closed;
}

uint32_t wr_sm_tb_slots(const wr_sm *sm)
{
    return sm->cfg->sm.max_tbs;
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
                        .local_frame = tb->frame,
                        .issued = tb->issued_before + tb->issued,
                        .spoilt = tb->spoilt};
}

uint32_t wr_sm_tb_warp(const wr_sm *sm, uint32_t tb_slot, uint32_t index)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    assert(index < sm->tbs[tb_slot].program->warps);
    uint8_t slot = sm->slot_of[sm->tbs[tb_slot].ids[index]];
    return slot == WR_AWAY ? UINT32_MAX : slot;
}

uint32_t wr_sm_tb_count(const wr_sm *sm, uint32_t streams)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < sm->cfg->sm.max_tbs; t++) {
        const wr_tb *tb = &sm->tbs[t];

        count += tb->valid && !tb->leaving && (streams >> tb->program->stream & 1u) != 0;
    }
    return count;
}

static wr_tb_info identity(const wr_grid *g, uint32_t linear)
{
    const wr_program *p = &g->program;
    const uint32_t *grid = p->launch->grid;
    return (wr_tb_info){
        .valid = true,
        .launch = p->launch,
        .stream = p->stream,
        .ctaid = {linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]},
        .linear = linear,
        .warps = p->warps,
        .threads = p->threads,
        .regs = p->kernel->regs,
        .shared_bytes = p->shared};
}

bool wr_gpu_tb_take(wr_gpu *gpu, uint32_t stream, wr_tb_info *tb)
{
    assert(stream < WR_MAX_STREAMS);
    wr_grid *g = &gpu->grids[stream];
    bool frames = g->in_flight && g->program.frame_bytes != 0;
    if (!g->in_flight || g->next_tb >= g->program.tbs || (frames && g->frames_free == 0)) {
        return false;
    }
    *tb = identity(g, (uint32_t)g->next_tb);
    tb->fresh = true;
    tb->local_frame = frames ? g->frames[--g->frames_free] : 0;
    if (g->next_tb++ == 0) {
        g->result.placed = gpu->before + gpu->cycle;
    }
    wr_gpu_progress(gpu);
    return true;
}

wr_tb_info wr_gpu_tb_again(const wr_gpu *gpu, uint32_t stream, uint32_t linear, uint32_t frame)
{
    const wr_grid *g = &gpu->grids[stream];
    assert(stream < WR_MAX_STREAMS && g->in_flight);
    bool framed = g->program.frame_bytes != 0;
    if (linear >= g->next_tb || frame >= (framed ? g->program.frames : 1)) {
        return (wr_tb_info){0};
    }
    wr_tb_info tb = identity(g, linear);
    tb.local_frame = frame;
    return tb;
}

uint64_t wr_gpu_tbs_begun(const wr_gpu *gpu, uint32_t stream)
{
    const wr_grid *g = &gpu->grids[stream];
    assert(stream < WR_MAX_STREAMS && g->in_flight);
    return g->next_tb - g->tbs_done;
}

bool wr_sm_tb_room(const wr_sm *sm, uint32_t stream, uint32_t kept)
{
    uint32_t base;
    uint32_t slot;
    assert(stream < WR_MAX_STREAMS && sm->gpu->grids[stream].in_flight);
    return wr_tb_fits(sm, &sm->gpu->grids[stream].program, kept, &base, &slot);
}

uint32_t wr_sm_tb_place(wr_sm *sm, const wr_tb_info *tb, const wr_tb_where *where, uint32_t poison)
{
    wr_grid *grid = &sm->gpu->grids[tb->stream];
    assert(grid->in_flight && tb->launch == grid->program.launch);
    uint32_t slot = wr_tb_place(sm, &grid->program, tb->linear, tb->local_frame, where, poison);
    if (slot != UINT32_MAX && !tb->fresh) {
        sm->tbs[slot].issued_before = tb->issued;
        sm->tbs[slot].spoilt = tb->spoilt;
        sm->stats.tbs_restored++;
        grid->result.tbs_restored++;
    }
    return slot;
}

bool wr_sm_tb_place_away(wr_sm *sm, uint32_t tb_slot, const wr_tb_info *tb, uint32_t shared)
{
    const wr_grid *grid = &sm->gpu->grids[tb->stream];
    assert(grid->in_flight && tb->launch == grid->program.launch && tb->fresh);
    return wr_tb_place_away(sm, tb_slot, &grid->program, tb->linear, tb->local_frame, shared);
}

wr_simt_entry wr_sm_tb_first(const wr_sm *sm, uint32_t tb_slot, uint32_t index)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    return wr_tb_first(sm->tbs[tb_slot].program, index);
}

void wr_sm_tb_start(wr_sm *sm, uint32_t tb_slot)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    assert((sm->placed & sm->tbs[tb_slot].live) == sm->tbs[tb_slot].live);
    wr_tb_start(sm, tb_slot);
}
