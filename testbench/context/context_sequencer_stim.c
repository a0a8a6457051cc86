/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_sequencer: one operation after the other, with parts that stay in place,
 * areas that just fit and just do not, CCB entries across a segment, and damaged pointers, depths
 * and sizes. It counts the bytes that are asked for, so it knows when a restore waits. The first
 * operation is a save of one warp without a wait, which the block's page shows. */
#include "refmodel/gen/context_sequencer_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

#include <string.h>

enum {
    FAULT_BUSY = 1,
    FAULT_NO_WARP,
    FAULT_WARPS,
    FAULT_SLOT,
    FAULT_SHARED,
    FAULT_CCB,
    FAULT_META,
    FAULT_DEPTH
};
static const char *const fault_names[] = {
    NULL,
    "start while busy",
    "no warp",
    "more warps than Warps",
    "slot above 64 segments",
    "shared memory above 48 KiB",
    "CCB entry that nobody waits for",
    "meta_done that nobody waits for",
    "save of a stack above 32",
};
enum { FAULT_KINDS = sizeof fault_names / sizeof fault_names[0] - 1 };

enum { REGS, SHARED, STACK };
enum { SHOWN = 24 }; /* cycles of the first save */

typedef struct state {
    wr_context_sequencer_cfg cfg;
    wr_rng rng;
    wr_gate consume;
    wr_faults faults;
    wr_context_sequencer_in op; /* of the operation under way */
    wr_context_sequencer_in last;
    bool directed;
    bool spoil_stack; /* this operation meets a bad depth or size */
    bool spoil_pointer;
    uint32_t to_ask; /* bytes of the present phase that are not asked for */
    uint32_t delay;  /* cycles until its answer */
    uint32_t phase;  /* 0 CCB, 1 meta, 2 the rest */
} state;

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    memset(s, 0, sizeof *s);
    s->directed = with_directed;
    s->cfg = *(const wr_context_sequencer_cfg *)cfg;
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
}

static uint64_t seg_mask(const state *s)
{
    return (UINT64_C(1) << (s->cfg.addr_bits - 7)) - 1;
}

static uint32_t shared_bytes(const wr_context_sequencer_in *op)
{
    return op->keep_shared ? 0 : op->shared_bytes;
}

static uint32_t room(const wr_context_sequencer_in *op, uint32_t part)
{
    const uint32_t warps = op->warps;

    return part == REGS     ? (warps + 7) / 8 + warps * op->slot_segs
           : part == SHARED ? (op->shared_bytes + 127u) / 128
                            : (warps + 3) / 4 + 3 * warps;
}

static uint32_t some_shared(wr_rng *r)
{
    static const uint16_t edges[] = {0, 1, 127, 128, 129, 1128};

    return wr_rng_chance(r, 60)   ? edges[wr_rng_below(r, 6)]
           : wr_rng_chance(r, 95) ? wr_rng_below(r, 2000)
           : wr_rng_chance(r, 50) ? 49152 - wr_rng_below(r, 2)
                                  : 1u << wr_rng_below(r, 16);
}

static void new_op(state *s)
{
    wr_rng *r = &s->rng;
    wr_context_sequencer_in *op = &s->op;

    memset(op, 0, sizeof *op);
    op->start = true;
    op->op = wr_rng_chance(r, 50);
    op->warps = (uint8_t)(wr_rng_chance(r, 20) ? s->cfg.warps : 1 + wr_rng_below(r, s->cfg.warps));
    op->slot_segs = (uint8_t)(wr_rng_chance(r, 70) ? wr_rng_below(r, 5) : wr_rng_below(r, 65));
    op->shared_bytes = (uint16_t)some_shared(r);
    op->keep_regs = wr_rng_chance(r, 25);
    op->keep_shared = wr_rng_chance(r, 25);
    op->whole = wr_rng_chance(r, 40);
    op->pace = (uint8_t)(wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 32));
    op->ccb_addr = wr_rng_u64(r) & (wr_rng_chance(r, 90) ? 0xfffffffffff8u : 0xffffffffffffu);
    op->base = wr_rng_u64(r) & 0x1ffffffffffu;
    op->low = wr_rng_chance(r, 25) ? 0 : wr_rng_below(r, 1u << 10);
    op->high = wr_rng_chance(r, 50) ? seg_mask(s) - wr_rng_below(r, 1u << 10)
                                    : op->low + 4096 + wr_rng_below(r, 1u << 15);
    s->spoil_stack = wr_rng_chance(r, 25);
    s->spoil_pointer = wr_rng_chance(r, 25);
    s->phase = 0;
    s->to_ask = 24;
    s->delay = 2 + wr_rng_below(r, 4);
}

/* One warp, shared memory in two segments, a CCB entry across two. */
static void first_op(state *s)
{
    new_op(s);
    s->op.op = false;
    s->op.warps = 1;
    s->op.slot_segs = 2;
    s->op.shared_bytes = 200;
    s->op.keep_regs = false;
    s->op.keep_shared = false;
    s->op.whole = false;
    s->op.pace = 0;
    s->op.ccb_addr = 0x878;
    s->op.base = 0x20;
}

static bool none(const wr_context_sequencer_in *op, uint32_t part)
{
    return part == REGS ? op->keep_regs : part == SHARED && shared_bytes(op) == 0;
}

static void answer_ccb(state *s, wr_context_sequencer_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t bad = s->spoil_pointer ? wr_rng_below(r, 3) : 3;

    in->ccb_valid = true;
    for (uint32_t p = 0; p < 3; p++) {
        const uint64_t least = s->op.low != 0 ? s->op.low : 1;
        const uint64_t most = (s->op.high & seg_mask(s)) + 1 - room(&s->op, p);
        const uint64_t bit = UINT64_C(1) << wr_rng_below(r, s->cfg.addr_bits - 7);
        const bool fits = bit >= least && bit <= most;
        const uint64_t seg = wr_rng_chance(r, 30)           ? least
                             : wr_rng_chance(r, 40)         ? most
                             : fits && wr_rng_chance(r, 50) ? bit
                                                            : least + wr_rng_below(r, 1000);
        in->ptr[p] = none(&s->op, p) ? 0 : seg * 128;
        if (p == bad) {
            const uint32_t how = wr_rng_below(r, 6);
            in->ptr[p] = how == 0   ? (most + 1) * 128
                         : how == 1 ? (least - 1) * 128
                         : how == 2 ? in->ptr[p] ^ UINT64_C(1) << wr_rng_below(r, 7)
                         : how == 3 ? in->ptr[p] ^ UINT64_C(1) << wr_rng_below(r, 64)
                         : how == 4 ? 0
                                    : wr_rng_u64(r);
        }
    }
    bool whole = !s->op.keep_regs && wr_rng_chance(r, s->op.whole ? 60 : 2);

    in->ptr[REGS] |= whole;
    whole = s->op.whole && !s->op.keep_regs && in->ptr[REGS] % 2 != 0;
    s->phase = 1;
    s->to_ask = (s->op.keep_regs ? 0
                 : whole         ? 36u
                                 : 16u * s->op.warps) +
                32u * s->op.warps + shared_bytes(&s->op);
    s->delay = 8 + wr_rng_below(r, 4);
}

static void spoil_start(state *s, wr_context_sequencer_in *in, uint32_t kind)
{
    if (kind == FAULT_NO_WARP) {
        in->warps = 0;
    } else if (kind == FAULT_WARPS) {
        in->warps = (uint8_t)(s->cfg.warps + 1 + wr_rng_below(&s->rng, 63 - s->cfg.warps));
    } else if (kind == FAULT_SLOT) {
        in->slot_segs = (uint8_t)(65 + wr_rng_below(&s->rng, 63));
    } else if (kind == FAULT_SHARED) {
        in->shared_bytes = (uint16_t)(49153 + wr_rng_below(&s->rng, 16383));
    }
}

/* Depth and size of a warp; a save that may not fault has no bad depth. */
static void answer_warp(state *s, wr_context_sequencer_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t slot = s->op.slot_segs * 128u;
    const bool spoilt = s->spoil_stack && s->op.op && wr_rng_chance(r, 5);

    in->depth = (uint16_t)(wr_rng_chance(r, 60) ? wr_rng_below(r, 3) : wr_rng_below(r, 33));
    in->slot_bytes = (uint16_t)(in->depth == 0         ? 0
                                : wr_rng_chance(r, 20) ? slot
                                : wr_rng_chance(r, 80) ? wr_rng_below(r, slot + 1) % 400
                                                       : wr_rng_below(r, slot + 1));
    if (spoilt && wr_rng_chance(r, 40)) {
        in->depth = (uint16_t)(wr_rng_chance(r, 50) ? 33 : 33 + wr_rng_below(r, 65503));
    } else if (spoilt && wr_rng_chance(r, 50)) {
        in->slot_bytes = (uint16_t)(slot + 1 + wr_rng_below(r, 16383 - slot));
    } else if (spoilt) {
        in->depth = 0;
        in->slot_bytes = (uint16_t)(1u << wr_rng_below(r, 14));
    }
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_context_sequencer_out *out = last_out;
    wr_context_sequencer_in *in = in_v;
    wr_rng *r = &s->rng;
    const bool taken = out->req_valid && s->last.req_ready;
    const bool idle = cycle == 0 || out->done || (!out->busy && !s->last.start);
    const bool shown = s->directed && cycle < SHOWN;
    uint32_t kind;

    wr_faults_step(&s->faults);
    kind = shown ? 0 : wr_faults_pick(&s->faults, out->fault, 3, r);
    if (taken && s->op.op && s->phase < 2) {
        s->to_ask -= out->req_bytes < s->to_ask ? out->req_bytes : s->to_ask;
    }
    memset(in, 0, sizeof *in);
    if (shown && cycle == 0) {
        first_op(s);
        *in = s->op;
    } else if (idle && !shown && wr_rng_chance(r, 70)) {
        new_op(s);
        *in = s->op;
        spoil_start(s, in, kind);
        if (kind >= FAULT_NO_WARP && kind <= FAULT_SHARED) {
            s->phase = 2;
        }
    } else if (!idle && s->op.op && s->phase < 2 && s->to_ask == 0) {
        if (s->delay > 0) {
            s->delay--;
        } else if (s->phase == 0) {
            answer_ccb(s, in);
        } else {
            in->meta_done = true;
            s->phase = 2;
        }
    } else if (idle) {
        in->base = wr_rng_u64(r) & 0x1ffffffffffu;
        in->warps = (uint8_t)wr_rng_below(r, 64);
        in->slot_segs = (uint8_t)wr_rng_below(r, 128);
        in->whole = wr_rng_chance(r, 50);
        s->op.op = false;
    }
    in->slot_index = (uint8_t)wr_rng_below(r, 32);
    in->req_ready = wr_gate_open(&s->consume, r) || shown;
    answer_warp(s, in);
    in->depth = shown ? 2 : in->depth;
    if (kind == FAULT_BUSY && !idle) {
        *in = s->op;
    } else if (kind == FAULT_CCB && !s->op.op) {
        in->ccb_valid = true;
    } else if (kind == FAULT_META && !s->op.op) {
        in->meta_done = true;
    } else if (kind == FAULT_DEPTH && !s->op.op) {
        in->depth = (uint16_t)(33 + wr_rng_below(r, 100));
    }
    s->last = *in;
}

static const char *const bin_names[] = {
    "shared",
    "preds",
    "stack",
    "ccb",
    "patterns",
    "slot",
    "CCB across a segment",
    "request held",
    "save done",
    "restore done",
    "bad register pointer",
    "bad shared pointer",
    "bad stack pointer",
    "bad depth",
    "slot too long",
    "registers without stack",
    "whole TB saved",
    "whole TB restored",
    "fault",
};
enum {
    BIN_ACROSS = 6,
    BIN_HELD,
    BIN_SAVED,
    BIN_RESTORED,
    BIN_DAMAGE,
    BIN_WHOLE_OUT = 16,
    BIN_WHOLE_BACK,
    BIN_FAULT,
    BINS
};

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_context_sequencer_in *in = in_v;
    const wr_context_sequencer_out *out = out_v;

    if (out->req_valid && in->req_ready) {
        hits[out->req_kind]++;
        hits[BIN_ACROSS] += out->req_kind == 3 && out->req_offset != 0;
    }
    hits[BIN_HELD] += out->req_valid && !in->req_ready;
    hits[BIN_SAVED] += out->done && !s->op.op;
    hits[BIN_RESTORED] += out->done && s->op.op && out->damage == 0;
    if (out->done && out->damage != 0) {
        hits[BIN_DAMAGE + out->damage - 1]++;
    }
    hits[BIN_WHOLE_OUT] += out->done && !s->op.op && out->ptr[REGS] % 2 != 0;
    hits[BIN_WHOLE_BACK] += out->done && s->op.op && out->damage == 0 && out->ptr[REGS] % 2 != 0;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_sequencer_stim;
const wr_stim wr_context_sequencer_stim = {
    .block = "context_sequencer",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
