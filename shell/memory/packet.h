/* SPDX-License-Identifier: Apache-2.0 */
/* What travels between SMs and memory partitions. */
#ifndef WR_SHELL_MEMORY_PACKET_H
#define WR_SHELL_MEMORY_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define WR_NEVER        UINT64_MAX
#define WR_SECTOR_BYTES 32
#define WR_PACKET_BYTES 128 /* most data of a packet: the longest line */

/* Streams of packets: those of launches, and one for what belongs to none. */
#define WR_NO_STREAM      32
#define WR_PACKET_STREAMS 33

typedef enum wr_packet_kind { WR_PACKET_READ, WR_PACKET_WRITE, WR_PACKET_ATOMIC } wr_packet_kind;

typedef struct wr_packet {
    uint64_t addr;   /* of the line or segment */
    uint32_t tag;    /* the sender's, comes back with the reply */
    uint16_t bytes;  /* of data: in the reply of a read, in the request of a write, in both of an
                        atomic */
    uint8_t sm;      /* or CPU core: the port */
    uint8_t stream;  /* of the launch whose warp asks; WR_NO_STREAM: context traffic, CPU cores */
    uint8_t warp;    /* its slot when it asked; 0 without one */
    uint8_t serial;  /* atomics: most operations on one address; 1 otherwise */
    uint8_t kind;    /* wr_packet_kind */
    uint8_t sender;  /* the sender's own distinction, comes back */
    uint8_t sectors; /* of the line at addr: a bit per 32 B that is touched */
    uint8_t covered; /* of these: wholly written */
    bool low;        /* context traffic: gives way in DRAM (P29) */
} wr_packet;
_Static_assert(sizeof(wr_packet) == 24, "packets are copied from queue to queue");

/* How many of a line's four sectors are in a set. */
static inline uint32_t wr_sector_count(uint32_t sectors)
{
    const uint64_t count_of = 0x4332322132212110; /* a nibble a set */
    return (uint32_t)(count_of >> 4 * sectors) & 15;
}

#endif
