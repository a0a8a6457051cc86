/* SPDX-License-Identifier: Apache-2.0 */
/* The miss station, for systems; see memory.h. */
#include "shell/core/seam/memory.h"

#include "shell/core/gpu/state.h"

#include <assert.h>

void wr_sm_set_station(wr_sm *sm, const wr_miss_station *station)
{
    assert(sm->miss_count == 0);
    sm->station = station;
    sm->has_station = sm->offered = station != NULL;
}

uint32_t wr_sm_miss_limit(const wr_sm *sm)
{
    return sm->miss_limit;
}

bool wr_sm_load_hits(wr_sm *sm, uint32_t warp)
{
    return wr_exec_load_hits(sm, warp);
}

uint32_t wr_sm_l1_places(const wr_sm *sm)
{
    return sm->l1.sets * sm->l1.ways;
}

void wr_sm_station_freed(wr_sm *sm)
{
    sm->lsu_blocked = 0;
    wr_sm_wake_next(sm);
}
