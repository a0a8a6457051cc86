/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of a read-only cache of an SM: instructions, constants.
 *
 * A line that is on its way is present and pending: who finds it so waits for the fill. The
 * bytes are elsewhere. LRU, but that a line which has come is kept for `hold` accesses or until
 * somebody finds it: else others' misses could replace every line before the one that asked for it
 * has its turn, for ever. hold covers a turn of all who ask; 0 where only one does.
 */
#ifndef WR_SHELL_CORE_SM_ROCACHE_H
#define WR_SHELL_CORE_SM_ROCACHE_H

#include "shell/config/config.h"

typedef struct wr_rocache_line {
    uint64_t number; /* of the line in memory */
    uint64_t used_at;
    uint64_t kept; /* it has come and nobody has found it: until this access */
    bool present, pending;
} wr_rocache_line;

typedef struct wr_rocache {
    wr_rocache_line *lines; /* [set][way] */
    uint32_t sets, ways, line_bytes;
    uint32_t line_shift; /* log2 of line_bytes */
    uint32_t set_mask;   /* sets - 1 where that is a power of two; else 0 */
    uint64_t clock;      /* accesses, for LRU */
    uint32_t hold;
    uint32_t recent; /* line that was found last */
} wr_rocache;

typedef enum wr_rocache_result {
    WR_ROCACHE_HIT,
    WR_ROCACHE_PENDING, /* on its way */
    WR_ROCACHE_MISS,    /* now on its way: *line is to be fetched */
    WR_ROCACHE_BLOCKED, /* no way is free, or the request can't be sent: try again */
} wr_rocache_result;

bool wr_rocache_init(wr_rocache *c, const wr_rocache_config *cfg, uint32_t hold);
void wr_rocache_free(wr_rocache *c);
wr_rocache_result wr_rocache_look(wr_rocache *c, uint64_t addr, bool can_send, uint32_t *line);
/* True: it hits the line that was found last. Else nothing is done. */
static inline bool wr_rocache_again(wr_rocache *c, uint64_t addr)
{
    wr_rocache_line *line = &c->lines[c->recent];
    bool hit = line->number == addr >> c->line_shift && line->present && !line->pending;
    if (hit) {
        line->used_at = ++c->clock;
        line->kept = 0;
    }
    return hit;
}
/* The line that a MISS named is there. */
void wr_rocache_fill(wr_rocache *c, uint32_t line);

#endif
