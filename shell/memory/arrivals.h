/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a network in every cycle, crossbar or mesh: together, and without a call. */
#ifndef WR_SHELL_MEMORY_ARRIVALS_H
#define WR_SHELL_MEMORY_ARRIVALS_H

#include "shell/memory/calendar.h"
#include "shell/memory/packet.h"

#define WR_NETWORK_PORTS 64 /* most inputs, most outputs: a bit each */

/* Invariant: an output where at[] is not WR_NEVER is in `there`, or in `coming`. */
typedef struct wr_arrivals {
    uint64_t next;                 /* first cycle in which a tick does something; WR_NEVER: none
                                      until a push or a take */
    uint64_t freed;                /* inputs that flits have left since somebody looked */
    uint64_t there;                /* outputs with a packet that has arrived, as was last seen */
    uint64_t at[WR_NETWORK_PORTS]; /* by output: when the oldest packet that has left the last
                                      switch is there; WR_NEVER */
    wr_calendar coming;            /* these times */
} wr_arrivals;

/* Of a network in which nothing is. */
static inline void wr_arrivals_init(wr_arrivals *a)
{
    *a = (wr_arrivals){.next = WR_NEVER};
    for (uint32_t o = 0; o < WR_NETWORK_PORTS; o++) {
        a->at[o] = WR_NEVER;
    }
}

/* The oldest packet of an output is another. */
static inline void wr_arrivals_set(wr_arrivals *a, uint32_t output, uint64_t at)
{
    uint64_t bit = UINT64_C(1) << output;
    a->at[output] = at;
    if (at < a->coming.from) {
        a->there |= bit;
        return;
    }
    a->there &= ~bit;
    if (at != WR_NEVER) {
        wr_calendar_add(&a->coming, at, bit);
    }
}

/* Outputs with a packet that has arrived by `now`, no earlier than in the last call. */
static inline uint64_t wr_arrivals_there(wr_arrivals *a, uint64_t now)
{
    for (uint64_t left = wr_calendar_take(&a->coming, now); left != 0; left &= left - 1) {
        uint32_t output = (uint32_t)__builtin_ctzll(left);
        wr_arrivals_set(a, output, a->at[output]);
    }
    return a->there;
}

#endif
