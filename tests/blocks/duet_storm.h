/* SPDX-License-Identifier: Apache-2.0 */
/* The duet blocks together in a storm of launches, stalls, barriers, wake-ups and exits.
 *
 *   stalls, wake-ups --> switch_queues --heads--> context_switch_logic --> move of lines (tags)
 *                                                  |     |       |  |
 *   warp_context_table <-------- tab: warps -------'     |       |  '--> warp_slots <-- launches,
 *   tb_context_table   <-------- tab: TBs ---------------'       v                      exits
 *                                                            onchip_bitmap <-- launches, exits
 *                                                            (one request at a time)
 *
 * The wiring, which is also how an SM would have it:
 * - level off and warp: the warp queues, level TB: the TB queues are the heads that the switch
 *   logic sees; its pops pop them.
 * - tab_op read_warp and read_tb are the look ports, write_warp is an update of state, reg_addr
 *   and meta_addr, move_tb a move, absent_tb and present_tb set and clear with a mask of one warp
 *   or N. The switch logic goes first; the storm uses the command port of a table where it leaves
 *   it free.
 * - slot_take is a claim by the warp of tab_id, slot_give a give, the ack of wr_in of an exchange
 *   a pass. A launch is promised its slots, which the switch logic does not see as free, and
 *   claims the lowest one with each warp, but not during a switch in; a warp that is done gives
 *   its slot where the switch logic gives none.
 * - the bitmap belongs to one requester until its done, which is the ack; valid falls with done.
 * - may_leave: the unit's warps all still wait. want: a TB waits for room. A launch is promised
 *   slots only in a cycle in which it shows the switch logic none, or while a switch that takes
 *   none is under way.
 * - an extra TB is launched with its room switched out, so an exchange always has room.
 * - a warp that is done keeps its entry, as if at a barrier, where whole TBs are switched.
 *
 * What holds, in every full comparison: each unit of memory and each warp slot has one owner or is
 * free, and bitmap and warp_slots say the same; each warp is in one state, in the place that
 * belongs to the state, and in the queue that belongs to it; masks agree; the lines of a context
 * are its own. Always: no fault of any block, no warp waits longer than ABLE_MOST for its turn, or
 * WAIT_MOST in all (at a barrier it waits for others that wait); between kernels all is free.
 *
 * 500,000 cycles by default; WARPREF_STORM_CYCLES=10000000 is the long form (some seconds).
 */
#ifndef WR_TESTS_BLOCKS_DUET_STORM_H
#define WR_TESTS_BLOCKS_DUET_STORM_H

#include "refmodel/duet/context_switch_logic.h"
#include "refmodel/duet/onchip_bitmap.h"
#include "refmodel/duet/switch_queues.h"
#include "refmodel/duet/tb_context_table.h"
#include "refmodel/duet/warp_context_table.h"
#include "refmodel/duet/warp_slots.h"
#include "tests/blocks/rig.h"

enum {
    WARPS = 128,
    TBS = 32,
    SLOTS = 64,
    UNITS = 3072,
    ST = 2, /* StLines */
    NONE = 0xfff,
    WAIT_MOST = 200000, /* cycles from one instruction of a warp to the next */
    ABLE_MOST = 50000,  /* and of these, while it waits for nothing but its turn */
    ITEMS = 2 * 32 + 1,
    ROOM_LOST_MAX = 1024,
};
enum { IN_REGISTERS, IN_SHARED, IN_L1 };

/* A bug in the wiring that the checks have to find. */
typedef enum plant {
    SOUND,
    FREE_LOST,     /* room that the switch logic gives back stays taken */
    MASK_LOST,     /* absent masks are not written */
    POP_LOST,      /* a stalled unit stays in its queue when it is popped */
    LINE_LOST,     /* the first line of a context does not move */
    META_LOST,     /* nor that of a warp's metadata */
    PASS_LOST,     /* the list of slots does not hear of an exchange */
    BARRIERS_STAY, /* warps at barriers do not leave: the deadlock of Lin-D 3.6.3 */
} plant;

typedef struct kernel {
    uint8_t limits, warps;
    uint16_t lines, full; /* of the switch logic */
    uint16_t regs;        /* lines of a warp's registers in place */
    uint16_t smem;        /* lines of a TB's shared memory in place */
} kernel;

typedef struct warp {
    bool live, done, at_barrier;
    bool held;         /* in a queue or in the hands of the switch logic (level warp) */
    uint64_t until;    /* waits for memory until then */
    uint64_t progress; /* when it issued last */
    uint64_t waited;   /* when it was last seen to wait for memory or at a barrier */
    uint32_t work;
} warp;

typedef struct tb {
    bool live, held, leaving;
    uint32_t left, arrived;
} tb;

typedef struct run {
    uint8_t region, other; /* other: the second choice, or region */
    uint16_t count, addr;
} run;

typedef struct storm {
    wr_rig rig;
    plant plant;
    wr_context_switch_logic csl;
    wr_warp_context_table wct;
    wr_tb_context_table tct;
    wr_onchip_bitmap map;
    wr_switch_queues queues;
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl_out;
    wr_warp_context_table_in wct_in;
    wr_tb_context_table_in tct_in;
    wr_onchip_bitmap_in map_in;
    wr_onchip_bitmap_out map_out;
    wr_switch_queues_in queues_in;
    wr_switch_queues_out queues_out;
    wr_warp_slots slots;
    wr_warp_slots_in slots_in;
    wr_warp_slots_out slots_out;

    const kernel *kernel;
    uint64_t kernel_end;
    warp warp[WARPS];
    tb tb[TBS];
    int out_id, in_id; /* units of the switch under way, or -1 */
    uint32_t scan, issue, judge;

    bool map_ours, map_busy; /* who uses the bitmap */
    run room[ROOM_LOST_MAX]; /* to be given back */
    uint32_t rooms;

    bool placing, extra; /* a launch under way */
    uint32_t place_tb, items, got, inserted;
    run item[ITEMS];
    uint32_t promised; /* slots of it that are still to be claimed */

    uint16_t tag[UNITS + SLOTS]; /* whose line, or slot, this is; 1 + unit, of metadata 1 + warp */

    uint64_t cycle, checks, ops[5], launches, extras, exits, issues, barriers, ran;
    uint64_t longest;      /* from one instruction of a warp to the next */
    uint64_t longest_able; /* of these, while it waited neither for memory nor at a barrier */
    const char *violation;
} storm;

/* Notes the first violation. */
static inline void wrong(storm *s, bool is, const char *what)
{
    if (is && s->violation == NULL) {
        s->violation = what;
    }
}

static inline bool whole_tbs(const storm *s)
{
    return s->csl.level_q == WR_CSL_TB;
}

static inline bool registers_move(const storm *s)
{
    return !whole_tbs(s) && (s->kernel->limits & WR_CSL_LIMIT_REGISTERS) != 0;
}

static inline uint32_t most_tbs(const storm *s)
{
    const uint32_t n = WARPS / s->kernel->warps;
    return n < TBS ? n : TBS;
}

static inline bool waits(const storm *s, uint32_t w)
{
    return s->warp[w].done || s->warp[w].at_barrier || s->cycle < s->warp[w].until;
}

/* Compares all that the blocks hold with what the storm knows; to be called between switches. */
void wr_storm_check(storm *s);

/* Nobody waits too long. */
void wr_storm_check_wait(storm *s);

/* Runs a storm from reset, to its end or the first violation. The result is static. */
const storm *wr_storm_run(uint64_t cycles, plant p);

#endif
