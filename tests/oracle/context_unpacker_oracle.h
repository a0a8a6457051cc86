/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_unpacker, from the documents alone (Lin-P IV.B, IV.C, the block's toml).
 *
 * The patterns of a warp say how many words each live register has; the words of the segments,
 * in order, are dealt out to the live registers, in ascending order. A register stands at the
 * output as soon as its words have arrived; a segment is taken while fewer than two whole
 * registers are held.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_UNPACKER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_UNPACKER_ORACLE_H

#include <stdbool.h>

#include "tests/oracle/context_packer_oracle.h"

typedef struct wr_oracle_unpacker {
    unsigned lanes;
    unsigned seg_words;
    unsigned pag; /* as started, 3 stands as 2 */
    bool fault;   /* sticky */
    unsigned regs;
    wr_oracle_reg reg[WR_ORACLE_REGS]; /* live registers of the warp, ascending, without words */
    unsigned given;                    /* registers that have left */
    unsigned used;                     /* words that have left with them */
    unsigned arrived;                  /* words that have come in */
    uint32_t stream[WR_ORACLE_STREAM + 4 * WR_ORACLE_LANES];
} wr_oracle_unpacker;

void wr_oracle_unpacker_reset(wr_oracle_unpacker *u, unsigned lanes, unsigned seg_words);

bool wr_oracle_unpacker_busy(const wr_oracle_unpacker *u);

/* Whether a register stands at the output; reg gets it. */
bool wr_oracle_unpacker_front(const wr_oracle_unpacker *u, wr_oracle_reg *reg);

/* Whether an offered segment is taken in this cycle. */
bool wr_oracle_unpacker_seg_ready(const wr_oracle_unpacker *u);

/* Words of the warp that have not come in yet. */
unsigned wr_oracle_unpacker_missing(const wr_oracle_unpacker *u);

typedef struct wr_oracle_unpacker_step {
    bool start;
    const uint32_t *pattern_vec;
    unsigned pag;
    bool seg_offered;
    const uint32_t *seg_word;
    bool ready;
} wr_oracle_unpacker_step;

void wr_oracle_unpacker_clock(wr_oracle_unpacker *u, const wr_oracle_unpacker_step *step);

#endif
