/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of warp_quota, from the documents alone (SMK 5.4, RESOLUTIONS S5 to S7, the block's
 * toml).
 *
 * A calculation is done at once, in exact fractions, when it is asked for; its results wait in a
 * list with the cycle in which each shows.
 */
#ifndef WR_TESTS_ORACLE_WARP_QUOTA_ORACLE_H
#define WR_TESTS_ORACLE_WARP_QUOTA_ORACLE_H

#include "refmodel/gen/warp_quota_pins.h"

enum { WR_ORACLE_WARP_QUOTA_MAX = 4 }; /* kernels, and schedulers */

typedef struct wr_oracle_warp_quota {
    wr_warp_quota_cfg cfg;
    unsigned long long cycle;
    unsigned alone[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned resident[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned most[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned quota[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned share[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned left[WR_ORACLE_WARP_QUOTA_MAX][WR_ORACLE_WARP_QUOTA_MAX]; /* scheduler, kernel */
    unsigned issued[WR_ORACLE_WARP_QUOTA_MAX];                         /* last epoch */
    unsigned running[WR_ORACLE_WARP_QUOTA_MAX];                        /* this epoch */
    bool busy;
    bool managed;
    bool fault;
    unsigned next_quota[WR_ORACLE_WARP_QUOTA_MAX];
    unsigned long long shows[WR_ORACLE_WARP_QUOTA_MAX]; /* cycle from which next_quota is quota */
    unsigned long long ends;                            /* first cycle without busy */
} wr_oracle_warp_quota;

void wr_oracle_warp_quota_reset(wr_oracle_warp_quota *o, const wr_warp_quota_cfg *cfg);

/* What every output is in this cycle. */
void wr_oracle_warp_quota_outputs(const wr_oracle_warp_quota *o, const wr_warp_quota_in *in,
                                  wr_warp_quota_out *out);

void wr_oracle_warp_quota_clock(wr_oracle_warp_quota *o, const wr_warp_quota_in *in);

#endif
