/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref cosim` says of a run: as text, whose last line is the verdict, or as JSON. Of runs
 * in several configurations it says a line each, more of one that fails, and then the sum. */
#ifndef WR_TOOLS_COSIM_REPORT_H
#define WR_TOOLS_COSIM_REPORT_H

#include "testbench/cosim.h"
#include "tools/four_state.h"
#include "vectors/shrink.h"

#include <cjson/cJSON.h>

typedef struct wr_cosim_report {
    const wr_cosim_options *run;
    const wr_cosim_result *result;
    const wr_shrink_result *shortest;
    const char *config;
    const char *rtl;           /* first file of the user's; NULL: our RTL */
    const char *inputs;        /* the file that was played; NULL: the stimulus */
    const char *shortest_path; /* of the vectors of `shortest` */
    const char *ended;         /* how the RTL ended the run itself; "": it did not */
    const wr_four_state *four; /* what came of it in four states; NULL: that was not asked for */
    bool by_start; /* the mismatch comes and goes with what registers and nets start with */
    bool json, bins;
} wr_cosim_report;

/* The runs so far. All 0 before the first. */
typedef struct wr_cosim_sum {
    const wr_block_desc *block;
    const char *rtl; /* as in the report */
    uint64_t seed;
    bool json;
    uint64_t cycles, checks;
    size_t count;
    bool failed;
    cJSON *runs; /* an array of what is said of each; or NULL */
} wr_cosim_sum;

/* The exit status. */
int wr_cosim_report_print(const wr_cosim_report *r);

/* The same of one of several. */
int wr_cosim_report_add(wr_cosim_sum *sum, const wr_cosim_report *r);

/* The exit status of all; frees. */
int wr_cosim_sum_print(wr_cosim_sum *sum);
void wr_cosim_sum_free(wr_cosim_sum *sum);

#endif
