/* SPDX-License-Identifier: Apache-2.0 */
/* switch_queues: the model against the oracle in every cycle on every output, under random pushes,
 * pops, clears and protocol faults, and the sizes of Lin-D Table 3.4 as exact values.
 */
#include "dpi/gen/switch_queues_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/switch_queues_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_switch_queues_cfg cfg;
    wr_switch_queues dut;
    wr_oracle_queues oracle;
    uint64_t pushes;
    uint64_t held_back;
    uint64_t pops;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_queues_reset(&b->oracle, b->cfg.warp_depth, b->cfg.tb_depth);
}

static const wr_switch_queues_cfg configs[] = {
    {.warp_depth = 3, .tb_depth = 2},   {.warp_depth = 16, .tb_depth = 8},
    {.warp_depth = 11, .tb_depth = 5},  {.warp_depth = 1, .tb_depth = 1},
    {.warp_depth = 64, .tb_depth = 64}, {.warp_depth = 2, .tb_depth = 33},
    {.warp_depth = 63, .tb_depth = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_switch_queues_out *out)
{
    const wr_oracle_queue *q = b->oracle.queue;
    for (unsigned n = 0; n < 2; n++) {
        const wr_oracle_queue *warps = &q[WR_ORACLE_STALLED_WARPS + n];
        const wr_oracle_queue *tbs = &q[WR_ORACLE_STALLED_TBS + n];
        wr_rig_check(&b->rig, "warp_space", out->warp_space[n], wr_oracle_queue_space(warps));
        wr_rig_check(&b->rig, "warp_valid", out->warp_valid[n], wr_oracle_queue_valid(warps));
        wr_rig_check(&b->rig, "warp_head", out->warp_head[n], wr_oracle_queue_head(warps));
        wr_rig_check(&b->rig, "tb_space", out->tb_space[n], wr_oracle_queue_space(tbs));
        wr_rig_check(&b->rig, "tb_valid", out->tb_valid[n], wr_oracle_queue_valid(tbs));
        wr_rig_check(&b->rig, "tb_head", out->tb_head[n], wr_oracle_queue_head(tbs));
    }
    wr_rig_check(&b->rig, "fault", out->fault, b->oracle.fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_switch_queues_out cycle(bench *b, const wr_switch_queues_in *in)
{
    wr_switch_queues_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    wr_oracle_queues_in step = {.clear = in->clear};
    for (unsigned n = 0; n < 2; n++) {
        const unsigned w = WR_ORACLE_STALLED_WARPS + n;
        const unsigned t = WR_ORACLE_STALLED_TBS + n;
        step.push[w] = in->warp_push[n];
        step.id[w] = in->warp_push_id[n];
        step.pop[w] = in->warp_pop[n];
        step.push[t] = in->tb_push[n];
        step.id[t] = in->tb_push_id[n];
        step.pop[t] = in->tb_pop[n];
    }
    for (unsigned n = 0; n < WR_ORACLE_QUEUES; n++) {
        const wr_oracle_queue *q = &b->oracle.queue[n];
        b->pushes += step.push[n] && wr_oracle_queue_space(q);
        b->held_back += step.push[n] && !wr_oracle_queue_space(q);
        b->pops += step.pop[n] && wr_oracle_queue_valid(q);
    }
    wr_oracle_queues_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_switch_queues_out *)out = cycle(bench_v, in);
}

/* Table 3.4: 16 warps of 7 bits and 8 TBs of 5 bits in each of the two queues of a kind, filled
 * with the largest ids, in order, and the one too many is held back, not dropped. */
static void test_sizes(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_switch_queues_out out;
    wr_switch_queues_in in = {.warp_push = {true, true}, .tb_push = {true, true}};
    for (unsigned n = 0; n < 17; n++) {
        in.warp_push_id[0] = (uint8_t)(127 - n);
        in.warp_push_id[1] = (uint8_t)(64 + n);
        in.tb_push_id[0] = (uint8_t)(31 - n % 32);
        in.tb_push_id[1] = (uint8_t)(16 + n % 16);
        out = cycle(&b, &in);
        assert_int_equal(out.warp_space[0], n < 16);
        assert_int_equal(out.warp_space[1], n < 16);
        assert_int_equal(out.tb_space[0], n < 8);
        assert_int_equal(out.tb_space[1], n < 8);
    }
    in = (wr_switch_queues_in){.warp_push = {true}, .warp_push_id = {127 - 16}, .warp_pop = {true}};
    out = cycle(&b, &in); /* a pop in the same cycle does not help */
    assert_false(out.warp_space[0]);
    assert_int_equal(out.warp_head[0], 127);
    in.warp_pop[0] = false;
    out = cycle(&b, &in); /* tried again, now taken */
    assert_true(out.warp_space[0]);
    in = (wr_switch_queues_in){.warp_pop = {true, true}};
    for (unsigned n = 0; n < 16; n++) {
        in.tb_pop[0] = in.tb_pop[1] = n < 8;
        out = cycle(&b, &in);
        assert_int_equal(out.warp_head[0], 126 - n);
        assert_int_equal(out.warp_head[1], 64 + n);
        assert_int_equal(out.tb_head[0], n < 8 ? 31 - n : 0);
        assert_int_equal(out.tb_head[1], n < 8 ? 16 + n : 0);
    }
    in = (wr_switch_queues_in){0};
    out = cycle(&b, &in);
    assert_false(out.warp_valid[0] || out.warp_valid[1] || out.tb_valid[0] || out.tb_valid[1]);
    assert_false(out.fault);
}

/* A pop of an empty queue is a fault, each queue for itself; with clear, or with a push, see below.
 */
static void test_faults(void **state)
{
    (void)state;
    const wr_switch_queues_in idle = {0};
    for (unsigned n = 0; n < WR_ORACLE_QUEUES; n++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        wr_switch_queues_in pop = {0};
        if (n < 2) {
            pop.warp_pop[n] = true;
        } else {
            pop.tb_pop[n - 2] = true;
        }
        pop.clear = true; /* does nothing then, and is no fault */
        assert_false(cycle(&b, &pop).fault);
        assert_false(cycle(&b, &idle).fault);
        pop.clear = false;
        pop.warp_push[0] = pop.warp_push[1] =
            true; /* what comes in this cycle cannot leave in it */
        pop.tb_push[0] = pop.tb_push[1] = true;
        assert_false(cycle(&b, &pop).fault);
        const wr_switch_queues_out out = cycle(&b, &idle);
        assert_true(out.fault);
        assert_true(out.warp_valid[0] && out.warp_valid[1] && out.tb_valid[0] && out.tb_valid[1]);
        pop = (wr_switch_queues_in){.clear = true};
        cycle(&b, &pop);
        assert_true(cycle(&b, &idle).fault);
        assert_false(cycle(&b, &idle).warp_valid[0]);
        wr_bench_reset(&self, &b);
        assert_false(cycle(&b, &idle).fault);
    }
}

/* Clear drops what is pushed with it. */
static void test_clear(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_switch_queues_in in = {.warp_push = {true, true}, .tb_push = {true, true}};
    for (unsigned n = 0; n < 5; n++) {
        cycle(&b, &in);
    }
    in.clear = true;
    in.warp_pop[0] = true;
    assert_true(cycle(&b, &in).warp_valid[0]);
    in = (wr_switch_queues_in){0};
    const wr_switch_queues_out out = cycle(&b, &in);
    assert_false(out.warp_valid[0] || out.warp_valid[1] || out.tb_valid[0] || out.tb_valid[1]);
    assert_false(out.fault);
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *rig = &b->rig;
    for (unsigned c = 0; c < cycles; c++) {
        wr_switch_queues_in in = {.clear = wr_rig_below(rig, 200) == 0};
        for (unsigned n = 0; n < 2; n++) {
            const wr_oracle_queue *warps = &b->oracle.queue[WR_ORACLE_STALLED_WARPS + n];
            const wr_oracle_queue *tbs = &b->oracle.queue[WR_ORACLE_STALLED_TBS + n];
            const bool blind = with_faults && wr_rig_chance(rig, 5);
            in.warp_push[n] = wr_rig_offers(rig);
            in.warp_push_id[n] = (uint8_t)wr_rig_below(rig, 128);
            in.warp_pop[n] = wr_rig_takes(rig) && (blind || wr_oracle_queue_valid(warps));
            in.tb_push[n] = wr_rig_offers(rig);
            in.tb_push_id[n] = (uint8_t)wr_rig_below(rig, 32);
            in.tb_pop[n] = wr_rig_takes(rig) && (blind || wr_oracle_queue_valid(tbs));
        }
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->pushes > 1000 && b->pops > 1000 && b->held_back > 100);
}

static const wr_bench self = {
    .block = &wr_switch_queues_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, pushes)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 8000, .faulty = 1000, .rounds = 8},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_clear),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
