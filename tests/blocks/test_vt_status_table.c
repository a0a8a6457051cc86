/* SPDX-License-Identifier: Apache-2.0 */
/* vt_status_table: the model against the oracle in every cycle, under random TBs that stall, wake,
 * swap and end, and protocol faults; and the sizes of Lin-D 3.6.8.
 */
#include "dpi/gen/vt_status_table_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/vt_status_table_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_vt_status_table_cfg cfg;
    wr_vt_status_table dut;
    wr_oracle_vt oracle;
    uint64_t swaps;
    uint64_t stalled; /* cycles in which a swap was proposed */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_vt_reset(&b->oracle, b->cfg.tbs, b->cfg.slots);
}

static const wr_vt_status_table_cfg configs[] = {
    {3, 4}, {32, 64}, {19, 37}, {1, 1}, {2, 64}, {32, 1}, {8, 8}, {31, 63},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1, ODD_CONFIG = 2 };

static void check_outputs(bench *b, const wr_vt_status_table_in *in,
                          const wr_vt_status_table_out *out)
{
    wr_vt_status_table_out want;
    wr_oracle_vt_outputs(&b->oracle, in, &want);
    wr_rig_check(&b->rig, "swap_valid", out->swap_valid, want.swap_valid);
    wr_rig_check(&b->rig, "swap_out", out->swap_out, want.swap_out);
    wr_rig_check(&b->rig, "swap_in", out->swap_in, want.swap_in);
    wr_rig_check(&b->rig, "busy", out->busy, want.busy);
    wr_rig_check(&b->rig, "look_vwi", out->look_vwi, want.look_vwi);
    wr_rig_check(&b->rig, "look_active", out->look_active, want.look_active);
    wr_rig_check(&b->rig, "look_count", out->look_count, want.look_count);
    wr_rig_check(&b->rig, "fault", out->fault, want.fault);
}

static wr_vt_status_table_out cycle(bench *b, const wr_vt_status_table_in *in)
{
    wr_vt_status_table_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, in, &out);
    b->stalled += out.swap_valid;
    b->swaps += out.swap_valid && in->take && !in->cfg;
    wr_oracle_vt_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_vt_status_table_out *)out = cycle(bench_v, in);
}

static void stall_all(bench *b, unsigned tb, unsigned warps)
{
    const wr_vt_status_table_in in = {.stall = true, .stall_tb = (uint8_t)tb};
    for (unsigned w = 0; w < warps; w++) {
        cycle(b, &in);
    }
}

/* A TB of two warps stalls whole, and the one that waits takes its place and its warp slots: TBs
 * are numbered so that virtual warps of TB t are 2 t and 2 t + 1. */
static void test_swap(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_vt_status_table_in in = {.cfg = true, .warps = 2};
    cycle(&b, &in);
    for (unsigned t = 0; t < 3; t++) { /* TBs 0 and 1 have slots, TB 2 waits */
        in = (wr_vt_status_table_in){
            .launch = true, .launch_tb = (uint8_t)t, .launch_active = t < 2};
        cycle(&b, &in);
    }
    for (unsigned slot = 0; slot < 4; slot++) {
        in = (wr_vt_status_table_in){
            .map_write = true, .map_slot = (uint8_t)slot, .map_vwi = (uint8_t)slot};
        cycle(&b, &in);
    }
    stall_all(&b, 1, 1);
    in = (wr_vt_status_table_in){0};
    assert_false(cycle(&b, &in).swap_valid); /* one of two warps */
    stall_all(&b, 1, 1);
    in = (wr_vt_status_table_in){.take = true};
    wr_vt_status_table_out out = cycle(&b, &in);
    assert_true(out.swap_valid);
    assert_int_equal(out.swap_out, 1);
    assert_int_equal(out.swap_in, 2);
    in = (wr_vt_status_table_in){.look_tb = 1};
    for (unsigned k = 0; k < 64; k++) {
        out = cycle(&b, &in);
        assert_true(out.busy);
        assert_false(out.look_active);
        assert_int_equal(out.look_count, 2);
    }
    for (unsigned slot = 0; slot < 4; slot++) {
        in.look_slot = (uint8_t)slot;
        out = cycle(&b, &in);
        assert_false(out.busy);
        assert_int_equal(out.look_vwi, slot < 2 ? slot : slot + 2);
    }
    assert_false(out.fault);
}

/* Lin-D 3.6.8: 32 TBs and 64 warp slots; 7 bits name 128 virtual warps, so four TBs of 32 warps
 * fit. */
static void test_sizes_of_the_paper(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_vt_status_table_in in = {.launch = true, .launch_tb = 3};
    cycle(&b, &in);
    in = (wr_vt_status_table_in){.map_write = true, .map_slot = 63, .map_vwi = 127};
    cycle(&b, &in);
    in = (wr_vt_status_table_in){.look_slot = 63, .look_tb = 3};
    wr_vt_status_table_out out = cycle(&b, &in);
    assert_int_equal(out.look_vwi, 127);
    assert_int_equal(out.look_count, 0);
    assert_false(out.fault);
    in = (wr_vt_status_table_in){.cfg = true, .warps = 4};
    cycle(&b, &in);
    for (unsigned t = 0; t < 32; t++) {
        in = (wr_vt_status_table_in){.launch = true, .launch_tb = (uint8_t)t};
        cycle(&b, &in);
    }
    in = (wr_vt_status_table_in){.look_tb = 31};
    out = cycle(&b, &in);
    assert_int_equal(out.look_count, 0);
    assert_false(out.fault);
    in = (wr_vt_status_table_in){.cfg = true, .warps = 32};
    cycle(&b, &in);
    in = (wr_vt_status_table_in){.launch = true, .launch_tb = 4}; /* virtual warp 159 */
    cycle(&b, &in);
    assert_true(cycle(&b, &in).fault);
}

/* One cycle from reset, and whether it is a fault. */
static void check_fault(const wr_vt_status_table_in *in, bool want)
{
    const wr_vt_status_table_in idle = {0};
    bench b;
    wr_bench_init(&self, &b, 1, &configs[ODD_CONFIG]);
    cycle(&b, in);
    assert_int_equal(cycle(&b, &idle).fault, want);
}

/* Every number that a pin can say, alone: a fault is sticky, and hides the next. */
static void test_faults(void **state)
{
    (void)state;
    const wr_vt_status_table_cfg *cfg = &configs[ODD_CONFIG];
    for (unsigned n = 0; n < 64; n++) {
        const uint8_t pin = (uint8_t)n;
        check_fault(&(wr_vt_status_table_in){.cfg = true, .warps = pin}, n == 0 || n > 32);
        check_fault(&(wr_vt_status_table_in){.map_write = true, .map_slot = pin}, n >= cfg->slots);
    }
    for (unsigned n = 0; n < 32; n++) {
        const uint8_t pin = (uint8_t)n;
        const bool launches = n < cfg->tbs && (n + 1) * 32 <= 128;
        check_fault(&(wr_vt_status_table_in){.launch = true, .launch_tb = pin}, !launches);
        check_fault(&(wr_vt_status_table_in){.finish = true, .finish_tb = pin}, true);
        check_fault(&(wr_vt_status_table_in){.stall = true, .stall_tb = pin}, true);
        check_fault(&(wr_vt_status_table_in){.wake = true, .wake_tb = pin}, true);
    }
}

/* A TB in a state, chosen from the oracle's table; any where there is none. */
static unsigned pick_tb(bench *b, wr_oracle_vt_where where)
{
    const unsigned from = wr_rig_below(&b->rig, b->cfg.tbs);
    for (unsigned i = 0; i < b->cfg.tbs; i++) {
        const unsigned t = (from + i) % b->cfg.tbs;
        if (b->oracle.tb[t].where == where) {
            return t;
        }
    }
    return from;
}

static void random_events(bench *b, wr_vt_status_table_in *in)
{
    const wr_oracle_vt *o = &b->oracle;
    const unsigned launch = pick_tb(b, WR_ORACLE_VT_FREE);
    const unsigned finish = pick_tb(b, WR_ORACLE_VT_ACTIVE);
    const unsigned stall = pick_tb(b, WR_ORACLE_VT_ACTIVE);
    const unsigned wake =
        pick_tb(b, wr_rig_chance(&b->rig, 50) ? WR_ORACLE_VT_INACTIVE : WR_ORACLE_VT_ACTIVE);
    wr_vt_status_table_out out;
    wr_oracle_vt_outputs(o, in, &out);

    in->launch_tb = (uint8_t)launch;
    in->launch_active = wr_rig_chance(&b->rig, 50);
    in->launch = o->tb[launch].where == WR_ORACLE_VT_FREE && (launch + 1) * o->n <= 128 &&
                 wr_rig_chance(&b->rig, 20);
    in->take = out.swap_valid && wr_rig_takes(&b->rig);
    in->stall_tb = (uint8_t)stall;
    in->stall = o->tb[stall].where == WR_ORACLE_VT_ACTIVE && o->tb[stall].waiting < o->n &&
                wr_rig_chance(&b->rig, 80) && !(in->take && stall == out.swap_out);
    in->wake_tb = (uint8_t)wake;
    in->wake = o->tb[wake].where != WR_ORACLE_VT_FREE && o->tb[wake].waiting > 0 &&
               wr_rig_chance(&b->rig, 30) && !in->take;
    in->finish_tb = (uint8_t)finish;
    in->finish =
        o->tb[finish].where == WR_ORACLE_VT_ACTIVE && !in->take && wr_rig_chance(&b->rig, 5);
    in->cfg = wr_rig_below(&b->rig, 600) == 0;
}

static void spoil(bench *b, wr_vt_status_table_in *in)
{
    switch (wr_rig_below(&b->rig, 9)) {
    case 0:
        in->launch = true;
        in->launch_tb = (uint8_t)wr_rig_below(&b->rig, 32);
        break;
    case 1:
        in->finish = true;
        in->finish_tb = (uint8_t)wr_rig_below(&b->rig, 32);
        break;
    case 2:
        in->stall = true;
        in->stall_tb = (uint8_t)wr_rig_below(&b->rig, 32);
        break;
    case 3:
        in->wake = true;
        in->wake_tb = (uint8_t)wr_rig_below(&b->rig, 32);
        break;
    case 4:
        in->take = true;
        break;
    case 5:
        in->take = true;
        in->out_bar = (uint8_t)wr_rig_below(&b->rig, 64);
        in->in_bar = (uint8_t)wr_rig_below(&b->rig, 64);
        break;
    case 6:
        in->map_write = true;
        in->map_slot = (uint8_t)wr_rig_below(&b->rig, 64);
        break;
    case 7:
        in->stall = true;
        in->wake = true;
        in->wake_tb = in->stall_tb = (uint8_t)wr_rig_below(&b->rig, 32);
        break;
    default:
        in->cfg = wr_rig_chance(&b->rig, 20);
        in->warps = (uint8_t)wr_rig_below(&b->rig, 64);
        break;
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const unsigned w = 1 + wr_rig_below(&b->rig, wr_rig_chance(&b->rig, 70) ? 3 : 32);
        wr_vt_status_table_in in = {
            .warps = (uint8_t)w,
            .out_bar = (uint8_t)wr_rig_below(&b->rig, b->oracle.n + 1),
            .in_bar = (uint8_t)wr_rig_below(&b->rig, b->oracle.n + 1),
            .map_write = wr_rig_chance(&b->rig, 10),
            .map_slot = (uint8_t)wr_rig_below(&b->rig, b->cfg.slots),
            .map_vwi = (uint8_t)wr_rig_below(&b->rig, 128),
            .look_slot = (uint8_t)wr_rig_below(&b->rig, 64),
            .look_tb = (uint8_t)wr_rig_below(&b->rig, 32),
        };
        random_events(b, &in);
        if (with_faults && wr_rig_chance(&b->rig, 5)) {
            spoil(b, &in);
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
    assert_true(b->cfg.tbs == 1 || b->swaps > 20);
    assert_true(b->swaps + b->stalled + b->rig.cycle > 0);
}

/* Every entry is free; 32 warps a TB. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    const wr_vt_status_table_cfg *cfg = cfg_v;
    if (strcmp(name, "count_q") == 0) {
        return element < cfg->tbs ? 63 : 0; /* free */
    }
    return strcmp(name, "warps_q") == 0 ? 32 : 0;
}

static const wr_bench self = {
    .block = &wr_vt_status_table_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 15000, .faulty = 25000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_sizes_of_the_paper),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
