/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of gpuduet: see the header. */
#include "tests/oracle/gpuduet_oracle.h"

#include <string.h>

enum { LANES = 32, REGISTERS = 1 }; /* of a line and a row; a bit of limits */

/* What is said in one cycle. */
typedef struct cycle {
    wr_duet_unit_in unit_in;
    wr_duet_unit_out unit;
    wr_oracle_mover_pins mover_in;
    wr_oracle_mover_shown mover;
    wr_oracle_absent_pins reply_in;
    wr_oracle_absent_shown reply;
    bool begins, moves;
    bool kinds_for_reply; /* it is the reply that asks for kinds */
    bool read, write;     /* the reply has the port for it */
} cycle;

void wr_oracle_gpuduet_reset(wr_oracle_gpuduet *o)
{
    const wr_gpuduet_cfg c = o->cfg;

    memset(o, 0, sizeof *o);
    o->cfg = c;
    o->unit.cfg = (wr_duet_unit_cfg){.reg_units = c.reg_units,
                                     .smem_units = c.smem_units,
                                     .l1_units = c.l1_units,
                                     .warps = c.warps,
                                     .tbs = c.tbs,
                                     .slots = c.slots,
                                     .st_lines = c.st_lines};
    wr_oracle_unit_reset(&o->unit);
    wr_oracle_mover_reset(&o->mover, c.regs, LANES, c.st_lines);
    wr_oracle_absent_reset(&o->reply, c.regs);
}

/* The cycle, part by part -------------------------------------------------------------------- */

static void letter_to_unit(const wr_oracle_gpuduet *o, const wr_gpuduet_in *in, cycle *c)
{
    wr_duet_unit_in *u = &c->unit_in;

    *u = (wr_duet_unit_in){.start = in->start,
                           .limits = in->limits,
                           .warps = in->warps,
                           .regs = in->regs,
                           .lines = in->lines,
                           .tb_regs = in->tb_regs,
                           .tb_reduced = in->tb_reduced,
                           .smem = in->smem,
                           .meta = in->meta,
                           .most = in->most,
                           .waiting = in->waiting,
                           .placed = in->placed,
                           .placed_tb = in->placed_tb,
                           .ended = in->ended,
                           .book = in->book,
                           .here = in->here,
                           .ask_slot = in->ask_slot,
                           .place_ok = in->place_ok,
                           .valid = in->valid,
                           .verdict = in->verdict,
                           .l1_idle = in->l1_idle,
                           .memory = in->memory,
                           .barrier = in->barrier,
                           .clear = in->clear,
                           .done = in->done,
                           .woken = in->woken,
                           .move_ack = c->mover.ack,
                           .find = c->reply.find,
                           .find_id = (uint8_t)c->reply.find_id};
    memcpy(u->free, in->free, sizeof u->free);
    wr_oracle_unit_output(&o->unit, u, &c->unit);
}

static void letter_to_mover(const wr_oracle_gpuduet *o, const wr_gpuduet_in *in, cycle *c)
{
    wr_oracle_mover_pins *m = &c->mover_in;

    m->cfg = c->begins;
    m->tb = c->unit.level == WR_ORACLE_LEVEL_TB;
    m->group = in->group;
    m->lines = in->lines;
    m->go = !in->half || !o->phase;
    m->req = c->moves;
    m->meta = c->unit.move_meta;
    m->out = c->unit.move_out;
    m->in = c->unit.move_in;
    m->home = c->unit.move_home;
    m->away = c->unit.move_away;
    m->point = in->point;
    m->kind_low = in->kind_low;
    m->kind_high = in->kind_high;
    memcpy(m->home_rdata, in->home_rdata, sizeof m->home_rdata);
    memcpy(m->away_rdata, in->away_rdata, sizeof m->away_rdata);

    /* Whose the kinds are follows from who asks; what the mover shows does not follow the ack. */
    c->mover = wr_oracle_mover_shows(&o->mover, m);
    c->kinds_for_reply = c->reply.kinds && !c->mover.kinds;
    m->kinds_ack = in->kinds_ack && !c->kinds_for_reply;
}

static void letter_to_reply(const wr_gpuduet_in *in, cycle *c)
{
    c->read = c->reply.read && !c->moves;
    c->write = c->reply.write && !c->moves && in->reply;
    c->reply_in = (wr_oracle_absent_pins){.cfg = c->begins,
                                          .move = c->unit.level == WR_ORACLE_LEVEL_WARP &&
                                                  (in->limits & REGISTERS) != 0,
                                          .group = in->group,
                                          .valid = in->reply,
                                          .warp = in->reply_warp,
                                          .reg = in->reply_reg,
                                          .find_ack = c->unit.find_ack,
                                          .find_valid = c->unit.find_valid,
                                          .find_state = c->unit.find_state,
                                          .find_reg = c->unit.find_reg,
                                          .find_meta = c->unit.find_meta,
                                          .read_ack = c->read,
                                          .head = in->head,
                                          .kinds_ack = in->kinds_ack && c->kinds_for_reply,
                                          .kind_low = in->kind_low,
                                          .kind_high = in->kind_high,
                                          .write_ack = c->write};
}

static void play(const wr_oracle_gpuduet *o, const wr_gpuduet_in *in, cycle *c)
{
    memset(c, 0, sizeof *c);
    c->reply = wr_oracle_absent_shows(&o->reply);
    letter_to_unit(o, in, c); /* for its state, level and move: the mover has not answered */
    c->begins = c->unit.state == WR_ORACLE_UNIT_TELL;
    c->moves = c->unit.move;
    letter_to_mover(o, in, c);
    letter_to_unit(o, in, c);
    letter_to_reply(in, c);
}

/* Outputs ------------------------------------------------------------------------------------ */

static void output_launch(const wr_duet_unit_out *u, wr_gpuduet_out *out)
{
    out->state = u->state;
    out->extra = u->extra;
    out->level = u->level;
    out->searching = u->searching;
    out->mc = u->mc;
    out->bound = u->bound;
    out->me = u->me;
    out->bypass = u->bypass;
    out->tbs = u->tbs;
}

static void output_tbs(const wr_duet_unit_out *u, wr_gpuduet_out *out)
{
    out->hold = u->hold;
    out->job = u->job;
    out->place = u->place;
    out->kind = u->kind;
    out->ask = u->ask;
    out->tb = u->tb;
    out->warp = u->warp;
    out->row = u->row;
    out->meta = u->meta;
    out->smem = u->smem;
    out->slot = u->slot;
    out->enter = u->enter;
    out->arrive = u->arrive;
    out->left = u->left;
    out->gone = u->gone;
}

static void output_switch(const wr_duet_unit_out *u, wr_gpuduet_out *out)
{
    out->op = u->op;
    out->out_id = u->out_id;
    out->in_id = u->in_id;
    out->move = u->move;
    out->move_meta = u->move_meta;
    out->move_out = u->move_out;
    out->move_in = u->move_in;
    out->move_home = u->move_home;
    out->move_away = u->move_away;
    out->away = u->away;
    out->back = u->back;
    out->moved_id = u->moved_id;
    out->moved_row = u->moved_row;
    out->moved_meta = u->moved_meta;
    out->entry_op = u->entry_op;
    out->entry_id = u->entry_id;
    out->entry_state = u->entry_state;
}

static void output_mover(const wr_oracle_mover_shown *m, wr_gpuduet_out *out)
{
    out->mover_state = (uint8_t)m->state;
    out->move_ack = m->ack;
    out->home_rd = m->home_rd;
    out->home_raddr = (uint16_t)m->home_raddr;
    out->home_wr = m->home_wr;
    out->home_waddr = (uint16_t)m->home_waddr;
    out->home_part = (uint8_t)m->home_part;
    memcpy(out->home_wdata, m->home_wdata, sizeof out->home_wdata);
    out->away_rd = m->away_rd;
    out->away_wr = m->away_wr;
    out->away_addr = (uint16_t)m->away_addr;
    memcpy(out->away_wdata, m->away_wdata, sizeof out->away_wdata);
}

static void output_kinds(const cycle *c, wr_gpuduet_out *out)
{
    out->kinds = c->mover.kinds || c->reply.kinds;
    out->kinds_point = c->kinds_for_reply ? c->reply.point : c->mover.kinds_point;
}

static void output_reply(const cycle *c, const wr_gpuduet_in *in, wr_gpuduet_out *out)
{
    const wr_oracle_absent_shown *r = &c->reply;

    out->reply_state = (uint8_t)r->state;
    out->read = c->read;
    if (c->read) {
        out->read_line = (uint16_t)r->read_line;
    }
    out->write = c->write;
    if (c->write) {
        out->write_line = (uint16_t)r->write_line;
        out->write_word = (uint8_t)r->write_word;
    }
    out->last = r->last && in->reply && (c->write || r->state == WR_ORACLE_ABSENT_DROP);
}

void wr_oracle_gpuduet_output(const wr_oracle_gpuduet *o, const wr_gpuduet_in *in,
                              wr_gpuduet_out *out)
{
    cycle c;

    play(o, in, &c);
    memset(out, 0, sizeof *out);
    output_launch(&c.unit, out);
    output_tbs(&c.unit, out);
    output_switch(&c.unit, out);
    output_mover(&c.mover, out);
    output_kinds(&c, out);
    output_reply(&c, in, out);
    out->fault = c.unit.fault || c.mover.fault || c.reply.fault;
}

/* The clock ---------------------------------------------------------------------------------- */

void wr_oracle_gpuduet_clock(wr_oracle_gpuduet *o, const wr_gpuduet_in *in)
{
    cycle c;

    play(o, in, &c);
    if (c.begins) {
        o->phase = true;
    } else if (c.moves) {
        o->phase = !o->phase;
    }
    wr_oracle_unit_clock(&o->unit, &c.unit_in);
    wr_oracle_mover_clock(&o->mover, &c.mover_in);
    wr_oracle_absent_clock(&o->reply, &c.reply_in);
}
