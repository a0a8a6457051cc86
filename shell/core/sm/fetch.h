/* SPDX-License-Identifier: Apache-2.0 */
/* Front end of an SM: instruction cache, fetch, decode, instruction buffers.
 *
 *   PC -> instruction cache -> decode (fetch_latency cycles) -> buffer of the warp -> issue
 *
 * Each cycle sm.fetch_width warps with an empty buffer, round robin, fetch up to two instructions
 * of one cache line each. A miss goes to the L2; the warps that wait for a line try
 * again when one has come.
 *
 * Invariants:
 * - `buffered` has w exactly where the uop `next[w]` is in w's buffer;
 * - a warp has at most one fetch under way, and what it brings is dropped if the warp has gone
 *   elsewhere meanwhile.
 */
#ifndef WR_SHELL_CORE_SM_FETCH_H
#define WR_SHELL_CORE_SM_FETCH_H

#include "shell/core/sm/rocache.h"
#include "shell/core/sm/warp.h"

#define WR_FETCH_BYTES 32
#define WR_FETCH_RING  128 /* more than the warps, of which each has one fetch under way */

typedef struct wr_fetch {
    uint64_t buffered, under_way, blocked; /* warps */
    uint32_t last;                         /* warp that fetched last */
    uint32_t head, pending;
    wr_rocache cache;
    struct {
        uint64_t at; /* cycle in which it is decoded */
        uint32_t first;
        uint16_t warp;
    } ring[WR_FETCH_RING];
} wr_fetch;

/* The next instruction of a warp may be another now. */
static inline void wr_fetch_follow(wr_fetch *f, uint32_t warp, wr_warp *w)
{
    uint64_t bit = UINT64_C(1) << warp;
    if (w->count != 0 && w->next == w->first + 1) { /* the head has issued */
        w->first++;
        w->count--;
    }
    if (w->count != 0 && w->next == w->first) {
        f->buffered |= bit;
    } else {
        w->count = 0;
        f->buffered &= ~bit;
    }
}

#endif
