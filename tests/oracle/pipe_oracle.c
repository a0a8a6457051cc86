/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of the elastic pipeline; see the header. */
#include "tests/oracle/pipe_oracle.h"

bool wr_oracle_pipe_ready(const wr_oracle_pipe *p, bool consumer_ready)
{
    return !p->full[0] || !p->full[1] || consumer_ready;
}

void wr_oracle_pipe_step(wr_oracle_pipe *p, bool offered, const wr_oracle_reg *result, bool faulty,
                         bool consumer_ready)
{
    bool taken = offered && wr_oracle_pipe_ready(p, consumer_ready);

    if (p->full[1] && consumer_ready) {
        p->full[1] = false;
    }
    if (!p->full[1] && p->full[0]) {
        p->full[1] = true;
        p->stage[1] = p->stage[0];
        p->full[0] = false;
    }
    if (taken) {
        p->full[0] = true;
        p->stage[0] = *result;
        if (faulty) {
            p->fault = true;
        }
    }
}
