/* SPDX-License-Identifier: Apache-2.0 */
/* Front end; see fetch.h. */
#include "shell/core/sm/fetch.h"

#include "shell/core/gpu/state.h"
#include "shell/core/sm/miss_queue.h"

#include <assert.h>

static void decode(wr_sm *sm)
{
    wr_fetch *f = &sm->fetch;
    while (f->pending != 0 && f->ring[f->head].at <= sm->now) {
        uint32_t warp = f->ring[f->head].warp;
        uint32_t first = f->ring[f->head].first;
        uint64_t bit = UINT64_C(1) << warp;
        f->under_way &= ~bit;
        f->head = (f->head + 1) % WR_FETCH_RING;
        f->pending--;
        if ((sm->valid & ~sm->done & bit) != 0 && sm->warps[warp].next == first) {
            sm->warps[warp].first = first;
            sm->warps[warp].count = sm->warps[warp].code[first].together;
            f->buffered |= bit;
        }
    }
}

/* Looks the warp's next instruction up; true: it is fetched. */
static bool look_up(wr_sm *sm, uint32_t warp)
{
    wr_fetch *f = &sm->fetch;
    const wr_program *p = sm->tbs[sm->warps[warp].tb].program;
    uint64_t addr = p->code_base + wr_warp_uop(sm, warp)->fetch_pc;
    uint32_t line;
    if (wr_rocache_again(&f->cache, addr)) {
        sm->stats.fetches++;
        return true;
    }
    switch (wr_rocache_look(&f->cache, addr, wr_miss_room(sm, p->stream) != 0, &line)) {
    case WR_ROCACHE_HIT:
        sm->stats.fetches++;
        return true;
    case WR_ROCACHE_MISS:
        sm->stats.icache_misses++;
        wr_lsu_send_fetch(sm, warp, addr - addr % f->cache.line_bytes, f->cache.line_bytes, line,
                          WR_FROM_FETCH);
        break;
    case WR_ROCACHE_PENDING:
        break;
    case WR_ROCACHE_BLOCKED:
        return false; /* asked again in the next cycle */
    }
    f->blocked |= UINT64_C(1) << warp;
    return false;
}

void wr_fetch_cycle(wr_sm *sm)
{
    wr_fetch *f = &sm->fetch;
    uint64_t want = wr_fetch_wanting(sm);
    decode(sm);
    for (uint32_t i = 0; i < sm->cfg->sm.fetch_width && want != 0; i++) {
        uint64_t behind = f->last == 63 ? 0 : want & (UINT64_MAX << (f->last + 1));
        uint32_t warp = (uint32_t)__builtin_ctzll(behind != 0 ? behind : want);
        f->last = warp;
        want &= ~(UINT64_C(1) << warp);
        if (look_up(sm, warp)) {
            uint32_t slot = (f->head + f->pending) % WR_FETCH_RING;
            assert(f->pending < WR_FETCH_RING);
            f->ring[slot].at = sm->now + sm->cfg->sm.fetch_latency;
            f->ring[slot].first = sm->warps[warp].next;
            f->ring[slot].warp = (uint16_t)warp;
            f->pending++;
            f->under_way |= UINT64_C(1) << warp;
        }
    }
    if (f->pending != 0) {
        wr_sm_wake(sm, f->ring[f->head].at > sm->now ? f->ring[f->head].at : sm->now + 1);
    }
    if (wr_fetch_wanting(sm) != 0) {
        wr_sm_wake(sm, sm->now + 1);
    }
}

void wr_fetch_reply(wr_sm *sm, uint32_t line)
{
    wr_rocache_fill(&sm->fetch.cache, line);
    sm->fetch.blocked = 0;
}
