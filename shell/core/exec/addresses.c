/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a warp; see addresses.h.
 *
 * The least and the greatest of 32 lanes take longer than all else here, so a row and one word,
 * which most warps access, are told apart without them.
 */
#include "shell/core/exec/addresses.h"

enum { ROW = (WR_LANES - 1) * 4 }; /* from the first word of a row to the last */

#define IN_LINE static inline __attribute__((always_inline))

IN_LINE uint64_t on(uint32_t mask, unsigned lane)
{
    return UINT64_C(0) - (mask >> lane & 1u);
}

IN_LINE void sum(wr_addresses *a, uint32_t mask)
{
    const uint64_t first = a->lane[mask == UINT32_MAX ? 0 : __builtin_ctz(mask)];
    uint64_t bits = 0;
    uint64_t off_row = 0;
    uint64_t off_word = 0;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t v = a->lane[i];
        if (mask != UINT32_MAX) {
            v = (v & on(mask, i)) | (first & ~on(mask, i));
            a->lane[i] = v;
        }
        bits |= v;
        off_row |= v ^ (first + UINT64_C(4) * i);
        off_word |= v ^ first;
    }
    uint64_t low = first;
    uint64_t high = off_word == 0 ? first : first + ROW;
    if (off_word != 0 && (off_row != 0 || high < low)) {
        high = first;
        for (unsigned i = 0; i < WR_LANES; i++) {
            low = a->lane[i] < low ? a->lane[i] : low;
            high = a->lane[i] > high ? a->lane[i] : high;
        }
    }
    a->low = low;
    a->high = high;
    a->bits = bits;
    a->is_row = mask == UINT32_MAX && off_row == 0 && high - low == ROW; /* none has wrapped */
}

/* The same of lanes of 32 bits, which are half as wide and whose extremes every processor has. */
IN_LINE void sum_narrow(wr_addresses *a, const uint32_t *row, uint32_t offset, uint32_t mask)
{
    const uint32_t first = row[mask == UINT32_MAX ? 0 : __builtin_ctz(mask)] + offset;
    uint32_t bits = 0;
    uint32_t off_row = 0;
    uint32_t low = first;
    uint32_t high = first;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint32_t v = row[i] + offset;
        if (mask != UINT32_MAX) {
            v = (v & (uint32_t)on(mask, i)) | (first & ~(uint32_t)on(mask, i));
        }
        a->lane[i] = v;
        bits |= v;
        off_row |= v ^ (first + 4u * i);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    a->low = low;
    a->high = high;
    a->bits = bits;
    a->is_row = mask == UINT32_MAX && off_row == 0 && high - low == ROW; /* none has wrapped */
}

WR_LANE_CLONES static void narrow_whole(wr_addresses *a, const uint32_t *row, uint32_t offset)
{
    sum_narrow(a, row, offset, UINT32_MAX);
}

WR_LANE_CLONES static void narrow_masked(wr_addresses *a, const uint32_t *row, uint32_t offset,
                                         uint32_t mask)
{
    sum_narrow(a, row, offset, mask);
}

WR_LANE_CLONES static void whole(wr_addresses *a)
{
    sum(a, UINT32_MAX);
}

WR_LANE_CLONES static void masked(wr_addresses *a, uint32_t mask)
{
    sum(a, mask);
}

void wr_addresses_sum(wr_addresses *a, uint32_t mask)
{
    if (mask == UINT32_MAX) {
        whole(a);
    } else {
        masked(a, mask);
    }
}

WR_LANE_CLONES static void wide_whole(wr_addresses *a, const uint32_t *row, uint64_t offset)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        a->lane[i] = wr_lane64(row, i) + offset;
    }
    sum(a, UINT32_MAX);
}

WR_LANE_CLONES static void wide_masked(wr_addresses *a, const uint32_t *row, uint64_t offset,
                                       uint32_t mask)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        a->lane[i] = wr_lane64(row, i) + offset;
    }
    sum(a, mask);
}

void wr_addresses_of(wr_addresses *a, const uint32_t *row, bool wide, uint32_t offset,
                     uint64_t base, uint32_t mask)
{
    static const uint32_t zeros[WR_LANES];
    const uint64_t far = (uint64_t)(int64_t)(int32_t)offset + base;
    const bool all = mask == UINT32_MAX;
    row = row != NULL ? row : zeros;
    if (wide && all) {
        wide_whole(a, row, far);
    } else if (wide) {
        wide_masked(a, row, far, mask);
    } else if (base != 0) {
        for (unsigned i = 0; i < WR_LANES; i++) {
            a->lane[i] = base + (uint32_t)(row[i] + offset);
        }
        wr_addresses_sum(a, mask);
    } else if (all) {
        narrow_whole(a, row, offset);
    } else {
        narrow_masked(a, row, offset, mask);
    }
}

/* A word anywhere in the host's memory. */
typedef uint32_t __attribute__((aligned(1), may_alias)) word;

WR_LANE_CLONES static void gather(uint32_t *row, const uint8_t *low, const wr_addresses *a)
{
    const uint64_t begin = a->low;
    _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)
    {
        row[i] = *(const word *)(low + (int32_t)(a->lane[i] - begin));
    }
}

WR_LANE_CLONES static void spread(uint32_t *row, uint32_t value)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        row[i] = value;
    }
}

void wr_addresses_gather(uint32_t *row, const uint8_t *low, const wr_addresses *a, uint32_t mask)
{
    if (mask != UINT32_MAX || a->high - a->low > INT32_MAX) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            row[lane] = *(const word *)(low + (a->lane[lane] - a->low));
        }
    } else if (a->low == a->high) {
        spread(row, *(const word *)low);
    } else {
        gather(row, low, a);
    }
}
