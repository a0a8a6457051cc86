/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimulus of stall_scanner keeps, and the bins of its coverage. */
#ifndef WR_TESTBENCH_DUET_SCANNER_BINS_H
#define WR_TESTBENCH_DUET_SCANNER_BINS_H

#include "refmodel/duet/stall_scanner.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_WARPS_0,
    FAULT_WARPS_ABOVE,
    FAULT_LEVEL_3,
    FAULT_BOOKED_OFF,
    FAULT_BOOKED_AGAIN,
    FAULT_TAB_ACK,
    FAULT_CLAIM_SLOT,
    FAULT_CLAIM_ID,
    FAULT_CLAIM_TB,
    FAULT_GIVE,
    FAULT_AWAY,
    FAULT_ARRIVE,
    FAULT_PLACED,
    FAULT_KINDS = FAULT_PLACED,
} fault_kind;

enum { QUEUE = 4 }; /* units that a queue of the stimulus holds */

typedef struct units {
    uint8_t id[QUEUE];
    uint32_t count;
} units;

/* How much of a phase's traffic is what: percents. */
typedef struct densities {
    uint32_t memory, barrier, clear, done, free, closed, whole, stalled, ready, slots, gone;
} densities;

typedef struct state {
    wr_stall_scanner_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate tables, switches;
    wr_stall_scanner model, before; /* behind the cycles so far; before the last of them */

    uint32_t step;  /* directed cycle; past the last: random */
    uint32_t epoch; /* random cycles left before the next launch */
    uint32_t phase; /* and before the next phase */
    densities part;
    wr_stall_scanner_in levels; /* that the machine holds */
    units stalled, ready;       /* in the queues */
    bool always_ready, full_stalled, full_ready;
    uint32_t op, op_left;
    bool out_pops, in_pops; /* still to come of the switch under way */
    uint32_t tbs;           /* that the traffic is about */
} state;

enum {
    BIN_CFG_WARP,
    BIN_CFG_TB,
    BIN_CFG_OFF,
    BIN_CFG_RUNS,
    BIN_WAKE_WARP,
    BIN_WAKE_TB,
    BIN_END_KEPT,
    BIN_END_VACATES,
    BIN_RESTART,
    BIN_STALL_MEMORY,
    BIN_STALL_BARRIER,
    BIN_STALL_TB,
    BIN_STALL_TB_DONE,
    BIN_LOOK_WHOLE,
    BIN_LOOK_SPLIT,
    BIN_SHUT_CLOSED,
    BIN_SHUT_BUSY,
    BIN_REQ_WAITS,
    BIN_REQ_CHANGES,
    BIN_SURE_WAITS,
    BIN_WAKE_FIRST,
    BIN_PICK_FALLS,
    BIN_SURE_FALLS,
    BIN_SCAN_WRAPS,
    BIN_PICK_WRAPS,
    BIN_MEMORY_FIRST,
    BIN_BOTH_WAITS,
    BIN_PUSH_STALLED,
    BIN_PUSH_READY,
    BIN_JUDGE_CLOSED,
    BIN_JUDGE_BUSY,
    BIN_JUDGE_ENGAGED,
    BIN_JUDGE_FULL_STALLED,
    BIN_JUDGE_FULL_READY,
    BIN_JUDGE_NOBODY,
    BIN_JUDGE_WAITS,
    BIN_JUDGE_FOUND,
    BIN_PAST,
    BIN_FULL_STALLED,
    BIN_FULL_FOUND,
    BIN_FULL_WALK,
    BIN_COMES_FOUND,
    BIN_COMES_SKIPPED,
    BIN_WALK_WRAPS,
    BIN_WALK_DEEP,
    BIN_AGE_NEW,
    BIN_AGE_OLDEST,
    BIN_AGE_MIDDLE,
    BIN_AGE_YOUNGEST,
    BIN_AGE_ALL,
    BIN_HOLD_NONE,
    BIN_HOLD_OUT,
    BIN_HOLD_IN,
    BIN_HOLD_EXCHANGE,
    BIN_HOLD_TB_NONE,
    BIN_HOLD_TB_OUT,
    BIN_HOLD_TB_IN,
    BIN_HOLD_TB_EXCHANGE,
    BIN_MAY,
    BIN_MAY_NOT,
    BIN_MAY_TB,
    BIN_MAY_NOT_WOKE,
    BIN_MAY_NOT_WAIT,
    BIN_MAY_NOT_DONE,
    BIN_HELD_CLAIMED,
    BIN_HELD_GIVEN,
    BIN_HELD_BACK,
    BIN_HELD_OVER,
    BIN_MARK_BACK,
    BIN_MARK_SPLIT,
    BIN_MARK_DONE,
    BIN_MARK_GIVEN,
    BIN_MARK_CLAIMED,
    BIN_MARK_WOKEN,
    BIN_VACATE_GIVEN,
    BIN_VACATE_OTHER,
    BIN_ENDS_WAIT,
    BIN_ENGAGED_DONE,
    BIN_RELEASE_OUT,
    BIN_RELEASE_IN,
    BIN_RELEASE_BOTH,
    BIN_RELEASE_PUSH,
    BIN_RELEASE_WARP,
    BIN_ARRIVE_TB,
    BIN_CLAIM_ABSENT,
    BIN_CLAIM_ROW,
    BIN_CLAIM_CFG,
    BIN_LAST_WARP,
    BIN_LAST_INDEX,
    BIN_FAULT,
    BIN_WARPS_0,
    BIN_WARPS_ABOVE,
    BIN_LEVEL_3,
    BIN_BOOKED_OFF,
    BIN_BOOKED_AGAIN,
    BIN_TAB_ACK,
    BIN_CLAIM_SLOT,
    BIN_CLAIM_ID,
    BIN_CLAIM_TB,
    BIN_GIVE,
    BIN_AWAY,
    BIN_ARRIVE,
    BIN_PLACED,
    BINS,
    NEAR_WARPS_MOST = BINS,
    NEAR_OUT_CLAIM,
    NEAR_OUT_GIVE,
    NEAR_VACATE,
    NEAR_UNIT,
    NEAR_SPLIT,
    NEAR_COMES,
    NEAR_AGE,
    NEAR_AWAY,
    NEARS,
};

static const char *const scanner_bin_names[BINS] = {
    [BIN_CFG_WARP] = "launch at level warp",
    [BIN_CFG_TB] = "launch at level TB",
    [BIN_CFG_OFF] = "launch at level off",
    [BIN_CFG_RUNS] = "launch while another is scanned",
    [BIN_WAKE_WARP] = "a warp is made ready and pushed",
    [BIN_WAKE_TB] = "level TB: a warp is made ready",
    [BIN_END_KEPT] = "a finished warp keeps its place",
    [BIN_END_VACATES] = "a finished warp gives its place back",
    [BIN_RESTART] = "level TB: a marked warp runs again",
    [BIN_STALL_MEMORY] = "a warp that waits for memory is to leave",
    [BIN_STALL_BARRIER] = "a warp at a barrier is to leave",
    [BIN_STALL_TB] = "level TB: a warp that waits is marked",
    [BIN_STALL_TB_DONE] = "level TB: a finished warp is marked",
    [BIN_LOOK_WHOLE] = "a warp at a barrier stays: its TB is whole",
    [BIN_LOOK_SPLIT] = "a warp at a barrier may leave",
    [BIN_SHUT_CLOSED] = "a slot is passed over: its TB is closed",
    [BIN_SHUT_BUSY] = "a slot is passed over: its TB is queued",
    [BIN_REQ_WAITS] = "a request waits for the tables",
    [BIN_REQ_CHANGES] = "another slot has its turn while a request waits",
    [BIN_SURE_WAITS] = "a warp at a barrier waits for its second ack",
    [BIN_WAKE_FIRST] = "a wake goes before a slot",
    [BIN_PICK_FALLS] = "what a slot was picked for is over",
    [BIN_SURE_FALLS] = "a warp at a barrier may no longer leave",
    [BIN_SCAN_WRAPS] = "the last slot has had its turn",
    [BIN_PICK_WRAPS] = "a slot before the start is picked",
    [BIN_MEMORY_FIRST] = "memory and barriers wait: memory is picked",
    [BIN_BOTH_WAITS] = "a warp waits for memory and at a barrier",
    [BIN_PUSH_STALLED] = "a stalled TB is pushed",
    [BIN_PUSH_READY] = "a ready TB is pushed",
    [BIN_JUDGE_CLOSED] = "a TB would be pushed, but is closed",
    [BIN_JUDGE_BUSY] = "a TB would be pushed, but is queued",
    [BIN_JUDGE_ENGAGED] = "a stalled TB waits: another is to leave",
    [BIN_JUDGE_FULL_STALLED] = "a stalled TB finds its queue full",
    [BIN_JUDGE_FULL_READY] = "a ready TB finds its queue full",
    [BIN_JUDGE_NOBODY] = "a stalled TB: nobody is ready",
    [BIN_JUDGE_WAITS] = "a TB is not judged in a cycle with an ack",
    [BIN_JUDGE_FOUND] = "a TB would be pushed, but a warp is found",
    [BIN_PAST] = "a TB with warps past the last",
    [BIN_FULL_STALLED] = "a warp waits, the stalled queue is full",
    [BIN_FULL_FOUND] = "the ready queue is full when a warp is found",
    [BIN_FULL_WALK] = "the walk waits for the ready queue",
    [BIN_COMES_FOUND] = "a warp is found and its TB comes in",
    [BIN_COMES_SKIPPED] = "the walk passes over a TB that comes in",
    [BIN_WALK_WRAPS] = "the walk begins anew",
    [BIN_WALK_DEEP] = "a warp is found behind older TBs",
    [BIN_AGE_NEW] = "a TB is placed for the first time",
    [BIN_AGE_OLDEST] = "the oldest TB is placed again",
    [BIN_AGE_MIDDLE] = "a TB in the middle is placed again",
    [BIN_AGE_YOUNGEST] = "the youngest TB is placed again",
    [BIN_AGE_ALL] = "all TBs have been placed",
    [BIN_HOLD_NONE] = "hold before the decision",
    [BIN_HOLD_OUT] = "hold during out",
    [BIN_HOLD_IN] = "no hold during in",
    [BIN_HOLD_EXCHANGE] = "hold during exchange",
    [BIN_HOLD_TB_NONE] = "level TB: hold before the decision",
    [BIN_HOLD_TB_OUT] = "level TB: hold during out",
    [BIN_HOLD_TB_IN] = "level TB: no hold during in",
    [BIN_HOLD_TB_EXCHANGE] = "level TB: hold during exchange",
    [BIN_MAY] = "the warp may leave",
    [BIN_MAY_NOT] = "the warp may not leave",
    [BIN_MAY_TB] = "the TB may leave, a warp of it done",
    [BIN_MAY_NOT_WOKE] = "the TB may not leave: a warp has gone on alone",
    [BIN_MAY_NOT_WAIT] = "the TB may not leave: a warp does not wait alone",
    [BIN_MAY_NOT_DONE] = "the TB may not leave: all are done",
    [BIN_HELD_CLAIMED] = "the held slot is claimed",
    [BIN_HELD_GIVEN] = "the held slot is given",
    [BIN_HELD_BACK] = "the held warp goes back",
    [BIN_HELD_OVER] = "the held warp is in no queue any more",
    [BIN_MARK_BACK] = "level TB: marks go with a back",
    [BIN_MARK_SPLIT] = "a kept place is looked at again: its TB is split",
    [BIN_MARK_DONE] = "a kept place has another warp",
    [BIN_MARK_GIVEN] = "a marked slot is given",
    [BIN_MARK_CLAIMED] = "a marked slot is claimed",
    [BIN_MARK_WOKEN] = "a warp goes on in the cycle in which it is marked",
    [BIN_VACATE_GIVEN] = "the place is given back",
    [BIN_VACATE_OTHER] = "another slot is given back",
    [BIN_ENDS_WAIT] = "a warp has finished while a place is being given back",
    [BIN_ENGAGED_DONE] = "a warp has finished on its way out",
    [BIN_RELEASE_OUT] = "a TB has left",
    [BIN_RELEASE_IN] = "a TB has come in",
    [BIN_RELEASE_BOTH] = "two TBs have changed places",
    [BIN_RELEASE_PUSH] = "a TB is pushed in the cycle of a release",
    [BIN_RELEASE_WARP] = "level warp: no TB is busy any more",
    [BIN_ARRIVE_TB] = "level TB: an arrival",
    [BIN_CLAIM_ABSENT] = "an absent warp is claimed",
    [BIN_CLAIM_ROW] = "claims in two cycles in a row",
    [BIN_CLAIM_CFG] = "a claim is under way when a launch comes",
    [BIN_LAST_WARP] = "the last warp of the table is found",
    [BIN_LAST_INDEX] = "the last warp of a TB is found",
    [BIN_FAULT] = "fault",
    [BIN_WARPS_0] = "fault: 0 warps",
    [BIN_WARPS_ABOVE] = "fault: more warps than TbWarps",
    [BIN_LEVEL_3] = "fault: level 3",
    [BIN_BOOKED_OFF] = "fault: booked at level off",
    [BIN_BOOKED_AGAIN] = "fault: booked again",
    [BIN_TAB_ACK] = "fault: tab_ack without a request",
    [BIN_CLAIM_SLOT] = "fault: claim of a slot past the last",
    [BIN_CLAIM_ID] = "fault: claim for a warp past the last",
    [BIN_CLAIM_TB] = "fault: claim for a TB past the last",
    [BIN_GIVE] = "fault: give past the last slot",
    [BIN_AWAY] = "fault: an absent warp past the last",
    [BIN_ARRIVE] = "fault: an arrival past the last",
    [BIN_PLACED] = "fault: a TB placed past the last",
};

static const wr_near scanner_nears[NEARS - BINS] = {
    {"warps, TbWarps", 6, NULL},
    {"claim_slot, held slot", 2, NULL},
    {"give_slot, held slot", 2, NULL},
    {"give_slot, slot given back", 2, NULL},
    {"TB of a marked slot, TB that leaves", 1, NULL},
    {"TB of a kept place, TB that is split", 1, NULL},
    {"TB of a warp that is found, TB that comes in", 1, NULL},
    {"a TB in the order, TB that is placed", 1, NULL},
    {"claim_id, an absent warp", 3, NULL},
};

static inline bool scanner_bit(uint64_t word, uint32_t i)
{
    return (word >> i & 1) != 0;
}

/* The slot whose turn it is: m before the cycle, n behind it. */
static inline void cover_slots(const wr_stall_scanner *m, const wr_stall_scanner *n,
                               const wr_stall_scanner_in *in, const wr_stall_scanner_out *out,
                               uint64_t *hits)
{
    const bool tbs = m->level_q == WR_SCANNER_TB;
    const uint32_t slot = m->slot_q;
    const uint32_t tb = m->tb_q[slot];
    const bool acked = out->tab_req && in->tab_ack;
    const bool reads = out->tab_op == 2;
    const bool stalls = out->tab_op == 1 && out->tab_state == 1;
    const bool marked = scanner_bit(m->mark_q, slot);
    const bool engaged = in->stalled_valid || in->op != WR_SCANNER_NONE;
    const uint64_t all = UINT64_MAX >> (64 - m->cfg.slots);
    const uint64_t memory = in->memory & in->clear & ~in->done & all;
    const uint64_t barrier = in->barrier & in->clear & ~in->done & all;

    if (acked && !m->found_q) {
        const bool end = reads && scanner_bit(in->done, slot);
        hits[BIN_END_KEPT] += end && in->tab_whole;
        hits[BIN_END_VACATES] += end && !in->tab_whole;
        hits[BIN_LOOK_WHOLE] += reads && !end && in->tab_whole;
        hits[BIN_LOOK_SPLIT] += reads && !end && !in->tab_whole;
        hits[BIN_RESTART] += tbs && out->tab_op == 1 && out->tab_state == 0;
        hits[BIN_STALL_MEMORY] += !tbs && stalls && scanner_bit(memory, slot);
        hits[BIN_STALL_BARRIER] += !tbs && stalls && m->sure_q;
        hits[BIN_STALL_TB] += tbs && stalls && !scanner_bit(in->done, slot);
        hits[BIN_STALL_TB_DONE] += tbs && stalls && scanner_bit(in->done, slot);
        hits[BIN_MARK_WOKEN] += tbs && stalls && scanner_bit(in->woken, slot);
        hits[BIN_SCAN_WRAPS] += slot + 1 == m->cfg.slots;
    }
    if (m->pick_q && !out->tab_req) {
        const bool closed = scanner_bit(in->closed, tb);
        const bool busy = tbs && scanner_bit(m->busy_q, tb);
        hits[BIN_SHUT_CLOSED] += closed && !busy;
        hits[BIN_SHUT_BUSY] += busy && !closed;
        hits[BIN_PICK_FALLS] += !closed && !busy && !m->sure_q;
        hits[BIN_SURE_FALLS] += m->sure_q;
    }
    hits[BIN_REQ_WAITS] += out->tab_req && !in->tab_ack;
    hits[BIN_REQ_CHANGES] += out->tab_req && !acked && !m->found_q && n->slot_q != slot;
    hits[BIN_SURE_WAITS] += m->sure_q && n->sure_q && !m->found_q;
    hits[BIN_WAKE_FIRST] += m->pick_q && out->tab_req && out->tab_state == 3;
    hits[BIN_PICK_WRAPS] += n->pick_q && !m->pick_q && n->slot_q < m->scan_q;
    hits[BIN_MEMORY_FIRST] += !tbs && !m->pick_q && n->pick_q && memory != 0 && barrier != 0 &&
                              !scanner_bit(memory, m->scan_q) && scanner_bit(memory, n->slot_q);
    hits[BIN_BOTH_WAITS] += !tbs && stalls && acked && scanner_bit(memory & barrier, slot);
    hits[BIN_FULL_STALLED] += !tbs && m->run_q && in->ready_valid && !engaged &&
                              !in->stalled_space && memory != 0 && n->run_q;
    hits[BIN_ENDS_WAIT] += !tbs && m->vacate_q && (in->done & ~m->mark_q & all) != 0;
    hits[BIN_ENGAGED_DONE] += !tbs && m->run_q && engaged && !m->vacate_q &&
                              scanner_bit(in->done, m->out_slot_q) &&
                              !scanner_bit(m->mark_q, m->out_slot_q);
    hits[BIN_MARK_BACK] += tbs && in->op == WR_SCANNER_BACK && (m->mark_q & ~n->mark_q) != 0;
    hits[BIN_MARK_SPLIT] +=
        !tbs && in->split && (m->mark_q & ~n->mark_q & in->done) != 0 && !in->give && !m->claim_q;
    hits[BIN_MARK_DONE] += !tbs && (m->mark_q & ~n->mark_q & ~in->done) != 0;
    hits[BIN_MARK_GIVEN] +=
        in->give && in->give_slot < m->cfg.slots && scanner_bit(m->mark_q, in->give_slot);
    hits[BIN_MARK_CLAIMED] += m->claim_q && scanner_bit(m->mark_q, m->claim_slot_q);
    hits[BIN_VACATE_GIVEN] += m->vacate_q && !n->vacate_q && !in->cfg;
    hits[BIN_VACATE_OTHER] += m->vacate_q && in->give && n->vacate_q;
    hits[NEAR_UNIT] |= tbs && marked ? wr_near_bit(tb, m->out_tb_q) & 1 : 0;
    hits[NEAR_SPLIT] |= !tbs && marked && in->split ? wr_near_bit(tb, in->split_tb) & 1 : 0;
}

/* The unit that is to leave. */
static inline void cover_leaving(const wr_stall_scanner *m, const wr_stall_scanner *n,
                                 const wr_stall_scanner_in *in, const wr_stall_scanner_out *out,
                                 uint64_t *hits)
{
    static const uint8_t holds[5] = {BIN_HOLD_NONE, BIN_HOLD_OUT, BIN_HOLD_IN, BIN_HOLD_EXCHANGE,
                                     BIN_FAULT};
    const bool tbs = m->level_q == WR_SCANNER_TB;
    const uint32_t op = in->op;
    const uint32_t head = op == WR_SCANNER_NONE ? in->stalled_id & 31u : m->out_tb_q;
    const bool held = tbs ? in->stalled_valid || op != 0 : m->held_q;
    uint64_t marked = 0;

    for (uint32_t i = 0; i < m->cfg.slots; i++) {
        marked |= m->tb_q[i] == head ? m->mark_q & UINT64_C(1) << i : 0;
    }
    if (op < WR_SCANNER_BACK && held && (!tbs || marked != 0)) {
        hits[holds[op] + (tbs ? BIN_HOLD_TB_NONE - BIN_HOLD_NONE : 0)]++;
    }
    if (!tbs && in->stalled_valid && op == 0) {
        hits[out->may_leave ? BIN_MAY : BIN_MAY_NOT]++;
    }
    if (tbs && marked != 0) {
        const uint64_t waits = (in->memory | in->barrier) & in->clear;
        const bool some = (marked & ~in->done) != 0;
        const bool woke = (marked & m->woke_q) != 0;
        const bool all = (marked & ~(waits | in->done)) == 0;
        hits[BIN_MAY_TB] += out->may_leave && (marked & in->done) != 0;
        hits[BIN_MAY_NOT_WOKE] += some && woke && all;
        hits[BIN_MAY_NOT_WAIT] += some && !woke && !all;
        hits[BIN_MAY_NOT_DONE] += !some && !woke && all;
    }
    if (m->held_q && !n->held_q && !in->cfg) {
        const bool claimed = in->claim && in->claim_slot == m->out_slot_q;
        const bool given = in->give && in->give_slot == m->out_slot_q;
        hits[BIN_HELD_CLAIMED] += claimed && !given;
        hits[BIN_HELD_GIVEN] += given && !claimed;
        hits[BIN_HELD_BACK] += op == WR_SCANNER_BACK && !given && !claimed;
        hits[BIN_HELD_OVER] += op == 0 && !given && !claimed;
    }
    hits[NEAR_OUT_CLAIM] |=
        m->held_q && in->claim ? wr_near_bit(in->claim_slot, m->out_slot_q) & 3 : 0;
    hits[NEAR_OUT_GIVE] |=
        m->held_q && in->give ? wr_near_bit(in->give_slot, m->out_slot_q) & 3 : 0;
    hits[NEAR_VACATE] |=
        m->vacate_q && in->give ? wr_near_bit(in->give_slot, m->vacate_slot_q) & 3 : 0;
    if (op == 0) {
        hits[BIN_RELEASE_OUT] += tbs && m->out_popped_q && !m->in_popped_q;
        hits[BIN_RELEASE_IN] += tbs && m->in_popped_q && !m->out_popped_q;
        hits[BIN_RELEASE_BOTH] += tbs && m->in_popped_q && m->out_popped_q;
        hits[BIN_RELEASE_PUSH] +=
            tbs && (m->in_popped_q || m->out_popped_q) && (out->stalled_push || out->ready_push);
        hits[BIN_RELEASE_WARP] += !tbs && m->busy_q != 0 && n->busy_q == 0 && !in->cfg;
    }
}

/* Absent warps, and the TB that is looked at. */
static inline void cover_walk(const wr_stall_scanner *m, const wr_stall_scanner *n,
                              const wr_stall_scanner_in *in, const wr_stall_scanner_out *out,
                              uint64_t *hits)
{
    const bool tbs = m->level_q == WR_SCANNER_TB;
    const bool past = m->at_base_q + m->warps_q > m->cfg.warps;
    const uint32_t tb = m->at_tb_q;
    const bool acked = out->tab_req && in->tab_ack;
    const bool wake = out->tab_state == 3;
    const bool brings = in->op == WR_SCANNER_IN || in->op == WR_SCANNER_EXCHANGE;
    const bool closed = scanner_bit(in->closed, tb);
    const bool busy = scanner_bit(m->busy_q, tb);
    const uint32_t warp = (m->at_base_q + m->found_index_q) % WR_SCANNER_WARPS;

    hits[BIN_WAKE_WARP] += acked && wake && !tbs;
    hits[BIN_WAKE_TB] += acked && wake && tbs;
    hits[BIN_LAST_WARP] += acked && wake && warp + 1 == m->cfg.warps;
    hits[BIN_LAST_INDEX] += acked && wake && m->found_index_q + 1u == m->cfg.tb_warps;
    hits[BIN_WALK_DEEP] += !m->found_q && n->found_q && m->at_tb_q != m->order_q[0];
    hits[BIN_WALK_WRAPS] += m->count_q > 1 && m->pos_q + 1u == m->count_q && n->pos_q == 0 &&
                            n->at_valid_q && !m->found_q;
    hits[BIN_FULL_FOUND] += !tbs && m->found_q && !in->ready_space;
    hits[BIN_FULL_WALK] += !tbs && m->run_q && !m->found_q && m->at_valid_q && !in->ready_space;
    hits[BIN_COMES_FOUND] += tbs && m->found_q && !n->found_q && !acked && brings && !in->cfg;
    hits[BIN_PAST] += m->at_valid_q && past && m->run_q;
    hits[NEAR_COMES] |= tbs && brings && m->found_q ? wr_near_bit(tb, m->in_tb_q) & 1 : 0;
    for (uint32_t j = 0; j < m->warps_q && m->at_valid_q && !past; j++) {
        const bool goes = m->absent_q[m->at_base_q + j] && in->free[m->at_base_q + j];
        hits[BIN_COMES_SKIPPED] +=
            tbs && brings && tb == m->in_tb_q && goes && m->run_q && !m->found_q;
    }
    if (tbs && m->run_q && m->at_valid_q && !past) {
        const bool engaged = in->stalled_valid || in->op != WR_SCANNER_NONE;
        const bool waits = in->group_stalled && in->ready_valid && in->stalled_space;
        const bool stalled = waits && !engaged;
        const bool ready = in->group_ready && in->ready_space;
        const bool would = stalled || ready;
        const bool free = !closed && !busy && !acked && !m->found_q;
        hits[BIN_PUSH_STALLED] += free && stalled;
        hits[BIN_PUSH_READY] += free && ready && !stalled;
        hits[BIN_JUDGE_CLOSED] += would && closed && !busy && !acked && !m->found_q;
        hits[BIN_JUDGE_BUSY] += would && !closed && busy && !acked && !m->found_q;
        hits[BIN_JUDGE_WAITS] += would && !closed && !busy && acked && !m->found_q;
        hits[BIN_JUDGE_FOUND] += would && !closed && !busy && !acked && m->found_q;
        hits[BIN_JUDGE_ENGAGED] += free && waits && engaged;
        hits[BIN_JUDGE_FULL_STALLED] +=
            free && in->group_stalled && in->ready_valid && !in->stalled_space && !engaged;
        hits[BIN_JUDGE_FULL_READY] += free && in->group_ready && !in->ready_space && !stalled;
        hits[BIN_JUDGE_NOBODY] +=
            free && in->group_stalled && !in->ready_valid && in->stalled_space && !engaged;
    }
    hits[BIN_ARRIVE_TB] += tbs && in->arrive;
    if (in->claim && in->claim_id < m->cfg.warps) {
        hits[BIN_CLAIM_ABSENT] += m->absent_q[in->claim_id];
        hits[BIN_CLAIM_ROW] += m->claim_q;
        for (uint32_t b = 0; b < 3; b++) {
            const uint32_t other = in->claim_id ^ 1u << b;
            hits[NEAR_AWAY] |= other < m->cfg.warps && m->absent_q[other] ? 1u << b : 0;
        }
    }
    hits[BIN_CLAIM_CFG] += m->claim_q && in->cfg;
}

static inline void cover_age(const wr_stall_scanner *m, const wr_stall_scanner_in *in,
                             uint64_t *hits)
{
    uint32_t at = 0;

    if (!in->placed || in->placed_tb >= m->cfg.tbs) {
        return;
    }
    while (at < m->count_q && m->order_q[at] != in->placed_tb) {
        hits[NEAR_AGE] |= wr_near_bit(m->order_q[at], in->placed_tb) & 1;
        at++;
    }
    hits[BIN_AGE_NEW] += at == m->count_q;
    hits[BIN_AGE_OLDEST] += at == 0 && m->count_q > 1;
    hits[BIN_AGE_MIDDLE] += at != 0 && at + 1 < m->count_q;
    hits[BIN_AGE_YOUNGEST] += at + 1 == m->count_q;
    hits[BIN_AGE_ALL] += m->count_q == m->cfg.tbs;
}

static inline void cover_faults(const wr_stall_scanner *m, const wr_stall_scanner_in *in,
                                const wr_stall_scanner_out *out, uint64_t *hits)
{
    const bool off = m->level_q == WR_SCANNER_OFF;
    const bool kinds[FAULT_KINDS + 1] = {
        [FAULT_WARPS_0] = in->cfg && in->warps == 0,
        [FAULT_WARPS_ABOVE] = in->cfg && in->warps > m->cfg.tb_warps,
        [FAULT_LEVEL_3] = in->cfg && in->level == 3,
        [FAULT_BOOKED_OFF] = in->booked && off,
        [FAULT_BOOKED_AGAIN] = in->booked && m->run_q,
        [FAULT_TAB_ACK] = in->tab_ack && !out->tab_req,
        [FAULT_CLAIM_SLOT] = in->claim && in->claim_slot >= m->cfg.slots,
        [FAULT_CLAIM_ID] = in->claim && in->claim_id >= m->cfg.warps,
        [FAULT_CLAIM_TB] =
            m->claim_q && m->warps_q != 0 && m->claim_id_q / m->warps_q >= m->cfg.tbs,
        [FAULT_GIVE] = in->give && in->give_slot >= m->cfg.slots,
        [FAULT_AWAY] = in->away && in->away_id >= m->cfg.warps,
        [FAULT_ARRIVE] = in->arrive && in->arrive_id >= m->cfg.warps,
        [FAULT_PLACED] = in->placed && in->placed_tb >= m->cfg.tbs,
    };

    for (uint32_t k = 1; k <= FAULT_KINDS; k++) {
        hits[BIN_WARPS_0 + k - 1] += kinds[k];
    }
    hits[BIN_FAULT] += out->fault;
}

static inline void scanner_cover(const void *state_v, const void *in_v, const void *out_v,
                                 uint64_t *hits)
{
    const state *s = state_v;
    const wr_stall_scanner_in *in = in_v;
    const wr_stall_scanner_out *out = out_v;
    const wr_stall_scanner *m = &s->before;
    const wr_stall_scanner *n = &s->model;

    if (in->cfg) {
        hits[NEAR_WARPS_MOST] |= wr_near_bit(in->warps, m->cfg.tb_warps);
        hits[BIN_CFG_WARP] += n->level_q == WR_SCANNER_WARP;
        hits[BIN_CFG_TB] += n->level_q == WR_SCANNER_TB;
        hits[BIN_CFG_OFF] += in->level == WR_SCANNER_OFF;
        hits[BIN_CFG_RUNS] += m->run_q;
    }
    cover_slots(m, n, in, out, hits);
    cover_leaving(m, n, in, out, hits);
    cover_walk(m, n, in, out, hits);
    cover_age(m, in, hits);
    cover_faults(m, in, out, hits);
}

#endif
