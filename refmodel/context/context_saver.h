/* SPDX-License-Identifier: Apache-2.0 */
/* context_saver: a preemption instruction and a warp's registers in, full segments out.
 *
 *                                     rf_req, rf_index | ^ rf_gnt
 *                                                      v | rf_lane[Lanes]
 *  start          +------------------+ index  +---------------+
 *  word, next --> | liveness_decoder | -----> | pending, tag  |
 *  diverged       +------------------+        +---------------+
 *  alloc                                              | lanes
 *                 +----------------+  words  +----------------+
 *  seg_word[] <-- | context_packer | <------ | reg_compressor | <--- pag
 *  seg_valid ...  +----------------+         +----------------+
 *  seg_ready -->    | pattern_vec[4], total, done           busy, fault --->
 *
 * state_q      0 no warp since reset --start--> 1 walking --flush taken--> 2 flushed --start--> 1
 * A warp is flushed when no register is left before the packer, or with the last one.
 *
 * The register file is a synchronous memory: a request that it grants shows its lanes in the
 * next cycle, and they stay until the cycle of the next grant. So the saver holds no register
 * itself: it asks for one only when the one before it moves on.
 * Invariants: at most one register pending and two in the compressor; the compressor and the
 * packer never see a protocol fault, whatever comes in at the pins.
 *
 * Not modelled: addresses, the slots of a TB and the store of the pattern vector (Lin-P Fig. 12);
 * SIMT stack and predicates; the choice of the warp and the wait until it has drained.
 *
 * Source: Lin-P IV.A (liveness in the instruction), IV.B, IV.C and Fig. 13 (the path from the
 * register file through the compressor to a buffer of 128 B).
 */
#ifndef WR_REFMODEL_CONTEXT_CONTEXT_SAVER_H
#define WR_REFMODEL_CONTEXT_CONTEXT_SAVER_H

#include "refmodel/context/context_packer.h"
#include "refmodel/context/liveness_decoder.h"
#include "refmodel/context/reg_compressor.h"
#include "refmodel/contract.h"
#include "refmodel/gen/context_saver_pins.h"

typedef enum wr_context_saver_state {
    WR_CONTEXT_SAVER_RESET,
    WR_CONTEXT_SAVER_WALKING,
    WR_CONTEXT_SAVER_FLUSHED,
} wr_context_saver_state;

typedef struct wr_context_saver {
    wr_context_saver_cfg cfg;

    wr_context_saver_state state_q; /* 2 bits */
    bool pending_q;                 /* lanes of a granted register are due */
    uint8_t tag_q;                  /* 6 bits: register granted last */
    wr_pag pag_q;                   /* 2 bits */
    uint8_t inside_q;               /* 2 bits: registers in the compressor, 0..2 */
    bool fault_q;                   /* all but the decoder's */

    wr_liveness_decoder decoder;
    wr_reg_compressor compressor;
    wr_context_packer packer;
} wr_context_saver;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, or one of the
 * three parts refuses its own. */
wr_status wr_context_saver_init(wr_context_saver *s, const wr_context_saver_cfg *cfg);

void wr_context_saver_reset(wr_context_saver *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_saver_eval(const wr_context_saver *s, const wr_context_saver_in *in,
                           wr_context_saver_out *out);

/* The clock edge. */
void wr_context_saver_tick(wr_context_saver *s, const wr_context_saver_in *in);

#endif
