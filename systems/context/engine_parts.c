/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed parts of a TB whose registers are saved, and the end of its save: what bytes they are,
 * where context_sequencer asks for them. */
#include "systems/context/engine.h"
#include "systems/context/warp_image.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The TB in work, and the sums that it goes into. */
static const wr_tb_info *info_of(const wr_context_engine *engine)
{
    return &engine->tb[engine->slot].tb.info;
}

static wr_context_sums *sums_of(wr_context_engine *engine)
{
    return &engine->sums[info_of(engine)->stream];
}

static void fault(wr_context_engine *engine, const wr_sm *sm, uint32_t slot)
{
    char text[480];

    (void)snprintf(text, sizeof text, "%s (save of TB %u)", engine->parts[0].fault,
                   engine->tb[slot].tb.info.linear);
    wr_engine_fail(engine, sm, text);
}

static wr_parts_job job_of(const wr_context_engine *engine, uint32_t slot, bool is_whole)
{
    const wr_saved_tb *tb = &engine->tb[slot].tb;

    return (wr_parts_job){.area = &engine->areas[tb->info.stream],
                          .entry = tb->entry,
                          .is_whole = is_whole,
                          .kept = tb->where.kept,
                          .pace = engine->port_cycles - 1};
}

bool wr_engine_slot(wr_context_engine *engine, const wr_sm *sm, uint32_t slot, uint32_t index,
                    uint64_t *addr)
{
    bool is_whole = index == WR_ENGINE_WHOLE;
    const wr_parts_job job = job_of(engine, slot, is_whole);

    if (!wr_parts_slot(&engine->parts[0], &job, is_whole ? 0 : index, addr)) {
        fault(engine, sm, slot);
        return false;
    }
    return true;
}

void wr_engine_parts_begin(wr_context_engine *engine, uint32_t slot)
{
    const wr_parts_job job = job_of(engine, slot, engine->tb[slot].is_whole);

    wr_parts_start(&engine->parts[0], &job);
    engine->slot = slot;
    sums_of(engine)->tbs++;
    engine->state = WR_CONTEXT_PARTS;
}

/* The bytes of the TB's parts as they go to memory, a piece of context_sequencer each. */

static void put_preds(const wr_context_engine *engine, const wr_sm *sm, uint8_t *to)
{
    for (uint32_t w = 0; w < info_of(engine)->warps; w++, to += WR_CTX_PRED_BYTES) {
        wr_context_put_preds(sm, wr_sm_tb_warp(sm, engine->slot, w), to);
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
            wr_context_put_stack(sm, wr_sm_tb_warp(sm, engine->slot, out->warp), to);
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
    engine->evicted |= UINT64_C(1) << engine->slot;
    memset(tb->pattern, 0, sizeof tb->pattern);
    engine->state = WR_CONTEXT_PICK;
}

bool wr_engine_parts_step(wr_context_engine *engine, wr_sm *sm)
{
    wr_parts *parts = &engine->parts[0];
    const wr_context_sequencer_out *out = wr_parts_look(parts);
    uint32_t depth = stack_depth(engine, sm, out->warp);
    bool writes =
        parts->asks && wr_sm_ctx_write(sm, out->req_addr, data_of(engine, sm, out), out->req_bytes);

    parts->in.depth = (uint16_t)depth;
    parts->in.req_ready = writes;
    if (writes) {
        count_request(sums_of(engine), out, depth);
    }
    if (!wr_parts_clock(parts)) {
        fault(engine, sm, engine->slot);
    } else if (out->done) {
        evict(engine, sm);
    }
    return writes;
}
