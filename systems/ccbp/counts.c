/* SPDX-License-Identifier: Apache-2.0 */
/* What the L2 banks do for each kernel: the block l2_meter of a bank sees each of its lookups, with
 * the sectors that are fetched for it and those that go back. Seam: meter.
 *
 * The block is clocked with each lookup and with each read. What a lookup is of nobody in flight is
 * not counted: context traffic, CPU cores, write-backs of lines of streams that are gone.
 */
#include "systems/ccbp/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { BITS = 14 };

static void clock_once(wr_ccbp *p, wr_ccbp_bank *b, const wr_l2_meter_in *in)
{
    (void)wr_bay_begin(p->bay, b->unit, b->cycles);
    wr_l2_meter_port_eval(&b->port, in, &b->out);
    wr_l2_meter_port_tick(&b->port, in);
    (void)wr_bay_end(p->bay, b->unit);
    b->cycles++;
}

static uint32_t kernel_of(const wr_ccbp *p, uint32_t stream)
{
    return stream < WR_MAX_STREAMS ? p->kernel_of[stream] : WR_CCBP_NONE;
}

static void on_lookup(void *self, uint32_t bank, const wr_l2_lookup *lookup)
{
    wr_ccbp *p = self;
    const uint32_t k = kernel_of(p, lookup->stream);
    const uint32_t owner = lookup->written != 0 ? kernel_of(p, lookup->owner) : WR_CCBP_NONE;
    const wr_l2_meter_in in = {.access = k != WR_CCBP_NONE,
                               .kernel = k & 3u,
                               .fetched = k != WR_CCBP_NONE ? lookup->fetched : 0,
                               .written = owner != WR_CCBP_NONE ? lookup->written : 0,
                               .owner = owner & 3u};

    if (in.access || in.written != 0) {
        clock_once(p, &p->bank[bank], &in);
    }
}

void wr_ccbp_counts_take(wr_ccbp *p, uint32_t bank, wr_ccbp_bank_counts *counts)
{
    wr_ccbp_bank *b = &p->bank[bank];
    char text[512];

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const wr_l2_meter_in in = {.read = true, .read_kernel = (uint8_t)k};

        clock_once(p, b, &in);
        counts->accesses[k] = b->out.accesses;
        counts->fetches[k] = b->out.fetches;
        counts->write_backs[k] = b->out.write_backs;
    }
    if (wr_bay_check(p->bay, b->unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, b->unit, text));
    }
}

void wr_ccbp_counts_attach(wr_ccbp *p)
{
    wr_meter_watch_l2(p->gpu, on_lookup, p);
}

bool wr_ccbp_counts_open(wr_ccbp *p, char *err, size_t err_size)
{
    const wr_l2_meter_cfg cfg = {.kernels = WR_CCBP_MOST, .bits = BITS};

    p->bank = calloc(p->bank_count, sizeof *p->bank);
    if (!p->bank) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < p->bank_count; i++) {
        wr_ccbp_bank *b = &p->bank[i];
        char name[24];

        b->open =
            wr_l2_meter_port_open_behind(&b->port, wr_bay_behind(p->bay), &cfg, err, err_size);
        if (!b->open) {
            return false;
        }
        wr_l2_meter_port_reset(&b->port);
        (void)snprintf(name, sizeof name, "l2bank%u", i);
        b->unit = wr_bay_add_unit(p->bay, name, WR_BAY_FREE);
        wr_bay_add_port(p->bay, b->unit, &b->port.port, &b->out);
    }
    return true;
}

void wr_ccbp_counts_close(wr_ccbp *p)
{
    for (uint32_t i = 0; p->bank && i < p->bank_count; i++) {
        if (p->bank[i].open) {
            wr_l2_meter_port_close(&p->bank[i].port);
        }
    }
    free(p->bank);
}
