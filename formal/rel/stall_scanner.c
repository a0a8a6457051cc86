/* SPDX-License-Identifier: Apache-2.0 */
/* stall_scanner: registers have one name on both sides, but for the order of age, which is a part
 * of the RTL, and a claim under way, of which the RTL holds the division half done. */
#include "refmodel/duet/stall_scanner.h"
#include "formal/rel/relate.h"

void relate(wr_stall_scanner *s, wr_when when)
{
    const uint32_t four = 4u * s->warps_q;
    const uint32_t rest = (uint32_t)RTL("claim_rest_q", 0, 0, 0, 7);
    const uint32_t upper = (uint32_t)RTL("claim_upper_q", 0, 0, 0, 5);
    const bool on = s->level_q != WR_SCANNER_OFF;

    LINK(s->count_q, "u_age.count_q", 0, 0, 0, 6);
    for (uint32_t i = 0; i < s->cfg.tbs; i++) {
        LINK_WHERE(i < s->count_q, s->order_q[i], "u_age.order_q", 0, 0, 5 * i, 5);
        HOLDS(i >= s->count_q || s->order_q[i] < s->cfg.tbs);
    }
    HOLDS(s->count_q <= s->cfg.tbs);
    HOLDS(s->level_q <= WR_SCANNER_TB);
    HOLDS(!on || (s->warps_q >= 1 && s->warps_q <= s->cfg.tb_warps));
    HOLDS(on || !s->run_q);

    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        HOLDS(s->tb_q[i] < s->cfg.tbs);
    }
    HOLDS(s->slot_q < s->cfg.slots && s->scan_q < s->cfg.slots && s->out_slot_q < s->cfg.slots);
    HOLDS(s->vacate_slot_q < s->cfg.slots && s->claim_slot_q < s->cfg.slots);
    HOLDS(!s->sure_q || s->pick_q);
    HOLDS(s->run_q || !(s->pick_q || s->at_valid_q || s->found_q));
    HOLDS(s->pos_q < s->cfg.tbs);

    HOLDS(s->at_tb_q < s->cfg.tbs);
    HOLDS(!s->found_q || (s->at_valid_q && s->found_index_q < s->warps_q &&
                          s->at_base_q + s->warps_q <= s->cfg.warps));

    HOLDS(!s->claim_q || s->claim_id_q < s->cfg.warps);
    HOLDS(!s->claim_q || four == 0 ||
          (rest == s->claim_id_q % four && upper == s->claim_id_q / four));
}
