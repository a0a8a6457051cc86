/* SPDX-License-Identifier: Apache-2.0 */
/* warp_slots: which warp slots of an SM are taken, and by which warps.
 *
 *                              +--------------------+
 *  claim, claim_slot, id ----> | taken | warp       |
 *  give, give_slot ----------> |   1   |  7         | x Slots
 *  pass, pass_slot, id ------> |  ...               |
 *  look_slot ----------------> |  one row --------- | --> look_valid, look_id
 *                              |  all rows -------- | --> next, free
 *                              +--------------------+ --> fault
 *
 * A claim, a give and a pass may come in one cycle; each is judged by the slots before its edge.
 * Invariants: a slot is taken from its claim to its give; the warp of a taken slot is that of its
 * claim or of its last pass; slots that are taken and free ones are Slots together.
 *
 * Not modelled: which slot a warp has (the warp context table says it), so also whether a warp has
 * two; what a slot holds.
 *
 * Source: Lin-D 3.6.5, 3.6.6 (slots that are spilled and restored), 3.6.8 (the map of physical to
 * virtual warps, 64 x 7 bits).
 */
#ifndef WR_REFMODEL_DUET_WARP_SLOTS_H
#define WR_REFMODEL_DUET_WARP_SLOTS_H

#include "refmodel/contract.h"
#include "refmodel/gen/warp_slots_pins.h"

enum { WR_WARP_SLOTS_MAX = 64 };

typedef struct wr_warp_slots {
    wr_warp_slots_cfg cfg;

    bool taken_q[WR_WARP_SLOTS_MAX];   /* never from Slots on */
    uint8_t warp_q[WR_WARP_SLOTS_MAX]; /* without meaning where the slot is free */
    bool fault_q;
} wr_warp_slots;

/* Leaves the block in reset, every slot free. WR_ERR_CONFIG where a parameter is out of its range.
 */
wr_status wr_warp_slots_init(wr_warp_slots *s, const wr_warp_slots_cfg *cfg);

void wr_warp_slots_reset(wr_warp_slots *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_warp_slots_eval(const wr_warp_slots *s, const wr_warp_slots_in *in, wr_warp_slots_out *out);

/* The clock edge. */
void wr_warp_slots_tick(wr_warp_slots *s, const wr_warp_slots_in *in);

#endif
