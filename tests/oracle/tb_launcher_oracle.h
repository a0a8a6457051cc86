/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of tb_launcher, from its page alone: a pile of steps that are still to be done, the
 * next one on top. A job lays down all of its steps at once; what an answer adds is laid on top,
 * what it makes needless is taken off. It shares no code with the model. */
#ifndef WR_TESTS_ORACLE_TB_LAUNCHER_ORACLE_H
#define WR_TESTS_ORACLE_TB_LAUNCHER_ORACLE_H

#include "refmodel/gen/tb_launcher_pins.h"

/* Numbers of the page. */
enum wr_oracle_launcher_step {
    WR_OL_IDLE,
    WR_OL_SETUP,
    WR_OL_SMEM,
    WR_OL_ADD_TB,
    WR_OL_REGS,
    WR_OL_AWAY,
    WR_OL_ADD_WARP,
    WR_OL_PLACE,
    WR_OL_LEAVE,
    WR_OL_LAUNCH,
    WR_OL_LOOK,
    WR_OL_TELL,
    WR_OL_CHECK,
    WR_OL_CHECK_TB,
    WR_OL_READ,
    WR_OL_DROP,
    WR_OL_FREE_REGS,
    WR_OL_FREE_AWAY,
    WR_OL_READ_TB,
    WR_OL_DROP_TB,
    WR_OL_FREE_SMEM,
};
enum wr_oracle_launcher_job {
    WR_OL_NONE,
    WR_OL_BOOK,
    WR_OL_UNBOOK,
    WR_OL_NATIVE,
    WR_OL_EXTRA,
    WR_OL_HANDED,
    WR_OL_CLEAR,
    WR_OL_UNDO,
    WR_OL_VACATE,
};

typedef struct wr_oracle_launcher_task {
    int step;
    unsigned of; /* setup: its TB; else the warp of the TB, 0 where there is none */
} wr_oracle_launcher_task;

typedef struct wr_oracle_launcher {
    wr_tb_launcher_cfg cfg;
    wr_tb_launcher_in figures; /* those of the last cfg; level 0 where it was refused */
    int job;
    wr_oracle_launcher_task pile[256];
    unsigned height;
    unsigned tb, number; /* number: of the warp, as last said in setup, or vacate_id */
    unsigned smem, row, meta;
    bool here, spilled, again; /* again: this is the second try, not in the L1 */
    bool running;
    bool ended[32];
    bool no_launch, no_native, no_in;
    int asked; /* who has asked the bitmap: 0 nobody, 1 the switch logic, 2 this block */
    bool fault;
} wr_oracle_launcher;

void wr_oracle_launcher_reset(wr_oracle_launcher *o);
void wr_oracle_launcher_output(const wr_oracle_launcher *o, const wr_tb_launcher_in *in,
                               wr_tb_launcher_out *out);
void wr_oracle_launcher_clock(wr_oracle_launcher *o, const wr_tb_launcher_in *in);

#endif
