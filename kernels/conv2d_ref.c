/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of conv2d: a table of weights, applied row by row. */
#include "kernels/reference.h"

const char *wr_reference_conv2d(const wr_reference_launch *launch)
{
    static const float weights[3][3] = {
        {0.2f, -0.3f, 0.4f}, {0.5f, 0.6f, 0.7f}, {-0.8f, -0.9f, 0.1f}};
    if (!wr_reference_takes(launch, "ffnn")) {
        return "conv2d takes f32 buffers in, out, then width and height";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    int64_t width = launch->args[2].integer;
    int64_t height = launch->args[3].integer;
    if (width < 1 || height < 1 || (int64_t)launch->grid[0] * launch->block[0] < width ||
        (int64_t)launch->grid[1] * launch->block[1] < height) {
        return "the grid does not cover the image";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(width * height)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(width * height))) {
        return "a buffer is smaller than the image";
    }
    for (int64_t y = 1; y < height - 1; y++) {
        for (int64_t x = 1; x < width - 1; x++) {
            float sum = 0.0f;
            for (int64_t i = 0; i < 9; i++) {
                sum += weights[i / 3][i % 3] * in[(y + i / 3 - 1) * width + x + i % 3 - 1];
            }
            out[y * width + x] = sum;
        }
    }
    return NULL;
}
