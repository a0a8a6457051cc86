/* SPDX-License-Identifier: Apache-2.0 */
/* vt_status_table: events in the order of the toml, each on what the one before left. */
#include "refmodel/duet/vt_status_table.h"

#include <assert.h>
#include <string.h>

static void free_all(wr_vt_status_table *s)
{
    for (uint32_t t = 0; t < s->cfg.tbs; t++) {
        s->active_q[t] = false;
        s->count_q[t] = WR_VT_FREE;
    }
    s->busy_q = false;
    s->walk_q = 0;
    s->out_start_q = 0;
    s->in_start_q = 0;
}

wr_status wr_vt_status_table_init(wr_vt_status_table *s, const wr_vt_status_table_cfg *cfg)
{
    if (!wr_vt_status_table_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_vt_status_table_reset(s);
    return WR_OK;
}

void wr_vt_status_table_reset(wr_vt_status_table *s)
{
    wr_vt_status_table_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->warps_q = 32;
    free_all(s);
}

static bool is_free(const wr_vt_status_table *s, uint32_t tb)
{
    return s->count_q[tb] == WR_VT_FREE;
}

/* The first TB from start on, round about, that is (in)active with this count; Tbs if none. */
static uint32_t find(const wr_vt_status_table *s, bool active, uint8_t count, uint32_t start)
{
    uint32_t tb = start;
    for (uint32_t left = s->cfg.tbs; left > 0; left--) {
        if (s->active_q[tb] == active && s->count_q[tb] == count) {
            return tb;
        }
        tb = (tb + 1) % s->cfg.tbs;
    }
    return s->cfg.tbs;
}

typedef struct proposal {
    bool valid;
    uint8_t out;
    uint8_t in;
} proposal;

static proposal propose(const wr_vt_status_table *s)
{
    const uint32_t out = find(s, true, s->warps_q, s->out_start_q);
    const uint32_t in = find(s, false, 0, s->in_start_q);
    if (s->busy_q || out == s->cfg.tbs || in == s->cfg.tbs) {
        return (proposal){0};
    }
    return (proposal){.valid = true, .out = (uint8_t)out, .in = (uint8_t)in};
}

void wr_vt_status_table_eval(const wr_vt_status_table *s, const wr_vt_status_table_in *in,
                             wr_vt_status_table_out *out)
{
    const proposal p = propose(s);
    const uint32_t slot = in->look_slot & 63u;
    const uint32_t tb = in->look_tb & 31u;
    out->swap_valid = p.valid;
    out->swap_out = p.out;
    out->swap_in = p.in;
    out->busy = s->busy_q;
    out->look_vwi = s->vwi_q[slot];
    out->look_active = s->active_q[tb];
    out->look_count = tb < s->cfg.tbs ? s->count_q[tb] : WR_VT_FREE;
    out->fault = s->fault_q;
}

static void rename_one(wr_vt_status_table *s)
{
    uint8_t *vwi = &s->vwi_q[s->walk_q];
    assert(s->walk_q < s->cfg.slots);
    if (*vwi >= s->from_q && *vwi < s->from_q + s->warps_q) {
        *vwi = (uint8_t)((*vwi - s->from_q + s->to_q) & (WR_VT_VIRTUAL_WARPS - 1));
    }
    s->walk_q++;
    if (s->walk_q == s->cfg.slots) {
        s->walk_q = 0;
        s->busy_q = false;
    }
}

static uint8_t at_most(wr_vt_status_table *s, uint8_t value)
{
    const bool high = value > s->warps_q;
    s->fault_q = s->fault_q || high;
    return high ? s->warps_q : value;
}

static uint8_t behind(const wr_vt_status_table *s, uint8_t tb)
{
    return (uint8_t)((tb + 1u) % s->cfg.tbs);
}

static void take(wr_vt_status_table *s, const wr_vt_status_table_in *in, proposal p)
{
    if (!p.valid) {
        s->fault_q = true;
        return;
    }
    s->active_q[p.out] = false;
    s->count_q[p.out] = (uint8_t)(s->warps_q - at_most(s, in->out_bar & 63u));
    s->active_q[p.in] = true;
    s->count_q[p.in] = at_most(s, in->in_bar & 63u);
    s->out_start_q = behind(s, p.out);
    s->in_start_q = behind(s, p.in);
    s->from_q = (uint8_t)(p.out * s->warps_q);
    s->to_q = (uint8_t)(p.in * s->warps_q);
    s->busy_q = true;
}

static void count(wr_vt_status_table *s, const wr_vt_status_table_in *in)
{
    const uint32_t up = in->stall_tb & 31u;
    const uint32_t down = in->wake_tb & 31u;
    if (in->stall && in->wake && up == down && s->active_q[up]) {
        return;
    }
    if (in->stall) {
        if (!s->active_q[up] || s->count_q[up] == s->warps_q) {
            s->fault_q = true;
        } else {
            s->count_q[up]++;
        }
    }
    if (in->wake) {
        if (is_free(s, down) || s->count_q[down] == 0) {
            s->fault_q = true;
        } else {
            s->count_q[down]--;
        }
    }
}

static void finish_tb(wr_vt_status_table *s, uint32_t tb)
{
    if (!s->active_q[tb]) {
        s->fault_q = true;
        return;
    }
    s->active_q[tb] = false;
    s->count_q[tb] = WR_VT_FREE;
}

static void launch(wr_vt_status_table *s, uint32_t tb, bool active)
{
    if (!is_free(s, tb) || (tb + 1u) * s->warps_q > WR_VT_VIRTUAL_WARPS) {
        s->fault_q = true;
        return;
    }
    s->active_q[tb] = active;
    s->count_q[tb] = 0;
}

static void configure(wr_vt_status_table *s, uint8_t warps)
{
    const bool bad = warps == 0 || warps > 32;
    s->fault_q = s->fault_q || bad;
    s->warps_q = bad ? 32 : warps;
    free_all(s);
}

void wr_vt_status_table_tick(wr_vt_status_table *s, const wr_vt_status_table_in *in)
{
    const proposal p = propose(s);
    const uint32_t slot = in->map_slot & 63u;

    if (s->busy_q) {
        rename_one(s);
    }
    if (in->map_write && slot < s->cfg.slots) {
        s->vwi_q[slot] = in->map_vwi & 127u;
    }
    s->fault_q = s->fault_q || (in->map_write && slot >= s->cfg.slots);
    if (in->cfg) {
        configure(s, in->warps & 63u);
        return;
    }
    if (in->take) {
        take(s, in, p);
    }
    count(s, in);
    if (in->finish) {
        finish_tb(s, in->finish_tb & 31u);
    }
    if (in->launch) {
        launch(s, in->launch_tb & 31u, in->launch_active);
    }
}
