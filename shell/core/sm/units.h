/* SPDX-License-Identifier: Apache-2.0 */
/* Execution units of an SM and the operand collectors in front of them.
 *
 * An instruction names a pool: a set of kinds of units, the first of which that is free takes
 * it. Units and collectors of a kind are shared by all schedulers, or each scheduler has its
 * own (Gong 4.3). A collector is held from issue until its instruction goes into the register
 * in front of the unit (sm.dispatch_latency before it enters); a unit takes the next one after the
 * instruction's interval, times the parts in which a warp goes through a unit of less than 32
 * lanes.
 */
#ifndef WR_SHELL_CORE_SM_UNITS_H
#define WR_SHELL_CORE_SM_UNITS_H

#include "shell/config/config.h"
#include "shell/core/exec/exec.h"

#define WR_POOLS_OF_UNITS (((1u << WR_POOLS) - 1) & ~(1u << WR_POOL_NONE | 1u << WR_POOL_MEM))

/* All of a kind: at most so many for each scheduler where they are private. */
#define WR_MAX_UNITS      (WR_CONFIG_MAX_UNITS * WR_CONFIG_MAX_SCHEDULERS)
#define WR_MAX_COLLECTORS (WR_CONFIG_MAX_COLLECTORS * WR_CONFIG_MAX_SCHEDULERS)

typedef struct wr_unit_group {
    uint32_t count, collectors;         /* that one scheduler can use */
    uint32_t unit_step, collector_step; /* from a scheduler's to the next one's; 0: shared */
    uint32_t parts;
    uint32_t hint; /* a scheduler's collector that is likely to be free */
    uint64_t unit_at[WR_MAX_UNITS], collector_at[WR_MAX_COLLECTORS]; /* free from this cycle on */
} wr_unit_group;

typedef struct wr_units {
    wr_unit_group kind[WR_UNIT_KINDS];
    uint8_t first[WR_POOLS]; /* lowest kind of a pool */
    uint32_t dispatch;       /* sm.dispatch_latency */
} wr_units;

void wr_units_init(wr_units *u, const wr_gpu_config *cfg);
/* The pool of operations that may execute on these kinds. */
wr_pool wr_units_pool(wr_unit_set set);
bool wr_units_search(const wr_units *u, wr_pool pool, uint32_t scheduler, uint64_t now);
/* A collector of the pool is free for this scheduler. */
static inline bool wr_units_room(const wr_units *u, wr_pool pool, uint32_t scheduler, uint64_t now)
{
    const wr_unit_group *g = &u->kind[u->first[pool]];
    return g->collector_at[scheduler * g->collector_step + g->hint] <= now ||
           wr_units_search(u, pool, scheduler, now);
}
/* Takes a collector, of which there is one, and a unit for an instruction whose operands are
 * there at `at`. Returns when execution begins; *more are cycles that its latency grows by. */
uint64_t wr_units_enter(wr_units *u, wr_pool pool, uint32_t scheduler, uint64_t now, uint64_t at,
                        uint32_t interval, uint32_t *more);

#endif
