/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest stimulus that still shows a mismatch.
 *
 * The episode in which a run failed is played again from reset, and its inputs are kept. Then
 * cycles are left out, many at a time and at last one by one, and pins are set to 0, as long as
 * block and model still differ. Inputs that make the model raise its fault are not taken where the
 * episode kept the protocol: a mismatch behind a fault would be another one.
 *
 * Every trial starts from reset, so what is found replays anywhere.
 */
#ifndef WR_VECTORS_SHRINK_H
#define WR_VECTORS_SHRINK_H

#include "testbench/cosim.h"

typedef struct wr_shrink_result {
    uint64_t from, to; /* cycles up to the mismatch: of the episode, and of what is left */
    char text[768];    /* the mismatch that is left */
} wr_shrink_result;

/* Shrinks the mismatch that a run with these options has ended with, and writes it to `path`: the
 * inputs, and the outputs that should be there (of RTL that keeps other time its own, but for those
 * that are held against it). Of inputs at hand (o->rows) `failed` needs the cycles and whether they
 * raise the fault before they differ. False with one line in err: the file cannot be written, or
 * the mismatch needs what stood before the reset of its episode and does not come back. */
bool wr_shrink(const wr_cosim_options *o, const wr_cosim_result *failed, const char *path,
               wr_shrink_result *result, char *err, size_t err_size);

#endif
