/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of switch_queues; see the header. */
#include "tests/oracle/switch_queues_oracle.h"

#include <string.h>

void wr_oracle_queues_reset(wr_oracle_queues *o, unsigned warp_depth, unsigned tb_depth)
{
    memset(o, 0, sizeof *o);
    o->queue[WR_ORACLE_STALLED_WARPS].depth = warp_depth;
    o->queue[WR_ORACLE_READY_WARPS].depth = warp_depth;
    o->queue[WR_ORACLE_STALLED_TBS].depth = tb_depth;
    o->queue[WR_ORACLE_READY_TBS].depth = tb_depth;
}

bool wr_oracle_queue_space(const wr_oracle_queue *q)
{
    return q->held < q->depth;
}

bool wr_oracle_queue_valid(const wr_oracle_queue *q)
{
    return q->held > 0;
}

unsigned wr_oracle_queue_head(const wr_oracle_queue *q)
{
    return q->held > 0 ? q->id[0] : 0;
}

void wr_oracle_queues_clock(wr_oracle_queues *o, const wr_oracle_queues_in *in)
{
    for (unsigned n = 0; n < WR_ORACLE_QUEUES; n++) {
        wr_oracle_queue *q = &o->queue[n];
        if (in->clear) {
            q->held = 0;
            continue;
        }
        /* Space and validity are those of the start of the cycle. */
        bool enters = in->push[n] && wr_oracle_queue_space(q);
        bool leaves = in->pop[n] && wr_oracle_queue_valid(q);
        o->fault = o->fault || (in->pop[n] && !leaves);
        if (enters) {
            q->id[q->held++] = in->id[n];
        }
        if (leaves) {
            q->held--;
            for (unsigned i = 0; i < q->held; i++) {
                q->id[i] = q->id[i + 1];
            }
        }
    }
}
