/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of srad_reduce. A tree sum is defined by halving: the sum of a range is that of its
 * left half plus that of its right; this is the kernel's order, so equal to the bit. */
#include "kernels/reference.h"

typedef struct series {
    const float *at;
    uint64_t stride, count; /* elements from `count` on are 0 */
} series;

static float tree_sum(const series *s, uint64_t first, uint64_t n)
{
    if (n == 1) {
        return first < s->count ? s->at[first * s->stride] : 0.0f;
    }
    return tree_sum(s, first, n / 2) + tree_sum(s, first + n / 2, n / 2);
}

const char *wr_reference_srad_reduce(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nnff")) {
        return "srad_reduce takes a count, a stride, and f32 buffers sums, squares";
    }
    int64_t count = launch->args[0].integer;
    int64_t stride = launch->args[1].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){512, 1, 1}) ||
        count < 1 || stride < 1 || (count - 1) / 512 + 1 != (int64_t)launch->grid[0]) {
        return "srad_reduce needs block [512, 1, 1] and grid [count / 512 rounded up, 1, 1]";
    }
    for (size_t b = 2; b < 4; b++) {
        if (!wr_reference_holds(launch, b, (uint64_t)((count - 1) * stride + 1))) {
            return "a buffer is too short for count and stride";
        }
        float *data = launch->args[b].data;
        const series s = {data, (uint64_t)stride, (uint64_t)count};
        for (uint64_t first = 0; first < s.count; first += 512) {
            data[first * s.stride] = tree_sum(&s, first, 512);
        }
    }
    return NULL;
}
