/* SPDX-License-Identifier: Apache-2.0 */
/* The full comparison of launcher_path.h: owners of lines and slots, entries, counts. */
#include <string.h>

#include "tests/blocks/launcher_path.h"

static void own(path *p, uint8_t *owned, uint32_t from, uint32_t count)
{
    for (uint32_t u = from; u < from + count; u++) {
        wrong(p, u >= UNITS || owned[u] != 0, "a line has two owners");
        owned[u < UNITS ? u : 0] = 1;
    }
}

static void check_warp(path *p, uint32_t w, uint8_t *owned, bool *has)
{
    const kernel *k = p->kernel;
    const uint32_t row = p->wct.reg_addr_q[w];
    const uint32_t meta = p->wct.meta_addr_q[w];
    const bool away = meta < WR_CSL_META_SLOT;

    own(p, owned, row, away && moves(p) ? k->lines + ST : k->regs);
    if (away && !moves(p) && !whole_tbs(p)) {
        own(p, owned, meta, ST);
    }
    wrong(p, away && moves(p) && meta != row + k->lines, "metadata is not behind its registers");
    if (!away) {
        const uint32_t slot = meta - WR_CSL_META_SLOT;
        wrong(p, slot >= SLOTS || has[slot], "a slot has two owners");
        wrong(p, !p->slots.taken_q[slot % SLOTS] || p->slots.warp_q[slot % SLOTS] != w,
              "a slot is not its warp's");
        has[slot % SLOTS] = true;
    }
    wrong(p, !p->there[w / k->warps], "an entry of a TB that is not there");
}

void wr_path_check(path *p)
{
    const kernel *k = p->kernel;
    static uint8_t owned[UNITS];
    bool has[SLOTS] = {false};
    uint32_t tbs = 0;

    memset(owned, 0, sizeof owned);
    for (uint32_t w = 0; w < WARPS; w++) {
        if (p->wct.valid_q[w]) {
            check_warp(p, w, owned, has);
        }
        const uint32_t t = w / k->warps;
        wrong(p, t < TBS && p->there[t] && !p->wct.valid_q[w] && !p->done[w], "a warp is lost");
    }
    for (uint32_t t = 0; t < TBS; t++) {
        const bool away = p->tct.absent_q[t] != 0 && whole_tbs(p);
        wrong(p, p->tct.valid_q[t] != p->there[t], "a TB is lost");
        if (p->tct.valid_q[t]) {
            tbs++;
            own(p, owned, p->tct.addr_q[t], k->smem + (away ? ST * k->warps : 0u));
        }
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        wrong(p, p->map.taken_q[u] != (owned[u] != 0), "the bitmap is wrong");
    }
    for (uint32_t s = 0; s < SLOTS; s++) {
        wrong(p, p->slots.taken_q[s] != has[s], "a slot is lost");
    }
    wrong(p, p->me.tbs_q != tbs, "me_controller counts wrong");
    p->checks++;
}
