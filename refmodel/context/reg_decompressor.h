/* SPDX-License-Identifier: Apache-2.0 */
/* reg_decompressor: the words of one compressed vector register in, its lanes out.
 *
 *                 +--------------------+
 *       valid --> |                    | --> valid
 *    tag, pag --> | spread     add     | --> tag
 *     pattern --> | bases      strides | --> lane[Lanes]
 * word[Lanes] --> |    |         |     |
 *       ready <-- | stage 1   stage 2  | <-- ready
 *                 |                    | --> fault
 *                 +--------------------+
 *
 * lane i of group g: uniform base_g; strided base_g + (i mod P) stride_g; random word i; dead
 * the poison value. The elastic pipeline is that of reg_compressor: latency 2, one register a
 * cycle.
 * Invariants: order is kept; a register that is taken leaves exactly once; expanding what the
 * compressor wrote gives the register back bit for bit.
 *
 * Not modelled: the register-file write behind it; a poison that differs between registers.
 *
 * Source: Lin-P III.C ("the value is duplicated PAG times", "every following register adds the
 * stride value to the former one"). The paper gives no latency: 2 cycles is ours, that of the
 * compressor.
 */
#ifndef WR_REFMODEL_CONTEXT_REG_DECOMPRESSOR_H
#define WR_REFMODEL_CONTEXT_REG_DECOMPRESSOR_H

#include "refmodel/context/pattern.h"
#include "refmodel/contract.h"
#include "refmodel/gen/reg_decompressor_pins.h"

typedef struct wr_reg_decompressor {
    wr_reg_decompressor_cfg cfg;

    bool s1_valid_q;
    uint8_t s1_tag_q;        /* 6 bits */
    wr_pag s1_pag_q;         /* 2 bits */
    wr_pattern s1_pattern_q; /* 2 bits */
    uint32_t s1_word_q[WR_CONTEXT_LANES_MAX];

    bool s2_valid_q;
    uint8_t s2_tag_q; /* 6 bits */
    uint32_t s2_lane_q[WR_CONTEXT_LANES_MAX];

    bool fault_q;
} wr_reg_decompressor;

/* Leaves the block in reset. WR_ERR_CONFIG where lanes is outside 8..64. */
wr_status wr_reg_decompressor_init(wr_reg_decompressor *s, const wr_reg_decompressor_cfg *cfg);

void wr_reg_decompressor_reset(wr_reg_decompressor *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_reg_decompressor_eval(const wr_reg_decompressor *s, const wr_reg_decompressor_in *in,
                              wr_reg_decompressor_out *out);

/* The clock edge. */
void wr_reg_decompressor_tick(wr_reg_decompressor *s, const wr_reg_decompressor_in *in);

#endif
