/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of result_collection_unit, from the documents alone (Gong 5.3.3, 5.3.4, Fig. 5.6 to
 * 5.8, RESOLUTIONS H4, H5, H9 to H13, the block's toml): a list of instructions, the oldest first,
 * each with the number that it was given. */
#ifndef WR_TESTS_ORACLE_RESULT_COLLECTION_UNIT_ORACLE_H
#define WR_TESTS_ORACLE_RESULT_COLLECTION_UNIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_RCU_DEPTH = 16, WR_ORACLE_RCU_SRCS = 4 };

typedef enum wr_oracle_rcu_action {
    WR_ORACLE_RCU_NORMAL,
    WR_ORACLE_RCU_WAIT,
    WR_ORACLE_RCU_SKIP,
    WR_ORACLE_RCU_COPY,
    WR_ORACLE_RCU_BRANCH,
} wr_oracle_rcu_action;

typedef struct wr_oracle_rcu_entry {
    unsigned number;
    int offset; /* from the stall point */
    unsigned dst;
    unsigned renamed;
    bool control;
    bool ready;
} wr_oracle_rcu_entry;

typedef struct wr_oracle_rcu {
    unsigned depth;
    unsigned srcs;
    unsigned held;
    wr_oracle_rcu_entry list[WR_ORACLE_RCU_DEPTH];
    unsigned next; /* number of the next instruction */
    bool fault;
} wr_oracle_rcu;

typedef struct wr_oracle_rcu_in {
    bool clear;
    bool hint;
    bool alloc;
    wr_oracle_rcu_entry with; /* number and ready mean nothing */
    bool src_used[WR_ORACLE_RCU_SRCS];
    unsigned src[WR_ORACLE_RCU_SRCS];
    bool done;
    unsigned done_id;
    bool fetch;
    uint32_t pc;
    uint32_t base;
} wr_oracle_rcu_in;

/* Whether a source of the instruction to be issued is not there yet. */
bool wr_oracle_rcu_dep(const wr_oracle_rcu *o, const wr_oracle_rcu_in *in);

wr_oracle_rcu_action wr_oracle_rcu_act(const wr_oracle_rcu *o, const wr_oracle_rcu_in *in);

void wr_oracle_rcu_clock(wr_oracle_rcu *o, const wr_oracle_rcu_in *in);

#endif
