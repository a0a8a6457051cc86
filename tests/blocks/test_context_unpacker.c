/* SPDX-License-Identifier: Apache-2.0 */
/* context_unpacker: the model against the oracle, every output in every cycle, under random
 * pattern vectors, segments, gaps, back-pressure and protocol faults.
 */
#include "dpi/gen/context_unpacker_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_unpacker_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_context_unpacker_cfg cfg;
    wr_context_unpacker dut;
    wr_oracle_unpacker oracle;
    uint64_t registers;
    uint64_t segments;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_unpacker_reset(&b->oracle, b->cfg.lanes, b->cfg.seg_words);
}

static const wr_context_unpacker_cfg configs[] = {
    {.lanes = 8, .seg_words = 8},   {.lanes = 32, .seg_words = 32}, {.lanes = 24, .seg_words = 30},
    {.lanes = 16, .seg_words = 32}, {.lanes = 64, .seg_words = 64}, {.lanes = 8, .seg_words = 64},
    {.lanes = 9, .seg_words = 11},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_context_unpacker_out *out)
{
    const wr_oracle_unpacker *o = &b->oracle;
    wr_oracle_reg want = {0};
    bool valid = wr_oracle_unpacker_front(o, &want);
    if (!valid) {
        memset(&want, 0, sizeof want);
    }
    wr_rig_check(&b->rig, "busy", out->busy, wr_oracle_unpacker_busy(o));
    wr_rig_check(&b->rig, "seg_ready", out->seg_ready, wr_oracle_unpacker_seg_ready(o));
    wr_rig_check(&b->rig, "valid", out->valid, valid);
    wr_rig_check(&b->rig, "tag", out->tag, want.tag);
    wr_rig_check(&b->rig, "pattern", out->pattern, want.pattern);
    wr_rig_check(&b->rig, "pag", out->pag, o->pag);
    wr_rig_check_words(&b->rig, "word", out->word, want.value, b->cfg.lanes);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_context_unpacker_out cycle(bench *b, const wr_context_unpacker_in *in)
{
    wr_context_unpacker_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    b->registers += out.valid && in->ready;
    b->segments += in->seg_valid && out.seg_ready;
    const wr_oracle_unpacker_step step = {.start = in->start,
                                          .pattern_vec = in->pattern_vec,
                                          .pag = in->pag,
                                          .seg_offered = in->seg_valid,
                                          .seg_word = in->seg_word,
                                          .ready = in->ready};
    wr_oracle_unpacker_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_unpacker_out *)out = cycle(bench_v, in);
}

/* PAG 16, 32 lanes: register 0 uniform (2 words), 17 strided (4), 63 random (32): 38 words. */
static void test_one_warp(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_context_unpacker_in in = {.start = true, .pag = WR_PAG_16, .ready = true};
    in.pattern_vec[0] = 1;
    in.pattern_vec[1] = 3U << 2;
    in.pattern_vec[3] = 2U << 30;
    assert_false(cycle(&b, &in).busy);

    wr_context_unpacker_in seg = {.seg_valid = true, .ready = true};
    for (unsigned i = 0; i < 32; i++) {
        seg.seg_word[i] = 1000 + i;
    }
    wr_context_unpacker_out out = cycle(&b, &seg);
    assert_true(out.busy);
    assert_true(out.seg_ready);
    assert_false(out.valid);

    for (unsigned i = 0; i < 32; i++) {
        seg.seg_word[i] = 1032 + i;
    }
    out = cycle(&b, &seg); /* one cycle after the segment that completes it */
    assert_true(out.valid);
    assert_int_equal(out.tag, 0);
    assert_int_equal(out.pattern, WR_PATTERN_UNIFORM);
    assert_int_equal(out.pag, WR_PAG_16);
    assert_int_equal(out.word[1], 1001);
    assert_int_equal(out.word[2], 0);

    in = (wr_context_unpacker_in){.ready = true};
    out = cycle(&b, &in);
    assert_int_equal(out.tag, 17);
    assert_int_equal(out.pattern, WR_PATTERN_STRIDED);
    assert_int_equal(out.word[0], 1002);
    assert_int_equal(out.word[3], 1005);
    assert_int_equal(out.word[4], 0);
    out = cycle(&b, &in);
    assert_int_equal(out.tag, 63);
    assert_int_equal(out.word[0], 1006);
    assert_int_equal(out.word[31], 1037);
    out = cycle(&b, &in);
    assert_false(out.busy);
    assert_false(out.fault);
}

/* One whole random register a cycle where Lanes = SegWords and segments keep coming. */
static void test_throughput(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned warp = 0; warp < 3; warp++) {
        wr_context_unpacker_in in = {.start = true, .pag = WR_PAG_32};
        memset(in.pattern_vec, 0xaa, sizeof in.pattern_vec);
        cycle(&b, &in);
        for (unsigned t = 0; t < 65; t++) {
            in = (wr_context_unpacker_in){.seg_valid = t < 64, .ready = true};
            wr_rig_words(&b.rig, in.seg_word, b.cfg.seg_words);
            wr_context_unpacker_out out = cycle(&b, &in);
            assert_int_equal(out.valid, t > 0);
        }
        in = (wr_context_unpacker_in){0};
        assert_false(cycle(&b, &in).busy);
    }
}

static void test_faults(void **state)
{
    (void)state;
    bench b;
    wr_context_unpacker_in idle = {0};
    wr_context_unpacker_in seg = {.seg_valid = true};
    wr_context_unpacker_in start = {.start = true, .pattern_vec = {1}, .pag = WR_PAG_8};

    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    cycle(&b, &seg);
    assert_true(cycle(&b, &idle).fault);

    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    cycle(&b, &start);
    assert_false(cycle(&b, &seg).fault);
    start.pattern_vec[0] = 0x55;
    start.pag = WR_PAG_32;
    cycle(&b, &start); /* ignored: one register of PAG 8 stays */
    wr_context_unpacker_out out = cycle(&b, &idle);
    assert_true(out.fault);
    assert_int_equal(out.pag, WR_PAG_8);
    idle.ready = true;
    assert_true(cycle(&b, &idle).valid);
    assert_false(cycle(&b, &idle).busy);

    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    start.pag = 3;
    cycle(&b, &start);
    out = cycle(&b, &idle);
    assert_true(out.fault);
    assert_int_equal(out.pag, WR_PAG_32);
    wr_bench_reset(&self, &b);
    assert_false(cycle(&b, &idle).fault);
}

static void random_start(bench *b, wr_context_unpacker_in *in, bool with_faults)
{
    wr_rig_words(&b->rig, in->pattern_vec, 4);
    switch (wr_rig_below(&b->rig, 8)) {
    case 0:
        memset(in->pattern_vec, 0, sizeof in->pattern_vec);
        break;
    case 1:
        memset(in->pattern_vec, 0xaa, sizeof in->pattern_vec);
        break;
    case 2:
    case 3:
    case 4:
        for (unsigned i = 0; i < 4; i++) {
            uint32_t random = (uint32_t)wr_rig_random(&b->rig) & UINT32_C(0x55555555);
            in->pattern_vec[i] &= random | random << 1;
        }
        break;
    default:
        break;
    }
    in->pag = (uint8_t)wr_rig_below(&b->rig, with_faults ? 4 : 3);
}

/* One random cycle. Segments past what the warp needs come only with faults. */
static void random_cycle(bench *b, bool with_faults)
{
    wr_context_unpacker_in in = {.ready = wr_rig_takes(&b->rig)};
    bool busy = wr_oracle_unpacker_busy(&b->oracle);

    random_start(b, &in, with_faults);
    in.start = busy ? with_faults && wr_rig_below(&b->rig, 300) == 0 : wr_rig_offers(&b->rig);
    if (with_faults) {
        in.seg_valid = busy ? wr_rig_offers(&b->rig) : wr_rig_below(&b->rig, 100) == 0;
    } else if (busy && wr_oracle_unpacker_missing(&b->oracle) != 0) {
        in.seg_valid = wr_rig_offers(&b->rig);
    }
    wr_rig_words(&b->rig, in.seg_word, b->cfg.seg_words);
    cycle(b, &in);
}

static void traffic(void *bench_v, unsigned registers, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->registers + registers;
    while (b->registers < until) {
        random_cycle(b, with_faults);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 5)) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->segments > 100);
}

/* Each parameter is in its range. */
static const wr_context_unpacker_cfg refused[] = {
    {33, 32},
};

static const wr_bench self = {
    .block = &wr_context_unpacker_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, registers)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 4000, .faulty = 4000},
    .snapshot = {.before = 47, .after = 100},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_one_warp),
        cmocka_unit_test(test_throughput),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
