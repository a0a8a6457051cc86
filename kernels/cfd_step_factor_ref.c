/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of cfd_step_factor, in the kernel's order of operations, so equal to the bit. */
#include "kernels/reference.h"

#include <math.h>

const char *wr_reference_cfd_step_factor(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nfffff")) {
        return "cfd_step_factor takes a count of elements and f32 buffers density, momentum, "
               "energy, areas, factors";
    }
    int64_t n = launch->args[0].integer;
    if (n != 192 * (int64_t)launch->grid[0] ||
        !wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){192, 1, 1})) {
        return "cfd_step_factor needs block [192, 1, 1] and grid [elements / 192, 1, 1]";
    }
    for (size_t i = 1; i < 6; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)n * (i == 2 ? 3 : 1))) {
            return "a buffer is too short for the elements";
        }
    }
    const float *density = launch->args[1].data;
    const float *momentum = launch->args[2].data;
    const float *energy = launch->args[3].data;
    const float *areas = launch->args[4].data;
    float *factors = launch->args[5].data;

    for (int64_t i = 0; i < n; i++) {
        float square = 0;
        for (int64_t axis = 0; axis < 3; axis++) {
            float speed = momentum[axis * n + i] / density[i];
            square += speed * speed;
        }
        float inner = energy[i] - 0.5f * density[i] * square;
        float sound = sqrtf(1.4f * ((1.4f - 1.0f) * inner) / density[i]);
        factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(square) + sound));
    }
    return NULL;
}
