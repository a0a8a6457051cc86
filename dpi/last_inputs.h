/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the last cycles up to a mismatch, as a reader wants them: pins that are not 0, and
 * those that have become 0. Of an array all elements, and how many in a row are alike.
 *
 *      16  op=alloc id=0x3
 *      17  op=lookup id=0 lane=0x7*4,0,0x9,...
 *   >  18  ready=1 lane=0*8
 *
 * They are copied out of the checker, so that they outlive it and the process that it runs in.
 */
#ifndef WR_DPI_LAST_INPUTS_H
#define WR_DPI_LAST_INPUTS_H

#include "dpi/checker.h"

enum {
    WR_LAST_CYCLES = 8,       /* unless said otherwise */
    WR_LAST_CYCLES_MOST = 64, /* kept at most */
    WR_LAST_LINE = 120,       /* most characters of a line; the rest of the pins are counted */
    WR_LAST_ARRAY = 24,       /* of an array in it, about */
};

typedef struct wr_last_inputs {
    uint32_t count;                      /* cycles */
    bool from_reset;                     /* the first is the first one behind a reset */
    uint64_t cycle[WR_LAST_CYCLES_MOST]; /* ascending; the last is the one that failed */
    uint32_t in[WR_LAST_CYCLES_MOST + 1][WR_MAX_WORDS]; /* packed; in[0] is the cycle before */
} wr_last_inputs;

/* Up to `cycles` ones, none from before the last reset, up to the first mismatch, or where there is
 * none up to the last cycle. */
void wr_last_inputs_take(wr_last_inputs *last, const wr_checker *c, uint32_t cycles);

/* The line of one of them, without its end. */
void wr_last_inputs_line(const wr_last_inputs *last, uint32_t index, const wr_block_desc *block,
                         const void *cfg, char line[WR_LAST_LINE + 1]);

/* What a value of a pin is called: its code's name, or 0x and digits; 0 and 1 are just that. */
void wr_pin_text(const wr_pin_desc *pin, uint64_t value, char *text, size_t size);

#endif
