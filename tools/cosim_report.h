/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref cosim` says of a run: as text, whose last line is the verdict, or as JSON. */
#ifndef WR_TOOLS_COSIM_REPORT_H
#define WR_TOOLS_COSIM_REPORT_H

#include "testbench/cosim.h"
#include "vectors/shrink.h"

typedef struct wr_cosim_report {
    const wr_cosim_options *run;
    const wr_cosim_result *result;
    const wr_shrink_result *shortest;
    const char *config;
    const char *rtl;           /* first file of the user's; NULL: our RTL */
    const char *inputs;        /* the file that was played; NULL: the stimulus */
    const char *shortest_path; /* of the vectors of `shortest` */
    const char *ended;         /* how the RTL ended the run itself; "": it did not */
    bool json, bins;
} wr_cosim_report;

/* The exit status. */
int wr_cosim_report_print(const wr_cosim_report *r);

#endif
