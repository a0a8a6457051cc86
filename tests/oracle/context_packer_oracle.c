/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of context_packer; see the header. */
#include "tests/oracle/context_packer_oracle.h"

#include <string.h>

void wr_oracle_warp_add(wr_oracle_warp *w, const wr_oracle_reg *reg)
{
    for (unsigned i = 0; i < reg->count; i++) {
        w->stream[w->words++] = reg->value[i];
    }
    w->pattern_vec[reg->tag / 16] &= ~(3u << (2 * (reg->tag % 16)));
    w->pattern_vec[reg->tag / 16] |= (uint32_t)reg->pattern << (2 * (reg->tag % 16));
}

unsigned wr_oracle_pattern_of(const uint32_t *pattern_vec, unsigned r)
{
    return (pattern_vec[r / 16] >> (2 * (r % 16))) % 4;
}

size_t wr_oracle_bytes(const uint32_t *word, size_t n, uint8_t *bytes)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        for (unsigned b = 0; b < 4; b++) {
            bytes[at++] = (uint8_t)((word[i] >> (8 * b)) % 256);
        }
    }
    return at;
}

void wr_oracle_packer_reset(wr_oracle_packer *p, unsigned lanes, unsigned seg_words,
                            unsigned pad_words)
{
    memset(p, 0, sizeof *p);
    p->lanes = lanes;
    p->seg_words = seg_words;
    p->pad_words = pad_words;
    p->last_tag = -1;
}

unsigned wr_oracle_packer_held(const wr_oracle_packer *p)
{
    return p->warp.words - p->taken;
}

wr_oracle_segment wr_oracle_packer_segment(const wr_oracle_packer *p)
{
    wr_oracle_segment seg = {0};
    unsigned held = wr_oracle_packer_held(p);
    unsigned n = held;

    if (held >= p->seg_words) {
        n = p->seg_words;
    } else if (!p->flushed || held == 0) {
        return seg;
    }
    seg.valid = true;
    for (unsigned i = 0; i < n; i++) {
        seg.word[i] = p->warp.stream[p->taken + i];
    }
    while (seg.count < n) {
        seg.count += n == p->seg_words ? p->seg_words : p->pad_words;
    }
    seg.last = p->flushed && held == n && !p->unmarked;
    return seg;
}

bool wr_oracle_packer_done(const wr_oracle_packer *p)
{
    return p->flushed && wr_oracle_packer_held(p) == 0;
}

static void take_register(wr_oracle_packer *p, const wr_oracle_reg *offered)
{
    wr_oracle_reg reg = *offered;
    if (reg.count == 0 || reg.count > p->lanes) {
        p->fault = true;
        reg.count = p->lanes;
    }
    if (reg.pattern == WR_ORACLE_DEAD || (int)reg.tag <= p->last_tag) {
        p->fault = true;
    }
    p->last_tag = (int)reg.tag;
    wr_oracle_warp_add(&p->warp, &reg);
}

void wr_oracle_packer_clock(wr_oracle_packer *p, const wr_oracle_packer_step *step)
{
    wr_oracle_segment seg = wr_oracle_packer_segment(p);

    if (step->start) {
        if (seg.valid || wr_oracle_packer_held(p) != 0 || step->reg != NULL || step->flush) {
            p->fault = true;
        }
        memset(&p->warp, 0, sizeof p->warp);
        p->taken = 0;
        p->open = true;
        p->flushed = false;
        p->unmarked = false;
        p->last_tag = -1;
        return;
    }
    if (seg.valid && step->seg_ready) {
        p->unmarked = false;
        unsigned held = wr_oracle_packer_held(p);
        p->taken += held < p->seg_words ? held : p->seg_words;
    }
    if (step->reg != NULL) {
        take_register(p, step->reg);
    }
    if (step->flush) {
        p->flushed = true;
        p->open = false;
        p->unmarked = seg.valid && !step->seg_ready;
    }
}
