/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of warp_context_table, from the documents alone (Lin-D 3.6.5, 3.6.6, Fig. 3.9 and
 * 3.11a, RESOLUTIONS D3, D4, the block's toml): a list of warps, every question answered by going
 * through it. */
#ifndef WR_TESTS_ORACLE_WARP_CONTEXT_TABLE_ORACLE_H
#define WR_TESTS_ORACLE_WARP_CONTEXT_TABLE_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_WCT_MAX = 128 };

typedef enum wr_oracle_warp_state {
    WR_ORACLE_RUNNING,
    WR_ORACLE_STALLED,
    WR_ORACLE_ABSENT,
    WR_ORACLE_READY,
} wr_oracle_warp_state;

typedef enum wr_oracle_wct_op {
    WR_ORACLE_WCT_NONE,
    WR_ORACLE_WCT_INSERT,
    WR_ORACLE_WCT_UPDATE,
    WR_ORACLE_WCT_REMOVE,
} wr_oracle_wct_op;

typedef struct wr_oracle_wct_entry {
    bool valid;
    wr_oracle_warp_state state;
    bool barrier;
    unsigned reg_addr;
    unsigned meta_addr;
} wr_oracle_wct_entry;

typedef struct wr_oracle_wct {
    unsigned warps;
    unsigned reg_units;
    unsigned slots;
    wr_oracle_wct_entry entry[WR_ORACLE_WCT_MAX];
    bool fault;
} wr_oracle_wct;

typedef struct wr_oracle_wct_command {
    wr_oracle_wct_op op;
    unsigned id;
    unsigned fields; /* bits: state, reg_addr, meta_addr, barrier */
    wr_oracle_wct_entry with;
} wr_oracle_wct_command;

typedef struct wr_oracle_wct_group {
    bool any;
    bool stalled;
    bool ready;
} wr_oracle_wct_group;

/* Entry of a warp; all 0 where there is none. */
wr_oracle_wct_entry wr_oracle_wct_look(const wr_oracle_wct *o, unsigned id);

bool wr_oracle_wct_present(const wr_oracle_wct *o, unsigned id);

/* The first valid warp in this state from an id on, around the end; -1 where there is none. */
int wr_oracle_wct_find(const wr_oracle_wct *o, wr_oracle_warp_state state, unsigned from);

wr_oracle_wct_group wr_oracle_wct_judge(const wr_oracle_wct *o, unsigned first, unsigned count);

void wr_oracle_wct_clock(wr_oracle_wct *o, const wr_oracle_wct_command *command);

#endif
