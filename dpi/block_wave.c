/* SPDX-License-Identifier: Apache-2.0 */
/* Waveforms of a block's pins: see block_wave.h. */
#include "dpi/block_wave.h"

#include "dpi/bits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct side {
    wr_fst_var *var; /* one per element of every pin of the side, in packed order */
    wr_dir dir;
} side;

struct wr_block_wave {
    wr_fst *w;
    const wr_block_desc *block;
    const void *cfg;
    side sides[3]; /* in, out, expected */
    int sides_count;
    uint32_t out_words;
    wr_fst_var clk;
    wr_fst_var mismatch;
};

static const char *const side_names[] = {"in", "out", "expected"};

static uint32_t elements(const wr_block_desc *block, const void *cfg, wr_dir dir)
{
    uint32_t n = 0;

    for (size_t p = 0; p < block->pins_count; p++) {
        if (block->pins[p].dir == dir) {
            n += wr_pin_count(&block->pins[p], cfg);
        }
    }
    assert(n > 0);
    return n;
}

/* "lane[3]" or "valid". */
static void element_name(const wr_pin_desc *pin, uint32_t i, char *text, size_t size)
{
    if (pin->is_array) {
        (void)snprintf(text, size, "%s[%" PRIu32 "]", pin->name, i);
    } else {
        (void)snprintf(text, size, "%s", pin->name);
    }
}

wr_block_wave *wr_block_wave_add(wr_fst *w, const char *scope, const wr_block_desc *block,
                                 const void *cfg, bool with_expected)
{
    wr_block_wave *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        return NULL;
    }
    b->w = w;
    b->block = block;
    b->cfg = cfg;
    b->sides_count = with_expected ? 3 : 2;
    b->out_words = wr_block_words(block, WR_OUT, cfg);
    for (int s = 0; s < b->sides_count; s++) {
        b->sides[s].dir = s == 0 ? WR_IN : WR_OUT;
        b->sides[s].var = calloc(elements(block, cfg, b->sides[s].dir), sizeof(wr_fst_var));
        if (b->sides[s].var == NULL) {
            wr_block_wave_free(b);
            return NULL;
        }
    }
    wr_fst_scope(w, scope);
    b->clk = wr_fst_add(w, "clk", 1, 0);
    b->mismatch = with_expected ? wr_fst_add(w, "mismatch", 1, 0) : 0;
    for (int s = 0; s < b->sides_count; s++) {
        uint32_t next = 0;
        wr_fst_scope(w, side_names[s]);
        for (size_t p = 0; p < block->pins_count; p++) {
            const wr_pin_desc *pin = &block->pins[p];
            wr_fst_enum names = 0;
            if (pin->dir != b->sides[s].dir) {
                continue;
            }
            if (pin->codes != NULL) {
                names = wr_fst_enum_table(w, pin->name, pin->width, pin->codes, pin->codes_count);
            }
            for (uint32_t i = 0; i < wr_pin_count(pin, cfg); i++) {
                char name[96];
                element_name(pin, i, name, sizeof(name));
                b->sides[s].var[next++] = wr_fst_add(w, name, pin->width, names);
            }
        }
        wr_fst_upscope(w);
    }
    wr_fst_upscope(w);
    return b;
}

void wr_block_wave_free(wr_block_wave *b)
{
    if (b == NULL) {
        return;
    }
    for (int s = 0; s < b->sides_count; s++) {
        free(b->sides[s].var);
    }
    free(b);
}

static void set_side(wr_block_wave *b, const side *s, const uint32_t *words)
{
    uint32_t bit = 0;
    uint32_t next = 0;

    for (size_t p = 0; p < b->block->pins_count; p++) {
        const wr_pin_desc *pin = &b->block->pins[p];
        if (pin->dir != s->dir) {
            continue;
        }
        for (uint32_t i = 0; i < wr_pin_count(pin, b->cfg); i++, bit += pin->width) {
            wr_fst_set(b->w, s->var[next++], pin->width, wr_bits_get(words, bit, pin->width));
        }
    }
}

void wr_block_wave_cycle(wr_block_wave *b, const uint32_t *in, const uint32_t *out,
                         const uint32_t *expected)
{
    set_side(b, &b->sides[0], in);
    set_side(b, &b->sides[1], out);
    if (b->sides_count == 3 && expected != NULL) {
        bool differs = memcmp(out, expected, b->out_words * sizeof(*out)) != 0;
        set_side(b, &b->sides[2], expected);
        wr_fst_set(b->w, b->mismatch, 1, differs);
    }
}

void wr_block_wave_clock(wr_block_wave *b, bool level)
{
    wr_fst_set(b->w, b->clk, 1, level);
}

void wr_block_wave_save(const wr_block_desc *block, const void *cfg, bool with_expected,
                        const char *prefix, wr_save *save)
{
    char name[256];

    (void)snprintf(name, sizeof(name), "%s.clk", prefix);
    wr_save_signal(save, name, 1);
    if (with_expected) {
        (void)snprintf(name, sizeof(name), "%s.mismatch", prefix);
        wr_save_signal(save, name, 1);
    }
    for (int s = 0; s < (with_expected ? 3 : 2); s++) {
        wr_save_comment(save, side_names[s]);
        for (size_t p = 0; p < block->pins_count; p++) {
            const wr_pin_desc *pin = &block->pins[p];
            if (pin->dir != (s == 0 ? WR_IN : WR_OUT)) {
                continue;
            }
            for (uint32_t i = 0; i < wr_pin_count(pin, cfg); i++) {
                char element[96];
                element_name(pin, i, element, sizeof(element));
                (void)snprintf(name, sizeof(name), "%s.%s.%s", prefix, side_names[s], element);
                if (pin->codes != NULL && pin->width > 1) {
                    wr_save_enum(save, name, pin->width);
                } else {
                    wr_save_signal(save, name, pin->width);
                }
            }
        }
    }
}

/* One cycle of a waveform that holds one block: pins, clock low, then the rising edge. */
static void draw_cycle(wr_fst *w, wr_block_wave *b, uint64_t cycle, const uint32_t *in,
                       const uint32_t *out, const uint32_t *expected)
{
    wr_fst_time(w, cycle * WR_WAVE_CYCLE_NS);
    wr_block_wave_clock(b, true); /* the edge that ended the cycle before */
    wr_block_wave_cycle(b, in, out, expected);
    wr_fst_time(w, cycle * WR_WAVE_CYCLE_NS + WR_WAVE_CYCLE_NS / 2);
    wr_block_wave_clock(b, false);
}

bool wr_wave_from_ring(const wr_checker *c, const char *path, char *err, size_t err_size)
{
    const wr_block_desc *block = wr_checker_block(c);
    uint32_t count = wr_checker_ring_count(c);
    wr_block_wave *b;
    wr_fst *w;

    if (count == 0) {
        (void)snprintf(err, err_size, "%s: no cycle was seen, nothing to write", path);
        return false;
    }
    w = wr_fst_open(path);
    if (w == NULL) {
        (void)snprintf(err, err_size, "%s: cannot be written", path);
        return false;
    }
    b = wr_block_wave_add(w, block->name, block, wr_checker_cfg(c), true);
    if (b == NULL) {
        (void)snprintf(err, err_size, "%s: out of memory", path);
        wr_fst_drop(w);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        wr_ring_cycle r = wr_checker_ring_at(c, i);
        draw_cycle(w, b, r.cycle, r.in, r.out, r.expected);
    }
    wr_fst_time(w, (wr_checker_ring_at(c, count - 1).cycle + 1) * WR_WAVE_CYCLE_NS);
    wr_block_wave_clock(b, true);
    wr_block_wave_free(b);
    if (!wr_fst_close(w)) {
        (void)snprintf(err, err_size, "%s: " WR_FST_CUT, path);
        return false;
    }
    return true;
}

bool wr_wave_dump(const wr_port *port, const char *path, char *err, size_t err_size)
{
    if (port->checker == NULL) {
        (void)snprintf(err, err_size, "%s: only a lockstep port keeps its last cycles", path);
        return false;
    }
    return wr_wave_from_ring(port->checker, path, err, err_size);
}

struct wr_wave_recorder {
    wr_observer observer;
    wr_fst *w;
    wr_block_wave *b;
    const wr_port *port;
    uint64_t cycle;
    char *path;
    uint32_t in[WR_MAX_WORDS];
    uint32_t out[WR_MAX_WORDS];
};

static void record(void *ctx, const wr_port *port, const void *in, const void *out)
{
    wr_wave_recorder *r = ctx;

    (void)wr_pack(port->block, WR_IN, port->cfg, in, r->in);
    (void)wr_pack(port->block, WR_OUT, port->cfg, out, r->out);
    draw_cycle(r->w, r->b, r->cycle++, r->in, r->out, NULL);
}

wr_wave_recorder *wr_wave_attach(wr_port *port, const char *path, char *err, size_t err_size)
{
    wr_wave_recorder *r = calloc(1, sizeof(*r));

    if (r != NULL) {
        r->path = strdup(path);
        r->w = wr_fst_open(path);
    }
    if (r == NULL || r->w == NULL || r->path == NULL) {
        (void)snprintf(err, err_size, "%s: cannot be written", path);
        if (r != NULL) {
            wr_fst_drop(r->w);
            free(r->path);
        }
        free(r);
        return NULL;
    }
    r->port = port;
    r->b = wr_block_wave_add(r->w, port->block->name, port->block, port->cfg, false);
    if (r->b == NULL) {
        (void)snprintf(err, err_size, "%s: out of memory", path);
        wr_fst_drop(r->w);
        free(r->path);
        free(r);
        return NULL;
    }
    r->observer = (wr_observer){.cycle = record, .ctx = r};
    wr_port_observe(port, &r->observer);
    return r;
}

bool wr_wave_detach(wr_wave_recorder *r, char *err, size_t err_size)
{
    char view[4096];
    const char *slash = strrchr(r->path, '/');
    const char *base = slash != NULL ? slash + 1 : r->path;
    bool viewed = false;
    wr_save *s;

    wr_fst_time(r->w, r->cycle * WR_WAVE_CYCLE_NS);
    wr_block_wave_clock(r->b, true);
    const bool whole = wr_fst_close(r->w);

    s = whole && wr_save_view_path(r->path, view, sizeof(view)) ? wr_save_open(view, base) : NULL;
    if (s != NULL) {
        wr_block_wave_save(r->port->block, r->port->cfg, false, r->port->block->name, s);
        viewed = wr_save_close(s);
    }
    if (!whole || !viewed) {
        (void)snprintf(err, err_size, "%s: %s", r->path,
                       whole ? "its saved view cannot be written" : WR_FST_CUT);
    }
    wr_block_wave_free(r->b);
    free(r->path);
    free(r);
    return whole && viewed;
}
