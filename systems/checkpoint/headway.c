/* SPDX-License-Identifier: Apache-2.0 */
/* See headway.h. */
#include "systems/checkpoint/headway.h"

#include <stdlib.h>

enum { EACH = 2 }; /* instructions of a warp that may be taken back */

bool wr_headway_open(wr_headway *h, const wr_gpu_config *cfg)
{
    *h = (wr_headway){.sms = cfg->sms, .slots = cfg->sm.max_tbs};
    h->slot = calloc((size_t)h->sms * h->slots, sizeof *h->slot);
    return h->slot != NULL;
}

void wr_headway_close(wr_headway *h)
{
    free(h->slot);
    h->slot = NULL;
}

static wr_headway_slot *slot_of(const wr_headway *h, uint32_t sm, uint32_t slot)
{
    return &h->slot[(size_t)sm * h->slots + slot];
}

/* What is known of the TB, nothing of one that has not been away. */
static wr_headway_slot known(const wr_headway *h, uint32_t sm, uint32_t slot, const wr_tb_info *tb)
{
    const wr_headway_slot *s = slot_of(h, sm, slot);

    return s->stream == tb->stream && s->linear == tb->linear
               ? *s
               : (wr_headway_slot){.stream = tb->stream, .linear = tb->linear};
}

static bool got_on(const wr_headway_slot *s, const wr_tb_info *tb)
{
    return tb->issued - s->issued > (uint64_t)EACH * tb->warps;
}

uint32_t wr_headway_away(wr_headway *h, uint32_t sm, uint32_t slot, const wr_tb_info *tb)
{
    const wr_headway_slot s = known(h, sm, slot, tb);
    const bool on = got_on(&s, tb);

    *slot_of(h, sm, slot) = (wr_headway_slot){0};
    h->moved = h->moved || on;
    h->waits = h->waits || (!on && s.stood + 1 >= WR_HEADWAY_ONE);
    return on ? 0 : s.stood + 1;
}

void wr_headway_back(wr_headway *h, uint32_t sm, uint32_t slot, const wr_tb_info *tb,
                     uint32_t stood)
{
    *slot_of(h, sm, slot) = (wr_headway_slot){
        .stream = tb->stream, .linear = tb->linear, .issued = tb->issued, .stood = stood};
}

void wr_headway_begins(wr_headway *h)
{
    h->moved = true;
}

void wr_headway_ends(wr_headway *h, uint32_t sm, uint32_t slot)
{
    *slot_of(h, sm, slot) = (wr_headway_slot){0};
    h->moved = true;
}

void wr_headway_stopped(wr_headway *h)
{
    h->still = h->moved ? 0 : h->still + 1;
    h->waits = h->waits || h->still >= WR_HEADWAY_ALL;
    h->moved = false;
}

bool wr_headway_made(const wr_headway *h, wr_gpu *gpu, uint64_t due_for)
{
    bool some = false;
    bool all = true;

    for (uint32_t i = 0; h->waits && i < h->sms; i++) {
        const wr_sm *sm = wr_gpu_sm(gpu, i);

        for (uint32_t t = 0; t < h->slots; t++) {
            const wr_tb_info tb = wr_sm_tb(sm, t);
            const wr_headway_slot s = tb.valid ? known(h, i, t, &tb) : (wr_headway_slot){0};

            some = some || (tb.valid && got_on(&s, &tb));
            all = all && (!tb.valid || got_on(&s, &tb));
        }
    }
    return all || (some && due_for >= WR_HEADWAY_WAIT);
}
