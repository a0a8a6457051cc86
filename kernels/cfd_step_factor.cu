/* SPDX-License-Identifier: Apache-2.0 */
/* Time step of every element of a flow solver, after the idea of Rodinia's cfd: half the inverse
 * of the square root of its area times the fastest speed at which a disturbance leaves it.
 */
#include "cuda.h"

#define THREADS 192
#define RATIO   1.4f

extern "C" __global__ void cfd_step_factor(int elements, const float *density,
                                           const float *momentum, const float *energy,
                                           const float *areas, float *factors)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x);

    float rho = density[i];
    float vx = momentum[i] / rho;
    float vy = momentum[elements + i] / rho;
    float vz = momentum[2 * elements + i] / rho;
    float square = vx * vx + vy * vy + vz * vz;
    float pressure = (RATIO - 1.0f) * (energy[i] - 0.5f * rho * square);
    float sound = sqrtf(RATIO * pressure / rho);

    factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(square) + sound));
}
