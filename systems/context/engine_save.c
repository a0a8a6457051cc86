/* SPDX-License-Identifier: Apache-2.0 */
/* The saving half of a context engine.
 *
 * Warps are saved as they become ready, lowest slot first, while others still run; a TB whose
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

/* The TB in work, its area and the sums that it goes into. */
static const wr_tb_info *info_of(const wr_context_engine *engine)
{
    return &engine->tb[engine->slot].tb.info;
}

static wr_context_area *area_of(const wr_context_engine *engine)
{
    return &engine->areas[info_of(engine)->stream];
}

static wr_context_sums *sums_of(wr_context_engine *engine)
{
    return &engine->sums[info_of(engine)->stream];
}

static bool keeps(const wr_context_engine *engine, uint32_t part)
{
    return (engine->tb[engine->slot].tb.where.kept & part) != 0;
}

/* What context_sequencer is told of the TB in work. */
static wr_parts_job parts_of(const wr_context_engine *engine, bool is_whole)
{
    const wr_context_tb *tb = &engine->tb[engine->slot];

    return (wr_parts_job){.area = area_of(engine),
                          .entry = tb->tb.entry,
                          .is_whole = is_whole,
                          .kept = tb->tb.where.kept,
                          .pace = engine->port_cycles - 1};
}

static void parts_fault(wr_context_engine *engine, const wr_sm *sm)
{
    char text[480];

    (void)snprintf(text, sizeof text, "%s (save of TB %u)", engine->parts[0].fault,
                   info_of(engine)->linear);
    wr_engine_fail(engine, sm, text);
}

/* The rest of a TB whose registers are saved. */
static void begin_parts(wr_context_engine *engine)
{
    const wr_parts_job job = parts_of(engine, engine->tb[engine->slot].is_whole);

    wr_parts_start(&engine->parts[0], &job);
    sums_of(engine)->tbs++;
    engine->state = WR_CONTEXT_PARTS;
}

static bool is_raw(const wr_context_engine *engine)
{
    return engine->kind == WR_CONTEXT_LIVE || engine->kind == WR_CONTEXT_ALL;
}

/* The first registers of a TB bring the TB its entry. False: there is none. */
static bool has_entry(wr_context_engine *engine, const wr_sm *sm)
{
    wr_context_tb *tb = &engine->tb[engine->slot];
    wr_context_area *area = area_of(engine);

    if (tb->saved == 0 && !tb->by_warp) {
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

static void begin_warp(wr_context_engine *engine, const wr_sm *sm, uint32_t index)
{
    wr_context_tb *tb = &engine->tb[engine->slot];
    const wr_tb_info *info = &tb->tb.info;
    const wr_context_area *area = area_of(engine);

    if (!has_entry(engine, sm)) {
        return;
    }
    if (keeps(engine, WR_KEEPS_REGISTERS)) { /* they are where they are to be */
        tb->saved |= UINT64_C(1) << index;
        engine->state = WR_CONTEXT_PICK;
        return;
    }
    const wr_parts_job parts = parts_of(engine, false);
    wr_save_job job = {
        .warp = wr_sm_tb_warp(sm, engine->slot, index),
        .regs = info->regs,
        .pag = area->pag,
        .slot_bytes = area->slot_bytes,
    };

    if (!wr_parts_slot(&engine->parts[0], &parts, index, &job.slot)) {
        parts_fault(engine, sm);
        return;
    }

    engine->index = index;
    engine->job = job;
    if (is_raw(engine)) {
        wr_raw_path_begin(&engine->raw, &job);
    } else {
        wr_save_path_begin(&engine->save, &job);
    }
    engine->state = WR_CONTEXT_WARP;
}

static void begin_whole(wr_context_engine *engine, const wr_sm *sm)
{
    const wr_context_tb *tb = &engine->tb[engine->slot];
    const wr_tb_info *info = &tb->tb.info;
    const wr_context_area *area = area_of(engine);

    if (!has_entry(engine, sm)) {
        return;
    }
    const wr_parts_job parts = parts_of(engine, true);
    wr_tb_save_job job = {
        .warps = info->warps,
        .regs = info->regs,
        .pag = area->pag,
        .room = info->warps * area->slot_bytes,
    };

    if (!wr_parts_slot(&engine->parts[0], &parts, 0, &job.addr)) {
        parts_fault(engine, sm);
        return;
    }

    for (uint32_t w = 0; w < info->warps; w++) {
        job.slot[w] = wr_sm_tb_warp(sm, engine->slot, w);
    }
    wr_tb_save_begin(&engine->whole, &job);
    engine->state = WR_CONTEXT_WHOLE;
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
        if (!warp.stopped || !warp.drained) {
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

            assert(engine->tb[t].saved == 0);
            engine->open &= ~(UINT64_C(1) << t);
            wr_engine_tell(engine, &event);
        }
    }
    if (engine->open != before) {
        wr_engine_stop(engine, sm);
    }
}

/* The lowest warp slot of the TB with a ready warp that is not saved, and the warp's number in it;
 * UINT32_MAX: there is none. */
static uint32_t ready_warp(const wr_context_engine *engine, const wr_sm *sm, uint32_t slot,
                           uint32_t *index)
{
    const wr_context_tb *tb = &engine->tb[slot];
    uint32_t best = UINT32_MAX;

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        uint32_t at = (tb->saved >> w & 1u) != 0 ? UINT32_MAX : wr_sm_tb_warp(sm, slot, w);

        if (at >= best) {
            continue;
        }
        wr_warp_info warp = wr_sm_warp(sm, at);

        if (warp.stopped && warp.drained && !warp.done) {
            best = at;
            *index = w;
        }
    }
    return best;
}

/* Chooses what to save next. False: nothing is ready. */
static bool pick(wr_context_engine *engine, wr_sm *sm)
{
    uint32_t best = UINT32_MAX;
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
            engine->slot = t;
            begin_parts(engine);
            return true;
        }
        way how = way_of(engine, sm, t);
        uint32_t warp = how != NOT_YET ? ready_warp(engine, sm, t, &index) : UINT32_MAX;

        if (warp < best) {
            best = warp;
            best_way = how;
            best_index = index;
            engine->slot = t;
        }
    }
    if (best == UINT32_MAX) {
        return false;
    }
    if (best_way == WHOLE) {
        begin_whole(engine, sm);
    } else {
        begin_warp(engine, sm, best_index);
    }
    return true;
}

static void end_warp(wr_context_engine *engine)
{
    const wr_saved_warp *saved = is_raw(engine) ? &engine->raw.result : &engine->save.result;
    const wr_pattern_count *count = &saved->count;
    wr_context_sums *sums = sums_of(engine);
    wr_context_tb *tb = &engine->tb[engine->slot];
    uint32_t regs = engine->job.regs;

    memcpy(tb->pattern[engine->index], saved->pattern, sizeof saved->pattern);
    tb->saved |= UINT64_C(1) << engine->index;
    sums->warps++;
    sums->occupied_bytes += (uint64_t)regs * WR_CTX_REGISTER;
    sums->live_bytes += (uint64_t)count->live * WR_CTX_REGISTER;
    sums->data_bytes += (uint64_t)count->words * 4;
    sums->padded_bytes += saved->bytes;
    sums->uniform += count->uniform;
    sums->strided += count->strided;
    sums->random += count->random;
    sums->dead += regs - count->live;
    engine->state = WR_CONTEXT_PICK;
}

static void end_whole(wr_context_engine *engine)
{
    const wr_saved_whole *saved = &engine->whole.result;
    const wr_tb_save_job *job = &engine->whole.job;
    const wr_pattern_count *count = &saved->by_warp;
    wr_context_sums *sums = sums_of(engine);
    wr_context_tb *tb = &engine->tb[engine->slot];

    engine->state = WR_CONTEXT_PICK;
    if (engine->whole.bypass) {
        tb->by_warp = true;
        return;
    }
    tb->whole = *saved;
    tb->is_whole = true;
    tb->saved = UINT64_MAX >> (64 - job->warps);
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
                   info_of(engine)->linear);
    wr_engine_fail(engine, sm, text);
}

static void warp_fault(wr_context_engine *engine, const wr_sm *sm)
{
    wr_warp_info warp = wr_sm_warp(sm, engine->job.warp);
    char text[480];

    (void)snprintf(text, sizeof text, "%s (save of warp %u at pc 0x%x)",
                   is_raw(engine) ? engine->raw.fault : engine->save.fault, engine->job.warp,
                   warp.pc);
    wr_engine_fail(engine, sm, text);
}

/* The bytes of the TB's parts as they go to memory, a piece of context_sequencer each. */

/* Predicates, stack depth and arrivals of every warp; those of a finished warp are 0, but for
 * arrivals that others still wait for. */
static void put_preds(const wr_context_engine *engine, const wr_sm *sm, uint8_t *to)
{
    for (uint32_t w = 0; w < info_of(engine)->warps; w++, to += WR_CTX_PRED_BYTES) {
        uint32_t at = wr_sm_tb_warp(sm, engine->slot, w);
        wr_warp_info warp = wr_sm_warp(sm, at);

        wr_context_put32(to + WR_CTX_PRED_DEPTH,
                         (uint32_t)wr_sm_pledges(sm, at) << 16 | (warp.done ? 0 : warp.depth));
        for (uint32_t p = 0; p < WR_ISA_PREDS && !warp.done; p++) {
            wr_context_put32(to + 4 * (size_t)p, wr_sm_pred(sm, at, p));
        }
    }
}

static void put_stack(const wr_context_engine *engine, const wr_sm *sm, uint32_t index, uint8_t *to)
{
    wr_simt_entry entry[WR_SIMT_DEPTH];
    uint32_t depth = wr_sm_stack(sm, wr_sm_tb_warp(sm, engine->slot, index), entry);

    for (uint32_t e = 0; e < depth; e++, to += WR_CTX_ENTRY_BYTES) {
        wr_context_put32(to, entry[e].pc);
        wr_context_put32(to + 4, entry[e].mask);
        wr_context_put32(to + 8, entry[e].reconv);
    }
}

/* Pattern vectors; that of a finished warp says all dead. Of a whole TB the class table. */
static void put_patterns(const wr_context_tb *tb, uint8_t *to)
{
    if (tb->is_whole) {
        memcpy(to, tb->whole.classes, WR_CTX_CLASS_BYTES);
        wr_context_put32(to + WR_CTX_CLASS_WORDS, tb->whole.words);
    }
    for (uint32_t w = 0; w < tb->tb.info.warps && !tb->is_whole; w++) {
        for (uint32_t i = 0; i < 4 && (tb->saved >> w & 1u); i++) {
            wr_context_put32(to + (size_t)w * WR_CTX_PATTERN_BYTES + 4 * (size_t)i,
                             tb->pattern[w][i]);
        }
    }
}

/* The first byte of the request at the block's output. */
static const uint8_t *data_of(wr_context_engine *engine, wr_sm *sm,
                              const wr_context_sequencer_out *out)
{
    uint8_t *to = engine->buffer;

    if (out->req_kind == WR_SEQUENCER_SHARED) {
        return wr_sm_shared(sm, engine->slot) + out->req_offset;
    }
    if (out->req_offset == 0) {
        memset(to, 0, sizeof engine->buffer);
        switch (out->req_kind) {
        case WR_SEQUENCER_PREDS:
            put_preds(engine, sm, to);
            break;
        case WR_SEQUENCER_STACK:
            put_stack(engine, sm, out->warp, to);
            break;
        case WR_SEQUENCER_CCB:
            for (uint32_t p = 0; p < 3; p++) {
                wr_context_put64(to + 8 * (size_t)p, out->ptr[p]);
            }
            break;
        default:
            put_patterns(&engine->tb[engine->slot], to);
            break;
        }
    }
    return to + out->req_offset;
}

/* Of a warp of the TB in work; 0: it has finished. */
static uint32_t stack_depth(const wr_context_engine *engine, const wr_sm *sm, uint32_t index)
{
    if (index >= info_of(engine)->warps) {
        return 0;
    }
    wr_warp_info warp = wr_sm_warp(sm, wr_sm_tb_warp(sm, engine->slot, index));

    return warp.done ? 0 : warp.depth;
}

static void count_request(wr_context_sums *sums, const wr_context_sequencer_out *out,
                          uint32_t depth)
{
    uint64_t *const of[WR_SEQUENCER_KINDS] = {
        [WR_SEQUENCER_SHARED] = &sums->shared_bytes,    [WR_SEQUENCER_PREDS] = &sums->pred_bytes,
        [WR_SEQUENCER_STACK] = &sums->stack_bytes,      [WR_SEQUENCER_CCB] = &sums->ccb_bytes,
        [WR_SEQUENCER_PATTERNS] = &sums->pattern_bytes,
    };

    assert(out->req_kind < WR_SEQUENCER_SLOT);
    *of[out->req_kind] += out->req_bytes;
    if (out->req_kind == WR_SEQUENCER_STACK && out->req_offset == 0) {
        sums->stack_entry_bytes += (uint64_t)depth * WR_CTX_ENTRY_BYTES;
    }
}

static void evict(wr_context_engine *engine, wr_sm *sm)
{
    wr_context_tb *tb = &engine->tb[engine->slot];

    tb->tb.info = wr_sm_tb(sm, engine->slot); /* it ran on while it was to stop */
    wr_sm_tb_park(sm, engine->slot, tb->tb.where.kept, WR_CONTEXT_POISON);
    engine->out[engine->out_count++] = (wr_context_event){WR_CONTEXT_SAVED, engine->slot, tb->tb};
    engine->open &= ~(UINT64_C(1) << engine->slot);
    memset(tb->pattern, 0, sizeof tb->pattern);
    engine->state = WR_CONTEXT_PICK;
}

static void step_parts(wr_context_engine *engine, wr_sm *sm)
{
    wr_parts *parts = &engine->parts[0];
    const wr_context_sequencer_out *out = wr_parts_look(parts);
    uint32_t depth = stack_depth(engine, sm, out->warp);

    parts->in.depth = (uint16_t)depth;
    if (out->req_valid &&
        wr_sm_ctx_write(sm, out->req_addr, data_of(engine, sm, out), out->req_bytes)) {
        parts->in.req_ready = true;
        count_request(sums_of(engine), out, depth);
    }
    if (!wr_parts_clock(parts)) {
        parts_fault(engine, sm);
    } else if (out->done) {
        evict(engine, sm);
    }
}

static wr_path_status step_path(wr_context_engine *engine, wr_sm *sm)
{
    return is_raw(engine) ? wr_raw_path_step(&engine->raw, sm)
                          : wr_save_path_step(&engine->save, sm);
}

/* A saved warp ends in the cycle in which the next one begins: context_saver takes a start while
 * it shows the last warp's result. */
static void step_warp(wr_context_engine *engine, wr_sm *sm)
{
    wr_path_status status = step_path(engine, sm);

    if (status == WR_PATH_DONE) {
        end_warp(engine);
        if (!pick(engine, sm)) {
            return;
        }
        if (engine->state == WR_CONTEXT_PARTS) {
            step_parts(engine, sm);
        } else if (engine->state == WR_CONTEXT_WARP) {
            status = step_path(engine, sm);
        }
    }
    if (status == WR_PATH_FAULT) {
        warp_fault(engine, sm);
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
    if (engine->state == WR_CONTEXT_PICK && !pick(engine, sm)) {
        engine->record.drain++;
        return;
    }
    engine->record.spill++;
    switch (engine->state) {
    case WR_CONTEXT_PICK: /* a warp was looked at whose registers stay in place */
        break;
    case WR_CONTEXT_WARP:
        step_warp(engine, sm);
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
