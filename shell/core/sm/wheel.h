/* SPDX-License-Identifier: Apache-2.0 */
/* Event wheel: scoreboard releases by the cycle in which they are due.
 *
 * A ring of lists of events, one list a cycle, with a bitmap of the lists that are not empty,
 * so that the next event is found without walking the cycles between. No event may be further
 * away than the ring is long; the SM sizes it by the longest latency of its configuration.
 */
#ifndef WR_SHELL_CORE_SM_WHEEL_H
#define WR_SHELL_CORE_SM_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WR_WHEEL_NONE UINT32_MAX /* no event: the end of a list */

typedef struct wr_event {
    uint64_t regs; /* scoreboard bits to clear */
    uint32_t next; /* in its list or the free list */
    uint16_t warp;
    uint8_t preds;
} wr_event;

typedef struct wr_wheel {
    wr_event *events;
    uint32_t *heads; /* per slot: first event */
    uint64_t *busy;  /* bit per slot */
    uint32_t slots;  /* a power of two, at least 64 */
    uint32_t capacity, free_head;
    uint32_t count; /* events waiting */
} wr_wheel;

bool wr_wheel_init(wr_wheel *w, uint32_t longest, uint32_t capacity);
void wr_wheel_free(wr_wheel *w);
void wr_wheel_clear(wr_wheel *w);
/* now < when <= now + longest */
void wr_wheel_add(wr_wheel *w, uint64_t now, uint64_t when, uint16_t warp, uint64_t regs,
                  uint8_t preds);
/* What waits for one warp waits for another number from now on. */
void wr_wheel_rename(wr_wheel *w, uint16_t from, uint16_t to);
/* Takes one event that is due at `now`, which is good until the next is added; NULL: none left. */
static inline const wr_event *wr_wheel_take(wr_wheel *w, uint64_t now)
{
    uint32_t slot = (uint32_t)now & (w->slots - 1);
    uint64_t bit = UINT64_C(1) << slot % 64;
    if ((w->busy[slot / 64] & bit) == 0) {
        return NULL;
    }
    uint32_t index = w->heads[slot];
    wr_event *e = &w->events[index];
    w->heads[slot] = e->next;
    w->busy[slot / 64] ^= e->next == WR_WHEEL_NONE ? bit : 0;
    e->next = w->free_head;
    w->free_head = index;
    w->count--;
    return e;
}
/* Cycle of the first event after `now`; UINT64_MAX: none. */
uint64_t wr_wheel_next(const wr_wheel *w, uint64_t now);

#endif
