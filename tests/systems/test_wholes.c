/* SPDX-License-Identifier: Apache-2.0 */
/* Whole TBs in memory: the paper's examples byte by byte, and damage that must be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/context/engine.h"
#include "tests/systems/bench.h"

/* The class table of a TB that was saved as a whole; NULL: it was not. */
static uint8_t *class_table(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    bench_pointers(b, tb, &regs, &shared, &stack);
    return regs % 2 != 0 ? fake_memory(b->gpu, regs - 1) : NULL;
}

static void break_class(bench *b, const bench_tb *tb)
{
    uint8_t *table = class_table(b, tb);

    if (table) {
        table[0] = 4; /* bypass, which is no class of the format */
    }
}

/* A register that the kernel has not. */
static void add_class(bench *b, const bench_tb *tb)
{
    uint8_t *table = class_table(b, tb);

    if (table) {
        table[31] = 0x50;
    }
}

/* The stream is shorter than its classes need. */
static void shorten(bench *b, const bench_tb *tb)
{
    uint8_t *table = class_table(b, tb);

    if (table && table[32] + table[33] != 0) {
        table[32]--;
    }
}

static void lose_whole_depth(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    if (class_table(b, tb)) {
        bench_pointers(b, tb, &regs, &shared, &stack);
        fake_memory(b->gpu, stack)[28] = 0;
    }
}

/* A TB that was saved warp by warp seems to be a whole. */
static void pretend_whole(bench *b, const bench_tb *tb)
{
    fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb])[0] |= 1;
}

static void test_damaged(void **state)
{
    static const char options[] = "period=500,context=tb";

    (void)state;
    bench_expect_failure(options, break_class,
                         "is damaged: its class table has a code that is none");
    bench_expect_failure(options, add_class, "is damaged: its class table has a code that is none");
    bench_expect_failure(options, shorten,
                         "is damaged: its class table needs a stream of another length");
    bench_expect_failure(options, lose_whole_depth,
                         "is damaged: a warp of a whole TB has no SIMT stack");
    bench_expect_failure("period=500", pretend_whole,
                         "is damaged: a pointer of its control block, to registers, is none");
}

/* A TB of 16 x 16 threads that stands at a barrier with R1 to R4 and R9 live, under one engine. */
enum { LIVE = 0x21e };

typedef struct rig {
    bench b;
    wr_system_hooks hooks;
    wr_context_area areas[WR_MAX_STREAMS];
    wr_context_engine engine;
} rig;

static void on_sm_cycle(void *self, wr_sm *sm)
{
    rig *r = self;

    if (!wr_context_engine_idle(&r->engine)) {
        wr_context_engine_step(&r->engine, sm);
    }
    assert_string_equal(r->engine.message, "");
}

/* Cycles until the engine tells of something. */
static wr_context_event wait_for(rig *r, wr_context_what what)
{
    r->engine.event_count = 0;
    for (uint32_t i = 0; i < 100000 && r->engine.event_count == 0; i++) {
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->engine.event_count, 1);
    assert_int_equal(r->engine.event[0].what, what);
    return r->engine.event[0];
}

static rig *open_rig(void)
{
    rig *r = calloc(1, sizeof *r);
    char err[256];

    assert_non_null(r);
    for (uint64_t seed = bench_seed(1);; seed++) {
        bench_open_bare(&r->b, seed, 1, WR_CONTEXT_BY_TB);
        if (r->b.launch.block[0] == 16 && r->b.regs >= 10 && r->b.kernel.max_live >= 5) {
            break;
        }
        bench_close(&r->b);
    }
    r->b.gpu->entries = 4;
    r->b.words[2] = (uint64_t)WR_OP_BAR_PP << WR_ISA_OPCODE_SHIFT | LIVE;
    assert_true(wr_context_area_prepare(&r->areas[0], r->b.gpu, &r->b.launch, WR_CONTEXT_BY_TB, 4));
    assert_true(wr_context_engine_open(&r->engine, &r->b.gpu->cfg,
                                       &(wr_behind){.backend = WR_BACKEND_LOCKSTEP}, 0, r->areas,
                                       WR_CONTEXT_BY_TB, 1, err, sizeof err));
    r->hooks = (wr_system_hooks){.self = r, .sm_cycle = on_sm_cycle};
    r->b.gpu->hooks = &r->hooks;
    return r;
}

/* i, ty, ty * 16 + tx and tx of Lin-P III.C in R1 to R4, and in R9 what has no pattern. */
static void place(rig *r)
{
    bench_tb *tb = &r->b.tb[0];
    wr_sm *sm = &r->b.gpu->sm[0];

    tb->lives = true;
    tb->slot = fake_place(sm, &r->b.launch, 0, r->b.regs, r->b.shared_bytes);
    r->b.tbs = 1;
    bench_scramble_tb(&r->b, tb);
    for (uint32_t w = 0; w < 8; w++) {
        naive_warp *mine = &tb->warp[w];
        fake_warp *theirs = &sm->warp[wr_sm_tb_warp(sm, tb->slot, w)];

        mine->depth = theirs->depth = 1;
        mine->live = LIVE;
        mine->stack[0] = theirs->stack[0] = (wr_simt_entry){16, UINT32_MAX, UINT32_MAX};
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t ty = 2 * w + l / 16;
            uint32_t tx = l % 16;

            mine->reg[1][l] = 7;
            mine->reg[2][l] = ty;
            mine->reg[3][l] = ty * 16 + tx;
            mine->reg[4][l] = tx;
            mine->reg[9][l] = (w * 32 + l) * (w * 32 + l);
        }
        memcpy(theirs->reg, mine->reg, sizeof mine->reg);
    }
}

enum { WORDS = 1 + 16 + 2 + 32 + 256 };

/* What lies in memory of it, written down word by word. */
static void expect_words(uint32_t word[WORDS])
{
    uint32_t count = 0;

    word[count++] = 7; /* i: global uniform */
    for (uint32_t ty = 0; ty < 16; ty++) {
        word[count++] = ty; /* ty: local uniform */
    }
    word[count++] = 0; /* ty * 16 + tx: global strided */
    word[count++] = 1;
    for (uint32_t ty = 0; ty < 16; ty++) {
        word[count++] = 0; /* tx: local strided */
        word[count++] = 1;
    }
    for (uint32_t t = 0; t < 256; t++) {
        word[count++] = t * t;
    }
    assert_int_equal(count, WORDS);
}

static void test_paper_examples(void **state)
{
    static const uint8_t classes[34] = {[0] = 5 << 4, [1] = 6 << 4 | 1,   [2] = 3,
                                        [4] = 2 << 4, [32] = WORDS & 255, [33] = WORDS >> 8};
    rig *r = open_rig();
    uint32_t word[WORDS];

    (void)state;
    place(r);
    expect_words(word);
    assert_int_not_equal(wr_context_engine_save(&r->engine, &r->b.gpu->sm[0], WR_ALL_TBS), 0);
    wr_context_event saved = wait_for(r, WR_CONTEXT_SAVED);
    const uint8_t *table = fake_memory(r->b.gpu, wr_context_area_tb(&r->areas[0], 0).regs);

    assert_memory_equal(table, classes, sizeof classes);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(wr_context_get32(table + 128 + 4 * (size_t)i), word[i]);
    }
    while (!wr_context_engine_idle(&r->engine)) {
        fake_cycle(r->b.gpu);
    }
    const wr_context_sums *sums = &r->engine.record.sums;

    assert_int_equal(sums->data_bytes, 4 * WORDS);
    assert_int_equal(sums->padded_bytes, (4 * WORDS + 31) / 32 * 32);
    assert_int_equal(sums->live_bytes, 8 * 5 * 128);
    assert_int_equal(sums->whole.warp_bytes, 4 * 8 * (2 + 2 + 4 + 4 + 32));
    assert_int_equal(sums->uniform, 16);
    assert_int_equal(sums->strided, 16);
    assert_int_equal(sums->random, 8);
    assert_true(wr_context_engine_restore(&r->engine, &r->b.gpu->sm[0], &saved.tb));
    (void)wait_for(r, WR_CONTEXT_RESTORED);
    bench_follow(&r->b);
    assert_true(bench_compare_tb(&r->b, &r->b.tb[0], true));
    wr_context_engine_close(&r->engine);
    bench_close(&r->b);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_examples),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
