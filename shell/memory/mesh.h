/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the interconnect: a square mesh of routers with virtual channels (VCs).
 *
 *   sender --> input FIFO --> router (x,y) ==> router ==> ... ==> router --> output FIFO -->
 * receiver
 *
 * A packet goes along its row to the receiver's column, then along the column (XY, hence no
 * cycle of waiting), as flits that follow their head (wormhole). A router has a buffer per port
 * and VC; a flit moves on when the next buffer has a place, which its credit tells. Stages of
 * the head, each with its own latency: routing, VC allocation, switch allocation, traversal;
 * then the link. Other flits need the last two and the link. Each stage is pipelined.
 *
 * Several senders and receivers may stand at one node: each has a port of its own there.
 *
 * A packet takes any free VC with a place, but for one rule: while a flit of its flow (sender
 * and receiver) is in a buffer, the flow's next packet enters that VC or waits (exclusive
 * dynamic VC allocation, Lis et al. 2010). So packets of a flow stay in order.
 *
 * Switch allocation is separable, the input first: a port offers one of its VCs, an output takes
 * one of the ports, both round robin from behind the last winner.
 *
 * Invariants:
 * - each packet comes out once, at the output it was sent to; packets of one input and output
 *   come out in the order they went in (asserted with a number per flow);
 * - a buffer never holds more than its flits, an output FIFO never more than its packets: a
 *   packet enters the last switch only with a place in the FIFO put by for it;
 * - what a router does in a cycle depends on what others did in earlier ones only, so that the
 *   order of routers does not matter;
 * - a router works only in cycles for which something woke it: calling wr_mesh_tick before
 *   wr_arrivals.next changes nothing.
 */
#ifndef WR_SHELL_MEMORY_MESH_H
#define WR_SHELL_MEMORY_MESH_H

#include "shell/memory/arrivals.h"
#include "shell/memory/packet.h"

#include <stdbool.h>
#include <stdint.h>

#define WR_MESH_WIDTH   8 /* most nodes of a row */
#define WR_MESH_VCS     8
#define WR_MESH_LOCAL   4 /* most inputs, most outputs at a node */
#define WR_MESH_BUFFERS 16
#define WR_MESH_STAGE   8 /* most cycles of a latency */

typedef struct wr_mesh_config {
    uint32_t inputs, outputs;
    uint32_t width;          /* nodes of a row, rows */
    uint32_t vcs;            /* of each port */
    uint32_t buffers;        /* flits of a VC */
    uint32_t routing;        /* cycles of the stages; the first three may be 0 */
    uint32_t vc_alloc;       /* VC allocation */
    uint32_t switch_alloc;   /* switch allocation */
    uint32_t traversal;      /* of the switch */
    uint32_t link;           /* to the next router, and between a router and its terminals */
    uint32_t credit;         /* from a place's release to its use */
    uint32_t input_flits;    /* of an input FIFO; a packet larger than it enters an empty one */
    uint32_t output_packets; /* of an output FIFO */
    uint8_t input_node[WR_NETWORK_PORTS], output_node[WR_NETWORK_PORTS]; /* y * width + x */
} wr_mesh_config;

typedef struct wr_mesh wr_mesh;

wr_mesh *wr_mesh_create(const wr_mesh_config *cfg); /* NULL: out of memory */
void wr_mesh_free(wr_mesh *m);

/* Earliest cycle from `now` on in which a packet of so many flits may enter; UINT64_MAX where
 * that depends on a tick. */
uint64_t wr_mesh_room_at(const wr_mesh *m, uint64_t now, uint32_t input, uint32_t flits);
/* There must be room now, and no tick before `now` be due. */
void wr_mesh_push(wr_mesh *m, uint64_t now, uint32_t input, uint32_t output, uint32_t flits,
                  const wr_packet *packet);
void wr_mesh_tick(wr_mesh *m, uint64_t now);
/* Valid as long as the mesh; an output's packet counts from its tail on. */
wr_arrivals *wr_mesh_arrivals(wr_mesh *m);
/* For tests: in the next tick every router works, due or not, which must change nothing. At most
 * once a cycle. */
void wr_mesh_wake(wr_mesh *m);
/* The oldest packet at an output; false: none has arrived. */
bool wr_mesh_take(wr_mesh *m, uint64_t now, uint32_t output, wr_packet *packet);

/* Cycles from push to take of a packet that meets no other. */
uint32_t wr_mesh_idle_latency(const wr_mesh_config *cfg, uint32_t input, uint32_t output,
                              uint32_t flits);

typedef struct wr_mesh_stats {
    uint64_t packets_in, packets_out;
    uint64_t flits_in, flits_out;
    uint64_t hops; /* flits over links between routers */
} wr_mesh_stats;
wr_mesh_stats wr_mesh_totals(const wr_mesh *m);
/* Flits that have left an input, and that have left for an output: its bandwidth over time. */
uint64_t wr_mesh_input_flits(const wr_mesh *m, uint32_t input);
uint64_t wr_mesh_output_flits(const wr_mesh *m, uint32_t output);

typedef enum wr_mesh_side { WR_MESH_NORTH, WR_MESH_EAST, WR_MESH_SOUTH, WR_MESH_WEST } wr_mesh_side;
/* Flits that have left a node over a link. */
uint64_t wr_mesh_link_flits(const wr_mesh *m, uint32_t node, wr_mesh_side side);

#endif
