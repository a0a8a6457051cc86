/* SPDX-License-Identifier: Apache-2.0 */
/* State of system throttle; see throttle.c. */
#ifndef WR_SYSTEMS_THROTTLE_STATE_H
#define WR_SYSTEMS_THROTTLE_STATE_H

#include "dpi/gen/concurrency_manager_port.h"
#include "systems/throttle/throttle.h"

enum { WR_THROTTLE_MOST = 48 /* warps: no limit */ };

/* Counted since the machine began, in core cycles. */
typedef struct wr_throttle_counts {
    uint64_t idle[WR_THROTTLE_CORES_MAX];        /* cycles of schedulers that issued nothing */
    uint64_t refused[2 * WR_THROTTLE_PARTS_MAX]; /* by DRAM's queues; by the network */
} wr_throttle_counts;

typedef struct wr_throttle {
    wr_system base;
    wr_owner owner;
    wr_bay *bay;
    uint32_t unit;
    bool open;
    wr_port_concurrency_manager port;
    wr_concurrency_manager_out out;
    wr_gpu *gpu;
    const wr_option_value *option;
    wr_clock_config clock;
    uint32_t sms, parts, schedulers, interval;
    bool runs, restart; /* launches are in flight; the block is to start anew with the next cycle */
    uint64_t fed, begin; /* core cycles that the block has had; cycle 0 of the first interval */
    wr_throttle_counts told;
    uint8_t limit[WR_THROTTLE_CORES_MAX]; /* of the SMs */
    uint64_t draws;                       /* of shake: state */
    uint64_t intervals, asked[3], moved, limits, sum_mc, sum_net;
} wr_throttle;

#endif
