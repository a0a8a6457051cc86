/* SPDX-License-Identifier: Apache-2.0 */
/* One input of the fuzzer played into a block, model and RTL in lockstep.
 *
 * An input of bytes is a run from reset:
 *
 *   byte 0      its form. A multiple of 4: raw pins; else operations. Bit 7 of operations: the
 *               directed cases come first
 *   bytes 1, 2  seed of the stimulus: which protocol fault comes first, if any
 *   the rest    operations: every choice that the block's stimulus (testbench) makes, in its order
 *               raw: a byte a cycle, which says what changes, and then the new values. 0 to 63:
 *               nothing; 64 to 223: one input pin; above: all of them
 *
 * So a mutated byte is another operation, operand or pause, and all that stands before it stays.
 * The run ends with the bytes: what a generator went on to find could not be built upon.
 *
 * Invariant: from a fresh start the same bytes give the same pins.
 */
#ifndef WR_TESTS_FUZZ_PLAY_H
#define WR_TESTS_FUZZ_PLAY_H

#include "dpi/port.h"
#include "testbench/cosim.h"

enum { WR_PLAY_CYCLES = 4096 }; /* of an input, at most */

typedef struct wr_play {
    const wr_block_desc *block;
    const void *cfg;
    const wr_stim *stim;
    char lib[2400]; /* the Verilated block, with counters */
    wr_port port;
    void *model, *state;
    const wr_pin_desc *fault; /* NULL: the block has none */

    /* Of the input that was played last. */
    uint64_t cycles;
    bool faulty;                      /* the fault pin rose */
    uint64_t hits[WR_COSIM_BINS_MAX]; /* coverage bins; operations only */

    /* May be NULL. Each cycle, before it is played: its packed inputs go to rows. */
    uint32_t *rows;
    uint64_t *rows_count;
    /* The model's state behind each cycle. */
    void (*watch)(const struct wr_play *p, const void *model);
} wr_play;

/* From $WARPREF_FUZZ_BLOCK and $WARPREF_FUZZ_CONFIG (tiny); $WARPREF_FUZZ_RTL may name a file list
 * (dpi/rtl_sources.h) of RTL in the place of the block's own. What they name is not there, or its
 * RTL cannot be had: one line, and exit status 2. */
void wr_play_open(wr_play *p);

/* What is wrong at the end: a mismatch, or that the RTL stopped; NULL: nothing. */
const char *wr_play_input(wr_play *p, const uint8_t *data, size_t size);

#endif
