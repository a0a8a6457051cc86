/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: the pins of its parts are joined once per evaluation.
 *
 * What a part says from its state comes first, with what it asks the tables; then who has them, and
 * the answer goes back to who asked; then what the launcher or the scanner makes of it. What a part
 * asks does not depend on an answer of the same cycle.
 */
#include "refmodel/duet/unit_wires.h"

#include <string.h>

enum {
    COUNT_TBS = 32,   /* of the dispatcher, that ME has still to be told of */
    SWITCH_WRITE = 1, /* tab_op write_warp, the same of all who ask */
    STATE_AND_BARRIER = WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_BARRIER,
    STATE_AND_PLACES =
        WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_REG | WR_WARP_CONTEXT_FIELD_META,
};

static bool configures(const wr_unit_wires *p)
{
    return p->begins || p->engages;
}

bool wr_unit_hands_over(const wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p)
{
    return s->state_q == WR_DUET_UNIT_NATIVE && !in->start && p->settled && p->me.me != 0 &&
           (in->most & 0x3fu) != 0 && p->csl.level != WR_CSL_OFF && in->waiting;
}

/* Fewer, or at most as many, TBs are here as ME and the machine allow. */
static bool allowed(const wr_duet_unit_in *in, const wr_unit_wires *p, uint32_t tbs)
{
    return tbs <= (uint32_t)p->me.mc + p->me.me && tbs <= (uint32_t)p->me.mc + (in->most & 0x3fu);
}

/* All that follows from state alone. */
static void from_state(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    memset(p, 0, sizeof *p);
    wr_context_switch_logic_eval(&s->csl, &p->csl_in, &p->csl);
    wr_me_controller_eval(&s->me, &p->me_in, &p->me);
    wr_onchip_bitmap_eval(&s->map, &p->map_in, &p->map);
    wr_switch_queues_eval(&s->queues, &p->queues_in, &p->queues);
    p->settled = !s->due_q && !p->me.busy && s->launches_q == 0 && s->leaves_q == 0;
    p->begins = in->start && s->state_q == WR_DUET_UNIT_NATIVE;
    p->engages = in->book && wr_unit_hands_over(s, in, p);
    p->tbs = p->csl.level == WR_CSL_TB;
    p->placed = in->placed && wr_unit_is_native(s) && s->launches_q < COUNT_TBS;
}

/* Heads and space of the queues of the level, for switch logic, launcher and scanner. */
static void join_queues(wr_unit_wires *p)
{
    const wr_switch_queues_out *q = &p->queues;
    wr_context_switch_logic_in *c = &p->csl_in;
    wr_stall_scanner_in *n = &p->scanner_in;

    c->stalled_valid = p->tbs ? q->tb_valid[0] : q->warp_valid[0];
    c->stalled_id = p->tbs ? q->tb_head[0] : q->warp_head[0];
    c->ready_valid = p->tbs ? q->tb_valid[1] : q->warp_valid[1];
    c->ready_id = p->tbs ? q->tb_head[1] : q->warp_head[1];
    n->stalled_valid = c->stalled_valid;
    n->stalled_id = c->stalled_id;
    n->stalled_space = p->tbs ? q->tb_space[0] : q->warp_space[0];
    n->ready_valid = c->ready_valid;
    n->ready_id = c->ready_id;
    n->ready_space = p->tbs ? q->tb_space[1] : q->warp_space[1];
    n->stalled_pop = p->csl.stalled_pop;
    n->ready_pop = p->csl.ready_pop;
    n->op = p->csl.op;
}

static void join_launcher(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    wr_tb_launcher_in *l = &p->launcher_in;
    const bool engaged = !wr_unit_is_native(s);

    l->cfg = configures(p);
    l->level = p->csl.level;
    l->registers_move = p->csl.level == WR_CSL_WARP && (in->limits & WR_CSL_LIMIT_REGISTERS) != 0;
    l->use_l1 = p->me.bypass;
    l->warps = in->warps;
    l->regs = in->regs;
    l->lines = in->lines;
    l->tb_regs = in->tb_regs;
    l->smem = in->smem;
    l->mc = p->me.mc;
    l->book = s->state_q == WR_DUET_UNIT_BOOK;
    l->here = in->here;
    l->allow = p->me.allow && allowed(in, p, p->me.tbs + 1u);
    l->keep = allowed(in, p, p->me.tbs);
    l->waiting = in->waiting;
    l->ready_waits = p->csl_in.ready_valid;
    l->switch_in = p->csl.op == WR_CSL_IN;
    l->ended = engaged ? in->ended : 0;
    l->queued = s->scanner.busy_q;
    l->vacate = s->scanner.vacate_q;
    l->vacate_id = s->scanner.vacate_id_q;
    l->mem_req = p->csl.mem_req;
    l->mem_free = p->csl.mem_free;
    l->mem_region = p->csl.mem_region;
    l->mem_count = p->csl.mem_count;
    l->mem_addr = p->csl.mem_addr;
    l->map_done = p->map.done;
    l->map_found = p->map.found;
    l->map_addr = p->map.addr;
    l->slots_free = p->slots.free;
    l->slot_next = p->slots.next;
    l->ask_slot = in->ask_slot;
    l->place_ok = in->place_ok;
    l->me_ready = p->settled;
}

static void join_scanner(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    wr_stall_scanner_in *n = &p->scanner_in;
    const wr_tb_launcher_out *l = &p->launcher;
    const bool comes = l->place && in->place_ok;

    n->cfg = s->state_q == WR_DUET_UNIT_TELL;
    n->level = p->csl.level;
    n->warps = in->warps;
    n->booked = l->booked;
    n->memory = in->memory;
    n->barrier = in->barrier;
    n->clear = in->clear;
    n->done = in->done;
    n->woken = in->woken;
    memcpy(n->free, in->free, s->cfg.warps * sizeof n->free[0]);
    n->closed = l->ending | (l->launching || l->job == WR_LAUNCHER_UNDO ? UINT32_C(1) << l->tb : 0);
    n->slot_id = p->slots.look_id;
    n->arrive = l->arrive;
    n->arrive_id = l->warp;
    n->placed = p->placed || comes;
    n->placed_tb = comes ? l->tb : in->placed_tb;
}

static uint32_t lowest(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

static void write_warp(wr_unit_wires *p, wr_warp_context_op op, uint32_t fields, uint32_t id,
                       uint32_t state)
{
    p->wct_in.op = op;
    p->wct_in.fields = (uint8_t)fields;
    p->wct_in.id = (uint8_t)id;
    p->wct_in.state = (uint8_t)state;
}

/* The switch logic's command; its looks are answered below. */
static void serve_switch(const wr_duet_unit_in *in, wr_unit_wires *p)
{
    const wr_context_switch_logic_out *c = &p->csl;

    if (c->tab_op == WR_CSL_WRITE_WARP) {
        write_warp(p, WR_WARP_CONTEXT_UPDATE, STATE_AND_PLACES, c->tab_id, c->tab_state);
        p->wct_in.reg_addr = c->tab_reg;
        p->wct_in.meta_addr = c->tab_meta;
    } else if (c->tab_op >= WR_CSL_MOVE_TB) {
        p->tct_in.op = c->tab_op == WR_CSL_MOVE_TB     ? WR_TB_CONTEXT_MOVE
                       : c->tab_op == WR_CSL_ABSENT_TB ? WR_TB_CONTEXT_SET
                                                       : WR_TB_CONTEXT_CLEAR;
        p->tct_in.id = c->tab_id & 31u;
        p->tct_in.addr = c->tab_reg;
        p->tct_in.mask =
            c->tab_all ? lowest(in->warps & 0x3fu) : UINT32_C(1) << (c->tab_index & 31u);
    }
}

static void serve_launcher(const wr_duet_unit_in *in, wr_unit_wires *p)
{
    const wr_tb_launcher_out *l = &p->launcher;

    switch (l->tab_op) {
    case WR_LAUNCHER_WRITE_WARP:
    case WR_LAUNCHER_INSERT_WARP:
        write_warp(p,
                   l->tab_op == WR_LAUNCHER_WRITE_WARP ? WR_WARP_CONTEXT_UPDATE
                                                       : WR_WARP_CONTEXT_INSERT,
                   STATE_AND_PLACES, l->tab_id, l->tab_state);
        p->wct_in.reg_addr = l->tab_reg;
        p->wct_in.meta_addr = l->tab_meta;
        break;
    case WR_LAUNCHER_REMOVE_WARP:
        write_warp(p, WR_WARP_CONTEXT_REMOVE, 0, l->tab_id, 0);
        break;
    case WR_LAUNCHER_INSERT_TB:
    case WR_LAUNCHER_REMOVE_TB:
        p->tct_in.op =
            l->tab_op == WR_LAUNCHER_INSERT_TB ? WR_TB_CONTEXT_INSERT : WR_TB_CONTEXT_REMOVE;
        p->tct_in.id = l->tab_id & 31u;
        p->tct_in.addr = l->tab_reg;
        p->tct_in.mask = l->tab_all ? lowest(in->warps & 0x3fu) : 0;
        break;
    default:
        break;
    }
}

static void serve_scanner(wr_unit_wires *p)
{
    if (p->scanner.tab_op == SWITCH_WRITE) {
        write_warp(p, WR_WARP_CONTEXT_UPDATE, STATE_AND_BARRIER, p->scanner.tab_id,
                   p->scanner.tab_state);
        p->wct_in.barrier = p->scanner.tab_barrier;
    }
}

/* Who has the tables in this cycle: what is looked at, and the answer. */
static void look_at_tables(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    const bool by_switch = p->csl.tab_req;
    const bool free = !by_switch && !p->csl.move_meta; /* a TB is switched whole */
    const bool by_launcher = free && p->launcher.tab_req;
    const bool by_machine = free && !by_launcher && in->find;
    const bool by_scanner = free && !by_launcher && !by_machine && p->scanner.tab_req;
    const uint32_t id = by_switch     ? p->csl.tab_id
                        : by_launcher ? p->launcher.tab_id
                        : by_scanner  ? p->scanner.tab_id
                                      : in->find_id;

    p->wct_in.look_id = (uint8_t)id;
    p->wct_in.group_first = p->scanner.group_first;
    p->wct_in.group_count = p->scanner.group_count;
    p->tct_in.look_id = id & 31u;
    wr_warp_context_table_eval(&s->wct, &p->wct_in, &p->wct);
    wr_tb_context_table_eval(&s->tct, &p->tct_in, &p->tct);
    p->csl_in.tab_ack = by_switch;
    p->launcher_in.tab_ack = by_launcher;
    p->scanner_in.tab_ack = by_scanner;
    p->found = by_machine;
}

static void answer(wr_unit_wires *p)
{
    wr_context_switch_logic_in *c = &p->csl_in;
    wr_tb_launcher_in *l = &p->launcher_in;
    const bool of_tb = p->launcher.tab_op == WR_LAUNCHER_TAB_READ_TB;

    c->tab_state = p->wct.look_state;
    c->tab_reg = p->csl.tab_op == WR_CSL_READ_TB ? p->tct.look_addr : p->wct.look_reg_addr;
    c->tab_meta = p->wct.look_meta_addr;
    l->tab_valid = of_tb ? p->tct.look_valid : p->wct.look_valid;
    l->tab_state = p->wct.look_state;
    l->tab_present = of_tb ? p->tct.look_present : p->wct.look_present;
    l->tab_whole = p->tct.look_mask == 0;
    l->tab_reg = of_tb ? p->tct.look_addr : p->wct.look_reg_addr;
    l->tab_meta = p->wct.look_meta_addr;
    l->tb_found = p->tct.find_found;
    l->tb_found_id = p->tct.find_id;
    p->scanner_in.tab_whole = p->tct.look_mask == 0;
    p->scanner_in.group_stalled = p->wct.group_stalled;
    p->scanner_in.group_ready = p->wct.group_ready;
}

/* Slots that are claimed, given and passed on, for the list of slots and the scanner. */
static void join_slots(wr_unit_wires *p)
{
    const wr_context_switch_logic_out *c = &p->csl;
    const wr_tb_launcher_out *l = &p->launcher;
    wr_warp_slots_in *w = &p->slots_in;
    wr_stall_scanner_in *n = &p->scanner_in;
    const bool writes = p->csl_in.tab_ack && c->tab_op == WR_CSL_WRITE_WARP;

    w->claim = c->slot_take || l->claim;
    w->claim_slot = c->slot_take ? c->slot : l->slot;
    w->claim_id = c->slot_take ? c->slot_id : l->warp;
    w->give = c->slot_give || l->left;
    w->give_slot = c->slot_give ? c->slot : l->slot;
    w->pass = writes && c->op == WR_CSL_EXCHANGE && c->state == WR_CSL_WR_IN;
    w->pass_slot = c->tab_meta & 63u;
    w->pass_id = c->tab_id;
    n->claim = w->claim || w->pass;
    n->claim_slot = w->claim ? w->claim_slot : w->pass_slot;
    n->claim_id = w->claim ? w->claim_id : w->pass_id;
    n->give = w->give;
    n->give_slot = w->give_slot;
    n->away = writes && c->state == WR_CSL_WR_OUT && c->tab_state == WR_WARP_ABSENT;
    n->away_id = c->tab_id;
    n->split = p->csl_in.tab_ack && c->tab_op == WR_CSL_ABSENT_TB;
    n->split_tb = c->tab_id & 31u;
}

static void join_switch(const wr_duet_unit_in *in, wr_unit_wires *p)
{
    wr_context_switch_logic_in *c = &p->csl_in;

    c->cfg = configures(p);
    c->limits = in->limits;
    c->warps = in->warps;
    c->lines = in->lines;
    c->full = in->regs;
    c->use_l1 = p->me.bypass;
    c->may_leave = p->scanner.may_leave;
    c->want = p->launcher_in.allow && in->waiting && p->tct.find_found;
    c->slots_free = p->launcher.slots_free;
    c->slot = p->slots.next;
    c->mem_ack = p->launcher.mem_ack;
    c->mem_found = p->launcher.mem_found;
    c->mem_addr = p->launcher.mem_addr;
    c->move_ack = in->move_ack;
}

static void fill_queues(wr_unit_wires *p)
{
    wr_switch_queues_in *q = &p->queues_in;
    const bool push[2] = {p->scanner.stalled_push, p->scanner.ready_push};
    const bool pop[2] = {p->csl.stalled_pop, p->csl.ready_pop};

    q->clear = configures(p);
    for (uint32_t k = 0; k < 2; k++) {
        q->warp_push[k] = push[k] && !p->tbs;
        q->warp_push_id[k] = p->scanner.push_id;
        q->warp_pop[k] = pop[k] && !p->tbs;
        q->tb_push[k] = push[k] && p->tbs;
        q->tb_push_id[k] = p->scanner.push_id & 31u;
        q->tb_pop[k] = pop[k] && p->tbs;
    }
}

static void join_me(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    wr_me_controller_in *m = &p->me_in;
    const bool listens = !s->due_q && !p->me.busy;
    const bool some = p->me.tbs != 0;

    p->leaves = listens && s->leaves_q != 0 && some;
    p->places = listens && s->launches_q != 0 && (s->leaves_q == 0 || p->me.allow);
    m->start = s->due_q && !some;
    m->warps = in->warps;
    m->regs = in->tb_regs;
    m->reduced = in->tb_reduced;
    m->smem = in->smem;
    m->meta = in->meta;
    m->leave = s->due_q ? some : p->launcher.me_leave || p->leaves;
    m->launch = !s->due_q && (p->launcher.me_launch || p->places);
    m->valid = s->valid_q && p->settled && !p->launcher.launching;
    m->verdict = s->verdict_q;
    m->l1_idle = s->l1_idle_q;
}

void wr_unit_settle(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_unit_wires *p)
{
    from_state(s, in, p);
    join_queues(p);
    p->slots_in.look_slot = s->scanner.slot_q;
    wr_warp_slots_eval(&s->slots, &p->slots_in, &p->slots);
    join_launcher(s, in, p);
    wr_tb_launcher_eval(&s->launcher, &p->launcher_in, &p->launcher);
    join_scanner(s, in, p);
    wr_stall_scanner_eval(&s->scanner, &p->scanner_in, &p->scanner);
    look_at_tables(s, in, p);
    answer(p);
    if (p->csl_in.tab_ack) {
        serve_switch(in, p);
    } else if (p->launcher_in.tab_ack) {
        wr_tb_launcher_eval(&s->launcher, &p->launcher_in, &p->launcher);
        serve_launcher(in, p);
    } else if (p->scanner_in.tab_ack) {
        serve_scanner(p);
    }
    join_slots(p);
    if (p->scanner_in.tab_ack || p->tbs) { /* only then does an answer change what it says */
        wr_stall_scanner_eval(&s->scanner, &p->scanner_in, &p->scanner);
    }
    join_switch(in, p);
    fill_queues(p);
    join_me(s, in, p);
    p->map_in = (wr_onchip_bitmap_in){.valid = p->launcher.map_valid,
                                      .op = p->launcher.map_op,
                                      .region = p->launcher.map_region,
                                      .count = p->launcher.map_count,
                                      .addr = p->launcher.map_addr};
}
