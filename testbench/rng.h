/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for stimulus and tests: splitmix64, one word of state that the caller owns.
 * The same seed gives the same numbers everywhere. */
#ifndef WR_TESTBENCH_RNG_H
#define WR_TESTBENCH_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_rng {
    uint64_t state;
} wr_rng;

static inline void wr_rng_seed(wr_rng *r, uint64_t seed)
{
    r->state = seed;
}

static inline uint64_t wr_rng_u64(wr_rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint32_t wr_rng_u32(wr_rng *r)
{
    return (uint32_t)(wr_rng_u64(r) >> 32);
}

/* 0 to n - 1; n must not be 0. The bias of the product form is below n / 2^32. */
static inline uint32_t wr_rng_below(wr_rng *r, uint32_t n)
{
    return (uint32_t)(((uint64_t)wr_rng_u32(r) * n) >> 32);
}

/* True in `percent` of 100 calls. */
static inline bool wr_rng_chance(wr_rng *r, uint32_t percent)
{
    return wr_rng_below(r, 100) < percent;
}

#endif
