/* SPDX-License-Identifier: Apache-2.0 */
/* Shared part of the block tests; see the header. */
#include "tests/blocks/rig.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Far beyond what any test here needs: a block that never becomes ready fails, not hangs. */
enum { CYCLE_LIMIT = 5000000 };

uint64_t wr_rig_seed(void)
{
    uint64_t seed = 1;
    const char *text = getenv("WARPREF_SEED");
    if (text != NULL && text[0] != '\0') {
        char *end = NULL;
        errno = 0;
        seed = strtoull(text, &end, 0);
        if (errno != 0 || *end != '\0') {
            fail_msg("WARPREF_SEED is '%s': give a whole number", text);
        }
    }
    print_message("seed %" PRIu64 " (WARPREF_SEED)\n", seed);
    return seed;
}

void wr_rig_init(wr_rig *rig, uint64_t seed, const char *config, ...)
{
    *rig = (wr_rig){.seed = seed, .random = seed, .offer_percent = 50, .ready_percent = 50};
    va_list args;
    va_start(args, config);
    (void)vsnprintf(rig->config, sizeof rig->config, config, args);
    va_end(args);
}

/* splitmix64 */
uint64_t wr_rig_random(wr_rig *rig)
{
    rig->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = rig->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t wr_rig_sparse(wr_rig *rig)
{
    uint64_t bits = wr_rig_random(rig);
    for (unsigned i = 0; i < 2; i++) {
        bits &= wr_rig_random(rig);
    }
    return bits;
}

unsigned wr_rig_below(wr_rig *rig, unsigned limit)
{
    assert(limit > 0);
    return (unsigned)(wr_rig_random(rig) % limit);
}

bool wr_rig_chance(wr_rig *rig, unsigned percent)
{
    return wr_rig_below(rig, 100) < percent;
}

void wr_rig_next_cycle(wr_rig *rig)
{
    static const unsigned density[] = {5, 30, 50, 80, 100, 100};
    enum { DENSITIES = sizeof density / sizeof density[0] };

    rig->cycle++;
    if (rig->cycle > CYCLE_LIMIT) {
        fail_msg("%s, seed %" PRIu64 ": no end after %u cycles", rig->config, rig->seed,
                 CYCLE_LIMIT);
    }
    if (wr_rig_below(rig, 60) == 0) {
        rig->offer_percent = density[wr_rig_below(rig, DENSITIES)];
        rig->ready_percent = density[wr_rig_below(rig, DENSITIES)];
    }
}

bool wr_rig_offers(wr_rig *rig)
{
    return wr_rig_chance(rig, rig->offer_percent);
}

bool wr_rig_takes(wr_rig *rig)
{
    return wr_rig_chance(rig, rig->ready_percent);
}

static uint32_t edge_value(wr_rig *rig)
{
    static const uint32_t edge[] = {0,          1,          2,          0x7fffffff,
                                    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    if (wr_rig_chance(rig, 50)) {
        return edge[wr_rig_below(rig, sizeof edge / sizeof edge[0])];
    }
    return (uint32_t)wr_rig_random(rig);
}

void wr_rig_register(wr_rig *rig, uint32_t *lane, unsigned lanes)
{
    unsigned width = 8U << wr_rig_below(rig, 4);
    unsigned kind = wr_rig_below(rig, 6);
    bool same_stride = wr_rig_chance(rig, 50);
    uint32_t base = edge_value(rig);
    uint32_t stride = edge_value(rig);

    for (unsigned i = 0; i < lanes; i++) {
        if (i % width == 0 && i != 0) {
            base = edge_value(rig);
            stride = same_stride ? stride : edge_value(rig);
        }
        bool uniform = kind == 0 || (kind == 1 && (i / width) % 2 == 1);
        lane[i] = uniform ? base : base + (i % width) * stride;
    }
    if (kind == 4) {
        lane[wr_rig_below(rig, lanes)] ^= UINT32_C(1) << wr_rig_below(rig, 32);
    }
    if (kind == 5) {
        wr_rig_words(rig, lane, lanes);
        if (wr_rig_chance(rig, 50)) {
            lane[1] = lane[0];
        }
    }
}

void wr_rig_words(wr_rig *rig, uint32_t *word, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        word[i] = (uint32_t)wr_rig_random(rig);
    }
}

void wr_rig_check(wr_rig *rig, const char *what, uint64_t got, uint64_t want)
{
    rig->checks++;
    if (got != want) {
        fail_msg("%s, seed %" PRIu64 ", cycle %" PRIu64 ": %s is 0x%" PRIx64 ", oracle 0x%" PRIx64,
                 rig->config, rig->seed, rig->cycle, what, got, want);
    }
}

void wr_rig_check_words(wr_rig *rig, const char *what, const uint32_t *got, const uint32_t *want,
                        unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        rig->checks++;
        if (got[i] != want[i]) {
            fail_msg("%s, seed %" PRIu64 ", cycle %" PRIu64 ": %s[%u] is 0x%08" PRIx32
                     ", oracle 0x%08" PRIx32,
                     rig->config, rig->seed, rig->cycle, what, i, got[i], want[i]);
        }
    }
}

void wr_rig_report(const wr_rig *rig, uint64_t transactions)
{
    print_message("%s: %" PRIu64 " transactions, %" PRIu64 " cycles, %" PRIu64 " checks\n",
                  rig->config, transactions, rig->cycle, rig->checks);
    assert_true(transactions > 0);
    assert_true(rig->checks > rig->cycle);
}
