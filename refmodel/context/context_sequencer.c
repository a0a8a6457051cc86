/* SPDX-License-Identifier: Apache-2.0 */
/* context_sequencer, cycle by cycle: see the header. */
#include "refmodel/context/context_sequencer.h"

#include <string.h>

enum {
    IDLE,
    LAYOUT,
    SHARED,
    PREDS,
    STACK,
    CCB,
    PATTERNS,
    WAIT_CCB,
    WAIT_META,
    SLOT,
    DONE,
};
enum { SEGMENT = 128, MAX_SLOT = 64, MAX_DEPTH = 32, STACK_SEGS = 3 };
enum { CLASS_BYTES = 36 }; /* class table of a whole TB, as it is read */
enum { PART_REGS, PART_SHARED, PART_STACK };

wr_status wr_context_sequencer_init(wr_context_sequencer *s, const wr_context_sequencer_cfg *cfg)
{
    if (!wr_context_sequencer_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_sequencer_reset(s);
    return WR_OK;
}

void wr_context_sequencer_reset(wr_context_sequencer *s)
{
    const wr_context_sequencer_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static uint64_t byte_mask(const wr_context_sequencer *s)
{
    return (UINT64_C(1) << s->cfg.addr_bits) - 1;
}

static uint64_t seg_mask(const wr_context_sequencer *s)
{
    return byte_mask(s) / SEGMENT;
}

static uint32_t segments(uint32_t bytes)
{
    return (bytes + SEGMENT - 1) / SEGMENT;
}

static uint32_t pattern_segs(uint32_t warps)
{
    return (warps + 7) / 8;
}

static uint32_t pred_segs(uint32_t warps)
{
    return (warps + 3) / 4;
}

/* Segments in front of the slots: pattern vectors, or the class table of a whole TB. */
static uint32_t front_segs(uint32_t warps, bool whole)
{
    return whole ? 1 : pattern_segs(warps);
}

static bool has_shared(const wr_context_sequencer *s)
{
    return !s->keep_shared_q && s->shared_bytes_q != 0;
}

static bool requests(const wr_context_sequencer *s)
{
    return s->left_q != 0 && !(s->state_q == SHARED && s->pace_q != 0);
}

static uint16_t request_bytes(const wr_context_sequencer *s)
{
    const uint16_t room = (uint16_t)(SEGMENT - s->addr_q % SEGMENT);

    return s->left_q < room ? s->left_q : room;
}

void wr_context_sequencer_eval(const wr_context_sequencer *s, const wr_context_sequencer_in *in,
                               wr_context_sequencer_out *out)
{
    static const uint8_t kind[] = {[SHARED] = WR_SEQUENCER_SHARED,     [PREDS] = WR_SEQUENCER_PREDS,
                                   [STACK] = WR_SEQUENCER_STACK,       [CCB] = WR_SEQUENCER_CCB,
                                   [PATTERNS] = WR_SEQUENCER_PATTERNS, [SLOT] = WR_SEQUENCER_SLOT};
    const bool valid = requests(s);
    const uint16_t bytes = request_bytes(s);
    const bool last_piece =
        !s->restore_q && (s->state_q == PATTERNS || (s->state_q == CCB && s->keep_regs_q));
    const bool none[3] = {s->keep_regs_q, !has_shared(s), false};

    out->busy = s->state_q != IDLE;
    out->waits = s->state_q == WAIT_CCB    ? WR_SEQUENCER_WAITS_CCB
                 : s->state_q == WAIT_META ? WR_SEQUENCER_WAITS_META
                                           : 0;
    out->slot_addr = 0;
    if (s->state_q == IDLE) {
        out->slot_addr = (in->base + front_segs(in->warps, in->whole) +
                          (uint64_t)in->slot_index * in->slot_segs) &
                         seg_mask(s);
    }
    out->req_valid = valid;
    out->req_kind = valid ? kind[s->state_q] : 0;
    out->req_addr = valid ? s->addr_q : 0;
    out->req_bytes = valid ? (uint8_t)bytes : 0;
    out->req_offset = valid ? s->offset_q : 0;
    out->req_last = valid && last_piece && s->left_q == bytes;
    out->warp = s->warp_q;
    for (uint32_t p = 0; p < 3; p++) {
        out->ptr[p] = none[p] ? 0 : s->part_q[p] * SEGMENT;
    }
    out->ptr[PART_REGS] |= s->whole_q && !s->keep_regs_q;
    out->done = s->state_q == DONE;
    out->damage = s->damage_q;
    out->fault = s->fault_q;
}

/* The next piece: bytes from a byte address on. */
static void begin(wr_context_sequencer *s, uint8_t state, uint64_t addr, uint32_t bytes)
{
    s->state_q = state;
    s->addr_q = addr & byte_mask(s);
    s->left_q = (uint16_t)bytes;
    s->offset_q = 0;
}

/* Stacks or slots, from warp 0 on. */
static void begin_warps(wr_context_sequencer *s, uint8_t state, uint64_t piece)
{
    s->state_q = state;
    s->warp_q = 0;
    s->piece_q = piece & seg_mask(s);
}

static void next_warp(wr_context_sequencer *s)
{
    s->warp_q++;
    s->piece_q = (s->piece_q + (s->state_q == STACK ? STACK_SEGS : s->slot_segs_q)) & seg_mask(s);
}

static void damaged(wr_context_sequencer *s, uint8_t what)
{
    s->damage_q = what;
    s->state_q = DONE;
}

static void step_start(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    if (in->warps == 0 || in->warps > s->cfg.warps || in->slot_segs > MAX_SLOT ||
        in->shared_bytes > WR_CONTEXT_SEQUENCER_SHARED) {
        s->fault_q = true;
        return;
    }
    s->restore_q = in->op != 0;
    s->keep_regs_q = in->keep_regs;
    s->keep_shared_q = in->keep_shared;
    s->whole_q = in->whole;
    s->warps_q = in->warps;
    s->slot_segs_q = in->slot_segs;
    s->cycles_q = in->pace;
    s->shared_bytes_q = in->shared_bytes;
    s->ccb_q = in->ccb_addr & byte_mask(s);
    s->low_q = in->low & seg_mask(s);
    s->high_q = in->high & seg_mask(s);
    s->part_q[PART_REGS] = in->base & seg_mask(s);
    s->room_q = (uint16_t)(pattern_segs(in->warps) + (uint32_t)in->warps * in->slot_segs);
    s->damage_q = 0;
    s->state_q = LAYOUT;
}

static void step_layout(wr_context_sequencer *s)
{
    s->part_q[PART_SHARED] = (s->part_q[PART_REGS] + s->room_q) & seg_mask(s);
    s->part_q[PART_STACK] = (s->part_q[PART_SHARED] + segments(s->shared_bytes_q)) & seg_mask(s);
    if (s->restore_q) {
        begin(s, CCB, s->ccb_q, 24);
    } else {
        begin(s, SHARED, s->part_q[PART_SHARED] * SEGMENT, has_shared(s) ? s->shared_bytes_q : 0);
    }
}

/* A pointer is good where the part is in place and it is 0, or its room lies in the area. */
static bool good(const wr_context_sequencer *s, uint64_t pointer, bool none, uint32_t room)
{
    const uint64_t seg = pointer / SEGMENT;

    if (none) {
        return pointer == 0;
    }
    return pointer % SEGMENT == 0 && seg <= seg_mask(s) && seg != 0 && seg >= s->low_q &&
           seg + room - 1 <= s->high_q;
}

static void step_ccb(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    const uint32_t stack_room = pred_segs(s->warps_q) + (uint32_t)STACK_SEGS * s->warps_q;
    const bool whole = s->whole_q && !s->keep_regs_q && in->ptr[PART_REGS] % 2 != 0;

    s->whole_q = whole;
    if (!good(s, in->ptr[PART_REGS] - whole, s->keep_regs_q, s->room_q)) {
        damaged(s, WR_SEQUENCER_BAD_REGS);
    } else if (!good(s, in->ptr[PART_SHARED], !has_shared(s), segments(s->shared_bytes_q))) {
        damaged(s, WR_SEQUENCER_BAD_SHARED);
    } else if (!good(s, in->ptr[PART_STACK], false, stack_room)) {
        damaged(s, WR_SEQUENCER_BAD_STACK);
    } else {
        for (uint32_t p = 0; p < 3; p++) {
            s->part_q[p] = in->ptr[p] / SEGMENT;
        }
        begin(s, PATTERNS, s->part_q[PART_REGS] * SEGMENT,
              s->keep_regs_q ? 0
              : whole        ? CLASS_BYTES
                             : 16u * s->warps_q);
    }
}

/* Written in whole sectors of L2. */
static uint32_t stack_bytes(const wr_context_sequencer *s, uint32_t depth)
{
    const uint32_t words = depth * 3;

    return s->restore_q ? words * 4 : (words + 7) / 8 * 32;
}

static void step_stack(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    uint16_t depth = in->depth;

    if (s->warp_q == s->warps_q) {
        if (!s->restore_q) {
            begin(s, CCB, s->ccb_q, 24);
        } else if (s->keep_regs_q) {
            s->state_q = DONE;
        } else {
            begin_warps(s, SLOT, s->part_q[PART_REGS] + front_segs(s->warps_q, s->whole_q));
        }
        return;
    }
    if (depth > MAX_DEPTH) {
        if (s->restore_q) {
            damaged(s, WR_SEQUENCER_BAD_DEPTH);
            return;
        }
        s->fault_q = true;
        depth = MAX_DEPTH;
    }
    begin(s, STACK, s->piece_q * SEGMENT, stack_bytes(s, depth));
    if (depth == 0) {
        next_warp(s);
    }
}

static void step_slot(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    if (s->warp_q == s->warps_q) {
        s->state_q = DONE;
    } else if (in->slot_bytes > s->slot_segs_q * SEGMENT) {
        damaged(s, WR_SEQUENCER_BAD_BYTES);
    } else if (in->slot_bytes != 0 && in->depth == 0) {
        damaged(s, WR_SEQUENCER_NO_STACK);
    } else {
        begin(s, SLOT, s->piece_q * SEGMENT, in->slot_bytes);
        if (in->slot_bytes == 0) {
            next_warp(s);
        }
    }
}

/* A cycle in which no byte of a piece is left. */
static void step(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    const uint32_t preds = pred_segs(s->warps_q);

    switch (s->state_q) {
    case IDLE:
        if (in->start) {
            step_start(s, in);
        }
        break;
    case LAYOUT:
        step_layout(s);
        break;
    case SHARED:
        if (s->restore_q) {
            s->state_q = WAIT_META;
        } else {
            begin(s, PREDS, s->part_q[PART_STACK] * SEGMENT, 32u * s->warps_q);
        }
        break;
    case PREDS:
        if (s->restore_q) {
            begin(s, SHARED, s->part_q[PART_SHARED] * SEGMENT,
                  has_shared(s) ? s->shared_bytes_q : 0);
        } else {
            begin_warps(s, STACK, s->part_q[PART_STACK] + preds);
        }
        break;
    case STACK:
        step_stack(s, in);
        break;
    case CCB:
        if (s->restore_q) {
            s->state_q = WAIT_CCB;
        } else {
            begin(s, PATTERNS, s->part_q[PART_REGS] * SEGMENT,
                  s->keep_regs_q ? 0 : front_segs(s->warps_q, s->whole_q) * SEGMENT);
        }
        break;
    case PATTERNS:
        if (s->restore_q) {
            begin(s, PREDS, s->part_q[PART_STACK] * SEGMENT, 32u * s->warps_q);
        } else {
            s->state_q = DONE;
        }
        break;
    case WAIT_CCB:
        if (in->ccb_valid) {
            step_ccb(s, in);
        }
        break;
    case WAIT_META:
        if (in->meta_done) {
            begin_warps(s, STACK, s->part_q[PART_STACK] + preds);
        }
        break;
    case SLOT:
        step_slot(s, in);
        break;
    default:
        s->state_q = IDLE;
        break;
    }
}

static void take(wr_context_sequencer *s)
{
    const uint16_t bytes = request_bytes(s);

    s->addr_q = (s->addr_q + bytes) & byte_mask(s);
    s->offset_q = (uint16_t)(s->offset_q + bytes);
    s->left_q = (uint16_t)(s->left_q - bytes);
    if (s->state_q == SHARED && !s->restore_q) {
        s->pace_q = s->cycles_q;
    }
    if (s->left_q == 0 && (s->state_q == STACK || s->state_q == SLOT)) {
        next_warp(s);
    }
}

void wr_context_sequencer_tick(wr_context_sequencer *s, const wr_context_sequencer_in *in)
{
    const bool taken = requests(s) && in->req_ready;

    s->fault_q = s->fault_q || (in->start && s->state_q != IDLE) ||
                 (in->ccb_valid && s->state_q != WAIT_CCB) ||
                 (in->meta_done && s->state_q != WAIT_META);
    s->pace_q = (uint8_t)(s->pace_q - (s->pace_q != 0));
    if (taken) {
        take(s);
    } else if (s->left_q == 0) {
        step(s, in);
    }
}
