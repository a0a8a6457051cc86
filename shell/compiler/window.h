/* SPDX-License-Identifier: Apache-2.0 */
/* A window: instructions of one block between barriers, what each must come behind, and what an
 * order of them costs in registers and cycles. For the scheduler (schedule.c).
 *
 * A node is an instruction together with the constants that are loaded right in front for it
 * alone. Cells that the window touches are numbered from 0.
 */
#ifndef WR_SHELL_COMPILER_WINDOW_H
#define WR_SHELL_COMPILER_WINDOW_H

#include "shell/compiler/passes.h"

#define WR_WINDOW_NODES 160
#define WR_WINDOW_CELLS (WR_WINDOW_NODES * 4)

typedef struct wr_window_node {
    uint32_t first, count;        /* in the block's list */
    uint8_t use_count, def_count; /* each cell once */
    uint8_t latency, temps;       /* cycles; words of the constants in front */
    bool kills;
    uint16_t uses[WR_IR_MAX_REFS], defs[WR_IR_MAX_REFS];
} wr_window_node;

typedef struct wr_window_cost {
    uint32_t words, preds; /* most that are live at once */
    uint32_t cycles;
} wr_window_cost;

typedef struct wr_window {
    const wr_ir *ir;
    const wr_defs *defs;
    const wr_ir_insn *insns; /* of the block */
    uint32_t first, end;     /* in the block's list */
    wr_window_node nodes[WR_WINDOW_NODES];
    uint32_t count;
    uint32_t cell_count;
    bool is_pred[WR_WINDOW_CELLS];
    bool out[WR_WINDOW_CELLS];       /* live behind the window */
    uint32_t base_words, base_preds; /* live behind it and not touched */
    /* Node j must come behind node i < j: cycles from issue to issue plus 1 at [i][j], else 0. */
    uint8_t behind[WR_WINDOW_NODES][WR_WINDOW_NODES];
    /* scratch of building, by cell of the program */
    uint32_t *number, *stamp, epoch;
} wr_window;

wr_window *wr_window_new(const wr_ir *ir, const wr_defs *defs, wr_pool *pool);

/* Instructions that nothing passes: barriers, ends, exits, clocks, and what is not known here. */
bool wr_window_is_fence(const wr_ir_insn *insn);

/* Takes the instructions of `block` that end before `end` back to a fence, or as many as fit.
 * `live` marks the cells that are live at `end`, of which there are `words` and `preds`. */
void wr_window_fill(wr_window *w, uint32_t block, uint32_t end, const bool *live, uint32_t words,
                    uint32_t preds);

/* What it costs to run the nodes in this order. */
wr_window_cost wr_window_measure(const wr_window *w, const uint16_t *order);

#endif
