/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped configurations against what their papers say of the whole machine: latencies from
 * the SM and back through an idle machine, peak bandwidths, and what a table gives as one number.
 */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/ptx/diag.h"

static kit_kernel kk;

static wr_gpu_config named(const char *name)
{
    wr_gpu_config cfg;
    wr_diag diag = {0};
    if (!wr_config_load(name, &cfg, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    assert_string_equal(cfg.name, name);
    return cfg;
}

/* Cycles of a pointer chase of one thread past the L1's tags; `warm`: the lines are in the L2. */
static uint64_t chase(const wr_gpu_config *cfg, uint32_t hops, uint32_t stride, bool warm)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    uint64_t base = wr_gpu_alloc(gpu, (uint64_t)(hops + 1) * stride, 4096);
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t to = (uint32_t)base + (i + 1) * stride;
        assert_true(wr_gpu_write(gpu, base + (uint64_t)i * stride, &to, 4));
    }
    kit_begin(&kk, "chase", 4);
    kit_add(&kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 0, RZ, RZ, RZ), 0, (uint32_t)base));
    for (uint32_t i = 0; i < hops; i++) {
        wr_insn load = kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 0, 0, 0);
        load.is_volatile = true;
        kit_add(&kk, load);
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, 1, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    if (warm) {
        cycles = kit_run(gpu, &l);
    }
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

/* Core cycles of one load, a tenth of them a step. */
static uint64_t latency(const char *name, uint32_t stride, bool warm)
{
    wr_gpu_config cfg = named(name);
    uint64_t cycles = chase(&cfg, 60, stride, warm) - chase(&cfg, 20, stride, warm);
    print_message("%s: %s %.1f cycles\n", name, warm ? "L2" : "DRAM", (double)cycles / 40);
    return cycles * 10 / 40;
}

static void test_latencies_of_lin_d(void **state)
{
    (void)state;
    /* Lin-D Tables 3.1 and 4.1; each load of the second kind opens a row of its own */
    const struct {
        const char *name;
        uint64_t l2, dram;
    } rows[] = {{"maxwell", 200, 450}, {"ccbp", 200, 380}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t l2 = latency(rows[i].name, 512, true);
        uint64_t dram = latency(rows[i].name, 1u << 20, false);
        assert_in_range(l2, rows[i].l2 * 10 - 20, rows[i].l2 * 10 + 20);
        assert_in_range(dram, rows[i].dram * 98 / 10, rows[i].dram * 102 / 10);
    }
}

static void test_peak_bandwidths(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double gbs; /* 10^9 bytes a second, of the paper or the card */
    } rows[] = {{"gtx480", 177.4}, {"maxwell", 307}, {"ccbp", 319},
                {"gtx980", 224},   {"k20x", 249.6},  {"hd7970", 264}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config c = named(rows[i].name);
        double peak = (double)c.dram.channels * c.dram.burst_bytes / c.dram.burst_clocks *
                      c.clock.dram_mhz / 1000;
        if (peak < rows[i].gbs * .998 || peak > rows[i].gbs * 1.002) {
            fail_msg("%s: %f GB/s, not %f", rows[i].name, peak, rows[i].gbs);
        }
    }
    /* Lin-D: 614 GB/s at the ports of a crossbar */
    wr_gpu_config c = named("maxwell");
    assert_in_range(c.l2.banks * c.noc.flit_bytes * c.clock.noc_mhz, 614000, 615000);
}

/* Of all units of a kind in an SM. */
static uint32_t lanes(const wr_gpu_config *c, const wr_unit_config *u)
{
    return u->count * u->lanes * (u->owner == WR_UNITS_PRIVATE ? c->sm.schedulers : 1);
}

static void test_tables(void **state)
{
    (void)state;
    const struct {
        const char *name;
        uint32_t sms, mhz, warps, tbs, registers, shared_kb, schedulers;
        wr_sched_policy policy;
        uint32_t l1_kb, l1_sets, l2_kb, l2_ways;
    } rows[] = {
        {"maxwell", 16, 1000, 64, 32, 65536, 96, 4, WR_SCHED_GTO, 32, 32, 2048, 8},
        {"ccbp", 16, 1800, 64, 32, 65536, 96, 4, WR_SCHED_LRR, 24, 24, 2048, 8},
        {"gtx980", 16, 1216, 64, 32, 65536, 96, 4, WR_SCHED_GTO, 24, 24, 2048, 8},
        {"k20x", 14, 732, 64, 16, 65536, 16, 4, WR_SCHED_LRR, 16, 32, 1536, 16},
        {"hd7970", 32, 1000, 40, 16, 65536, 64, 4, WR_SCHED_GTO, 16, 64, 768, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config c = named(rows[i].name);
        assert_int_equal(c.sms, rows[i].sms);
        assert_int_equal(c.clock.core_mhz, rows[i].mhz);
        assert_int_equal(c.sm.max_warps, rows[i].warps);
        assert_int_equal(c.sm.max_tbs, rows[i].tbs);
        assert_int_equal(c.sm.registers, rows[i].registers);
        assert_int_equal(c.sm.shared_bytes, rows[i].shared_kb * 1024);
        assert_int_equal(c.sm.schedulers, rows[i].schedulers);
        assert_int_equal(c.sm.policy, rows[i].policy);
        assert_int_equal(c.l1.bytes, rows[i].l1_kb * 1024);
        assert_int_equal(c.l1.bytes / c.l1.line_bytes / c.l1.ways, rows[i].l1_sets);
        assert_int_equal(c.l2.bytes, rows[i].l2_kb * 1024);
        assert_int_equal(c.l2.ways, rows[i].l2_ways);
    }
    /* Gong Table 4.1: 6 SPUs, 2 DPUs, one IMU and one SFU an SM, of 32 lanes each */
    wr_gpu_config k = named("k20x");
    const uint32_t lanes_of[][2] = {
        {lanes(&k, &k.units.sp) + lanes(&k, &k.units.sp2), 6},
        {lanes(&k, &k.units.dp), 2},
        {lanes(&k, &k.units.imu), 1},
        {lanes(&k, &k.units.sfu), 1},
    };
    for (size_t i = 0; i < sizeof lanes_of / sizeof lanes_of[0]; i++) {
        assert_int_equal(lanes_of[i][0], 32 * lanes_of[i][1]);
    }
    /* Gong Table 5.2: 4 SIMT units of 16 lanes, 64 sets of 4 lines of 64 B */
    wr_gpu_config h = named("hd7970");
    assert_int_equal(h.units.sp.count * h.sm.schedulers, 4);
    assert_int_equal(h.units.sp.lanes, 16);
    assert_int_equal(h.l1.line_bytes, 64);
    assert_int_equal(h.l2.bytes / h.l2.banks / h.l2.line_bytes / h.l2.ways, 128);
}

/* What does not fit an SM is refused before its first cycle, with the numbers. */
static void test_refusals(void **state)
{
    (void)state;
    const struct {
        const char *config;
        uint32_t threads, regs, shared;
        const char *part;
    } rows[] = {
        {"k20x", 32, 8, 16388, "16388 B shared) does not fit an SM of k20x"},
        {"gtx480", 32, 8, 49156, "49156 B shared) does not fit an SM of gtx480"},
        {"gtx480", 1024, 63, 0, "64 registers per thread, 0 B shared) does not fit"},
        {"hd7970", 1312, 8, 0, "1312 threads, an SM has room for 1280"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config cfg = named(rows[i].config);
        wr_gpu *gpu = wr_gpu_create(&cfg);
        kit_begin(&kk, "large", rows[i].regs);
        kk.k.shared_bytes = rows[i].shared;
        kit_add(&kk, kit_plain(WR_OP_EXIT));
        kit_build(&kk);
        wr_launch l = kit_launch(&kk, 1, rows[i].threads, NULL);
        wr_run_result r = wr_gpu_run(gpu, &l, 1000, NULL, NULL);
        assert_int_equal(r.status, WR_RUN_REFUSED);
        if (strstr(r.message, rows[i].part) == NULL) {
            fail_msg("%s", r.message);
        }
        assert_int_equal(wr_gpu_cycle(gpu), 0);
        wr_gpu_free(gpu);
    }
}

/* L1s of the sizes that cards can be set to. */
static void test_l1_sizes(void **state)
{
    (void)state;
    const uint32_t kb[] = {16, 24, 32, 48};
    for (size_t i = 0; i < sizeof kb / sizeof kb[0]; i++) {
        wr_gpu_config cfg = kit_config();
        wr_diag diag = {0};
        cfg.l1.bytes = kb[i] * 1024;
        cfg.l1.ways = 8;
        cfg.l1.index = WR_SET_LINEAR;
        assert_true(wr_config_check(&cfg, &diag));
        /* a second pass over as many lines as there are hits them all, over more it does not */
        for (uint32_t over = 0; over < 2; over++) {
            uint32_t lines = cfg.l1.bytes / 128 + over * 8;
            wr_gpu *gpu = wr_gpu_create(&cfg);
            uint64_t base = wr_gpu_alloc(gpu, (uint64_t)lines * 128, 128);
            uint32_t params[2] = {(uint32_t)base, (uint32_t)base + lines * 128};
            kit_begin(&kk, "walk", 6);
            kk.k.param_bytes = sizeof params;
            for (unsigned pass = 0; pass < 2; pass++) {
                kit_add(&kk, kit_param(kit_op(WR_OP_MOV, WR_B32, 0, RZ, RZ, RZ), 0, 0));
                kit_add(&kk, kit_param(kit_op(WR_OP_MOV, WR_B32, 1, RZ, RZ, RZ), 0, 4));
                size_t top = kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 2, 0, 0));
                kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 3, 2, 2, RZ)); /* waits for the load */
                kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 0, 0, RZ, RZ), 1, 128));
                kit_add(&kk, kit_setp(WR_CMP_LT, WR_U32, 0, 0, 1));
                kit_add(&kk, kit_guard(kit_bra(top, kk.count + 1), 0, false));
            }
            kit_add(&kk, kit_plain(WR_OP_EXIT));
            kit_build(&kk);
            wr_launch l = kit_launch(&kk, 1, 1, (const uint8_t *)params);
            kit_run(gpu, &l);
            assert_int_equal(kit_stat(gpu, "l1.hits") + kit_stat(gpu, "l1.misses"), 2 * lines);
            if (over == 0) {
                assert_int_equal(kit_stat(gpu, "l1.hits"), lines);
            } else { /* LRU: a set of nine lines in a ring of eight ways misses them all */
                assert_int_equal(kit_stat(gpu, "l1.hits"), lines - 8 * 9);
            }
            kit_check_conservation(gpu);
            wr_gpu_free(gpu);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latencies_of_lin_d),
        cmocka_unit_test(test_peak_bandwidths),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_l1_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
