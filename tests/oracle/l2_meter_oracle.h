/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of l2_meter, from the block's toml alone: it keeps when each kernel was read last
 * and every event since, as numbers without an upper end, and cuts off what is shown. It includes
 * nothing of the model and shares no code with it. */
#ifndef WR_TESTS_ORACLE_L2_METER_ORACLE_H
#define WR_TESTS_ORACLE_L2_METER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum wr_oracle_l2_event {
    WR_ORACLE_L2_ACCESS,
    WR_ORACLE_L2_FETCH, /* of sectors, as the one below */
    WR_ORACLE_L2_WRITE_BACK,
    WR_ORACLE_L2_EVENTS
} wr_oracle_l2_event;

typedef struct wr_oracle_l2_pins {
    bool access, read;
    unsigned fetched, written, kernel, owner, read_kernel;
} wr_oracle_l2_pins;

typedef struct wr_oracle_l2_meter {
    unsigned kernels, bits;
    uint64_t ever[WR_ORACLE_L2_EVENTS][4], at_read[WR_ORACLE_L2_EVENTS][4];
    bool fault;
} wr_oracle_l2_meter;

void wr_oracle_l2_meter_reset(wr_oracle_l2_meter *o, unsigned kernels, unsigned bits);

/* What a kernel's count shows: lines. */
unsigned wr_oracle_l2_meter_shows(const wr_oracle_l2_meter *o, wr_oracle_l2_event what,
                                  unsigned kernel);

/* One clock edge. */
void wr_oracle_l2_meter_clock(wr_oracle_l2_meter *o, const wr_oracle_l2_pins *in);

#endif
