/* SPDX-License-Identifier: Apache-2.0 */
/* gpuduet: all of GPUDuet in one SM, joined at the storage's one port.
 *
 *   machine: warps, TBs, verdicts      loads of absent warps      kinds of a switch point
 *        |                                   |                            |
 *   +-----------+    where lies it?    +--------------+     asks last     |
 *   | duet_unit |<-------------------->| absent_reply |------------------>|
 *   +-----------+                      +--------------+                   |
 *        | move ^ ack                        | while nothing moves        |
 *        v      |                            v                            |
 *   +---------------+   goes first   ................     asks first      |
 *   | context_mover |--------------->: storage      :-------------------->|
 *   +---------------+                :..............:
 *
 * Invariants: the mover is idle in every cycle without move; mover and reply never have the port in
 * one cycle; with half every job begins with phase_q 1, for it ends in the mover's turn.
 *
 * The clock is the port's: with two lines a cycle of the SM two cycles of the block are one of it.
 *
 * Not modelled: the storage itself, and registers, shared memory and stacks in it.
 *
 * Source: Lin-D 3.6.1 to 3.6.6, Fig. 3.8 to 3.11.
 */
#ifndef WR_REFMODEL_DUET_GPUDUET_H
#define WR_REFMODEL_DUET_GPUDUET_H

#include "refmodel/contract.h"
#include "refmodel/duet/absent_reply.h"
#include "refmodel/duet/context_mover.h"
#include "refmodel/duet/duet_unit.h"
#include "refmodel/gen/gpuduet_pins.h"

typedef struct wr_gpuduet {
    wr_gpuduet_cfg cfg;
    bool phase_q; /* of a port of half a line: the next cycle is not the mover's */

    wr_duet_unit unit;
    wr_context_mover mover;
    wr_absent_reply reply;
} wr_gpuduet;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range, Warps is below
 * Slots, or the regions are not multiples of 8 or above 3,072 in all. */
wr_status wr_gpuduet_init(wr_gpuduet *s, const wr_gpuduet_cfg *cfg);

void wr_gpuduet_reset(wr_gpuduet *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_gpuduet_eval(const wr_gpuduet *s, const wr_gpuduet_in *in, wr_gpuduet_out *out);

/* The clock edge. */
void wr_gpuduet_tick(wr_gpuduet *s, const wr_gpuduet_in *in);

/* n ticks with these inputs held. */
void wr_gpuduet_skip(wr_gpuduet *s, const wr_gpuduet_in *in, uint64_t n);

/* How many ticks with these inputs leave every output as it is. */
uint64_t wr_gpuduet_quiet(const wr_gpuduet *s, const wr_gpuduet_in *in);

#endif
