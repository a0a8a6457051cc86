/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of pins and of compared registers, from the tables of a block: see block.h.
 *
 * A packed vector is a stream of bits, written and read a word at a time: what does not fill a
 * word yet waits in `held`. Elements of one byte, which is what narrow pins are in C, go eight at
 * a time.
 *
 * Invariant: held has fewer than 32 bits between elements, and is 0 above them.
 */
#include "dpi/bits.h"
#include "dpi/block.h"

#include <string.h>

typedef struct sink {
    uint32_t *at;
    uint64_t held;
    uint32_t bits;
} sink;

typedef struct source {
    const uint32_t *at;
    uint64_t held;
    uint32_t bits;
} source;

/* value has no bit from width on; width is 1 to 32. */
static inline void push(sink *s, uint64_t value, uint32_t width)
{
    s->held |= value << s->bits;
    s->bits += width;
    if (s->bits >= 32) {
        *s->at++ = (uint32_t)s->held;
        s->held >>= 32;
        s->bits -= 32;
    }
}

static inline void push_wide(sink *s, uint64_t value, uint32_t width)
{
    if (width > 32) {
        push(s, value & UINT32_MAX, 32);
        value >>= 32;
        width -= 32;
    }
    push(s, value, width);
}

/* width is 1 to 32. */
static inline uint64_t pull(source *s, uint32_t width)
{
    uint64_t value;

    if (s->bits < width) {
        s->held |= (uint64_t)*s->at++ << s->bits;
        s->bits += 32;
    }
    value = s->held & ((UINT64_C(1) << width) - 1);
    s->held >>= width;
    s->bits -= width;
    return value;
}

static inline uint64_t pull_wide(source *s, uint32_t width)
{
    uint64_t low;

    if (width <= 32) {
        return pull(s, width);
    }
    low = pull(s, 32);
    return low | pull(s, width - 32) << 32;
}

/* The low width bits of eight bytes, side by side; width is 1 to 8. */
static uint64_t gather(const uint8_t *at, uint32_t width)
{
    uint64_t x = 0;

    for (uint32_t i = 0; i < 8; i++) {
        x |= (uint64_t)at[i] << 8 * i;
    }
    x &= UINT64_C(0x0101010101010101) * wr_bits_mask(width);
    x = (x & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0xff00ff00ff00ff00)) >> (8 - width);
    x = (x & UINT64_C(0x0000ffff0000ffff)) | (x & UINT64_C(0xffff0000ffff0000)) >> (16 - 2 * width);
    return (x & UINT32_MAX) | x >> 32 << 4 * width;
}

/* The inverse of gather. */
static void spread(uint8_t *at, uint32_t width, uint64_t x)
{
    x = (x & wr_bits_mask(4 * width)) | x >> 4 * width << 32;
    x = (x & UINT64_C(0x0000000100000001) * wr_bits_mask(2 * width)) |
        (x << (16 - 2 * width) & UINT64_C(0xffff0000ffff0000));
    x = (x & UINT64_C(0x0001000100010001) * wr_bits_mask(width)) |
        (x << (8 - width) & UINT64_C(0xff00ff00ff00ff00));
    for (uint32_t i = 0; i < 8; i++) {
        at[i] = (uint8_t)(x >> 8 * i);
    }
}

static inline uint64_t load(const uint8_t *at, uint32_t bytes)
{
    uint16_t half;
    uint32_t word;
    uint64_t two;

    if (bytes == 1) {
        return *at;
    }
    if (bytes == 2) {
        memcpy(&half, at, sizeof(half));
        return half;
    }
    if (bytes == 4) {
        memcpy(&word, at, sizeof(word));
        return word;
    }
    memcpy(&two, at, sizeof(two));
    return two;
}

static inline void store(uint8_t *at, uint32_t bytes, uint64_t value)
{
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;

    if (bytes == 1) {
        *at = (uint8_t)value;
    } else if (bytes == 2) {
        memcpy(at, &half, sizeof(half));
    } else if (bytes == 4) {
        memcpy(at, &word, sizeof(word));
    } else {
        memcpy(at, &value, sizeof(value));
    }
}

static inline void put_one(sink *s, const uint8_t *at, uint32_t bytes, uint32_t width)
{
    uint64_t value = load(at, bytes);

    if (bytes == 8) {
        push_wide(s, value & wr_bits_mask(width), width);
    } else {
        push(s, value & ((UINT64_C(1) << width) - 1), width);
    }
}

static inline void get_one(source *s, uint8_t *at, uint32_t bytes, uint32_t width)
{
    store(at, bytes, bytes == 8 ? pull_wide(s, width) : pull(s, width));
}

/* The streams of arrays go by value: one whose address is taken would not live in registers. */
static inline sink put_run(sink s, const uint8_t *at, uint32_t bytes, uint32_t width,
                           uint32_t count)
{
    for (; count > 0; count--, at += bytes) {
        put_one(&s, at, bytes, width);
    }
    return s;
}

static inline source get_run(source s, uint8_t *at, uint32_t bytes, uint32_t width, uint32_t count)
{
    for (; count > 0; count--, at += bytes) {
        get_one(&s, at, bytes, width);
    }
    return s;
}

/* A loop for each size of element, so that none is chosen inside. */
static sink put_array(sink s, const uint8_t *at, uint32_t bytes, uint32_t width, uint32_t count)
{
    switch (bytes) {
    case 1:
        for (; count >= 8; count -= 8, at += 8) {
            push_wide(&s, gather(at, width), 8 * width);
        }
        return put_run(s, at, 1, width, count);
    case 2:
        return put_run(s, at, 2, width, count);
    case 4:
        return put_run(s, at, 4, width, count);
    default:
        return put_run(s, at, 8, width, count);
    }
}

static source get_array(source s, uint8_t *at, uint32_t bytes, uint32_t width, uint32_t count)
{
    switch (bytes) {
    case 1:
        for (; count >= 8; count -= 8, at += 8) {
            spread(at, width, pull_wide(&s, 8 * width));
        }
        return get_run(s, at, 1, width, count);
    case 2:
        return get_run(s, at, 2, width, count);
    case 4:
        return get_run(s, at, 4, width, count);
    default:
        return get_run(s, at, 8, width, count);
    }
}

/* Writes what waits; returns the number of words written from `words` on. */
static inline uint32_t flush(const sink *s, const uint32_t *words)
{
    uint32_t whole = (uint32_t)(s->at - words);

    if (s->bits == 0) {
        return whole;
    }
    *s->at = (uint32_t)s->held;
    return whole + 1;
}

uint32_t wr_pack(const wr_block_desc *block, wr_dir dir, const void *cfg, const void *pins,
                 uint32_t *words)
{
    const wr_pin_desc *pin = block->pins + (dir == WR_IN ? 0 : block->ins_count);
    const wr_pin_desc *end = block->pins + (dir == WR_IN ? block->ins_count : block->pins_count);
    sink s = {.at = words};

    for (; pin < end; pin++) {
        const uint8_t *at = (const uint8_t *)pins + pin->offset;
        if (pin->is_array) {
            s = put_array(s, at, pin->elem_bytes, pin->width, wr_pin_count(pin, cfg));
        } else {
            put_one(&s, at, pin->elem_bytes, pin->width);
        }
    }
    return flush(&s, words);
}

void wr_unpack(const wr_block_desc *block, wr_dir dir, const void *cfg, const uint32_t *words,
               void *pins)
{
    const wr_pin_desc *pin = block->pins + (dir == WR_IN ? 0 : block->ins_count);
    const wr_pin_desc *end = block->pins + (dir == WR_IN ? block->ins_count : block->pins_count);
    source s = {.at = words};

    memset(pins, 0, dir == WR_IN ? block->in_size : block->out_size);
    for (; pin < end; pin++) {
        uint8_t *at = (uint8_t *)pins + pin->offset;
        if (pin->is_array) {
            s = get_array(s, at, pin->elem_bytes, pin->width, wr_pin_count(pin, cfg));
        } else {
            get_one(&s, at, pin->elem_bytes, pin->width);
        }
    }
}

void wr_pack_state(const wr_block_desc *block, const void *state, uint32_t *words)
{
    sink s = {.at = words};

    for (size_t i = 0; i < block->states_count; i++) {
        const wr_state_desc *r = &block->states[i];
        const uint8_t *at = (const uint8_t *)state + r->offset;
        if (r->is_array) {
            s = put_array(s, at, r->elem_bytes, r->width, r->count);
        } else {
            put_one(&s, at, r->elem_bytes, r->width);
        }
    }
    (void)flush(&s, words);
}
