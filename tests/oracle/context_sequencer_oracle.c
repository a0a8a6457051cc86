/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_sequencer: see the header. */
#include "tests/oracle/context_sequencer_oracle.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { KIND_SHARED, KIND_PREDS, KIND_STACK, KIND_CCB, KIND_PATTERNS, KIND_SLOT };

void wr_oracle_context_sequencer_reset(wr_oracle_context_sequencer *o, unsigned warps,
                                       unsigned addr_bits)
{
    memset(o, 0, sizeof *o);
    o->most_warps = warps;
    o->size = (uint64_t)1 << addr_bits;
}

const wr_oracle_seq_line *wr_oracle_context_sequencer_line(const wr_oracle_context_sequencer *o)
{
    return o->at == o->lines ? NULL : &o->line[o->at];
}

const wr_oracle_seq_line *wr_oracle_context_sequencer_request(const wr_oracle_context_sequencer *o)
{
    const wr_oracle_seq_line *line = wr_oracle_context_sequencer_line(o);

    if (line == NULL || line->what != WR_SEQ_REQUEST) {
        return NULL;
    }
    return line->kind == KIND_SHARED && o->wait != 0 ? NULL : line;
}

static uint64_t pad128(uint64_t bytes)
{
    while (bytes % 128 != 0) {
        bytes++;
    }
    return bytes;
}

static void add(wr_oracle_context_sequencer *o, wr_oracle_seq_line line)
{
    assert(o->lines < WR_ORACLE_SEQ_LINES);
    o->line[o->lines++] = line;
}

static void add_what(wr_oracle_context_sequencer *o, wr_oracle_seq_what what, unsigned warp)
{
    add(o, (wr_oracle_seq_line){.what = what, .warp = warp});
}

/* Byte after byte: a request ends where its segment or its piece does. */
static void add_piece(wr_oracle_context_sequencer *o, unsigned kind, uint64_t addr, unsigned bytes,
                      bool last)
{
    unsigned from = 0;

    for (unsigned b = 0; b < bytes; b++) {
        const bool ends = b + 1 == bytes;

        if (ends || (addr + b + 1) % 128 == 0) {
            add(o, (wr_oracle_seq_line){.what = WR_SEQ_REQUEST,
                                        .kind = kind,
                                        .addr = (addr + from) % o->size,
                                        .bytes = b + 1 - from,
                                        .offset = from,
                                        .last = last && ends,
                                        .of_warp = ends});
            from = b + 1;
        }
    }
}

static unsigned shared_bytes(const wr_oracle_context_sequencer *o)
{
    return o->op.keep_shared ? 0 : o->op.shared_bytes;
}

/* What stands in front of the slots: a segment of classes for a whole TB, else pattern vectors. */
static unsigned front(const wr_oracle_context_sequencer *o)
{
    return o->op.whole ? 128 : (unsigned)pad128(16u * o->op.warps);
}

static uint64_t regs_room(const wr_oracle_context_sequencer *o)
{
    return pad128(16u * o->op.warps) + 128ull * o->op.warps * o->op.slot_segs;
}

static uint64_t stack_room(const wr_oracle_context_sequencer *o)
{
    return pad128(32u * o->op.warps) + 384ull * o->op.warps;
}

static void write_save(wr_oracle_context_sequencer *o)
{
    const unsigned warps = o->op.warps;

    add_piece(o, KIND_SHARED, o->part[1], shared_bytes(o), false);
    add_what(o, WR_SEQ_TICK, 0);
    add_piece(o, KIND_PREDS, o->part[2], 32 * warps, false);
    add_what(o, WR_SEQ_ZERO, 0);
    for (unsigned w = 0; w < warps; w++) {
        add_what(o, WR_SEQ_STACK, w);
    }
    add_what(o, WR_SEQ_TICK, 0);
    add_piece(o, KIND_CCB, o->op.ccb_addr, 24, o->op.keep_regs);
    add_what(o, WR_SEQ_TICK, 0);
    if (!o->op.keep_regs) {
        add_piece(o, KIND_PATTERNS, o->part[0], front(o), true);
    }
    add_what(o, WR_SEQ_TICK, 0);
    add_what(o, WR_SEQ_DONE, 0);
}

static void write_restore(wr_oracle_context_sequencer *o)
{
    add_piece(o, KIND_CCB, o->op.ccb_addr, 24, false);
    add_what(o, WR_SEQ_TICK, 0);
    add_what(o, WR_SEQ_CCB, 0);
}

/* Behind the CCB entry. */
static void write_rest(wr_oracle_context_sequencer *o)
{
    const unsigned warps = o->op.warps;

    if (!o->op.keep_regs) {
        add_piece(o, KIND_PATTERNS, o->part[0], o->op.whole ? 36 : 16 * warps, false);
    }
    add_what(o, WR_SEQ_TICK, 0);
    add_piece(o, KIND_PREDS, o->part[2], 32 * warps, false);
    add_what(o, WR_SEQ_TICK, 0);
    add_piece(o, KIND_SHARED, o->part[1], shared_bytes(o), false);
    add_what(o, WR_SEQ_TICK, 0);
    add_what(o, WR_SEQ_META, 0);
    for (unsigned w = 0; w < warps; w++) {
        add_what(o, WR_SEQ_STACK, w);
    }
    if (o->op.keep_regs) {
        add_what(o, WR_SEQ_TICK, 0);
    } else {
        add_what(o, WR_SEQ_ZERO, 0);
        for (unsigned w = 0; w < warps; w++) {
            add_what(o, WR_SEQ_SLOT, w);
        }
        add_what(o, WR_SEQ_TICK, 0);
    }
    add_what(o, WR_SEQ_DONE, 0);
}

static void start(wr_oracle_context_sequencer *o, const wr_oracle_seq_pins *in)
{
    if (in->warps < 1 || in->warps > o->most_warps || in->slot_segs > 64 ||
        in->shared_bytes > 48 * 1024) {
        o->fault = true;
        return;
    }
    o->op = *in;
    o->op.ccb_addr %= o->size;
    o->op.low %= o->size / 128;
    o->op.high %= o->size / 128;
    o->part[0] = in->base * 128 % o->size;
    o->part[1] = (o->part[0] + regs_room(o)) % o->size;
    o->part[2] = (o->part[1] + pad128(in->shared_bytes)) % o->size;
    o->at = o->lines = 0;
    o->damage = 0;
    o->known = false;
    add_what(o, WR_SEQ_TICK, 0); /* layout */
    if (in->op) {
        write_restore(o);
    } else {
        write_save(o);
    }
}

static void damaged(wr_oracle_context_sequencer *o, unsigned what)
{
    o->damage = what;
    o->at = o->lines = 0;
    add_what(o, WR_SEQ_DONE, 0);
    o->damages++;
}

static bool inside(const wr_oracle_context_sequencer *o, uint64_t pointer, uint64_t room)
{
    return pointer != 0 && pointer % 128 == 0 && pointer < o->size && pointer >= o->op.low * 128 &&
           pointer + room <= (o->op.high + 1) * 128;
}

static void read_ccb(wr_oracle_context_sequencer *o, const uint64_t *ptr)
{
    uint64_t regs = ptr[0];

    if (o->op.whole && !o->op.keep_regs && regs % 2 == 1) {
        regs--; /* the bit says that it is one */
    } else {
        o->op.whole = false;
    }
    if (o->op.keep_regs ? regs != 0 : !inside(o, regs, regs_room(o))) {
        damaged(o, 1);
    } else if (shared_bytes(o) == 0 ? ptr[1] != 0
                                    : !inside(o, ptr[1], pad128(o->op.shared_bytes))) {
        damaged(o, 2);
    } else if (!inside(o, ptr[2], stack_room(o))) {
        damaged(o, 3);
    } else {
        o->part[0] = regs;
        o->part[1] = ptr[1];
        o->part[2] = ptr[2];
        o->at = o->lines = 0;
        o->known = true;
        write_rest(o);
    }
}

/* A warp's piece takes the place of the line that asked for it. */
static void put_piece(wr_oracle_context_sequencer *o, unsigned kind, uint64_t addr, unsigned bytes)
{
    wr_oracle_seq_line rest[128];
    const unsigned behind = o->lines - o->at - 1;

    assert(behind <= 128);
    memcpy(rest, &o->line[o->at + 1], behind * sizeof rest[0]);
    o->at = o->lines = 0;
    add_piece(o, kind, addr, bytes, false);
    o->warp += bytes == 0;
    for (unsigned i = 0; i < behind; i++) {
        add(o, rest[i]);
    }
}

static void ask_stack(wr_oracle_context_sequencer *o, unsigned warp, unsigned depth)
{
    if (depth > 32 && o->op.op) {
        damaged(o, 4);
        return;
    }
    o->fault = o->fault || depth > 32;
    unsigned bytes = 12 * (depth > 32 ? 32 : depth);

    while (!o->op.op && bytes % 32 != 0) { /* written in whole sectors */
        bytes++;
    }
    put_piece(o, KIND_STACK, o->part[2] + pad128(32 * o->op.warps) + 384ull * warp, bytes);
}

static void ask_slot(wr_oracle_context_sequencer *o, unsigned warp, unsigned depth, unsigned bytes)
{
    if (bytes > 128 * o->op.slot_segs) {
        damaged(o, 5);
    } else if (bytes != 0 && depth == 0) {
        damaged(o, 6);
    } else {
        put_piece(o, KIND_SLOT, o->part[0] + front(o) + 128ull * o->op.slot_segs * warp, bytes);
    }
}

void wr_oracle_context_sequencer_clock(wr_oracle_context_sequencer *o, const wr_oracle_seq_pins *in)
{
    const wr_oracle_seq_line *line = wr_oracle_context_sequencer_line(o);
    const bool taken = wr_oracle_context_sequencer_request(o) != NULL && in->req_ready;

    o->wait -= o->wait != 0;
    if (in->start && line == NULL) {
        start(o, in);
    }
    o->fault = o->fault || (in->start && line != NULL) ||
               (in->ccb_valid && (line == NULL || line->what != WR_SEQ_CCB)) ||
               (in->meta_done && (line == NULL || line->what != WR_SEQ_META));
    if (line == NULL) {
        return;
    }
    switch (line->what) {
    case WR_SEQ_REQUEST:
        if (taken) {
            const bool warps = line->kind == KIND_STACK || line->kind == KIND_SLOT;

            o->wait = line->kind == KIND_SHARED && !o->op.op ? o->op.pace : o->wait;
            o->warp += line->of_warp && warps;
            o->requests++;
            o->at++;
        }
        break;
    case WR_SEQ_TICK:
        o->known = o->known || !o->op.op;
        o->at++;
        break;
    case WR_SEQ_ZERO:
        o->warp = 0;
        o->at++;
        break;
    case WR_SEQ_STACK:
        ask_stack(o, line->warp, in->depth);
        break;
    case WR_SEQ_SLOT:
        ask_slot(o, line->warp, in->depth, in->slot_bytes);
        break;
    case WR_SEQ_CCB:
        if (in->ccb_valid) {
            read_ccb(o, in->ptr);
        }
        break;
    case WR_SEQ_META:
        if (in->meta_done) {
            o->warp = 0;
            o->at++;
        }
        break;
    default:
        o->saves += !o->op.op;
        o->restores += o->op.op && o->damage == 0;
        o->at++;
        break;
    }
}
