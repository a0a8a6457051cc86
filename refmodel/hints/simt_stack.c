/* SPDX-License-Identifier: Apache-2.0 */
/* simt_stack: entries are pushed and dropped one at a time; room is counted before a split begins.
 */
#include "refmodel/hints/simt_stack.h"

#include <assert.h>
#include <string.h>

static uint64_t lanes(const wr_simt_stack *s)
{
    return UINT64_MAX >> (64u - s->cfg.lanes);
}

static wr_simt_stack_entry *top_of(wr_simt_stack *s)
{
    assert(s->depth_q > 0);
    return &s->entry_q[s->depth_q - 1];
}

static void push(wr_simt_stack *s, uint32_t pc, uint32_t rpc, uint64_t mask)
{
    assert(s->depth_q < s->cfg.entries);
    s->entry_q[s->depth_q] = (wr_simt_stack_entry){.pc = pc, .rpc = rpc, .mask = mask};
    s->depth_q++;
}

static void advance(wr_simt_stack *s, uint32_t pc)
{
    wr_simt_stack_entry *top = top_of(s);
    if (s->depth_q >= 2 && pc == top->rpc) {
        s->depth_q--;
    } else {
        top->pc = pc;
    }
}

static void split(wr_simt_stack *s, const wr_simt_stack_in *in, uint64_t taken, uint64_t other)
{
    wr_simt_stack_entry *top = top_of(s);
    const bool flat = s->depth_q >= 2 && in->rpc == top->rpc;
    const uint32_t more = (uint32_t)(in->alt_pc != in->rpc) + (uint32_t)(in->pc != in->rpc);
    if (s->depth_q - (uint32_t)flat + more > s->cfg.entries) {
        s->overflow_q = true;
        return;
    }
    if (flat) {
        s->depth_q--;
    } else {
        top->pc = in->rpc;
    }
    if (in->alt_pc != in->rpc) {
        push(s, in->alt_pc, in->rpc, other);
    }
    if (in->pc != in->rpc) {
        push(s, in->pc, in->rpc, taken);
    }
}

static void branch(wr_simt_stack *s, const wr_simt_stack_in *in)
{
    const uint64_t active = top_of(s)->mask;
    const uint64_t taken = active & in->mask;
    const uint64_t other = active & ~in->mask;
    if (taken == 0) {
        advance(s, in->alt_pc);
    } else if (other == 0) {
        advance(s, in->pc);
    } else {
        split(s, in, taken, other);
    }
}

wr_status wr_simt_stack_init(wr_simt_stack *s, const wr_simt_stack_cfg *cfg)
{
    if (!wr_simt_stack_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_simt_stack_reset(s);
    return WR_OK;
}

void wr_simt_stack_reset(wr_simt_stack *s)
{
    const wr_simt_stack_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_simt_stack_eval(const wr_simt_stack *s, const wr_simt_stack_in *in, wr_simt_stack_out *out)
{
    (void)in; /* no output of this block is combinational */
    *out = (wr_simt_stack_out){
        .depth = s->depth_q,
        .overflow = s->overflow_q,
        .fault = s->fault_q,
    };
    if (s->depth_q > 0) {
        const wr_simt_stack_entry *top = &s->entry_q[s->depth_q - 1];
        out->pc = top->pc;
        out->rpc = top->rpc;
        out->mask = top->mask;
    }
}

void wr_simt_stack_tick(wr_simt_stack *s, const wr_simt_stack_in *in)
{
    const bool empty = s->depth_q == 0;
    switch (in->op & 7u) {
    case WR_SIMT_STACK_IDLE:
        break;
    case WR_SIMT_STACK_CLEAR:
        s->depth_q = 0;
        s->overflow_q = false;
        break;
    case WR_SIMT_STACK_LOAD:
        if (s->depth_q == s->cfg.entries) {
            s->fault_q = true;
        } else {
            push(s, in->pc, in->rpc, in->mask & lanes(s));
        }
        break;
    case WR_SIMT_STACK_STEP:
        if (empty) {
            s->fault_q = true;
        } else {
            advance(s, in->pc);
        }
        break;
    case WR_SIMT_STACK_BRANCH:
        if (empty) {
            s->fault_q = true;
        } else {
            branch(s, in);
        }
        break;
    default:
        s->fault_q = true;
        break;
    }
}
