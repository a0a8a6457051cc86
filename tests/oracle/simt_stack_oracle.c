/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of simt_stack; see the header. */
#include "tests/oracle/simt_stack_oracle.h"

#include <string.h>

enum { IDLE, CLEAR, LOAD, STEP, BRANCH };

void wr_oracle_simt_reset(wr_oracle_simt *s, unsigned entries, unsigned lanes)
{
    memset(s, 0, sizeof *s);
    s->entries = entries;
    s->lanes = lanes;
}

wr_oracle_path wr_oracle_simt_top(const wr_oracle_simt *s)
{
    const wr_oracle_path none = {0};
    return s->depth > 0 ? s->path[s->depth - 1] : none;
}

static void push(wr_oracle_simt *s, uint32_t pc, uint32_t rpc, uint64_t mask)
{
    s->path[s->depth++] = (wr_oracle_path){pc, rpc, mask};
}

/* The running path goes on at pc; where that is its reconvergence PC, the one below runs. */
static void advance(wr_oracle_simt *s, uint32_t pc)
{
    if (s->depth >= 2 && pc == s->path[s->depth - 1].rpc) {
        s->depth--;
    } else {
        s->path[s->depth - 1].pc = pc;
    }
}

static void branch(wr_oracle_simt *s, const wr_oracle_simt_in *in, uint64_t lanes)
{
    const uint64_t here = wr_oracle_simt_top(s).mask;
    uint64_t taken = 0;
    uint64_t not_taken = 0;
    for (unsigned i = 0; i < 64; i++) {
        const uint64_t lane = UINT64_C(1) << i;
        if ((here & lanes & lane) != 0) {
            taken += in->mask & lane;
            not_taken += ~in->mask & lane;
        }
    }
    if (taken == 0) {
        advance(s, in->alt_pc);
        return;
    }
    if (not_taken == 0) {
        advance(s, in->pc);
        return;
    }
    wr_oracle_simt tried = *s;
    /* All lanes meet again at rpc: where the path ends there anyway, it is done. */
    advance(&tried, in->rpc);
    if (in->alt_pc != in->rpc) {
        push(&tried, in->alt_pc, in->rpc, not_taken);
    }
    if (in->pc != in->rpc) {
        push(&tried, in->pc, in->rpc, taken);
    }
    if (tried.depth > s->entries) {
        s->overflow = true;
    } else {
        *s = tried;
    }
}

void wr_oracle_simt_step(wr_oracle_simt *s, const wr_oracle_simt_in *in)
{
    const uint64_t lanes = s->lanes == 64 ? UINT64_MAX : (UINT64_C(1) << s->lanes) - 1;
    switch (in->op) {
    case IDLE:
        break;
    case CLEAR:
        s->depth = 0;
        s->overflow = false;
        break;
    case LOAD:
        if (s->depth == s->entries) {
            s->fault = true;
        } else {
            push(s, in->pc, in->rpc, in->mask & lanes);
        }
        break;
    case STEP:
    case BRANCH:
        if (s->depth == 0) {
            s->fault = true;
        } else if (in->op == STEP) {
            advance(s, in->pc);
        } else {
            branch(s, in, lanes);
        }
        break;
    default:
        s->fault = true;
        break;
    }
}
