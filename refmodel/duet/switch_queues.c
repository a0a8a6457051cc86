/* SPDX-License-Identifier: Apache-2.0 */
/* switch_queues: four plain arrays that move down when the oldest leaves. */
#include "refmodel/duet/switch_queues.h"

#include <assert.h>
#include <string.h>

enum {
    WARP_MASK = 0x7f,
    TB_MASK = 0x1f,
};

wr_status wr_switch_queues_init(wr_switch_queues *s, const wr_switch_queues_cfg *cfg)
{
    if (!wr_switch_queues_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_switch_queues_reset(s);
    return WR_OK;
}

void wr_switch_queues_reset(wr_switch_queues *s)
{
    wr_switch_queues_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_switch_queues_eval(const wr_switch_queues *s, const wr_switch_queues_in *in,
                           wr_switch_queues_out *out)
{
    (void)in; /* no output of this block is combinational */
    for (uint32_t i = 0; i < WR_SWITCH_QUEUES_PAIR; i++) {
        out->warp_space[i] = s->warp_count_q[i] < s->cfg.warp_depth;
        out->warp_valid[i] = s->warp_count_q[i] > 0;
        out->warp_head[i] = s->warp_count_q[i] > 0 ? s->warp_q[i][0] : 0;
        out->tb_space[i] = s->tb_count_q[i] < s->cfg.tb_depth;
        out->tb_valid[i] = s->tb_count_q[i] > 0;
        out->tb_head[i] = s->tb_count_q[i] > 0 ? s->tb_q[i][0] : 0;
    }
    out->fault = s->fault_q;
}

/* Push and pop of one queue; true where it was popped empty. */
static bool step(uint8_t *entry, uint8_t *count, uint32_t depth, bool push, uint8_t id, bool pop)
{
    const bool space = *count < depth;
    const bool empty = *count == 0;
    if (pop && !empty) {
        (*count)--;
        memmove(entry, entry + 1, *count);
    }
    if (push && space) {
        entry[*count] = id;
        (*count)++;
    }
    assert(*count <= depth);
    return pop && empty;
}

void wr_switch_queues_tick(wr_switch_queues *s, const wr_switch_queues_in *in)
{
    for (uint32_t i = 0; i < WR_SWITCH_QUEUES_PAIR; i++) {
        if (in->clear) {
            s->warp_count_q[i] = 0;
            s->tb_count_q[i] = 0;
            continue;
        }
        const bool warp_bad =
            step(s->warp_q[i], &s->warp_count_q[i], s->cfg.warp_depth, in->warp_push[i],
                 in->warp_push_id[i] & WARP_MASK, in->warp_pop[i]);
        const bool tb_bad = step(s->tb_q[i], &s->tb_count_q[i], s->cfg.tb_depth, in->tb_push[i],
                                 in->tb_push_id[i] & TB_MASK, in->tb_pop[i]);
        s->fault_q = s->fault_q || warp_bad || tb_bad;
    }
}
