/* SPDX-License-Identifier: Apache-2.0 */
/* The restoring half of a context engine: TBs come in from simulated memory, several at a time.
 *
 *   place -> CCB entry -> patterns, predicates, shared memory -> stacks, registers -> whole
 *
 * A TB takes these steps one after the other, since each gives the places and sizes of the next:
 * three times memory's latency. So that TBs do not wait for each other's, all that have room are
 * on their way together. The reader has one queue of requests for all of them, and replies come in
 * its order; the block restores the registers of one TB after the other.
 *
 * - A TB's parts lie in the queue behind the same parts of those before it, so TBs become whole in
 *   the order in which they were placed, and no reply stands before one that the block needs.
 * - What is read is checked before it is used: damaged memory must give a message, not a crash.
 */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Parts of a TB; stacks and registers of warp w are PART_STACK + w, PART_REGS + w. */
enum {
    PART_CCB,
    PART_PATTERNS,
    PART_PREDS,
    PART_SHARED,
    PART_STACK,
    PART_REGS = PART_STACK + WR_CTX_MAX_WARPS,
};

/* The TB that is next to be whole. */
static wr_context_coming *first_of(wr_context_engine *engine)
{
    return &engine->coming[engine->coming_first];
}

static wr_context_area *area_of(const wr_context_engine *engine, const wr_context_coming *tb)
{
    return &engine->areas[tb->tb.info.stream];
}

static void damaged(wr_context_engine *engine, const wr_sm *sm, const wr_context_coming *tb,
                    const char *what, uint32_t warp)
{
    char text[256];

    (void)snprintf(text, sizeof text,
                   "context of TB %u in simulated memory is damaged: %s (warp %u of the TB)",
                   tb->tb.info.linear, what, warp);
    wr_engine_fail(engine, sm, text);
}

static void ask(wr_context_engine *engine, wr_context_coming *tb, uint32_t part, uint64_t addr,
                uint32_t bytes)
{
    const wr_context_range range = {addr, bytes, (uint32_t)(tb - engine->coming), part};

    wr_context_reader_add(&engine->reader, &range);
    tb->awaited += bytes;
}

/* The next TB gets its place, if there is one. */
static void place(wr_context_engine *engine, wr_sm *sm)
{
    const wr_saved_tb *next = &engine->in[engine->in_first];

    if (engine->in_count == 0 || engine->coming_count == WR_CTX_AHEAD) {
        return;
    }
    uint32_t slot =
        wr_sm_tb_place(sm, &next->info, next->is_placed ? &next->where : NULL, WR_CONTEXT_POISON);

    if (slot == UINT32_MAX) {
        return;
    }
    wr_context_coming *tb =
        &engine->coming[(engine->coming_first + engine->coming_count) % WR_CTX_AHEAD];

    tb->tb = *next;
    tb->slot = slot;
    tb->pag = area_of(engine, tb)->pag;
    tb->step = WR_CONTEXT_STEP_CCB;
    tb->awaited = 0;
    ask(engine, tb, PART_CCB, wr_context_ccb_addr(area_of(engine, tb), next->entry),
        WR_CTX_CCB_BYTES);
    engine->coming_count++;
    engine->in_first = (engine->in_first + 1) % WR_CONFIG_MAX_TBS;
    engine->in_count--;
    engine->state = WR_CONTEXT_READ;
}

static bool keeps(const wr_context_coming *tb, uint32_t part)
{
    return (tb->tb.where.kept & part) != 0;
}

/* A part lies inside the area, or there is none of it in memory. */
static bool is_pointer(const wr_context_area *area, uint64_t at, uint32_t bytes, bool is_there)
{
    uint64_t end = area->base + area->bytes;

    return is_there ? at >= area->base && at <= end - bytes : at == 0;
}

static void begin_meta(wr_context_engine *engine, const wr_sm *sm, wr_context_coming *tb)
{
    const wr_context_area *area = area_of(engine, tb);
    const wr_tb_info *info = &tb->tb.info;
    uint64_t regs = wr_context_get64(tb->ccb);
    bool has_regs = !keeps(tb, WR_KEEPS_REGISTERS);
    bool has_shared = info->shared_bytes != 0 && !keeps(tb, WR_KEEPS_SHARED);
    const wr_context_pointers at = {regs & ~(uint64_t)WR_CTX_WHOLE, wr_context_get64(tb->ccb + 8),
                                    wr_context_get64(tb->ccb + 16)};

    if (!is_pointer(area, at.regs, area->regs_bytes, has_regs) ||
        !is_pointer(area, at.shared, area->shared_room, has_shared) ||
        !is_pointer(area, at.stack, area->stack_bytes, true)) {
        damaged(engine, sm, tb, "a pointer of its control block lies outside the context area", 0);
        return;
    }
    tb->is_whole = (regs & WR_CTX_WHOLE) != 0;
    if (tb->is_whole && engine->kind != WR_CONTEXT_BY_TB) {
        damaged(engine, sm, tb, "its register pointer says that it was saved as a whole", 0);
        return;
    }
    tb->at = at;
    tb->step = WR_CONTEXT_STEP_META;
    memset(tb->patterns, 0, sizeof tb->patterns);
    ask(engine, tb, PART_PATTERNS, at.regs,
        !has_regs      ? 0
        : tb->is_whole ? WR_CTX_CLASS_WORDS + 4
                       : info->warps * WR_CTX_PATTERN_BYTES);
    ask(engine, tb, PART_PREDS, at.stack, info->warps * WR_CTX_PRED_BYTES);
    ask(engine, tb, PART_SHARED, at.shared, has_shared ? info->shared_bytes : 0);
}

static uint32_t depth_word(const wr_context_coming *tb, uint32_t warp)
{
    return wr_context_get32(tb->preds + (size_t)warp * WR_CTX_PRED_BYTES + WR_CTX_PRED_DEPTH);
}

/* Of the warp's SIMT stack; 0: it had finished. */
static uint32_t stack_depth(const wr_context_coming *tb, uint32_t warp)
{
    return depth_word(tb, warp) & 0xffffu;
}

static void get_pattern(const wr_context_coming *tb, uint32_t warp, uint32_t pattern[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        pattern[i] =
            wr_context_get32(tb->patterns + (size_t)warp * WR_CTX_PATTERN_BYTES + 4 * (size_t)i);
    }
}

/* What a class table and its TB say of the registers of a whole. */
static wr_tb_restore_job whole_of(const wr_context_coming *tb, uint32_t warp_base)
{
    wr_tb_restore_job job = {.warp_base = warp_base,
                             .warps = tb->tb.info.warps,
                             .regs = tb->tb.info.regs,
                             .pag = tb->pag};

    memcpy(job.classes, tb->patterns, sizeof job.classes);
    return job;
}

/* The blocks begin with the first TB, if that has come so far. */
static void begin_registers(wr_context_engine *engine, const wr_sm *sm)
{
    const wr_context_coming *tb = first_of(engine);

    if (engine->coming_count == 0 || tb->step != WR_CONTEXT_STEP_STATE) {
        return;
    }
    if (tb->is_whole) {
        wr_tb_restore_job whole = whole_of(tb, wr_sm_tb(sm, tb->slot).warp_base);

        wr_tb_restore_begin(&engine->whole_back, &whole);
        return;
    }
    wr_restore_job job = {
        .warp_base = wr_sm_tb(sm, tb->slot).warp_base, .regs = tb->tb.info.regs, .pag = tb->pag};

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        get_pattern(tb, w, job.pattern[w]);
        job.left |= (uint64_t)(stack_depth(tb, w) != 0 && !keeps(tb, WR_KEEPS_REGISTERS)) << w;
    }
    wr_restore_path_begin(&engine->restore, &job);
}

static wr_pattern_count count_registers(const wr_context_coming *tb, uint32_t warp)
{
    uint32_t pattern[4];

    get_pattern(tb, warp, pattern);
    return wr_context_count(pattern, tb->pag, WR_CTX_REGISTER / 4);
}

/* Bytes that the warp's registers take in memory. */
static uint32_t register_bytes(const wr_context_coming *tb, uint32_t warp)
{
    return (count_registers(tb, warp).words * 4 + WR_CTX_PAD - 1) / WR_CTX_PAD * WR_CTX_PAD;
}

/* False: the warp's pattern vector and depth cannot be. */
static bool check_warp(wr_context_engine *engine, const wr_sm *sm, const wr_context_coming *tb,
                       uint32_t warp)
{
    wr_pattern_count count = count_registers(tb, warp);
    const char *what = NULL;

    if (stack_depth(tb, warp) > WR_SIMT_DEPTH) {
        what = "a SIMT stack is deeper than the hardware's";
    } else if (count.top > tb->tb.info.regs ||
               register_bytes(tb, warp) > area_of(engine, tb)->slot_bytes) {
        what = "a pattern vector names more registers than the kernel has";
    } else if (stack_depth(tb, warp) == 0 && count.live != 0) {
        what = "a warp without a SIMT stack has live registers";
    }
    if (what) {
        damaged(engine, sm, tb, what, warp);
    }
    return what == NULL;
}

/* The same of a whole TB. words: of its stream. */
static bool check_whole(wr_context_engine *engine, const wr_sm *sm, const wr_context_coming *tb,
                        uint32_t *words)
{
    const wr_tb_restore_job job = whole_of(tb, 0);

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        if (stack_depth(tb, w) == 0 || stack_depth(tb, w) > WR_SIMT_DEPTH) {
            damaged(engine, sm, tb,
                    stack_depth(tb, w) == 0 ? "a warp of a whole TB has no SIMT stack"
                                            : "a SIMT stack is deeper than the hardware's",
                    w);
            return false;
        }
    }
    const char *what = NULL;

    if (!wr_tb_restore_check(&job, words)) {
        what = "its class table has a code that is none, or is of a register that the kernel has "
               "not";
    } else if (*words != wr_context_get32(tb->patterns + WR_CTX_CLASS_WORDS) ||
               4 * *words > area_of(engine, tb)->regs_bytes - WR_CTX_SEGMENT) {
        what = "its class table needs a stream of another length than it has";
    }
    if (what) {
        damaged(engine, sm, tb, what, 0);
    }
    return what == NULL;
}

/* Patterns and depths are here: asks for stacks, then registers, warp by warp or as one stream. */
static void begin_state(wr_context_engine *engine, const wr_sm *sm, wr_context_coming *tb)
{
    const wr_context_area *area = area_of(engine, tb);
    uint32_t words = 0;

    if (tb->is_whole && !check_whole(engine, sm, tb, &words)) {
        return;
    }
    for (uint32_t w = 0; !tb->is_whole && w < tb->tb.info.warps; w++) {
        if (!check_warp(engine, sm, tb, w)) {
            return;
        }
    }
    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        ask(engine, tb, PART_STACK + w, wr_context_stack_addr(area, &tb->at, w),
            stack_depth(tb, w) * WR_CTX_ENTRY_BYTES);
    }
    if (tb->is_whole) {
        ask(engine, tb, PART_REGS, tb->at.regs + WR_CTX_SEGMENT,
            (4 * words + WR_CTX_PAD - 1) / WR_CTX_PAD * WR_CTX_PAD);
    }
    for (uint32_t w = 0; !tb->is_whole && w < tb->tb.info.warps; w++) {
        ask(engine, tb, PART_REGS + w, wr_context_slot_addr(area, &tb->at, w),
            register_bytes(tb, w));
    }
    tb->step = WR_CONTEXT_STEP_STATE;
    if (tb == first_of(engine)) {
        begin_registers(engine, sm);
    }
}

/* The piece at hand is where it belongs. */
static void count_piece(wr_context_engine *engine, const wr_sm *sm)
{
    wr_context_coming *tb = &engine->coming[engine->piece.owner];

    engine->has_piece = false;
    tb->awaited -= engine->piece.bytes;
    if (tb->awaited == 0 && tb->step == WR_CONTEXT_STEP_CCB) {
        begin_meta(engine, sm, tb);
    } else if (tb->awaited == 0 && tb->step == WR_CONTEXT_STEP_META) {
        begin_state(engine, sm, tb);
    }
}

/* Copies the piece at hand, which is not of registers; shared memory through its port. */
static void store_piece(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_piece *piece = &engine->piece;
    wr_context_coming *tb = &engine->coming[piece->owner];
    uint8_t *to = NULL;

    if (piece->part == PART_CCB) {
        to = tb->ccb;
    } else if (piece->part == PART_PATTERNS) {
        to = tb->patterns;
    } else if (piece->part == PART_PREDS) {
        to = tb->preds;
    } else if (piece->part != PART_SHARED) {
        to = tb->stacks[piece->part - PART_STACK];
    } else if (++engine->port_wait < engine->port_cycles) {
        return;
    } else {
        engine->port_wait = 0;
        to = wr_sm_shared(sm, tb->slot);
    }
    memcpy(to + piece->offset, piece->data, piece->bytes);
    count_piece(engine, sm);
}

/* The first TB is whole: predicates and stacks go to its warps, and they run. */
static void resume(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_coming *tb = first_of(engine);
    uint32_t warp_base = wr_sm_tb(sm, tb->slot).warp_base;

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        const uint8_t *pred = tb->preds + (size_t)w * WR_CTX_PRED_BYTES;
        uint32_t depth = stack_depth(tb, w);
        wr_simt_entry entry[WR_SIMT_DEPTH];

        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            wr_sm_pred_write(sm, warp_base + w, p, wr_context_get32(pred + 4 * (size_t)p));
        }
        for (uint32_t e = 0; e < depth; e++) {
            const uint8_t *from = tb->stacks[w] + (size_t)e * WR_CTX_ENTRY_BYTES;

            entry[e].pc = wr_context_get32(from);
            entry[e].mask = wr_context_get32(from + 4);
            entry[e].reconv = wr_context_get32(from + 8);
        }
        wr_sm_pledges_write(sm, warp_base + w, (uint16_t)(depth_word(tb, w) >> 16));
        wr_sm_stack_write(sm, warp_base + w, entry, depth);
    }
    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        if (stack_depth(tb, w) != 0) {
            wr_sm_warp_resume(sm, warp_base + w);
        }
    }
    wr_context_event event = {WR_CONTEXT_RESTORED, tb->slot, tb->tb};

    wr_engine_tell(engine, &event);
    wr_context_entry_free(area_of(engine, tb), tb->tb.entry);
    engine->coming_first = (engine->coming_first + 1) % WR_CTX_AHEAD;
    engine->coming_count--;
    begin_registers(engine, sm);
    if (engine->coming_count == 0) {
        engine->state = engine->saving          ? WR_CONTEXT_PICK
                        : engine->in_count != 0 ? WR_CONTEXT_PLACE
                                                : WR_CONTEXT_IDLE;
    }
}

/* Registers of the first TB go through the block. */
static void step_registers(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_coming *tb = first_of(engine);
    const wr_context_piece *piece = &engine->piece;
    bool offered = engine->has_piece && piece->owner == engine->coming_first;
    bool taken;

    if (tb->step != WR_CONTEXT_STEP_STATE) {
        return;
    }
    const uint8_t *data = offered ? piece->data : NULL;
    wr_path_status status =
        tb->is_whole ? wr_tb_restore_step(&engine->whole_back, sm, data, piece->bytes / 4, &taken)
                     : wr_restore_path_step(&engine->restore, sm, data,
                                            offered ? piece->part - PART_REGS : 0, &taken);

    if (taken) {
        count_piece(engine, sm);
    }
    if (status == WR_PATH_FAULT) {
        char text[480];

        (void)snprintf(text, sizeof text, "%s (restore of TB %u)",
                       tb->is_whole ? engine->whole_back.fault : engine->restore.fault,
                       tb->tb.info.linear);
        wr_engine_fail(engine, sm, text);
    } else if (status == WR_PATH_DONE && tb->awaited == 0) {
        resume(engine, sm);
    }
}

void wr_engine_restore_step(wr_context_engine *engine, wr_sm *sm)
{
    if (!engine->saving) {
        place(engine, sm);
    }
    if (engine->coming_count == 0) {
        return;
    }
    wr_context_reader_ask(&engine->reader, sm);
    engine->has_piece =
        engine->has_piece || wr_context_reader_take(&engine->reader, sm, &engine->piece);
    if (engine->has_piece && engine->piece.part < PART_REGS) {
        store_piece(engine, sm);
    }
    if (engine->state == WR_CONTEXT_READ) {
        step_registers(engine, sm);
    }
}
