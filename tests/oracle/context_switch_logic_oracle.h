/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_switch_logic, from the documents alone (Lin-D 3.6.2, 3.6.5 to 3.6.7,
 * RESOLUTIONS D1 to D25, the block's toml).
 *
 * A switch is a list of steps, written down when it is decided on; a step ends with its answer,
 * All answers are kept, warp by warp, and every output is worked out
 * anew from the step that stands and from them.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_SWITCH_LOGIC_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_SWITCH_LOGIC_ORACLE_H

#include "refmodel/gen/context_switch_logic_pins.h"

enum { WR_ORACLE_CSL_WARPS = 32, WR_ORACLE_CSL_STEPS = 7 * WR_ORACLE_CSL_WARPS + 12 };

enum { WR_ORACLE_LEVEL_OFF, WR_ORACLE_LEVEL_WARP, WR_ORACLE_LEVEL_TB };
enum {
    WR_ORACLE_SWITCH_NONE,
    WR_ORACLE_SWITCH_OUT,
    WR_ORACLE_SWITCH_IN,
    WR_ORACLE_SWITCH_EXCHANGE,
    WR_ORACLE_SWITCH_BACK,
};
enum {
    WR_ORACLE_CSL_IDLE,
    WR_ORACLE_CSL_READ_OUT,
    WR_ORACLE_CSL_READ_IN,
    WR_ORACLE_CSL_ALLOC,
    WR_ORACLE_CSL_ALLOC_L1,
    WR_ORACLE_CSL_MOVE,
    WR_ORACLE_CSL_RD_OUT,
    WR_ORACLE_CSL_RD_IN,
    WR_ORACLE_CSL_WR_OUT,
    WR_ORACLE_CSL_WR_IN,
    WR_ORACLE_CSL_ADDR_OUT,
    WR_ORACLE_CSL_MASK_OUT,
    WR_ORACLE_CSL_ADDR_IN,
    WR_ORACLE_CSL_MASK_IN,
    WR_ORACLE_CSL_FREE,
    WR_ORACLE_CSL_META,
};
enum {
    WR_ORACLE_WARP_RUNNING,
    WR_ORACLE_WARP_STALLED,
    WR_ORACLE_WARP_ABSENT,
    WR_ORACLE_WARP_READY,
};

typedef struct wr_oracle_csl_step {
    unsigned state;
    unsigned warp;   /* of the TB */
    bool in_between; /* a wr_in that another one follows */
} wr_oracle_csl_step;

/* What the tables said of a warp. */
typedef struct wr_oracle_csl_read {
    unsigned reg;
    unsigned meta;
    unsigned slot; /* slot_i that stood with it */
} wr_oracle_csl_read;

typedef struct wr_oracle_csl {
    wr_context_switch_logic_cfg cfg;

    /* the kernel's figures, as of the last cfg that was taken */
    unsigned level;
    unsigned limits;
    unsigned warps;
    unsigned lines;
    unsigned full;
    bool use_l1;

    /* the switch under way */
    unsigned op;
    unsigned leaver; /* id of the unit that leaves or goes back */
    unsigned comer;  /* and of the one that comes in */
    wr_oracle_csl_step step[WR_ORACLE_CSL_STEPS];
    unsigned steps;
    unsigned at;
    wr_oracle_csl_read out[WR_ORACLE_CSL_WARPS];
    wr_oracle_csl_read in[WR_ORACLE_CSL_WARPS];

    /* what holds beyond a switch, and pulses of this cycle */
    unsigned home;
    unsigned away;
    unsigned slot;
    bool in_failed; /* the last alloc of a switch in, and only switches in were begun since */
    bool stalled_pop;
    bool ready_pop;
    bool slot_take;
    bool slot_give;
    bool fault; /* sticky */
} wr_oracle_csl;

/* The parameters stay. */
void wr_oracle_csl_reset(wr_oracle_csl *o);

/* Every output of this cycle; all are functions of what happened before. */
void wr_oracle_csl_output(const wr_oracle_csl *o, wr_context_switch_logic_out *out);

/* One clock edge. */
void wr_oracle_csl_clock(wr_oracle_csl *o, const wr_context_switch_logic_in *in);

#endif
