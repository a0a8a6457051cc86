/* SPDX-License-Identifier: Apache-2.0 */
/* Which stream's an SM's unused slots are; see tally.h. */
#include "shell/core/sm/tally.h"

#include "shell/core/gpu/state.h"

#include <assert.h>

static uint64_t slots_of(const wr_sm *sm, uint32_t use)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < sm->cfg->sm.schedulers; s++) {
        sum += sm->slots[s][use];
    }
    return sum;
}

/* Charges the while up to now to its stream. */
static void close_while(wr_sm *sm)
{
    wr_tally *t = &sm->tally;
    for (uint32_t u = WR_STALL_FIRST; u <= WR_STALL_LAST; u++) {
        uint64_t now = slots_of(sm, u);
        if (t->owner != WR_SHARED) {
            t->stalls[t->owner][u] += now - t->since[u];
        }
        t->since[u] = now;
    }
}

/* Whose TBs are on the SM is whose the next while is; nobody's: as before. */
static void begin_while(wr_sm *sm)
{
    uint32_t streams = 0;
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        streams |= 1u << sm->tbs[__builtin_ctzll(left)].program->stream;
    }
    if (streams == 0) {
        return;
    }
    bool shared = (streams & (streams - 1)) != 0;
    uint32_t owner = shared ? WR_SHARED : (uint32_t)__builtin_ctz(streams);
    if (owner != sm->tally.owner) {
        close_while(sm);
        sm->tally.owner = owner;
        sm->listens &= ~(uint32_t)WR_LISTEN_SHARED;
        sm->listens |= shared ? WR_LISTEN_SHARED : 0;
    }
}

void wr_tally_placed(wr_sm *sm, uint32_t stream)
{
    if (sm->tally.owner != stream) {
        begin_while(sm);
    }
}

static inline void stall(wr_sm *sm, uint64_t warps, wr_slot_use reason, uint64_t slots)
{
    const wr_tb *tb = &sm->tbs[sm->warps[__builtin_ctzll(warps)].tb];
    sm->tally.stalls[tb->program->stream][reason] += slots;
}

void wr_tally_stall(wr_sm *sm, uint64_t warps, wr_slot_use reason, uint64_t slots)
{
    assert(warps != 0);
    stall(sm, warps, reason, slots);
}

void wr_tally_charge(wr_sm *sm, uint32_t scheduler, uint64_t slots)
{
    uint64_t of;
    wr_slot_use reason = wr_stall(sm, scheduler, &of);
    sm->slots[scheduler][reason] += slots;
    if (of != 0) { /* else there is no warp */
        stall(sm, of, reason, slots);
    }
}

void wr_tally_stalls(wr_sm *sm, uint32_t stream, uint64_t stalls[WR_SLOT_USES])
{
    if (sm->tally.owner == stream) {
        close_while(sm);
    }
    begin_while(sm);
    for (uint32_t u = WR_STALL_FIRST; u <= WR_STALL_LAST; u++) {
        stalls[u] += sm->tally.stalls[stream][u];
    }
}
