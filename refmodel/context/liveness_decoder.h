/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_decoder: a preemption instruction in, its live registers out, one a cycle.
 *
 *               +--------------------+
 *      start -> |  63    54 53      0|
 *  word[63:0]-> | [ opcode | vector ]| -> decoded, is_pp, is_bar, mask[63:0]
 *  next[63:0]-> |    |               |
 *   diverged -> |    v        walk   | -> busy, valid, index, last
 *      alloc -> |  mask_q -> rest_q  | <- ready
 *               |                    | -> fault
 *               +--------------------+
 *
 *  vector bit  i, 0..52   register i is live
 *  vector bit 53          every allocated register from 53 up is live
 *
 * A start that is taken (busy 0) shows its mask and its first register in the next cycle; the
 * walk then names one register a cycle, lowest first. A word that is neither pp nor bar.pp
 * decodes to an empty mask and no walk.
 * Invariants: mask names no register at or above the allocated count; rest_q is a subset of
 * mask_q without the registers taken; busy is "rest_q is not 0".
 *
 * Not modelled: the preemption signal (with it off, pp is a nop and bar.pp a barrier: the
 * pipeline's business); the fetch of the word behind a pp; register 63 as a zero register
 * (allocate at most 63 to leave it out).
 *
 * Source: Lin-P IV.A. The paper's "highest bit ... higher than 53" and "53-bit vector" leave
 * register 53 without a bit; here bit 53 stands for 53 and up.
 */
#ifndef WR_REFMODEL_CONTEXT_LIVENESS_DECODER_H
#define WR_REFMODEL_CONTEXT_LIVENESS_DECODER_H

#include "refmodel/contract.h"
#include "refmodel/gen/liveness_decoder_pins.h"

typedef struct wr_liveness_decoder {
    wr_liveness_decoder_cfg cfg;

    uint64_t mask_q; /* Regs bits: what the last accepted start decoded to */
    uint64_t rest_q; /* Regs bits: registers of the walk that have not been taken */
    bool decoded_q;
    bool is_pp_q;
    bool is_bar_q;
    bool fault_q;
} wr_liveness_decoder;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range or two of the
 * three opcodes are the same. */
wr_status wr_liveness_decoder_init(wr_liveness_decoder *s, const wr_liveness_decoder_cfg *cfg);

void wr_liveness_decoder_reset(wr_liveness_decoder *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_liveness_decoder_eval(const wr_liveness_decoder *s, const wr_liveness_decoder_in *in,
                              wr_liveness_decoder_out *out);

/* The clock edge. */
void wr_liveness_decoder_tick(wr_liveness_decoder *s, const wr_liveness_decoder_in *in);

#endif
