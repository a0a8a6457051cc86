/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of binary_search: the place is built up from its highest bit, by powers of two. */
#include "kernels/reference.h"

const char *wr_reference_binary_search(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiinn")) {
        return "binary_search takes 32-bit buffers table, keys, places, then entries and count";
    }
    const int32_t *table = launch->args[0].data;
    const int32_t *keys = launch->args[1].data;
    int32_t *places = launch->args[2].data;
    int64_t entries = launch->args[3].integer;
    int64_t count = launch->args[4].integer;
    int64_t threads = (int64_t)launch->grid[0] * launch->block[0];
    if (entries < 0 || count < 0 || !wr_reference_holds(launch, 0, (uint64_t)entries) ||
        !wr_reference_holds(launch, 1, (uint64_t)count) ||
        !wr_reference_holds(launch, 2, (uint64_t)count)) {
        return "a buffer is shorter than its count";
    }
    for (int64_t i = 0; i < count && i < threads; i++) {
        int64_t below = 0; /* entries known to be below the key */
        for (int64_t bit = INT64_C(1) << 32; bit > 0; bit /= 2) {
            if (below + bit <= entries && table[below + bit - 1] < keys[i]) {
                below += bit;
            }
        }
        places[i] = (int32_t)below;
    }
    return NULL;
}
