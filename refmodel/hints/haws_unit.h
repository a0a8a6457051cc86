/* SPDX-License-Identifier: Apache-2.0 */
/* haws_unit: hint mode of all warps of an SM.
 *
 *   stalled[w] --> turns --> serve --> decode, hint --> sources against --> issue --> take
 *                   ^  (one warp a cycle)               the warp's ring       |
 *                   +---------------------------------------------------------+
 *   tables by warp: mode, seen | base, offset | lanes, rpc | ring of Entries x
 *                   [ offset | dst 8 | renamed 8 | control | ready ]
 *   check, check_pc --> the oldest entry of that warp --> action, copy_from, copy_to
 *   done, done_id   --> ready
 *
 * Invariants: an instruction at issue is of a warp in hint mode, and its entry is the one behind
 * the youngest; a warp in hint mode has room in its ring; offsets of a ring are in order of
 * execution.
 *
 * Not modelled: fetch, decode and scoreboard, which are the SM's; the register file.
 *
 * Source: Gong 5.3.1 to 5.3.4, Fig. 5.4 (hints), 5.6 (entries), 5.8 (fetch logic).
 */
#ifndef WR_REFMODEL_HINTS_HAWS_UNIT_H
#define WR_REFMODEL_HINTS_HAWS_UNIT_H

#include "refmodel/contract.h"
#include "refmodel/gen/haws_unit_pins.h"

enum { WR_HAWS_WARPS = 64, WR_HAWS_ENTRIES = 8, WR_HAWS_SRCS = 4 };

/* What in-order fetch does with its PC. */
typedef enum wr_haws_action {
    WR_HAWS_NORMAL = 0,
    WR_HAWS_WAIT = 1,
    WR_HAWS_SKIP = 2,
    WR_HAWS_COPY = 3,
    WR_HAWS_BRANCH = 4,
} wr_haws_action;

typedef enum wr_haws_mode { WR_HAWS_IN_ORDER, WR_HAWS_HINT, WR_HAWS_END } wr_haws_mode;

/* An instruction that has been executed ahead. */
typedef struct wr_haws_entry {
    int16_t offset; /* from base */
    uint8_t dst, renamed;
    bool control, ready;
} wr_haws_entry;

typedef struct wr_haws_warp {
    uint8_t mode; /* wr_haws_mode */
    bool seen;    /* its stall point begins no chain */
    uint8_t head, count;
    int16_t offset; /* where the chain goes on */
    uint32_t base, rpc;
    uint64_t lanes;
    wr_haws_entry ring[WR_HAWS_ENTRIES];
} wr_haws_warp;

/* What stands at issue; all 0 where nothing does. */
typedef struct wr_haws_issue {
    bool ends;
    uint8_t warp;
    int16_t offset, next; /* its own; where the chain goes on behind it */
    uint8_t dst, renamed, src[WR_HAWS_SRCS];
    bool control;
    uint32_t rpc_behind;
    uint64_t lanes, lanes_behind;
} wr_haws_issue;

typedef struct wr_haws_unit {
    wr_haws_unit_cfg cfg;

    wr_haws_warp warp_q[WR_HAWS_WARPS];
    bool serve_q, serve_entry_q;
    uint8_t serve_warp_q; /* of the turn before, where nobody has it */
    bool issue_q;
    wr_haws_issue at_issue_q;
    bool fault_q;
} wr_haws_unit;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, or BranchW below
 * OffsetW. */
wr_status wr_haws_unit_init(wr_haws_unit *s, const wr_haws_unit_cfg *cfg);

void wr_haws_unit_reset(wr_haws_unit *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_haws_unit_eval(const wr_haws_unit *s, const wr_haws_unit_in *in, wr_haws_unit_out *out);

/* The clock edge. */
void wr_haws_unit_tick(wr_haws_unit *s, const wr_haws_unit_in *in);

#endif
