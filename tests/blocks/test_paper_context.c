/* SPDX-License-Identifier: Apache-2.0 */
/* The figures that Lin-P gives for a warp's register context, as exact values at the pins of
 * context_saver, context_restorer, reg_compressor and liveness_decoder in their default
 * configuration: sizes in bytes, patterns and vectors are the paper's own, not computed by the
 * blocks' code.
 */
#include <string.h>

#include "refmodel/context/context_restorer.h"
#include "refmodel/context/context_saver.h"
#include "tests/blocks/rig.h"

enum { LANES = 32, REGS = 64, WORDS = REGS * LANES, OP_PP = 2, OP_BAR = 3, OP_DUMMY = 4 };

static const uint32_t poison = 0xdeadbeef;

/* A warp at a preemption point. */
typedef struct warp {
    wr_pag pag;
    unsigned alloc;
    uint64_t word;
    uint64_t next;
    bool diverged;
    uint32_t reg[REGS][LANES];
} warp;

/* What was saved of it. */
typedef struct saved {
    uint32_t pattern_vec[4];
    uint32_t word[WORDS + LANES];
    unsigned total;  /* data words */
    unsigned stored; /* padding counted */
} saved;

static uint64_t pp(uint64_t vector)
{
    return (uint64_t)OP_PP << 54 | vector;
}

static uint64_t bar_pp(uint64_t vector)
{
    return (uint64_t)OP_BAR << 54 | vector;
}

static void save(const warp *w, saved *m)
{
    const wr_context_saver_cfg cfg = {.lanes = LANES,
                                      .seg_words = 32,
                                      .pad_words = 8,
                                      .regs = REGS,
                                      .op_pp = OP_PP,
                                      .op_bar_pp = OP_BAR,
                                      .op_dummy = OP_DUMMY};
    wr_context_saver dut;
    wr_context_saver_out out = {0};
    wr_context_saver_in in = {.start = true,
                              .word = w->word,
                              .next = w->next,
                              .diverged = w->diverged,
                              .alloc = (uint8_t)w->alloc,
                              .pag = (uint8_t)w->pag,
                              .rf_gnt = true,
                              .seg_ready = true};

    memset(m, 0, sizeof *m);
    assert_int_equal(wr_context_saver_init(&dut, &cfg), WR_OK);
    for (unsigned cycle = 0; !out.done; cycle++) {
        assert_true(cycle < 1000);
        wr_context_saver_eval(&dut, &in, &out);
        assert_false(out.fault);
        if (out.seg_valid) {
            memcpy(m->word + m->stored, out.seg_word, out.seg_count * sizeof m->word[0]);
            m->stored += out.seg_count;
        }
        wr_context_saver_tick(&dut, &in);
        if (out.rf_req) {
            memcpy(in.rf_lane, w->reg[out.rf_index], sizeof w->reg[0]);
        }
        in.start = false;
    }
    memcpy(m->pattern_vec, out.pattern_vec, sizeof m->pattern_vec);
    m->total = out.total;
}

/* Brings a warp's allocated registers back. */
static void restore(const warp *w, const saved *m, uint32_t (*reg)[LANES])
{
    const wr_context_restorer_cfg cfg = {
        .lanes = LANES, .seg_words = 32, .regs = REGS, .poison = poison};
    wr_context_restorer dut;
    wr_context_restorer_out out = {.busy = true};
    wr_context_restorer_in in = {
        .start = true, .pag = (uint8_t)w->pag, .alloc = (uint8_t)w->alloc, .rf_gnt = true};
    unsigned at = 0;

    memcpy(in.pattern_vec, m->pattern_vec, sizeof in.pattern_vec);
    assert_int_equal(wr_context_restorer_init(&dut, &cfg), WR_OK);
    for (unsigned cycle = 0; cycle < 2 || out.busy; cycle++) {
        assert_true(cycle < 1000);
        memcpy(in.seg_word, m->word + at, LANES * sizeof m->word[0]);
        in.seg_valid = cycle > 0 && at < m->stored;
        wr_context_restorer_eval(&dut, &in, &out);
        assert_false(out.fault);
        if (in.seg_valid && out.seg_ready) {
            at += LANES;
        }
        if (out.rf_req) {
            memcpy(reg[out.rf_index], out.rf_lane, sizeof reg[0]);
        }
        wr_context_restorer_tick(&dut, &in);
        in.start = false;
    }
}

/* Thread of lane i in warp n of BP_1's TB: 16 x 16 threads, 8 warps. */
static uint32_t tx(unsigned n, unsigned i)
{
    return (32 * n + i) % 16;
}

static uint32_t ty(unsigned n, unsigned i)
{
    return (32 * n + i) / 16;
}

/* The four variables that Fig. 7 and III.C name, as registers 0 to 3 of each warp: i, ty, tx and
 * the index ty * 16 + tx. */
static void test_named_variables(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        warp w = {.pag = WR_PAG_16, .alloc = 4, .word = bar_pp(0xf)};
        saved m;
        for (unsigned i = 0; i < LANES; i++) {
            w.reg[0][i] = 5;
            w.reg[1][i] = ty(n, i);
            w.reg[2][i] = tx(n, i);
            w.reg[3][i] = ty(n, i) * 16 + tx(n, i);
        }
        save(&w, &m);
        /* uniform, uniform, strided, strided, register 0 lowest */
        assert_int_equal(m.pattern_vec[0], 0xf5);
        const uint32_t want[12] = {5, 5, 2 * n, 2 * n + 1, 0, 1, 0, 1, 32 * n, 1, 32 * n + 16, 1};
        assert_int_equal(m.total, 12);
        assert_memory_equal(m.word, want, sizeof want);

        /* Over a whole vector register, the paper's BP_vec, ty and tx are random; the index stays
         * strided and i uniform. */
        w.pag = WR_PAG_32;
        save(&w, &m);
        assert_int_equal(m.pattern_vec[0], 0xe9);
        assert_int_equal(m.total, 1 + 32 + 32 + 2);
    }
}

/* Data bytes of n registers of one pattern in one warp of BP_1. */
static double bytes_of(unsigned n, bool uniform, wr_pag pag)
{
    warp w = {.pag = pag, .alloc = 13, .word = pp((UINT64_C(1) << n) - 1)};
    saved m;
    for (unsigned r = 0; r < n; r++) {
        for (unsigned i = 0; i < LANES; i++) {
            w.reg[r][i] = uniform ? 100 + r : 7 * r + 3 * tx(0, i) + 48 * ty(0, i);
        }
    }
    save(&w, &m);
    return 4.0 * m.total;
}

/* BP_1 (III.B, III.C): 13 registers of 128 B allocated, 656 B of them live, 5.125 registers a
 * warp on average; 47.4 % uniform and 52.6 % strided leave "64 B". Two groups of 16: 62.6 B. */
static void test_bp1(void **state)
{
    (void)state;
    const double live = 656.0 / 128.0;
    assert_true(live == 5.125);

    /* A uniform register is a base for each of the two groups, a strided one base and stride. */
    assert_true(bytes_of(1, true, WR_PAG_16) == 8.0);
    assert_true(bytes_of(1, false, WR_PAG_16) == 16.0);
    double bytes =
        live * (0.474 * bytes_of(1, true, WR_PAG_16) + 0.526 * bytes_of(1, false, WR_PAG_16));
    assert_true(bytes > 62.55 && bytes < 62.65);

    /* What the paper's 64 B is not: one base and stride for the whole warp gives 31 B, and the
     * pattern vector's 16 B in addition would give 79 B. */
    double whole =
        live * (0.474 * bytes_of(1, true, WR_PAG_32) + 0.526 * bytes_of(1, false, WR_PAG_32));
    assert_true(whole > 31.0 && whole < 31.5);
    assert_int_equal(sizeof((saved *)NULL)->pattern_vec, 16);
    assert_true(bytes + 16 > 78.5 && bytes + 16 < 79.0);

    /* Whole registers: 2 uniform and 3 strided are 64 B, exactly. */
    assert_true(bytes_of(2, true, WR_PAG_16) + bytes_of(3, false, WR_PAG_16) == 64.0);
}

/* 1,000 warps of BP_1 whose live registers average 5.125, 2,429 of 5,125 uniform: the bytes that
 * the saver hands out, and registers that come back as they were, dead ones as poison. */
static void test_bp1_thousand_warps(void **state)
{
    (void)state;
    unsigned dealt = 0;
    unsigned uniform = 0;
    unsigned words = 0;
    for (unsigned n = 0; n < 1000; n++) {
        const unsigned live = n % 8 == 0 ? 6 : 5;
        warp w = {.pag = WR_PAG_16, .alloc = 13, .word = bar_pp((UINT64_C(1) << live) - 1)};
        uint32_t back[REGS][LANES];
        saved m;
        for (unsigned r = 0; r < live; r++, dealt++) {
            const bool is_uniform = 2429 * (dealt + 1) / 5125 != 2429 * dealt / 5125;
            uniform += is_uniform;
            for (unsigned i = 0; i < LANES; i++) {
                w.reg[r][i] = is_uniform ? ty(n % 8, i) + r : tx(n % 8, i) + 100 * r;
            }
        }
        save(&w, &m);
        words += m.total;
        restore(&w, &m, back);
        for (unsigned r = 0; r < 13; r++) {
            for (unsigned i = 0; i < LANES; i++) {
                assert_int_equal(back[r][i], r < live ? w.reg[r][i] : poison);
            }
        }
    }
    assert_int_equal(dealt, 5125);
    assert_int_equal(uniform, 2429); /* 47.4 % */
    assert_int_equal(words, 2429 * 2 + 2696 * 4);
    assert_true(4.0 * words / 1000 > 62.5 && 4.0 * words / 1000 < 62.6);
}

/* Registers that come back when the vector's bit 53 is set, and nothing else. */
static uint64_t saved_by_bit_53(unsigned alloc)
{
    warp w = {.pag = WR_PAG_32, .alloc = alloc, .word = pp(UINT64_C(1) << 53)};
    uint32_t back[REGS][LANES];
    saved m;
    uint64_t live = 0;
    for (unsigned r = 0; r < REGS; r++) {
        for (unsigned i = 0; i < LANES; i++) {
            w.reg[r][i] = r * 1000 + i * i;
        }
    }
    save(&w, &m);
    restore(&w, &m, back);
    for (unsigned r = 0; r < alloc; r++) {
        const bool same = memcmp(back[r], w.reg[r], sizeof back[r]) == 0;
        live |= (uint64_t)same << r;
        for (unsigned i = 0; i < LANES; i++) {
            assert_true(same || back[r][i] == poison);
        }
    }
    return live;
}

/* The highest bit of the 54 stands for every register from 53 up that is allocated (IV.A). */
static void test_bit_53(void **state)
{
    (void)state;
    assert_true(saved_by_bit_53(54) == UINT64_C(0x0020000000000000));
    assert_true(saved_by_bit_53(55) == UINT64_C(0x0060000000000000));
    assert_true(saved_by_bit_53(63) == UINT64_C(0x7fe0000000000000));
    assert_true(saved_by_bit_53(64) == UINT64_C(0xffe0000000000000));
}

/* A diverged warp saves what the dummy instruction behind the pp names (IV.A). */
static void test_divergence(void **state)
{
    (void)state;
    warp w = {.pag = WR_PAG_32,
              .alloc = 13,
              .word = pp(0x0003),
              .next = (uint64_t)OP_DUMMY << 54 | 0x1007};
    saved m;
    save(&w, &m);
    assert_int_equal(m.pattern_vec[0], 0x5);
    w.diverged = true;
    save(&w, &m);
    assert_int_equal(m.pattern_vec[0], 0x1000015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_variables),    cmocka_unit_test(test_bp1),
        cmocka_unit_test(test_bp1_thousand_warps), cmocka_unit_test(test_bit_53),
        cmocka_unit_test(test_divergence),
    };
    return cmocka_run_group_tests_name("paper_context", tests, NULL, NULL);
}
