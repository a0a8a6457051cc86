/* SPDX-License-Identifier: Apache-2.0 */
/* Many cycles of a free-running block at once, its inputs held: what is the same for all of them.
 *
 * Inside a window (epoch, interval) only counters move, and they move by the same amount each
 * cycle: a block coasts there in one step, and ticks where more happens. Over windows the block
 * is a finite machine with constant inputs, so its state comes back sooner or later, as a rule
 * after two or three windows: from then on whole repeats are left out. Both are exact.
 *
 *   tick coast........ tick tick coast........ tick tick coast........ tick
 *   |<--- window ---->|<--- window ----->|<--- the same state again: n becomes n modulo this
 */
#ifndef WR_REFMODEL_SKIP_H
#define WR_REFMODEL_SKIP_H

#include <stddef.h>
#include <stdint.h>

/* How a block is moved on; s is its state, in and out are its pins. */
typedef struct wr_skip {
    size_t state_size;
    size_t out_size;
    void (*tick)(void *s, const void *in);
    void (*eval)(const void *s, const void *in, void *out);

    /* Comes behind a tick with the same inputs. Moves on by at most `most` cycles in which nothing
     * but counters changes, and gives how many: 0 where the next cycle does more. Outputs change
     * in the first of these cycles or in none. */
    uint64_t (*coast)(void *s, const void *in, uint64_t most);
} wr_skip;

/* n cycles. period is that of the block's windows; mark has room for a state. */
void wr_skip_run(const wr_skip *how, void *s, void *mark, const void *in, uint64_t period,
                 uint64_t n);

/* Cycles after each of which the outputs are what they are now; UINT64_MAX: for ever. s is a copy
 * that gets lost, mark has room for a state, out for the outputs twice. */
uint64_t wr_skip_quiet(const wr_skip *how, void *s, void *mark, const void *in, void *out);

#endif
