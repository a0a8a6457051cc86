/* SPDX-License-Identifier: Apache-2.0 */
/* switch_queues: the four queues of the context switching logic.
 *
 *                          +-------------------------------+
 *  warp_push[0..1], id --> | stalled | | | | | |   ready | | | | --> warp_valid, warp_head [0..1]
 *  warp_space <----------- |                               | <-- warp_pop[0..1]
 *  tb_push[0..1], id ----> | stalled | | |         ready | | |  --> tb_valid, tb_head [0..1]
 *  tb_space <------------- |                               | <-- tb_pop[0..1]
 *  clear ----------------> |                               | --> fault
 *                          +-------------------------------+
 *
 * Index 0 is the queue of the stalled, 1 of the ready. All four work side by side, each with one
 * push and one pop a cycle. A queue that is full holds its producer back: an SM has more warps
 * and TBs than a queue has entries.
 * Invariants: ids leave in the order in which they came; none is lost but by clear; a queue
 * holds at most its depth.
 *
 * Not modelled: whether an id stands twice or its state is that of the queue (the context tables
 * know the state).
 *
 * Source: Lin-D 3.6.6, Fig. 3.10, Table 3.4 (2 x 16 x 7 and 2 x 8 x 5 bits).
 */
#ifndef WR_REFMODEL_DUET_SWITCH_QUEUES_H
#define WR_REFMODEL_DUET_SWITCH_QUEUES_H

#include "refmodel/contract.h"
#include "refmodel/gen/switch_queues_pins.h"

enum {
    WR_SWITCH_QUEUES_PAIR = 2, /* stalled, ready */
    WR_SWITCH_QUEUES_DEPTH_MAX = 64,
};

typedef struct wr_switch_queues {
    wr_switch_queues_cfg cfg;

    /* Oldest first; from the count on without meaning. */
    uint8_t warp_q[WR_SWITCH_QUEUES_PAIR][WR_SWITCH_QUEUES_DEPTH_MAX];
    uint8_t tb_q[WR_SWITCH_QUEUES_PAIR][WR_SWITCH_QUEUES_DEPTH_MAX];
    uint8_t warp_count_q[WR_SWITCH_QUEUES_PAIR];
    uint8_t tb_count_q[WR_SWITCH_QUEUES_PAIR];
    bool fault_q;
} wr_switch_queues;

/* Leaves the block in reset, all queues empty. WR_ERR_CONFIG where a depth is outside 1 to 64. */
wr_status wr_switch_queues_init(wr_switch_queues *s, const wr_switch_queues_cfg *cfg);

void wr_switch_queues_reset(wr_switch_queues *s);

/* Every output of this cycle, from state; changes nothing. */
void wr_switch_queues_eval(const wr_switch_queues *s, const wr_switch_queues_in *in,
                           wr_switch_queues_out *out);

/* The clock edge. */
void wr_switch_queues_tick(wr_switch_queues *s, const wr_switch_queues_in *in);

#endif
