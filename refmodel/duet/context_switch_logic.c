/* SPDX-License-Identifier: Apache-2.0 */
/* context_switch_logic: a decision, then the steps of that switch one behind the other.
 *
 * The steps of each switch stand in `first_step` and `next_step`; what a step asks for is in eval,
 * what its answer changes in tick.
 */
#include "refmodel/duet/context_switch_logic.h"

#include <assert.h>
#include <string.h>

static bool moves_registers(const wr_context_switch_logic *s)
{
    return s->level_q == WR_CSL_WARP && s->registers_q;
}

/* Lines that move beside the metadata. */
static uint32_t body_lines(const wr_context_switch_logic *s)
{
    return s->level_q == WR_CSL_TB || moves_registers(s) ? s->lines_q : 0u;
}

static bool moves_body(const wr_context_switch_logic *s)
{
    return s->level_q == WR_CSL_TB || moves_registers(s);
}

static uint32_t unit_warps(const wr_context_switch_logic *s)
{
    return s->level_q == WR_CSL_TB ? s->warps_q : 1u;
}

/* Lines of a unit that is switched out: Eq. 3.2 and 3.3, in lines. */
static uint32_t away_lines(const wr_context_switch_logic *s)
{
    return body_lines(s) + s->cfg.st_lines * unit_warps(s);
}

static uint32_t home_lines(const wr_context_switch_logic *s)
{
    return s->level_q == WR_CSL_TB ? s->lines_q : s->full_q;
}

static bool leaves(uint8_t op)
{
    return op == WR_CSL_OUT || op == WR_CSL_EXCHANGE || op == WR_CSL_BACK;
}

static bool comes(uint8_t op)
{
    return op == WR_CSL_IN || op == WR_CSL_EXCHANGE;
}

/* The first step of a unit's next warp. */
static uint8_t first_of_warp(const wr_context_switch_logic *s)
{
    return leaves(s->op_q) ? WR_CSL_RD_OUT : WR_CSL_RD_IN;
}

static uint8_t warp_id(const wr_context_switch_logic *s, uint8_t unit)
{
    if (s->level_q != WR_CSL_TB) {
        return unit;
    }
    return (uint8_t)(((unit & 31u) * s->warps_q + s->warp_q) & 127u);
}

static uint8_t tb_id(const wr_context_switch_logic *s, uint8_t unit)
{
    const uint32_t tb = s->level_q == WR_CSL_TB ? unit : (uint32_t)unit / s->warps_q;
    return (uint8_t)(tb & 31u);
}

wr_status wr_context_switch_logic_init(wr_context_switch_logic *s,
                                       const wr_context_switch_logic_cfg *cfg)
{
    if (!wr_context_switch_logic_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_switch_logic_reset(s);
    return WR_OK;
}

void wr_context_switch_logic_reset(wr_context_switch_logic *s)
{
    wr_context_switch_logic_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static bool asks_tables(uint8_t state)
{
    return state == WR_CSL_READ_OUT || state == WR_CSL_READ_IN ||
           (state >= WR_CSL_RD_OUT && state <= WR_CSL_MASK_IN);
}

static bool asks_bitmap(uint8_t state)
{
    return state == WR_CSL_ALLOC || state == WR_CSL_ALLOC_L1 || state == WR_CSL_FREE;
}

static bool asks_mover(uint8_t state)
{
    return state == WR_CSL_MOVE || state == WR_CSL_META;
}

static void eval_write_out(const wr_context_switch_logic *s, wr_context_switch_logic_out *out)
{
    out->tab_op = WR_CSL_WRITE_WARP;
    out->tab_id = warp_id(s, s->out_id_q);
    out->tab_state = WR_WARP_ABSENT;
    out->tab_reg = moves_registers(s) ? s->away_q : s->out_q.reg;
    out->tab_meta = s->meta_away_q;
    if (s->op_q == WR_CSL_BACK) {
        out->tab_state = WR_WARP_RUNNING;
        out->tab_reg = s->out_q.reg;
        out->tab_meta = s->out_q.meta;
    }
}

static void eval_write_in(const wr_context_switch_logic *s, wr_context_switch_logic_out *out)
{
    out->tab_op = WR_CSL_WRITE_WARP;
    out->tab_id = warp_id(s, s->in_id_q);
    out->tab_state = s->in_q.state == WR_WARP_ABSENT ? WR_WARP_READY : WR_WARP_RUNNING;
    out->tab_reg = moves_registers(s) ? s->home_q : s->in_q.reg;
    out->tab_meta =
        s->op_q == WR_CSL_EXCHANGE ? s->out_q.meta : (uint16_t)(WR_CSL_META_SLOT + s->slot_q);
}

static void eval_tables(const wr_context_switch_logic *s, wr_context_switch_logic_out *out)
{
    const bool tb = s->level_q == WR_CSL_TB;
    const bool in_side = s->state_q == WR_CSL_READ_IN || s->state_q == WR_CSL_RD_IN ||
                         s->state_q == WR_CSL_ADDR_IN || s->state_q == WR_CSL_MASK_IN;
    const uint8_t unit = in_side ? s->in_id_q : s->out_id_q;

    out->tab_req = asks_tables(s->state_q);
    switch (s->state_q) {
    case WR_CSL_READ_OUT:
    case WR_CSL_READ_IN:
        out->tab_op = tb ? WR_CSL_READ_TB : WR_CSL_READ_WARP;
        out->tab_id = tb ? unit & 31u : unit;
        break;
    case WR_CSL_RD_OUT:
    case WR_CSL_RD_IN:
        out->tab_op = WR_CSL_READ_WARP;
        out->tab_id = warp_id(s, unit);
        break;
    case WR_CSL_WR_OUT:
        eval_write_out(s, out);
        break;
    case WR_CSL_WR_IN:
        eval_write_in(s, out);
        break;
    case WR_CSL_ADDR_OUT:
    case WR_CSL_ADDR_IN:
        out->tab_op = WR_CSL_MOVE_TB;
        out->tab_id = tb_id(s, unit);
        out->tab_reg = in_side ? s->home_q : s->away_q;
        break;
    case WR_CSL_MASK_OUT:
    case WR_CSL_MASK_IN:
        out->tab_op = in_side ? WR_CSL_PRESENT_TB : WR_CSL_ABSENT_TB;
        out->tab_id = tb_id(s, unit);
        out->tab_index = (uint8_t)(tb ? 0u : (uint32_t)unit % s->warps_q);
        out->tab_all = tb;
        break;
    default:
        break;
    }
}

static void eval_bitmap(const wr_context_switch_logic *s, wr_context_switch_logic_out *out)
{
    const bool tb = s->level_q == WR_CSL_TB;
    const bool in = s->op_q == WR_CSL_IN;
    if (!asks_bitmap(s->state_q)) {
        return;
    }
    out->mem_req = true;
    if (s->state_q == WR_CSL_FREE) {
        out->mem_free = true;
        out->mem_addr = in ? s->away_q : s->home_q;
        out->mem_count = (uint16_t)(in ? away_lines(s) : home_lines(s));
    } else {
        out->mem_region = s->state_q == WR_CSL_ALLOC_L1 ? 2 : in == tb ? 1 : 0;
        out->mem_count = (uint16_t)(in ? home_lines(s) : away_lines(s));
    }
}

static void eval_mover(const wr_context_switch_logic *s, wr_context_switch_logic_out *out)
{
    const bool meta = s->state_q == WR_CSL_META;
    if (asks_mover(s->state_q)) {
        out->move = true;
        out->move_meta = meta;
        out->move_out = leaves(s->op_q);
        out->move_in = comes(s->op_q);
    }
    out->move_home = meta ? (uint16_t)(WR_CSL_META_SLOT + s->slot_q) : s->home_q;
    out->move_away = meta ? s->meta_away_q : s->away_q;
}

void wr_context_switch_logic_eval(const wr_context_switch_logic *s,
                                  const wr_context_switch_logic_in *in,
                                  wr_context_switch_logic_out *out)
{
    (void)in; /* no output of this block is combinational */
    memset(out, 0, sizeof *out);
    out->level = s->level_q;
    out->op = s->op_q;
    out->state = s->state_q;
    out->stalled_pop = s->out_popped_q;
    out->ready_pop = s->in_popped_q;
    out->slot_take = s->take_q;
    out->slot_give = s->give_q;
    out->slot = s->slot_q;
    out->slot_id = s->take_q ? warp_id(s, s->in_id_q) : 0;
    eval_tables(s, out);
    eval_bitmap(s, out);
    eval_mover(s, out);
    out->fault = s->fault_q;
}

static void configure(wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const bool registers = (in->limits & WR_CSL_LIMIT_REGISTERS) != 0;
    const bool shared = (in->limits & WR_CSL_LIMIT_SHARED) != 0;
    const uint16_t lines = in->lines & 0x3ffu;
    const uint16_t full = in->full & 0x3ffu;
    wr_csl_level level = WR_CSL_WARP;
    bool bad = in->warps == 0 || in->warps > s->cfg.tb_warps;

    if ((in->limits & 7u) == 0 || (registers && shared)) {
        level = WR_CSL_OFF;
    } else if (shared) {
        level = WR_CSL_TB;
        bad = bad || lines == 0;
    } else if (registers) {
        bad = bad || full == 0 || full < lines;
    }
    s->level_q = (uint8_t)(bad ? WR_CSL_OFF : level);
    s->fault_q = s->fault_q || bad;
    s->registers_q = registers;
    s->use_l1_q = in->use_l1;
    s->warps_q = in->warps;
    s->lines_q = lines;
    s->full_q = full;
}

static wr_csl_op decide(const wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const bool on = s->level_q != WR_CSL_OFF;
    const bool may_leave = in->stalled_valid && in->may_leave;
    if (on && may_leave && in->ready_valid) {
        return WR_CSL_EXCHANGE;
    }
    if (on && in->ready_valid && in->slots_free >= unit_warps(s) &&
        !(in->stalled_valid && s->full_once_q)) {
        return WR_CSL_IN;
    }
    if (on && may_leave && in->want && !in->ready_valid) {
        return WR_CSL_OUT;
    }
    return in->stalled_valid ? WR_CSL_BACK : WR_CSL_NONE;
}

static bool bad_unit(const wr_context_switch_logic *s, uint8_t unit)
{
    if (s->level_q == WR_CSL_WARP) {
        return unit / s->warps_q > 31u;
    }
    return s->level_q == WR_CSL_TB && (unit > 31u || ((unit & 31u) + 1u) * s->warps_q > 128u);
}

static void begin(wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const wr_csl_op op = decide(s, in);
    if (op == WR_CSL_NONE) {
        return;
    }
    s->op_q = (uint8_t)op;
    s->home_q = 0;
    s->away_q = 0;
    if (op != WR_CSL_IN) {
        s->full_once_q = false;
    }
    if (leaves(s->op_q)) {
        s->out_id_q = in->stalled_id & 127u;
        s->fault_q = s->fault_q || bad_unit(s, s->out_id_q);
    }
    if (comes(s->op_q)) {
        s->in_id_q = in->ready_id & 127u;
        s->fault_q = s->fault_q || bad_unit(s, s->in_id_q);
    }
    s->out_popped_q = op == WR_CSL_EXCHANGE || op == WR_CSL_BACK;
    s->in_popped_q = op == WR_CSL_EXCHANGE || (op == WR_CSL_IN && !moves_body(s));
    switch (op) {
    case WR_CSL_IN:
        s->state_q = WR_CSL_READ_IN;
        break;
    case WR_CSL_BACK:
        s->state_q = WR_CSL_RD_OUT;
        break;
    default:
        s->state_q = WR_CSL_READ_OUT;
        break;
    }
}

static void finish(wr_context_switch_logic *s)
{
    s->op_q = WR_CSL_NONE;
    s->state_q = WR_CSL_IDLE;
}

/* Behind the last write of warp warp_q. */
static void next_warp(wr_context_switch_logic *s)
{
    if (s->warp_q + 1u < unit_warps(s)) {
        s->warp_q++;
        s->state_q = first_of_warp(s);
        return;
    }
    s->warp_q = 0;
    if (s->op_q == WR_CSL_BACK) {
        finish(s);
    } else if (s->level_q == WR_CSL_TB) {
        s->state_q = leaves(s->op_q) ? WR_CSL_ADDR_OUT : WR_CSL_ADDR_IN;
    } else {
        s->state_q = leaves(s->op_q) ? WR_CSL_MASK_OUT : WR_CSL_MASK_IN;
    }
}

/* Where the metadata of warp warp_q of an out go: behind the lines that moved. */
static uint16_t meta_behind(const wr_context_switch_logic *s)
{
    return (uint16_t)((s->away_q + body_lines(s) + s->cfg.st_lines * s->warp_q) & 0xfffu);
}

/* Behind the reads and allocs: where only metadata move the unit itself does not. */
static uint8_t behind_room(const wr_context_switch_logic *s)
{
    return moves_body(s) ? WR_CSL_MOVE : first_of_warp(s);
}

/* A state that a warp must not have when it is read to leave or to come. */
static bool bad_state(const wr_context_switch_logic *s, bool coming, uint8_t state)
{
    if (!coming) {
        return state != WR_WARP_STALLED;
    }
    return state != WR_WARP_READY && !(s->level_q == WR_CSL_TB && state == WR_WARP_ABSENT);
}

static void tables_answer(wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const uint16_t reg = in->tab_reg & 0xfffu;
    const uint16_t meta = in->tab_meta & 0xfffu;
    const uint8_t state = in->tab_state & 3u;

    switch (s->state_q) {
    case WR_CSL_READ_OUT:
        s->fault_q = s->fault_q || (s->level_q == WR_CSL_WARP && bad_state(s, false, state));
        s->home_q = moves_body(s) ? reg : 0;
        s->state_q = s->op_q == WR_CSL_OUT ? WR_CSL_ALLOC : WR_CSL_READ_IN;
        break;
    case WR_CSL_READ_IN:
        s->fault_q = s->fault_q || (s->level_q == WR_CSL_WARP && bad_state(s, true, state));
        s->away_q = moves_body(s) ? reg : meta;
        s->state_q = s->op_q == WR_CSL_IN && moves_body(s) ? WR_CSL_ALLOC : behind_room(s);
        break;
    case WR_CSL_RD_OUT:
        s->fault_q = s->fault_q || bad_state(s, false, state) || meta < WR_CSL_META_SLOT ||
                     meta >= WR_CSL_META_SLOT + WR_CSL_SLOTS;
        s->out_q = (wr_csl_entry){.reg = reg, .meta = meta};
        s->slot_q = meta & 63u;
        if (s->op_q == WR_CSL_OUT) {
            s->meta_away_q = meta_behind(s);
        }
        s->state_q = s->op_q == WR_CSL_EXCHANGE ? WR_CSL_RD_IN
                     : s->op_q == WR_CSL_OUT    ? WR_CSL_META
                                                : WR_CSL_WR_OUT;
        break;
    case WR_CSL_RD_IN:
        s->fault_q = s->fault_q || bad_state(s, true, state) || meta >= WR_CSL_META_SLOT ||
                     (s->op_q == WR_CSL_IN && in->slots_free == 0);
        s->in_q = (wr_csl_entry){.state = state, .reg = reg};
        s->meta_away_q = meta;
        if (s->op_q == WR_CSL_IN) {
            s->slot_q = in->slot & 63u;
            s->take_q = true;
        }
        s->state_q = WR_CSL_META;
        break;
    case WR_CSL_WR_OUT:
        s->give_q = s->op_q == WR_CSL_OUT;
        if (s->op_q == WR_CSL_EXCHANGE) {
            s->state_q = WR_CSL_WR_IN;
        } else {
            next_warp(s);
        }
        break;
    case WR_CSL_WR_IN:
        if (s->in_q.state == WR_WARP_ABSENT) {
            s->in_q.state = WR_WARP_READY; /* the same step again: to running */
        } else {
            next_warp(s);
        }
        break;
    case WR_CSL_ADDR_OUT:
        s->state_q = WR_CSL_MASK_OUT;
        break;
    case WR_CSL_ADDR_IN:
        s->state_q = WR_CSL_MASK_IN;
        break;
    case WR_CSL_MASK_OUT:
        if (s->op_q == WR_CSL_EXCHANGE) {
            s->state_q = s->level_q == WR_CSL_TB ? WR_CSL_ADDR_IN : WR_CSL_MASK_IN;
        } else if (moves_body(s)) {
            s->state_q = WR_CSL_FREE;
        } else {
            finish(s);
        }
        break;
    case WR_CSL_MASK_IN:
        if (s->op_q == WR_CSL_IN) {
            s->state_q = WR_CSL_FREE;
        } else {
            finish(s);
        }
        break;
    default:
        assert(!"a step that asks the tables");
    }
}

static void bitmap_answer(wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    if (s->state_q == WR_CSL_FREE) {
        finish(s);
    } else if (s->op_q == WR_CSL_IN) {
        s->full_once_q = !in->mem_found;
        if (in->mem_found) {
            s->home_q = in->mem_addr & 0xfffu;
            s->in_popped_q = true;
            s->state_q = behind_room(s);
        } else {
            finish(s);
        }
    } else if (in->mem_found) {
        s->away_q = in->mem_addr & 0xfffu;
        s->out_popped_q = true;
        s->state_q = behind_room(s);
    } else if (s->state_q == WR_CSL_ALLOC && s->use_l1_q) {
        s->state_q = WR_CSL_ALLOC_L1;
    } else {
        s->op_q = WR_CSL_BACK;
        s->out_popped_q = true;
        s->state_q = WR_CSL_RD_OUT;
    }
}

static void mover_answer(wr_context_switch_logic *s)
{
    if (s->state_q == WR_CSL_MOVE) {
        s->state_q = first_of_warp(s);
    } else {
        s->state_q = leaves(s->op_q) ? WR_CSL_WR_OUT : WR_CSL_WR_IN;
    }
}

/* The head of a queue that the switch under way has chosen and not popped yet has gone. */
static bool head_lost(const wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const bool early = s->state_q >= WR_CSL_READ_OUT && s->state_q <= WR_CSL_ALLOC_L1;
    if (!early) {
        return false;
    }
    if (s->op_q == WR_CSL_OUT) {
        return !in->stalled_valid || (in->stalled_id & 127u) != s->out_id_q;
    }
    return s->op_q == WR_CSL_IN && moves_body(s) &&
           (!in->ready_valid || (in->ready_id & 127u) != s->in_id_q);
}

void wr_context_switch_logic_tick(wr_context_switch_logic *s, const wr_context_switch_logic_in *in)
{
    const bool idle = s->op_q == WR_CSL_NONE;
    assert(idle == (s->state_q == WR_CSL_IDLE));
    s->fault_q = s->fault_q || (in->tab_ack && !asks_tables(s->state_q)) ||
                 (in->mem_ack && !asks_bitmap(s->state_q)) ||
                 (in->move_ack && !asks_mover(s->state_q)) || (in->cfg && !idle) ||
                 head_lost(s, in);
    s->out_popped_q = false;
    s->in_popped_q = false;
    s->take_q = false;
    s->give_q = false;

    if (idle) {
        if (in->cfg) {
            configure(s, in);
        } else {
            begin(s, in);
        }
    } else if (in->move_ack && asks_mover(s->state_q)) {
        mover_answer(s);
    } else if (in->tab_ack && asks_tables(s->state_q)) {
        tables_answer(s, in);
    } else if (in->mem_ack && asks_bitmap(s->state_q)) {
        bitmap_answer(s, in);
    }
}
