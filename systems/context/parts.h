/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed parts of one TB: shared memory, predicates, stacks, its entry of the control block,
 * pattern vectors, and on the way back registers. The block context_sequencer says which bytes of
 * simulated memory are asked for, in which order, and whether what is read back can be; whose
 * bytes they are is the engine's.
 *
 *   start --> look --> (the engine answers: pins in `in`) --> clock --> look ...
 *
 * RTL may be wrong: a request that cannot be is not looked at further, and the clock says which
 * pin.
 *
 * One instance has one TB at a time. Clocked are the cycle of a start and those in which it is
 * busy, but for those of a wait without an answer.
 */
#ifndef WR_SYSTEMS_CONTEXT_PARTS_H
#define WR_SYSTEMS_CONTEXT_PARTS_H

#include "dpi/gen/context_sequencer_port.h"
#include "systems/context/area.h"
#include "systems/context/blocks.h"

typedef struct wr_parts {
    wr_port_context_sequencer port;
    bool is_open;
    wr_context_sequencer_in in;   /* pins of this cycle; a start is kept for the next clock */
    wr_context_sequencer_out out; /* as they settled last */
    bool asks;                    /* a request stands at the output, and it can be */
    bool is_wrong;                /* a pin cannot be what it is; fault says which */
    char fault[384];
} wr_parts;

/* What a TB asks of the block; its sizes are those of its area. */
typedef struct wr_parts_job {
    const wr_context_area *area;
    uint32_t entry;
    bool is_restore;
    bool is_whole; /* save: registers went as one stream; restore: they may have */
    uint32_t kept; /* WR_KEEPS_*: what stays on the SM */
    uint32_t pace; /* cycles between two reads of shared memory, less one */
} wr_parts_job;

/* False with one line in why: TBs of the launch are larger than the block takes. */
bool wr_parts_take(const wr_launch *launch, char *why, size_t size);

bool wr_parts_open(wr_parts *parts, const wr_behind *behind, char *err, size_t err_size);
void wr_parts_close(wr_parts *parts);
/* Whatever was on its way is forgotten. */
void wr_parts_reset(wr_parts *parts);

/* Where the TB's register slot of a warp lies, of a whole TB (warp 0) its stream: the block is idle
 * and clocked once. False: see fault. */
bool wr_parts_slot(wr_parts *parts, const wr_parts_job *job, uint32_t warp, uint64_t *addr);

/* The TB's operation begins with the next clock. */
void wr_parts_start(wr_parts *parts, const wr_parts_job *job);

/* out and asks for this cycle, with no answer given yet. */
const wr_context_sequencer_out *wr_parts_look(wr_parts *parts);

/* The clock edge, with the answers in `in`. False: see fault. */
bool wr_parts_clock(wr_parts *parts);

/* What the block's damage means, as an end of "context ... is damaged: ". */
const char *wr_parts_damage(uint32_t code);

#endif
