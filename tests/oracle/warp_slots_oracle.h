/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of warp_slots, from its page alone: a list of the slots that are taken, in the order
 * in which they were, each with its warp; every question is answered by going through it. */
#ifndef WR_TESTS_ORACLE_WARP_SLOTS_ORACLE_H
#define WR_TESTS_ORACLE_WARP_SLOTS_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_SLOTS_MAX = 64 };

typedef struct wr_oracle_slot {
    unsigned slot;
    unsigned warp;
} wr_oracle_slot;

typedef struct wr_oracle_warp_slots {
    unsigned slots;
    unsigned warps;
    wr_oracle_slot list[WR_ORACLE_SLOTS_MAX];
    unsigned listed;
    bool fault;
} wr_oracle_warp_slots;

/* What is asked for in a cycle; NULL: nothing of this kind. */
typedef struct wr_oracle_slots_asked {
    const wr_oracle_slot *claim;
    const unsigned *give;
    const wr_oracle_slot *pass;
} wr_oracle_slots_asked;

void wr_oracle_warp_slots_reset(wr_oracle_warp_slots *o, unsigned slots, unsigned warps);

/* The warp that has a slot; -1 where nobody has. */
int wr_oracle_warp_slots_owner(const wr_oracle_warp_slots *o, unsigned slot);

/* The lowest slot that nobody has; -1 where there is none. */
int wr_oracle_warp_slots_lowest(const wr_oracle_warp_slots *o);

/* One clock edge. */
void wr_oracle_warp_slots_clock(wr_oracle_warp_slots *o, const wr_oracle_slots_asked *asked);

#endif
