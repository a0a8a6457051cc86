/* SPDX-License-Identifier: Apache-2.0 */
/* The user's RTL in four states: the stimulus of a co-simulation, recorded with the model's
 * outputs, is played in Icarus Verilog by testbench/replay/replay.sh.
 *
 * Verilator has two states. A net without a driver, a high impedance or two drivers that disagree
 * have some value there, and the RTL may pass. Here an output that is X or Z, or another value, is
 * a mismatch.
 *
 * Yosys reads the RTL for it. What it cannot read, as DPI imports, cannot be tried.
 */
#ifndef WR_TOOLS_FOUR_STATE_H
#define WR_TOOLS_FOUR_STATE_H

#include "dpi/rtl_sources.h"
#include "testbench/cosim.h"

enum { WR_FOUR_STATE_SHORT = 512, WR_FOUR_STATE_EPISODE = 128, WR_FOUR_STATE_MOST = 1000000 };

typedef struct wr_four_state_asked {
    const wr_cosim_options *run; /* the run whose stimulus is taken */
    const wr_rtl_sources *sources;
    uint64_t cycles;    /* at most, 1 to WR_FOUR_STATE_MOST */
    uint64_t episode;   /* and of one episode; 0: all of it */
    const char *inputs; /* where the inputs of a mismatch go, vectors.h; NULL: nowhere */
    uint64_t seconds;   /* of processor time, for a tool */
} wr_four_state_asked;

typedef struct wr_four_state {
    uint64_t cycles;    /* played */
    char mismatch[768]; /* or empty */
    uint64_t rows;      /* of `inputs`, up to the mismatch */
    char untried[512];  /* why it could not be, or empty */
    char warning[512];  /* of Yosys: the first net with no driver or several; or empty */
} wr_four_state;

/* False with one line in err: a file cannot be written, or memory is out. */
bool wr_four_state_run(const wr_four_state_asked *asked, wr_four_state *result, char *err,
                       size_t err_size);

#endif
