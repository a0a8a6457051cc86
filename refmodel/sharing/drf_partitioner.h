/* SPDX-License-Identifier: Apache-2.0 */
/* drf_partitioner: one TB at a time to the kernel with the lowest dominant share, until none fits.
 *
 *                     +--------------------------------------+
 *  load, kernel ----> |  demand of a TB   TBs   rK           | ---> grant, drop, pick
 *  regs, threads, smem |   K0   10 %        6   60 %          |
 *  start, mask -----> |   K1    6 %       12   72 % lowest?  | ---> busy, done
 *                     |        fits what is left? yes: +1    | ---> tbs, *_start, *_end
 *  read ------------> |                           no: out    |      of kernel read, comb
 *                     +--------------------------------------+ ---> fault
 *
 *  idle --start--> deal: a pick a cycle --nobody in--> layout: a kernel a cycle --> idle, done
 *
 * Shares are exact: n demand / limit are compared crosswise, nothing is rounded.
 * Invariants: the TBs given never take more than a limit; in_q is 0 outside deal; done_q only when
 * idle.
 *
 * Not modelled: how many TBs a kernel's grid still has; the TB dispatch of Fig. 7 that uses the
 * partition, and the relocation of TBs that lie in another kernel's range.
 *
 * Source: SMK 5.2 (dominant share), 5.3.2, Fig. 6 and 8, 6.7 (7 counters a kernel and SM).
 */
#ifndef WR_REFMODEL_SHARING_DRF_PARTITIONER_H
#define WR_REFMODEL_SHARING_DRF_PARTITIONER_H

#include "refmodel/contract.h"
#include "refmodel/gen/drf_partitioner_pins.h"

enum { WR_DRF_KERNELS_MAX = 8 };

typedef enum wr_drf_phase {
    WR_DRF_IDLE = 0,
    WR_DRF_DEAL = 1,
    WR_DRF_LAYOUT = 2,
} wr_drf_phase;

typedef enum wr_drf_resource {
    WR_DRF_REG,
    WR_DRF_THREAD,
    WR_DRF_SMEM,
    WR_DRF_TB, /* TB slots: every TB takes one */
    WR_DRF_RESOURCES,
} wr_drf_resource;

typedef struct wr_drf_partitioner {
    wr_drf_partitioner_cfg cfg;

    uint8_t phase_q; /* wr_drf_phase */
    uint8_t in_q;    /* bit k: kernel k is still in */
    uint8_t index_q; /* kernel of this cycle of the layout */
    bool done_q;
    bool fault_q;
    uint8_t tbs_q[WR_DRF_KERNELS_MAX];
    uint16_t demand_q[WR_DRF_KERNELS_MAX][WR_DRF_TB]; /* of one TB, without its slot */
    uint16_t start_q[WR_DRF_KERNELS_MAX][WR_DRF_TB];  /* ranges, once done_q */
    uint16_t end_q[WR_DRF_KERNELS_MAX][WR_DRF_TB];
} wr_drf_partitioner;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_drf_partitioner_init(wr_drf_partitioner *s, const wr_drf_partitioner_cfg *cfg);

void wr_drf_partitioner_reset(wr_drf_partitioner *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_drf_partitioner_eval(const wr_drf_partitioner *s, const wr_drf_partitioner_in *in,
                             wr_drf_partitioner_out *out);

/* The clock edge. */
void wr_drf_partitioner_tick(wr_drf_partitioner *s, const wr_drf_partitioner_in *in);

#endif
