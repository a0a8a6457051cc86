/* SPDX-License-Identifier: Apache-2.0 */
/* issue_rate_controller: L1D misses of up to four kernels in, at most their quota a window out.
 *
 *                       +-----------------------------------+
 *  valid, kernel -----> | sub-queue 0 |a|b|c|--\             | ---> out_valid, out_kernel
 *  store, tag           | sub-queue 1 |d|------ choice ----- | ---> out_store, out_tag
 *  room[k] <----------- | sub-queue 2 | |-----/   ^          | <--- out_ready
 *                       | sub-queue 3 | |----/    |          |
 *  fifo --------------> |            may issue?   |          | ---> throttled[k]
 *                       |            ls or credit[k] > 0     |
 *                       |                 ^ every Window     |
 *  cfg, cfg_* --------> | divider -> quota[k] 8.4, acc[k]    | ---> quota, credit, loads, stores
 *  cfg_ready <--------- |                                    |      of kernel view, fault
 *                       +-----------------------------------+
 *
 *  quota, 12 bits   | requests a window, 8 | sixteenths, 4 |
 *
 * The sub-queues share Depth entries. Latency-sensitive kernels (ls) go first and have no limit;
 * the others have a credit of requests per window, of which nothing is carried over. Only the
 * sixteenths of the quota are, in acc: they make one request more now and then.
 * Invariants: the sum of held_q is at most Depth; a kernel with fewer than Reserve entries always
 * has room, so a kernel that is held back cannot shut another out; in FIFO mode sub-queue 0 alone
 * holds requests.
 *
 * Not modelled: the counts of accesses, misses and write-backs, which the L2 banks keep; how
 * CCBP gets flits and bytes per request from them and from loads and stores; the NoC.
 *
 * Source: Lin-D 4.4.2 and Fig. 4.5 (priority in the miss queue), 4.5.1 (place, unit of 200
 * cycles). The paper's equations (4.5.3) are not public; those here keep the identities of its
 * Table 4.2.
 */
#ifndef WR_REFMODEL_SHARING_ISSUE_RATE_CONTROLLER_H
#define WR_REFMODEL_SHARING_ISSUE_RATE_CONTROLLER_H

#include "refmodel/contract.h"
#include "refmodel/gen/issue_rate_controller_pins.h"

enum {
    WR_ISSUE_RATE_KERNELS_MAX = 4,
    WR_ISSUE_RATE_DEPTH_MAX = 128,
    WR_ISSUE_RATE_CFG_CYCLES = 13, /* from a decision taken to its effect */
};

typedef struct wr_issue_rate_request {
    uint8_t kernel;
    uint8_t tag;
    bool store;
} wr_issue_rate_request;

typedef struct wr_issue_rate_controller {
    wr_issue_rate_controller_cfg cfg;

    /* Oldest first; from held_q[k] on without meaning. */
    wr_issue_rate_request queue_q[WR_ISSUE_RATE_KERNELS_MAX][WR_ISSUE_RATE_DEPTH_MAX];
    uint8_t held_q[WR_ISSUE_RATE_KERNELS_MAX];
    uint8_t ls_q;                                 /* bit k */
    uint16_t quota_q[WR_ISSUE_RATE_KERNELS_MAX];  /* 12 bits */
    uint8_t acc_q[WR_ISSUE_RATE_KERNELS_MAX];     /* 4 bits */
    uint8_t credit_q[WR_ISSUE_RATE_KERNELS_MAX];  /* 8 bits */
    uint16_t loads_q[WR_ISSUE_RATE_KERNELS_MAX];  /* 12 bits */
    uint16_t stores_q[WR_ISSUE_RATE_KERNELS_MAX]; /* 12 bits */
    uint8_t window_q;                             /* 0..Window - 1 */
    uint8_t last_q;                               /* sub-queue served last */
    bool fifo_q;
    bool fault_q;

    uint8_t busy_q; /* cycles until the decision below acts, 0: none */
    uint8_t new_kernel_q;
    bool new_ls_q;
    uint16_t new_quota_q;
} wr_issue_rate_controller;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range or Depth is
 * below Kernels x Reserve. */
wr_status wr_issue_rate_controller_init(wr_issue_rate_controller *s,
                                        const wr_issue_rate_controller_cfg *cfg);

void wr_issue_rate_controller_reset(wr_issue_rate_controller *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_issue_rate_controller_eval(const wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in,
                                   wr_issue_rate_controller_out *out);

/* The clock edge. */
void wr_issue_rate_controller_tick(wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in);

/* n ticks with these inputs held. */
void wr_issue_rate_controller_skip(wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in, uint64_t n);

/* Ticks with these inputs held that leave every output as it is; UINT64_MAX: never ends. */
uint64_t wr_issue_rate_controller_quiet(const wr_issue_rate_controller *s,
                                        const wr_issue_rate_controller_in *in);

#endif
