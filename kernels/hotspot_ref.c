/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of hotspot: the whole chip step by step, no squares. */
#include "kernels/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct chip {
    int64_t cols, rows;
    const float *power;
    float step_by_capacity, per_rx, per_ry, per_rz, ambient;
} chip;

static void step(const chip *c, const float *now, float *later)
{
    for (int64_t y = 0; y < c->rows; y++) {
        for (int64_t x = 0; x < c->cols; x++) {
            int64_t at = y * c->cols + x;
            float here = now[at], twice = 2.0f * here;
            float north = y > 0 ? now[at - c->cols] : here;
            float south = y < c->rows - 1 ? now[at + c->cols] : here;
            float west = x > 0 ? now[at - 1] : here;
            float east = x < c->cols - 1 ? now[at + 1] : here;
            float gain = c->power[at];
            gain += (south + north - twice) * c->per_ry;
            gain += (east + west - twice) * c->per_rx;
            gain += (c->ambient - here) * c->per_rz;
            later[at] = here + c->step_by_capacity * gain;
        }
    }
}

const char *wr_reference_hotspot(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nfffnnrrrrr")) {
        return "hotspot takes steps, f32 buffers power, from, to, then cols, rows, and five f32 "
               "values";
    }
    const wr_reference_arg *args = launch->args;
    int64_t steps = args[0].integer, inner = 16 - 2 * steps;
    const chip c = {.cols = args[4].integer,
                    .rows = args[5].integer,
                    .power = args[1].data,
                    .step_by_capacity = (float)args[6].real,
                    .per_rx = (float)args[7].real,
                    .per_ry = (float)args[8].real,
                    .per_rz = (float)args[9].real,
                    .ambient = (float)args[10].real};
    if (launch->block[0] != 16 || launch->block[1] != 16 || launch->block[2] != 1) {
        return "hotspot needs block [16, 16, 1]";
    }
    if (steps < 1 || inner < 1 || c.cols < 1 || c.rows < 1) {
        return "steps must be 1 to 7, cols and rows positive";
    }
    if ((int64_t)launch->grid[0] * inner < c.cols || (int64_t)launch->grid[1] * inner < c.rows) {
        return "the grid does not reach the last cell";
    }
    uint64_t cells = (uint64_t)(c.cols * c.rows);
    for (size_t i = 1; i < 4; i++) {
        if (!wr_reference_holds(launch, i, cells)) {
            return "a buffer is too short for the chip";
        }
    }

    size_t bytes = (size_t)cells * sizeof(float);
    float *now = malloc(bytes), *later = malloc(bytes);
    const char *error = "out of memory";
    if (now && later) {
        memcpy(now, args[2].data, bytes);
        for (int64_t i = 0; i < steps; i++) {
            step(&c, now, later);
            memcpy(now, later, bytes);
        }
        memcpy(args[3].data, now, bytes);
        error = NULL;
    }
    free(now);
    free(later);
    return error;
}
