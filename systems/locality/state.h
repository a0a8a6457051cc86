/* SPDX-License-Identifier: Apache-2.0 */
/* Hint-assisted locality-aware scheduling (Gong 6.3): TBs that are neighbours go to one SM (Fig.
 * 6.8), and the block locality_grouper of each warp scheduler says which of its ready warps issues
 * (Fig. 6.9), both by the launch's hint. Seams: launch, warp.
 *
 *   spread.c    which TB goes to which SM
 *   group.c     the blocks: warps that come and go, grants
 *   locality.c  options, and what the machine's events mean to these
 *
 * A scheduler has a block of its own with a slot for each of its warps, so groups are of the warps
 * of a scheduler. Inside an SM's cycle choose_warp shows the block the warps that can issue, and
 * the warp of its grant, which follows in the same cycle, issues: the block's port is evaluated
 * by the thread that has the SM, as any block of one SM may be (dpi/port.h). All ports are ticked
 * in gpu_cycle, behind the SMs: one tick for each cycle with a grant, or with a warp that comes
 * or goes. Of these a block takes one of each kind a cycle, in their order.
 *
 * Invariants:
 * - a warp that the block does not have yet, or no more, does not issue;
 * - with hint 0 all of it is off: TBs in their order to any SM, warps by the configuration's
 *   scheduler, no block is clocked;
 * - a launch with a hint is alone on the GPU: the block has one hint.
 */
#ifndef WR_SYSTEMS_LOCALITY_STATE_H
#define WR_SYSTEMS_LOCALITY_STATE_H

#include "dpi/gen/locality_grouper_port.h"
#include "shell/core/seam/launch.h"
#include "shell/core/seam/warp.h"
#include "systems/locality/locality.h"

enum {
    WR_LOCALITY_NEWS = 256, /* warps that come and go, of a scheduler: twice each slot and more */
    WR_LOCALITY_FROM_LAUNCH = WR_TB_SHARINGS, /* option hint: the launch's own */
};

typedef enum wr_locality_spread {
    WR_LOCALITY_CHUNK, /* each SM has one part of the grid */
    WR_LOCALITY_WAVE,  /* an SM that has none left takes as many as it holds */
    WR_LOCALITY_ORDER, /* as without the system */
} wr_locality_spread;

typedef enum wr_locality_news_kind {
    WR_LOCALITY_CONFIG,
    WR_LOCALITY_COMES,
    WR_LOCALITY_GOES
} wr_locality_news_kind;

/* What a block is still to be told. */
typedef struct wr_locality_news {
    uint8_t kind, slot, warp, x, y; /* of CONFIG: slot the hint, warp the groups */
} wr_locality_news;

/* A block and its scheduler. */
typedef struct wr_locality_group {
    bool open;
    wr_port_locality_grouper port;
    wr_locality_grouper_in in; /* of this cycle: news since the one before, grants from the SM */
    wr_locality_grouper_out out;
    bool ticks, settled; /* in this cycle; it was evaluated with these inputs */
    uint64_t has;        /* warp slots of the SM that it knows */
    wr_locality_news news[WR_LOCALITY_NEWS];
    uint32_t first, count;
    uint64_t grants, switches, waits; /* waits: cycles in which it knew no warp that could issue */
} wr_locality_group;

typedef struct wr_locality_sm {
    wr_locality_group *group; /* of each scheduler */
    uint32_t unit;
    uint64_t told;     /* warp slots that its blocks have been told of, or are to be */
    uint64_t gone;     /* warps that have finished or left since */
    uint64_t at, end;  /* TBs of its part, by their numbers; at == end: none */
    bool closed, busy; /* to the dispatcher; some block has news */
    bool strayed;      /* a block has granted a warp that could not issue */
} wr_locality_sm;

typedef struct wr_locality {
    wr_system base;
    wr_owner owner;
    wr_bay *bay;
    wr_gpu *gpu;
    uint32_t hint, groups; /* options */
    wr_locality_spread spread;
    bool schedules;
    uint32_t sms, schedulers;
    wr_locality_sm *sm;
    wr_locality_group *groups_of_all;
    uint8_t scheduler_of[WR_CONFIG_MAX_WARPS], slot_of[WR_CONFIG_MAX_WARPS]; /* by warp slot */
    uint8_t warp_of[WR_CONFIG_MAX_SCHEDULERS][WR_LOCALITY_SLOTS_MAX];
    uint32_t stream;                   /* of the launch with a hint */
    bool spreads, groups_warps;        /* of the launch in flight */
    uint64_t next, tbs, part;          /* of its TBs: not yet an SM's; all; a wave */
    uint64_t launches[WR_TB_SHARINGS]; /* by hint */
} wr_locality;

/* spread.c */
void wr_locality_part(wr_locality *p, const wr_launch *launch); /* parts of a launch that begins */
uint64_t wr_locality_next_tb(wr_locality *p, uint32_t sm);
void wr_locality_placed(wr_locality *p, wr_sm *sm);
void wr_locality_reopen(wr_locality *p);

/* group.c */
bool wr_locality_open(wr_locality *p, const wr_system_setup *setup, char *err, size_t err_size);
void wr_locality_close(wr_locality *p);
/* The blocks of all SMs are to take this hint, behind all warps that have come and gone. */
void wr_locality_configure(wr_locality *p, wr_tb_sharing hint, uint32_t groups);
/* The warp that the scheduler's block grants; UINT32_MAX: it knows none of them. */
uint32_t wr_locality_grant(wr_locality *p, const wr_sm *sm, uint32_t scheduler,
                           uint64_t candidates);
void wr_locality_cycle(wr_locality *p, uint64_t now);
bool wr_locality_has_news(const wr_locality *p);

#endif
