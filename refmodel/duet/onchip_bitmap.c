/* SPDX-License-Identifier: Apache-2.0 */
/* onchip_bitmap: unit by unit. Where the RTL works on a word at once, this counts along it. */
#include "refmodel/duet/onchip_bitmap.h"

#include <assert.h>
#include <string.h>

enum { REGIONS = 3, WORD_BITS_MAX = 64 };

/* The region's units are first to end - 1. */
typedef struct region {
    uint32_t first;
    uint32_t end;
} region;

static region region_of(const wr_onchip_bitmap_cfg *cfg, uint32_t index)
{
    const uint32_t units[REGIONS] = {cfg->reg_units, cfg->smem_units, cfg->l1_units};
    region r = {0};
    for (uint32_t i = 0; i <= index; i++) {
        r.first = r.end;
        r.end += units[i];
    }
    return r;
}

wr_status wr_onchip_bitmap_init(wr_onchip_bitmap *s, const wr_onchip_bitmap_cfg *cfg)
{
    if (!wr_onchip_bitmap_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    const uint32_t word = cfg->word_bits;
    if (WORD_BITS_MAX % word != 0 || cfg->reg_units % word != 0 || cfg->smem_units % word != 0 ||
        cfg->l1_units % word != 0 ||
        cfg->reg_units + cfg->smem_units + cfg->l1_units > WR_ONCHIP_BITMAP_UNITS_MAX) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_onchip_bitmap_reset(s);
    return WR_OK;
}

void wr_onchip_bitmap_reset(wr_onchip_bitmap *s)
{
    wr_onchip_bitmap_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_onchip_bitmap_eval(const wr_onchip_bitmap *s, const wr_onchip_bitmap_in *in,
                           wr_onchip_bitmap_out *out)
{
    (void)in; /* no output of this block is combinational */
    out->ready = s->phase_q == WR_ONCHIP_BITMAP_IDLE;
    out->done = s->done_q;
    out->found = s->done_q && s->good_q;
    out->addr = out->found && !s->free_q ? s->start_q : 0;
    out->fault = s->fault_q;
}

static void finish(wr_onchip_bitmap *s)
{
    s->phase_q = WR_ONCHIP_BITMAP_IDLE;
    s->word_q = 0;
    s->run_q = 0;
    s->left_q = 0;
    s->done_q = true;
}

static void refuse(wr_onchip_bitmap *s)
{
    finish(s);
    s->fault_q = true;
}

/* From the next cycle on the run at `start` of left_q units is written. */
static void start_writing(wr_onchip_bitmap *s, uint32_t start)
{
    s->phase_q = WR_ONCHIP_BITMAP_WRITE;
    s->word_q = (uint16_t)(start / s->cfg.word_bits);
    s->run_q = 0;
    s->good_q = true;
    s->unit_q = (uint16_t)start;
    s->start_q = (uint16_t)start;
}

static void take_request(wr_onchip_bitmap *s, const wr_onchip_bitmap_in *in)
{
    const uint32_t count = in->count & 0xfffu;
    s->good_q = false;
    s->free_q = in->op == WR_ONCHIP_BITMAP_FREE;
    if (count == 0) {
        refuse(s);
        return;
    }
    if (s->free_q) {
        const uint32_t first = in->addr & 0xfffu;
        bool inside = false;
        for (uint32_t i = 0; i < REGIONS; i++) {
            const region r = region_of(&s->cfg, i);
            inside = inside || (first >= r.first && first + count <= r.end);
        }
        if (!inside) {
            refuse(s);
            return;
        }
        s->left_q = (uint16_t)count;
        start_writing(s, first);
        return;
    }
    if ((in->region & 3u) == REGIONS) {
        refuse(s);
        return;
    }
    const region r = region_of(&s->cfg, in->region & 3u);
    s->phase_q = WR_ONCHIP_BITMAP_SEARCH;
    s->left_q = (uint16_t)count;
    s->word_q = (uint16_t)(r.first / s->cfg.word_bits);
    s->end_q = (uint16_t)r.end;
}

static void search_word(wr_onchip_bitmap *s)
{
    const uint32_t first = s->word_q * s->cfg.word_bits;
    const uint32_t next = first + s->cfg.word_bits;
    for (uint32_t u = first; u < next; u++) {
        s->run_q = (uint16_t)(s->taken_q[u] ? 0 : s->run_q + 1);
        if (s->run_q == s->left_q) {
            start_writing(s, u + 1 - s->left_q);
            return;
        }
    }
    if (next == s->end_q) {
        finish(s);
    } else {
        s->word_q++;
    }
}

static void write_word(wr_onchip_bitmap *s)
{
    const uint32_t first = s->word_q * s->cfg.word_bits;
    const uint32_t next = first + s->cfg.word_bits;
    for (uint32_t u = first; u < next; u++) {
        if (u != s->unit_q || s->left_q == 0) {
            continue;
        }
        assert(s->free_q || !s->taken_q[u]);
        if (s->free_q && !s->taken_q[u]) {
            s->good_q = false;
            s->fault_q = true;
        }
        s->taken_q[u] = !s->free_q;
        s->unit_q++;
        s->left_q--;
    }
    if (s->left_q == 0) {
        finish(s);
    } else {
        s->word_q++;
    }
}

void wr_onchip_bitmap_tick(wr_onchip_bitmap *s, const wr_onchip_bitmap_in *in)
{
    s->done_q = false;
    switch (s->phase_q) {
    case WR_ONCHIP_BITMAP_IDLE:
        if (in->valid) {
            take_request(s, in);
        }
        break;
    case WR_ONCHIP_BITMAP_SEARCH:
        search_word(s);
        break;
    default:
        assert(s->phase_q == WR_ONCHIP_BITMAP_WRITE);
        write_word(s);
        break;
    }
}
