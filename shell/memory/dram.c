/* DRAM with fixed latency and finite bandwidth; see dram.h. */
#include "shell/memory/dram.h"

#include <assert.h>

void wr_dram_init(wr_dram *dram, const wr_gpu_config *cfg)
{
    *dram = (wr_dram){.channels = cfg->dram.channels,
                      .latency = cfg->dram.latency,
                      .peak_mb = cfg->dram.peak_mbytes_per_s,
                      .core_mhz = cfg->clock.core_mhz};
}

uint64_t wr_dram_access(wr_dram *dram, uint64_t now, uint32_t channel, uint32_t bytes, bool write)
{
    assert(channel < dram->channels);
    uint64_t start = now * 256;
    if (dram->free_at[channel] > start) {
        start = dram->free_at[channel];
    }
    uint64_t cost = (uint64_t)bytes * 256 * dram->core_mhz * dram->channels / dram->peak_mb;
    dram->free_at[channel] = start + cost;
    if (write) {
        dram->write_bytes += bytes;
    } else {
        dram->read_bytes += bytes;
    }
    return (start + cost + 255) / 256 + dram->latency;
}
