/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of stall_scanner, from its page alone: slots, warps and TBs are records; the age of
 * a TB is the number of the placing, and who is the n-th oldest is found by counting. It includes
 * nothing of the model and shares no code with it. */
#ifndef WR_TESTS_ORACLE_STALL_SCANNER_ORACLE_H
#define WR_TESTS_ORACLE_STALL_SCANNER_ORACLE_H

#include "refmodel/gen/stall_scanner_pins.h"

enum { WR_OS_NOTHING, WR_OS_WAKE, WR_OS_END, WR_OS_RESTART, WR_OS_STALL, WR_OS_LOOK };

typedef struct wr_oracle_scanner_slot {
    unsigned tb;
    bool marked, went_on;
} wr_oracle_scanner_slot;

typedef struct wr_oracle_scanner {
    wr_stall_scanner_cfg cfg;
    unsigned level, n;
    bool running, fault;

    wr_oracle_scanner_slot slot[64];
    bool has_turn, split_seen; /* a slot has its turn; its TB is known to have an absent warp */
    unsigned turn, start;

    bool away[128];
    unsigned placed[32]; /* number of the placing, from 1 on; 0: never */
    unsigned placings;
    unsigned walk;      /* TBs that the walk has passed */
    bool at_any;        /* a TB is looked at */
    unsigned at, first; /* it, or the last one; its first warp */
    int found;          /* number in it of a warp that is found, or -1 */

    bool queued[32];
    bool held;
    unsigned pushed_slot;
    unsigned head[2]; /* TBs at the heads when the switch began: stalled, ready */
    bool popped[2];
    bool vacates;
    unsigned vacating, vacating_slot;
    int claimed_slot; /* in the cycle before, or -1 */
    unsigned claimed_warp;
} wr_oracle_scanner;

/* cfg is kept. */
void wr_oracle_scanner_reset(wr_oracle_scanner *o);

/* What the tables are asked for in this cycle. */
unsigned wr_oracle_scanner_asks(const wr_oracle_scanner *o, const wr_stall_scanner_in *in);

void wr_oracle_scanner_output(const wr_oracle_scanner *o, const wr_stall_scanner_in *in,
                              wr_stall_scanner_out *out);

/* One clock edge. */
void wr_oracle_scanner_clock(wr_oracle_scanner *o, const wr_stall_scanner_in *in);

#endif
