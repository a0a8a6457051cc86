/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher among its neighbours: their models, and a machine that plays by chance.
 *
 *   me_controller <--- launch, leave ---  tb_launcher  <--- ended, vacate --- machine
 *                                          |  |  |  ^
 *        warp_context_table, tb_context_table |  |  '-- mem -- context_switch_logic <-- queues
 *        (switch logic first, then launcher,  |  '-- claim, left --> warp_slots <-- takes, gives
 *        then the machine)                    '--> onchip_bitmap
 *
 * The machine books what it has, brings TBs where it is asked, refuses some, and lets warps stall,
 * go on and finish; units that stall or are ready wait in two queues, a row each. What holds when
 * nobody is between two steps: each line and each slot has one owner or is free, and bitmap and
 * warp_slots say so; a TB has its entry, all of its warps, and its place in the count of
 * me_controller. Always: no fault of any block. At the end of a launch all is free.
 */
#ifndef WR_TESTS_BLOCKS_LAUNCHER_PATH_H
#define WR_TESTS_BLOCKS_LAUNCHER_PATH_H

#include "refmodel/duet/context_switch_logic.h"
#include "refmodel/duet/me_controller.h"
#include "refmodel/duet/onchip_bitmap.h"
#include "refmodel/duet/tb_context_table.h"
#include "refmodel/duet/tb_launcher.h"
#include "refmodel/duet/warp_context_table.h"
#include "refmodel/duet/warp_slots.h"
#include "tests/blocks/rig.h"

enum { WARPS = 128, TBS = 32, SLOTS = 64, UNITS = 3072, RF = 2048, ST = 2, QUEUE = 128 };

typedef enum plant {
    SOUND,
    FREE_LOST,     /* lines that the launcher gives back stay taken */
    CLAIM_LOST,    /* warp_slots does not hear of a claim */
    LEFT_LOST,     /* nor of a give */
    PROMISE_SHOWN, /* the switch logic is shown all free slots */
    LEAVE_LOST,    /* me_controller does not hear of a TB that goes */
} plant;

/* What limits a launch: as the switch logic and the launcher are told. */
typedef struct kernel {
    uint8_t limits, warps;
    uint16_t regs, lines, smem;
} kernel;

typedef struct queue {
    uint8_t id[QUEUE];
    uint32_t count;
} queue;

typedef struct path {
    wr_rig rig;
    plant plant;
    const kernel *kernel;
    wr_tb_launcher launcher;
    wr_context_switch_logic csl;
    wr_warp_context_table wct;
    wr_tb_context_table tct;
    wr_onchip_bitmap map;
    wr_warp_slots slots;
    wr_me_controller me;
    wr_tb_launcher_in in;
    wr_tb_launcher_out out;
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl_out;
    wr_warp_context_table_in wct_in;
    wr_tb_context_table_in tct_in;
    wr_warp_slots_in slots_in;

    queue stalled, ready;
    bool held[WARPS]; /* in a queue or in the switch logic's hands; of level TB by its TB */
    bool done[WARPS]; /* has finished */
    bool there[TBS];  /* placed or booked, and not gone */
    bool ended[TBS];  /* told so */
    bool stalls[TBS]; /* level TB: all of it is to be stalled */
    uint8_t arrived[TBS];
    uint8_t slot[WARPS]; /* before booking */
    uint32_t grid;       /* TBs that wait */
    int out_unit, in_unit;
    int vacate;
    bool plays; /* what is there is booked */
    uint64_t cycle, checks, placed[3], refused, wanting, vacated, ins, outs;
    const char *wrong;
} path;

/* Notes the first thing that is wrong. */
static inline void wrong(path *p, bool is, const char *what)
{
    if (is && p->wrong == NULL) {
        p->wrong = what;
    }
}

static inline bool whole_tbs(const path *p)
{
    return (p->kernel->limits & WR_CSL_LIMIT_SHARED) != 0;
}

static inline bool moves(const path *p)
{
    return (p->kernel->limits & WR_CSL_LIMIT_REGISTERS) != 0;
}

/* All that the tables name, against bitmap and slots; to be called where nobody is between steps.
 */
void wr_path_check(path *p);

/* Launches in a row, from reset, to the first thing that is wrong. The result is static. */
const path *wr_path_run(uint32_t launches, plant planted);

#endif
