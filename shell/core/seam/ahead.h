/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a warp executed before their turn, for good; and passed over when it comes.
 *
 * A warp that waits stays where it is: PC and SIMT stack are its own. An instruction that is issued
 * ahead is executed once: its result goes to the register that it names, or to another row of the
 * warp's slot, its sources come from the rows that the caller says; predicates are the warp's own.
 * It takes an issue slot that no warp can use, collector, unit and LSU as any other, and the
 * scoreboard keeps its time. Whether it may be executed there, which rows are free and when it is
 * passed over is all the caller's to know: the machine checks nothing.
 *
 * Executed ahead are arithmetic, logic and loads, of one result at most. They count as issued; when
 * the warp comes to them they are passed (wr_sm_pass), or replaced by a move of the result
 * (wr_sm_copy), neither of which counts. What a cursor has executed counts when its warp comes to
 * it and takes its result (wr_sm_reuse).
 */
#ifndef WR_SHELL_CORE_SEAM_AHEAD_H
#define WR_SHELL_CORE_SEAM_AHEAD_H

#include "shell/core/seam/cursor.h"
#include "shell/isa/kernel.h"

/* Where a warp stands: its next instruction, by index, and the top of its SIMT stack. */
typedef struct wr_warp_at {
    const wr_kernel *kernel;
    uint32_t stream; /* of its launch */
    uint32_t insn;
    uint32_t lanes;
    uint32_t reconv; /* byte address; UINT32_MAX: none */
} wr_warp_at;
wr_warp_at wr_sm_warp_at(const wr_sm *sm, uint32_t warp);

/* Of these lanes those in which the instruction's guard holds; false: it is not known yet. */
bool wr_sm_guard(const wr_sm *sm, uint32_t warp, uint32_t insn, uint32_t lanes, uint32_t *holds);
/* The register in this row, or this predicate (WR_ISA_PT: none), of the warp is still awaited. */
bool wr_sm_awaits(const wr_sm *sm, uint32_t warp, uint8_t row, uint8_t pred);

/* Its registers, a bit each, that loads in flight will give. */
uint64_t wr_sm_loading(const wr_sm *sm, uint32_t warp);

/* An instruction ahead, by index in the kernel; rows of its destination and of its sources of one
 * register. */
typedef struct wr_ahead {
    uint32_t insn;
    uint32_t lanes;
    uint8_t dst;
    uint8_t src[3];
} wr_ahead;

/* [per SM] In hook spare_slot. WR_CURSOR_ENDS: it is none that can be executed ahead. A warp waits
 * that is stopped, held or beyond the limit of warps, and a load where the warp's loads or its
 * stream's memory instructions are held (warp.h). */
wr_cursor_result wr_sm_ahead_issue(wr_sm *sm, uint32_t warp, const wr_ahead *ahead);
/* [per SM] In hook spare_slot: moves a row to another where the warp's next instruction would
 * write, and passes that. */
wr_cursor_result wr_sm_copy(wr_sm *sm, uint32_t warp, uint8_t to, uint8_t from);
/* The warp's next instruction has been executed at a cursor (cursor.h), with the lanes that it
 * has now: the values become those of its own registers and predicates, as a rename table would
 * have it, without an issue slot; it counts as issued, and is passed. WR_CURSOR_WAITS while they
 * are awaited. */
typedef struct wr_result {
    uint8_t row;       /* of its first register */
    uint32_t preds[2]; /* pd, pd2 */
    uint64_t preds_at; /* cycle from which on they may be read */
} wr_result;
wr_cursor_result wr_sm_reuse(wr_sm *sm, uint32_t warp, const wr_result *result);
/* The warp goes on behind its next instruction, as if that had been executed. */
void wr_sm_pass(wr_sm *sm, uint32_t warp);

#endif
