/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimulus of tb_launcher keeps, and the bins of its coverage. */
#ifndef WR_TESTBENCH_DUET_LAUNCHER_BINS_H
#define WR_TESTBENCH_DUET_LAUNCHER_BINS_H

#include "refmodel/duet/tb_launcher.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_CFG_BUSY,
    FAULT_WARPS_0,
    FAULT_WARPS_ABOVE,
    FAULT_LEVEL_3,
    FAULT_BOOK_BUSY,
    FAULT_BOOK_AGAIN,
    FAULT_BOOK_OFF,
    FAULT_BOOK_CFG,
    FAULT_MC,
    FAULT_BOOK_ROOM,
    FAULT_ENDED_PAST,
    FAULT_TAB_ACK,
    FAULT_MAP_DONE,
    FAULT_FREE_OURS,
    FAULT_FREE_THEIRS,
    FAULT_LOOK,
    FAULT_READ_TB,
    FAULT_VACATE,
    FAULT_CLEAR_AWAY,
    FAULT_VACATE_AWAY,
    FAULT_KINDS = FAULT_VACATE_AWAY,
} fault_kind;

/* Of a launch. */
typedef struct figures {
    uint8_t level;
    bool move, use_l1;
    uint8_t warps;
    uint16_t regs, lines, smem;
    uint8_t mc;
} figures;

typedef struct state {
    wr_tb_launcher_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate tables, bitmap, me, switches;
    wr_tb_launcher model, before; /* behind the cycles so far; before the last of them */
    wr_tb_launcher_in mem;        /* what the switch logic wants */

    uint32_t step; /* directed job; past the last: random */
    uint32_t begun, asked, checked;
    uint32_t epoch; /* random cycles left before the next launch */
    uint32_t here, queued;
    uint32_t end_percent, allow_percent, ready_percent;
    bool vacate;
    uint8_t vacate_id;
} state;

enum {
    BIN_JOB_NONE,
    BIN_JOB_BOOK,
    BIN_JOB_UNBOOK,
    BIN_JOB_NATIVE,
    BIN_JOB_EXTRA,
    BIN_JOB_HANDED,
    BIN_JOB_CLEAR,
    BIN_JOB_UNDO,
    BIN_JOB_VACATE,
    BIN_ST_IDLE,
    BIN_ST_SETUP,
    BIN_ST_SMEM,
    BIN_ST_ADD_TB,
    BIN_ST_REGS,
    BIN_ST_AWAY,
    BIN_ST_ADD_WARP,
    BIN_ST_PLACE,
    BIN_ST_LEAVE,
    BIN_ST_LAUNCH,
    BIN_ST_LOOK,
    BIN_ST_TELL,
    BIN_ST_CHECK,
    BIN_ST_CHECK_TB,
    BIN_ST_READ,
    BIN_ST_DROP,
    BIN_ST_FREE_REGS,
    BIN_ST_FREE_AWAY,
    BIN_ST_READ_TB,
    BIN_ST_DROP_TB,
    BIN_ST_FREE_SMEM,
    BIN_PLACE_NATIVE_WARP,
    BIN_PLACE_NATIVE_TB,
    BIN_PLACE_EXTRA_MOVE,
    BIN_PLACE_EXTRA_STAY,
    BIN_PLACE_EXTRA_TB,
    BIN_PLACE_HANDED,
    BIN_REFUSED_NATIVE,
    BIN_REFUSED_EXTRA,
    BIN_REFUSED_HANDED,
    BIN_NATIVE_JUST,
    BIN_EXTRA_SHORT,
    BIN_EXTRA_READY,
    BIN_EXTRA_SWITCH,
    BIN_EXTRA_BLOCKED,
    BIN_SETUP_PAST,
    BIN_SETUP_ALLOW,
    BIN_SETUP_WAITING,
    BIN_LAUNCH_BLOCKED,
    BIN_LAUNCH_ENDED,
    BIN_ROOM_SMEM,
    BIN_ROOM_SMEM_L1,
    BIN_ROOM_SMEM_NONE,
    BIN_ROOM_REGS_0,
    BIN_ROOM_REGS,
    BIN_ROOM_AWAY_L1,
    BIN_ROOM_AWAY_ADD,
    BIN_ROOM_AWAY_MOVE,
    BIN_UNBLOCK_OURS,
    BIN_UNBLOCK_THEIRS,
    BIN_UNBLOCK_NOT,
    BIN_BLOCK_MEET,
    BIN_IN_BLOCKED,
    BIN_IN_UNBLOCKED,
    BIN_NO_SMEM,
    BIN_NO_REGS,
    BIN_CHECK_INVALID,
    BIN_CHECK_PRESENT,
    BIN_CHECK_STATE,
    BIN_CHECK_LATE,
    BIN_CHECK_TB_PRESENT,
    BIN_CHECK_TB_WHOLE,
    BIN_READ_NONE,
    BIN_DROP_SLOT,
    BIN_DROP_AWAY,
    BIN_DROP_NONE,
    BIN_SMEM_SPILLED,
    BIN_END_QUEUED,
    BIN_END_TWO,
    BIN_END_HIGHER,
    BIN_END_MEET,
    BIN_END_CFG,
    BIN_END_BOOK,
    BIN_VACATE_FIRST,
    BIN_BOTH_ASK,
    BIN_WAIT_MAP,
    BIN_BOOK_NONE,
    BIN_BOOK_HERE,
    BIN_BOOK_AWAY,
    BIN_BOOK_ALL,
    BIN_N_1,
    BIN_N_MOST,
    BIN_LAST_FITS,
    BIN_PROMISED,
    BIN_WAIT_ME,
    BIN_META_BELOW,
    BIN_META_FIRST,
    BIN_META_LAST,
    BIN_META_ABOVE,
    BINS,
    NEAR_SLOTS = BINS, /* wr_near, behind the bins */
    NEAR_WARPS,
    NEARS,
};

static const char *const launcher_bin_names[] = {
    "job none",
    "job book",
    "job unbook",
    "job native",
    "job extra",
    "job handed",
    "job clear",
    "job undo",
    "job vacate",
    "state idle",
    "state setup",
    "state smem",
    "state add_tb",
    "state regs",
    "state away",
    "state add_warp",
    "state place",
    "state leave",
    "state launch",
    "state look",
    "state tell",
    "state check",
    "state check_tb",
    "state read",
    "state drop",
    "state free_regs",
    "state free_away",
    "state read_tb",
    "state drop_tb",
    "state free_smem",
    "native TB placed at level warp",
    "native TB placed at level TB",
    "extra TB placed, registers move",
    "extra TB placed, registers stay",
    "extra TB placed at level TB",
    "TB handed over",
    "native TB refused by the machine",
    "extra TB refused",
    "hand-over refused",
    "native with just N slots free",
    "extra since one slot is wanting",
    "extra since a ready unit waits",
    "extra since a switch in is under way",
    "extra since native ones are blocked",
    "a launch ends: the TB does not fit",
    "a launch ends: allow has gone",
    "a launch ends: nothing waits any more",
    "a launch waits for lines",
    "a launch waits for a TB to be cleared",
    "no room for shared memory",
    "shared memory of an extra TB comes to the L1",
    "and not there either",
    "no room for registers of warp 0",
    "no room for those of another",
    "a context comes to the L1",
    "no room for metadata: the registers' entry is added",
    "no room for a context of registers",
    "lines given back by this block unblock launches",
    "by the switch logic",
    "not by undo",
    "a launch is blocked in the cycle of a free",
    "a switch in finds no room",
    "and lines are given back",
    "TBs without shared memory",
    "warps without registers",
    "hand-over: a warp has no entry",
    "hand-over: a warp is not in place",
    "hand-over: a warp does not run",
    "hand-over: not the first warp",
    "hand-over: shared memory is not in place",
    "hand-over: a warp is absent",
    "a warp that is cleared already",
    "a warp leaves its slot",
    "a warp that is switched out is undone",
    "a warp without a slot is undone",
    "shared memory that is switched out is given back",
    "a TB that has ended waits for the queues",
    "two TBs have ended",
    "the lower one is queued",
    "a TB ends in the cycle in which its last end is done with",
    "a TB that has ended is forgotten with cfg",
    "a TB ends while TBs are booked",
    "vacate goes before a TB that has ended",
    "the switch logic asks the bitmap first",
    "a step waits for the switch logic's request",
    "no TB is booked",
    "a TB that is on the SM is booked",
    "one that is not is booked",
    "as many TBs as fit are booked",
    "one warp a TB",
    "as many as TbWarps",
    "the TB's last warp is the table's last",
    "slots are promised",
    "the ME controller is waited for",
    "metadata at 0xBFF",
    "in slot 0",
    "in slot 63",
    "at 0xC40",
};
_Static_assert(sizeof launcher_bin_names / sizeof launcher_bin_names[0] == BINS,
               "one name per bin");

static const wr_near launcher_nears[] = {
    {"slots_free and N", 6, NULL},
    {"warps and TbWarps", 6, NULL},
};

/* Steps about lines: how they ended in this cycle. */
static inline void cover_lines(const wr_tb_launcher *m, const wr_tb_launcher *after,
                               const wr_tb_launcher_in *in, uint64_t *hits)
{
    const bool ours = m->map_busy_q && in->map_done && m->map_ours_q;
    const bool fails = ours && !in->map_found;
    const bool book = m->job_q == WR_LAUNCHER_BOOK;
    const bool in_l1 = m->use_l1_q && !m->second_q;

    if (m->state_q == WR_LAUNCHER_SMEM) {
        hits[BIN_ROOM_SMEM] += fails && !book && after->job_q == WR_LAUNCHER_NONE && !m->second_q;
        hits[BIN_ROOM_SMEM_L1] += ours && in->map_found && in_l1 && m->job_q == WR_LAUNCHER_EXTRA &&
                                  m->level_q == WR_LAUNCHER_LEVEL_TB;
        hits[BIN_ROOM_SMEM_NONE] += fails && m->second_q;
        hits[BIN_NO_SMEM] += !ours && after->state_q == WR_LAUNCHER_ADD_TB;
    } else if (m->state_q == WR_LAUNCHER_REGS) {
        hits[BIN_ROOM_REGS_0] += fails && !book && m->index_q == 0;
        hits[BIN_ROOM_REGS] += fails && m->index_q != 0;
        hits[BIN_NO_REGS] += !ours && after->state_q != WR_LAUNCHER_REGS;
    } else if (m->state_q == WR_LAUNCHER_AWAY) {
        hits[BIN_ROOM_AWAY_L1] += ours && in->map_found && in_l1;
        hits[BIN_ROOM_AWAY_ADD] += fails && after->state_q == WR_LAUNCHER_ADD_WARP;
        hits[BIN_ROOM_AWAY_MOVE] += fails && after->state_q == WR_LAUNCHER_READ;
    } else if (m->state_q == WR_LAUNCHER_FREE_SMEM) {
        hits[BIN_SMEM_SPILLED] += m->spilled_q && m->level_q == WR_LAUNCHER_LEVEL_TB;
    }
}

static inline void cover_map(const wr_tb_launcher *m, const wr_tb_launcher *after,
                             const wr_tb_launcher_in *in, const wr_tb_launcher_out *out,
                             uint64_t *hits)
{
    const bool answered = m->map_busy_q && in->map_done;
    const bool blocked = m->launch_blocked_q;
    const bool theirs = answered && !m->map_ours_q && in->mem_free;
    const bool lines = m->state_q == WR_LAUNCHER_SMEM || m->state_q == WR_LAUNCHER_REGS ||
                       m->state_q == WR_LAUNCHER_FREE_REGS;

    hits[BIN_UNBLOCK_OURS] += answered && m->map_ours_q && blocked && !after->launch_blocked_q;
    hits[BIN_UNBLOCK_THEIRS] += theirs && blocked && !after->launch_blocked_q;
    hits[BIN_UNBLOCK_NOT] += answered && m->map_ours_q && m->job_q == WR_LAUNCHER_UNDO && blocked;
    hits[BIN_BLOCK_MEET] += theirs && after->launch_blocked_q;
    hits[BIN_IN_BLOCKED] += !m->in_blocked_q && after->in_blocked_q;
    hits[BIN_IN_UNBLOCKED] += m->in_blocked_q && !after->in_blocked_q && answered;
    hits[BIN_BOTH_ASK] += lines && out->map_valid && in->mem_req;
    hits[BIN_WAIT_MAP] += lines && m->map_busy_q && !m->map_ours_q;
}

static inline void cover_setup(const state *s, const wr_tb_launcher *m, const wr_tb_launcher *after,
                               const wr_tb_launcher_in *in, uint64_t *hits)
{
    const bool past = (m->tb_q + 1u) * m->warps_q > s->cfg.warps || m->tb_q >= s->cfg.tbs;
    const bool many = in->slots_free >= m->warps_q;

    if (m->job_q == WR_LAUNCHER_BOOK) {
        hits[BIN_BOOK_NONE] += m->mc_q == 0;
        hits[BIN_BOOK_HERE] += after->here_q;
        hits[BIN_BOOK_AWAY] += after->job_q == WR_LAUNCHER_BOOK && !after->here_q;
        hits[BIN_BOOK_ALL] += after->job_q == WR_LAUNCHER_UNBOOK && m->tb_q == m->mc_q && past;
    }
    if (m->job_q != WR_LAUNCHER_EXTRA) {
        return;
    }
    hits[BIN_SETUP_PAST] += past;
    hits[BIN_SETUP_ALLOW] += !past && !in->allow && in->waiting;
    hits[BIN_SETUP_WAITING] += !past && in->allow && !in->waiting;
    hits[BIN_LAST_FITS] += !past && (m->tb_q + 1u) * m->warps_q == s->cfg.warps;
    hits[BIN_NATIVE_JUST] += after->job_q == WR_LAUNCHER_NATIVE && in->slots_free == m->warps_q;
    if (after->job_q == WR_LAUNCHER_EXTRA) {
        hits[BIN_EXTRA_SHORT] += in->slots_free + 1u == m->warps_q && !in->ready_waits &&
                                 !in->switch_in && !m->native_blocked_q;
        hits[BIN_EXTRA_READY] += many && in->ready_waits && !in->switch_in && !m->native_blocked_q;
        hits[BIN_EXTRA_SWITCH] += many && !in->ready_waits && in->switch_in && !m->native_blocked_q;
        hits[BIN_EXTRA_BLOCKED] +=
            many && !in->ready_waits && !in->switch_in && m->native_blocked_q;
    }
    if (!past && in->allow && in->waiting && !in->ready_waits && !in->switch_in &&
        !m->native_blocked_q) {
        hits[NEAR_SLOTS] |= wr_near_bit(in->slots_free, m->warps_q) & 63u;
    }
}

static inline void cover_place(const wr_tb_launcher *m, const wr_tb_launcher_in *in, uint64_t *hits)
{
    const bool tb = m->level_q == WR_LAUNCHER_LEVEL_TB;
    const bool native = m->job_q == WR_LAUNCHER_NATIVE;
    const bool extra = m->job_q == WR_LAUNCHER_EXTRA;

    hits[BIN_PLACE_NATIVE_WARP] += native && !tb;
    hits[BIN_PLACE_NATIVE_TB] += native && tb;
    hits[BIN_PLACE_EXTRA_MOVE] += extra && !tb && m->registers_move_q;
    hits[BIN_PLACE_EXTRA_STAY] += extra && !tb && !m->registers_move_q;
    hits[BIN_PLACE_EXTRA_TB] += extra && tb;
    hits[BIN_PLACE_HANDED] += in->place_ok && !native && !extra;
    hits[BIN_REFUSED_NATIVE] += !in->place_ok && native;
    hits[BIN_REFUSED_EXTRA] += !in->place_ok && extra;
    hits[BIN_REFUSED_HANDED] += !in->place_ok && !native && !extra;
}

static inline void cover_tables(const wr_tb_launcher *m, const wr_tb_launcher_in *in,
                                uint64_t *hits)
{
    const bool clear = m->job_q == WR_LAUNCHER_CLEAR;

    if (m->state_q == WR_LAUNCHER_CHECK) {
        const bool fine = in->tab_valid && in->tab_present;
        hits[BIN_CHECK_INVALID] += !in->tab_valid && in->tab_present && in->tab_state == 0;
        hits[BIN_CHECK_PRESENT] += in->tab_valid && !in->tab_present && in->tab_state == 0;
        hits[BIN_CHECK_STATE] += fine && in->tab_state != 0;
        hits[BIN_CHECK_LATE] += m->index_q != 0 && !(fine && in->tab_state == 0);
    } else if (m->state_q == WR_LAUNCHER_CHECK_TB) {
        hits[BIN_CHECK_TB_PRESENT] += in->tab_valid && !in->tab_present && in->tab_whole;
        hits[BIN_CHECK_TB_WHOLE] += in->tab_valid && in->tab_present && !in->tab_whole;
    } else if (m->state_q == WR_LAUNCHER_READ) {
        hits[BIN_READ_NONE] += clear && !in->tab_valid;
    } else if (m->state_q == WR_LAUNCHER_DROP) {
        hits[BIN_DROP_SLOT] += m->meta_q >= 0xc00 && m->meta_q < 0xc40;
        hits[BIN_DROP_AWAY] += m->meta_q < 0xc00 && m->job_q == WR_LAUNCHER_UNDO;
        hits[BIN_DROP_NONE] += m->meta_q == 0xfff && m->job_q == WR_LAUNCHER_UNDO;
        hits[BIN_META_BELOW] += m->meta_q == 0xbff;
        hits[BIN_META_FIRST] += m->meta_q == 0xc00;
        hits[BIN_META_LAST] += m->meta_q == 0xc3f;
        hits[BIN_META_ABOVE] += m->meta_q == 0xc40;
    }
}

static inline void cover_idle(const state *s, const wr_tb_launcher *m, const wr_tb_launcher_in *in,
                              uint64_t *hits)
{
    const bool wants = in->allow && in->waiting && in->tb_found;
    uint32_t ended = 0;

    for (uint32_t t = 0; t < WR_LAUNCHER_TBS; t++) {
        ended |= m->ended_q[t] ? UINT32_C(1) << t : 0;
    }
    const uint32_t lowest = ended & (0u - ended);
    if (in->cfg) {
        hits[BIN_END_CFG] += ended != 0;
        hits[NEAR_WARPS] |= wr_near_bit(in->warps, s->cfg.tb_warps);
        hits[BIN_N_1] += in->warps == 1;
        hits[BIN_N_MOST] += in->warps == s->cfg.tb_warps;
    } else if (m->run_q) {
        hits[BIN_LAUNCH_BLOCKED] += wants && ended == 0 && m->launch_blocked_q && !in->vacate;
        hits[BIN_LAUNCH_ENDED] += wants && ended != 0 && (ended & ~in->queued) == 0;
        hits[BIN_END_QUEUED] += ended != 0 && (ended & ~in->queued) == 0;
        hits[BIN_END_TWO] += (ended & (ended - 1)) != 0;
        hits[BIN_END_HIGHER] += (lowest & in->queued) != 0 && (ended & ~in->queued) != 0;
        hits[BIN_VACATE_FIRST] += in->vacate && (ended & ~in->queued) != 0;
    }
}

static void launcher_cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_tb_launcher *m = &s->before;
    const wr_tb_launcher *after = &s->model;
    const wr_tb_launcher_in *in = in_;
    const wr_tb_launcher_out *out = out_;
    const uint32_t done = m->tb_q & 31u;

    hits[BIN_JOB_NONE + m->job_q]++;
    hits[BIN_ST_IDLE + m->state_q]++;
    cover_lines(m, after, in, hits);
    cover_map(m, after, in, out, hits);
    if (m->state_q == WR_LAUNCHER_IDLE) {
        cover_idle(s, m, in, hits);
    } else if (m->state_q == WR_LAUNCHER_SETUP) {
        cover_setup(s, m, after, in, hits);
    } else if (m->state_q == WR_LAUNCHER_PLACE) {
        cover_place(m, in, hits);
    } else if (in->tab_ack) {
        cover_tables(m, in, hits);
    }
    hits[BIN_END_MEET] += (m->state_q == WR_LAUNCHER_DROP_TB && in->tab_ack &&
                           m->job_q == WR_LAUNCHER_CLEAR && (in->ended >> done & 1) != 0);
    hits[BIN_END_BOOK] +=
        in->ended != 0 && (m->job_q == WR_LAUNCHER_BOOK || m->job_q == WR_LAUNCHER_UNBOOK);
    hits[BIN_PROMISED] += out->slots_free != in->slots_free && !m->in_blocked_q;
    hits[BIN_WAIT_ME] +=
        !in->me_ready && (m->state_q == WR_LAUNCHER_LAUNCH || m->state_q == WR_LAUNCHER_LEAVE);
}

#endif
