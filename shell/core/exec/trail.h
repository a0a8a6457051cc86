/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that a fast-forward (gpu/forward.h) has accessed last, as a ring of four times as many
 * entries as the L2 has lines. An entry is the line's address and, in the bits below its size,
 * stream << 1 | whether it was written. A line that an access without time touches stands there
 * once for the access where all lanes are in it, else once for each change of line from lane to
 * lane. */
#ifndef WR_SHELL_CORE_EXEC_TRAIL_H
#define WR_SHELL_CORE_EXEC_TRAIL_H

#include "shell/memory/memsys.h"

typedef struct wr_trail {
    uint64_t *entries; /* NULL: there is none */
    uint32_t size;     /* a power of two */
    uint64_t count, line_mask;
} wr_trail;

bool wr_trail_init(wr_trail *trail, const wr_gpu_config *cfg); /* false: out of memory */
/* The L2 gets these lines, the last ones last; returns how many it holds. Frees the trail. */
uint32_t wr_trail_warm(wr_trail *trail, wr_memsys *ms);

#endif
