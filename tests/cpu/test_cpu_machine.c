/* SPDX-License-Identifier: Apache-2.0 */
/* CPU cores on the mesh, with and without the GPU at work: nothing is lost, skipped cycles change
 * nothing, misses stay those of Table III, and each side feels the other. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/config/placement.h"
#include "shell/core/counters.h"
#include "shell/ptx/diag.h"

static wr_gpu_config kayiran(const char *set)
{
    wr_gpu_config c;
    wr_diag diag = {0};
    if (!wr_config_load("kayiran", &c, &diag) || (set != NULL && !wr_config_set(&c, set, &diag)) ||
        !wr_config_check(&c, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    return c;
}

static void set(wr_gpu_config *c, const char *assignment)
{
    wr_diag diag = {0};
    if (!wr_config_set(c, assignment, &diag) || !wr_config_check(c, &diag)) {
        fail_msg("%s: %s", assignment, diag.message);
    }
}

static const char mix[] = "soplex*2,mcf*2,omnetpp,milc,lbn,libquantum,swim,hmmer,bzip2,gcc*3";

/* Banks that have been asked, a bit each. */
static uint64_t asked(const wr_memsys *ms, uint64_t now)
{
    uint64_t banks = 0;
    for (uint32_t i = 0; i < 8; i++) {
        banks |= (uint64_t)(wr_memsys_bank(ms, i, now).accesses != 0) << i;
    }
    return banks;
}

/* Of CPU cores, or of the GPU. */
static uint64_t banks_of(const wr_gpu_config *cfg, bool cpu)
{
    const uint32_t own = cfg->dram.cpu_channels;
    const uint64_t last = own != 0 ? 0xffU << (8 - own) & 0xffU : 0;
    return own == 0 ? 0xff : cpu ? last : 0xff & ~last;
}

/* CPU cores alone for so many cycles of the GPU; the sums of their counters. */
static void alone(const wr_gpu_config *cfg, uint64_t cycles, bool skip, wr_cpu_stats out[64])
{
    wr_memsys *ms = wr_memsys_create(cfg);
    wr_cpus *cpus = wr_cpus_create(cfg, ms);
    char error[200] = "";
    assert_true(ms != NULL && cpus != NULL);
    assert_int_equal(wr_cpus_next(cpus, 7), WR_NEVER); /* all idle */
    if (!wr_cpus_start(cpus, 0, mix, error, sizeof error)) {
        fail_msg("%s", error);
    }
    uint64_t simulated = 0;
    for (uint64_t now = 0; now < cycles;) {
        if (!skip) {
            wr_memsys_wake(ms);
        }
        wr_memsys_tick(ms, now);
        wr_cpus_tick(cpus, now);
        simulated++;
        assert_int_equal(wr_cpus_in_flight(cpus), wr_memsys_in_flight(ms));
        uint64_t memory = wr_memsys_next(ms), core = wr_cpus_next(cpus, now);
        uint64_t next = memory < core ? memory : core;
        assert_true(next > now);
        now = skip ? next : now + 1;
    }
    assert_true(simulated == cycles || skip);
    wr_cpus_settle(cpus, cycles - 1);
    wr_memsys_stats t = wr_memsys_totals(ms, cycles);
    uint64_t requests = 0;
    for (uint32_t i = 0; i < cfg->cpu.cores; i++) {
        out[i] = *wr_cpus_stats(cpus, i);
        requests += out[i].requests;
        uint64_t asked = out[i].l2_misses + out[i].write_backs; /* of which some wait inside */
        assert_in_range(asked - out[i].requests, 0, 4 * cfg->cpu.mshrs + 8);
    }
    assert_int_equal(t.requests, requests);
    assert_int_equal(asked(ms, cycles), banks_of(cfg, true));
    wr_cpus_free(cpus);
    wr_memsys_free(ms);
}

static void cores_alone(void **state)
{
    (void)state;
    static const char *const sets[] = {
        NULL,           "noc.mesh.cpu_vcs=1",  "noc.kind=crossbar",  "clock.core_mhz=700",
        "cpu.mhz=1400", "dram.cpu_channels=1", "dram.cpu_channels=7"};
    enum { CYCLES = 40000 };
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        const wr_gpu_config cfg = kayiran(sets[s]);
        wr_cpu_stats a[64] = {0}, b[64] = {0};
        alone(&cfg, CYCLES, true, a);
        alone(&cfg, CYCLES, false, b);
        assert_memory_equal(a, b, sizeof a);
        for (uint32_t i = 0; i < 14; i++) {
            assert_int_equal(a[i].cycles,
                             (uint64_t)(CYCLES - 1) * cfg.cpu.mhz / cfg.clock.core_mhz + 1);
            assert_true(a[i].instructions > 2000);
        }
        /* the same stream, later or not: soplex misses 103.2 times of 1000, gcc is fast */
        double mpki = 1000.0 * (double)a[0].l2_misses / (double)a[0].instructions;
        assert_true(mpki > 103.2 * .95 && mpki < 103.2 * 1.05);
        assert_true(a[13].instructions > 4 * a[0].instructions);
        assert_true(a[0].stall_memory > a[0].cycles / 2);
    }
}

static kit_kernel kk;

/* Each thread adds up eight words, a grid apart. */
static void streaming_kernel(uint32_t out, uint32_t step)
{
    kit_begin(&kk, "streaming", 8);
    kit_add(&kk, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(&kk, kit_s2r(1, WR_SREG_NTID_X));
    kit_add(&kk, kit_s2r(2, WR_SREG_TID_X));
    kit_add(&kk, kit_op(WR_OP_MAD, WR_U32, 0, 0, 1, 2));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 2));
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, out));
    kit_add(&kk, kit_op(WR_OP_MOV, WR_B32, 5, 0, RZ, RZ));
    for (uint32_t i = 0; i < 8; i++) {
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 0));
        kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 5, 5, 4, RZ));
        kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, step));
    }
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 5, 1, 0));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
}

typedef struct sums {
    uint64_t hash, count;
} sums;

static void add_up(void *arg, const char *name, uint64_t value, const char *doc)
{
    sums *s = arg;
    assert_true(doc[0] != '\0' && name[0] != '\0');
    s->hash = (s->hash ^ value) * 1099511628211U;
    s->count++;
}

enum { TBS = 168, THREADS = 256 };

/* Two launches, on a GPU whose cores run `apps`; its cycles. */
static uint64_t both_on(const wr_gpu_config *cfg, const char *apps, bool no_skip, sums *all,
                        double *cpu_ipc)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    char error[200] = "";
    assert_non_null(gpu);
    gpu->no_skip = no_skip;
    if (apps != NULL && !wr_gpu_start_cpus(gpu, apps, error, sizeof error)) {
        fail_msg("%s", error);
    }
    uint32_t step = TBS * THREADS * 4;
    uint64_t out = wr_gpu_alloc(gpu, (uint64_t)step * 9, 256);
    streaming_kernel((uint32_t)out, step);
    wr_launch l = kit_launch(&kk, TBS, THREADS, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    cycles += kit_run(gpu, &l);
    uint32_t last = 0;
    assert_true(wr_gpu_read(gpu, out + (uint64_t)step * 8 + 4 * 77, &last, 4));
    assert_int_equal(last, 77);
    assert_int_equal(asked(gpu->memsys, cycles), apps != NULL ? 0xff : banks_of(cfg, false));
    wr_gpu_stats(gpu, add_up, all);
    wr_gpu_counters(gpu, add_up, all);
    if (cpu_ipc != NULL) {
        *cpu_ipc = (double)kit_stat(gpu, "cpu.instructions") / (double)kit_stat(gpu, "cpu.cycles");
    }
    wr_gpu_free(gpu);
    return cycles;
}

static uint64_t both(const char *apps, bool no_skip, sums *all, double *cpu_ipc)
{
    const wr_gpu_config cfg = kayiran(NULL);
    return both_on(&cfg, apps, no_skip, all, cpu_ipc);
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    sums a = {0}, b = {0};
    uint64_t skipped = both(mix, false, &a, NULL);
    assert_int_equal(skipped, both(mix, true, &b, NULL));
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.hash, b.hash);
}

/* A launch that comes in this cycle; the run ends after so many, or where `progress` says so. */
static wr_run_result late(const char *apps, uint64_t arrival, uint64_t limit, bool no_skip,
                          wr_progress_fn progress, wr_gpu **gpu)
{
    const wr_gpu_config cfg = kayiran(NULL);
    char error[200] = "";
    *gpu = wr_gpu_create(&cfg);
    assert_non_null(*gpu);
    (*gpu)->no_skip = no_skip;
    if (!wr_gpu_start_cpus(*gpu, apps, error, sizeof error)) {
        fail_msg("%s", error);
    }
    uint64_t out = wr_gpu_alloc(*gpu, UINT64_C(4) * TBS * THREADS * 9, 256);
    streaming_kernel((uint32_t)out, TBS * THREADS * 4);
    wr_launch l = kit_launch(&kk, TBS, THREADS, NULL);
    l.not_before = arrival;
    return wr_gpu_run(*gpu, &l, limit, progress, NULL);
}

/* Before the first launch CPU cores run as if there were no GPU; where none comes in the time of
 * the run, that is all of it. */
static void cores_run_before_a_launch(void **state)
{
    enum { ARRIVAL = 400000, LIMIT = 300000 };
    const wr_gpu_config cfg = kayiran(NULL);
    wr_cpu_stats want[64];
    sums sum[2] = {0};
    uint64_t cycles[2];
    wr_gpu *gpu;
    (void)state;
    alone(&cfg, LIMIT, true, want);
    wr_run_result r = late(mix, ARRIVAL, LIMIT, false, NULL, &gpu);
    assert_int_equal(r.status, WR_RUN_CYCLE_LIMIT);
    assert_int_equal(r.cycles, LIMIT);
    assert_true(kit_stat(gpu, "cpu.instructions") > LIMIT);
    for (uint32_t i = 0; i < cfg.cpu.cores; i++) {
        assert_memory_equal(wr_cpus_stats(gpu->cpus, i), &want[i], sizeof want[i]);
    }
    wr_gpu_free(gpu);
    for (uint32_t i = 0; i < 2; i++) {
        r = late(mix, 20000, UINT64_MAX / 2, i != 0, NULL, &gpu);
        assert_int_equal(r.status, WR_RUN_DONE);
        assert_true(r.cycles > 20000);
        cycles[i] = r.cycles;
        wr_gpu_stats(gpu, add_up, &sum[i]);
        wr_gpu_counters(gpu, add_up, &sum[i]);
        wr_gpu_free(gpu);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(sum[0].hash, sum[1].hash);
}

static bool stop(void *arg, uint64_t cycle, uint64_t done, uint64_t all)
{
    (void)arg;
    (void)cycle;
    (void)done;
    (void)all;
    return false;
}

/* A core that waits for memory skips cycles, and a run may end in the midst of them: these count,
 * too. Where it is stopped, the last cycle has been simulated. */
static void the_last_cycles_count(void **state)
{
    wr_gpu *gpu;
    (void)state;
    for (uint64_t limit = 4990; limit < 5010; limit++) {
        sums sum[2] = {0};
        for (uint32_t i = 0; i < 2; i++) {
            wr_run_result r = late("omnetpp", 1000000, limit, i != 0, NULL, &gpu);
            assert_int_equal(r.status, WR_RUN_CYCLE_LIMIT);
            assert_int_equal(gpu->elapsed, limit);
            /* That have begun: 2 GHz beside 1.4. */
            assert_int_equal(kit_stat(gpu, "cpu.cycles"), (limit - 1) * 2000 / 1400 + 1);
            wr_gpu_stats(gpu, add_up, &sum[i]);
            wr_gpu_counters(gpu, add_up, &sum[i]);
            wr_gpu_free(gpu);
        }
        assert_int_equal(sum[0].hash, sum[1].hash);
    }
    wr_run_result r = late("omnetpp", 0, UINT64_MAX / 2, false, stop, &gpu);
    assert_int_equal(r.status, WR_RUN_STOPPED);
    assert_int_equal(gpu->elapsed, gpu->cycle + 1);
    wr_gpu_free(gpu);
}

static void each_side_feels_the_other(void **state)
{
    (void)state;
    sums s = {0};
    double ipc = 0;
    uint64_t without = both(NULL, false, &s, NULL);
    uint64_t with = both("soplex*14", false, &s, &ipc);
    wr_gpu_config cfg = kayiran(NULL);
    wr_memsys *ms = wr_memsys_create(&cfg);
    wr_cpus *cpus = wr_cpus_create(&cfg, ms);
    char error[200];
    assert_true(wr_cpus_start(cpus, 0, "soplex*14", error, sizeof error));
    uint64_t instructions = 0, cycles = 0;
    for (uint64_t now = 0; now < with; now++) {
        wr_memsys_tick(ms, now);
        wr_cpus_tick(cpus, now);
    }
    for (uint32_t i = 0; i < 14; i++) {
        instructions += wr_cpus_stats(cpus, i)->instructions;
        cycles += wr_cpus_stats(cpus, i)->cycles;
    }
    double free_ipc = (double)instructions / (double)cycles;
    print_message("GPU: %llu cycles alone, %llu with soplex; soplex: IPC %.3f alone, %.3f with\n",
                  (unsigned long long)without, (unsigned long long)with, free_ipc, ipc);
    assert_true(with > without);
    assert_true(ipc < .9 * free_ipc);
    wr_cpus_free(cpus);
    wr_memsys_free(ms);
}

/* Cores with wires of their own, alone, are as on a machine that has no others; so is a GPU. */
static void parts_of_the_network_are_apart(void **state)
{
    static const char *const narrow[][3] = {{"noc.mesh.vcs=1", "noc.flit_bytes=8", "1"},
                                            {"noc.mesh.vcs=2", "noc.flit_bytes=16", "2"},
                                            {"noc.mesh.vcs=3", "noc.flit_bytes=24", "3"}};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        wr_gpu_config parted = kayiran(NULL);
        wr_gpu_config cpu = kayiran(narrow[i][0]);
        wr_gpu_config gpu = kayiran(narrow[2 - i][0]);
        wr_cpu_stats a[64] = {0}, b[64] = {0};
        char assignment[40];
        (void)snprintf(assignment, sizeof assignment, "noc.mesh.cpu_vcs=%s", narrow[i][2]);
        set(&parted, assignment);
        set(&cpu, narrow[i][1]);
        set(&gpu, narrow[2 - i][1]);
        alone(&parted, 30000, true, a);
        alone(&cpu, 30000, true, b);
        assert_memory_equal(a, b, sizeof a);
        assert_int_equal(both_on(&parted, NULL, false, &(sums){0}, NULL),
                         both_on(&gpu, NULL, false, &(sums){0}, NULL));
        sums skipped = {0}, all = {0};
        const uint64_t cycles = both_on(&parted, mix, false, &skipped, NULL);
        assert_int_equal(cycles, both_on(&parted, mix, true, &all, NULL));
        assert_int_equal(skipped.hash, all.hash);
    }
}

/* Chunks of either side go round its channels, and lie in each one behind the other: the place by
 * the map of kayiran, RRR...BBBCCCCCCSSSSSS, computed plainly. */
static void channels_are_apart(void **state)
{
    (void)state;
    for (uint32_t own = 1; own < 8; own++) {
        wr_gpu_config cfg = kayiran(NULL);
        char assignment[40];
        wr_address_map map;
        (void)snprintf(assignment, sizeof assignment, "dram.cpu_channels=%u", own);
        set(&cfg, assignment);
        assert_null(wr_address_init(&map, &cfg));
        for (uint64_t i = 0; i < 4000; i++) {
            const bool cpu = i % 2 != 0;
            const uint64_t inside = i * UINT64_C(2654435761) % (cpu ? 1900000000 : 4294967296);
            const uint32_t channels = cpu ? own : 8 - own;
            const uint64_t channel = inside / 256 % channels;
            const uint64_t local = inside / 256 / channels * 256 + inside % 256;
            const uint64_t addr = inside + (cpu ? WR_CONFIG_CPU_BASE : 0);
            wr_place p = wr_address_place(&map, addr);
            assert_int_equal(p.channel, cpu ? 8 - own + channel : channel);
            assert_int_equal(p.row, local / 32768);
            assert_int_equal(p.bank, local / 4096 % 8);
            assert_int_equal(p.column, local / 64 % 64);
            assert_int_equal(p.line, local / 128);
            assert_int_equal(wr_address_l2_bank(&map, addr), p.channel);
        }
        if (own % 3 == 1) { /* 1, 4 and 7: both sides, each cycle simulated or not */
            sums skipped = {0}, all = {0};
            const uint64_t cycles = both_on(&cfg, mix, false, &skipped, NULL);
            assert_int_equal(cycles, both_on(&cfg, mix, true, &all, NULL));
            assert_int_equal(skipped.hash, all.hash);
            (void)both_on(&cfg, NULL, false, &(sums){0}, NULL);
        }
    }
}

static void placement_is_as_documented(void **state)
{
    (void)state;
    wr_gpu_config cfg = kayiran(NULL);
    wr_placement p;
    uint32_t used[36] = {0};
    assert_null(wr_placement_init(&p, &cfg));
    for (uint32_t i = 0; i < 28; i++) {
        used[p.core[i]] += 1;
    }
    for (uint32_t i = 28; i < 42; i++) {
        used[p.core[i]] += 10;
    }
    for (uint32_t i = 0; i < 8; i++) {
        used[p.bank[i]] += 100;
    }
    uint32_t count[3] = {0};
    for (uint32_t n = 0; n < 36; n++) {
        assert_true(used[n] == 2 || used[n] == 10 || used[n] == 100);
        count[0] += used[n] == 2;
        count[1] += used[n] == 10;
        count[2] += used[n] == 100;
    }
    assert_true(count[0] == 14 && count[1] == 14 && count[2] == 8);
    assert_int_equal(p.bank[0], 3);
    assert_int_equal(p.core[0], 0);
    assert_int_equal(p.core[2], 2);
    assert_int_equal(p.core[28], 1);
    wr_placement q;
    cfg.cpu.cores = 0; /* SMs stay where they are */
    assert_null(wr_placement_init(&q, &cfg));
    assert_memory_equal(p.core, q.core, 28);
    static const char *const wrong[] = {"3,7,10,12,23,25,28",    "3,7,10,12,23,25,28,36",
                                        "3,7,10,12,23,25,28,28", "3,7,10,12,23,25,28,x",
                                        "3 7,10,12,23,25,28,32", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(cfg.noc.mesh.memory_nodes, 0, sizeof cfg.noc.mesh.memory_nodes);
        memcpy(cfg.noc.mesh.memory_nodes, wrong[i], strlen(wrong[i]));
        assert_non_null(wr_placement_init(&p, &cfg));
    }
    cfg = kayiran(NULL);
    cfg.noc.mesh.width = 5;
    assert_non_null(wr_placement_init(&p, &cfg));
}

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set, *part;
    } cases[] = {{"cpu.cores=37", "more than 64"},
                 {"cpu.cores=15", "too few nodes"},
                 {"cpu.mhz=0", "a clock"},
                 {"cpu.mshrs=0", "MSHRs"},
                 {"cpu.l1_ways=0", "whole sets"},
                 {"cpu.l1_ways=48", "whole sets"},
                 {"cpu.l2_bytes=32768", "twice the L1"},
                 {"cpu.trace.burst=0", "trace.burst"},
                 {"cpu.trace.footprint_mb=16", "128 L2s"},
                 {"cpu.trace.footprint_mb=4096", "address_map is too short"},
                 {"noc.mesh.vcs=0", "noc.mesh does not suit"},
                 {"noc.mesh.sms_per_node=1", "too few nodes"},
                 {"noc.mesh.cpu_vcs=4", "takes a part of a mesh's vcs"},
                 {"dram.cpu_channels=8", "a part of dram.channels"},
                 {"l2.banks=64", "at most 4 L2 banks"},
                 {"dram.channels=4", "each of dram.channels"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_gpu_config c = kayiran(NULL);
        wr_diag diag = {0};
        assert_true(wr_config_set(&c, cases[i].set, &diag));
        assert_false(wr_config_check(&c, &diag));
        if (strstr(diag.message, cases[i].part) == NULL) {
            fail_msg("%s: %s", cases[i].set, diag.message);
        }
    }
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *part;
    } cases[] = {{"", "no CPU application ''"},         {"mcf,", "no CPU application ''"},
                 {"mcfx", "no CPU application 'mcfx'"}, {"mcf*15", "more applications"},
                 {"mcf*14,gcc", "more applications"},   {"mcf*0", "a number of cores"},
                 {"mcf*", "a number of cores"},         {"mcf*2x", "a number of cores"},
                 {"mcf*-1", "a number of cores"},       {"gcc,@", "the path of a trace"},
                 {"gcc,@none*2", "none: No such"}};
    wr_gpu_config cfg = kayiran(NULL);
    wr_gpu *gpu = wr_gpu_create(&cfg);
    char error[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        error[0] = '\0';
        assert_false(wr_gpu_start_cpus(gpu, cases[i].list, error, sizeof error));
        if (strstr(error, cases[i].part) == NULL) {
            fail_msg("'%s': %s", cases[i].list, error);
        }
    }
    wr_gpu_free(gpu);
    cfg = kit_config();
    gpu = wr_gpu_create(&cfg);
    assert_false(wr_gpu_start_cpus(gpu, "mcf", error, sizeof error));
    assert_non_null(strstr(error, "has no CPU cores"));
    wr_gpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_alone),
        cmocka_unit_test(skipping_changes_nothing),
        cmocka_unit_test(cores_run_before_a_launch),
        cmocka_unit_test(the_last_cycles_count),
        cmocka_unit_test(each_side_feels_the_other),
        cmocka_unit_test(parts_of_the_network_are_apart),
        cmocka_unit_test(channels_are_apart),
        cmocka_unit_test(placement_is_as_documented),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(bad_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
