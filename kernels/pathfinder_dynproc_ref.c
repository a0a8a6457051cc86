/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of pathfinder_dynproc: plain dynamic programming over whole rows, no strips. */
#include "kernels/reference.h"

#include <stdlib.h>
#include <string.h>

static int32_t least_of_three(const int32_t *row, int64_t x, int64_t cols)
{
    int32_t best = row[x];
    if (x > 0 && row[x - 1] < best) {
        best = row[x - 1];
    }
    if (x + 1 < cols && row[x + 1] < best) {
        best = row[x + 1];
    }
    return best;
}

const char *wr_reference_pathfinder_dynproc(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "niiinnn")) {
        return "pathfinder_dynproc takes rows, buffers wall, from, to, then cols, start_row, "
               "border";
    }
    int64_t rows = launch->args[0].integer;
    const int32_t *wall = launch->args[1].data;
    const int32_t *from = launch->args[2].data;
    int32_t *to = launch->args[3].data;
    int64_t cols = launch->args[4].integer;
    int64_t start_row = launch->args[5].integer;
    if (launch->block[0] != 256 || launch->block[1] != 1 || launch->block[2] != 1) {
        return "pathfinder_dynproc needs block [256, 1, 1]";
    }
    if (rows < 1 || rows > 127 || launch->args[6].integer != rows) {
        return "rows must be 1 to 127 and border the same";
    }
    if (cols < 1 || start_row < 0 ||
        launch->args[1].count < (uint64_t)((start_row + rows) * cols) ||
        launch->args[2].count < (uint64_t)cols || launch->args[3].count < (uint64_t)cols) {
        return "a buffer is too short for cols and rows";
    }
    if ((int64_t)launch->grid[0] * (256 - 2 * rows) < cols) {
        return "the grid does not reach the last column";
    }

    size_t bytes = (size_t)cols * sizeof(int32_t);
    int32_t *row = malloc(bytes);
    int32_t *below = malloc(bytes);
    const char *error = NULL;
    if (row && below) {
        memcpy(row, from, bytes);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t x = 0; x < cols; x++) {
                below[x] = least_of_three(row, x, cols) + wall[(start_row + r) * cols + x];
            }
            memcpy(row, below, bytes);
        }
        memcpy(to, row, bytes);
    } else {
        error = "out of memory";
    }
    free(row);
    free(below);
    return error;
}
