/* SPDX-License-Identifier: Apache-2.0 */
/* hint_decoder: the front end of hint mode for one warp.
 *
 *                       +-------------------------------+
 *  stall, pc, hint ---> |  base (stall PC)   mode       | ---> mode, base
 *  resume ------------> |       + held offset           | ---> fetch_pc
 *  redirect, pc ------> |              ^                |
 *  valid, pc, hint,     |              | next offset    |
 *   branch, taken, ...  |       decode of the hint ---> | ---> issue, offset, dst, renamed,
 *  ready <------------- |                      register |      control, *_offset
 *  rcu_empty, rcu_full  |                               | <--- take
 *                       +-------------------------------+ ---> fault
 *
 *   hint, 24 bits   23   22                          18 17         9   8   7        0
 *   format 1      [ v | reserved                       | offset      | r | dst      ]
 *   format 2      [ v | type | not-taken offset   21:11 | taken offset        10:0  ]
 *
 *   mode   in_order --stall with a hint--> hint --chain ends, or RCU full--> wait
 *          in_order <-------------------resume--------------------------------+
 *
 * A stall point's own hint is only the way in: its offset is used, the instruction is not executed
 * in hint mode. Each instruction of the chain brings the offset of the one behind it, always
 * counted from the stall point, and 0 ends the chain.
 * Invariants: the held offset is 0 unless the mode is hint, and there it is in reach, so 9 bits
 * hold it and every instruction that is issued has a position that the RCU can store; issue is 0
 * in order.
 *
 * Not modelled: fetch and decode of the instruction; where hints lie (a side word of 24 bits per
 * instruction, read with the instruction cache line) and what reading them costs; the scoreboard
 * and the check of sources, which the RCU makes; who reads a branch's condition; the cycles that
 * a flush and refetch at return take.
 *
 * Source: Gong 5.3.1 (formats), 5.3.3 (flag, fetch along hints), 5.3.4 (return).
 */
#ifndef WR_REFMODEL_HINTS_HINT_DECODER_H
#define WR_REFMODEL_HINTS_HINT_DECODER_H

#include "refmodel/contract.h"
#include "refmodel/gen/hint_decoder_pins.h"

typedef enum wr_hint_mode {
    WR_HINT_MODE_IN_ORDER = 0,
    WR_HINT_MODE_HINT = 1,
    WR_HINT_MODE_WAIT = 2,
} wr_hint_mode;

typedef struct wr_hint_decoder {
    wr_hint_decoder_cfg cfg;

    uint8_t mode_q;  /* wr_hint_mode */
    uint32_t base_q; /* stall PC */
    uint16_t next_q; /* 9 bits, two's complement: the chain's next instruction minus base */
    bool issue_q;    /* the instruction below stands at the output */
    uint16_t own_q;  /* 9 bits: its distance from base */
    uint8_t dst_q;
    uint8_t renamed_q;
    bool control_q;
    uint16_t taken_q;     /* 11 bits, sign-extended from BranchW */
    uint16_t not_taken_q; /* 11 bits */
    bool fault_q;
} wr_hint_decoder;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range or branch_w is
 * below offset_w. */
wr_status wr_hint_decoder_init(wr_hint_decoder *s, const wr_hint_decoder_cfg *cfg);

void wr_hint_decoder_reset(wr_hint_decoder *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_hint_decoder_eval(const wr_hint_decoder *s, const wr_hint_decoder_in *in,
                          wr_hint_decoder_out *out);

/* The clock edge. */
void wr_hint_decoder_tick(wr_hint_decoder *s, const wr_hint_decoder_in *in);

#endif
