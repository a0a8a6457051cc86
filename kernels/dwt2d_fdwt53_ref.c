/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of dwt2d_fdwt53: lines of the whole image are transformed one at a time, rows first,
 * from a copy, straight from the definition of the 5/3 wavelet. */
#include "kernels/reference.h"

#include <stdlib.h>

/* In: n values `step` apart. Out: low band in the first half, high band in the second. */
static void transform(int32_t *line, int64_t n, int64_t step, int32_t *in)
{
    for (int64_t i = 0; i < n; i++) {
        in[i] = line[i * step];
    }
    for (int64_t i = 1; i < n; i += 2) {
        int32_t right = i + 1 < n ? in[i + 1] : in[i - 1];
        line[(n / 2 + i / 2) * step] = in[i] - ((in[i - 1] + right) >> 1);
    }
    for (int64_t i = 0; i < n; i += 2) {
        int32_t high = line[(n / 2 + i / 2) * step];
        int32_t before = i > 0 ? line[(n / 2 + i / 2 - 1) * step] : high;
        line[i / 2 * step] = in[i] + ((before + high + 2) >> 2);
    }
}

const char *wr_reference_dwt2d_fdwt53(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iinnn")) {
        return "dwt2d_fdwt53 takes 32-bit buffers image, bands, then width, height, steps";
    }
    const int32_t *image = launch->args[0].data;
    int32_t *bands = launch->args[1].data;
    int64_t width = launch->args[2].integer;
    int64_t height = launch->args[3].integer;
    int64_t steps = launch->args[4].integer;
    if (launch->block[0] != 192 || launch->block[1] != 1 || launch->block[2] != 1) {
        return "dwt2d_fdwt53 needs block [192, 1, 1]";
    }
    if (steps < 1 || width != 192 * (int64_t)launch->grid[0] ||
        height != 8 * steps * (int64_t)launch->grid[1]) {
        return "dwt2d_fdwt53 needs grid [width / 192, height / (8 * steps), 1]";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(width * height)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(width * height))) {
        return "a buffer is too short for the image";
    }

    int32_t *scratch = malloc((size_t)(width > height ? width : height) * sizeof *scratch);
    if (!scratch) {
        return "out of memory";
    }
    for (int64_t i = 0; i < width * height; i++) {
        bands[i] = image[i];
    }
    for (int64_t y = 0; y < height; y++) {
        transform(bands + y * width, width, 1, scratch);
    }
    for (int64_t x = 0; x < width; x++) {
        transform(bands + x, height, width, scratch);
    }
    free(scratch);
    return NULL;
}
