/* SPDX-License-Identifier: Apache-2.0 */
/* An SM parted by dominant resource fairness (SMK 5.2, 5.3.2): the block drf_partitioner deals the
 * registers, threads, shared memory and TB slots of an SM out to the launches in flight, and each
 * has as many TBs on an SM as it was dealt. Seam: launch.
 *
 * The block's sizes are the machine's. It works when a launch begins or ends, and decides alone; it
 * is the same for all SMs, so there is one. A launch that was dealt nothing waits.
 */
#include "systems/drf/drf.h"

#include "systems/drf/dealer.h"

#include <stdlib.h>

enum { KERNELS = 8 };

static const char *const blocks[] = {"drf_partitioner", NULL};

static const wr_system_need needs[] = {
    {{"sm.registers", offsetof(wr_gpu_config, sm.registers)}, 32, 4096 * WR_DRF_REGISTER_UNIT},
    {{"sm.shared_bytes", offsetof(wr_gpu_config, sm.shared_bytes)}, 128, 4096 * WR_DRF_SHARED_UNIT},
};

typedef struct drf {
    wr_system base;
    wr_owner owner;
    wr_drf_dealer dealer;
    uint32_t tbs[WR_MAX_STREAMS]; /* on an SM; UINT32_MAX: not its to say */
    uint64_t partitions;
} drf;

/* The SM is closed to streams that have what they were dealt. */
static void close_full(const drf *d, wr_sm *sm)
{
    uint32_t closed = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        closed |= d->tbs[i] != UINT32_MAX && wr_sm_tb_count(sm, 1u << i) >= d->tbs[i] ? 1u << i : 0;
    }
    wr_sm_close(sm, d->owner, closed);
}

static void deal(drf *d, wr_gpu *gpu)
{
    wr_tb_needs of[KERNELS] = {0};
    uint32_t stream[KERNELS];
    uint32_t tbs[KERNELS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        d->tbs[i] = UINT32_MAX;
        if (wr_gpu_launch(gpu, i) && count != KERNELS) {
            of[count] = wr_gpu_tb_needs(gpu, i);
            stream[count++] = i;
        }
    }
    if (!wr_drf_deal(&d->dealer, gpu, (1u << count) - 1, of, tbs)) {
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        d->tbs[stream[k]] = tbs[k];
    }
    d->partitions++;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        close_full(d, wr_gpu_sm(gpu, i));
    }
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)launch;
    deal(self, gpu);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    (void)stream;
    if (wr_gpu_launches(gpu) != 0) {
        deal(self, gpu);
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    (void)tb_slot;
    close_full(self, sm);
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    (void)tb_slot;
    (void)stream;
    close_full(self, sm);
}

static void destroy(wr_system *system)
{
    drf *d = (drf *)system;

    wr_drf_close(&d->dealer);
    free(d);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    drf *d = wr_system_alloc(sizeof *d, err, err_size);

    if (!d) {
        return NULL;
    }
    d->owner = setup->owner;
    if (!wr_drf_open(&d->dealer, setup, "", KERNELS, err, err_size)) {
        destroy(&d->base);
        return NULL;
    }
    d->base.hooks = (wr_system_hooks){.self = d,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_placed = on_tb_placed,
                                      .tb_done = on_tb_done};
    return &d->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const drf *d = (const drf *)system;

    wr_report_section(r, "", "Dominant resource fairness");
    (void)wr_report_count(r, "partitions", "partitions dealt", d->partitions, "");
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];
        char label[48];

        if (d->tbs[i] != UINT32_MAX && d->partitions != 0) {
            (void)snprintf(name, sizeof name, "stream%u.tbs", i);
            (void)snprintf(label, sizeof label, "stream %u, of the last partition", i);
            (void)wr_report_count(r, name, label, d->tbs[i], "TBs");
        }
    }
}

const wr_system_type wr_drf_type = {
    .name = "drf",
    .summary = "parts every SM among launches by dominant resource fairness",
    .paper = "SMK 5.2, 5.3.2",
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .create = create,
    .destroy = destroy,
    .report = report,
};
