/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of duet_unit: see the header. */
#include "tests/oracle/duet_unit_oracle.h"

#include <string.h>

enum { WRITE_WARP = 1, READ_TB, ABSENT_TB = 4 }; /* tab_op */
enum { WARP_DEPTH = 16, TB_DEPTH = 8, MOST_PLACED = 32, MOST_ENDED = 63 };

typedef enum asker { NOBODY, CSL, LAUNCHER, MACHINE, SCANNER } asker;

/* A queue's head and room. */
typedef struct queue_pins {
    bool valid, space;
    unsigned head;
} queue_pins;

/* What is said in one cycle. */
typedef struct cycle {
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl;
    wr_oracle_me_in me_in;
    wr_oracle_me_out me;
    wr_oracle_bitmap_output map;
    queue_pins stalled, ready; /* of the level */
    wr_tb_launcher_in launcher_in;
    wr_tb_launcher_out launcher;
    wr_stall_scanner_in scanner_in;
    wr_stall_scanner_out scanner;
    asker tables; /* who has them */
    wr_oracle_unit_command command;
    bool extra, begins, engages, settled;
    bool counts; /* a TB of the dispatcher is counted */
    bool claims, gives, passes;
    wr_oracle_slot claim, pass;
    unsigned give;
    bool away, back;
    unsigned me_launch, me_leave; /* TBs of the dispatcher that ME is told of */
} cycle;

static unsigned word_bits(const wr_duet_unit_cfg *c)
{
    unsigned bits = 64;

    while (c->reg_units % bits != 0 || c->smem_units % bits != 0 || c->l1_units % bits != 0) {
        bits /= 2;
    }
    return bits;
}

void wr_oracle_unit_reset(wr_oracle_unit *o)
{
    const wr_duet_unit_cfg c = o->cfg;
    const unsigned tb_warps = c.warps < 32 ? c.warps : 32;
    const unsigned units[WR_ORACLE_BITMAP_REGIONS] = {c.reg_units, c.smem_units, c.l1_units};
    const wr_oracle_me_cfg me = {.rf_lines = c.reg_units,
                                 .smem_lines = c.smem_units,
                                 .l1_lines = c.l1_units,
                                 .warp_slots = c.slots,
                                 .warps = c.warps,
                                 .tb_slots = c.tbs,
                                 .tbs = c.tbs,
                                 .sat_zero = false};

    memset(o, 0, sizeof *o);
    o->cfg = c;
    o->csl.cfg = (wr_context_switch_logic_cfg){.st_lines = c.st_lines, .tb_warps = tb_warps};
    wr_oracle_csl_reset(&o->csl);
    wr_oracle_me_reset(&o->me, &me);
    wr_oracle_bitmap_reset(&o->map, units, word_bits(&c));
    wr_oracle_queues_reset(&o->queues, WARP_DEPTH, TB_DEPTH);
    o->wct.warps = c.warps;
    o->wct.reg_units = c.reg_units;
    o->wct.slots = c.slots;
    o->tct.tbs = c.tbs;
    o->tct.tb_warps = tb_warps;
    o->tct.smem_base = c.reg_units;
    o->tct.smem_units = c.smem_units;
    wr_oracle_warp_slots_reset(&o->slots, c.slots, c.warps);
    o->launcher.cfg = (wr_tb_launcher_cfg){
        .warps = c.warps, .tbs = c.tbs, .tb_warps = tb_warps, .st_lines = c.st_lines};
    wr_oracle_launcher_reset(&o->launcher);
    o->scanner.cfg = (wr_stall_scanner_cfg){
        .warps = c.warps, .tbs = c.tbs, .tb_warps = tb_warps, .slots = c.slots};
    wr_oracle_scanner_reset(&o->scanner);
}

/* The cycle, part by part -------------------------------------------------------------------- */

static bool level_tb(const cycle *c)
{
    return c->csl.level == WR_ORACLE_LEVEL_TB;
}

static queue_pins queue_of(const wr_oracle_unit *o, unsigned n)
{
    const wr_oracle_queue *q = &o->queues.queue[n];

    return (queue_pins){.valid = wr_oracle_queue_valid(q),
                        .space = wr_oracle_queue_space(q),
                        .head = wr_oracle_queue_head(q)};
}

static bool one_more(const cycle *c, const wr_duet_unit_in *in)
{
    return c->me.allow && c->me.tbs < c->me.mc + in->most;
}

static void begin(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    const bool native = o->state == WR_ORACLE_UNIT_NATIVE;

    wr_oracle_csl_output(&o->csl, &c->csl);
    c->me = wr_oracle_me_eval(&o->me);
    c->map = wr_oracle_bitmap_outputs(&o->map);
    c->stalled = queue_of(o, level_tb(c) ? WR_ORACLE_STALLED_TBS : WR_ORACLE_STALLED_WARPS);
    c->ready = queue_of(o, level_tb(c) ? WR_ORACLE_READY_TBS : WR_ORACLE_READY_WARPS);
    c->settled = !o->due && !c->me.busy && o->placed == 0 && o->ended == 0;
    c->extra = native && !in->start && c->settled && c->me.me != 0 && in->most != 0 &&
               c->csl.level != WR_ORACLE_LEVEL_OFF && in->waiting;
    c->begins = in->start && native;
    c->engages = in->book && c->extra;
    c->counts =
        in->placed && (native || o->state == WR_ORACLE_UNIT_TELL) && o->placed < MOST_PLACED;
}

static void letter_to_launcher(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    wr_tb_launcher_in *l = &c->launcher_in;
    const int lowest = wr_oracle_warp_slots_lowest(&o->slots);
    const int tb = wr_oracle_tbct_find(&o->tct, WR_ORACLE_TBCT_FREE, 0);

    l->cfg = c->begins || c->engages;
    l->level = c->csl.level;
    l->registers_move = c->csl.level == WR_ORACLE_LEVEL_WARP && (in->limits & 1) != 0;
    l->use_l1 = c->me.bypass;
    l->warps = in->warps;
    l->regs = in->regs;
    l->lines = in->lines;
    l->tb_regs = in->tb_regs;
    l->smem = in->smem;
    l->mc = (uint8_t)c->me.mc;
    l->book = o->state == WR_ORACLE_UNIT_BOOK;
    l->here = in->here;
    l->allow = one_more(c, in);
    l->keep = c->me.tbs <= c->me.mc + c->me.me && c->me.tbs <= c->me.mc + in->most;
    l->waiting = in->waiting;
    l->tb_found = tb >= 0;
    l->tb_found_id = (uint8_t)(tb < 0 ? 0 : tb);
    l->ready_waits = c->ready.valid;
    l->switch_in = c->csl.op == WR_ORACLE_SWITCH_IN;
    l->ended = o->state >= WR_ORACLE_UNIT_BOOK ? in->ended : 0;
    l->mem_req = c->csl.mem_req;
    l->mem_free = c->csl.mem_free;
    l->mem_region = c->csl.mem_region;
    l->mem_count = c->csl.mem_count;
    l->mem_addr = c->csl.mem_addr;
    l->map_done = c->map.done;
    l->map_found = c->map.found;
    l->map_addr = (uint16_t)c->map.addr;
    l->slots_free = (uint8_t)(o->cfg.slots - o->slots.listed);
    l->slot_next = (uint8_t)(lowest < 0 ? 0 : lowest);
    l->ask_slot = in->ask_slot;
    l->place_ok = in->place_ok;
    l->me_ready = c->settled;
    wr_oracle_launcher_output(&o->launcher, l, &c->launcher);
}

static void letter_to_scanner(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    wr_stall_scanner_in *s = &c->scanner_in;

    s->cfg = o->state == WR_ORACLE_UNIT_TELL;
    s->level = c->csl.level;
    s->warps = in->warps;
    s->booked = c->launcher.booked;
    s->memory = in->memory;
    s->barrier = in->barrier;
    s->clear = in->clear;
    s->done = in->done;
    s->woken = in->woken;
    memcpy(s->free, in->free, o->cfg.warps * sizeof in->free[0]);
    s->closed = c->launcher.ending;
    if (c->launcher.launching || c->launcher.job == WR_OL_UNDO) {
        s->closed |= 1u << c->launcher.tb;
    }
    s->op = c->csl.op;
    s->stalled_valid = c->stalled.valid;
    s->stalled_id = (uint8_t)c->stalled.head;
    s->stalled_pop = c->csl.stalled_pop;
    s->stalled_space = c->stalled.space;
    s->ready_valid = c->ready.valid;
    s->ready_id = (uint8_t)c->ready.head;
    s->ready_pop = c->csl.ready_pop;
    s->ready_space = c->ready.space;
    s->arrive = c->launcher.arrive;
    s->arrive_id = c->launcher.warp;
    s->placed = c->counts;
    s->placed_tb = in->placed_tb;
    if (c->launcher.place && in->place_ok) {
        s->placed = true;
        s->placed_tb = c->launcher.tb;
    }

    /* Whose turn it is, and which group is judged, says the scanner itself. */
    wr_oracle_scanner_output(&o->scanner, s, &c->scanner);
    const int owner = wr_oracle_warp_slots_owner(&o->slots, c->scanner.look_slot);
    const wr_oracle_wct_group group =
        wr_oracle_wct_judge(&o->wct, c->scanner.group_first, c->scanner.group_count);
    s->slot_id = (uint8_t)(owner < 0 ? 0 : owner);
    s->group_stalled = group.stalled;
    s->group_ready = group.ready;
    wr_oracle_scanner_output(&o->scanner, s, &c->scanner);
}

static void give_tables(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    if (c->csl.tab_req) {
        const wr_oracle_unit_entry a =
            wr_oracle_unit_look(&o->wct, &o->tct, c->csl.tab_op == READ_TB, c->csl.tab_id);
        c->tables = CSL;
        c->csl_in.tab_ack = true;
        c->csl_in.tab_state = (uint8_t)a.state;
        c->csl_in.tab_reg = (uint16_t)a.reg;
        c->csl_in.tab_meta = (uint16_t)a.meta;
        wr_oracle_unit_by_csl(&c->csl, in->warps, &c->command);
    } else if (c->csl.move_meta) {
        c->tables = NOBODY;
    } else if (c->launcher.tab_req) {
        const wr_oracle_unit_entry a = wr_oracle_unit_look(
            &o->wct, &o->tct, c->launcher.tab_op == READ_TB, c->launcher.tab_id);
        c->tables = LAUNCHER;
        c->launcher_in.tab_ack = true;
        c->launcher_in.tab_valid = a.valid;
        c->launcher_in.tab_state = (uint8_t)a.state;
        c->launcher_in.tab_present = a.present;
        c->launcher_in.tab_whole = a.whole;
        c->launcher_in.tab_reg = (uint16_t)a.reg;
        c->launcher_in.tab_meta = (uint16_t)a.meta;
        wr_oracle_launcher_output(&o->launcher, &c->launcher_in, &c->launcher);
        wr_oracle_unit_by_launcher(&c->launcher, in->warps, &c->command);
    } else if (in->find) {
        c->tables = MACHINE;
    } else if (c->scanner.tab_req) {
        c->tables = SCANNER;
        c->scanner_in.tab_ack = true;
        c->scanner_in.tab_whole =
            wr_oracle_unit_look(&o->wct, &o->tct, true, c->scanner.tab_id).whole;
        wr_oracle_scanner_output(&o->scanner, &c->scanner_in, &c->scanner);
        wr_oracle_unit_by_scanner(&c->scanner, &c->command);
    }
}

/* What becomes of the warp slots; the machine and the scanner are told of it. */
static void say_slots(cycle *c)
{
    const wr_context_switch_logic_out *s = &c->csl;
    const wr_tb_launcher_out *l = &c->launcher;
    const bool writes = s->tab_req && s->tab_op == WRITE_WARP;
    const bool enters = writes && s->state == WR_ORACLE_CSL_WR_IN;

    c->claims = s->slot_take || l->claim;
    c->claim =
        s->slot_take ? (wr_oracle_slot){s->slot, s->slot_id} : (wr_oracle_slot){l->slot, l->warp};
    c->gives = s->slot_give || l->left;
    c->give = s->slot_give ? s->slot : l->slot;
    c->passes = enters && s->op == WR_ORACLE_SWITCH_EXCHANGE;
    c->pass = (wr_oracle_slot){s->tab_meta % 64, s->tab_id};
    c->away = writes && s->tab_state == WR_ORACLE_WARP_ABSENT;
    c->back = enters && s->tab_state == WR_ORACLE_WARP_RUNNING;

    const wr_oracle_slot now = c->claims ? c->claim : c->pass;
    c->scanner_in.claim = c->claims || c->passes;
    c->scanner_in.claim_slot = (uint8_t)now.slot;
    c->scanner_in.claim_id = (uint8_t)now.warp;
    c->scanner_in.give = c->gives;
    c->scanner_in.give_slot = (uint8_t)c->give;
    c->scanner_in.away = c->away;
    c->scanner_in.away_id = s->tab_id;
    c->scanner_in.split = s->tab_req && s->tab_op == ABSENT_TB;
    c->scanner_in.split_tb = s->tab_id % 32;
    c->launcher_in.queued = c->scanner.busy;
    c->launcher_in.vacate = c->scanner.vacate;
    c->launcher_in.vacate_id = c->scanner.vacate_id;
}

static void letter_to_csl(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    wr_context_switch_logic_in *s = &c->csl_in;

    s->cfg = c->begins || c->engages;
    s->limits = in->limits;
    s->warps = in->warps;
    s->lines = in->lines;
    s->full = in->regs;
    s->use_l1 = c->me.bypass;
    s->stalled_valid = c->stalled.valid;
    s->stalled_id = (uint8_t)c->stalled.head;
    s->may_leave = c->scanner.may_leave;
    s->ready_valid = c->ready.valid;
    s->ready_id = (uint8_t)c->ready.head;
    s->want =
        one_more(c, in) && in->waiting && wr_oracle_tbct_find(&o->tct, WR_ORACLE_TBCT_FREE, 0) >= 0;
    s->slots_free = c->launcher.slots_free;
    s->slot = c->launcher_in.slot_next;
    s->mem_ack = c->launcher.mem_ack;
    s->mem_found = c->launcher.mem_found;
    s->mem_addr = c->launcher.mem_addr;
    s->move_ack = in->move_ack;
}

static void letter_to_me(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    wr_oracle_me_in *m = &c->me_in;

    m->kernel = (wr_oracle_me_kernel){.warps = in->warps,
                                      .regs = in->tb_regs,
                                      .reduced = in->tb_reduced,
                                      .smem = in->smem,
                                      .meta = in->meta};
    m->verdict = o->verdict;
    m->l1_idle = o->l1_idle;
    if (o->due) { /* the TBs of the launch before go first */
        m->start = c->me.tbs == 0;
        m->leave = c->me.tbs != 0;
        return;
    }
    if (!c->me.busy) {
        c->me_leave = o->ended != 0 && c->me.tbs != 0;
        c->me_launch = o->placed != 0 && (o->ended == 0 || c->me.allow);
    }
    m->leave = c->launcher.me_leave || c->me_leave != 0;
    m->launch = c->launcher.me_launch || c->me_launch != 0;
    m->valid = o->judged && c->settled && !c->launcher.launching;
}

static void play(const wr_oracle_unit *o, const wr_duet_unit_in *in, cycle *c)
{
    memset(c, 0, sizeof *c);
    begin(o, in, c);
    letter_to_launcher(o, in, c);
    letter_to_scanner(o, in, c);
    give_tables(o, in, c);
    say_slots(c);
    letter_to_csl(o, in, c);
    letter_to_me(o, in, c);
}

/* Outputs ------------------------------------------------------------------------------------ */

static void output_launch(const wr_oracle_unit *o, const cycle *c, wr_duet_unit_out *out)
{
    out->state = (uint8_t)o->state;
    out->extra = c->extra;
    out->level = c->csl.level;
    out->searching = c->me.busy;
    out->mc = (uint8_t)c->me.mc;
    out->bound = (uint8_t)c->me.bound;
    out->me = (uint8_t)c->me.me;
    out->bypass = c->me.bypass;
    out->tbs = (uint8_t)c->me.tbs;
    out->hold = c->scanner.hold;
    out->job = c->launcher.job;
    out->place = c->launcher.place;
    out->kind = c->launcher.kind;
    out->ask = c->launcher.ask;
    out->tb = c->launcher.tb;
    out->warp = c->launcher.warp;
    out->row = c->launcher.row;
    out->meta = c->launcher.meta;
    out->smem = c->launcher.smem;
    out->slot = c->launcher.slot;
    out->enter = c->launcher.enter;
    out->arrive = c->launcher.arrive;
    out->left = c->launcher.left;
    out->gone = c->launcher.gone;
}

static void output_switch(const wr_oracle_unit *o, const cycle *c, wr_duet_unit_out *out)
{
    out->op = c->csl.op;
    out->out_id = (uint8_t)o->left_last;
    out->in_id = (uint8_t)o->came_last;
    out->move = c->csl.move;
    out->move_meta = c->csl.move_meta;
    out->move_out = c->csl.move_out;
    out->move_in = c->csl.move_in;
    out->move_home = c->csl.move_home;
    out->move_away = c->csl.move_away;
    out->away = c->away;
    out->back = c->back;
    if (c->away || c->back) {
        out->moved_id = c->csl.tab_id;
        out->moved_row = c->csl.tab_reg;
        out->moved_meta = c->csl.tab_meta;
    }
}

void wr_oracle_unit_output(const wr_oracle_unit *o, const wr_duet_unit_in *in,
                           wr_duet_unit_out *out)
{
    cycle c;

    play(o, in, &c);
    memset(out, 0, sizeof *out);
    output_launch(o, &c, out);
    output_switch(o, &c, out);
    if (c.tables == MACHINE) {
        const wr_oracle_unit_entry a = wr_oracle_unit_look(&o->wct, &o->tct, false, in->find_id);
        out->find_ack = true;
        out->find_valid = a.valid;
        out->find_state = (uint8_t)a.state;
        out->find_reg = (uint16_t)a.reg;
        out->find_meta = (uint16_t)a.meta;
    }
    if (c.command.warp.op != WR_ORACLE_WCT_NONE) {
        out->entry_op = (uint8_t)c.command.warp.op;
        out->entry_id = (uint8_t)c.command.warp.id;
        out->entry_state = (uint8_t)c.command.warp.with.state;
    }
    out->fault = o->faulty;
}

/* The clock ---------------------------------------------------------------------------------- */

static void clock_parts(wr_oracle_unit *o, const cycle *c)
{
    const wr_oracle_bitmap_request request = {.free = c->launcher.map_op != 0,
                                              .region = c->launcher.map_region,
                                              .count = c->launcher.map_count,
                                              .addr = c->launcher.map_addr};
    const wr_oracle_slots_asked slots = {.claim = c->claims ? &c->claim : NULL,
                                         .give = c->gives ? &c->give : NULL,
                                         .pass = c->passes ? &c->pass : NULL};
    const unsigned stalled = level_tb(c) ? WR_ORACLE_STALLED_TBS : WR_ORACLE_STALLED_WARPS;
    const unsigned ready = level_tb(c) ? WR_ORACLE_READY_TBS : WR_ORACLE_READY_WARPS;
    wr_oracle_queues_in queues = {.clear = c->begins || c->engages};

    queues.push[stalled] = c->scanner.stalled_push;
    queues.push[ready] = c->scanner.ready_push;
    queues.pop[stalled] = c->csl.stalled_pop;
    queues.pop[ready] = c->csl.ready_pop;
    queues.id[stalled] = queues.id[ready] =
        level_tb(c) ? c->scanner.push_id % 32u : c->scanner.push_id;
    wr_oracle_csl_clock(&o->csl, &c->csl_in);
    wr_oracle_me_step(&o->me, &c->me_in);
    wr_oracle_bitmap_clock(&o->map, c->launcher.map_valid ? &request : NULL);
    wr_oracle_queues_clock(&o->queues, &queues);
    wr_oracle_wct_clock(&o->wct, &c->command.warp);
    wr_oracle_tbct_clock(&o->tct, &c->command.tb);
    wr_oracle_warp_slots_clock(&o->slots, &slots);
    wr_oracle_launcher_clock(&o->launcher, &c->launcher_in);
    wr_oracle_scanner_clock(&o->scanner, &c->scanner_in);
}

static int next_state(const wr_oracle_unit *o, const wr_duet_unit_in *in, const cycle *c)
{
    switch (o->state) {
    case WR_ORACLE_UNIT_NATIVE:
        return c->begins    ? WR_ORACLE_UNIT_TELL
               : c->engages ? WR_ORACLE_UNIT_BOOK
                            : WR_ORACLE_UNIT_NATIVE;
    case WR_ORACLE_UNIT_TELL:
        return WR_ORACLE_UNIT_NATIVE;
    case WR_ORACLE_UNIT_BOOK:
        return WR_ORACLE_UNIT_BOOKING;
    case WR_ORACLE_UNIT_BOOKING:
        return c->launcher.booked ? WR_ORACLE_UNIT_RUN : WR_ORACLE_UNIT_BOOKING;
    default:
        return !in->waiting && c->me.tbs == 0 && c->csl.op == WR_ORACLE_SWITCH_NONE &&
                       !c->launcher.busy && o->placed == 0 && o->ended == 0
                   ? WR_ORACLE_UNIT_NATIVE
                   : WR_ORACLE_UNIT_RUN;
    }
}

static void clock_counts(wr_oracle_unit *o, const wr_duet_unit_in *in, const cycle *c)
{
    const bool dispatcher = o->state == WR_ORACLE_UNIT_NATIVE || o->state == WR_ORACLE_UNIT_TELL;

    if (c->begins) {
        o->placed = 0;
        o->ended = 0;
        return;
    }
    o->placed = o->placed + c->counts - c->me_launch;
    o->ended -= c->me_leave;
    for (unsigned t = 0; dispatcher && t < 32; t++) {
        o->ended += in->ended >> t & 1;
    }
    if (o->ended > MOST_ENDED) {
        o->ended = MOST_ENDED;
        o->own_fault = true;
    }
}

static bool parts_faulty(const wr_oracle_unit *o)
{
    return o->csl.fault || o->me.fault || wr_oracle_bitmap_outputs(&o->map).fault ||
           o->queues.fault || o->wct.fault || o->tct.fault || o->slots.fault || o->launcher.fault ||
           o->scanner.fault;
}

void wr_oracle_unit_clock(wr_oracle_unit *o, const wr_duet_unit_in *in)
{
    cycle c;

    play(o, in, &c);
    o->own_fault = o->own_fault || (in->start && !c.begins) || (in->book && !c.engages) ||
                   (in->placed && !c.counts);
    clock_counts(o, in, &c);
    o->due = c.begins || (o->due && !c.me_in.start);
    if (in->valid) {
        o->judged = true;
        o->verdict = in->verdict;
        o->l1_idle = in->l1_idle;
    } else if (c.begins || c.me_in.valid) {
        o->judged = false;
    }
    o->left_last = c.csl.stalled_pop ? c.stalled.head : o->left_last;
    o->came_last = c.csl.ready_pop ? c.ready.head : o->came_last;
    o->state = next_state(o, in, &c);
    clock_parts(o, &c);
    o->faulty = o->own_fault || parts_faulty(o);
}
