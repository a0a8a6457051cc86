/* SPDX-License-Identifier: Apache-2.0 */
/* reg_decompressor: the model against the oracle, every output in every cycle, under random
 * traffic, and compression followed by decompression of the oracle's words.
 */
#include "dpi/gen/reg_decompressor_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/pipe_oracle.h"
#include "tests/oracle/reg_decompressor_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_reg_decompressor_cfg cfg;
    wr_reg_decompressor dut;
    wr_oracle_pipe oracle;
    uint64_t taken;
    uint64_t given;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->taken = b->given;
    memset(&b->oracle, 0, sizeof b->oracle);
}

static void check_registered(bench *b, const wr_reg_decompressor_out *out)
{
    const wr_oracle_reg *want = &b->oracle.stage[1];
    wr_rig_check(&b->rig, "valid", out->valid, b->oracle.full[1]);
    wr_rig_check(&b->rig, "tag", out->tag, want->tag);
    wr_rig_check_words(&b->rig, "lane", out->lane, want->value, b->cfg.lanes);
    wr_rig_check(&b->rig, "fault", out->fault, b->oracle.fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_reg_decompressor_out cycle(bench *b, const wr_reg_decompressor_in *in)
{
    wr_reg_decompressor_out out;
    wr_bench_settle(&self, b, in, &out);
    check_registered(b, &out);
    bool ready = wr_oracle_pipe_ready(&b->oracle, in->ready);
    wr_rig_check(&b->rig, "ready", out.ready, ready);

    b->taken += in->valid && ready;
    b->given += out.valid && in->ready;
    wr_oracle_reg result =
        wr_oracle_decompress(in->tag, in->pattern, in->word, b->cfg.lanes, in->pag, b->cfg.poison);
    wr_oracle_pipe_step(&b->oracle, in->valid, &result, in->pag == 3, in->ready);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_reg_decompressor_out *)out = cycle(bench_v, in);
}

/* Drives one register through an idle block; its lanes as they stand two cycles later. */
static wr_reg_decompressor_out decompress(unsigned lanes, unsigned pag, unsigned pattern,
                                          const uint32_t *word, unsigned count)
{
    bench b;
    wr_bench_init(&self, &b, 1, &(wr_reg_decompressor_cfg){.lanes = lanes, .poison = 0xdeadbeef});
    wr_reg_decompressor_in in = {
        .valid = true, .tag = 63, .pag = (uint8_t)pag, .pattern = (uint8_t)pattern, .ready = true};
    wr_rig_words(&b.rig, in.word, lanes);
    memcpy(in.word, word, count * sizeof word[0]);
    assert_false(cycle(&b, &in).valid);
    in = (wr_reg_decompressor_in){.ready = true};
    assert_false(cycle(&b, &in).valid);
    wr_reg_decompressor_out out = cycle(&b, &in);
    assert_true(out.valid);
    assert_int_equal(out.tag, 63);
    assert_false(cycle(&b, &in).valid);
    return out;
}

static void test_exact_values(void **state)
{
    (void)state;
    wr_reg_decompressor_out out =
        decompress(32, WR_PAG_16, WR_PATTERN_UNIFORM, (const uint32_t[]){4, 5}, 2);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out.lane[i], 4 + i / 16);
    }
    out = decompress(32, WR_PAG_16, WR_PATTERN_STRIDED, (const uint32_t[]){0, 1, 0, 1}, 4);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out.lane[i], i % 16);
    }
    out = decompress(32, WR_PAG_32, WR_PATTERN_STRIDED, (const uint32_t[]){2, 0xffffffff}, 2);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out.lane[i], 2U - i);
    }
    out = decompress(32, WR_PAG_32, WR_PATTERN_STRIDED, (const uint32_t[]){7, 0x80000000}, 2);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out.lane[i], i % 2 == 0 ? 7 : 0x80000007);
    }
    out = decompress(24, WR_PAG_16, WR_PATTERN_STRIDED, (const uint32_t[]){3, 0, 16, 1}, 4);
    for (unsigned i = 0; i < 24; i++) {
        assert_int_equal(out.lane[i], i < 16 ? 3 : i);
    }
    out = decompress(32, WR_PAG_8, WR_PATTERN_DEAD, (const uint32_t[]){1}, 1);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out.lane[i], 0xdeadbeef);
    }
}

static void test_latency(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &(wr_reg_decompressor_cfg){.lanes = 32, .poison = 0});
    for (unsigned t = 0; t < 200; t++) {
        wr_reg_decompressor_in in = {.valid = true,
                                     .tag = (uint8_t)(t % 64),
                                     .pattern = (uint8_t)wr_rig_below(&b.rig, 4),
                                     .ready = true};
        wr_rig_words(&b.rig, in.word, 32);
        wr_reg_decompressor_out out = cycle(&b, &in);
        assert_true(out.ready);
        assert_int_equal(out.valid, t >= 2);
        if (t >= 2) {
            assert_int_equal(out.tag, (t - 2) % 64);
        }
    }
}

static void random_input(bench *b, wr_reg_decompressor_in *in, bool with_faults)
{
    in->valid = wr_rig_offers(&b->rig);
    in->tag = (uint8_t)wr_rig_below(&b->rig, 64);
    in->pag = (uint8_t)wr_rig_below(&b->rig, with_faults ? 4 : 3);
    in->pattern = (uint8_t)wr_rig_below(&b->rig, 4);
    wr_rig_words(&b->rig, in->word, b->cfg.lanes);
    if (wr_rig_chance(&b->rig, 50)) {
        wr_rig_register(&b->rig, in->word, b->cfg.lanes);
    }
}

static void traffic(void *bench_v, unsigned transactions, bool with_faults)
{
    bench *b = bench_v;
    wr_reg_decompressor_in in = {0};
    uint64_t until = b->given + transactions;
    bool stuck = false;
    while (b->given < until) {
        /* A refused register mostly stays on offer, but may be withdrawn. */
        if (!stuck || wr_rig_chance(&b->rig, 5)) {
            random_input(b, &in, with_faults);
        }
        in.ready = wr_rig_takes(&b->rig);
        bool ready = cycle(b, &in).ready;
        stuck = in.valid && !ready;
        if (b->oracle.fault && wr_rig_chance(&b->rig, 10)) {
            wr_bench_reset(&self, b);
        }
    }
    in = (wr_reg_decompressor_in){.ready = true};
    while (b->given < b->taken) {
        cycle(b, &in);
    }
    wr_rig_check(&b->rig, "transactions out", b->given, b->taken);
}

static const wr_reg_decompressor_cfg configs[] = {
    {8, 0xdeadbeef},  {9, 0xdeadbeef},  {15, 0xdeadbeef}, {16, 0xdeadbeef}, {17, 0xdeadbeef},
    {24, 0xa5a5a5a5}, {32, 0xdeadbeef}, {33, 0xdeadbeef}, {47, 0xdeadbeef}, {64, 0xdeadbeef}};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/* Words as the oracle of the compressor makes them come back as the lanes they came from. */
static void test_inverse_of_compression(void **state)
{
    (void)state;
    uint64_t seed = wr_rig_seed();
    for (unsigned i = 0; i < CONFIGS; i++) {
        bench b;
        unsigned lanes = configs[i].lanes;
        wr_bench_init(&self, &b, seed + i, &configs[i]);
        for (unsigned n = 0; n < 500; n++) {
            uint32_t lane[WR_RIG_MAX_LANES];
            unsigned pag = wr_rig_below(&b.rig, 3);
            wr_rig_register(&b.rig, lane, lanes);
            wr_oracle_reg packed = wr_oracle_compress(n % 64, lane, lanes, pag);
            wr_reg_decompressor_in in = {.valid = true,
                                         .tag = (uint8_t)packed.tag,
                                         .pag = (uint8_t)pag,
                                         .pattern = (uint8_t)packed.pattern,
                                         .ready = true};
            memcpy(in.word, packed.value, sizeof packed.value);
            cycle(&b, &in);
            in.valid = false;
            cycle(&b, &in);
            wr_reg_decompressor_out out = cycle(&b, &in);
            wr_rig_check(&b.rig, "valid", out.valid, true);
            wr_rig_check_words(&b.rig, "restored lane", out.lane, lane, lanes);
        }
    }
}

static const wr_bench self = {
    .block = &wr_reg_decompressor_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, given)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .amount = {.legal = 3000, .faulty = 1500},
    .snapshot = {.before = 50, .after = 100},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_inverse_of_compression),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
