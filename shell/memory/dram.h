/* DRAM as a delay and a rate: each channel moves bytes at its share of the peak bandwidth, in
 * the order of the requests, and answers a fixed latency later. No banks, rows or turn-around.
 *
 * Time is kept in 1/256 core cycles so that a rate that is no whole number of bytes per cycle
 * (gtx480: 42.24 per channel) loses nothing in the long run.
 */
#ifndef WR_SHELL_MEMORY_DRAM_H
#define WR_SHELL_MEMORY_DRAM_H

#include "shell/config/config.h"

typedef struct wr_dram {
    uint32_t channels;
    uint32_t latency; /* core cycles */
    uint64_t peak_mb; /* 10^6 bytes a second and channel, times channels */
    uint64_t core_mhz;
    uint64_t free_at[WR_CONFIG_MAX_SMS]; /* per channel, 1/256 cycles */
    uint64_t read_bytes, write_bytes;
} wr_dram;

#define WR_DRAM_MAX_CHANNELS WR_CONFIG_MAX_SMS

void wr_dram_init(wr_dram *dram, const wr_gpu_config *cfg);

/* Books a transfer; returns the cycle in which its data are there (read) or taken (write). */
uint64_t wr_dram_access(wr_dram *dram, uint64_t now, uint32_t channel, uint32_t bytes, bool write);

#endif
