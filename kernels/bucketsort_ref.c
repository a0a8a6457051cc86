/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of bucketsort's four kernels. Keys are scattered in the order in which they come,
 * and the last launch sorts them all at once, since buckets ascend. */
#include "kernels/reference.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 128, CAPACITY = 512 };

static int32_t bucket_of(float key)
{
    int32_t bucket = (int32_t)(key * (float)BUCKETS);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static bool in_range(const float *keys, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!(keys[i] >= 0.0f && keys[i] <= 1.0f)) {
            return false;
        }
    }
    return true;
}

static const char *tally(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fin") || !wr_reference_holds(launch, 1, BUCKETS)) {
        return "bucket_count takes an f32 buffer keys, 128 32-bit counts and the number of keys";
    }
    const float *keys = launch->args[0].data;
    int32_t *counts = launch->args[1].data;
    uint64_t count = (uint64_t)launch->args[2].integer;
    if (!wr_reference_holds(launch, 0, count) || !in_range(keys, count)) {
        return "there are less keys than that, or one is not in 0..1";
    }
    for (uint64_t i = 0; i < count; i++) {
        counts[bucket_of(keys[i])]++;
    }
    return NULL;
}

static const char *find_starts(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iii") || !wr_reference_holds(launch, 0, BUCKETS) ||
        !wr_reference_holds(launch, 1, BUCKETS + 1) || !wr_reference_holds(launch, 2, BUCKETS)) {
        return "bucket_starts takes 32-bit buffers of 128 counts, 129 starts and 128 next places";
    }
    const int32_t *counts = launch->args[0].data;
    int32_t *starts = launch->args[1].data;
    int32_t *next = launch->args[2].data;
    starts[0] = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        if (counts[b] > CAPACITY) {
            return "a bucket has more than 512 keys";
        }
        next[b] = starts[b];
        starts[b + 1] = starts[b] + counts[b];
    }
    return NULL;
}

static const char *scatter(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fifn") || !wr_reference_holds(launch, 1, BUCKETS)) {
        return "bucket_scatter takes buffers keys (f32), next (128 x 32 bits), scattered (f32) and "
               "the number of keys";
    }
    const float *keys = launch->args[0].data;
    int32_t *next = launch->args[1].data;
    float *scattered = launch->args[2].data;
    uint64_t count = (uint64_t)launch->args[3].integer;
    if (!wr_reference_holds(launch, 0, count) || !in_range(keys, count)) {
        return "there are less keys than that, or one is not in 0..1";
    }
    for (uint64_t i = 0; i < count; i++) {
        int32_t place = next[bucket_of(keys[i])]++;
        if (place < 0 || !wr_reference_holds(launch, 2, (uint64_t)place + 1)) {
            return "a bucket reaches beyond the scattered keys";
        }
        scattered[place] = keys[i];
    }
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

static const char *sort(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "if") || !wr_reference_holds(launch, 0, BUCKETS + 1) ||
        launch->grid[0] != BUCKETS) {
        return "bucket_sort takes 129 32-bit starts and an f32 buffer keys, and a TB a bucket";
    }
    const int32_t *starts = launch->args[0].data;
    if (starts[BUCKETS] < 0 || !wr_reference_holds(launch, 1, (uint64_t)starts[BUCKETS])) {
        return "there are less keys than the starts say";
    }
    qsort(launch->args[1].data, (size_t)starts[BUCKETS], sizeof(float), ascending);
    return NULL;
}

const char *wr_reference_bucketsort(const wr_reference_launch *launch)
{
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){128, 1, 1})) {
        return "bucketsort needs block [128] and a grid of one dimension";
    }
    if (strcmp(launch->kernel, "bucket_count") == 0) {
        return tally(launch);
    }
    if (strcmp(launch->kernel, "bucket_starts") == 0) {
        return find_starts(launch);
    }
    if (strcmp(launch->kernel, "bucket_scatter") == 0) {
        return scatter(launch);
    }
    return sort(launch);
}
