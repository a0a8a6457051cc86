/* SPDX-License-Identifier: Apache-2.0 */
/* Which TB goes to which SM (Gong Fig. 6.8): neighbours, by their numbers in the grid, to one SM;
 * see state.h.
 *
 *   chunk  SM i of n has the TBs from i/n of the grid to (i + 1)/n; it is closed when these are
 *          placed. Parts differ by one TB at most
 *   wave   an SM whose TBs are placed takes as many of the grid's next ones as it holds
 *
 * Both need no list: a part is two numbers of an SM.
 */
#include "systems/locality/state.h"

#include <assert.h>

static void close_to_all(wr_locality *p, uint32_t sm, bool closed)
{
    if (p->sm[sm].closed != closed) {
        p->sm[sm].closed = closed;
        wr_sm_close(wr_gpu_sm(p->gpu, sm), p->owner, closed ? 1u << p->stream : 0);
    }
}

/* The SM's next part, where it has none left; without any it is closed. */
static void refill(wr_locality *p, uint32_t sm)
{
    wr_locality_sm *here = &p->sm[sm];

    if (here->at == here->end && p->next < p->tbs) {
        const uint64_t left = p->tbs - p->next;

        here->at = p->next;
        here->end = here->at + (left < p->part ? left : p->part);
        p->next = here->end;
    }
    close_to_all(p, sm, here->at == here->end);
}

void wr_locality_part(wr_locality *p, const wr_launch *launch)
{
    p->tbs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    p->part = wr_gpu_occupancy(wr_gpu_configuration(p->gpu), launch).tbs;
    p->part = p->part != 0 ? p->part : 1; /* a TB that fits nowhere is the dispatcher's to refuse */
    p->next = p->spread == WR_LOCALITY_CHUNK ? p->tbs : 0;
    for (uint32_t i = 0; i < p->sms; i++) {
        p->sm[i].at = p->spread == WR_LOCALITY_CHUNK ? p->tbs * i / p->sms : 0;
        p->sm[i].end = p->spread == WR_LOCALITY_CHUNK ? p->tbs * (i + 1) / p->sms : 0;
        refill(p, i);
    }
}

uint64_t wr_locality_next_tb(wr_locality *p, uint32_t sm)
{
    assert(p->sm[sm].at < p->sm[sm].end);
    return p->sm[sm].at++;
}

/* A part that is used up is refilled at once, so the dispatcher never asks an SM without one. */
void wr_locality_placed(wr_locality *p, wr_sm *sm)
{
    refill(p, wr_sm_id(sm));
}

void wr_locality_reopen(wr_locality *p)
{
    for (uint32_t i = 0; i < p->sms; i++) {
        close_to_all(p, i, false);
    }
}
