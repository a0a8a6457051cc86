/* SPDX-License-Identifier: Apache-2.0 */
/* tb_context_table: one command a cycle, two read ports, each a walk over the entries. */
#include "refmodel/duet/tb_context_table.h"

#include <string.h>

wr_status wr_tb_context_table_init(wr_tb_context_table *s, const wr_tb_context_table_cfg *cfg)
{
    if (!wr_tb_context_table_cfg_ok(cfg) ||
        cfg->smem_base + cfg->smem_units > WR_TB_CONTEXT_UNITS_MAX) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_tb_context_table_reset(s);
    return WR_OK;
}

void wr_tb_context_table_reset(wr_tb_context_table *s)
{
    wr_tb_context_table_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static bool present(const wr_tb_context_table *s, uint32_t id)
{
    const uint32_t addr = s->addr_q[id];
    return addr == WR_TB_CONTEXT_NO_SMEM ||
           (addr >= s->cfg.smem_base && addr < s->cfg.smem_base + s->cfg.smem_units);
}

static bool is_kind(const wr_tb_context_table *s, uint32_t id, uint32_t kind)
{
    if (kind == WR_TB_CONTEXT_FREE || !s->valid_q[id]) {
        return kind == WR_TB_CONTEXT_FREE && !s->valid_q[id];
    }
    switch (kind) {
    case WR_TB_CONTEXT_WHOLE:
        return s->absent_q[id] == 0 && present(s, id);
    case WR_TB_CONTEXT_PARTIAL:
        return s->absent_q[id] != 0;
    default:
        return !present(s, id);
    }
}

void wr_tb_context_table_eval(const wr_tb_context_table *s, const wr_tb_context_table_in *in,
                              wr_tb_context_table_out *out)
{
    const uint32_t tbs = s->cfg.tbs;
    const uint32_t id = in->look_id & 31u;
    out->look_valid = s->valid_q[id];
    out->look_mask = out->look_valid ? s->absent_q[id] : 0;
    out->look_addr = out->look_valid ? s->addr_q[id] : 0;
    out->look_present = out->look_valid && present(s, id);

    const uint32_t from = in->find_from & 31u;
    uint32_t at = from < tbs ? from : 0;
    out->find_found = false;
    out->find_id = 0;
    for (uint32_t left = tbs; left > 0 && !out->find_found; left--) {
        if (is_kind(s, at, in->find_kind & 3u)) {
            out->find_found = true;
            out->find_id = (uint8_t)at;
        }
        at = at + 1 == tbs ? 0 : at + 1;
    }
    out->fault = s->fault_q;
}

static bool allowed(const wr_tb_context_table *s, uint32_t op, uint32_t id, uint32_t mask)
{
    const bool mask_fits = ((uint64_t)mask >> s->cfg.tb_warps) == 0;
    if (id >= s->cfg.tbs) {
        return false;
    }
    switch (op) {
    case WR_TB_CONTEXT_INSERT:
        return !s->valid_q[id] && mask_fits;
    case WR_TB_CONTEXT_SET:
    case WR_TB_CONTEXT_CLEAR:
        return s->valid_q[id] && mask_fits;
    case WR_TB_CONTEXT_REMOVE:
    case WR_TB_CONTEXT_MOVE:
        return s->valid_q[id];
    default:
        return false;
    }
}

void wr_tb_context_table_tick(wr_tb_context_table *s, const wr_tb_context_table_in *in)
{
    const uint32_t op = in->op & 7u;
    const uint32_t id = in->id & 31u;
    if (op == WR_TB_CONTEXT_NONE) {
        return;
    }
    if (!allowed(s, op, id, in->mask)) {
        s->fault_q = true;
        return;
    }
    switch (op) {
    case WR_TB_CONTEXT_INSERT:
        s->valid_q[id] = true;
        s->absent_q[id] = in->mask;
        s->addr_q[id] = in->addr & 0xfffu;
        break;
    case WR_TB_CONTEXT_SET:
        s->absent_q[id] |= in->mask;
        break;
    case WR_TB_CONTEXT_CLEAR:
        s->absent_q[id] &= ~in->mask;
        break;
    case WR_TB_CONTEXT_MOVE:
        s->addr_q[id] = in->addr & 0xfffu;
        break;
    default: /* remove */
        s->valid_q[id] = false;
        break;
    }
}
