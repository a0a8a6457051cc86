/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of lud_internal and of the launches before it. What the three kernels do between them
 * is elimination without pivots; each product is subtracted in order of the eliminated row, as
 * the kernels do, so the result is equal to the bit. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_lud_internal(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "lud_internal") != 0) {
        return wr_reference_lud_perimeter(launch);
    }
    if (!wr_reference_takes(launch, "fnn")) {
        return "lud_internal takes an f32 buffer matrix, its size and an offset";
    }
    int64_t size = launch->args[1].integer;
    int64_t offset = launch->args[2].integer;
    int64_t cols = 16 * (int64_t)launch->grid[0], rows = 16 * (int64_t)launch->grid[1];
    if (launch->block[0] != 16 || launch->block[1] != 16 || launch->block[2] != 1) {
        return "lud_internal needs block [16, 16, 1]";
    }
    if (size < 1 || offset < 0 || offset + 16 + rows > size || offset + 16 + cols > size ||
        !wr_reference_holds(launch, 0, (uint64_t)(size * size))) {
        return "the matrix is too small for the grid";
    }
    float *m = launch->args[0].data;

    for (int64_t k = offset; k < offset + 16; k++) {
        for (int64_t i = offset + 16; i < offset + 16 + rows; i++) {
            for (int64_t j = offset + 16; j < offset + 16 + cols; j++) {
                m[i * size + j] -= m[i * size + k] * m[k * size + j];
            }
        }
    }
    return NULL;
}
