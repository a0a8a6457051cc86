/* SPDX-License-Identifier: Apache-2.0 */
/* Cursors: issue at another place than a warp's PC, with registers mapped, without any effect that
 * the warp or anybody else could see.
 *
 * What a stalled warp may run ahead is a system's to decide; a cursor is how it is executed. It has
 * a PC, lanes, predicates of its own, and a map from the kernel's registers to rows of the warp's
 * slot: reads of a register go to its row, writes go only to rows above the kernel's registers. Its
 * instructions take issue slots that no warp of the scheduler can use, collectors, register banks
 * and units, and the scoreboard keeps their results' time. SIMT stack, PC, memory and the kernel's
 * registers stay as they are.
 *
 * Executed are arithmetic and logic, and loads as preloads. An instruction that would store, change
 * the path, meet other lanes or warps, or write an unmapped register ends the cursor; what is to be
 * done about it (a branch to follow) is decided by whoever moves the cursor on. A warp waits that
 * may issue nothing ahead (ahead.h).
 */
#ifndef WR_SHELL_CORE_SEAM_CURSOR_H
#define WR_SHELL_CORE_SEAM_CURSOR_H

#include "shell/core/seam/hooks.h"
#include "shell/isa/isa.h"

typedef struct wr_cursor {
    uint32_t pc;                  /* byte address of the next instruction */
    uint32_t lanes;               /* active mask */
    uint8_t row[WR_ISA_MAX_REGS]; /* of each register; registers of one operand in a row */
    uint32_t preds[WR_ISA_PREDS]; /* its own predicates, a bit per lane */
    uint64_t preds_at;            /* cycle from which on they may be read */
} wr_cursor;

typedef enum wr_cursor_result {
    WR_CURSOR_ISSUED, /* its PC has moved on */
    WR_CURSOR_WAITS,  /* for an operand or a unit: try in a later cycle */
    WR_CURSOR_ENDS,   /* the instruction is not for a cursor */
} wr_cursor_result;

/* At the warp's next instruction, with its lanes and predicates, registers as they are. */
wr_cursor wr_sm_cursor(const wr_sm *sm, uint32_t warp);
/* Rows of a warp's slot: those from here up to WR_ISA_MAX_REGS - 1 are not the kernel's. */
uint32_t wr_sm_first_spare_row(const wr_sm *sm, uint32_t warp);
/* What a row holds, 32 lanes. */
const uint32_t *wr_sm_row(const wr_sm *sm, uint32_t warp, uint32_t row);

/* [per SM] In hook spare_slot: issues the cursor's next instruction for the warp. Its operands are
 * read by the map; its result goes to rows from `to` on, which are the register's from then on
 * (lanes that do not execute it keep what they had), or with WR_ISA_RZ where the map says. */
wr_cursor_result wr_sm_cursor_issue(wr_sm *sm, uint32_t warp, wr_cursor *cursor, uint32_t to);
/* The same for a load of global or local memory, as a preload: its lines come to the L1, no
 * register changes. ENDS: it is no such load, it goes past the L1, or it would fault. */
wr_cursor_result wr_sm_cursor_preload(wr_sm *sm, uint32_t warp, wr_cursor *cursor);
/* Hook spare_slot is called for every slot of the SM that stays free from now on, or no more; while
 * it is, no cycle is skipped. */
void wr_sm_use_spare_slots(wr_sm *sm, wr_owner owner, bool on);

#endif
