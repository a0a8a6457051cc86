/* SPDX-License-Identifier: Apache-2.0 */
/* What an FR-FCFS channel does, in the plainest way: each clock every request that waits is
 * looked at from the oldest on, and a command leaves when the protocol checker allows it.
 *
 *   refresh due   close the banks, refresh; nothing else
 *   reads first   writes go where no read waits, or in a drain: from write_high of them on,
 *                 until write_low are left while reads wait
 *   two classes   low priority goes where the others give no command, and never closes a row
 *                 that one of them still hits; after `aging` clocks it is like the others, and
 *                 a drain is over for a read
 *   in a class    the oldest row hit that may leave; else the row command of the oldest request
 *                 of a bank without row hits, the oldest such bank first
 */
#ifndef WR_TESTS_MEMORY_GDDR5_ORACLE_H
#define WR_TESTS_MEMORY_GDDR5_ORACLE_H

#include "tests/memory/gddr5_checker.h"

typedef struct gddr5_oracle {
    wr_gddr5_config cfg;
    wr_gddr5_request queue[WR_GDDR5_MAX_QUEUE]; /* in order of arrival */
    uint32_t count;
    bool draining;
    uint64_t due; /* of the next refresh; UINT64_MAX: none */
} gddr5_oracle;

typedef struct gddr5_expected {
    bool any;
    bool any_bank; /* the policy leaves the bank open */
    wr_gddr5_command command;
    uint32_t bank, row, column;
} gddr5_expected;

void gddr5_oracle_init(gddr5_oracle *o, const wr_gddr5_config *cfg);
void gddr5_oracle_push(gddr5_oracle *o, uint64_t now, const wr_gddr5_request *request);
/* The command of clock `now`. */
gddr5_expected gddr5_oracle_expect(gddr5_oracle *o, const gddr5_checker *c, uint64_t now);
/* That it was given. */
void gddr5_oracle_given(gddr5_oracle *o, const gddr5_expected *e);

#endif
