/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that nobody has meant: see wild.h. */
#include "testbench/wild.h"

#include <string.h>

enum {
    QUIET = 400, /* cycles ahead of the wild ones, at most */
    WILD = 4,
    BEHIND = 24, /* what they have left behind shows in these */
};

/* The cycle behind which a bit among the outputs changes, one of those of so many cycles; or the
 * last. */
static uint64_t aim(wr_wild *w, const wr_block_desc *block, const wr_stim *stim, void *state,
                    void *model, uint64_t cycles)
{
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES] = {0};
    const wr_pin_desc *pin = &block->pins[block->ins_count];
    uint32_t bits = 0;
    uint64_t before = 0;
    uint64_t at = cycles;
    uint32_t changes = 0;

    for (const wr_pin_desc *p = pin; p < &block->pins[block->pins_count]; p++) {
        if (p->width == 1 && strcmp(p->name, "fault") != 0 && wr_rng_below(&w->rng, ++bits) == 0) {
            pin = p;
        }
    }
    block->reset(model);
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        memset(in, 0, block->in_size);
        stim->next(state, cycle, out, in);
        memset(out, 0, block->out_size);
        block->eval(model, in, out);
        block->tick(model, in);
        const uint64_t value = wr_pin_value(pin, out, 0);
        if (cycle > 0 && value != before && wr_rng_below(&w->rng, ++changes) == 0) {
            at = cycle - 1;
        }
        before = value;
    }
    return at;
}

bool wr_wild_begin(wr_wild *w, const wr_block_desc *block, const void *cfg, const wr_stim *stim,
                   uint64_t seed, void *state, void *model)
{
    uint64_t from;

    wr_rng_seed(&w->rng, seed);
    from = wr_rng_below(&w->rng, 1 + wr_rng_below(&w->rng, QUIET));
    memset(state, 0, stim->state_size);
    stim->init(state, cfg, seed, false);
    if (wr_rng_chance(&w->rng, 50)) {
        if (block->init(model, cfg) != WR_OK) {
            return false;
        }
        from = aim(w, block, stim, state, model, 1 + 4 * from);
        memset(state, 0, stim->state_size);
        stim->init(state, cfg, seed, false);
    }
    w->from = from;
    w->until = w->from + 1 + wr_rng_below(&w->rng, WILD);
    w->length = w->until + BEHIND;
    return true;
}

/* Another value of an element. */
static uint64_t another(wr_rng *r, uint64_t value, uint32_t width)
{
    const uint64_t all = UINT64_MAX >> (64u - width);

    switch (wr_rng_below(r, 5)) {
    case 0:
        return 0;
    case 1:
        return all;
    case 2:
        return wr_rng_below(r, 8) & all;
    case 3:
        return value ^ (UINT64_C(1) << wr_rng_below(r, width));
    default:
        return wr_rng_u64(r) & all;
    }
}

/* Gives so many percent of the elements of all pins another value. */
static void disturb(wr_wild *w, const wr_block_desc *block, const void *cfg, uint32_t percent,
                    uint8_t *in)
{
    for (size_t p = 0; p < block->ins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];
        const uint32_t count = wr_pin_count(pin, cfg);
        for (uint32_t i = 0; i < count; i++) {
            if (wr_rng_chance(&w->rng, percent)) {
                wr_pin_set(pin, in, i, another(&w->rng, wr_pin_value(pin, in, i), pin->width));
            }
        }
    }
}

void wr_wild_inputs(wr_wild *w, const wr_block_desc *block, const void *cfg, const wr_stim *stim,
                    void *state, uint64_t cycle, const void *last_out, void *in)
{
    static const uint32_t percents[] = {5, 20, 20, 50};

    if (cycle <= w->from) {
        memset(in, 0, block->in_size);
        stim->next(state, cycle, last_out, in);
    }
    if (cycle >= w->from && cycle < w->until) {
        disturb(w, block, cfg, percents[wr_rng_below(&w->rng, 4)], in);
    } else if (cycle >= w->until) {
        if (wr_rng_chance(&w->rng, 50)) {
            memset(in, 0, block->in_size);
        }
        disturb(w, block, cfg, wr_rng_chance(&w->rng, 50) ? 0 : 10, in);
    }
}
