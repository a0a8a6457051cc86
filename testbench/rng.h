/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for stimulus and tests: splitmix64, one word of state that the caller owns.
 * The same seed gives the same numbers everywhere.
 *
 * With WR_RNG_INPUT (the fuzzer of blocks alone) they are taken from an input of bytes while it
 * lasts, as few for each as its range needs, so that a mutated byte is another choice. */
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

#ifdef WR_RNG_INPUT
typedef struct wr_rng_bytes {
    const uint8_t *at, *end;
} wr_rng_bytes;
extern wr_rng_bytes wr_rng_input;

/* The next so many bytes as a number; false: the input has no more. */
static inline bool wr_rng_take(uint32_t bytes, uint64_t *value)
{
    *value = 0;
    if ((uint64_t)(wr_rng_input.end - wr_rng_input.at) < bytes) {
        wr_rng_input.at = wr_rng_input.end;
        return false;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        *value |= (uint64_t)*wr_rng_input.at++ << 8 * i;
    }
    return true;
}
#endif

static inline uint64_t wr_rng_u64(wr_rng *r)
{
#ifdef WR_RNG_INPUT
    uint64_t taken;
    if (wr_rng_take(8, &taken)) {
        return taken;
    }
#endif
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint32_t wr_rng_u32(wr_rng *r)
{
#ifdef WR_RNG_INPUT
    uint64_t taken;
    if (wr_rng_take(4, &taken)) {
        return (uint32_t)taken;
    }
#endif
    return (uint32_t)(wr_rng_u64(r) >> 32);
}

/* 0 to n - 1; n must not be 0. The bias of the product form is below n / 2^32. */
static inline uint32_t wr_rng_below(wr_rng *r, uint32_t n)
{
#ifdef WR_RNG_INPUT
    const uint32_t bytes = n <= 1 ? 0 : n <= 256 ? 1 : n <= 65536 ? 2 : 4;
    uint64_t taken;
    if (wr_rng_take(bytes, &taken)) {
        return (uint32_t)(taken * n >> 8 * bytes);
    }
#endif
    return (uint32_t)(((uint64_t)wr_rng_u32(r) * n) >> 32);
}

/* True in `percent` of 100 calls. */
static inline bool wr_rng_chance(wr_rng *r, uint32_t percent)
{
    return wr_rng_below(r, 100) < percent;
}

#endif
