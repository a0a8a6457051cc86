/* SPDX-License-Identifier: Apache-2.0 */
/* reg_compressor: one vector register in, its uniform, strided or random words out.
 *
 *                 +--------------------+
 *       valid --> |                    | --> valid
 *         tag --> | subtract,  pick    | --> tag
 *         pag --> | compare    words   | --> pattern, count
 * lane[Lanes] --> |    |         |     | --> word[Lanes]
 *       ready <-- | stage 1   stage 2  | <-- ready
 *                 |                    | --> fault
 *                 +--------------------+
 *
 * Two elastic stages: a stage loads when it is empty or its content moves on in the same cycle,
 * so with the consumer ready the latency is exactly 2 and a register is taken every cycle.
 * Inputs are taken where valid and the output ready are both 1; ready is combinational from the
 * consumer's ready and the two valid bits.
 * Invariants: order is kept; a register that is taken leaves exactly once; outputs hold while
 * valid and not taken.
 *
 * Not modelled: TB-level compression (Lin-P Fig. 11), which the paper's own preemption does not
 * use; active masks (every lane is kept, since a lane that is off may be live on another path);
 * the register-file read that feeds it.
 *
 * Source: Lin-P III.C, Fig. 10 (logic, codes, 2 cycles, "fully pipelined").
 */
#ifndef WR_REFMODEL_CONTEXT_REG_COMPRESSOR_H
#define WR_REFMODEL_CONTEXT_REG_COMPRESSOR_H

#include "refmodel/context/pattern.h"
#include "refmodel/contract.h"
#include "refmodel/gen/reg_compressor_pins.h"

typedef struct wr_reg_compressor {
    wr_reg_compressor_cfg cfg;

    bool s1_valid_q;
    uint8_t s1_tag_q; /* 6 bits */
    wr_pag s1_pag_q;  /* 2 bits */
    uint32_t s1_lane_q[WR_CONTEXT_LANES_MAX];

    bool s2_valid_q;
    uint8_t s2_tag_q;        /* 6 bits */
    wr_pattern s2_pattern_q; /* 2 bits */
    uint8_t s2_count_q;      /* 7 bits, 0..Lanes */
    uint32_t s2_word_q[WR_CONTEXT_LANES_MAX];

    bool fault_q;
} wr_reg_compressor;

/* Leaves the block in reset. WR_ERR_CONFIG where lanes is outside 8..64. */
wr_status wr_reg_compressor_init(wr_reg_compressor *s, const wr_reg_compressor_cfg *cfg);

void wr_reg_compressor_reset(wr_reg_compressor *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_reg_compressor_eval(const wr_reg_compressor *s, const wr_reg_compressor_in *in,
                            wr_reg_compressor_out *out);

/* The clock edge. */
void wr_reg_compressor_tick(wr_reg_compressor *s, const wr_reg_compressor_in *in);

#endif
