/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of utilisation_adder, from the documents alone (Lin-D 3.6.4, Table 3.3, the block's
 * toml).
 *
 * It keeps what all SMs and partitions said in the last cycle, and tells what the pins show by
 * counting events one by one.
 */
#ifndef WR_TESTS_ORACLE_UTILISATION_ADDER_ORACLE_H
#define WR_TESTS_ORACLE_UTILISATION_ADDER_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_ADDER_MAX = 32 };

/* One cycle. */
typedef struct wr_oracle_adder_cycle {
    bool start, stop, cut;
    unsigned noc_cycles, l2_cycles, dram_cycles;
    struct {
        unsigned issued, l1, up;
    } sm[WR_ORACLE_ADDER_MAX];
    struct {
        unsigned down, l2, dram;
    } part[WR_ORACLE_ADDER_MAX];
} wr_oracle_adder_cycle;

typedef struct wr_oracle_adder {
    unsigned sms, scheds, parts;
    wr_oracle_adder_cycle last; /* as it was seen; all 0 after reset */
    bool fault;                 /* some cycle up to that one had a value above its range */
} wr_oracle_adder;

/* Events in the last cycle, only those that can have been. */
typedef struct wr_oracle_adder_sums {
    unsigned issued, l1, up, down, l2, dram;
} wr_oracle_adder_sums;

void wr_oracle_adder_reset(wr_oracle_adder *a, unsigned sms, unsigned scheds, unsigned parts);

void wr_oracle_adder_clock(wr_oracle_adder *a, const wr_oracle_adder_cycle *now);

wr_oracle_adder_sums wr_oracle_adder_sums_of(const wr_oracle_adder *a);

#endif
