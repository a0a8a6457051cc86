/* SPDX-License-Identifier: Apache-2.0 */
/* The restoring half of a context engine: one TB after the other, from simulated memory.
 *
 * Reads are asked for ahead of their replies inside a step; a step begins only when what it
 * needs to know has arrived: the CCB entry gives the pointers; pattern vectors and stack depths
 * give the places and sizes of the rest. What is read is checked before it is used, since
 * damaged memory must give a message, not a crash.
 */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ID_CCB, ID_PATTERNS, ID_PREDS, ID_SHARED };

/* Ids of the last step: stacks of warp id, register segments of warp id - 32. */
enum { ID_REGS = WR_CTX_MAX_WARPS };

enum { PAD_BYTES = 32 }; /* a slot's last segment is whole in memory up to a multiple of this */

/* The TB in work, its identity and its area. */
static const wr_saved_tb *front(const wr_context_engine *engine)
{
    return &engine->in[engine->in_first];
}

static const wr_tb_info *info_of(const wr_context_engine *engine)
{
    return &front(engine)->info;
}

static wr_context_area *area_of(const wr_context_engine *engine)
{
    return &engine->areas[info_of(engine)->stream];
}

static void damaged(wr_context_engine *engine, const wr_sm *sm, const char *what, uint32_t warp)
{
    char text[256];

    (void)snprintf(text, sizeof text,
                   "context of TB %u in simulated memory is damaged: %s (warp %u of the TB)",
                   info_of(engine)->linear, what, warp);
    wr_engine_fail(engine, sm, text);
}

static void step_place(wr_context_engine *engine, wr_sm *sm)
{
    assert(engine->in_count != 0);
    engine->slot = wr_sm_tb_place(sm, info_of(engine), NULL, WR_CONTEXT_POISON);
    if (engine->slot == UINT32_MAX) {
        return;
    }
    engine->has_piece = false;
    wr_context_reader_clear(&engine->reader);
    wr_context_reader_add(&engine->reader,
                          wr_context_ccb_addr(area_of(engine), front(engine)->entry),
                          WR_CTX_CCB_BYTES, ID_CCB);
    engine->state = WR_CONTEXT_READ_CCB;
}

static void begin_meta(wr_context_engine *engine, const wr_sm *sm)
{
    const wr_context_area *area = area_of(engine);
    const wr_tb_info *tb = info_of(engine);
    uint64_t end = area->base + area->bytes;
    const wr_context_pointers at = {wr_context_get64(engine->ccb),
                                    wr_context_get64(engine->ccb + 8),
                                    wr_context_get64(engine->ccb + 16)};

    if (at.regs < area->base || at.regs > end - area->regs_bytes || at.stack < area->base ||
        at.stack > end - area->stack_bytes ||
        (tb->shared_bytes != 0 &&
         (at.shared < area->base || at.shared > end - area->shared_room))) {
        damaged(engine, sm, "a pointer of its control block lies outside the context area", 0);
        return;
    }
    engine->at = at;
    wr_context_reader_clear(&engine->reader);
    wr_context_reader_add(&engine->reader, at.regs, tb->warps * WR_CTX_PATTERN_BYTES, ID_PATTERNS);
    wr_context_reader_add(&engine->reader, at.stack, tb->warps * WR_CTX_PRED_BYTES, ID_PREDS);
    wr_context_reader_add(&engine->reader, at.shared, tb->shared_bytes, ID_SHARED);
    engine->port_wait = 0;
    engine->state = WR_CONTEXT_READ_META;
}

static uint32_t depth_word(const wr_context_engine *engine, uint32_t warp)
{
    return wr_context_get32(engine->preds + (size_t)warp * WR_CTX_PRED_BYTES + WR_CTX_PRED_DEPTH);
}

static uint32_t stack_depth(const wr_context_engine *engine, uint32_t warp)
{
    return depth_word(engine, warp) & 0xffffu;
}

/* Patterns and depths are here: asks for stacks, then registers, warp by warp. */
static void begin_state(wr_context_engine *engine, wr_sm *sm)
{
    const wr_tb_info *tb = info_of(engine);
    wr_tb_info placed = wr_sm_tb(sm, engine->slot);
    wr_restore_job job = {.warp_base = placed.warp_base,
                          .regs = tb->regs,
                          .pag = wr_context_pag(tb->launch->block[0])};

    wr_context_reader_clear(&engine->reader);
    for (uint32_t w = 0; w < tb->warps; w++) {
        uint32_t depth = stack_depth(engine, w);

        if (depth > WR_SIMT_DEPTH) {
            damaged(engine, sm, "a SIMT stack is deeper than the hardware's", w);
            return;
        }
        wr_context_reader_add(&engine->reader,
                              wr_context_stack_addr(area_of(engine), &engine->at, w),
                              depth * WR_CTX_ENTRY_BYTES, w);
    }
    for (uint32_t w = 0; w < tb->warps; w++) {
        for (uint32_t i = 0; i < 4; i++) {
            job.pattern[w][i] = wr_context_get32(engine->patterns +
                                                 (size_t)w * WR_CTX_PATTERN_BYTES + 4 * (size_t)i);
        }
        wr_pattern_count count = wr_context_count(job.pattern[w], job.pag, WR_CTX_REGISTER / 4);
        uint32_t bytes = (count.words * 4 + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;

        if (count.top > tb->regs || bytes > area_of(engine)->slot_bytes) {
            damaged(engine, sm, "a pattern vector names more registers than the kernel has", w);
            return;
        }
        if (stack_depth(engine, w) == 0) { /* it had finished */
            if (count.live != 0) {
                damaged(engine, sm, "a warp without a SIMT stack has live registers", w);
                return;
            }
            continue;
        }
        job.left |= UINT64_C(1) << w;
        wr_context_reader_add(&engine->reader,
                              wr_context_slot_addr(area_of(engine), &engine->at, w), bytes,
                              ID_REGS + w);
    }
    wr_restore_path_begin(&engine->restore, &job);
    engine->state = WR_CONTEXT_READ_STATE;
}

/* Copies a piece of one of the fixed parts. */
static void store_piece(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_piece *piece = &engine->piece;
    uint8_t *to = NULL;

    if (engine->state == WR_CONTEXT_READ_STATE) {
        to = engine->stacks[piece->id];
    } else if (piece->id == ID_CCB) {
        to = engine->ccb;
    } else if (piece->id == ID_PATTERNS) {
        to = engine->patterns;
    } else if (piece->id == ID_PREDS) {
        to = engine->preds;
    } else {
        to = wr_sm_shared(sm, engine->slot);
    }
    memcpy(to + piece->offset, piece->data, piece->bytes);
    if (piece->id == ID_SHARED && engine->state == WR_CONTEXT_READ_META) {
        engine->port_wait = engine->port_cycles - 1;
    }
}

/* The step's replies that are copied as they are. True: all of them have arrived. */
static bool step_copy(wr_context_engine *engine, wr_sm *sm)
{
    wr_context_reader_ask(&engine->reader, sm);
    if (engine->port_wait > 0) {
        engine->port_wait--;
    } else if (wr_context_reader_take(&engine->reader, sm, &engine->piece)) {
        store_piece(engine, sm);
    }
    return wr_context_reader_done(&engine->reader) && engine->port_wait == 0;
}

/* The TB is whole again: predicates and stacks go to its warps, and they run. */
static void resume(wr_context_engine *engine, wr_sm *sm)
{
    wr_tb_info tb = wr_sm_tb(sm, engine->slot);

    for (uint32_t w = 0; w < tb.warps; w++) {
        const uint8_t *pred = engine->preds + (size_t)w * WR_CTX_PRED_BYTES;
        uint32_t depth = stack_depth(engine, w);
        wr_simt_entry entry[WR_SIMT_DEPTH];

        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            wr_sm_pred_write(sm, tb.warp_base + w, p, wr_context_get32(pred + 4 * (size_t)p));
        }
        for (uint32_t e = 0; e < depth; e++) {
            const uint8_t *from = engine->stacks[w] + (size_t)e * WR_CTX_ENTRY_BYTES;

            entry[e].pc = wr_context_get32(from);
            entry[e].mask = wr_context_get32(from + 4);
            entry[e].reconv = wr_context_get32(from + 8);
        }
        wr_sm_pledges_write(sm, tb.warp_base + w, (uint16_t)(depth_word(engine, w) >> 16));
        wr_sm_stack_write(sm, tb.warp_base + w, entry, depth);
    }
    for (uint32_t w = 0; w < tb.warps; w++) {
        if (stack_depth(engine, w) != 0) {
            wr_sm_warp_resume(sm, tb.warp_base + w);
        }
    }
    wr_context_event event = {WR_CONTEXT_RESTORED, engine->slot, *front(engine)};

    wr_engine_tell(engine, &event);
    wr_context_entry_free(area_of(engine), front(engine)->entry);
    engine->in_first = (engine->in_first + 1) % WR_CONFIG_MAX_TBS;
    engine->in_count--;
    engine->state = engine->saving          ? WR_CONTEXT_PICK
                    : engine->in_count != 0 ? WR_CONTEXT_PLACE
                                            : WR_CONTEXT_IDLE;
}

/* Stacks are copied, register segments go through the blocks. */
static void step_state(wr_context_engine *engine, wr_sm *sm)
{
    wr_context_reader_ask(&engine->reader, sm);
    if (!engine->has_piece) {
        engine->has_piece = wr_context_reader_take(&engine->reader, sm, &engine->piece);
    }
    if (engine->has_piece && engine->piece.id < ID_REGS) {
        store_piece(engine, sm);
        engine->has_piece = false;
    }
    const wr_context_piece *piece = engine->has_piece ? &engine->piece : NULL;
    bool taken;
    wr_path_status status = wr_restore_path_step(&engine->restore, sm, piece ? piece->data : NULL,
                                                 piece ? piece->id - ID_REGS : 0, &taken);

    if (taken) {
        engine->has_piece = false;
    }
    if (status == WR_PATH_FAULT) {
        char text[480];

        (void)snprintf(text, sizeof text, "%s (restore of TB %u)", engine->restore.fault,
                       info_of(engine)->linear);
        wr_engine_fail(engine, sm, text);
    } else if (status == WR_PATH_DONE && !engine->has_piece &&
               wr_context_reader_done(&engine->reader)) {
        resume(engine, sm);
    }
}

void wr_engine_restore_step(wr_context_engine *engine, wr_sm *sm)
{
    switch (engine->state) {
    case WR_CONTEXT_PLACE:
        step_place(engine, sm);
        break;
    case WR_CONTEXT_READ_CCB:
        if (step_copy(engine, sm)) {
            begin_meta(engine, sm);
        }
        break;
    case WR_CONTEXT_READ_META:
        if (step_copy(engine, sm)) {
            begin_state(engine, sm);
        }
        break;
    default:
        assert(engine->state == WR_CONTEXT_READ_STATE);
        step_state(engine, sm);
        break;
    }
}
