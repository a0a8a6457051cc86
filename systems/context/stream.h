/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams between a system's buffers and simulated memory, one request a cycle.
 *
 * A request of the context queue stays inside one 128 B segment; a stream cuts ranges of any
 * place and length into such requests. The reader keeps a queue of ranges and asks for them
 * ahead of the replies, which come back in the order of the requests; ranges may be added at
 * any time.
 */
#ifndef WR_SYSTEMS_CONTEXT_STREAM_H
#define WR_SYSTEMS_CONTEXT_STREAM_H

#include "systems/context/area.h"

typedef struct wr_context_writer {
    uint64_t addr;
    const uint8_t *src; /* must stay as it is until left is 0 */
    uint32_t left;      /* bytes not yet queued */
} wr_context_writer;

/* Queues the next piece where the queue takes it. True once nothing is left. */
bool wr_context_writer_step(wr_context_writer *writer, wr_sm *sm);

enum {
    WR_CTX_AHEAD = 8,                                        /* TBs that come in at a time */
    WR_CTX_MAX_RANGES = WR_CTX_AHEAD * 2 * WR_CTX_MAX_WARPS, /* stacks and registers of all */
};

typedef struct wr_context_range {
    uint64_t addr;
    uint32_t bytes;
    uint32_t owner, part; /* the caller's: whose it is, and what of it */
} wr_context_range;

typedef struct wr_context_reader {
    wr_context_range range[WR_CTX_MAX_RANGES]; /* a ring; the counts run on */
    uint32_t count;                            /* ranges added */
    uint32_t ask, ask_offset;                  /* next request: range and byte in it */
    uint32_t take, take_offset;                /* next reply */
    uint32_t tag_ask, tag_take;
} wr_context_reader;

/* One reply and its place. */
typedef struct wr_context_piece {
    uint32_t owner, part;
    uint32_t offset; /* in the range */
    uint32_t bytes;
    uint8_t data[WR_CTX_SEGMENT];
} wr_context_piece;

void wr_context_reader_add(wr_context_reader *reader, const wr_context_range *range);
void wr_context_reader_ask(wr_context_reader *reader, wr_sm *sm); /* at most one request */
bool wr_context_reader_take(wr_context_reader *reader, wr_sm *sm, wr_context_piece *piece);

#endif
