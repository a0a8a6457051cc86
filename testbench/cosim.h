/* SPDX-License-Identifier: Apache-2.0 */
/* Co-simulation of one block: its stimulus drives the RTL in lockstep with the model.
 *
 * A run is eight episodes of equal length. Each starts from reset, which strikes in the midst of
 * the work of the one before, and plays directed cases, then random ones, with a seed of its own
 * (seed, seed + 1, ...). The run ends at the first mismatch: what follows is its consequence.
 */
#ifndef WR_TESTBENCH_COSIM_H
#define WR_TESTBENCH_COSIM_H

#include "dpi/port.h"
#include "testbench/stim.h"

enum { WR_COSIM_BINS_MAX = 128 };

typedef struct wr_cosim_options {
    const wr_block_desc *block;
    const void *cfg;
    const char *lib;    /* shared object, or NULL for the block's own */
    wr_backend backend; /* lockstep to check; model and rtl to measure or to record */
    uint64_t seed;
    uint64_t cycles;
    const char *wave;     /* FST of the pins, all cycles; or NULL */
    const char *rtl_wave; /* FST of everything inside the RTL; or NULL */
    const char *ring;     /* FST of the last 1,000 cycles, written on a mismatch; or NULL */
} wr_cosim_options;

typedef struct wr_cosim_result {
    wr_port_stats stats;
    bool stopped;                     /* the RTL called $finish, $stop or $fatal */
    char first[768];                  /* the first mismatch, or empty */
    uint64_t hits[WR_COSIM_BINS_MAX]; /* functional coverage, as in the stimulus' bin_names */
} wr_cosim_result;

/* False with one line in err: could not run. A mismatch is in the result. */
bool wr_cosim_run(const wr_cosim_options *o, wr_cosim_result *result, char *err, size_t err_size);

#endif
