/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the naive oracle of duet_unit, from its toml alone: what the three parts that use the
 * context tables ask of them, as commands of the tables' oracles. */
#ifndef WR_TESTS_ORACLE_UNIT_TABLES_ORACLE_H
#define WR_TESTS_ORACLE_UNIT_TABLES_ORACLE_H

#include "refmodel/gen/context_switch_logic_pins.h"
#include "refmodel/gen/stall_scanner_pins.h"
#include "refmodel/gen/tb_launcher_pins.h"
#include "tests/oracle/tb_context_table_oracle.h"
#include "tests/oracle/warp_context_table_oracle.h"

/* An entry of either table; 0 where there is none, and of a TB state and meta. */
typedef struct wr_oracle_unit_entry {
    bool valid, present, whole;
    unsigned state, reg, meta;
} wr_oracle_unit_entry;

wr_oracle_unit_entry wr_oracle_unit_look(const wr_oracle_wct *wct, const wr_oracle_tbct *tct,
                                         bool of_tb, unsigned id);

/* All 0: none. */
typedef struct wr_oracle_unit_command {
    wr_oracle_wct_command warp;
    wr_oracle_tbct_command tb;
} wr_oracle_unit_command;

/* The command, if any, of who has the tables; n: warps of a TB. */
void wr_oracle_unit_by_csl(const wr_context_switch_logic_out *s, unsigned n,
                           wr_oracle_unit_command *c);
void wr_oracle_unit_by_launcher(const wr_tb_launcher_out *l, unsigned n, wr_oracle_unit_command *c);
void wr_oracle_unit_by_scanner(const wr_stall_scanner_out *s, wr_oracle_unit_command *c);

#endif
