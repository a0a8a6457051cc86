/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of leukocyte_gicov. Directions come from the C library's sine, rounded to float and
 * made exact where it is 0; sums run around the circle as in the kernel, so the score is equal to
 * the bit. */
#include "kernels/reference.h"

#include <math.h>

enum { POINTS = 24 };

static float direction_sine(int i)
{
    const double pi = 3.14159265358979323846;
    return i % (POINTS / 2) == 0 ? 0.0f : (float)sin(2 * pi * i / POINTS);
}

static float score_of_circle(const float *gradient_x, const float *gradient_y, int64_t width,
                             int64_t centre, int64_t radius)
{
    float sum = 0, squares = 0;
    for (int i = 0; i < POINTS; i++) {
        float s = direction_sine(i), c = direction_sine((i + POINTS / 4) % POINTS);
        int64_t down = (int64_t)((float)radius * s), right = (int64_t)((float)radius * c);
        int64_t at = centre + down * width + right;
        float inward = gradient_x[at] * c + gradient_y[at] * s;
        sum += inward;
        squares += inward * inward;
    }
    float mean = sum / POINTS;
    return mean * mean / ((squares - sum * mean) / (POINTS - 1));
}

const char *wr_reference_leukocyte_gicov(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffnnn")) {
        return "leukocyte_gicov takes f32 buffers gradient_x, gradient_y, scores, then width, "
               "least and largest radius";
    }
    int64_t width = launch->args[3].integer;
    int64_t least = launch->args[4].integer;
    int64_t largest = launch->args[5].integer;
    int64_t rows = launch->grid[0], columns = launch->block[0];
    if (least < 1 || largest < least || largest > 1000 || width != columns + 2 * largest ||
        !wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){launch->block[0], 1, 1})) {
        return "leukocyte_gicov needs block [width - 2 * largest, 1, 1] and grid [rows, 1, 1]";
    }
    for (size_t i = 0; i < 3; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)((rows + 2 * largest) * width))) {
            return "a buffer is too short for the image";
        }
    }
    float *scores = launch->args[2].data;

    for (int64_t y = largest; y < rows + largest; y++) {
        for (int64_t x = largest; x < columns + largest; x++) {
            float best = 0;
            for (int64_t radius = least; radius <= largest; radius += 2) {
                float score = score_of_circle(launch->args[0].data, launch->args[1].data, width,
                                              y * width + x, radius);
                if (score > best) {
                    best = score;
                }
            }
            scores[y * width + x] = best;
        }
    }
    return NULL;
}
