/* SPDX-License-Identifier: Apache-2.0 */
/* Test vectors of a block: a text file with one line a cycle, ready for $readmemh.
 *
 *     // warpref vectors 1
 *     // block reg_compressor
 *     // config tiny
 *     // parameters Lanes=8
 *     // seed 1
 *     // run 0123456789abcdef       of what a run recorded: the same in all of its files
 *     // bits in=266 out=274
 *     // count 200
 *     0003f...            {out, in}: outputs above inputs, in hex, highest digit first
 *     // cut: ...         of a run that a signal has stopped: more rows would have come
 *
 * The run starts from reset; line n holds the inputs of clocked cycle n and the outputs that
 * settled with them, combinational ones too. docs/vectors.md tells it to users.
 *
 * Invariant of a loaded file: as many rows as the header's count, every bit checked to be there.
 */
#ifndef WR_VECTORS_VECTORS_H
#define WR_VECTORS_VECTORS_H

#include "dpi/block.h"
#include "dpi/port.h"
#include "files/replace.h"

#include <signal.h>
#include <stdio.h>

typedef struct wr_vectors {
    char path[1024];
    const wr_block_desc *block;
    char config[32]; /* name of the configuration, or "custom" */
    uint32_t cfg[WR_MAX_PARAMS];
    uint64_t seed;
    uint64_t run;   /* that recorded it; 0: it does not say */
    bool cut;       /* and was stopped before its end */
    uint32_t count; /* rows */
    uint32_t in_words, out_words;
    uint32_t *in;   /* count rows of in_words */
    uint32_t *out;  /* count rows of out_words */
    uint32_t *line; /* line of each row in the file, for messages */
} wr_vectors;

/* False with "path:line: what is wrong" in err; nothing to free then. */
bool wr_vectors_load(wr_vectors *v, const char *path, char *err, size_t err_size);
void wr_vectors_free(wr_vectors *v);

typedef struct wr_vectors_writer {
    wr_replace to;
    long count_at; /* place of the count in the header */
    uint32_t count;
    uint32_t in_bits, out_bits;
    bool cut; /* the caller's, before it is finished: the run was stopped before its end */
} wr_vectors_writer;

/* Writes the header. cfg outlives nothing: it is copied into the file. run: that records it, the
 * same in all of its files; 0: none. */
bool wr_vectors_create(wr_vectors_writer *w, const char *path, const wr_block_desc *block,
                       const void *cfg, uint64_t seed, uint64_t run, char *err, size_t err_size);
void wr_vectors_row(wr_vectors_writer *w, const uint32_t *in, const uint32_t *out);
/* A reset in front of the next row: for replay.sh alone, since a vector file has one at its start.
 */
void wr_vectors_reset(wr_vectors_writer *w);
/* Fills in the count; now the file is there (files/replace.h). False: a write failed, and the one
 * from before is. */
bool wr_vectors_finish(wr_vectors_writer *w);

/* Stimulus of the block into its model, cycles rows into the file; fewer where *stop becomes other
 * than 0, which a signal's handler may see to. made: how many; NULL, as for stop: not wanted. */
bool wr_vectors_generate(const char *path, const wr_block_desc *block, const void *cfg,
                         uint64_t seed, uint32_t cycles, const volatile sig_atomic_t *stop,
                         uint32_t *made, char *err, size_t err_size);

/* Records every clocked cycle of a port that is fresh from open, until detach or the port's next
 * reset (a file has one reset, at its start). NULL with err: cannot be written. */
typedef struct wr_vectors_recorder wr_vectors_recorder;
wr_vectors_recorder *wr_vectors_attach(wr_port *port, const char *path, char *err, size_t err_size);
/* After the port's last cycle. *rows (may be NULL) is set. False: a write failed. */
bool wr_vectors_detach(wr_vectors_recorder *r, uint32_t *rows);

typedef struct wr_replay_result {
    uint64_t cycles;
    uint64_t checks;     /* output pins compared */
    uint64_t mismatches; /* cycles with a difference */
    char first[768];     /* path:line: pins of the first one */
} wr_replay_result;

/* Plays the file's inputs into a port that is fresh from open or reset and compares its outputs
 * with the file's. */
void wr_vectors_replay(const wr_vectors *v, wr_port *port, wr_replay_result *result);

/* Compares recorded outputs (one line of hex a cycle, outputs only, // comments) with the file's.
 * False with "path:line: ..." in err where the recording cannot be read. */
bool wr_vectors_compare(const wr_vectors *v, const char *outputs_path, wr_replay_result *result,
                        char *err, size_t err_size);

/* Reads exactly ceil(bits / 4) hex digits into words; NULL, or what is wrong with the text. */
const char *wr_hex_read(const char *text, uint32_t bits, uint32_t *words);

#endif
