/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: GPUDuet's control of one SM: the blocks that know where everybody lies, those that
 * decide, and what joins them.
 *
 *   machine: memory, barrier, done, free ...      start, placed, ended, verdicts
 *        |                                              |
 *   +---------------+  pushes  +---------------+   +----------+  allow  +---------------+
 *   | stall_scanner |--------->| switch_queues |   | me_contr.|-------->| tb_launcher   |--> place
 *   +---------------+          +---------------+   +----------+         +---------------+    enter
 *     |   hold -->                heads |                                 |   |      |       left
 *     |              +----------------------+   mem                       |   |      v
 *     |              | context_switch_logic |-----------------------------|---|-> onchip_bitmap
 *     |              +----------------------+                             |   |
 *     |                 | first              claim, give, pass --> warp_slots
 *     | third, behind   v                                                 | second
 *     '--------> warp_context_table, tb_context_table <-------------------'
 *                one command or look a cycle
 *
 * Who places TBs is state_q: the dispatcher (native), until the machine hands over; then what is
 * there goes into the tables (book, booking), and from then on the launcher does (run).
 *
 * Invariants: the bitmap has one user, the launcher; no part is asked for two things in a cycle; in
 * state native tables, bitmap and slots are empty.
 *
 * Not modelled: what moves contexts, and loads that come for absent warps (gpuduet joins both to
 * it); registers, shared memory and stacks themselves.
 *
 * Source: Lin-D 3.6.1 to 3.6.6, Fig. 3.8 to 3.11.
 */
#ifndef WR_REFMODEL_DUET_DUET_UNIT_H
#define WR_REFMODEL_DUET_DUET_UNIT_H

#include "refmodel/contract.h"
#include "refmodel/duet/context_switch_logic.h"
#include "refmodel/duet/me_controller.h"
#include "refmodel/duet/onchip_bitmap.h"
#include "refmodel/duet/stall_scanner.h"
#include "refmodel/duet/switch_queues.h"
#include "refmodel/duet/tb_context_table.h"
#include "refmodel/duet/tb_launcher.h"
#include "refmodel/duet/warp_context_table.h"
#include "refmodel/duet/warp_slots.h"
#include "refmodel/gen/duet_unit_pins.h"

typedef enum wr_duet_unit_state {
    WR_DUET_UNIT_NATIVE,
    WR_DUET_UNIT_TELL,
    WR_DUET_UNIT_BOOK,
    WR_DUET_UNIT_BOOKING,
    WR_DUET_UNIT_RUN,
} wr_duet_unit_state;

typedef enum wr_duet_unit_kind { /* of a TB that is placed */
                                 WR_DUET_UNIT_PLACE_NATIVE,
                                 WR_DUET_UNIT_PLACE_EXTRA,
                                 WR_DUET_UNIT_PLACE_HANDED,
} wr_duet_unit_kind;

typedef struct wr_duet_unit {
    wr_duet_unit_cfg cfg;

    uint8_t state_q; /* wr_duet_unit_state */
    bool due_q;      /* a start that ME has not been told */
    uint8_t launches_q, leaves_q;
    bool valid_q, l1_idle_q; /* the verdict that waits */
    uint8_t verdict_q;
    uint8_t out_id_q, in_id_q;
    bool fault_q; /* of this block alone */

    wr_context_switch_logic csl;
    wr_me_controller me;
    wr_onchip_bitmap map;
    wr_switch_queues queues;
    wr_warp_context_table wct;
    wr_tb_context_table tct;
    wr_warp_slots slots;
    wr_tb_launcher launcher;
    wr_stall_scanner scanner;
} wr_duet_unit;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range, Warps is below
 * Slots, or the regions are not multiples of 8 or above 3,072 in all. */
wr_status wr_duet_unit_init(wr_duet_unit *s, const wr_duet_unit_cfg *cfg);

void wr_duet_unit_reset(wr_duet_unit *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_duet_unit_eval(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_duet_unit_out *out);

/* The clock edge. */
void wr_duet_unit_tick(wr_duet_unit *s, const wr_duet_unit_in *in);

/* n ticks with these inputs held. */
void wr_duet_unit_skip(wr_duet_unit *s, const wr_duet_unit_in *in, uint64_t n);

/* How many ticks with these inputs leave every output as it is. */
uint64_t wr_duet_unit_quiet(const wr_duet_unit *s, const wr_duet_unit_in *in);

#endif
