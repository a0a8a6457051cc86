/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of matrixmul: the sum over k in ascending order, as the tiles come. */
#include "kernels/reference.h"

const char *wr_reference_matrixmul(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffnn")) {
        return "matrixmul takes f32 buffers a, b, c, then the widths of a and b";
    }
    const float *a = launch->args[0].data;
    const float *b = launch->args[1].data;
    float *c = launch->args[2].data;
    int64_t depth = launch->args[3].integer;
    int64_t columns = launch->args[4].integer;
    int64_t rows = 16 * (int64_t)launch->grid[1];
    if (columns < 16 || columns % 16 || depth < 16 || depth % 16 ||
        !wr_reference_shape(launch, (uint32_t[]){(uint32_t)columns / 16, launch->grid[1], 1},
                            (uint32_t[]){16, 16, 1})) {
        return "matrixmul needs block [16, 16], widths that are multiples of 16, and a grid that "
               "covers the result";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(rows * depth)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(depth * columns)) ||
        !wr_reference_holds(launch, 2, (uint64_t)(rows * columns))) {
        return "a buffer is smaller than its matrix";
    }

    for (int64_t i = 0; i < rows * columns; i++) {
        c[i] = 0.0f;
    }
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
                c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
            }
        }
    }
    return NULL;
}
