/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the system share: a unit for each SM, and what is of the launch.
 *
 *   events of warps --> waits --unit.c: told one by one--> vt_status_table --> who changes places
 *                       places.c: TBs placed and ended ----^      |
 *                       swap.c:   state moves, warps enter <------'
 *
 * A TB is known by its TB slot of the SM, 0 to capacity - 1, and lies in rows and lines of that
 * number from its placing to its end:
 *   registers      rows  t * N * regs
 *   shared memory  lines t * shared, and behind all TBs' a home of N * ST lines for each TB that
 *                  finds no warp slots
 * A group is N warp slots; the active TBs have one each.
 *
 * Invariants:
 * - told[t] is what the block has counted of TB t: as many bits as its count;
 * - of an inactive TB, waits has the warps with loads in flight, and told has those too.
 *
 * [serial], but for what hooks note of an SM.
 */
#ifndef WR_SYSTEMS_VIRTUAL_THREAD_STATE_H
#define WR_SYSTEMS_VIRTUAL_THREAD_STATE_H

#include "dpi/gen/vt_status_table_port.h"
#include "shell/core/seam/identity.h"
#include "shell/core/seam/storage.h"
#include "shell/core/seam/warp.h"
#include "systems/duet/meta.h"
#include "systems/frame/system.h"

enum {
    WR_VT_TB_WARPS = 32,
    WR_VT_IDS = WR_CONFIG_MAX_WARPS + WR_MOST_AWAY,
    WR_VT_LAUNCH_POISON = 0xa5,
    WR_VT_POISON = 0x5a,
};

/* The two TBs that change places, from the take until all warps of the one that comes in have
 * entered. State moves warp by warp: ST lines of `in` out of the home, then ST of `out` into it. */
typedef struct wr_vt_swap {
    bool on;
    bool sends; /* `out` has state; false: it has ended */
    uint8_t out, in;
    uint32_t bytes;   /* that the port has moved */
    uint32_t steps;   /* of ST lines that are through */
    uint32_t entered; /* warps of `in` */
    uint8_t going[WR_VT_TB_WARPS][WR_DUET_META_LINES * WR_DUET_LINE];
    wr_duet_meta coming[WR_VT_TB_WARPS];
} wr_vt_swap;

typedef struct wr_vt_counts {
    uint64_t swaps, lines, cycles, most, placed;
} wr_vt_counts;

typedef struct wr_vt wr_vt;

typedef struct wr_vt_unit {
    wr_vt *vt;
    wr_sm *sm;
    uint32_t bay_unit;
    bool open;
    wr_port_vt_status_table table;
    wr_vt_status_table_in in;
    wr_vt_status_table_out out; /* as it stands for the next cycle */

    bool starts;                      /* the block is to be told of the launch */
    uint32_t here;                    /* TBs, a bit each: placed and not ended */
    uint32_t ended;                   /* ended, and the block has not been told */
    uint32_t inactive;                /* of those here */
    uint8_t tb_of[WR_VT_SLOTS_MAX];   /* of a group */
    uint8_t group_of[WR_VT_TBS_MAX];  /* of an active TB */
    uint8_t home_of[WR_VT_TBS_MAX];   /* of an inactive one */
    uint16_t warp_of[WR_VT_IDS];      /* of an identity: TB * 32 + number in it */
    uint64_t born[WR_VT_TBS_MAX];     /* TBs placed on the SM before it */
    uint64_t unmapped;                /* warp slots whose virtual warp is to be written */
    uint32_t waits[WR_VT_TBS_MAX];    /* warps, by number: what is so */
    uint32_t told[WR_VT_TBS_MAX];     /* and what the block knows */
    uint32_t barrier[WR_VT_TBS_MAX];  /* of them: at a barrier; of an inactive TB, as it left */
    uint32_t finished[WR_VT_TBS_MAX]; /* warps */
    uint32_t next_stall, next_wake;   /* TB whose turn it is */
    bool deadlocked; /* all warps of the proposed TB wait, none for memory: a swap would hide it */
    wr_vt_swap swap;
    wr_vt_counts counts;
} wr_vt_unit;

struct wr_vt {
    wr_system base;
    wr_bay *bay;
    wr_owner owner;
    uint32_t sms, rf_lines, smem_lines, st_lines, port_bytes;
    uint32_t most_tbs, most_extra; /* options */
    bool keeps_age;                /* a TB that comes in is as old as it was */
    bool failed;

    /* the launch */
    wr_gpu *gpu;
    uint32_t stream;
    bool in_flight;
    bool engaged;               /* the system places its TBs */
    bool active;                /* a unit has something to do in the next cycle */
    uint32_t warps, regs, smem; /* N; lines of a warp's registers and of a TB's shared memory */
    uint32_t shared_bytes;
    uint32_t native, capacity; /* TBs of an SM: as without the system; that it places */
    uint32_t groups;

    wr_vt_unit *unit; /* by SM */
};

/* All warps of a TB. */
static inline uint32_t wr_vt_all(const wr_vt *vt)
{
    return (uint32_t)((UINT64_C(1) << vt->warps) - 1);
}
static inline uint32_t wr_vt_slot(const wr_vt_unit *u, uint32_t tb, uint32_t index)
{
    return u->group_of[tb] * u->vt->warps + index;
}

/* unit.c */
bool wr_vt_unit_open(wr_vt_unit *u, const wr_gpu_config *cfg, char *err, size_t err_size);
/* A launch that the system places begins; the SM is empty. */
void wr_vt_unit_start(wr_vt_unit *u);
/* One cycle, where it has something to do without a further event. */
void wr_vt_unit_cycle(wr_vt_unit *u);
bool wr_vt_unit_active(const wr_vt_unit *u);
void wr_vt_abort(wr_vt_unit *u, const char *what);

/* places.c: one TB a cycle is placed, or its end is served. */
void wr_vt_place(wr_vt_unit *u);
bool wr_vt_may_place(const wr_vt_unit *u);
uint8_t *wr_vt_home(const wr_vt_unit *u, uint32_t tb, uint32_t index);
/* The warp of an active TB enters its slot and goes on; one that has finished stays away. */
void wr_vt_enter(wr_vt_unit *u, uint32_t tb, uint32_t index, const wr_duet_meta *meta);

/* swap.c */
/* The swap that the block proposes begins, if it can in this cycle. */
bool wr_vt_take(wr_vt_unit *u);
void wr_vt_move(wr_vt_unit *u);

#endif
