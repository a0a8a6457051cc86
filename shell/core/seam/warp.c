/* SPDX-License-Identifier: Apache-2.0 */
/* Masks that systems push, joined over their owners; see warp.h and sm/control.h. */
#include "shell/core/seam/warp.h"

#include "shell/core/gpu/state.h"

#include <assert.h>

static uint64_t tb_warps(const wr_sm *sm, uint64_t tbs)
{
    uint64_t warps = 0;
    for (uint64_t left = tbs & sm->tb_valid; left != 0; left &= left - 1) {
        warps |= sm->tbs[__builtin_ctzll(left)].live;
    }
    return warps;
}

static uint64_t scheduler_warps(const wr_sm *sm, uint32_t schedulers)
{
    uint64_t warps = 0;
    for (uint32_t s = 0; s < sm->schedule.schedulers; s++) {
        warps |= (schedulers >> s & 1) != 0 ? sm->schedule.mask[s] : 0;
    }
    return warps;
}

static void join_holds(wr_sm *sm)
{
    const wr_control *c = &sm->control;
    uint64_t held = 0;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        held |= c->hold[o];
        for (uint32_t left = c->streams[o]; left != 0; left &= left - 1) {
            uint32_t stream = (uint32_t)__builtin_ctz(left);
            held |= wr_sm_stream_warps(sm, stream) & scheduler_warps(sm, c->hold_stream[o][stream]);
        }
    }
    if (held == sm->held) {
        return;
    }
    wr_sm_settle(sm, sm->gpu->elapsed);
    bool lets_go = (sm->held & ~held) != 0;
    sm->held = held;
    sm->free_to_go = sm->valid & ~held;
    if (lets_go) {
        wr_sm_wake_next(sm);
    }
}

static uint64_t kept_going(const wr_sm *sm)
{
    uint64_t warps = 0;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        warps |= sm->control.keep[o];
    }
    return warps;
}

static uint64_t join(const wr_sm *sm, const uint64_t of_owners[WR_MAX_OWNERS])
{
    uint64_t tbs = 0;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        tbs |= of_owners[o];
    }
    return tb_warps(sm, tbs);
}

static uint64_t to_halt(const wr_sm *sm)
{
    return (join(sm, sm->control.halt) & ~kept_going(sm)) | join(sm, sm->control.drop);
}

void wr_control_placed(wr_sm *sm, uint32_t tb_slot)
{
    uint32_t streams = 0;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        streams |= sm->control.streams[o];
    }
    if ((streams >> sm->tbs[tb_slot].program->stream & 1) != 0) {
        join_holds(sm);
    }
    sm->stopping |= join(sm, sm->control.stop);
    sm->halting |= to_halt(sm);
}

void wr_control_removed(wr_sm *sm, uint32_t tb_slot, uint64_t warps)
{
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        sm->control.hold[o] &= ~warps;
        sm->control.loads[o] &= ~warps;
        sm->control.keep[o] &= ~warps;
        uint64_t others = tb_slot != UINT32_MAX ? ~(UINT64_C(1) << tb_slot) : UINT64_MAX;
        sm->control.stop[o] &= others;
        sm->control.halt[o] &= others;
        sm->control.drop[o] &= others;
    }
    sm->held &= ~warps;
    sm->loads_held &= ~warps;
    sm->holds_memory = (sm->memory_held | sm->loads_held) != 0;
    sm->stopping &= ~warps;
    sm->halting &= ~warps;
    if (sm->hooks->warps_left != NULL) {
        sm->hooks->warps_left(sm->hooks->self, sm, warps);
    }
}

void wr_sm_hold(wr_sm *sm, wr_owner owner, uint64_t warps)
{
    assert(owner < WR_MAX_OWNERS);
    sm->control.hold[owner] = warps & sm->valid;
    join_holds(sm);
}

void wr_sm_hold_stream(wr_sm *sm, wr_owner owner, uint32_t stream, uint32_t schedulers)
{
    wr_control *c = &sm->control;
    assert(owner < WR_MAX_OWNERS && stream < WR_MAX_STREAMS);
    if (c->hold_stream[owner][stream] == schedulers) {
        return;
    }
    c->hold_stream[owner][stream] = schedulers;
    c->streams[owner] =
        (c->streams[owner] & ~(1u << stream)) | (schedulers != 0 ? 1u << stream : 0);
    join_holds(sm);
}

void wr_sm_hold_memory(wr_sm *sm, wr_owner owner, uint32_t streams)
{
    uint32_t held = 0;
    assert(owner < WR_MAX_OWNERS);
    sm->control.memory[owner] = streams;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        held |= sm->control.memory[o];
    }
    if (held != sm->memory_held) {
        bool lets_go = (sm->memory_held & ~held) != 0;
        wr_sm_settle(sm, sm->gpu->elapsed);
        sm->memory_held = held;
        sm->holds_memory = (sm->memory_held | sm->loads_held) != 0;
        if (lets_go) {
            wr_sm_wake_next(sm);
        }
    }
}

void wr_sm_hold_loads(wr_sm *sm, wr_owner owner, uint64_t warps)
{
    uint64_t held = 0;
    assert(owner < WR_MAX_OWNERS);
    sm->control.loads[owner] = warps & sm->valid;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        held |= sm->control.loads[o];
    }
    if (held != sm->loads_held) {
        bool lets_go = (sm->loads_held & ~held) != 0;
        wr_sm_settle(sm, sm->gpu->elapsed);
        sm->loads_held = held;
        sm->holds_memory = (sm->memory_held | sm->loads_held) != 0;
        if (lets_go) {
            wr_sm_wake_next(sm);
        }
    }
}

uint64_t wr_sm_memory_warps(wr_sm *sm)
{
    uint64_t go = 0;
    uint64_t warps =
        sm->fetch.buffered & sm->ready & wr_schedule_limit(&sm->schedule, wr_sm_awake(sm));
    for (uint64_t left = warps & sm->pool_mask[WR_POOL_MEM]; left != 0; left &= left - 1) {
        go |= wr_goes_to_l1(sm, (uint32_t)__builtin_ctzll(left)) ? left & -left : 0;
    }
    return go;
}

uint32_t wr_sm_memory_ready(wr_sm *sm)
{
    uint32_t streams = 0;
    for (uint64_t left = wr_sm_memory_warps(sm); left != 0; left &= left - 1) {
        streams |= 1u << sm->tbs[sm->warps[__builtin_ctzll(left)].tb].program->stream;
    }
    return streams;
}

void wr_sm_limit(wr_sm *sm, wr_owner owner, uint32_t warps)
{
    assert(owner < WR_MAX_OWNERS);
    uint32_t least = sm->cfg->sm.warp_limit;
    sm->control.limit[owner] = warps;
    for (wr_owner o = 0; o < WR_MAX_OWNERS; o++) {
        uint32_t n = sm->control.limit[o];
        least = n != 0 && (least == 0 || n < least) ? n : least;
    }
    if (least != sm->schedule.limit) {
        wr_sm_settle(sm, sm->gpu->elapsed);
        wr_schedule_set_limit(&sm->schedule, least);
        wr_sm_wake_next(sm);
    }
}

uint32_t wr_sm_choose(wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    assert(candidates != 0 && (candidates & ~sm->schedule.mask[scheduler]) == 0);
    return wr_schedule_choose(&sm->schedule, scheduler, candidates);
}

void wr_sm_warp_age(wr_sm *sm, uint32_t warp, uint64_t younger)
{
    assert(warp < sm->cfg->sm.max_warps && (younger >> warp & 1) == 0);
    wr_sm_settle(sm, sm->gpu->elapsed);
    wr_schedule_age(&sm->schedule, warp, younger);
}

/* Stopped warps that nobody stops any more go on. */
static void let_go(wr_sm *sm)
{
    uint64_t go = sm->stopped & ~(sm->stopping | sm->halting | sm->placed);
    if (go != 0) {
        sm->stopped &= ~go;
        wr_sm_wake_next(sm);
    }
}

void wr_sm_stop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    assert(owner < WR_MAX_OWNERS);
    sm->control.stop[owner] = tbs & sm->tb_valid;
    uint64_t warps = join(sm, sm->control.stop);
    uint64_t more = warps & ~sm->stopping;
    if (warps == sm->stopping) {
        return;
    }
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->stopping = warps;
    sm->progress_at = sm->gpu->cycle;
    sm->step_over &= ~more;
    wr_sm_stop(sm, more & sm->at_point & ~(sm->done | sm->stopped));
    let_go(sm);
}

static void halt(wr_sm *sm)
{
    uint64_t warps = to_halt(sm);
    if (warps == sm->halting) {
        return;
    }
    uint64_t more = warps & ~sm->halting;
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->halting = warps;
    sm->progress_at = sm->gpu->cycle;
    wr_sm_stop(sm, more & ~(sm->done | sm->stopped | sm->membar));
    let_go(sm);
}

void wr_sm_halt_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    assert(owner < WR_MAX_OWNERS);
    sm->control.halt[owner] = tbs & sm->tb_valid;
    halt(sm);
}

void wr_sm_drop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    assert(owner < WR_MAX_OWNERS);
    sm->control.drop[owner] = tbs & sm->tb_valid;
    halt(sm);
}

void wr_sm_keep_going(wr_sm *sm, wr_owner owner, uint64_t warps)
{
    assert(owner < WR_MAX_OWNERS);
    if (sm->control.keep[owner] != warps) {
        sm->control.keep[owner] = warps & ~sm->stopped;
        halt(sm);
    }
}

uint32_t wr_sm_warp_slots(const wr_sm *sm)
{
    return sm->cfg->sm.max_warps;
}

wr_warp_info wr_sm_warp(const wr_sm *sm, uint32_t warp)
{
    assert(warp < sm->cfg->sm.max_warps);
    uint64_t bit = UINT64_C(1) << warp;
    if ((sm->valid & bit) == 0) {
        return (wr_warp_info){0};
    }
    uint32_t slot = sm->warps[warp].tb;
    uint32_t depth = sm->warps[warp].depth;
    return (wr_warp_info){.valid = true,
                          .done = (sm->done & bit) != 0,
                          .stopped = (sm->stopped & bit) != 0,
                          .drained = wr_warp_drained(sm, warp),
                          .stores = sm->stores[sm->warps[warp].id] != 0,
                          .tb_slot = slot,
                          .index = sm->warps[warp].index,
                          .pc = depth != 0 ? sm->warps[warp].stack[depth - 1].pc : 0,
                          .depth = depth};
}

uint64_t wr_sm_live_warps(const wr_sm *sm)
{
    return sm->valid & ~sm->done;
}

uint64_t wr_sm_stream_warps(const wr_sm *sm, uint32_t stream)
{
    uint64_t warps = 0;
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        const wr_tb *tb = &sm->tbs[__builtin_ctzll(left)];
        warps |= tb->program->stream == stream ? tb->live : 0;
    }
    return warps;
}

uint64_t wr_sm_scheduler_warps(const wr_sm *sm, uint32_t scheduler)
{
    assert(scheduler < sm->schedule.schedulers);
    return sm->schedule.mask[scheduler];
}
