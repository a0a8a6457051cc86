/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_monitor: a count is at most what its window can have had. */
#include "refmodel/duet/throughput_monitor.h"
#include "formal/rel/relate.h"

void relate(wr_throughput_monitor *s, wr_when when)
{
    const uint32_t n = s->state_q == 2 ? s->cycles_q : 0;

    HOLDS(s->state_q <= 2);
    HOLDS(s->state_q == 2 || !s->judge_q);
    HOLDS(s->state_q != 0 || s->cycles_q == 0);
    HOLDS(s->state_q != 1 || s->cycles_q < s->cfg.warmup);
    HOLDS(s->state_q != 2 || s->cycles_q < s->cfg.window + s->judge_q);
    HOLDS(s->issued_q <= n * (s->cfg.sms * s->cfg.scheds));
    HOLDS(s->l1_q <= n * s->cfg.sms);
    HOLDS(s->up_q <= n * 3 * s->cfg.sms);
    HOLDS(s->down_q <= n * 3 * s->cfg.parts);
    HOLDS(s->l2_q <= n * 3 * s->cfg.parts);
    HOLDS(s->dram_q <= n * 3 * s->cfg.parts);
    HOLDS(s->noc_cycles_q <= n * 3);
    HOLDS(s->l2_cycles_q <= n * 3);
    HOLDS(s->dram_cycles_q <= n * 3);
}
