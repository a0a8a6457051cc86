/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of issue_rate_controller, from the documents alone (Lin-D 4.4.2 and 4.5.1, Fig. 4.5,
 * LITERATURE 1.5, the block's toml).
 *
 * Requests lie in one list, oldest first, each with the sub-queue that it went to; every rule is
 * looked up in that list anew.
 */
#ifndef WR_TESTS_ORACLE_ISSUE_RATE_CONTROLLER_ORACLE_H
#define WR_TESTS_ORACLE_ISSUE_RATE_CONTROLLER_ORACLE_H

#include "refmodel/gen/issue_rate_controller_pins.h"

enum { WR_ORACLE_IRC_KERNELS = 4, WR_ORACLE_IRC_DEPTH = 128 };

typedef struct wr_oracle_irc_request {
    unsigned sub_queue, kernel, tag;
    bool store;
} wr_oracle_irc_request;

typedef struct wr_oracle_irc {
    wr_issue_rate_controller_cfg cfg;
    wr_oracle_irc_request list[WR_ORACLE_IRC_DEPTH];
    unsigned held;

    bool latency[WR_ORACLE_IRC_KERNELS];
    unsigned quota[WR_ORACLE_IRC_KERNELS]; /* in 1/16 */
    unsigned fraction[WR_ORACLE_IRC_KERNELS];
    unsigned credit[WR_ORACLE_IRC_KERNELS];
    unsigned loads[WR_ORACLE_IRC_KERNELS];
    unsigned stores[WR_ORACLE_IRC_KERNELS];
    unsigned cycle_of_window;
    unsigned last;
    bool fifo;
    bool fault;

    unsigned deciding; /* cycles until the decision acts; 0: none */
    unsigned decided_kernel, decided_quota;
    bool decided_latency;
} wr_oracle_irc;

void wr_oracle_irc_reset(wr_oracle_irc *o, const wr_issue_rate_controller_cfg *cfg);

/* What every output is in this cycle. */
void wr_oracle_irc_outputs(const wr_oracle_irc *o, const wr_issue_rate_controller_in *in,
                           wr_issue_rate_controller_out *out);

void wr_oracle_irc_clock(wr_oracle_irc *o, const wr_issue_rate_controller_in *in);

#endif
