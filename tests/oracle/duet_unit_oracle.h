/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of duet_unit, from its toml and the pages of its parts alone (Lin-D 3.6.1 to 3.6.6):
 * the oracles of the nine parts, joined as the toml joins them. It includes nothing of the models
 * and shares no code with them.
 *
 * A cycle is a letter to each part and its answer. They are written in an order in which every
 * letter needs only answers that are there; a part whose answer depends on a later one is asked
 * again. */
#ifndef WR_TESTS_ORACLE_DUET_UNIT_ORACLE_H
#define WR_TESTS_ORACLE_DUET_UNIT_ORACLE_H

#include "refmodel/gen/duet_unit_pins.h"
#include "tests/oracle/context_switch_logic_oracle.h"
#include "tests/oracle/me_controller_oracle.h"
#include "tests/oracle/onchip_bitmap_oracle.h"
#include "tests/oracle/stall_scanner_oracle.h"
#include "tests/oracle/switch_queues_oracle.h"
#include "tests/oracle/tb_context_table_oracle.h"
#include "tests/oracle/tb_launcher_oracle.h"
#include "tests/oracle/unit_tables_oracle.h"
#include "tests/oracle/warp_context_table_oracle.h"
#include "tests/oracle/warp_slots_oracle.h"

enum {
    WR_ORACLE_UNIT_NATIVE,
    WR_ORACLE_UNIT_TELL,
    WR_ORACLE_UNIT_BOOK,
    WR_ORACLE_UNIT_BOOKING,
    WR_ORACLE_UNIT_RUN,
};

typedef struct wr_oracle_unit {
    wr_duet_unit_cfg cfg;
    wr_oracle_csl csl;
    wr_oracle_me me;
    wr_oracle_bitmap map;
    wr_oracle_queues queues;
    wr_oracle_wct wct;
    wr_oracle_tbct tct;
    wr_oracle_warp_slots slots;
    wr_oracle_launcher launcher;
    wr_oracle_scanner scanner;

    int state;
    bool due;               /* a start that ME has not been told */
    unsigned placed, ended; /* TBs of the dispatcher that ME does not know of */
    bool judged, l1_idle;   /* the verdict that waits */
    int verdict;
    unsigned left_last, came_last; /* units of the last switch */
    bool own_fault;
    bool faulty; /* what shows: own_fault, or a part's */
} wr_oracle_unit;

/* Everything but cfg. */
void wr_oracle_unit_reset(wr_oracle_unit *o);

void wr_oracle_unit_output(const wr_oracle_unit *o, const wr_duet_unit_in *in,
                           wr_duet_unit_out *out);

/* One clock edge. */
void wr_oracle_unit_clock(wr_oracle_unit *o, const wr_duet_unit_in *in);

#endif
