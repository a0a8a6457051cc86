/* SPDX-License-Identifier: Apache-2.0 */
/* Cheapest path through a grid, row by row, after the idea of Rodinia's pathfinder.
 *
 * A TB of 256 threads carries a strip of columns through `rows` rows without talking to its
 * neighbours: the strip has a ghost zone of `border` columns on each side that shrinks by one
 * column a row, so only the inner columns are still right at the end and are written.
 * Threads outside the shrinking zone diverge at every row.
 */
#include "cuda.h"

#define STRIP 256

extern "C" __global__ void pathfinder_dynproc(int rows, const int *wall, const int *from, int *to,
                                              int cols, int start_row, int border)
{
    __shared__ int prev[STRIP];
    __shared__ int next[STRIP];

    int tx = (int)threadIdx.x;
    int inner = STRIP - 2 * rows;
    int first = inner * (int)blockIdx.x - border;
    int last = first + STRIP - 1;
    int x = first + tx;

    int low = first < 0 ? -first : 0;
    int high = last > cols - 1 ? STRIP - 1 - (last - cols + 1) : STRIP - 1;
    int west = max(tx - 1, low);
    int east = min(tx + 1, high);
    bool valid = tx >= low && tx <= high;

    if (x >= 0 && x < cols)
        prev[tx] = from[x];
    __syncthreads();

    bool computed = false;
#pragma unroll 1
    for (int i = 0; i < rows; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= STRIP - 2 - i && valid) {
            computed = true;
            int best = min(min(prev[west], prev[tx]), prev[east]);
            next[tx] = best + wall[cols * (start_row + i) + x];
        }
        __syncthreads();
        if (i == rows - 1)
            break;
        if (computed)
            prev[tx] = next[tx];
        __syncthreads();
    }

    if (computed)
        to[x] = next[tx];
}
