/* SPDX-License-Identifier: Apache-2.0 */
/* warp_context_table: one command a cycle, three read ports, each a walk over the entries. */
#include "refmodel/duet/warp_context_table.h"

#include <string.h>

wr_status wr_warp_context_table_init(wr_warp_context_table *s, const wr_warp_context_table_cfg *cfg)
{
    if (!wr_warp_context_table_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_warp_context_table_reset(s);
    return WR_OK;
}

void wr_warp_context_table_reset(wr_warp_context_table *s)
{
    wr_warp_context_table_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static void look(const wr_warp_context_table *s, uint32_t id, wr_warp_context_table_out *out)
{
    out->look_valid = s->valid_q[id];
    out->look_state = 0;
    out->look_barrier = false;
    out->look_reg_addr = 0;
    out->look_meta_addr = 0;
    out->look_present = false;
    if (out->look_valid) {
        const uint32_t meta = s->meta_addr_q[id];
        out->look_state = s->state_q[id];
        out->look_barrier = s->barrier_q[id];
        out->look_reg_addr = s->reg_addr_q[id];
        out->look_meta_addr = s->meta_addr_q[id];
        out->look_present = s->reg_addr_q[id] < s->cfg.reg_units &&
                            meta >= WR_WARP_CONTEXT_SLOT_0 &&
                            meta < WR_WARP_CONTEXT_SLOT_0 + s->cfg.slots;
    }
}

static void find(const wr_warp_context_table *s, uint32_t state, uint32_t from,
                 wr_warp_context_table_out *out)
{
    uint32_t id = from < s->cfg.warps ? from : 0;
    out->find_found = false;
    out->find_id = 0;
    for (uint32_t left = s->cfg.warps; left > 0 && !out->find_found; left--) {
        if (s->valid_q[id] && s->state_q[id] == state) {
            out->find_found = true;
            out->find_id = (uint8_t)id;
        }
        id = (id + 1) % s->cfg.warps;
    }
}

static void judge_group(const wr_warp_context_table *s, uint32_t first, uint32_t count,
                        wr_warp_context_table_out *out)
{
    uint32_t valid = 0;
    uint32_t stalled = 0;
    uint32_t ready = 0;
    for (uint32_t id = first; id < first + count && id < s->cfg.warps; id++) {
        if (s->valid_q[id]) {
            valid++;
            stalled += s->state_q[id] == WR_WARP_STALLED;
            ready += s->state_q[id] == WR_WARP_READY ||
                     (s->state_q[id] == WR_WARP_ABSENT && s->barrier_q[id]);
        }
    }
    out->group_any = valid > 0;
    out->group_stalled = valid > 0 && stalled == valid;
    out->group_ready = valid > 0 && ready == valid;
}

void wr_warp_context_table_eval(const wr_warp_context_table *s, const wr_warp_context_table_in *in,
                                wr_warp_context_table_out *out)
{
    look(s, in->look_id & 127u, out);
    find(s, in->find_state & 3u, in->find_from & 127u, out);
    judge_group(s, in->group_first & 127u, in->group_count & 63u, out);
    out->fault = s->fault_q;
}

/* The arrows of Fig. 3.9, and no change. */
static bool may_become(uint32_t old, uint32_t next)
{
    switch (old) {
    case WR_WARP_RUNNING:
        return next == WR_WARP_RUNNING || next == WR_WARP_STALLED;
    case WR_WARP_STALLED:
        return next == WR_WARP_STALLED || next == WR_WARP_RUNNING || next == WR_WARP_ABSENT;
    case WR_WARP_ABSENT:
        return next == WR_WARP_ABSENT || next == WR_WARP_READY;
    default:
        return next == WR_WARP_READY || next == WR_WARP_RUNNING;
    }
}

static bool allowed(const wr_warp_context_table *s, uint32_t op, uint32_t id,
                    const wr_warp_context_table_in *in)
{
    const uint32_t state = in->state & 3u;
    if (id >= s->cfg.warps) {
        return false;
    }
    switch (op) {
    case WR_WARP_CONTEXT_INSERT:
        return !s->valid_q[id] && (state == WR_WARP_RUNNING || state == WR_WARP_READY);
    case WR_WARP_CONTEXT_UPDATE:
        return s->valid_q[id] && ((in->fields & WR_WARP_CONTEXT_FIELD_STATE) == 0 ||
                                  may_become(s->state_q[id], state));
    default:
        return s->valid_q[id];
    }
}

void wr_warp_context_table_tick(wr_warp_context_table *s, const wr_warp_context_table_in *in)
{
    const uint32_t op = in->op & 3u;
    const uint32_t id = in->id & 127u;
    if (op == WR_WARP_CONTEXT_NONE) {
        return;
    }
    if (!allowed(s, op, id, in)) {
        s->fault_q = true;
        return;
    }
    if (op == WR_WARP_CONTEXT_REMOVE) {
        s->valid_q[id] = false;
        return;
    }
    const bool insert = op == WR_WARP_CONTEXT_INSERT;
    s->valid_q[id] = true;
    if (insert || (in->fields & WR_WARP_CONTEXT_FIELD_STATE) != 0) {
        s->state_q[id] = in->state & 3u;
    }
    if (insert || (in->fields & WR_WARP_CONTEXT_FIELD_REG) != 0) {
        s->reg_addr_q[id] = in->reg_addr & 0xfffu;
    }
    if (insert || (in->fields & WR_WARP_CONTEXT_FIELD_META) != 0) {
        s->meta_addr_q[id] = in->meta_addr & 0xfffu;
    }
    if (insert || (in->fields & WR_WARP_CONTEXT_FIELD_BARRIER) != 0) {
        s->barrier_q[id] = !insert && in->barrier;
    }
}
