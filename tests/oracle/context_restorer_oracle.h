/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_restorer, from its toml and the documents alone (Lin-P III.C, IV.B,
 * IV.C): the oracles of its parts, joined as the toml joins them.
 *
 * The unpacker says which live register comes next and when its words are there; between them the
 * dead ones below the allocated count are put in.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_RESTORER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_RESTORER_ORACLE_H

#include "tests/oracle/context_unpacker_oracle.h"
#include "tests/oracle/pipe_oracle.h"

typedef struct wr_oracle_restorer {
    unsigned lanes;
    unsigned regs;
    uint32_t poison;
    wr_oracle_unpacker unpacker;
    bool waiting; /* a register whose turn has come stands before the pipeline */
    wr_oracle_reg turn;
    wr_oracle_pipe pipe; /* stage[1]: the register at the register file */
    unsigned next;       /* lowest register whose turn has not come */
    unsigned alloc;
    bool fault; /* sticky */
} wr_oracle_restorer;

void wr_oracle_restorer_reset(wr_oracle_restorer *r, unsigned lanes, unsigned seg_words,
                              unsigned regs, uint32_t poison);

bool wr_oracle_restorer_busy(const wr_oracle_restorer *r);

/* The pins of one cycle. */
typedef struct wr_oracle_restorer_step {
    bool start;
    const uint32_t *pattern_vec;
    unsigned pag;
    unsigned alloc;
    bool seg_offered;
    const uint32_t *seg_word;
    bool granted;
} wr_oracle_restorer_step;

void wr_oracle_restorer_clock(wr_oracle_restorer *r, const wr_oracle_restorer_step *step);

#endif
