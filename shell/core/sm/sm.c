/* SPDX-License-Identifier: Apache-2.0 */
/* One SM: its life and its cycle; see sm.h. */
#include "shell/core/gpu/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t longer(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The longest time between issue and release that the configuration allows. */
static uint32_t longest_event(const wr_gpu_config *cfg)
{
    const wr_class_timing *classes[] = {&cfg->timing.integer, &cfg->timing.fp32, &cfg->timing.fp64};
    uint32_t longest = cfg->timing.sfu.latency;
    uint32_t interval = longer(cfg->timing.sfu.interval, cfg->timing.shuffle_interval);
    longest = longer(longest, longer(cfg->timing.other_latency, cfg->timing.rem_latency));
    longest = longer(longest, cfg->timing.shuffle_latency);
    for (unsigned i = 0; i < 3; i++) {
        longest = longer(longest, classes[i]->add.latency);
        longest = longer(longest, classes[i]->max.latency);
        longest = longer(longest, classes[i]->mul.latency);
        longest = longer(longest, classes[i]->mad.latency);
        longest = longer(longest, classes[i]->div.latency);
        interval = longer(interval, classes[i]->add.interval);
        interval = longer(interval, classes[i]->max.interval);
        interval = longer(interval, classes[i]->mul.interval);
        interval = longer(interval, classes[i]->mad.interval);
        interval = longer(interval, classes[i]->div.interval);
    }
    longest = longer(longest, cfg->sm.shared_latency + WR_LSU_LINES);
    longest = longer(longest, cfg->l1.hit_latency + WR_LSU_LINES);
    /* Before execution: reads behind full calendars, then collectors in front of the unit. */
    uint32_t lanes = WR_LANES;
    const wr_unit_config *units[] = {&cfg->units.sp, &cfg->units.sp2, &cfg->units.imu,
                                     &cfg->units.dp, &cfg->units.sfu};
    for (unsigned i = 0; i < WR_UNIT_KINDS; i++) {
        lanes = units[i]->lanes < lanes ? units[i]->lanes : lanes;
    }
    interval *= WR_LANES / lanes;
    return longest + interval * (WR_CONFIG_MAX_COLLECTORS + 1) + 3 * 64;
}

static bool init_storage(wr_sm *sm)
{
    const wr_sm_config *c = &sm->cfg->sm;
    sm->regs = calloc(1, wr_sm_register_bytes(sm->cfg));
    sm->shared = calloc(c->max_tbs, c->shared_bytes);
    sm->miss_limit = sm->cfg->l1.hit_latency + sm->cfg->l1.miss_queue;
    sm->miss_queue = calloc(sm->miss_limit, sizeof *sm->miss_queue);
    sm->lsu = calloc(sm->lsu_queues, sizeof *sm->lsu);
    bool ok = sm->regs != NULL && sm->shared != NULL && sm->miss_queue != NULL && sm->lsu != NULL;
    /* A warp has at most one event for each register, predicate and fetch. */
    return ok && wr_wheel_init(&sm->wheel, longest_event(sm->cfg), c->max_warps * 72) &&
           wr_l1_init(&sm->l1, &sm->cfg->l1) &&
           wr_rocache_init(&sm->fetch.cache, &sm->cfg->icache, sm->cfg->sm.max_warps) &&
           wr_rocache_init(&sm->ccache, &sm->cfg->ccache, 0);
}

bool wr_sm_init(wr_sm *sm, wr_gpu *gpu, uint32_t id)
{
    const wr_sm_config *c = &gpu->cfg.sm;
    *sm = (wr_sm){.gpu = gpu,
                  .cfg = &gpu->cfg,
                  .memory = &gpu->memory,
                  .memsys = gpu->memsys,
                  .hooks = &gpu->hooks,
                  .id = id,
                  .chosen = UINT32_MAX,
                  .status = &gpu->sm_status[id],
                  .injection = &gpu->injection[id],
                  .inbox = &gpu->inboxes[id],
                  .lsu_queues = c->lsu_queues != 0 ? c->lsu_queues : 1,
                  .op_limit = c->loads_in_flight != 0 ? c->loads_in_flight : 64};
    wr_schedule_init(&sm->schedule, c);
    wr_units_init(&sm->units, &gpu->cfg);
    wr_operands_init(&sm->operands, c);
    sm->status->wake_at = UINT64_MAX;
    sm->fetch.last = 63;
    return init_storage(sm);
}

void wr_sm_free(wr_sm *sm)
{
    free(sm->regs);
    free(sm->shared);
    free(sm->miss_queue);
    free(sm->lsu);
    wr_wheel_free(&sm->wheel);
    wr_l1_free(&sm->l1);
    wr_rocache_free(&sm->fetch.cache);
    wr_rocache_free(&sm->ccache);
}

static void take_replies(wr_sm *sm)
{
    for (uint32_t i = 0; i < sm->inbox->count; i++) {
        const wr_packet *p = &sm->inbox->packets[i];
        sm->progress_at = sm->now;
        sm->stats.reply_bytes += p->kind == WR_PACKET_WRITE ? 0 : p->bytes;
        if (p->sender == WR_FROM_CTX_READ || p->sender == WR_FROM_CTX_WRITE) {
            wr_injection_ctx_reply(sm, p);
        } else {
            wr_lsu_reply(sm, p);
        }
    }
    sm->inbox->count = 0;
}

static void begin_cycle(wr_sm *sm, bool replies)
{
    const wr_event *e;
    if (replies) {
        take_replies(sm);
    }
    while ((e = wr_wheel_take(&sm->wheel, sm->now)) != NULL) {
        wr_sm_release(sm, e->warp, e->regs, e->preds);
    }
    sm->turn = 0;
}

/* What follows the schedulers. */
static void pass_on(wr_sm *sm)
{
    uint64_t now = sm->now;
    if (sm->lsu_count != 0 && wr_lsu_next(sm) <= now) {
        wr_lsu_cycle(sm);
    }
    if (sm->fetch.pending != 0 || wr_fetch_wanting(sm) != 0) {
        wr_fetch_cycle(sm);
    }
    if (wr_sm_may_issue(sm) || (sm->listens & WR_LISTEN_SPARE) != 0) {
        wr_sm_wake(sm, now + 1);
    }
    if (sm->status->wake_at > now + 1) { /* else no other is sooner */
        uint64_t lsu = wr_lsu_next(sm);
        wr_sm_wake(sm, lsu > now ? lsu : now + 1);
        wr_sm_wake(sm, wr_wheel_next(&sm->wheel, now));
    }
    sm->stats.lsu_occupancy += sm->lsu_count;
    sm->stats.miss_occupancy += sm->miss_count;
    sm->stats.warp_cycles += sm->resident;
    sm->counted = now + 1;
    if (sm->miss_count != 0 || sm->status->sends) {
        wr_injection_offer(sm);
    }
}

void wr_sm_cycle(wr_sm *sm, uint64_t now, bool replies)
{
    wr_sm_settle(sm, now);
    sm->now = now;
    sm->status->wake_at = UINT64_MAX;
    begin_cycle(sm, replies);
    bool parked = !wr_sm_issue(sm);
    if (!parked) {
        pass_on(sm);
        parked = sm->leavers != 0;
    }
    sm->status->parked = parked;
}

void wr_sm_end_cycle(wr_sm *sm)
{
    sm->status->parked = false;
    sm->alone = true;
    if (sm->turn < sm->schedule.schedulers) {
        wr_sm_issue(sm);
        pass_on(sm);
    }
    for (uint64_t left = sm->leavers; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if (sm->tbs[slot].valid && sm->tbs[slot].leaving) {
            wr_tb_leave(sm, slot);
        }
    }
    sm->leavers = 0;
    sm->alone = false;
}

bool wr_sm_idle(const wr_sm *sm)
{
    return sm->tb_valid == 0 && sm->lsu_count == 0 && sm->miss_count == 0 && sm->wheel.count == 0 &&
           wr_sm_ctx_pending(sm) == 0;
}

void wr_sm_fault(wr_sm *sm, uint32_t warp, wr_run_status status, uint32_t lane, const char *format,
                 ...)
{
    const wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    const wr_program *p = tb->program;
    const wr_kernel *k = p->kernel;
    char what[330];
    char where[64] = "";
    char place[WR_SOURCE_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    uint32_t index = sm->warps[warp].index;
    if (lane < WR_LANES) {
        const uint32_t *tid = p->tid + (size_t)index * 3 * WR_LANES + lane;
        (void)snprintf(where, sizeof where, ", thread (%u,%u,%u)", tid[0], tid[WR_LANES],
                       tid[2 * WR_LANES]);
    } else {
        (void)snprintf(where, sizeof where, ", warp %u", index);
    }
    uint32_t at = sm->warps[warp].next;
    uint32_t line = at < k->insn_count && k->lines != NULL ? k->lines[at] : 0;
    wr_source_text(k->sources, line, place, sizeof place);
    uint32_t pc =
        sm->warps[warp].depth != 0 ? sm->warps[warp].stack[sm->warps[warp].depth - 1].pc : 0;
    char name[180];
    wr_launch_name(p->launch, name, sizeof name);
    if (sm->status->faulted) {
        return;
    }
    sm->status->faulted = true;
    sm->fault = status;
    (void)snprintf(sm->fault_message, sizeof sm->fault_message,
                   "kernel %s, pc 0x%x, %s, block (%u,%u,%u)%s: %s", name, pc, place, tb->ctaid[0],
                   tb->ctaid[1], tb->ctaid[2], where, what);
}
