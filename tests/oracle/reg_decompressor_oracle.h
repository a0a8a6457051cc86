/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of reg_decompressor: words back to lanes, from the documents alone
 * (Lin-P III.C: "the first register takes the base value, and every following register adds
 * the stride value to the former one"; a dead register is all poison).
 */
#ifndef WR_TESTS_ORACLE_REG_DECOMPRESSOR_ORACLE_H
#define WR_TESTS_ORACLE_REG_DECOMPRESSOR_ORACLE_H

#include "tests/oracle/reg_compressor_oracle.h"

/* Lanes of a register; word holds at least wr_oracle_word_count(pattern, lanes, pag) words. */
wr_oracle_reg wr_oracle_decompress(unsigned tag, unsigned pattern, const uint32_t *word,
                                   unsigned lanes, unsigned pag, uint32_t poison);

#endif
