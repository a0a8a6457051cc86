/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/reconvergence.md says of lanes of one warp that are on different paths of a branch,
 * sentence by sentence: right values, a fault that names the instruction, or no end. Lanes 0 to 15
 * are one side, 16 to 31 the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"
#include "tests/ops/ops_gpu.h"
#include "tests/ops/ops_list.h"

enum { THREADS = 64, LIMIT = 20000 };

/* %r1 is the lane, %r2 what is written at the end, %a the address of the thread's word of shared
 * memory, which holds 0; %low is true in lanes 0 to 15. */
#define HEAD                                                                                       \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 pout)\n{\n"      \
    ".reg .b32 %r<20>, %a;\n.reg .b64 %d<4>;\n.reg .pred %p<4>, %low;\n"                           \
    ".shared .align 4 .u32 word[64];\n.shared .align 4 .u32 lock;\nld.param.u64 %d1, [pout];\n"    \
    "mov.u32 %r3, %tid.x;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d1, %d1, %d2;\n"                    \
    "and.b32 %r1, %r3, 31;\nshl.b32 %r3, %r3, 2;\nmov.u32 %a, word;\nadd.u32 %a, %a, %r3;\n"       \
    "st.shared.u32 [%a], 0;\nst.shared.u32 [lock], 0;\nbar.sync 0;\n"                              \
    "setp.lt.u32 %low, %r1, 16;\nmov.u32 %r2, 3;\n"
#define TAIL "st.global.u32 [%d1], %r2;\nret;\n}\n"

/* The same operation of all lanes where one half comes to it, where both do in texts of their own,
 * where half of it is guarded off, and where the lanes leave a loop one after the other. */
#define ONE_SIDE(op)  "@%low bra J;\n" op "J:\n"
#define TWO_SIDES(op) "@%low bra A;\n" op "bra J;\nA:\n" op "add.u32 %r2, %r2, 0;\nJ:\n"
#define GUARDED(op)   "@%low " op
#define LOOP(op)                                                                                   \
    "mov.u32 %r4, 0;\nL:\n" op "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r1;\n@%p1 bra L;\n"
/* Those of the other half are gone, or have their end behind the branch. */
#define OTHERS_END(op)  "@!%low bra X;\n" op "bra J;\nX:\nst.global.u32 [%d1], %r2;\nexit;\nJ:\n"
#define OTHERS_END2(op) "@%low bra X;\n" op "bra J;\nX:\nst.global.u32 [%d1], %r2;\nexit;\nJ:\n"

#define SHFL     "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"
#define VOTE     "vote.sync.ballot.b32 %r2, %low, -1;\n"
#define MATCH    "match.any.sync.b32 %r2, %r2, -1;\n"
#define REDUX    "redux.sync.add.u32 %r2, %r1, -1;\n"
#define WARPSYNC "bar.warp.sync -1;\n"

static uint32_t got[THREADS];

static wr_run_result run(const char *body)
{
    char text[4096];
    wr_diag diag = {0};
    wr_gpu_config config = ops_gpu(true);
    wr_gpu *gpu = wr_gpu_create(&config);
    wr_run_result result;
    uint64_t out = wr_gpu_alloc(gpu, sizeof got, 256);

    (void)snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
    wr_ptx_module *tree = wr_ptx_parse("k", text, strlen(text), &diag);
    wr_module *module = tree != NULL ? wr_compile(tree, NULL, &diag) : NULL;
    if (module == NULL) {
        fail_msg("line %u: %s\n%s", diag.line, diag.message, text);
        return (wr_run_result){.status = WR_RUN_REFUSED};
    }
    wr_launch launch = {.kernel = &module->kernels[0],
                        .grid = {1, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = (const uint8_t *)&out};
    result = wr_gpu_run(gpu, &launch, LIMIT, NULL, NULL);
    assert_true(wr_gpu_read(gpu, out, got, sizeof got));
    wr_module_free(module);
    wr_ptx_free(tree);
    wr_gpu_free(gpu);
    return result;
}

/* A mask that names lanes that are elsewhere is a fault at the instruction, in every shape. */
static void test_masks(void **state)
{
    static const char *const bodies[] = {
        ONE_SIDE(SHFL),
        ONE_SIDE(VOTE),
        ONE_SIDE(MATCH),
        ONE_SIDE(REDUX),
        ONE_SIDE(WARPSYNC),
        TWO_SIDES(SHFL),
        TWO_SIDES(VOTE),
        TWO_SIDES(MATCH),
        TWO_SIDES(REDUX),
        TWO_SIDES(WARPSYNC),
        GUARDED(SHFL),
        GUARDED(VOTE),
        GUARDED(MATCH),
        GUARDED(REDUX),
        GUARDED(WARPSYNC),
        LOOP(SHFL),
        LOOP(VOTE),
        LOOP(MATCH),
        LOOP(REDUX),
        LOOP(WARPSYNC),
        /* a producer and a consumer */
        "@%low bra A;\nbar.warp.sync -1;\nld.shared.u32 %r2, [%a+-64];\nbra J;\n"
        "A:\nst.shared.u32 [%a], %r1;\nbar.warp.sync -1;\nJ:\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        wr_run_result r = run(bodies[i]);

        if (r.status != WR_RUN_TRAP || strstr(r.message, "another path of a branch") == NULL ||
            strstr(r.message, "PTX line") == NULL) {
            fail_msg("%s: '%s'", bodies[i], r.message);
        }
    }
}

/* A mask without the lane itself, also where it is known only at run time, is one too. */
static void test_own_lane(void **state)
{
    static const char *const bodies[] = {
        "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xfffffffe;\n",
        "mov.u32 %r4, 0;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, %r4;\n",
        "mov.u32 %r4, 0;\nvote.sync.ballot.b32 %r2, %low, %r4;\n",
        "mov.u32 %r4, 0;\nmatch.any.sync.b32 %r2, %r1, %r4;\n",
        "mov.u32 %r4, 0;\nredux.sync.add.u32 %r2, %r1, %r4;\n",
        "mov.u32 %r4, 0;\nbar.warp.sync %r4;\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        wr_run_result r = run(bodies[i]);

        if (r.status != WR_RUN_TRAP || strstr(r.message, "is not in the member mask") == NULL) {
            fail_msg("%s: '%s'", bodies[i], r.message);
        }
    }
}

typedef struct value_case {
    const char *body;
    uint32_t low, high; /* of lanes 0 to 15, 16 to 31; with the lane added where `by_lane` */
    bool by_lane;
} value_case;

static void check_values(const value_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wr_run_result r = run(cases[i].body);

        if (r.status != WR_RUN_DONE) {
            fail_msg("%s: '%s'", cases[i].body, r.message);
        }
        for (uint32_t t = 0; t < THREADS; t++) {
            uint32_t lane = t % 32;
            uint32_t want =
                (lane < 16 ? cases[i].low : cases[i].high) + (cases[i].by_lane ? lane : 0);

            if (got[t] != want) {
                fail_msg("%s: thread %u: %x, not %x", cases[i].body, t, got[t], want);
            }
        }
    }
}

/* What a warp that is apart can do: masks of one side, lanes that have ended, and what the lanes
 * that execute it alone take part in. */
static void test_values(void **state)
{
    static const value_case cases[] = {
        {"@%low bra A;\nredux.sync.add.u32 %r2, %r1, 0xffff0000;\nbra J;\n"
         "A:\nredux.sync.add.u32 %r2, %r1, 0xffff;\nJ:\n",
         120, 376, false},
        {OTHERS_END(REDUX), 120, 3, false},
        {OTHERS_END2(REDUX), 3, 376, false},
        /* those that end would go last, and go first */
        {"@%low bra A;\nst.global.u32 [%d1], %r2;\nexit;\nA:\n" REDUX, 120, 3, false},
        {"@%low bra A;\nst.global.u32 [%d1], %r2;\nexit;\nA:\n" VOTE, 0xffff, 3, false},
        {OTHERS_END(VOTE), 0xffff, 3, false},
        {OTHERS_END2(MATCH), 3, 0xffff0000, false},
        /* a lane that is gone, or not in the mask, gives 0 */
        {OTHERS_END(SHFL), 0, 3, false},
        {OTHERS_END2(SHFL), 3, 0, false},
        {ONE_SIDE("shfl.sync.idx.b32 %r2, %r1, 3, 31, 0xffff0000;\n"), 3, 0, false},
        /* without .sync: the lanes that execute it */
        {TWO_SIDES("vote.ballot.b32 %r2, %p1;\n@%low vote.ballot.b32 %r2, %low;\n"
                   "@!%low mov.u32 %r2, 7;\n"),
         0xffff, 7, false},
        {ONE_SIDE("activemask.b32 %r2;\n"), 3, 0xffff0000, false},
        {ONE_SIDE("shfl.bfly.b32 %r2, %r1, 16, 31;\n"), 3, 0, false},
        /* behind the branch they are together again */
        {"@%low bra A;\nmov.u32 %r2, 1;\nbra J;\nA:\nmov.u32 %r2, 2;\nJ:\n"
         "shfl.sync.bfly.b32 %r2, %r2, 16, 31, -1;\n",
         1, 2, false},
        /* each lane's own mask counts, also where masks differ, which PTX does not allow */
        {"selp.b32 %r4, -1, 0xffff0000, %low;\nredux.sync.add.u32 %r2, %r1, %r4;\n", 496, 376,
         false},
    };

    (void)state;
    check_values(cases, sizeof cases / sizeof *cases);
}

#define LOCK(again, first)                                                                         \
    first "L:\natom.shared.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n" again
#define UNLOCK "atom.shared.exch.b32 %r4, [lock], 0;\n"

/* Who goes first: lanes that take a branch, up to where both ways meet. */
static void test_spins(void **state)
{
    static const value_case ends[] = {
        /* those that wait fall through */
        {"@%low bra S;\nW:\nld.volatile.shared.u32 %r2, [word];\nsetp.eq.u32 %p1, %r2, 0;\n"
         "@%p1 bra W;\nbra J;\nS:\nmov.u32 %r2, 5;\nst.volatile.shared.u32 [word], %r2;\nJ:\n",
         5, 5, false},
        /* a lock that is given back inside the loop */
        {"L:\natom.shared.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra N;\n"
         "mov.u32 %r2, 9;\natom.shared.exch.b32 %r4, [lock], 0;\nN:\n@%p1 bra L;\n",
         9, 9, false},
        /* one that is given back behind it: its holder goes first, as far as that */
        {LOCK("@%p1 bra L;\n", "") "mov.u32 %r2, 9;\n" UNLOCK, 9, 9, false},
        {LOCK("@!%p1 bra D;\nbra L;\nD:\n", "") "mov.u32 %r2, 9;\n" UNLOCK, 9, 9, false},
        /* with other words between, on one of two ways, and where clang asks once before the loop
         */
        {LOCK("@%p1 bra L;\n", "") "@%low bra A;\nmov.u32 %r2, 1;\n" UNLOCK "bra J;\n"
                                   "A:\nmov.u32 %r2, 2;\n" UNLOCK "J:\n",
         2, 1, false},
        {LOCK("@%p1 bra L;\n",
              "atom.shared.cas.b32 %r7, [lock], 0, 1;\n"
              "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra D;\n") "D:\nmov.u32 %r2, 9;\n" UNLOCK,
         9, 9, false},
        /* a ticket, and a word of the address that is computed again */
        {"atom.shared.add.u32 %r5, [word], 1;\nL:\nld.volatile.shared.u32 %r4, [lock];\n"
         "setp.ne.u32 %p1, %r4, %r5;\n@%p1 bra L;\nmov.u32 %r2, 9;\nmov.u32 %r6, lock;\n"
         "add.u32 %r8, %r6, -4;\natom.shared.add.u32 %r4, [%r8+4], 1;\n",
         9, 9, false},
        /* two locks, of which the inner is given back first */
        {LOCK("@%p1 bra L;\n", "") "M:\natom.shared.cas.b32 %r4, [word], 0, 1;\n"
                                   "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra M;\nmov.u32 %r2, 9;\n"
                                   "atom.shared.exch.b32 %r4, [word], 0;\n" UNLOCK,
         9, 9, false},
        /* barriers behind it find the warp whole */
        {LOCK("@%p1 bra L;\n", "") "mov.u32 %r2, 9;\n" UNLOCK "barrier.sync 1;\n" VOTE, 0xffff,
         0xffff, false},
    };
    static const char *const spins[] = {
        /* those that wait take the branch */
        "@%low bra W;\nmov.u32 %r2, 5;\nst.volatile.shared.u32 [word], %r2;\nbra J;\nW:\n"
        "ld.volatile.shared.u32 %r2, [word];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\nJ:\n",
        /* a lock behind which lanes meet before it is given back */
        LOCK("@%p1 bra L;\n", "") WARPSYNC UNLOCK,
        /* a word that the loop itself does not keep apart from others */
        "L:\natom.shared.cas.b32 %r4, [%a], 1, 0;\nld.volatile.shared.u32 %r4, [lock];\n"
        "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nst.shared.u32 [%a], 1;\n",
    };

    (void)state;
    check_values(ends, sizeof ends / sizeof *ends);
    for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
        wr_run_result r = run(spins[i]);

        assert_int_equal(r.status, WR_RUN_CYCLE_LIMIT);
        if (strstr(r.message, "has not ended after 20000 cycles") == NULL) {
            fail_msg("%s: '%s'", spins[i], r.message);
        }
    }
}

/* Barriers of the block: bar counts warps, whoever comes; barrier wants the warp together. */
#define APART(bar) "@%low bra A;\n" bar "bra J;\nA:\n" bar "J:\n"
static void test_barriers(void **state)
{
    static const value_case taken[] = {
        {"@!%low bra X;\nbarrier.sync 1;\nbra J;\nX:\nst.global.u32 [%d1], %r2;\nexit;\nJ:\n", 3, 3,
         false},
        {"barrier.sync 1;\nbarrier.cta.sync 2, 64;\nbarrier.red.popc.u32 %r2, 3, %low;\n", 32, 32,
         false},
        {"@%low bra J;\nbar.sync 1;\nJ:\n", 3, 3, false},
        /* the others go to their end first */
        {ONE_SIDE("barrier.sync 1;\n"), 3, 3, false},
        {APART("barrier.sync.aligned 1;\n"), 3, 3, false},
        /* the first half that comes counts for the warp: the second goes on from a barrier of its
         * own, and what the first reads behind its own is not there yet */
        {"@!%low bra A;\nst.shared.u32 [%a], 8;\nbar.sync 1;\nbra J;\nA:\nbar.sync 1;\n"
         "ld.shared.u32 %r2, [%a+-64];\nJ:\n",
         3, 0, false},
    };
    static const char *const faults[] = {
        APART("barrier.sync 0;\n"),
        APART("barrier.sync 1;\n"),
        APART("barrier.cta.sync 1, 64;\n"),
        APART("barrier.red.popc.u32 %r2, 1, %low;\n"),
        APART("barrier.cta.red.or.pred %p1, 1, %low;\n"),
        APART("barrier.arrive 1, 96;\n"),
        ONE_SIDE("barrier.sync 1;\n") "bar.sync 0;\n",
        GUARDED("barrier.sync 1;\n") "bar.sync 0;\n",
    };

    (void)state;
    check_values(taken, sizeof taken / sizeof *taken);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        wr_run_result r = run(faults[i]);

        if (r.status != WR_RUN_TRAP || strstr(r.message, "comes to a barrier") == NULL) {
            fail_msg("%s: '%s'", faults[i], r.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),    cmocka_unit_test(test_own_lane),
        cmocka_unit_test(test_values),   cmocka_unit_test(test_spins),
        cmocka_unit_test(test_barriers),
    };

    return ops_listing() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
