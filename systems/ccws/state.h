/* SPDX-License-Identifier: Apache-2.0 */
/* Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012): a warp whose lines the L1 has
 * evicted too early gets a higher score, and where scores add up to more than all warps have
 * without any loss, those with the lowest ones load no more. Seams: memory, warp.
 *
 *   victims.c  tags of lines that an L1 has evicted, for each warp that had brought them
 *   ccws.c     scores, whose loads are held
 *
 * A warp's score is `base` at least. When a load of it misses the L1 and finds the line among its
 * victims, it is set to hits / instructions x `k` x `base` x warps, all of this SM and its run so
 * far, and falls by 1 a cycle. In the order of scores, ties by warp slot, those warps may load
 * whose scores add up to at most `base` x warps; the first always may. Warps are those of the SM
 * that have not finished. All of it is of public notes, not of the paper's text.
 */
#ifndef WR_SYSTEMS_CCWS_STATE_H
#define WR_SYSTEMS_CCWS_STATE_H

#include "shell/core/seam/hooks.h"
#include "systems/ccws/ccws.h"

enum { WR_CCWS_WARPS = WR_CONFIG_MAX_WARPS, WR_CCWS_ENTRIES = 64 };

/* Of one warp: sets of `ways` entries by the line's lowest bits, LRU. */
typedef struct wr_ccws_victims {
    uint64_t line[WR_CCWS_ENTRIES];    /* 1 + its number; 0: empty */
    uint64_t used_at[WR_CCWS_ENTRIES]; /* a later one is younger */
} wr_ccws_victims;

typedef struct wr_ccws_sm {
    wr_ccws_victims victims[WR_CCWS_WARPS];
    uint8_t *brought_by;           /* warp slot, by place of the L1; WR_CCWS_WARPS: nobody */
    uint64_t score[WR_CCWS_WARPS]; /* in the cycle of set_at, less one for each since */
    uint64_t set_at[WR_CCWS_WARPS];
    uint64_t clock;                   /* uses of victims' tags */
    uint64_t issued, hits;            /* instructions; victims found */
    uint64_t warps;                   /* that had not finished in the cycle before */
    uint64_t held;                    /* warps whose loads are, as it has been pushed */
    bool look;                        /* a score has been set in this cycle */
    uint64_t held_cycles, warps_held; /* cycles with some, warps summed over these */
} wr_ccws_sm;

typedef struct wr_ccws {
    wr_system base;
    wr_owner owner;
    wr_gpu *gpu;
    uint32_t sms, entries, ways, k, least;
    wr_ccws_sm *sm;
} wr_ccws;

/* victims.c */
/* The warp's line has been evicted. */
void wr_ccws_lost(wr_ccws *p, wr_ccws_sm *sm, uint32_t warp, uint64_t line);
/* True: the warp had lost the line; it is among its victims no more. */
bool wr_ccws_found(const wr_ccws *p, wr_ccws_sm *sm, uint32_t warp, uint64_t line);

#endif
