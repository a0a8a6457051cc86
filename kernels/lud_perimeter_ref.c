/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of lud_perimeter and of lud_diagonal before it: elimination of the 16 rows of the
 * diagonal block to its right, and of its 16 columns below it. */
#include "kernels/reference.h"

#include <string.h>

const char *wr_reference_lud_perimeter(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "lud_perimeter") != 0) {
        return wr_reference_lud_diagonal(launch);
    }
    if (!wr_reference_takes(launch, "fnn")) {
        return "lud_perimeter takes an f32 buffer matrix, its size and an offset";
    }
    int64_t size = launch->args[1].integer;
    int64_t first = launch->args[2].integer, last = first + 16;
    int64_t end = last + 16 * (int64_t)launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){32, 1, 1})) {
        return "lud_perimeter needs block [32, 1, 1] and grid [n, 1, 1]";
    }
    if (first < 0 || end > size || !wr_reference_holds(launch, 0, (uint64_t)(size * size))) {
        return "the matrix is too small for the grid";
    }
    float *m = launch->args[0].data;

    for (int64_t k = first; k < last; k++) {
        for (int64_t i = k + 1; i < last; i++) {
            for (int64_t j = last; j < end; j++) {
                m[i * size + j] -= m[i * size + k] * m[k * size + j];
            }
        }
        for (int64_t i = last; i < end; i++) {
            m[i * size + k] /= m[k * size + k];
            for (int64_t j = k + 1; j < last; j++) {
                m[i * size + j] -= m[i * size + k] * m[k * size + j];
            }
        }
    }
    return NULL;
}
