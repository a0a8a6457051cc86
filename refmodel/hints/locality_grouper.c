/* SPDX-License-Identifier: Apache-2.0 */
/* locality_grouper: the grant is the least of all ready warps under one comparison. */
#include "refmodel/hints/locality_grouper.h"

#include <string.h>

/* The keys go round about: those below that of the group served last come behind all others. */
static bool goes_round(const wr_locality_grouper *s, uint32_t slot)
{
    return s->served_q && s->key_q[slot] < s->last_key_q;
}

/* Below 0: a before b; above 0: b before a. */
static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* a goes before b, by what tells them apart first. */
static bool before(const wr_locality_grouper *s, uint32_t a, uint32_t b)
{
    int order = compare(goes_round(s, a), goes_round(s, b));
    if (order == 0) {
        order = compare(s->key_q[a], s->key_q[b]);
    }
    if (order == 0) {
        order = compare(s->had_turn_q[a], s->had_turn_q[b]);
    }
    if (order == 0) {
        order = compare(s->order_q[a], s->order_q[b]);
    }
    return order < 0;
}

/* The warp to issue, of equal ones the one in the lowest slot; or Slots. */
static uint32_t grant(const wr_locality_grouper *s, const wr_locality_grouper_in *in)
{
    uint32_t best = s->cfg.slots;
    for (uint32_t slot = 0; slot < s->cfg.slots; slot++) {
        if (s->resident_q[slot] && in->ready[slot] &&
            (best == s->cfg.slots || before(s, slot, best))) {
            best = slot;
        }
    }
    return best;
}

wr_status wr_locality_grouper_init(wr_locality_grouper *s, const wr_locality_grouper_cfg *cfg)
{
    if (!wr_locality_grouper_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_locality_grouper_reset(s);
    return WR_OK;
}

void wr_locality_grouper_reset(wr_locality_grouper *s)
{
    wr_locality_grouper_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->groups_q = 1;
}

void wr_locality_grouper_eval(const wr_locality_grouper *s, const wr_locality_grouper_in *in,
                              wr_locality_grouper_out *out)
{
    const uint32_t slot = grant(s, in);
    memset(out, 0, sizeof *out);
    if (slot < s->cfg.slots) {
        out->grant_valid = true;
        out->grant_slot = (uint8_t)slot;
        out->grant_key = s->key_q[slot];
        out->grant_switch = s->served_q && s->key_q[slot] != s->last_key_q;
    }
    out->fault = s->fault_q;
}

/* The warp has its turn; where it has had one in this round of its group, a new round begins. */
static void serve(wr_locality_grouper *s, uint32_t warp)
{
    if (s->had_turn_q[warp]) {
        for (uint32_t slot = 0; slot < s->cfg.slots; slot++) {
            s->had_turn_q[slot] = s->had_turn_q[slot] && s->key_q[slot] != s->key_q[warp];
        }
    }
    s->had_turn_q[warp] = true;
    s->served_q = true;
    s->last_key_q = s->key_q[warp];
}

static void place(wr_locality_grouper *s, uint32_t slot, const wr_locality_grouper_in *in)
{
    const uint32_t mask = (1u << s->cfg.coord_bits) - 1u;
    const uint16_t in_row =
        (uint16_t)((in->block_y & mask) * WR_LOCALITY_BLOCK_WARPS + (in->warp & 31u));
    s->resident_q[slot] = true;
    s->had_turn_q[slot] = false;
    s->key_q[slot] = 0;
    s->order_q[slot] = 0;
    switch (s->hint_q) {
    case WR_LOCALITY_LINES:
        s->key_q[slot] = in_row;
        break;
    case WR_LOCALITY_BORDERS:
        s->key_q[slot] = (uint16_t)(in->block_x & mask);
        s->order_q[slot] = in_row;
        break;
    case WR_LOCALITY_SOME:
        s->key_q[slot] = s->turn_q;
        s->turn_q = (uint8_t)((s->turn_q + 1u) % s->groups_q);
        break;
    default:
        break;
    }
}

void wr_locality_grouper_tick(wr_locality_grouper *s, const wr_locality_grouper_in *in)
{
    const uint32_t granted = grant(s, in);
    const uint32_t launched = in->launch_slot & 63u;
    const uint32_t finished = in->finish_slot & 63u;
    const bool launch_ok = in->launch && launched < s->cfg.slots && !s->resident_q[launched];
    const bool finish_ok = in->finish && s->resident_q[finished];
    bool any = false;

    for (uint32_t slot = 0; slot < s->cfg.slots; slot++) {
        any = any || s->resident_q[slot];
    }
    s->fault_q = s->fault_q || in->launch != launch_ok || in->finish != finish_ok ||
                 (in->issue && granted == s->cfg.slots) || (in->cfg && any);
    if (in->issue && granted < s->cfg.slots) {
        serve(s, granted);
    }
    if (finish_ok) {
        s->resident_q[finished] = false;
    }
    if (launch_ok) {
        place(s, launched, in);
    }
    if (in->cfg) {
        const uint8_t groups = in->groups & 63u;
        const bool bad = groups == 0 || groups > WR_LOCALITY_BLOCK_WARPS;
        s->hint_q = in->hint & 3u;
        s->groups_q = bad ? 1 : groups;
        s->fault_q = s->fault_q || bad;
        s->turn_q = 0;
        s->served_q = false;
    }
}
