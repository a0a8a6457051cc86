/* SPDX-License-Identifier: Apache-2.0 */
/* result_collection_unit: the queue is walked from its oldest entry; the RTL looks at all entries
 * at once. */
#include "refmodel/hints/result_collection_unit.h"

#include <assert.h>
#include <string.h>

static bool bit(uint32_t set, uint32_t index)
{
    return ((set >> index) & 1u) != 0;
}

static void put(uint16_t *set, uint32_t index, bool value)
{
    const uint32_t mask = 1u << index;
    *set = (uint16_t)(value ? *set | mask : *set & ~mask);
}

static uint8_t after(const wr_result_collection_unit *s, uint32_t index)
{
    return (uint8_t)((index + 1u) % s->cfg.depth);
}

static uint32_t count(const wr_result_collection_unit *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->cfg.depth; i++) {
        n += bit(s->valid_q, i);
    }
    return n;
}

/* An entry that writes a register of this number is still running: the scalar or the vector one,
 * which the entry does not say. */
static bool source_waits(const wr_result_collection_unit *s, uint8_t reg)
{
    bool waits = false;
    uint32_t entry = s->head_q;
    for (uint32_t n = count(s); n > 0; n--) {
        assert(bit(s->valid_q, entry));
        waits = waits ||
                (!bit(s->control_q, entry) && s->dst_q[entry] == reg && !bit(s->ready_q, entry));
        entry = after(s, entry);
    }
    return waits;
}

static bool depends(const wr_result_collection_unit *s, const wr_result_collection_unit_in *in)
{
    bool dep = false;
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        dep = dep || (in->src_used[i] && source_waits(s, in->src[i]));
    }
    return in->hint && dep;
}

static wr_rcu_action action(const wr_result_collection_unit *s,
                            const wr_result_collection_unit_in *in)
{
    const uint32_t head = s->head_q;
    const uint32_t offset = s->offset_q[head];
    const uint32_t distance = offset >= 256u ? offset - 512u : offset;
    if (in->hint || !bit(s->valid_q, head) || in->pc != in->base + distance) {
        return WR_RCU_NORMAL;
    }
    if (!bit(s->ready_q, head)) {
        return WR_RCU_WAIT;
    }
    if (bit(s->control_q, head)) {
        return WR_RCU_BRANCH;
    }
    return s->renamed_q[head] == s->dst_q[head] ? WR_RCU_SKIP : WR_RCU_COPY;
}

wr_status wr_result_collection_unit_init(wr_result_collection_unit *s,
                                         const wr_result_collection_unit_cfg *cfg)
{
    if (!wr_result_collection_unit_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_result_collection_unit_reset(s);
    return WR_OK;
}

void wr_result_collection_unit_reset(wr_result_collection_unit *s)
{
    const wr_result_collection_unit_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_result_collection_unit_eval(const wr_result_collection_unit *s,
                                    const wr_result_collection_unit_in *in,
                                    wr_result_collection_unit_out *out)
{
    const uint32_t held = count(s);
    *out = (wr_result_collection_unit_out){
        .full = held == s->cfg.depth,
        .empty = held == 0,
        .count = (uint8_t)held,
        .id = s->tail_q,
        .dep = depends(s, in),
        .action = (uint8_t)action(s, in),
        .copy_from = held == 0 ? 0 : s->renamed_q[s->head_q],
        .copy_to = held == 0 ? 0 : s->dst_q[s->head_q],
        .fault = s->fault_q,
    };
}

static void allocate(wr_result_collection_unit *s, const wr_result_collection_unit_in *in)
{
    const uint32_t entry = s->tail_q;
    assert(!bit(s->valid_q, entry));
    put(&s->valid_q, entry, true);
    put(&s->ready_q, entry, false);
    put(&s->control_q, entry, in->control);
    s->offset_q[entry] = in->offset;
    s->dst_q[entry] = in->dst;
    s->renamed_q[entry] = in->renamed;
    s->tail_q = after(s, entry);
}

void wr_result_collection_unit_tick(wr_result_collection_unit *s,
                                    const wr_result_collection_unit_in *in)
{
    const bool full = count(s) == s->cfg.depth;
    const bool done_ok =
        in->done_id < s->cfg.depth && bit(s->valid_q, in->done_id) && !bit(s->ready_q, in->done_id);
    const wr_rcu_action act = action(s, in);

    if (in->clear) {
        s->valid_q = 0;
        s->head_q = 0;
        s->tail_q = 0;
        return;
    }
    s->fault_q = s->fault_q || (in->alloc && (full || !in->hint || depends(s, in))) ||
                 (in->done && !done_ok) || (in->fetch && in->hint);
    if (in->alloc && in->hint && !full) {
        allocate(s, in);
    }
    if (in->done && done_ok) {
        put(&s->ready_q, in->done_id, true);
    }
    if (in->fetch && act >= WR_RCU_SKIP) {
        put(&s->valid_q, s->head_q, false);
        s->head_q = after(s, s->head_q);
    }
}
