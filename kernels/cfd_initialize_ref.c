/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of cfd_initialize. The energy follows from the other values of the far field:
 * pressure / (ratio - 1) + density * speed^2 / 2 = 1 / 0.4 + 1.4 * 1.2^2 / 2. */
#include "kernels/reference.h"

const char *wr_reference_cfd_initialize(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nfff")) {
        return "cfd_initialize takes a count of elements and f32 buffers density, momentum, energy";
    }
    int64_t elements = launch->args[0].integer;
    if (elements != 192 * (int64_t)launch->grid[0] ||
        !wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){192, 1, 1})) {
        return "cfd_initialize needs block [192, 1, 1] and grid [elements / 192, 1, 1]";
    }
    for (size_t i = 1; i < 4; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)elements * (i == 2 ? 3 : 1))) {
            return "a buffer is too short for the elements";
        }
    }
    float *density = launch->args[1].data;
    float *momentum = launch->args[2].data;
    float *energy = launch->args[3].data;

    for (int64_t i = 0; i < elements; i++) {
        density[i] = 1.4f;
        momentum[i] = (float)(1.4 * 1.2);
        momentum[elements + i] = momentum[2 * elements + i] = 0;
        energy[i] = (float)(1 / 0.4 + 1.4 * 1.2 * 1.2 / 2);
    }
    return NULL;
}
