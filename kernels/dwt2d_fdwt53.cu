/* SPDX-License-Identifier: Apache-2.0 */
/* One level of the forward 5/3 wavelet transform of an image, by lifting, after the idea of
 * Rodinia's dwt2d.
 *
 * A TB of 192 threads slides a window of 192 columns and 8 rows down the image, `steps` times.
 * In shared memory the window has 2 rows and columns more before it and 1 behind, as far as
 * lifting reaches; beyond the image's edge its mirror is taken. Rows are transformed first, then
 * columns. From one step to the next the last odd row (done) and the row behind it (transformed
 * along the row only) move to the top.
 *
 * Even rows and columns go to the upper left (low band), odd ones to the right and down. Width
 * must be a multiple of 192, height of 8 * steps.
 */
#include "cuda.h"

#define COLUMNS 192
#define ROWS    8
#define HALF    (COLUMNS / 2)
#define LINES   (ROWS + 3)
#define STRIDE  (COLUMNS + 5) /* odd: columns lie in different banks */

static __device__ int mirror(int i, int size)
{
    i = i < 0 ? -i : i;
    return i < size ? i : 2 * (size - 1) - i;
}

extern "C" __global__ void dwt2d_fdwt53(const int *image, int *bands, int width, int height,
                                        int steps)
{
    __shared__ int window[LINES][STRIDE]; /* element [2][2] is the window's first */

    int tx = (int)threadIdx.x;
    int x0 = (int)blockIdx.x * COLUMNS;
    int y0 = (int)blockIdx.y * ROWS * steps;
    int lane = tx % HALF;
    int first_line = 0;

#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll 1
        for (int line = first_line; line < LINES; line++) {
            int row = mirror(y0 + line - 2, height) * width;
            window[line][tx + 2] = image[row + x0 + tx];
            if (tx < 2)
                window[line][tx] = image[row + mirror(x0 + tx - 2, width)];
            if (tx == 2)
                window[line][COLUMNS + 2] = image[row + mirror(x0 + COLUMNS, width)];
        }
        __syncthreads();

        /* Half of the threads take every other line. */
#pragma unroll 1
        for (int line = first_line + tx / HALF; line < LINES; line += 2) {
            int *at = &window[line][2 * lane + 3];
            at[0] -= (at[-1] + at[1]) >> 1;
            if (lane == 0)
                at[-2] -= (at[-3] + at[-1]) >> 1;
        }
        __syncthreads();
#pragma unroll 1
        for (int line = first_line + tx / HALF; line < LINES; line += 2) {
            int *at = &window[line][2 * lane + 2];
            at[0] += (at[-1] + at[1] + 2) >> 2;
        }
        __syncthreads();

        int *column = &window[0][tx + 2];
        if (step == 0)
            column[STRIDE] -= (column[0] + column[2 * STRIDE]) >> 1;
#pragma unroll 1
        for (int line = 3; line < LINES; line += 2)
            column[line * STRIDE] -=
                (column[(line - 1) * STRIDE] + column[(line + 1) * STRIDE]) >> 1;
        int out = y0 / 2 * width + (x0 + tx) / 2 + (tx % 2 ? width / 2 : 0);
#pragma unroll 1
        for (int line = 2; line < LINES - 1; line += 2) {
            int low = column[line * STRIDE];
            low += (column[(line - 1) * STRIDE] + column[(line + 1) * STRIDE] + 2) >> 2;
            bands[out] = low;
            bands[out + height / 2 * width] = column[(line + 1) * STRIDE];
            out += width;
        }
        column[STRIDE] = column[(LINES - 2) * STRIDE];
        column[2 * STRIDE] = column[(LINES - 1) * STRIDE];
        first_line = 3;
        y0 += ROWS;
        __syncthreads();
    }
}
