/* SPDX-License-Identifier: Apache-2.0 */
/* Coulomb potential of atoms on a lattice with a cutoff, after the idea of Parboil's cutcp: an
 * atom of charge q adds q (1 / r) (1 - r^2 / c^2)^2 to the points nearer than c = 8.
 *
 * Space is cut into cubes of 8 x 8 x 8, lattice points 2 apart: 4 x 4 x 4 points and up to SLOTS
 * atoms a cube. A TB of 64 threads owns the points of one cube and brings the atoms of that cube
 * and its neighbours into shared memory, cube by cube. atoms: x, y, z from the cube's corner in
 * 0..8, and q, SLOTS a cube; counts: how many of these are used.
 */
#include "cuda.h"

#define SLOTS  8
#define POINTS 4
#define SIDE   8.0f
#define CUT    64.0f /* c^2 */

extern "C" __global__ void cutcp(const float *atoms, const int *counts, float *potential)
{
    __shared__ float atom[4 * SLOTS];

    int tx = (int)threadIdx.x;
    int nx = (int)gridDim.x;
    int ny = (int)gridDim.y;
    int nz = (int)gridDim.z;
    int px = tx % POINTS;
    int py = tx / POINTS % POINTS;
    int pz = tx / (POINTS * POINTS);
    float energy = 0.0f;
#pragma unroll 1
    for (int dz = -1; dz <= 1; dz++) {
#pragma unroll 1
        for (int dy = -1; dy <= 1; dy++) {
#pragma unroll 1
            for (int dx = -1; dx <= 1; dx++) {
                int x = (int)blockIdx.x + dx;
                int y = (int)blockIdx.y + dy;
                int z = (int)blockIdx.z + dz;
                if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz)
                    continue;
                int cube = (z * ny + y) * nx + x;
                int count = counts[cube];
                if (tx < 4 * count)
                    atom[tx] = atoms[cube * 4 * SLOTS + tx];
                __syncthreads();
#pragma unroll 1
                for (int a = 0; a < 4 * count; a += 4) {
                    float rx = atom[a] + (SIDE * (float)dx - 2.0f * (float)px);
                    float ry = atom[a + 1] + (SIDE * (float)dy - 2.0f * (float)py);
                    float rz = atom[a + 2] + (SIDE * (float)dz - 2.0f * (float)pz);
                    float square = rx * rx + ry * ry + rz * rz;
                    if (square < CUT) {
                        float s = 1.0f - square * (1.0f / CUT);
                        energy += atom[a + 3] * (1.0f / sqrtf(square)) * s * s;
                    }
                }
                __syncthreads();
            }
        }
    }
    int row = ((int)blockIdx.z * POINTS + pz) * ny * POINTS + (int)blockIdx.y * POINTS + py;
    potential[row * nx * POINTS + (int)blockIdx.x * POINTS + px] = energy;
}
