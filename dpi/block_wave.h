/* SPDX-License-Identifier: Apache-2.0 */
/* Waveforms of a block's pins: live from a port, or from the checker's ring after a mismatch.
 *
 * Scopes: `<scope>.in`, `<scope>.out` and, where a model was compared, `<scope>.expected`, with
 * the pins by name (an array is one variable per element, `lane[3]`), the clock and `mismatch`.
 * One clock cycle is 10 ns: the pins of a cycle stand from its start to the clock edge that ends
 * it.
 */
#ifndef WR_DPI_BLOCK_WAVE_H
#define WR_DPI_BLOCK_WAVE_H

#include "dpi/checker.h"
#include "dpi/port.h"
#include "waveforms/fst.h"
#include "waveforms/save.h"

enum { WR_WAVE_CYCLE_NS = 10 };

typedef struct wr_block_wave wr_block_wave;

/* Adds a block's variables to an open waveform, below the open scope. cfg must outlive it.
 * NULL: out of memory. */
wr_block_wave *wr_block_wave_add(wr_fst *w, const char *scope, const wr_block_desc *block,
                                 const void *cfg, bool with_expected);
void wr_block_wave_free(wr_block_wave *b);

/* Sets the pins of one cycle from packed words; expected NULL: not compared. The caller has set
 * the time to cycle * WR_WAVE_CYCLE_NS. */
void wr_block_wave_cycle(wr_block_wave *b, const uint32_t *in, const uint32_t *out,
                         const uint32_t *expected);

/* The rising clock edge in the middle and at the end is drawn by these: level of clk. */
void wr_block_wave_clock(wr_block_wave *b, bool level);

/* Lists the block's signals in a saved view; prefix is the path of the scopes above. */
void wr_block_wave_save(const wr_block_desc *block, const void *cfg, bool with_expected,
                        const char *prefix, wr_save *s);

/* Writes the last WR_RING_CYCLES cycles that a checker or a lockstep port saw. False with one
 * line in err where the file cannot be written or there is no cycle. */
bool wr_wave_from_ring(const wr_checker *c, const char *path, char *err, size_t err_size);
bool wr_wave_dump(const wr_port *port, const char *path, char *err, size_t err_size);

/* Records every clocked cycle of a port, from attach to close, with a saved view beside the
 * waveform (path with .gtkw in place of its ending). The port's own cycles count, not the
 * shell's: cycles in which the port idles take no time. NULL with err: cannot be written. */
typedef struct wr_wave_recorder wr_wave_recorder;
wr_wave_recorder *wr_wave_attach(wr_port *port, const char *path, char *err, size_t err_size);
/* After the port's last cycle. False with err: not all of it, or not the saved view, could be
 * written. */
bool wr_wave_detach(wr_wave_recorder *r, char *err, size_t err_size);

#endif
