/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of locality_grouper, from the documents alone (Gong 6.3.2, Fig. 6.9, the block's
 * toml): the warps as records, the next one found by comparing each with the best so far. */
#ifndef WR_TESTS_ORACLE_LOCALITY_GROUPER_ORACLE_H
#define WR_TESTS_ORACLE_LOCALITY_GROUPER_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_GROUPER_SLOTS = 64 };

/* A warp's place in the two round robins. */
typedef struct wr_oracle_grouper_warp {
    bool resident;
    unsigned key;
    unsigned order;
    unsigned slot;
    bool had; /* its turn in this round of its group */
} wr_oracle_grouper_warp;

typedef struct wr_oracle_grouper {
    unsigned slots;
    unsigned coord_bits;
    unsigned hint;
    unsigned groups;
    unsigned turn; /* counter of hint 3 */
    wr_oracle_grouper_warp warp[WR_ORACLE_GROUPER_SLOTS];
    bool served;
    wr_oracle_grouper_warp last; /* the warp served last, as it was then */
    bool fault;
} wr_oracle_grouper;

typedef struct wr_oracle_grouper_in {
    bool cfg;
    unsigned hint;
    unsigned groups;
    bool launch;
    unsigned launch_slot;
    unsigned block_x;
    unsigned block_y;
    unsigned warp;
    bool finish;
    unsigned finish_slot;
    bool ready[WR_ORACLE_GROUPER_SLOTS];
    bool issue;
} wr_oracle_grouper_in;

typedef struct wr_oracle_grant {
    bool valid;
    unsigned slot;
    unsigned key;
    bool other_group;
} wr_oracle_grant;

void wr_oracle_grouper_reset(wr_oracle_grouper *o, unsigned slots, unsigned coord_bits);

unsigned wr_oracle_grouper_residents(const wr_oracle_grouper *o);

wr_oracle_grant wr_oracle_grouper_grant(const wr_oracle_grouper *o, const bool *ready);

void wr_oracle_grouper_clock(wr_oracle_grouper *o, const wr_oracle_grouper_in *in);

#endif
