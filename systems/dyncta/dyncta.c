/* SPDX-License-Identifier: Apache-2.0 */
/* DYNCTA (Kayiran et al., PACT 2013): how many TBs of an SM run, by its latency tolerance. The
 * newest TBs beyond that number are paused (pause.h). Seams: warp, launch, meter.
 *
 * Every window, for each SM: one TB more where it had no warp for more than t_idle, or its running
 * warps waited for memory less than t_mem_low; one less where they waited more than t_mem_high. A
 * slot that a paused warp could have used counts as a wait. From half the TB slots on. Thresholds
 * are of public notes, not of the paper's text. TBs that wait for each other may wait for ever.
 */
#include "systems/dyncta/dyncta.h"

#include "shell/core/seam/meter.h"
#include "systems/dyncta/pause.h"

enum { OPT_WINDOW, OPT_IDLE, OPT_LOW, OPT_HIGH, OPT_NUMBER };

#define CYCLES(least, value, text)                                                                 \
    .kind = WR_OPTION_NUMBER, .min = (least), .max = 1000000, .preset = (value), .unit = "cycles", \
    .doc = (text)
static const wr_option options[OPT_NUMBER] = {
    [OPT_WINDOW] = {.name = "window", CYCLES(1, "2048", "between two decisions")},
    [OPT_IDLE] = {.name = "t_idle", CYCLES(0, "16", "without a warp: above it one TB more")},
    [OPT_LOW] = {.name = "t_mem_low", CYCLES(0, "128", "of memory waits: below it one TB more")},
    [OPT_HIGH] = {.name = "t_mem_high", CYCLES(0, "384", "of memory waits: above it one less")},
};

typedef struct sm_state {
    wr_tb_pause tbs;
    uint64_t idle, memory; /* slots so far, at the window's begin */
} sm_state;

typedef struct dyncta {
    wr_system base;
    uint32_t sms, schedulers, most;
    const wr_option_value *option;
    uint64_t next, windows, limit_sum, paused;
    sm_state sm[WR_CONFIG_MAX_SMS];
} dyncta;

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    dyncta *d = self;

    wr_tb_pause_placed(&d->sm[wr_sm_id(sm)].tbs, sm, tb_slot);
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    dyncta *d = self;

    (void)stream;
    wr_tb_pause_done(&d->sm[wr_sm_id(sm)].tbs, sm, tb_slot);
}

/* The end of a window on one SM. */
static void decide(dyncta *d, wr_sm *sm)
{
    sm_state *s = &d->sm[wr_sm_id(sm)];
    wr_sm_meter m = wr_meter_sm(sm);
    uint64_t idle = 0;
    uint64_t memory = 0;
    for (uint32_t k = 0; k < WR_CONFIG_MAX_SCHEDULERS; k++) {
        idle += m.slots[k][WR_SLOT_EMPTY];
        memory += m.slots[k][WR_SLOT_MEMORY] + m.slots[k][WR_SLOT_HELD];
    }
    uint64_t c_idle = (idle - s->idle) / d->schedulers,
             c_mem = (memory - s->memory) / d->schedulers;
    bool more = c_idle > d->option[OPT_IDLE].number || c_mem < d->option[OPT_LOW].number;
    bool fewer = !more && c_mem > d->option[OPT_HIGH].number;

    s->tbs.limit += more && s->tbs.limit < d->most ? 1 : 0;
    s->tbs.limit -= fewer && s->tbs.limit > 1 ? 1 : 0;
    s->idle = idle;
    s->memory = memory;
    d->limit_sum += s->tbs.limit;
    d->paused += wr_tb_pause_push(&s->tbs, sm);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    dyncta *d = self;
    bool due = wr_gpu_cycle(gpu) >= d->next;
    for (uint32_t i = 0; due && i < d->sms; i++) {
        decide(d, wr_gpu_sm(gpu, i));
    }
    d->next += due ? d->option[OPT_WINDOW].number : 0;
    d->windows += due;
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const dyncta *d = self;
    return d->next > now ? d->next : now + 1;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_sm_config *sm = &setup->cfg->sm;
    dyncta *d = wr_system_alloc(sizeof *d, err, err_size);
    if (!d) {
        return NULL;
    }
    d->sms = setup->cfg->sms;
    d->schedulers = sm->schedulers * sm->issue_width;
    d->most = sm->max_tbs;
    d->option = setup->values;
    d->next = d->option[OPT_WINDOW].number;
    for (uint32_t i = 0; i < d->sms; i++) {
        d->sm[i].tbs = (wr_tb_pause){.owner = setup->owner, .limit = (d->most + 1) / 2};
    }
    d->base.hooks = (wr_system_hooks){.self = d,
                                      .tb_placed = on_tb_placed,
                                      .tb_done = on_tb_done,
                                      .gpu_cycle = on_gpu_cycle,
                                      .next_cycle = on_next_cycle};
    return &d->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const dyncta *d = (const dyncta *)system;
    double looks = (double)(d->windows != 0 ? d->windows * d->sms : 1);
    wr_report_section(r, "", "TBs by latency tolerance, of an SM");
    (void)wr_report_count(r, "windows", "windows", d->windows, "");
    (void)wr_report_real(r, "limit.mean", "may run", (double)d->limit_sum / looks, "TBs");
    (void)wr_report_real(r, "paused.mean", "paused", (double)d->paused / looks, "TBs");
}

const wr_system_type wr_dyncta_type = {
    .name = "dyncta",
    .summary = "pauses TBs of an SM by its latency tolerance (DYNCTA)",
    .paper = "Kayiran 3.1",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
