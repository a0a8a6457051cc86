/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of lud_diagonal: Gaussian elimination without pivots inside each diagonal block. The
 * kernel goes about it row and column in turn; per element the order is the same. */
#include "kernels/reference.h"

const char *wr_reference_lud_diagonal(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fnn")) {
        return "lud_diagonal takes an f32 buffer matrix, its size and an offset";
    }
    int64_t size = launch->args[1].integer;
    int64_t offset = launch->args[2].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){16, 1, 1})) {
        return "lud_diagonal needs block [16, 1, 1] and grid [n, 1, 1]";
    }
    if (offset < 0 || offset + 16 * (int64_t)launch->grid[0] > size ||
        !wr_reference_holds(launch, 0, (uint64_t)(size * size))) {
        return "the matrix is too small for the grid";
    }
    float *m = launch->args[0].data;

    for (uint32_t b = 0; b < launch->grid[0]; b++) {
        int64_t first = offset + 16 * (int64_t)b, last = first + 16;
        for (int64_t k = first; k < last; k++) {
            for (int64_t i = k + 1; i < last; i++) {
                m[i * size + k] /= m[k * size + k];
                for (int64_t j = k + 1; j < last; j++) {
                    m[i * size + j] -= m[i * size + k] * m[k * size + j];
                }
            }
        }
    }
    return NULL;
}
