/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between an L1 and the injection port: the L1's pipeline and the miss queue behind
 * it, a FIFO in one ring; or the station that a system has put in its place (seam/memory.h).
 *
 * Invariant: miss_count is what either holds.
 */
#ifndef WR_SHELL_CORE_SM_MISS_QUEUE_H
#define WR_SHELL_CORE_SM_MISS_QUEUE_H

#include "shell/core/sm/sm.h"

#include <assert.h>

/* Requests of the stream that can be pushed now. */
static inline uint32_t wr_miss_room(wr_sm *sm, uint32_t stream)
{
    if (sm->station != NULL) {
        return sm->station->room(sm->station->self, sm, stream);
    }
    return sm->miss_limit - sm->miss_count;
}

/* `at`: the first cycle in which it may leave. */
static inline void wr_miss_push(wr_sm *sm, uint64_t at, const wr_packet *p)
{
    if (sm->station != NULL) {
        sm->station->push(sm->station->self, sm, at, p);
    } else {
        assert(sm->miss_count < sm->miss_limit);
        uint32_t slot = sm->miss_head + sm->miss_count;
        sm->miss_queue[slot < sm->miss_limit ? slot : slot - sm->miss_limit] = (wr_miss){*p, at};
    }
    sm->miss_count++;
}

/* The request that may leave at `now`; NULL: none may. */
static inline const wr_packet *wr_miss_head(wr_sm *sm, uint64_t now)
{
    if (sm->miss_count == 0) {
        return NULL;
    }
    if (sm->station != NULL) {
        return sm->station->head(sm->station->self, sm, now);
    }
    const wr_miss *head = &sm->miss_queue[sm->miss_head];
    return head->at <= now ? &head->packet : NULL;
}

static inline void wr_miss_pop(wr_sm *sm, uint64_t now)
{
    if (sm->station != NULL) {
        sm->station->pop(sm->station->self, sm, now);
    } else {
        sm->miss_head = sm->miss_head + 1 < sm->miss_limit ? sm->miss_head + 1 : 0;
    }
    sm->miss_count--;
}

/* First cycle from `from` on in which the head may be another than now; UINT64_MAX: none is
 * known, or nothing waits. */
static inline uint64_t wr_miss_next(wr_sm *sm, uint64_t from)
{
    if (sm->miss_count == 0) {
        return UINT64_MAX;
    }
    if (sm->station != NULL) {
        return sm->station->next(sm->station->self, sm, from);
    }
    return sm->miss_queue[sm->miss_head].at;
}

#endif
