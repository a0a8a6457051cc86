/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_packer, from the documents alone (Lin-P IV.B, IV.C, Fig. 12, RESOLUTIONS
 * P13, P25, P26, the block's toml).
 *
 * A warp's registers, in ascending order, are one stream of words; the stream is cut into
 * segments of seg_words; what is left at the flush is the last segment, stored rounded up to
 * pad_words. The stream and the cuts are kept whole here, so the expectation of any cycle is
 * an index into it.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_PACKER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_PACKER_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/oracle/reg_compressor_oracle.h"

enum { WR_ORACLE_STREAM = WR_ORACLE_REGS * WR_ORACLE_LANES };

typedef struct wr_oracle_warp {
    unsigned words;
    uint32_t stream[WR_ORACLE_STREAM];
    uint32_t pattern_vec[4]; /* register r in bits 2r+1:2r, word 0 lowest */
} wr_oracle_warp;

/* Appends one register's words and notes its pattern. */
void wr_oracle_warp_add(wr_oracle_warp *w, const wr_oracle_reg *reg);

/* Pattern of register r in a pattern vector. */
unsigned wr_oracle_pattern_of(const uint32_t *pattern_vec, unsigned r);

/* The bytes of words in memory, little endian; returns how many were written (4 n). */
size_t wr_oracle_bytes(const uint32_t *word, size_t n, uint8_t *bytes);

typedef struct wr_oracle_segment {
    bool valid;
    bool last;
    unsigned count; /* words to store */
    uint32_t word[WR_ORACLE_LANES];
} wr_oracle_segment;

/* The packer as a warp passes through it. */
typedef struct wr_oracle_packer {
    unsigned lanes;
    unsigned seg_words;
    unsigned pad_words;
    bool open; /* from start to the taken flush */
    bool flushed;
    bool unmarked;  /* the full segment at the output stood there when the flush came */
    bool fault;     /* sticky */
    unsigned taken; /* words that have left */
    int last_tag;   /* of this warp, -1 before the first */
    wr_oracle_warp warp;
} wr_oracle_packer;

void wr_oracle_packer_reset(wr_oracle_packer *p, unsigned lanes, unsigned seg_words,
                            unsigned pad_words);

/* Words that have been taken in and have not left. */
unsigned wr_oracle_packer_held(const wr_oracle_packer *p);

wr_oracle_segment wr_oracle_packer_segment(const wr_oracle_packer *p);

bool wr_oracle_packer_done(const wr_oracle_packer *p);

/* What happens in one cycle; reg and flush were taken (offered and ready). A start drops both. */
typedef struct wr_oracle_packer_step {
    bool start;
    const wr_oracle_reg *reg; /* NULL: none taken; its count is the count pin */
    bool flush;
    bool seg_ready;
} wr_oracle_packer_step;

void wr_oracle_packer_clock(wr_oracle_packer *p, const wr_oracle_packer_step *step);

#endif
