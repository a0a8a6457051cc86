/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting ranges of bytes into requests of the context queue. */
#include "systems/context/stream.h"

#include <assert.h>
#include <string.h>

/* Bytes from addr on that one request can carry. */
static uint32_t piece_bytes(uint64_t addr, uint32_t left)
{
    uint32_t room = WR_CTX_SEGMENT - (uint32_t)(addr % WR_CTX_SEGMENT);

    return left < room ? left : room;
}

bool wr_context_writer_step(wr_context_writer *writer, wr_sm *sm)
{
    if (writer->left != 0) {
        uint32_t bytes = piece_bytes(writer->addr, writer->left);

        if (wr_sm_ctx_write(sm, writer->addr, writer->src, bytes)) {
            writer->addr += bytes;
            writer->src += bytes;
            writer->left -= bytes;
        }
    }
    return writer->left == 0;
}

static const wr_context_range *range_at(const wr_context_reader *reader, uint32_t at)
{
    return &reader->range[at % WR_CTX_MAX_RANGES];
}

void wr_context_reader_add(wr_context_reader *reader, const wr_context_range *range)
{
    if (range->bytes == 0) {
        return;
    }
    assert(reader->count - reader->take < WR_CTX_MAX_RANGES);
    reader->range[reader->count++ % WR_CTX_MAX_RANGES] = *range;
}

void wr_context_reader_ask(wr_context_reader *reader, wr_sm *sm)
{
    if (reader->ask == reader->count) {
        return;
    }
    const wr_context_range *range = range_at(reader, reader->ask);
    uint64_t addr = range->addr + reader->ask_offset;
    uint32_t bytes = piece_bytes(addr, range->bytes - reader->ask_offset);

    if (!wr_sm_ctx_read(sm, addr, bytes, reader->tag_ask)) {
        return;
    }
    reader->tag_ask++;
    reader->ask_offset += bytes;
    if (reader->ask_offset == range->bytes) {
        reader->ask++;
        reader->ask_offset = 0;
    }
}

bool wr_context_reader_take(wr_context_reader *reader, wr_sm *sm, wr_context_piece *piece)
{
    uint32_t tag;

    if (reader->tag_take == reader->tag_ask || !wr_sm_ctx_reply(sm, &tag, piece->data)) {
        return false;
    }
    assert(tag == reader->tag_take);
    const wr_context_range *range = range_at(reader, reader->take);

    piece->owner = range->owner;
    piece->part = range->part;
    piece->offset = reader->take_offset;
    piece->bytes =
        piece_bytes(range->addr + reader->take_offset, range->bytes - reader->take_offset);
    reader->tag_take++;
    reader->take_offset += piece->bytes;
    if (reader->take_offset == range->bytes) {
        reader->take++;
        reader->take_offset = 0;
    }
    return true;
}
