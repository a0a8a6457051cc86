/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/tb_compressor_oracle.h"

#include <string.h>

enum { UNIFORM = 1, STRIDED = 3 }; /* a warp's pattern; dead counts as random */

static unsigned lanes_of_pag(unsigned pag)
{
    return pag == 0 ? 8 : pag == 1 ? 16 : 32;
}

static void forget(wr_oracle_tb *t)
{
    bool fault = t->fault;
    wr_oracle_tb_reset(t, t->words, t->entries);
    t->fault = fault;
}

void wr_oracle_tb_reset(wr_oracle_tb *t, unsigned words, unsigned entries)
{
    memset(t, 0, sizeof *t);
    t->words = words;
    t->entries = entries;
}

static bool all_strides(const wr_oracle_tb *t, uint32_t value)
{
    for (unsigned i = 0; i < t->listed; i++) {
        if (t->stride[i] != value) {
            return false;
        }
    }
    return true;
}

/* Every base is the one before it and so much more. */
static bool bases_step_by(const wr_oracle_tb *t, uint64_t step)
{
    for (unsigned i = 1; i < t->listed; i++) {
        uint64_t want = (t->base[i - 1] + step) % (UINT64_C(1) << 32);
        if (t->base[i] != want) {
            return false;
        }
    }
    return true;
}

unsigned wr_oracle_tb_class(const wr_oracle_tb *t)
{
    if (t->over) {
        return WR_ORACLE_TB_BYPASS;
    }
    if (t->random) {
        return WR_ORACLE_TB_RANDOM;
    }
    if (all_strides(t, 0)) {
        return bases_step_by(t, 0) ? WR_ORACLE_TB_GLOBAL_UNIFORM : WR_ORACLE_TB_LOCAL_UNIFORM;
    }
    if (all_strides(t, t->stride[0]) && bases_step_by(t, (uint64_t)t->stride[0] * t->pag_lanes)) {
        return WR_ORACLE_TB_GLOBAL_STRIDED;
    }
    return WR_ORACLE_TB_LOCAL_STRIDED;
}

wr_oracle_tb_beat wr_oracle_tb_output(const wr_oracle_tb *t)
{
    wr_oracle_tb_beat out = {0};
    if (!t->emitting) {
        return out;
    }
    out.valid = true;
    out.tb_class = wr_oracle_tb_class(t);
    unsigned beats = 1;
    switch (out.tb_class) {
    case WR_ORACLE_TB_GLOBAL_UNIFORM:
        out.count = 1;
        break;
    case WR_ORACLE_TB_GLOBAL_STRIDED:
        out.count = 2;
        break;
    case WR_ORACLE_TB_LOCAL_UNIFORM:
        out.count = 1;
        beats = t->listed;
        break;
    case WR_ORACLE_TB_LOCAL_STRIDED:
        out.count = 2;
        beats = t->listed;
        break;
    default: /* bypass, random */
        break;
    }
    if (out.count >= 1) {
        out.word[0] = t->base[t->beat];
    }
    if (out.count == 2) {
        out.word[1] = t->stride[t->beat];
    }
    out.last = t->beat + 1 == beats;
    return out;
}

static void take(wr_oracle_tb *t, const wr_oracle_tb_result *r)
{
    if (r->pag == 3 || r->pattern == 0 || (t->begun && lanes_of_pag(r->pag) != t->pag_lanes)) {
        t->fault = true;
    }
    if (!t->begun) {
        t->begun = true;
        t->pag_lanes = lanes_of_pag(r->pag);
    }
    unsigned lanes = 4 * t->words;
    unsigned groups = 0;
    for (unsigned lane = 0; lane < lanes; lane += t->pag_lanes) {
        groups++;
    }
    if (t->over || t->groups + groups > t->entries) {
        t->over = true;
    } else {
        t->groups += groups;
        if (r->pattern != UNIFORM && r->pattern != STRIDED) {
            t->random = true;
        }
        for (unsigned g = 0; g < groups && !t->random; g++) {
            t->base[t->listed] = r->pattern == UNIFORM ? r->word[g] : r->word[2 * g];
            t->stride[t->listed] = r->pattern == UNIFORM ? 0 : r->word[2 * g + 1];
            t->listed++;
        }
    }
    t->emitting = r->last;
    t->beat = 0;
}

void wr_oracle_tb_step(wr_oracle_tb *t, const wr_oracle_tb_result *offered, bool ready)
{
    if (t->emitting) {
        wr_oracle_tb_beat out = wr_oracle_tb_output(t);
        if (ready && out.last) {
            forget(t);
        } else if (ready) {
            t->beat++;
        }
    } else if (offered != NULL) {
        take(t, offered);
    }
}
