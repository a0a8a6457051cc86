/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of an SM's unit: the block, and what it is told.
 *
 * The block hears of one stall and one wake a cycle. What warps do in between is not queued:
 * `waits` is what is so, `told` what the block has counted, and each cycle takes one difference
 * each way, TB by TB in turns. So a wait that is over before its turn is never told, and no count
 * can be wrong for longer than a difference stands.
 */
#include "systems/virtual_thread/state.h"

void wr_vt_abort(wr_vt_unit *u, const char *what)
{
    if (!u->vt->failed) {
        u->vt->failed = true;
        wr_gpu_abort(u->vt->gpu, wr_bay_fail(u->vt->bay, u->bay_unit, what));
    }
}

bool wr_vt_unit_open(wr_vt_unit *u, const wr_gpu_config *cfg, char *err, size_t err_size)
{
    const wr_vt_status_table_cfg sizes = {.tbs = WR_VT_TBS_MAX, .slots = cfg->sm.max_warps};
    wr_bay *bay = u->vt->bay;

    u->open =
        wr_vt_status_table_port_open_behind(&u->table, wr_bay_behind(bay), &sizes, err, err_size);
    if (u->open) {
        wr_vt_status_table_port_reset(&u->table);
        wr_bay_add_port(bay, u->bay_unit, &u->table.port, &u->out);
        wr_vt_status_table_port_eval(&u->table, &u->in, &u->out);
    }
    return u->open;
}

void wr_vt_unit_start(wr_vt_unit *u)
{
    u->starts = true;
    u->here = u->ended = u->inactive = 0;
    u->unmapped = 0;
    u->next_stall = u->next_wake = 0;
    u->swap.on = u->deadlocked = false;
    for (uint32_t t = 0; t < WR_VT_TBS_MAX; t++) {
        u->waits[t] = u->told[t] = 0;
    }
}

/* The next TB of which the block is to hear more, or less; WR_VT_TBS_MAX: none. */
static uint32_t find(const wr_vt_unit *u, bool more, uint32_t from)
{
    for (uint32_t i = 0; i < WR_VT_TBS_MAX; i++) {
        uint32_t t = (from + i) % WR_VT_TBS_MAX;

        if ((more ? u->waits[t] & ~u->told[t] : u->told[t] & ~u->waits[t]) != 0) {
            return t;
        }
    }
    return WR_VT_TBS_MAX;
}

static void tell(wr_vt_unit *u)
{
    uint32_t stall = find(u, true, u->next_stall);
    uint32_t wake = find(u, false, u->next_wake);

    if (wake != WR_VT_TBS_MAX) {
        uint32_t less = u->told[wake] & ~u->waits[wake];

        u->told[wake] &= ~(less & -less);
        u->in.wake = true;
        u->in.wake_tb = (uint8_t)wake;
        u->next_wake = wake + 1;
    }
    if (stall != WR_VT_TBS_MAX) {
        uint32_t more = u->waits[stall] & ~u->told[stall];

        u->told[stall] |= more & -more;
        u->in.stall = true;
        u->in.stall_tb = (uint8_t)stall;
        u->next_stall = stall + 1;
    }
}

static void write_map(wr_vt_unit *u)
{
    if (u->unmapped != 0) {
        uint32_t slot = (uint32_t)__builtin_ctzll(u->unmapped);

        u->in.map_write = true;
        u->in.map_slot = (uint8_t)slot;
        u->in.map_vwi = (uint8_t)slot; /* the first TBs have the groups of their numbers */
        u->unmapped &= u->unmapped - 1;
    }
}

void wr_vt_unit_cycle(wr_vt_unit *u)
{
    const wr_vt *vt = u->vt;
    char text[512];

    (void)wr_bay_begin(vt->bay, u->bay_unit, wr_gpu_cycle(vt->gpu));
    u->in = (wr_vt_status_table_in){0};
    if (u->starts) {
        u->in.cfg = true;
        u->in.warps = (uint8_t)vt->warps;
        u->starts = false;
    } else {
        wr_vt_move(u);
        if (!wr_vt_take(u)) {
            tell(u);
        }
        wr_vt_place(u);
        write_map(u);
    }
    wr_vt_status_table_port_eval(&u->table, &u->in, &u->out);
    wr_vt_status_table_port_tick(&u->table, &u->in);
    wr_vt_status_table_port_eval(&u->table, &u->in, &u->out);
    (void)wr_bay_end(vt->bay, u->bay_unit);
    if (wr_bay_check(vt->bay, u->bay_unit, text, sizeof text)) {
        wr_vt_abort(u, text);
    }
}

bool wr_vt_unit_active(const wr_vt_unit *u)
{
    return u->starts || u->unmapped != 0 || u->swap.on || u->out.busy ||
           (u->out.swap_valid && !u->deadlocked) || find(u, true, 0) != WR_VT_TBS_MAX ||
           find(u, false, 0) != WR_VT_TBS_MAX || wr_vt_may_place(u);
}
