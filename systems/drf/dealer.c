/* SPDX-License-Identifier: Apache-2.0 */
/* One partition: a load for each kernel, the start, the wait, a look at each; see dealer.h. */
#include "systems/drf/dealer.h"

enum { MOST_CYCLES = 1000 };

bool wr_drf_open(wr_drf_dealer *d, const wr_system_setup *setup, const char *unit, uint32_t kernels,
                 char *err, size_t err_size)
{
    const wr_sm_config *sm = &setup->cfg->sm;
    const wr_drf_partitioner_cfg cfg = {.kernels = kernels,
                                        .reg_limit = sm->registers / WR_DRF_REGISTER_UNIT,
                                        .thread_limit = sm->max_warps * 32,
                                        .smem_limit = sm->shared_bytes / WR_DRF_SHARED_UNIT,
                                        .tb_limit = sm->max_tbs};

    d->bay = setup->bay;
    d->kernels = kernels;
    d->open =
        wr_drf_partitioner_port_open_behind(&d->port, wr_bay_behind(d->bay), &cfg, err, err_size);
    if (!d->open) {
        return false;
    }
    wr_drf_partitioner_port_reset(&d->port);
    d->unit = wr_bay_add_unit(d->bay, unit, WR_BAY_FREE);
    wr_bay_add_port(d->bay, d->unit, &d->port.port, &d->out);
    return true;
}

void wr_drf_close(wr_drf_dealer *d)
{
    if (d->open) {
        wr_drf_partitioner_port_close(&d->port);
    }
}

static bool step(wr_drf_dealer *d, wr_gpu *gpu, const wr_drf_partitioner_in *in)
{
    char text[512];

    (void)wr_bay_begin(d->bay, d->unit, d->cycles);
    wr_drf_partitioner_port_eval(&d->port, in, &d->out);
    wr_drf_partitioner_port_tick(&d->port, in);
    (void)wr_bay_end(d->bay, d->unit);
    d->cycles++;
    if (wr_bay_check(d->bay, d->unit, text, sizeof text)) {
        wr_gpu_abort(gpu, wr_bay_fail(d->bay, d->unit, text));
        return false;
    }
    return true;
}

static uint16_t units(uint32_t amount, uint32_t unit)
{
    return (uint16_t)((amount + unit - 1) / unit);
}

bool wr_drf_deal(wr_drf_dealer *d, wr_gpu *gpu, uint32_t mask, const wr_tb_needs needs[],
                 uint32_t tbs[])
{
    wr_drf_partitioner_in in = {0};
    uint32_t left = MOST_CYCLES;

    for (uint32_t k = 0; k < d->kernels; k++) {
        in = (wr_drf_partitioner_in){.load = true,
                                     .kernel = (uint8_t)k,
                                     .regs = units(needs[k].registers, WR_DRF_REGISTER_UNIT),
                                     .threads = (uint16_t)needs[k].threads,
                                     .smem = units(needs[k].shared_bytes, WR_DRF_SHARED_UNIT)};
        if ((mask >> k & 1u) != 0 && !step(d, gpu, &in)) {
            return false;
        }
    }
    in = (wr_drf_partitioner_in){.start = true, .mask = (uint8_t)mask};
    do {
        if (!step(d, gpu, &in)) {
            return false;
        }
        d->out.done = d->out.done && !in.start; /* that is of the partition before */
        in = (wr_drf_partitioner_in){0};
    } while (!d->out.done && --left != 0);
    if (left == 0) {
        wr_gpu_abort(gpu, "drf_partitioner does not come to an end");
        return false;
    }
    for (uint32_t k = 0; k < d->kernels; k++) {
        in.read = (uint8_t)k;
        tbs[k] = 0;
        if ((mask >> k & 1u) == 0) {
            continue;
        }
        if (!step(d, gpu, &in)) {
            return false;
        }
        tbs[k] = d->out.tbs;
    }
    return true;
}
