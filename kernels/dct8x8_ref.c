/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of dct8x8: the two-dimensional sum by definition, in double precision. */
#include "kernels/reference.h"

#include <math.h>

enum { SIDE = 8 };

static double basis(int u, int x)
{
    double scale = u == 0 ? sqrt(1.0 / SIDE) : sqrt(2.0 / SIDE);
    return scale * cos((2 * x + 1) * u * acos(-1.0) / (2 * SIDE));
}

const char *wr_reference_dct8x8(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffn")) {
        return "dct8x8 takes f32 buffers image, out and the width";
    }
    const float *image = launch->args[0].data;
    float *out = launch->args[1].data;
    int64_t width = launch->args[2].integer;
    int64_t height = 32 * (int64_t)launch->grid[1];
    if (width < SIDE || width % SIDE ||
        !wr_reference_shape(launch, (uint32_t[]){(uint32_t)width / SIDE, launch->grid[1], 1},
                            (uint32_t[]){SIDE, 32, 1})) {
        return "dct8x8 needs block [8, 32] and a grid that covers the width";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(width * height)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(width * height))) {
        return "a buffer is smaller than the image";
    }
    double table[SIDE][SIDE];
    for (int u = 0; u < SIDE; u++) {
        for (int x = 0; x < SIDE; x++) {
            table[u][x] = basis(u, x);
        }
    }
    for (int64_t at = 0; at < width * height; at++) {
        int64_t v = at / width % SIDE;
        int64_t u = at % width % SIDE;
        const float *corner = image + (at - v * width - u);
        double sum = 0;
        for (int64_t y = 0; y < SIDE; y++) {
            for (int64_t x = 0; x < SIDE; x++) {
                sum += (double)corner[y * width + x] * table[v][y] * table[u][x];
            }
        }
        out[at] = (float)sum;
    }
    return NULL;
}
