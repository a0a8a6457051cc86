/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of the checker: the model that a Verilated block is compared with, cycle by cycle.
 *
 * The checker inside the RTL calls it once a rising clock edge with the packed pins. It unpacks
 * the inputs, evaluates the model, compares every output bit by bit, and the registers that the
 * description names where the RTL shows them, and steps the model. It
 * keeps the last WR_RING_CYCLES cycles (inputs, outputs, expected outputs) in a ring.
 *
 * It sits inside the block's wrapper, so pins that are swapped on the way between the port and
 * the block would reach RTL and model alike. wr_checker_on_port closes that gap.
 *
 * Invariants: nothing is allocated after wr_checker_new; after a mismatch the checker goes on,
 * and the model keeps its own state, so that only the first mismatch is sure to be a cause.
 */
#ifndef WR_DPI_CHECKER_H
#define WR_DPI_CHECKER_H

#include "dpi/align.h"
#include "dpi/block.h"

enum { WR_RING_CYCLES = 1000 };

typedef struct wr_checker wr_checker;

/* One cycle of the ring: packed words. */
typedef struct wr_ring_cycle {
    uint64_t cycle; /* counted from 0 since the checker was made, resets included */
    const uint32_t *in;
    const uint32_t *out;
    const uint32_t *expected;
} wr_ring_cycle;

/* cfg must outlive the checker and be good. Unless RTL and model keep the same time (align, which
 * fits the block), no register is compared. NULL: out of memory. */
wr_checker *wr_checker_new(const wr_block_desc *block, const void *cfg, wr_align align);
void wr_checker_free(wr_checker *c);

/* Registers that are not to be compared, by name, commas between, NULL: all; how many are left. */
uint32_t wr_checker_leave_out(wr_checker *c, const char *registers);

/* As if there had been no mismatch and no cycle yet; comparisons are counted on. */
void wr_checker_forget(wr_checker *c);

/* The hooks of dpi/rtl_abi.h; checker is a wr_checker. */
void wr_checker_on_cycle(void *checker, const uint32_t *in, const uint32_t *out,
                         const uint32_t *state);
void wr_checker_on_reset(void *checker);

/* The port's packed pins of the cycle that the checker saw last: they must be the block's own.
 * A difference counts as a mismatch of that cycle. */
void wr_checker_on_port(wr_checker *c, const uint32_t *in, const uint32_t *out);

/* A cycle that the RTL does not survive, for the ring alone: inputs, and the outputs before it. */
void wr_checker_on_broken(wr_checker *c, const uint32_t *in, const uint32_t *out);

uint64_t wr_checker_comparisons(const wr_checker *c); /* output pins and registers */
uint64_t wr_checker_mismatches(const wr_checker *c);  /* cycles with a difference */

/* First mismatch in words: block, cycle, pin, expected, got. NULL where there was none. */
const char *wr_checker_first(const wr_checker *c);

/* Its cycle, as the ring counts them; where there was one. */
uint64_t wr_checker_first_cycle(const wr_checker *c);

/* The ring: how many cycles it holds and came since the last reset, and one of them,
 * 0 the oldest. */
uint32_t wr_checker_ring_count(const wr_checker *c);
uint64_t wr_checker_since_reset(const wr_checker *c);
wr_ring_cycle wr_checker_ring_at(const wr_checker *c, uint32_t index);

/* The C model: its state is that before the next clock edge. */
const void *wr_checker_model(const wr_checker *c);

const wr_block_desc *wr_checker_block(const wr_checker *c);
const void *wr_checker_cfg(const wr_checker *c);

/* Names every output pin in which two packed vectors differ, up to size bytes of text: what
 * the checker, the verifier and replay all print. */
void wr_describe_difference(const wr_block_desc *block, const void *cfg, const uint32_t *expected,
                            const uint32_t *got, char *text, size_t size);

#endif
