/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a network in every cycle, crossbar or mesh: together, and without a call. */
#ifndef WR_SHELL_MEMORY_ARRIVALS_H
#define WR_SHELL_MEMORY_ARRIVALS_H

#include "shell/memory/packet.h"

#define WR_NETWORK_PORTS 64 /* most inputs, most outputs: a bit each */

/* Invariant: bit o of `filled` is set where at[o] is not WR_NEVER. */
typedef struct wr_arrivals {
    uint64_t next;                 /* first cycle in which a tick does something; WR_NEVER: none
                                      until a push or a take */
    uint64_t filled;               /* outputs for which a packet has left the last switch */
    uint64_t at[WR_NETWORK_PORTS]; /* by output: when the oldest of these is there; WR_NEVER */
} wr_arrivals;

/* Of a network in which nothing is. */
static inline void wr_arrivals_init(wr_arrivals *a)
{
    a->next = WR_NEVER;
    a->filled = 0;
    for (uint32_t o = 0; o < WR_NETWORK_PORTS; o++) {
        a->at[o] = WR_NEVER;
    }
}

#endif
