/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's imports as a simulator calls them: what is refused, when it compares, what it says.
 * The RTL is played by a second model. */
#include "dpi/block.h"
#include "dpi/simulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARP_DEPTH = 3, TB_DEPTH = 2, IN_BITS = 33, OUT_BITS = 33 };

static const uint32_t params[8] = {WARP_DEPTH, TB_DEPTH};
static const uint32_t pins_only[1] = {0};

static void want_refused(const char *block, const uint32_t *cfg, uint32_t in, uint32_t out,
                         const char *text)
{
    void *checker = wr_dpi_open(block, cfg, in, out, pins_only);
    const uint32_t zero[96] = {0};

    assert_non_null(strstr(wr_dpi_text(checker), text));
    wr_dpi_reset(checker);
    assert_int_equal(wr_dpi_cycle(checker, zero, zero, zero, 0),
                     0); /* it was said, and not compared */
    free(checker);
}

static void bad_input_is_named(void **state)
{
    const uint32_t too_deep[8] = {65, TB_DEPTH};

    (void)state;
    want_refused("no_such_block", params, IN_BITS, OUT_BITS, "there is no block 'no_such_block'");
    want_refused("switch_queues", too_deep, IN_BITS, OUT_BITS, "WarpDepth = 65 (1 to 64)");
    want_refused("switch_queues", params, IN_BITS - 1, OUT_BITS,
                 "the input pins of the module have 32 bits together, the block's 33");
    want_refused("switch_queues", params, IN_BITS, OUT_BITS + 1, "output pins");
}

/* `cycles` cycles of pushes, the outputs being the model's but for `wrong`, xored in the last. */
static int play(void *checker, uint32_t cycles, uint32_t wrong)
{
    const wr_block_desc *block = wr_block_find("switch_queues");
    void *model = calloc(1, block->state_size);
    void *in = calloc(1, block->in_size);
    void *out = calloc(1, block->out_size);
    const uint32_t none[32] = {0};
    uint32_t in_words[96] = {2}; /* warp_push[0] */
    uint32_t out_words[96];
    int differs = 0;

    assert_true(model != NULL && in != NULL && out != NULL);
    assert_int_equal(block->init(model, params), WR_OK);
    wr_unpack(block, WR_IN, params, in_words, in);
    for (uint32_t cycle = 0; cycle < cycles && differs == 0; cycle++) {
        memset(out_words, 0, sizeof(out_words));
        block->eval(model, in, out);
        (void)wr_pack(block, WR_OUT, params, out, out_words);
        out_words[0] ^= cycle + 1 == cycles ? wrong : 0;
        differs = wr_dpi_cycle(checker, in_words, out_words, none, 0);
        block->tick(model, in);
    }
    free(model);
    free(in);
    free(out);
    return differs;
}

static void nothing_before_a_reset(void **state)
{
    void *checker = wr_dpi_open("switch_queues", params, IN_BITS, OUT_BITS, pins_only);

    (void)state;
    assert_string_equal(wr_dpi_text(checker), "");
    assert_int_equal(play(checker, 1, 1), 0);
    assert_int_equal(wr_dpi_end(checker), 1);
    assert_non_null(strstr(wr_dpi_text(checker), "nothing was compared"));
    free(checker);
}

static void equal_runs_are_counted(void **state)
{
    void *checker = wr_dpi_open("switch_queues", params, IN_BITS, OUT_BITS, pins_only);

    (void)state;
    wr_dpi_reset(checker);
    assert_int_equal(play(checker, 5, 0), 0);
    assert_int_equal(wr_dpi_end(checker), 0);
    assert_string_equal(wr_dpi_text(checker), "switch_queues: PASS 5 cycles 35 checks");
    free(checker);
}

static void a_difference_is_told_once(void **state)
{
    void *checker = wr_dpi_open("switch_queues", params, IN_BITS, OUT_BITS, pins_only);

    (void)state;
    wr_dpi_reset(checker);
    assert_int_equal(play(checker, 4, 1), 1);
    assert_string_equal(wr_dpi_text(checker),
                        "switch_queues: cycle 3: pin warp_space[0]: expected 0x0, got 0x1");
    assert_int_equal(play(checker, 1, 1), 0);
    assert_int_equal(wr_dpi_end(checker), 0);
    assert_string_equal(wr_dpi_text(checker), "");
    free(checker);
}

static void an_unknown_output_differs(void **state)
{
    void *checker = wr_dpi_open("switch_queues", params, IN_BITS, OUT_BITS, pins_only);
    const uint32_t none[96] = {0};

    (void)state;
    assert_int_equal(wr_dpi_cycle(checker, none, none, none, 1),
                     0); /* before the reset it may be */
    wr_dpi_reset(checker);
    assert_int_equal(play(checker, 2, 0), 0);
    assert_int_equal(wr_dpi_cycle(checker, none, none, none, 1), 1);
    assert_string_equal(wr_dpi_text(checker), "switch_queues: cycle 2: an output is X or Z");
    assert_int_equal(wr_dpi_end(checker), 0);
    free(checker);
}

static void registers_that_are_shown_are_compared(void **state)
{
    const wr_block_desc *block = wr_block_find("switch_queues");
    const uint32_t all[1] = {UINT32_MAX};
    void *checker = wr_dpi_open("switch_queues", params, IN_BITS, OUT_BITS, all);

    (void)state;
    assert_true(block->states_count > 0);
    wr_dpi_reset(checker);
    assert_int_equal(play(checker, 5, 0), 1); /* play shows them as 0, and one is pushed */
    assert_non_null(strstr(wr_dpi_text(checker), "cycle 1: register "));
    assert_int_equal(wr_dpi_end(checker), 0);
    free(checker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(nothing_before_a_reset),
        cmocka_unit_test(equal_runs_are_counted),
        cmocka_unit_test(a_difference_is_told_once),
        cmocka_unit_test(an_unknown_output_differs),
        cmocka_unit_test(registers_that_are_shown_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
