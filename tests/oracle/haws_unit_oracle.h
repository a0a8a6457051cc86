/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of haws_unit, from the documents alone (Gong 5.3.1 to 5.3.4, Fig. 5.4, 5.6 to 5.8,
 * the block's page and toml, the encoding of hint_decoder): for each warp a list of instructions,
 * the oldest first, each with the number of its entry; a cycle goes through the page's paragraphs
 * one after the other. Each looks at a copy of the state at the start of the cycle. */
#ifndef WR_TESTS_ORACLE_HAWS_UNIT_ORACLE_H
#define WR_TESTS_ORACLE_HAWS_UNIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_HAWS_WARPS = 64, WR_ORACLE_HAWS_ENTRIES = 8, WR_ORACLE_HAWS_SRCS = 4 };

typedef struct wr_oracle_haws_params {
    unsigned warps;
    unsigned entries;
    unsigned srcs;
    unsigned offset_w;
    unsigned branch_w;
    unsigned special_base; /* destination codes from here up are no registers */
    unsigned lanes;
} wr_oracle_haws_params;

typedef enum wr_oracle_haws_mode {
    WR_ORACLE_HAWS_IN_ORDER,
    WR_ORACLE_HAWS_HINT,
    WR_ORACLE_HAWS_WAIT,
} wr_oracle_haws_mode;

typedef enum wr_oracle_haws_action {
    WR_ORACLE_HAWS_DO_NORMAL,
    WR_ORACLE_HAWS_DO_WAIT,
    WR_ORACLE_HAWS_DO_SKIP,
    WR_ORACLE_HAWS_DO_COPY,
    WR_ORACLE_HAWS_DO_BRANCH,
} wr_oracle_haws_action;

typedef struct wr_oracle_haws_entry {
    unsigned number; /* its place in the ring */
    int64_t offset;  /* from the stall point */
    unsigned dst;
    unsigned renamed;
    bool control;
    bool ready;
} wr_oracle_haws_entry;

typedef struct wr_oracle_haws_warp {
    wr_oracle_haws_mode mode;
    bool seen;
    uint64_t base;
    int64_t offset; /* of the chain's next instruction, from base */
    uint64_t lanes;
    uint64_t rpc;
    unsigned held;
    wr_oracle_haws_entry list[WR_ORACLE_HAWS_ENTRIES];
    unsigned next; /* number of the next entry */
} wr_oracle_haws_warp;

/* Where a chain goes on behind an instruction, and with what. */
typedef struct wr_oracle_haws_way {
    bool ends;
    int64_t offset;
    uint64_t lanes;
    uint64_t rpc;
} wr_oracle_haws_way;

typedef struct wr_oracle_haws_issue {
    bool there;
    unsigned warp;
    int64_t offset; /* its own */
    unsigned dst;
    unsigned renamed;
    bool control;
    unsigned src[WR_ORACLE_HAWS_SRCS];
    wr_oracle_haws_way behind;
} wr_oracle_haws_issue;

typedef struct wr_oracle_haws {
    wr_oracle_haws_params is;
    wr_oracle_haws_warp warp[WR_ORACLE_HAWS_WARPS];
    bool serve;
    bool serve_entry;
    unsigned serve_warp;
    wr_oracle_haws_issue issue;
    bool fault;
} wr_oracle_haws;

typedef struct wr_oracle_haws_in {
    bool stalled[WR_ORACLE_HAWS_WARPS];
    bool decode;
    uint32_t pc;
    uint32_t hint;
    bool branch;
    unsigned dst;
    bool src_used[WR_ORACLE_HAWS_SRCS];
    unsigned src[WR_ORACLE_HAWS_SRCS];
    uint64_t mask;
    uint32_t target;
    uint32_t rpc;
    bool take;
    bool done;
    unsigned done_warp;
    unsigned done_id;
    bool check;
    unsigned check_warp;
    uint32_t check_pc;
    bool clear;
    unsigned clear_warp;
} wr_oracle_haws_in;

/* Of warps and sources that are not there all is 0. */
typedef struct wr_oracle_haws_out {
    bool serve;
    unsigned serve_warp;
    bool serve_entry; /* 0 without serve */
    uint32_t serve_pc;
    bool issue;
    unsigned issue_warp;
    uint32_t issue_pc;
    uint64_t issue_lanes;
    unsigned issue_dst;
    unsigned issue_renamed;
    unsigned issue_src[WR_ORACLE_HAWS_SRCS];
    bool issue_control;
    unsigned issue_id;
    wr_oracle_haws_action action;
    unsigned copy_from;
    unsigned copy_to;
    bool hint[WR_ORACLE_HAWS_WARPS];
    bool holds[WR_ORACLE_HAWS_WARPS];
    bool fault;
} wr_oracle_haws_out;

/* Reset. */
void wr_oracle_haws_start(wr_oracle_haws *o, const wr_oracle_haws_params *params);

/* The outputs of this cycle; of the inputs check_warp and check_pc alone are looked at. */
void wr_oracle_haws_look(const wr_oracle_haws *o, const wr_oracle_haws_in *in,
                         wr_oracle_haws_out *out);

/* The edge that ends this cycle. */
void wr_oracle_haws_clock(wr_oracle_haws *o, const wr_oracle_haws_in *in);

#endif
