/* SPDX-License-Identifier: Apache-2.0 */
/* Bit fields of any place in an array of little-endian 32-bit words: the packed layout.
 * Put ORs into words that start as 0; width is 1 to 64. */
#ifndef WR_DPI_BITS_H
#define WR_DPI_BITS_H

#include <assert.h>
#include <stdint.h>

static inline uint64_t wr_bits_mask(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static inline void wr_bits_put(uint32_t *words, uint32_t bit, uint32_t width, uint64_t value)
{
    uint32_t shift = bit % 32;
    uint32_t *w = words + bit / 32;

    assert(width >= 1 && width <= 64);
    value &= wr_bits_mask(width);
    w[0] |= (uint32_t)(value << shift);
    if (shift + width > 32) {
        w[1] |= (uint32_t)(value >> (32 - shift));
    }
    if (shift + width > 64) {
        w[2] |= (uint32_t)(value >> (64 - shift));
    }
}

static inline uint64_t wr_bits_get(const uint32_t *words, uint32_t bit, uint32_t width)
{
    uint32_t shift = bit % 32;
    const uint32_t *w = words + bit / 32;
    uint64_t value = w[0] >> shift;

    assert(width >= 1 && width <= 64);
    if (shift + width > 32) {
        value |= (uint64_t)w[1] << (32 - shift);
    }
    if (shift + width > 64) {
        value |= (uint64_t)w[2] << (64 - shift);
    }
    return value & wr_bits_mask(width);
}

#endif
