/* SPDX-License-Identifier: Apache-2.0 */
/* What the block tests share: random numbers with a printed seed, traffic of changing density,
 * register values that lie on and beside the patterns, and checks that say where they failed.
 *
 * A rig knows nothing of any block. The seed comes from WARPREF_SEED where that is set; each
 * failure names it together with the configuration and the cycle.
 */
#ifndef WR_TESTS_BLOCKS_RIG_H
#define WR_TESTS_BLOCKS_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cmocka.h needs these four and includes none of them. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { WR_RIG_MAX_LANES = 64 };

typedef struct wr_rig {
    uint64_t seed;
    uint64_t random; /* state of the generator */
    uint64_t cycle;
    uint64_t checks;
    unsigned offer_percent; /* how often the producer offers, at present */
    unsigned ready_percent; /* how often the consumer is ready, at present */
    char config[160];
} wr_rig;

/* The seed of this run: WARPREF_SEED, or a fixed one. Prints it. */
uint64_t wr_rig_seed(void);

/* config: what the failing message names, printf style. */
void wr_rig_init(wr_rig *rig, uint64_t seed, const char *config, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t wr_rig_random(wr_rig *rig);
/* One bit in eight is set. */
uint64_t wr_rig_sparse(wr_rig *rig);
unsigned wr_rig_below(wr_rig *rig, unsigned limit);
bool wr_rig_chance(wr_rig *rig, unsigned percent);

/* To be called once a cycle: counts it and now and then changes the density of the traffic. */
void wr_rig_next_cycle(wr_rig *rig);
bool wr_rig_offers(wr_rig *rig);
bool wr_rig_takes(wr_rig *rig);

/* A register whose groups are uniform, strided, nearly so, or random. */
void wr_rig_register(wr_rig *rig, uint32_t *lane, unsigned lanes);

/* Fills words with random bits. */
void wr_rig_words(wr_rig *rig, uint32_t *word, unsigned n);

/* Each fails the test where got differs from want. */
void wr_rig_check(wr_rig *rig, const char *what, uint64_t got, uint64_t want);
void wr_rig_check_words(wr_rig *rig, const char *what, const uint32_t *got, const uint32_t *want,
                        unsigned n);

/* Prints what a traffic test has done, and fails where it has done nothing. */
void wr_rig_report(const wr_rig *rig, uint64_t transactions);

#endif
