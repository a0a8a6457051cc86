/* SPDX-License-Identifier: Apache-2.0 */
/* Private caches; see cache.h. */
#include "shell/cpu/cache.h"

#include <stdlib.h>
#include <string.h>

bool wr_cpu_cache_init(wr_cpu_cache *c, uint32_t sets, uint32_t ways)
{
    size_t n = (size_t)sets * ways;
    *c = (wr_cpu_cache){.lines = calloc(n, sizeof *c->lines),
                        .dirty = calloc(n, sizeof *c->dirty),
                        .sets = sets,
                        .ways = ways};
    if (c->lines == NULL || c->dirty == NULL) {
        return false;
    }
    wr_cpu_cache_empty(c);
    return true;
}

void wr_cpu_cache_free(wr_cpu_cache *c)
{
    free(c->lines);
    free(c->dirty);
}

void wr_cpu_cache_empty(wr_cpu_cache *c)
{
    for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
        c->lines[i] = WR_CPU_NO_LINE;
        c->dirty[i] = false;
    }
}

/* Ways 0..way - 1 grow older by one; way 0 is the line's. */
static void to_front(wr_cpu_cache *c, size_t set, uint32_t way, uint64_t line, bool dirty)
{
    uint64_t *lines = &c->lines[set * c->ways];
    bool *dirties = &c->dirty[set * c->ways];
    memmove(lines + 1, lines, way * sizeof *lines);
    memmove(dirties + 1, dirties, way * sizeof *dirties);
    lines[0] = line;
    dirties[0] = dirty;
}

bool wr_cpu_cache_touch(wr_cpu_cache *c, uint64_t line, bool store)
{
    size_t set = line % c->sets;
    for (uint32_t w = 0; w < c->ways; w++) {
        if (c->lines[set * c->ways + w] == line) {
            to_front(c, set, w, line, c->dirty[set * c->ways + w] || store);
            return true;
        }
    }
    return false;
}

uint64_t wr_cpu_cache_fill(wr_cpu_cache *c, uint64_t line, bool dirty)
{
    size_t set = line % c->sets;
    size_t last = set * c->ways + c->ways - 1;
    uint64_t victim = c->dirty[last] ? c->lines[last] : WR_CPU_NO_LINE;
    to_front(c, set, c->ways - 1, line, dirty);
    return victim;
}
