/* SPDX-License-Identifier: Apache-2.0 */
/* l2_meter: what an L2 slice does for each kernel: the counts from which a request's cost of
 * bandwidth follows.
 *
 *   access, kernel, fetched --> access_q[], fetch_q[] --.
 *   written, owner -----------> write_back_q[] ---------+--> counts of read_kernel; `read` begins
 *                                                            them anew
 *
 * Lines move in sectors, four of a line, and what is shown are lines' worth of them.
 * Invariants: of a kernel, lines fetched are at most accesses; one that is not there has no counts.
 *
 * Not modelled: the slice itself.
 *
 * Source: Lin-D 4.5.1, 4.5.2; what is counted is ours.
 */
#ifndef WR_REFMODEL_SHARING_L2_METER_H
#define WR_REFMODEL_SHARING_L2_METER_H

#include "refmodel/contract.h"
#include "refmodel/gen/l2_meter_pins.h"

enum { WR_L2_METER_MOST = 4 }; /* kernels */

typedef struct wr_l2_meter {
    wr_l2_meter_cfg cfg;

    uint16_t access_q[WR_L2_METER_MOST]; /* by kernel */
    uint16_t fetch_q[WR_L2_METER_MOST];  /* sectors, as the one below */
    uint16_t write_back_q[WR_L2_METER_MOST];
    bool fault_q;
} wr_l2_meter;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_l2_meter_init(wr_l2_meter *s, const wr_l2_meter_cfg *cfg);

void wr_l2_meter_reset(wr_l2_meter *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_l2_meter_eval(const wr_l2_meter *s, const wr_l2_meter_in *in, wr_l2_meter_out *out);

/* The clock edge. */
void wr_l2_meter_tick(wr_l2_meter *s, const wr_l2_meter_in *in);

#endif
