/* SPDX-License-Identifier: Apache-2.0 */
/* One bank of the L2: tags, MSHRs, and the queues around them; write-back, write-allocate.
 *
 *   request -> pipeline (latency) -> tags -+-> hit -----------------> replies
 *                                          +-> MSHR -> to DRAM ... fill -> replies
 *                                          +-> dirty victim -> to DRAM
 *
 * Lines carry state only, their bytes are in simulated memory. A line has four sectors of 32 B,
 * each valid, dirty or both: a store makes the sectors that it covers valid and dirty without
 * fetching, and those that it covers in part dirty; a load fetches the bursts of what is not
 * valid. Time is in L2 cycles and given by the caller.
 *
 * Invariants:
 * - every request taken gives one reply; hits among themselves stay in order;
 * - an MSHR belongs to one line that no one evicts, and waits for one answer of DRAM;
 * - a request that lacks an MSHR, a merge, a way or room behind holds the pipeline: nothing
 *   overtakes it (reservation failure), and nothing has changed by it.
 */
#ifndef WR_SHELL_MEMORY_L2_H
#define WR_SHELL_MEMORY_L2_H

#include "shell/config/address.h"
#include "shell/memory/histogram.h"
#include "shell/memory/packet.h"

#define WR_L2_SECTORS 4

/* What a bank asks of its channel. */
typedef struct wr_l2_fetch {
    uint32_t line;   /* of the bank */
    uint8_t sectors; /* wanted, or dirty */
    bool write, low;
    uint8_t stream; /* for whom; of a write-back: who wrote the line last */
    uint16_t mshr;
    uint64_t addr;
} wr_l2_fetch;

/* What a stream's packets did in a bank. A write-back is of the stream that wrote the line last. */
typedef struct wr_l2_stream_stats {
    uint64_t accesses, hits, misses, write_backs;
} wr_l2_stream_stats;

/* A request that the tags have taken, and what it made of them. */
typedef struct wr_l2_lookup {
    uint8_t stream;
    uint8_t owner;   /* where any were written: the stream that wrote the victim last */
    uint8_t fetched; /* sectors that are asked of DRAM for it */
    uint8_t written; /* dirty sectors of the victim, which go back */
} wr_l2_lookup;
typedef void (*wr_l2_watch)(void *arg, uint32_t bank, const wr_l2_lookup *lookup);

typedef struct wr_l2_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t write_backs; /* lines */
    uint64_t stalls;      /* cycles in which the tags held a request back */
    uint64_t reads, writes, atomics;
    uint64_t request_bytes, reply_bytes; /* of data, with requests and replies */
    uint64_t fetches;                    /* asked of DRAM, write-backs included */
    uint64_t occupancy;                  /* requests in front of the tags, summed over cycles */
    wr_histogram miss_latency;           /* of a fetch: asked to filled */
} wr_l2_stats;

typedef struct wr_l2_bank wr_l2_bank;

/* What is asked of a bank in every cycle. A bank keeps it where its maker wants it, so that those
 * of all banks lie together. */
typedef struct wr_l2_front {
    uint64_t next;     /* first cycle in which a tick does something; WR_NEVER: none until a push,
                          a fill, or room */
    uint64_t reply_at; /* since when the oldest reply may leave; WR_NEVER: there is none */
    bool has_room;     /* for a push */
    bool fetches;      /* something waits for DRAM */
} wr_l2_front;

/* NULL: out of memory. The front is kept up to date as long as the bank is there. */
wr_l2_bank *wr_l2_create(const wr_gpu_config *cfg, wr_l2_front *front);
void wr_l2_free(wr_l2_bank *bank);
/* Each lookup from now on, in the tick that makes it; number: what the bank is called. NULL: none.
 */
void wr_l2_observe(wr_l2_bank *bank, uint32_t number, wr_l2_watch watch, void *arg);

void wr_l2_push(wr_l2_bank *bank, uint64_t now, uint32_t line, const wr_packet *packet);
void wr_l2_tick(wr_l2_bank *bank, uint64_t now);
/* Line `line` of the bank, at this address, is there whole, used last, and dirty where `written`.
 * With nothing under way. True: there was a free way for it. */
bool wr_l2_touch(wr_l2_bank *bank, uint32_t line, uint64_t addr, uint8_t stream, bool written);
/* For tests: the next tick looks at everything, due or not, which must change nothing. */
void wr_l2_wake(wr_l2_bank *bank);

/* What waits for DRAM; NULL: nothing. */
const wr_l2_fetch *wr_l2_fetch_head(const wr_l2_bank *bank);
void wr_l2_fetch_pop(wr_l2_bank *bank, uint64_t now);
/* The data of a fetch are there. */
void wr_l2_fill(wr_l2_bank *bank, uint64_t now, uint16_t mshr);

/* The oldest reply that may leave at `now`, and since when; NULL: none. */
const wr_packet *wr_l2_reply_head(const wr_l2_bank *bank, uint64_t now, uint64_t *at);
void wr_l2_reply_pop(wr_l2_bank *bank, uint64_t now);

const wr_l2_stats *wr_l2_totals(const wr_l2_bank *bank);
/* Of one stream, below WR_PACKET_STREAMS. */
const wr_l2_stream_stats *wr_l2_stream_totals(const wr_l2_bank *bank, uint32_t stream);
/* Its occupancy up to `now`. */
uint64_t wr_l2_occupancy(const wr_l2_bank *bank, uint64_t now);
/* What it has asked for and its channel has not taken. */
uint32_t wr_l2_fetches_waiting(const wr_l2_bank *bank);
/* Requests in front of the tags. */
uint32_t wr_l2_waiting(const wr_l2_bank *bank);
/* Lines being fetched: 0 when nothing is under way. */
uint32_t wr_l2_mshrs_in_use(const wr_l2_bank *bank);

#endif
