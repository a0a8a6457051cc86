/* SPDX-License-Identifier: Apache-2.0 */
/* A launch in flight, of which each stream has at most one.
 *
 * A launch begins when its stream has nothing before it: it is prepared, gets room for code and
 * local memory, and waits at the dispatcher. It is complete when its last TB has ended and its
 * last store is acknowledged; only then does its stream go on.
 */
#ifndef WR_SHELL_CORE_GPU_GRID_H
#define WR_SHELL_CORE_GPU_GRID_H

#include "shell/core/checkpoint.h"
#include "shell/core/gpu/program.h"

typedef struct wr_grid {
    wr_program program;
    bool in_flight;
    wr_launch_result result;                               /* so far */
    uint64_t launches, issued_before, thread_insns_before; /* of the stream's launches that ended */
    wr_launch_stats stats_before;                          /* of the stream, when it began */
    uint64_t next_tb, tbs_done;
    uint64_t issued_done; /* warp instructions of those TBs, from their first on */
    uint32_t *frames;     /* free frames of local memory, a stack */
    uint32_t frames_free;
    uint64_t local_base, local_bytes; /* the stream's area of these, kept between launches */
} wr_grid;

/* The stream's next launch is in flight from this cycle on. False with a message: it is refused. */
bool wr_grid_begin(wr_gpu *gpu, uint32_t stream, const wr_launch *launch, char *message,
                   size_t size);
/* The stream's launch in flight, as it was; code and local memory lie where they lay. False with a
 * message. */
bool wr_grid_thaw(wr_gpu *gpu, const wr_frozen_grid *frozen, const wr_launch *launch, char *message,
                  size_t size);
/* The launch's TBs get the registers that a system wants besides the kernel's. */
void wr_grid_charge(wr_gpu *gpu, uint32_t stream);
/* What the launch held is free. */
void wr_grid_end(wr_gpu *gpu, uint32_t stream);
void wr_grid_free(wr_grid *grid);

/* What the stream's launch in flight has counted so far. */
wr_launch_stats wr_grid_stats(wr_gpu *gpu, uint32_t stream);
/* launch.c: all that the stream's launches have. */
wr_launch_stats wr_launch_stats_of(wr_gpu *gpu, uint32_t stream);

/* Its last TB has ended and its last store is acknowledged. */
bool wr_grid_complete(const wr_gpu *gpu, uint32_t stream);

/* A TB leaves an SM, done or evicted: what it did is the launch's. */
static inline void wr_grid_count(wr_grid *grid, uint64_t issued, uint64_t thread_insns)
{
    grid->result.issued += issued;
    grid->result.thread_insns += thread_insns;
}

#endif
