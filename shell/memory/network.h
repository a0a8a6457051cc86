/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the interconnect, a crossbar or a mesh, behind one interface: that of
 * crossbar.h, which says what the functions do. */
#ifndef WR_SHELL_MEMORY_NETWORK_H
#define WR_SHELL_MEMORY_NETWORK_H

#include "shell/config/config.h"
#include "shell/memory/crossbar.h"
#include "shell/memory/mesh.h"

/* Of one kind: the other pointer is NULL. */
typedef struct wr_network {
    wr_arrivals *front; /* when it moves, and what has come out of it */
    wr_crossbar *crossbar;
    wr_mesh *mesh;
} wr_network;

typedef enum wr_network_way {
    WR_NETWORK_REQUEST, /* from SMs and CPU cores to L2 banks */
    WR_NETWORK_REPLY,
} wr_network_way;

/* Fills it from noc, sms, cpu.cores and l2.banks; false: out of memory. */
bool wr_network_init(wr_network *n, const wr_gpu_config *cfg, wr_network_way way);
/* The inputs and outputs that it then has. */
void wr_network_ports(const wr_gpu_config *cfg, wr_network_way way, uint32_t *inputs,
                      uint32_t *outputs);
/* The same network between so many ports: those of a mesh stand at its nodes in turn, one at each
 * before any has a second one. For measurements of the network by itself. */
bool wr_network_init_ports(wr_network *n, const wr_gpu_config *cfg, uint32_t inputs,
                           uint32_t outputs);
void wr_network_free(wr_network *n);

static inline uint64_t wr_network_room_at(const wr_network *n, uint64_t now, uint32_t input,
                                          uint32_t flits)
{
    return n->mesh == NULL ? wr_crossbar_room_at(n->crossbar, now, input, flits)
                           : wr_mesh_room_at(n->mesh, now, input, flits);
}

static inline void wr_network_push(wr_network *n, uint64_t now, uint32_t input, uint32_t output,
                                   uint32_t flits, const wr_packet *packet)
{
    if (n->mesh == NULL) {
        wr_crossbar_push(n->crossbar, now, input, output, flits, packet);
    } else {
        wr_mesh_push(n->mesh, now, input, output, flits, packet);
    }
}

static inline void wr_network_tick(wr_network *n, uint64_t now)
{
    if (n->mesh == NULL) {
        wr_crossbar_tick(n->crossbar, now);
    } else {
        wr_mesh_tick(n->mesh, now);
    }
}

static inline uint64_t wr_network_next(const wr_network *n)
{
    return n->front->next;
}

/* Outputs at which a packet has arrived, no earlier than was asked last; and when one is there at
 * any other. */
static inline uint64_t wr_network_there(wr_network *n, uint64_t now)
{
    return wr_arrivals_there(n->front, now);
}

static inline uint64_t wr_network_coming_at(const wr_network *n)
{
    return wr_calendar_next(&n->front->coming);
}

/* Inputs that flits have left since this was asked. */
static inline uint64_t wr_network_freed(wr_network *n)
{
    uint64_t freed = n->front->freed;
    n->front->freed = 0;
    return freed;
}

static inline uint64_t wr_network_take_at(const wr_network *n, uint32_t output)
{
    return n->front->at[output];
}

static inline void wr_network_wake(wr_network *n)
{
    if (n->mesh == NULL) {
        wr_crossbar_wake(n->crossbar);
    } else {
        wr_mesh_wake(n->mesh);
    }
}

static inline bool wr_network_take(wr_network *n, uint64_t now, uint32_t output, wr_packet *packet)
{
    return n->mesh == NULL ? wr_crossbar_take(n->crossbar, now, output, packet)
                           : wr_mesh_take(n->mesh, now, output, packet);
}

/* Flits that have left an input, and that have left for an output. */
static inline uint64_t wr_network_input_flits(const wr_network *n, uint32_t input)
{
    return n->mesh == NULL ? wr_crossbar_input_flits(n->crossbar, input)
                           : wr_mesh_input_flits(n->mesh, input);
}

static inline uint64_t wr_network_output_flits(const wr_network *n, uint32_t output)
{
    return n->mesh == NULL ? wr_crossbar_output_flits(n->crossbar, output)
                           : wr_mesh_output_flits(n->mesh, output);
}

typedef struct wr_network_stats {
    uint64_t packets_in, packets_out;
    uint64_t flits_in, flits_out;
    uint64_t hops; /* flits over links between nodes; 0 of a crossbar */
} wr_network_stats;
wr_network_stats wr_network_totals(const wr_network *n);

#endif
