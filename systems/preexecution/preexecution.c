/* SPDX-License-Identifier: Apache-2.0 */
/* Warped pre-execution: hardware alone finds what a warp that waits can run ahead (Kim, HPCA'16;
 * LITERATURE 5), beside HAWS, which the compiler tells it (Gong 5.4.2).
 *
 * A warp that waits for memory enters P-mode: its cursor goes on behind the PC (path.h). In a slot
 * that no warp in order can use, the warps in P-mode in turn look at one instruction: what needs a
 * value that is late is left out, and its own results are late; arithmetic is executed into spare
 * registers; a load becomes a preload. Each look takes the slot, also one in vain. Back in order
 * the warp takes results as it comes to them, one a cycle, by renaming: no slot.
 *
 * Spare registers are those that change nothing of how many TBs an SM holds; a TB is charged with
 * them. A warp that stops or leaves forgets its path: results can be had again.
 */
#include "systems/preexecution/preexecution.h"

#include "shell/core/seam/warp.h"
#include "systems/preexecution/path.h"

#include <stdlib.h>

enum { OPT_REACH, OPT_RENAMING, OPT_PRELOADS, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_REACH] = {.name = "reach",
                   .kind = WR_OPTION_NUMBER,
                   .max = 1000,
                   .preset = "32",
                   .unit = "instructions",
                   .doc = "from a warp's PC on that are looked at, at most; 0 = none, 1 is taken "
                          "as 2"},
    [OPT_RENAMING] = {.name = "renaming",
                      .kind = WR_OPTION_NUMBER,
                      .max = 32,
                      .preset = "8",
                      .unit = "registers",
                      .doc = "of a thread at most that hold results, as far as they leave the "
                             "number of TBs on an SM as it is"},
    [OPT_PRELOADS] = {.name = "preloads",
                      .kind = WR_OPTION_FLAG,
                      .preset = "1",
                      .doc = "0 = loads are left out"},
};

typedef struct sm_state {
    uint64_t waits;  /* warps in P-mode */
    uint64_t on;     /* of these, whose cursor may go on */
    uint64_t result; /* warps in order that come to a result: held */
    uint32_t turn;   /* the warp that looks first */
    uint64_t stalls, reused, again, lost;
    wr_path_counts counts;
    wr_path path[WR_CONFIG_MAX_WARPS];
} sm_state;

typedef struct preexecution {
    wr_system base;
    wr_owner owner;
    wr_gpu_config cfg;
    uint32_t reach, renaming, sms;
    bool preloads, busy;            /* busy: a result is to be taken in the next cycle */
    uint32_t limit[WR_MAX_STREAMS]; /* rows that a launch's threads have */
    sm_state *sm;
    wr_path_step *steps;
} preexecution;

static uint32_t on_registers(void *self, uint32_t stream, const wr_launch *launch, uint32_t least)
{
    preexecution *p = self;

    p->limit[stream] = wr_gpu_registers_to_spare(&p->cfg, launch, least, p->renaming);
    return p->limit[stream];
}

static void set_on(const preexecution *p, sm_state *s, wr_sm *sm, uint64_t on)
{
    s->on = on;
    wr_sm_use_spare_slots(sm, p->owner, on != 0);
}

static bool in_order(const sm_state *s, uint32_t warp)
{
    return (s->waits >> warp & 1) == 0;
}

/* In order: held while its next instruction has a result. */
static void hold(const preexecution *p, sm_state *s, wr_sm *sm, uint32_t warp)
{
    const uint64_t bit = UINT64_C(1) << warp;
    const bool has = in_order(s, warp) && wr_path_has_result(&s->path[warp]);

    if (has != ((s->result & bit) != 0)) {
        s->result ^= bit;
        wr_sm_hold(sm, p->owner, s->result);
    }
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    const preexecution *p = self;
    sm_state *s = &p->sm[wr_sm_id(sm)];

    /* one that is held has its result, and waits to take it */
    if (why == WR_WAIT_MEMORY && (s->result >> warp & 1) == 0) {
        wr_path_begin(&s->path[warp], sm, warp, p->reach);
        s->stalls++;
        s->waits |= UINT64_C(1) << warp;
        set_on(p, s, sm, s->on | UINT64_C(1) << warp);
    }
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    const preexecution *p = self;
    sm_state *s = &p->sm[wr_sm_id(sm)];

    if (!in_order(s, warp)) {
        s->waits &= ~(UINT64_C(1) << warp);
        set_on(p, s, sm, s->on & s->waits);
        wr_path_trim(&s->path[warp], p->reach);
        hold(p, s, sm, warp);
    }
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    const preexecution *p = self;
    sm_state *s = &p->sm[wr_sm_id(sm)];

    (void)lanes;
    if (s->path[warp].count != 0) {
        s->again += wr_path_pop(&s->path[warp], p->reach).done;
        hold(p, s, sm, warp);
    }
}

static void forget(const preexecution *p, wr_sm *sm, uint64_t warps)
{
    sm_state *s = &p->sm[wr_sm_id(sm)];

    s->waits &= ~warps;
    if ((s->on & warps) != 0) {
        set_on(p, s, sm, s->on & ~warps);
    }
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);

        s->lost += s->path[warp].done;
        wr_path_forget(&s->path[warp]);
        hold(p, s, sm, warp);
    }
}

static void on_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    forget(self, sm, UINT64_C(1) << warp);
}

static void on_left(void *self, wr_sm *sm, uint64_t warps)
{
    forget(self, sm, warps);
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    const preexecution *p = self;
    sm_state *s = &p->sm[wr_sm_id(sm)];
    const uint64_t warps = s->on & wr_sm_scheduler_warps(sm, scheduler);
    const uint64_t behind = warps & UINT64_MAX << s->turn;

    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t left = half == 0 ? behind : warps & ~behind; left != 0; left &= left - 1) {
            const uint32_t warp = (uint32_t)__builtin_ctzll(left);
            const uint32_t stream = wr_sm_warp_at(sm, warp).stream;
            const wr_cursor_result result = wr_path_look(&s->path[warp], sm, warp, p->reach,
                                                         p->limit[stream], p->preloads, &s->counts);

            if (result == WR_CURSOR_ENDS) {
                set_on(p, s, sm, s->on & ~(UINT64_C(1) << warp));
            } else if (result == WR_CURSOR_ISSUED) {
                s->turn = (warp + 1) % WR_CONFIG_MAX_WARPS;
                return WR_SPARE_CURSOR;
            }
        }
    }
    return WR_SPARE_FREE;
}

/* The warp, in order, takes the result of its next instruction. */
static void take(const preexecution *p, sm_state *s, wr_sm *sm, uint32_t warp)
{
    wr_path *path = &s->path[warp];
    const wr_path before = *path;
    const wr_path_step step = wr_path_pop(path, p->reach);

    s->result &= ~(UINT64_C(1) << warp); /* it may stall at what comes then */
    if (wr_sm_reuse(sm, warp, &step.result) == WR_CURSOR_ISSUED) {
        s->reused++;
    } else {
        *path = before;
    }
    s->result |= in_order(s, warp) && wr_path_has_result(path) ? UINT64_C(1) << warp : 0;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    preexecution *p = self;

    p->busy = false;
    for (uint32_t id = 0; id < p->sms; id++) {
        sm_state *s = &p->sm[id];
        wr_sm *sm = wr_gpu_sm(gpu, id);

        if (s->result == 0) {
            continue;
        }
        for (uint64_t left = s->result; left != 0; left &= left - 1) {
            take(p, s, sm, (uint32_t)__builtin_ctzll(left));
        }
        wr_sm_hold(sm, p->owner, s->result);
        p->busy |= s->result != 0;
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return ((const preexecution *)self)->busy ? now + 1 : UINT64_MAX;
}

static void destroy(wr_system *system)
{
    preexecution *p = (preexecution *)system;

    free(p->steps);
    free(p->sm);
    free(p);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    preexecution *p = wr_system_alloc(sizeof *p, err, err_size);
    const uint32_t reach = (uint32_t)setup->values[OPT_REACH].number;
    const size_t warps = (size_t)setup->cfg->sms * setup->cfg->sm.max_warps;

    if (!p) {
        return NULL;
    }
    p->owner = setup->owner;
    p->cfg = *setup->cfg;
    p->reach = reach > 2 ? reach : 2;
    p->renaming = (uint32_t)setup->values[OPT_RENAMING].number;
    p->preloads = setup->values[OPT_PRELOADS].number != 0;
    p->sms = setup->cfg->sms;
    p->sm = wr_system_alloc(sizeof *p->sm * p->sms, err, err_size);
    p->steps = p->sm ? wr_system_alloc(sizeof *p->steps * warps * p->reach, err, err_size) : NULL;
    if (!p->steps) {
        destroy(&p->base);
        return NULL;
    }
    for (size_t i = 0; i < warps; i++) {
        const size_t slots = setup->cfg->sm.max_warps;

        p->sm[i / slots].path[i % slots].steps = p->steps + i * p->reach;
    }
    if (reach != 0) {
        p->base.hooks = (wr_system_hooks){.self = p,
                                          .registers = on_registers,
                                          .warp_stalled = on_stalled,
                                          .warp_woken = on_woken,
                                          .warp_issued = on_issued,
                                          .warp_stopped = on_stopped,
                                          .warps_left = on_left,
                                          .spare_slot = on_spare_slot,
                                          .gpu_cycle = on_gpu_cycle,
                                          .next_cycle = on_next_cycle};
    }
    return &p->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const preexecution *p = (const preexecution *)system;
    sm_state c = {0};

    for (uint32_t id = 0; id < p->sms; id++) {
        const sm_state *s = &p->sm[id];

        c.stalls += s->stalls;
        c.counts.ahead += s->counts.ahead;
        c.counts.preloads += s->counts.preloads;
        c.counts.branches += s->counts.branches;
        c.counts.left_out += s->counts.left_out;
        c.counts.known += s->counts.known;
        c.reused += s->reused;
        c.again += s->again;
        c.lost += s->lost;
    }
    wr_report_section(r, "", "P-mode");
    (void)wr_report_count(r, "stalls", "waits for memory", c.stalls, "");
    (void)wr_report_count(r, "ahead", "instructions executed ahead", c.counts.ahead, "");
    (void)wr_report_real(r, "mean", "of a wait",
                         (double)c.counts.ahead / (double)(c.stalls ? c.stalls : 1),
                         "instructions");
    (void)wr_report_count(r, "preloads", "loads ahead, to the L1", c.counts.preloads, "");
    (void)wr_report_count(r, "branches", "branches followed", c.counts.branches, "");
    (void)wr_report_count(r, "left_out", "instructions looked at and left out", c.counts.left_out,
                          "");
    (void)wr_report_count(r, "known", "looked at again, executed before", c.counts.known, "");
    (void)wr_report_count(r, "reused", "results taken in order", c.reused, "");
    (void)wr_report_count(r, "again", "executed again in order", c.again, "");
    (void)wr_report_count(r, "lost", "forgotten with their warp", c.lost, "");
}

const wr_system_type wr_preexecution_type = {
    .name = "preexecution",
    .summary = "warps that wait for memory execute ahead what hardware finds independent",
    .paper = "Gong 5.4.2",
    .options = options,
    .option_count = OPT_NUMBER,
    .not_with = "duet, haws, run_ahead, virtual_thread, warp_swap",
    .create = create,
    .destroy = destroy,
    .report = report,
};
