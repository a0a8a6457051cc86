/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of tb_context_table, from the documents alone (Lin-D 3.6.6, Fig. 3.11b, RESOLUTIONS
 * D2, D3, the block's toml): a list of TBs, every question answered by going through it. */
#ifndef WR_TESTS_ORACLE_TB_CONTEXT_TABLE_ORACLE_H
#define WR_TESTS_ORACLE_TB_CONTEXT_TABLE_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_TBCT_MAX = 32, WR_ORACLE_TBCT_WARPS = 32 };

typedef enum wr_oracle_tbct_op {
    WR_ORACLE_TBCT_NONE,
    WR_ORACLE_TBCT_INSERT,
    WR_ORACLE_TBCT_REMOVE,
    WR_ORACLE_TBCT_SET,
    WR_ORACLE_TBCT_CLEAR,
    WR_ORACLE_TBCT_MOVE, /* 6 and 7 are no operations */
} wr_oracle_tbct_op;

typedef enum wr_oracle_tbct_kind {
    WR_ORACLE_TBCT_FREE,
    WR_ORACLE_TBCT_WHOLE,
    WR_ORACLE_TBCT_PARTIAL,
    WR_ORACLE_TBCT_SPILLED,
} wr_oracle_tbct_kind;

typedef struct wr_oracle_tbct_entry {
    bool valid;
    bool absent[WR_ORACLE_TBCT_WARPS]; /* by warp of the TB */
    unsigned addr;
} wr_oracle_tbct_entry;

typedef struct wr_oracle_tbct {
    unsigned tbs;
    unsigned tb_warps;
    unsigned smem_base;
    unsigned smem_units;
    wr_oracle_tbct_entry entry[WR_ORACLE_TBCT_MAX];
    bool fault;
} wr_oracle_tbct;

typedef struct wr_oracle_tbct_command {
    unsigned op; /* 0 to 7 */
    unsigned id;
    bool mask[WR_ORACLE_TBCT_WARPS];
    unsigned addr;
} wr_oracle_tbct_command;

/* Entry of a TB; all 0 where there is none. */
wr_oracle_tbct_entry wr_oracle_tbct_look(const wr_oracle_tbct *o, unsigned id);

bool wr_oracle_tbct_present(const wr_oracle_tbct *o, unsigned id);

/* The first TB of this kind from an id on, around the end; -1 where there is none. */
int wr_oracle_tbct_find(const wr_oracle_tbct *o, wr_oracle_tbct_kind kind, unsigned from);

void wr_oracle_tbct_clock(wr_oracle_tbct *o, const wr_oracle_tbct_command *command);

#endif
