/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a warp that sit on the borders between uniform, strided and random. */
#ifndef WR_TESTBENCH_CONTEXT_REGISTER_VALUES_H
#define WR_TESTBENCH_CONTEXT_REGISTER_VALUES_H

#include "testbench/traffic.h"

typedef enum wr_value_kind {
    WR_VALUE_UNIFORM,    /* one value in every lane */
    WR_VALUE_UNIFORM_8,  /* one value per 8 lanes */
    WR_VALUE_UNIFORM_16, /* per 16: ty of a 16 x 16 thread block */
    WR_VALUE_STRIDED,    /* one progression over all lanes */
    WR_VALUE_STRIDED_8,  /* own base and stride per 8 lanes */
    WR_VALUE_STRIDED_16, /* per 16: tx of a 16 x 16 thread block */
    WR_VALUE_MIXED_8,    /* uniform and strided groups of 8 */
    WR_VALUE_MIXED_16,   /* and of 16 */
    WR_VALUE_FLAT_START, /* first difference of a group is 0, later ones are not */
    WR_VALUE_LAST_OFF,   /* strided but for the last lane */
    WR_VALUE_ONE_OFF,    /* strided but for one lane anywhere */
    WR_VALUE_JUMP,       /* one stride, but a step aside at a border of 8 lanes */
    WR_VALUE_BEND,       /* the stride changes at one lane, often at a border or behind it */
    WR_VALUE_RANDOM,
    WR_VALUE_KINDS,
} wr_value_kind;

static inline void wr_value_groups(wr_rng *rng, uint32_t lanes, uint32_t size,
                                   uint32_t stride_chance, uint32_t *lane)
{
    uint32_t value = 0;
    uint32_t stride = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        if (i % size == 0) {
            value = wr_edge_value(rng);
            stride = !wr_rng_chance(rng, stride_chance) ? 0
                     : wr_rng_chance(rng, 25)           ? UINT32_C(1) << wr_rng_below(rng, 32)
                                                        : wr_edge_value(rng);
        }
        lane[i] = value;
        value += stride;
    }
}

static inline void wr_value_fill(wr_rng *rng, wr_value_kind kind, uint32_t lanes, uint32_t *lane)
{
    switch (kind) {
    case WR_VALUE_UNIFORM:
        wr_value_groups(rng, lanes, 64, 0, lane);
        break;
    case WR_VALUE_UNIFORM_8:
        wr_value_groups(rng, lanes, 8, 0, lane);
        break;
    case WR_VALUE_UNIFORM_16:
        wr_value_groups(rng, lanes, 16, 0, lane);
        break;
    case WR_VALUE_STRIDED:
        wr_value_groups(rng, lanes, 64, 100, lane);
        break;
    case WR_VALUE_STRIDED_8:
        wr_value_groups(rng, lanes, 8, 100, lane);
        break;
    case WR_VALUE_STRIDED_16:
        wr_value_groups(rng, lanes, 16, 100, lane);
        break;
    case WR_VALUE_MIXED_8:
        wr_value_groups(rng, lanes, 8, 50, lane);
        break;
    case WR_VALUE_MIXED_16:
        wr_value_groups(rng, lanes, 16, 50, lane);
        break;
    case WR_VALUE_FLAT_START:
        wr_value_groups(rng, lanes, 64, 0, lane);
        for (uint32_t i = 2; i < lanes; i++) {
            lane[i] = lane[i - 1] + 1 + wr_rng_below(rng, 3);
        }
        break;
    case WR_VALUE_LAST_OFF:
        wr_value_groups(rng, lanes, 64, 100, lane);
        lane[lanes - 1] ^= 1u << wr_rng_below(rng, 32);
        break;
    case WR_VALUE_ONE_OFF:
        wr_value_groups(rng, lanes, 64, 50, lane);
        lane[wr_rng_below(rng, lanes)] ^= 1u << wr_rng_below(rng, 32);
        break;
    case WR_VALUE_JUMP: {
        wr_value_groups(rng, lanes, 64, 70, lane);
        const uint32_t jump = wr_edge_value(rng) | 1u;
        for (uint32_t i = 8 + wr_rng_below(rng, lanes) / 8 * 8; i < lanes; i++) {
            lane[i] += jump;
        }
        break;
    }
    case WR_VALUE_BEND: {
        wr_value_groups(rng, lanes, 64, 70, lane);
        const uint32_t bend = wr_edge_value(rng) | 1u;
        uint32_t at = wr_rng_below(rng, lanes);
        if (wr_rng_chance(rng, 70)) {
            at = at / 8 * 8 + wr_rng_below(rng, 2);
        }
        for (uint32_t i = at + 1; i < lanes; i++) {
            lane[i] += bend * (i - at);
        }
        break;
    }
    case WR_VALUE_RANDOM:
    case WR_VALUE_KINDS:
        for (uint32_t i = 0; i < lanes; i++) {
            lane[i] = wr_rng_u32(rng);
        }
        break;
    }
}

#endif
