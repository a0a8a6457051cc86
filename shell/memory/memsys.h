/* SPDX-License-Identifier: Apache-2.0 */
/* The memory system behind the SMs: request network, L2 banks, DRAM channels, reply network.
 *
 *   SM port -> request network -> L2 bank -+-> reply network -> SM port
 *                                           +-> DRAM channel -> (fill)
 *
 * What an SM needs to know of it is in this file and nothing more, so that other models can
 * take its place: a packet is injected or refused, and comes back as its reply.
 *
 * Time is in core cycles here. Interconnect, L2 and DRAM have clocks of their own: clock n of
 * a domain is in the core cycle in which n * core_mhz / domain_mhz falls, and wr_memsys_tick
 * runs all clocks up to its cycle, DRAM first, then L2, then the interconnect.
 *
 * Invariants:
 * - each injected packet comes back exactly once, unchanged;
 * - packets between the same SM and bank stay in order up to the bank;
 * - no queue overflows: each station takes only what it has room for, and what it does not
 *   take stays where it is (back pressure up to the SM);
 * - calling wr_memsys_tick in a cycle in which nothing is due changes nothing.
 */
#ifndef WR_SHELL_MEMORY_MEMSYS_H
#define WR_SHELL_MEMORY_MEMSYS_H

#include "shell/config/config.h"
#include "shell/memory/gddr5.h"
#include "shell/memory/l2.h"
#include "shell/memory/packet.h"

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

/* Without time and traffic: the L2 has the line of this address whole, as the one that was accessed
 * last, `written` by the stream; a line that it takes the place of has been written to DRAM. With
 * nothing in flight. True: it had a free place. */
bool wr_memsys_touch(wr_memsys *ms, uint64_t addr, uint8_t stream, bool written);

/* Takes the oldest replies that have arrived at a port, at most so many; returns how many. */
uint32_t wr_memsys_collect(wr_memsys *ms, uint64_t now, uint32_t port, wr_packet *out,
                           uint32_t most);
/* The oldest; false: none. */
static inline bool wr_memsys_reply(wr_memsys *ms, uint64_t now, uint32_t port, wr_packet *out)
{
    return wr_memsys_collect(ms, now, port, out, 1) != 0;
}
/* SMs for which one has arrived, a bit each; and the cycle of the first arrival at any SM, of what
 * has crossed the network: WR_NEVER where nothing has. */
uint64_t wr_memsys_replies(wr_memsys *ms, uint64_t now);
uint64_t wr_memsys_next_reply(const wr_memsys *ms);
/* The same for one port. */
uint64_t wr_memsys_reply_at(const wr_memsys *ms, uint32_t sm);

/* Packets injected and not yet handed back. */
uint64_t wr_memsys_in_flight(const wr_memsys *ms);

/* Totals since creation. */
typedef struct wr_memsys_stats {
    uint64_t requests, replies;
    uint64_t request_flits, reply_flits;
    uint64_t l2_accesses, l2_hits, l2_misses, l2_merges, l2_write_backs, l2_stalls;
    uint64_t dram_reads, dram_writes; /* requests */
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t dram_activates, dram_precharges, dram_refreshes, dram_row_hits;
    uint64_t dram_occupancy; /* requests in the queues, summed over clocks and channels */
    uint64_t l2_occupancy;   /* requests in front of the tags, summed over clocks and banks */
    uint64_t request_bytes, reply_bytes; /* of data */
    wr_histogram l2_miss_latency, dram_queue_latency;
} wr_memsys_stats;
/* What one stream's packets met at an L2 bank. */
typedef struct wr_stream_traffic {
    uint64_t accesses, hits, misses;
    uint64_t write_backs; /* of lines that it wrote last */
    uint64_t
        fetch_refusals; /* L2 clocks in which what the bank asks of DRAM found its queue full */
    uint64_t reply_refusals; /* interconnect clocks in which a reply was ready and not taken */
} wr_stream_traffic;
/* `stream` below WR_PACKET_STREAMS; `now` as in wr_memsys_totals. */
wr_stream_traffic wr_memsys_traffic(const wr_memsys *ms, uint32_t bank, uint32_t stream,
                                    uint64_t now);
/* `now` is the first cycle that is not counted. */
wr_memsys_stats wr_memsys_totals(const wr_memsys *ms, uint64_t now);
/* Of one bank, one channel, and one output, one input of a network; at `now`. */
wr_l2_stats wr_memsys_bank(const wr_memsys *ms, uint32_t bank, uint64_t now);
wr_gddr5_stats wr_memsys_channel(const wr_memsys *ms, uint32_t channel, uint64_t now);
uint64_t wr_memsys_port_flits(const wr_memsys *ms, bool reply, uint32_t output);
uint64_t wr_memsys_sent_flits(const wr_memsys *ms, bool reply, uint32_t input);
/* With nothing in flight: has what entered each level left it, no more and no less? False with a
 * message that says what has not. */
bool wr_memsys_conserved(const wr_memsys *ms, char *message, size_t size);

/* Clocks of a domain that have begun before core cycle `now`. */
typedef enum wr_clock { WR_CLOCK_NOC, WR_CLOCK_L2, WR_CLOCK_DRAM } wr_clock;
uint64_t wr_memsys_clocks(const wr_memsys *ms, wr_clock which, uint64_t now);

/* To look at. */
const wr_l2_bank *wr_memsys_l2(const wr_memsys *ms, uint32_t bank);
const wr_gddr5 *wr_memsys_dram(const wr_memsys *ms, uint32_t channel);

/* For tests and studies: each command of a channel as it leaves. */
void wr_memsys_observe(wr_memsys *ms, uint32_t channel, wr_gddr5_watch watch, void *arg);
/* Each lookup of each L2 bank (l2.h). */
void wr_memsys_watch_l2(wr_memsys *ms, wr_l2_watch watch, void *arg);
/* For tests: the next tick looks at everything, due or not, which must change nothing. */
void wr_memsys_wake(wr_memsys *ms);
/* MSHRs in use and requests in queues anywhere: 0 when nothing is under way. */
uint64_t wr_memsys_held(const wr_memsys *ms);

#endif
