/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimuli share: gates that open in bursts, values where carries and signs show, and the
 * protocol faults of an episode.
 *
 * Invariant: everything is a function of the generator's state, so a seed gives the same run.
 */
#ifndef WR_TESTBENCH_TRAFFIC_H
#define WR_TESTBENCH_TRAFFIC_H

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

/* A value that differs from this one in one of its lowest `width` bits alone: a comparator that
 * leaves out a bit takes the two for equal. */
static inline uint64_t wr_near_value(uint64_t value, uint32_t width, wr_rng *rng)
{
    return value ^ UINT64_C(1) << wr_rng_below(rng, width);
}

/* For the bins `nears` of wr_stim: the bit in which two operands differ, where it is one; else 0.
 */
static inline uint64_t wr_near_bit(uint64_t a, uint64_t b)
{
    const uint64_t differs = a ^ b;

    return (differs & (differs - 1)) == 0 ? differs : 0;
}

/* Protocol faults. The fault output is sticky, so the first fault of an episode hides the later
 * ones: odd seeds give an episode without faults, even ones the kind that comes first, and
 * consecutive even seeds consecutive kinds. An episode begins without them, for a time that the
 * seed chooses too; once one has shown, all kinds mix. */
typedef struct wr_faults {
    uint32_t first; /* 0: none in this episode */
    uint32_t kinds;
    uint32_t quiet; /* random cycles before the first */
    uint32_t round; /* how often this kind came first in the episodes before */
} wr_faults;

static inline wr_faults wr_faults_of(uint64_t seed, uint32_t kinds)
{
    const uint64_t turn = seed / 2;

    return (wr_faults){.first = seed % 2 == 1 ? 0 : 1 + (uint32_t)(turn % kinds),
                       .kinds = kinds,
                       .quiet = 20 * (5 - (uint32_t)(turn / kinds % 6)),
                       .round = (uint32_t)(turn / kinds)};
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
