/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of transpose. */
#include "kernels/reference.h"

const char *wr_reference_transpose(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffnn")) {
        return "transpose takes f32 buffers in, out, then width and height";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    int64_t width = launch->args[2].integer;
    int64_t height = launch->args[3].integer;
    if (width < 1 || height < 1 ||
        !wr_reference_shape(
            launch, (uint32_t[]){(uint32_t)(width + 31) / 32, (uint32_t)(height + 31) / 32, 1},
            (uint32_t[]){32, 8, 1})) {
        return "transpose needs block [32, 8] and one TB for each 32 x 32 elements";
    }
    uint64_t count = (uint64_t)(width * height);
    if (!wr_reference_holds(launch, 0, count) || !wr_reference_holds(launch, 1, count)) {
        return "a buffer is smaller than the matrix";
    }
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            out[x * height + y] = in[y * width + x];
        }
    }
    return NULL;
}
