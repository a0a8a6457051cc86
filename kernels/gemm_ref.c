/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of gemm: rank-1 updates, each product rounded as the kernel rounds it. */
#include "kernels/reference.h"

const char *wr_reference_gemm(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffrrnnn")) {
        return "gemm takes f32 buffers a, b, c, f32 alpha and beta, then m, n, k";
    }
    const float *a = launch->args[0].data;
    const float *b = launch->args[1].data;
    float *c = launch->args[2].data;
    float alpha = (float)launch->args[3].real;
    float beta = (float)launch->args[4].real;
    int64_t m = launch->args[5].integer;
    int64_t n = launch->args[6].integer;
    int64_t k = launch->args[7].integer;
    if (m < 0 || n < 0 || k < 0 || (int64_t)launch->grid[0] * launch->block[0] < n ||
        (int64_t)launch->grid[1] * launch->block[1] < m) {
        return "the grid does not cover the result";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(m * k)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(k * n)) ||
        !wr_reference_holds(launch, 2, (uint64_t)(m * n))) {
        return "a buffer is smaller than its matrix";
    }

    for (int64_t i = 0; i < m * n; i++) {
        c[i] *= beta;
    }
    for (int64_t p = 0; p < k; p++) {
        for (int64_t i = 0; i < m; i++) {
            float scaled = alpha * a[i * k + p];
            for (int64_t j = 0; j < n; j++) {
                c[i * n + j] += scaled * b[p * n + j];
            }
        }
    }
    return NULL;
}
