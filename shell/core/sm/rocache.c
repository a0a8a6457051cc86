/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only cache tags; see rocache.h. */
#include "shell/core/sm/rocache.h"

#include <assert.h>
#include <stdlib.h>

bool wr_rocache_init(wr_rocache *c, const wr_rocache_config *cfg, uint32_t hold)
{
    *c = (wr_rocache){.sets = cfg->bytes / (cfg->ways * cfg->line_bytes),
                      .ways = cfg->ways,
                      .line_bytes = cfg->line_bytes,
                      .hold = hold,
                      .line_shift = (uint32_t)__builtin_ctz(cfg->line_bytes)};
    c->set_mask = (c->sets & (c->sets - 1)) == 0 ? c->sets - 1 : 0;
    c->lines = calloc((size_t)c->sets * c->ways, sizeof *c->lines);
    return c->lines != NULL;
}

void wr_rocache_free(wr_rocache *c)
{
    free(c->lines);
    c->lines = NULL;
}

/* The least recently used way that may be given away; NULL where there is none. */
static wr_rocache_line *choose_victim(const wr_rocache *c, wr_rocache_line *set)
{
    wr_rocache_line *victim = NULL;
    for (uint32_t i = 0; i < c->ways; i++) {
        wr_rocache_line *way = &set[i];
        if (!way->pending && way->kept < c->clock &&
            (victim == NULL || !way->present ||
             (victim->present && way->used_at < victim->used_at))) {
            victim = way;
        }
    }
    return victim;
}

wr_rocache_result wr_rocache_look(wr_rocache *c, uint64_t addr, bool can_send, uint32_t *line)
{
    uint64_t number = addr >> c->line_shift;
    uint64_t index = c->set_mask != 0 ? number & c->set_mask : number % c->sets;
    wr_rocache_line *set = &c->lines[(size_t)index * c->ways];
    c->clock++;
    for (uint32_t i = 0; i < c->ways; i++) {
        wr_rocache_line *way = &set[i];
        if (way->number == number && way->present) {
            way->used_at = c->clock;
            way->kept = 0;
            c->recent = (uint32_t)(way - c->lines);
            return way->pending ? WR_ROCACHE_PENDING : WR_ROCACHE_HIT;
        }
    }
    wr_rocache_line *victim = can_send ? choose_victim(c, set) : NULL;
    if (victim == NULL) {
        return WR_ROCACHE_BLOCKED;
    }
    *victim =
        (wr_rocache_line){.number = number, .used_at = c->clock, .present = true, .pending = true};
    *line = (uint32_t)(victim - c->lines);
    return WR_ROCACHE_MISS;
}

void wr_rocache_fill(wr_rocache *c, uint32_t line)
{
    assert(c->lines[line].pending);
    c->lines[line].pending = false;
    c->lines[line].kept = c->hold != 0 ? c->clock + c->hold : 0;
}
