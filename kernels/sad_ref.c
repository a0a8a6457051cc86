/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of sad's two kernels. */
#include "kernels/reference.h"

#include <stdlib.h>
#include <string.h>

enum { RANGE = 8, SPAN = 2 * RANGE + 1, DISPLACEMENTS = SPAN * SPAN };

static const char *larger(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "sad_larger takes 32-bit buffers small, large and the small blocks in a row";
    }
    const int32_t *small = launch->args[0].data;
    int32_t *large = launch->args[1].data;
    uint64_t columns = launch->grid[0];
    uint64_t rows = launch->grid[1];
    if (launch->args[2].integer != 2 * (int64_t)columns) {
        return "a row needs twice as many small blocks as the grid has columns";
    }
    if (!wr_reference_holds(launch, 0, 4 * columns * rows * DISPLACEMENTS) ||
        !wr_reference_holds(launch, 1, columns * rows * DISPLACEMENTS)) {
        return "a buffer is too short for the grid";
    }
    memset(large, 0, columns * rows * DISPLACEMENTS * sizeof *large);
    for (uint64_t y = 0; y < 2 * rows; y++) {
        for (uint64_t x = 0; x < 2 * columns; x++) {
            for (uint64_t d = 0; d < DISPLACEMENTS; d++) {
                large[(y / 2 * columns + x / 2) * DISPLACEMENTS + d] +=
                    small[(y * 2 * columns + x) * DISPLACEMENTS + d];
            }
        }
    }
    return NULL;
}

static int64_t nearest(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

const char *wr_reference_sad(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "sad_larger") == 0) {
        return larger(launch);
    }
    if (!wr_reference_takes(launch, "bbinn")) {
        return "sad_4x4 takes byte buffers current and reference, 32-bit sads, width and height";
    }
    const uint8_t *current = launch->args[0].data;
    const uint8_t *reference = launch->args[1].data;
    int32_t *sads = launch->args[2].data;
    int64_t width = launch->args[3].integer;
    int64_t height = launch->args[4].integer;
    if (width < 4 || height < 4 || width % 4 || height % 4 ||
        !wr_reference_shape(launch, (uint32_t[]){(uint32_t)width / 4, (uint32_t)height / 4, 1},
                            (uint32_t[]){64, 1, 1})) {
        return "sad_4x4 needs block [64] and a TB for each 4 x 4 pixels";
    }
    uint64_t pixels = (uint64_t)(width * height);
    if (!wr_reference_holds(launch, 0, pixels) || !wr_reference_holds(launch, 1, pixels) ||
        !wr_reference_holds(launch, 2, pixels / 16 * DISPLACEMENTS)) {
        return "a buffer is smaller than the frame";
    }
    memset(sads, 0, pixels / 16 * DISPLACEMENTS * sizeof *sads);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            int32_t *block = sads + (y / 4 * (width / 4) + x / 4) * DISPLACEMENTS;
            for (int64_t d = 0; d < DISPLACEMENTS; d++) {
                int64_t there = nearest(y + d / SPAN - RANGE, height) * width +
                                nearest(x + d % SPAN - RANGE, width);
                block[d] += abs(current[y * width + x] - reference[there]);
            }
        }
    }
    return NULL;
}
