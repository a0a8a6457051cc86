/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimulus of locality_grouper knows of the slots: which are resident, with which key and
 * place in their group, and who has had its turn, from the commands and from the grants that were
 * taken.
 *
 * Invariant: only commands that keep the protocol go through here; those that break it are ignored
 * by the block, but for the cfg, which is taken.
 */
#ifndef WR_TESTBENCH_HINTS_LOCALITY_PICTURE_H
#define WR_TESTBENCH_HINTS_LOCALITY_PICTURE_H

#include <string.h>

#include "refmodel/hints/locality_grouper.h"

enum { SLOTS = WR_LOCALITY_SLOTS_MAX, SLOT_BITS = 6, NUMBER_BITS = 5, GROUPS = 32 };

/* Where a warp lies in its grid. */
typedef struct wr_place {
    uint8_t x, y, warp;
} wr_place;

typedef struct wr_locality_picture {
    uint32_t mask;    /* of a coordinate */
    bool was[SLOTS];  /* resident as the cycle begins */
    bool used[SLOTS]; /* as it ends */
    bool stalled[SLOTS];
    bool had[SLOTS]; /* its turn in this round */
    wr_place at[SLOTS];
    uint32_t key[SLOTS], order[SLOTS];
    uint32_t resident;
    uint32_t launched, before; /* slot of the launch in this cycle, in the one before; or SLOTS */
    uint32_t finished;         /* slot of the finish in the one before, or SLOTS */
    bool served, serving;      /* something is; in the cycle before */
    uint32_t served_slot, served_key;
    uint8_t hint, groups, turn;
    uint8_t hint_then; /* as the cycle begins */
    wr_locality_grouper_in in_before;
} wr_locality_picture;

static inline wr_locality_picture wr_picture_of(const wr_locality_grouper_cfg *cfg)
{
    return (wr_locality_picture){
        .mask = (1u << cfg->coord_bits) - 1u, .launched = SLOTS, .finished = SLOTS, .groups = 1};
}

static inline void wr_picture_launch(wr_locality_picture *p, wr_locality_grouper_in *in,
                                     uint32_t slot, wr_place at)
{
    const uint32_t in_row = (at.y & p->mask) << NUMBER_BITS | at.warp;
    in->launch = true;
    in->launch_slot = (uint8_t)slot;
    in->block_x = at.x;
    in->block_y = at.y;
    in->warp = at.warp;
    p->at[slot] = at;
    p->key[slot] = p->hint == WR_LOCALITY_LINES     ? in_row
                   : p->hint == WR_LOCALITY_BORDERS ? at.x & p->mask
                   : p->hint == WR_LOCALITY_SOME    ? p->turn
                                                    : 0;
    p->order[slot] = p->hint == WR_LOCALITY_BORDERS ? in_row : 0;
    if (p->hint == WR_LOCALITY_SOME) {
        p->turn = (uint8_t)((p->turn + 1u) % p->groups);
    }
    p->had[slot] = false;
    p->stalled[slot] = false;
    p->used[slot] = true;
    p->launched = slot;
    p->resident++;
}

static inline void wr_picture_finish(wr_locality_picture *p, wr_locality_grouper_in *in,
                                     uint32_t slot)
{
    in->finish = true;
    in->finish_slot = (uint8_t)slot;
    p->used[slot] = false;
    p->resident--;
}

/* A new kernel. */
static inline void wr_picture_cfg(wr_locality_picture *p, wr_locality_grouper_in *in, uint32_t hint,
                                  uint32_t groups)
{
    in->cfg = true;
    in->hint = (uint8_t)hint;
    in->groups = (uint8_t)groups;
    p->hint = in->hint;
    p->groups = (uint8_t)(groups == 0 || groups > GROUPS ? 1 : groups);
    p->turn = 0;
}

/* A cycle begins: what the one before has done, whose outputs these are. */
static inline void wr_picture_follow(wr_locality_picture *p, const wr_locality_grouper_out *last)
{
    p->serving = p->in_before.issue && last->grant_valid;
    if (p->serving) {
        const uint32_t slot = last->grant_slot & (SLOTS - 1u);
        for (uint32_t k = 0; p->had[slot] && k < SLOTS; k++) {
            p->had[k] = p->had[k] && (k == slot || p->key[k] != last->grant_key);
        }
        p->had[slot] = true;
        p->served = true;
        p->served_slot = slot;
        p->served_key = last->grant_key;
    }
    p->served = p->served && !p->in_before.cfg;
    p->before = p->launched;
    p->launched = SLOTS;
    p->finished = p->in_before.finish ? p->in_before.finish_slot : SLOTS;
    p->hint_then = p->hint;
    memcpy(p->was, p->used, sizeof p->was);
}

#endif
