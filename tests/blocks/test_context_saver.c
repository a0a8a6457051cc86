/* SPDX-License-Identifier: Apache-2.0 */
/* context_saver: the model against the oracle in every cycle and on every output, under random
 * register files, liveness and divergence, gaps of the register file, back-pressure of the memory
 * and protocol faults; then a warp whose bytes are known beforehand.
 */
#include "dpi/gen/context_saver_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_saver_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_context_saver_cfg cfg;
    wr_context_saver dut;
    wr_oracle_saver oracle;
    uint32_t lane[WR_ORACLE_LANES]; /* at the register file's output */
    bool noise;                     /* it shows other lanes where nobody takes them */
    uint64_t registers;
    uint64_t segments;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_oracle_live_cfg live = {b->cfg.regs, b->cfg.op_pp, b->cfg.op_bar_pp, b->cfg.op_dummy};
    wr_oracle_saver_reset(&b->oracle, b->cfg.lanes, b->cfg.seg_words, b->cfg.pad_words, &live);
    b->noise = b->rig.seed % 2 != 0;
}

static const wr_context_saver_cfg configs[] = {
    {8, 8, 2, 16, 2, 3, 4},    {32, 32, 8, 64, 2, 3, 4}, {24, 30, 5, 55, 1021, 682, 341},
    {16, 32, 32, 64, 0, 1, 2}, {64, 64, 1, 64, 5, 4, 3}, {8, 64, 16, 54, 1023, 0, 512},
    {9, 11, 11, 1, 7, 8, 9},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_context_saver_out *out)
{
    const wr_oracle_saver *o = &b->oracle;
    const wr_oracle_segment seg = wr_oracle_packer_segment(&o->packer);
    unsigned index;
    const bool wants = wr_oracle_saver_wants(o, &index);

    wr_rig_check(&b->rig, "busy", out->busy, wr_oracle_saver_busy(o));
    wr_rig_check(&b->rig, "rf_req", out->rf_req, wants);
    wr_rig_check(&b->rig, "rf_index", out->rf_index, index);
    wr_rig_check(&b->rig, "seg_valid", out->seg_valid, seg.valid);
    wr_rig_check(&b->rig, "seg_count", out->seg_count, seg.count);
    wr_rig_check(&b->rig, "seg_last", out->seg_last, seg.last);
    wr_rig_check_words(&b->rig, "seg_word", out->seg_word, seg.word, b->cfg.seg_words);
    wr_rig_check(&b->rig, "done", out->done, wr_oracle_saver_done(o));
    wr_rig_check_words(&b->rig, "pattern_vec", out->pattern_vec, o->packer.warp.pattern_vec, 4);
    wr_rig_check(&b->rig, "total", out->total, o->packer.warp.words % 8192);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
}

/* Settles and checks all outputs, with these inputs and with others, then clocks both sides. */
static wr_context_saver_out clocked(bench *b, const wr_context_saver_in *in)
{
    wr_context_saver_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    const wr_oracle_saver_step step = {.start = in->start,
                                       .word = in->word,
                                       .next = in->next,
                                       .diverged = in->diverged,
                                       .alloc = in->alloc,
                                       .pag = in->pag,
                                       .granted = in->rf_gnt,
                                       .lane = in->rf_lane,
                                       .seg_ready = in->seg_ready};
    wr_oracle_saver_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    b->registers += out.rf_req && in->rf_gnt;
    b->segments += out.seg_valid && in->seg_ready;
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_saver_out *)out = clocked(bench_v, in);
}

/* With a register file: what it has granted stands there from the next cycle on. */
static wr_context_saver_out cycle(bench *b, wr_context_saver_in *in)
{
    memcpy(in->rf_lane, b->lane, sizeof in->rf_lane);
    if (b->noise && !wr_oracle_saver_takes_lanes(&b->oracle)) {
        wr_rig_words(&b->rig, in->rf_lane, b->cfg.lanes);
    }
    const wr_context_saver_out out = clocked(b, in);
    if (out.rf_req && in->rf_gnt) {
        wr_rig_register(&b->rig, b->lane, b->cfg.lanes);
    }
    return out;
}

static uint64_t instruction(unsigned op, uint64_t vector)
{
    return (uint64_t)op << 54 | (vector & ((UINT64_C(1) << 54) - 1));
}

/* Bits of a liveness vector that alloc registers can have. */
static uint64_t allocated(unsigned alloc)
{
    const uint64_t low = alloc >= 53 ? (UINT64_C(1) << 53) - 1 : (UINT64_C(1) << alloc) - 1;
    return alloc > 53 ? low | UINT64_C(1) << 53 : low;
}

/* The pins of a start: a warp that keeps the protocol, or one that breaks it in one way. */
static void random_warp(bench *b, bool with_faults, wr_context_saver_in *in)
{
    wr_rig *rig = &b->rig;
    const wr_context_saver_cfg *cfg = &b->cfg;
    const bool bar = wr_rig_chance(rig, 30);
    in->alloc = (uint8_t)wr_rig_below(rig, cfg->regs + 1);
    if (wr_rig_chance(rig, 40)) {
        in->alloc = (uint8_t)cfg->regs;
    }
    uint64_t vector = wr_rig_chance(rig, 50) ? wr_rig_random(rig) : wr_rig_sparse(rig);
    uint64_t behind = wr_rig_chance(rig, 50) ? wr_rig_random(rig) : wr_rig_sparse(rig);
    if (wr_rig_chance(rig, 5)) {
        vector = 0;
    } else if (wr_rig_chance(rig, 10)) {
        vector = UINT64_MAX;
    }
    in->diverged = !bar && wr_rig_chance(rig, 40);
    in->pag = (uint8_t)wr_rig_below(rig, 3);
    in->word = instruction(bar ? cfg->op_bar_pp : cfg->op_pp, vector & allocated(in->alloc));
    in->next = instruction(cfg->op_dummy, behind & allocated(in->alloc));
    if (!with_faults) {
        return;
    }
    switch (wr_rig_below(rig, 8)) {
    case 0:
        in->alloc = (uint8_t)wr_rig_below(rig, 128);
        break;
    case 1:
        in->pag = 3;
        break;
    case 2:
        in->next = wr_rig_random(rig);
        break;
    case 3:
        in->diverged = true;
        break;
    case 4:
        in->word = wr_rig_random(rig);
        break;
    case 5:
        in->word = instruction(bar ? cfg->op_bar_pp : cfg->op_pp, vector);
        break;
    case 6:
        in->next = instruction(cfg->op_dummy, behind);
        break;
    default:
        break;
    }
}

/* One warp from its start to its end, and some cycles behind it. */
static void save(bench *b, bool with_faults)
{
    wr_context_saver_in in = {0};
    random_warp(b, with_faults, &in);
    in.start = true;
    do {
        in.rf_gnt = wr_rig_offers(&b->rig);
        in.seg_ready = wr_rig_takes(&b->rig);
        cycle(b, &in);
        random_warp(b, true, &in); /* without a start nobody looks */
        in.start = with_faults && wr_rig_below(&b->rig, 300) == 0;
    } while (wr_oracle_saver_busy(&b->oracle));
    in.start = false;
    while (wr_rig_chance(&b->rig, 60)) {
        in.rf_gnt = wr_rig_offers(&b->rig);
        in.seg_ready = wr_rig_takes(&b->rig);
        cycle(b, &in);
    }
}

static void traffic(void *bench_v, unsigned registers, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->registers + (b->cfg.regs < 8 ? registers / 10 : registers);
    while (b->registers < until) {
        save(b, with_faults);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 60)) {
            wr_bench_reset(&self, b);
        }
    }
}

/* Each protocol fault alone, and its neighbours that are none. */
static void test_faults(void **state)
{
    (void)state;
    const wr_context_saver_cfg *cfg = &configs[DEFAULT_CONFIG];
    const uint64_t pp = instruction(cfg->op_pp, 1);
    const uint64_t bar = instruction(cfg->op_bar_pp, 1);
    const uint64_t high = instruction(cfg->op_pp, UINT64_C(1) << 53);
    const uint64_t dummy = instruction(cfg->op_dummy, 2);
    const struct {
        wr_context_saver_in in;
        bool fault;
    } cases[] = {
        {{.word = pp, .alloc = 64}, false},
        {{.word = pp, .alloc = 65}, true},
        {{.word = pp, .alloc = 1}, false},
        {{.word = pp, .alloc = 0}, true},
        {{.word = pp, .alloc = 8, .pag = 2}, false},
        {{.word = pp, .alloc = 8, .pag = 3}, true},
        {{.word = bar, .alloc = 8}, false},
        {{.word = bar, .alloc = 8, .diverged = true}, true},
        {{.word = pp, .next = dummy, .alloc = 2, .diverged = true}, false},
        {{.word = pp, .next = dummy, .alloc = 1, .diverged = true}, true},
        {{.word = pp, .next = dummy, .alloc = 1}, false},
        {{.word = pp, .next = pp, .alloc = 8, .diverged = true}, true},
        {{.word = high, .alloc = 54}, false},
        {{.word = high, .alloc = 53}, true},
        {{.word = dummy, .alloc = 8}, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 2, cfg);
        wr_context_saver_in in = cases[i].in;
        in.start = true;
        assert_false(cycle(&b, &in).fault);
        in = (wr_context_saver_in){.rf_gnt = true, .seg_ready = true};
        assert_int_equal(cycle(&b, &in).fault, cases[i].fault);
        while (!cycle(&b, &in).done) {
        }
        assert_int_equal(cycle(&b, &in).fault, cases[i].fault);
    }
    bench b;
    wr_bench_init(&self, &b, 2, cfg);
    wr_context_saver_in in = {.start = true, .word = pp, .alloc = 8};
    cycle(&b, &in);
    cycle(&b, &in); /* still busy */
    in.start = false;
    assert_true(cycle(&b, &in).fault);
}

/* Bit 53 of the liveness word is every allocated register from 53 up (Lin-P IV.A). */
static void test_bit_53(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 2, &configs[DEFAULT_CONFIG]);
    const uint64_t vector = UINT64_C(1) << 53 | UINT64_C(1) << 52 | 4;
    const unsigned want[] = {2, 52, 53, 54, 55};
    unsigned n = 0;
    wr_context_saver_in in = {.start = true, .word = instruction(2, vector), .alloc = 56};
    cycle(&b, &in);
    in = (wr_context_saver_in){.rf_gnt = true, .seg_ready = true};
    for (wr_context_saver_out out = cycle(&b, &in); !out.done; out = cycle(&b, &in)) {
        if (out.rf_req) {
            assert_true(n < 5);
            assert_int_equal(out.rf_index, want[n++]);
        }
    }
    assert_int_equal(n, 5);
}

/* Three registers whose words are known: R2 = tx of a 16 x 16 TB (strided, per group of 16), R5 =
 * 7 everywhere, R9 without order. Segment: 0 1 0 1 | 7 7 | R9's first 26 lanes, then the rest
 * padded to 8 words. The first segment comes 5 cycles after the start where R9 alone is live. */
static void test_known_warp(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 2, &configs[DEFAULT_CONFIG]);
    wr_context_saver_in in = {
        .start = true, .word = instruction(2, 1u << 2 | 1u << 5 | 1u << 9), .alloc = 16, .pag = 1};
    uint32_t nine[32];
    for (unsigned i = 0; i < 32; i++) {
        nine[i] = i * i * 977u + 5u;
    }
    cycle(&b, &in);
    in = (wr_context_saver_in){.rf_gnt = true};
    for (wr_context_saver_out out = cycle(&b, &in); !out.seg_valid; out = cycle(&b, &in)) {
        for (unsigned i = 0; out.rf_req && i < 32; i++) {
            b.lane[i] = out.rf_index == 2 ? i % 16 : out.rf_index == 5 ? 7 : nine[i];
        }
    }
    in.seg_ready = true;
    wr_context_saver_out out = cycle(&b, &in);
    const uint32_t head[6] = {0, 1, 0, 1, 7, 7};
    assert_int_equal(out.seg_count, 32);
    assert_memory_equal(out.seg_word, head, sizeof head);
    assert_memory_equal(out.seg_word + 6, nine, 26 * sizeof nine[0]);
    assert_int_equal(out.pattern_vec[0], 3u << 4 | 1u << 10 | 2u << 18);
    out = cycle(&b, &in);
    assert_true(out.seg_last);
    assert_int_equal(out.seg_count, 8);
    assert_memory_equal(out.seg_word, nine + 26, 6 * sizeof nine[0]);
    assert_int_equal(out.seg_word[6], 0);
    out = cycle(&b, &in);
    assert_true(out.done);
    assert_int_equal(out.total, 38);

    in = (wr_context_saver_in){.start = true, .word = instruction(3, 1u << 9), .alloc = 16};
    cycle(&b, &in);
    in = (wr_context_saver_in){.rf_gnt = true, .seg_ready = true};
    for (unsigned later = 1; later <= 5; later++) {
        out = cycle(&b, &in);
        assert_int_equal(out.seg_valid, later == 5);
        memcpy(b.lane, nine, sizeof nine);
    }
    assert_memory_equal(out.seg_word, nine, sizeof nine);
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->segments > 20);
}

/* Each parameter is in its range. */
static const wr_context_saver_cfg refused[] = {
    {32, 31, 31, 16, 2, 3, 4}, {32, 32, 5, 16, 2, 3, 4}, {32, 32, 8, 16, 2, 2, 4},
    {32, 32, 8, 16, 2, 3, 2},  {32, 32, 8, 16, 2, 3, 3},
};

static const wr_bench self = {
    .block = &wr_context_saver_block,
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
    .amount = {.legal = 3000, .faulty = 3000, .repeats = 2},
    .snapshot = {.before = 60, .after = 200},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bit_53),
        cmocka_unit_test(test_known_warp),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
