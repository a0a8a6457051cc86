/* SPDX-License-Identifier: Apache-2.0 */
/* Heat in a chip, step by step, after the idea of Rodinia's hotspot.
 *
 * A TB of 16 x 16 threads carries a square of cells through `steps` steps without talking to its
 * neighbours: the square has a ghost zone of `steps` cells on every side that shrinks by one a
 * step, so only the inner cells are still right at the end and are written. At the chip's edge
 * the neighbour that is not there has the cell's own temperature.
 */
#include "cuda.h"

#define SIDE 16

extern "C" __global__ void hotspot(int steps, const float *power, const float *from, float *to,
                                   int cols, int rows, float step_by_capacity, float per_rx,
                                   float per_ry, float per_rz, float ambient)
{
    __shared__ float now[SIDE][SIDE];
    __shared__ float watts[SIDE][SIDE];
    __shared__ float later[SIDE][SIDE];

    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int inner = SIDE - 2 * steps;
    int first_x = inner * (int)blockIdx.x - steps;
    int first_y = inner * (int)blockIdx.y - steps;
    int x = first_x + tx;
    int y = first_y + ty;
    bool inside = x >= 0 && x < cols && y >= 0 && y < rows;

    if (inside) {
        now[ty][tx] = from[y * cols + x];
        watts[ty][tx] = power[y * cols + x];
    }
    __syncthreads();

    int west = x > 0 ? max(tx - 1, 0) : tx;
    int east = x < cols - 1 ? min(tx + 1, SIDE - 1) : tx;
    int north = y > 0 ? max(ty - 1, 0) : ty;
    int south = y < rows - 1 ? min(ty + 1, SIDE - 1) : ty;

    bool computed = false;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (inside && tx > i && tx < SIDE - 1 - i && ty > i && ty < SIDE - 1 - i) {
            computed = true;
            float here = now[ty][tx];
            later[ty][tx] = here + step_by_capacity *
                                       (watts[ty][tx] +
                                        (now[south][tx] + now[north][tx] - 2.0f * here) * per_ry +
                                        (now[ty][east] + now[ty][west] - 2.0f * here) * per_rx +
                                        (ambient - here) * per_rz);
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            now[ty][tx] = later[ty][tx];
        __syncthreads();
    }

    if (computed)
        to[y * cols + x] = later[ty][tx];
}
