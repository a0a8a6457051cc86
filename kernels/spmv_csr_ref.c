/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of spmv_csr's two kernels. */
#include "kernels/reference.h"

#include <string.h>

static const char *offsets(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "spmv_offsets takes 32-bit buffers lengths, starts and the rows";
    }
    const int32_t *lengths = launch->args[0].data;
    int32_t *starts = launch->args[1].data;
    uint64_t rows = (uint64_t)launch->args[2].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){1, 1, 1}, (uint32_t[]){256, 1, 1})) {
        return "spmv_offsets needs one TB of 256 threads";
    }
    if (!wr_reference_holds(launch, 0, rows) || !wr_reference_holds(launch, 1, rows + 1)) {
        return "a buffer is shorter than the rows";
    }
    starts[0] = 0;
    for (uint64_t row = 0; row < rows; row++) {
        starts[row + 1] = starts[row] + lengths[row];
    }
    return NULL;
}

const char *wr_reference_spmv_csr(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "spmv_offsets") == 0) {
        return offsets(launch);
    }
    if (!wr_reference_takes(launch, "iifffn")) {
        return "spmv_csr takes buffers starts, columns (32 bits), values, x, y (f32) and the rows";
    }
    const int32_t *starts = launch->args[0].data;
    const int32_t *columns = launch->args[1].data;
    const float *values = launch->args[2].data;
    const float *x = launch->args[3].data;
    float *y = launch->args[4].data;
    int64_t rows = launch->args[5].integer;
    if (rows < 1 || (int64_t)launch->grid[0] * launch->block[0] < rows ||
        !wr_reference_holds(launch, 0, (uint64_t)rows + 1) ||
        !wr_reference_holds(launch, 4, (uint64_t)rows)) {
        return "the grid or a buffer does not cover the rows";
    }
    int64_t entries = starts[rows];
    if (entries < 0 || !wr_reference_holds(launch, 1, (uint64_t)entries) ||
        !wr_reference_holds(launch, 2, (uint64_t)entries)) {
        return "columns or values are shorter than the rows' entries";
    }
    for (int64_t row = 0; row < rows; row++) {
        y[row] = 0.0f;
    }
    for (int64_t i = 0, row = 0; i < entries; i++) {
        while (i >= starts[row + 1]) {
            row++;
        }
        if (columns[i] < 0 || !wr_reference_holds(launch, 3, (uint64_t)columns[i] + 1)) {
            return "a column lies outside x";
        }
        y[row] += values[i] * x[columns[i]];
    }
    return NULL;
}
