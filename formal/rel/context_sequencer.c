/* SPDX-License-Identifier: Apache-2.0 */
/* context_sequencer: register by register the same; the parts have names in the RTL. */
#include "refmodel/context/context_sequencer.h"
#include "formal/rel/relate.h"

void relate(wr_context_sequencer *s, wr_when when)
{
    LINK(s->part_q[0], "regs_q", 0, 0, 0, 0);
    LINK(s->part_q[1], "shared_q", 0, 0, 0, 0);
    LINK(s->part_q[2], "stack_q", 0, 0, 0, 0);
    HOLDS(s->state_q <= 10);
    HOLDS(s->left_q == 0 || (s->state_q >= 2 && s->state_q <= 6) || s->state_q == 9);
    HOLDS(s->shared_bytes_q <= 49152);
    HOLDS(s->slot_segs_q <= 64);
    HOLDS(s->warps_q <= s->cfg.warps);
    HOLDS(s->warp_q <= s->cfg.warps);
    HOLDS((s->state_q != 4 && s->state_q != 9) || s->warp_q + (s->left_q != 0) <= s->warps_q);
    HOLDS(s->state_q == 0 || s->warps_q != 0);
    HOLDS(s->state_q == 0 || (s->room_q != 0 && s->room_q <= 2052));
}
