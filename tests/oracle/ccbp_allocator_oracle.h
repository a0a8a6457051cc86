/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of ccbp_allocator, from the documents alone (Lin-D Algorithm 1, LITERATURE 1.6 and
 * 1.8, the block's toml).
 *
 * At a start the whole algorithm runs at once, with its divisions as they are written; every step
 * is noted with the cycles in which its results show. What an output is in some cycle is then read
 * from these notes, from the first one on.
 */
#ifndef WR_TESTS_ORACLE_CCBP_ALLOCATOR_ORACLE_H
#define WR_TESTS_ORACLE_CCBP_ALLOCATOR_ORACLE_H

#include "refmodel/gen/ccbp_allocator_pins.h"

enum {
    WR_ORACLE_CCBP_KERNELS = 4,
    WR_ORACLE_CCBP_CTAS = 32,
    WR_ORACLE_CCBP_STEPS = 1024,
};

typedef struct wr_oracle_ccbp_kernel {
    unsigned nbw[WR_ORACLE_CCBP_CTAS + 2]; /* by CTAs; [0] and what lies past the table is 0 */
    unsigned dbw[WR_ORACLE_CCBP_CTAS + 2];
    unsigned regs, smem, threads, ctas, type;
} wr_oracle_ccbp_kernel;

typedef struct wr_oracle_ccbp_step {
    unsigned kernel;
    bool fits;
    unsigned cta, nbw, dbw, dom; /* of the kernel, behind it */
    unsigned long long shows;    /* cycle from which cta, nbw, dbw and the number of steps show */
    unsigned long long dom_shows;
} wr_oracle_ccbp_step;

typedef struct wr_oracle_ccbp {
    wr_ccbp_allocator_cfg cfg;
    unsigned long long cycle;
    wr_oracle_ccbp_kernel kernel[WR_ORACLE_CCBP_KERNELS];
    bool fault;

    bool started; /* once at least */
    unsigned long long start;
    unsigned long long ends; /* first cycle with done */
    unsigned kind_before[WR_ORACLE_CCBP_KERNELS];
    unsigned kind[WR_ORACLE_CCBP_KERNELS];
    unsigned steps;
    wr_oracle_ccbp_step step[WR_ORACLE_CCBP_STEPS];
} wr_oracle_ccbp;

void wr_oracle_ccbp_reset(wr_oracle_ccbp *o, const wr_ccbp_allocator_cfg *cfg);

/* What every output is in this cycle. */
void wr_oracle_ccbp_outputs(const wr_oracle_ccbp *o, const wr_ccbp_allocator_in *in,
                            wr_ccbp_allocator_out *out);

void wr_oracle_ccbp_clock(wr_oracle_ccbp *o, const wr_ccbp_allocator_in *in);

#endif
