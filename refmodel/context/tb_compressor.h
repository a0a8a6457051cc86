/* SPDX-License-Identifier: Apache-2.0 */
/* tb_compressor: one logical register of all warps of a thread block in, its class and words out.
 *
 *                    +------------------------------+
 *  valid, last ----> |  base[Entries]               | ---> valid, tb_class, last
 *  pag, pattern ---> |  stride[Entries]   all warps | ---> count, word[2]
 *  word[Words] ----> |      |             in:       | <--- ready
 *  ready <---------- |      +-- compare -> class    | ---> fault
 *                    +------------------------------+
 *
 *  class             base vector                    stride vector      stored words
 *  global uniform    all equal                      all 0              1
 *  local uniform     not all equal                  all 0              a base per group
 *  global strided    steps of stride x PAG          all equal, not 0   2
 *  local strided     the rest                                          base and stride per group
 *  random, bypass    none here: the register is read again, raw (random) or warp by warp (bypass)
 *
 * Invariants: fill_q <= Entries; nothing is taken while beats leave, so the buffers are at rest
 * when they are looked at; while collecting, pos_q is 0.
 *
 * Not modelled: which lanes exist (all of a warp do); which register this is and whether the
 * preemption point is a barrier, which the save path knows; a TB of more than Entries groups in
 * several passes.
 *
 * Source: Lin-P III.C, "TB-Level Compression", Fig. 11.
 */
#ifndef WR_REFMODEL_CONTEXT_TB_COMPRESSOR_H
#define WR_REFMODEL_CONTEXT_TB_COMPRESSOR_H

#include "refmodel/contract.h"
#include "refmodel/gen/tb_compressor_pins.h"

enum { WR_TB_GROUPS_MAX = 64 };

/* Class of a register over a TB, code of pin class. */
typedef enum wr_tb_class {
    WR_TB_DEAD = 0,
    WR_TB_LOCAL_UNIFORM = 1,
    WR_TB_RANDOM = 2,
    WR_TB_LOCAL_STRIDED = 3,
    WR_TB_BYPASS = 4,
    WR_TB_GLOBAL_UNIFORM = 5,
    WR_TB_GLOBAL_STRIDED = 6,
} wr_tb_class;

typedef struct wr_tb_compressor {
    wr_tb_compressor_cfg cfg;

    bool emit_q;    /* beats leave; else results come */
    bool over_q;    /* more groups than Entries */
    bool random_q;  /* a result was random */
    uint8_t fill_q; /* 7 bits: groups counted */
    uint8_t pos_q;  /* 7 bits: beat at the output */
    uint8_t pag_q;  /* 2 bits: code of the first result, once fill_q is not 0 */
    uint32_t base_q[WR_TB_GROUPS_MAX];
    uint32_t stride_q[WR_TB_GROUPS_MAX];
    bool fault_q;
} wr_tb_compressor;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, Words is odd or
 * a warp's groups do not fit into Entries. */
wr_status wr_tb_compressor_init(wr_tb_compressor *s, const wr_tb_compressor_cfg *cfg);

void wr_tb_compressor_reset(wr_tb_compressor *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_tb_compressor_eval(const wr_tb_compressor *s, const wr_tb_compressor_in *in,
                           wr_tb_compressor_out *out);

/* The clock edge. */
void wr_tb_compressor_tick(wr_tb_compressor *s, const wr_tb_compressor_in *in);

#endif
