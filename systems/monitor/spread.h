/* SPDX-License-Identifier: Apache-2.0 */
/* A count spread over the cycles of a window as evenly as whole numbers allow.
 *
 * The count (flits, busy cycles) was made in `clocks` clocks of its own domain. Of the window's n
 * cycles the first clocks % n have one clock more than the others, and each cycle gets its clocks'
 * part of the count: the values' sum is the count, and a count of at most `most` a clock gives no
 * cycle more than `most` for each of its clocks. A value changes at most three times in a window,
 * so a block that sees the values can be moved on in as many steps.
 */
#ifndef WR_SYSTEMS_MONITOR_SPREAD_H
#define WR_SYSTEMS_MONITOR_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* In the first `longer` cycles, and in the others: the value, and in how many of them, the first
 * ones, it is one more. */
typedef struct wr_spread {
    uint64_t longer, base[2], more[2];
} wr_spread;

/* n: not 0. count * clocks stays below 2^64. */
wr_spread wr_spread_over(uint64_t count, uint64_t clocks, uint64_t n);
/* The value of cycle t, from 0. */
uint64_t wr_spread_at(const wr_spread *spread, uint64_t t);
/* First cycle behind t, at most n, in which one of these changes. */
uint64_t wr_spread_change(const wr_spread *all, size_t number, uint64_t t, uint64_t n);

#endif
