/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold between the fields of a configuration; see wr_config_check. */
#include <inttypes.h>
#include <string.h>

#include "shell/config/address.h"
#include "shell/config/config.h"
#include "shell/config/placement.h"
#include "shell/ptx/diag.h"

/* The first row of wr_timing_config whose units are not all there; NULL: none. */
static const char *units_wrong(const wr_gpu_config *c)
{
    const wr_class_timing *i = &c->timing.integer, *s = &c->timing.fp32, *d = &c->timing.fp64;
    const struct {
        const char *name;
        wr_unit_set unit;
    } rows[] = {
        {"integer.add", i->add.unit}, {"integer.max", i->max.unit}, {"integer.mul", i->mul.unit},
        {"integer.mad", i->mad.unit}, {"integer.div", i->div.unit}, {"fp32.add", s->add.unit},
        {"fp32.max", s->max.unit},    {"fp32.mul", s->mul.unit},    {"fp32.mad", s->mad.unit},
        {"fp32.div", s->div.unit},    {"fp64.add", d->add.unit},    {"fp64.max", d->max.unit},
        {"fp64.mul", d->mul.unit},    {"fp64.mad", d->mad.unit},    {"fp64.div", d->div.unit},
        {"sfu", c->timing.sfu.unit},
    };
    const wr_units_config *u = &c->units;
    const unsigned there = (u->sp.count != 0 ? (unsigned)WR_ON_SP : 0) |
                           (u->sp2.count != 0 ? (unsigned)WR_ON_SP2 : 0) |
                           (u->imu.count != 0 ? (unsigned)WR_ON_IMU : 0) |
                           (u->dp.count != 0 ? (unsigned)WR_ON_DP : 0) |
                           (u->sfu.count != 0 ? (unsigned)WR_ON_SFU : 0);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (((unsigned)rows[k].unit & ~there) != 0) {
            return rows[k].name;
        }
    }
    return NULL;
}

static const char *cpu_wrong(const wr_gpu_config *c)
{
    const wr_cpu_config *p = &c->cpu;
    uint64_t line = c->l2.line_bytes;
    if (p->cores == 0) {
        return NULL;
    }
    if (c->sms + p->cores > WR_CONFIG_MAX_SMS) {
        return "SMs and CPU cores together are more than 64";
    }
    if (p->mhz == 0 || p->issue_width == 0 || p->window == 0 || p->l1_cycles == 0 ||
        p->l2_cycles == 0 || p->mshrs == 0) {
        return "a core has a clock, a width, a window, two caches and MSHRs";
    }
    if (p->l1_ways == 0 || p->l2_ways == 0 || p->l1_bytes < 8 * line * p->l1_ways ||
        p->l1_bytes % (line * p->l1_ways) != 0 || p->l2_bytes % (line * p->l2_ways) != 0 ||
        p->l2_bytes < 2 * p->l1_bytes) {
        return "a cache is whole sets of l2.line_bytes, the L1 at least 8, the L2 twice the L1";
    }
    if (p->trace.burst == 0 ||
        (uint64_t)p->trace.footprint_mb << 20 < 128 * (uint64_t)p->l2_bytes) {
        return "trace.burst is 1 or more and trace.footprint_mb at least 128 L2s";
    }
    uint64_t core = ((uint64_t)p->trace.footprint_mb << 20) + WR_CONFIG_CPU_NEAR_LINES * line;
    uint64_t channel = UINT64_C(1) << strlen(c->dram.address_map); /* bytes */
    uint32_t own = c->dram.cpu_channels;
    if (own == 0 && WR_CONFIG_CPU_BASE + p->cores * core > c->dram.channels * channel) {
        return "dram.address_map is too short for the cores' memory behind the GPU's 4 GB";
    }
    if (own != 0 && p->cores * core > own * channel) {
        return "dram.address_map is too short for the cores' memory in dram.cpu_channels";
    }
    return NULL;
}

static bool cpu_channels_wrong(const wr_gpu_config *c)
{
    uint32_t own = c->dram.cpu_channels;
    return own != 0 &&
           (c->cpu.cores == 0 || own >= c->dram.channels ||
            (uint64_t)(c->dram.channels - own) << strlen(c->dram.address_map) < WR_CONFIG_CPU_BASE);
}

bool wr_config_check(const wr_gpu_config *c, wr_diag *diag)
{
    const char *name = c->name;
    const char *wrong;
    wr_address_map map;
    wr_placement placement;
    if ((wrong = units_wrong(c)) != NULL) {
        wr_diag_set(diag, name, 0, 0,
                    "timing.%s executes on units that the SM has none of; give them a count in "
                    "units",
                    wrong);
    } else if (c->l1.bytes % (c->l1.line_bytes * c->l1.ways) != 0) {
        wr_diag_set(diag, name, 0, 0,
                    "l1.bytes must be a multiple of l1.line_bytes * l1.ways (%" PRIu32 ")",
                    c->l1.line_bytes * c->l1.ways);
    } else if ((c->sm.lsu_queues != 0 ? c->sm.lsu_queues : 1) *
                   (c->sm.loads_in_flight != 0 ? c->sm.loads_in_flight : 64) >
               WR_CONFIG_MAX_LOADS) {
        wr_diag_set(diag, name, 0, 0, "sm.lsu_queues * sm.loads_in_flight must not exceed %d",
                    WR_CONFIG_MAX_LOADS);
    } else if (c->icache.bytes % (c->icache.line_bytes * c->icache.ways) != 0 ||
               c->ccache.bytes % (c->ccache.line_bytes * c->ccache.ways) != 0) {
        wr_diag_set(diag, name, 0, 0,
                    "icache.bytes and ccache.bytes must be multiples of line_bytes * ways");
    } else if (c->l2.bytes % (c->l2.line_bytes * c->l2.ways * c->l2.banks) != 0) {
        wr_diag_set(diag, name, 0, 0,
                    "l2.bytes must be a multiple of l2.line_bytes * l2.ways * l2.banks (%" PRIu32
                    ")",
                    c->l2.line_bytes * c->l2.ways * c->l2.banks);
    } else if (c->l1.line_bytes != c->l2.line_bytes) {
        wr_diag_set(diag, name, 0, 0, "l1.line_bytes and l2.line_bytes must be the same");
    } else if (c->icache.line_bytes > c->l2.line_bytes || c->ccache.line_bytes > c->l2.line_bytes) {
        wr_diag_set(diag, name, 0, 0,
                    "icache.line_bytes and ccache.line_bytes must not exceed l2.line_bytes");
    } else if (c->context.segment_bytes > c->l2.line_bytes) {
        wr_diag_set(diag, name, 0, 0, "context.segment_bytes must not exceed l2.line_bytes");
    } else if (c->l2.banks % c->dram.channels != 0) {
        wr_diag_set(diag, name, 0, 0, "l2.banks must be a multiple of dram.channels");
    } else if (((c->l2.banks / c->dram.channels) & (c->l2.banks / c->dram.channels - 1)) != 0) {
        wr_diag_set(diag, name, 0, 0, "l2.banks / dram.channels must be a power of two");
    } else if (c->dram.write_low >= c->dram.write_high || c->dram.write_high > c->dram.queue) {
        wr_diag_set(diag, name, 0, 0,
                    "dram.write_low must be below dram.write_high, and that at most dram.queue");
    } else if (c->dram.burst_clocks > c->dram.timing.ccd) {
        wr_diag_set(diag, name, 0, 0, "dram.burst_clocks must not exceed dram.timing.ccd");
    } else if (c->dram.timing.refi != 0 &&
               c->dram.timing.refi <= c->dram.timing.rfc + c->dram.timing.rc + c->dram.banks) {
        wr_diag_set(diag, name, 0, 0,
                    "dram.timing.refi must be 0 or longer than a refresh: rfc + rc + a clock for "
                    "each of dram.banks");
    } else if (c->dram.groups > c->dram.banks) {
        wr_diag_set(diag, name, 0, 0, "dram.groups must not exceed dram.banks");
    } else if (c->dram.interleave < c->l2.line_bytes) {
        wr_diag_set(diag, name, 0, 0, "dram.interleave must be at least l2.line_bytes");
    } else if (cpu_channels_wrong(c)) {
        wr_diag_set(diag, name, 0, 0,
                    "dram.cpu_channels takes a part of dram.channels for CPU cores, and leaves the "
                    "GPU room for 4 GB");
    } else if ((wrong = wr_address_init(&map, c)) != NULL) {
        wr_diag_set(diag, name, 0, 0, "dram.address_map is wrong: %s", wrong);
    } else if (c->context.pad_bytes > c->context.segment_bytes) {
        wr_diag_set(diag, name, 0, 0, "context.pad_bytes must not exceed context.segment_bytes");
    } else if ((wrong = cpu_wrong(c)) != NULL) {
        wr_diag_set(diag, name, 0, 0, "cpu does not suit: %s", wrong);
    } else if (c->noc.kind == WR_NOC_MESH && (wrong = wr_placement_init(&placement, c)) != NULL) {
        wr_diag_set(diag, name, 0, 0, "noc.mesh does not suit: %s", wrong);
    } else if (c->noc.mesh.cpu_vcs != 0 &&
               (c->noc.kind != WR_NOC_MESH || c->cpu.cores == 0 ||
                c->noc.mesh.cpu_vcs >= c->noc.mesh.vcs ||
                c->noc.flit_bytes * c->noc.mesh.cpu_vcs % c->noc.mesh.vcs != 0)) {
        wr_diag_set(diag, name, 0, 0,
                    "noc.mesh.cpu_vcs takes a part of a mesh's vcs, and of flit_bytes in whole "
                    "bytes, for CPU cores");
    } else {
        return true;
    }
    return false;
}
