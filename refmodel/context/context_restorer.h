/* SPDX-License-Identifier: Apache-2.0 */
/* context_restorer: a pattern vector and segments in, every allocated register of a warp out.
 *
 *                          +------------------+  live  +--------+     +------------------+
 *  start, pattern_vec ---> | context_unpacker | -----> | turn_q | --> | reg_decompressor |
 *  pag                     +------------------+        +--------+     +------------------+
 *  seg_valid, seg_word --->   | seg_want                   ^             | rf_req, rf_index
 *  seg_ready <-------------   v                       dead |             | rf_lane[Lanes]
 *  alloc --------------------------------------> next_q ---+             v ^ rf_gnt
 *                                                                busy, fault --->
 *
 * Registers go to the register file in ascending order: the unpacker's head when next_q has come
 * to it, a dead one while next_q is below the head, and all that are left once the unpacker has
 * none. Until the head's words are there the block does not know its index and waits. The one whose
 * turn it is is held for a cycle, or until the decompressor takes it.
 * Invariants: the head is never below next_q; at most three registers between the unpacker and the
 * register file; the decompressor never sees a protocol fault.
 *
 * Not modelled: addresses and the fetch of segments and pattern vectors; SIMT stack and
 * predicates.
 *
 * Source: Lin-P IV.B, IV.C (pattern vector first, then register after register) and Fig. 13.
 */
#ifndef WR_REFMODEL_CONTEXT_CONTEXT_RESTORER_H
#define WR_REFMODEL_CONTEXT_CONTEXT_RESTORER_H

#include "refmodel/context/context_unpacker.h"
#include "refmodel/context/reg_decompressor.h"
#include "refmodel/contract.h"
#include "refmodel/gen/context_restorer_pins.h"

typedef struct wr_context_restorer {
    wr_context_restorer_cfg cfg;

    uint8_t next_q;   /* 7 bits: lowest register that has not had its turn, 0..64 */
    uint8_t alloc_q;  /* 7 bits: allocated registers, 0..Regs */
    uint8_t inside_q; /* 2 bits: registers that have had it and are not written, 0..3 */
    bool fault_q;     /* all but the unpacker's */

    bool turn_valid_q;                          /* a register waits before the decompressor */
    uint8_t turn_tag_q;                         /* 6 bits: its index */
    uint8_t turn_pattern_q;                     /* 2 bits: wr_pattern */
    uint32_t turn_word_q[WR_CONTEXT_LANES_MAX]; /* Lanes words, of which as many as the pattern has
                                                   count */

    wr_context_unpacker unpacker;
    wr_reg_decompressor decompressor;
} wr_context_restorer;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, or one of the
 * two parts refuses its own. */
wr_status wr_context_restorer_init(wr_context_restorer *s, const wr_context_restorer_cfg *cfg);

void wr_context_restorer_reset(wr_context_restorer *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_restorer_eval(const wr_context_restorer *s, const wr_context_restorer_in *in,
                              wr_context_restorer_out *out);

/* The clock edge. */
void wr_context_restorer_tick(wr_context_restorer *s, const wr_context_restorer_in *in);

#endif
