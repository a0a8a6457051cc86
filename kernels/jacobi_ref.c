/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of jacobi. Neighbours are added left, right, below, above. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_jacobi(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffn")) {
        return "jacobi takes f32 buffers from, to and the side of the grid";
    }
    const float *from = launch->args[0].data;
    float *to = launch->args[1].data;
    int64_t n = launch->args[2].integer;
    if (n < 1 || (int64_t)launch->grid[0] * launch->block[0] < n ||
        (int64_t)launch->grid[1] * launch->block[1] < n) {
        return "the grid of TBs does not cover the points";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(n * n)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(n * n))) {
        return "a buffer is smaller than n x n";
    }
    memcpy(to, from, (size_t)(n * n) * sizeof *to);
    for (int64_t y = 1; y < n - 1; y++) {
        const float *above = from + (y - 1) * n;
        const float *row = from + y * n;
        const float *below = from + (y + 1) * n;
        for (int64_t x = 1; x < n - 1; x++) {
            float sum = row[x] + row[x - 1];
            sum += row[x + 1];
            sum += below[x];
            sum += above[x];
            to[y * n + x] = sum * 0.2f;
        }
    }
    return NULL;
}
