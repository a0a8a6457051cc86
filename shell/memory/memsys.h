/* The memory system behind the SMs: request network, L2 banks, DRAM, reply network.
 *
 *   SM injection port --flits--> crossbar --> bank port -> L2 bank -> (DRAM channel)
 *   SM reply port   <--flits-- crossbar <-- bank reply port <-'
 *
 * What an SM needs to know of it is in this file and nothing more, so that fuller models can
 * take its place: a packet is injected or refused, and comes back as its reply.
 *
 * Invariants:
 * - each injected packet comes back exactly once, as the same value with `time` changed;
 * - packets between the same SM and bank stay in order up to the bank;
 * - a bank holds at most WR_BANK_CREDITS packets from injection to the departure of the
 *   reply, and an SM has at most WR_SM_OUTSTANDING under way: queues cannot overflow;
 * - calling wr_memsys_tick in a cycle in which nothing is due changes nothing.
 */
#ifndef WR_SHELL_MEMORY_MEMSYS_H
#define WR_SHELL_MEMORY_MEMSYS_H

#include "shell/config/config.h"

#define WR_BANK_CREDITS   64
#define WR_SM_OUTSTANDING 256
#define WR_NEVER          UINT64_MAX

typedef enum wr_packet_kind { WR_PACKET_READ, WR_PACKET_WRITE, WR_PACKET_ATOMIC } wr_packet_kind;

typedef struct wr_packet {
    uint64_t addr; /* of the line or segment */
    uint64_t time; /* cycle in which it is at its next station */
    uint32_t tag;  /* the sender's, comes back with the reply */
    uint16_t sm;
    uint16_t bytes;  /* of data: in the reply of a read, in the request of a write, in both of
                        an atomic */
    uint8_t kind;    /* wr_packet_kind */
    uint8_t sender;  /* the sender's own distinction, comes back */
    uint16_t serial; /* atomics: most operations on one address; 1 otherwise */
} wr_packet;

typedef struct wr_memsys wr_memsys;

wr_memsys *wr_memsys_create(const wr_gpu_config *cfg); /* NULL: out of memory */
void wr_memsys_free(wr_memsys *ms);

/* Moves what is due at `now`. */
void wr_memsys_tick(wr_memsys *ms, uint64_t now);
/* First cycle after the last tick in which a tick does something. */
uint64_t wr_memsys_next(const wr_memsys *ms);

/* Hands a packet to the SM's injection port. False: port busy or no room at its bank. */
bool wr_memsys_inject(wr_memsys *ms, uint64_t now, const wr_packet *packet);
/* Earliest cycle from `now` on in which injecting it may succeed; WR_NEVER where that depends
 * on something that a tick must do first. */
uint64_t wr_memsys_inject_at(const wr_memsys *ms, uint64_t now, const wr_packet *packet);

/* Takes the oldest reply that has arrived at the SM; false: none. */
bool wr_memsys_reply(wr_memsys *ms, uint64_t now, uint32_t sm, wr_packet *out);
/* Arrival of the oldest reply that is under way or waits; WR_NEVER: none has left a bank. */
uint64_t wr_memsys_reply_at(const wr_memsys *ms, uint32_t sm);

/* Packets injected and not yet handed back. */
uint64_t wr_memsys_in_flight(const wr_memsys *ms);

/* Totals since creation. */
typedef struct wr_memsys_stats {
    uint64_t requests, replies;
    uint64_t request_flits, reply_flits;
    uint64_t l2_accesses, l2_hits, l2_misses, l2_merges, l2_write_backs;
    uint64_t dram_read_bytes, dram_write_bytes;
} wr_memsys_stats;
wr_memsys_stats wr_memsys_totals(const wr_memsys *ms);

#endif
