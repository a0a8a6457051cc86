/* SPDX-License-Identifier: Apache-2.0 */
/* TB dispatcher: one TB per SM and cycle, lowest SM first.
 *
 * Of several launches in flight the oldest one with a TB that fits gives the SM its next TB, so
 * younger launches fill what older ones leave; a system may choose otherwise (choose_launch), close
 * the SM to streams (wr_sm_close), and say which TB of the launch comes (choose_tb): else it is the
 * next in their order. A TB fits by the four resources of an SM: TB slots, consecutive warp slots,
 * registers, shared memory, whosever TBs hold the rest of them. An SM in which none fits is `full`
 * until a TB leaves it or a launch begins, and not looked at.
 */
#include "shell/core/gpu/state.h"

#include <assert.h>

/* Streams of launches that wait to place TBs, oldest first. */
static uint32_t find_waiting(const wr_gpu *gpu, uint32_t waiting[WR_MAX_STREAMS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        const wr_grid *g = &gpu->grids[gpu->order[i]];
        if (g->next_tb < g->program.tbs) {
            waiting[count++] = gpu->order[i];
        }
    }
    return count;
}

/* Whose TB the SM gets now; UINT32_MAX: none. */
static uint32_t choose(wr_gpu *gpu, wr_sm *sm, const uint32_t *waiting, uint32_t count)
{
    const wr_system_hooks *h = &gpu->hooks;
    uint32_t fit[WR_MAX_STREAMS];
    uint32_t fits = 0;
    bool full = true;
    for (uint32_t i = 0; i < count && (fits == 0 || h->choose_launch != NULL); i++) {
        const wr_grid *g = &gpu->grids[waiting[i]];
        uint32_t base;
        uint32_t slot;
        if ((sm->control.closed >> waiting[i] & 1) != 0) {
            continue; /* opening looks at the SM again */
        }
        if (g->next_tb >= g->program.tbs) { /* an SM before has taken the last */
            continue;
        }
        if (g->program.frame_bytes != 0 && g->frames_free == 0) {
            full = false; /* a frame may come back on another SM */
        } else if (wr_tb_fits(sm, &g->program, 0, &base, &slot)) {
            fit[fits++] = waiting[i];
        }
    }
    if (fits == 0) {
        gpu->full |= full ? UINT64_C(1) << sm->id : 0;
        return UINT32_MAX;
    }
    return h->choose_launch != NULL ? h->choose_launch(h->self, sm, fit, fits) : fit[0];
}

static void place(wr_gpu *gpu, wr_sm *sm, uint32_t stream)
{
    const wr_system_hooks *h = &gpu->hooks;
    wr_grid *g = &gpu->grids[stream];
    uint64_t chosen = h->choose_tb != NULL ? h->choose_tb(h->self, sm, stream) : UINT64_MAX;
    uint64_t number = chosen != UINT64_MAX ? chosen : g->next_tb;
    uint32_t frame = g->program.frame_bytes != 0 ? g->frames[--g->frames_free] : 0;
    assert(number < g->program.tbs);
    uint32_t slot = wr_tb_place(sm, &g->program, (uint32_t)number, frame, NULL, WR_LAUNCH_POISON);
    wr_tb_start(sm, slot);
    if (g->next_tb++ == 0) {
        g->result.placed = gpu->before + gpu->cycle;
    }
    if (h->tb_placed != NULL) {
        h->tb_placed(h->self, sm, slot);
    }
}

bool wr_dispatch(wr_gpu *gpu)
{
    uint32_t waiting[WR_MAX_STREAMS];
    uint32_t count = find_waiting(gpu, waiting);
    bool placed = false;
    uint64_t open = count != 0 ? UINT64_MAX >> (64 - gpu->cfg.sms) & ~gpu->full : 0;
    for (; open != 0; open &= open - 1) {
        wr_sm *sm = &gpu->sms[__builtin_ctzll(open)];
        uint32_t stream = choose(gpu, sm, waiting, count);
        if (stream != UINT32_MAX) {
            place(gpu, sm, stream);
            placed = true;
        }
    }
    return placed;
}
