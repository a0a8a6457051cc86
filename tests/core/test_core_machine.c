/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine does, by hand-written kernels: divergence, barriers, atomics, local memory,
 * faults, dispatch, occupancy, and that skipping idle cycles changes nothing. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static kit_kernel kk;
static wr_gpu *gpu;
static uint64_t out_base;

enum { OUT_WORDS = 1 << 16 };

static int setup(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    gpu = wr_gpu_create(&cfg);
    out_base = wr_gpu_alloc(gpu, OUT_WORDS * 4, 256);
    return gpu == NULL;
}

static int teardown(void **state)
{
    (void)state;
    wr_gpu_free(gpu);
    return 0;
}

static uint32_t out(uint32_t i)
{
    uint32_t v;
    assert_true(wr_gpu_read(gpu, out_base + 4 * (uint64_t)i, &v, 4));
    return v;
}

/* R0 = thread number in the grid, R1 = &out[R0] */
static void prologue(void)
{
    kit_add(&kk, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(&kk, kit_s2r(1, WR_SREG_NTID_X));
    kit_add(&kk, kit_s2r(2, WR_SREG_TID_X));
    kit_add(&kk, kit_op(WR_OP_MAD, WR_U32, 0, 0, 1, 2));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 2));
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, (uint32_t)out_base));
}

static wr_insn add_imm(unsigned reg, uint32_t v)
{
    return kit_imm(kit_op(WR_OP_ADD, WR_U32, reg, reg, RZ, RZ), 1, v);
}

static wr_insn mov_imm(unsigned reg, uint32_t v)
{
    return kit_imm(kit_op(WR_OP_MOV, WR_B32, reg, RZ, RZ, RZ), 0, v);
}

static void epilogue(unsigned reg)
{
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, reg, 1, 0));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
}

static uint64_t run(uint32_t grid, uint32_t block)
{
    wr_launch l = kit_launch(&kk, grid, block, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    kit_check_conservation(gpu);
    return cycles;
}

static size_t here(void)
{
    return kk.count;
}

/* if (lane & 1) { if (lane & 2) v += 1 else v += 10; v += 100 } else v += 1000; v += 10000 */
static void test_nested_divergence(void **state)
{
    (void)state;
    kit_begin(&kk, "nested", 8);
    prologue();
    kit_add(&kk, mov_imm(3, 0));
    kit_add(&kk, kit_imm(kit_op(WR_OP_AND, WR_B32, 4, 0, RZ, RZ), 1, 1));
    kit_add(&kk, kit_setp(WR_CMP_EQ, WR_U32, 0, 4, RZ));
    kit_add(&kk, kit_imm(kit_op(WR_OP_AND, WR_B32, 4, 0, RZ, RZ), 1, 2));
    kit_add(&kk, kit_setp(WR_CMP_NE, WR_U32, 1, 4, RZ));
    size_t b = here();
    kit_add(&kk, kit_guard(kit_bra(b + 7, b + 8), 0, false));
    kit_add(&kk, kit_guard(kit_bra(b + 4, b + 5), 1, false));
    kit_add(&kk, add_imm(3, 10));
    kit_add(&kk, kit_bra(b + 5, b + 5));
    kit_add(&kk, add_imm(3, 1));
    kit_add(&kk, add_imm(3, 100));
    kit_add(&kk, kit_bra(b + 8, b + 8));
    kit_add(&kk, add_imm(3, 1000));
    kit_add(&kk, add_imm(3, 10000));
    epilogue(3);
    run(1, 48);
    for (uint32_t i = 0; i < 48; i++) {
        uint32_t expect = (i & 1) != 0 ? 100 + ((i & 2) != 0 ? 1 : 10) : 1000;
        assert_int_equal(out(i), 10000 + expect);
    }
    assert_int_equal(kit_stat(gpu, "sm.divergent"), 4);
}

/* A loop with a trip count by lane must not grow the stack: 100 trips at depth 32. */
static void test_divergent_loop(void **state)
{
    (void)state;
    kit_begin(&kk, "loop", 8);
    prologue();
    kit_add(&kk, mov_imm(3, 0));
    kit_add(&kk, kit_imm(kit_op(WR_OP_MUL, WR_U32, 4, 0, RZ, RZ), 1, 3));
    size_t head = here();
    kit_add(&kk, add_imm(3, 1));
    kit_add(&kk, kit_setp(WR_CMP_LE, WR_U32, 0, 3, 4));
    kit_add(&kk, kit_guard(kit_bra(head, head + 3), 0, false));
    epilogue(3);
    run(1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out(i), 3 * i + 1);
    }
}

/* Lanes leave inside of a branch, in an early exit and by a guarded exit. */
static void test_exit_in_divergence(void **state)
{
    (void)state;
    kit_begin(&kk, "exits", 8);
    prologue();
    kit_add(&kk, mov_imm(3, 7));
    kit_add(&kk, kit_imm(kit_op(WR_OP_AND, WR_B32, 4, 0, RZ, RZ), 1, 3));
    kit_add(&kk, kit_setp(WR_CMP_EQ, WR_U32, 0, 4, RZ));
    size_t b = here();
    kit_add(&kk, kit_guard(kit_bra(b + 3, SIZE_MAX), 0, true));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_add(&kk, kit_imm(kit_setp(WR_CMP_EQ, WR_U32, 1, 4, RZ), 1, 2));
    kit_add(&kk, kit_guard(kit_plain(WR_OP_EXIT), 1, false));
    kit_add(&kk, add_imm(3, 1));
    epilogue(3);
    run(1, 40);
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t expect[4] = {7, 8, 0, 8};
        assert_int_equal(out(i), expect[i & 3]);
    }
}

/* Each thread writes shared memory, waits, and reads what the last thread of the TB wrote. */
static void add_exchange(wr_op barrier)
{
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 3, 2, RZ, RZ), 1, 2));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_SHARED, 1, 0, 3, 0));
    kit_add(&kk, kit_plain(barrier));
    kit_add(&kk, kit_s2r(4, WR_SREG_NTID_X));
    kit_add(&kk, add_imm(4, UINT32_MAX));
    kit_add(&kk, kit_op(WR_OP_SUB, WR_U32, 4, 4, 2, RZ));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 4, 4, RZ, RZ), 1, 2));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_SHARED, 1, 5, 4, 0));
}

static void test_barrier(void **state)
{
    (void)state;
    kit_begin(&kk, "barrier", 8);
    kk.k.shared_bytes = 4096;
    prologue();
    add_exchange(WR_OP_BAR_PP);
    epilogue(5);
    run(20, 256);
    for (uint32_t i = 0; i < 20 * 256; i++) {
        assert_int_equal(out(i), i / 256 * 256 + 255 - i % 256);
    }
    assert_int_equal(kit_stat(gpu, "sm.barriers"), 20 * 8);
}

/* Warps that have finished do not count at a barrier. */
static void test_barrier_without_finished_warps(void **state)
{
    (void)state;
    kit_begin(&kk, "late", 8);
    kk.k.shared_bytes = 4096;
    prologue();
    kit_add(&kk, kit_imm(kit_setp(WR_CMP_GE, WR_U32, 0, 2, RZ), 1, 32));
    kit_add(&kk, kit_guard(kit_plain(WR_OP_EXIT), 0, false));
    kit_add(&kk, kit_plain(WR_OP_BAR_PP));
    kit_add(&kk, mov_imm(3, 5));
    epilogue(3);
    run(1, 128);
    assert_int_equal(out(31), 5);
    assert_int_equal(out(32), 0);
}

/* Stops whatever comes to a preemption point, and notes how deep its stack is. */
typedef struct watcher {
    uint32_t stopped, deepest;
} watcher;

static void watch_cycle(void *self, wr_gpu *of)
{
    const watcher *w = self;
    kit_signal(wr_gpu_sm(of, 0), wr_gpu_cycle(of) > 2 && w->stopped == 0);
}

static uint64_t watch_next(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

static void watch_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    watcher *w = self;
    uint32_t depth = wr_sm_warp(sm, warp).depth;
    w->stopped++;
    w->deepest = depth > w->deepest ? depth : w->deepest;
}

/* Lanes that return leave the others undiverged, though the branch meets at the exit only: a
 * barrier may follow, and a warp that is saved there has one stack entry. */
static void test_barrier_behind_a_return(void **state)
{
    (void)state;
    watcher w = {0};
    wr_system_hooks hooks = {.self = &w,
                             .gpu_cycle = watch_cycle,
                             .next_cycle = watch_next,
                             .warp_stopped = watch_stopped};
    kit_begin(&kk, "return", 8);
    prologue();
    kit_add(&kk, mov_imm(3, 7));
    kit_add(&kk, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 0, 2, RZ), 1, 20));
    size_t b = here();
    kit_add(&kk, kit_guard(kit_bra(b + 2, SIZE_MAX), 0, true));
    kit_add(&kk, kit_bra(b + 3, SIZE_MAX));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    wr_insn barrier = kit_plain(WR_OP_BAR_PP);
    barrier.live = 0xf;
    kit_add(&kk, barrier);
    epilogue(3);
    wr_gpu_attach(gpu, &hooks);
    run(1, 32);
    assert_true(w.stopped > 0);
    assert_int_equal(w.deepest, 1);
    assert_int_equal(out(19), 7);
    assert_int_equal(out(20), 0);
}

static void test_barrier_deadlock_is_told(void **state)
{
    (void)state;
    kit_begin(&kk, "stuck", 8);
    prologue();
    kit_add(&kk, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 0, 2, RZ), 1, 32));
    size_t b = here();
    kit_add(&kk, kit_guard(kit_bra(b + 3, b + 4), 0, false));
    wr_insn one = kit_plain(WR_OP_BAR);
    one.barrier = 1;
    kit_add(&kk, one);
    kit_add(&kk, kit_bra(b + 4, b + 4));
    kit_add(&kk, kit_plain(WR_OP_BAR_PP));
    epilogue(0);
    wr_launch l = kit_launch(&kk, 1, 64, NULL);
    wr_run_result r = wr_gpu_run(gpu, &l, 1000000, NULL, NULL);
    assert_int_equal(r.status, WR_RUN_DEADLOCK);
    char want[160];
    (void)snprintf(
        want, sizeof want,
        "block (0,0,0): 1 warp waits at a barrier at pc 0x%x (PTX line %zu), 1 warp waits "
        "at a barrier at pc 0x%x (PTX line %zu); look",
        kk.k.insns[b + 3].pc, b + 4, kk.k.insns[b + 1].pc, b + 2);
    assert_non_null(strstr(r.message, want));
}

/* All threads count into one word; the returned values are a permutation. */
static void test_atomics(void **state)
{
    (void)state;
    uint32_t counter = (uint32_t)wr_gpu_alloc(gpu, 4, 256);
    kit_begin(&kk, "count", 8);
    prologue();
    kit_add(&kk, mov_imm(3, 1));
    kit_add(&kk, kit_imm(kit_mem(WR_OP_ATOM, WR_U32, WR_SPACE_GLOBAL, 1, 4, RZ, 0), 0, counter));
    kk.source[kk.count - 1].src[1] = 3;
    epilogue(4);
    run(40, 128);
    static bool seen[40 * 128];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 40 * 128; i++) {
        assert_true(out(i) < 40 * 128);
        assert_false(seen[out(i)]);
        seen[out(i)] = true;
    }
    assert_int_equal(kit_stat(gpu, "lsu.atomics"), 160);
}

/* Local memory is each thread's own, at every width, and makes traffic. */
static void test_local_memory(void **state)
{
    (void)state;
    kit_begin(&kk, "local", 12);
    kk.k.local_bytes = 24;
    prologue();
    kit_add(&kk, kit_op(WR_OP_MOV, WR_B32, 4, 0, RZ, RZ));
    kit_add(&kk, kit_imm(kit_op(WR_OP_XOR, WR_B32, 5, 0, RZ, RZ), 1, 0x12345678));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U64, WR_SPACE_LOCAL, 1, 4, RZ, 8));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U8, WR_SPACE_LOCAL, 1, 0, RZ, 17));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_LOCAL, 1, 6, RZ, 12));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U8, WR_SPACE_LOCAL, 1, 7, RZ, 17));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 6, 6, 7, RZ));
    epilogue(6);
    run(200, 64);
    for (uint32_t i = 0; i < 200 * 64; i++) {
        assert_int_equal(out(i), (i ^ 0x12345678) + (i & 255));
    }
    assert_int_equal(kit_stat(gpu, "lsu.stores"), 3 * 400);
}

static void expect_fault(wr_run_status status, const char *part, const char *part2)
{
    wr_launch l = kit_launch(&kk, 1, 64, NULL);
    wr_run_result r = wr_gpu_run(gpu, &l, 1000000, NULL, NULL);
    assert_int_equal(r.status, status);
    if (strstr(r.message, part) == NULL || strstr(r.message, part2) == NULL) {
        fail_msg("'%s' has no '%s' or no '%s'", r.message, part, part2);
    }
}

static void test_fault_outside(void **state)
{
    (void)state;
    kit_begin(&kk, "outside", 4);
    prologue();
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, OUT_WORDS * 4 - 33 * 4));
    epilogue(3);
    expect_fault(WR_RUN_MEMORY_FAULT, "thread (33,0,0)", "outside every buffer");
}

/* A context or a local frame behind the last buffer does not hide the same fault. */
static void test_fault_private(void **state)
{
    (void)state;
    uint64_t own = wr_gpu_alloc_private(gpu, 4096, 256);
    assert_true(own == out_base + OUT_WORDS * 4);
    uint32_t word = 7;
    assert_true(wr_gpu_write(gpu, own, &word, sizeof word));
    kit_begin(&kk, "private", 4);
    prologue();
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, OUT_WORDS * 4 - 33 * 4));
    epilogue(3);
    expect_fault(WR_RUN_MEMORY_FAULT, "thread (33,0,0)", "outside every buffer");
}

static void test_fault_misaligned(void **state)
{
    (void)state;
    kit_begin(&kk, "odd", 4);
    prologue();
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 2));
    epilogue(3);
    expect_fault(WR_RUN_MEMORY_FAULT, "misaligned", "PTX line 7");
}

static void test_fault_shared(void **state)
{
    (void)state;
    kit_begin(&kk, "shared", 4);
    kk.k.shared_bytes = 128;
    prologue();
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_SHARED, 1, 3, RZ, 128));
    epilogue(3);
    expect_fault(WR_RUN_MEMORY_FAULT, "shared access of 4 bytes at 0x80", "128 bytes");
}

static void test_trap_and_end(void **state)
{
    (void)state;
    kit_begin(&kk, "trap", 4);
    prologue();
    kit_add(&kk, kit_plain(WR_OP_TRAP));
    epilogue(0);
    expect_fault(WR_RUN_TRAP, "kernel trap", "trap executed");
}

static void test_running_off_the_end(void **state)
{
    (void)state;
    kit_begin(&kk, "open", 4);
    prologue();
    kit_build(&kk);
    expect_fault(WR_RUN_TRAP, "kernel open", "last instruction");
}

/* Lin-P Table II: warps per TB, TBs per SM, registers, shared bytes, limit. Two limits are
 * longer than in the table, which leaves out what P36 found: CFD_1 (TB), LK_1 (reg: 20 rounded
 * registers x 192 threads x 8 TBs leave no room for a ninth). */
static void test_occupancy_of_table_ii(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        uint32_t warps, tbs, regs, smem;
        const char *limit;
    } rows[] = {
        {"BP_1", 8, 6, 13, 1128, "warp"},       {"BP_2", 8, 6, 18, 40, "warp, reg"},
        {"BFS_1", 16, 3, 7, 44, "warp"},        {"BFS_2", 16, 3, 4, 36, "warp"},
        {"BT_1", 8, 6, 10, 48, "warp"},         {"BT_2", 8, 6, 9, 60, "warp"},
        {"CFD_1", 6, 8, 6, 32, "warp, TB"},     {"CFD_2", 6, 8, 8, 48, "warp, TB"},
        {"CFD_3", 6, 4, 39, 36, "reg"},         {"DWT_1", 8, 6, 4, 804, "warp"},
        {"DWT_2", 6, 5, 32, 8668, "reg, smem"}, {"HW_1", 8, 4, 23, 11888, "smem"},
        {"HS_1", 8, 4, 31, 3144, "reg"},        {"HG_1", 3, 3, 10, 12324, "smem"},
        {"KM_1", 8, 6, 9, 32, "warp"},          {"LK_1", 6, 8, 18, 24, "warp, TB, reg"},
        {"LUD_1", 1, 8, 8, 2076, "TB"},         {"LUD_2", 1, 8, 16, 3104, "TB"},
        {"LUD_3", 8, 6, 9, 1056, "warp"},       {"SR_1", 16, 3, 14, 4132, "warp"},
        {"SR_2", 16, 3, 16, 128, "warp"},       {"PF_1", 8, 6, 12, 2096, "warp"},
        {"SC_1", 16, 3, 8, 56, "warp"},
    };
    wr_gpu_config cfg = kit_config();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_kernel k = {.name = rows[i].label, .regs = rows[i].regs, .shared_bytes = rows[i].smem};
        wr_launch l = {.kernel = &k, .grid = {1, 1, 1}, .block = {rows[i].warps * 32, 1, 1}};
        wr_occupancy o = wr_gpu_occupancy(&cfg, &l);
        assert_int_equal(o.tbs, rows[i].tbs);
        assert_string_equal(o.limit, rows[i].limit);
    }
}

/* The dispatcher fills every SM to the occupancy and no further. */
static uint32_t most_resident;
static void watch(void *self, wr_gpu *g)
{
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(g); i++) {
        uint32_t n = 0;
        for (uint32_t s = 0; s < wr_sm_tb_slots(wr_gpu_sm(g, i)); s++) {
            n += wr_sm_tb(wr_gpu_sm(g, i), s).valid ? 1 : 0;
        }
        most_resident = n > most_resident ? n : most_resident;
    }
}

static void test_dispatch_fills_to_occupancy(void **state)
{
    (void)state;
    wr_system_hooks hooks = {.gpu_cycle = watch};
    wr_gpu_attach(gpu, &hooks);
    kit_begin(&kk, "fill", 39);
    kk.k.shared_bytes = 4096;
    prologue();
    add_exchange(WR_OP_BAR_PP);
    epilogue(5);
    wr_launch l = kit_launch(&kk, 200, 192, NULL);
    most_resident = 0;
    kit_run(gpu, &l);
    assert_int_equal(most_resident, wr_gpu_occupancy(&gpu->cfg, &l).tbs);
    assert_int_equal(most_resident, 4);
    assert_int_equal(kit_stat(gpu, "sm.tbs_done"), 200);
}

/* All counters of a run, in the order of the table. */
typedef struct all_stats {
    uint64_t v[256];
    size_t n;
} all_stats;
static void collect(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)name;
    (void)doc;
    all_stats *s = arg;
    assert_true(s->n < 256);
    s->v[s->n++] = value;
}

/* Loads, stores, atomics, barriers and divergence at once. */
static void mixed_kernel(void)
{
    kit_begin(&kk, "mixed", 20);
    kk.k.shared_bytes = 4096;
    kk.k.local_bytes = 8;
    prologue();
    add_exchange(WR_OP_BAR_PP);
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_LOCAL, 1, 5, RZ, 4));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 6, 1, 0));
    kit_add(&kk, kit_imm(kit_op(WR_OP_AND, WR_B32, 7, 0, RZ, RZ), 1, 7));
    size_t head = here();
    kit_add(&kk, kit_op(WR_OP_DIV, WR_U32, 6, 6, 7, RZ));
    kit_add(&kk, kit_plain(WR_OP_PP));
    kit_add(&kk, add_imm(7, UINT32_MAX));
    kit_add(&kk, kit_setp(WR_CMP_GT, WR_S32, 0, 7, RZ));
    kit_add(&kk, kit_guard(kit_bra(head, head + 5), 0, false));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_LOCAL, 1, 8, RZ, 4));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 5, 6, 8, RZ));
    kit_add(&kk, kit_imm(kit_mem(WR_OP_RED, WR_U32, WR_SPACE_GLOBAL, 1, 5, RZ, 0), 0,
                         (uint32_t)out_base + 4 * (OUT_WORDS - 1)));
    kit_add(&kk, kit_plain(WR_OP_MEMBAR));
    epilogue(5);
}

static void test_skipping_changes_nothing(void **state)
{
    (void)state;
    all_stats stats[2][2] = {0};
    static uint32_t bytes[2][OUT_WORDS];
    for (unsigned policy = 0; policy < 2; policy++) {
        for (unsigned skip = 0; skip < 2; skip++) {
            wr_gpu_config cfg = kit_config();
            cfg.sm.policy = policy == 0 ? WR_SCHED_LRR : WR_SCHED_GTO;
            wr_gpu_free(gpu);
            gpu = wr_gpu_create(&cfg);
            out_base = wr_gpu_alloc(gpu, OUT_WORDS * 4, 256);
            gpu->no_skip = skip == 0;
            mixed_kernel();
            run(150, 224);
            wr_gpu_stats(gpu, collect, &stats[policy][skip]);
            assert_true(wr_gpu_read(gpu, out_base, bytes[skip], sizeof bytes[skip]));
        }
        assert_memory_equal(&stats[policy][0], &stats[policy][1], sizeof stats[policy][0]);
        assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
    }
    assert_true(stats[0][0].v[0] != stats[1][0].v[0]); /* the policies do differ */
}

static void test_cycle_limit(void **state)
{
    (void)state;
    mixed_kernel();
    wr_launch l = kit_launch(&kk, 150, 224, NULL);
    wr_run_result r = wr_gpu_run(gpu, &l, 1000, NULL, NULL);
    assert_int_equal(r.status, WR_RUN_CYCLE_LIMIT);
    assert_int_equal(r.cycles, 1000);
}

static void test_launch_that_does_not_fit(void **state)
{
    (void)state;
    mixed_kernel();
    kk.k.shared_bytes = 49156;
    wr_launch l = kit_launch(&kk, 1, 32, NULL);
    wr_run_result r = wr_gpu_run(gpu, &l, 1000, NULL, NULL);
    assert_int_equal(r.status, WR_RUN_REFUSED);
    assert_non_null(strstr(r.message, "does not fit an SM"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nested_divergence),
        TEST(test_divergent_loop),
        TEST(test_exit_in_divergence),
        TEST(test_barrier),
        TEST(test_barrier_without_finished_warps),
        TEST(test_barrier_behind_a_return),
        TEST(test_barrier_deadlock_is_told),
        TEST(test_atomics),
        TEST(test_local_memory),
        TEST(test_fault_outside),
        TEST(test_fault_private),
        TEST(test_fault_misaligned),
        TEST(test_fault_shared),
        TEST(test_trap_and_end),
        TEST(test_running_off_the_end),
        TEST(test_occupancy_of_table_ii),
        TEST(test_dispatch_fills_to_occupancy),
        TEST(test_skipping_changes_nothing),
        TEST(test_cycle_limit),
        TEST(test_launch_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
