/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the interconnect: an input-queued crossbar that moves packets of flits.
 *
 *   sender --1 flit a cycle--> input FIFO -> switch --1 flit a cycle--> output FIFO -> receiver
 *
 * The head packet of an input asks for its output; a free output chooses among the heads that
 * ask for it, round robin, and the pair is held for as many cycles as the packet has flits
 * (wormhole, one virtual channel: a blocked head blocks what is behind it, Lin-D 3.3.1; Karol
 * et al. 1987 is the case of one flit). A packet is handed over when its tail has arrived.
 *
 * Invariants:
 * - each packet comes out once, at the output it was sent to; packets of one input and output
 *   come out in the order they went in (asserted with a number per flow);
 * - an input FIFO holds at most its flits, an output FIFO at most its packets: a packet
 *   crosses only where a place waits for it;
 * - waiting[o] has exactly the inputs whose head could cross to o now;
 * - calling wr_crossbar_tick before wr_arrivals.next changes nothing.
 */
#ifndef WR_SHELL_MEMORY_CROSSBAR_H
#define WR_SHELL_MEMORY_CROSSBAR_H

#include "shell/memory/arrivals.h"
#include "shell/memory/packet.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_crossbar_config {
    uint32_t inputs, outputs;
    uint32_t latency;        /* cycles from leaving the input FIFO to arrival, of one flit */
    uint32_t speedup;        /* flits a switch port moves a cycle */
    uint32_t input_flits;    /* of an input FIFO; a packet larger than it enters an empty one */
    uint32_t output_packets; /* of an output FIFO: a power of two */
} wr_crossbar_config;

typedef struct wr_crossbar wr_crossbar;

wr_crossbar *wr_crossbar_create(const wr_crossbar_config *cfg); /* NULL: out of memory */
void wr_crossbar_free(wr_crossbar *x);

/* Earliest cycle from `now` on in which a packet of so many flits may enter; UINT64_MAX where
 * that depends on a tick. */
uint64_t wr_crossbar_room_at(const wr_crossbar *x, uint64_t now, uint32_t input, uint32_t flits);
/* There must be room now. */
void wr_crossbar_push(wr_crossbar *x, uint64_t now, uint32_t input, uint32_t output, uint32_t flits,
                      const wr_packet *packet);
void wr_crossbar_tick(wr_crossbar *x, uint64_t now);
/* Valid as long as the crossbar. */
wr_arrivals *wr_crossbar_arrivals(wr_crossbar *x);
/* For tests: the next tick looks at everything, due or not, which must change nothing. */
void wr_crossbar_wake(wr_crossbar *x);
/* The oldest packet at an output; false: none has arrived. */
bool wr_crossbar_take(wr_crossbar *x, uint64_t now, uint32_t output, wr_packet *packet);

typedef struct wr_crossbar_stats {
    uint64_t packets_in, packets_out;
    uint64_t flits_in, flits_out;
} wr_crossbar_stats;
wr_crossbar_stats wr_crossbar_totals(const wr_crossbar *x);
/* Flits that have crossed from an input, and to an output: its bandwidth over time. */
uint64_t wr_crossbar_input_flits(const wr_crossbar *x, uint32_t input);
uint64_t wr_crossbar_output_flits(const wr_crossbar *x, uint32_t output);

#endif
