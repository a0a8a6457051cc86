/* SPDX-License-Identifier: Apache-2.0 */
/* stall_scanner: which warps are to leave their slots, and which to come back.
 *
 *   memory, barrier,  +--------------------+  look_slot
 *   clear, done,  --->| slots, in turn     |------------> slot_id
 *   woken             | mark, woke, TB     |--+
 *                     +--------------------+  |   end, restart,   +------------+
 *                       TBs of them           +-- stall, look --->| one command|--> tab_*
 *                     +--------------------+  +-- wake ---------->| or look    |--> pushes
 *   free, away,   --->| absent warps       |--+                   +------------+
 *   arrive            | TBs, oldest first  |
 *                     +--------------------+------ level TB: group_first --> pushes of TBs
 *
 * A slot is picked from the levels of the machine in one cycle, and what is to be done about it is
 * found anew in the next, when its warp and its TB are known: a level that has fallen by then is
 * not acted upon.
 *
 * Invariants: at level TB a slot is marked exactly while the table says of its warp that it is
 * stalled, and its TB is not on its way out; at level warp only a finished warp's slot is marked.
 * An absent warp is noted from the cycle behind its entry says absent until it is made ready. At
 * level warp one warp at most is stalled.
 *
 * Not modelled: which of the machine's stalls a switch can hide; what the table holds of a warp.
 *
 * Source: Lin-D 3.6.2, 3.6.3, 3.6.5, 3.6.6.
 */
#ifndef WR_REFMODEL_DUET_STALL_SCANNER_H
#define WR_REFMODEL_DUET_STALL_SCANNER_H

#include "refmodel/contract.h"
#include "refmodel/gen/stall_scanner_pins.h"

enum { WR_SCANNER_WARPS = 128, WR_SCANNER_TBS = 32, WR_SCANNER_SLOTS = 64 };

typedef enum wr_scanner_level {
    WR_SCANNER_OFF,
    WR_SCANNER_WARP,
    WR_SCANNER_TB,
} wr_scanner_level;

typedef enum wr_scanner_op { /* of context_switch_logic */
                             WR_SCANNER_NONE,
                             WR_SCANNER_OUT,
                             WR_SCANNER_IN,
                             WR_SCANNER_EXCHANGE,
                             WR_SCANNER_BACK,
} wr_scanner_op;

typedef struct wr_stall_scanner {
    wr_stall_scanner_cfg cfg;

    uint8_t level_q;
    uint8_t warps_q;
    bool run_q;

    /* slots */
    uint64_t mark_q, woke_q;
    uint8_t tb_q[WR_SCANNER_SLOTS];
    bool pick_q, sure_q; /* the slot whose turn it is; its TB has an absent warp */
    uint8_t slot_q, scan_q;

    /* absent warps, and the walk over the TBs */
    bool absent_q[WR_SCANNER_WARPS];
    uint8_t order_q[WR_SCANNER_TBS], count_q, pos_q;
    bool at_valid_q, found_q;
    uint8_t at_tb_q, found_index_q;
    uint16_t at_base_q;

    /* units on their way */
    uint32_t busy_q;
    uint8_t out_slot_q, out_tb_q, in_tb_q;
    bool held_q, out_popped_q, in_popped_q;
    bool vacate_q;
    uint8_t vacate_id_q, vacate_slot_q;
    bool claim_q; /* of the cycle before */
    uint8_t claim_slot_q, claim_id_q;

    bool fault_q;
} wr_stall_scanner;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_stall_scanner_init(wr_stall_scanner *s, const wr_stall_scanner_cfg *cfg);

void wr_stall_scanner_reset(wr_stall_scanner *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_stall_scanner_eval(const wr_stall_scanner *s, const wr_stall_scanner_in *in,
                           wr_stall_scanner_out *out);

/* The clock edge. */
void wr_stall_scanner_tick(wr_stall_scanner *s, const wr_stall_scanner_in *in);

/* n ticks with these inputs. */
void wr_stall_scanner_skip(wr_stall_scanner *s, const wr_stall_scanner_in *in, uint64_t n);

/* Ticks with these inputs held that leave every output as it is; UINT64_MAX: never ends. */
uint64_t wr_stall_scanner_quiet(const wr_stall_scanner *s, const wr_stall_scanner_in *in);

#endif
