/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a network in every cycle, crossbar or mesh: together, and without a call. */
#ifndef WR_SHELL_MEMORY_ARRIVALS_H
#define WR_SHELL_MEMORY_ARRIVALS_H

#include <stdint.h>

#define WR_NETWORK_PORTS 64 /* most inputs, most outputs: a bit each */

/* Invariant: bit o of `filled` is set where at[o] is not WR_NEVER. */
typedef struct wr_arrivals {
    uint64_t next;                 /* first cycle in which a tick does something; WR_NEVER: none
                                      until a push or a take */
    uint64_t filled;               /* outputs for which a packet has left the last switch */
    uint64_t at[WR_NETWORK_PORTS]; /* by output: when the oldest of these is there; WR_NEVER */
} wr_arrivals;

#endif
