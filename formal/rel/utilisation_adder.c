/* SPDX-License-Identifier: Apache-2.0 */
/* utilisation_adder: every sum is in the range that throughput_monitor asks for. */
#include "refmodel/duet/utilisation_adder.h"
#include "formal/rel/relate.h"

void relate(wr_utilisation_adder *s, wr_when when)
{
    HOLDS(s->issued_q <= s->cfg.sms * s->cfg.scheds);
    HOLDS(s->l1_q <= s->cfg.sms);
    HOLDS(s->up_q <= s->cfg.sms * s->noc_cycles_q);
    HOLDS(s->down_q <= s->cfg.parts * s->noc_cycles_q);
    HOLDS(s->l2_q <= s->cfg.parts * s->l2_cycles_q);
    HOLDS(s->dram_q <= s->cfg.parts * s->dram_cycles_q);
}
