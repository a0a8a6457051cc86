/* SPDX-License-Identifier: Apache-2.0 */
/* Data of loads that come for absent warps (D8): one register at a time, by the block absent_reply,
 * which asks the unit's tables, the metadata and the compiler's kinds where it is to be written.
 *
 * The storage has one port: while a context moves nothing is read and nothing written.
 */
#include "systems/duet/state.h"

#include <string.h>

enum { LINE_WORDS = WR_DUET_LINE / 4 };

/* The register whose data are next; false: there is none. */
static bool pick(wr_duet_sm *u)
{
    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t left = u->loaded.bits[half]; left != 0; left &= left - 1) {
            const uint32_t warp = half * 64 + (uint32_t)__builtin_ctzll(left);
            const uint64_t regs = u->landed[warp] & u->flying[warp];

            if (wr_duet_leaving(u, warp)) {
                continue;
            }
            if (wr_duet_has(&u->away, warp) && regs != 0) {
                u->reply_in.warp = (uint8_t)warp;
                u->reply_in.regno = (uint8_t)__builtin_ctzll(regs);
                return true;
            }
            wr_duet_drop(&u->loaded, warp); /* it came back with its TB */
        }
    }
    return false;
}

void wr_duet_reply_begin(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const bool cfg = u->starts;
    const bool goes_on = u->reply_in.valid && wr_duet_has(&u->away, u->reply_in.warp);

    u->reply_in = (wr_absent_reply_in){.cfg = cfg,
                                       .move = wr_duet_registers_move(d),
                                       .group = wr_duet_group(&d->shape),
                                       .warp = u->reply_in.warp,
                                       .regno = u->reply_in.regno};
    if (u->reply_out.state == WR_ABSENT_REPLY_IDLE) {
        u->reply_in.valid = !cfg && pick(u);
    } else {
        u->reply_in.valid = goes_on;
    }
    u->replies = cfg || u->reply_in.valid || u->reply_out.state != WR_ABSENT_REPLY_IDLE;
    u->in.find = u->reply_out.find;
    u->in.find_id = u->reply_out.find_id;
}

/* The words of the register that belong into this line. */
static void write_words(wr_duet_sm *u)
{
    const wr_absent_reply_out *o = &u->reply_out;
    const uint32_t *lanes = u->values[u->reply_in.warp][u->reply_in.regno];
    const uint32_t fit = LINE_WORDS - o->write_word;
    uint8_t *line = wr_duet_line(u, o->write_line);

    if (o->state == WR_ABSENT_REPLY_REST) {
        memcpy(line, lanes + fit, (size_t)4 * o->write_word);
    } else {
        memcpy(line + (size_t)4 * o->write_word, lanes, (size_t)4 * fit);
    }
}

static void ended(wr_duet_sm *u)
{
    const uint32_t warp = u->reply_in.warp;
    const uint64_t reg = UINT64_C(1) << u->reply_in.regno;

    u->flying[warp] &= ~reg;
    u->landed[warp] &= ~reg;
    if ((u->landed[warp] & u->flying[warp]) == 0) {
        u->landed[warp] = 0;
        wr_duet_drop(&u->loaded, warp);
    }
    wr_duet_set_free(u, warp);
    u->counts.replies++;
}

void wr_duet_reply_answer(wr_duet_sm *u)
{
    const wr_absent_reply_out *o = &u->reply_out;
    wr_absent_reply_in *in = &u->reply_in;

    if (!u->replies) {
        return;
    }
    in->find_ack = u->out.find_ack;
    in->find_valid = u->out.find_valid;
    in->find_state = u->out.find_state;
    in->find_reg = u->out.find_reg;
    in->find_meta = u->out.find_meta;
    if (o->read && !u->out.move) {
        in->read_ack = true;
        memcpy(&in->head, wr_duet_line(u, o->read_line), sizeof in->head);
    }
    if (o->kinds) {
        in->kinds_ack = true;
        wr_duet_kinds(&u->duet->shape, o->point, &in->kind_low, &in->kind_high);
    }
    if (o->write && !u->out.move && in->valid) {
        in->write_ack = true;
        write_words(u);
    }
    if (o->last && in->valid && (!o->write || in->write_ack)) {
        ended(u);
    }
    wr_absent_reply_port_tick(&u->reply, in);
    wr_absent_reply_port_eval(&u->reply, in, &u->reply_out);
}
