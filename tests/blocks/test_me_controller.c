/* SPDX-License-Identifier: Apache-2.0 */
/* me_controller: the model against the oracle, every output in every cycle, and what Lin-D says of
 * ME: the extra TBs of DWT_2, BT and HG (3.7.2), and how verdicts move ME (3.6.4), as exact values.
 */
#include "dpi/gen/me_controller_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/me_controller_oracle.h"

enum { OFF, WARP, TB };
enum { UNDER, MODERATE, SATURATED };

typedef struct bench {
    wr_rig rig;
    wr_me_controller_cfg cfg;
    wr_me_controller dut;
    wr_oracle_me oracle;
    uint64_t starts;
    uint64_t levels[3]; /* kernels whose search ended so */
    uint64_t bypassed;
    uint64_t raised; /* cycles with ME above 0 */
    uint64_t faults;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_me_controller_cfg *cfg = &b->cfg;
    const wr_oracle_me_cfg oracle_cfg = {.rf_lines = cfg->rf_lines,
                                         .smem_lines = cfg->smem_lines,
                                         .l1_lines = cfg->l1_lines,
                                         .warp_slots = cfg->warp_slots,
                                         .warps = cfg->warps,
                                         .tb_slots = cfg->tb_slots,
                                         .tbs = cfg->tbs,
                                         .sat_zero = cfg->sat_zero != 0};
    wr_oracle_me_reset(&b->oracle, &oracle_cfg);
}

/* Lin-D Table 3.1 with 96 KB of shared memory. */
static const wr_me_controller_cfg paper = {.rf_lines = 2048,
                                           .smem_lines = 768,
                                           .l1_lines = 256,
                                           .warp_slots = 64,
                                           .warps = 128,
                                           .tb_slots = 32,
                                           .tbs = 32,
                                           .sat_zero = 0};

static const wr_me_controller_cfg configs[] = {
    {16, 8, 4, 4, 8, 4, 6, 0},
    {1000, 383, 129, 48, 101, 13, 29, 1},
    {2048, 768, 256, 64, 128, 32, 32, 0},
    {2048, 768, 256, 64, 128, 32, 32, 1},
    {1, 1, 0, 1, 1, 1, 1, 0},
    {2048, 1023, 1023, 128, 128, 32, 32, 0},
    {100, 40, 0, 10, 20, 5, 9, 1},
    {64, 64, 64, 128, 128, 32, 32, 0},
    {2048, 768, 256, 4, 6, 32, 32, 0},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/* Settles and checks all outputs, then clocks both sides. */
static wr_me_controller_out cycle(bench *b, const wr_me_controller_in *in)
{
    const wr_oracle_me_out want = wr_oracle_me_eval(&b->oracle);
    wr_me_controller_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "busy", out.busy, want.busy);
    wr_rig_check(&b->rig, "mc", out.mc, want.mc);
    wr_rig_check(&b->rig, "bound", out.bound, want.bound);
    wr_rig_check(&b->rig, "needs_l1", out.needs_l1, want.needs_l1);
    wr_rig_check(&b->rig, "level", out.level, (uint64_t)want.level);
    wr_rig_check(&b->rig, "me", out.me, want.me);
    wr_rig_check(&b->rig, "bypass", out.bypass, want.bypass);
    wr_rig_check(&b->rig, "frozen", out.frozen, want.frozen);
    wr_rig_check(&b->rig, "tbs", out.tbs, want.tbs);
    wr_rig_check(&b->rig, "allow", out.allow, want.allow);
    wr_rig_check(&b->rig, "fault", out.fault, want.fault);
    b->starts += in->start;
    b->levels[out.level] += in->start && !out.busy && out.mc > 0;
    b->bypassed += out.bypass;
    b->raised += out.me > 0;
    b->faults += out.fault;

    const wr_oracle_me_in same = {.start = in->start,
                                  .kernel = {.warps = in->warps,
                                             .regs = in->regs,
                                             .reduced = in->reduced,
                                             .smem = in->smem,
                                             .meta = in->meta},
                                  .valid = in->valid,
                                  .verdict = in->verdict,
                                  .l1_idle = in->l1_idle,
                                  .launch = in->launch,
                                  .leave = in->leave};
    wr_oracle_me_step(&b->oracle, &same);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_me_controller_out *)out = cycle(bench_v, in);
}

/* Starts a kernel and runs the search to its end; the pins in the first cycle behind it. */
static wr_me_controller_out search(bench *b, const wr_oracle_me_kernel *k)
{
    const wr_me_controller_in start = {.start = true,
                                       .warps = (uint8_t)k->warps,
                                       .regs = (uint16_t)k->regs,
                                       .reduced = (uint16_t)k->reduced,
                                       .smem = (uint16_t)k->smem,
                                       .meta = (uint8_t)k->meta};
    const wr_me_controller_in idle = {0};
    cycle(b, &start);
    wr_me_controller_out out = cycle(b, &idle);
    while (out.busy) {
        out = cycle(b, &idle);
    }
    return out;
}

static wr_me_controller_out verdict(bench *b, int class, bool l1_idle)
{
    const wr_me_controller_in in = {.valid = true, .verdict = (uint8_t) class, .l1_idle = l1_idle};
    const wr_me_controller_in idle = {0};
    cycle(b, &in);
    return cycle(b, &idle);
}

/* 3.7.2: ten TBs of DWT_2 fit; with registers halved the L1 takes two more, whose shared memory
 * lies in what shared memory has left. The paper does not give a TB's size: 6 warps of 34 registers
 * and 8 KB are figures of which ten fit, and nothing but the L1 has room for more. Metadata is 256
 * B a warp throughout. */
static const wr_oracle_me_kernel dwt_2 = {
    .warps = 6, .regs = 6 * 34, .reduced = 6 * 17, .smem = 64, .meta = 12};

/* 3.7.2: BT is limited by warp slots; the register file has room for one TB more, and what can be
 * spilled to shared memory makes it six. 8 warps of 27 registers, of which 18 remain. */
static const wr_oracle_me_kernel bt = {
    .warps = 8, .regs = 8 * 27, .reduced = 8 * 18, .smem = 0, .meta = 16};

/* 3.7.2: HG is limited by shared memory; the register file takes that of eight TBs more. 3 warps of
 * 24 registers, 12 KB. */
static const wr_oracle_me_kernel hg = {
    .warps = 3, .regs = 3 * 24, .reduced = 3 * 24, .smem = 96, .meta = 6};

static void test_extra_tbs_of_the_paper(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &paper);

    wr_me_controller_out out = search(&b, &dwt_2);
    assert_int_equal(out.level, WARP);
    assert_int_equal(out.mc, 10);
    assert_int_equal(out.bound, 2);
    assert_true(out.needs_l1);
    assert_int_equal(verdict(&b, UNDER, true).me, 2);

    out = search(&b, &bt);
    assert_int_equal(out.level, WARP);
    assert_int_equal(out.mc, 8);
    assert_int_equal(out.bound, 6);
    assert_false(out.needs_l1);
    assert_int_equal(verdict(&b, UNDER, false).me, 6);

    out = search(&b, &hg);
    assert_int_equal(out.level, TB);
    assert_int_equal(out.mc, 8);
    assert_int_equal(out.bound, 8);
    assert_false(out.needs_l1);
    assert_int_equal(verdict(&b, UNDER, false).me, 8);
    assert_false(out.fault);
}

/* Virtual Thread lifts the limit of warp slots alone: one TB more of BT, none of DWT_2 and HG. */
static void test_virtual_thread(void **state)
{
    (void)state;
    wr_me_controller_cfg lifted = paper;
    lifted.warp_slots = lifted.warps;
    bench b;
    wr_bench_init(&self, &b, 1, &lifted);
    assert_int_equal(search(&b, &bt).mc, 8 + 1);
    assert_int_equal(search(&b, &dwt_2).mc, 10);
    assert_int_equal(search(&b, &hg).mc, 8);
}

/* A TB without warps is a fault, and taken for one of one warp: warp slots bound it, too. */
static void test_no_warps(void **state)
{
    (void)state;
    const wr_me_controller_cfg cfg = {2048, 768, 256, 4, 6, 32, 32, 0};
    const wr_oracle_me_kernel none = {.warps = 0, .regs = 1, .reduced = 1, .smem = 1, .meta = 1};
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    const wr_me_controller_out out = search(&b, &none);
    assert_int_equal(out.mc, 4);
    assert_int_equal(out.bound, 2);
    assert_true(out.fault);
}

/* 3.6.4, 3.6.6: which context limits, and what is done about it. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        wr_oracle_me_kernel kernel;
        int level;
        unsigned mc, bound;
    } row[] = {
        /* registers and shared memory both full at 8: off */
        {{.warps = 2, .regs = 256, .reduced = 100, .smem = 96, .meta = 4}, OFF, 8, 0},
        /* registers and warp slots: warp level; 128 warps are the bound */
        {{.warps = 8, .regs = 256, .reduced = 64, .smem = 0, .meta = 16}, WARP, 8, 8},
        /* shared memory and warp slots: TB level */
        {{.warps = 8, .regs = 64, .reduced = 64, .smem = 96, .meta = 16}, TB, 8, 8},
        /* TB slots: 32 are the bound natively and extra */
        {{.warps = 1, .regs = 8, .reduced = 8, .smem = 1, .meta = 2}, WARP, 32, 0},
        /* what is full to the last line: 16 of 128 lines, the next one breaks it */
        {{.warps = 4, .regs = 128, .reduced = 128, .smem = 0, .meta = 0}, WARP, 16, 6},
    };
    bench b;
    wr_bench_init(&self, &b, 1, &paper);
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        const wr_me_controller_out out = search(&b, &row[i].kernel);
        assert_int_equal(out.level, row[i].level);
        assert_int_equal(out.mc, row[i].mc);
        assert_int_equal(out.bound, row[i].bound);
        assert_false(out.fault);
    }
    const wr_oracle_me_kernel huge = {.warps = 8, .regs = 2049, .reduced = 9};
    const wr_me_controller_out out = search(&b, &huge);
    assert_int_equal(out.mc, 0);
    assert_int_equal(out.level, OFF);
    assert_true(out.fault);
}

/* 3.6.4: the bound when underutilised, 0 when saturated, one more a window in between. */
static void test_verdicts(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &paper);

    search(&b, &bt);
    for (unsigned me = 1; me <= 8; me++) {
        assert_int_equal(verdict(&b, MODERATE, false).me, me < 6 ? me : 6);
    }
    search(&b, &bt);
    wr_me_controller_out out = verdict(&b, SATURATED, false);
    assert_int_equal(out.me, 0);
    assert_true(out.frozen);
    assert_int_equal(verdict(&b, UNDER, false).me, 0);

    /* Saturation on the way up: back to the last ME that did not saturate, and no more up. */
    search(&b, &bt);
    for (unsigned i = 0; i < 4; i++) {
        out = verdict(&b, MODERATE, false);
    }
    assert_int_equal(out.me, 4);
    assert_false(out.frozen);
    out = verdict(&b, SATURATED, false);
    assert_int_equal(out.me, 3);
    assert_true(out.frozen);
    assert_int_equal(verdict(&b, MODERATE, false).me, 3);
    assert_int_equal(verdict(&b, UNDER, false).me, 3);

    /* Still saturated: one less a window, down to none. */
    for (unsigned me = 2; me != 0; me--) {
        assert_int_equal(verdict(&b, SATURATED, false).me, me);
        assert_int_equal(verdict(&b, MODERATE, false).me, me);
    }
    assert_int_equal(verdict(&b, SATURATED, false).me, 0);
    assert_int_equal(verdict(&b, SATURATED, false).me, 0);
    assert_true(verdict(&b, UNDER, false).frozen);

    /* The L1 is bypassed only where it idles, and that is decided once. */
    search(&b, &dwt_2);
    out = verdict(&b, UNDER, false);
    assert_false(out.bypass);
    assert_int_equal(out.me, 0);
    out = verdict(&b, UNDER, true);
    assert_false(out.bypass);
    assert_int_equal(out.me, 0);
    search(&b, &dwt_2);
    out = verdict(&b, MODERATE, true);
    assert_true(out.bypass);
    assert_int_equal(out.me, 1);
    search(&b, &bt);
    assert_false(verdict(&b, UNDER, true).bypass);
}

/* Saturated again, from the bound and behind a jump: one more back each time, down to none. */
static void test_saturated_again(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &paper);

    /* the last window at the bound was not saturated */
    search(&b, &bt);
    verdict(&b, UNDER, false);
    assert_int_equal(verdict(&b, UNDER, false).me, 6);
    for (unsigned me = 6; me-- > 0;) {
        assert_int_equal(verdict(&b, SATURATED, false).me, me);
        assert_int_equal(verdict(&b, UNDER, false).me, me);
    }

    /* first to where the jump came from */
    search(&b, &bt);
    verdict(&b, MODERATE, false);
    verdict(&b, MODERATE, false);
    assert_int_equal(verdict(&b, UNDER, false).me, 6);
    assert_int_equal(verdict(&b, SATURATED, false).me, 2);
    assert_int_equal(verdict(&b, SATURATED, false).me, 1);
    assert_int_equal(verdict(&b, SATURATED, false).me, 0);

    /* the next kernel begins anew */
    search(&b, &bt);
    const wr_me_controller_out out = verdict(&b, UNDER, false);
    assert_int_equal(out.me, 6);
    assert_false(out.frozen);
}

/* D15: with ME lowered nothing is evicted, and nothing launched until there is room again. */
static void test_resident_tbs(void **state)
{
    (void)state;
    const wr_me_controller_in launch = {.launch = true};
    const wr_me_controller_in leave = {.leave = true};
    const wr_me_controller_in both = {.launch = true, .leave = true};
    const wr_me_controller_in idle = {0};
    bench b;
    wr_bench_init(&self, &b, 1, &paper);
    search(&b, &bt);
    verdict(&b, MODERATE, false);
    verdict(&b, MODERATE, false);
    for (unsigned i = 0; i < 10; i++) {
        assert_true(cycle(&b, &launch).allow);
    }
    wr_me_controller_out out = cycle(&b, &idle);
    assert_int_equal(out.tbs, 10);
    assert_false(out.allow);
    out = verdict(&b, SATURATED, false);
    assert_int_equal(out.me, 1);
    assert_int_equal(out.tbs, 10);
    cycle(&b, &leave);
    assert_false(cycle(&b, &leave).allow);
    out = cycle(&b, &both);
    assert_int_equal(out.tbs, 8);
    assert_true(out.allow);
    out = cycle(&b, &idle);
    assert_int_equal(out.tbs, 8);
    assert_false(out.fault);
}

static void random_kernel(bench *b, wr_me_controller_in *in)
{
    const wr_me_controller_cfg *c = &b->cfg;
    wr_rig *r = &b->rig;
    const unsigned warps = 1 + wr_rig_below(r, c->warps < 63 ? c->warps : 63);
    const unsigned share = 1 + wr_rig_below(r, c->tb_slots);
    in->warps = (uint8_t)(wr_rig_chance(r, 70) ? 1 + warps / 8 : warps);
    unsigned regs = wr_rig_chance(r, 60) ? c->rf_lines / share : wr_rig_below(r, c->rf_lines + 2);
    regs += wr_rig_chance(r, 20);
    in->regs = (uint16_t)regs;
    in->reduced = (uint16_t)(wr_rig_chance(r, 80) ? wr_rig_below(r, regs + 1) : regs);
    unsigned smem = wr_rig_chance(r, 50) ? 0 : c->smem_lines / (1 + wr_rig_below(r, c->tb_slots));
    if (wr_rig_chance(r, 20)) {
        smem = wr_rig_below(r, c->smem_lines + 2);
    }
    in->smem = (uint16_t)(smem & 1023);
    in->meta = (uint8_t)(wr_rig_chance(r, 70) ? 2 * in->warps & 127 : wr_rig_below(r, 128));
    if (wr_rig_chance(r, 10)) { /* the largest that the pins take */
        in->regs = (uint16_t)wr_rig_below(r, 4096);
        in->reduced = (uint16_t)wr_rig_below(r, in->regs + 1U);
        in->smem = (uint16_t)wr_rig_below(r, 1024);
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *r = &b->rig;
    for (unsigned i = 0; i < cycles; i++) {
        const wr_oracle_me_out now = wr_oracle_me_eval(&b->oracle);
        const bool idle = !b->oracle.started || now.busy;
        wr_me_controller_in in = {0};
        random_kernel(b, &in);
        in.start = wr_rig_below(r, 50) == 0 && now.tbs == 0;
        in.valid = !idle && wr_rig_below(r, 8) == 0;
        in.verdict = (uint8_t)(wr_rig_chance(r, 15) ? SATURATED : wr_rig_below(r, 5) != 0);
        in.l1_idle = wr_rig_chance(r, 70);
        in.launch = now.allow && wr_rig_chance(r, 30);
        /* Towards the end of a kernel its TBs leave. */
        in.leave = now.tbs > 0 && wr_rig_chance(r, i % 300 > 200 ? 90 : 15);
        in.launch = in.launch && i % 300 <= 200;
        if (with_faults && wr_rig_below(r, 100) == 0) {
            in.start = in.start || wr_rig_chance(r, 20);
            in.valid = in.valid || wr_rig_chance(r, 50);
            in.verdict = (uint8_t)wr_rig_below(r, 4);
            in.launch = wr_rig_chance(r, 50);
            in.leave = wr_rig_chance(r, 50);
            in.warps = wr_rig_chance(r, 50) ? 0 : in.warps;
            in.reduced = (uint16_t)wr_rig_below(r, 4096);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(r, 400) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->faults > 0);
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    uint64_t levels[3] = {0};
    uint64_t bypassed = 0;
    uint64_t raised = 0;
    for (unsigned i = 0; i < count; i++) {
        bypassed += b[i].bypassed;
        raised += b[i].raised;
        for (unsigned l = 0; l < 3; l++) {
            levels[l] += b[i].levels[l];
        }
    }
    assert_true(levels[OFF] > 20 && levels[WARP] > 20 && levels[TB] > 20);
    assert_true(bypassed > 100 && raised > 1000);
}

/* Each parameter is in its range. */
static const wr_me_controller_cfg refused[] = {
    {2048, 768, 256, 64, 63, 32, 32, 0},
    {2048, 768, 256, 64, 128, 32, 31, 0},
};

static const wr_bench self = {
    .block = &wr_me_controller_block,
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
    .covered_in_all = covered_in_all,
    .amount = {.legal = 25000, .faulty = 25000},
    .snapshot = {.before = 333, .after = 500}, /* a kernel too large for the SM is one */
    .may_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_extra_tbs_of_the_paper),
        cmocka_unit_test(test_virtual_thread),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_no_warps),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_saturated_again),
        cmocka_unit_test(test_resident_tbs),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
