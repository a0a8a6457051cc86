/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of histogram256's two kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { BINS = 256, THREADS = 192 };

static const char *merge(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "histogram256_merge takes 32-bit buffers partial and histogram and a count of parts";
    }
    const int32_t *partial = launch->args[0].data;
    int32_t *histogram = launch->args[1].data;
    int64_t parts = launch->args[2].integer;

    if (!wr_reference_shape(launch, (uint32_t[]){BINS, 1, 1}, (uint32_t[]){BINS, 1, 1})) {
        return "histogram256_merge needs grid [256] and block [256]";
    }
    if (parts < 0 || !wr_reference_holds(launch, 0, (uint64_t)parts * BINS) ||
        !wr_reference_holds(launch, 1, BINS)) {
        return "a buffer is too short";
    }
    memset(histogram, 0, BINS * sizeof *histogram);
    for (int64_t i = 0; i < parts * BINS; i++) {
        histogram[i % BINS] += partial[i];
    }
    return NULL;
}

const char *wr_reference_histogram256(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "histogram256_merge") == 0) {
        return merge(launch);
    }
    if (!wr_reference_takes(launch, "iin")) {
        return "histogram256 takes 32-bit buffers words and partial and a count of words";
    }
    const uint8_t *bytes = launch->args[0].data;
    int32_t *partial = launch->args[1].data;
    int64_t count = launch->args[2].integer;
    int64_t tbs = launch->grid[0];

    if (!wr_reference_shape(launch, (uint32_t[]){(uint32_t)tbs, 1, 1},
                            (uint32_t[]){THREADS, 1, 1})) {
        return "histogram256 needs block [192] and a grid of one dimension";
    }
    if (count < 0 || !wr_reference_holds(launch, 0, (uint64_t)count) ||
        !wr_reference_holds(launch, 1, (uint64_t)tbs * BINS)) {
        return "a buffer is too short";
    }
    memset(partial, 0, (size_t)tbs * BINS * sizeof *partial);
    for (int64_t i = 0; i < 4 * count; i++) {
        int64_t tb = i / 4 / THREADS % tbs; /* words are dealt out by blocks of threads */
        partial[tb * BINS + bytes[i]]++;
    }
    return NULL;
}
