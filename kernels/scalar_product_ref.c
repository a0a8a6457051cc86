/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of scalar_product. 256 interleaved sums, folded in half until one is left: the
 * order that the kernel adds in, so results are equal to the bit. */
#include "kernels/reference.h"

enum { LANES = 256 };

static float fold(const float *sums, uint64_t first, uint64_t step)
{
    if (step >= LANES) {
        return sums[first];
    }
    return fold(sums, first, 2 * step) + fold(sums, first + step, 2 * step);
}

const char *wr_reference_scalar_product(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "scalar_product takes f32 buffers a, b, product and the elements of a vector";
    }
    const float *a = launch->args[0].data;
    const float *b = launch->args[1].data;
    float *product = launch->args[2].data;
    int64_t elements = launch->args[3].integer;
    uint32_t pairs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){pairs, 1, 1}, (uint32_t[]){LANES, 1, 1})) {
        return "scalar_product needs block [256] and a grid of one dimension";
    }
    if (elements < 0 || !wr_reference_holds(launch, 0, pairs * (uint64_t)elements) ||
        !wr_reference_holds(launch, 1, pairs * (uint64_t)elements) ||
        !wr_reference_holds(launch, 2, pairs)) {
        return "a buffer is too short for the grid";
    }

    for (uint32_t pair = 0; pair < pairs; pair++) {
        float sums[LANES] = {0};
        for (int64_t i = 0; i < elements; i++) {
            sums[i % LANES] += a[pair * elements + i] * b[pair * elements + i];
        }
        product[pair] = fold(sums, 0, 1);
    }
    return NULL;
}
