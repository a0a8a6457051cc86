/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams between a system's buffers and simulated memory, one request a cycle.
 *
 * A request of the context queue stays inside one 128 B segment; a stream cuts ranges of any
 * place and length into such requests. The reader takes a list of ranges and asks for them
 * ahead of the replies, which come back in the order of the requests.
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

enum { WR_CTX_MAX_RANGES = 2 * WR_CTX_MAX_WARPS + 4 };

typedef struct wr_context_range {
    uint64_t addr;
    uint32_t bytes;
    uint32_t id; /* the caller's */
} wr_context_range;

typedef struct wr_context_reader {
    wr_context_range range[WR_CTX_MAX_RANGES];
    uint32_t count;
    uint32_t ask, ask_offset;   /* next request: range and byte in it */
    uint32_t take, take_offset; /* next reply */
    uint32_t tag_ask, tag_take;
} wr_context_reader;

/* One reply and its place. */
typedef struct wr_context_piece {
    uint32_t id;
    uint32_t offset; /* in the range */
    uint32_t bytes;
    uint8_t data[WR_CTX_SEGMENT];
} wr_context_piece;

void wr_context_reader_clear(wr_context_reader *reader);
void wr_context_reader_add(wr_context_reader *reader, uint64_t addr, uint32_t bytes, uint32_t id);
void wr_context_reader_ask(wr_context_reader *reader, wr_sm *sm); /* at most one request */
bool wr_context_reader_take(wr_context_reader *reader, wr_sm *sm, wr_context_piece *piece);
bool wr_context_reader_done(const wr_context_reader *reader); /* every reply was taken */

#endif
