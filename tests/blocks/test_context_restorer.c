/* SPDX-License-Identifier: Apache-2.0 */
/* context_restorer: the model against the oracle in every cycle and on every output, under random
 * pattern vectors and words, gaps of the memory, back-pressure of the register file and protocol
 * faults; then a warp whose registers are known beforehand.
 */
#include "dpi/gen/context_restorer_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_restorer_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_context_restorer_cfg cfg;
    wr_context_restorer dut;
    wr_oracle_restorer oracle;
    uint64_t registers;
    uint64_t segments;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_restorer_reset(&b->oracle, b->cfg.lanes, b->cfg.seg_words, b->cfg.regs,
                             b->cfg.poison);
}

static const wr_context_restorer_cfg configs[] = {
    {8, 8, 16, 0xdeadbeef},   {32, 32, 64, 0xdeadbeef}, {24, 30, 55, 0xa5a5a5a5}, {16, 32, 64, 0},
    {64, 64, 64, UINT32_MAX}, {8, 64, 54, 1},           {9, 11, 1, 0x80000000},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_context_restorer_out *out)
{
    const wr_oracle_restorer *o = &b->oracle;
    const wr_oracle_reg *reg = &o->pipe.stage[1];

    wr_rig_check(&b->rig, "busy", out->busy, wr_oracle_restorer_busy(o));
    wr_rig_check(&b->rig, "seg_want", out->seg_want, wr_oracle_unpacker_busy(&o->unpacker));
    wr_rig_check(&b->rig, "seg_ready", out->seg_ready, wr_oracle_unpacker_seg_ready(&o->unpacker));
    wr_rig_check(&b->rig, "rf_req", out->rf_req, o->pipe.full[1]);
    wr_rig_check(&b->rig, "rf_index", out->rf_index, reg->tag);
    wr_rig_check_words(&b->rig, "rf_lane", out->rf_lane, reg->value, b->cfg.lanes);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
}

/* Settles and checks all outputs, with these inputs and with others, then clocks both sides. */
static wr_context_restorer_out cycle(bench *b, const wr_context_restorer_in *in)
{
    wr_context_restorer_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    const wr_oracle_restorer_step step = {.start = in->start,
                                          .pattern_vec = in->pattern_vec,
                                          .pag = in->pag,
                                          .alloc = in->alloc,
                                          .seg_offered = in->seg_valid,
                                          .seg_word = in->seg_word,
                                          .granted = in->rf_gnt};
    wr_oracle_restorer_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    b->registers += out.rf_req && in->rf_gnt;
    b->segments += in->seg_valid && out.seg_ready;
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_restorer_out *)out = cycle(bench_v, in);
}

/* Patterns of the registers below a number, none dead, some dead or all. */
static void random_patterns(bench *b, unsigned below, uint32_t *pattern_vec)
{
    const unsigned dead = 50 * wr_rig_below(&b->rig, 3);
    memset(pattern_vec, 0, 4 * sizeof pattern_vec[0]);
    for (unsigned r = 0; r < below; r++) {
        if (!wr_rig_chance(&b->rig, dead)) {
            pattern_vec[r / 16] |= (1 + wr_rig_below(&b->rig, 3)) << (2 * (r % 16));
        }
    }
}

static void random_warp(bench *b, bool with_faults, wr_context_restorer_in *in)
{
    in->alloc = (uint8_t)wr_rig_below(&b->rig, b->cfg.regs + 1);
    if (wr_rig_chance(&b->rig, 40)) {
        in->alloc = (uint8_t)b->cfg.regs;
    }
    in->pag = (uint8_t)wr_rig_below(&b->rig, 3);
    random_patterns(b,
                    wr_rig_chance(&b->rig, 70) ? in->alloc : wr_rig_below(&b->rig, in->alloc + 1u),
                    in->pattern_vec);
    if (!with_faults) {
        return;
    }
    switch (wr_rig_below(&b->rig, 5)) {
    case 0:
        in->alloc = (uint8_t)wr_rig_below(&b->rig, 128);
        break;
    case 1:
        in->pag = 3;
        break;
    case 2:
        random_patterns(b, 64, in->pattern_vec);
        break;
    default:
        break;
    }
}

/* One warp from its start to its end, and some cycles behind it. */
static void restore(bench *b, bool with_faults)
{
    wr_context_restorer_in in = {0};
    random_warp(b, with_faults, &in);
    in.start = true;
    do {
        const bool may = with_faults && wr_rig_chance(&b->rig, 3);
        in.rf_gnt = wr_rig_takes(&b->rig);
        in.seg_valid =
            (wr_oracle_unpacker_busy(&b->oracle.unpacker) || may) && wr_rig_offers(&b->rig);
        wr_rig_words(&b->rig, in.seg_word, b->cfg.seg_words);
        cycle(b, &in);
        random_warp(b, true, &in); /* without a start nobody looks */
        in.start = with_faults && wr_rig_below(&b->rig, 300) == 0;
    } while (wr_oracle_restorer_busy(&b->oracle));
    in.start = false;
    in.seg_valid = false;
    while (wr_rig_chance(&b->rig, 60)) {
        in.rf_gnt = wr_rig_takes(&b->rig);
        cycle(b, &in);
    }
}

static void traffic(void *bench_v, unsigned registers, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->registers + (b->cfg.regs < 8 ? registers / 10 : registers);
    while (b->registers < until) {
        restore(b, with_faults);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 60)) {
            wr_bench_reset(&self, b);
        }
    }
}

/* Each protocol fault alone, and its neighbours that are none. */
static void test_faults(void **state)
{
    (void)state;
    const struct {
        wr_context_restorer_in in;
        bool fault;
    } cases[] = {
        {{.alloc = 64}, false},
        {{.alloc = 65}, true},
        {{.alloc = 8, .pag = 2}, false},
        {{.alloc = 8, .pag = 3}, true},
        {{.alloc = 8, .pattern_vec = {1u << 14}}, false},
        {{.alloc = 7, .pattern_vec = {1u << 14}}, true},
        {{.alloc = 64, .pattern_vec = {0, 0, 0, 1u << 30}}, false},
        {{.alloc = 63, .pattern_vec = {0, 0, 0, 1u << 30}}, true},
        {{.alloc = 0, .pattern_vec = {1}}, true},
        {{.alloc = 0}, false},
        {{.alloc = 8, .seg_valid = true}, true}, /* nothing is wanted yet */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 2, &configs[DEFAULT_CONFIG]);
        wr_context_restorer_in in = cases[i].in;
        in.start = true;
        assert_false(cycle(&b, &in).fault);
        in = (wr_context_restorer_in){.rf_gnt = true};
        assert_int_equal(cycle(&b, &in).fault, cases[i].fault);
        in.seg_valid = wr_oracle_unpacker_busy(&b.oracle.unpacker);
        while (wr_oracle_restorer_busy(&b.oracle)) {
            cycle(&b, &in);
            in.seg_valid = wr_oracle_unpacker_busy(&b.oracle.unpacker);
        }
        assert_int_equal(cycle(&b, &in).fault, cases[i].fault);
    }
    bench b;
    wr_bench_init(&self, &b, 2, &configs[DEFAULT_CONFIG]);
    wr_context_restorer_in in = {.start = true, .alloc = 8};
    cycle(&b, &in);
    cycle(&b, &in); /* still busy */
    in.start = false;
    assert_true(cycle(&b, &in).fault);
}

/* R1 strided per 16 lanes, R3 uniform, R4 random, five registers allocated: R0 and R2 come back as
 * poison, the rest as they were; the first is at the register file 4 cycles behind the segment that
 * brings it. */
static void test_known_warp(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 2, &configs[DEFAULT_CONFIG]);
    wr_context_restorer_in in = {.start = true,
                                 .alloc = 5,
                                 .pag = 1,
                                 .pattern_vec = {3u << 2 | 1u << 6 | 2u << 8},
                                 .rf_gnt = true};
    uint32_t want[5][32];
    uint32_t stream[64] = {100, 3, 200, UINT32_MAX, 8, 9};
    for (unsigned i = 0; i < 32; i++) {
        want[0][i] = 0xdeadbeef;
        want[1][i] = i < 16 ? 100 + 3 * i : 200 - (i - 16);
        want[2][i] = 0xdeadbeef;
        want[3][i] = i < 16 ? 8 : 9;
        want[4][i] = i * 2654435761u;
        stream[6 + i] = want[4][i];
    }
    wr_context_restorer_out out = cycle(&b, &in);
    in.start = false;
    unsigned sent = 0;
    unsigned n = 0;
    for (unsigned k = 0; k < 16; k++) {
        memcpy(in.seg_word, stream + 32 * (sent < 2 ? sent : 0), 32 * sizeof stream[0]);
        in.seg_valid = sent < 2;
        out = cycle(&b, &in);
        assert_int_equal(out.rf_req, k >= 4 && k < 9);
        if (out.rf_req) {
            assert_int_equal(out.rf_index, n);
            assert_memory_equal(out.rf_lane, want[n], sizeof want[n]);
            n++;
        }
        sent += in.seg_valid && out.seg_ready;
    }
    assert_int_equal(n, 5);
    assert_false(out.busy);
    assert_false(out.fault);
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->segments > 20);
}

/* Each parameter is in its range. */
static const wr_context_restorer_cfg refused[] = {
    {32, 31, 16, 0},
};

static const wr_bench self = {
    .block = &wr_context_restorer_block,
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
        cmocka_unit_test(test_known_warp),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
