/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of heartwall: every place is tried one after the other. The template's two sums are
 * made in the kernel's order (every 256th element, then halves), so results are equal to the bit.
 */
#include "kernels/reference.h"

#include <math.h>

enum { SIDE = 26, AREA = SIDE * SIDE, PLACES = 16, LANES = 256 };

/* Sum of (value - offset)^power over the template, power 1 or 2. */
static float model_sum(const float *model, float offset, int power)
{
    float lane[LANES] = {0};
    for (int i = 0; i < AREA; i++) {
        float value = model[i] - offset;
        lane[i % LANES] += power == 2 ? value * value : value;
    }
    for (int n = LANES; n > 1; n /= 2) {
        for (int i = 0; i < n / 2; i++) {
            lane[i] += lane[i + n / 2];
        }
    }
    return lane[0];
}

static float correlation(const float *model, float mean, float spread, const float *corner,
                         int64_t width)
{
    float product = 0, sum = 0, squares = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            float value = corner[y * width + x];
            product += value * model[y * SIDE + x];
            sum += value;
            squares += value * value;
        }
    }
    return (product - sum * mean) / sqrtf((squares - sum * sum / AREA) * spread);
}

const char *wr_reference_heartwall(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fnfiif")) {
        return "heartwall takes an f32 buffer frame, its width, an f32 buffer templates, 32-bit "
               "buffers xs, ys, and an f32 buffer scores";
    }
    uint64_t points = launch->grid[0];
    int64_t width = launch->args[1].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){LANES, 1, 1}) ||
        width < 1) {
        return "heartwall needs block [256, 1, 1] and grid [points, 1, 1]";
    }
    for (size_t i = 2; i < 6; i++) {
        if (!wr_reference_holds(launch, i, points * (i == 2 ? AREA : 1))) {
            return "a buffer is too short for the points";
        }
    }
    const float *frame = launch->args[0].data;
    int32_t *xs = launch->args[3].data;
    int32_t *ys = launch->args[4].data;
    float *scores = launch->args[5].data;
    int64_t height = (int64_t)launch->args[0].count / width, reach = SIDE + PLACES - 1;

    for (uint64_t p = 0; p < points; p++) {
        const float *model = (const float *)launch->args[2].data + p * AREA;
        float mean = model_sum(model, 0, 1) / AREA;
        float spread = model_sum(model, mean, 2);
        int64_t x = xs[p], y = ys[p];
        if (x < 0 || y < 0 || x + reach > width || y + reach > height) {
            return "a point's window leaves the frame";
        }
        scores[p] = -2; /* below any correlation */
        for (int64_t place = 0; place < (int64_t)PLACES * PLACES; place++) {
            int64_t dx = place % PLACES, dy = place / PLACES;
            float score =
                correlation(model, mean, spread, frame + (y + dy) * width + x + dx, width);
            if (score > scores[p]) {
                scores[p] = score;
                xs[p] = (int32_t)(x + dx);
                ys[p] = (int32_t)(y + dy);
            }
        }
    }
    return NULL;
}
