/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of warp_slots: see the header. */
#include "tests/oracle/warp_slots_oracle.h"

#include <stddef.h>

void wr_oracle_warp_slots_reset(wr_oracle_warp_slots *o, unsigned slots, unsigned warps)
{
    *o = (wr_oracle_warp_slots){.slots = slots, .warps = warps};
}

int wr_oracle_warp_slots_owner(const wr_oracle_warp_slots *o, unsigned slot)
{
    for (unsigned n = 0; n < o->listed; n++) {
        if (o->list[n].slot == slot) {
            return (int)o->list[n].warp;
        }
    }
    return -1;
}

int wr_oracle_warp_slots_lowest(const wr_oracle_warp_slots *o)
{
    for (unsigned slot = 0; slot < o->slots; slot++) {
        if (wr_oracle_warp_slots_owner(o, slot) < 0) {
            return (int)slot;
        }
    }
    return -1;
}

static void strike_off(wr_oracle_warp_slots *o, unsigned slot)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < o->listed; n++) {
        if (o->list[n].slot != slot) {
            o->list[kept++] = o->list[n];
        }
    }
    o->listed = kept;
}

/* Each of the three is judged by the list as it was; a pass also by a give of the same slot. */
void wr_oracle_warp_slots_clock(wr_oracle_warp_slots *o, const wr_oracle_slots_asked *asked)
{
    const wr_oracle_warp_slots before = *o;

    if (asked->give != NULL) {
        if (wr_oracle_warp_slots_owner(&before, *asked->give) >= 0) {
            strike_off(o, *asked->give);
        } else {
            o->fault = true;
        }
    }
    if (asked->pass != NULL) {
        if (wr_oracle_warp_slots_owner(&before, asked->pass->slot) >= 0 &&
            asked->pass->warp < o->warps &&
            (asked->give == NULL || *asked->give != asked->pass->slot)) {
            strike_off(o, asked->pass->slot);
            o->list[o->listed++] = *asked->pass;
        } else {
            o->fault = true;
        }
    }
    if (asked->claim != NULL) {
        if (asked->claim->slot < o->slots && asked->claim->warp < o->warps &&
            wr_oracle_warp_slots_owner(&before, asked->claim->slot) < 0) {
            o->list[o->listed++] = *asked->claim;
        } else {
            o->fault = true;
        }
    }
}
