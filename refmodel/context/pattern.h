/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a compressed vector register: the arithmetic that the context blocks share.
 *
 * A vector register of `lanes` lanes is cut into G groups of P = 8 << pag lanes (the pattern
 * analysing group, PAG); the last group may be partial, and a group of one lane is uniform.
 *
 *     lanes   0 ........ P-1 | P ....... 2P-1 | ...
 *     words   {base[,stride]}  {base[,stride]}  ...     uniform G, strided 2 G, random lanes
 *
 * Invariants: every lane comes back bit for bit (arithmetic modulo 2^32); words past the count
 * are 0; a uniform group of a strided register stores stride 0.
 * Source: Lin-P III.C, Fig. 10. The papers leave the class of a register with mixed groups
 * open: here it is that of its worst group, random before strided before uniform.
 */
#ifndef WR_REFMODEL_CONTEXT_PATTERN_H
#define WR_REFMODEL_CONTEXT_PATTERN_H

#include <stdint.h>

#include "refmodel/contract.h"

enum {
    WR_CONTEXT_LANES_MIN = 8,
    WR_CONTEXT_LANES_MAX = 64,
    WR_CONTEXT_REGS = 64,     /* register indices of a pattern vector, Lin-P III.B */
    WR_CONTEXT_VEC_WORDS = 4, /* 32-bit words of a pattern vector, Lin-P IV.B */
};

/* Code of a PAG as the blocks take it: 0..2, and the reserved 3 stands for 32 lanes. */
wr_pag wr_pag_of_code(uint32_t code);

/* Groups of a register: ceil(lanes / P). lanes 1..64. */
uint32_t wr_pag_groups(uint32_t lanes, wr_pag pag);

/* Words that a register of this pattern stores: dead 0, uniform G, strided 2 G, random lanes. */
uint32_t wr_pattern_words(wr_pattern pattern, uint32_t lanes, wr_pag pag);

/* Classifies lane[0..lanes-1] and writes its words to word[0..63], unused ones 0. Never dead. */
wr_pattern wr_pattern_compress(uint32_t lanes, wr_pag pag, const uint32_t *lane, uint32_t *word);

/* The inverse: word[] to lane[0..lanes-1]; a dead register reads as poison in every lane. */
void wr_pattern_expand(wr_pattern pattern, uint32_t lanes, wr_pag pag, uint32_t poison,
                       const uint32_t *word, uint32_t *lane);

/* Pattern of register reg (0..63) in a pattern vector: bits 2 reg + 1 : 2 reg, word 0 lowest. */
wr_pattern wr_pattern_get(const uint32_t vec[WR_CONTEXT_VEC_WORDS], uint32_t reg);
void wr_pattern_set(uint32_t vec[WR_CONTEXT_VEC_WORDS], uint32_t reg, wr_pattern pattern);

#endif
