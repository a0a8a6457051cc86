/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the state of tb_launcher alone: what its step asks of the tables and of the
 * bitmap, lines taken beside lines given back. */
#ifndef WR_REFMODEL_DUET_LAUNCHER_VIEW_H
#define WR_REFMODEL_DUET_LAUNCHER_VIEW_H

#include "refmodel/duet/tb_launcher.h"

enum { ADDRESS = 0xfff };

/* A request of a step to the bitmap; count 0: nothing is to be asked. */
typedef struct request {
    bool is; /* the step is about lines */
    bool free;
    bool other; /* may lie in the L1: the first choice, where it may be used */
    uint8_t region;
    uint16_t count, addr;
} request;

static inline bool whole_tbs(const wr_tb_launcher *s)
{
    return s->level_q == WR_LAUNCHER_LEVEL_TB;
}

static inline bool registers_move(const wr_tb_launcher *s)
{
    return s->level_q == WR_LAUNCHER_LEVEL_WARP && s->registers_move_q;
}

static inline uint16_t body_lines(const wr_tb_launcher *s)
{
    return whole_tbs(s) || registers_move(s) ? s->lines_q : 0;
}

/* Of a unit that is switched out: Eq. 3.2 and 3.3. */
static inline uint16_t away_lines(const wr_tb_launcher *s)
{
    return (uint16_t)(body_lines(s) + s->cfg.st_lines * (whole_tbs(s) ? s->warps_q : 1u));
}

static inline bool is_away(uint16_t meta)
{
    return meta < WR_LAUNCHER_META_SLOT;
}

static inline bool is_slot(uint16_t meta)
{
    return meta >= WR_LAUNCHER_META_SLOT && meta < WR_LAUNCHER_META_SLOT + WR_LAUNCHER_SLOTS;
}

static inline request plan(const wr_tb_launcher *s)
{
    const bool extra = s->job_q == WR_LAUNCHER_EXTRA;
    const bool tb_away = whole_tbs(s) && extra;
    request q = {.is = true};

    switch (s->state_q) {
    case WR_LAUNCHER_SMEM:
        q.count = tb_away ? away_lines(s) : s->cfg_smem_q;
        q.region = tb_away ? WR_LAUNCHER_REGISTERS : WR_LAUNCHER_SHARED;
        q.other = tb_away;
        break;
    case WR_LAUNCHER_REGS:
        q.count = s->job_q == WR_LAUNCHER_BOOK ? s->tb_regs_q : s->regs_q;
        q.region = WR_LAUNCHER_REGISTERS;
        break;
    case WR_LAUNCHER_AWAY:
        q.count = away_lines(s);
        q.region = WR_LAUNCHER_SHARED;
        q.other = true;
        break;
    case WR_LAUNCHER_FREE_REGS:
        q.free = true;
        q.count = is_away(s->meta_q) && registers_move(s) ? away_lines(s) : s->regs_q;
        q.addr = s->row_q;
        break;
    case WR_LAUNCHER_FREE_AWAY:
        q.free = true;
        q.count = away_lines(s);
        q.addr = s->meta_q;
        break;
    case WR_LAUNCHER_FREE_SMEM:
        q.free = true;
        q.count = s->spilled_q && whole_tbs(s) ? away_lines(s) : s->cfg_smem_q;
        q.addr = s->smem_q;
        break;
    default:
        q.is = false;
        break;
    }
    if (q.other && s->use_l1_q && !s->second_q) {
        q.region = WR_LAUNCHER_L1;
    }
    return q;
}

/* What a step asks the tables. */
typedef struct ask {
    bool is, of_tb;
    uint8_t op; /* wr_launcher_tab_op */
} ask;

static const ask asks[] = {
    [WR_LAUNCHER_ADD_TB] = {true, true, WR_LAUNCHER_INSERT_TB},
    [WR_LAUNCHER_ADD_WARP] = {true, false, WR_LAUNCHER_INSERT_WARP},
    [WR_LAUNCHER_LOOK] = {true, false, WR_LAUNCHER_READ_WARP},
    [WR_LAUNCHER_TELL] = {true, false, WR_LAUNCHER_WRITE_WARP}, /* of a native TB */
    [WR_LAUNCHER_CHECK] = {true, false, WR_LAUNCHER_READ_WARP},
    [WR_LAUNCHER_CHECK_TB] = {true, true, WR_LAUNCHER_TAB_READ_TB},
    [WR_LAUNCHER_READ] = {true, false, WR_LAUNCHER_READ_WARP},
    [WR_LAUNCHER_DROP] = {true, false, WR_LAUNCHER_REMOVE_WARP},
    [WR_LAUNCHER_READ_TB] = {true, true, WR_LAUNCHER_TAB_READ_TB},
    [WR_LAUNCHER_DROP_TB] = {true, true, WR_LAUNCHER_REMOVE_TB},
    [WR_LAUNCHER_FREE_SMEM] = {false, false, 0},
};

static inline bool asks_tables(const wr_tb_launcher *s)
{
    return asks[s->state_q].is &&
           (s->state_q != WR_LAUNCHER_TELL || s->job_q == WR_LAUNCHER_NATIVE);
}

/* A warp on the SM has a slot, or one of a native TB gets one: its entry says so in this step. */
static inline bool has_slot(const wr_tb_launcher *s)
{
    return (s->state_q == WR_LAUNCHER_ADD_WARP && s->job_q == WR_LAUNCHER_BOOK && s->here_q) ||
           (s->state_q == WR_LAUNCHER_TELL && s->job_q == WR_LAUNCHER_NATIVE);
}

/* Slots that a native launch has not claimed yet. */
static inline uint8_t promised(const wr_tb_launcher *s)
{
    const bool tells = s->state_q == WR_LAUNCHER_LOOK || s->state_q == WR_LAUNCHER_TELL;

    return s->job_q != WR_LAUNCHER_NATIVE ? 0 : (uint8_t)(s->warps_q - (tells ? s->index_q : 0));
}

static inline bool fits(const wr_tb_launcher *s, uint32_t tb)
{
    return tb < s->cfg.tbs && (tb + 1u) * s->warps_q <= s->cfg.warps;
}

/* The last TB of booking has been dealt with. */
static inline bool booking_ends(const wr_tb_launcher *s)
{
    return s->tb_q == s->mc_q || !fits(s, s->tb_q);
}

static inline bool some_ended(const wr_tb_launcher *s)
{
    bool some = false;

    for (uint32_t t = 0; t < WR_LAUNCHER_TBS; t++) {
        some = some || s->ended_q[t];
    }
    return some;
}

#endif
