/* SPDX-License-Identifier: Apache-2.0 */
/* context_sequencer: the memory requests that spill and read back the fixed parts of a TB.
 *
 *   start --> layout --> pieces of bytes --> requests, none across a segment
 *
 * Invariants: left_q is not 0 only in a state that has a piece; a request never crosses a segment.
 *
 * Source: Lin-P IV.B, IV.C, Fig. 12, Fig. 13.
 */
#ifndef WR_REFMODEL_CONTEXT_CONTEXT_SEQUENCER_H
#define WR_REFMODEL_CONTEXT_CONTEXT_SEQUENCER_H

#include "refmodel/contract.h"
#include "refmodel/gen/context_sequencer_pins.h"

enum { WR_CONTEXT_SEQUENCER_SHARED = 49152 }; /* most bytes of shared memory of a TB */

/* Codes of req_kind, waits and damage. */
typedef enum wr_sequencer_kind {
    WR_SEQUENCER_SHARED,
    WR_SEQUENCER_PREDS,
    WR_SEQUENCER_STACK,
    WR_SEQUENCER_CCB,
    WR_SEQUENCER_PATTERNS,
    WR_SEQUENCER_SLOT,
    WR_SEQUENCER_KINDS,
} wr_sequencer_kind;

enum { WR_SEQUENCER_WAITS_CCB = 1, WR_SEQUENCER_WAITS_META };

enum {
    WR_SEQUENCER_BAD_REGS = 1,
    WR_SEQUENCER_BAD_SHARED,
    WR_SEQUENCER_BAD_STACK,
    WR_SEQUENCER_BAD_DEPTH,
    WR_SEQUENCER_BAD_BYTES,
    WR_SEQUENCER_NO_STACK,
    WR_SEQUENCER_DAMAGES,
};

typedef struct wr_context_sequencer {
    wr_context_sequencer_cfg cfg;

    uint8_t state_q; /* as the toml numbers them */
    /* the operation, as it was started */
    bool restore_q;
    bool keep_regs_q;
    bool keep_shared_q;
    bool whole_q; /* registers are one stream; a restore's CCB entry decides it */
    uint8_t warps_q;
    uint8_t slot_segs_q;
    uint8_t cycles_q;
    uint16_t shared_bytes_q;
    uint64_t ccb_q;
    uint64_t low_q;
    uint64_t high_q;
    /* the layout, in segments */
    uint64_t part_q[3]; /* registers, shared memory, stack */
    uint16_t room_q;    /* of the register part */
    /* the piece in work */
    uint64_t addr_q;  /* of the next request, in bytes */
    uint64_t piece_q; /* segment of warp_q's stack or slot */
    uint16_t left_q;
    uint16_t offset_q;
    uint8_t warp_q;
    uint8_t pace_q;
    uint8_t damage_q;
    bool fault_q;
} wr_context_sequencer;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_context_sequencer_init(wr_context_sequencer *s, const wr_context_sequencer_cfg *cfg);

void wr_context_sequencer_reset(wr_context_sequencer *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_sequencer_eval(const wr_context_sequencer *s, const wr_context_sequencer_in *in,
                               wr_context_sequencer_out *out);

/* The clock edge. */
void wr_context_sequencer_tick(wr_context_sequencer *s, const wr_context_sequencer_in *in);

#endif
