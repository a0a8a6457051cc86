/* SPDX-License-Identifier: Apache-2.0 */
/* absent_reply, step by step: see the header. */
#include "refmodel/duet/absent_reply.h"

#include <string.h>

enum { LINE_WORDS = 32, POINT_AT = 8 };

wr_status wr_absent_reply_init(wr_absent_reply *s, const wr_absent_reply_cfg *cfg)
{
    if (!wr_absent_reply_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_absent_reply_reset(s);
    return WR_OK;
}

void wr_absent_reply_reset(wr_absent_reply *s)
{
    const wr_absent_reply_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_absent_reply_eval(const wr_absent_reply *s, const wr_absent_reply_in *in,
                          wr_absent_reply_out *out)
{
    (void)in; /* no output of this block is combinational */
    *out = (wr_absent_reply_out){.state = s->state_q, .fault = s->fault_q};
    switch (s->state_q) {
    case WR_ABSENT_REPLY_FIND:
        out->find = true;
        out->find_id = s->warp_q;
        break;
    case WR_ABSENT_REPLY_READ:
        out->read = true;
        out->read_line = s->meta_q;
        break;
    case WR_ABSENT_REPLY_KIND:
        out->kinds = true;
        out->point = s->point_q;
        break;
    case WR_ABSENT_REPLY_WRITE:
    case WR_ABSENT_REPLY_REST:
        out->write = true;
        out->write_line = s->line_q;
        out->write_word = s->word_q;
        out->last = s->state_q == WR_ABSENT_REPLY_REST || s->word_q == 0;
        break;
    case WR_ABSENT_REPLY_DROP:
        out->last = true;
        break;
    default:
        break;
    }
}

static void fail(wr_absent_reply *s)
{
    s->fault_q = true;
    s->state_q = WR_ABSENT_REPLY_IDLE;
}

static void configure(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    const uint8_t group = in->group & 3u;
    const bool known = group <= WR_ABSENT_REPLY_LANES_32;

    s->move_q = in->move;
    s->group_q = known ? group : (uint8_t)WR_ABSENT_REPLY_LANES_32;
    s->fault_q = s->fault_q || !known;
}

static void begin(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    s->warp_q = in->warp & 0x7fu;
    s->regno_q = in->regno & 0x3fu;
    if (s->regno_q < s->cfg.regs) {
        s->state_q = WR_ABSENT_REPLY_FIND;
    } else {
        fail(s);
    }
}

static void found(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    if (!in->find_valid || (in->find_state & 3u) != WR_ABSENT_REPLY_ABSENT) {
        fail(s);
        return;
    }
    s->base_q = in->find_reg % WR_ABSENT_REPLY_ADDRESSES;
    s->meta_q = in->find_meta % WR_ABSENT_REPLY_ADDRESSES;
    if (s->move_q) {
        s->state_q = WR_ABSENT_REPLY_READ;
    } else {
        s->line_q = (uint16_t)((s->base_q + s->regno_q) % WR_ABSENT_REPLY_ADDRESSES);
        s->word_q = 0;
        s->state_q = WR_ABSENT_REPLY_WRITE;
    }
}

static void pointed(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    s->point_q = in->head >> POINT_AT;
    if (s->point_q != 0) {
        s->state_q = WR_ABSENT_REPLY_KIND;
    } else {
        fail(s);
    }
}

static uint32_t kind_of(const wr_absent_reply_in *in, uint32_t reg)
{
    return (uint32_t)(in->kind_low >> reg & 1u) | (uint32_t)(in->kind_high >> reg & 1u) << 1;
}

static void counted(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    const uint32_t kind = kind_of(in, s->regno_q);

    if (kind == 0) {
        s->state_q = WR_ABSENT_REPLY_DROP;
        return;
    }
    if (kind != WR_ABSENT_REPLY_WHOLE) {
        fail(s);
        return;
    }
    memset(s->before_q, 0, sizeof s->before_q);
    for (uint32_t r = 0; r < s->regno_q; r++) {
        s->before_q[kind_of(in, r)]++;
    }
    s->state_q = WR_ABSENT_REPLY_SUM;
}

static void add_up(wr_absent_reply *s)
{
    const uint32_t groups = 4u >> s->group_q;
    const uint32_t words = groups * (s->before_q[1] + 2u * s->before_q[2]) +
                           (uint32_t)WR_ABSENT_REPLY_LANES * s->before_q[WR_ABSENT_REPLY_WHOLE];

    s->line_q = (uint16_t)((s->base_q + words / LINE_WORDS) % WR_ABSENT_REPLY_ADDRESSES);
    s->word_q = (uint8_t)(words % LINE_WORDS);
    s->state_q = WR_ABSENT_REPLY_WRITE;
}

static void written(wr_absent_reply *s)
{
    if (s->state_q == WR_ABSENT_REPLY_WRITE && s->word_q != 0) {
        s->line_q = (uint16_t)((s->line_q + 1u) % WR_ABSENT_REPLY_ADDRESSES);
        s->state_q = WR_ABSENT_REPLY_REST;
    } else {
        s->state_q = WR_ABSENT_REPLY_IDLE;
    }
}

/* The step under way, of a reply that stands. */
static void go_on(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    switch (s->state_q) {
    case WR_ABSENT_REPLY_FIND:
        if (in->find_ack) {
            found(s, in);
        }
        break;
    case WR_ABSENT_REPLY_READ:
        if (in->read_ack) {
            pointed(s, in);
        }
        break;
    case WR_ABSENT_REPLY_KIND:
        if (in->kinds_ack) {
            counted(s, in);
        }
        break;
    case WR_ABSENT_REPLY_SUM:
        add_up(s);
        break;
    case WR_ABSENT_REPLY_DROP:
        s->state_q = WR_ABSENT_REPLY_IDLE;
        break;
    default:
        if (in->write_ack) {
            written(s);
        }
        break;
    }
}

void wr_absent_reply_tick(wr_absent_reply *s, const wr_absent_reply_in *in)
{
    const uint8_t state = s->state_q;
    const bool idle = state == WR_ABSENT_REPLY_IDLE;
    const bool writes = state == WR_ABSENT_REPLY_WRITE || state == WR_ABSENT_REPLY_REST;

    s->fault_q = s->fault_q || (in->cfg && !idle) ||
                 (in->find_ack && state != WR_ABSENT_REPLY_FIND) ||
                 (in->read_ack && state != WR_ABSENT_REPLY_READ) ||
                 (in->kinds_ack && state != WR_ABSENT_REPLY_KIND) || (in->write_ack && !writes);
    if (idle && in->cfg) {
        configure(s, in);
    } else if (!in->valid) {
        s->state_q = WR_ABSENT_REPLY_IDLE;
    } else if (idle) {
        begin(s, in);
    } else {
        go_on(s, in);
    }
}
