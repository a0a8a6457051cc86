/* SPDX-License-Identifier: Apache-2.0 */
/* Follows points of the heart's wall from one frame to the next, after the idea of Rodinia's
 * heartwall. A TB of 256 threads follows one point: it looks for the point's template (26 x 26) in
 * a window of the frame (41 x 41) at 16 x 16 places, one a thread, and takes the place with the
 * best normalized correlation; where places are equally good, the first.
 *
 * Template and window lie in shared memory. The template's mean and the sum of squares around it
 * come from tree sums, the best place from a tree of comparisons.
 */
#include "cuda.h"

#define THREADS 256
#define SIDE    26
#define PLACES  16
#define WINDOW  (SIDE + PLACES - 1)
#define AREA    (SIDE * SIDE)

/* Sums one value a thread; all threads get the sum. */
static __device__ float sum_of_all(float *partial, int tx, float value)
{
    partial[tx] = value;
    __syncthreads();
#pragma unroll 1
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (tx < half)
            partial[tx] = partial[tx] + partial[tx + half];
        __syncthreads();
    }
    float sum = partial[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void heartwall(const float *frame, int width, const float *templates, int *xs,
                                     int *ys, float *scores)
{
    __shared__ float model[AREA];
    __shared__ float window[WINDOW * WINDOW];
    __shared__ float partial[THREADS];
    __shared__ int place[THREADS];

    int tx = (int)threadIdx.x;
    int point = (int)blockIdx.x;
    int corner = ys[point] * width + xs[point];

    float sum = 0;
#pragma unroll 1
    for (int i = tx; i < AREA; i += THREADS) {
        model[i] = templates[point * AREA + i];
        sum = sum + model[i];
    }
#pragma unroll 1
    for (int i = tx; i < WINDOW * WINDOW; i += THREADS)
        window[i] = frame[corner + i / WINDOW * width + i % WINDOW];
    float mean = sum_of_all(partial, tx, sum) / (float)AREA;

    sum = 0;
#pragma unroll 1
    for (int i = tx; i < AREA; i += THREADS)
        sum = sum + (model[i] - mean) * (model[i] - mean);
    float spread = sum_of_all(partial, tx, sum);

    int first = tx / PLACES * WINDOW + tx % PLACES;
    float product = 0;
    float plain = 0;
    float squares = 0;
#pragma unroll 1
    for (int row = 0; row < SIDE; row++) {
#pragma unroll 1
        for (int col = 0; col < SIDE; col++) {
            float value = window[first + row * WINDOW + col];
            product = product + value * model[row * SIDE + col];
            plain = plain + value;
            squares = squares + value * value;
        }
    }
    partial[tx] =
        (product - plain * mean) / sqrtf((squares - plain * plain / (float)AREA) * spread);
    place[tx] = tx;
    __syncthreads();

#pragma unroll 1
    for (int step = 1; step < THREADS; step *= 2) {
        if (tx % (2 * step) == 0 && partial[tx + step] > partial[tx]) {
            partial[tx] = partial[tx + step];
            place[tx] = place[tx + step];
        }
        __syncthreads();
    }

    if (tx == 0) {
        xs[point] += place[0] % PLACES;
        ys[point] += place[0] / PLACES;
        scores[point] = partial[0];
    }
}
