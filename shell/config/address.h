/* SPDX-License-Identifier: Apache-2.0 */
/* From an address to its place in memory: channel, L2 bank, DRAM bank, row and column.
 *
 * Channels interleave every `interleave` bytes. What is left of the address when the channel
 * is taken out (the channel's own linear address) is cut into bits by a map in the notation of
 * GPGPU-Sim, the highest bit first: R row, B bank, C column (in bursts), S byte in the burst.
 * The L2 banks of a channel share its DRAM banks by their lowest bits. With dram.cpu_channels the
 * GPU's memory is interleaved over the first channels, that of CPU cores over the last ones.
 */
#ifndef WR_SHELL_CONFIG_ADDRESS_H
#define WR_SHELL_CONFIG_ADDRESS_H

#include "shell/config/config.h"

#define WR_ADDRESS_PARTS 8

/* Bits of the channel's address gathered into one number. */
typedef struct wr_address_field {
    struct {
        uint64_t mask;       /* of the number's bits */
        uint8_t down, above; /* how far they stand higher in the address; its bit behind them */
    } part[WR_ADDRESS_PARTS];
    uint32_t parts, bits;
} wr_address_field;

typedef struct wr_address_map {
    uint32_t channels;
    uint32_t interleave;   /* log2 of it */
    uint32_t cpu_channels; /* behind `channels`, for addresses from cpu_from on */
    uint64_t cpu_from;     /* UINT64_MAX: all share `channels` */
    uint32_t slices;       /* L2 banks per channel: a power of two */
    wr_address_field row, bank, column;
    wr_address_field set; /* the line's number in its L2 bank */
} wr_address_map;

typedef struct wr_place {
    uint32_t channel;
    uint32_t slice; /* L2 bank of the channel */
    uint32_t row, bank, column;
    uint32_t line; /* of the L2 bank: consecutive lines of it are consecutive numbers */
} wr_place;

/* Why a map does not suit the configuration; NULL: it does. */
const char *wr_address_init(wr_address_map *map, const wr_gpu_config *cfg);
wr_place wr_address_place(const wr_address_map *map, uint64_t addr);
/* The line of the bank alone. */
uint32_t wr_address_line(const wr_address_map *map, uint64_t addr);
/* The L2 bank alone, numbered through all channels. */
uint32_t wr_address_l2_bank(const wr_address_map *map, uint64_t addr);

#endif
