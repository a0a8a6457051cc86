/* SPDX-License-Identifier: Apache-2.0 */
/* Victim tags of a warp; see state.h. */
#include "systems/ccws/state.h"

/* The first entry of the line's set. */
static uint32_t set_of(const wr_ccws *p, uint64_t line)
{
    return (uint32_t)(line % (p->entries / p->ways)) * p->ways;
}

void wr_ccws_lost(wr_ccws *p, wr_ccws_sm *sm, uint32_t warp, uint64_t line)
{
    wr_ccws_victims *v = &sm->victims[warp];
    const uint32_t first = set_of(p, line);
    uint32_t at = first;

    for (uint32_t i = first; i < first + p->ways; i++) {
        if (v->line[i] == line + 1) {
            at = i;
            break;
        }
        at = v->used_at[i] < v->used_at[at] ? i : at;
    }
    v->line[at] = line + 1;
    v->used_at[at] = ++sm->clock;
}

bool wr_ccws_found(const wr_ccws *p, wr_ccws_sm *sm, uint32_t warp, uint64_t line)
{
    wr_ccws_victims *v = &sm->victims[warp];
    const uint32_t first = set_of(p, line);

    for (uint32_t i = first; i < first + p->ways; i++) {
        if (v->line[i] == line + 1) {
            v->line[i] = 0;
            v->used_at[i] = 0;
            return true;
        }
    }
    return false;
}
