/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers; see schedule.h. */
#include "shell/core/sm/schedule.h"

#include <string.h>

/* Slots below n. */
static uint64_t below(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint32_t lowest(uint64_t warps)
{
    return (uint32_t)__builtin_ctzll(warps);
}

void wr_schedule_init(wr_schedule *s, const wr_sm_config *cfg)
{
    *s = (wr_schedule){.schedulers = cfg->schedulers,
                       .turns = cfg->lowest_first != 0 ? 1 : cfg->schedulers,
                       .greedy = cfg->policy == WR_SCHED_GTO,
                       .span = 64,
                       .limit = cfg->warp_limit};
    if (cfg->policy == WR_SCHED_TWO_LEVEL) {
        s->span = cfg->fetch_group * cfg->schedulers;
    }
    for (uint32_t w = 0; w < cfg->max_warps; w++) {
        s->mask[w % cfg->schedulers] |= UINT64_C(1) << w;
    }
    for (uint32_t w = 0; w < WR_CONFIG_MAX_WARPS; w++) {
        s->older[w] = below(w);
    }
    memset(s->last, s->greedy ? 0 : 63, sizeof s->last); /* the first turn begins at warp 0 */
}

void wr_schedule_place(wr_schedule *s, uint64_t warps)
{
    for (uint32_t w = 0; w < WR_CONFIG_MAX_WARPS; w++) {
        s->older[w] = (warps >> w & 1) != 0 ? ~warps | (warps & below(w)) : s->older[w] & ~warps;
    }
    s->awake = 0;
    s->within = 0;
}

void wr_schedule_age(wr_schedule *s, uint32_t warp, uint64_t younger)
{
    uint64_t bit = UINT64_C(1) << warp;
    for (uint32_t w = 0; w < WR_CONFIG_MAX_WARPS; w++) {
        s->older[w] = (younger >> w & 1) != 0 ? s->older[w] | bit : s->older[w] & ~bit;
    }
    s->older[warp] = ~younger & ~bit;
    s->awake = 0;
    s->within = 0;
}

static uint32_t oldest(const wr_schedule *s, uint64_t candidates)
{
    uint32_t w = lowest(candidates);
    for (uint64_t left = candidates & s->older[w]; left != 0; left = candidates & s->older[w]) {
        w = lowest(left);
        candidates = left;
    }
    return w;
}

void wr_schedule_set_limit(wr_schedule *s, uint32_t n)
{
    s->limit = n;
    s->awake = 0;
    s->within = 0;
}

uint64_t wr_schedule_within(wr_schedule *s, uint64_t awake)
{
    if (awake != s->awake) {
        s->awake = awake;
        s->within = 0;
        for (uint32_t k = 0; k < s->schedulers; k++) {
            uint64_t own = awake & s->mask[k];
            uint32_t quota = s->limit / s->schedulers + (k < s->limit % s->schedulers ? 1 : 0);
            for (uint64_t left = own; left != 0; left &= left - 1) {
                uint32_t w = lowest(left);
                bool in = (uint32_t)__builtin_popcountll(own & s->older[w]) < quota;
                s->within |= (uint64_t)in << w;
            }
        }
        if (s->within == 0 && awake != 0) {
            s->within = UINT64_C(1) << oldest(s, awake);
        }
    }
    return s->within;
}

static uint64_t in_group(const wr_schedule *s, uint32_t group, uint64_t candidates)
{
    return candidates & below((group + 1) * s->span) & ~below(group * s->span);
}

uint32_t wr_schedule_first(const wr_schedule *s, uint32_t scheduler, uint64_t candidates)
{
    uint32_t group = s->group[scheduler];
    uint64_t in = candidates;
    if (s->span < 64) {
        in = in_group(s, group, candidates);
        if (in == 0) {
            uint64_t further = candidates & ~below((group + 1) * s->span);
            group = lowest(further != 0 ? further : candidates) / s->span;
            in = in_group(s, group, candidates);
        }
    }
    uint32_t last = s->last[group][scheduler];
    if (s->greedy) {
        return (in >> last & 1) != 0 ? last : oldest(s, in);
    }
    uint64_t behind = in & UINT64_MAX << last << 1;
    return lowest(behind != 0 ? behind : in);
}

void wr_schedule_take(wr_schedule *s, uint32_t scheduler, uint32_t warp)
{
    uint32_t group = s->span < 64 ? warp / s->span : 0;
    s->group[scheduler] = (uint8_t)group;
    s->last[group][scheduler] = (uint8_t)warp;
}

uint32_t wr_schedule_choose(wr_schedule *s, uint32_t scheduler, uint64_t candidates)
{
    uint32_t warp = wr_schedule_first(s, scheduler, candidates);
    wr_schedule_take(s, scheduler, warp);
    return warp;
}
