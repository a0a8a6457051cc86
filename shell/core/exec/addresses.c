/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a warp; see addresses.h. */
#include "shell/core/exec/addresses.h"

WR_LANE_CLONES static void add_wide(uint64_t *lane, const uint32_t *row, uint64_t offset)
{
    _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)
    {
        lane[i] = wr_lane64(row, i) + offset;
    }
}

WR_LANE_CLONES static void add_narrow(uint64_t *lane, const uint32_t *row, uint32_t offset,
                                      uint64_t base)
{
    _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)
    {
        lane[i] = (uint64_t)(row[i] + offset) + base;
    }
}

void wr_addresses_add(wr_addresses *a, const uint32_t *row, bool wide, uint32_t offset,
                      uint64_t base)
{
    static const uint32_t zeros[WR_LANES];
    if (row != NULL && wide) {
        add_wide(a->lane, row, (uint64_t)(int64_t)(int32_t)offset + base);
    } else {
        add_narrow(a->lane, row != NULL ? row : zeros, offset, base);
    }
}

static inline __attribute__((always_inline)) void sum_all(wr_addresses *a)
{
    uint64_t low = a->lane[0];
    uint64_t high = low;
    uint64_t bits = 0;
    uint64_t off = 0;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t v = a->lane[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
        bits |= v;
        off |= v ^ (a->lane[0] + UINT64_C(4) * i);
    }
    a->low = low;
    a->high = high;
    a->bits = bits;
    a->is_row = off == 0;
}

WR_LANE_CLONES static void sum_whole(wr_addresses *a)
{
    sum_all(a);
}

WR_LANE_CLONES static void sum_masked(wr_addresses *a, uint32_t mask)
{
    uint64_t first = a->lane[__builtin_ctz(mask)];
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t on = UINT64_C(0) - (mask >> i & 1u);
        a->lane[i] = (a->lane[i] & on) | (first & ~on);
    }
    sum_all(a);
    a->is_row = false;
}

void wr_addresses_sum(wr_addresses *a, uint32_t mask)
{
    if (mask == UINT32_MAX) {
        sum_whole(a);
    } else {
        sum_masked(a, mask);
    }
}
