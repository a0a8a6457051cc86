/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/context_switch_logic_oracle.h"

#include <assert.h>
#include <string.h>

enum {
    LIMIT_REGISTERS = 1,
    LIMIT_SHARED = 4,
    PRESENT = 0xC00, /* metadata place: warp slot 0 */
    SLOTS = 64,
    PLACES = 4096,
};

void wr_oracle_csl_reset(wr_oracle_csl *o)
{
    const wr_oracle_csl fresh = {.cfg = o->cfg};
    *o = fresh;
}

static bool is_tb(const wr_oracle_csl *o)
{
    return o->level == WR_ORACLE_LEVEL_TB;
}

/* Level warp, and registers move. */
static bool registers_move(const wr_oracle_csl *o)
{
    return o->level == WR_ORACLE_LEVEL_WARP && (o->limits & LIMIT_REGISTERS) != 0;
}

static bool metadata_only(const wr_oracle_csl *o)
{
    return o->level == WR_ORACLE_LEVEL_WARP && !registers_move(o);
}

static unsigned warps_of_unit(const wr_oracle_csl *o)
{
    return is_tb(o) ? o->warps : 1;
}

static unsigned lines_that_move(const wr_oracle_csl *o)
{
    return is_tb(o) || registers_move(o) ? o->lines : 0;
}

/* Units of a unit that is switched out: its lines and all metadata. */
static unsigned size_away(const wr_oracle_csl *o)
{
    return lines_that_move(o) + o->cfg.st_lines * warps_of_unit(o);
}

/* Units of one in place. */
static unsigned size_home(const wr_oracle_csl *o)
{
    return is_tb(o) ? o->lines : o->full;
}

static const wr_oracle_csl_step *standing(const wr_oracle_csl *o)
{
    static const wr_oracle_csl_step idle = {.state = WR_ORACLE_CSL_IDLE};
    return o->op == WR_ORACLE_SWITCH_NONE ? &idle : &o->step[o->at];
}

static bool asks_bitmap(unsigned state)
{
    return state == WR_ORACLE_CSL_ALLOC || state == WR_ORACLE_CSL_ALLOC_L1 ||
           state == WR_ORACLE_CSL_FREE;
}

static bool asks_mover(unsigned state)
{
    return state == WR_ORACLE_CSL_MOVE || state == WR_ORACLE_CSL_META;
}

static bool asks_tables(unsigned state)
{
    return state != WR_ORACLE_CSL_IDLE && !asks_bitmap(state) && !asks_mover(state);
}

/* Steps that are about the unit that comes in. */
static bool is_of_comer(unsigned state)
{
    return state == WR_ORACLE_CSL_READ_IN || state == WR_ORACLE_CSL_RD_IN ||
           state == WR_ORACLE_CSL_WR_IN || state == WR_ORACLE_CSL_ADDR_IN ||
           state == WR_ORACLE_CSL_MASK_IN;
}

/* Output ------------------------------------------------------------------------------------ */

static unsigned table_operation(const wr_oracle_csl *o, unsigned state)
{
    switch (state) {
    case WR_ORACLE_CSL_READ_OUT:
    case WR_ORACLE_CSL_READ_IN:
        return is_tb(o) ? 2 : 0;
    case WR_ORACLE_CSL_WR_OUT:
    case WR_ORACLE_CSL_WR_IN:
        return 1;
    case WR_ORACLE_CSL_ADDR_OUT:
    case WR_ORACLE_CSL_ADDR_IN:
        return 3;
    case WR_ORACLE_CSL_MASK_OUT:
        return 4;
    case WR_ORACLE_CSL_MASK_IN:
        return 5;
    default:
        return 0; /* rd_out, rd_in */
    }
}

/* Where the metadata of a warp that leaves lies, or comes from. */
static unsigned metadata_away(const wr_oracle_csl *o, unsigned warp)
{
    if (o->op == WR_ORACLE_SWITCH_OUT) {
        return (o->away + lines_that_move(o) + warp * o->cfg.st_lines) % PLACES;
    }
    return o->in[warp].meta;
}

/* Of warp j of a unit. */
static unsigned warp_number(const wr_oracle_csl *o, unsigned unit, unsigned j)
{
    return is_tb(o) ? (unit % 32 * o->warps + j) % 128 : unit;
}

static void table_pins(const wr_oracle_csl *o, const wr_oracle_csl_step *s,
                       wr_context_switch_logic_out *out)
{
    const unsigned id = is_of_comer(s->state) ? o->comer : o->leaver;
    const bool mask = s->state == WR_ORACLE_CSL_MASK_OUT || s->state == WR_ORACLE_CSL_MASK_IN;
    const bool per_warp = s->state == WR_ORACLE_CSL_RD_OUT || s->state == WR_ORACLE_CSL_RD_IN ||
                          s->state == WR_ORACLE_CSL_WR_OUT || s->state == WR_ORACLE_CSL_WR_IN;

    out->tab_req = true;
    out->tab_op = (uint8_t)table_operation(o, s->state);
    if (is_tb(o)) {
        out->tab_id = (uint8_t)(per_warp ? warp_number(o, id, s->warp) : id % 32);
        out->tab_all = mask;
    } else {
        out->tab_id = (uint8_t)(mask ? id / o->warps % 32 : id);
        out->tab_index = (uint8_t)(mask ? id % o->warps : 0);
    }

    if (s->state == WR_ORACLE_CSL_WR_OUT) {
        const wr_oracle_csl_read *read = &o->out[s->warp];
        const bool back = o->op == WR_ORACLE_SWITCH_BACK;
        out->tab_state = back ? WR_ORACLE_WARP_RUNNING : WR_ORACLE_WARP_ABSENT;
        out->tab_reg = (uint16_t)(registers_move(o) && !back ? o->away : read->reg);
        out->tab_meta = (uint16_t)(back ? read->meta : metadata_away(o, s->warp));
    } else if (s->state == WR_ORACLE_CSL_WR_IN) {
        const wr_oracle_csl_read *read = &o->in[s->warp];
        const bool exchange = o->op == WR_ORACLE_SWITCH_EXCHANGE;
        out->tab_state = s->in_between ? WR_ORACLE_WARP_READY : WR_ORACLE_WARP_RUNNING;
        out->tab_reg = (uint16_t)(registers_move(o) ? o->home : read->reg);
        out->tab_meta = (uint16_t)(exchange ? o->out[s->warp].meta : PRESENT + read->slot);
    } else if (s->state == WR_ORACLE_CSL_ADDR_OUT) {
        out->tab_reg = (uint16_t)o->away;
    } else if (s->state == WR_ORACLE_CSL_ADDR_IN) {
        out->tab_reg = (uint16_t)o->home;
    }
}

static void bitmap_pins(const wr_oracle_csl *o, unsigned state, wr_context_switch_logic_out *out)
{
    enum { REGISTERS, SHARED, L1 };
    const bool leaves = o->op == WR_ORACLE_SWITCH_OUT;

    out->mem_req = true;
    if (state == WR_ORACLE_CSL_FREE) {
        out->mem_free = true;
        out->mem_count = (uint16_t)(leaves ? size_home(o) : size_away(o));
        out->mem_addr = (uint16_t)(leaves ? o->home : o->away);
        return;
    }
    out->mem_count = (uint16_t)(leaves ? size_away(o) : size_home(o));
    if (state == WR_ORACLE_CSL_ALLOC_L1) {
        out->mem_region = L1;
    } else if (leaves) {
        out->mem_region = is_tb(o) ? REGISTERS : SHARED;
    } else {
        out->mem_region = is_tb(o) ? SHARED : REGISTERS;
    }
}

void wr_oracle_csl_output(const wr_oracle_csl *o, wr_context_switch_logic_out *out)
{
    const wr_oracle_csl_step *s = standing(o);
    memset(out, 0, sizeof *out);
    out->level = (uint8_t)o->level;
    out->op = (uint8_t)o->op;
    out->state = (uint8_t)s->state;
    out->stalled_pop = o->stalled_pop;
    out->ready_pop = o->ready_pop;
    out->slot_take = o->slot_take;
    out->slot_give = o->slot_give;
    out->slot = (uint8_t)o->slot;
    if (o->slot_take) {
        out->slot_id = (uint8_t)warp_number(o, o->comer, s->warp);
    }
    out->move_home = (uint16_t)o->home;
    out->move_away = (uint16_t)o->away;
    out->fault = o->fault;
    if (asks_tables(s->state)) {
        table_pins(o, s, out);
    }
    if (asks_bitmap(s->state)) {
        bitmap_pins(o, s->state, out);
    }
    if (asks_mover(s->state)) {
        out->move = true;
        out->move_out = o->op == WR_ORACLE_SWITCH_OUT || o->op == WR_ORACLE_SWITCH_EXCHANGE;
        out->move_in = o->op == WR_ORACLE_SWITCH_IN || o->op == WR_ORACLE_SWITCH_EXCHANGE;
    }
    if (s->state == WR_ORACLE_CSL_META) {
        out->move_meta = true;
        out->move_home = (uint16_t)(PRESENT + o->slot);
        out->move_away = (uint16_t)metadata_away(o, s->warp);
    }
}

/* Steps ------------------------------------------------------------------------------------- */

static void push(wr_oracle_csl *o, unsigned state, unsigned warp)
{
    assert(o->steps < WR_ORACLE_CSL_STEPS);
    o->step[o->steps++] = (wr_oracle_csl_step){.state = state, .warp = warp};
}

/* The steps of a switch as they are foreseen; alloc_l1, and a second wr_in, come in later. */
static void list_steps(wr_oracle_csl *o)
{
    const bool leaves = o->op == WR_ORACLE_SWITCH_OUT || o->op == WR_ORACLE_SWITCH_EXCHANGE;
    const bool comes = o->op == WR_ORACLE_SWITCH_IN || o->op == WR_ORACLE_SWITCH_EXCHANGE;
    const bool back = o->op == WR_ORACLE_SWITCH_BACK;

    o->steps = 0;
    o->at = 0;
    if (leaves) {
        push(o, WR_ORACLE_CSL_READ_OUT, 0);
    }
    if (comes) {
        push(o, WR_ORACLE_CSL_READ_IN, 0);
    }
    if (o->op == WR_ORACLE_SWITCH_OUT || (o->op == WR_ORACLE_SWITCH_IN && !metadata_only(o))) {
        push(o, WR_ORACLE_CSL_ALLOC, 0);
    }
    if (!back && !metadata_only(o)) {
        push(o, WR_ORACLE_CSL_MOVE, 0);
    }
    for (unsigned j = 0; j < warps_of_unit(o); j++) {
        if (leaves || back) {
            push(o, WR_ORACLE_CSL_RD_OUT, j);
        }
        if (comes) {
            push(o, WR_ORACLE_CSL_RD_IN, j);
        }
        if (!back) {
            push(o, WR_ORACLE_CSL_META, j);
        }
        if (leaves || back) {
            push(o, WR_ORACLE_CSL_WR_OUT, j);
        }
        if (comes) {
            push(o, WR_ORACLE_CSL_WR_IN, j);
        }
    }
    if (leaves) {
        if (is_tb(o)) {
            push(o, WR_ORACLE_CSL_ADDR_OUT, 0);
        }
        push(o, WR_ORACLE_CSL_MASK_OUT, 0);
    }
    if (comes) {
        if (is_tb(o)) {
            push(o, WR_ORACLE_CSL_ADDR_IN, 0);
        }
        push(o, WR_ORACLE_CSL_MASK_IN, 0);
    }
    if (o->op == WR_ORACLE_SWITCH_IN || (o->op == WR_ORACLE_SWITCH_OUT && !metadata_only(o))) {
        push(o, WR_ORACLE_CSL_FREE, 0);
    }
}

/* Puts a step behind the one that stands. */
static void insert(wr_oracle_csl *o, wr_oracle_csl_step step)
{
    assert(o->steps < WR_ORACLE_CSL_STEPS);
    for (unsigned i = o->steps; i > o->at + 1; i--) {
        o->step[i] = o->step[i - 1];
    }
    o->step[o->at + 1] = step;
    o->steps++;
}

static void advance(wr_oracle_csl *o)
{
    o->at++;
    if (o->at == o->steps) {
        o->op = WR_ORACLE_SWITCH_NONE;
    }
}

static void go_back(wr_oracle_csl *o)
{
    o->op = WR_ORACLE_SWITCH_BACK;
    list_steps(o);
    o->stalled_pop = true;
}

/* The clock edge ---------------------------------------------------------------------------- */

static unsigned level_of(unsigned limits)
{
    if (limits == 0 ||
        (limits & (LIMIT_REGISTERS | LIMIT_SHARED)) == (LIMIT_REGISTERS | LIMIT_SHARED)) {
        return WR_ORACLE_LEVEL_OFF;
    }
    return (limits & LIMIT_SHARED) != 0 ? WR_ORACLE_LEVEL_TB : WR_ORACLE_LEVEL_WARP;
}

static void configure(wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const unsigned level = level_of(in->limits);
    bool bad = in->warps == 0 || in->warps > o->cfg.tb_warps;
    bad = bad || (level == WR_ORACLE_LEVEL_TB && in->lines == 0);
    bad = bad || (level == WR_ORACLE_LEVEL_WARP && (in->limits & LIMIT_REGISTERS) != 0 &&
                  (in->full == 0 || in->full < in->lines));
    o->limits = in->limits;
    o->warps = in->warps;
    o->lines = in->lines;
    o->full = in->full;
    o->use_l1 = in->use_l1;
    o->level = bad ? WR_ORACLE_LEVEL_OFF : level;
    o->fault = o->fault || bad;
}

static bool bad_id(const wr_oracle_csl *o, unsigned id)
{
    if (is_tb(o)) {
        return id > 31 || (id % 32 + 1) * o->warps > 128;
    }
    return o->level == WR_ORACLE_LEVEL_WARP && id / o->warps > 31;
}

static unsigned decide(const wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const bool on = o->level != WR_ORACLE_LEVEL_OFF;
    if (on && in->stalled_valid && in->may_leave && in->ready_valid) {
        return WR_ORACLE_SWITCH_EXCHANGE;
    }
    if (on && in->ready_valid && in->slots_free >= warps_of_unit(o) &&
        !(in->stalled_valid && o->in_failed)) {
        return WR_ORACLE_SWITCH_IN;
    }
    if (on && in->stalled_valid && in->may_leave && in->want && !in->ready_valid) {
        return WR_ORACLE_SWITCH_OUT;
    }
    return in->stalled_valid ? WR_ORACLE_SWITCH_BACK : WR_ORACLE_SWITCH_NONE;
}

static void begin(wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    o->op = decide(o, in);
    if (o->op == WR_ORACLE_SWITCH_NONE) {
        return;
    }
    o->home = 0;
    o->away = 0;
    if (o->op != WR_ORACLE_SWITCH_IN) {
        o->in_failed = false;
        o->leaver = in->stalled_id;
        o->fault = o->fault || bad_id(o, o->leaver);
    }
    if (o->op == WR_ORACLE_SWITCH_IN || o->op == WR_ORACLE_SWITCH_EXCHANGE) {
        o->comer = in->ready_id;
        o->fault = o->fault || bad_id(o, o->comer);
    }
    list_steps(o);
    o->stalled_pop = o->op == WR_ORACLE_SWITCH_EXCHANGE || o->op == WR_ORACLE_SWITCH_BACK;
    o->ready_pop =
        o->op == WR_ORACLE_SWITCH_EXCHANGE || (o->op == WR_ORACLE_SWITCH_IN && metadata_only(o));
}

/* Protocol faults that do not depend on what the step does with its answer. */
static bool breaks_protocol(const wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const unsigned state = standing(o)->state;
    if ((in->cfg && o->op != WR_ORACLE_SWITCH_NONE) || (in->tab_ack && !asks_tables(state)) ||
        (in->mem_ack && !asks_bitmap(state)) || (in->move_ack && !asks_mover(state))) {
        return true;
    }
    const bool waits = state == WR_ORACLE_CSL_READ_OUT || state == WR_ORACLE_CSL_READ_IN ||
                       state == WR_ORACLE_CSL_ALLOC || state == WR_ORACLE_CSL_ALLOC_L1;
    if (waits && o->op == WR_ORACLE_SWITCH_OUT) {
        return !in->stalled_valid || in->stalled_id != o->leaver;
    }
    if (waits && o->op == WR_ORACLE_SWITCH_IN && !metadata_only(o)) {
        return !in->ready_valid || in->ready_id != o->comer;
    }
    return false;
}

/* The answer to a read of a warp: is it in a state and place in which it may be switched? */
static bool bad_warp(const wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    switch (standing(o)->state) {
    case WR_ORACLE_CSL_READ_OUT:
        return !is_tb(o) && in->tab_state != WR_ORACLE_WARP_STALLED;
    case WR_ORACLE_CSL_READ_IN:
        return !is_tb(o) && in->tab_state != WR_ORACLE_WARP_READY;
    case WR_ORACLE_CSL_RD_OUT:
        return in->tab_state != WR_ORACLE_WARP_STALLED || in->tab_meta < PRESENT ||
               in->tab_meta >= PRESENT + SLOTS;
    case WR_ORACLE_CSL_RD_IN:
        return !(in->tab_state == WR_ORACLE_WARP_READY ||
                 (is_tb(o) && in->tab_state == WR_ORACLE_WARP_ABSENT)) ||
               in->tab_meta >= PRESENT;
    default:
        return false;
    }
}

static void table_answers(wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const wr_oracle_csl_step s = *standing(o);
    o->fault = o->fault || bad_warp(o, in);
    switch (s.state) {
    case WR_ORACLE_CSL_READ_OUT:
        o->home = metadata_only(o) ? 0 : in->tab_reg;
        break;
    case WR_ORACLE_CSL_READ_IN:
        o->away = metadata_only(o) ? in->tab_meta : in->tab_reg;
        break;
    case WR_ORACLE_CSL_RD_OUT:
        o->out[s.warp] = (wr_oracle_csl_read){.reg = in->tab_reg, .meta = in->tab_meta};
        o->slot = in->tab_meta % SLOTS;
        break;
    case WR_ORACLE_CSL_RD_IN:
        o->in[s.warp] =
            (wr_oracle_csl_read){.reg = in->tab_reg, .meta = in->tab_meta, .slot = in->slot};
        if (o->op == WR_ORACLE_SWITCH_IN) {
            o->slot = in->slot;
            o->slot_take = true;
            o->fault = o->fault || in->slots_free == 0;
        }
        if (in->tab_state == WR_ORACLE_WARP_ABSENT) {
            /* Its wr_in is the next of this warp: make two of it. */
            unsigned keep = o->at;
            while (o->step[o->at].state != WR_ORACLE_CSL_WR_IN) {
                o->at++;
            }
            o->step[o->at].in_between = true;
            insert(o, (wr_oracle_csl_step){.state = WR_ORACLE_CSL_WR_IN, .warp = s.warp});
            o->at = keep;
        }
        break;
    case WR_ORACLE_CSL_WR_OUT:
        o->slot_give = o->op == WR_ORACLE_SWITCH_OUT;
        break;
    default:
        break;
    }
    advance(o);
}

static void bitmap_answers(wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const unsigned state = standing(o)->state;
    if (state == WR_ORACLE_CSL_FREE) {
        advance(o);
        return;
    }
    if (o->op == WR_ORACLE_SWITCH_IN) {
        o->in_failed = !in->mem_found;
        if (in->mem_found) {
            o->home = in->mem_addr;
            o->ready_pop = true;
            advance(o);
        } else {
            o->op = WR_ORACLE_SWITCH_NONE;
        }
        return;
    }
    if (in->mem_found) {
        o->away = in->mem_addr;
        o->stalled_pop = true;
        advance(o);
    } else if (state == WR_ORACLE_CSL_ALLOC && o->use_l1) {
        insert(o, (wr_oracle_csl_step){.state = WR_ORACLE_CSL_ALLOC_L1});
        advance(o);
    } else {
        go_back(o);
    }
}

void wr_oracle_csl_clock(wr_oracle_csl *o, const wr_context_switch_logic_in *in)
{
    const unsigned state = standing(o)->state;
    o->fault = o->fault || breaks_protocol(o, in);
    o->stalled_pop = false;
    o->ready_pop = false;
    o->slot_take = false;
    o->slot_give = false;
    if (o->op == WR_ORACLE_SWITCH_NONE) {
        if (in->cfg) {
            configure(o, in);
        } else {
            begin(o, in);
        }
    } else if (asks_mover(state) && in->move_ack) {
        advance(o);
    } else if (asks_tables(state) && in->tab_ack) {
        table_answers(o, in);
    } else if (asks_bitmap(state) && in->mem_ack) {
        bitmap_answers(o, in);
    }
}
