/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of duet_unit are joined: inputs and outputs of all of them in one cycle. */
#ifndef WR_REFMODEL_DUET_UNIT_WIRES_H
#define WR_REFMODEL_DUET_UNIT_WIRES_H

#include "refmodel/duet/duet_unit.h"

typedef struct wr_unit_wires {
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl;
    wr_me_controller_in me_in;
    wr_me_controller_out me;
    wr_onchip_bitmap_in map_in;
    wr_onchip_bitmap_out map;
    wr_switch_queues_in queues_in;
    wr_switch_queues_out queues;
    wr_warp_context_table_in wct_in;
    wr_warp_context_table_out wct;
    wr_tb_context_table_in tct_in;
    wr_tb_context_table_out tct;
    wr_warp_slots_in slots_in;
    wr_warp_slots_out slots;
    wr_tb_launcher_in launcher_in;
    wr_tb_launcher_out launcher;
    wr_stall_scanner_in scanner_in;
    wr_stall_scanner_out scanner;

    bool begins, engages, settled;
    bool tbs;            /* level TB */
    bool places, leaves; /* the dispatcher's, as ME is told */
    bool placed;         /* placed_i, and no fault */
    bool found;          /* the machine's look is answered */
} wr_unit_wires;

/* The dispatcher places TBs. */
static inline bool wr_unit_is_native(const wr_duet_unit *s)
{
    return s->state_q == WR_DUET_UNIT_NATIVE || s->state_q == WR_DUET_UNIT_TELL;
}

/* Pin extra. */
bool wr_unit_hands_over(const wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p);

/* All wires, from state and inputs. */
void wr_unit_settle(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p);

/* Outputs and clock edge, of wires that are settled. */
void wr_unit_show(const wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p,
                  wr_duet_unit_out *out);
void wr_unit_step(wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p);

#endif
