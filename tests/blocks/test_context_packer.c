/* SPDX-License-Identifier: Apache-2.0 */
/* context_packer: the model against the oracle in every cycle, under random registers, gaps,
 * back-pressure and protocol faults.
 *
 * Only ready is not predicted to the cycle, since the documents leave the size of the buffer
 * open. What they do promise is checked: 0 where no warp is open, 1 where a warp is open and
 * nothing is held, and one register a cycle where the consumer always takes.
 */
#include "dpi/gen/context_packer_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_packer_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_context_packer_cfg cfg;
    wr_context_packer dut;
    wr_oracle_packer oracle;
    uint64_t registers;
    uint64_t segments;
    uint64_t warps;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_packer_reset(&b->oracle, b->cfg.lanes, b->cfg.seg_words, b->cfg.pad_words);
}

static const wr_context_packer_cfg configs[] = {
    {.lanes = 8, .seg_words = 8, .pad_words = 2},   {.lanes = 32, .seg_words = 32, .pad_words = 8},
    {.lanes = 24, .seg_words = 30, .pad_words = 5}, {.lanes = 16, .seg_words = 32, .pad_words = 32},
    {.lanes = 64, .seg_words = 64, .pad_words = 1}, {.lanes = 8, .seg_words = 64, .pad_words = 16},
    {.lanes = 9, .seg_words = 11, .pad_words = 11},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_context_packer_out *out)
{
    const wr_oracle_packer *o = &b->oracle;
    wr_oracle_segment want = wr_oracle_packer_segment(o);

    wr_rig_check(&b->rig, "seg_valid", out->seg_valid, want.valid);
    wr_rig_check(&b->rig, "seg_count", out->seg_count, want.count);
    wr_rig_check(&b->rig, "seg_last", out->seg_last, want.last);
    wr_rig_check_words(&b->rig, "seg_word", out->seg_word, want.word, b->cfg.seg_words);
    wr_rig_check(&b->rig, "done", out->done, wr_oracle_packer_done(o));
    wr_rig_check(&b->rig, "total", out->total, o->warp.words % 8192);
    wr_rig_check_words(&b->rig, "pattern_vec", out->pattern_vec, o->warp.pattern_vec, 4);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
    if (!o->open) {
        wr_rig_check(&b->rig, "ready with no warp open", out->ready, false);
    } else if (wr_oracle_packer_held(o) == 0) {
        wr_rig_check(&b->rig, "ready with nothing held", out->ready, true);
    }
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_context_packer_out cycle(bench *b, const wr_context_packer_in *in)
{
    wr_context_packer_out out;
    wr_context_packer_out other_out;
    memset(&other_out, 0x5a, sizeof other_out);

    wr_context_packer_in other = {
        .start = !in->start, .valid = !in->valid, .flush = !in->flush, .seg_ready = !in->seg_ready};
    wr_context_packer_eval(&b->dut, &other, &other_out);
    check_outputs(b, &other_out);
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);
    wr_rig_check(&b->rig, "ready as a function of state", out.ready, other_out.ready);

    wr_oracle_reg reg = {.tag = in->tag, .pattern = in->pattern, .count = in->count};
    memcpy(reg.value, in->word, b->cfg.lanes * sizeof in->word[0]);
    const wr_oracle_packer_step step = {.start = in->start,
                                        .reg = in->valid && out.ready ? &reg : NULL,
                                        .flush = in->flush && out.ready,
                                        .seg_ready = in->seg_ready};
    b->registers += step.reg != NULL && !step.start;
    b->segments += out.seg_valid && in->seg_ready;
    wr_oracle_packer_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_packer_out *)out = cycle(bench_v, in);
}

static void start(bench *b)
{
    wr_context_packer_in in = {.start = true};
    cycle(b, &in);
}

/* Offers one register, taken at once. */
static void push(bench *b, unsigned tag, unsigned pattern, unsigned count, uint32_t first,
                 bool flush, bool seg_ready)
{
    wr_context_packer_in in = {.valid = true,
                               .tag = (uint8_t)tag,
                               .pattern = (uint8_t)pattern,
                               .count = (uint8_t)count,
                               .flush = flush,
                               .seg_ready = seg_ready};
    for (unsigned i = 0; i < b->cfg.lanes; i++) {
        in.word[i] = i < count ? first + i : 0;
    }
    assert_true(cycle(b, &in).ready);
}

/* Two registers of 2 and 4 words make one last segment of 6 words, stored as 8. */
static void test_partial_segment(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    start(&b);
    push(&b, 0, WR_PATTERN_UNIFORM, 2, 100, false, false);
    push(&b, 63, WR_PATTERN_STRIDED, 4, 200, true, false);
    wr_context_packer_in in = {0};
    wr_context_packer_out out = cycle(&b, &in);
    assert_true(out.seg_valid);
    assert_true(out.seg_last);
    assert_int_equal(out.seg_count, 8);
    assert_int_equal(out.seg_word[0], 100);
    assert_int_equal(out.seg_word[5], 203);
    assert_int_equal(out.seg_word[6], 0);
    assert_int_equal(out.total, 6);
    assert_int_equal(out.pattern_vec[0], 1);
    assert_int_equal(out.pattern_vec[3], 0xc0000000);
    assert_false(out.done);
    in.seg_ready = true;
    cycle(&b, &in);
    in.seg_ready = false;
    assert_true(cycle(&b, &in).done);
    assert_false(b.oracle.fault);
}

/* When the last word of a warp fills a segment, the mark depends on what stands at the output
 * when the flush comes. */
static void test_full_last_segment(void **state)
{
    (void)state;
    bench b;
    wr_context_packer_in flush = {.flush = true};
    wr_context_packer_in idle = {0};
    wr_context_packer_in take = {.seg_ready = true};

    /* Flush with the register that fills it: the segment comes out marked. */
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    start(&b);
    push(&b, 1, WR_PATTERN_RANDOM, 32, 0, true, false);
    wr_context_packer_out out = cycle(&b, &take);
    assert_true(out.seg_valid);
    assert_true(out.seg_last);
    assert_int_equal(out.seg_count, 32);
    assert_true(cycle(&b, &idle).done);

    /* Flush while it stands at the output: it must not change. */
    start(&b);
    push(&b, 1, WR_PATTERN_RANDOM, 32, 0, false, false);
    while (!cycle(&b, &flush).ready) {
        cycle(&b, &take);
    }
    out = cycle(&b, &take);
    assert_false(out.seg_last);
    assert_true(cycle(&b, &idle).done);

    /* A warp without live registers has no segment at all. */
    start(&b);
    assert_true(cycle(&b, &flush).ready);
    out = cycle(&b, &idle);
    assert_true(out.done);
    assert_false(out.seg_valid);
    assert_int_equal(out.total, 0);
}

/* One whole register a cycle and one segment a cycle, for as long as the consumer takes. */
static void test_throughput(void **state)
{
    (void)state;
    for (unsigned c = 0; c < CONFIGS; c++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[c]);
        for (unsigned warp = 0; warp < 5; warp++) {
            start(&b);
            for (unsigned r = 0; r < 64; r++) {
                unsigned count = warp < 2 ? b.cfg.lanes : 1 + wr_rig_below(&b.rig, b.cfg.lanes);
                push(&b, r, WR_PATTERN_RANDOM, count, 100 * r, r == 63, true);
            }
            wr_context_packer_in in = {.seg_ready = true};
            while (!cycle(&b, &in).done) {
            }
        }
        assert_false(b.oracle.fault);
    }
}

/* A start at an idle packer, a register and a fault, then another start, that finds it clean. */
static void check_fault(const wr_context_packer_in *offer, bool want)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    start(&b);
    push(&b, 10, WR_PATTERN_UNIFORM, 2, 1, false, false);
    cycle(&b, offer);
    wr_context_packer_in idle = {.seg_ready = true};
    assert_int_equal(cycle(&b, &idle).fault, want);
    start(&b);
    cycle(&b, &idle);
    push(&b, 0, WR_PATTERN_STRIDED, 4, 9, true, true);
    cycle(&b, &idle);
    wr_context_packer_out out = cycle(&b, &idle);
    assert_true(out.done);
    assert_int_equal(out.total, 4);
    assert_int_equal(out.pattern_vec[0], 3);
    wr_bench_reset(&self, &b);
    assert_false(cycle(&b, &idle).fault);
}

static void test_faults(void **state)
{
    (void)state;
    wr_context_packer_in offer = {.valid = true, .tag = 11, .pattern = 1, .count = 2};
    check_fault(&offer, false);
    offer.tag = 10;
    check_fault(&offer, true);
    offer.tag = 0;
    check_fault(&offer, true);
    offer.tag = 63;
    offer.pattern = 0;
    check_fault(&offer, true);
    offer.pattern = 2;
    offer.count = 0;
    check_fault(&offer, true);
    offer.count = 32;
    check_fault(&offer, false);
    offer.count = 33;
    check_fault(&offer, true);
    offer.count = 127;
    check_fault(&offer, true);
    offer = (wr_context_packer_in){.start = true};
    check_fault(&offer, true);
    offer.seg_ready = true;
    check_fault(&offer, true);
}

/* A start is a fault where words are left or something is taken with it, and else is not. */
static void test_start_rules(void **state)
{
    (void)state;
    wr_context_packer_in idle = {.seg_ready = true};
    wr_context_packer_in with[2] = {
        {.start = true, .valid = true, .tag = 1, .pattern = 1, .count = 1},
        {.start = true, .flush = true},
    };
    for (unsigned i = 0; i < 2; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        cycle(&b, &with[i]); /* nothing is open yet, so nothing is taken with it */
        assert_false(cycle(&b, &idle).fault);
        cycle(&b, &with[i]);
        wr_context_packer_out out = cycle(&b, &idle);
        assert_true(out.fault);
        assert_int_equal(out.total, 0);
        assert_false(out.done);
    }
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    start(&b);
    push(&b, 3, WR_PATTERN_RANDOM, 32, 7, false, true);
    cycle(&b, &idle);
    start(&b); /* not flushed, but nothing is left */
    assert_false(cycle(&b, &idle).fault);
}

/* The next register of a random warp, or false where the warp has ended. */
static bool random_register(bench *b, wr_context_packer_in *in, bool with_faults)
{
    unsigned tag = (unsigned)(b->oracle.last_tag + 1) + wr_rig_below(&b->rig, 3);
    if (tag > 63 || wr_rig_chance(&b->rig, 3)) {
        return false;
    }
    in->tag = (uint8_t)tag;
    in->pattern = (uint8_t)(1 + wr_rig_below(&b->rig, 3));
    in->count = (uint8_t)(1 + wr_rig_below(&b->rig, b->cfg.lanes));
    if (wr_rig_chance(&b->rig, 30)) {
        in->count = (uint8_t)b->cfg.lanes;
    }
    wr_rig_words(&b->rig, in->word, b->cfg.lanes);
    for (unsigned i = in->count; i < b->cfg.lanes && !with_faults; i++) {
        in->word[i] = 0;
    }
    if (with_faults && wr_rig_chance(&b->rig, 3)) {
        in->pattern = 0;
    }
    if (with_faults && wr_rig_chance(&b->rig, 3)) {
        in->count = (uint8_t)wr_rig_below(&b->rig, 128);
    }
    return true;
}

/* One warp from start to done. */
static void random_warp(bench *b, bool with_faults)
{
    wr_context_packer_in in = {.start = true};
    bool more = true;
    bool stuck = false;

    cycle(b, &in);
    in.start = false;
    while (!b->oracle.flushed) {
        if (!stuck) {
            more = more && random_register(b, &in, with_faults);
            in.valid = more && wr_rig_offers(&b->rig);
            in.flush = !more || (in.valid && wr_rig_chance(&b->rig, 2));
        }
        in.seg_ready = wr_rig_takes(&b->rig);
        in.start = with_faults && wr_rig_below(&b->rig, 400) == 0;
        stuck = !cycle(b, &in).ready && (in.valid || in.flush) && !in.start;
    }
    in.start = false;
    while (!wr_oracle_packer_done(&b->oracle)) {
        in.seg_ready = wr_rig_takes(&b->rig);
        cycle(b, &in); /* what is still offered must not be taken */
    }
    in.valid = false;
    in.flush = false;
    while (!wr_rig_offers(&b->rig)) {
        cycle(b, &in);
    }
    b->warps++;
}

static void traffic(void *bench_v, unsigned registers, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->registers + registers;
    while (b->registers < until) {
        random_warp(b, with_faults);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 50)) {
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
static const wr_context_packer_cfg refused[] = {
    {32, 16, 8},
    {33, 32, 8},
    {32, 32, 5},
    {32, 32, 64},
};

static const wr_bench self = {
    .block = &wr_context_packer_block,
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
    .snapshot = {.before = 20, .after = 200},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_partial_segment), cmocka_unit_test(test_full_last_segment),
        cmocka_unit_test(test_throughput),      cmocka_unit_test(test_faults),
        cmocka_unit_test(test_start_rules),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
