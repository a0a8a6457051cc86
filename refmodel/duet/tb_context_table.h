/* SPDX-License-Identifier: Apache-2.0 */
/* tb_context_table: which warps of every TB are switched out, and where its shared memory is.
 *
 *                           +--------------------------------------+
 *  op, id, mask, addr ----> | v | absent mask        | smem address |
 *                           | 1 | TbWarps (32)       |      12      | x Tbs
 *                           |  ...                                 |
 *  look_id ---------------> |  one row --------------------------- | --> look_*
 *  find_kind, find_from --> |  all rows: first of that kind ------ | --> find_*
 *                           +--------------------------------------+ --> fault
 *
 *   kinds   free      no TB
 *           whole     mask 0 and shared memory in place: the TB can run
 *           partial   some warp absent
 *           spilled   shared memory lies elsewhere (partial or not)
 *
 * One command a cycle; the two read ports show the table before it. A TB without shared memory
 * has address 0xFFF, and its shared memory is in place.
 * Invariants: mask bits of warps that a TB cannot have are 0; an invalid entry reads as 0.
 *
 * Not modelled: how many warps and units a TB has (the kernel's figures, kept by the dispatcher).
 *
 * Source: Lin-D 3.6.6, Fig. 3.11b, Table 3.4 (32 x 45 bits).
 */
#ifndef WR_REFMODEL_DUET_TB_CONTEXT_TABLE_H
#define WR_REFMODEL_DUET_TB_CONTEXT_TABLE_H

#include "refmodel/contract.h"
#include "refmodel/gen/tb_context_table_pins.h"

enum {
    WR_TB_CONTEXT_TABLE_MAX = 32,
    WR_TB_CONTEXT_UNITS_MAX = 3072,
    WR_TB_CONTEXT_NO_SMEM = 0xfff,
};

typedef enum wr_tb_context_op {
    WR_TB_CONTEXT_NONE,
    WR_TB_CONTEXT_INSERT,
    WR_TB_CONTEXT_REMOVE,
    WR_TB_CONTEXT_SET,
    WR_TB_CONTEXT_CLEAR,
    WR_TB_CONTEXT_MOVE,
} wr_tb_context_op;

typedef enum wr_tb_context_kind {
    WR_TB_CONTEXT_FREE,
    WR_TB_CONTEXT_WHOLE,
    WR_TB_CONTEXT_PARTIAL,
    WR_TB_CONTEXT_SPILLED,
} wr_tb_context_kind;

typedef struct wr_tb_context_table {
    wr_tb_context_table_cfg cfg;

    bool valid_q[WR_TB_CONTEXT_TABLE_MAX]; /* never from TBs on */
    uint32_t absent_q[WR_TB_CONTEXT_TABLE_MAX];
    uint16_t addr_q[WR_TB_CONTEXT_TABLE_MAX];
    bool fault_q;
} wr_tb_context_table;

/* Leaves the block in reset, every entry invalid. WR_ERR_CONFIG where a parameter is outside its
 * range or shared memory ends past 3,072 units. */
wr_status wr_tb_context_table_init(wr_tb_context_table *s, const wr_tb_context_table_cfg *cfg);

void wr_tb_context_table_reset(wr_tb_context_table *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_tb_context_table_eval(const wr_tb_context_table *s, const wr_tb_context_table_in *in,
                              wr_tb_context_table_out *out);

/* The clock edge. */
void wr_tb_context_table_tick(wr_tb_context_table *s, const wr_tb_context_table_in *in);

#endif
