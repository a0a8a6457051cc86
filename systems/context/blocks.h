/* SPDX-License-Identifier: Apache-2.0 */
/* What the save and the restore path share: the answer of a path's step, what a pattern vector
 * says, and the message for a pin that contradicts it.
 */
#ifndef WR_SYSTEMS_CONTEXT_BLOCKS_H
#define WR_SYSTEMS_CONTEXT_BLOCKS_H

#include "dpi/port.h"
#include "refmodel/context/tb_compressor.h"

#include <stddef.h>

#define WR_CONTEXT_POISON 0xdeadbeefu /* what stands in registers and memory without a value */

enum { WR_CONTEXT_PATTERN_REGS = 64 }; /* registers that a pattern vector has room for */

typedef enum wr_path_status { WR_PATH_BUSY, WR_PATH_DONE, WR_PATH_FAULT } wr_path_status;

/* Lanes per group of the pattern analysis: the x dimension of the TB where it is 8 or 16, else
 * 32 (Lin-P III.C, P9). */
static inline wr_pag wr_context_pag(uint32_t block_x)
{
    return block_x == 8 ? WR_PAG_8 : block_x == 16 ? WR_PAG_16 : WR_PAG_32;
}

/* Registers that a pattern vector names, and the data words that they take. */
typedef struct wr_pattern_count {
    uint32_t live, uniform, strided, random;
    uint32_t words;
    uint32_t top; /* one above the highest live register; 0: none is live */
} wr_pattern_count;
wr_pattern_count wr_context_count(const uint32_t pattern[4], wr_pag pag, uint32_t lanes);

/* The class of a register over a whole TB (wr_tb_class, refmodel/context/tb_compressor.h), as the
 * format has it, and the words that a TB of so many warps stores of it. */
enum { WR_TB_CLASSES = 7 };
bool wr_context_class_ok(uint32_t class); /* a code that the format has */
uint32_t wr_context_class_words(uint32_t class, uint32_t warps, wr_pag pag, uint32_t lanes);

/* A pin that contradicts what went in: hardware behind the rtl backend may be wrong. The answer
 * is WR_PATH_FAULT. */
wr_path_status wr_context_wrong_pin(const wr_port *port, const char *pin, const char *expected,
                                    uint32_t value, uint32_t got, char *text, size_t text_size);

#endif
