/* SPDX-License-Identifier: Apache-2.0 */
/* reg_compressor: the model against the oracle, every output in every cycle, under random
 * traffic, and the paper's own examples as exact values (Lin-P III.C, Fig. 10).
 */
#include "dpi/gen/reg_compressor_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/pipe_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_reg_compressor_cfg cfg;
    wr_reg_compressor dut;
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

static void check_registered(bench *b, const wr_reg_compressor_out *out)
{
    const wr_oracle_reg *want = &b->oracle.stage[1];
    wr_rig_check(&b->rig, "valid", out->valid, b->oracle.full[1]);
    wr_rig_check(&b->rig, "tag", out->tag, want->tag);
    wr_rig_check(&b->rig, "pattern", out->pattern, want->pattern);
    wr_rig_check(&b->rig, "count", out->count, want->count);
    wr_rig_check_words(&b->rig, "word", out->word, want->value, b->cfg.lanes);
    wr_rig_check(&b->rig, "fault", out->fault, b->oracle.fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_reg_compressor_out cycle(bench *b, const wr_reg_compressor_in *in)
{
    wr_reg_compressor_out out;
    wr_bench_settle(&self, b, in, &out);
    check_registered(b, &out);
    bool ready = wr_oracle_pipe_ready(&b->oracle, in->ready);
    wr_rig_check(&b->rig, "ready", out.ready, ready);

    b->taken += in->valid && ready;
    b->given += out.valid && in->ready;
    wr_oracle_reg result = wr_oracle_compress(in->tag, in->lane, b->cfg.lanes, in->pag);
    wr_oracle_pipe_step(&b->oracle, in->valid, &result, in->pag == 3, in->ready);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_reg_compressor_out *)out = cycle(bench_v, in);
}

/* Compresses one register on an idle block; the output as it stands two cycles later. */
static wr_reg_compressor_out compress(unsigned lanes, unsigned pag, const uint32_t *lane)
{
    bench b;
    wr_bench_init(&self, &b, 1, &(wr_reg_compressor_cfg){.lanes = lanes});
    wr_reg_compressor_in in = {.valid = true, .tag = 37, .pag = (uint8_t)pag, .ready = true};
    memcpy(in.lane, lane, lanes * sizeof lane[0]);
    assert_false(cycle(&b, &in).valid);
    in = (wr_reg_compressor_in){.ready = true};
    assert_false(cycle(&b, &in).valid);
    wr_reg_compressor_out out = cycle(&b, &in);
    assert_true(out.valid);
    assert_int_equal(out.tag, 37);
    assert_false(cycle(&b, &in).valid);
    return out;
}

static void check_words(const wr_reg_compressor_out *out, unsigned lanes, unsigned pattern,
                        unsigned count, const uint32_t *word)
{
    assert_int_equal(out->pattern, pattern);
    assert_int_equal(out->count, count);
    for (unsigned i = 0; i < lanes; i++) {
        assert_int_equal(out->word[i], i < count ? word[i] : 0);
    }
}

/* Fig. 10 for a group of 8: {a,b} 01 uniform, 11 strided, 10 and 00 random. */
static void test_group_codes(void **state)
{
    (void)state;
    const uint32_t uniform[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    const uint32_t strided[8] = {5, 7, 9, 11, 13, 15, 17, 19};
    const uint32_t random_10[8] = {5, 7, 9, 11, 13, 15, 17, 20};
    const uint32_t random_00[8] = {5, 5, 6, 7, 8, 9, 10, 11};
    const uint32_t late_00[8] = {5, 5, 5, 5, 5, 5, 5, 6};
    const uint32_t down[8] = {3, 2, 1, 0, 0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc};
    const uint32_t half[8] = {1, 0x80000001, 1, 0x80000001, 1, 0x80000001, 1, 0x80000001};
    const uint32_t up[8] = {0xfffffffe, 0xffffffff, 0, 1, 2, 3, 4, 5};

    wr_reg_compressor_out out = compress(8, 0, uniform);
    check_words(&out, 8, WR_PATTERN_UNIFORM, 1, (const uint32_t[]){9});
    out = compress(8, 0, strided);
    check_words(&out, 8, WR_PATTERN_STRIDED, 2, (const uint32_t[]){5, 2});
    out = compress(8, 0, random_10);
    check_words(&out, 8, WR_PATTERN_RANDOM, 8, random_10);
    out = compress(8, 0, random_00);
    check_words(&out, 8, WR_PATTERN_RANDOM, 8, random_00);
    out = compress(8, 0, late_00);
    check_words(&out, 8, WR_PATTERN_RANDOM, 8, late_00);
    out = compress(8, 0, down);
    check_words(&out, 8, WR_PATTERN_STRIDED, 2, (const uint32_t[]){3, 0xffffffff});
    out = compress(8, 0, half);
    check_words(&out, 8, WR_PATTERN_STRIDED, 2, (const uint32_t[]){1, 0x80000000});
    out = compress(8, 0, up);
    check_words(&out, 8, WR_PATTERN_STRIDED, 2, (const uint32_t[]){0xfffffffe, 1});
}

/* BP_1's 16x16 TB: in warp w lane i is thread 32 w + i, tx = thread mod 16, ty = thread / 16. */
static void test_thread_indices(void **state)
{
    (void)state;
    for (unsigned warp = 0; warp < 8; warp++) {
        uint32_t tx[32];
        uint32_t ty[32];
        uint32_t both[32];
        for (unsigned i = 0; i < 32; i++) {
            tx[i] = (32 * warp + i) % 16;
            ty[i] = (32 * warp + i) / 16;
            both[i] = ty[i] * 16 + tx[i];
        }
        wr_reg_compressor_out out = compress(32, WR_PAG_16, ty);
        check_words(&out, 32, WR_PATTERN_UNIFORM, 2, (const uint32_t[]){2 * warp, 2 * warp + 1});
        out = compress(32, WR_PAG_16, tx);
        check_words(&out, 32, WR_PATTERN_STRIDED, 4, (const uint32_t[]){0, 1, 0, 1});
        out = compress(32, WR_PAG_16, both);
        check_words(&out, 32, WR_PATTERN_STRIDED, 4,
                    (const uint32_t[]){32 * warp, 1, 32 * warp + 16, 1});

        /* Analysed over the whole warp (the paper's BP_vec) the first two are random. */
        out = compress(32, WR_PAG_32, ty);
        check_words(&out, 32, WR_PATTERN_RANDOM, 32, ty);
        out = compress(32, WR_PAG_32, tx);
        check_words(&out, 32, WR_PATTERN_RANDOM, 32, tx);
        out = compress(32, WR_PAG_32, both);
        check_words(&out, 32, WR_PATTERN_STRIDED, 2, (const uint32_t[]){32 * warp, 1});
    }
}

/* The class of a register is that of its worst group; a uniform group among strided ones
 * stores stride 0, and a last group of one lane is uniform. */
static void test_mixed_groups(void **state)
{
    (void)state;
    uint32_t lane[32];
    for (unsigned i = 0; i < 32; i++) {
        lane[i] = i < 8 ? 7 : 100 + i * 4;
    }
    wr_reg_compressor_out out = compress(32, WR_PAG_8, lane);
    check_words(&out, 32, WR_PATTERN_STRIDED, 8, (const uint32_t[]){7, 0, 132, 4, 164, 4, 196, 4});
    lane[31]++;
    out = compress(32, WR_PAG_8, lane);
    check_words(&out, 32, WR_PATTERN_RANDOM, 32, lane);

    uint32_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 5};
    out = compress(9, WR_PAG_8, nine);
    check_words(&out, 9, WR_PATTERN_UNIFORM, 2, (const uint32_t[]){1, 5});
    for (unsigned i = 0; i < 8; i++) {
        nine[i] = 2 * i;
    }
    out = compress(9, WR_PAG_8, nine);
    check_words(&out, 9, WR_PATTERN_STRIDED, 4, (const uint32_t[]){0, 2, 5, 0});

    uint32_t partial[24];
    for (unsigned i = 0; i < 24; i++) {
        partial[i] = i < 16 ? 3 : i;
    }
    out = compress(24, WR_PAG_16, partial);
    check_words(&out, 24, WR_PATTERN_STRIDED, 4, (const uint32_t[]){3, 0, 16, 1});
}

/* Back to back with the consumer always ready: in at cycle t, out at t + 2, one a cycle. */
static void test_latency(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &(wr_reg_compressor_cfg){.lanes = 32});
    for (unsigned t = 0; t < 200; t++) {
        wr_reg_compressor_in in = {.valid = true, .tag = (uint8_t)(t % 64), .ready = true};
        wr_rig_register(&b.rig, in.lane, 32);
        wr_reg_compressor_out out = cycle(&b, &in);
        assert_true(out.ready);
        assert_int_equal(out.valid, t >= 2);
        if (t >= 2) {
            assert_int_equal(out.tag, (t - 2) % 64);
        }
    }
}

static void random_input(bench *b, wr_reg_compressor_in *in, bool with_faults)
{
    in->valid = wr_rig_offers(&b->rig);
    in->tag = (uint8_t)wr_rig_below(&b->rig, 64);
    in->pag = (uint8_t)wr_rig_below(&b->rig, with_faults ? 4 : 3);
    wr_rig_register(&b->rig, in->lane, b->cfg.lanes);
}

static void traffic(void *bench_v, unsigned transactions, bool with_faults)
{
    bench *b = bench_v;
    wr_reg_compressor_in in = {0};
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
    in = (wr_reg_compressor_in){.ready = true};
    while (b->given < b->taken) {
        cycle(b, &in);
    }
    wr_rig_check(&b->rig, "transactions out", b->given, b->taken);
}

static const wr_reg_compressor_cfg configs[] = {{8},  {9},  {15}, {16}, {17},
                                                {24}, {32}, {33}, {47}, {64}};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static const wr_bench self = {
    .block = &wr_reg_compressor_block,
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
        cmocka_unit_test(test_group_codes),
        cmocka_unit_test(test_thread_indices),
        cmocka_unit_test(test_mixed_groups),
        cmocka_unit_test(test_latency),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
