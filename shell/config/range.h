/* SPDX-License-Identifier: Apache-2.0 */
/* What a number of a configuration may be. */
#ifndef WR_SHELL_CONFIG_RANGE_H
#define WR_SHELL_CONFIG_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_range {
    const char *path;
    uint32_t min, max;
    bool power_of_two;
} wr_range;

/* Of the field of this path; NULL: none. */
const wr_range *wr_range_of(const char *path);
bool wr_range_has(const wr_range *range, uint32_t value);

#endif
