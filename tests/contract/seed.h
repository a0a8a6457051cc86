/* SPDX-License-Identifier: Apache-2.0 */
/* The seed of a random test: WARPREF_SEED or 1, printed so that a failure can be had again. */
#ifndef WR_TESTS_CONTRACT_SEED_H
#define WR_TESTS_CONTRACT_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t wr_test_seed(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;

    (void)printf("seed %llu (set WARPREF_SEED)\n", (unsigned long long)seed);
    return seed;
}

#endif
