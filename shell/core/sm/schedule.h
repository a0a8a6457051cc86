/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers of an SM: who of the warps that can issue does so.
 *
 * A scheduler owns the warps of its number modulo the schedulers. Policies:
 *
 *   lrr        the first warp behind the one that issued last
 *   gto        the warp that issued last, else the oldest
 *   two_level  fetch groups of neighbouring warps; lrr inside a group; when none of its warps
 *              can issue, the next group that has one gets the turn
 *
 * `warp_limit` n > 0 lets only the n oldest warps of an SM issue, under any policy (static warp
 * limiting, Kayiran 4; ceil(n/2) on the first of two schedulers). Warps that have finished or
 * wait at a barrier or a fence do not count, else the warps that they wait for might never come;
 * for the same reason the oldest of all may issue where schedulers with a share have no warp.
 *
 * Everything is masks over warp slots. `older[w]` are the slots placed before w, or said to be; a
 * stale bit of an empty slot does no harm, since only candidates are looked at.
 *
 * Invariant: of two different slots each is older than the other in exactly one direction.
 */
#ifndef WR_SHELL_CORE_SM_SCHEDULE_H
#define WR_SHELL_CORE_SM_SCHEDULE_H

#include "shell/config/config.h"

typedef struct wr_schedule {
    uint64_t mask[WR_CONFIG_MAX_SCHEDULERS]; /* warp slots of a scheduler */
    uint32_t schedulers;
    uint32_t turns; /* cycles until the same one goes first again: `schedulers`, or 1 */
    uint32_t span;  /* warp slots between a group's first and the next's */
    uint32_t limit; /* 0: none */
    bool greedy;
    uint8_t group[WR_CONFIG_MAX_SCHEDULERS];                     /* that has the turn */
    uint8_t last[WR_CONFIG_MAX_WARPS][WR_CONFIG_MAX_SCHEDULERS]; /* by group: slot that issued */
    uint64_t older[WR_CONFIG_MAX_WARPS];
    uint64_t awake, within; /* the last answer of wr_schedule_limit and what it was for */
} wr_schedule;

void wr_schedule_init(wr_schedule *s, const wr_sm_config *cfg);
/* These slots are filled now: they are the youngest, the lowest slot the oldest of them. */
void wr_schedule_place(wr_schedule *s, uint64_t warps);
/* This slot's warp comes in front of these in age, and behind all others. */
void wr_schedule_age(wr_schedule *s, uint32_t warp, uint64_t younger);
/* At most n warps of the SM from now on; 0: no limit. */
void wr_schedule_set_limit(wr_schedule *s, uint32_t n);
uint64_t wr_schedule_within(wr_schedule *s, uint64_t awake);
/* Of the warps that want to run, those that the limit lets. */
static inline uint64_t wr_schedule_limit(wr_schedule *s, uint64_t awake)
{
    return s->limit == 0 ? awake : wr_schedule_within(s, awake);
}
/* Who is first among the candidates, which are the scheduler's own and not empty. Without some of
 * the others it would be first too. */
uint32_t wr_schedule_first(const wr_schedule *s, uint32_t scheduler, uint64_t candidates);
/* This warp gets the turn. */
void wr_schedule_take(wr_schedule *s, uint32_t scheduler, uint32_t warp);
/* Both. */
uint32_t wr_schedule_choose(wr_schedule *s, uint32_t scheduler, uint64_t candidates);

#endif
