/* SPDX-License-Identifier: Apache-2.0 */
/* Model and RTL of different timing: see align.h. */
#include "dpi/align.h"

#include "dpi/bits.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWED = 64,      /* results that the RTL may hold */
    QUIET = 16,     /* cycles without a result, and four latencies, after which a model is done */
    PATIENT = 65536 /* cycles in which a model takes an input */
};

/* A result that the RTL owes. */
typedef struct owed {
    uint32_t words[WR_MAX_WORDS];
    bool fault; /* the model's, once it had the input */
} owed;

/* Handshakes of a stream: pins of one bit, and where the outputs are in the packed words. */
typedef struct stream {
    const wr_pin_desc *in_valid, *in_ready;
    uint32_t ready, valid, fault; /* bits; fault UINT32_MAX: the block has none */
    uint32_t data[WR_MAX_WORDS];  /* mask of the other outputs */
    uint32_t pins;                /* compared at a transfer */
    owed queue[OWED];
    uint32_t first, count;
    uint32_t still;              /* cycles in which it could have moved and did not */
    bool waits;                  /* a result stood at the output and was not taken */
    uint32_t held[WR_MAX_WORDS]; /* it */
} stream;

struct wr_aligner {
    wr_align align;
    const wr_block_desc *block;
    const void *cfg;
    void *model;
    uint32_t out_words, out_pins;
    uint64_t cycle; /* since reset */
    uint32_t (*late)[WR_MAX_WORDS];
    stream s;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
};

static bool is_stream(const wr_block_desc *b)
{
    return wr_block_pin(b, WR_IN, "valid") && wr_block_pin(b, WR_OUT, "ready") &&
           wr_block_pin(b, WR_OUT, "valid") && wr_block_pin(b, WR_IN, "ready");
}

bool wr_align_fits(wr_align align, const wr_block_desc *block, char *err, size_t err_size)
{
    char names[256] = "";
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    if (align.kind != WR_ALIGN_TRANSFERS || is_stream(block)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);
        if (is_stream(blocks[i])) {
            (void)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                           blocks[i]->name);
        }
    }
    (void)snprintf(err, err_size,
                   "%s is no stream from valid_i and ready_o to valid_o and ready_i, so its "
                   "transfers have no order to compare; streams are %s",
                   block->name, names);
    return false;
}

static void find_pins(wr_aligner *a)
{
    stream *s = &a->s;
    uint32_t bit = 0;

    s->in_valid = wr_block_pin(a->block, WR_IN, "valid");
    s->in_ready = wr_block_pin(a->block, WR_IN, "ready");
    s->fault = UINT32_MAX;
    for (size_t p = a->block->ins_count; p < a->block->pins_count; p++) {
        const wr_pin_desc *pin = &a->block->pins[p];
        const uint32_t end = bit + pin->width * wr_pin_count(pin, a->cfg);

        a->out_pins++;
        if (strcmp(pin->name, "ready") == 0) {
            s->ready = bit;
        } else if (strcmp(pin->name, "valid") == 0) {
            s->valid = bit;
        } else if (strcmp(pin->name, "fault") == 0) {
            s->fault = bit;
        } else {
            s->pins++;
            for (uint32_t i = bit; i < end; i++) {
                s->data[i / 32] |= 1u << i % 32;
            }
        }
        bit = end;
    }
}

wr_aligner *wr_aligner_new(wr_align align, const wr_block_desc *block, const void *cfg, void *model)
{
    wr_aligner *a = calloc(1, sizeof(*a));

    if (a == NULL) {
        return NULL;
    }
    a->align = align;
    a->block = block;
    a->cfg = cfg;
    a->model = model;
    a->out_words = wr_block_words(block, WR_OUT, cfg);
    find_pins(a);
    if (align.kind == WR_ALIGN_LATENCY) {
        a->late = calloc((size_t)align.cycles + 1, sizeof(*a->late));
        if (a->late == NULL) {
            wr_aligner_free(a);
            return NULL;
        }
    }
    return a;
}

void wr_aligner_free(wr_aligner *a)
{
    if (a != NULL) {
        free(a->late);
        free(a);
    }
}

void wr_aligner_reset(wr_aligner *a)
{
    a->block->reset(a->model);
    a->cycle = 0;
    a->s.first = 0;
    a->s.count = 0;
    a->s.still = 0;
    a->s.waits = false;
}

static uint32_t late(wr_aligner *a, const void *pins, uint32_t *expected)
{
    const uint64_t places = (uint64_t)a->align.cycles + 1;
    uint32_t *now = a->late[a->cycle % places];
    const bool due = a->cycle >= a->align.cycles;

    memset(now, 0, sizeof(*a->late));
    a->block->eval(a->model, pins, a->out);
    (void)wr_pack(a->block, WR_OUT, a->cfg, a->out, now);
    a->block->tick(a->model, pins);
    if (due) {
        memcpy(expected, a->late[(a->cycle + 1) % places], a->out_words * sizeof(*expected));
    }
    a->cycle++;
    return due ? a->out_pins : 0;
}

static bool bit_of(const uint32_t *words, uint32_t bit)
{
    return (words[bit / 32] >> bit % 32 & 1u) != 0;
}

static void put_bit(uint32_t *words, uint32_t bit, bool value)
{
    words[bit / 32] = (words[bit / 32] & ~(1u << bit % 32)) | (uint32_t)value << bit % 32;
}

/* An input of one bit, in the C struct. */
static void put_pin(wr_aligner *a, const wr_pin_desc *pin, bool value)
{
    assert(pin->width == 1 && pin->elem_bytes == 1);
    a->in[pin->offset] = value;
}

/* The fault pin in the packed words. */
static bool fault_of(const wr_aligner *a, const uint32_t *words)
{
    return a->s.fault != UINT32_MAX && bit_of(words, a->s.fault);
}

/* One cycle of the model, its output free to go: a result that comes is owed. False: it is not
 * ready. *came: there was one; *room: there was a place for it. */
static bool step(wr_aligner *a, bool *came, bool *room)
{
    uint32_t words[WR_MAX_WORDS] = {0};
    stream *s = &a->s;

    a->block->eval(a->model, a->in, a->out);
    (void)wr_pack(a->block, WR_OUT, a->cfg, a->out, words);
    a->block->tick(a->model, a->in);
    *came = bit_of(words, s->valid);
    *room = *room && (!*came || s->count < OWED);
    if (*came && s->count < OWED) {
        memcpy(s->queue[(s->first + s->count) % OWED].words, words, sizeof(words));
        s->count++;
    }
    return bit_of(words, s->ready);
}

/* Whether the model has raised its fault. */
static bool model_fault(wr_aligner *a)
{
    uint32_t words[WR_MAX_WORDS] = {0};

    a->block->eval(a->model, a->in, a->out);
    (void)wr_pack(a->block, WR_OUT, a->cfg, a->out, words);
    return fault_of(a, words);
}

/* The model takes these inputs and goes on until it is done. False: more is owed than may be. */
static bool take(wr_aligner *a, const void *pins)
{
    const uint32_t quiet = QUIET + 4 * a->block->latency;
    uint32_t before = a->s.count;
    bool room = true;
    bool came;
    uint32_t tries = 0;

    memcpy(a->in, pins, a->block->in_size);
    put_pin(a, a->s.in_valid, true);
    put_pin(a, a->s.in_ready, true);
    while (!step(a, &came, &room)) {
        tries++;
        assert(tries < PATIENT); /* a model whose output is free takes an input some time */
    }
    memset(a->in, 0, a->block->in_size);
    put_pin(a, a->s.in_ready, true);
    for (uint32_t still = 0; still < quiet; still = came ? 0 : still + 1) {
        (void)step(a, &came, &room);
    }
    for (const bool fault = model_fault(a); before < a->s.count; before++) {
        a->s.queue[(a->s.first + before) % OWED].fault = fault;
    }
    return room;
}

static void expect_data(const wr_aligner *a, const uint32_t *words, uint32_t *expected)
{
    for (uint32_t w = 0; w < a->out_words; w++) {
        expected[w] = (expected[w] & ~a->s.data[w]) | (words[w] & a->s.data[w]);
    }
}

/* The RTL's output is taken: it must be the result that it owes first. */
static uint32_t compare(wr_aligner *a, uint32_t *expected, const char **why)
{
    stream *s = &a->s;
    const owed *first = &s->queue[s->first];

    if (s->count == 0) {
        put_bit(expected, s->valid, false);
        *why = "no input is left that this could be the result of";
        return 1;
    }
    expect_data(a, first->words, expected);
    if (s->fault != UINT32_MAX && first->fault) {
        put_bit(expected, s->fault, true);
    }
    s->first = (s->first + 1) % OWED;
    s->count--;
    return s->pins + 1;
}

/* Nothing moved though it could have: in the end one of the handshakes is wrong. */
static void count_still(wr_aligner *a, bool in_waits, bool out_waits, uint32_t *expected,
                        const char **why)
{
    stream *s = &a->s;
    const bool owes = out_waits && s->count > 0;

    s->still += owes || (in_waits && (s->count == 0 || out_waits));
    if (s->still > a->align.cycles) {
        put_bit(expected, owes ? s->valid : s->ready, true);
        *why = owes ? "a result is owed, and nothing has moved for as long as --transfers allows"
                    : "nothing is owed, and no input was taken for as long as --transfers allows";
        s->still = 0;
    }
}

static uint32_t transfer(wr_aligner *a, const void *pins, uint32_t *expected, const char **why)
{
    stream *s = &a->s;
    const bool in_valid = wr_pin_value(s->in_valid, pins, 0) != 0;
    const bool in_ready = wr_pin_value(s->in_ready, pins, 0) != 0;
    const bool ready = bit_of(expected, s->ready);
    const bool valid = bit_of(expected, s->valid);
    uint32_t compared = 0;

    if (s->waits) {
        put_bit(expected, s->valid, true);
        expect_data(a, s->held, expected);
        compared += s->pins + 1;
        *why = "a result that is not taken yet must stay as it is";
    }
    s->waits = valid && !in_ready;
    memcpy(s->held, expected, a->out_words * sizeof(*expected));
    if (fault_of(a, expected) && !model_fault(a)) {
        put_bit(expected, s->fault, false);
        *why = "no input raises it";
    }
    if (valid && in_ready) {
        compared += compare(a, expected, why);
    }
    if ((valid && in_ready) || (ready && in_valid)) {
        s->still = 0;
    } else {
        count_still(a, in_valid && !ready, in_ready && !valid, expected, why);
    }
    if (ready && in_valid && !take(a, pins)) {
        put_bit(expected, s->ready, false);
        *why = "more results are owed than the checker keeps";
    }
    return compared;
}

uint32_t wr_aligner_cycle(wr_aligner *a, const void *pins, const uint32_t *out, uint32_t *expected,
                          const char **why)
{
    uint32_t compared;

    *why = NULL;
    memcpy(expected, out, a->out_words * sizeof(*expected));
    if (a->align.kind == WR_ALIGN_LATENCY) {
        return late(a, pins, expected);
    }
    compared = transfer(a, pins, expected, why);
    if (memcmp(expected, out, a->out_words * sizeof(*out)) == 0) {
        *why = NULL;
    }
    return compared;
}
