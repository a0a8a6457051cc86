/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of gpuduet, from its toml and those of its parts alone (Lin-D 3.6.1 to 3.6.6): the
 * oracles of the three parts, joined as the toml joins them. It includes nothing of the models and
 * shares no code with them.
 *
 * A cycle is a letter to each part and its answer. The reply shows without a letter; the unit is
 * asked first for what it shows whatever the mover says, then the mover, then the unit again. */
#ifndef WR_TESTS_ORACLE_GPUDUET_ORACLE_H
#define WR_TESTS_ORACLE_GPUDUET_ORACLE_H

#include "refmodel/gen/gpuduet_pins.h"
#include "tests/oracle/absent_reply_oracle.h"
#include "tests/oracle/context_mover_oracle.h"
#include "tests/oracle/duet_unit_oracle.h"

typedef struct wr_oracle_gpuduet {
    wr_gpuduet_cfg cfg;
    wr_oracle_unit unit;
    wr_oracle_mover mover;
    wr_oracle_absent reply;
    bool phase; /* of a port of half a line: the next cycle is not the mover's */
} wr_oracle_gpuduet;

/* Everything but cfg, the parts too. */
void wr_oracle_gpuduet_reset(wr_oracle_gpuduet *o);

void wr_oracle_gpuduet_output(const wr_oracle_gpuduet *o, const wr_gpuduet_in *in,
                              wr_gpuduet_out *out);

/* One clock edge. */
void wr_oracle_gpuduet_clock(wr_oracle_gpuduet *o, const wr_gpuduet_in *in);

#endif
