/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of walsh_transform by definition: output k is the sum of all inputs i, negated where
 * k and i share an odd number of bits. */
#include "kernels/reference.h"

enum { RUN = 512 };

const char *wr_reference_walsh_transform(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ii")) {
        return "walsh_transform takes 32-bit buffers in and out";
    }
    const uint32_t *in = launch->args[0].data;
    uint32_t *out = launch->args[1].data;
    uint32_t runs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){runs, 1, 1}, (uint32_t[]){RUN / 2, 1, 1})) {
        return "walsh_transform needs block [256] and a grid of one dimension";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)runs * RUN) ||
        !wr_reference_holds(launch, 1, (uint64_t)runs * RUN)) {
        return "a buffer is too short for the grid";
    }
    for (uint64_t base = 0; base < (uint64_t)runs * RUN; base += RUN) {
        for (uint32_t k = 0; k < RUN; k++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < RUN; i++) {
                sum += __builtin_parity(k & i) ? 0u - in[base + i] : in[base + i];
            }
            out[base + k] = sum;
        }
    }
    return NULL;
}
