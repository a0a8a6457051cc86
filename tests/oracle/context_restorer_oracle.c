/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of context_restorer; see the header. */
#include "tests/oracle/context_restorer_oracle.h"

#include <string.h>

#include "tests/oracle/reg_decompressor_oracle.h"

void wr_oracle_restorer_reset(wr_oracle_restorer *r, unsigned lanes, unsigned seg_words,
                              unsigned regs, uint32_t poison)
{
    memset(r, 0, sizeof *r);
    r->lanes = lanes;
    r->regs = regs;
    r->poison = poison;
    wr_oracle_unpacker_reset(&r->unpacker, lanes, seg_words);
}

bool wr_oracle_restorer_busy(const wr_oracle_restorer *r)
{
    return wr_oracle_unpacker_busy(&r->unpacker) || r->next < r->alloc || r->waiting ||
           r->pipe.full[0] || r->pipe.full[1];
}

static void begin(wr_oracle_restorer *r, const wr_oracle_restorer_step *step)
{
    r->next = 0;
    r->alloc = step->alloc;
    if (r->alloc > r->regs) {
        r->alloc = r->regs;
        r->fault = true;
    }
    if (step->pag == 3) {
        r->fault = true;
    }
    for (unsigned i = r->alloc; i < WR_ORACLE_REGS; i++) {
        if (wr_oracle_pattern_of(step->pattern_vec, i) != WR_ORACLE_DEAD) {
            r->fault = true;
        }
    }
}

void wr_oracle_restorer_clock(wr_oracle_restorer *r, const wr_oracle_restorer_step *step)
{
    bool busy = wr_oracle_restorer_busy(r);
    bool accept = step->start && !busy;
    bool room = !r->waiting || wr_oracle_pipe_ready(&r->pipe, step->granted);
    wr_oracle_reg head = {0};
    bool at_head = wr_oracle_unpacker_front(&r->unpacker, &head);
    bool live = at_head && (head.tag == r->next || r->next >= r->alloc);
    bool dead = r->next < r->alloc &&
                ((at_head && head.tag > r->next) || !wr_oracle_unpacker_busy(&r->unpacker));
    wr_oracle_reg reg = {0};

    if (live) {
        reg = wr_oracle_decompress(head.tag, head.pattern, head.value, r->lanes, r->unpacker.pag,
                                   r->poison);
    } else if (dead) {
        reg = wr_oracle_decompress(r->next, WR_ORACLE_DEAD, head.value, r->lanes, r->unpacker.pag,
                                   r->poison);
    }
    if ((step->start && busy) || (step->seg_offered && !wr_oracle_unpacker_busy(&r->unpacker))) {
        r->fault = true;
    }

    const wr_oracle_unpacker_step unpacker = {.start = accept,
                                              .pattern_vec = step->pattern_vec,
                                              .pag = step->pag,
                                              .seg_offered = step->seg_offered,
                                              .seg_word = step->seg_word,
                                              .ready = live && room};
    wr_oracle_unpacker_clock(&r->unpacker, &unpacker);
    wr_oracle_pipe_step(&r->pipe, r->waiting, &r->turn, false, step->granted);
    if (room) {
        r->waiting = live || dead;
        if (r->waiting) {
            r->turn = reg;
            r->next = reg.tag + 1;
        }
    }
    if (accept) {
        begin(r, step);
    }
}
