/* SPDX-License-Identifier: Apache-2.0 */
/* Packing against a naive packer that sets one bit at a time from the tables: the pins of all
 * blocks, their compared registers, and pins of every width in arrays of every short length.
 */
#include "dpi/block.h"
#include "testbench/rng.h"
#include "tests/contract/seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum { ROUNDS = 50 };

/* Random pins: every byte random, then what is wider than its pin is cut. */
static void fill(const wr_block_desc *b, wr_dir dir, const void *cfg, wr_rng *rng, uint8_t *pins)
{
    for (size_t p = 0; p < b->pins_count; p++) {
        const wr_pin_desc *pin = &b->pins[p];
        if (pin->dir != dir) {
            continue;
        }
        for (uint32_t i = 0; i < wr_pin_count(pin, cfg); i++) {
            uint64_t value = wr_rng_u64(rng);
            if (pin->width < 64) {
                value %= (uint64_t)1 << pin->width;
            }
            for (uint32_t byte = 0; byte < pin->elem_bytes; byte++) {
                pins[pin->offset + i * pin->elem_bytes + byte] = (uint8_t)(value >> (8 * byte));
            }
        }
    }
}

static void naive_pack(const wr_block_desc *b, wr_dir dir, const void *cfg, const void *pins,
                       uint32_t *words)
{
    uint32_t place = 0;

    for (size_t p = 0; p < b->pins_count; p++) {
        const wr_pin_desc *pin = &b->pins[p];
        if (pin->dir != dir) {
            continue;
        }
        for (uint32_t i = 0; i < wr_pin_count(pin, cfg); i++) {
            uint64_t value = wr_pin_value(pin, pins, i);
            for (uint32_t bit = 0; bit < pin->width; bit++, place++) {
                if (value >> bit & 1) {
                    words[place / 32] |= 1u << place % 32;
                }
            }
        }
    }
    assert_int_equal(place, wr_block_bits(b, dir, cfg));
}

static void check_side(const wr_block_desc *b, wr_dir dir, const void *cfg, wr_rng *rng)
{
    _Alignas(8) uint8_t pins[WR_MAX_PINS_BYTES] = {0};
    _Alignas(8) uint8_t back[WR_MAX_PINS_BYTES];
    size_t size = dir == WR_IN ? b->in_size : b->out_size;
    uint32_t naive[WR_MAX_WORDS + 1] = {0};
    uint32_t words[WR_MAX_WORDS + 1];

    assert_true(size <= sizeof(pins));
    fill(b, dir, cfg, rng, pins);
    memset(words, 0xa5, sizeof(words));
    memset(back, 0xa5, sizeof(back));
    naive_pack(b, dir, cfg, pins, naive);
    assert_int_equal(wr_pack(b, dir, cfg, pins, words), wr_block_words(b, dir, cfg));
    wr_unpack(b, dir, cfg, words, back);
    assert_memory_equal(words, naive, wr_block_words(b, dir, cfg) * sizeof(words[0]));
    assert_int_equal(words[wr_block_words(b, dir, cfg)], 0xa5a5a5a5); /* wrote no word too many */
    assert_memory_equal(back, pins, size);
}

static void packing_equals_the_naive_packer(void **state)
{
    wr_rng rng;
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    (void)state;
    wr_rng_seed(&rng, wr_test_seed());
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < blocks[i]->configs_count; c++) {
            for (int round = 0; round < ROUNDS; round++) {
                check_side(blocks[i], WR_IN, blocks[i]->configs[c].value, &rng);
                check_side(blocks[i], WR_OUT, blocks[i]->configs[c].value, &rng);
            }
        }
    }
}

/* A made-up block with one array after a scalar: every width, count and place in a word. */
static void packing_of_every_width(void **state)
{
    wr_rng rng;

    (void)state;
    wr_rng_seed(&rng, wr_test_seed());
    for (uint32_t width = 1; width <= 64; width++) {
        for (uint32_t count = 1; count <= 33; count++) {
            for (uint32_t first = 1; first <= 33; first += 8) {
                uint8_t bytes = width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
                const wr_pin_desc pins[] = {
                    {.name = "scalar",
                     .width = (uint8_t)first,
                     .count_param = -1,
                     .count_fixed = 1,
                     .elem_bytes = 8},
                    {.name = "array",
                     .width = (uint8_t)width,
                     .count_param = -1,
                     .count_fixed = (uint16_t)count,
                     .elem_bytes = bytes,
                     .is_array = true,
                     .offset = 8},
                };
                const wr_block_desc block = {
                    .pins = pins, .pins_count = 2, .ins_count = 2, .in_size = 8 + 8 * 33};
                check_side(&block, WR_IN, NULL, &rng);
            }
        }
    }
}

/* Random bytes as the model's state: the bits above a register's width must not be seen. */
static void packing_of_compared_registers(void **state)
{
    enum { BYTES = 1 << 16 };
    static uint8_t model[BYTES];
    uint32_t registers = 0;
    wr_rng rng;
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    (void)state;
    wr_rng_seed(&rng, wr_test_seed());
    for (size_t i = 0; i < count; i++) {
        const wr_block_desc *b = blocks[i];
        uint32_t naive[WR_MAX_STATE_WORDS + 1] = {0};
        uint32_t words[WR_MAX_STATE_WORDS + 1];
        uint32_t place = 0;

        assert_true(b->state_size <= BYTES);
        for (size_t byte = 0; byte < b->state_size; byte++) {
            model[byte] = (uint8_t)wr_rng_u64(&rng);
        }
        for (size_t s = 0; s < b->states_count; s++) {
            const wr_state_desc *r = &b->states[s];
            for (uint32_t e = 0; e < r->count; e++) {
                const uint8_t *at = model + r->offset + (size_t)e * r->elem_bytes;
                for (uint32_t bit = 0; bit < r->width; bit++, place++) {
                    naive[place / 32] |= (uint32_t)(at[bit / 8] >> bit % 8 & 1) << place % 32;
                }
            }
            registers++;
        }
        memset(words, 0xa5, sizeof(words));
        wr_pack_state(b, model, words);
        assert_memory_equal(words, naive, (place + 31) / 32 * sizeof(words[0]));
        assert_int_equal(words[(place + 31) / 32], 0xa5a5a5a5);
    }
    assert_true(registers > 0);
}

static void registry_knows_its_blocks(void **state)
{
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const wr_block_desc *b = blocks[i];
        assert_ptr_equal(wr_block_find(b->name), b);
        assert_int_equal(b->cfg_size, b->params_count * sizeof(uint32_t));
        for (size_t p = 0; p < b->pins_count; p++) { /* inputs first */
            assert_int_equal(b->pins[p].dir, p < b->ins_count ? WR_IN : WR_OUT);
        }
        assert_non_null(wr_block_config(b, "tiny"));
        assert_non_null(wr_block_config(b, "default"));
        assert_non_null(wr_block_config(b, "odd"));
        for (size_t c = 0; c < b->configs_count; c++) {
            assert_ptr_equal(wr_block_config_of(b, b->configs[c].value), &b->configs[c]);
        }
    }
    assert_null(wr_block_find("no_such_block"));
    assert_null(wr_block_config(blocks[0], "no_such_configuration"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_equals_the_naive_packer),
        cmocka_unit_test(packing_of_every_width),
        cmocka_unit_test(packing_of_compared_registers),
        cmocka_unit_test(registry_knows_its_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
