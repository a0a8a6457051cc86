/* SPDX-License-Identifier: Apache-2.0 */
/* Fluxes between the elements of a flow solver, after the idea of Rodinia's cfd.
 *
 * Each element has four faces. A face's normal (length = area) and the element behind it are
 * given; behind it may also be a wall (-1), where only pressure acts, or the far field (-2). The
 * flux through a face is the mean of both sides' fluxes, and a viscosity that grows with the
 * difference of the sides and with the speed of disturbances.
 *
 * neighbours: [face][element]. normals: [axis][face][element]. momentum: [axis][element].
 * fluxes: [density, momentum x, y, z, energy][element].
 */
#include "cuda.h"

#ifndef THREADS /* of a TB; a launch file may set it by `flags` */
#define THREADS 192
#endif
#define FACES     4
#define RATIO     1.4f
#define VISCOSITY 0.2f

/* The far field, with its fluxes of momentum (which are symmetric) and of energy. */
__constant__ float far_momentum[3] = {1.68f, 0.0f, 0.0f};
__constant__ float far_x[3] = {3.016f, 0.0f, 0.0f};
__constant__ float far_y[3] = {0.0f, 1.0f, 0.0f};
__constant__ float far_z[3] = {0.0f, 0.0f, 1.0f};
__constant__ float far_energy[3] = {5.4096f, 0.0f, 0.0f};

struct side {
    float rho, mx, my, mz, e;     /* what is kept */
    float vx, vy, vz, p, fastest; /* what follows */
};

static __device__ side load_side(int i, int elements, const float *density, const float *momentum,
                                 const float *energy)
{
    side s;
    s.rho = density[i];
    s.mx = momentum[i];
    s.my = momentum[elements + i];
    s.mz = momentum[2 * elements + i];
    s.e = energy[i];
    s.vx = s.mx / s.rho;
    s.vy = s.my / s.rho;
    s.vz = s.mz / s.rho;
    float square = s.vx * s.vx + s.vy * s.vy + s.vz * s.vz;
    s.p = (RATIO - 1.0f) * (s.e - 0.5f * s.rho * square);
    s.fastest = sqrtf(square) + sqrtf(RATIO * s.p / s.rho);
    return s;
}

extern "C" __global__ void cfd_compute_flux(int elements, const int *neighbours,
                                            const float *normals, const float *density,
                                            const float *momentum, const float *energy,
                                            float *fluxes)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    side a = load_side(i, elements, density, momentum, energy);
    float rho = 0, mx = 0, my = 0, mz = 0, e = 0;

#pragma unroll 1
    for (int face = 0; face < FACES; face++) {
        int other = neighbours[face * elements + i];
        float nx = normals[face * elements + i];
        float ny = normals[(FACES + face) * elements + i];
        float nz = normals[(2 * FACES + face) * elements + i];
        if (other >= 0) {
            side b = load_side(other, elements, density, momentum, energy);
            float area = sqrtf(nx * nx + ny * ny + nz * nz);
            float v = area * VISCOSITY * 0.5f * (a.fastest + b.fastest);
            rho = rho + v * (b.rho - a.rho);
            mx = mx + v * (b.mx - a.mx);
            my = my + v * (b.my - a.my);
            mz = mz + v * (b.mz - a.mz);
            e = e + v * (b.e - a.e);

            nx = 0.5f * nx;
            ny = 0.5f * ny;
            nz = 0.5f * nz;
            rho = rho + nx * (a.mx + b.mx) + ny * (a.my + b.my) + nz * (a.mz + b.mz);
            mx = mx + nx * (a.mx * a.vx + a.p + (b.mx * b.vx + b.p)) +
                 ny * (a.mx * a.vy + b.mx * b.vy) + nz * (a.mx * a.vz + b.mx * b.vz);
            my = my + nx * (a.my * a.vx + b.my * b.vx) +
                 ny * (a.my * a.vy + a.p + (b.my * b.vy + b.p)) + nz * (a.my * a.vz + b.my * b.vz);
            mz = mz + nx * (a.mz * a.vx + b.mz * b.vx) + ny * (a.mz * a.vy + b.mz * b.vy) +
                 nz * (a.mz * a.vz + a.p + (b.mz * b.vz + b.p));
            e = e + nx * (a.vx * (a.e + a.p) + b.vx * (b.e + b.p)) +
                ny * (a.vy * (a.e + a.p) + b.vy * (b.e + b.p)) +
                nz * (a.vz * (a.e + a.p) + b.vz * (b.e + b.p));
        } else if (other == -1) {
            mx = mx + nx * a.p;
            my = my + ny * a.p;
            mz = mz + nz * a.p;
        } else {
            nx = 0.5f * nx;
            ny = 0.5f * ny;
            nz = 0.5f * nz;
            rho = rho + nx * (a.mx + far_momentum[0]) + ny * (a.my + far_momentum[1]) +
                  nz * (a.mz + far_momentum[2]);
            mx = mx + nx * (a.mx * a.vx + a.p + far_x[0]) + ny * (a.mx * a.vy + far_x[1]) +
                 nz * (a.mx * a.vz + far_x[2]);
            my = my + nx * (a.my * a.vx + far_y[0]) + ny * (a.my * a.vy + a.p + far_y[1]) +
                 nz * (a.my * a.vz + far_y[2]);
            mz = mz + nx * (a.mz * a.vx + far_z[0]) + ny * (a.mz * a.vy + far_z[1]) +
                 nz * (a.mz * a.vz + a.p + far_z[2]);
            e = e + nx * (a.vx * (a.e + a.p) + far_energy[0]) +
                ny * (a.vy * (a.e + a.p) + far_energy[1]) +
                nz * (a.vz * (a.e + a.p) + far_energy[2]);
        }
    }

    fluxes[i] = rho;
    fluxes[elements + i] = mx;
    fluxes[2 * elements + i] = my;
    fluxes[3 * elements + i] = mz;
    fluxes[4 * elements + i] = e;
}
