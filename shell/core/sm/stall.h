/* SPDX-License-Identifier: Apache-2.0 */
/* Where the issue slots of the schedulers go: each slot of each cycle is charged once, to an
 * instruction or to what kept it empty.
 *
 * One reason is chosen where the scheduler's warps wait for several things: the one that is
 * nearest to issue, in the order of wr_slot_use. A warp that lacks both an operand and its
 * decoded instruction waits for the operand.
 *
 * An SM that sleeps changes nothing of what its schedulers see, so the cycles in between are
 * charged later, all to the reason that held. Whoever changes that from outside the SM's own
 * cycle (a TB placed, a signal, a packet injected) calls wr_sm_settle before.
 *
 * Invariant: for each scheduler the uses add up to `counted` x issue width.
 */
#ifndef WR_SHELL_CORE_SM_STALL_H
#define WR_SHELL_CORE_SM_STALL_H

#include <stdint.h>

typedef enum wr_slot_use {
    WR_SLOT_ISSUED,
    WR_SLOT_CURSOR, /* an instruction at a cursor (seam/cursor.h) */
    WR_SLOT_PAIR,   /* dual issue: no second instruction of the warp may go with the first */
    WR_SLOT_UNIT,   /* no free collector in front of its unit */
    WR_SLOT_LSU,    /* the LSU's queue is full */
    WR_SLOT_LIMIT,  /* a warp could go, but the warp limit keeps it */
    WR_SLOT_HELD,   /* a warp could go, but a system holds it; or all are held */
    WR_SLOT_ARITHMETIC,
    WR_SLOT_MEMORY, /* waits for data of the LSU: global, local, shared, constant */
    WR_SLOT_FETCH,  /* instruction buffer empty */
    WR_SLOT_MEMBAR,
    WR_SLOT_BARRIER,
    WR_SLOT_PREEMPT, /* stopped at a preemption point, or placed and not yet resumed */
    WR_SLOT_EMPTY,   /* no warp */
    WR_SLOT_USES
} wr_slot_use;
/* The uses that a warp is the reason of. */
#define WR_STALL_FIRST WR_SLOT_PAIR
#define WR_STALL_LAST  WR_SLOT_PREEMPT

typedef struct wr_slot_name {
    const char *name, *doc;
} wr_slot_name;
/* By wr_slot_use. */
extern const wr_slot_name wr_slot_names[WR_SLOT_USES];

#endif
