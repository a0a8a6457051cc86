/* SPDX-License-Identifier: Apache-2.0 */
/* Co-simulation of one block: its stimulus drives the RTL in lockstep with the model.
 *
 * A run is some hundred episodes. Each starts from reset, which strikes in the midst of the work of
 * the one before, and plays random cases with a seed of its own (seed, seed + 1, ...); the first
 * and then one of 32 begins with the directed cases. Every other one keeps the protocol: these are
 * of all lengths, from half a thousandth of the run to an eighth, each with about the same share of
 * cycles. Between them come episodes with a protocol fault, each kind in turn, which end soon after
 * it has shown. Behind them come wild ones (wild.h), an eighth as many cycles again, where the RTL
 * keeps the model's time. The run ends at the first mismatch: what follows is its consequence.
 *
 * Inputs at hand can take the stimulus' place: recorded ones, or those of a mismatch. They go on
 * until what they have begun has come out of RTL that keeps other time.
 */
#ifndef WR_TESTBENCH_COSIM_H
#define WR_TESTBENCH_COSIM_H

#include "dpi/last_inputs.h"
#include "dpi/port.h"
#include "testbench/stim.h"

#include <signal.h>

enum { WR_COSIM_BINS_MAX = 256, WR_COSIM_FAULTS_MAX = 31 };

typedef struct wr_cosim_options {
    const wr_block_desc *block;
    const void *cfg;
    const wr_port_own *own; /* NULL: the block's own RTL */
    wr_backend backend;     /* lockstep to check; model and rtl to measure or to record */
    uint64_t seed;
    uint64_t cycles;
    bool pins_only; /* lockstep: registers are not compared */
    bool no_wild;
    const uint32_t *rows; /* played instead of the stimulus, in one episode (rows.h); or NULL */
    uint64_t rows_count;
    uint64_t until;   /* stops in front of this cycle, in which the RTL hangs or crashes; or 0 */
    const char *wave; /* FST of the pins, all cycles; or NULL */
    const char *rtl_wave;  /* FST of everything inside the RTL; or NULL */
    const char *ring;      /* FST of the last 1,000 cycles before what ends the run; or NULL */
    uint32_t last;         /* cycles up to it whose inputs the result has */
    const char *coverage;  /* counters of the RTL, where lib has any; or NULL */
    wr_observer *observer; /* of the port; or NULL */
    const volatile sig_atomic_t *stop; /* not 0: the run ends with this cycle; or NULL */
} wr_cosim_options;

typedef struct wr_cosim_result {
    wr_port_stats stats;              /* without the wild episodes, but for their mismatches */
    bool has_ring;                    /* it was written */
    bool stopped;                     /* the RTL called $finish, $stop or $fatal, or hangs */
    char ended[256];                  /* where, and by what; or empty */
    char first[768];                  /* the first mismatch, or empty */
    wr_last_inputs last;              /* with has_ring */
    char cut[1024];                   /* a file of which not all could be written, or empty */
    uint64_t hits[WR_COSIM_BINS_MAX]; /* functional coverage: bins, then nears */
    uint32_t registers;               /* compared beside the pins */
    uint64_t episodes;
    uint64_t wild_episodes, wild_cycles, wild_checks; /* behind them */
    uint64_t first_faults[WR_COSIM_FAULTS_MAX + 1]; /* episodes whose first fault is of this kind */
    struct {
        uint64_t seed;
        uint64_t cycles; /* played */
        bool directed;
        bool faults; /* it breaks the protocol */
        bool wild;   /* of wild.h */
    } episode;       /* the last */
    char stray[128]; /* a fault in an episode that keeps the protocol: the stimulus is wrong */
} wr_cosim_result;

/* False with one line in err: could not run. A mismatch is in the result. */
bool wr_cosim_run(const wr_cosim_options *o, wr_cosim_result *result, char *err, size_t err_size);

#endif
