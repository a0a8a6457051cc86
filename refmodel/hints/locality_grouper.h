/* SPDX-License-Identifier: Apache-2.0 */
/* locality_grouper: warps that share data issue together.
 *
 *                     +-------------------------------------+
 *  cfg: hint ------>  |  slot: resident, key, order         |
 *  launch, block,  -> |         |                           |
 *    warp, finish     |         v   ready[Slots]            | <--- ready[Slots]
 *                     |  lowest of (class, key, had turn,   | ---> grant_valid, grant_slot
 *                     |             order, slot)            | ---> grant_key, grant_switch
 *  issue ---------->  |  served last: key                   | ---> fault
 *                     +-------------------------------------+
 *
 *  hint           group: warps with the same              order inside it
 *  0 none         (all in one)                            slot: plain round robin
 *  1 lines        blockIdx.y and number in the block      slot
 *  2 borders      blockIdx.x                              blockIdx.y, number in the block
 *  3 some data    turn, dealt out in order of launch      slot
 *
 * Between groups a round robin over the sorted keys: a group keeps its turn while one of its warps
 * is ready, then the next group with a ready warp has it. Inside a group rounds: in each every
 * ready warp has one turn, in order, and a round goes on where it stood when the group has its turn
 * again.
 *
 * Invariant: a grant names a resident and ready warp, and there is one whenever such a warp exists.
 *
 * Not modelled: which block goes to which SM (the block scheduler); the scheduler of hint 0 is a
 * round robin, whatever the SM's own is.
 *
 * Source: Gong 6.3.2, Fig. 6.9.
 */
#ifndef WR_REFMODEL_HINTS_LOCALITY_GROUPER_H
#define WR_REFMODEL_HINTS_LOCALITY_GROUPER_H

#include "refmodel/contract.h"
#include "refmodel/gen/locality_grouper_pins.h"

enum { WR_LOCALITY_SLOTS_MAX = 64, WR_LOCALITY_BLOCK_WARPS = 32 };

typedef enum wr_locality_hint {
    WR_LOCALITY_NONE = 0,
    WR_LOCALITY_LINES = 1,
    WR_LOCALITY_BORDERS = 2,
    WR_LOCALITY_SOME = 3,
} wr_locality_hint;

typedef struct wr_locality_grouper {
    wr_locality_grouper_cfg cfg;

    bool resident_q[WR_LOCALITY_SLOTS_MAX];  /* never from Slots on */
    uint16_t key_q[WR_LOCALITY_SLOTS_MAX];   /* 13 bits */
    uint16_t order_q[WR_LOCALITY_SLOTS_MAX]; /* 13 bits */
    bool had_turn_q[WR_LOCALITY_SLOTS_MAX];  /* in this round of its group */
    uint8_t hint_q;                          /* wr_locality_hint */
    uint8_t groups_q;                        /* 6 bits, 1 to 32 */
    uint8_t turn_q;                          /* 5 bits: next group of hint 3 */
    bool served_q;
    uint16_t last_key_q;
    bool fault_q;
} wr_locality_grouper;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_locality_grouper_init(wr_locality_grouper *s, const wr_locality_grouper_cfg *cfg);

void wr_locality_grouper_reset(wr_locality_grouper *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_locality_grouper_eval(const wr_locality_grouper *s, const wr_locality_grouper_in *in,
                              wr_locality_grouper_out *out);

/* The clock edge. */
void wr_locality_grouper_tick(wr_locality_grouper *s, const wr_locality_grouper_in *in);

#endif
