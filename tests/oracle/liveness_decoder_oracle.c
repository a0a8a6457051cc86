/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of liveness_decoder; see the header. */
#include "tests/oracle/liveness_decoder_oracle.h"

static bool bit(uint64_t vector, unsigned i)
{
    return ((vector >> i) & 1) != 0;
}

static unsigned opcode(uint64_t word)
{
    return (unsigned)(word >> 54);
}

/* Registers that the vector names, and whether it names one that is not allocated. */
static uint64_t named(uint64_t word, unsigned alloc, bool *beyond)
{
    uint64_t mask = 0;
    for (unsigned r = 0; r <= 52; r++) {
        if (bit(word, r)) {
            if (r < alloc) {
                mask += UINT64_C(1) << r;
            } else {
                *beyond = true;
            }
        }
    }
    if (bit(word, 53)) {
        if (alloc <= 53) {
            *beyond = true;
        }
        for (unsigned r = 53; r < alloc; r++) {
            mask += UINT64_C(1) << r;
        }
    }
    return mask;
}

wr_oracle_live wr_oracle_decode(const wr_oracle_live_cfg *cfg, uint64_t word, uint64_t next,
                                bool diverged, unsigned alloc)
{
    wr_oracle_live out = {0};
    if (alloc > cfg->regs) {
        out.fault = true;
        alloc = cfg->regs;
    }
    if (opcode(word) == cfg->op_pp) {
        out.is_pp = true;
        if (!diverged) {
            out.mask = named(word, alloc, &out.fault);
        } else if (opcode(next) == cfg->op_dummy) {
            out.mask = named(next, alloc, &out.fault);
        } else {
            out.mask = named(word, alloc, &out.fault);
            out.fault = true;
        }
    } else if (opcode(word) == cfg->op_bar_pp) {
        out.is_bar = true;
        out.mask = named(word, alloc, &out.fault);
        if (diverged) {
            out.fault = true;
        }
    }
    return out;
}

unsigned wr_oracle_lowest(uint64_t set)
{
    unsigned r = 0;
    while (!bit(set, r)) {
        r++;
    }
    return r;
}

void wr_oracle_walk_step(wr_oracle_walk *w, bool start, const wr_oracle_live *result, bool ready)
{
    bool busy = w->left != 0;

    w->decoded = false;
    if (start && busy) {
        w->fault = true;
    }
    if (busy && ready) {
        w->left -= UINT64_C(1) << wr_oracle_lowest(w->left);
    }
    if (start && !busy) {
        w->decoded = true;
        w->is_pp = result->is_pp;
        w->is_bar = result->is_bar;
        w->mask = result->mask;
        w->left = result->mask;
        if (result->fault) {
            w->fault = true;
        }
    }
}
