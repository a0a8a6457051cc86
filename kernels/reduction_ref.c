/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of reduction: every TB's share of the array, added up element by element. */
#include "kernels/reference.h"

enum { THREADS = 128, SPAN = 2 * THREADS };

const char *wr_reference_reduction(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "reduction takes 32-bit buffers values, sums and a count";
    }
    const uint32_t *values = launch->args[0].data;
    uint32_t *sums = launch->args[1].data;
    int64_t count = launch->args[2].integer;
    uint32_t tbs = launch->grid[0];
    if (tbs == 0 ||
        !wr_reference_shape(launch, (uint32_t[]){tbs, 1, 1}, (uint32_t[]){THREADS, 1, 1})) {
        return "reduction needs block [128] and a grid of one dimension";
    }
    if (count < 0 || !wr_reference_holds(launch, 0, (uint64_t)count) ||
        !wr_reference_holds(launch, 1, tbs)) {
        return "a buffer is too short for the count or the grid";
    }

    for (uint32_t tb = 0; tb < tbs; tb++) {
        sums[tb] = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        sums[i / SPAN % tbs] += values[i];
    }
    return NULL;
}
