/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of reg_compressor: what one vector register becomes, written from the documents
 * alone (Lin-P III.C, Fig. 10, and the block's toml), in the plainest way.
 *
 * Differences are taken in 64 bits and reduced modulo 2^32 by a division, lane by lane; nothing
 * is shared with the model, so that a misreading on one side shows as a difference.
 */
#ifndef WR_TESTS_ORACLE_REG_COMPRESSOR_ORACLE_H
#define WR_TESTS_ORACLE_REG_COMPRESSOR_ORACLE_H

#include <stdint.h>

enum { WR_ORACLE_LANES = 64, WR_ORACLE_REGS = 64 };

/* Pattern codes, {a,b} of Fig. 10 with 00 for dead. */
enum {
    WR_ORACLE_DEAD = 0,
    WR_ORACLE_UNIFORM = 1,
    WR_ORACLE_RANDOM = 2,
    WR_ORACLE_STRIDED = 3,
};

/* One register at a block's output. value: words (compressed, count of them) or lanes. */
typedef struct wr_oracle_reg {
    unsigned tag;
    unsigned pattern;
    unsigned count;
    uint32_t value[WR_ORACLE_LANES];
} wr_oracle_reg;

/* Lanes of one group for a pag code: 8, 16, 32; the reserved code 3 counts as 32. */
unsigned wr_oracle_group_lanes(unsigned pag);

/* Groups of a register of so many lanes; the last may be partial. */
unsigned wr_oracle_groups(unsigned lanes, unsigned pag);

/* {a,b} of the n values of one group: a = first difference not 0, b = all differences equal.
 * A group of one value is uniform. */
unsigned wr_oracle_group_code(const uint32_t *value, unsigned n);

/* Words that a register of this pattern takes. */
unsigned wr_oracle_word_count(unsigned pattern, unsigned lanes, unsigned pag);

/* The compressed register. */
wr_oracle_reg wr_oracle_compress(unsigned tag, const uint32_t *lane, unsigned lanes, unsigned pag);

#endif
