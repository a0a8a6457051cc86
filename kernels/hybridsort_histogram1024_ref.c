/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of hybridsort_histogram1024: one histogram, one pass. */
#include "kernels/reference.h"

const char *wr_reference_hybridsort_histogram1024(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ifrrn")) {
        return "hybridsort_histogram1024 takes a 32-bit buffer histogram, an f32 buffer data, two "
               "f32 values lowest, per_bin, and a count";
    }
    int64_t count = launch->args[4].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){96, 1, 1})) {
        return "hybridsort_histogram1024 needs block [96, 1, 1] and grid [n, 1, 1]";
    }
    if (count < 0 || !wr_reference_holds(launch, 0, 1024) ||
        !wr_reference_holds(launch, 1, (uint64_t)count)) {
        return "a buffer is too short for 1024 bins or for the count";
    }
    int32_t *histogram = launch->args[0].data;
    const float *data = launch->args[1].data;
    float lowest = (float)launch->args[2].real;
    float per_bin = (float)launch->args[3].real;

    for (int64_t i = 0; i < count; i++) {
        float place = (data[i] - lowest) * per_bin;
        if (!(place >= 0 && place < 1e9f)) {
            return "a value is below the lowest or far above the last bin";
        }
        histogram[place >= 1023 ? 1023 : (int32_t)place]++;
    }
    return NULL;
}
