/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of context_unpacker; see the header. */
#include "tests/oracle/context_unpacker_oracle.h"

#include <string.h>

void wr_oracle_unpacker_reset(wr_oracle_unpacker *u, unsigned lanes, unsigned seg_words)
{
    memset(u, 0, sizeof *u);
    u->lanes = lanes;
    u->seg_words = seg_words;
}

bool wr_oracle_unpacker_busy(const wr_oracle_unpacker *u)
{
    return u->given < u->regs;
}

bool wr_oracle_unpacker_front(const wr_oracle_unpacker *u, wr_oracle_reg *reg)
{
    if (!wr_oracle_unpacker_busy(u)) {
        return false;
    }
    *reg = u->reg[u->given];
    if (u->arrived - u->used < reg->count) {
        return false;
    }
    for (unsigned i = 0; i < reg->count; i++) {
        reg->value[i] = u->stream[u->used + i];
    }
    return true;
}

bool wr_oracle_unpacker_seg_ready(const wr_oracle_unpacker *u)
{
    return wr_oracle_unpacker_busy(u) && u->arrived - u->used < 2 * u->lanes;
}

unsigned wr_oracle_unpacker_missing(const wr_oracle_unpacker *u)
{
    unsigned need = u->used;
    for (unsigned i = u->given; i < u->regs; i++) {
        need += u->reg[i].count;
    }
    return need > u->arrived ? need - u->arrived : 0;
}

static void begin(wr_oracle_unpacker *u, const uint32_t *pattern_vec, unsigned pag)
{
    if (pag == 3) {
        u->fault = true;
        pag = 2;
    }
    u->pag = pag;
    u->regs = 0;
    u->given = 0;
    u->used = 0;
    u->arrived = 0;
    for (unsigned r = 0; r < WR_ORACLE_REGS; r++) {
        unsigned pattern = wr_oracle_pattern_of(pattern_vec, r);
        if (pattern != WR_ORACLE_DEAD) {
            wr_oracle_reg reg = {.tag = r, .pattern = pattern};
            reg.count = wr_oracle_word_count(pattern, u->lanes, pag);
            u->reg[u->regs++] = reg;
        }
    }
}

void wr_oracle_unpacker_clock(wr_oracle_unpacker *u, const wr_oracle_unpacker_step *step)
{
    bool busy = wr_oracle_unpacker_busy(u);
    bool seg_taken = wr_oracle_unpacker_seg_ready(u) && step->seg_offered;
    wr_oracle_reg front;

    if (!busy && step->seg_offered) {
        u->fault = true;
    }
    if (busy && step->start) {
        u->fault = true;
    }
    if (wr_oracle_unpacker_front(u, &front) && step->ready) {
        u->given++;
        u->used += front.count;
    }
    if (seg_taken) {
        for (unsigned i = 0; i < u->seg_words; i++) {
            u->stream[u->arrived++] = step->seg_word[i];
        }
    }
    if (!busy && step->start) {
        begin(u, step->pattern_vec, step->pag);
    }
}
