/* SPDX-License-Identifier: Apache-2.0 */
/* warp_context_table: state and place of every warp of an SM, resident or not.
 *
 *                              +-------------------------------------------------+
 *  op, id, fields -----------> | v | state | barrier | reg_addr    | meta_addr    |
 *  state, barrier, addresses > | 1 |   2   |    1    |     12      |     12       | x Warps
 *                              |   ...                                           |
 *  look_id ------------------> |  one row -------------------------------------- | --> look_*
 *  find_state, find_from ----> |  all rows: first in that state, in a circle ---- | --> find_*
 *  group_first, group_count -> |  rows of a TB: all stalled? all ready? --------- | --> group_*
 *                              +-------------------------------------------------+ --> fault
 *
 *            insert                       remove from any state
 *              |
 *              v     stall
 *          running --------> stalled --switched out--> absent --woken--> ready <--insert
 *            ^ ^--condition not met--'                                     |
 *            '-----------------------switched in---------------------------'
 *
 * One command a cycle; the three read ports show the table before it.
 * Invariants: a valid entry was inserted and not removed since; its state was reached along the
 * arrows; the invalid ones read as 0.
 *
 * Not modelled: TB and index of a warp, which follow from its id where the warps of a TB have
 * consecutive ids; whether state and addresses agree (the switching logic's business; the look
 * port says whether registers and metadata are in place).
 *
 * Source: Lin-D 3.6.5, Fig. 3.9, 3.6.6, Fig. 3.11a, Table 3.4 (128 x 27 bits).
 */
#ifndef WR_REFMODEL_DUET_WARP_CONTEXT_TABLE_H
#define WR_REFMODEL_DUET_WARP_CONTEXT_TABLE_H

#include "refmodel/contract.h"
#include "refmodel/gen/warp_context_table_pins.h"

enum {
    WR_WARP_CONTEXT_TABLE_MAX = 128,
    WR_WARP_CONTEXT_SLOT_0 = 0xc00,   /* metadata address of warp slot 0 */
    WR_WARP_CONTEXT_NO_PLACE = 0xfff, /* metadata address: none */
    WR_WARP_CONTEXT_FIELD_STATE = 1,  /* bits of pin fields */
    WR_WARP_CONTEXT_FIELD_REG = 2,
    WR_WARP_CONTEXT_FIELD_META = 4,
    WR_WARP_CONTEXT_FIELD_BARRIER = 8,
};

typedef enum wr_warp_context_op {
    WR_WARP_CONTEXT_NONE,
    WR_WARP_CONTEXT_INSERT,
    WR_WARP_CONTEXT_UPDATE,
    WR_WARP_CONTEXT_REMOVE,
} wr_warp_context_op;

typedef enum wr_warp_state {
    WR_WARP_RUNNING,
    WR_WARP_STALLED,
    WR_WARP_ABSENT,
    WR_WARP_READY,
} wr_warp_state;

typedef struct wr_warp_context_table {
    wr_warp_context_table_cfg cfg;

    bool valid_q[WR_WARP_CONTEXT_TABLE_MAX];    /* never from Warps on */
    uint8_t state_q[WR_WARP_CONTEXT_TABLE_MAX]; /* wr_warp_state */
    bool barrier_q[WR_WARP_CONTEXT_TABLE_MAX];
    uint16_t reg_addr_q[WR_WARP_CONTEXT_TABLE_MAX];
    uint16_t meta_addr_q[WR_WARP_CONTEXT_TABLE_MAX];
    bool fault_q;
} wr_warp_context_table;

/* Leaves the block in reset, every entry invalid. WR_ERR_CONFIG where a parameter is outside its
 * range. */
wr_status wr_warp_context_table_init(wr_warp_context_table *s,
                                     const wr_warp_context_table_cfg *cfg);

void wr_warp_context_table_reset(wr_warp_context_table *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_warp_context_table_eval(const wr_warp_context_table *s, const wr_warp_context_table_in *in,
                                wr_warp_context_table_out *out);

/* The clock edge. */
void wr_warp_context_table_tick(wr_warp_context_table *s, const wr_warp_context_table_in *in);

#endif
