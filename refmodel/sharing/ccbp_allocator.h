/* SPDX-License-Identifier: Apache-2.0 */
/* ccbp_allocator: what kernels need in, CTAs and bandwidth for each out.
 *
 *                        +------------------------------------+
 *  we, what, kernel ---> | nbw[k][n], dbw[k][n]   needs[k]    |
 *  index, value          |        |                  |        |
 *                        |        v                  v        |
 *  start, prior -------> | pick -> tentative -> fits? -> share | ---> busy, done, steps
 *                        |  ^                       |     |    |
 *                        |  |                no: k is     |    |
 *                        |  |                finished     |    |
 *                        |  +-- cta, NBW, DBW, dom <------+    | ---> cta, nbw, dbw, dom, kind
 *                        +------------------------------------+      of kernel view, fault
 *
 *  dom, 9 bits   1/256 of the dominant resource, 256 = all of it
 *
 * Each round serves the kernel that is worst off: a latency-sensitive one gets a CTA, the others
 * one percent of their bandwidth and, where that needs it, a CTA.
 * Invariants: the sums over the kernels of CTAs, registers, shared memory, threads, NBW and DBW
 * never pass their limits; cta_q never passes ctas_q; every step raises cta_q, nbw_q or dbw_q, or
 * finishes a kernel, so it ends.
 *
 * Not modelled: how nbw and dbw are measured or filled between measured points (Lin-D 4.5.4 is
 * not public); dispatch of the CTAs; the quotas of the issue rate controllers, which they work
 * out themselves.
 *
 * Source: Lin-D 4.5.2, Algorithm 1; CanAlloc and DomShareCal are not spelled out there.
 */
#ifndef WR_REFMODEL_SHARING_CCBP_ALLOCATOR_H
#define WR_REFMODEL_SHARING_CCBP_ALLOCATOR_H

#include "refmodel/contract.h"
#include "refmodel/gen/ccbp_allocator_pins.h"

enum {
    WR_CCBP_KERNELS_MAX = 4,
    WR_CCBP_TABLE_MAX = 32,
    WR_CCBP_RESOURCES = 4, /* registers, shared memory, threads, CTA slots */
};

/* Codes of pin what. */
typedef enum wr_ccbp_what {
    WR_CCBP_NBW,
    WR_CCBP_DBW,
    WR_CCBP_REGS,
    WR_CCBP_SMEM,
    WR_CCBP_THREADS,
    WR_CCBP_CTAS,
    WR_CCBP_TYPE,
} wr_ccbp_what;

/* Types of kernels. */
typedef enum wr_ccbp_kind {
    WR_CCBP_LATENCY,
    WR_CCBP_NOC,
    WR_CCBP_DRAM,
    WR_CCBP_BY_RULE, /* as written only */
} wr_ccbp_kind;

/* What a step of Algorithm 1 wants to make of a kernel. */
typedef struct wr_ccbp_step {
    uint8_t kernel;
    bool fits;
    uint8_t cta;
    uint16_t nbw; /* 9 bits: above 100 it does not fit */
    uint16_t dbw;
} wr_ccbp_step;

typedef struct wr_ccbp_allocator {
    wr_ccbp_allocator_cfg cfg;

    uint8_t nbw_table_q[WR_CCBP_KERNELS_MAX][WR_CCBP_TABLE_MAX + 1]; /* [k][0] stays 0 */
    uint8_t dbw_table_q[WR_CCBP_KERNELS_MAX][WR_CCBP_TABLE_MAX + 1];
    uint32_t need_q[WR_CCBP_KERNELS_MAX][WR_CCBP_RESOURCES - 1]; /* per CTA, 17 bits */
    uint8_t ctas_q[WR_CCBP_KERNELS_MAX];                         /* most CTAs */
    uint8_t written_q[WR_CCBP_KERNELS_MAX];                      /* type as written */

    uint8_t kind_q[WR_CCBP_KERNELS_MAX]; /* type of this run */
    uint8_t unfinished_q;                /* bit k */
    uint8_t cta_q[WR_CCBP_KERNELS_MAX];
    uint8_t nbw_q[WR_CCBP_KERNELS_MAX];
    uint8_t dbw_q[WR_CCBP_KERNELS_MAX];
    uint16_t dom_q[WR_CCBP_KERNELS_MAX];
    uint16_t steps_q;
    uint8_t prior_q;
    bool busy_q;
    bool done_q;
    bool fault_q;

    uint8_t classify_q; /* kernels whose type this run still has to find */
    uint8_t cycle_q;    /* cycle of the step, 0: the kernel is chosen */
    wr_ccbp_step step_q;
} wr_ccbp_allocator;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_ccbp_allocator_init(wr_ccbp_allocator *s, const wr_ccbp_allocator_cfg *cfg);

void wr_ccbp_allocator_reset(wr_ccbp_allocator *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_ccbp_allocator_eval(const wr_ccbp_allocator *s, const wr_ccbp_allocator_in *in,
                            wr_ccbp_allocator_out *out);

/* The clock edge. */
void wr_ccbp_allocator_tick(wr_ccbp_allocator *s, const wr_ccbp_allocator_in *in);

#endif
