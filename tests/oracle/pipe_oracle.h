/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle oracle of an elastic pipeline of two stages, as the tomls of reg_compressor and
 * reg_decompressor promise it: latency 2, one register a cycle, order kept.
 *
 * stage[1] is what stands at the output. A stage takes something new where it is empty or its
 * content moves on in this cycle; so an offered register is taken where one of the two stages
 * is empty or the consumer takes the output.
 */
#ifndef WR_TESTS_ORACLE_PIPE_ORACLE_H
#define WR_TESTS_ORACLE_PIPE_ORACLE_H

#include <stdbool.h>

#include "tests/oracle/reg_compressor_oracle.h"

typedef struct wr_oracle_pipe {
    bool full[2];
    wr_oracle_reg stage[2];
    bool fault; /* sticky */
} wr_oracle_pipe;

/* Whether an offered register is taken in this cycle. */
bool wr_oracle_pipe_ready(const wr_oracle_pipe *p, bool consumer_ready);

/* One clock edge. result: what the offered register must become; faulty: taking it is a fault. */
void wr_oracle_pipe_step(wr_oracle_pipe *p, bool offered, const wr_oracle_reg *result, bool faulty,
                         bool consumer_ready);

#endif
