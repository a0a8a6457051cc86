/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of spmv_ellr, row by row. */
#include "kernels/reference.h"

const char *wr_reference_spmv_ellr(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iifffn")) {
        return "spmv_ellr takes buffers lengths, distances (32 bits), values, x, y (f32) and the "
               "rows";
    }
    const int32_t *lengths = launch->args[0].data;
    const int32_t *distances = launch->args[1].data;
    const float *values = launch->args[2].data;
    const float *x = launch->args[3].data;
    float *y = launch->args[4].data;
    int64_t rows = launch->args[5].integer;
    if (rows < 1 || (int64_t)launch->grid[0] * launch->block[0] < rows ||
        !wr_reference_holds(launch, 0, (uint64_t)rows) ||
        !wr_reference_holds(launch, 3, (uint64_t)rows) ||
        !wr_reference_holds(launch, 4, (uint64_t)rows)) {
        return "the grid or a buffer does not cover the rows";
    }
    for (int64_t row = 0; row < rows; row++) {
        uint64_t entries = lengths[row] > 0 ? (uint64_t)((lengths[row] - 1) * rows + row + 1) : 0;
        if (!wr_reference_holds(launch, 1, entries) || !wr_reference_holds(launch, 2, entries)) {
            return "distances or values are shorter than a row's entries";
        }
        y[row] = 0.0f;
        for (int64_t k = 0; k < lengths[row]; k++) {
            int64_t distance = distances[k * rows + row];
            if (distance < 0 || distance > rows) {
                return "a distance is not from 0 to the rows";
            }
            y[row] += values[k * rows + row] * x[(row + distance) % rows];
        }
    }
    return NULL;
}
