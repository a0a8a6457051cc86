/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of a block: what drives its inputs in cosim, in vectors and in the golden files.
 *
 * A stimulus is a plain value that the caller owns (state_size bytes, no pointers), and a set
 * of functions. It plays its directed cases first, where they are wanted, and constrained random
 * ones for ever after. Per block, testbench/<group>/<block>_stim.c defines one constant of this
 * type, `const wr_stim wr_<block>_stim`.
 *
 * Invariants:
 * - deterministic: the same configuration, seed and last_out give the same inputs;
 * - `next` writes every field of *in (the caller clears it to zero first);
 * - `next` may look at the outputs of the cycle before (all zero in the first cycle after
 *   reset), never at the model's state: so it drives any hardware behind the same pins.
 */
#ifndef WR_TESTBENCH_STIM_H
#define WR_TESTBENCH_STIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_near {
    const char *name;
    uint32_t width;    /* bits */
    const char *param; /* or the parameter that says it */
} wr_near;

typedef struct wr_stim {
    const char *block;
    size_t state_size; /* bytes of state, aligned as for max_align_t */

    /* The block was just reset. cfg is the wr_<block>_cfg. The directed cases come first, or are
     * left out: an episode that is short would see nothing else. */
    void (*init)(void *state, const void *cfg, uint64_t seed, bool with_directed);

    /* Fills the wr_<block>_in of one cycle. cycle counts from 0 since init; last_out is the
     * wr_<block>_out that stood with the inputs of the cycle before. */
    void (*next)(void *state, uint64_t cycle, const void *last_out, void *in);

    /* Functional coverage: hits[b] counts for bin b, named bin_names[b]. Called once a cycle
     * with the settled pins. An empty bin after a long run is worth a look. */
    const char *const *bin_names;
    size_t bins;
    void (*cover)(const void *state, const void *in, const void *out, uint64_t *hits);

    /* Comparators whose operands must meet that differ in one bit alone, in each bit: cover sets in
     * hits[bins + i] the bits that it has seen (wr_near_bit of traffic.h). */
    const wr_near *nears;
    size_t near_count;

    /* Protocol faults, where the block has any: their kinds, 1 to faults, the name of each (0:
     * none), and where the wr_faults of traffic.h is in the state. In an episode whose `first` is 0
     * pin fault stays 0; in others it rises by that kind first. */
    const char *const *fault_names;
    size_t faults;
    size_t faults_at;
} wr_stim;

/* The stimulus of a block by its name, or NULL. */
const wr_stim *wr_stim_find(const char *block);

#endif
