/* SPDX-License-Identifier: Apache-2.0 */
/* context_switch_logic: which context leaves an SM, which comes back, and the order of its move.
 *
 *                        +----------------------------+
 *   stalled queue ---->  |  decision: exchange, in,   | ---> stalled_pop, ready_pop
 *   ready queue ------>  |  out, back, none           |
 *   want, slots_free ->  |            |               |
 *                        |            v               | <--> tables: read, write, move, mask
 *   cfg: limits, N, ->   |  read - alloc - move -     | <--> bitmap: alloc, free
 *   lines, full          |  per warp: read, move,     | <--> mover: the unit, metadata of a warp
 *                        |  write - address, mask -   |
 *                        |  free                      | ---> slot_take, slot_give
 *                        +----------------------------+ ---> level, op, state, fault
 *
 * A unit is a warp or, where shared memory limits the kernel, a TB. Its context lies in place
 * (registers in the register file or shared memory in shared memory, metadata in warp slots), or
 * switched out as one run of lines: what was moved, then the metadata of its warps.
 *
 *   Fig. 3.9          running --(caller)--> stalled --out, exchange--> absent --(caller)--> ready
 *                        ^----------back-------'                                              |
 *                        '---------------------in, exchange----------------------------------'
 *
 * An exchange gives each unit the room of the other, so it asks the bitmap for nothing: it cannot
 * fail. Room is given back last, when no table names it any more.
 *
 * Invariants: one switch at a time; a request holds until its ack; a unit's tables change only
 * behind its move, a warp's entry only behind that of its metadata; every unit popped is written to
 * running or absent.
 *
 * Not modelled: what moves the lines, and how long it takes; the free list of warp slots; when a
 * stall begins and ends, and the states that follow from that.
 *
 * Source: Lin-D 3.6.2, 3.6.5 (Fig. 3.9), 3.6.6 (Fig. 3.10), 3.6.7 (Eq. 3.1 to 3.3).
 */
#ifndef WR_REFMODEL_DUET_CONTEXT_SWITCH_LOGIC_H
#define WR_REFMODEL_DUET_CONTEXT_SWITCH_LOGIC_H

#include "refmodel/contract.h"
#include "refmodel/duet/warp_context_table.h" /* wr_warp_state */
#include "refmodel/gen/context_switch_logic_pins.h"

typedef enum wr_csl_level { WR_CSL_OFF = 0, WR_CSL_WARP = 1, WR_CSL_TB = 2 } wr_csl_level;

typedef enum wr_csl_op {
    WR_CSL_NONE = 0,
    WR_CSL_OUT = 1,
    WR_CSL_IN = 2,
    WR_CSL_EXCHANGE = 3,
    WR_CSL_BACK = 4,
} wr_csl_op;

typedef enum wr_csl_state {
    WR_CSL_IDLE = 0,
    WR_CSL_READ_OUT,
    WR_CSL_READ_IN,
    WR_CSL_ALLOC,
    WR_CSL_ALLOC_L1,
    WR_CSL_MOVE,
    WR_CSL_RD_OUT,
    WR_CSL_RD_IN,
    WR_CSL_WR_OUT,
    WR_CSL_WR_IN,
    WR_CSL_ADDR_OUT,
    WR_CSL_MASK_OUT,
    WR_CSL_ADDR_IN,
    WR_CSL_MASK_IN,
    WR_CSL_FREE,
    WR_CSL_META,
} wr_csl_state;

typedef enum wr_csl_tab_op {
    WR_CSL_READ_WARP = 0,
    WR_CSL_WRITE_WARP = 1,
    WR_CSL_READ_TB = 2,
    WR_CSL_MOVE_TB = 3,
    WR_CSL_ABSENT_TB = 4,
    WR_CSL_PRESENT_TB = 5,
} wr_csl_tab_op;

enum {
    WR_CSL_LINE_BYTES = 128,
    WR_CSL_LIMIT_REGISTERS = 1,
    WR_CSL_LIMIT_SLOTS = 2,
    WR_CSL_LIMIT_SHARED = 4,
    WR_CSL_META_SLOT = 0xc00, /* metadata address of warp slot 0 */
    WR_CSL_SLOTS = 64,
};

/* What the table says of one warp. */
typedef struct wr_csl_entry {
    uint8_t state; /* 2 bits; kept for a warp that comes in only */
    uint16_t reg;  /* 12 bits */
    uint16_t meta; /* 12 bits; kept for a warp that leaves only */
} wr_csl_entry;

typedef struct wr_context_switch_logic {
    wr_context_switch_logic_cfg cfg;

    uint8_t level_q;  /* wr_csl_level */
    bool registers_q; /* limits bit 0 */
    bool use_l1_q;
    uint8_t warps_q;  /* 6 bits: N */
    uint16_t lines_q; /* 10 bits, as given with cfg */
    uint16_t full_q;  /* 10 bits */

    uint8_t op_q;      /* wr_csl_op */
    uint8_t state_q;   /* wr_csl_state */
    uint8_t out_id_q;  /* 7 bits: the unit that leaves */
    uint8_t in_id_q;   /* 7 bits: the unit that comes in */
    bool out_popped_q; /* the pop of this cycle */
    bool in_popped_q;
    bool take_q;    /* slot_take of this cycle */
    bool give_q;    /* slot_give of this cycle */
    uint8_t slot_q; /* 6 bits */
    uint8_t warp_q; /* warp of the TB */
    uint16_t home_q;
    uint16_t away_q;
    uint16_t meta_away_q; /* of warp warp_q, from its reads on */
    wr_csl_entry out_q;
    wr_csl_entry in_q;
    bool full_once_q; /* the last alloc for a switch in failed */
    bool fault_q;
} wr_context_switch_logic;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_context_switch_logic_init(wr_context_switch_logic *s,
                                       const wr_context_switch_logic_cfg *cfg);

void wr_context_switch_logic_reset(wr_context_switch_logic *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_switch_logic_eval(const wr_context_switch_logic *s,
                                  const wr_context_switch_logic_in *in,
                                  wr_context_switch_logic_out *out);

/* The clock edge. */
void wr_context_switch_logic_tick(wr_context_switch_logic *s, const wr_context_switch_logic_in *in);

#endif
