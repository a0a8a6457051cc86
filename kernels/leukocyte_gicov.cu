/* SPDX-License-Identifier: Apache-2.0 */
/* How well a circle around each pixel fits the edge of a cell, after the idea of Rodinia's
 * leukocyte: along circles of several radii the gradient towards the centre is taken at 24
 * points; the score is the largest, over the radii, of mean squared by variance.
 *
 * A TB is one row of the image without a margin of the largest radius; a thread is a column.
 * Directions lie in constant memory: cos of direction i is the sine 6 further on.
 */
#include "cuda.h"

#define POINTS  24
#define QUARTER (POINTS / 4)

__constant__ float sine[POINTS + QUARTER] = {
    0.0f,  0.258819045f,  0.5f,          0.707106781f,  0.866025404f,  0.965925826f,
    1.0f,  0.965925826f,  0.866025404f,  0.707106781f,  0.5f,          0.258819045f,
    0.0f,  -0.258819045f, -0.5f,         -0.707106781f, -0.866025404f, -0.965925826f,
    -1.0f, -0.965925826f, -0.866025404f, -0.707106781f, -0.5f,         -0.258819045f,
    0.0f,  0.258819045f,  0.5f,          0.707106781f,  0.866025404f,  0.965925826f};

extern "C" __global__ void leukocyte_gicov(const float *gradient_x, const float *gradient_y,
                                           float *scores, int width, int least, int largest)
{
    int x = (int)threadIdx.x + largest;
    int y = (int)blockIdx.x + largest;
    float best = 0;

#pragma unroll 1
    for (int radius = least; radius <= largest; radius += 2) {
        float sum = 0;
        float squares = 0;
#pragma unroll 1
        for (int i = 0; i < POINTS; i++) {
            int at = (y + (int)((float)radius * sine[i])) * width + x +
                     (int)((float)radius * sine[i + QUARTER]);
            float inward = gradient_x[at] * sine[i + QUARTER] + gradient_y[at] * sine[i];
            sum = sum + inward;
            squares = squares + inward * inward;
        }
        float mean = sum / (float)POINTS;
        float variance = (squares - sum * mean) / (float)(POINTS - 1);
        float score = mean * mean / variance;
        if (score > best)
            best = score;
    }

    scores[y * width + x] = best;
}
