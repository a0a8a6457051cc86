/* SPDX-License-Identifier: Apache-2.0 */
/* haws_unit: of a warp the RTL has two bits for mode and seen, and for the count of its entries
 * where they begin and end, and whether there are any. Rows of its tables are the model's where the
 * warp is ahead or holds entries; what is behind the instruction at issue where there is one. */
#include "refmodel/hints/haws_unit.h"
#include "formal/rel/relate.h"

/* A number of OffsetW bits with its sign. */
static int16_t distance(const wr_haws_unit *s, uint64_t bits)
{
    const uint64_t half = 1ull << (s->cfg.offset_w - 1);
    return (int16_t)(int64_t)((bits ^ half) - half);
}

static void warp(wr_haws_unit *s, uint32_t i, wr_when when)
{
    wr_haws_warp *w = &s->warp_q[i];
    const uint32_t entries = s->cfg.entries;
    const bool ahead = RTL("ahead_q", 0, 0, i, 1) != 0;
    const bool over = RTL("over_q", 0, 0, i, 1) != 0;
    const bool some = RTL("holds_q", 0, 0, i, 1) != 0;
    const uint32_t head = (uint32_t)RTL("head_q[%]", i, 0, 0, 0);
    const uint32_t tail = (uint32_t)RTL("tail_q[%]", i, 0, 0, 0);
    const uint32_t behind = tail > head ? tail - head : tail + entries - head;

    HOLDS(head < entries);
    HOLDS(tail < entries);
    HOLDS(some || head == tail);
    LINK_VALUE(true, w->mode, i, !ahead ? WR_HAWS_IN_ORDER : over ? WR_HAWS_END : WR_HAWS_HINT);
    LINK_VALUE(true, w->seen, i, !ahead && over);
    LINK_VALUE(true, w->head, i, head);
    LINK_VALUE(true, w->count, i, some ? behind : 0);
    const bool hint = ahead && !over;
    LINK_WHERE(ahead || some, w->base, "base_q[%]", i, 0, 0, 32);
    LINK_WHERE(hint, w->rpc, "rpc_q[%]", i, 0, 0, 32);
    LINK_WHERE(hint, w->lanes, "lanes_q[%]", i, 0, 0, 0);
    const uint64_t offset = RTL("offset_q[%]", i, 0, 0, 0);
    LINK_VALUE(hint, w->offset, i, distance(s, offset));
    HOLDS(!hint || w->count < entries);

    for (uint32_t e = 0; e < entries; e++) {
        wr_haws_entry *n = &w->ring[e];
        const uint32_t older = e >= head ? e - head : e + entries - head;
        const bool held = older < w->count;
        const bool runs = RTL("runs_q[%]", i, 0, e, 1) != 0;
        const uint64_t own = RTL("gen_entry[%].own_q[%]", e, i, 0, 0);
        LINK_WHERE(held, n->renamed, "gen_entry[%].names_q[%]", e, i, 0, 8);
        LINK_WHERE(held, n->dst, "gen_entry[%].names_q[%]", e, i, 8, 8);
        LINK_WHERE(held, n->control, "gen_entry[%].names_q[%]", e, i, 16, 1);
        LINK_VALUE(held, n->offset, e, distance(s, own));
        LINK_VALUE(held, n->ready, e, !runs);
        HOLDS(held || !runs);
        HOLDS(!held || !n->control || !runs);
    }

    const bool served = s->serve_q && s->serve_warp_q == i;
    HOLDS(!served || !s->serve_entry_q || (!ahead && !over && !some));
    HOLDS(!served || s->serve_entry_q || hint);
    const bool issues = s->issue_q && RTL("issue_warp_q", 0, 0, 0, 0) == i;
    HOLDS(!issues || (hint && !served));
    HOLDS(!issues || RTL("issue_id_q", 0, 0, 0, 0) == tail);
    HOLDS(!issues ||
          RTL("issue_pc_q", 0, 0, 0, 32) == (uint32_t)(w->base + (uint32_t)s->at_issue_q.offset));
    HOLDS(!issues || w->count + 1 < entries || RTL("next_ends_q", 0, 0, 0, 1));
    LINK_VALUE(issues && w->count + 1 < entries, s->at_issue_q.ends, i,
               RTL("next_ends_q", 0, 0, 0, 1));
}

void relate(wr_haws_unit *s, wr_when when)
{
    wr_haws_issue *at = &s->at_issue_q;
    const uint64_t own = RTL("issue_own_q", 0, 0, 0, 0);
    const uint64_t next = RTL("next_offset_q", 0, 0, 0, 0);
    const bool ends = RTL("next_ends_q", 0, 0, 0, 1) != 0;

    HOLDS(s->serve_warp_q < s->cfg.warps);
    HOLDS(s->serve_q || !s->serve_entry_q);
    LINK(at->warp, "issue_warp_q", 0, 0, 0, 0);
    HOLDS(at->warp < s->cfg.warps);
    LINK(at->lanes, "issue_lanes_q", 0, 0, 0, 0);
    LINK(at->dst, "issue_dst_q", 0, 0, 0, 8);
    LINK(at->renamed, "issue_renamed_q", 0, 0, 0, 8);
    LINK(at->control, "issue_control_q", 0, 0, 0, 1);
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        LINK(at->src[i], "issue_src_q", i, 0, 8 * i, 8);
    }
    for (uint32_t i = s->cfg.srcs; i < WR_HAWS_SRCS; i++) {
        LINK_VALUE(true, at->src[i], i, 0);
    }
    HOLDS(s->issue_q || RTL("issue_pc_q", 0, 0, 0, 32) == 0);
    HOLDS(s->issue_q || RTL("issue_id_q", 0, 0, 0, 0) == 0);
    LINK_VALUE(s->issue_q, at->offset, 0, distance(s, own));
    LINK_VALUE(s->issue_q && !ends, at->next, 0, distance(s, next));
    LINK_WHERE(s->issue_q, at->rpc_behind, "next_rpc_q", 0, 0, 0, 32);
    LINK_WHERE(s->issue_q, at->lanes_behind, "next_lanes_q", 0, 0, 0, 0);
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        warp(s, i, when);
    }
}
