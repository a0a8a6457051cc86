/* SPDX-License-Identifier: Apache-2.0 */
/* simt_stack: the copy of one warp's SIMT stack that hint mode works on.
 *
 *                        +------------------------+
 *  op, pc, alt_pc,  ---> |  [ pc | rpc | mask ]   | ---> pc, rpc, mask   (top)
 *  rpc, mask             |  [ pc | rpc | mask ]   | ---> depth
 *                        |  [       ...       ]   | ---> overflow, fault
 *                        +------------------------+
 *
 *   a split of the top {p, r, M} at a branch with reconvergence PC q, T lanes taking it, N not:
 *
 *                          [ taken PC | q | T ]   unless the taken PC is q
 *                          [ other PC | q | N ]   unless the other PC is q
 *     [ p | r | M ]  -->   [ q        | r | M ]   unless q is r: then the entry below waits at q
 *
 * An entry is next PC, reconvergence PC and active mask; the top is the path that runs. A path that
 * gets to its reconvergence PC leaves the stack. Where the reconvergence PC of a branch is that of
 * the top, no entry is spent on it: a loop that lanes leave one after the other stays flat.
 * Invariant: depth never passes Entries.
 *
 * Not modelled: the in-order stack that the copy is taken from and who reads it out; who decides
 * to copy (the first branch that hint mode executes) and to drop.
 *
 * Source: Gong 5.3.3 (copied, so that control flow can be followed), 5.3.6 (8 entries of 128 bits:
 * active mask 64, two PCs of 32). How it splits and reconverges is the usual way of
 * reconvergence at the immediate post-dominator; Gong says nothing of it.
 */
#ifndef WR_REFMODEL_HINTS_SIMT_STACK_H
#define WR_REFMODEL_HINTS_SIMT_STACK_H

#include "refmodel/contract.h"
#include "refmodel/gen/simt_stack_pins.h"

enum {
    WR_SIMT_STACK_ENTRIES_MAX = 16,
};

typedef enum wr_simt_stack_op {
    WR_SIMT_STACK_IDLE = 0,
    WR_SIMT_STACK_CLEAR = 1,
    WR_SIMT_STACK_LOAD = 2,
    WR_SIMT_STACK_STEP = 3,
    WR_SIMT_STACK_BRANCH = 4,
} wr_simt_stack_op;

typedef struct wr_simt_stack_entry {
    uint32_t pc;
    uint32_t rpc;
    uint64_t mask;
} wr_simt_stack_entry;

typedef struct wr_simt_stack {
    wr_simt_stack_cfg cfg;

    uint8_t depth_q; /* entries held; the top is entry_q[depth_q - 1] */
    bool overflow_q; /* a split found no room */
    bool fault_q;
    wr_simt_stack_entry entry_q[WR_SIMT_STACK_ENTRIES_MAX]; /* from depth_q on without meaning */
} wr_simt_stack;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_simt_stack_init(wr_simt_stack *s, const wr_simt_stack_cfg *cfg);

void wr_simt_stack_reset(wr_simt_stack *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_simt_stack_eval(const wr_simt_stack *s, const wr_simt_stack_in *in, wr_simt_stack_out *out);

/* The clock edge. */
void wr_simt_stack_tick(wr_simt_stack *s, const wr_simt_stack_in *in);

#endif
