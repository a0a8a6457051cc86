/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of simt_stack, from the documents alone (Gong 5.3.3, 5.3.6, the block's toml): a
 * list of paths, the last one running. A split is tried on a copy that has room for whatever comes,
 * and the copy is taken over where it fits.
 */
#ifndef WR_TESTS_ORACLE_SIMT_STACK_ORACLE_H
#define WR_TESTS_ORACLE_SIMT_STACK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_SIMT_ROOM = 18 };

typedef struct wr_oracle_path {
    uint32_t pc;
    uint32_t rpc;
    uint64_t mask;
} wr_oracle_path;

typedef struct wr_oracle_simt_in {
    unsigned op; /* 0 idle, 1 clear, 2 load, 3 step, 4 branch */
    uint32_t pc;
    uint32_t alt_pc;
    uint32_t rpc;
    uint64_t mask;
} wr_oracle_simt_in;

typedef struct wr_oracle_simt {
    unsigned entries;
    unsigned lanes;
    unsigned depth;
    wr_oracle_path path[WR_ORACLE_SIMT_ROOM];
    bool overflow;
    bool fault;
} wr_oracle_simt;

void wr_oracle_simt_reset(wr_oracle_simt *s, unsigned entries, unsigned lanes);

/* The path that runs; all 0 where there is none. */
wr_oracle_path wr_oracle_simt_top(const wr_oracle_simt *s);

/* One clock edge. */
void wr_oracle_simt_step(wr_oracle_simt *s, const wr_oracle_simt_in *in);

#endif
