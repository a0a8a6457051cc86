/* SPDX-License-Identifier: Apache-2.0 */
/* context_switch_logic: each step belongs to some switches only. The RTL finds sizes, the upper
 * half of a division by N and a step's request of the tables a cycle ahead; the model computes them
 * where they are used. */
#include "refmodel/duet/context_switch_logic.h"
#include "formal/rel/relate.h"

#define IS(step) (s->state_q == WR_CSL_##step)

/* rest and tb are what the two lower bits of id / N are found from, and bits 4 to 2 of it. */
static bool divided(const wr_context_switch_logic *s, uint32_t id, uint32_t rest, uint32_t tb)
{
    const uint32_t four = 4u * s->warps_q;
    return four == 0 || (rest == id % four && tb == (id / four & 7u));
}

/* The warp of a unit that a step is about. */
static uint32_t unit_warp(const wr_context_switch_logic *s, uint32_t id)
{
    return s->level_q == WR_CSL_TB ? ((id & 31u) * s->warps_q + s->warp_q) & 127u : id;
}

void relate(wr_context_switch_logic *s, wr_when when)
{
    const bool on = s->level_q != WR_CSL_OFF, tb = s->level_q == WR_CSL_TB;
    const bool body = tb || (on && s->registers_q);
    const bool none = s->op_q == WR_CSL_NONE, out = s->op_q == WR_CSL_OUT;
    const bool in = s->op_q == WR_CSL_IN, exchange = s->op_q == WR_CSL_EXCHANGE;
    const bool back = s->op_q == WR_CSL_BACK;
    const bool per_warp = IS(RD_OUT) || IS(RD_IN) || IS(META) || IS(WR_OUT) || IS(WR_IN);
    const bool before_tables = !none && (s->state_q <= WR_CSL_WR_IN || IS(META));
    const uint32_t warps = tb ? s->warps_q : 1;
    const uint32_t lines = (body ? s->lines_q : 0u) + s->cfg.st_lines * warps;

    LINK(s->out_popped_q, "out_pop_q", 0, 0, 0, 1);
    LINK(s->in_popped_q, "in_pop_q", 0, 0, 0, 1);
    LINK(s->out_q.reg, "out_reg_q", 0, 0, 0, 12);
    LINK(s->out_q.meta, "out_meta_q", 0, 0, 0, 12);
    LINK(s->in_q.reg, "in_reg_q", 0, 0, 0, 12);
    HOLDS((s->in_q.state == WR_WARP_ABSENT) == (RTL("wait_q", 0, 0, 0, 1) != 0));

    HOLDS(s->level_q <= WR_CSL_TB);
    HOLDS(!on || (s->warps_q >= 1 && s->warps_q <= s->cfg.tb_warps));
    HOLDS(s->op_q <= WR_CSL_BACK);
    HOLDS(none == IS(IDLE));
    HOLDS(none || back || on);
    HOLDS(!(IS(READ_OUT) || IS(ADDR_OUT) || IS(MASK_OUT)) || out || exchange);
    HOLDS(!(IS(READ_IN) || IS(RD_IN) || IS(WR_IN) || IS(ADDR_IN) || IS(MASK_IN)) || in || exchange);
    HOLDS(!(IS(RD_OUT) || IS(WR_OUT)) || out || exchange || back);
    HOLDS(!(IS(ADDR_OUT) || IS(ADDR_IN)) || tb);
    HOLDS(!IS(ALLOC) || out || (in && body));
    HOLDS(!IS(ALLOC_L1) || out);
    HOLDS(!IS(MOVE) || (body && (out || in || exchange)));
    HOLDS(!IS(META) || out || in || exchange);
    HOLDS(!s->take_q || (IS(META) && in));
    HOLDS(!IS(FREE) || (out && body) || in);

    HOLDS(s->warp_q < (per_warp ? warps : 1));
    HOLDS(none || RTL("away_lines_q", 0, 0, 0, 11) == lines);
    HOLDS(!(before_tables && (out || exchange || back)) ||
          RTL("out_warp_q", 0, 0, 0, 7) == unit_warp(s, s->out_id_q));
    HOLDS(!(before_tables && (in || exchange)) ||
          RTL("in_warp_q", 0, 0, 0, 7) == unit_warp(s, s->in_id_q));

    wr_context_switch_logic_in pins = {0};
    wr_context_switch_logic_out step;
    wr_context_switch_logic_eval(s, &pins, &step);
    HOLDS(RTL("ask_q", 0, 0, 0, 1) == step.tab_req);
    HOLDS(RTL("ask_op_q", 0, 0, 0, 3) == step.tab_op);
    HOLDS(RTL("ask_id_q", 0, 0, 0, 7) == step.tab_id);
    HOLDS(RTL("ask_index_q", 0, 0, 0, 5) == step.tab_index);
    HOLDS(!(s->state_q >= WR_CSL_ALLOC && (out || exchange)) ||
          divided(s, s->out_id_q, (uint32_t)RTL("out_rest_q", 0, 0, 0, 7),
                  (uint32_t)RTL("out_tb_q", 0, 0, 0, 3)));
    HOLDS(!(s->state_q >= WR_CSL_ALLOC && (in || exchange)) ||
          divided(s, s->in_id_q, (uint32_t)RTL("in_rest_q", 0, 0, 0, 7),
                  (uint32_t)RTL("in_tb_q", 0, 0, 0, 3)));
}
