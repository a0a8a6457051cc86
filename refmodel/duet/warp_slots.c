/* SPDX-License-Identifier: Apache-2.0 */
/* warp_slots: two plain arrays; the free slots are counted whenever somebody asks. */
#include "refmodel/duet/warp_slots.h"

#include <string.h>

enum {
    SLOT_MASK = 0x3f,
    ID_MASK = 0x7f,
};

wr_status wr_warp_slots_init(wr_warp_slots *s, const wr_warp_slots_cfg *cfg)
{
    if (!wr_warp_slots_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_warp_slots_reset(s);
    return WR_OK;
}

void wr_warp_slots_reset(wr_warp_slots *s)
{
    const wr_warp_slots_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_warp_slots_eval(const wr_warp_slots *s, const wr_warp_slots_in *in, wr_warp_slots_out *out)
{
    const uint32_t look = in->look_slot & SLOT_MASK;

    out->look_valid = s->taken_q[look];
    out->look_id = s->taken_q[look] ? s->warp_q[look] : 0;
    uint8_t taken = 0;
    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        taken = (uint8_t)(taken + s->taken_q[i]);
    }
    out->free = (uint8_t)(s->cfg.slots - taken);
    out->next = 0;
    while (out->free != 0 && s->taken_q[out->next]) {
        out->next++;
    }
    out->fault = s->fault_q;
}

void wr_warp_slots_tick(wr_warp_slots *s, const wr_warp_slots_in *in)
{
    const uint32_t claim = in->claim_slot & SLOT_MASK;
    const uint32_t give = in->give_slot & SLOT_MASK;
    const uint32_t pass = in->pass_slot & SLOT_MASK;
    const uint32_t claim_id = in->claim_id & ID_MASK;
    const uint32_t pass_id = in->pass_id & ID_MASK;
    const bool claims =
        in->claim && claim < s->cfg.slots && claim_id < s->cfg.warps && !s->taken_q[claim];
    const bool gives = in->give && s->taken_q[give];
    const bool passes =
        in->pass && s->taken_q[pass] && pass_id < s->cfg.warps && !(gives && give == pass);

    if (claims) {
        s->taken_q[claim] = true;
        s->warp_q[claim] = (uint8_t)claim_id;
    }
    if (gives) {
        s->taken_q[give] = false;
    }
    if (passes) {
        s->warp_q[pass] = (uint8_t)pass_id;
    }
    s->fault_q = s->fault_q || in->claim != claims || in->give != gives || in->pass != passes;
}
