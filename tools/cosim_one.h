/* SPDX-License-Identifier: Apache-2.0 */
/* A co-simulation in one configuration: its RTL is built where it is not there, runs, in a process
 * of its own where it is the user's (watch.h), and what came of it is printed. */
#ifndef WR_TOOLS_COSIM_ONE_H
#define WR_TOOLS_COSIM_ONE_H

#include "tools/cosim_options.h"
#include "tools/cosim_report.h"

typedef struct wr_cosim_one {
    const wr_cosim_asked *asked;
    wr_cosim_options run;
    const char *config;   /* its name */
    const char *shortest; /* where a mismatch leaves its inputs; NULL: they are not looked for */
    wr_cosim_sum *sum;    /* of several configurations; NULL: it stands alone */
} wr_cosim_one;

/* The exit status. */
int wr_cosim_one_run(const wr_cosim_one *one);

#endif
