/* SPDX-License-Identifier: Apache-2.0 */
/* The lesser and the greater of two numbers. */
#ifndef WR_REFMODEL_MINMAX_H
#define WR_REFMODEL_MINMAX_H

#include <stdint.h>

static inline uint64_t wr_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t wr_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
