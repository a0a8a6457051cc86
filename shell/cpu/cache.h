/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of a private write-back cache with LRU; the lines' bytes are nowhere. */
#ifndef WR_SHELL_CPU_CACHE_H
#define WR_SHELL_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define WR_CPU_NO_LINE UINT64_MAX

typedef struct wr_cpu_cache {
    uint64_t *lines; /* sets x ways, the youngest first; WR_CPU_NO_LINE: empty */
    bool *dirty;
    uint32_t sets, ways;
} wr_cpu_cache;

/* False: out of memory. */
bool wr_cpu_cache_init(wr_cpu_cache *c, uint32_t sets, uint32_t ways);
void wr_cpu_cache_free(wr_cpu_cache *c);
void wr_cpu_cache_empty(wr_cpu_cache *c);

/* Makes a line the youngest, dirty where `store`; false: it is not there. */
bool wr_cpu_cache_touch(wr_cpu_cache *c, uint64_t line, bool store);
/* Puts in a line that is not there. The dirty line that had to go, or WR_CPU_NO_LINE. */
uint64_t wr_cpu_cache_fill(wr_cpu_cache *c, uint64_t line, bool dirty);

#endif
