/* SPDX-License-Identifier: Apache-2.0 */
/* The storm's full comparison: owners of memory and slots, places, masks, queues, lines. */
#include <string.h>

#include "tests/blocks/duet_storm.h"

static void own(storm *s, uint8_t *owned, uint32_t addr, uint32_t count)
{
    for (uint32_t u = addr; u < addr + count; u++) {
        wrong(s, u >= UNITS || owned[u] != 0, "a unit has two owners");
        if (u < UNITS) {
            owned[u] = 1;
        }
    }
}

static void tagged(storm *s, uint32_t addr, uint32_t count, uint32_t unit)
{
    for (uint32_t u = addr; u < addr + count && u < UNITS; u++) {
        wrong(s, s->tag[u] != unit + 1, "a line of a context is not its own");
    }
}

static bool queued(const storm *s, uint32_t queue, uint32_t unit)
{
    uint32_t found = 0;
    if (whole_tbs(s)) {
        for (uint32_t i = 0; i < s->queues.tb_count_q[queue]; i++) {
            found += s->queues.tb_q[queue][i] == unit;
        }
    } else {
        for (uint32_t i = 0; i < s->queues.warp_count_q[queue]; i++) {
            found += s->queues.warp_q[queue][i] == unit;
        }
    }
    return found == 1;
}

static void check_warp(storm *s, uint32_t w, uint8_t *owned, uint8_t *slot_owned)
{
    const kernel *k = s->kernel;
    const uint16_t reg = s->wct.reg_addr_q[w];
    const uint16_t meta = s->wct.meta_addr_q[w];
    const uint8_t state = s->wct.state_q[w];
    const bool here = meta >= WR_CSL_META_SLOT;
    const uint32_t t = w / k->warps;
    const bool masked = (s->tct.absent_q[t] >> (w % k->warps) & 1u) != 0;

    wrong(s, here != (state == WR_WARP_RUNNING || state == WR_WARP_STALLED),
          "a warp is not where its state says");
    wrong(s, masked == here, "the mask of a TB is wrong");
    wrong(s, s->tag[meta % (UNITS + SLOTS)] != w + 1, "metadata of a warp are not its own");
    if (here) {
        const uint32_t slot = ((uint32_t)meta - WR_CSL_META_SLOT) % SLOTS;
        wrong(s, meta >= WR_CSL_META_SLOT + SLOTS || slot_owned[slot] != 0,
              "a warp slot has two owners");
        wrong(s, !s->slots.taken_q[slot], "a warp slot is owned and free");
        wrong(s, s->slots.warp_q[slot] != w, "a warp slot is another warp's");
        slot_owned[slot] = 1;
    }
    if (!registers_move(s)) {
        own(s, owned, reg, k->regs);
        tagged(s, reg, whole_tbs(s) ? 0 : k->lines, w);
        if (!here && !whole_tbs(s)) {
            own(s, owned, meta, ST);
        }
    } else {
        own(s, owned, reg, here ? k->full : k->lines + ST);
        tagged(s, reg, k->lines, w);
        wrong(s, !here && meta != reg + k->lines, "metadata is not behind its registers");
        wrong(s, here && reg >= 2048, "registers of a warp in place are elsewhere");
    }
    if (whole_tbs(s)) {
        wrong(s, !here && meta != s->tct.addr_q[t] + k->lines + w % k->warps * ST,
              "metadata is not behind its TB's shared memory");
    } else if (!s->warp[w].done) {
        wrong(s, (state == WR_WARP_STALLED) != queued(s, 0, w), "stalled queue is wrong");
        wrong(s, (state == WR_WARP_READY && s->warp[w].held) != queued(s, 1, w),
              "ready queue is wrong");
    }
}

static void check_tb(storm *s, uint32_t t, uint8_t *owned)
{
    const kernel *k = s->kernel;
    const uint16_t addr = s->tct.addr_q[t];
    const bool away = s->tct.absent_q[t] != 0;
    if (whole_tbs(s)) {
        const bool in_shared = addr >= 2048 && addr < 2816;
        own(s, owned, addr, k->lines + (away ? k->warps * ST : 0u));
        tagged(s, addr, k->lines, t);
        wrong(s, in_shared == away, "shared memory is not where the mask says");
        wrong(s, away && s->tct.absent_q[t] != (1u << k->warps) - 1u, "a TB is torn");
        wrong(s, s->tb[t].held != (queued(s, 0, t) || queued(s, 1, t)), "TB queues are wrong");
    } else if (k->smem > 0) {
        own(s, owned, addr, k->smem);
    }
}

void wr_storm_check(storm *s)
{
    static uint8_t owned[UNITS];
    uint8_t slot_owned[SLOTS] = {0};
    memset(owned, 0, sizeof owned);
    for (uint32_t w = 0; w < WARPS; w++) {
        wrong(s, s->wct.valid_q[w] != s->warp[w].live, "a warp is lost");
        if (s->wct.valid_q[w]) {
            check_warp(s, w, owned, slot_owned);
        }
    }
    for (uint32_t t = 0; t < TBS; t++) {
        wrong(s, s->tct.valid_q[t] != s->tb[t].live, "a TB is lost");
        if (s->tct.valid_q[t]) {
            check_tb(s, t, owned);
        }
    }
    for (uint32_t i = 0; i < s->rooms; i++) {
        own(s, owned, s->room[i].addr, s->room[i].count);
    }
    for (uint32_t i = 0; s->placing && i < s->got; i++) {
        own(s, owned, s->item[i].addr, s->item[i].count);
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        wrong(s, s->map.taken_q[u] && owned[u] == 0, "a unit is lost");
        wrong(s, !s->map.taken_q[u] && owned[u] != 0, "a unit that is owned counts as free");
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        wrong(s, s->slots.taken_q[i] && slot_owned[i] == 0, "a warp slot is lost");
    }
    wrong(s, s->promised > s->slots_out.free, "a slot is promised twice");
    s->checks++;
}

void wr_storm_check_wait(storm *s)
{
    for (uint32_t w = 0; w < WARPS; w++) {
        warp *p = &s->warp[w];
        if (!p->live || p->done) {
            continue;
        }
        const uint64_t wait = s->cycle - p->progress;
        p->waited = waits(s, w) || p->progress > p->waited ? s->cycle : p->waited;
        const uint64_t able = s->cycle - p->waited;
        s->longest = wait > s->longest ? wait : s->longest;
        s->longest_able = able > s->longest_able ? able : s->longest_able;
        wrong(s, able > ABLE_MOST || wait > WAIT_MOST, "a warp starves");
    }
}
