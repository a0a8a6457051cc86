/* SPDX-License-Identifier: Apache-2.0 */
/* drf_partitioner: the model against the oracle in every cycle, under random kernels, starts and
 * protocol faults; and the partition of SMK Fig. 8 under both tie rules.
 */
#include "dpi/gen/drf_partitioner_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/drf_partitioner_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_drf_partitioner_cfg cfg;
    wr_drf_partitioner dut;
    wr_oracle_drf oracle;
    uint64_t grants;
    uint64_t drops;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_drf_partitioner_cfg *cfg = &b->cfg;
    const uint64_t limit[] = {cfg->reg_limit, cfg->thread_limit, cfg->smem_limit, cfg->tb_limit};
    wr_oracle_drf_reset(&b->oracle, cfg->kernels, limit, cfg->tie_rule == 1);
}

static const wr_drf_partitioner_cfg configs[] = {
    {2, 100, 60, 100, 32, 0},    {4, 2048, 2048, 768, 32, 0},  {3, 300, 180, 700, 27, 1},
    {1, 1, 1, 1, 1, 0},          {8, 4096, 4096, 4096, 64, 0}, {8, 4096, 4095, 1, 64, 1},
    {5, 100, 100, 100, 7, 0},    {2, 100, 60, 100, 32, 1},     {4, 2048, 2048, 768, 32, 1},
    {7, 1021, 997, 4091, 61, 0}, {6, 16, 16, 16, 16, 0},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void check_outputs(bench *b, unsigned read, const wr_drf_partitioner_out *out)
{
    const wr_oracle_drf *o = &b->oracle;
    const wr_oracle_drf_event *pick = wr_oracle_drf_pick(o);
    const bool shown = wr_oracle_drf_done(o) && read < o->kernels;
    wr_rig_check(&b->rig, "busy", out->busy, wr_oracle_drf_busy(o));
    wr_rig_check(&b->rig, "grant", out->grant, pick != NULL && pick->grant);
    wr_rig_check(&b->rig, "drop", out->drop, pick != NULL && !pick->grant);
    wr_rig_check(&b->rig, "pick", out->pick, pick != NULL ? pick->kernel : 0);
    wr_rig_check(&b->rig, "done", out->done, wr_oracle_drf_done(o));
    wr_rig_check(&b->rig, "tbs", out->tbs, shown ? o->tbs[read] : 0);
    wr_rig_check(&b->rig, "reg_start", out->reg_start, shown ? o->start[read][0] : 0);
    wr_rig_check(&b->rig, "reg_end", out->reg_end, shown ? o->end[read][0] : 0);
    wr_rig_check(&b->rig, "thread_start", out->thread_start, shown ? o->start[read][1] : 0);
    wr_rig_check(&b->rig, "thread_end", out->thread_end, shown ? o->end[read][1] : 0);
    wr_rig_check(&b->rig, "smem_start", out->smem_start, shown ? o->start[read][2] : 0);
    wr_rig_check(&b->rig, "smem_end", out->smem_end, shown ? o->end[read][2] : 0);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
}

static wr_drf_partitioner_out cycle(bench *b, const wr_drf_partitioner_in *in)
{
    wr_drf_partitioner_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, in->read, &out);
    b->grants += out.grant;
    b->drops += out.drop;
    const wr_oracle_drf_step step = {.load = in->load,
                                     .kernel = in->kernel,
                                     .need = {in->regs, in->threads, in->smem},
                                     .start = in->start,
                                     .mask = in->mask};
    wr_oracle_drf_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_drf_partitioner_out *)out = cycle(bench_v, in);
}

static void load(bench *b, unsigned kernel, unsigned regs, unsigned threads, unsigned smem)
{
    const wr_drf_partitioner_in in = {.load = true,
                                      .kernel = (uint8_t)kernel,
                                      .regs = (uint16_t)regs,
                                      .threads = (uint16_t)threads,
                                      .smem = (uint16_t)smem};
    cycle(b, &in);
}

/* Starts, and returns the cycles until done; the first picks go to order. */
static unsigned part(bench *b, unsigned mask, unsigned *order, unsigned orders)
{
    wr_drf_partitioner_in in = {.start = true, .mask = (uint8_t)mask};
    cycle(b, &in);
    in.start = false;
    for (unsigned n = 1;; n++) {
        const wr_drf_partitioner_out out = cycle(b, &in);
        if (n <= orders) {
            assert_true(out.grant);
            order[n - 1] = out.pick;
        }
        if (out.done) {
            return n;
        }
    }
}

static wr_drf_partitioner_out show(bench *b, unsigned kernel)
{
    const wr_drf_partitioner_in in = {.read = (uint8_t)kernel};
    return cycle(b, &in);
}

/* SMK Fig. 8: a TB of K1 takes 10 % of the registers, no shared memory and 6.66 % (1/15) of the
 * threads, one of K2 takes 3, 6 and 5 %. K1 is dealt first, then K2 twice, then K1; at the end all
 * threads are taken. The figure has 6 and 12 TBs; with ties to the lowest index it is 7 and 10. */
static void check_figure_8(unsigned tie_rule, unsigned first, unsigned second)
{
    const wr_drf_partitioner_cfg cfg = {2, 100, 60, 100, 32, tie_rule};
    unsigned order[4] = {9, 9, 9, 9}; /* no kernel, should it be done sooner */
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    load(&b, 0, 10, 4, 0);
    load(&b, 1, 3, 3, 6);
    const unsigned cycles = part(&b, 3, order, 4);
    assert_int_equal(order[0], 0);
    assert_int_equal(order[1], 1);
    assert_int_equal(order[2], 1);
    assert_int_equal(order[3], 0);
    assert_int_equal(cycles, first + second + 2 + 1 + 2 + 1);
    const wr_drf_partitioner_out k1 = show(&b, 0);
    const wr_drf_partitioner_out k2 = show(&b, 1);
    assert_int_equal(k1.tbs, first);
    assert_int_equal(k2.tbs, second);
    assert_int_equal(k1.reg_start, 0);
    assert_int_equal(k1.reg_end, 10 * first);
    assert_int_equal(k2.reg_start, 10 * first);
    assert_int_equal(k2.reg_end, 10 * first + 3 * second);
    assert_int_equal(k2.thread_end, 4 * first + 3 * second);
    assert_int_equal(k2.smem_start, 0);
    assert_int_equal(k2.smem_end, 6 * second);
    assert_false(k2.fault);
}

static void test_figure_8(void **state)
{
    (void)state;
    check_figure_8(0, 6, 12);
    check_figure_8(1, 7, 10);
}

static void test_faults(void **state)
{
    (void)state;
    const wr_drf_partitioner_cfg *cfg = &configs[0];
    bench b;
    wr_bench_init(&self, &b, 1, cfg);
    load(&b, 0, cfg->reg_limit, cfg->thread_limit, cfg->smem_limit);
    assert_false(show(&b, 0).fault);
    load(&b, 0, cfg->reg_limit + 1, 1, 1); /* taken as the limit */
    assert_true(show(&b, 0).fault);
    part(&b, 1, NULL, 0);
    assert_int_equal(show(&b, 0).tbs, 1);
    assert_int_equal(show(&b, 0).reg_end, cfg->reg_limit);

    for (unsigned k = 0; k < 8; k++) {
        wr_bench_init(&self, &b, 1, cfg);
        load(&b, k, 1, 1, 1);
        assert_int_equal(show(&b, 0).fault, k >= cfg->kernels);
    }

    wr_bench_init(&self, &b, 1, cfg);
    part(&b, 0, NULL, 0); /* nobody takes part: no fault */
    assert_false(show(&b, 0).fault);
    const wr_drf_partitioner_in again = {.start = true, .mask = 1};
    cycle(&b, &again);
    cycle(&b, &again);
    assert_true(show(&b, 0).fault);
}

static void random_demand(bench *b, wr_drf_partitioner_in *in)
{
    const unsigned limit[3] = {b->cfg.reg_limit, b->cfg.thread_limit, b->cfg.smem_limit};
    uint16_t *need[3] = {&in->regs, &in->threads, &in->smem};
    const unsigned shift = wr_rig_below(&b->rig, 7);
    for (unsigned r = 0; r < 3; r++) {
        *need[r] = (uint16_t)wr_rig_below(&b->rig, (limit[r] >> shift) + 1);
        if (wr_rig_chance(&b->rig, 20)) { /* shares that tie */
            *need[r] = (uint16_t)(limit[r] >> (1 + wr_rig_below(&b->rig, 5)));
        }
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const bool busy = wr_oracle_drf_busy(&b->oracle);
        const bool free = !busy || (with_faults && wr_rig_chance(&b->rig, 1));
        wr_drf_partitioner_in in = {
            .load = free && wr_rig_offers(&b->rig),
            .kernel = (uint8_t)wr_rig_below(&b->rig, b->cfg.kernels),
            .start = free && wr_rig_chance(&b->rig, 10),
            .mask = (uint8_t)wr_rig_random(&b->rig),
            .read = (uint8_t)wr_rig_below(&b->rig, 8),
        };
        random_demand(b, &in);
        if (with_faults && wr_rig_chance(&b->rig, 2)) {
            in.kernel = (uint8_t)wr_rig_below(&b->rig, 8);
            in.threads = (uint16_t)wr_rig_below(&b->rig, 8192);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_chance(&b->rig, 1)) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->grants + b->drops > 0);
}

static const wr_bench self = {
    .block = &wr_drf_partitioner_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 20000, .faulty = 20000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_figure_8),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
