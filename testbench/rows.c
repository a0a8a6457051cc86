/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs at hand: see rows.h. */
#include "testbench/rows.h"

#include <string.h>

wr_rows wr_rows_of(const wr_block_desc *block, const void *cfg, wr_align align)
{
    wr_rows r = {.block = block, .cfg = cfg, .words = wr_block_words(block, WR_IN, cfg)};

    if (align.kind == WR_ALIGN_TRANSFERS) {
        r.valid = wr_block_pin(block, WR_IN, "valid");
        r.taken = wr_block_pin(block, WR_OUT, "ready");
        r.ready = wr_block_pin(block, WR_IN, "ready");
    }
    return r;
}

/* ready_i of one cycle among the other inputs of another. */
static void set_ready(const wr_rows *r, uint8_t *in, const uint8_t *from)
{
    in[r->ready->offset] = from[r->ready->offset]; /* one bit, so one byte in the C struct */
}

void wr_rows_get(const wr_rows *r, const uint32_t *rows, uint64_t count, uint64_t at,
                 uint64_t cycle, void *in)
{
    memset(in, 0, r->block->in_size);
    if (at < count) {
        wr_unpack(r->block, WR_IN, r->cfg, rows + at * r->words, in);
    }
    if (r->ready != NULL) {
        _Alignas(8) uint8_t now[WR_MAX_PINS_BYTES] = {0};
        now[r->ready->offset] = 1;
        if (cycle < count) {
            wr_unpack(r->block, WR_IN, r->cfg, rows + cycle * r->words, now);
        }
        set_ready(r, in, now);
    }
}

void wr_rows_put(const wr_rows *r, uint32_t *rows, uint64_t at, uint64_t cycle, const void *in)
{
    _Alignas(8) uint8_t pins[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t only_ready[WR_MAX_PINS_BYTES] = {0};

    memcpy(pins, in, r->block->in_size);
    if (at != cycle) {
        _Alignas(8) uint8_t there[WR_MAX_PINS_BYTES];
        set_ready(r, only_ready, in);
        (void)wr_pack(r->block, WR_IN, r->cfg, only_ready, rows + cycle * r->words);
        wr_unpack(r->block, WR_IN, r->cfg, rows + at * r->words, there);
        set_ready(r, pins, there);
    }
    (void)wr_pack(r->block, WR_IN, r->cfg, pins, rows + at * r->words);
}

bool wr_rows_wait(const wr_rows *r, const void *in, const void *out)
{
    return r->valid != NULL && wr_pin_value(r->valid, in, 0) != 0 &&
           wr_pin_value(r->taken, out, 0) == 0;
}

void wr_rows_from_cycles(const wr_rows *r, uint32_t *in, const uint32_t *out, uint64_t count)
{
    const uint32_t out_words = wr_block_words(r->block, WR_OUT, r->cfg);
    uint64_t at = 0;

    for (uint64_t cycle = 0; cycle < count; cycle++) {
        _Alignas(8) uint8_t in_pins[WR_MAX_PINS_BYTES];
        _Alignas(8) uint8_t out_pins[WR_MAX_PINS_BYTES];
        wr_unpack(r->block, WR_IN, r->cfg, in + cycle * r->words, in_pins);
        wr_unpack(r->block, WR_OUT, r->cfg, out + cycle * out_words, out_pins);
        wr_rows_put(r, in, at, cycle, in_pins);
        at += !wr_rows_wait(r, in_pins, out_pins);
    }
}
