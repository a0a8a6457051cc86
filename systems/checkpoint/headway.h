/* SPDX-License-Identifier: Apache-2.0 */
/* Whether TBs get on between checkpoints that come so often that a TB may be stopped again where it
 * was stopped before.
 *
 * A TB has got on when it has issued more than two instructions for each of its warps since it came
 * back. A warp comes back in front of a point, or of a barrier, which is a point and the barrier at
 * most; a stop takes its arrival back. So of more than two a warp one at least has left its point
 * for good.
 *
 * Checkpoints come when they are due as long as TBs get on. From the time on that none has got on
 * for WR_HEADWAY_ALL of them, or one has not for WR_HEADWAY_ONE, each waits until all have, or for
 * WR_HEADWAY_WAIT cycles where some have: others may wait for them, or be held by a system.
 */
#ifndef WR_SYSTEMS_CHECKPOINT_HEADWAY_H
#define WR_SYSTEMS_CHECKPOINT_HEADWAY_H

#include "shell/core/seam/hooks.h"
#include "shell/core/seam/launch.h"

enum {
    WR_HEADWAY_ALL = 8,      /* checkpoints in a row */
    WR_HEADWAY_ONE = 64,     /* likewise */
    WR_HEADWAY_WAIT = 10000, /* cycles */
};

/* A TB slot: the TB that came back to it; zeros: none did. */
typedef struct wr_headway_slot {
    uint32_t stream, linear;
    uint64_t issued; /* when it came back */
    uint32_t stood;  /* checkpoints in a row before, between which it did not get on */
} wr_headway_slot;

typedef struct wr_headway {
    uint32_t sms, slots; /* of an SM */
    wr_headway_slot *slot;
    bool moved;     /* since the last checkpoint something did */
    uint32_t still; /* checkpoints in a row since something did */
    bool waits;
} wr_headway;

/* False: out of memory. */
bool wr_headway_open(wr_headway *h, const wr_gpu_config *cfg);
void wr_headway_close(wr_headway *h);

/* The TB is saved for a checkpoint: returns the count to give to wr_headway_back with it. */
uint32_t wr_headway_away(wr_headway *h, uint32_t sm, uint32_t slot, const wr_tb_info *tb);
void wr_headway_back(wr_headway *h, uint32_t sm, uint32_t slot, const wr_tb_info *tb,
                     uint32_t stood);
/* A launch begins; a TB ends. */
void wr_headway_begins(wr_headway *h);
void wr_headway_ends(wr_headway *h, uint32_t sm, uint32_t slot);
/* All TBs are away. */
void wr_headway_stopped(wr_headway *h);
/* A checkpoint that has been due for so many cycles may begin. */
bool wr_headway_made(const wr_headway *h, wr_gpu *gpu, uint64_t due_for);

#endif
