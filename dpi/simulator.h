/* SPDX-License-Identifier: Apache-2.0 */
/* The imports of dpi/wr_checker.sv for a simulator of any make: what libwarpref.so gives it.
 *
 * One handle for each checker that a design holds. Vectors are svBitVecVal of IEEE 1800 Annex H,
 * which are 32-bit words, the lowest first. Texts stay good until the next call with their handle.
 *
 * Invariants: nothing is compared before the first reset, for a simulator with four values knows no
 * register by then; behind a mismatch nothing is, for only the first is sure to be a cause; and a
 * checker that compared nothing does not end well.
 */
#ifndef WR_DPI_SIMULATOR_H
#define WR_DPI_SIMULATOR_H

#include <stdint.h>

/* Never NULL while there is memory: what is wrong with block, parameters (32 bits each, in the
 * order of the registry) or widths stands in wr_dpi_text. Bit i of shown: register i is in `state`.
 */
void *wr_dpi_open(const char *block, const uint32_t *params, uint32_t in_bits, uint32_t out_bits,
                  const uint32_t *shown);
void wr_dpi_reset(void *checker);
/* 0: all is equal. Else wr_dpi_text says what differs. `unknown`, an svBit: an output is X or Z,
 * which words of two values cannot tell. */
int wr_dpi_cycle(void *checker, const uint32_t *in, const uint32_t *out, const uint32_t *state,
                 unsigned char unknown);
/* The last message; "" where there is none. */
const char *wr_dpi_text(void *checker);
/* At the end of the simulation: 0, and a text that counts cycles and checks; or nothing was
 * compared. */
int wr_dpi_end(void *checker);

#endif
