/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges by path, by its end (".latency") or its beginning ("dram.timing."); the first row that
 * fits holds. */
#include "shell/config/range.h"

#include <string.h>

#include "shell/config/config.h"

static const wr_range ranges[] = {
    {"sms", 1, WR_CONFIG_MAX_SMS, false},
    {"clock.core_mhz", 1, 100000, false},
    {"clock.noc_mhz", 1, 100000, false},
    {"clock.l2_mhz", 1, 100000, false},
    {"clock.dram_mhz", 1, 100000, false},
    {"sm.warp_size", WR_CONFIG_WARP_SIZE, WR_CONFIG_WARP_SIZE, false},
    {"sm.max_warps", 1, WR_CONFIG_MAX_WARPS, false},
    {"sm.max_tbs", 1, WR_CONFIG_MAX_TBS, false},
    {"sm.registers", 1024, 1u << 20, false},
    {"sm.register_granule", 1, 64, false},
    {"sm.max_regs_per_thread", 8, 63, false},
    {"sm.shared_bytes", 0, 1u << 20, false},
    {"sm.shared_granule", 1, 4096, true},
    {"sm.shared_banks", 1, 64, true},
    {"sm.shared_latency", 1, 1000, false},
    {"sm.schedulers", 1, WR_CONFIG_MAX_SCHEDULERS, false},
    {"sm.fetch_group", 1, WR_CONFIG_MAX_WARPS, false},
    {"sm.warp_limit", 0, WR_CONFIG_MAX_WARPS, false},
    {"sm.issue_width", 1, 2, false},
    {"sm.fetch_width", 1, 8, false},
    {"sm.fetch_latency", 1, 100, false},
    {"sm.rf_banks", 1, 32, true},
    {"sm.read_latency", 1, 8, false},
    {"sm.dispatch_latency", 0, 8, false},
    {"sm.write_latency", 0, 8, false},
    {".count", 0, WR_CONFIG_MAX_UNITS, false},
    {".lanes", 4, WR_CONFIG_WARP_SIZE, false},
    {".collectors", 1, WR_CONFIG_MAX_COLLECTORS, false},
    {"sm.insn_bytes", 0, 8, false},
    {"sm.exit_waits_stores", 0, 1, false},
    {"sm.shared_atomics_merge", 0, 1, false},
    {"sm.loads_in_flight", 0, WR_CONFIG_MAX_LOADS, false},
    {"sm.lsu_queues", 0, WR_CONFIG_MAX_LSU_QUEUES, true},
    {"sm.lowest_first", 0, 1, false},
    {"timing.other_latency", 0, 1000, false},
    {"timing.rem_latency", 0, 1000, false},
    {"timing.shuffle_latency", 0, 1000, false},
    {"timing.shuffle_interval", 0, 1000, false},
    {".latency", 1, 10000, false},
    {".interval", 1, 1000, false},
    {"l1.bytes", 1024, 1u << 20, false},
    {"l1.line_bytes", 32, 128, true},
    {"l1.ways", 1, 64, false},
    {"l1.sectored", 0, 1, false},
    {"l1.globals", 0, 1, false},
    {"l1.hit_latency", 1, 1000, false},
    {"l1.mshrs", 1, 1024, false},
    {"l1.mshr_merges", 1, 64, false},
    {"l1.miss_queue", 1, 1024, false},
    {"l1.store_buffer", 0, 1024, false},
    {"icache.bytes", 256, 1u << 20, false},
    {"icache.line_bytes", 32, 128, true},
    {"icache.ways", 1, 64, false},
    {"ccache.bytes", 256, 1u << 20, false},
    {"ccache.line_bytes", 32, 128, true},
    {"ccache.ways", 1, 64, false},
    {"noc.flit_bytes", 8, 256, false},
    {"noc.header_bytes", 0, 64, false},
    {"noc.speedup", 1, 16, false},
    {"noc.input_flits", 1, 4096, false},
    {"noc.output_packets", 1, 1024, true},
    {"l2.banks", 1, 64, false},
    {"l2.bytes", 4096, 1u << 28, false},
    {"l2.line_bytes", 32, 128, true},
    {"l2.ways", 1, 64, false},
    {"l2.bytes_per_cycle", 1, 1024, false},
    {"l2.mshrs", 1, 4096, false},
    {"l2.mshr_merges", 1, 64, false},
    {"l2.miss_queue", 1, 1024, false},
    {"l2.queue", 1, 1024, false},
    {"dram.channels", 1, 32, false},
    {"dram.cpu_channels", 0, 31, false},
    {"dram.interleave", 128, 65536, true},
    {"dram.banks", 1, 32, true},
    {"dram.groups", 1, 8, true},
    {"dram.burst_bytes", 32, 128, true},
    {"dram.burst_clocks", 1, 64, false},
    {"dram.sector_bursts", 0, 1, false},
    {"dram.queue", 1, 64, false},
    {"dram.write_high", 1, 64, false},
    {"dram.write_low", 0, 63, false},
    {"dram.timing.refi", 0, 1u << 20, false},
    {"dram.timing.", 1, 10000, false},
    {"context.rf_bytes_per_cycle", 4, 1024, true},
    {"context.shared_bytes_per_cycle", 4, 1024, true},
    {"context.segment_bytes", 32, 128, true},
    {"context.pad_bytes", 4, 128, true},
    {"context.pointer_bytes", 4, 8, true},
    {"context.aging_cycles", 1, 1000000, false},
    {"noc.mesh.width", 0, 8, false},
    {"noc.mesh.vcs", 0, 8, false},
    {"noc.mesh.cpu_vcs", 0, 8, false},
    {"noc.mesh.vc_buffers", 0, 16, false},
    {"noc.mesh.sms_per_node", 0, 4, false},
    {"noc.mesh.", 0, 8, false},
    {"cpu.cores", 0, 63, false},
    {"cpu.mhz", 0, 100000, false},
    {"cpu.issue_width", 0, 8, false},
    {"cpu.window", 0, 1024, false},
    {"cpu.l1_bytes", 0, 1u << 20, false},
    {"cpu.l1_ways", 0, 64, false},
    {"cpu.l2_bytes", 0, 1u << 24, false},
    {"cpu.l2_ways", 0, 64, false},
    {"cpu.mshrs", 0, 64, false},
    {"cpu.trace.accesses", 0, 1000, false},
    {"cpu.trace.l2_hits", 0, 1000, false},
    {"cpu.trace.burst", 0, 64, false},
    {"cpu.trace.footprint_mb", 0, 4096, true},
    {"cpu.trace.seed", 0, UINT32_MAX, false},
    {"cpu.trace.", 0, 100, false},
    {"cpu.", 0, 1000, false},
};

const wr_range *wr_range_of(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        size_t m = strlen(ranges[i].path);
        const char *row = ranges[i].path;
        bool fits = row[0] == '.'       ? n > m && strcmp(path + n - m, row) == 0
                    : row[m - 1] == '.' ? strncmp(path, row, m) == 0
                                        : strcmp(path, row) == 0;
        if (fits) {
            return &ranges[i];
        }
    }
    return NULL;
}

bool wr_range_has(const wr_range *r, uint32_t value)
{
    return value >= r->min && value <= r->max && (!r->power_of_two || (value & (value - 1)) == 0);
}
