/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of absent_reply; see the header. */
#include "tests/oracle/absent_reply_oracle.h"

#include <string.h>

enum { WARP_LANES = 32, LINE_WORDS = 32, LINES = 4096, STATE_ABSENT = 2, KIND_ALL_LANES = 3 };

/* A place in memory. */
typedef struct place {
    unsigned line, word;
} place;

static unsigned lanes_of(unsigned group)
{
    if (group == 0) {
        return 8;
    }
    if (group == 1) {
        return 16;
    }
    return 32; /* 2, and 3 is taken as 2 */
}

static unsigned words_of(unsigned kind, unsigned lanes)
{
    unsigned words = 0;
    if (kind == KIND_ALL_LANES) {
        return WARP_LANES;
    }
    /* Kind is the number of words for a group. */
    for (unsigned lane = 0; lane < WARP_LANES; lane += lanes) {
        words += kind;
    }
    return words;
}

static void next_line(place *p)
{
    p->line++;
    if (p->line == LINES) {
        p->line = 0;
    }
}

static void next_word(place *p)
{
    p->word++;
    if (p->word == LINE_WORDS) {
        p->word = 0;
        next_line(p);
    }
}

/* Where the reply's register begins. */
static place first_word(const wr_oracle_absent *o)
{
    place p = {o->find_reg, 0};
    for (unsigned r = 0; r < o->reg; r++) {
        if (!o->move) {
            next_line(&p);
            continue;
        }
        for (unsigned w = 0; w < words_of(o->kind[r], o->lanes); w++) {
            next_word(&p);
        }
    }
    return p;
}

void wr_oracle_absent_reset(wr_oracle_absent *o, unsigned regs)
{
    memset(o, 0, sizeof *o);
    o->regs = regs;
    o->lanes = lanes_of(0);
    o->step = WR_ORACLE_ABSENT_IDLE;
}

wr_oracle_absent_shown wr_oracle_absent_shows(const wr_oracle_absent *o)
{
    wr_oracle_absent_shown s = {0};

    s.state = (unsigned)o->step;
    s.fault = o->fault;
    switch (o->step) {
    case WR_ORACLE_ABSENT_FIND:
        s.find = true;
        s.find_id = o->warp;
        break;
    case WR_ORACLE_ABSENT_READ:
        s.read = true;
        s.read_line = o->find_meta;
        break;
    case WR_ORACLE_ABSENT_KINDS:
        s.kinds = true;
        s.point = o->head >> 8;
        break;
    case WR_ORACLE_ABSENT_WRITE:
    case WR_ORACLE_ABSENT_REST: {
        place p = first_word(o);
        s.write = true;
        s.write_word = p.word;
        s.last = o->step == WR_ORACLE_ABSENT_REST || p.word == 0;
        if (o->step == WR_ORACLE_ABSENT_REST) {
            next_line(&p);
        }
        s.write_line = p.line;
        break;
    }
    case WR_ORACLE_ABSENT_DROP:
        s.last = true;
        break;
    case WR_ORACLE_ABSENT_IDLE:
    case WR_ORACLE_ABSENT_SUM:
        break;
    }
    return s;
}

static void take_launch(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    o->move = in->move;
    o->lanes = lanes_of(in->group);
    if (in->group == 3) {
        o->fault = true;
    }
}

/* Each of these gives the step behind the one that was answered; idle is to give up. */

static wr_oracle_absent_step take_reply(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    if (in->reg >= o->regs) {
        o->fault = true;
        return WR_ORACLE_ABSENT_IDLE;
    }
    o->warp = in->warp;
    o->reg = in->reg;
    return WR_ORACLE_ABSENT_FIND;
}

static wr_oracle_absent_step take_find(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    if (!in->find_valid || in->find_state != STATE_ABSENT) {
        o->fault = true;
        return WR_ORACLE_ABSENT_IDLE;
    }
    o->find_reg = in->find_reg;
    o->find_meta = in->find_meta;
    return o->move ? WR_ORACLE_ABSENT_READ : WR_ORACLE_ABSENT_WRITE;
}

static wr_oracle_absent_step take_head(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    if (in->head >> 8 == 0) {
        o->fault = true;
        return WR_ORACLE_ABSENT_IDLE;
    }
    o->head = in->head;
    return WR_ORACLE_ABSENT_KINDS;
}

static wr_oracle_absent_step take_kinds(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    for (unsigned r = 0; r < o->regs; r++) {
        o->kind[r] = 0;
        if ((in->kind_low >> r & 1) != 0) {
            o->kind[r] += 1;
        }
        if ((in->kind_high >> r & 1) != 0) {
            o->kind[r] += 2;
        }
    }
    if (o->kind[o->reg] == 0) {
        return WR_ORACLE_ABSENT_DROP;
    }
    if (o->kind[o->reg] != KIND_ALL_LANES) {
        o->fault = true;
        return WR_ORACLE_ABSENT_IDLE;
    }
    return WR_ORACLE_ABSENT_SUM;
}

void wr_oracle_absent_clock(wr_oracle_absent *o, const wr_oracle_absent_pins *in)
{
    const wr_oracle_absent_shown was = wr_oracle_absent_shows(o);
    wr_oracle_absent_step next = o->step;

    /* An ack that nobody asked for does nothing else; one that was asked for still counts. */
    if ((in->find_ack && !was.find) || (in->read_ack && !was.read) ||
        (in->kinds_ack && !was.kinds) || (in->write_ack && !was.write)) {
        o->fault = true;
    }

    if (o->step == WR_ORACLE_ABSENT_IDLE) {
        /* No reply is taken, nor looked at, in the cycle of a launch. */
        if (in->cfg) {
            take_launch(o, in);
        } else if (in->valid) {
            next = take_reply(o, in);
        }
        o->step = next;
        return;
    }

    if (in->cfg) {
        o->fault = true;
    }
    if (!in->valid) { /* withdrawn: nobody looks at an answer */
        o->step = WR_ORACLE_ABSENT_IDLE;
        return;
    }
    switch (o->step) {
    case WR_ORACLE_ABSENT_FIND:
        if (in->find_ack) {
            next = take_find(o, in);
        }
        break;
    case WR_ORACLE_ABSENT_READ:
        if (in->read_ack) {
            next = take_head(o, in);
        }
        break;
    case WR_ORACLE_ABSENT_KINDS:
        if (in->kinds_ack) {
            next = take_kinds(o, in);
        }
        break;
    case WR_ORACLE_ABSENT_SUM:
        next = WR_ORACLE_ABSENT_WRITE;
        break;
    case WR_ORACLE_ABSENT_WRITE:
    case WR_ORACLE_ABSENT_REST:
        if (in->write_ack) {
            next = was.last ? WR_ORACLE_ABSENT_IDLE : WR_ORACLE_ABSENT_REST;
        }
        break;
    case WR_ORACLE_ABSENT_DROP:
        next = WR_ORACLE_ABSENT_IDLE;
        break;
    case WR_ORACLE_ABSENT_IDLE:
        break;
    }
    o->step = next;
}
