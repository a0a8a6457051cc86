/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the mesh. Only mesh.c and mesh_router.c include this. */
#ifndef WR_SHELL_MEMORY_MESH_STATE_H
#define WR_SHELL_MEMORY_MESH_STATE_H

#include "shell/memory/mesh.h"

#include <stddef.h>

#define MESH_SIDES 4
#define MESH_ENDS  (MESH_SIDES + WR_MESH_LOCAL) /* ports of a router in one direction */
#define MESH_NONE  0xff

/* A place in a buffer. */
typedef struct mesh_slot {
    uint64_t at; /* filled: arrival of its flit; else: from then on the sender may use it */
    uint32_t packet;
    uint16_t flow;
    bool filled, head, tail;
} mesh_slot;

/* The buffer of a port and VC: a ring of slots. */
typedef struct mesh_lane {
    mesh_slot *slots;
    uint64_t ready; /* from then on the packet in front may ask for what it needs next */
    uint8_t first, count;
    bool granted; /* the packet in front has a VC of output `out` */
    uint8_t out, out_vc;
} mesh_lane;

typedef struct mesh_router {
    uint64_t filled;             /* lanes with flits */
    uint8_t busy[MESH_ENDS];     /* VCs of an output that a packet holds */
    uint8_t vc_turn[MESH_ENDS];  /* of an output: the lane that is served first */
    uint8_t vc_next[MESH_ENDS];  /* of an output: the VC that is tried first */
    uint8_t in_turn[MESH_ENDS];  /* of an input: the VC that is asked first */
    uint8_t out_turn[MESH_ENDS]; /* of an output: the input that is asked first */
    uint8_t x, y;
    uint8_t inputs, outputs; /* terminals here */
    uint8_t input[WR_MESH_LOCAL], output[WR_MESH_LOCAL];
    uint64_t link_flits[MESH_SIDES];
} mesh_router;

typedef struct mesh_packet {
    wr_packet packet;
    uint32_t serial; /* of its flow */
    uint16_t flits;
    uint8_t input, output;
} mesh_packet;

/* A sender's FIFO. */
typedef struct mesh_input {
    uint32_t *queue; /* packets: a ring */
    uint32_t first, count;
    uint32_t flits;        /* that wait in it */
    uint32_t sent;         /* of the packet in front */
    uint64_t left;         /* flits that have entered the router */
    uint64_t link_free_at; /* the sender's flits of the last packet are in */
    uint64_t leave_at;     /* the packet in front may begin to leave */
    uint8_t node, port;
    uint8_t vc; /* of the packet in front, once it has begun; MESH_NONE */
    uint8_t vc_next;
} mesh_input;

typedef struct mesh_arrival {
    uint64_t at;
    uint32_t packet;
} mesh_arrival;

/* A receiver's FIFO. */
typedef struct mesh_output {
    mesh_arrival *queue; /* a ring */
    uint32_t first, count;
    uint32_t coming; /* packets that have a place put by */
    uint8_t node, port;
    uint64_t flits;
} mesh_output;

struct wr_mesh {
    wr_arrivals front;
    wr_mesh_config cfg;
    uint32_t nodes;
    bool woken;           /* by wr_mesh_wake */
    wr_calendar due;      /* routers with work */
    mesh_router *routers; /* nodes of them */
    mesh_lane *lanes;     /* MESH_ENDS * vcs a router */
    mesh_slot *slots;     /* buffers a lane */
    mesh_packet *packets; /* as many as can be under way */
    uint32_t *spare;      /* packets that are not in use: a stack */
    uint32_t spare_count;
    mesh_input in[WR_NETWORK_PORTS];
    mesh_output out[WR_NETWORK_PORTS];
    uint32_t sent[WR_NETWORK_PORTS][WR_NETWORK_PORTS];
    uint32_t taken[WR_NETWORK_PORTS][WR_NETWORK_PORTS];
    wr_mesh_stats stats;
};

static inline mesh_lane *mesh_lane_at(const wr_mesh *m, uint32_t node, uint32_t port, uint32_t vc)
{
    return &m->lanes[(node * MESH_ENDS + port) * m->cfg.vcs + vc];
}

/* The place that the next flit for a lane takes; NULL: no credit. */
static inline mesh_slot *mesh_room(const wr_mesh *m, const mesh_lane *lane, uint64_t now)
{
    uint32_t i = (uint32_t)lane->first + lane->count;
    mesh_slot *slot = &lane->slots[i >= m->cfg.buffers ? i - m->cfg.buffers : i];
    return slot->filled || slot->at > now ? NULL : slot;
}

/* A router has work in a cycle after the present one. */
static inline void mesh_wake(wr_mesh *m, uint32_t node, uint64_t at)
{
    wr_calendar_add(&m->due, at, UINT64_C(1) << node);
    m->front.next = at < m->front.next ? at : m->front.next;
}

/* A flow's next packet keeps behind what is left of it in a lane. */
bool mesh_holds(const wr_mesh *m, const mesh_lane *lane, uint32_t flow, uint64_t now);
/* A flit enters a lane of a router. */
void mesh_enter(wr_mesh *m, uint32_t node, uint32_t port, uint32_t vc, mesh_slot *slot,
                const mesh_slot *flit);
/* mesh_router.c: one cycle of a router. */
void mesh_router_step(wr_mesh *m, uint32_t node, uint64_t now);

#endif
