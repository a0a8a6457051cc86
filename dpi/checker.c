/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a Verilated block with its model: see checker.h. */
#include "dpi/checker.h"

#include "dpi/bits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wr_checker {
    const wr_block_desc *block;
    const void *cfg;
    wr_aligner *aligner; /* NULL: RTL and model keep the same time */
    void *model;
    void *in;
    void *out;
    uint32_t in_words;
    uint32_t out_words;
    uint32_t out_pins;
    uint32_t state_words;
    uint32_t registers; /* compared */
    uint32_t state_mask[WR_MAX_STATE_WORDS];
    uint64_t cycle;
    uint64_t comparisons;
    uint64_t mismatches;
    char first[512];
    uint64_t first_cycle;
    uint32_t *ring; /* WR_RING_CYCLES of {in, out, expected} */
    uint64_t *ring_cycle;
    uint64_t ring_total; /* cycles ever put in */
    uint64_t ring_reset; /* of them before the last reset */
    bool differed;       /* the last of them */
};

static uint32_t state_words(const wr_block_desc *block)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < block->states_count; i++) {
        bits += (uint32_t)block->states[i].width * block->states[i].count;
    }
    assert(bits <= WR_MAX_STATE_WORDS * 32);
    return (bits + 31) / 32;
}

wr_checker *wr_checker_new(const wr_block_desc *block, const void *cfg, wr_align align)
{
    wr_checker *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        return NULL;
    }
    c->block = block;
    c->cfg = cfg;
    c->in_words = wr_block_words(block, WR_IN, cfg);
    c->out_words = wr_block_words(block, WR_OUT, cfg);
    for (size_t i = 0; i < block->pins_count; i++) {
        c->out_pins += block->pins[i].dir == WR_OUT;
    }
    c->state_words = state_words(block);
    c->registers = (uint32_t)block->states_count;
    memset(c->state_mask, 0xff, sizeof(c->state_mask));
    c->model = calloc(1, block->state_size);
    c->in = calloc(1, block->in_size);
    c->out = calloc(1, block->out_size);
    c->ring = calloc(WR_RING_CYCLES, (c->in_words + 2 * c->out_words) * sizeof(*c->ring));
    c->ring_cycle = calloc(WR_RING_CYCLES, sizeof(*c->ring_cycle));
    if (c->model == NULL || c->in == NULL || c->out == NULL || c->ring == NULL ||
        c->ring_cycle == NULL || block->init(c->model, cfg) != WR_OK) {
        wr_checker_free(c);
        return NULL;
    }
    if (align.kind != WR_ALIGN_CYCLES) {
        c->registers = 0;
        memset(c->state_mask, 0, sizeof(c->state_mask));
        c->aligner = wr_aligner_new(align, block, cfg, c->model);
        if (c->aligner == NULL) {
            wr_checker_free(c);
            return NULL;
        }
    }
    return c;
}

void wr_checker_free(wr_checker *c)
{
    if (c == NULL) {
        return;
    }
    wr_aligner_free(c->aligner);
    free(c->model);
    free(c->in);
    free(c->out);
    free(c->ring);
    free(c->ring_cycle);
    free(c);
}

static bool is_named(const char *name, const char *names)
{
    const size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

uint32_t wr_checker_leave_out(wr_checker *c, const char *registers)
{
    uint32_t bit = 0;

    for (size_t i = 0; i < c->block->states_count; i++) {
        const wr_state_desc *s = &c->block->states[i];
        const uint32_t end = bit + (uint32_t)s->width * s->count;
        const bool out = registers == NULL || is_named(s->name, registers);

        c->registers -= out && c->aligner == NULL && (c->state_mask[bit / 32] >> bit % 32 & 1) != 0;
        for (; out && bit < end; bit++) {
            c->state_mask[bit / 32] &= ~(UINT32_C(1) << bit % 32);
        }
        bit = end;
    }
    return c->registers;
}

static uint32_t *slot(const wr_checker *c, uint64_t number)
{
    return c->ring + number % WR_RING_CYCLES * (c->in_words + 2 * c->out_words);
}

/* Appends to text of `size` bytes, at *used; what does not fit is cut. */
static void append(char *text, size_t size, size_t *used, const char *add)
{
    size_t length = strlen(add);

    if (*used + 1 >= size) {
        return;
    }
    if (length > size - *used - 1) {
        length = size - *used - 1;
    }
    memcpy(text + *used, add, length);
    *used += length;
    text[*used] = '\0';
}

/* One pin or register of `count` elements at `bit`, where it differs. */
static void describe(const char *kind, const char *name, bool is_array, uint32_t width,
                     uint32_t count, uint32_t bit, const uint32_t *expected, const uint32_t *got,
                     char *text, size_t size, size_t *used)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < count; i++, bit += width) {
        uint64_t e = wr_bits_get(expected, bit, width);
        uint64_t g = wr_bits_get(got, bit, width);
        char line[160];
        char index[16] = "";
        if (e == g || wrong++ > 0) {
            continue;
        }
        if (is_array) {
            (void)snprintf(index, sizeof(index), "[%" PRIu32 "]", i);
        }
        (void)snprintf(line, sizeof(line), "%s%s %s%s: expected 0x%" PRIx64 ", got 0x%" PRIx64,
                       *used > 0 ? "; " : "", kind, name, index, e, g);
        append(text, size, used, line);
    }
    if (wrong > 1) {
        char more[48];
        (void)snprintf(more, sizeof(more), " (and %" PRIu32 " more of this %s)", wrong - 1, kind);
        append(text, size, used, more);
    }
}

void wr_describe_difference(const wr_block_desc *block, const void *cfg, const uint32_t *expected,
                            const uint32_t *got, char *text, size_t size)
{
    size_t used = 0;
    uint32_t bit = 0;

    text[0] = '\0';
    for (size_t p = 0; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];
        if (pin->dir == WR_OUT) {
            uint32_t count = wr_pin_count(pin, cfg);
            describe("pin", pin->name, pin->is_array, pin->width, count, bit, expected, got, text,
                     size, &used);
            bit += pin->width * count;
        }
    }
}

static void describe_state(const wr_block_desc *block, const uint32_t *expected,
                           const uint32_t *got, char *text, size_t size)
{
    size_t used = 0;
    uint32_t bit = 0;

    text[0] = '\0';
    for (size_t i = 0; i < block->states_count; i++) {
        const wr_state_desc *s = &block->states[i];
        describe("register", s->name, s->is_array, s->width, s->count, bit, expected, got, text,
                 size, &used);
        bit += (uint32_t)s->width * s->count;
    }
}

/* The text of the first mismatch: outputs where they differ, else registers; and what is behind
 * it, unless NULL. */
static void note_first(wr_checker *c, const uint32_t *expected, const uint32_t *got,
                       const uint32_t *expected_state, const uint32_t *state, const char *why)
{
    int used =
        snprintf(c->first, sizeof(c->first), "%s: cycle %" PRIu64 ": ", c->block->name, c->cycle);
    char *at = c->first + used;
    size_t room = sizeof(c->first) - (size_t)used;

    assert(used > 0 && (size_t)used < sizeof(c->first));
    c->first_cycle = c->cycle;
    wr_describe_difference(c->block, c->cfg, expected, got, at, room);
    if (at[0] == '\0') {
        describe_state(c->block, expected_state, state, at, room);
    }
    if (why != NULL) {
        size_t text = strlen(c->first);
        append(c->first, sizeof(c->first), &text, ": ");
        append(c->first, sizeof(c->first), &text, why);
    }
}

void wr_checker_on_cycle(void *checker, const uint32_t *in, const uint32_t *out,
                         const uint32_t *state)
{
    wr_checker *c = checker;
    uint32_t *row = slot(c, c->ring_total);
    uint32_t *row_out = row + c->in_words;
    uint32_t *expected = row_out + c->out_words;
    uint32_t expected_state[WR_MAX_STATE_WORDS] = {0};
    uint32_t got_state[WR_MAX_STATE_WORDS] = {0};
    const char *why = NULL;
    bool differs;

    memcpy(row, in, c->in_words * sizeof(*row));
    memcpy(row_out, out, c->out_words * sizeof(*row));
    c->ring_cycle[c->ring_total % WR_RING_CYCLES] = c->cycle;
    wr_unpack(c->block, WR_IN, c->cfg, in, c->in);
    if (c->aligner != NULL) {
        c->comparisons += wr_aligner_cycle(c->aligner, c->in, row_out, expected, &why);
    } else {
        c->block->eval(c->model, c->in, c->out);
        (void)wr_pack(c->block, WR_OUT, c->cfg, c->out, expected);
        c->comparisons += c->out_pins;
        wr_pack_state(c->block, c->model, expected_state);
    }
    differs = memcmp(expected, row_out, c->out_words * sizeof(*row)) != 0;
    for (uint32_t i = 0; i < c->state_words; i++) {
        expected_state[i] &= c->state_mask[i];
        got_state[i] = state[i] & c->state_mask[i];
        differs = differs || expected_state[i] != got_state[i];
    }
    c->comparisons += c->registers;
    if (differs && c->mismatches++ == 0) {
        note_first(c, expected, row_out, expected_state, got_state, why);
    }
    c->differed = differs;
    if (c->aligner == NULL) {
        c->block->tick(c->model, c->in);
    }
    c->ring_total++;
    c->cycle++;
}

void wr_checker_on_broken(wr_checker *c, const uint32_t *in, const uint32_t *out)
{
    uint32_t *row = slot(c, c->ring_total);
    uint32_t *row_out = row + c->in_words;

    memcpy(row, in, c->in_words * sizeof(*row));
    memcpy(row_out, out, c->out_words * sizeof(*row));
    c->ring_cycle[c->ring_total++ % WR_RING_CYCLES] = c->cycle++;
    wr_unpack(c->block, WR_IN, c->cfg, in, c->in);
    c->block->eval(c->model, c->in, c->out);
    (void)wr_pack(c->block, WR_OUT, c->cfg, c->out, row_out + c->out_words);
}

/* The pins of one direction between port (expected) and block (got). */
static void describe_packing(const wr_checker *c, wr_dir dir, const uint32_t *port,
                             const uint32_t *block, char *text, size_t size, size_t *used)
{
    uint32_t bit = 0;

    for (size_t p = 0; p < c->block->pins_count; p++) {
        const wr_pin_desc *pin = &c->block->pins[p];
        uint32_t count = wr_pin_count(pin, c->cfg);

        if (pin->dir != dir) {
            continue;
        }
        describe("packing of pin", pin->name, pin->is_array, pin->width, count, bit, port, block,
                 text, size, used);
        bit += pin->width * count;
    }
}

void wr_checker_on_port(wr_checker *c, const uint32_t *in, const uint32_t *out)
{
    assert(c->ring_total > 0);
    const uint32_t *row = slot(c, c->ring_total - 1);
    const uint32_t *row_out = row + c->in_words;

    if (memcmp(in, row, c->in_words * sizeof(*in)) == 0 &&
        memcmp(out, row_out, c->out_words * sizeof(*out)) == 0) {
        return;
    }
    if (!c->differed) {
        c->mismatches++;
    }
    c->differed = true;
    if (c->first[0] == '\0') {
        int start = snprintf(c->first, sizeof(c->first), "%s: cycle %" PRIu64 ": ", c->block->name,
                             c->cycle - 1);
        size_t used = 0;

        assert(start > 0 && (size_t)start < sizeof(c->first));
        c->first_cycle = c->cycle - 1;
        describe_packing(c, WR_IN, in, row, c->first + start, sizeof(c->first) - (size_t)start,
                         &used);
        describe_packing(c, WR_OUT, row_out, out, c->first + start,
                         sizeof(c->first) - (size_t)start, &used);
    }
}

void wr_checker_on_reset(void *checker)
{
    wr_checker *c = checker;

    c->ring_reset = c->ring_total;
    if (c->aligner != NULL) {
        wr_aligner_reset(c->aligner);
    } else {
        c->block->reset(c->model);
    }
}

void wr_checker_forget(wr_checker *c)
{
    c->mismatches = 0;
    c->cycle = 0;
    c->first[0] = '\0';
    c->differed = false;
}

uint64_t wr_checker_comparisons(const wr_checker *c)
{
    return c->comparisons;
}

uint64_t wr_checker_mismatches(const wr_checker *c)
{
    return c->mismatches;
}

const char *wr_checker_first(const wr_checker *c)
{
    return c->mismatches > 0 ? c->first : NULL;
}

uint32_t wr_checker_ring_count(const wr_checker *c)
{
    return c->ring_total < WR_RING_CYCLES ? (uint32_t)c->ring_total : WR_RING_CYCLES;
}

uint64_t wr_checker_first_cycle(const wr_checker *c)
{
    return c->first_cycle;
}

uint64_t wr_checker_since_reset(const wr_checker *c)
{
    return c->ring_total - c->ring_reset;
}

wr_ring_cycle wr_checker_ring_at(const wr_checker *c, uint32_t index)
{
    uint64_t number = c->ring_total - wr_checker_ring_count(c) + index;
    const uint32_t *row = slot(c, number);

    assert(index < wr_checker_ring_count(c));
    return (wr_ring_cycle){c->ring_cycle[number % WR_RING_CYCLES], row, row + c->in_words,
                           row + c->in_words + c->out_words};
}

const void *wr_checker_model(const wr_checker *c)
{
    return c->model;
}

const wr_block_desc *wr_checker_block(const wr_checker *c)
{
    return c->block;
}

const void *wr_checker_cfg(const wr_checker *c)
{
    return c->cfg;
}
