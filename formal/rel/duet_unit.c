/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: its parts lie in three instances of its own; the RTL's fault has two registers. */
// part: csl context_switch_logic u_switch.u_csl
// part: queues switch_queues u_switch.u_queues
// part: me me_controller u_me.u_me
// part: map onchip_bitmap u_map
// part: wct warp_context_table u_tables.u_wct
// part: tct tb_context_table u_tables.u_tct
// part: slots warp_slots u_tables.u_slots
// part: launcher tb_launcher u_launcher
// part: scanner stall_scanner u_scanner
#include "refmodel/duet/duet_unit.h"
#include "formal/rel/relate.h"

void relate(wr_duet_unit *s, wr_when when)
{
    LINK(s->due_q, "u_me.due_q", 0, 0, 0, 1);
    LINK(s->launches_q, "u_me.launches_q", 0, 0, 0, 6);
    LINK(s->leaves_q, "u_me.leaves_q", 0, 0, 0, 6);
    LINK(s->valid_q, "u_me.valid_q", 0, 0, 0, 1);
    LINK(s->verdict_q, "u_me.verdict_q", 0, 0, 0, 2);
    LINK(s->l1_idle_q, "u_me.l1_idle_q", 0, 0, 0, 1);
    LINK(s->out_id_q, "u_switch.out_id_q", 0, 0, 0, 7);
    LINK(s->in_id_q, "u_switch.in_id_q", 0, 0, 0, 7);
    LINK_VALUE(true, s->fault_q, 0, RTL("fault_q", 0, 0, 0, 1) | RTL("u_me.fault_q", 0, 0, 0, 1));
    HOLDS(s->state_q <= WR_DUET_UNIT_RUN);
    HOLDS(s->launches_q <= 32);
}
