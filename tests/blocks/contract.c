/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of all blocks: see contract.h.
 *
 * A run is recorded, all outputs and all compared registers in each cycle. Another one with the
 * same stimulus and seed must repeat it; what a check is about is what happened in between.
 */
#include "tests/blocks/contract.h"

#include "dpi/bits.h"
#include "dpi/checker.h"
#include "testbench/rng.h"
#include "testbench/stim.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIGS_MAX = 32,
    CYCLES = 1500, /* of one comparison */
    POINTS = 5,    /* at which a run is reset or copied; the last after CYCLES */
    WATCHED = 700, /* cycles from there on */
    BEYOND = 64,   /* values next to the range of a parameter that are tried */
};

/* What can be seen of a block in one cycle, packed. */
typedef struct moment {
    uint32_t out[WR_MAX_WORDS];
    uint32_t registers[WR_MAX_STATE_WORDS];
} moment;

typedef struct player {
    const wr_block_desc *block;
    const wr_stim *stim;
    const void *cfg;
    uint64_t cycle;
    void *model;
    void *stim_state;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
    moment now;
} player;

/* The configurations to run, each accepted by the block. */
typedef struct configs {
    uint32_t value[CONFIGS_MAX][WR_MAX_PARAMS];
    unsigned count;
} configs;

static void *room(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL) {
        abort();
    }
    return p;
}

static void player_new(player *p, const wr_block_desc *block, const void *cfg)
{
    *p = (player){.block = block, .stim = wr_stim_find(block->name), .cfg = cfg};
    assert(p->stim != NULL);
    p->model = room(block->state_size);
    p->stim_state = room(p->stim->state_size);
}

static void player_free(player *p)
{
    free(p->model);
    free(p->stim_state);
}

/* The stimulus from its start; the model stays as it is. */
static void restart(player *p, uint64_t seed)
{
    p->cycle = 0;
    memset(p->out, 0, sizeof p->out);
    memset(p->stim_state, 0, p->stim->state_size);
    p->stim->init(p->stim_state, p->cfg, seed, true);
}

/* init on memory that holds `before`. */
static void begin(player *p, uint64_t seed, int before)
{
    memset(p->model, before, p->block->state_size);
    wr_status status = p->block->init(p->model, p->cfg);
    assert(status == WR_OK);
    (void)status;
    restart(p, seed);
}

/* Inputs and settled outputs of one cycle. */
static void settle(player *p)
{
    memset(p->in, 0, sizeof p->in);
    p->stim->next(p->stim_state, p->cycle, p->out, p->in);
    memset(p->out, 0, sizeof p->out);
    p->block->eval(p->model, p->in, p->out);
    (void)wr_pack(p->block, WR_OUT, p->cfg, p->out, p->now.out);
    wr_pack_state(p->block, p->model, p->now.registers);
}

static void clock(player *p)
{
    p->block->tick(p->model, p->in);
    p->cycle++;
}

static void play(player *p, unsigned cycles)
{
    for (unsigned i = 0; i < cycles; i++) {
        settle(p);
        clock(p);
    }
}

/* A copy of all that a player holds; the copy owns its memory. */
static void copy(player *to, const player *from)
{
    void *model = to->model;
    void *stim_state = to->stim_state;

    *to = *from;
    to->model = model;
    to->stim_state = stim_state;
    memcpy(model, from->model, from->block->state_size);
    memcpy(stim_state, from->stim_state, from->stim->state_size);
}

static void describe(const wr_block_desc *block, const void *cfg, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", block->name);

    for (size_t i = 0; i < block->params_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, " %s=%" PRIu32, block->params[i].name,
                                 ((const uint32_t *)cfg)[i]);
    }
}

/* False with a line where a pin or a register differs. */
static bool agree(const moment *want, const player *got, const char *what, char *err, size_t size)
{
    const wr_block_desc *block = got->block;
    size_t bytes = wr_block_words(block, WR_OUT, got->cfg) * sizeof want->out[0];
    char name[256];
    char difference[256];

    if (memcmp(want->out, got->now.out, bytes) == 0 &&
        memcmp(want->registers, got->now.registers, sizeof want->registers) == 0) {
        return true;
    }
    describe(block, got->cfg, name, sizeof name);
    wr_describe_difference(block, got->cfg, want->out, got->now.out, difference, sizeof difference);
    (void)snprintf(err, size, "%s: %s: cycle %" PRIu64 ": %s", name, what, got->cycle,
                   difference[0] != '\0' ? difference : "a compared register differs");
    return false;
}

static void record(player *p, moment *moments)
{
    for (unsigned i = 0; i < WATCHED; i++) {
        settle(p);
        moments[i] = p->now;
        clock(p);
    }
}

static bool repeats(player *p, const moment *moments, const char *what, char *err, size_t size)
{
    for (unsigned i = 0; i < WATCHED; i++) {
        settle(p);
        if (!agree(&moments[i], p, what, err, size)) {
            return false;
        }
        clock(p);
    }
    return true;
}

static void add(configs *c, const wr_block_desc *block, const uint32_t *value, void *model)
{
    assert(c->count < CONFIGS_MAX);
    if (block->init(model, value) == WR_OK) {
        memcpy(c->value[c->count++], value, sizeof c->value[0]);
    }
}

static configs configs_of(const wr_block_desc *block)
{
    configs c = {.count = 0};
    void *model = room(block->state_size);

    for (size_t i = 0; i < block->configs_count; i++) {
        add(&c, block, block->configs[i].value, model);
    }
    for (size_t i = 0; i < 2 * block->params_count; i++) {
        const wr_param_desc *param = &block->params[i / 2];
        uint32_t value[WR_MAX_PARAMS];
        memcpy(value, wr_block_config(block, "default")->value, sizeof value);
        value[i / 2] = i % 2 == 0 ? param->min : param->max;
        add(&c, block, value, model);
    }
    free(model);
    return c;
}

/* One parameter of a good configuration set to a value out of its range. */
static bool refuses(const wr_block_desc *block, const uint32_t *good, size_t param, uint32_t value,
                    void *model, char *err, size_t size)
{
    uint32_t cfg[WR_MAX_PARAMS];
    char name[256];

    memcpy(cfg, good, sizeof cfg);
    cfg[param] = value;
    if (block->init(model, cfg) == WR_ERR_CONFIG) {
        return true;
    }
    describe(block, cfg, name, sizeof name);
    (void)snprintf(err, size, "%s: accepted, though %s must be %" PRIu32 " to %" PRIu32, name,
                   block->params[param].name, block->params[param].min, block->params[param].max);
    return false;
}

static bool refuses_beyond(const wr_block_desc *block, const uint32_t *good, size_t param,
                           void *model, char *err, size_t size)
{
    uint32_t min = block->params[param].min;
    uint32_t max = block->params[param].max;
    bool held = true;

    for (uint32_t i = 1; i <= BEYOND && i <= min && held; i++) {
        held = refuses(block, good, param, min - i, model, err, size) &&
               refuses(block, good, param, i - 1, model, err, size);
    }
    for (uint32_t i = 0; i < BEYOND && i < UINT32_MAX - max && held; i++) {
        held = refuses(block, good, param, max + 1 + i, model, err, size) &&
               refuses(block, good, param, UINT32_MAX - i, model, err, size);
    }
    for (uint32_t bit = 0; bit < 32 && held; bit++) {
        if (UINT32_C(1) << bit > max) {
            held = refuses(block, good, param, UINT32_C(1) << bit, model, err, size);
        }
    }
    return held;
}

bool wr_contract_configurations(const wr_block_desc *block, uint64_t seed, char *err, size_t size)
{
    void *model = room(block->state_size);
    bool held = true;

    (void)seed;
    for (size_t c = 0; c < block->configs_count && held; c++) {
        const uint32_t *good = block->configs[c].value;
        held = block->init(model, good) == WR_OK;
        if (!held) {
            (void)snprintf(err, size, "%s: configuration %s is refused", block->name,
                           block->configs[c].name);
        }
        for (size_t p = 0; p < block->params_count && held; p++) {
            held = refuses_beyond(block, good, p, model, err, size);
        }
    }
    free(model);
    return held;
}

/* b: memory held other bits before init, eval runs twice, outputs lie in other bits; and between
 * its cycles another instance plays something else. */
static bool plays_alike(player *a, player *b, player *other, moment *moments, uint64_t seed,
                        char *err, size_t size)
{
    bool same = true;

    begin(a, seed, 0x00);
    record(a, moments);
    begin(b, seed, 0xa5);
    begin(other, seed + 1, 0x3c);
    play(other, CYCLES); /* past the directed cases */
    for (unsigned i = 0; i < WATCHED && same; i++) {
        settle(b);
        same = agree(&moments[i], b, "plays alike", err, size);
        memset(b->out, 0x5a, sizeof b->out);
        b->block->eval(b->model, b->in, b->out);
        (void)wr_pack(b->block, WR_OUT, b->cfg, b->out, b->now.out);
        same = same && agree(&moments[i], b, "plays alike, eval again", err, size);
        wr_unpack(b->block, WR_OUT, b->cfg, b->now.out, b->out);
        play(other, 1);
        clock(b);
    }
    return same;
}

/* All inputs random, within the width of their pins. */
static void random_inputs(const player *p, wr_rng *rng, void *in)
{
    uint32_t words[WR_MAX_WORDS];

    for (unsigned i = 0; i < WR_MAX_WORDS; i++) {
        words[i] = (uint32_t)wr_rng_u64(rng);
    }
    wr_unpack(p->block, WR_IN, p->cfg, words, in);
}

static bool stands_still(player *p, player *unused, player *unused_too, moment *unused_moments,
                         uint64_t seed, char *err, size_t size)
{
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
    wr_rng rng;

    (void)unused;
    (void)unused_too;
    (void)unused_moments;
    wr_rng_seed(&rng, seed);
    begin(p, seed, 0);
    for (unsigned i = 0; i < CYCLES; i++) {
        settle(p);
        memset(out, 0, sizeof out);
        random_inputs(p, &rng, in);
        p->block->eval(p->model, in, out);
        for (const wr_pin_desc *pin = p->block->pins; pin < p->block->pins + p->block->pins_count;
             pin++) {
            for (uint32_t e = 0; e < wr_pin_count(pin, p->cfg); e++) {
                if (pin->dir == WR_OUT && !pin->comb &&
                    wr_pin_value(pin, p->out, e) != wr_pin_value(pin, out, e)) {
                    char name[256];
                    describe(p->block, p->cfg, name, sizeof name);
                    (void)snprintf(err, size,
                                   "%s: cycle %u: pin %s is registered and follows the inputs",
                                   name, i, pin->name);
                    return false;
                }
            }
        }
        clock(p);
    }
    return true;
}

static bool equal_bytes(const player *want, const player *got, char *err, size_t size)
{
    const uint8_t *a = want->model;
    const uint8_t *b = got->model;
    char name[256];

    for (size_t i = 0; i < want->block->state_size; i++) {
        if (a[i] != b[i]) {
            describe(want->block, want->cfg, name, sizeof name);
            (void)snprintf(err, size,
                           "%s: reset leaves byte %zu of the state as 0x%02x, init 0x%02x", name, i,
                           b[i], a[i]);
            return false;
        }
    }
    return true;
}

/* got is reset after some cycles, in the midst of its work, want comes fresh from init. Reset
 * clears all that a model holds, so even the bytes must be equal: what reset forgets is found at
 * once. */
static bool resets(player *want, player *got, player *unused, moment *moments, uint64_t seed,
                   char *err, size_t size)
{
    bool same = true;

    (void)unused;
    begin(want, seed, 0);
    record(want, moments);
    for (unsigned point = 1; point <= POINTS && same; point++) {
        begin(got, seed + point, 0);
        play(got, CYCLES * point / POINTS - point);
        got->block->reset(got->model);
        restart(got, seed);
        begin(want, seed, 0);
        same = equal_bytes(want, got, err, size) && repeats(got, moments, "after reset", err, size);
    }
    return same;
}

/* What the original does after it was saved is what a copy must do, wherever it lies, whatever
 * became of the original, and again. */
static bool goes_on(player *original, player *resumed, player *saved, moment *moments,
                    uint64_t seed, char *err, size_t size)
{
    bool same = true;

    for (unsigned point = 1; point <= POINTS && same; point++) {
        begin(original, seed, 0);
        play(original, CYCLES * point / POINTS - point);
        copy(saved, original);
        record(original, moments);
        for (unsigned again = 0; again < 2 && same; again++) {
            begin(original, seed + 1 + again, 0xa5);
            play(original, WATCHED);
            memset(original->model, 0xa5, original->block->state_size);
            copy(resumed, saved);
            same = repeats(resumed, moments, "from a snapshot", err, size);
        }
    }
    return same;
}

static bool in_all(const wr_block_desc *block, uint64_t seed, char *err, size_t size,
                   bool (*check)(player *a, player *b, player *c, moment *moments, uint64_t seed,
                                 char *err, size_t size))
{
    configs c = configs_of(block);
    moment *moments = room(WATCHED * sizeof *moments);
    bool held = true;

    for (unsigned i = 0; i < c.count && held; i++) {
        player p[3];
        for (unsigned k = 0; k < 3; k++) {
            player_new(&p[k], block, c.value[i]);
        }
        held = check(&p[0], &p[1], &p[2], moments, seed + 100 * i, err, size);
        for (unsigned k = 0; k < 3; k++) {
            player_free(&p[k]);
        }
    }
    free(moments);
    return held;
}

bool wr_contract_determinism(const wr_block_desc *block, uint64_t seed, char *err, size_t size)
{
    return in_all(block, seed, err, size, plays_alike);
}

bool wr_contract_registered(const wr_block_desc *block, uint64_t seed, char *err, size_t size)
{
    return in_all(block, seed, err, size, stands_still);
}

bool wr_contract_reset(const wr_block_desc *block, uint64_t seed, char *err, size_t size)
{
    return in_all(block, seed, err, size, resets);
}

bool wr_contract_snapshot(const wr_block_desc *block, uint64_t seed, char *err, size_t size)
{
    return in_all(block, seed, err, size, goes_on);
}
