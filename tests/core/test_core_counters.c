/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: each reason of a stall by a kernel made for it, sums against their parts, and
 * accounts that notice what does not balance. */
#include "tests/core/kit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"
#include "shell/core/counters/probe.h"

static kit_kernel kk;
static wr_gpu *gpu;

static int setup(void **state)
{
    (void)state;
    const wr_gpu_config cfg = kit_config();
    gpu = wr_gpu_create(&cfg);
    return gpu != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    wr_gpu_free(gpu);
    return 0;
}

static wr_insn add(unsigned dst, unsigned a)
{
    return kit_op(WR_OP_ADD, WR_U32, dst, a, a, RZ);
}

/* Runs the kernel with its code cached; what the second run adds to the first scheduler of the
 * first SM. */
static void run(uint32_t grid, uint32_t block, uint64_t uses[WR_SLOT_USES])
{
    uint64_t before[WR_SLOT_USES];
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, grid, block, NULL);
    kit_run(gpu, &l);
    memcpy(before, wr_gpu_sm(gpu, 0)->slots[0], sizeof before);
    kit_run(gpu, &l);
    for (unsigned i = 0; i < WR_SLOT_USES; i++) {
        uses[i] = wr_gpu_sm(gpu, 0)->slots[0][i] - before[i];
    }
}

/* One warp, a chain of additions: between two that depend stand the cycles of the path, but the
 * one in which the second issues. */
static void test_arithmetic(void **state)
{
    (void)state;
    uint64_t uses[2][WR_SLOT_USES];
    for (unsigned k = 0; k < 2; k++) {
        kit_begin(&kk, "chain", 8);
        for (unsigned i = 0; i < 10 + 20 * k; i++) {
            kit_add(&kk, add(2, 2));
        }
        run(1, 32, uses[k]);
    }
    const wr_gpu_config *c = &gpu->cfg;
    /* x + x: one register, read twice from one bank */
    uint64_t path = c->sm.read_latency + 1 + c->sm.dispatch_latency +
                    c->timing.integer.add.latency + c->sm.write_latency;
    assert_int_equal(uses[1][WR_SLOT_ISSUED] - uses[0][WR_SLOT_ISSUED], 20);
    assert_int_equal(uses[1][WR_SLOT_ARITHMETIC] - uses[0][WR_SLOT_ARITHMETIC], 20 * (path - 1));
    assert_int_equal(uses[1][WR_SLOT_MEMORY], 0);
    assert_int_equal(uses[1][WR_SLOT_UNIT], 0);
    /* nobody else has a warp */
    const wr_sm *sm = wr_gpu_sm(gpu, 0);
    assert_int_equal(sm->slots[1][WR_SLOT_EMPTY], gpu->cycle);
    assert_int_equal(wr_gpu_sm(gpu, 1)->slots[0][WR_SLOT_EMPTY], gpu->cycle);
}

static void test_memory(void **state)
{
    (void)state;
    uint64_t uses[WR_SLOT_USES];
    uint64_t at = wr_gpu_alloc(gpu, 4096, 256);
    kit_begin(&kk, "load", 8);
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 2, RZ, RZ, RZ), 1, (uint32_t)at));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 2, 0));
    kit_add(&kk, add(4, 3));
    run(1, 32, uses);
    /* the second run finds the line in the L1 */
    assert_in_range(uses[WR_SLOT_MEMORY], gpu->cfg.l1.hit_latency, gpu->cfg.l1.hit_latency + 10);
    assert_int_equal(kit_stat(gpu, "l1.hits"), 1);
}

static void test_barrier_and_fetch(void **state)
{
    (void)state;
    uint64_t uses[WR_SLOT_USES];
    kit_begin(&kk, "wait", 8);
    /* the second warp, of the other scheduler, keeps the first waiting */
    kit_add(&kk, kit_s2r(2, WR_SREG_TID_X));
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, RZ, RZ, RZ), 1, 32));
    kit_add(&kk, kit_setp(WR_CMP_LT, WR_U32, 0, 2, 3));
    size_t bra = kit_add(&kk, kit_guard(kit_bra(0, SIZE_MAX), 0, false));
    for (unsigned i = 0; i < 40; i++) {
        kit_add(&kk, add(2, 2));
    }
    size_t meet = kit_add(&kk, kit_plain(WR_OP_BAR_PP));
    kk.source[bra].target = (uint32_t)meet;
    kk.source[bra].reconv = (uint32_t)meet;
    run(1, 64, uses);
    assert_true(uses[WR_SLOT_BARRIER] > 40 * 6);
    assert_true(uses[WR_SLOT_FETCH] > 0);
    assert_int_equal(uses[WR_SLOT_MEMBAR], 0);
}

static void test_units_and_lsu(void **state)
{
    (void)state;
    uint64_t uses[WR_SLOT_USES];
    kit_begin(&kk, "units", 40);
    for (unsigned i = 0; i < 60; i++) {
        kit_add(&kk, kit_op(WR_OP_ADD, WR_F64, 2 + 2 * (i % 16), 0, 0, RZ));
    }
    run(1, 768, uses);
    assert_true(uses[WR_SLOT_UNIT] > uses[WR_SLOT_ISSUED]);

    kit_begin(&kk, "lsu", 40);
    kk.k.shared_bytes = 32 * 128;
    kit_add(&kk, kit_s2r(2, WR_SREG_LANEID));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 2, 2, RZ, RZ), 1, 7)); /* 32-way conflicts */
    for (unsigned i = 0; i < 30; i++) {
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_SHARED, 1, 3 + i, 2, 0));
    }
    run(1, 768, uses);
    assert_true(uses[WR_SLOT_LSU] > 10 * uses[WR_SLOT_ISSUED]);
}

static void test_membar(void **state)
{
    (void)state;
    uint64_t uses[WR_SLOT_USES];
    uint64_t at = wr_gpu_alloc(gpu, 4096, 256);
    kit_begin(&kk, "fence", 8);
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 2, RZ, RZ, RZ), 1, (uint32_t)at));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 2, 2, 0));
    kit_add(&kk, kit_plain(WR_OP_MEMBAR));
    run(1, 32, uses);
    assert_true(uses[WR_SLOT_MEMBAR] > gpu->cfg.l2.latency);
}

/* Traffic on all levels, several SMs and TB slots. */
static void mixed(void)
{
    uint64_t at = wr_gpu_alloc(gpu, 1 << 20, 256);
    kit_begin(&kk, "mixed", 16);
    kit_add(&kk, kit_s2r(2, WR_SREG_CTAID_X));
    kit_add(&kk, kit_s2r(3, WR_SREG_TID_X));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 2, 2, RZ, RZ), 1, 10));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 3, 3, RZ, RZ), 1, 2));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 2, 2, 3, RZ));
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 2, 2, RZ, RZ), 1, (uint32_t)at));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 2, 0));
    kit_add(&kk, add(5, 4));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 5, 2, 0));
    kit_add(&kk, kit_mem(WR_OP_RED, WR_U32, WR_SPACE_GLOBAL, 1, 5, 2, 4096));
    uint64_t uses[WR_SLOT_USES];
    run(100, 256, uses);
}

typedef struct pair {
    char name[160];
    uint64_t value;
} pair;

typedef struct list {
    size_t count;
    pair pairs[4096];
} list;

static void collect(void *arg, const char *name, uint64_t value, const char *doc)
{
    list *l = arg;
    assert_true(doc[0] != '\0' && l->count < sizeof l->pairs / sizeof l->pairs[0]);
    pair *p = &l->pairs[l->count++];
    assert_true(strlen(name) < sizeof p->name);
    (void)snprintf(p->name, sizeof p->name, "%s", name);
    p->value = value;
    for (size_t i = 0; i + 1 < l->count; i++) {
        if (strcmp(l->pairs[i].name, name) == 0) {
            fail_msg("two counters are called %s", name);
        }
    }
}

/* The sum over all parts of the tree whose names fit `pattern`, %u standing for a number. */
static uint64_t sum(const list *l, const char *pattern)
{
    uint64_t total = 0;
    unsigned found = 0;
    for (size_t i = 0; i < l->count; i++) {
        const char *p = pattern;
        const char *n = l->pairs[i].name;
        while (*p != '\0' && *n != '\0') {
            if (strncmp(p, "%u", 2) == 0) {
                size_t digits = strspn(n, "0123456789");
                if (digits == 0) {
                    break;
                }
                n += digits;
                p += 2;
            } else if (*p++ != *n++) {
                p = "?";
                break;
            }
        }
        if (*p == '\0' && *n == '\0') {
            total += l->pairs[i].value;
            found++;
        }
    }
    if (found == 0) {
        fail_msg("no counter fits %s", pattern);
    }
    return total;
}

static void test_parts_add_up(void **state)
{
    (void)state;
    static list parts;
    static const char *const same[][2] = {
        {"sm.issued", "sm%u.issued"},
        {"sm.issued", "sm%u.sched%u.issued"},
        {"sm.issued", "sm%u.tb%u.issued"},
        {"sm.issued", "kernel.mixed.issued"},
        {"sm.thread_insns", "sm%u.tb%u.thread_insns"},
        {"sm.thread_insns", "kernel.mixed.thread_insns"},
        {"sm.tbs_done", "sm%u.tb%u.tbs"},
        {"sm.tbs_done", "kernel.mixed.tbs"},
        {"gpu.cycles", "kernel.mixed.cycles"},
        {"sm.retired", "sm%u.retired"},
        {"sched.stall.memory", "sm%u.sched%u.stall.memory"},
        {"lsu.loads", "sm%u.lsu.loads"},
        {"l1.misses", "sm%u.l1.misses"},
        {"noc.request_flits", "noc.request.out%u.flits"},
        {"noc.reply_flits", "noc.reply.out%u.flits"},
        {"l2.accesses", "l2.bank%u.accesses"},
        {"l2.misses", "l2.bank%u.misses"},
        {"l2.occupancy", "l2.bank%u.occupancy"},
        {"dram.reads", "dram.ch%u.reads"},
        {"dram.row_hits", "dram.ch%u.row_hits"},
        {"dram.occupancy", "dram.ch%u.occupancy"},
    };
    mixed();
    parts.count = 0;
    wr_gpu_counters(gpu, collect, &parts);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        uint64_t whole = kit_stat(gpu, same[i][0]);
        uint64_t total = sum(&parts, same[i][1]);
        if (whole != total || whole == 0) {
            fail_msg("%s is %" PRIu64 ", but %s make %" PRIu64, same[i][0], whole, same[i][1],
                     total);
        }
    }
    assert_int_equal(sum(&parts, "kernel.mixed.launches"), 2);
}

static void check_histogram(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    unsigned *seen = arg;
    uint64_t count = 0;
    uint64_t least = 0;
    uint64_t most = 0;
    assert_true(doc[0] != '\0');
    for (unsigned i = 0; i < WR_HISTOGRAM_BINS; i++) {
        count += h->bin[i];
        least += i == 0 ? 0 : h->bin[i] << (i - 1);
        most += (h->bin[i] << i) - h->bin[i];
    }
    assert_int_equal(count, h->count);
    assert_in_range(h->sum, least, most);
    if (strcmp(name, "lsu.load_latency") == 0) {
        assert_int_equal(count, kit_stat(gpu, "lsu.loads"));
        ++*seen;
    } else if (strcmp(name, "dram.queue_latency") == 0) {
        assert_in_range(count, kit_stat(gpu, "dram.reads"),
                        kit_stat(gpu, "dram.reads") + kit_stat(gpu, "dram.writes"));
        ++*seen;
    }
}

static void test_histograms(void **state)
{
    (void)state;
    unsigned seen = 0;
    mixed();
    wr_gpu_histograms(gpu, check_histogram, &seen);
    assert_int_equal(seen, 2);
}

static void check_derived(void *arg, const char *name, double value, const char *unit,
                          const char *doc)
{
    double *shares = arg; /* of slots, of instructions */
    assert_true(doc[0] != '\0' && unit[0] != '\0' && value >= 0);
    if (strcmp(unit, "%") == 0) {
        assert_true(value <= 100.0 || strstr(name, "sustainable") != NULL);
    }
    if (strstr(name, ".share") != NULL) {
        shares[strncmp(name, "sm.insns.", 9) == 0] += value;
    }
    if (strcmp(name, "gpu.ipc") == 0) {
        assert_true(value * (double)gpu->cycle - (double)kit_stat(gpu, "sm.issued") < 1e-3);
    }
}

static void test_derived(void **state)
{
    (void)state;
    double shares[2] = {0, 0};
    mixed();
    wr_gpu_derived(gpu, check_derived, shares);
    for (int i = 0; i < 2; i++) {
        assert_true(shares[i] > 99.999 && shares[i] < 100.001);
    }
}

/* One count too many or too few anywhere is noticed. */
static void test_accounts_notice(void **state)
{
    (void)state;
    char message[256];
    mixed();
    wr_sm *sm = wr_gpu_sm(gpu, 3);
    const struct {
        uint64_t *counter;
        const char *word;
    } rows[] = {
        {&sm->in_pipe, "not ended"},
        {&sm->slots[1][WR_SLOT_MEMORY], "slots of a scheduler"},
        {&sm->stats.insns[WR_INSN_OTHER], "slots that issued"},
        {&sm->slot_stats[0].issued, "by TB slot"},
        {&sm->loads_of[WR_MAX_STREAMS - 1], "loads by stream"},
        {&sm->load_cycles_of[0], "cycles of loads"},
        {&sm->stats.tbs_done, "TBs that left"},
        {&sm->stats.request_bytes, "SMs sent"},
        {&sm->stats.reply_bytes, "SMs got"},
    };
    assert_true(wr_gpu_conserved(gpu, message, sizeof message));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ++*rows[i].counter;
        assert_false(wr_gpu_conserved(gpu, message, sizeof message));
        if (strstr(message, rows[i].word) == NULL) {
            fail_msg("'%s' does not say '%s'", message, rows[i].word);
        }
        --*rows[i].counter;
    }
    sm->l1.free_count--;
    assert_false(wr_gpu_conserved(gpu, message, sizeof message));
    sm->l1.free_count++;
    assert_true(wr_gpu_conserved(gpu, message, sizeof message));
}

/* Samples of a run: a hash of all counters at each. */
typedef struct sampled {
    uint64_t hash;
    unsigned count;
} sampled;

static void hash_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    sampled *s = arg;
    (void)name;
    (void)doc;
    s->hash = (s->hash ^ value) * UINT64_C(0x100000001b3);
}

static void take_sample(void *arg)
{
    sampled *s = arg;
    s->count++;
    wr_gpu_stats(gpu, hash_counter, s);
    wr_gpu_counters(gpu, hash_counter, s);
}

/* Every counter of every part, at the end and at each sample, is the same whether cycles in which
 * nothing happens are skipped or not. */
static void test_skipping(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, limit;
        wr_sched_policy policy;
        wr_slot_use use; /* that this machine has some of */
    } rows[] = {
        {1, 0, WR_SCHED_LRR, WR_SLOT_MEMORY},
        {1, 6, WR_SCHED_GTO, WR_SLOT_LIMIT},
        {2, 0, WR_SCHED_TWO_LEVEL, WR_SLOT_PAIR},
        {2, 10, WR_SCHED_GTO, WR_SLOT_LIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static list parts[2];
        sampled samples[2] = {0};
        for (unsigned skip = 0; skip < 2; skip++) {
            wr_gpu_config cfg = kit_config();
            cfg.sms = 4;
            cfg.sm.issue_width = rows[i].width;
            cfg.sm.warp_limit = rows[i].limit;
            cfg.sm.policy = rows[i].policy;
            wr_gpu_free(gpu);
            gpu = wr_gpu_create(&cfg);
            assert_non_null(gpu);
            gpu->no_skip = skip == 0;
            wr_gpu_set_sampler(gpu, 333, take_sample, &samples[skip]);
            mixed();
            parts[skip].count = 0;
            wr_gpu_counters(gpu, collect, &parts[skip]);
        }
        assert_int_equal(parts[0].count, parts[1].count);
        for (size_t k = 0; k < parts[0].count; k++) {
            if (parts[0].pairs[k].value != parts[1].pairs[k].value) {
                fail_msg("machine %zu: %s is %" PRIu64 ", with skipping %" PRIu64, i,
                         parts[0].pairs[k].name, parts[0].pairs[k].value, parts[1].pairs[k].value);
            }
        }
        assert_int_equal(samples[0].count, gpu->cycle / 333);
        assert_int_equal(samples[1].count, samples[0].count);
        assert_true(samples[0].hash == samples[1].hash);
        assert_true(wr_gpu_sm(gpu, 0)->slots[0][rows[i].use] > 0);
    }
}

/* What a waveform shows of the schedulers, summed over time, against the counters. */
typedef struct looked {
    wr_sm_view view[WR_CONFIG_MAX_SMS];
    uint64_t cycles[WR_CONFIG_MAX_SMS][WR_SLOT_USES]; /* of the second scheduler */
    uint64_t next;                                    /* cycle */
} looked;

static void look(void *arg)
{
    looked *l = arg;
    uint64_t now = wr_gpu_cycle(gpu);
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm_view *v = &l->view[i];
        if (now > l->next) {
            l->cycles[i][v->then[1]] += now - l->next;
        }
        wr_gpu_look_sm(gpu, i, v);
        l->cycles[i][v->use[1]]++;
        for (uint32_t w = 0; w < gpu->cfg.sm.max_warps; w++) {
            bool empty = (wr_gpu_sm(gpu, i)->valid >> w & 1) == 0;
            assert_int_equal(v->warp[w] == WR_WARP_EMPTY, empty);
        }
    }
    l->next = now + 1;
}

static void test_looks_add_up(void **state)
{
    (void)state;
    static looked l;
    memset(&l, 0, sizeof l);
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        l.view[i].then[1] = WR_SLOT_EMPTY;
    }
    wr_watcher watcher = {.look = look, .arg = &l};
    wr_gpu_watch(gpu, &watcher);
    mixed();
    uint64_t cycles = gpu->cycle;
    wr_gpu_unwatch(gpu, &watcher);
    uint64_t reasons = 0;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
            assert_int_equal(l.cycles[i][u], wr_gpu_sm(gpu, i)->slots[1][u]);
            reasons |= (uint64_t)(l.cycles[i][u] != 0) << u;
        }
    }
    assert_int_equal(l.next, cycles);
    assert_true(__builtin_popcountll(reasons) >= 4);
    /* looking has changed nothing */
    wr_gpu *other = wr_gpu_create(&gpu->cfg);
    wr_gpu *watched = gpu;
    gpu = other;
    mixed();
    assert_int_equal(gpu->cycle, cycles);
    wr_gpu_free(other);
    gpu = watched;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_barrier_and_fetch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units_and_lsu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_membar, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_histograms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_derived, setup, teardown),
        cmocka_unit_test_setup_teardown(test_skipping, setup, teardown),
        cmocka_unit_test_setup_teardown(test_looks_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_accounts_notice, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
