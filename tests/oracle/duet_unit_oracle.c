/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/duet_unit_oracle.h"

#include <string.h>

enum { NOBODY, SWITCH, LAUNCHER, MACHINE, SCANNER }; /* who has the tables */

/* One cycle: what goes into each part and comes out of it, by the names of the toml. */
typedef struct wires {
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl;
    wr_oracle_me_in me_in;
    wr_oracle_me_out me;
    wr_oracle_bitmap_output map;
    wr_tb_launcher_in launcher_in;
    wr_tb_launcher_out launcher;
    wr_stall_scanner_in scanner_in;
    wr_stall_scanner_out scanner;
    wr_oracle_wct_command warps;
    wr_oracle_tbct_command tbs;
    bool begins, engages, extra, settled;
    unsigned tables;
    unsigned looked; /* the id that is looked up */
    bool claim, give, pass;
    wr_oracle_slot claimed, passed;
    unsigned given;
    bool tells_launch, tells_leave, counts;
} wires;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

void wr_oracle_unit_reset(wr_oracle_unit *o)
{
    const wr_duet_unit_cfg c = o->cfg;
    const unsigned units[3] = {c.reg_units, c.smem_units, c.l1_units};
    unsigned word = 8;

    while (word < 64 && c.reg_units % (2 * word) == 0 && c.smem_units % (2 * word) == 0 &&
           c.l1_units % (2 * word) == 0) {
        word *= 2;
    }
    memset(o, 0, sizeof *o);
    o->cfg = c;
    o->csl.cfg = (wr_context_switch_logic_cfg){
        .port_bytes = c.port_bytes, .st_lines = c.st_lines, .tb_warps = least(c.warps, 32)};
    wr_oracle_csl_reset(&o->csl);
    const wr_oracle_me_cfg me = {.rf_lines = c.reg_units,
                                 .smem_lines = c.smem_units,
                                 .l1_lines = c.l1_units,
                                 .warp_slots = c.slots,
                                 .warps = c.warps,
                                 .tb_slots = c.tbs,
                                 .tbs = c.tbs};
    wr_oracle_me_reset(&o->me, &me);
    wr_oracle_bitmap_reset(&o->map, units, word);
    wr_oracle_queues_reset(&o->queues, 16, 8);
    o->wct.warps = c.warps;
    o->wct.reg_units = c.reg_units;
    o->wct.slots = c.slots;
    o->tct.tbs = c.tbs;
    o->tct.tb_warps = least(c.warps, 32);
    o->tct.smem_base = c.reg_units;
    o->tct.smem_units = c.smem_units;
    wr_oracle_warp_slots_reset(&o->slots, c.slots, c.warps);
    o->launcher.cfg = (wr_tb_launcher_cfg){
        .warps = c.warps, .tbs = c.tbs, .tb_warps = least(c.warps, 32), .st_lines = c.st_lines};
    wr_oracle_launcher_reset(&o->launcher);
    o->scanner.cfg = (wr_stall_scanner_cfg){
        .warps = c.warps, .tbs = c.tbs, .tb_warps = least(c.warps, 32), .slots = c.slots};
    wr_oracle_scanner_reset(&o->scanner);
}

static bool by_dispatcher(const wr_oracle_unit *o)
{
    return o->state == WR_OU_NATIVE || o->state == WR_OU_TELL;
}

static const wr_oracle_queue *queue(const wr_oracle_unit *o, const wires *w, bool ready)
{
    const unsigned of =
        w->csl.level == WR_ORACLE_LEVEL_TB ? WR_ORACLE_STALLED_TBS : WR_ORACLE_STALLED_WARPS;
    return &o->queues.queue[of + ready];
}

/* The launch, and what ME is told of it. */
static void begin(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    wr_oracle_me_in *m = &w->me_in;

    w->settled = !o->start_due && !w->me.busy && o->to_launch == 0 && o->to_leave == 0;
    w->extra = o->state == WR_OU_NATIVE && !in->start && w->settled && w->me.me != 0 &&
               in->most != 0 && w->csl.level != WR_ORACLE_LEVEL_OFF && in->waiting;
    w->begins = in->start && o->state == WR_OU_NATIVE;
    w->engages = in->book && w->extra;
    w->counts = in->placed && by_dispatcher(o) && o->to_launch < 32;
    m->start = o->start_due && w->me.tbs == 0;
    m->kernel = (wr_oracle_me_kernel){.warps = in->warps,
                                      .regs = in->tb_regs,
                                      .reduced = in->tb_reduced,
                                      .smem = in->smem,
                                      .meta = in->meta};
    m->verdict = o->verdict;
    m->l1_idle = o->l1_idle;
    if (!o->start_due && !w->me.busy) {
        w->tells_leave = o->to_leave != 0 && w->me.tbs != 0;
        w->tells_launch = o->to_launch != 0 && (o->to_leave == 0 || w->me.tbs == 0);
    }
}

/* tbs TBs are no more than ME and the machine want. */
static bool within(const wires *w, const wr_duet_unit_in *in, unsigned tbs)
{
    return tbs <= w->me.mc + w->me.me && tbs <= w->me.mc + in->most;
}

static void ask_launcher(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    const int lowest = wr_oracle_warp_slots_lowest(&o->slots);
    const int tb = wr_oracle_tbct_find(&o->tct, WR_ORACLE_TBCT_FREE, 0);
    wr_tb_launcher_in *l = &w->launcher_in;

    *l = (wr_tb_launcher_in){
        .cfg = w->begins || w->engages,
        .level = w->csl.level,
        .registers_move = w->csl.level == WR_ORACLE_LEVEL_WARP && in->limits % 2 == 1,
        .use_l1 = w->me.bypass,
        .warps = in->warps,
        .regs = in->regs,
        .lines = in->lines,
        .tb_regs = in->tb_regs,
        .smem = in->smem,
        .mc = (uint8_t)w->me.mc,
        .book = o->state == WR_OU_BOOK,
        .here = in->here,
        .allow = w->me.allow && w->me.tbs < w->me.mc + in->most,
        .keep = within(w, in, w->me.tbs),
        .waiting = in->waiting,
        .tb_found = tb >= 0,
        .tb_found_id = (uint8_t)(tb >= 0 ? tb : 0),
        .ready_waits = w->csl_in.ready_valid,
        .switch_in = w->csl.op == WR_ORACLE_SWITCH_IN,
        .ended = by_dispatcher(o) ? 0 : in->ended,
        .queued = w->scanner.busy,
        .vacate = w->scanner.vacate,
        .vacate_id = w->scanner.vacate_id,
        .mem_req = w->csl.mem_req,
        .mem_free = w->csl.mem_free,
        .mem_region = w->csl.mem_region,
        .mem_count = w->csl.mem_count,
        .mem_addr = w->csl.mem_addr,
        .map_done = w->map.done,
        .map_found = w->map.found,
        .map_addr = (uint16_t)w->map.addr,
        .slots_free = (uint8_t)(o->cfg.slots - o->slots.listed),
        .slot_next = (uint8_t)(lowest >= 0 ? lowest : 0),
        .ask_slot = in->ask_slot,
        .place_ok = in->place_ok,
        .me_ready = w->settled,
    };
    wr_oracle_launcher_output(&o->launcher, l, &w->launcher);
}

static void ask_scanner(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    const int owner = wr_oracle_warp_slots_owner(&o->slots, w->scanner.look_slot);
    const wr_oracle_wct_group group =
        wr_oracle_wct_judge(&o->wct, w->scanner.group_first, w->scanner.group_count);
    const bool comes = w->launcher.place && in->place_ok;
    const bool brings = w->launcher.launching || w->launcher.job == WR_OL_UNDO;
    wr_stall_scanner_in *n = &w->scanner_in;

    n->cfg = o->state == WR_OU_TELL;
    n->level = w->csl.level;
    n->warps = in->warps;
    n->booked = w->launcher.booked;
    n->memory = in->memory;
    n->barrier = in->barrier;
    n->clear = in->clear;
    n->done = in->done;
    n->woken = in->woken;
    for (unsigned i = 0; i < o->cfg.warps; i++) {
        n->free[i] = in->free[i];
    }
    n->closed = w->launcher.ending | (brings ? 1u << w->launcher.tb : 0);
    n->slot_id = (uint8_t)(owner >= 0 ? owner : 0);
    n->op = w->csl.op;
    n->stalled_pop = w->csl.stalled_pop;
    n->ready_pop = w->csl.ready_pop;
    n->stalled_valid = w->csl_in.stalled_valid;
    n->stalled_id = w->csl_in.stalled_id;
    n->stalled_space = wr_oracle_queue_space(queue(o, w, false));
    n->ready_valid = w->csl_in.ready_valid;
    n->ready_id = w->csl_in.ready_id;
    n->ready_space = wr_oracle_queue_space(queue(o, w, true));
    n->arrive = w->launcher.arrive;
    n->arrive_id = w->launcher.warp;
    n->placed = comes || w->counts;
    n->placed_tb = comes ? w->launcher.tb : in->placed_tb;
    n->group_stalled = group.stalled;
    n->group_ready = group.ready;
    wr_oracle_scanner_output(&o->scanner, n, &w->scanner);
}

/* The lowest N bits, or one, or none. */
static void set_mask(wires *w, const wr_duet_unit_in *in, bool all, int one)
{
    for (int i = 0; i < 32; i++) {
        w->tbs.mask[i] = all ? i < in->warps : i == one;
    }
}

static void command_warp(wires *w, wr_oracle_wct_op op, unsigned id, unsigned fields,
                         wr_oracle_wct_entry with)
{
    w->warps = (wr_oracle_wct_command){.op = op, .id = id, .fields = fields, .with = with};
}

static void command_tb(wires *w, wr_oracle_tbct_op op, unsigned id, unsigned addr)
{
    w->tbs.op = op;
    w->tbs.id = id % 32;
    w->tbs.addr = addr;
}

static void serve_switch(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    const wr_context_switch_logic_out *c = &w->csl;
    const wr_oracle_wct_entry warp = wr_oracle_wct_look(&o->wct, c->tab_id);
    const wr_oracle_tbct_entry tb = wr_oracle_tbct_look(&o->tct, c->tab_id % 32);

    w->csl_in.tab_ack = true;
    switch (c->tab_op) {
    case 0: /* read_warp */
        w->csl_in.tab_state = (uint8_t)warp.state;
        w->csl_in.tab_reg = (uint16_t)warp.reg_addr;
        w->csl_in.tab_meta = (uint16_t)warp.meta_addr;
        return;
    case 1: /* write_warp */
        command_warp(w, WR_ORACLE_WCT_UPDATE, c->tab_id, 1 + 2 + 4,
                     (wr_oracle_wct_entry){.state = (wr_oracle_warp_state)c->tab_state,
                                           .reg_addr = c->tab_reg,
                                           .meta_addr = c->tab_meta});
        w->pass = c->op == WR_ORACLE_SWITCH_EXCHANGE && c->state == WR_ORACLE_CSL_WR_IN;
        w->passed = (wr_oracle_slot){.slot = c->tab_meta % 64, .warp = c->tab_id};
        w->scanner_in.away = c->state == WR_ORACLE_CSL_WR_OUT && c->tab_state == WR_ORACLE_ABSENT;
        w->scanner_in.away_id = c->tab_id;
        return;
    case 2: /* read_tb */
        w->csl_in.tab_reg = (uint16_t)tb.addr;
        return;
    case 3:
        command_tb(w, WR_ORACLE_TBCT_MOVE, c->tab_id, c->tab_reg);
        return;
    case 4: /* absent_tb */
        w->scanner_in.split = true;
        w->scanner_in.split_tb = c->tab_id % 32;
        break;
    default:
        break;
    }
    command_tb(w, c->tab_op == 4 ? WR_ORACLE_TBCT_SET : WR_ORACLE_TBCT_CLEAR, c->tab_id,
               c->tab_reg);
    set_mask(w, in, c->tab_all, c->tab_index);
}

static void serve_launcher(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    const wr_tb_launcher_out *l = &w->launcher;
    const unsigned id = l->tab_id;
    const wr_oracle_wct_entry warp = wr_oracle_wct_look(&o->wct, id);
    const wr_oracle_tbct_entry tb = wr_oracle_tbct_look(&o->tct, id % 32);
    wr_tb_launcher_in *a = &w->launcher_in;

    a->tab_ack = true;
    a->tab_valid = warp.valid;
    a->tab_state = (uint8_t)warp.state;
    a->tab_present = wr_oracle_wct_present(&o->wct, id);
    a->tab_reg = (uint16_t)warp.reg_addr;
    a->tab_meta = (uint16_t)warp.meta_addr;
    if (l->tab_op == 2) { /* read_tb */
        a->tab_valid = tb.valid;
        a->tab_present = wr_oracle_tbct_present(&o->tct, id % 32);
        a->tab_reg = (uint16_t)tb.addr;
        a->tab_whole = true;
        for (unsigned i = 0; i < 32; i++) {
            a->tab_whole = a->tab_whole && !tb.absent[i];
        }
    }
    wr_oracle_launcher_output(&o->launcher, a, &w->launcher);
    const wr_oracle_wct_entry with = {.state = (wr_oracle_warp_state)l->tab_state,
                                      .reg_addr = l->tab_reg,
                                      .meta_addr = l->tab_meta};
    switch (l->tab_op) {
    case 1:
        command_warp(w, WR_ORACLE_WCT_UPDATE, id, 1 + 2 + 4, with);
        break;
    case 3:
        command_warp(w, WR_ORACLE_WCT_INSERT, id, 0, with);
        break;
    case 4:
        command_warp(w, WR_ORACLE_WCT_REMOVE, id, 0, (wr_oracle_wct_entry){0});
        break;
    case 5:
        command_tb(w, WR_ORACLE_TBCT_INSERT, id, l->tab_reg);
        set_mask(w, in, l->tab_all, -1);
        break;
    case 6:
        command_tb(w, WR_ORACLE_TBCT_REMOVE, id, l->tab_reg);
        break;
    default:
        break;
    }
}

static void serve_scanner(const wr_oracle_unit *o, wires *w)
{
    const wr_stall_scanner_out *n = &w->scanner;
    const wr_oracle_tbct_entry tb = wr_oracle_tbct_look(&o->tct, n->tab_id % 32);

    w->scanner_in.tab_ack = true;
    w->scanner_in.tab_whole = true;
    for (unsigned i = 0; i < 32; i++) {
        w->scanner_in.tab_whole = w->scanner_in.tab_whole && !tb.absent[i];
    }
    if (n->tab_op == 1) {
        command_warp(w, WR_ORACLE_WCT_UPDATE, n->tab_id, 1 + 8,
                     (wr_oracle_wct_entry){.state = (wr_oracle_warp_state)n->tab_state,
                                           .barrier = n->tab_barrier});
    }
}

/* Slots that are claimed and given, which the scanner hears of, too. */
static void join_slots(wires *w)
{
    const wr_context_switch_logic_out *c = &w->csl;
    const wr_tb_launcher_out *l = &w->launcher;
    wr_stall_scanner_in *n = &w->scanner_in;

    w->claim = c->slot_take || l->claim;
    w->claimed = c->slot_take ? (wr_oracle_slot){.slot = c->slot, .warp = c->tab_id}
                              : (wr_oracle_slot){.slot = l->slot, .warp = l->warp};
    w->give = c->slot_give || l->left;
    w->given = c->slot_give ? c->slot : l->slot;
    n->claim = w->claim || w->pass;
    n->claim_slot = (uint8_t)(w->claim ? w->claimed.slot : w->passed.slot);
    n->claim_id = (uint8_t)(w->claim ? w->claimed.warp : w->passed.warp);
    n->give = w->give;
    n->give_slot = (uint8_t)w->given;
}

static void join_switch(const wr_oracle_unit *o, const wr_duet_unit_in *in, wires *w)
{
    wr_context_switch_logic_in *c = &w->csl_in;

    c->cfg = w->begins || w->engages;
    c->limits = in->limits;
    c->warps = in->warps;
    c->lines = in->lines;
    c->full = in->regs;
    c->use_l1 = w->me.bypass;
    c->may_leave = w->scanner.may_leave;
    c->want = w->launcher_in.allow && in->waiting &&
              wr_oracle_tbct_find(&o->tct, WR_ORACLE_TBCT_FREE, 0) >= 0;
    c->slots_free = w->launcher.slots_free;
    c->slot = w->launcher_in.slot_next;
    c->mem_ack = w->launcher.mem_ack;
    c->mem_found = w->launcher.mem_found;
    c->mem_addr = w->launcher.mem_addr;
}

static wires settle(const wr_oracle_unit *o, const wr_duet_unit_in *in)
{
    wires w;

    memset(&w, 0, sizeof w);
    wr_oracle_csl_output(&o->csl, &w.csl);
    w.me = wr_oracle_me_eval(&o->me);
    w.map = wr_oracle_bitmap_outputs(&o->map);
    w.csl_in.stalled_valid = wr_oracle_queue_valid(queue(o, &w, false));
    w.csl_in.stalled_id = (uint8_t)wr_oracle_queue_head(queue(o, &w, false));
    w.csl_in.ready_valid = wr_oracle_queue_valid(queue(o, &w, true));
    w.csl_in.ready_id = (uint8_t)wr_oracle_queue_head(queue(o, &w, true));
    wr_oracle_scanner_output(&o->scanner, &w.scanner_in, &w.scanner); /* its registers */
    begin(o, in, &w);
    ask_launcher(o, in, &w);
    ask_scanner(o, in, &w);
    w.tables = w.csl.tab_req        ? SWITCH
               : w.launcher.tab_req ? LAUNCHER
               : in->find           ? MACHINE
               : w.scanner.tab_req  ? SCANNER
                                    : NOBODY;
    if (w.tables == SWITCH) {
        serve_switch(o, in, &w);
    } else if (w.tables == LAUNCHER) {
        serve_launcher(o, in, &w);
    } else if (w.tables == SCANNER) {
        serve_scanner(o, &w);
    }
    join_slots(&w);
    wr_oracle_scanner_output(&o->scanner, &w.scanner_in, &w.scanner);
    join_switch(o, in, &w);
    w.me_in.leave = o->start_due ? w.me.tbs != 0 : w.launcher.me_leave || w.tells_leave;
    w.me_in.launch = !o->start_due && (w.launcher.me_launch || w.tells_launch);
    w.me_in.valid = o->verdict_waits && w.settled && !w.launcher.launching;
    return w;
}

static void show_events(const wires *w, wr_duet_unit_out *out)
{
    const wr_tb_launcher_out *l = &w->launcher;
    const wr_context_switch_logic_out *c = &w->csl;

    out->job = l->job;
    out->place = l->place;
    out->kind = l->kind;
    out->ask = l->ask;
    out->tb = l->tb;
    out->warp = l->warp;
    out->row = l->row;
    out->meta = l->meta;
    out->smem = l->smem;
    out->slot = l->slot;
    out->enter = l->enter;
    out->arrive = l->arrive;
    out->left = l->left;
    out->gone = l->gone;
    out->op = c->op;
    out->move = c->move;
    out->move_in = c->move_in;
    out->move_beat = c->move_beat;
    out->move_home = c->move_home;
    out->move_away = c->move_away;
    out->away = w->scanner_in.away;
    out->back = w->tables == SWITCH && c->tab_op == 1 && c->state == WR_ORACLE_CSL_WR_IN &&
                c->tab_state == WR_ORACLE_RUNNING;
    if (out->away || out->back) {
        out->moved_id = c->tab_id;
        out->moved_row = c->tab_reg;
        out->moved_meta = c->tab_meta;
    }
}

static bool part_fault(const wr_oracle_unit *o, const wires *w)
{
    return w->csl.fault || w->me.fault || w->map.fault || o->queues.fault || o->wct.fault ||
           o->tct.fault || o->slots.fault || w->launcher.fault || w->scanner.fault;
}

void wr_oracle_unit_output(const wr_oracle_unit *o, const wr_duet_unit_in *in,
                           wr_duet_unit_out *out)
{
    const wires w = settle(o, in);
    const wr_oracle_wct_entry found = wr_oracle_wct_look(&o->wct, in->find_id);

    memset(out, 0, sizeof *out);
    out->state = (uint8_t)o->state;
    out->extra = w.extra;
    out->level = w.csl.level;
    out->searching = w.me.busy;
    out->mc = (uint8_t)w.me.mc;
    out->bound = (uint8_t)w.me.bound;
    out->me = (uint8_t)w.me.me;
    out->bypass = w.me.bypass;
    out->tbs = (uint8_t)w.me.tbs;
    out->hold = w.scanner.hold;
    out->out_id = (uint8_t)o->last_out;
    out->in_id = (uint8_t)o->last_in;
    show_events(&w, out);
    if (w.tables == MACHINE) {
        out->find_ack = true;
        out->find_valid = found.valid;
        out->find_state = (uint8_t)found.state;
        out->find_reg = (uint16_t)found.reg_addr;
        out->find_meta = (uint16_t)found.meta_addr;
    }
    out->entry_op = (uint8_t)w.warps.op;
    out->entry_id = (uint8_t)w.warps.id;
    out->entry_state = (uint8_t)w.warps.with.state;
    out->fault = o->fault || part_fault(o, &w);
}

/* What is this block's own. */
static void clock_own(wr_oracle_unit *o, const wr_duet_unit_in *in, const wires *w)
{
    const bool native = by_dispatcher(o);
    const bool over = !in->waiting && w->me.tbs == 0 && w->csl.op == WR_ORACLE_SWITCH_NONE &&
                      !w->launcher.busy && o->to_launch == 0 && o->to_leave == 0;
    unsigned ended = 0;

    for (unsigned t = 0; t < 32; t++) {
        ended += in->ended >> t & 1;
    }
    o->fault = o->fault || (in->start && !w->begins) || (in->book && !w->engages) ||
               (in->placed && !w->counts);
    o->last_out = w->csl.stalled_pop ? w->csl_in.stalled_id : o->last_out;
    o->last_in = w->csl.ready_pop ? w->csl_in.ready_id : o->last_in;
    if (w->begins) {
        o->to_launch = o->to_leave = 0;
    } else {
        o->to_launch += (unsigned)w->counts - (unsigned)w->tells_launch;
        o->to_leave += (native ? ended : 0) - (unsigned)w->tells_leave;
        o->fault = o->fault || o->to_leave > 63;
        o->to_leave = least(o->to_leave, 63);
    }
    o->start_due = w->begins || (o->start_due && !w->me_in.start);
    o->verdict_waits = in->valid || (o->verdict_waits && !w->begins && !w->me_in.valid);
    o->verdict = in->valid ? in->verdict : o->verdict;
    o->l1_idle = in->valid ? in->l1_idle : o->l1_idle;
    if (o->state == WR_OU_NATIVE) {
        o->state = w->begins ? WR_OU_TELL : w->engages ? WR_OU_BOOK : WR_OU_NATIVE;
    } else if (o->state == WR_OU_TELL || (o->state == WR_OU_RUN && over)) {
        o->state = WR_OU_NATIVE;
    } else if (o->state == WR_OU_BOOK) {
        o->state = WR_OU_BOOKING;
    } else if (w->launcher.booked) {
        o->state = WR_OU_RUN;
    }
}

void wr_oracle_unit_clock(wr_oracle_unit *o, const wr_duet_unit_in *in)
{
    const wires w = settle(o, in);
    const bool tbs = w.csl.level == WR_ORACLE_LEVEL_TB;
    const wr_oracle_bitmap_request request = {.free = w.launcher.map_op,
                                              .region = w.launcher.map_region,
                                              .count = w.launcher.map_count,
                                              .addr = w.launcher.map_addr};
    const wr_oracle_slots_asked asked = {.claim = w.claim ? &w.claimed : NULL,
                                         .give = w.give ? &w.given : NULL,
                                         .pass = w.pass ? &w.passed : NULL};
    wr_oracle_queues_in queues = {.clear = w.begins || w.engages};
    const unsigned first = tbs ? WR_ORACLE_STALLED_TBS : WR_ORACLE_STALLED_WARPS;

    queues.push[first] = w.scanner.stalled_push;
    queues.push[first + 1] = w.scanner.ready_push;
    queues.id[first] = queues.id[first + 1] = tbs ? w.scanner.push_id % 32u : w.scanner.push_id;
    queues.pop[first] = w.csl.stalled_pop;
    queues.pop[first + 1] = w.csl.ready_pop;
    clock_own(o, in, &w);
    wr_oracle_csl_clock(&o->csl, &w.csl_in);
    wr_oracle_me_step(&o->me, &w.me_in);
    wr_oracle_bitmap_clock(&o->map, w.launcher.map_valid ? &request : NULL);
    wr_oracle_queues_clock(&o->queues, &queues);
    wr_oracle_wct_clock(&o->wct, &w.warps);
    wr_oracle_tbct_clock(&o->tct, &w.tbs);
    wr_oracle_warp_slots_clock(&o->slots, &asked);
    wr_oracle_launcher_clock(&o->launcher, &w.launcher_in);
    wr_oracle_scanner_clock(&o->scanner, &w.scanner_in);
    const wires now = settle(o, &(wr_duet_unit_in){0});
    o->faulty = o->fault || part_fault(o, &now);
}
