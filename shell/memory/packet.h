/* SPDX-License-Identifier: Apache-2.0 */
/* What travels between SMs and memory partitions. */
#ifndef WR_SHELL_MEMORY_PACKET_H
#define WR_SHELL_MEMORY_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define WR_NEVER        UINT64_MAX
#define WR_SECTOR_BYTES 32

typedef enum wr_packet_kind { WR_PACKET_READ, WR_PACKET_WRITE, WR_PACKET_ATOMIC } wr_packet_kind;

typedef struct wr_packet {
    uint64_t addr; /* of the line or segment */
    uint32_t tag;  /* the sender's, comes back with the reply */
    uint16_t sm;
    uint16_t bytes;  /* of data: in the reply of a read, in the request of a write, in both of
                        an atomic */
    uint16_t serial; /* atomics: most operations on one address; 1 otherwise */
    uint8_t kind;    /* wr_packet_kind */
    uint8_t sender;  /* the sender's own distinction, comes back */
    uint8_t sectors; /* of the line at addr: a bit per 32 B that is touched */
    uint8_t covered; /* of these: wholly written */
    bool low;        /* context traffic: gives way in DRAM (P29) */
} wr_packet;

#endif
