/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a context engine, its cycle and its counts; the two halves of its work are in
 * engine_save.c and engine_restore.c. */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Sizes that the context format fixes. */
static bool fits(const wr_gpu_config *cfg, char *err, size_t err_size)
{
    if (cfg->sm.warp_size == 32 && cfg->context.segment_bytes == WR_CTX_SEGMENT &&
        cfg->context.pad_bytes == 32 && cfg->context.pointer_bytes == 8 &&
        cfg->sm.max_tbs <= WR_CONFIG_MAX_TBS) {
        return true;
    }
    (void)snprintf(err, err_size,
                   "saving contexts needs a configuration with sm.warp_size 32, "
                   "context.segment_bytes 128, context.pad_bytes 32, context.pointer_bytes 8");
    return false;
}

static bool add_port(wr_context_engine *engine, wr_port *port)
{
    assert(engine->ports < WR_CONTEXT_BLOCKS);
    engine->port[engine->ports++] = port;
    return true;
}

static bool open_save(wr_context_engine *engine, const wr_gpu_config *cfg, const wr_behind *behind,
                      char *err, size_t err_size)
{
    switch (engine->kind) {
    case WR_CONTEXT_LIVE:
        return wr_raw_path_open(&engine->raw, cfg, true, behind, err, err_size) &&
               add_port(engine, &engine->raw.decoder.port);
    case WR_CONTEXT_ALL:
        return wr_raw_path_open(&engine->raw, cfg, false, behind, err, err_size);
    default:
        for (uint32_t p = 0; p < engine->pipelines; p++) {
            if (!wr_save_path_open(&engine->pipe[p].path, cfg, behind, err, err_size)) {
                return false;
            }
            (void)add_port(engine, &engine->pipe[p].path.saver.port);
        }
        return true;
    }
}

/* The blocks of whole TBs, both ways. */
static bool open_whole(wr_context_engine *engine, const wr_gpu_config *cfg, const wr_behind *behind,
                       char *err, size_t err_size)
{
    if (engine->kind != WR_CONTEXT_BY_TB) {
        return true;
    }
    return wr_tb_save_open(&engine->whole, cfg, behind, err, err_size) &&
           wr_tb_restore_open(&engine->whole_back, cfg, behind, err, err_size) &&
           add_port(engine, &engine->whole.decoder.port) &&
           add_port(engine, &engine->whole.compressor.port) &&
           add_port(engine, &engine->whole.common.port) &&
           add_port(engine, &engine->whole_back.lanes.port);
}

static bool open_parts(wr_context_engine *engine, const wr_behind *behind, char *err,
                       size_t err_size)
{
    for (uint32_t i = 0; i < WR_CTX_AHEAD; i++) {
        if (!wr_parts_open(&engine->parts[i], behind, err, err_size)) {
            return false;
        }
        (void)add_port(engine, &engine->parts[i].port.port);
    }
    return true;
}

bool wr_context_engine_open(wr_context_engine *engine, const wr_gpu_config *cfg,
                            const wr_behind *behind, wr_owner owner, wr_context_area *areas,
                            wr_context_kind kind, uint32_t pipelines, char *err, size_t err_size)
{
    uint32_t port = cfg->context.shared_bytes_per_cycle;

    assert(pipelines >= 1 && pipelines <= WR_CONTEXT_PIPELINES);
    assert(pipelines == 1 || kind == WR_CONTEXT_BY_WARP);
    memset(engine, 0, sizeof *engine);
    engine->owner = owner;
    engine->areas = areas;
    engine->kind = kind;
    engine->pipelines = pipelines;
    engine->port_cycles = (WR_CTX_SEGMENT + port - 1) / port;
    return fits(cfg, err, err_size) && open_save(engine, cfg, behind, err, err_size) &&
           wr_restore_path_open(&engine->restore, cfg, behind, err, err_size) &&
           add_port(engine, &engine->restore.restorer.port) &&
           open_whole(engine, cfg, behind, err, err_size) &&
           open_parts(engine, behind, err, err_size);
}

void wr_context_engine_close(wr_context_engine *engine)
{
    for (uint32_t p = 0; p < WR_CONTEXT_PIPELINES; p++) {
        wr_save_path_close(&engine->pipe[p].path);
    }
    wr_raw_path_close(&engine->raw);
    wr_restore_path_close(&engine->restore);
    wr_tb_save_close(&engine->whole);
    wr_tb_restore_close(&engine->whole_back);
    for (uint32_t i = 0; i < WR_CTX_AHEAD; i++) {
        wr_parts_close(&engine->parts[i]);
    }
}

bool wr_context_launch(wr_context_area *area, wr_gpu *gpu, const wr_launch *launch,
                       wr_context_kind kind, uint32_t entries, const char *who, char *why,
                       size_t size)
{
    if (!wr_parts_take(launch, why, size)) {
        return false;
    }
    if (wr_context_area_prepare(area, gpu, launch, kind, entries)) {
        return true;
    }
    (void)snprintf(why, size,
                   "%s has to save up to %u TBs of %llu bytes, for which the buffers leave no room "
                   "in simulated memory: make the buffers smaller, or lower sms or sm.max_tbs "
                   "(--set)",
                   who, entries,
                   (unsigned long long)area->regs_bytes + area->shared_room + area->stack_bytes);
    return false;
}

static bool is_coming(const wr_context_engine *engine, uint32_t slot)
{
    for (uint32_t i = 0; i < engine->coming_count; i++) {
        if (engine->coming[(engine->coming_first + i) % WR_CTX_AHEAD].slot == slot) {
            return true;
        }
    }
    return false;
}

static void begin_saves(wr_context_engine *engine, const wr_sm *sm)
{
    engine->saving = true;
    engine->begun = false;
    memset(&engine->record, 0, sizeof engine->record);
    memset(engine->sums, 0, sizeof engine->sums);
    engine->record.sm = wr_sm_id(sm);
}

uint64_t wr_context_engine_save(wr_context_engine *engine, wr_sm *sm, uint64_t tbs)
{
    uint64_t more = 0;

    assert(engine->state != WR_CONTEXT_FAILED);
    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        uint64_t bit = UINT64_C(1) << t;
        wr_tb_info info = wr_sm_tb(sm, t);

        if ((tbs & ~engine->open & bit) == 0 || !info.valid || is_coming(engine, t)) {
            continue;
        }
        uint32_t kept = ((engine->keep_registers & bit) != 0 ? WR_KEEPS_REGISTERS : 0) |
                        ((engine->keep_shared & bit) != 0 ? WR_KEEPS_SHARED : 0);

        engine->tb[t].tb = (wr_saved_tb){.info = info, .where.kept = kept};
        engine->tb[t].begun = engine->tb[t].saved = 0;
        engine->tb[t].by_warp = false;
        engine->tb[t].is_whole = false;
        more |= bit;
    }
    engine->keep_registers = engine->keep_shared = 0;
    if (more == 0) {
        return 0;
    }
    if (!engine->saving) {
        begin_saves(engine, sm);
    }
    engine->open |= more;
    engine->all_stopped = false;
    if (engine->state == WR_CONTEXT_IDLE || engine->state == WR_CONTEXT_ACKS ||
        engine->state == WR_CONTEXT_PLACE) {
        engine->state = WR_CONTEXT_PICK;
    }
    engine->early = 0;
    wr_engine_stop(engine, sm);
    wr_sm_attend(sm, engine->owner, true);
    return more;
}

void wr_context_engine_announce(wr_context_engine *engine, wr_sm *sm, uint64_t tbs)
{
    engine->early = tbs;
    wr_engine_stop(engine, sm);
}

void wr_context_engine_keep(wr_context_engine *engine, uint64_t registers, uint64_t shared)
{
    engine->keep_registers = registers;
    engine->keep_shared = shared;
}

void wr_context_engine_halt(wr_context_engine *engine, wr_sm *sm, uint64_t tbs)
{
    engine->halted = tbs;
    wr_engine_stop(engine, sm);
}

bool wr_context_engine_restore(wr_context_engine *engine, wr_sm *sm, const wr_saved_tb *tb)
{
    assert(engine->state != WR_CONTEXT_FAILED);
    if (engine->in_count == WR_CONFIG_MAX_TBS) {
        return false;
    }
    engine->in[(engine->in_first + engine->in_count) % WR_CONFIG_MAX_TBS] = *tb;
    engine->in_count++;
    if (engine->state == WR_CONTEXT_IDLE) {
        engine->state = WR_CONTEXT_PLACE;
    }
    wr_sm_attend(sm, engine->owner, true);
    return true;
}

/* Does any warp that is to be saved still execute? */
static bool any_runs(const wr_context_engine *engine, const wr_sm *sm)
{
    for (uint64_t left = engine->open; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        wr_tb_info tb = wr_sm_tb(sm, slot);

        for (uint32_t w = 0; tb.valid && w < tb.warps; w++) {
            uint32_t at = wr_sm_tb_warp(sm, slot, w);
            wr_warp_info warp = at != UINT32_MAX ? wr_sm_warp(sm, at) : (wr_warp_info){0};

            if (!warp.done && !(warp.stopped && warp.drained)) {
                return true;
            }
        }
    }
    return false;
}

void wr_context_sums_add(wr_context_sums *to, const wr_context_sums *from)
{
    to->tbs += from->tbs;
    to->warps += from->warps;
    to->occupied_bytes += from->occupied_bytes;
    to->live_bytes += from->live_bytes;
    to->data_bytes += from->data_bytes;
    to->padded_bytes += from->padded_bytes;
    to->pattern_bytes += from->pattern_bytes;
    to->pred_bytes += from->pred_bytes;
    to->stack_bytes += from->stack_bytes;
    to->stack_entry_bytes += from->stack_entry_bytes;
    to->shared_bytes += from->shared_bytes;
    to->ccb_bytes += from->ccb_bytes;
    to->uniform += from->uniform;
    to->strided += from->strided;
    to->random += from->random;
    to->dead += from->dead;
    to->whole.tbs += from->whole.tbs;
    to->whole.warps += from->whole.warps;
    to->whole.data_bytes += from->whole.data_bytes;
    to->whole.warp_bytes += from->whole.warp_bytes;
    for (uint32_t c = 0; c < WR_TB_CLASSES; c++) {
        to->whole.registers[c] += from->whole.registers[c];
    }
}

/* TBs that have left and whose last write is acknowledged go to the user. */
static void hand_over(wr_context_engine *engine, const wr_sm *sm)
{
    if (engine->out_count == 0 || engine->state == WR_CONTEXT_READ || wr_sm_ctx_pending(sm) != 0) {
        return;
    }
    for (uint32_t i = 0; i < engine->out_count; i++) {
        wr_engine_tell(engine, &engine->out[i]);
    }
    engine->out_count = 0;
}

static void end_saves(wr_context_engine *engine, wr_sm *sm)
{
    wr_context_record *record = &engine->record;

    engine->saving = false;
    record->latency = (uint32_t)(wr_gpu_cycle(wr_sm_gpu(sm)) - record->cycle);
    assert(record->latency == record->drain + record->spill);
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        wr_context_sums_add(&record->sums, &engine->sums[i]);
    }
    engine->state = engine->in_count != 0 ? WR_CONTEXT_PLACE : WR_CONTEXT_IDLE;
}

static void step_saves(wr_context_engine *engine, wr_sm *sm)
{
    if (!engine->begun) {
        engine->begun = true;
        engine->record.cycle = wr_gpu_cycle(wr_sm_gpu(sm));
    }
    engine->all_stopped = engine->all_stopped || !any_runs(engine, sm);
    if (!engine->all_stopped) {
        engine->record.stop++;
    }
    hand_over(engine, sm);
    if (engine->state == WR_CONTEXT_READ) {
        engine->record.drain++;
        wr_engine_restore_step(engine, sm);
    } else if (engine->state == WR_CONTEXT_ACKS && engine->out_count == 0) {
        end_saves(engine, sm); /* this cycle is not counted */
    } else {
        wr_engine_save_step(engine, sm);
    }
}

void wr_context_engine_step(wr_context_engine *engine, wr_sm *sm)
{
    assert(engine->state != WR_CONTEXT_IDLE && engine->state != WR_CONTEXT_FAILED);
    engine->event_count = 0;
    engine->evicted = 0;
    if (engine->saving) {
        step_saves(engine, sm);
    } else {
        engine->record.restore++;
        wr_engine_restore_step(engine, sm);
    }
    if (engine->state == WR_CONTEXT_IDLE) {
        wr_sm_attend(sm, engine->owner, false);
    }
}

void wr_context_engine_drop(wr_context_engine *engine, wr_sm *sm)
{
    if (engine->state == WR_CONTEXT_IDLE || engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    engine->state = WR_CONTEXT_IDLE;
    engine->saving = false;
    engine->open = 0;
    engine->out_count = 0;
    engine->in_count = 0;
    engine->coming_count = engine->asked_count = 0;
    engine->has_reply = false;
    for (uint32_t i = 0; i < WR_CTX_AHEAD; i++) {
        wr_parts_reset(&engine->parts[i]);
    }
    for (uint32_t p = 0; p < WR_CONTEXT_PIPELINES; p++) {
        engine->pipe[p].busy = false;
    }
    engine->early = engine->halted = 0;
    wr_engine_stop(engine, sm);
    wr_sm_attend(sm, engine->owner, false);
}

void wr_engine_stop(wr_context_engine *engine, wr_sm *sm)
{
    uint64_t saved = engine->open | engine->early;
    bool at_once = engine->kind == WR_CONTEXT_ALL;

    wr_sm_stop_tbs(sm, engine->owner, at_once ? 0 : saved);
    wr_sm_halt_tbs(sm, engine->owner, at_once ? saved : 0);
    wr_sm_drop_tbs(sm, engine->owner, engine->halted);
}

void wr_engine_tell(wr_context_engine *engine, const wr_context_event *event)
{
    assert(engine->event_count < sizeof engine->event / sizeof engine->event[0]);
    engine->event[engine->event_count++] = *event;
}

void wr_engine_fail(wr_context_engine *engine, const wr_sm *sm, const char *what)
{
    (void)snprintf(engine->message, sizeof engine->message, "context engine of SM %u: %s",
                   wr_sm_id(sm), what);
    engine->state = WR_CONTEXT_FAILED;
}

const char *const wr_context_kind_names[WR_CONTEXT_KINDS + 1] = {
    [WR_CONTEXT_BY_WARP] = "warp", [WR_CONTEXT_LIVE] = "live", [WR_CONTEXT_ALL] = "all",
    [WR_CONTEXT_BY_TB] = "tb",     [WR_CONTEXT_KINDS] = NULL,
};

const char *wr_context_state_name(wr_context_state state)
{
    static const char *const names[WR_CONTEXT_STATES] = {
        [WR_CONTEXT_IDLE] = "idle",   [WR_CONTEXT_PICK] = "pick",   [WR_CONTEXT_WARP] = "warp",
        [WR_CONTEXT_WHOLE] = "whole", [WR_CONTEXT_PARTS] = "parts", [WR_CONTEXT_ACKS] = "acks",
        [WR_CONTEXT_PLACE] = "place", [WR_CONTEXT_READ] = "read",   [WR_CONTEXT_FAILED] = "failed",
    };

    return names[state];
}
