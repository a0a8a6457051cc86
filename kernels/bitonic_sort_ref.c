/* Reference of bitonic_sort: qsort for the runs; for a merge launch, which is one column of the
 * network, each pair by itself. The array that the last launch leaves is checked to ascend. */
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
    if (!wr_reference_takes(launch, "inn"))
        return "bitonic_merge takes a 32-bit buffer keys, then size and stride";
    int32_t *keys = launch->args[0].data;
    int64_t size = launch->args[1].integer;
    int64_t stride = launch->args[2].integer;
    int64_t count = (int64_t)launch->args[0].count;
    if (count != 2 * (int64_t)launch->grid[0] * launch->block[0] || stride < 1 || size < 2 * stride)
        return "bitonic_merge needs half as many threads as keys and a stride below the size";
    for (int64_t group = 0; group < count; group += 2 * stride) {
        for (int64_t i = group; i < group + stride; i++) {
            bool rises = group / size % 2 == 0;
            int32_t least = keys[i] < keys[i + stride] ? keys[i] : keys[i + stride];
            int32_t most = keys[i] < keys[i + stride] ? keys[i + stride] : keys[i];
            keys[i] = rises ? least : most;
            keys[i + stride] = rises ? most : least;
        }
    }
    if (stride > 1 || size != count)
        return NULL;
    for (int64_t i = 1; i < count; i++)
        if (keys[i - 1] > keys[i])
            return "the launches do not make up the whole network";
    return NULL;
}

const char *wr_reference_bitonic_sort(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "bitonic_merge") == 0)
        return merge(launch);
    if (!wr_reference_takes(launch, "i"))
        return "bitonic_sort takes a 32-bit buffer keys";
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){RUN / 2, 1, 1}) ||
        launch->args[0].count != (uint64_t)launch->grid[0] * RUN)
        return "bitonic_sort needs block [256] and a TB for each 512 keys";
    int32_t *keys = launch->args[0].data;
    for (uint64_t run = 0; run < launch->grid[0]; run++)
        qsort(keys + run * RUN, RUN, sizeof *keys, run % 2 == 0 ? ascending : descending);
    return NULL;
}
