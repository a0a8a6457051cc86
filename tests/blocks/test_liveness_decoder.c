/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_decoder: the model against the oracle, every output in every cycle, under random
 * instruction words and back-pressure, and the rules of Lin-P IV.A as exact values.
 */
#include "dpi/gen/liveness_decoder_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/liveness_decoder_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_liveness_decoder_cfg cfg;
    wr_oracle_live_cfg oracle_cfg;
    wr_liveness_decoder dut;
    wr_oracle_walk oracle;
    uint64_t starts;
    uint64_t named;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    memset(&b->oracle, 0, sizeof b->oracle);
    b->oracle_cfg = (wr_oracle_live_cfg){.regs = b->cfg.regs,
                                         .op_pp = b->cfg.op_pp,
                                         .op_bar_pp = b->cfg.op_bar_pp,
                                         .op_dummy = b->cfg.op_dummy};
}

static const wr_liveness_decoder_cfg configs[] = {
    {.regs = 16, .op_pp = 2, .op_bar_pp = 3, .op_dummy = 4},
    {.regs = 64, .op_pp = 2, .op_bar_pp = 3, .op_dummy = 4},
    {.regs = 55, .op_pp = 1021, .op_bar_pp = 682, .op_dummy = 341},
    {.regs = 1, .op_pp = 0, .op_bar_pp = 1023, .op_dummy = 512},
    {.regs = 53, .op_pp = 7, .op_bar_pp = 8, .op_dummy = 9},
    {.regs = 54, .op_pp = 7, .op_bar_pp = 8, .op_dummy = 9},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_liveness_decoder_out *out)
{
    const wr_oracle_walk *want = &b->oracle;
    bool busy = want->left != 0;
    unsigned index = busy ? wr_oracle_lowest(want->left) : 0;

    wr_rig_check(&b->rig, "busy", out->busy, busy);
    wr_rig_check(&b->rig, "decoded", out->decoded, want->decoded);
    wr_rig_check(&b->rig, "is_pp", out->is_pp, want->is_pp);
    wr_rig_check(&b->rig, "is_bar", out->is_bar, want->is_bar);
    wr_rig_check(&b->rig, "mask", out->mask, want->mask);
    wr_rig_check(&b->rig, "valid", out->valid, busy);
    wr_rig_check(&b->rig, "index", out->index, index);
    wr_rig_check(&b->rig, "last", out->last, busy && want->left == UINT64_C(1) << index);
    wr_rig_check(&b->rig, "fault", out->fault, want->fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_liveness_decoder_out cycle(bench *b, const wr_liveness_decoder_in *in)
{
    wr_liveness_decoder_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    wr_oracle_live result =
        wr_oracle_decode(&b->oracle_cfg, in->word, in->next, in->diverged, in->alloc);
    b->starts += in->start && !out.busy;
    b->named += out.valid && in->ready;
    wr_oracle_walk_step(&b->oracle, in->start, &result, in->ready);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_liveness_decoder_out *)out = cycle(bench_v, in);
}

static uint64_t instruction(uint64_t opcode, uint64_t vector)
{
    return opcode << 54 | vector;
}

/* Decodes on a fresh block; the outputs in the cycle after the start. */
static wr_liveness_decoder_out decode(uint64_t word, uint64_t next, bool diverged, unsigned alloc)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_liveness_decoder_in in = {
        .start = true, .word = word, .next = next, .diverged = diverged, .alloc = (uint8_t)alloc};
    cycle(&b, &in);
    in = (wr_liveness_decoder_in){0};
    wr_liveness_decoder_out out = cycle(&b, &in);
    assert_true(out.decoded);
    assert_false(cycle(&b, &in).decoded);
    return out;
}

static void check_decoded(const wr_liveness_decoder_out *out, bool is_pp, bool is_bar,
                          uint64_t mask, bool fault)
{
    assert_int_equal(out->is_pp, is_pp);
    assert_int_equal(out->is_bar, is_bar);
    assert_true(out->mask == mask);
    assert_int_equal(out->fault, fault);
}

/* Bits 0 to 52 name registers 0 to 52; bit 53 names all allocated from 53 up. */
static void test_vector_bits(void **state)
{
    (void)state;
    const uint64_t one = 1;
    for (unsigned r = 0; r <= 52; r++) {
        wr_liveness_decoder_out out = decode(instruction(2, one << r), 0, false, 63);
        check_decoded(&out, true, false, one << r, false);
        assert_int_equal(out.index, r);
        assert_true(out.last);
    }
    wr_liveness_decoder_out out = decode(instruction(3, one << 53), 0, false, 63);
    check_decoded(&out, false, true, UINT64_C(0x7fe0000000000000), false);
    assert_int_equal(out.index, 53);
    assert_false(out.last);
    out = decode(instruction(3, one << 53), 0, false, 64);
    check_decoded(&out, false, true, UINT64_C(0xffe0000000000000), false);
    out = decode(instruction(3, one << 53), 0, false, 54);
    check_decoded(&out, false, true, one << 53, false);
    out = decode(instruction(3, one << 53), 0, false, 53);
    check_decoded(&out, false, true, 0, true);
    out = decode(instruction(2, UINT64_C(0x3fffffffffffff)), 0, false, 64);
    check_decoded(&out, true, false, UINT64_MAX, false);
}

/* Where the warp is diverged, pp takes the dummy's vector; bar.pp has no dummy. */
static void test_divergence(void **state)
{
    (void)state;
    wr_liveness_decoder_out out = decode(instruction(2, 5), instruction(4, 0x17), false, 13);
    check_decoded(&out, true, false, 5, false);
    out = decode(instruction(2, 5), instruction(4, 0x17), true, 13);
    check_decoded(&out, true, false, 0x17, false);
    out = decode(instruction(2, 5), instruction(5, 0x17), true, 13);
    check_decoded(&out, true, false, 5, true);
    out = decode(instruction(2, 5), instruction(5, 0x17), false, 13);
    check_decoded(&out, true, false, 5, false);
    out = decode(instruction(3, 6), instruction(4, 0x17), false, 13);
    check_decoded(&out, false, true, 6, false);
    out = decode(instruction(3, 6), instruction(4, 0x17), true, 13);
    check_decoded(&out, false, true, 6, true);
    out = decode(instruction(3, 0), 0, true, 0);
    check_decoded(&out, false, true, 0, true);
    /* The vector that is not used may name anything. */
    out = decode(instruction(2, 5), instruction(4, UINT64_C(1) << 40), false, 13);
    check_decoded(&out, true, false, 5, false);
    out = decode(instruction(2, UINT64_C(1) << 40), instruction(4, 1), true, 13);
    check_decoded(&out, true, false, 1, false);
}

static void test_other_words_and_faults(void **state)
{
    (void)state;
    wr_liveness_decoder_out out = decode(instruction(900, 0xfff), 0, true, 13);
    check_decoded(&out, false, false, 0, false);
    assert_false(out.busy);
    out = decode(instruction(4, 0xfff), 0, false, 13);
    check_decoded(&out, false, false, 0, false);
    out = decode(instruction(900, 0), 0, false, 65);
    check_decoded(&out, false, false, 0, true);
    out = decode(instruction(2, 0x2001), 0, false, 13);
    check_decoded(&out, true, false, 1, true);
    out = decode(instruction(2, 0x1001), 0, false, 13);
    check_decoded(&out, true, false, 0x1001, false);
    out = decode(instruction(2, 0), 0, false, 0);
    check_decoded(&out, true, false, 0, false);
    out = decode(instruction(2, 1), 0, false, 0);
    check_decoded(&out, true, false, 0, true);
    out = decode(instruction(2, UINT64_C(1) << 53), 0, false, 100);
    check_decoded(&out, true, false, UINT64_C(0xffe0000000000000), true);
}

/* One register a cycle, the first in the cycle after the start. */
static void test_walk(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_liveness_decoder_in in = {
        .start = true, .word = instruction(3, UINT64_C(0x3fffffffffffff)), .alloc = 64};
    cycle(&b, &in);
    in = (wr_liveness_decoder_in){.ready = true};
    for (unsigned r = 0; r < 64; r++) {
        wr_liveness_decoder_out out = cycle(&b, &in);
        assert_true(out.valid);
        assert_int_equal(out.index, r);
        assert_int_equal(out.last, r == 63);
    }
    assert_false(cycle(&b, &in).busy);
}

static uint64_t random_word(bench *b)
{
    uint64_t opcode = wr_rig_below(&b->rig, 1024);
    switch (wr_rig_below(&b->rig, 8)) {
    case 0:
        break;
    case 1:
        opcode = b->cfg.op_dummy;
        break;
    case 2:
    case 3:
    case 4:
        opcode = b->cfg.op_bar_pp;
        break;
    default:
        opcode = b->cfg.op_pp;
        break;
    }
    uint64_t vector = wr_rig_random(&b->rig);
    if (wr_rig_chance(&b->rig, 70)) {
        vector &= wr_rig_sparse(&b->rig);
    }
    return instruction(opcode, vector >> 10);
}

static void random_start(bench *b, wr_liveness_decoder_in *in, bool with_faults)
{
    in->word = random_word(b);
    in->next = random_word(b);
    if (wr_rig_chance(&b->rig, 60)) {
        in->next = instruction(b->cfg.op_dummy, in->next & UINT64_C(0x3fffffffffffff));
    }
    in->diverged = wr_rig_chance(&b->rig, 50);
    in->alloc = (uint8_t)wr_rig_below(&b->rig, b->cfg.regs + 1);
    if (with_faults) {
        if (wr_rig_chance(&b->rig, 10)) {
            in->alloc = (uint8_t)wr_rig_below(&b->rig, 128);
        }
        return;
    }
    /* Make it legal: the dummy where it is needed, no vector bit past the allocated count. */
    uint64_t vector = in->alloc > 53 ? UINT64_C(0x3fffffffffffff) : (UINT64_C(1) << in->alloc) - 1;
    vector |= UINT64_C(0x3ff) << 54;
    in->word &= vector;
    in->diverged = in->diverged && in->word >> 54 != b->cfg.op_bar_pp;
    in->next = instruction(b->cfg.op_dummy, in->next & (vector & UINT64_C(0x3fffffffffffff)));
}

static void traffic(void *bench_v, unsigned starts, bool with_faults)
{
    bench *b = bench_v;
    uint64_t until = b->starts + starts;
    while (b->starts < until) {
        wr_liveness_decoder_in in = {.ready = wr_rig_takes(&b->rig)};
        random_start(b, &in, with_faults);
        in.start = wr_rig_offers(&b->rig);
        if (b->oracle.left != 0) {
            in.start = with_faults && wr_rig_below(&b->rig, 300) == 0;
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 20)) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->named > 0);
}

/* Each parameter is in its range; of the three opcodes two are equal. */
static const wr_liveness_decoder_cfg refused[] = {
    {64, 2, 2, 4},
    {64, 2, 3, 2},
    {64, 2, 3, 3},
};

static const wr_bench self = {
    .block = &wr_liveness_decoder_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, starts)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 3000, .faulty = 3000},
    .snapshot = {.before = 15, .after = 400},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_vector_bits),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_other_words_and_faults),
        cmocka_unit_test(test_walk),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
