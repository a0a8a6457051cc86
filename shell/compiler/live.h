/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of cells (words of virtual registers, and predicates): at block
 * borders, and a walk that gives the set at every instruction.
 *
 * This is liveness of one thread, which is what allocation needs under SIMT too: the lanes of
 * a warp own separate copies of every register, and a write changes the lanes that are active.
 * A register that is reused on one side of a branch keeps, in the lanes that wait for the other
 * side, what they had. So two values may share a register exactly where they may in a scalar
 * machine. (What a *warp* must save is another matter: see points.c.)
 */
#ifndef WR_SHELL_COMPILER_LIVE_H
#define WR_SHELL_COMPILER_LIVE_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"

/* More live cells than this at the start of a block are not listed. */
#define WR_LIVE_MOST 512

typedef struct wr_live {
    const wr_ir *ir;
    uint32_t cells;
    uint32_t **in; /* by block: the cells live at its start, in order */
    uint32_t *in_count;
    bool *left_out; /* by cell: some block has no room for it, and it counts as live everywhere */
    uint32_t left_out_count;
} wr_live;

/* What comes out lies in `pool`; it holds while the program is not changed. */
wr_live *wr_live_build(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool);

/* The same with at most `most` cells a block, for which the cells apply in that order (NULL: their
 * own; else lists are not in order, and wr_live_has_in is not for them). */
wr_live *wr_live_build_most(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool, uint32_t most,
                            const uint32_t *order);

bool wr_live_has_in(const wr_live *live, uint32_t block, uint32_t cell);
bool wr_live_has_out(const wr_live *live, uint32_t block, uint32_t cell);

/* A set that is emptied and walked in the time of what it holds. */
typedef struct wr_cell_set {
    uint32_t *cells, count; /* in no order */
    uint32_t *place;        /* by cell */
} wr_cell_set;

wr_cell_set wr_cell_set_new(wr_pool *pool, uint32_t cells);

static inline bool wr_cell_set_has(const wr_cell_set *set, uint32_t cell)
{
    return set->place[cell] < set->count && set->cells[set->place[cell]] == cell;
}

static inline void wr_cell_set_add(wr_cell_set *set, uint32_t cell)
{
    if (wr_cell_set_has(set, cell)) {
        return;
    }
    set->place[cell] = set->count;
    set->cells[set->count++] = cell;
}

static inline void wr_cell_set_drop(wr_cell_set *set, uint32_t cell)
{
    uint32_t last;

    if (!wr_cell_set_has(set, cell)) {
        return;
    }
    last = set->cells[--set->count];
    set->cells[set->place[cell]] = last;
    set->place[last] = set->place[cell];
}

/* The cells live at the start or behind the end of a block. */
void wr_live_in(const wr_live *live, uint32_t block, wr_cell_set *set);
void wr_live_out(const wr_live *live, uint32_t block, wr_cell_set *set);

/* Steps a set from behind an instruction to before it. */
void wr_live_step(const wr_ir *ir, const wr_ir_insn *insn, wr_cell_set *set);

#endif
