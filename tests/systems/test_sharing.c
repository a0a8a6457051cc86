/* SPDX-License-Identifier: Apache-2.0 */
/* Systems sharing and spart: how launches of several streams share SMs, on the real shell: where
 * TBs lie, how many of them at once, and who goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/kit.h"
#include "tests/systems/rows.h"

enum { STREAMS = 3, WORDS = 1 << 14, LIMIT = 10000000 };

/* Each stream has one launch of a kernel whose threads write down the SM that they ran on. */
typedef struct stream {
    kit_kernel kernel;
    uint32_t params[2]; /* where to write; rounds of a loop */
    wr_launch launch;
    wr_launch_result result;
    bool asked;
} stream;

typedef struct bench {
    wr_gpu *gpu;
    wr_system_group *systems;
    wr_system_hooks hooks;
    uint32_t count;
    stream stream[STREAMS];
} bench;

static bench b;

/* Most TBs of each stream on SM 0 while every stream has a launch in flight. */
static uint32_t most[STREAMS];

static void look(void *self, wr_gpu *gpu)
{
    uint32_t now[STREAMS] = {0};

    (void)self;
    if (wr_gpu_launches(gpu) != b.count) {
        return;
    }
    for (uint32_t t = 0; t < wr_sm_tb_slots(wr_gpu_sm(gpu, 0)); t++) {
        wr_tb_info tb = wr_sm_tb(wr_gpu_sm(gpu, 0), t);

        if (tb.valid) {
            now[tb.stream]++;
        }
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        most[i] = now[i] > most[i] ? now[i] : most[i];
    }
}

static void open_bench(const char *spec, uint32_t sms)
{
    wr_gpu_config cfg = kit_config();
    char err[256];

    cfg.sms = sms;
    memset(&b, 0, sizeof b);
    memset(most, 0, sizeof most);
    b.gpu = wr_gpu_create(&cfg);
    b.systems = wr_system_group_open(&spec, 1, NULL, &cfg, err, sizeof err);
    if (!b.systems) {
        fail_msg("%s", err);
    }
    b.hooks = *wr_system_group_hooks(b.systems);
    assert_null(b.hooks.gpu_cycle);
    b.hooks.gpu_cycle = look;
    wr_gpu_attach(b.gpu, &b.hooks);
}

static void add_stream(uint32_t grid, uint32_t block, uint32_t rounds)
{
    stream *s = &b.stream[b.count++];
    kit_kernel *k = &s->kernel;

    kit_begin(k, "where", 8);
    k->k.param_bytes = sizeof s->params;
    s->params[0] = (uint32_t)wr_gpu_alloc(b.gpu, (uint64_t)WORDS * 4, 256);
    s->params[1] = rounds;
    kit_add(k, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(k, kit_imm(kit_op(WR_OP_SHL, WR_B32, 0, 0, RZ, RZ), 1, 2));
    kit_add(k, kit_param(kit_op(WR_OP_ADD, WR_U32, 1, 0, RZ, RZ), 1, 0));
    kit_add(k, kit_op(WR_OP_MOV, WR_B32, 3, RZ, RZ, RZ));
    size_t head = kit_add(k, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 1));

    kit_add(k, kit_param(kit_setp(WR_CMP_LT, WR_U32, 0, 3, RZ), 1, 4));
    kit_add(k, kit_guard(kit_bra(head, head + 3), 0, false));
    kit_add(k, kit_s2r(4, WR_SREG_SMID));
    kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 0));
    kit_add(k, kit_plain(WR_OP_EXIT));
    kit_build(k);
    s->launch = kit_launch(k, grid, block, (const void *)s->params);
}

static const wr_launch *next(void *self, uint32_t i)
{
    (void)self;
    if (b.stream[i].asked) {
        return NULL;
    }
    b.stream[i].asked = true;
    return &b.stream[i].launch;
}

static bool done(void *self, uint32_t i, const wr_launch_result *result)
{
    (void)self;
    b.stream[i].result = *result;
    return true;
}

static void add_placed(void *arg, const wr_row *row)
{
    uint64_t *placed = arg;

    if (strcmp(row->column, "placed") == 0) {
        *placed += row->count;
    }
}

/* Runs all and frees what the run needed but for the GPU. */
static void run(void)
{
    const wr_streams streams = {.count = b.count, .next = next, .done = done};
    wr_run_result r = wr_gpu_run_streams(b.gpu, &streams, LIMIT, NULL, NULL);
    uint64_t placed = 0;
    uint64_t tbs = 0;

    if (r.status != WR_RUN_DONE) {
        fail_msg("%s", r.message);
    }
    kit_check_conservation(b.gpu);
    each_row(b.systems, add_placed, &placed);
    for (uint32_t i = 0; i < b.count; i++) {
        tbs += b.stream[i].launch.grid[0];
    }
    assert_int_equal(placed, tbs);
    kit_check_conservation(b.gpu);
    wr_system_group_close(b.systems);
}

static uint32_t sm_of(uint32_t i, uint32_t tb)
{
    uint32_t v;

    assert_true(wr_gpu_read(b.gpu, b.stream[i].params[0] + 4 * (uint64_t)tb, &v, 4));
    return v;
}

/* 4 SMs, shares 3 to 1; the shorter launch has its SM for itself, and leaves it to the longer. */
static void test_spart(void **state)
{
    bool last_used = false;

    (void)state;
    open_bench("spart:shares=3:1", 4);
    add_stream(400, 64, 200);
    add_stream(16, 64, 200);
    run();
    for (uint32_t t = 0; t < 16; t++) {
        assert_int_equal(sm_of(1, t), 3);
    }
    for (uint32_t t = 0; t < 400; t++) {
        assert_true(t >= 24 || sm_of(0, t) < 3);
        last_used |= sm_of(0, t) == 3;
    }
    assert_true(last_used);
    assert_true(b.stream[1].result.ended < b.stream[0].result.ended);
    wr_gpu_free(b.gpu);
}

/* More streams than SMs: those without one wait for those that have. */
static void test_more_streams_than_sms(void **state)
{
    (void)state;
    open_bench("spart:shares=1:1:4", 2);
    for (uint32_t i = 0; i < 3; i++) {
        add_stream(20, 64, 50);
    }
    run(); /* parts of 2 SMs: 0 to 0, 0 to 0, 0 to 2 */
    assert_true(b.stream[0].result.placed >= b.stream[2].result.ended);
    assert_true(b.stream[1].result.placed >= b.stream[2].result.ended);
    wr_gpu_free(b.gpu);
}

/* One SM of 8 TB slots, 48 warps, 32,768 registers. */
static void test_within_sm(void **state)
{
    static const struct {
        const char *shares;
        uint32_t block[3]; /* threads of each stream's TBs; 0: no such stream */
        uint32_t most[3];
    } rows[] = {
        {"1:1", {64, 64}, {4, 4}},            /* 8 / 2 TB slots */
        {"3:1", {64, 64}, {6, 2}},            /* 8 x 3/4, 8 x 1/4 */
        {"1:1", {256, 64}, {3, 4}},           /* 24 / 8 warps; 8 / 2 TB slots */
        {"1:2", {192, 192}, {2, 5}},          /* 16 / 6 warps; 32 / 6 and 8 x 2/3 TB slots */
        {"1:1:2", {128, 128, 96}, {2, 2, 4}}, /* 8 / 4 TB slots twice; 8 / 2, or 24 / 3 warps */
        {"1:3", {512, 128}, {1, 6}},          /* 12 warps hold none of 16, but one may be */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char spec[64];

        (void)snprintf(spec, sizeof spec, "sharing:policy=within_sm,shares=%s", rows[i].shares);
        open_bench(spec, 1);
        for (uint32_t s = 0; s < 3 && rows[i].block[s] != 0; s++) {
            add_stream(40, rows[i].block[s], 100);
        }
        run();
        for (uint32_t s = 0; s < 3; s++) {
            if (most[s] != rows[i].most[s]) {
                fail_msg("row %zu: %u TBs of stream %u at once, expected %u", i, most[s], s,
                         rows[i].most[s]);
            }
        }
        wr_gpu_free(b.gpu);
    }
}

/* A TB of 32 warps fits once, and beside it two of 8 warps. In order these wait until the first
 * launch has no TB left to place; else they fill the SM at once. */
static void test_in_order_and_leftover(void **state)
{
    (void)state;
    open_bench("sharing:policy=in_order", 1);
    add_stream(3, 1024, 100);
    add_stream(20, 256, 100);
    run();
    uint64_t ordered = b.stream[1].result.placed;
    uint64_t third = b.stream[0].result.ended;

    assert_true(ordered > 0 && ordered < third);
    wr_gpu_free(b.gpu);
    open_bench("sharing:policy=leftover", 1);
    add_stream(3, 1024, 100);
    add_stream(20, 256, 100);
    run();
    assert_true(b.stream[1].result.placed <= b.stream[0].result.placed + 2);
    assert_true(b.stream[1].result.placed < ordered);
    assert_int_equal(most[0], 1);
    wr_gpu_free(b.gpu);
}

/* Skipping idle cycles changes nothing: a policy's answer changes in simulated cycles only. */
static void test_skipping(void **state)
{
    static const char *const specs[] = {"sharing:policy=leftover", "sharing:policy=in_order",
                                        "spart:shares=1:2:3",
                                        "sharing:policy=within_sm,shares=3:2:1"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        wr_launch_result results[2][STREAMS];

        for (uint32_t full = 0; full < 2; full++) {
            open_bench(specs[i], 3);
            b.gpu->no_skip = full == 1;
            for (uint32_t s = 0; s < STREAMS; s++) {
                add_stream(30 + 7 * s, 64 << s, 20 + 30 * s);
            }
            run();
            for (uint32_t s = 0; s < STREAMS; s++) {
                results[full][s] = b.stream[s].result;
            }
            wr_gpu_free(b.gpu);
        }
        assert_memory_equal(results[0], results[1], sizeof results[0]);
    }
}

static void test_bad_options(void **state)
{
    static const struct {
        const char *spec, *part;
    } rows[] = {
        {"sharing:policy=fair", "policy=fair is not leftover, in_order or within_sm"},
        {"sharing:shares=0:1", "from 1 to 1000"},
        {"sharing:shares=1:", "from 1 to 1000"},
        {"sharing:shares=:1", "from 1 to 1000"},
        {"sharing:shares=1;2", "from 1 to 1000"},
        {"sharing:shares=-1", "from 1 to 1000"},
        {"sharing:part=1", "unknown option \"part\"; options are policy, shares"},
    };
    wr_gpu_config cfg = kit_config();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char err[256] = "";

        assert_null(wr_system_group_open(&rows[i].spec, 1, NULL, &cfg, err, sizeof err));
        if (!strstr(err, rows[i].part)) {
            fail_msg("%s: '%s'", rows[i].spec, err);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spart),     cmocka_unit_test(test_more_streams_than_sms),
        cmocka_unit_test(test_within_sm), cmocka_unit_test(test_in_order_and_leftover),
        cmocka_unit_test(test_skipping),  cmocka_unit_test(test_bad_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
