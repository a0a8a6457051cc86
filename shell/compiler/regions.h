/* SPDX-License-Identifier: Apache-2.0 */
/* The union of many branches' regions. The region of a branch is where lanes can be that have taken
 * it and have not met the others. That is what they reach before its join; and what lanes that part
 * again on the way reach before that branch's join, since those that drop out there (find_joins of
 * cfg.c) run on to their end, through the join of this one too, while others wait. Where a loop
 * has no end, or joins lead in a circle, it may be more. */
#ifndef WR_SHELL_COMPILER_REGIONS_H
#define WR_SHELL_COMPILER_REGIONS_H

#include "shell/compiler/cfg.h"

#define WR_REGIONS_OUTSIDE UINT32_MAX

typedef struct wr_regions {
    const wr_ir *ir;
    const wr_cfg *cfg;
    uint32_t *order;       /* blocks, those with the farthest joins first */
    uint32_t *depth;       /* by block: joins on the way to the exit */
    uint32_t *first, *end; /* the numbers of the blocks whose joins lead here; its own is first */
    uint32_t *reach;       /* by block: depth of the farthest join of the regions that hold it, 0 =
                              the exit; OUTSIDE: none does */
    bool *parted;          /* by block: lanes that part at its end were followed */
    struct wr_regions_visit *stack;
    uint32_t stack_count, stack_cap;
    wr_pool *pool;
} wr_regions;

wr_regions *wr_regions_new(wr_pool *pool, const wr_ir *ir, const wr_cfg *cfg);

/* Empties the union. */
void wr_regions_clear(wr_regions *r);

/* Adds the region of the branch at the end of `block`; returns whether the union grew. Branches
 * may come in any order; in that of `order` all of them take linear time. */
bool wr_regions_add(wr_regions *r, uint32_t block);

#endif
