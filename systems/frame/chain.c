/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each hook: see chain.h. */
#include "systems/frame/chain.h"

#include <assert.h>
#include <stddef.h>

/* All of them are joined below. */
_Static_assert(offsetof(wr_system_hooks, reads_memory) == 22 * sizeof(void *), "self and 21 hooks");

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->launch_begin != NULL) {
            c->member[i]->launch_begin(c->member[i]->self, gpu, stream, launch);
        }
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->launch_end != NULL) {
            c->member[i]->launch_end(c->member[i]->self, gpu, stream);
        }
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->tb_placed != NULL) {
            c->member[i]->tb_placed(c->member[i]->self, sm, tb_slot);
        }
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->tb_done != NULL) {
            c->member[i]->tb_done(c->member[i]->self, sm, tb_slot, stream);
        }
    }
}

static void on_warp_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_stalled != NULL) {
            c->member[i]->warp_stalled(c->member[i]->self, sm, warp, why);
        }
    }
}

static void on_warp_woken(void *self, wr_sm *sm, uint32_t warp)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_woken != NULL) {
            c->member[i]->warp_woken(c->member[i]->self, sm, warp);
        }
    }
}

static void on_warp_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_issued != NULL) {
            c->member[i]->warp_issued(c->member[i]->self, sm, warp, lanes);
        }
    }
}

static void on_warp_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_stopped != NULL) {
            c->member[i]->warp_stopped(c->member[i]->self, sm, warp);
        }
    }
}

static void on_warp_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_loaded != NULL) {
            c->member[i]->warp_loaded(c->member[i]->self, sm, id, regs);
        }
    }
}

static void on_warp_passed(void *self, wr_sm *sm, uint32_t id)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_passed != NULL) {
            c->member[i]->warp_passed(c->member[i]->self, sm, id);
        }
    }
}

static void on_warp_done(void *self, wr_sm *sm, uint32_t warp)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warp_done != NULL) {
            c->member[i]->warp_done(c->member[i]->self, sm, warp);
        }
    }
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->gpu_cycle != NULL) {
            c->member[i]->gpu_cycle(c->member[i]->self, gpu);
        }
    }
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->sm_cycle != NULL) {
            c->member[i]->sm_cycle(c->member[i]->self, sm);
        }
    }
}

static uint64_t on_choose_tb(void *self, wr_sm *sm, uint32_t stream)
{
    const wr_chain *c = self;
    uint64_t chosen = UINT64_MAX;

    for (uint32_t i = 0; i < c->count && chosen == UINT64_MAX; i++) {
        if (c->member[i]->choose_tb != NULL) {
            chosen = c->member[i]->choose_tb(c->member[i]->self, sm, stream);
        }
    }
    return chosen;
}

static uint32_t on_choose_launch(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count)
{
    const wr_chain *c = self;
    uint32_t chosen = UINT32_MAX;

    for (uint32_t i = 0; i < c->count && chosen == UINT32_MAX; i++) {
        if (c->member[i]->choose_launch != NULL) {
            chosen = c->member[i]->choose_launch(c->member[i]->self, sm, streams, count);
        }
    }
    return chosen;
}

static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    const wr_chain *c = self;
    uint32_t chosen = UINT32_MAX;

    for (uint32_t i = 0; i < c->count && chosen == UINT32_MAX; i++) {
        if (c->member[i]->choose_warp != NULL) {
            chosen = c->member[i]->choose_warp(c->member[i]->self, sm, scheduler, candidates);
        }
    }
    return chosen;
}

static void on_l1_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                         uint64_t evicted)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->l1_missed != NULL) {
            c->member[i]->l1_missed(c->member[i]->self, sm, warp, line, place, evicted);
        }
    }
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    const wr_chain *c = self;
    wr_spare use = WR_SPARE_FREE;

    for (uint32_t i = 0; i < c->count && use == WR_SPARE_FREE; i++) {
        if (c->member[i]->spare_slot != NULL) {
            use = c->member[i]->spare_slot(c->member[i]->self, sm, scheduler);
        }
    }
    return use;
}

static void on_warps_left(void *self, wr_sm *sm, uint64_t warps)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->warps_left != NULL) {
            c->member[i]->warps_left(c->member[i]->self, sm, warps);
        }
    }
}

static uint32_t on_registers(void *self, uint32_t stream, const wr_launch *launch, uint32_t least)
{
    const wr_chain *c = self;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->registers != NULL) {
            least = c->member[i]->registers(c->member[i]->self, stream, launch, least);
        }
    }
    return least;
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_chain *c = self;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < c->count; i++) {
        if (c->member[i]->next_cycle != NULL) {
            uint64_t next = c->member[i]->next_cycle(c->member[i]->self, now);

            least = next < least ? next : least;
        }
    }
    return least;
}

/* What one member has, the joined table has. */
static void join(wr_system_hooks *j, const wr_system_hooks *m)
{
    j->launch_begin = m->launch_begin != NULL ? on_launch_begin : j->launch_begin;
    j->launch_end = m->launch_end != NULL ? on_launch_end : j->launch_end;
    j->tb_placed = m->tb_placed != NULL ? on_tb_placed : j->tb_placed;
    j->tb_done = m->tb_done != NULL ? on_tb_done : j->tb_done;
    j->warp_stalled = m->warp_stalled != NULL ? on_warp_stalled : j->warp_stalled;
    j->warp_woken = m->warp_woken != NULL ? on_warp_woken : j->warp_woken;
    j->warp_issued = m->warp_issued != NULL ? on_warp_issued : j->warp_issued;
    j->warp_stopped = m->warp_stopped != NULL ? on_warp_stopped : j->warp_stopped;
    j->warp_loaded = m->warp_loaded != NULL ? on_warp_loaded : j->warp_loaded;
    j->warp_passed = m->warp_passed != NULL ? on_warp_passed : j->warp_passed;
    j->warp_done = m->warp_done != NULL ? on_warp_done : j->warp_done;
    j->warps_left = m->warps_left != NULL ? on_warps_left : j->warps_left;
    j->registers = m->registers != NULL ? on_registers : j->registers;
    j->l1_missed = m->l1_missed != NULL ? on_l1_missed : j->l1_missed;
    j->gpu_cycle = m->gpu_cycle != NULL ? on_gpu_cycle : j->gpu_cycle;
    j->sm_cycle = m->sm_cycle != NULL ? on_sm_cycle : j->sm_cycle;
    j->choose_tb = m->choose_tb != NULL ? on_choose_tb : j->choose_tb;
    j->choose_launch = m->choose_launch != NULL ? on_choose_launch : j->choose_launch;
    j->choose_warp = m->choose_warp != NULL ? on_choose_warp : j->choose_warp;
    j->spare_slot = m->spare_slot != NULL ? on_spare_slot : j->spare_slot;
    j->reads_memory = j->reads_memory || m->reads_memory;
    j->takes_tbs = j->takes_tbs || m->takes_tbs;
    j->next_cycle = m->next_cycle != NULL ? on_next_cycle : j->next_cycle;
}

const wr_system_hooks *wr_chain_join(wr_chain *chain, const wr_system_hooks *const *members,
                                     uint32_t count)
{
    assert(count >= 1 && count <= WR_MAX_OWNERS);
    *chain = (wr_chain){.joined = {.self = chain}, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        chain->member[i] = members[i];
        join(&chain->joined, members[i]);
    }
    return count == 1 ? members[0] : &chain->joined;
}
