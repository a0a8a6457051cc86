/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of bitonic_sort's two kernels. What the network has done to a run of 512 keys once it
 * reaches stride 1 is to sort it, up or down, so qsort does it; a merge launch is one column of
 * the network, done pair by pair. The array that the last launch leaves is checked to ascend. */
#include "kernels/reference.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 512 };

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

static const char *merge(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "inn")) {
        return "bitonic_merge takes a 32-bit buffer keys, then size and stride";
    }
    int32_t *keys = launch->args[0].data;
    int64_t size = launch->args[1].integer;
    int64_t stride = launch->args[2].integer;
    int64_t count = (int64_t)launch->args[0].count;
    if (count != 2 * (int64_t)launch->grid[0] * launch->block[0] || stride < RUN ||
        size < 2 * stride || count % size) {
        return "bitonic_merge needs half as many threads as keys, a stride of 512 or more, and a "
               "size that divides the keys";
    }
    for (int64_t group = 0; group < count; group += 2 * stride) {
        for (int64_t i = group; i < group + stride; i++) {
            bool rises = group / size % 2 == 0;
            int32_t least = keys[i] < keys[i + stride] ? keys[i] : keys[i + stride];
            int32_t most = keys[i] < keys[i + stride] ? keys[i + stride] : keys[i];
            keys[i] = rises ? least : most;
            keys[i + stride] = rises ? most : least;
        }
    }
    return NULL;
}

const char *wr_reference_bitonic_sort(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "bitonic_merge") == 0) {
        return merge(launch);
    }
    if (!wr_reference_takes(launch, "inn")) {
        return "bitonic_sort takes a 32-bit buffer keys, then first and last size";
    }
    int32_t *keys = launch->args[0].data;
    int64_t first = launch->args[1].integer;
    int64_t size = launch->args[2].integer;
    int64_t count = (int64_t)launch->args[0].count;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){RUN / 2, 1, 1}) ||
        count != RUN * (int64_t)launch->grid[0]) {
        return "bitonic_sort needs block [256] and a TB for each 512 keys";
    }
    if (size < RUN || count % size || first != (size == RUN ? 2 : size)) {
        return "bitonic_sort goes from size 2 to 512, or through one larger size";
    }
    for (int64_t run = 0; run < count; run += RUN) {
        qsort(keys + run, RUN, sizeof *keys, run / size % 2 == 0 ? ascending : descending);
    }
    for (int64_t i = 1; size == count && i < count; i++) {
        if (keys[i - 1] > keys[i]) {
            return "the launches do not make up the whole network";
        }
    }
    return NULL;
}
