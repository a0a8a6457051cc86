/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_saver, from its toml and the documents alone (Lin-P IV.A to IV.C): the
 * oracles of its parts, joined as the toml joins them.
 *
 * Every function answers for one cycle from what has happened before it; a cycle ends with a clock.
 * One number comes from context_packer's page: a register is taken while fewer than seg_words +
 * lanes words are held.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_SAVER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_SAVER_ORACLE_H

#include "tests/oracle/context_packer_oracle.h"
#include "tests/oracle/liveness_decoder_oracle.h"
#include "tests/oracle/pipe_oracle.h"

typedef struct wr_oracle_saver {
    unsigned lanes;
    wr_oracle_live_cfg live;
    bool begun; /* a warp has been accepted since reset */
    wr_oracle_walk walk;
    bool pending; /* lanes of a granted register are due */
    unsigned tag; /* granted last */
    unsigned pag;
    wr_oracle_pipe pipe;
    wr_oracle_packer packer;
    bool fault; /* sticky */
} wr_oracle_saver;

void wr_oracle_saver_reset(wr_oracle_saver *s, unsigned lanes, unsigned seg_words,
                           unsigned pad_words, const wr_oracle_live_cfg *live);

bool wr_oracle_saver_done(const wr_oracle_saver *s);
bool wr_oracle_saver_busy(const wr_oracle_saver *s);

/* Whether a register is wanted; index gets its number, 0 where none is. */
bool wr_oracle_saver_wants(const wr_oracle_saver *s, unsigned *index);

/* Whether the compressor takes the lanes of this cycle. */
bool wr_oracle_saver_takes_lanes(const wr_oracle_saver *s);

/* The pins of one cycle. */
typedef struct wr_oracle_saver_step {
    bool start;
    uint64_t word;
    uint64_t next;
    bool diverged;
    unsigned alloc;
    unsigned pag;
    bool granted;
    const uint32_t *lane;
    bool seg_ready;
} wr_oracle_saver_step;

void wr_oracle_saver_clock(wr_oracle_saver *s, const wr_oracle_saver_step *step);

#endif
