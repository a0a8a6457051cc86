/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mm2: one product a launch, each element's terms in ascending order. */
#include "kernels/reference.h"

const char *wr_reference_mm2(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "mm2 takes f32 buffers a, b, product and the side of the matrices";
    }
    const float *a = launch->args[0].data;
    const float *b = launch->args[1].data;
    float *product = launch->args[2].data;
    int64_t n = launch->args[3].integer;
    if (n < 1 || (int64_t)launch->grid[0] * launch->block[0] < n ||
        (int64_t)launch->grid[1] * launch->block[1] < n) {
        return "the grid does not cover the result";
    }
    for (size_t i = 0; i < 3; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)(n * n))) {
            return "a buffer is smaller than n x n";
        }
    }

    for (int64_t row = 0; row < n; row++) {
        float *out = product + row * n;
        for (int64_t j = 0; j < n; j++) {
            out[j] = 0.0f;
        }
        for (int64_t k = 0; k < n; k++) {
            for (int64_t j = 0; j < n; j++) {
                out[j] += a[row * n + k] * b[k * n + j];
            }
        }
    }
    return NULL;
}
