/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a warp; see addresses.h.
 *
 * The least and the greatest of 32 lanes take longer than all else here, so a row and one word,
 * which most warps access, are told apart without them.
 */
#include "shell/core/exec/addresses.h"

#include <string.h>

enum { HALF = WR_LANES / 2, HALF_ROW = (HALF - 1) * 4, ROW = (WR_LANES - 1) * 4 };

#define IN_LINE static inline __attribute__((always_inline))

/* How the lanes of a half differ from a row and from one word: 0 where they do not. A row ends
 * behind its first word. */
IN_LINE uint8_t form_of(uint64_t off_row, uint64_t off_word, uint64_t first, uint64_t last)
{
    return off_word == 0 ? WR_HALF_WORD : off_row == 0 && last > first ? WR_HALF_ROW : WR_HALF_ANY;
}

IN_LINE void set_forms(wr_addresses *a, uint8_t lower, uint8_t upper)
{
    a->form[0] = lower;
    a->form[1] = upper;
    a->is_row =
        lower == WR_HALF_ROW && upper == WR_HALF_ROW && a->lane[HALF] - a->lane[0] == HALF * 4;
}

/* Lanes that are off take the first one's that is on. */
IN_LINE void cover(wr_addresses *a, uint32_t mask)
{
    const uint64_t first = a->lane[__builtin_ctz(mask)];
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t on = UINT64_C(0) - (mask >> i & 1u);
        a->lane[i] = (a->lane[i] & on) | (first & ~on);
    }
}

/* The least and the greatest, where the halves' ends tell; false: they do not. */
IN_LINE bool ends(wr_addresses *a)
{
    const uint64_t first[2] = {a->lane[0], a->lane[HALF]};
    const uint64_t last[2] = {a->lane[HALF - 1], a->lane[WR_LANES - 1]};
    a->low = first[0] < first[1] ? first[0] : first[1];
    a->high = last[0] > last[1] ? last[0] : last[1];
    return a->form[0] != WR_HALF_ANY && a->form[1] != WR_HALF_ANY;
}

IN_LINE void extremes(wr_addresses *a)
{
    uint64_t low = a->lane[0];
    uint64_t high = low;
    for (unsigned i = 0; i < WR_LANES; i++) {
        low = a->lane[i] < low ? a->lane[i] : low;
        high = a->lane[i] > high ? a->lane[i] : high;
    }
    a->low = low;
    a->high = high;
}

IN_LINE void sum(wr_addresses *a)
{
    const uint64_t *lower = a->lane;
    const uint64_t *upper = a->lane + HALF;
    uint64_t bits = 0;
    uint64_t off_row[2] = {0, 0};
    uint64_t off_word[2] = {0, 0};
    for (unsigned i = 0; i < HALF; i++) {
        bits |= lower[i] | upper[i];
        off_row[0] |= lower[i] ^ (lower[0] + UINT64_C(4) * i);
        off_row[1] |= upper[i] ^ (upper[0] + UINT64_C(4) * i);
        off_word[0] |= lower[i] ^ lower[0];
        off_word[1] |= upper[i] ^ upper[0];
    }
    a->bits = bits;
    set_forms(a, form_of(off_row[0], off_word[0], lower[0], lower[HALF - 1]),
              form_of(off_row[1], off_word[1], upper[0], upper[HALF - 1]));
    if (!ends(a)) {
        extremes(a);
    }
}

/* The same of lanes of 32 bits, which are half as wide and whose extremes every processor has. */
WR_LANE_CLONES static void narrow(wr_addresses *a, const uint32_t *row, uint32_t offset)
{
    const uint32_t first[2] = {row[0] + offset, row[HALF] + offset};
    uint32_t bits = 0;
    uint32_t off_row[2] = {0, 0};
    uint32_t off_word[2] = {0, 0};
    for (unsigned i = 0; i < HALF; i++) {
        uint32_t lower = row[i] + offset;
        uint32_t upper = row[i + HALF] + offset;
        a->lane[i] = lower;
        a->lane[i + HALF] = upper;
        bits |= lower | upper;
        off_row[0] |= lower ^ (first[0] + 4u * i);
        off_row[1] |= upper ^ (first[1] + 4u * i);
        off_word[0] |= lower ^ first[0];
        off_word[1] |= upper ^ first[1];
    }
    a->bits = bits;
    set_forms(a, form_of(off_row[0], off_word[0], first[0], a->lane[HALF - 1]),
              form_of(off_row[1], off_word[1], first[1], a->lane[WR_LANES - 1]));
    if (!ends(a)) {
        uint32_t low = first[0];
        uint32_t high = first[0];
        for (unsigned i = 0; i < WR_LANES; i++) {
            uint32_t v = row[i] + offset;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        a->low = low;
        a->high = high;
    }
}

WR_LANE_CLONES static void wide(wr_addresses *a, const uint32_t *row, uint64_t offset)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        a->lane[i] = wr_lane64(row, i) + offset;
    }
    sum(a);
}

WR_LANE_CLONES static void whole(wr_addresses *a)
{
    sum(a);
}

WR_LANE_CLONES static void masked(wr_addresses *a, uint32_t mask)
{
    uint64_t bits = 0;
    cover(a, mask);
    extremes(a);
    for (unsigned i = 0; i < WR_LANES; i++) {
        bits |= a->lane[i];
    }
    a->bits = bits;
    a->form[0] = a->form[1] = WR_HALF_ANY;
    a->is_row = false;
}

void wr_addresses_sum(wr_addresses *a, uint32_t mask)
{
    if (mask == UINT32_MAX) {
        whole(a);
    } else {
        masked(a, mask);
    }
}

WR_LANE_CLONES static void add(uint64_t *lane, const uint32_t *row, bool is_wide, uint32_t offset,
                               uint64_t base)
{
    const uint64_t far = (uint64_t)(int64_t)(int32_t)offset + base;
    for (unsigned i = 0; i < WR_LANES; i++) {
        lane[i] = is_wide ? wr_lane64(row, i) + far : (uint32_t)(row[i] + offset) + base;
    }
}

void wr_addresses_of(wr_addresses *a, const uint32_t *row, bool is_wide, uint32_t offset,
                     uint64_t base, uint32_t mask)
{
    static const uint32_t zeros[WR_LANES];
    is_wide = is_wide && row != NULL;
    row = row != NULL ? row : zeros;
    if (mask == UINT32_MAX && is_wide) {
        wide(a, row, (uint64_t)(int64_t)(int32_t)offset + base);
    } else if (mask == UINT32_MAX && base == 0) {
        narrow(a, row, offset);
    } else {
        add(a->lane, row, is_wide, offset, base);
        wr_addresses_sum(a, mask);
    }
}

/* A word anywhere in the host's memory. */
typedef uint32_t __attribute__((aligned(1), may_alias)) word;

/* Lane by lane: vectors would be put together word by word, which takes longer. */
static inline void gather(uint32_t *half, const uint8_t *low, const uint64_t *lane, uint64_t begin)
{
    for (unsigned i = 0; i < HALF; i++) {
        half[i] = *(const word *)(low + (lane[i] - begin));
    }
}

static inline void spread(uint32_t *row, unsigned count, uint32_t value)
{
    for (unsigned i = 0; i < count; i++) {
        row[i] = value;
    }
}

static void load_half(uint32_t *row, const uint8_t *low, const wr_addresses *a, unsigned k)
{
    uint32_t *half = row + k * HALF;
    const uint64_t *lane = a->lane + k * HALF;
    const uint8_t *first = low + (lane[0] - a->low);
    if (a->form[k] == WR_HALF_ROW) {
        memcpy(half, first, HALF * 4);
    } else if (a->form[k] == WR_HALF_WORD) {
        spread(half, HALF, *(const word *)first);
    } else {
        gather(half, low, lane, a->low);
    }
}

void wr_addresses_load(uint32_t *row, const uint8_t *low, const wr_addresses *a, uint32_t mask)
{
    if (a->is_row) {
        memcpy(row, low, WR_ROW_BYTES);
    } else if (mask != UINT32_MAX || a->high - a->low > INT32_MAX) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            row[lane] = *(const word *)(low + (a->lane[lane] - a->low));
        }
    } else if (a->low == a->high) {
        spread(row, WR_LANES, *(const word *)low);
    } else {
        load_half(row, low, a, 0);
        load_half(row, low, a, 1);
    }
}

void wr_addresses_store(uint8_t *low, const uint32_t *row, const wr_addresses *a, uint32_t mask)
{
    if (a->is_row) {
        memcpy(low, row, WR_ROW_BYTES);
        return;
    }
    for (uint32_t left = mask; left != 0;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint8_t *at = low + (a->lane[lane] - a->low);
        if (lane % HALF == 0 && a->form[lane / HALF] == WR_HALF_ROW) {
            memcpy(at, &row[lane], HALF * 4);
            left &= ~(UINT32_C(0xffff) << lane);
        } else {
            memcpy(at, &row[lane], 4);
            left &= left - 1;
        }
    }
}
