/* SPDX-License-Identifier: Apache-2.0 */
/* onchip_bitmap: the map is the same bit for bit. In a search the units that were counted are free;
 * in a write what is still to be taken is free. The row that is searched or given back is read
 * ahead. */
// cases: word_q
#include "refmodel/duet/onchip_bitmap.h"
#include "formal/rel/relate.h"

void relate(wr_onchip_bitmap *s, wr_when when)
{
    const wr_onchip_bitmap_cfg *cfg = &s->cfg;
    const uint32_t bits = cfg->word_bits;
    const uint32_t smem = cfg->reg_units, l1 = smem + cfg->smem_units, units = l1 + cfg->l1_units;
    const bool search = s->phase_q == WR_ONCHIP_BITMAP_SEARCH;
    const bool write = s->phase_q == WR_ONCHIP_BITMAP_WRITE;
    const bool first_row = RTL("first_q", 0, 0, 0, 1) != 0;
    const uint32_t region = (uint32_t)RTL("region_q", 0, 0, 0, 2);
    const uint32_t first = region == 0 ? 0 : region == 1 ? smem : l1;
    const uint32_t end = region == 0 ? smem : region == 1 ? l1 : units;
    const uint32_t base = s->word_q * bits;

    LINK(s->free_q, "give_q", 0, 0, 0, 1);
    LINK_WHERE(write || (s->done_q && s->good_q), s->start_q, "start_q", 0, 0, 0, 12);
    for (uint32_t u = 0; u < units; u++) {
        LINK(s->taken_q[u], "gen_row[%].taken_q", u / bits, 0, u % bits, 1);
    }
    HOLDS(s->word_q < units / bits);
    HOLDS(s->phase_q <= WR_ONCHIP_BITMAP_WRITE);
    HOLDS(search || write || (s->left_q == 0 && s->word_q == 0));
    HOLDS(search || s->run_q == 0);
    HOLDS(!search || (region <= 2 && s->end_q == end && base >= first && base < end));
    HOLDS(!search ||
          (!s->free_q && !s->good_q && s->run_q < s->left_q && s->run_q <= base - first));
    HOLDS(!write || s->left_q != 0);
    HOLDS(!write || s->unit_q == (first_row ? s->start_q : base));
    HOLDS(!write || s->word_q == s->unit_q / bits);
    HOLDS(!write || s->unit_q + s->left_q <= units);
    for (uint32_t u = 0; u < units; u++) {
        HOLDS(!(search && u + s->run_q >= base && u < base) || !s->taken_q[u]);
        HOLDS(!(write && !s->free_q && u >= s->unit_q && u < (uint32_t)s->unit_q + s->left_q) ||
              !s->taken_q[u]);
        HOLDS(!((search || (write && s->free_q)) && u >= base && u < base + bits) ||
              s->taken_q[u] == (RTL("row_q", 0, 0, u % bits, 1) != 0));
    }
}
