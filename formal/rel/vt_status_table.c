/* SPDX-License-Identifier: Apache-2.0 */
/* vt_status_table: counts and the walk stay within the table; the RTL's
 * candidates follow from it. The TB behind which the search for a stalled one
 * begins was swapped out there, and cannot have come back since. */
#include "refmodel/duet/vt_status_table.h"
#include "formal/rel/relate.h"

void relate(wr_vt_status_table *s, wr_when when)
{
    HOLDS(s->warps_q >= 1 && s->warps_q <= 32);
    for (uint32_t i = 0; i < s->cfg.tbs; i++) {
        HOLDS(s->count_q[i] == 63 ? !s->active_q[i]
                                  : s->count_q[i] <= s->warps_q && (i + 1) * s->warps_q <= 128);
        HOLDS(s->out_start_q != i + 1 || (!s->active_q[i] && s->count_q[i] != 63));
        HOLDS((RTL("stalled_q", 0, 0, i, 1) != 0) ==
              (s->active_q[i] && s->count_q[i] == s->warps_q));
        HOLDS((RTL("ready_q", 0, 0, i, 1) != 0) == (!s->active_q[i] && s->count_q[i] == 0));
    }
    HOLDS(s->walk_q < s->cfg.slots);
    HOLDS(s->busy_q || s->walk_q == 0);
    HOLDS(s->out_start_q < s->cfg.tbs);
    HOLDS(s->in_start_q < s->cfg.tbs);
}
