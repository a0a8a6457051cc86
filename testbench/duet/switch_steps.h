/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a switch as the stimulus of context_switch_logic sees them from the pins, and the
 * protocol faults of its neighbours that belong to a step.
 *
 * What breaks the protocol comes in a step that stands for certain, and is good but for that: else
 * it could be another kind of fault, or none.
 */
#ifndef WR_TESTBENCH_DUET_SWITCH_STEPS_H
#define WR_TESTBENCH_DUET_SWITCH_STEPS_H

#include "testbench/duet/switch_kernels.h"

enum { STATES = WR_CSL_META + 1, UNSURE = STATES };

/* Behind the reads and allocs: where nothing but metadata moves, what does not come then is for the
 * pins to say. */
static inline uint8_t behind_room(const kernel *k)
{
    return moves_body(k) ? WR_CSL_MOVE : UNSURE;
}

/* The step behind one whose request was answered. */
static inline uint8_t step_behind(const kernel *k, const wr_context_switch_logic_in *in,
                                  const wr_context_switch_logic_out *last)
{
    const bool both = last->op == WR_CSL_EXCHANGE;
    const bool tb = last->level == WR_CSL_TB;
    const bool found = in->mem_found;
    switch (last->state) {
    case WR_CSL_READ_OUT:
        return both ? WR_CSL_READ_IN : WR_CSL_ALLOC;
    case WR_CSL_READ_IN:
        return last->op == WR_CSL_IN && moves_body(k) ? WR_CSL_ALLOC : behind_room(k);
    case WR_CSL_ALLOC:
        if (found || last->op == WR_CSL_IN) {
            return found ? behind_room(k) : WR_CSL_IDLE;
        }
        return k->use_l1 ? WR_CSL_ALLOC_L1 : WR_CSL_RD_OUT;
    case WR_CSL_ALLOC_L1:
        return found ? behind_room(k) : WR_CSL_RD_OUT;
    case WR_CSL_MOVE:
        return last->op == WR_CSL_IN ? WR_CSL_RD_IN : WR_CSL_RD_OUT;
    case WR_CSL_RD_OUT:
        return both ? WR_CSL_RD_IN : last->op == WR_CSL_BACK ? WR_CSL_WR_OUT : WR_CSL_META;
    case WR_CSL_RD_IN:
        return WR_CSL_META;
    case WR_CSL_META:
        return last->op == WR_CSL_IN ? WR_CSL_WR_IN : WR_CSL_WR_OUT;
    case WR_CSL_WR_OUT:
        return both ? WR_CSL_WR_IN : UNSURE;
    case WR_CSL_ADDR_OUT:
        return WR_CSL_MASK_OUT;
    case WR_CSL_ADDR_IN:
        return WR_CSL_MASK_IN;
    case WR_CSL_MASK_OUT:
        if (both) {
            return tb ? WR_CSL_ADDR_IN : WR_CSL_MASK_IN;
        }
        return moves_body(k) ? WR_CSL_FREE : WR_CSL_IDLE;
    case WR_CSL_MASK_IN:
        return both ? WR_CSL_IDLE : WR_CSL_FREE;
    case WR_CSL_FREE:
        return WR_CSL_IDLE;
    default:
        return UNSURE;
    }
}

/* The step of this cycle, or UNSURE, given the pins of the one before. */
static inline uint8_t step_now(const kernel *k, const wr_context_switch_logic_in *in,
                               const wr_context_switch_logic_out *last)
{
    if (last->op == WR_CSL_NONE) {
        return in->cfg || (!in->stalled_valid && !in->ready_valid) ? WR_CSL_IDLE : UNSURE;
    }
    if ((last->tab_req && in->tab_ack) || (last->mem_req && in->mem_ack) ||
        (last->move && in->move_ack)) {
        return step_behind(k, in, last);
    }
    return last->state;
}

static inline bool asks_bitmap(uint8_t at)
{
    return at == WR_CSL_ALLOC || at == WR_CSL_ALLOC_L1 || at == WR_CSL_FREE;
}

static inline bool asks_mover(uint8_t at)
{
    return at == WR_CSL_MOVE || at == WR_CSL_META;
}

static inline bool asks_tables(uint8_t at)
{
    return at < STATES && at != WR_CSL_IDLE && !asks_mover(at) && !asks_bitmap(at);
}

/* Steps that ask the tables, in pairs. */
static inline uint32_t pair_of(uint8_t at)
{
    return at < WR_CSL_MOVE ? 0 : at / 2u - 2u;
}

/* The answers and acks of this cycle, turned into ones that break the protocol. While none has
 * shown the episode's round says which of the steps, bits or values. */
static inline void spoil_answer(const kernel *k, uint8_t now, uint32_t fault, uint32_t round,
                                wr_context_switch_logic_in *in)
{
    static const uint8_t ack_none[] = {WR_CSL_IDLE, WR_CSL_MOVE, WR_CSL_META};
    static const uint8_t ack_bitmap[] = {WR_CSL_ALLOC, WR_CSL_ALLOC_L1, WR_CSL_FREE};
    static const uint8_t not_stalled[] = {WR_WARP_RUNNING, WR_WARP_ABSENT, WR_WARP_READY};
    static const uint8_t not_ready[] = {WR_WARP_RUNNING, WR_WARP_STALLED, WR_WARP_ABSENT};
    const bool tb = level_of(k) == WR_CSL_TB;
    const uint16_t low = (uint16_t)(in->tab_meta % 64u);
    switch (fault) {
    case FAULT_TAB_ACK_NONE:
        in->tab_ack = in->tab_ack || now == ack_none[round % 3];
        break;
    case FAULT_TAB_ACK_BITMAP:
        in->tab_ack = in->tab_ack || now == ack_bitmap[round % 3];
        break;
    case FAULT_MEM_ACK_NONE:
        in->mem_ack = in->mem_ack || now == ack_none[round % 3];
        break;
    case FAULT_MEM_ACK_TABLES: /* of five pairs of steps one */
        in->mem_ack = in->mem_ack || (asks_tables(now) && pair_of(now) == round % 5);
        break;
    case FAULT_MOVE_ACK: /* none asks, the bitmap is asked, the tables are */
        in->move_ack =
            in->move_ack || (round % 9 == 0  ? now == WR_CSL_IDLE
                             : round % 9 < 4 ? now == ack_bitmap[round % 9 - 1]
                                             : asks_tables(now) && pair_of(now) == round % 9 - 4);
        break;
    case FAULT_STATE_READ_OUT:
    case FAULT_STATE_RD_OUT:
        if (now == (fault == FAULT_STATE_RD_OUT ? WR_CSL_RD_OUT : WR_CSL_READ_OUT)) {
            in->tab_state = not_stalled[round % 3];
        }
        break;
    case FAULT_STATE_READ_IN:
    case FAULT_STATE_RD_IN:
        if (now == (fault == FAULT_STATE_RD_IN ? WR_CSL_RD_IN : WR_CSL_READ_IN)) {
            in->tab_state = not_ready[round % (tb ? 2 : 3)];
        }
        break;
    case FAULT_META_OUT_BELOW:
        in->tab_meta = now != WR_CSL_RD_OUT ? in->tab_meta : low | (round % 2 ? 0x400 : 0x800);
        break;
    case FAULT_META_OUT_ABOVE:
        if (now == WR_CSL_RD_OUT) {
            in->tab_meta = (uint16_t)(WR_CSL_META_SLOT | low | 64u << round % 4);
        }
        break;
    case FAULT_META_IN:
        if (now == WR_CSL_RD_IN) {
            in->tab_meta = (uint16_t)(round % 3 == 0   ? WR_CSL_META_SLOT
                                      : round % 3 == 1 ? 0xfff
                                                       : WR_CSL_META_SLOT | in->tab_meta);
        }
        break;
    case FAULT_SLOTS:
        in->slots_free = now == WR_CSL_RD_IN ? 0 : in->slots_free;
        break;
    default:
        break;
    }
}

/* The heads of the queues while a switch has chosen one and not popped it. */
static inline void spoil_heads(const kernel *k, uint8_t now, uint32_t fault, uint32_t round,
                               uint8_t op, wr_context_switch_logic_in *in)
{
    static const uint8_t outs[] = {WR_CSL_READ_OUT, WR_CSL_ALLOC, WR_CSL_ALLOC_L1};
    const bool early = now >= WR_CSL_READ_OUT && now <= WR_CSL_ALLOC_L1;
    const bool any_out = op == WR_CSL_OUT && early;
    const bool any_in = op == WR_CSL_IN && early && moves_body(k);
    const bool out = any_out && now == outs[round % 3];
    const bool ins = any_in && now == (round % 2 == 0 ? WR_CSL_READ_IN : WR_CSL_ALLOC);
    const uint8_t bit = (uint8_t)(1u << round % ID_BITS);
    switch (fault) {
    case FAULT_STALLED_GONE:
        in->stalled_valid = in->stalled_valid && !out;
        break;
    case FAULT_STALLED_OTHER:
        in->stalled_id ^= any_out ? bit : 0;
        break;
    case FAULT_READY_GONE:
        in->ready_valid = in->ready_valid && !ins;
        break;
    case FAULT_READY_OTHER:
        in->ready_id ^= any_in ? bit : 0;
        break;
    case FAULT_CFG_BUSY: /* in any step, by turns during each op */
        in->cfg = in->cfg || (now < STATES && now != WR_CSL_IDLE && op == 1 + round % 4);
        break;
    default:
        break;
    }
}

#endif
