/* SPDX-License-Identifier: Apache-2.0 */
/* Lattice-Boltzmann fluid in two dimensions with nine velocities (D2Q9), one step a launch, after
 * the idea of Parboil's lbm: each thread pulls the nine densities that stream into its cell, and
 * lets them collide (BGK). The plane is periodic. The nine fields lie one behind the other.
 *
 *   6 2 5
 *   3 0 1    y upwards
 *   7 4 8
 */
#include "cuda.h"

/* Equilibrium along a velocity, for a share of the density of 1. */
static __device__ float equilibrium(float rest, float along)
{
    return rest + 3.0f * along + 4.5f * along * along;
}

extern "C" __global__ void lbm(const float *from, float *to, float omega, int nx, int ny)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= nx || y >= ny)
        return;
    int cells = nx * ny;
    int west = x == 0 ? nx - 1 : x - 1;
    int east = x == nx - 1 ? 0 : x + 1;
    int row = y * nx;
    int south = (y == 0 ? ny - 1 : y - 1) * nx;
    int north = (y == ny - 1 ? 0 : y + 1) * nx;

    float f0 = from[row + x];
    float f1 = from[cells + row + west];
    float f2 = from[2 * cells + south + x];
    float f3 = from[3 * cells + row + east];
    float f4 = from[4 * cells + north + x];
    float f5 = from[5 * cells + south + west];
    float f6 = from[6 * cells + south + east];
    float f7 = from[7 * cells + north + east];
    float f8 = from[8 * cells + north + west];

    float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float ux = (f1 - f3 + f5 - f6 - f7 + f8) / density;
    float uy = (f2 - f4 + f5 + f6 - f7 - f8) / density;
    float rest = 1.0f - 1.5f * (ux * ux + uy * uy);
    float keep = 1.0f - omega;
    float straight = omega * density * (1.0f / 9.0f);
    float slant = omega * density * (1.0f / 36.0f);

    to[row + x] = keep * f0 + omega * density * (4.0f / 9.0f) * rest;
    to[cells + row + x] = keep * f1 + straight * equilibrium(rest, ux);
    to[2 * cells + row + x] = keep * f2 + straight * equilibrium(rest, uy);
    to[3 * cells + row + x] = keep * f3 + straight * equilibrium(rest, -ux);
    to[4 * cells + row + x] = keep * f4 + straight * equilibrium(rest, -uy);
    to[5 * cells + row + x] = keep * f5 + slant * equilibrium(rest, ux + uy);
    to[6 * cells + row + x] = keep * f6 + slant * equilibrium(rest, uy - ux);
    to[7 * cells + row + x] = keep * f7 + slant * equilibrium(rest, -ux - uy);
    to[8 * cells + row + x] = keep * f8 + slant * equilibrium(rest, ux - uy);
}
