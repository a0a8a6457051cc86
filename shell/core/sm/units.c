/* SPDX-License-Identifier: Apache-2.0 */
/* Execution units; see units.h. */
#include "shell/core/sm/units.h"

#include <assert.h>
#include <stddef.h>

/* Kinds of a pool, a bit each. */
static const uint8_t kinds_of[WR_POOLS] = {
    [WR_POOL_SP] = WR_ON_SP,   [WR_POOL_SP2] = WR_ON_SP2,       [WR_POOL_SP_SP2] = WR_ON_SP_SP2,
    [WR_POOL_IMU] = WR_ON_IMU, [WR_POOL_SP_IMU] = WR_ON_SP_IMU, [WR_POOL_DP] = WR_ON_DP,
    [WR_POOL_SFU] = WR_ON_SFU,
};

static void init_group(wr_unit_group *g, const wr_unit_config *cfg)
{
    bool own = cfg->owner == WR_UNITS_PRIVATE;
    *g = (wr_unit_group){.count = cfg->count,
                         .collectors = cfg->count != 0 ? cfg->collectors : 0,
                         .unit_step = own ? cfg->count : 0,
                         .collector_step = own ? cfg->collectors : 0,
                         .parts = (WR_LANES + cfg->lanes - 1) / cfg->lanes};
    if (cfg->count == 0) {
        g->collector_at[0] = UINT64_MAX;
    }
}

void wr_units_init(wr_units *u, const wr_gpu_config *config)
{
    const wr_units_config *cfg = &config->units;
    u->dispatch = config->sm.dispatch_latency;
    init_group(&u->kind[WR_UNITS_SP], &cfg->sp);
    init_group(&u->kind[WR_UNITS_SP2], &cfg->sp2);
    init_group(&u->kind[WR_UNITS_IMU], &cfg->imu);
    init_group(&u->kind[WR_UNITS_DP], &cfg->dp);
    init_group(&u->kind[WR_UNITS_SFU], &cfg->sfu);
    for (wr_pool p = WR_POOL_SP; p < WR_POOLS; p++) {
        u->first[p] = (uint8_t)__builtin_ctz(kinds_of[p]);
    }
}

wr_pool wr_units_pool(wr_unit_set set)
{
    wr_pool pool = WR_POOL_SP;
    while (kinds_of[pool] != set) {
        pool++;
        assert(pool < WR_POOLS);
    }
    return pool;
}

/* Number of a free collector; UINT32_MAX: none. */
static uint32_t collector(const wr_unit_group *g, uint32_t scheduler, uint64_t now)
{
    uint32_t first = scheduler * g->collector_step;
    if (g->collector_at[first + g->hint] <= now) {
        return first + g->hint;
    }
    for (uint32_t i = first; i < first + g->collectors; i++) {
        if (g->collector_at[i] <= now) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* Number of the unit that is free first. */
static uint32_t unit(const wr_unit_group *g, uint32_t scheduler)
{
    uint32_t first = scheduler * g->unit_step;
    uint32_t best = first;
    for (uint32_t i = first + 1; i < first + g->count; i++) {
        best = g->unit_at[i] < g->unit_at[best] ? i : best;
    }
    return best;
}

bool wr_units_search(const wr_units *u, wr_pool pool, uint32_t scheduler, uint64_t now)
{
    for (uint32_t left = kinds_of[pool]; left != 0; left &= left - 1) {
        if (collector(&u->kind[__builtin_ctz(left)], scheduler, now) != UINT32_MAX) {
            return true;
        }
    }
    return false;
}

uint64_t wr_units_enter(wr_units *u, wr_pool pool, uint32_t scheduler, uint64_t now, uint64_t at,
                        uint32_t interval, uint32_t *more)
{
    wr_unit_group *best = NULL;
    uint32_t slot = 0;
    uint32_t number = 0;
    uint64_t start = UINT64_MAX;
    for (uint32_t left = kinds_of[pool]; left != 0; left &= left - 1) {
        wr_unit_group *g = &u->kind[__builtin_ctz(left)];
        uint32_t c = collector(g, scheduler, now);
        uint32_t n = unit(g, scheduler);
        uint64_t begin = g->unit_at[n] > at ? g->unit_at[n] : at;
        if (c != UINT32_MAX && begin < start) {
            best = g;
            slot = c;
            number = n;
            start = begin;
        }
    }
    assert(best != NULL);
    slot -= scheduler * best->collector_step;
    best->hint = slot + 1 < best->collectors ? slot + 1 : 0;
    best->unit_at[number] = start + (uint64_t)interval * best->parts;
    best->collector_at[scheduler * best->collector_step + slot] = start - u->dispatch;
    *more = interval * (best->parts - 1);
    return start;
}
