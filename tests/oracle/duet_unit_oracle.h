/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of duet_unit, from its toml alone: the oracles of its nine parts, joined as the text
 * on top of the toml joins them, word for word. It shares no code with the model. */
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
#include "tests/oracle/warp_context_table_oracle.h"
#include "tests/oracle/warp_slots_oracle.h"

enum { WR_OU_NATIVE, WR_OU_TELL, WR_OU_BOOK, WR_OU_BOOKING, WR_OU_RUN };

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
    bool start_due;
    unsigned to_launch, to_leave; /* TBs of the dispatcher that ME does not know of */
    bool verdict_waits, l1_idle;
    int verdict;
    unsigned last_out, last_in;
    bool fault;  /* of this block alone */
    bool faulty; /* a fault shows: of this block or of a part */
} wr_oracle_unit;

/* Everything but cfg. */
void wr_oracle_unit_reset(wr_oracle_unit *o);
void wr_oracle_unit_output(const wr_oracle_unit *o, const wr_duet_unit_in *in,
                           wr_duet_unit_out *out);
void wr_oracle_unit_clock(wr_oracle_unit *o, const wr_duet_unit_in *in);

#endif
