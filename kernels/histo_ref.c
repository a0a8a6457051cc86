/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of histo's three kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { BINS = 1024 };

static const char *range(const wr_reference_launch *launch, const int32_t *keys, uint64_t count)
{
    int32_t *least = launch->args[1].data;
    int32_t *most = launch->args[2].data;
    for (uint64_t i = 0; i < count; i++) {
        *least = keys[i] < *least ? keys[i] : *least;
        *most = keys[i] > *most ? keys[i] : *most;
    }
    return NULL;
}

static const char *tally(const wr_reference_launch *launch, const int32_t *keys, uint64_t count)
{
    int32_t *counts = launch->args[3].data;
    if (!wr_reference_holds(launch, 3, BINS)) {
        return "there are 1024 counts";
    }
    for (uint64_t i = 0; i < count; i++) {
        counts[keys[i]]++;
    }
    return NULL;
}

static const char *saturate(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ib") || !wr_reference_holds(launch, 0, BINS) ||
        !wr_reference_holds(launch, 1, BINS) ||
        (uint64_t)launch->grid[0] * launch->block[0] < BINS) {
        return "histo_final takes 1024 counts and 1024 bytes, and a thread for each";
    }
    const int32_t *counts = launch->args[0].data;
    uint8_t *histogram = launch->args[1].data;
    for (size_t bin = 0; bin < BINS; bin++) {
        histogram[bin] = counts[bin] > 255 ? 255 : (uint8_t)counts[bin];
    }
    return NULL;
}

const char *wr_reference_histo(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "histo_final") == 0) {
        return saturate(launch);
    }
    bool counts = strcmp(launch->kernel, "histo_main") == 0;
    if (!wr_reference_takes(launch, counts ? "iiiin" : "iiin")) {
        return "histo_range takes 32-bit buffers keys, least, most, and the count; histo_main has "
               "the "
               "counts before it";
    }
    const int32_t *keys = launch->args[0].data;
    uint64_t count = (uint64_t)launch->args[counts ? 4 : 3].integer;
    if (!wr_reference_holds(launch, 0, count) || !wr_reference_holds(launch, 1, 1) ||
        !wr_reference_holds(launch, 2, 1) || launch->block[0] != 256) {
        return "histo needs block [256] and as many keys as the count says";
    }
    for (uint64_t i = 0; i < count; i++) {
        if (keys[i] < 0 || keys[i] >= BINS) {
            return "a key is not in 0..1023";
        }
    }
    return counts ? tally(launch, keys, count) : range(launch, keys, count);
}
