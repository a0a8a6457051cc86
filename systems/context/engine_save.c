/* SPDX-License-Identifier: Apache-2.0 */
/* The saving half of a context engine.
 *
 * Warps are saved as they become ready, lowest slot first, while others still run, one by each
 * pipeline; a TB whose
 * live warps are all saved goes before the next warp, so that its room is free early. Shared
 * memory is read after the last warp of its TB has stopped: until then it may still change.
 */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Bits of the TB's warps that have not finished, those that are away among them. */
static uint64_t live_warps(const wr_sm *sm, uint32_t slot, uint32_t warps)
{
    uint64_t live = 0;

    for (uint32_t w = 0; w < warps; w++) {
        uint32_t warp = wr_sm_tb_warp(sm, slot, w);

        if (warp == UINT32_MAX || !wr_sm_warp(sm, warp).done) {
            live |= UINT64_C(1) << w;
        }
    }
    return live;
}

static const wr_tb_info *info_of(const wr_context_engine *engine, uint32_t slot)
{
    return &engine->tb[slot].tb.info;
}

static wr_context_area *area_of(const wr_context_engine *engine, uint32_t slot)
{
    return &engine->areas[info_of(engine, slot)->stream];
}

static wr_context_sums *sums_of(wr_context_engine *engine, uint32_t slot)
{
    return &engine->sums[info_of(engine, slot)->stream];
}

static bool is_raw(const wr_context_engine *engine)
{
    return engine->kind == WR_CONTEXT_LIVE || engine->kind == WR_CONTEXT_ALL;
}

/* The first registers of a TB bring the TB its entry. False: there is none. */
static bool has_entry(wr_context_engine *engine, const wr_sm *sm, uint32_t slot)
{
    wr_context_tb *tb = &engine->tb[slot];
    wr_context_area *area = area_of(engine, slot);

    if (tb->begun == 0 && !tb->by_warp) {
        tb->tb.entry = wr_context_entry_take(area);
    }
    if (tb->tb.entry == UINT32_MAX) {
        char text[128];

        (void)snprintf(text, sizeof text,
                       "all %u entries of the context control block are taken by saved TBs",
                       area->entries);
        wr_engine_fail(engine, sm, text);
        return false;
    }
    return true;
}

static void begin_warp(wr_context_engine *engine, const wr_sm *sm, wr_context_pipeline *pipe,
                       uint32_t slot, uint32_t index)
{
    wr_context_tb *tb = &engine->tb[slot];
    const wr_context_area *area = area_of(engine, slot);

    if (!has_entry(engine, sm, slot)) {
        return;
    }
    tb->begun |= UINT64_C(1) << index;
    if ((tb->tb.where.kept & WR_KEEPS_REGISTERS) != 0) { /* they are where they are to be */
        tb->saved |= UINT64_C(1) << index;
        return;
    }
    pipe->slot = slot;
    pipe->index = index;
    pipe->job = (wr_save_job){
        .warp = wr_sm_tb_warp(sm, slot, index),
        .regs = tb->tb.info.regs,
        .pag = area->pag,
        .slot_bytes = area->slot_bytes,
    };
    if (!wr_engine_slot(engine, sm, slot, index, &pipe->job.slot)) {
        return;
    }
    if (is_raw(engine)) {
        wr_raw_path_begin(&engine->raw, &pipe->job);
    } else {
        wr_save_path_begin(&pipe->path, &pipe->job);
    }
    pipe->busy = true;
    engine->state = WR_CONTEXT_WARP;
}

static void begin_whole(wr_context_engine *engine, const wr_sm *sm, uint32_t slot)
{
    const wr_tb_info *info = info_of(engine, slot);
    const wr_context_area *area = area_of(engine, slot);

    if (!has_entry(engine, sm, slot)) {
        return;
    }
    wr_tb_save_job job = {
        .warps = info->warps,
        .regs = info->regs,
        .pag = area->pag,
        .room = info->warps * area->slot_bytes,
    };

    if (!wr_engine_slot(engine, sm, slot, WR_ENGINE_WHOLE, &job.addr)) {
        return;
    }
    for (uint32_t w = 0; w < info->warps; w++) {
        job.slot[w] = wr_sm_tb_warp(sm, slot, w);
    }
    engine->slot = slot;
    wr_tb_save_begin(&engine->whole, &job);
    engine->state = WR_CONTEXT_WHOLE;
}

/* The warp stands, and nothing of it is on its way that is to be awaited. */
static bool is_still(const wr_context_engine *engine, const wr_warp_info *warp)
{
    return warp->stopped && warp->drained && !(engine->awaits_stores && warp->stores);
}

/* How the TB's registers go: warp by warp; as a whole, all of its warps stand at one barrier; or
 * that is not known yet, since those that have stopped do and others still run. Partial warps and
 * warps that have finished have no part in a whole (Lin-P III.C: "only enabled when the preemption
 * point is a barrier"). */
typedef enum way { BY_WARPS, WHOLE, NOT_YET } way;

static way way_of(const wr_context_engine *engine, const wr_sm *sm, uint32_t slot)
{
    const wr_context_tb *tb = &engine->tb[slot];
    const wr_tb_info *info = &tb->tb.info;
    uint32_t pc = UINT32_MAX;
    way answer = WHOLE;

    if (engine->kind != WR_CONTEXT_BY_TB || tb->by_warp || tb->saved != 0 ||
        (tb->tb.where.kept & WR_KEEPS_REGISTERS) != 0 ||
        info->threads != info->warps * (WR_CTX_REGISTER / 4)) {
        return BY_WARPS;
    }
    for (uint32_t w = 0; w < info->warps; w++) {
        uint32_t at = wr_sm_tb_warp(sm, slot, w);
        wr_warp_info warp = at != UINT32_MAX ? wr_sm_warp(sm, at) : (wr_warp_info){0};

        if (warp.done) {
            return BY_WARPS;
        }
        if (!is_still(engine, &warp)) {
            answer = NOT_YET;
            continue;
        }
        if (warp.depth > 1 || (pc != UINT32_MAX && warp.pc != pc) ||
            wr_sm_fetch(sm, at, warp.pc) >> WR_ISA_OPCODE_SHIFT != WR_OP_BAR_PP) {
            return BY_WARPS;
        }
        pc = warp.pc;
    }
    return answer;
}

/* The TB that was to be saved has run to its end; another one may lie in its slot by now. */
static bool has_finished(const wr_context_engine *engine, const wr_sm *sm, uint32_t slot)
{
    const wr_tb_info *wanted = &engine->tb[slot].tb.info;
    wr_tb_info now = wr_sm_tb(sm, slot);

    return !now.valid || now.linear != wanted->linear || now.stream != wanted->stream ||
           now.launch != wanted->launch;
}

/* Forgets TBs that have finished; the next ones in their slots are not to stop. */
static void sweep(wr_context_engine *engine, wr_sm *sm)
{
    uint64_t before = engine->open;

    for (uint64_t left = before; left != 0; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);

        if (has_finished(engine, sm, t)) {
            wr_context_event event = {WR_CONTEXT_FINISHED, t, engine->tb[t].tb};

            assert(engine->tb[t].begun == 0);
            engine->open &= ~(UINT64_C(1) << t);
            wr_engine_tell(engine, &event);
        }
    }
    if (engine->open != before) {
        wr_engine_stop(engine, sm);
    }
}

/* The lowest warp slot of the TB with a ready warp whose save has not begun, and its number in it;
 * UINT32_MAX: there is none. */
static uint32_t ready_warp(const wr_context_engine *engine, const wr_sm *sm, uint32_t slot,
                           uint32_t *index)
{
    const wr_context_tb *tb = &engine->tb[slot];
    uint32_t best = UINT32_MAX;

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        uint32_t at = (tb->begun >> w & 1u) != 0 ? UINT32_MAX : wr_sm_tb_warp(sm, slot, w);

        if (at >= best) {
            continue;
        }
        wr_warp_info warp = wr_sm_warp(sm, at);

        if (!warp.done && is_still(engine, &warp)) {
            best = at;
            *index = w;
        }
    }
    return best;
}

/* Chooses what to save next, a warp by this pipeline. False: nothing is ready. */
static bool pick(wr_context_engine *engine, wr_sm *sm, wr_context_pipeline *pipe)
{
    uint32_t best = UINT32_MAX;
    uint32_t best_slot = 0;
    uint32_t best_index = 0;
    way best_way = BY_WARPS;

    sweep(engine, sm);
    if (engine->open == 0) {
        engine->state = WR_CONTEXT_ACKS;
        return true;
    }
    if (engine->out_count == WR_CONFIG_MAX_TBS) {
        return false; /* until these are handed over */
    }
    for (uint64_t left = engine->open; left != 0; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);
        const wr_context_tb *tb = &engine->tb[t];
        uint64_t live = live_warps(sm, t, tb->tb.info.warps);
        uint32_t index;

        if (live != 0 && (live & ~tb->saved) == 0) {
            wr_engine_parts_begin(engine, t);
            return true;
        }
        way how = way_of(engine, sm, t);
        uint32_t warp = how != NOT_YET ? ready_warp(engine, sm, t, &index) : UINT32_MAX;

        if (warp < best) {
            best = warp;
            best_way = how;
            best_index = index;
            best_slot = t;
        }
    }
    if (best == UINT32_MAX) {
        return false;
    }
    if (best_way == WHOLE) {
        begin_whole(engine, sm, best_slot);
    } else {
        begin_warp(engine, sm, pipe, best_slot, best_index);
    }
    return true;
}

static void end_warp(wr_context_engine *engine, wr_context_pipeline *pipe)
{
    const wr_saved_warp *saved = is_raw(engine) ? &engine->raw.result : &pipe->path.result;
    const wr_pattern_count *count = &saved->count;
    wr_context_sums *sums = sums_of(engine, pipe->slot);
    wr_context_tb *tb = &engine->tb[pipe->slot];
    uint32_t regs = pipe->job.regs;

    memcpy(tb->pattern[pipe->index], saved->pattern, sizeof saved->pattern);
    tb->saved |= UINT64_C(1) << pipe->index;
    pipe->busy = false;
    sums->warps++;
    sums->occupied_bytes += (uint64_t)regs * WR_CTX_REGISTER;
    sums->live_bytes += (uint64_t)count->live * WR_CTX_REGISTER;
    sums->data_bytes += (uint64_t)count->words * 4;
    sums->padded_bytes += saved->bytes;
    sums->uniform += count->uniform;
    sums->strided += count->strided;
    sums->random += count->random;
    sums->dead += regs - count->live;
}

static void end_whole(wr_context_engine *engine)
{
    const wr_saved_whole *saved = &engine->whole.result;
    const wr_tb_save_job *job = &engine->whole.job;
    const wr_pattern_count *count = &saved->by_warp;
    wr_context_sums *sums = sums_of(engine, engine->slot);
    wr_context_tb *tb = &engine->tb[engine->slot];

    engine->state = WR_CONTEXT_PICK;
    if (engine->whole.bypass) {
        tb->by_warp = true;
        return;
    }
    tb->whole = *saved;
    tb->is_whole = true;
    tb->begun = tb->saved = UINT64_MAX >> (64 - job->warps);
    sums->warps += job->warps;
    sums->occupied_bytes += (uint64_t)job->warps * job->regs * WR_CTX_REGISTER;
    sums->live_bytes += (uint64_t)count->live * WR_CTX_REGISTER;
    sums->data_bytes += (uint64_t)saved->words * 4;
    sums->padded_bytes += saved->bytes;
    sums->uniform += count->uniform;
    sums->strided += count->strided;
    sums->random += count->random;
    sums->dead += (uint64_t)job->warps * job->regs - count->live;
    sums->whole.tbs++;
    sums->whole.warps += job->warps;
    sums->whole.data_bytes += (uint64_t)saved->words * 4;
    sums->whole.warp_bytes += (uint64_t)count->words * 4;
    for (uint32_t c = 0; c < WR_TB_CLASSES; c++) {
        sums->whole.registers[c] += (uint64_t)job->warps * saved->registers[c];
    }
}

static void whole_fault(wr_context_engine *engine, const wr_sm *sm)
{
    char text[480];

    (void)snprintf(text, sizeof text, "%s (save of TB %u)", engine->whole.fault,
                   info_of(engine, engine->slot)->linear);
    wr_engine_fail(engine, sm, text);
}

static void warp_fault(wr_context_engine *engine, const wr_sm *sm, const wr_context_pipeline *pipe)
{
    wr_warp_info warp = wr_sm_warp(sm, pipe->job.warp);
    char text[480];

    (void)snprintf(text, sizeof text, "%s (save of warp %u at pc 0x%x)",
                   is_raw(engine) ? engine->raw.fault : pipe->path.fault, pipe->job.warp, warp.pc);
    wr_engine_fail(engine, sm, text);
}

/* One cycle of a busy pipeline. may_write: nothing has entered the queue in this cycle. */
static void step_pipe(wr_context_engine *engine, wr_sm *sm, wr_context_pipeline *pipe,
                      bool *may_write)
{
    wr_path_status status = is_raw(engine) ? wr_raw_path_step(&engine->raw, sm)
                                           : wr_save_path_step(&pipe->path, sm, may_write);

    if (status == WR_PATH_DONE) {
        end_warp(engine, pipe);
    } else if (status == WR_PATH_FAULT) {
        warp_fault(engine, sm, pipe);
    }
}

static bool any_busy(const wr_context_engine *engine)
{
    for (uint32_t p = 0; p < engine->pipelines; p++) {
        if (engine->pipe[p].busy) {
            return true;
        }
    }
    return false;
}

/* A saved warp ends in the cycle in which the next one begins: context_saver takes a start while
 * it shows the last warp's result. */
static void step_warps(wr_context_engine *engine, wr_sm *sm)
{
    bool may_write = true;

    for (uint32_t p = 0; p < engine->pipelines && engine->state != WR_CONTEXT_FAILED; p++) {
        wr_context_pipeline *pipe = &engine->pipe[p];

        if (pipe->busy) {
            step_pipe(engine, sm, pipe, &may_write);
        }
        if (!pipe->busy && engine->state == WR_CONTEXT_WARP && pick(engine, sm, pipe) &&
            pipe->busy) {
            step_pipe(engine, sm, pipe, &may_write);
        }
    }
    if (engine->state == WR_CONTEXT_PARTS) { /* begun in this cycle */
        (void)wr_engine_parts_step(engine, sm);
    } else if (engine->state == WR_CONTEXT_WARP && !any_busy(engine)) {
        engine->state = WR_CONTEXT_PICK;
    }
}

/* The parts of one TB, while pipelines end the warps that they have begun. */
static void step_parts(wr_context_engine *engine, wr_sm *sm)
{
    bool may_write = !wr_engine_parts_step(engine, sm);

    for (uint32_t p = 0; p < engine->pipelines; p++) {
        if (engine->pipe[p].busy && engine->state != WR_CONTEXT_FAILED) {
            step_pipe(engine, sm, &engine->pipe[p], &may_write);
        }
    }
    if (engine->state == WR_CONTEXT_PICK && any_busy(engine)) {
        engine->state = WR_CONTEXT_WARP;
    }
}

static void step_whole(wr_context_engine *engine, wr_sm *sm)
{
    wr_path_status status = wr_tb_save_step(&engine->whole, sm);

    if (status == WR_PATH_FAULT) {
        whole_fault(engine, sm);
    } else if (status == WR_PATH_DONE) {
        end_whole(engine);
    }
}

void wr_engine_save_step(wr_context_engine *engine, wr_sm *sm)
{
    if (engine->state == WR_CONTEXT_PICK && !pick(engine, sm, &engine->pipe[0])) {
        engine->record.drain++;
        return;
    }
    engine->record.spill++;
    switch (engine->state) {
    case WR_CONTEXT_PICK: /* a warp was looked at whose registers stay in place */
        break;
    case WR_CONTEXT_WARP:
        step_warps(engine, sm);
        break;
    case WR_CONTEXT_WHOLE:
        step_whole(engine, sm);
        break;
    case WR_CONTEXT_PARTS:
        step_parts(engine, sm);
        break;
    default:
        assert(engine->state == WR_CONTEXT_ACKS || engine->state == WR_CONTEXT_FAILED);
        break;
    }
}
