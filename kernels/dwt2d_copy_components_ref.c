/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of dwt2d_copy_components: byte i of the image belongs to plane i mod 3. */
#include "kernels/reference.h"

const char *wr_reference_dwt2d_copy_components(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiibn")) {
        return "dwt2d_copy_components takes 32-bit buffers red, green, blue, a buffer of bytes "
               "image, and a count of pixels";
    }
    int64_t pixels = launch->args[4].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){256, 1, 1}) ||
        pixels < 0 || pixels > 256 * (int64_t)launch->grid[0]) {
        return "dwt2d_copy_components needs block [256, 1, 1] and a grid [n, 1, 1] that covers "
               "all pixels";
    }
    for (size_t i = 0; i < 4; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)pixels * (i == 3 ? 3 : 1))) {
            return "a buffer is too short for the pixels";
        }
    }
    const uint8_t *image = launch->args[3].data;

    for (int64_t i = 0; i < 3 * pixels; i++) {
        int32_t *plane = launch->args[i % 3].data;
        plane[i / 3] = (int32_t)image[i] - 128;
    }
    return NULL;
}
