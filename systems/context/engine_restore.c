/* SPDX-License-Identifier: Apache-2.0 */
/* The restoring half of a context engine: TBs come in from simulated memory, several at a time.
 *
 *   place -> CCB entry -> patterns, predicates, shared memory -> stacks, registers -> whole
 *
 * A TB takes these steps one after the other, since each gives the places and sizes of the next:
 * three times memory's latency. So that TBs do not wait for each other's, all that have room are
 * on their way together, each with a context_sequencer, and one of these asks in a cycle: the first
 * that was placed, but for registers, which come last. Replies come in the order of the requests;
 * the restorer has the registers of one TB after the other.
 *
 * - Registers of a TB are asked for when those before it have asked for everything: so TBs become
 *   whole in the order in which they were placed, and no reply stands before one that the restorer
 *   needs.
 * - What is read is checked before it is used: damaged memory must give a message, not a crash.
 */
#include "systems/context/engine.h"
#include "systems/context/warp_image.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The TB that is next to be whole. */
static wr_context_coming *first_of(wr_context_engine *engine)
{
    return &engine->coming[engine->coming_first];
}

static wr_context_area *area_of(const wr_context_engine *engine, const wr_context_coming *tb)
{
    return &engine->areas[tb->tb.info.stream];
}

enum { ALL_OF_IT = UINT32_MAX }; /* no warp of the TB alone */

static void damaged(wr_context_engine *engine, const wr_sm *sm, const wr_context_coming *tb,
                    const char *what, uint32_t warp)
{
    char text[256];
    char where[40] = "";

    if (warp != ALL_OF_IT) {
        (void)snprintf(where, sizeof where, " (warp %u of the TB)", warp);
    }
    (void)snprintf(text, sizeof text, "context of TB %u in simulated memory is damaged: %s%s",
                   tb->tb.info.linear, what, where);
    wr_engine_fail(engine, sm, text);
}

static wr_parts *parts_of(wr_context_engine *engine, const wr_context_coming *tb)
{
    return &engine->parts[tb - engine->coming];
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
    tb->awaited = 0;
    tb->has_meta = false;
    tb->has_asked = false;
    memset(tb->patterns, 0, sizeof tb->patterns);
    const wr_parts_job job = {.area = area_of(engine, tb),
                              .entry = next->entry,
                              .is_restore = true,
                              .is_whole = engine->kind == WR_CONTEXT_BY_TB,
                              .kept = next->where.kept};

    wr_parts_start(parts_of(engine, tb), &job);
    engine->coming_count++;
    engine->in_first = (engine->in_first + 1) % WR_CONFIG_MAX_TBS;
    engine->in_count--;
    engine->state = WR_CONTEXT_READ;
}

static bool keeps(const wr_context_coming *tb, uint32_t part)
{
    return (tb->tb.where.kept & part) != 0;
}

/* Of the warp's SIMT stack; 0: it had finished. */
static uint32_t stack_depth(const wr_context_coming *tb, uint32_t warp)
{
    return wr_context_depth(tb->preds + (size_t)warp * WR_CTX_PRED_BYTES);
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

    if (engine->coming_count == 0 || !tb->has_meta) {
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

/* False: a pattern vector cannot be. */
static bool check_warps(wr_context_engine *engine, const wr_sm *sm, const wr_context_coming *tb)
{
    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        if (count_registers(tb, w).top > tb->tb.info.regs) {
            damaged(engine, sm, tb, wr_parts_damage(WR_SEQUENCER_BAD_BYTES), w);
            return false;
        }
    }
    return true;
}

/* The same of a whole TB; words: of its stream. */
static bool check_whole(wr_context_engine *engine, const wr_sm *sm, wr_context_coming *tb)
{
    const wr_tb_restore_job job = whole_of(tb, 0);
    const char *what = NULL;

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        if (stack_depth(tb, w) == 0) {
            damaged(engine, sm, tb, "a warp of a whole TB has no SIMT stack", w);
            return false;
        }
    }
    if (!wr_tb_restore_check(&job, &tb->words)) {
        what = "its class table has a code that is none, or is of a register that the kernel has "
               "not";
    } else if (tb->words != wr_context_get32(tb->patterns + WR_CTX_CLASS_WORDS) ||
               4 * tb->words > tb->tb.info.warps * area_of(engine, tb)->slot_bytes) {
        what = "its class table needs a stream of another length than it has";
    }
    if (what) {
        damaged(engine, sm, tb, what, ALL_OF_IT);
    }
    return what == NULL;
}

/* Bytes of the warp's slot that hold registers; of a whole TB its stream goes from slot to slot. */
static uint32_t slot_bytes(const wr_context_engine *engine, const wr_context_coming *tb,
                           uint32_t warp)
{
    uint32_t slot = area_of(engine, tb)->slot_bytes;
    uint32_t bytes = tb->is_whole ? 4 * tb->words : 4 * count_registers(tb, warp).words;

    bytes = (bytes + WR_CTX_PAD - 1) / WR_CTX_PAD * WR_CTX_PAD;
    if (!tb->is_whole) {
        return bytes;
    }
    bytes -= warp * slot < bytes ? warp * slot : bytes;
    return bytes < slot ? bytes : slot;
}

/* What the block waits for, all of it is here. False: it cannot be. */
static bool answer(wr_context_engine *engine, const wr_sm *sm, wr_context_coming *tb)
{
    wr_parts *parts = parts_of(engine, tb);

    if (parts->out.waits == WR_SEQUENCER_WAITS_CCB) {
        parts->in.ccb_valid = true;
        for (uint32_t p = 0; p < 3; p++) {
            parts->in.ptr[p] = wr_context_get64(tb->ccb + 8 * (size_t)p);
        }
        return true;
    }
    tb->is_whole = (parts->out.ptr[0] & WR_CTX_WHOLE) != 0;
    if (!(tb->is_whole ? check_whole(engine, sm, tb) : check_warps(engine, sm, tb))) {
        return false;
    }
    parts->in.meta_done = true;
    tb->has_meta = true;
    if (tb == first_of(engine)) {
        begin_registers(engine, sm);
    }
    return true;
}

/* The request at the block's output, where the queue has room. */
static bool ask(wr_context_engine *engine, wr_sm *sm, wr_context_coming *tb)
{
    const wr_context_sequencer_out *out = &parts_of(engine, tb)->out;
    uint32_t tag = (engine->asked_first + engine->asked_count) % WR_CTX_ASKED;

    if (engine->asked_count == WR_CTX_ASKED ||
        !wr_sm_ctx_read(sm, out->req_addr, out->req_bytes, tag)) {
        return false;
    }
    engine->asked[tag] = (wr_context_asked){.owner = (uint32_t)(tb - engine->coming),
                                            .kind = (wr_sequencer_kind)out->req_kind,
                                            .warp = out->warp,
                                            .offset = out->req_offset,
                                            .bytes = out->req_bytes};
    engine->asked_count++;
    tb->awaited += out->req_bytes;
    return true;
}

static wr_context_coming *coming_at(wr_context_engine *engine, uint32_t i)
{
    return &engine->coming[(engine->coming_first + i) % WR_CTX_AHEAD];
}

/* The TB that may ask in this cycle; NULL: none wants to. */
static wr_context_coming *next_to_ask(wr_context_engine *engine)
{
    wr_context_coming *registers = NULL;
    bool before_have_asked = true;

    for (uint32_t i = 0; i < engine->coming_count; i++) {
        wr_context_coming *tb = coming_at(engine, i);
        const wr_parts *parts = parts_of(engine, tb);

        if (tb->has_asked) {
            continue;
        }
        if (parts->asks && parts->out.req_kind != WR_SEQUENCER_SLOT) {
            return tb;
        }
        if (parts->asks && before_have_asked) {
            registers = tb;
        }
        before_have_asked = false;
    }
    return registers;
}

/* One cycle of a TB's block. */
static void step_parts(wr_context_engine *engine, wr_sm *sm, wr_context_coming *tb)
{
    wr_parts *parts = parts_of(engine, tb);
    const wr_context_sequencer_out *out = &parts->out;

    if (out->waits != 0 && (tb->awaited != 0 || !answer(engine, sm, tb))) {
        return;
    }
    if (tb->has_meta && !out->req_valid && out->warp < tb->tb.info.warps) {
        parts->in.depth = (uint16_t)stack_depth(tb, out->warp);
        parts->in.slot_bytes = (uint16_t)slot_bytes(engine, tb, out->warp);
    }
    if (!wr_parts_clock(parts)) {
        char text[480];

        (void)snprintf(text, sizeof text, "%s (restore of TB %u)", parts->fault,
                       tb->tb.info.linear);
        wr_engine_fail(engine, sm, text);
    } else if (out->done && out->damage != 0) {
        damaged(engine, sm, tb, wr_parts_damage(out->damage),
                out->damage < WR_SEQUENCER_BAD_DEPTH ? ALL_OF_IT : out->warp);
    }
    tb->has_asked = out->done;
}

/* Of all TBs that come in. */
static void step_all_parts(wr_context_engine *engine, wr_sm *sm)
{
    for (uint32_t i = 0; i < engine->coming_count; i++) {
        wr_context_coming *tb = coming_at(engine, i);

        if (!tb->has_asked) {
            (void)wr_parts_look(parts_of(engine, tb));
        }
    }
    wr_context_coming *asker = next_to_ask(engine);

    if (asker) {
        parts_of(engine, asker)->in.req_ready = ask(engine, sm, asker);
    }
    for (uint32_t i = 0; i < engine->coming_count && engine->state == WR_CONTEXT_READ; i++) {
        wr_context_coming *tb = coming_at(engine, i);

        if (!tb->has_asked) {
            step_parts(engine, sm, tb);
        }
    }
}

/* The reply at hand is where it belongs. */
static void count_reply(wr_context_engine *engine)
{
    const wr_context_asked *asked = &engine->asked[engine->asked_first];

    engine->coming[asked->owner].awaited -= asked->bytes;
    engine->has_reply = false;
    engine->asked_first = (engine->asked_first + 1) % WR_CTX_ASKED;
    engine->asked_count--;
}

/* Copies the reply at hand, which is not of registers; shared memory through its port. */
static void store_reply(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_asked *asked = &engine->asked[engine->asked_first];
    wr_context_coming *tb = &engine->coming[asked->owner];
    uint8_t *const room[WR_SEQUENCER_KINDS] = {
        [WR_SEQUENCER_SHARED] = wr_sm_shared(sm, tb->slot),
        [WR_SEQUENCER_PREDS] = tb->preds,
        [WR_SEQUENCER_STACK] = tb->stacks[asked->warp],
        [WR_SEQUENCER_CCB] = tb->ccb,
        [WR_SEQUENCER_PATTERNS] = tb->patterns,
    };

    if (asked->kind == WR_SEQUENCER_SHARED && ++engine->port_wait < engine->port_cycles) {
        return;
    }
    engine->port_wait = 0;
    memcpy(room[asked->kind] + asked->offset, engine->reply, asked->bytes);
    count_reply(engine);
}

static bool take_reply(wr_context_engine *engine, wr_sm *sm)
{
    uint32_t tag;

    if (engine->asked_count == 0 || !wr_sm_ctx_reply(sm, &tag, engine->reply)) {
        return false;
    }
    assert(tag == engine->asked_first);
    return true;
}

/* The first TB is whole: predicates and stacks go to its warps, and they run. */
static void resume(wr_context_engine *engine, wr_sm *sm)
{
    const wr_context_coming *tb = first_of(engine);
    uint32_t warp_base = wr_sm_tb(sm, tb->slot).warp_base;

    for (uint32_t w = 0; w < tb->tb.info.warps; w++) {
        wr_context_take_warp(sm, warp_base + w, tb->preds + (size_t)w * WR_CTX_PRED_BYTES,
                             tb->stacks[w]);
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
    const wr_context_asked *asked = &engine->asked[engine->asked_first];
    bool offered = engine->has_reply && asked->owner == engine->coming_first;
    bool taken;

    if (!tb->has_meta) {
        return;
    }
    const uint8_t *data = offered ? engine->reply : NULL;
    wr_path_status status =
        tb->is_whole
            ? wr_tb_restore_step(&engine->whole_back, sm, data, asked->bytes / 4, &taken)
            : wr_restore_path_step(&engine->restore, sm, data, offered ? asked->warp : 0, &taken);

    if (taken) {
        count_reply(engine);
    }
    if (status == WR_PATH_FAULT) {
        char text[480];

        (void)snprintf(text, sizeof text, "%s (restore of TB %u)",
                       tb->is_whole ? engine->whole_back.fault : engine->restore.fault,
                       tb->tb.info.linear);
        wr_engine_fail(engine, sm, text);
    } else if (status == WR_PATH_DONE && tb->has_asked && tb->awaited == 0) {
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
    engine->has_reply = engine->has_reply || take_reply(engine, sm);
    if (engine->has_reply && engine->asked[engine->asked_first].kind != WR_SEQUENCER_SLOT) {
        store_reply(engine, sm);
    }
    step_all_parts(engine, sm);
    if (engine->state == WR_CONTEXT_READ) {
        step_registers(engine, sm);
    }
}
