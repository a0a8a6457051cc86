/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_table: entries are equal where they are in use, and neither overlap nor share a TB. That a
 * placement comes to its end rests on the trial before it: as many TBs as it needs fit. */
#include "refmodel/context/alloc_table.h"
#include "formal/rel/relate.h"

enum { UNITS_MAX = 1024 };

#define IS(state) (s->state_q == WR_ALLOC_##state)

/* TBs of the new kernel that fit from a unit on, placed side by side between the entries that are
 * to stay: from the last unit down, one TB more where it finds as many free units as it needs. */
static uint8_t fits(const wr_alloc_table *s, uint32_t from)
{
    uint8_t count[UNITS_MAX + 1] = {0};
    uint32_t run = 0;
    for (uint32_t u = s->cfg.units; u-- > 0;) {
        bool taken = false;
        for (uint32_t i = 0; i < s->cfg.entries; i++) {
            const wr_alloc_entry *e = &s->entry_q[i];
            taken = taken || ((s->used_q & ~s->gone_q) >> i & 1u && e->start <= u &&
                              u < (uint32_t)e->start + e->size);
        }
        run = taken ? 0 : run + 1;
        const bool fit = s->size_q != 0 && run >= s->size_q;
        count[u] = fit ? (uint8_t)(count[u + s->size_q] + 1) : count[u + 1];
    }
    return from <= s->cfg.units ? count[from] : 0;
}

void relate(wr_alloc_table *s, wr_when when)
{
    const uint32_t tb_mask = (1u << s->cfg.tb_bits) - 1;
    const bool trying = IS(TRIAL) || IS(PICK) || IS(LEAVE);
    const bool planned = trying || IS(PLACE), busy = planned || IS(SEARCH);
    uint32_t unused = 0, leaving = 0;

    LINK(s->kernel_q, "op_kernel_q", 0, 0, 0, 0);
    LINK(s->tb_q, "op_tb_q", 0, 0, 0, 0);
    LINK(s->old_q, "op_old_q", 0, 0, 0, 0);
    LINK_WHERE(busy, s->size_q, "op_size_q", 0, 0, 0, 0);
    LINK_WHERE(planned, s->count_q, "op_count_q", 0, 0, 0, 0);
    LINK_WHERE(IS(REPLY), s->ok_q, "rsp_ok_q", 0, 0, 0, 1);
    LINK_WHERE(IS(REPLY), s->rsp_start_q, "rsp_start_q", 0, 0, 0, 0);
    LINK_WHERE(IS(REPLY), s->rsp_size_q, "rsp_size_q", 0, 0, 0, 0);
    HOLDS(!busy || RTL("rsp_ok_q", 0, 0, 0, 1) == 0);
    HOLDS(!busy || RTL("rsp_start_q", 0, 0, 0, 0) == 0);
    HOLDS(!busy || RTL("rsp_size_q", 0, 0, 0, 0) == 0);

    HOLDS(s->state_q <= WR_ALLOC_REPLY);
    HOLDS(!busy || (s->size_q >= 1 && s->size_q <= s->cfg.units));
    HOLDS(!busy || s->cand_q <= s->cfg.units);
    HOLDS(!planned || (s->count_q >= 1 && s->count_q <= s->cfg.entries));
    HOLDS(!planned || s->old_q != s->kernel_q);
    HOLDS(!IS(SEARCH) || s->placed_q == 0);
    HOLDS(!(IS(TRIAL) || IS(PLACE)) || s->placed_q < s->count_q);
    HOLDS(trying || s->gone_q == 0);
    HOLDS(!IS(LEAVE) || s->gone_q != 0);
    HOLDS((s->gone_q & ~s->used_q) == 0);

    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        wr_alloc_entry *e = &s->entry_q[i];
        const bool used = (s->used_q >> i & 1u) != 0, gone = (s->gone_q >> i & 1u) != 0;
        unused += !used;
        leaving += gone;
        LINK_WHERE(used, e->start, "gen_entry[%].start_q", i, 0, 0, 0);
        LINK_WHERE(used, e->size, "gen_entry[%].size_q", i, 0, 0, 0);
        LINK_WHERE(used, e->kernel, "gen_entry[%].kernel_q", i, 0, 0, 0);
        LINK_WHERE(used, e->tb, "gen_entry[%].tb_q", i, 0, 0, 0);

        const uint32_t above = (uint32_t)(e->tb - s->tb_q) & tb_mask; /* of the new TBs this one */
        const bool own = used && busy && e->kernel == s->kernel_q;
        HOLDS(!used || (e->size >= 1 && (uint32_t)e->start + e->size <= s->cfg.units));
        HOLDS(!gone || e->kernel == s->old_q);
        HOLDS(!own ||
              (planned ? above >= s->count_q || (IS(PLACE) && above < s->placed_q) : above != 0));
        for (uint32_t k = 0; k < i; k++) {
            const wr_alloc_entry *o = &s->entry_q[k];
            const bool both = used && (s->used_q >> k & 1u) != 0;
            HOLDS(!both || (uint32_t)e->start + e->size <= o->start ||
                  (uint32_t)o->start + o->size <= e->start);
            HOLDS(!both || e->kernel != o->kernel || e->tb != o->tb);
        }
    }
    HOLDS(!IS(SEARCH) || unused != 0);
    HOLDS(!IS(LEAVE) || unused + leaving >= s->count_q);
    HOLDS(!IS(PLACE) || unused + s->placed_q >= s->count_q);
    HOLDS(!IS(TRIAL) || fits(s, 0) == s->placed_q + fits(s, s->cand_q));
    HOLDS(!IS(LEAVE) || fits(s, 0) >= s->count_q);
    HOLDS(!IS(PLACE) || fits(s, s->cand_q) + s->placed_q >= s->count_q);
}
