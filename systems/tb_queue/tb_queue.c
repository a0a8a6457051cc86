/* SPDX-License-Identifier: Apache-2.0 */
/* See tb_queue.h. */
#include "systems/tb_queue/tb_queue.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_units(wr_tb_queue *q, const wr_system_setup *setup, char *err, size_t err_size)
{
    for (uint32_t id = 0; id < q->sm_count; id++) {
        wr_context_engine *engine = &q->sm[id].engine;
        char name[16];

        if (!wr_context_engine_open(engine, setup->cfg, wr_bay_behind(q->bay), q->owner, q->area,
                                    q->kind, 1, err, err_size)) {
            return false;
        }
        engine->awaits_stores = true;
        (void)snprintf(name, sizeof name, "sm%u", id);
        uint32_t unit = wr_bay_add_unit(q->bay, name, WR_BAY_SESSIONS);

        assert(unit == id);
        for (uint32_t b = 0; b < engine->ports; b++) {
            wr_bay_add_port(q->bay, unit, engine->port[b], NULL);
        }
    }
    return true;
}

bool wr_tb_queue_open(wr_tb_queue *q, const wr_tb_queue_user *user, const wr_system_setup *setup,
                      wr_context_kind kind, bool is_free, char *err, size_t err_size)
{
    memset(q, 0, sizeof *q);
    q->user = *user;
    q->owner = setup->owner;
    q->bay = setup->bay;
    q->kind = is_free ? WR_CONTEXT_ALL : kind;
    q->is_free = is_free;
    q->sm_count = setup->cfg->sms;
    q->tbs_per_sm = setup->cfg->sm.max_tbs;
    q->sm = calloc(q->sm_count, sizeof *q->sm);
    q->tb = calloc((size_t)WR_MAX_STREAMS * q->sm_count * q->tbs_per_sm, sizeof *q->tb);
    if (!q->sm || !q->tb) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    return is_free || open_units(q, setup, err, err_size);
}

void wr_tb_queue_close(wr_tb_queue *q)
{
    for (uint32_t id = 0; q->sm && !q->is_free && id < q->sm_count; id++) {
        wr_context_engine_close(&q->sm[id].engine);
    }
    free(q->sm);
    free(q->tb);
}

bool wr_tb_queue_launch_begin(wr_tb_queue *q, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    q->gpu = gpu;
    if (!wr_context_launch(&q->area[stream], gpu, launch, q->kind, q->sm_count * q->tbs_per_sm,
                           q->user.name, q->refused, sizeof q->refused)) {
        wr_gpu_refuse(gpu, q->refused);
        return false;
    }
    return true;
}

void wr_tb_queue_launch_end(wr_tb_queue *q)
{
    if (wr_gpu_launches(q->gpu) != 0) {
        return;
    }
    for (uint32_t id = 0; id < q->sm_count; id++) {
        wr_sm *sm = wr_gpu_sm(q->gpu, id);

        q->sm[id].leaving = 0;
        if (!q->is_free) {
            wr_context_engine_drop(&q->sm[id].engine, sm);
        }
    }
    q->count = 0;
    memset(q->of_stream, 0, sizeof q->of_stream);
}

uint64_t wr_tb_queue_leaving(const wr_tb_queue *q, uint32_t sm)
{
    return q->sm[sm].leaving;
}

uint64_t wr_tb_queue_coming(const wr_tb_queue *q, uint32_t sm)
{
    const wr_context_engine *engine = &q->sm[sm].engine;
    uint64_t slots = 0;

    for (uint32_t i = 0; i < engine->coming_count; i++) {
        slots |= UINT64_C(1) << engine->coming[(engine->coming_first + i) % WR_CTX_AHEAD].slot;
    }
    return slots;
}

void wr_tb_queue_out(wr_tb_queue *q, wr_sm *sm, uint64_t tbs)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];

    tbs &= ~here->leaving;
    assert((tbs & wr_tb_queue_coming(q, wr_sm_id(sm))) == 0);
    if (tbs == 0) {
        return;
    }
    here->leaving |= tbs;
    for (uint64_t left = tbs; left != 0; left &= left - 1) {
        here->since[__builtin_ctzll(left)] = wr_gpu_cycle(q->gpu);
    }
    if (q->is_free) {
        wr_sm_halt_tbs(sm, q->owner, here->leaving);
        wr_sm_attend(sm, q->owner, true);
        return;
    }
    uint64_t taken = wr_context_engine_save(&here->engine, sm, tbs);

    assert(taken == tbs);
    (void)taken;
}

void wr_tb_queue_tb_done(wr_tb_queue *q, const wr_sm *sm, uint32_t slot)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];

    q->counts.ended += here->leaving >> slot & 1u;
    here->leaving &= ~(UINT64_C(1) << slot);
}

static void add(wr_tb_queue *q, const wr_saved_tb *tb)
{
    q->tb[q->count++] = *tb;
    q->of_stream[tb->info.stream]++;
    q->counts.most = q->count > q->counts.most ? q->count : q->counts.most;
    q->user.queued(q->user.self, &tb->info);
}

/* The TB is off the SM. */
static void has_left(wr_tb_queue *q, wr_sm *sm, uint32_t slot, const wr_tb_info *tb)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];

    here->leaving &= ~(UINT64_C(1) << slot);
    q->counts.out++;
    q->counts.cycles += wr_gpu_cycle(q->gpu) - here->since[slot];
    q->user.left(q->user.self, sm, slot, tb);
}

/* No warp of the TB runs, and nothing of it is in the pipeline or on its way to memory. */
static bool is_still(const wr_sm *sm, uint32_t slot)
{
    wr_tb_info tb = wr_sm_tb(sm, slot);

    for (uint32_t w = 0; w < tb.warps; w++) {
        wr_warp_info warp = wr_sm_warp(sm, wr_sm_tb_warp(sm, slot, w));

        if (warp.stores || (!warp.done && !(warp.stopped && warp.drained))) {
            return false;
        }
    }
    return tb.valid;
}

/* A cycle of an SM that TBs leave free of cost. */
static void ideal_cycle(wr_tb_queue *q, wr_sm *sm)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];

    for (uint64_t left = here->leaving; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        wr_saved_tb tb;

        if (!is_still(sm, slot)) {
            continue;
        }
        if (!wr_tb_ideal_save(q->gpu, sm, slot, &q->area[wr_sm_tb(sm, slot).stream], &tb)) {
            wr_gpu_abort(q->gpu, "more TBs have left than can be alive");
            return;
        }
        has_left(q, sm, slot, &tb.info);
        add(q, &tb);
    }
    wr_sm_halt_tbs(sm, q->owner, here->leaving);
    wr_sm_attend(sm, q->owner, here->leaving != 0);
}

/* What the engine has done in this cycle. */
static void take_events(wr_tb_queue *q, wr_sm *sm)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];

    for (uint32_t i = 0; i < here->engine.event_count; i++) {
        if (here->engine.event[i].what == WR_CONTEXT_SAVED) {
            add(q, &here->engine.event[i].tb);
        }
    }
}

void wr_tb_queue_sm_cycle(wr_tb_queue *q, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);
    wr_tb_queue_sm *here = &q->sm[id];
    wr_context_engine *engine = &here->engine;

    if (q->is_free) {
        ideal_cycle(q, sm);
        return;
    }
    if (wr_context_engine_idle(engine) || engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    uint32_t waiting = engine->in_count;
    bool saves = engine->saving;

    (void)wr_bay_begin(q->bay, id, wr_gpu_cycle(q->gpu));
    wr_context_engine_step(engine, sm);
    (void)wr_bay_end(q->bay, id);
    if (engine->state == WR_CONTEXT_FAILED) {
        wr_gpu_abort(q->gpu, wr_bay_fail(q->bay, id, engine->message));
        return;
    }
    for (uint64_t left = engine->evicted; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);

        has_left(q, sm, slot, &engine->tb[slot].tb.info);
    }
    take_events(q, sm);
    if (engine->in_count < waiting) { /* one in a cycle at most */
        const wr_context_coming *tb =
            &engine->coming[(engine->coming_first + engine->coming_count - 1) % WR_CTX_AHEAD];

        q->user.placed(q->user.self, sm, tb->slot, &tb->tb.info);
    }
    if (saves && !engine->saving) {
        wr_context_sums_add(&q->counts.sums, &engine->record.sums);
    }
    if (wr_context_engine_idle(engine)) {
        wr_bay_session_over(q->bay, id);
    }
}

bool wr_tb_queue_may_begin(const wr_tb_queue *q, uint32_t stream)
{
    return wr_gpu_tbs_begun(q->gpu, stream) < (uint64_t)q->sm_count * q->tbs_per_sm;
}

bool wr_tb_queue_in(wr_tb_queue *q, wr_sm *sm, uint32_t stream, const wr_tb_where *where)
{
    wr_tb_queue_sm *here = &q->sm[wr_sm_id(sm)];
    uint32_t at = 0;

    if (q->of_stream[stream] == 0) {
        return false;
    }
    while (q->tb[at].info.stream != stream) {
        at++;
    }
    wr_saved_tb tb = q->tb[at];

    tb.is_placed = where != NULL;
    if (where != NULL) {
        tb.where = *where;
    }
    uint32_t slot = UINT32_MAX;

    if (q->is_free) {
        slot = wr_sm_tb_place(sm, &tb.info, where, WR_CONTEXT_POISON);
    }
    if (q->is_free ? slot == UINT32_MAX : !wr_context_engine_restore(&here->engine, sm, &tb)) {
        return false;
    }
    q->count--;
    memmove(&q->tb[at], &q->tb[at + 1], (q->count - at) * sizeof *q->tb);
    q->of_stream[stream]--;
    q->counts.in++;
    if (q->is_free) {
        wr_tb_ideal_restore(q->gpu, sm, slot, &q->area[stream], &tb);
        q->user.placed(q->user.self, sm, slot, &tb.info);
    }
    return true;
}

void wr_tb_queue_report(const wr_tb_queue *q, wr_report *r)
{
    const wr_tb_queue_counts *c = &q->counts;
    const wr_context_sums *s = &c->sums;
    uint64_t bytes = s->padded_bytes + s->pattern_bytes + s->pred_bytes + s->stack_bytes +
                     s->shared_bytes + s->ccb_bytes;

    wr_report_section(r, "", "Preempted TBs");
    (void)wr_report_count(r, "preempted.out", "TBs that left an SM", c->out, "");
    (void)wr_report_count(r, "preempted.ended", "ended before they could", c->ended, "");
    (void)wr_report_count(r, "preempted.in", "brought back", c->in, "");
    (void)wr_report_count(r, "preempted.most", "most in the queue", c->most, "");
    (void)wr_report_real(r, "preempted.latency", "from the word to leave to the room, mean",
                         c->out != 0 ? (double)c->cycles / (double)c->out : 0, "cycles");
    (void)wr_report_count(r, "preempted.bytes", "contexts saved", bytes, "bytes");
}
