/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a block at hand, packed, a row each, to be played from reset.
 *
 * A row is the inputs of a cycle. Where a stream sets its own pace (WR_ALIGN_TRANSFERS) its inputs
 * wait in their row until the RTL takes them, and ready_i is that of the row whose number the cycle
 * has: whatever rows are left out, and however slow the RTL is, a source that keeps the protocol
 * still does.
 */
#ifndef WR_TESTBENCH_ROWS_H
#define WR_TESTBENCH_ROWS_H

#include "dpi/align.h"

/* How rows are read. */
typedef struct wr_rows {
    const wr_block_desc *block;
    const void *cfg;
    const wr_pin_desc *valid, *taken, *ready; /* valid_i, ready_o, ready_i by transfers; or NULL */
    uint32_t words;                           /* of a row */
} wr_rows;

wr_rows wr_rows_of(const wr_block_desc *block, const void *cfg, wr_align align);

/* The inputs of this cycle, those that wait being in row `at`. Behind the last row nothing comes,
 * and every result is taken. */
void wr_rows_get(const wr_rows *r, const uint32_t *rows, uint64_t count, uint64_t at,
                 uint64_t cycle, void *in);

/* The reverse. Of rows in order each is put before any behind it. */
void wr_rows_put(const wr_rows *r, uint32_t *rows, uint64_t at, uint64_t cycle, const void *in);

/* Whether inputs stay for another cycle; else the next row is due. */
bool wr_rows_wait(const wr_rows *r, const void *in, const void *out);

/* Inputs and outputs of so many cycles, of a vector file, made rows; in place. */
void wr_rows_from_cycles(const wr_rows *r, uint32_t *in, const uint32_t *out, uint64_t count);

#endif
