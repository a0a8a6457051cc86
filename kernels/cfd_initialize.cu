/* SPDX-License-Identifier: Apache-2.0 */
/* Start of a flow solver, after the idea of Rodinia's cfd: every element gets the far field's
 * density, momentum (x, y, z after each other) and energy, which lie in constant memory.
 * A gas of ratio 1.4 at Mach 1.2: density 1.4, pressure 1, speed of sound 1.
 */
#include "cuda.h"

#define THREADS 192

__constant__ float far_density = 1.4f;
__constant__ float far_momentum[3] = {1.68f, 0.0f, 0.0f};
__constant__ float far_energy = 3.508f;

extern "C" __global__ void cfd_initialize(int elements, float *density, float *momentum,
                                          float *energy)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x);

    density[i] = far_density;
#pragma unroll 1
    for (int axis = 0; axis < 3; axis++)
        momentum[axis * elements + i] = far_momentum[axis];
    energy[i] = far_energy;
}
