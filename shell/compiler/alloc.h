/* Inside the allocator: groups of words that get consecutive registers, and their conflicts. */
#ifndef WR_SHELL_COMPILER_ALLOC_H
#define WR_SHELL_COMPILER_ALLOC_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"
#include "shell/compiler/live.h"

#define WR_NO_COLOUR UINT32_MAX

/* Conflicts between cells, as lists; each pair once in either list. */
typedef struct wr_conflicts {
    uint32_t **with;
    uint32_t *count, *cap;
    uint64_t *seen; /* open hash of pairs */
    uint32_t seen_count, seen_cap;
} wr_conflicts;

/* A group: cells at positions 0.. of a run of registers. Every virtual register starts as one
 * group; coalescing a copy merges two at a shift. A predicate is a group of one. */
typedef struct wr_group {
    uint32_t *cells; /* members */
    uint32_t count, cap;
    uint32_t span; /* registers taken */
    uint32_t align;
    double cost;        /* of spilling, by loop depth */
    uint32_t colour;    /* first register, or NO_COLOUR */
    bool is_pred, gone; /* gone: merged into another */
    bool must_stay;     /* a spill temporary: spilling it again gains nothing */
} wr_group;

typedef struct wr_alloc {
    wr_ir *ir;
    const wr_cfg *cfg;
    wr_conflicts conflicts;
    wr_group *groups;
    uint32_t group_count;
    uint32_t *group_of; /* by cell */
    uint8_t *pos;       /* by cell: its position in the group */
    uint32_t max_regs;
} wr_alloc;

void wr_alloc_conflicts(wr_alloc *alloc, const wr_live *live);
bool wr_alloc_conflict(const wr_alloc *alloc, uint32_t a, uint32_t b);
void wr_alloc_groups(wr_alloc *alloc);

/* Merges the two sides of copies where they don't conflict. */
void wr_alloc_coalesce(wr_alloc *alloc);

/* Colours all groups with as few registers as it can; returns the number of registers used.
 * Groups for which nothing was free have NO_COLOUR. */
uint32_t wr_alloc_colour(wr_alloc *alloc);

/* Rewrites the program so that the registers of groups marked in `spill` live in local memory
 * (predicates: in a register). */
void wr_alloc_spill(wr_alloc *alloc, const bool *spill);

#endif
