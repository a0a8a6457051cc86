/* SPDX-License-Identifier: Apache-2.0 */
/* SM draining: a launch that finds others in flight gets SMs of its own, each when the TBs that run
 * there have ended (what Lin-P V.D and SMK 2.4 compare with). Seam: launch.
 *
 *   open --a launch begins--> draining --last TB ends--> the launch's own --it ends--> open
 *
 * A draining SM is closed to all streams. The highest SMs that are open go first. A launch that
 * finds none open shares what there is.
 */
#include "systems/drain/drain.h"

#include "shell/core/seam/launch.h"

enum { OPT_SMS, OPT_NUMBER, OPEN = UINT32_MAX };

static const wr_option options[OPT_NUMBER] = {
    [OPT_SMS] = {.name = "sms",
                 .kind = WR_OPTION_NUMBER,
                 .min = 1,
                 .max = WR_CONFIG_MAX_SMS,
                 .preset = "1",
                 .unit = "SMs",
                 .doc = "for a launch that finds others in flight"},
};

typedef struct drain {
    wr_system base;
    wr_owner owner;
    uint32_t sms;
    uint32_t stream[WR_CONFIG_MAX_SMS]; /* whose the SM is or is to be; OPEN */
    bool draining[WR_CONFIG_MAX_SMS];
    uint64_t since[WR_CONFIG_MAX_SMS];
    uint64_t count, sum, least, most; /* SMs that have drained; cycles */
    uint64_t tbs;                     /* that were waited for */
} drain;

/* Where it is empty the SM is the launch's. */
static void look(drain *d, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);

    if (!d->draining[id] || wr_sm_tb_count(sm, WR_ALL_STREAMS) != 0) {
        return;
    }
    uint64_t cycles = wr_gpu_cycle(wr_sm_gpu(sm)) - d->since[id];

    d->draining[id] = false;
    d->least = d->count == 0 || cycles < d->least ? cycles : d->least;
    d->most = cycles > d->most ? cycles : d->most;
    d->sum += cycles;
    d->count++;
    wr_sm_close(sm, d->owner, WR_ALL_STREAMS & ~(1u << d->stream[id]));
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    drain *d = self;
    uint32_t left = wr_gpu_launches(gpu) > 1 ? d->sms : 0;

    (void)launch;
    for (uint32_t id = wr_gpu_sm_count(gpu); id-- > 0 && left != 0;) {
        wr_sm *sm = wr_gpu_sm(gpu, id);

        if (d->stream[id] != OPEN) {
            continue;
        }
        d->stream[id] = stream;
        d->draining[id] = true;
        d->since[id] = wr_gpu_cycle(gpu);
        d->tbs += wr_sm_tb_count(sm, WR_ALL_STREAMS);
        wr_sm_close(sm, d->owner, WR_ALL_STREAMS);
        look(d, sm);
        left--;
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    drain *d = self;

    for (uint32_t id = 0; id < wr_gpu_sm_count(gpu); id++) {
        if (d->stream[id] == stream) {
            d->stream[id] = OPEN;
            d->draining[id] = false;
            wr_sm_close(wr_gpu_sm(gpu, id), d->owner, 0);
        }
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    (void)tb_slot;
    (void)stream;
    look(self, sm);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    drain *d = wr_system_alloc(sizeof *d, err, err_size);

    if (!d) {
        return NULL;
    }
    d->owner = setup->owner;
    d->sms = (uint32_t)setup->values[OPT_SMS].number;
    for (uint32_t i = 0; i < WR_CONFIG_MAX_SMS; i++) {
        d->stream[i] = OPEN;
    }
    d->base.hooks = (wr_system_hooks){.self = d,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_done = on_tb_done};
    return &d->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const drain *d = (const drain *)system;

    wr_report_section(r, "", "SM draining");
    (void)wr_report_count(r, "drained", "SMs drained", d->count, "");
    (void)wr_report_count(r, "tbs", "TBs waited for", d->tbs, "");
    if (d->count != 0) {
        wr_report_real(r, "latency.mean", "latency", (double)d->sum / (double)d->count, "cycles")
            ->column = "mean";
        wr_report_count(r, "latency.min", "latency", d->least, "cycles")->column = "least";
        wr_report_count(r, "latency.max", "latency", d->most, "cycles")->column = "most";
    }
}

const wr_system_type wr_drain_type = {
    .name = "drain",
    .summary = "drains SMs for a launch that finds others in flight",
    .paper = "Lin-P V.D",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
