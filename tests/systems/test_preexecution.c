/* SPDX-License-Identifier: Apache-2.0 */
/* System preexecution on the real shell: what a warp's cursor does with each kind of instruction,
 * counted by hand; real kernels end right, and each result that was had ahead is taken, had again
 * or forgotten; with no reach the machine's own cycles. tests/hints/programs.py holds random
 * kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/plan.h"
#include "tests/systems/jobs.h"

enum { COUNTED = 9 };
static const char *const names[COUNTED] = {"stalls", "ahead",  "preloads", "branches", "left_out",
                                           "known",  "reused", "again",    "lost"};
enum { STALLS, AHEAD, PRELOADS, BRANCHES, LEFT_OUT, KNOWN, REUSED, AGAIN, LOST };

static void note(void *arg, const wr_row *row)
{
    uint64_t *counts = arg;

    for (size_t i = 0; i < COUNTED; i++) {
        if (strcmp(row->name, names[i]) == 0) {
            counts[i] = row->count;
        }
    }
}

static wr_system_group *group;

static int close_all(void **state)
{
    plan_teardown(state);
    wr_system_group_close(group);
    group = NULL;
    return 0;
}

/* A warp of 32 threads, t, that waits twice, for each of two loads; what its cursor does with an
 * instruction in the first wait, and in the second:
 *
 *   h = t
 *   load a
 *   S = a + t            it waits
 *   b = t + 7            ahead
 *   c = b + S            late
 *   P, Q = t < 20, not   ahead
 *   b = b + b            ahead, into a row of its own: c reads the other
 *   load d               preload
 *   e = d + b            late                   it waits
 *   P: e = t             late: lanes keep e     late
 *   k = e + t            late                   late
 *   P: b = b + 1         ahead                  known
 *   Q: b = b + 2         ahead                  known
 *   branch               followed               followed
 *   b = 0                never
 *   load f               preload                left out: it is on its way
 *   R = t >= 10          ahead                  known
 *   g = c + b            late                   ahead
 *   R: h = c + t         late                   ahead
 *   sum of g, e, k, b, h late, four of them     the same
 *   store                left out               left out
 *   exit                 the end                the end
 */
static void write_kernel(kit_kernel *k)
{
    enum { T = 0, OUT = 1, A = 3, S, B, C, D, E, F, G, H, K, SUM, P = 0, Q, R };
    wr_insn both = kit_imm(kit_setp(WR_CMP_LT, WR_U32, P, T, RZ), 1, 20);

    both.pd2 = Q;
    plan_prologue(k);
    kit_add(k, kit_op(WR_OP_MOV, WR_B32, H, T, RZ, RZ));
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, A, OUT, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, S, A, T, RZ));
    kit_add(k, kit_imm(kit_op(WR_OP_ADD, WR_U32, B, T, RZ, RZ), 1, 7));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, C, B, S, RZ));
    kit_add(k, both);
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, B, B, B, RZ));
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, D, OUT, 1024));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, E, D, B, RZ));
    kit_add(k, kit_guard(kit_op(WR_OP_MOV, WR_B32, E, T, RZ, RZ), P, false));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, K, E, T, RZ));
    kit_add(k, kit_guard(kit_imm(kit_op(WR_OP_ADD, WR_U32, B, B, RZ, RZ), 1, 1), P, false));
    kit_add(k, kit_guard(kit_imm(kit_op(WR_OP_ADD, WR_U32, B, B, RZ, RZ), 1, 2), Q, false));
    kit_add(k, kit_bra(k->count + 2, k->count + 2));
    kit_add(k, kit_op(WR_OP_MOV, WR_B32, B, RZ, RZ, RZ));
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, F, OUT, 2048));
    kit_add(k, kit_imm(kit_setp(WR_CMP_GE, WR_U32, R, T, RZ), 1, 10));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, G, C, B, RZ));
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, H, C, T, RZ), R, false));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, SUM, G, E, RZ));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, SUM, SUM, K, RZ));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, SUM, SUM, B, RZ));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, SUM, SUM, H, RZ));
    plan_store_and_exit(k, SUM);
}

/* What thread t stores, where all that it loads is 0. */
static uint32_t stored(uint32_t t)
{
    const uint32_t c = t + 7 + t;
    const uint32_t e = t < 20 ? t : 2 * (t + 7);
    const uint32_t b = 2 * (t + 7) + (t < 20 ? 1 : 2);
    const uint32_t h = t >= 10 ? c + t : t;

    return c + b + e + e + t + b + h;
}

static uint64_t play(const char *spec, uint64_t counts[COUNTED])
{
    char err[256];
    wr_report *report;

    plan_new(1);
    wr_system_group_close(group);
    group = wr_system_group_open(&spec, 1, NULL, &plan.cfg, err, sizeof err);
    assert_non_null(group);
    wr_gpu_attach(plan.gpu, wr_system_group_hooks(group));
    step *s = plan_add(0, "waits twice", 16, 1, 32);
    write_kernel(&s->kernel);
    const uint64_t cycles = plan_run_all();
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(plan_out(s, t), stored(t));
    }
    report = wr_system_group_report(group, 0);
    memset(counts, 0, COUNTED * sizeof *counts);
    for (size_t i = 0; i < wr_report_rows(report); i++) {
        note(counts, wr_report_row(report, i));
    }
    wr_report_free(report);
    return cycles;
}

static void test_by_hand(void **state)
{
    static const uint64_t expected[COUNTED] = {
        [STALLS] = 2,    [AHEAD] = 8, [PRELOADS] = 2, [BRANCHES] = 2,
        [LEFT_OUT] = 19, [KNOWN] = 3, [REUSED] = 8};
    uint64_t counts[COUNTED];

    (void)state;
    const uint64_t with = play("preexecution", counts);
    for (size_t i = 0; i < COUNTED; i++) {
        print_message("%s %lu\n", names[i], counts[i]);
    }
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(kit_stat(plan.gpu, "sm.reused"), 8);
    const uint64_t l1 = play("preexecution:preloads=0", counts);
    assert_int_equal(counts[PRELOADS], 0);
    assert_int_equal(counts[LEFT_OUT], 21);
    const uint64_t plain = play("preexecution:reach=0", counts);
    assert_int_equal(counts[STALLS], 0);
    /* no register: the predicates */
    (void)play("preexecution:renaming=0", counts);
    assert_int_equal(counts[AHEAD], 2);
    assert_int_equal(counts[REUSED], 2);
    /* one: b as well; in the second wait it is free again, for b where P holds */
    (void)play("preexecution:renaming=1", counts);
    assert_int_equal(counts[AHEAD], 4);
    assert_int_equal(counts[REUSED], 4);
    /* up to d */
    (void)play("preexecution:reach=6", counts);
    assert_int_equal(counts[PRELOADS], 1);
    (void)play("preexecution:reach=5", counts);
    assert_int_equal(counts[PRELOADS], 0);
    print_message("%lu cycles, %lu without preloads, %lu without pre-execution\n", with, l1, plain);
    assert_true(with < l1 && l1 <= plain); /* the second load finds its line */
}

/* Real kernels: right outputs; of what was ahead nothing is left at the end. */
static void test_kernels(void **state)
{
    static const struct {
        const char *kernel, *config;
    } rows[] = {
        {"gemm", "hd7970"},
        {"bfs_kernel1", "gtx480"},
        {"dwt2d_copy_components", "k20x"},
        {"btree_findk", "maxwell"},
    };

    uint64_t ahead = 0;
    uint64_t preloads = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = jobs_config(rows[i].config);
        uint64_t counts[COUNTED] = {0};
        uint64_t none[COUNTED] = {0};
        char path[64];
        wr_job job;

        (void)snprintf(path, sizeof path, "kernels/%s.yaml", rows[i].kernel);
        jobs_load(&job, path, 0);
        const job_outcome plain = jobs_run(&job, &cfg, NULL);
        const job_outcome off = jobs_run_under(&job, &cfg, "preexecution:reach=0", note, none);
        const job_outcome on = jobs_run_under(&job, &cfg, "preexecution", note, counts);

        assert_true(plain.right && off.right && on.right);
        assert_int_equal(off.result.cycles, plain.result.cycles);
        ahead += counts[AHEAD];
        assert_int_equal(counts[REUSED] + counts[AGAIN] + counts[LOST], counts[AHEAD]);
        preloads += counts[PRELOADS];
        print_message("%s on %s: %lu cycles, %lu with preexecution, %lu ahead, %lu preloads\n",
                      rows[i].kernel, rows[i].config, plain.result.cycles, on.result.cycles,
                      counts[AHEAD], counts[PRELOADS]);
        wr_job_free(&job);
    }
    assert_true(ahead > 10000 && preloads > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_by_hand, close_all),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
