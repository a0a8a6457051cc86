/* SPDX-License-Identifier: Apache-2.0 */
/* One SM gives way: its TBs leave, each in its own manner, until none of them is left.
 *
 * - A TB that is saved goes through the context engine. One that ends before it stops has ended.
 * - A TB that is drained runs on to its end.
 * - A TB that is flushed stops at once, and is discarded when nothing of it is in the pipeline.
 *
 * The preemption is over in the cycle in which the last TB has left and the engine has its last
 * write acknowledged. Cycles in which the engine has nothing to spill are draining (Lin-P V.C),
 * those in which TBs are drained or flushed among them.
 */
#include "systems/preemption/state.h"

#include <assert.h>
#include <string.h>

bool wr_preempt_ready(const wr_preemption *p, uint32_t id, uint64_t now)
{
    const wr_preempt_unit *unit = &p->units[id];

    return !unit->leaving && !unit->returning && !unit->clearing && !unit->dealing &&
           wr_context_engine_idle(&unit->engine) && now >= unit->ready_at;
}

static bool same_tb(const wr_tb_info *a, const wr_tb_info *b)
{
    return a->valid && a->linear == b->linear && a->stream == b->stream && a->launch == b->launch;
}

static void forget(wr_preempt_unit *unit, uint32_t slot)
{
    for (uint32_t how = 0; how < WR_LEAVES; how++) {
        unit->left[how] &= ~(UINT64_C(1) << slot);
    }
}

/* The engine's attention is not enough where TBs are flushed. */
static void attend(wr_preemption *p, uint32_t id)
{
    const wr_preempt_unit *unit = &p->units[id];

    wr_sm_attend(wr_gpu_sm(p->gpu, id), p->owner,
                 !wr_context_engine_idle(&unit->engine) || unit->left[WR_LEAVE_FLUSH] != 0 ||
                     unit->wants_plan || !wr_places_idle(&unit->places));
}

void wr_preempt_leave(wr_preemption *p, uint32_t id, uint64_t tbs, bool by_signal,
                      uint32_t claimant)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);

    assert(!unit->leaving && !unit->returning && !unit->clearing && !unit->dealing &&
           wr_context_engine_idle(&unit->engine));
    unit->leaving = true;
    unit->by_signal = by_signal;
    unit->claimant = claimant;
    unit->since = wr_gpu_cycle(p->gpu);
    memset(unit->left, 0, sizeof unit->left);
    memset(unit->gone, 0, sizeof unit->gone);
    memcpy(unit->kernels, p->kernel_of, sizeof p->kernel_of);
    p->busy++;
    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) {
        unit->who[slot] = wr_sm_tb(sm, slot);
        unit->who_flushes[slot] = unit->flushes[slot];
    }
    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) { /* all of them weigh in a choice */
        if (unit->who[slot].valid && (tbs >> slot & 1u) != 0) {
            unit->left[wr_preempt_choose(p, id, slot)] |= UINT64_C(1) << slot;
        }
    }
    wr_preempt_doors(p);
    unit->switched = unit->left[WR_LEAVE_SWITCH] != 0;
    if (unit->switched && p->options.in_place) {
        wr_context_engine_announce(&unit->engine, sm, unit->left[WR_LEAVE_SWITCH]);
        unit->wants_plan = true;
    } else if (unit->switched) {
        (void)wr_context_engine_save(&unit->engine, sm, unit->left[WR_LEAVE_SWITCH]);
    }
    wr_context_engine_halt(&unit->engine, sm, unit->left[WR_LEAVE_FLUSH]);
    attend(p, id);
}

void wr_preempt_planned(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);

    for (uint64_t left = unit->left[WR_LEAVE_SWITCH]; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        wr_tb_info now = wr_sm_tb(sm, slot);

        if (!same_tb(&now, &unit->who[slot])) {
            p->tbs.ended++;
            forget(unit, slot);
        }
    }
    unit->switched = unit->left[WR_LEAVE_SWITCH] != 0;
    (void)wr_context_engine_save(&unit->engine, sm, unit->left[WR_LEAVE_SWITCH]);
}

/* Nothing of the TB is in the pipeline. */
static bool is_still(const wr_sm *sm, uint32_t slot, const wr_tb_info *tb)
{
    for (uint32_t w = 0; w < tb->warps; w++) {
        wr_warp_info warp = wr_sm_warp(sm, wr_sm_tb_warp(sm, slot, w));

        if (!warp.done && !(warp.stopped && warp.drained)) {
            return false;
        }
    }
    return true;
}

static void discard(wr_preemption *p, uint32_t id, uint32_t slot)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);
    wr_absent absent = {.tb = {.info = unit->who[slot], .tag = unit->who_flushes[slot] + 1},
                        .home = unit->by_signal ? id : UINT32_MAX,
                        .slot = slot,
                        .by_signal = unit->by_signal};

    absent.tb.info.fresh = true;
    p->tbs.wasted += wr_sm_tb(sm, slot).issued;
    p->tbs.flushed++;
    unit->gone[WR_LEAVE_FLUSH]++;
    forget(unit, slot);
    wr_sm_tb_evict(sm, slot, WR_CONTEXT_POISON);
    wr_context_engine_halt(&unit->engine, sm, unit->left[WR_LEAVE_FLUSH]);
    wr_preempt_leaves_place(p, id, slot, 0);
    wr_preempt_add_absent(p, &absent);
}

static void flush(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    const wr_sm *sm = wr_gpu_sm(p->gpu, id);

    for (uint64_t left = unit->left[WR_LEAVE_FLUSH]; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        wr_tb_info now = wr_sm_tb(sm, slot);

        if (same_tb(&now, &unit->who[slot]) && is_still(sm, slot, &now)) {
            discard(p, id, slot);
        }
    }
}

void wr_preempt_tb_done(wr_preemption *p, uint32_t id, uint32_t slot)
{
    wr_preempt_unit *unit = &p->units[id];
    uint64_t bit = UINT64_C(1) << slot;

    unit->flushes[slot] = 0;
    wr_preempt_leaves_place(p, id, slot, 0);
    if ((unit->left[WR_LEAVE_DRAIN] & bit) != 0) {
        unit->gone[WR_LEAVE_DRAIN]++;
        p->tbs.drained++;
    } else if ((unit->left[WR_LEAVE_FLUSH] & bit) != 0) {
        p->tbs.ended++;
    } else {
        return; /* one that was to be saved is the engine's to tell */
    }
    forget(unit, slot);
    wr_context_engine_halt(&unit->engine, wr_gpu_sm(p->gpu, id), unit->left[WR_LEAVE_FLUSH]);
}

static void take_events(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];

    for (uint32_t i = 0; i < unit->engine.event_count; i++) {
        const wr_context_event *event = &unit->engine.event[i];
        wr_absent absent = {.tb = event->tb,
                            .home = unit->by_signal ? id : UINT32_MAX,
                            .slot = event->slot,
                            .by_signal = unit->by_signal};

        if (event->what == WR_CONTEXT_SAVED) {
            uint32_t kept = event->tb.where.kept;

            unit->gone[WR_LEAVE_SWITCH]++;
            p->tbs.saved++;
            p->tbs.kept_registers += (kept & WR_KEEPS_REGISTERS) != 0;
            p->tbs.kept_shared += (kept & WR_KEEPS_SHARED) != 0;
            forget(unit, event->slot);
            absent.home = kept != 0 ? id : absent.home;
            absent.tb.tag = unit->who_flushes[event->slot];
            absent.tb.where.row = unit->here[event->slot].where.row;
            absent.tb.where.shared = unit->here[event->slot].where.shared;
            wr_preempt_leaves_place(p, id, event->slot, kept);
            wr_preempt_add_absent(p, &absent);
        } else if (event->what == WR_CONTEXT_FINISHED) {
            p->tbs.ended++;
            forget(unit, event->slot);
        } else {
            unit->placed_at[event->slot] = wr_gpu_cycle(p->gpu);
            unit->flushes[event->slot] = event->tb.tag;
            wr_preempt_is_back(p, id, event);
        }
    }
}

static void add_figure(wr_preempt_figure *figure, uint32_t value, bool is_first)
{
    figure->sum += value;
    if (is_first || value < figure->min) {
        figure->min = value;
    }
    if (is_first || value > figure->max) {
        figure->max = value;
    }
}

/* All TBs have left: what it came to. */
static void end_leaving(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_context_record record = {.cycle = unit->since, .sm = id};

    if (unit->switched) {
        record = unit->engine.record;
    }
    record.latency = (uint32_t)(wr_gpu_cycle(p->gpu) - unit->since);
    record.drain = record.latency - record.spill;
    unit->record = record;
    unit->leaving = false;
    unit->returning = unit->by_signal;
    unit->restore_since = wr_gpu_cycle(p->gpu);
}

/* It is over, with the return where there was one. */
static void end_preemption(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_context_record *record = &unit->record;
    bool is_first = p->signals.done == 0;

    p->busy--;
    unit->returning = false;
    unit->ready_at = wr_gpu_cycle(p->gpu) + WR_PREEMPT_GAP;
    record->restore = (uint32_t)(wr_gpu_cycle(p->gpu) - unit->restore_since);
    if (unit->gone[WR_LEAVE_SWITCH] + unit->gone[WR_LEAVE_DRAIN] + unit->gone[WR_LEAVE_FLUSH] ==
        0) {
        p->signals.drained++;
        return;
    }
    add_figure(&p->latency, record->latency, is_first);
    add_figure(&p->drain, record->drain, is_first);
    add_figure(&p->spill, record->spill, is_first);
    add_figure(&p->stop, record->stop, is_first);
    add_figure(&p->restore, record->restore, is_first);
    if (unit->switched) {
        wr_context_sums_add(&p->sums, &record->sums);
    }
    for (uint32_t i = 0; unit->switched && i < WR_MAX_STREAMS; i++) {
        wr_context_sums_add(&p->kernel[unit->kernels[i]].sums, &unit->engine.sums[i]);
    }
    if (p->signals.done < WR_PREEMPT_RECORDS) {
        p->records[p->signals.done] = *record;
    }
    p->signals.done++;
    p->signals.claims += !unit->by_signal;
}

/* TBs in place are in the way of the launch that the SM gave way to: they take its room, or leave
 * no place in it. */
static bool must_clear(const wr_preemption *p, uint32_t id)
{
    const wr_preempt_unit *unit = &p->units[id];

    return p->options.in_place && !unit->by_signal &&
           wr_preempt_any_kept(p, id, wr_preempt_priority(p, unit->claimant)) &&
           (unit->full || !wr_sm_tb_room(wr_gpu_sm(p->gpu, id), unit->claimant, 0));
}

/* They come back first, and then leave as any other. False: this is not the preemption's end. */
static bool clear(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    uint32_t priority = wr_preempt_priority(p, unit->claimant);

    unit->clearing = wr_preempt_any_kept(p, id, priority);
    if (unit->clearing) {
        unit->full = false; /* who comes back to what it kept finds its place */
        return false;       /* they are dealt */
    }
    end_preemption(p, id);
    wr_preempt_leave(p, id, wr_preempt_lower_tbs(p, id, priority), false, unit->claimant);
    return false;
}

/* Goes on to the next part where one is over. True: the preemption is. */
static bool settle(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];

    if (!wr_context_engine_idle(&unit->engine) ||
        !(unit->leaving || unit->returning || unit->clearing) || unit->wants_plan ||
        unit->planning) {
        return false;
    }
    for (uint32_t how = 0; how < WR_LEAVES; how++) {
        if (unit->left[how] != 0) {
            return false;
        }
    }
    if (unit->leaving) {
        end_leaving(p, id);
        if (unit->returning) {
            wr_preempt_bring_home(p, id);
        }
    }
    if (!wr_context_engine_idle(&unit->engine) || unit->dealing ||
        (p->options.in_place && unit->returning && wr_preempt_next_home(p, id, 0) != UINT32_MAX)) {
        return false;
    }
    if (unit->clearing || must_clear(p, id)) {
        return clear(p, id);
    }
    end_preemption(p, id);
    wr_preempt_doors(p);
    return true;
}

void wr_preempt_settle(wr_preemption *p)
{
    for (uint32_t id = 0; p->busy != 0 && id < p->sm_count; id++) {
        (void)settle(p, id);
    }
}

void wr_preempt_sm_cycle(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_context_engine *engine = &unit->engine;

    if (engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    if (unit->wants_plan && wr_places_idle(&unit->places) && !wr_preempt_ask_plan(p, id)) {
        wr_preempt_planned(p, id);
    }
    bool works = !wr_context_engine_idle(engine) || !wr_places_idle(&unit->places);

    if (works && wr_bay_begin(p->bay, id, wr_gpu_cycle(p->gpu))) {
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_SM], id);
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_STATE], engine->state);
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_SAVED_WARP],
                   engine->state == WR_CONTEXT_WARP ? engine->pipe[0].job.warp : 0);
    }
    if (!wr_places_idle(&unit->places) && !wr_preempt_places_cycle(p, id)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, id, unit->places.fault));
        return;
    }
    if (!wr_context_engine_idle(engine)) {
        wr_context_engine_step(engine, wr_gpu_sm(p->gpu, id));
        take_events(p, id);
    }
    flush(p, id);
    bool ended = engine->state != WR_CONTEXT_FAILED && settle(p, id);

    if (works && wr_bay_end(p->bay, id) && ended) {
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_STATE], WR_CONTEXT_IDLE);
    }
    if (works && ended) {
        wr_bay_session_over(p->bay, id);
    }
    if (works && wr_context_engine_idle(engine)) {
        wr_preempt_doors(p);
    }
    if (engine->state == WR_CONTEXT_FAILED) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, id, engine->message));
        return;
    }
    attend(p, id);
}

void wr_preempt_drop(wr_preemption *p)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_preempt_unit *unit = &p->units[id];
        bool failed = unit->engine.state == WR_CONTEXT_FAILED;

        if ((unit->leaving || unit->returning) && !failed) {
            p->signals.drained += unit->gone[WR_LEAVE_SWITCH] + unit->gone[WR_LEAVE_DRAIN] +
                                      unit->gone[WR_LEAVE_FLUSH] ==
                                  0;
        }
        unit->leaving = unit->returning = unit->clearing = unit->wants_plan = false;
        memset(unit->left, 0, sizeof unit->left);
        wr_context_engine_drop(&unit->engine, wr_gpu_sm(p->gpu, id));
        attend(p, id);
    }
    p->busy = 0;
    p->absent_count = 0;
}
