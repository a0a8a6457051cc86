/* SPDX-License-Identifier: Apache-2.0 */
/* Where RTL that is not ours is just now, for the process that watches it.
 *
 * The struct lies in memory that both processes share. A program that only ever calls RTL which it
 * trusts has none, and a port then does not look after it.
 *
 * Invariant: steps is odd from the call of the RTL to its return, so a process that ended or stands
 * still while it is odd did so inside the RTL. Ports of one pulse are called one at a time.
 */
#ifndef WR_DPI_PULSE_H
#define WR_DPI_PULSE_H

#include "dpi/block.h"

#include <stdatomic.h>

typedef struct wr_pulse {
    _Atomic uint64_t steps;               /* calls of the RTL that began, and that ended */
    _Atomic uint64_t cycle;               /* clocked cycles of the port before this call */
    _Atomic(const wr_block_desc *) block; /* whose pins the RTL has */
} wr_pulse;

/* NULL is fine. */
static inline void wr_pulse_enter(wr_pulse *pulse, const wr_block_desc *block, uint64_t cycle)
{
    if (pulse != NULL) {
        atomic_store_explicit(&pulse->block, block, memory_order_relaxed);
        atomic_store_explicit(&pulse->cycle, cycle, memory_order_relaxed);
        atomic_fetch_add_explicit(&pulse->steps, 1, memory_order_release);
    }
}

static inline void wr_pulse_leave(wr_pulse *pulse)
{
    if (pulse != NULL) {
        atomic_fetch_add_explicit(&pulse->steps, 1, memory_order_release);
    }
}

#endif
