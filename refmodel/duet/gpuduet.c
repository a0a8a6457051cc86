/* SPDX-License-Identifier: Apache-2.0 */
/* gpuduet: see the header. What the reply says follows from its state, what the unit says not from
 * the ack of a move; so the pins settle in the order reply, unit, mover.
 */
#include "refmodel/duet/gpuduet.h"

#include "refmodel/duet/unit_wires.h"
#include "refmodel/skip.h"

#include <string.h>

enum { LANES = 32 };

/* Inputs and outputs of all parts in one cycle. */
typedef struct wires {
    wr_duet_unit_in unit_in;
    wr_unit_wires unit;
    wr_context_mover_in mover_in;
    wr_context_mover_out mover;
    wr_absent_reply_in reply_in;
    wr_absent_reply_out reply;
    bool moves, reads, writes;
} wires;

wr_status wr_gpuduet_init(wr_gpuduet *s, const wr_gpuduet_cfg *cfg)
{
    const wr_duet_unit_cfg unit = {.reg_units = cfg->reg_units,
                                   .smem_units = cfg->smem_units,
                                   .l1_units = cfg->l1_units,
                                   .warps = cfg->warps,
                                   .tbs = cfg->tbs,
                                   .slots = cfg->slots,
                                   .st_lines = cfg->st_lines};
    const wr_context_mover_cfg mover = {
        .regs = cfg->regs, .lanes = LANES, .st_lines = cfg->st_lines};
    const wr_absent_reply_cfg reply = {.regs = cfg->regs};

    if (!wr_gpuduet_cfg_ok(cfg) || wr_duet_unit_init(&s->unit, &unit) != WR_OK ||
        wr_context_mover_init(&s->mover, &mover) != WR_OK ||
        wr_absent_reply_init(&s->reply, &reply) != WR_OK) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    s->phase_q = false;
    return WR_OK;
}

void wr_gpuduet_reset(wr_gpuduet *s)
{
    s->phase_q = false;
    wr_duet_unit_reset(&s->unit);
    wr_context_mover_reset(&s->mover);
    wr_absent_reply_reset(&s->reply);
}

static bool begins(const wr_gpuduet *s)
{
    return s->unit.state_q == WR_DUET_UNIT_TELL;
}

static void settle_unit(const wr_gpuduet *s, const wr_gpuduet_in *in, wires *p)
{
    wr_gpuduet_to_duet_unit(in, &p->unit_in);
    p->unit_in.find = p->reply.find;
    p->unit_in.find_id = p->reply.find_id;
    wr_unit_settle(&s->unit, &p->unit_in, &p->unit);
    p->moves = p->unit.csl.move;
}

/* Of the mover's inputs those that it looks at. */
static void settle_mover(const wr_gpuduet *s, const wr_gpuduet_in *in, wires *p)
{
    const wr_context_switch_logic_out *c = &p->unit.csl;
    wr_context_mover_in *m = &p->mover_in;

    m->cfg = begins(s);
    m->req = p->moves;
    m->go = !in->half || !s->phase_q;
    if (p->moves) {
        m->meta = c->move_meta;
        m->out = c->move_out;
        m->in = c->move_in;
        m->home = c->move_home;
        m->away = c->move_away;
        m->point = in->point;
        m->kind_low = in->kind_low;
        m->kind_high = in->kind_high;
        memcpy(m->home_rdata, in->home_rdata, sizeof m->home_rdata);
        memcpy(m->away_rdata, in->away_rdata, sizeof m->away_rdata);
    }
    if (m->cfg) {
        m->tb = c->level == WR_CSL_TB;
        m->group = in->group;
        m->lines = in->lines;
    }
    wr_context_mover_eval(&s->mover, m, &p->mover);
    m->kinds_ack = in->kinds_ack && (p->mover.kinds || !p->reply.kinds);
    p->unit.csl_in.move_ack = p->mover.ack;
}

static void settle(const wr_gpuduet *s, const wr_gpuduet_in *in, wires *p)
{
    p->unit_in = (wr_duet_unit_in){0};
    p->reply_in = (wr_absent_reply_in){.valid = in->reply};
    wr_absent_reply_eval(&s->reply, &p->reply_in, &p->reply);
    settle_unit(s, in, p);
    settle_mover(s, in, p);
    p->reads = p->reply.read && !p->moves;
    p->writes = p->reply.write && !p->moves;
}

/* What the reply is told. */
static void answer_reply(const wr_gpuduet *s, const wr_gpuduet_in *in, wires *p)
{
    const wr_unit_wires *u = &p->unit;
    wr_absent_reply_in *r = &p->reply_in;

    r->cfg = begins(s);
    r->move = u->csl.level == WR_CSL_WARP && (in->limits & WR_CSL_LIMIT_REGISTERS) != 0;
    r->group = in->group;
    r->warp = in->reply_warp;
    r->regno = in->reply_reg;
    r->find_ack = u->found;
    r->find_valid = u->wct.look_valid;
    r->find_state = u->wct.look_state;
    r->find_reg = u->wct.look_reg_addr;
    r->find_meta = u->wct.look_meta_addr;
    r->read_ack = p->reads;
    r->head = in->head;
    r->kinds_ack = in->kinds_ack && p->reply.kinds && !p->mover.kinds;
    r->kind_low = in->kind_low;
    r->kind_high = in->kind_high;
    r->write_ack = p->writes && in->reply;
}

static void show_mover(const wr_context_mover_out *m, wr_gpuduet_out *out)
{
    out->mover_state = m->state;
    out->move_ack = m->ack;
    out->home_rd = m->home_rd;
    out->home_raddr = m->home_raddr;
    out->home_wr = m->home_wr;
    out->home_waddr = m->home_waddr;
    out->home_part = m->home_part;
    out->away_rd = m->away_rd;
    out->away_wr = m->away_wr;
    out->away_addr = m->away_addr;
    memcpy(out->home_wdata, m->home_wdata, sizeof out->home_wdata);
    memcpy(out->away_wdata, m->away_wdata, sizeof out->away_wdata);
}

static void show_reply(const wires *p, const wr_gpuduet_in *in, wr_gpuduet_out *out)
{
    const wr_absent_reply_out *r = &p->reply;

    out->reply_state = r->state;
    out->read = p->reads;
    out->read_line = p->reads ? r->read_line : 0;
    out->write = p->writes && in->reply;
    out->write_line = out->write ? r->write_line : 0;
    out->write_word = out->write ? r->write_word : 0;
    out->last = r->last && in->reply && (p->writes || !r->write);
}

void wr_gpuduet_eval(const wr_gpuduet *s, const wr_gpuduet_in *in, wr_gpuduet_out *out)
{
    wires p;
    wr_duet_unit_out unit;

    settle(s, in, &p);
    wr_unit_show(&s->unit, &p.unit_in, &p.unit, &unit);
    wr_gpuduet_show_duet_unit(&unit, out);
    show_mover(&p.mover, out);
    show_reply(&p, in, out);
    out->kinds = p.mover.kinds || p.reply.kinds;
    out->kinds_point = p.mover.kinds ? p.mover.kinds_point : p.reply.point;
    out->fault = unit.fault || p.mover.fault || p.reply.fault;
}

void wr_gpuduet_tick(wr_gpuduet *s, const wr_gpuduet_in *in)
{
    wires p;

    settle(s, in, &p);
    answer_reply(s, in, &p);
    s->phase_q = begins(s) || s->phase_q != p.moves;
    wr_unit_step(&s->unit, &p.unit_in, &p.unit);
    wr_context_mover_tick(&s->mover, &p.mover_in);
    wr_absent_reply_tick(&s->reply, &p.reply_in);
}

static void tick(void *s, const void *in)
{
    wr_gpuduet_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_gpuduet_eval(s, in, out);
}

/* Each cycle of the scanner's walk may do something. */
static uint64_t coast(void *s, const void *in, uint64_t most)
{
    (void)s;
    (void)in;
    (void)most;
    return 0;
}

static const wr_skip free_run = {sizeof(wr_gpuduet), sizeof(wr_gpuduet_out), tick, eval, coast};

void wr_gpuduet_skip(wr_gpuduet *s, const wr_gpuduet_in *in, uint64_t n)
{
    wr_gpuduet mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.tbs, n);
}

uint64_t wr_gpuduet_quiet(const wr_gpuduet *s, const wr_gpuduet_in *in)
{
    wr_gpuduet copy;
    wr_gpuduet other;
    wr_gpuduet_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &other, in, out);
}
