/* SPDX-License-Identifier: Apache-2.0 */
/* Which of at most 64 members are due in which clock: a ring of masks, one a clock.
 *
 * Who is due later than the ring reaches is called at its end, so that a call does not mean that
 * something is to be done: the caller looks, and adds the member again. A member may be in it for
 * several clocks.
 *
 * Invariants: slot c % 64 has the members of clock c, of the 64 from `from` on; bit c % 64 of
 * `used` is set where it has any.
 */
#ifndef WR_SHELL_MEMORY_CALENDAR_H
#define WR_SHELL_MEMORY_CALENDAR_H

#include <stdint.h>

#define WR_CALENDAR_CLOCKS 64

typedef struct wr_calendar {
    uint64_t from; /* first clock that has not been taken */
    uint64_t used;
    uint64_t members[WR_CALENDAR_CLOCKS];
} wr_calendar;

/* `used` from clock `from` on: bit k is clock from + k. */
static inline uint64_t wr_calendar_ahead(const wr_calendar *c)
{
    uint32_t by = (uint32_t)c->from % WR_CALENDAR_CLOCKS;
    return c->used >> by | c->used << (-by % WR_CALENDAR_CLOCKS);
}

/* The first clock that has members; UINT64_MAX: none. */
static inline uint64_t wr_calendar_next(const wr_calendar *c)
{
    return c->used != 0 ? c->from + (uint32_t)__builtin_ctzll(wr_calendar_ahead(c)) : UINT64_MAX;
}

/* Nothing is added any more for clocks before `now`: the ring reaches further. */
static inline void wr_calendar_begin(wr_calendar *c, uint64_t now)
{
    if (c->from < now) {
        uint64_t first = wr_calendar_next(c);
        c->from = first < now ? first : now;
    }
}

/* In a clock that has been taken: in the first that has not. */
static inline void wr_calendar_add(wr_calendar *c, uint64_t at, uint64_t members)
{
    if (at - c->from >= WR_CALENDAR_CLOCKS) {
        at = at < c->from ? c->from : c->from + WR_CALENDAR_CLOCKS - 1;
    }
    uint32_t slot = (uint32_t)at % WR_CALENDAR_CLOCKS;
    c->members[slot] |= members;
    c->used |= UINT64_C(1) << slot;
}

/* Takes the members of all clocks up to `now`. */
static inline uint64_t wr_calendar_take(wr_calendar *c, uint64_t now)
{
    uint64_t members = 0;
    if (now < c->from) {
        return 0;
    }
    uint64_t clocks = now - c->from;
    uint64_t due = clocks < WR_CALENDAR_CLOCKS ? UINT64_MAX >> (63 - clocks) : UINT64_MAX;
    for (due &= wr_calendar_ahead(c); due != 0; due &= due - 1) {
        uint32_t slot = ((uint32_t)c->from + (uint32_t)__builtin_ctzll(due)) % WR_CALENDAR_CLOCKS;
        members |= c->members[slot];
        c->members[slot] = 0;
        c->used &= ~(UINT64_C(1) << slot);
    }
    c->from = now + 1;
    return members;
}

#endif
