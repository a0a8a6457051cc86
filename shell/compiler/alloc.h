/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the allocator: groups of words that get consecutive registers, and their conflicts. */
#ifndef WR_SHELL_COMPILER_ALLOC_H
#define WR_SHELL_COMPILER_ALLOC_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"
#include "shell/compiler/live.h"
#include "shell/compiler/passes.h"

#define WR_NO_COLOUR UINT32_MAX
#define WR_NO_CELL   UINT32_MAX

/* Conflicts between cells, as lists in one array; each pair once in either list. */
typedef struct wr_conflicts {
    uint32_t *with;
    size_t *first;   /* by cell: where its list begins */
    uint32_t *count; /* and how long it is */
} wr_conflicts;

/* A group: cells at positions 0.. of a run of registers. Every virtual register starts as one
 * group; coalescing a copy merges two at a shift. A predicate is a group of one. */
typedef struct wr_group {
    uint32_t first, last; /* members, linked by wr_alloc.next */
    uint32_t size;        /* how many */
    uint32_t span;        /* registers taken */
    uint32_t align;
    double cost;        /* of spilling, by loop depth */
    uint32_t colour;    /* first register, or NO_COLOUR */
    bool is_pred, gone; /* gone: merged into another */
    bool rebuilt;       /* spilling it costs instructions, but no memory */
    bool must_stay;     /* a spill temporary: spilling it again gains nothing */
} wr_group;

typedef struct wr_alloc {
    wr_ir *ir;
    wr_pool *pool; /* of all but the program; given back after each round */
    const wr_cfg *cfg;
    wr_conflicts conflicts;
    wr_group *groups;
    uint32_t group_count;
    uint32_t *group_of; /* by cell */
    uint32_t *next;     /* by cell: the group's next member, or NO_CELL */
    uint8_t *pos;       /* by cell: its position in the group */
    uint32_t max_regs;
    bool sunk; /* instructions were moved; not again, or temporaries of spilling would live on */
} wr_alloc;

/* The cells that `cell` conflicts with: *count of them, in order. */
static inline const uint32_t *wr_alloc_with(const wr_alloc *alloc, uint32_t cell, uint32_t *count)
{
    *count = alloc->conflicts.count[cell];
    return alloc->conflicts.with + alloc->conflicts.first[cell];
}

void wr_alloc_conflicts(wr_alloc *alloc, const wr_live *live);
void wr_alloc_groups(wr_alloc *alloc);

/* The blocks, those of the deepest loops first. */
uint32_t *wr_alloc_by_depth(const wr_alloc *alloc);

/* Merges the two sides of copies where they don't conflict. */
void wr_alloc_coalesce(wr_alloc *alloc);

/* Colours all groups with as few registers as it can; returns the number of registers used.
 * Groups for which nothing was free have NO_COLOUR. */
uint32_t wr_alloc_colour(wr_alloc *alloc);

/* Shortens live ranges inside blocks by moving instructions to their first use. */
void wr_alloc_sink(wr_alloc *alloc, const wr_live *live);

/* The instructions that compute a value again, in order; the last one gives it. */
#define WR_REMAT_MAX 3
typedef struct wr_remat_chain {
    wr_ir_insn at[WR_REMAT_MAX];
    uint32_t count;
} wr_remat_chain;

typedef struct wr_remat_use {
    uint32_t block, index;
    uint32_t next; /* index + 1 of the register's next use */
} wr_remat_use;

typedef struct wr_remat {
    const wr_alloc *alloc;
    const wr_live *live;
    wr_defs *defs;
    wr_remat_use *uses;
    uint32_t use_count, use_cap;
    uint32_t *first; /* by register: index + 1 of a use */
} wr_remat;

wr_remat *wr_remat_new(const wr_alloc *alloc, const wr_live *live);

/* The register's value can be computed again at each use, without those marked in `spilled` (by
 * register; NULL: none). */
bool wr_remat_find(const wr_remat *r, uint32_t reg, const bool *spilled, wr_remat_chain *chain);

/* That would shorten a live range: a use is in another block than the value, or far behind it. */
bool wr_remat_pays(const wr_remat *r, uint32_t reg);

/* Marks the groups that can be computed again rather than stored; nothing is coalesced. */
void wr_alloc_mark_rebuilt(wr_alloc *alloc, const wr_remat *remat);

/* Where far more is live at once than there are registers, spills so much that it is about as
 * many. Returns whether it did anything. */
bool wr_alloc_relieve(wr_alloc *alloc);

/* What stands for a spilled register in a loop. */
typedef struct wr_split {
    uint32_t head; /* of the loop; NO_BLOCK: none */
    uint32_t reg;
} wr_split;

/* By register: the loops in which spilled registers stay in one; NULL: none do. `spill` is by
 * group, nothing is coalesced; `in_memory` by register: it is to be loaded wherever it is read. */
wr_split *wr_alloc_split(wr_alloc *alloc, const wr_live *live, const bool *spill,
                         const bool *in_memory);

/* Rewrites the program, when nothing is coalesced, so that the registers of groups marked in
 * `spill` live in local memory (predicates: in a register). */
void wr_alloc_spill(wr_alloc *alloc, const wr_remat *remat, const bool *spill);

#endif
