/* SPDX-License-Identifier: Apache-2.0 */
/* concurrency_manager: how many warps each GPU core may run, moved once an interval.
 *
 *   memory partitions         CTA scheduler                  GPU cores
 *  +------------------+     +-----------------+     +-----------------------------+
 *  | stall_mc  10-bit |--p->| sum_mc  >= high?|     | stall_core -> 11-bit counter|
 *  | stall_net 10-bit |--p->| sum_net <  low? |     |                 |           |
 *  +------------------+     | interval, scheme|---->| averages of 9 levels, limit |-> limit
 *    read one a cycle       +-----------------+ d1  +-----------------------------+
 *
 *  cycle of the interval   0 .. Parts-1   Parts      Parts+1 ...                Interval-1
 *                          gather         decision   new limits in force
 *
 * A counter is read once an interval, always in the same cycle of it, and starts anew in that very
 * cycle, so each covers exactly one interval, and none needs a copy.
 * Invariants: limits are 1 to 48, in CM-BAL always one of the nine levels; a sum of 8 counters of
 * at most 1,023 fits 13 bits.
 *
 * Not modelled: how a core picks the warps that it may run (the paper's static warp limiting takes
 * the oldest), the wires' delay between the three places.
 *
 * Source: Kayiran 4.1 (CM-CPU), 4.2 and Fig. 12, 14 (CM-BAL), V (sizes, thresholds, k).
 */
#ifndef WR_REFMODEL_THROTTLE_CONCURRENCY_MANAGER_H
#define WR_REFMODEL_THROTTLE_CONCURRENCY_MANAGER_H

#include "refmodel/contract.h"
#include "refmodel/gen/concurrency_manager_pins.h"

enum {
    WR_THROTTLE_CORES_MAX = 32,
    WR_THROTTLE_PARTS_MAX = 8,
    WR_THROTTLE_LEVELS = 9,
};

typedef struct wr_concurrency_manager {
    wr_concurrency_manager_cfg cfg;

    /* CTA scheduler. */
    uint16_t cyc_q; /* 10 bits: cycle of the interval */
    bool later_q;   /* an interval has ended since reset or start */
    bool balance_q; /* CM-BAL */
    uint16_t th_high_q;
    uint16_t th_low_q;
    uint16_t sum_mc_q;
    uint16_t sum_net_q;

    /* Partitions. */
    uint16_t mc_q[WR_THROTTLE_PARTS_MAX]; /* 10 bits */
    uint16_t net_q[WR_THROTTLE_PARTS_MAX];

    /* Cores; entries that the configuration does not have stay 0. */
    uint8_t limit_q[WR_THROTTLE_CORES_MAX];  /* 6 bits: active warps */
    uint16_t stall_q[WR_THROTTLE_CORES_MAX]; /* 11 bits: this interval */
    uint16_t avg_q[WR_THROTTLE_CORES_MAX][WR_THROTTLE_LEVELS];
    uint16_t valid_q[WR_THROTTLE_CORES_MAX]; /* 9 bits, one for each average */
    uint8_t run_q[WR_THROTTLE_CORES_MAX];    /* 2 bits: decisions in a row without a move */

    bool fault_q;
} wr_concurrency_manager;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_concurrency_manager_init(wr_concurrency_manager *s,
                                      const wr_concurrency_manager_cfg *cfg);

void wr_concurrency_manager_reset(wr_concurrency_manager *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_concurrency_manager_eval(const wr_concurrency_manager *s,
                                 const wr_concurrency_manager_in *in,
                                 wr_concurrency_manager_out *out);

/* The clock edge. */
void wr_concurrency_manager_tick(wr_concurrency_manager *s, const wr_concurrency_manager_in *in);

/* n ticks with these inputs held. */
void wr_concurrency_manager_skip(wr_concurrency_manager *s, const wr_concurrency_manager_in *in,
                                 uint64_t n);

/* Ticks with these inputs held that leave every output as it is; UINT64_MAX: never ends. */
uint64_t wr_concurrency_manager_quiet(const wr_concurrency_manager *s,
                                      const wr_concurrency_manager_in *in);

#endif
