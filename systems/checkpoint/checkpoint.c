/* SPDX-License-Identifier: Apache-2.0 */
/* See checkpoint.h. A TB that comes back goes to the SM where it ran, where that has room, else to
 * the next one that has; an engine has one at a time, so that none waits for room in one SM while
 * there is some in another.
 */
#include "systems/checkpoint/checkpoint.h"

#include "systems/checkpoint/headway.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum phase { RUN, STOP, RETURN } phase;

struct wr_checkpoint {
    wr_system_hooks hooks;
    const wr_checkpoint_plan *plan;
    wr_owner owner;
    wr_gpu_config cfg;
    phase phase;
    uint64_t due;   /* cycle of the next one, of this GPU's own; UINT64_MAX: none */
    bool tried;     /* the last one could not be written */
    uint64_t since; /* of STOP: its first cycle */
    wr_gpu *gpu;
    wr_context_engine *engine; /* one per SM */
    wr_context_area area[WR_MAX_STREAMS];
    uint32_t entries[WR_MAX_STREAMS];     /* of each area; 0: there is none yet */
    wr_context_sums sums[WR_MAX_STREAMS]; /* of the saves of this stop */
    wr_saved_tb *away;                    /* TBs in memory */
    uint32_t *ran_on;                     /* their SMs */
    uint32_t away_count, away_room;
    bool look; /* one that is away may find room now */
    wr_headway headway;
    char message[512];
};

bool wr_checkpoint_not_with(const char *spec)
{
    static const char *const names[] = {
        "ccbp",     "ccws",   "drf",      "duet",           "dyncta",     "haws",
        "locality", "mascar", "owl",      "preexecution",   "preemption", "sharing",
        "smk",      "spart",  "throttle", "virtual_thread", "warp_swap"};
    size_t length = strcspn(spec, ":");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], spec, length) == 0) {
            return true;
        }
    }
    return false;
}

static uint64_t next_due(const wr_checkpoint *c)
{
    const wr_checkpoint_plan *plan = c->plan;
    uint64_t before = wr_gpu_before(c->gpu);
    uint64_t now = before + wr_gpu_cycle(c->gpu);
    uint64_t every = plan->every != 0 ? (now / plan->every + 1) * plan->every : UINT64_MAX;
    uint64_t at = plan->at == 0 || c->tried ? UINT64_MAX : plan->at > now ? plan->at : now + 1;
    uint64_t due = at < every ? at : every;

    return due == UINT64_MAX ? due : due - before;
}

static void close_sms(wr_checkpoint *c, uint32_t streams)
{
    for (uint32_t i = 0; i < c->cfg.sms; i++) {
        wr_sm_close(wr_gpu_sm(c->gpu, i), c->owner, streams);
    }
}

static void begin_stop(wr_checkpoint *c)
{
    c->phase = STOP;
    c->since = wr_gpu_cycle(c->gpu);
    memset(c->sums, 0, sizeof c->sums);
    close_sms(c, WR_ALL_STREAMS);
    for (uint32_t i = 0; i < c->cfg.sms; i++) {
        (void)wr_context_engine_save(&c->engine[i], wr_gpu_sm(c->gpu, i), WR_ALL_TBS);
    }
}

static bool all_idle(const wr_checkpoint *c)
{
    for (uint32_t i = 0; i < c->cfg.sms; i++) {
        if (!wr_context_engine_idle(&c->engine[i])) {
            return false;
        }
    }
    return true;
}

/* Nobody stops: who. */
static void give_up(wr_checkpoint *c)
{
    for (uint32_t i = 0; i < c->cfg.sms; i++) {
        const wr_sm *sm = wr_gpu_sm(c->gpu, i);

        for (uint32_t w = 0; w < wr_sm_warp_slots(sm); w++) {
            wr_warp_info warp = wr_sm_warp(sm, w);

            if (!warp.valid || warp.done || (warp.stopped && warp.drained)) {
                continue;
            }
            wr_tb_info tb = wr_sm_tb(sm, warp.tb_slot);

            (void)snprintf(c->message, sizeof c->message,
                           "no checkpoint: after %" PRIu64
                           " cycles warp %u of block (%u,%u,%u) of kernel %.100s on SM %u has "
                           "not come to a preemption point, it is at pc 0x%x; compile with more "
                           "of them (--pp-interval), or without a system that holds warps",
                           WR_CHECKPOINT_PATIENCE, warp.index, tb.ctaid[0], tb.ctaid[1],
                           tb.ctaid[2], tb.valid ? tb.launch->kernel->name : "(none)", i, warp.pc);
            wr_gpu_abort(c->gpu, c->message);
            return;
        }
    }
    (void)snprintf(c->message, sizeof c->message,
                   "no checkpoint: memory is not quiet after %" PRIu64 " cycles",
                   WR_CHECKPOINT_PATIENCE);
    wr_gpu_abort(c->gpu, c->message);
}

/* What is written of the TBs. */
static bool describe(const wr_checkpoint *c, wr_saved_contexts *out)
{
    memset(out, 0, sizeof *out);
    out->tb = calloc(c->away_count + (size_t)1, sizeof *out->tb);
    if (!out->tb) {
        return false;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        const wr_launch *launch = wr_gpu_launch(c->gpu, i);
        const wr_context_area *area = &c->area[i];

        out->area[i] = (wr_saved_area){area->entries, area->ccb, area->base, area->bytes};
        if (!launch) {
            continue;
        }
        wr_saved_kernel *k = &out->kernel[out->kernels++];

        *k = (wr_saved_kernel){.stream = i,
                               .tbs = c->sums[i].tbs,
                               .warps = c->sums[i].warps,
                               .occupied = c->sums[i].occupied_bytes,
                               .live = c->sums[i].live_bytes,
                               .compressed = c->sums[i].data_bytes};
        (void)snprintf(k->name, sizeof k->name, "%s", launch->kernel->name);
    }
    for (uint32_t i = 0; i < c->away_count; i++) {
        const wr_saved_tb *tb = &c->away[i];

        out->tb[out->tbs++] = (wr_saved_place){.stream = tb->info.stream,
                                               .linear = tb->info.linear,
                                               .frame = tb->info.local_frame,
                                               .entry = tb->entry,
                                               .sm = c->ran_on[i],
                                               .spoilt = tb->info.spoilt,
                                               .issued = tb->info.issued};
    }
    return true;
}

static void end_stop(wr_checkpoint *c)
{
    wr_saved_contexts contexts;
    uint64_t now = wr_gpu_before(c->gpu) + c->since;
    bool last = c->plan->at != 0 && now >= c->plan->at;
    bool written = describe(c, &contexts) && c->plan->write(c->plan->arg, c->gpu, &contexts);

    wr_contexts_free(&contexts);
    wr_headway_stopped(&c->headway);
    if (written && last) {
        wr_gpu_leave(c->gpu, "saved");
        return;
    }
    c->look = true;
    c->tried = last;
    c->phase = RETURN; /* also where it could not be written: nothing is lost */
}

/* What the TBs on an SM take of it. */
typedef struct taken {
    wr_tb_needs sum;
    uint32_t slots;
} taken;

static taken count_taken(const wr_checkpoint *c, const wr_sm *sm)
{
    taken t = {.slots = 0};

    for (uint32_t i = 0; i < wr_sm_tb_slots(sm); i++) {
        wr_tb_info tb = wr_sm_tb(sm, i);

        if (tb.valid) {
            wr_tb_needs needs = wr_gpu_tb_needs(c->gpu, tb.stream);

            t.sum.registers += needs.registers;
            t.sum.threads += needs.threads;
            t.sum.shared_bytes += needs.shared_bytes;
            t.slots++;
        }
    }
    return t;
}

/* Warp slots may lie apart; then the engine waits. */
static bool has_room(const wr_checkpoint *c, const taken *t, const wr_tb_info *tb)
{
    const wr_sm_config *cfg = &c->cfg.sm;
    wr_tb_needs needs = wr_gpu_tb_needs(c->gpu, tb->stream);

    return t->slots < cfg->max_tbs &&
           t->sum.threads + needs.threads <= cfg->max_warps * cfg->warp_size &&
           t->sum.registers + needs.registers <= cfg->registers &&
           t->sum.shared_bytes + needs.shared_bytes <= cfg->shared_bytes;
}

/* Hands the TB to an idle engine, which is idle no more. False: it waits, for room, or for the
 * engine of its own SM, which has room. */
static bool send_back(wr_checkpoint *c, const taken *room, uint32_t index)
{
    const wr_saved_tb *tb = &c->away[index];
    assert(c->cfg.sms != 0);
    uint32_t home = c->ran_on[index] % c->cfg.sms;

    if (!wr_context_engine_idle(&c->engine[home]) && has_room(c, &room[home], &tb->info)) {
        return false;
    }
    for (uint32_t k = 0; k < c->cfg.sms; k++) {
        uint32_t id = (home + k) % c->cfg.sms;

        if (wr_context_engine_idle(&c->engine[id]) && has_room(c, &room[id], &tb->info)) {
            return wr_context_engine_restore(&c->engine[id], wr_gpu_sm(c->gpu, id), tb);
        }
    }
    return false;
}

/* Gives TBs that are away to engines that have nothing to do; looked at again when one has, or a TB
 * has ended. */
static void bring_back(wr_checkpoint *c)
{
    taken room[WR_CONFIG_MAX_SMS];
    uint32_t left = 0;

    if (c->look && c->away_count != 0) {
        for (uint32_t i = 0; i < c->cfg.sms; i++) {
            room[i] = count_taken(c, wr_gpu_sm(c->gpu, i));
        }
        for (uint32_t i = 0; i < c->away_count; i++) {
            if (!send_back(c, room, i)) {
                c->away[left] = c->away[i];
                c->ran_on[left++] = c->ran_on[i];
            }
        }
        c->away_count = left;
    }
    c->look = false;
    if (c->away_count == 0 && all_idle(c)) {
        c->phase = RUN;
        c->due = next_due(c);
        close_sms(c, 0);
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    wr_checkpoint *c = self;

    (void)stream;
    c->look = true;
    wr_headway_ends(&c->headway, wr_sm_id(sm), tb_slot);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_checkpoint *c = self;
    uint64_t now = wr_gpu_cycle(gpu);

    c->gpu = gpu;
    if (c->phase == RUN && now >= c->due && wr_headway_made(&c->headway, gpu, now - c->due)) {
        begin_stop(c);
    } else if (c->phase == STOP && now - c->since > WR_CHECKPOINT_PATIENCE) {
        give_up(c);
    } else if (c->phase == STOP && all_idle(c) && wr_gpu_quiet(gpu)) {
        end_stop(c);
    } else if (c->phase == RETURN) {
        bring_back(c);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_checkpoint *c = self;

    return c->phase != RUN || c->due <= now ? now + 1 : c->due;
}

static bool keep(wr_checkpoint *c, const wr_saved_tb *tb, uint32_t sm)
{
    if (c->away_count == c->away_room) {
        return false;
    }
    c->away[c->away_count] = *tb;
    c->ran_on[c->away_count++] = sm;
    return true;
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    wr_checkpoint *c = self;
    uint32_t id = wr_sm_id(sm);
    wr_context_engine *engine = &c->engine[id];

    if (wr_context_engine_idle(engine) || engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    bool saving = engine->saving;

    wr_context_engine_step(engine, sm);
    for (uint32_t i = 0; i < engine->event_count; i++) {
        wr_context_event *event = &engine->event[i];

        if (event->what == WR_CONTEXT_SAVED) {
            event->tb.tag = wr_headway_away(&c->headway, id, event->slot, &event->tb.info);
            bool kept = keep(c, &event->tb, id);

            assert(kept && "no more TBs are saved than the GPU holds");
            (void)kept;
        } else if (event->what == WR_CONTEXT_RESTORED) {
            wr_headway_back(&c->headway, id, event->slot, &event->tb.info, event->tb.tag);
        }
    }
    if (saving && !engine->saving) {
        for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
            wr_context_sums_add(&c->sums[i], &engine->sums[i]);
        }
    }
    c->look = c->look || wr_context_engine_idle(engine);
    if (engine->state == WR_CONTEXT_FAILED) {
        wr_gpu_abort(c->gpu, engine->message);
    }
}

/* Areas have entries for all TBs that this GPU holds, or that the one before held. */
static bool prepare(wr_checkpoint *c, uint32_t stream, const wr_launch *launch)
{
    const wr_saved_contexts *from = c->plan->from;
    uint32_t held = c->cfg.sms * c->cfg.sm.max_tbs;

    if (c->entries[stream] == 0) {
        c->entries[stream] = held;
        if (from && from->area[stream].entries >= held) {
            const wr_saved_area *was = &from->area[stream];

            c->entries[stream] = was->entries;
            c->area[stream].entries = was->entries;
            c->area[stream].ccb = was->ccb;
            c->area[stream].base = was->base;
            c->area[stream].bytes = was->bytes;
        }
    }
    if (!wr_parts_take(launch, c->message, sizeof c->message)) {
        return false;
    }
    if (wr_context_area_prepare(&c->area[stream], c->gpu, launch, WR_CONTEXT_BY_WARP,
                                c->entries[stream])) {
        return true;
    }
    (void)snprintf(c->message, sizeof c->message,
                   "a checkpoint has to save up to %u TBs of kernel %.100s, for which the buffers "
                   "leave no room in simulated memory: make the buffers smaller, or lower sms or "
                   "sm.max_tbs (--set)",
                   held, launch->kernel->name);
    return false;
}

/* The first launch of such a stream is the one that was. */
static bool was_in_flight(const wr_saved_contexts *from, uint32_t stream)
{
    for (uint32_t i = 0; from && i < from->kernels; i++) {
        if (from->kernel[i].stream == stream) {
            return true;
        }
    }
    return false;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_checkpoint *c = self;
    const wr_saved_contexts *from = c->plan->from;
    uint32_t held = c->cfg.sms * c->cfg.sm.max_tbs;

    c->gpu = gpu;
    wr_headway_begins(&c->headway);
    if (c->entries[stream] == 0 && was_in_flight(c->plan->from, stream)) {
        c->entries[stream] = from->area[stream].entries > held ? from->area[stream].entries : held;
        if (!wr_contexts_move_in(from, gpu, stream, held, &c->area[stream], c->away, c->ran_on,
                                 &c->away_count, c->message, sizeof c->message)) {
            wr_gpu_refuse(gpu, c->message);
            return;
        }
        for (uint32_t i = 0; i < c->cfg.sms; i++) {
            wr_sm_close(wr_gpu_sm(gpu, i), c->owner, WR_ALL_STREAMS);
        }
    } else if (!prepare(c, stream, launch)) {
        wr_gpu_refuse(gpu, c->message);
    }
    if (c->due == 0) {
        c->due = next_due(c);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_checkpoint *c = self;

    (void)stream;
    if (wr_gpu_launches(gpu) != 0) {
        return;
    }
    for (uint32_t i = 0; i < c->cfg.sms; i++) { /* of a run that ends in the middle */
        wr_context_engine_drop(&c->engine[i], wr_gpu_sm(gpu, i));
    }
}

void wr_checkpoint_close_engines(wr_checkpoint *c)
{
    for (uint32_t i = 0; c && c->engine && i < c->cfg.sms; i++) {
        wr_context_engine_close(&c->engine[i]);
    }
    if (c) {
        free(c->engine);
        wr_headway_close(&c->headway);
        free(c->away);
        free(c->ran_on);
    }
    free(c);
}

const wr_system_hooks *wr_checkpoint_hooks(const wr_checkpoint *c)
{
    return &c->hooks;
}

wr_checkpoint *wr_checkpoint_open_engines(const wr_gpu_config *cfg, wr_owner owner,
                                          const wr_checkpoint_plan *plan, char *err,
                                          size_t err_size)
{
    static const wr_behind models = {.backend = WR_BACKEND_MODEL};
    wr_checkpoint *c = calloc(1, sizeof *c);
    uint32_t held = cfg->sms * cfg->sm.max_tbs;
    bool ok = c != NULL;

    if (ok) {
        c->plan = plan;
        c->owner = owner;
        c->cfg = *cfg;
        c->phase = plan->from ? RETURN : RUN;
        c->look = true;
        c->away_room = held + (plan->from ? plan->from->tbs : 0);
        c->engine = calloc(cfg->sms, sizeof *c->engine);
        c->away = calloc(c->away_room, sizeof *c->away);
        c->ran_on = calloc(c->away_room, sizeof *c->ran_on);
        c->hooks = (wr_system_hooks){.self = c,
                                     .launch_begin = on_launch_begin,
                                     .launch_end = on_launch_end,
                                     .tb_done = on_tb_done,
                                     .gpu_cycle = on_gpu_cycle,
                                     .sm_cycle = on_sm_cycle,
                                     .next_cycle = on_next_cycle,
                                     .reads_memory = true};
        ok = c->engine && c->away && c->ran_on && wr_headway_open(&c->headway, cfg);
    }
    if (!ok) {
        (void)snprintf(err, err_size, "out of memory");
    }
    for (uint32_t i = 0; ok && i < cfg->sms; i++) {
        ok = wr_context_engine_open(&c->engine[i], cfg, &models, owner, c->area, WR_CONTEXT_BY_WARP,
                                    1, err, err_size);
    }
    if (!ok) {
        wr_checkpoint_close_engines(c);
        return NULL;
    }
    return c;
}
