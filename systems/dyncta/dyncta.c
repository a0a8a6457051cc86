/* SPDX-License-Identifier: Apache-2.0 */
/* DYNCTA (Kayiran et al., PACT 2013): how many TBs of an SM run, by its latency tolerance. The
 * newest TBs beyond that number are paused: their warps are held, and nothing of them leaves.
 * Seams: warp, launch, meter.
 *
 * Every window, for each SM: slots in which it had no warp above t_idle: one TB more; else slots in
 * which its running warps waited for memory below t_mem_low: one more, above t_mem_high: one less.
 * Slots count per scheduler, and one that a paused warp could have used counts as a wait. From half
 * the SM's TB slots on, between 1 and all of them.
 *
 * Thresholds are of public notes, not of the paper's text. TBs that wait for each other may wait
 * for ever.
 */
#include "systems/dyncta/dyncta.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "shell/core/seam/warp.h"

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
    uint32_t limit;                    /* TBs that run */
    uint64_t idle, memory;             /* slots so far, at the window's begin */
    uint64_t order[WR_CONFIG_MAX_TBS]; /* when the TB in a slot was placed; 0: there is none */
} sm_state;

typedef struct dyncta {
    wr_system base;
    wr_owner owner;
    uint32_t sms, schedulers, most;
    uint64_t window, t_idle, t_low, t_high;
    uint64_t next, windows, placed, limit_sum, paused;
    sm_state sm[WR_CONFIG_MAX_SMS];
} dyncta;

/* Holds the warps of all TBs but the oldest `limit`; returns how many TBs that is. */
static uint32_t pause(const dyncta *d, wr_sm *sm)
{
    const sm_state *s = &d->sm[wr_sm_id(sm)];
    uint64_t held = 0;
    uint32_t paused = 0;

    for (uint32_t t = 0; t < d->most; t++) {
        uint32_t older = 0;

        for (uint32_t k = 0; k < d->most; k++) {
            older += s->order[k] != 0 && s->order[k] < s->order[t];
        }
        if (s->order[t] != 0 && older >= s->limit) {
            wr_tb_info tb = wr_sm_tb(sm, t);

            held |= ((UINT64_C(2) << (tb.warps - 1)) - 1) << tb.warp_base;
            paused++;
        }
    }
    wr_sm_hold(sm, d->owner, held);
    return paused;
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    dyncta *d = self;

    d->sm[wr_sm_id(sm)].order[tb_slot] = ++d->placed;
    (void)pause(d, sm);
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    dyncta *d = self;

    (void)stream;
    d->sm[wr_sm_id(sm)].order[tb_slot] = 0;
    (void)pause(d, sm);
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
    uint64_t c_idle = (idle - s->idle) / d->schedulers;
    uint64_t c_mem = (memory - s->memory) / d->schedulers;
    bool more = c_idle > d->t_idle || c_mem < d->t_low;
    bool fewer = !more && c_mem > d->t_high;

    s->limit += more && s->limit < d->most ? 1 : 0;
    s->limit -= fewer && s->limit > 1 ? 1 : 0;
    s->idle = idle;
    s->memory = memory;
    d->limit_sum += s->limit;
    d->paused += pause(d, sm);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    dyncta *d = self;

    for (uint32_t i = 0; wr_gpu_cycle(gpu) >= d->next && i < d->sms; i++) {
        decide(d, wr_gpu_sm(gpu, i));
    }
    if (wr_gpu_cycle(gpu) >= d->next) {
        d->next += d->window;
        d->windows++;
    }
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
    d->owner = setup->owner;
    d->sms = setup->cfg->sms;
    d->schedulers = sm->schedulers * sm->issue_width;
    d->most = sm->max_tbs;
    d->window = d->next = setup->values[OPT_WINDOW].number;
    d->t_idle = setup->values[OPT_IDLE].number;
    d->t_low = setup->values[OPT_LOW].number;
    d->t_high = setup->values[OPT_HIGH].number;
    for (uint32_t i = 0; i < d->sms; i++) {
        d->sm[i].limit = (d->most + 1) / 2;
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
