/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of context_saver; see the header. */
#include "tests/oracle/context_saver_oracle.h"

#include <string.h>

void wr_oracle_saver_reset(wr_oracle_saver *s, unsigned lanes, unsigned seg_words,
                           unsigned pad_words, const wr_oracle_live_cfg *live)
{
    memset(s, 0, sizeof *s);
    s->lanes = lanes;
    s->live = *live;
    wr_oracle_packer_reset(&s->packer, lanes, seg_words, pad_words);
}

static bool walking(const wr_oracle_saver *s)
{
    return s->begun && !s->packer.flushed;
}

static bool packer_ready(const wr_oracle_saver *s)
{
    return s->packer.open && wr_oracle_packer_held(&s->packer) < s->packer.seg_words + s->lanes;
}

bool wr_oracle_saver_done(const wr_oracle_saver *s)
{
    return s->begun && wr_oracle_packer_done(&s->packer);
}

bool wr_oracle_saver_busy(const wr_oracle_saver *s)
{
    return s->begun && !wr_oracle_saver_done(s);
}

static bool compressor_ready(const wr_oracle_saver *s)
{
    return wr_oracle_pipe_ready(&s->pipe, packer_ready(s));
}

bool wr_oracle_saver_takes_lanes(const wr_oracle_saver *s)
{
    return s->pending && compressor_ready(s);
}

bool wr_oracle_saver_wants(const wr_oracle_saver *s, unsigned *index)
{
    bool wants = walking(s) && s->walk.left != 0 && (!s->pending || compressor_ready(s));
    *index = wants ? wr_oracle_lowest(s->walk.left) : 0;
    return wants;
}

void wr_oracle_saver_clock(wr_oracle_saver *s, const wr_oracle_saver_step *step)
{
    /* All that the parts say to each other in this cycle. */
    unsigned index;
    bool busy = wr_oracle_saver_busy(s);
    bool accept = step->start && !busy;
    bool grant = wr_oracle_saver_wants(s, &index) && step->granted;
    bool to_packer = packer_ready(s);
    bool taken = wr_oracle_saver_takes_lanes(s);
    bool flush = walking(s) && s->walk.left == 0 && !s->pending && !s->pipe.full[0];
    wr_oracle_reg packed = s->pipe.stage[1];
    wr_oracle_reg compressed = {0};
    wr_oracle_live decoded =
        wr_oracle_decode(&s->live, step->word, step->next, step->diverged, step->alloc);
    if (taken) {
        compressed = wr_oracle_compress(s->tag, step->lane, s->lanes, s->pag);
    }

    const wr_oracle_packer_step packer = {.start = accept,
                                          .reg = s->pipe.full[1] && to_packer ? &packed : NULL,
                                          .flush = flush && to_packer,
                                          .seg_ready = step->seg_ready};
    wr_oracle_packer_clock(&s->packer, &packer);
    wr_oracle_pipe_step(&s->pipe, taken, &compressed, false, to_packer);
    wr_oracle_walk_step(&s->walk, accept, &decoded, grant);
    if (taken) {
        s->pending = false;
    }
    if (grant) {
        s->pending = true;
        s->tag = index;
    }
    if (step->start && busy) {
        s->fault = true;
    }
    if (accept) {
        s->begun = true;
        s->pag = step->pag;
        if (step->pag == 3) {
            s->pag = 2;
            s->fault = true;
        }
        if (decoded.fault || (!decoded.is_pp && !decoded.is_bar)) {
            s->fault = true;
        }
    }
}
