/* SPDX-License-Identifier: Apache-2.0 */
/* A split in hint mode: hint_decoder and simt_stack together. Where lanes go both ways at a hinted
 * branch, the chain runs through both sides under their masks, one after the other, and goes on
 * with all lanes from the reconvergence PC.
 */
#include "refmodel/hints/hint_decoder.h"
#include "refmodel/hints/simt_stack.h"
#include "tests/blocks/rig.h"

static uint32_t plain(int32_t offset, uint32_t dst)
{
    return 1u << 23 | ((uint32_t)offset & 511u) << 9 | dst;
}

static uint32_t conditional(int32_t taken, int32_t other)
{
    return 1u << 23 | ((uint32_t)other & 2047u) << 11 | ((uint32_t)taken & 2047u);
}

static void test_split(void **state)
{
    (void)state;
    enum { BASE = 100, JUMP = 101, OTHER = 105, TAKEN = 110, RPC = 120 };
    const wr_hint_decoder_cfg decoder_cfg = {.offset_w = 9, .branch_w = 11, .special_base = 240};
    const wr_simt_stack_cfg stack_cfg = {.entries = 8, .lanes = 64};
    const struct {
        uint32_t pc;
        uint32_t hint;
        bool branch;
        uint64_t mask; /* lanes that execute it */
    } steps[] = {
        {JUMP, conditional(TAKEN - BASE, OTHER - BASE), true, UINT64_MAX},
        {TAKEN, plain(RPC - BASE, 1), false, 0xff},
        {OTHER, plain(OTHER + 1 - BASE, 1), false, ~UINT64_C(0xff)},
        {OTHER + 1, plain(RPC - BASE, 1), false, ~UINT64_C(0xff)},
        {RPC, plain(RPC + 1 - BASE, 1), false, UINT64_MAX},
        {RPC + 1, plain(0, 1), false, UINT64_MAX},
    };
    wr_hint_decoder decoder;
    wr_simt_stack stack;
    wr_hint_decoder_out dec;
    wr_simt_stack_out top;
    wr_simt_stack_in next = {
        .op = WR_SIMT_STACK_LOAD, .pc = JUMP, .rpc = UINT32_MAX, .mask = UINT64_MAX};
    wr_hint_decoder_in in = {
        .stall = true, .pc = BASE, .rcu_empty = true, .hint = plain(JUMP - BASE, 0)};
    assert_int_equal(wr_hint_decoder_init(&decoder, &decoder_cfg), WR_OK);
    assert_int_equal(wr_simt_stack_init(&stack, &stack_cfg), WR_OK);
    wr_hint_decoder_tick(&decoder, &in);
    wr_simt_stack_tick(&stack, &next);

    for (unsigned k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        in = (wr_hint_decoder_in){0};
        wr_hint_decoder_eval(&decoder, &in, &dec);
        wr_simt_stack_eval(&stack, &next, &top);
        assert_int_equal(dec.mode, WR_HINT_MODE_HINT);
        assert_int_equal(dec.fetch_pc, steps[k].pc);
        assert_int_equal(top.pc, steps[k].pc);
        assert_true(top.mask == steps[k].mask);

        in = (wr_hint_decoder_in){.valid = true,
                                  .pc = steps[k].pc,
                                  .hint = steps[k].hint,
                                  .branch = steps[k].branch,
                                  .taken = true,
                                  .not_taken = true,
                                  .dst = 1,
                                  .take = dec.issue};
        wr_hint_decoder_tick(&decoder, &in);
        in = (wr_hint_decoder_in){0};
        wr_hint_decoder_eval(&decoder, &in, &dec);
        next = (wr_simt_stack_in){.op = WR_SIMT_STACK_STEP, .pc = dec.fetch_pc};
        if (steps[k].branch) {
            next = (wr_simt_stack_in){.op = WR_SIMT_STACK_BRANCH,
                                      .pc = dec.base + dec.taken_offset,
                                      .alt_pc = dec.base + dec.not_taken_offset,
                                      .rpc = RPC,
                                      .mask = 0xff};
        }
        wr_simt_stack_tick(&stack, &next);
        wr_simt_stack_eval(&stack, &next, &top);
        if (dec.mode == WR_HINT_MODE_HINT && top.pc != dec.fetch_pc) {
            in = (wr_hint_decoder_in){.redirect = true, .pc = top.pc};
            wr_hint_decoder_tick(&decoder, &in);
        }
    }
    in = (wr_hint_decoder_in){0};
    wr_hint_decoder_eval(&decoder, &in, &dec);
    assert_int_equal(dec.mode, WR_HINT_MODE_WAIT);
    assert_false(dec.fault);
    assert_int_equal(top.depth, 1);
    assert_false(top.fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests_name("hints_split", tests, NULL, NULL);
}
