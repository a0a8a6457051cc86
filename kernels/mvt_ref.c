/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mvt's two kernels: one walk over the matrix, which adds each element to the
 * output that it belongs to. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_mvt(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "mvt takes f32 buffers a, y, x and the side of the matrix";
    }
    const float *a = launch->args[0].data;
    const float *y = launch->args[1].data;
    float *x = launch->args[2].data;
    int64_t n = launch->args[3].integer;
    bool columns = strcmp(launch->kernel, "mvt_columns") == 0;
    if (n < 1 || (int64_t)launch->grid[0] * launch->block[0] < n) {
        return "the grid does not cover the result";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(n * n)) ||
        !wr_reference_holds(launch, 1, (uint64_t)n) ||
        !wr_reference_holds(launch, 2, (uint64_t)n)) {
        return "a buffer is too short for the side of the matrix";
    }
    for (int64_t at = 0; at < n * n; at++) {
        int64_t row = at / n;
        int64_t column = at % n;
        x[columns ? column : row] += a[at] * y[columns ? row : column];
    }
    return NULL;
}
