/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimuli of group context share: gates that open in bursts, and register values that
 * sit on the borders between uniform, strided and random.
 *
 * Invariant: everything is a function of the generator's state, so a seed gives the same run.
 */
#ifndef WR_TESTBENCH_CONTEXT_TRAFFIC_H
#define WR_TESTBENCH_CONTEXT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "testbench/rng.h"

/* A handshake side: open in `percent` of the cycles, and a new percentage every few dozen, so
 * that full speed, starvation and everything between occur in one run. */
typedef struct wr_gate {
    uint32_t left;
    uint32_t percent;
} wr_gate;

static inline bool wr_gate_open(wr_gate *g, wr_rng *rng)
{
    static const uint32_t percents[] = {100, 100, 90, 50, 50, 20, 5, 0};
    if (g->left == 0) {
        g->percent = percents[wr_rng_below(rng, sizeof percents / sizeof percents[0])];
        g->left = g->percent == 0 ? 12 : 16 + wr_rng_below(rng, 48);
    }
    g->left--;
    return wr_rng_chance(rng, g->percent);
}

/* A 32-bit value, often one where carries and signs show. */
static inline uint32_t wr_edge_value(wr_rng *rng)
{
    static const uint32_t edges[] = {0,           1,           0xffffffffu, 0x80000000u,
                                     0x7fffffffu, 0xfffffffeu, 0x10000u,    0x55555555u};
    uint32_t pick = wr_rng_below(rng, 16);
    return pick < 8 ? edges[pick] : wr_rng_u32(rng);
}

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
            stride = wr_rng_chance(rng, stride_chance) ? wr_edge_value(rng) : 0;
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

/* Protocol faults. The fault output is sticky, so the first fault of a run hides the later ones:
 * the seed chooses the kind that comes first, and consecutive seeds choose consecutive kinds.
 * Kind 0 is a run without faults; a run begins without them; once one has shown, all kinds mix. */
typedef struct wr_faults {
    uint32_t first; /* 0: none in this run */
    uint32_t kinds;
    uint32_t quiet; /* random cycles before the first */
} wr_faults;

static inline wr_faults wr_faults_of(uint64_t seed, uint32_t kinds)
{
    return (wr_faults){.first = (uint32_t)(seed % (kinds + 1)), .kinds = kinds, .quiet = 100};
}

/* Call once a cycle of random traffic. */
static inline void wr_faults_step(wr_faults *f)
{
    f->quiet -= f->quiet > 0;
}

/* The kind, 1 to kinds, that this opportunity is used for, or 0: `percent` of them are used. */
static inline uint32_t wr_faults_pick(const wr_faults *f, bool shown, uint32_t percent, wr_rng *rng)
{
    if (f->first == 0 || f->quiet > 0 || !wr_rng_chance(rng, percent)) {
        return 0;
    }
    return shown ? 1 + wr_rng_below(rng, f->kinds) : f->first;
}

#endif
