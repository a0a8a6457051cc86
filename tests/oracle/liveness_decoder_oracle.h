/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of liveness_decoder, from the documents alone (Lin-P IV.A, RESOLUTIONS P18, P24,
 * the block's toml): which registers a preemption instruction names.
 *
 * Word: opcode in [63:54], vector in [53:0]. Bit i of the vector is register i for i <= 52;
 * bit 53 is every allocated register from 53 up. A diverged pp takes the vector of its dummy;
 * where the word behind it is no dummy, that is a fault, and its own vector counts as for "all
 * else" in the toml.
 */
#ifndef WR_TESTS_ORACLE_LIVENESS_DECODER_ORACLE_H
#define WR_TESTS_ORACLE_LIVENESS_DECODER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_oracle_live_cfg {
    unsigned regs;
    unsigned op_pp;
    unsigned op_bar_pp;
    unsigned op_dummy;
} wr_oracle_live_cfg;

typedef struct wr_oracle_live {
    bool is_pp;
    bool is_bar;
    uint64_t mask; /* bit r: register r is live */
    bool fault;
} wr_oracle_live;

wr_oracle_live wr_oracle_decode(const wr_oracle_live_cfg *cfg, uint64_t word, uint64_t next,
                                bool diverged, unsigned alloc);

/* The walk and the pins around it, cycle by cycle. */
typedef struct wr_oracle_walk {
    bool decoded;
    bool is_pp;
    bool is_bar;
    uint64_t mask;
    uint64_t left; /* registers not yet taken */
    bool fault;
} wr_oracle_walk;

/* Lowest register in set, which is not empty. */
unsigned wr_oracle_lowest(uint64_t set);

/* One clock edge; result: what a start in this cycle decodes to. */
void wr_oracle_walk_step(wr_oracle_walk *w, bool start, const wr_oracle_live *result, bool ready);

#endif
