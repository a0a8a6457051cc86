/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of prefix_sum's two kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { SPAN = 512 };

static const char *scan_tbs(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiin")) {
        return "prefix_sum_tb takes 32-bit buffers in, out, totals and a count";
    }
    const uint32_t *in = launch->args[0].data;
    uint32_t *out = launch->args[1].data;
    uint32_t *totals = launch->args[2].data;
    uint64_t count = (uint64_t)launch->args[3].integer;
    if (!wr_reference_holds(launch, 0, count) || !wr_reference_holds(launch, 1, count) ||
        !wr_reference_holds(launch, 2, launch->grid[0])) {
        return "a buffer is too short for the count or the grid";
    }
    for (uint64_t tb = 0; tb < launch->grid[0]; tb++) {
        uint32_t sum = 0;
        for (uint64_t i = tb * SPAN; i < (tb + 1) * SPAN && i < count; i++) {
            uint32_t value = in[i];
            out[i] = sum;
            sum += value;
        }
        totals[tb] = sum;
    }
    return NULL;
}

static const char *add_before(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "prefix_sum_add takes 32-bit buffers out, before and a count";
    }
    uint32_t *out = launch->args[0].data;
    const uint32_t *before = launch->args[1].data;
    uint64_t count = (uint64_t)launch->args[2].integer;
    if (!wr_reference_holds(launch, 0, count) || !wr_reference_holds(launch, 1, launch->grid[0])) {
        return "a buffer is too short for the count or the grid";
    }
    for (uint64_t i = 0; i < count; i++) {
        out[i] += before[i / SPAN];
    }
    return NULL;
}

const char *wr_reference_prefix_sum(const wr_reference_launch *launch)
{
    bool adds = strcmp(launch->kernel, "prefix_sum_add") == 0;
    size_t last = adds ? 2 : 3; /* the count */
    uint32_t tbs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){tbs, 1, 1}, (uint32_t[]){SPAN / 2, 1, 1})) {
        return "prefix_sum needs block [256] and a grid of one dimension";
    }
    if (launch->arg_count <= last || launch->args[last].integer > (int64_t)tbs * SPAN) {
        return "the grid does not cover the count";
    }
    return adds ? add_before(launch) : scan_tbs(launch);
}
