/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the last cycles as a mismatch report prints them: which cycles, which pins, and
 * what they are called. No RTL is needed: outputs are a second model's, with a bit turned. */
#include "dpi/last_inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct rig {
    const wr_block_desc *block;
    const void *cfg;
    void *model;
    wr_checker *checker;
    wr_last_inputs last;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} r;

static void start(const char *block, const char *config)
{
    memset(&r, 0, sizeof(r));
    r.block = wr_block_find(block);
    r.cfg = wr_block_config(r.block, config)->value;
    r.model = calloc(1, r.block->state_size);
    assert_int_equal(r.block->init(r.model, r.cfg), WR_OK);
    r.checker = wr_checker_new(r.block, r.cfg, (wr_align){0});
    assert_non_null(r.checker);
}

static void end(void)
{
    wr_checker_free(r.checker);
    free(r.model);
}

static void set(const char *pin, uint32_t element, uint64_t value)
{
    wr_pin_set(wr_block_pin(r.block, WR_IN, pin), r.in, element, value);
}

/* One cycle with the inputs at hand, which are 0 afterwards. */
static void cycle(bool differs)
{
    uint32_t in[WR_MAX_WORDS];
    uint32_t out[WR_MAX_WORDS];
    uint32_t registers[WR_MAX_STATE_WORDS] = {0};

    r.block->eval(r.model, r.in, r.out);
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
    out[0] ^= differs;
    wr_pack_state(r.block, r.model, registers);
    wr_checker_on_cycle(r.checker, in, out, registers);
    r.block->tick(r.model, r.in);
    memset(r.in, 0, sizeof(r.in));
}

static void take(uint32_t cycles, uint32_t count)
{
    wr_last_inputs_take(&r.last, r.checker, cycles);
    assert_int_equal(r.last.count, count);
}

static void want(uint32_t index, const char *text)
{
    char line[WR_LAST_LINE + 1];

    wr_last_inputs_line(&r.last, index, r.block, r.cfg, line);
    assert_string_equal(line, text);
}

/* Codes by name, where they are 0, too; what has become 0 once; the failing cycle has the mark. */
static void pins_by_name_and_code(void **state)
{
    (void)state;
    start("alloc_table", "default");
    cycle(false);
    set("valid", 0, 1);
    set("op", 0, 2);
    set("tb", 0, 0x1234);
    set("size", 0, 1);
    cycle(false);
    set("valid", 0, 1);
    cycle(false);
    cycle(true);
    take(4, 4);
    want(0, "        0  all 0");
    want(1, "        1  valid=1 op=alloc tb=0x1234 size=1");
    want(2, "        2  valid=1 op=lookup tb=0 size=0");
    want(3, "  >     3  valid=0");
    take(2, 2); /* what was before the first is known */
    want(0, "        2  valid=1 op=lookup tb=0 size=0");
    assert_false(r.last.from_reset);
    end();
}

/* Arrays whole, equal elements counted; a long one is cut, and pins that do not fit are counted. */
static void arrays_and_width(void **state)
{
    (void)state;
    start("reg_compressor", "odd"); /* 24 lanes */
    for (uint32_t i = 0; i < 24; i++) {
        set("lane", i, i < 20 ? 5 : i);
    }
    set("ready", 0, 1);
    cycle(false);
    for (uint32_t i = 0; i < 24; i++) {
        set("lane", i, 0xabcd0000 + i);
    }
    cycle(false);
    cycle(true);
    take(WR_LAST_CYCLES, 3);
    assert_true(r.last.from_reset);
    want(0, "        0  lane=0x5*20,0x14,0x15,0x16,0x17 ready=1");
    want(1, "        1  lane=0xabcd0000,0xabcd0001,0xabcd0002,... ready=0");
    want(2, "  >     2  lane=0*24");
    end();

    char line[WR_LAST_LINE + 1];
    start("duet_unit", "default"); /* many pins */
    uint32_t pins = 0;
    for (size_t p = 0; p < r.block->ins_count; p++) {
        for (uint32_t i = 0; i < wr_pin_count(&r.block->pins[p], r.cfg); i++) {
            wr_pin_set(&r.block->pins[p], r.in, i, 1);
        }
        pins++;
    }
    uint32_t in[WR_MAX_WORDS];
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    r.last.count = 1;
    memcpy(r.last.in[1], in, sizeof(in));
    wr_last_inputs_line(&r.last, 0, r.block, r.cfg, line);
    assert_true(strlen(line) <= WR_LAST_LINE);
    uint32_t shown = 0;
    for (const char *at = line; (at = strchr(at, '=')) != NULL; at++) {
        shown++;
    }
    const char *more = strstr(line, " ... and ");
    assert_non_null(more);
    assert_int_equal(strtoul(more + strlen(" ... and "), NULL, 10), pins - shown);
    end();
}

/* Up to the first mismatch though the checker goes on, and from the last reset on. */
static void which_cycles(void **state)
{
    (void)state;
    start("switch_queues", "tiny");
    for (uint32_t i = 0; i < 2 * WR_RING_CYCLES; i++) {
        set("clear", 0, i % 2);
        cycle(i >= 1500);
    }
    take(WR_LAST_CYCLES, WR_LAST_CYCLES);
    want(6, "     1499  clear=1");
    want(7, "  >  1500  clear=0");
    take(1000, WR_LAST_CYCLES_MOST);
    take(0, 0);
    end();

    start("switch_queues", "tiny");
    set("clear", 0, 1);
    cycle(false);
    r.block->reset(r.model);
    wr_checker_on_reset(r.checker);
    cycle(false);
    set("warp_push_id", 1, 9);
    cycle(false);
    take(WR_LAST_CYCLES, 2); /* RTL may end a run without a mismatch */
    assert_true(r.last.from_reset);
    want(0, "        1  all 0");
    want(1, "  >     2  warp_push_id=0,0x9");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_by_name_and_code),
        cmocka_unit_test(arrays_and_width),
        cmocka_unit_test(which_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
