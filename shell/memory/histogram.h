/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram of times in power-of-two bins: bin b counts values of b significant bits, so from
 * 2^(b-1) up to 2^b - 1; bin 0 counts zeros, the last bin has no end. */
#ifndef WR_SHELL_MEMORY_HISTOGRAM_H
#define WR_SHELL_MEMORY_HISTOGRAM_H

#include <stdint.h>

#define WR_HISTOGRAM_BINS 20

typedef struct wr_histogram {
    uint64_t bin[WR_HISTOGRAM_BINS];
    uint64_t count, sum;
} wr_histogram;

static inline void wr_histogram_add(wr_histogram *h, uint64_t value)
{
    uint32_t bin = value != 0 ? 64U - (uint32_t)__builtin_clzll(value) : 0;
    h->bin[bin < WR_HISTOGRAM_BINS ? bin : WR_HISTOGRAM_BINS - 1]++;
    h->count++;
    h->sum += value;
}

static inline void wr_histogram_join(wr_histogram *h, const wr_histogram *other)
{
    for (uint32_t i = 0; i < WR_HISTOGRAM_BINS; i++) {
        h->bin[i] += other->bin[i];
    }
    h->count += other->count;
    h->sum += other->sum;
}

#endif
