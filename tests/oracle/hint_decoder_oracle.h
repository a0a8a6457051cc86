/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of hint_decoder, from the documents alone (Gong 5.3.1, 5.3.3, 5.3.4, Fig. 5.4,
 * RESOLUTIONS H3, H4, H7, H11, H15, the block's toml): a hint is spelled out into its fields, one
 * list of what can happen in a cycle is gone through from the top. */
#ifndef WR_TESTS_ORACLE_HINT_DECODER_ORACLE_H
#define WR_TESTS_ORACLE_HINT_DECODER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum wr_oracle_hint_mode {
    WR_ORACLE_HINT_IN_ORDER,
    WR_ORACLE_HINT_CHAIN,
    WR_ORACLE_HINT_WAIT,
} wr_oracle_hint_mode;

/* An instruction between decode and issue. */
typedef struct wr_oracle_hint_issue {
    bool there;
    int offset; /* from the stall point */
    unsigned dst;
    unsigned renamed;
    bool control;
    int taken_offset;
    int not_taken_offset;
} wr_oracle_hint_issue;

typedef struct wr_oracle_hints {
    unsigned offset_bits;
    unsigned branch_bits;
    unsigned special; /* destination codes from here up are no registers */
    wr_oracle_hint_mode mode;
    uint32_t base;
    int next; /* distance of the chain's next instruction */
    wr_oracle_hint_issue issue;
    bool fault;
} wr_oracle_hints;

typedef struct wr_oracle_hints_in {
    bool stall;
    bool resume;
    bool redirect;
    bool valid;
    uint32_t pc;
    uint32_t hint;
    bool branch;
    bool taken;
    bool not_taken;
    unsigned dst;
    bool rcu_empty;
    bool rcu_full;
    bool take;
} wr_oracle_hints_in;

bool wr_oracle_hints_ready(const wr_oracle_hints *o, const wr_oracle_hints_in *in);

uint32_t wr_oracle_hints_fetch_pc(const wr_oracle_hints *o);

void wr_oracle_hints_clock(wr_oracle_hints *o, const wr_oracle_hints_in *in);

#endif
