/* SPDX-License-Identifier: Apache-2.0 */
/* What bins.cu is to do, in C. */
#include <warpref_reference.h>

const char *bins(const warpref_launch *launch)
{
    if (launch->arg_count != 3 || !launch->args[0].data || launch->args[1].count < 16) {
        return "bins takes data, 16 counters and a number";
    }
    const uint8_t *data = launch->args[0].data;
    uint32_t *count = launch->args[1].data;

    for (int64_t i = 0; i < launch->args[2].integer; i++) {
        count[data[i] >> 4]++;
    }
    return NULL;
}
