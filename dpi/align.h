/* SPDX-License-Identifier: Apache-2.0 */
/* How the outputs of RTL that keeps other time meet those of the model.
 *
 * Cycles: every output pin in every cycle, and registers. RTL of the model's timing.
 *
 * Latency: every output pin is the model's of n cycles before. The model is clocked as ever, and
 * the stimulus sees its outputs, so the RTL may not refuse what the model takes.
 *
 * Transfers: a stream. What goes in by valid_i and ready_o comes out, in this order, by valid_o and
 * ready_i. The RTL sets the pace of both sides. Of its outputs those of each transfer are compared;
 * one that waits must hold; a fault shows, at the latest, with the result of what raised it; and in
 * n cycles something moves, unless the bench holds it back. The model gives the order: at each
 * input that the RTL takes it is clocked, with its output free to go, until it is done; what comes
 * out is kept until the RTL has the same.
 */
#ifndef WR_DPI_ALIGN_H
#define WR_DPI_ALIGN_H

#include "dpi/block.h"

typedef enum wr_align_kind { WR_ALIGN_CYCLES, WR_ALIGN_LATENCY, WR_ALIGN_TRANSFERS } wr_align_kind;

enum {
    WR_ALIGN_MAX_LATENCY = 256,
    WR_ALIGN_WAIT = 1000, /* cycles of a stream without a move, unless n says otherwise */
};

typedef struct wr_align {
    wr_align_kind kind;
    uint32_t cycles; /* n above */
} wr_align;

/* A block that can be compared so. False with one line in err. */
bool wr_align_fits(wr_align align, const wr_block_desc *block, char *err, size_t err_size);

typedef struct wr_aligner wr_aligner;

/* For a kind other than cycles; model: clocked by the aligner. NULL: out of memory. */
wr_aligner *wr_aligner_new(wr_align align, const wr_block_desc *block, const void *cfg,
                           void *model);
void wr_aligner_free(wr_aligner *a);
void wr_aligner_reset(wr_aligner *a); /* with the model */

/* One cycle: packed pins and the inputs unpacked; clocks the model. expected is what out should be:
 * out itself where nothing is held against it. Pins compared; *why: what is behind a difference
 * that the pins do not tell, or NULL. */
uint32_t wr_aligner_cycle(wr_aligner *a, const void *pins, const uint32_t *out, uint32_t *expected,
                          const char **why);

#endif
