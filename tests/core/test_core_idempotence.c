/* SPDX-License-Identifier: Apache-2.0 */
/* What spoils a TB: launches of tiny PTX kernels, of which the launch knows the buffers. A watcher
 * sees every instruction issue and says after each, by itself, whether the TB must be spoilt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/launch.h"
#include "tests/compiler/text.h"
#include "tests/core/kit.h"

enum { TBS = 12, THREADS = 32, BYTES = 4096 };

typedef struct seen {
    bool idempotent;
    bool expected[TBS]; /* a spoiling instruction has issued with a lane */
    bool spoilt[TBS];   /* when its warp was done */
    unsigned issued[TBS], done;
    unsigned idle; /* spoiling instructions that issued without a lane */
} seen;

static seen now;

static void begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)launch;
    now.idempotent = wr_gpu_idempotent(gpu, stream);
}

/* A TB is one warp. The hook comes before the instruction acts. */
static void issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    uint32_t slot = sm->warps[warp].tb;
    wr_tb_info tb = wr_sm_tb(sm, slot);
    const wr_uop *u = &sm->tbs[slot].program->uops[sm->warps[warp].next];

    (void)self;
    assert_int_equal(tb.spoilt, now.expected[tb.linear]);
    now.issued[tb.linear]++;
    now.idle += u->spoils && lanes == 0 ? 1 : 0;
    now.expected[tb.linear] = now.expected[tb.linear] || (u->spoils && lanes > 0);
}

static void done(void *self, wr_sm *sm, uint32_t warp)
{
    wr_tb_info tb = wr_sm_tb(sm, sm->warps[warp].tb);

    (void)self;
    now.spoilt[tb.linear] = tb.spoilt;
    now.done++;
}

static const wr_system_hooks watcher = {
    .launch_begin = begin, .warp_issued = issued, .warp_done = done};

/* A kernel with parameters a, b, n and a struct s of a word and two pointers; %r2 is the thread's
 * number in the grid, %r5 the TB's; %r6, %r7 the thread's words in a and b. */
static wr_module *compile(const char *body)
{
    static const char head[] =
        ".version 6.0\n.target sm_50\n.address_size 32\n"
        ".extern .func (.param .b32 x) vprintf(.param .b32 f, .param .b32 p);\n"
        ".visible .entry k(.param .u32 a, .param .u32 b, .param .u32 n,\n"
        ".param .align 4 .b8 s[12])\n{\n.reg .pred %p<9>;\n.reg .b32 %r<30>;\n"
        "mov.u32 %r5, %ctaid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r2, %r5, 32, %r3;\n"
        "ld.param.u32 %r6, [a];\nmad.lo.u32 %r6, %r2, 4, %r6;\n"
        "ld.param.u32 %r7, [b];\nmad.lo.u32 %r7, %r2, 4, %r7;\nld.param.u32 %r8, [n];\n";
    char text[2048];

    (void)snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    return wr_test_compile_text(text, NULL);
}

/* Words of the parameter block: A, B stand for the buffers' addresses. */
enum { A = 1, B = 2 };
typedef struct args {
    uint32_t word[6];
    uint8_t buffer[6]; /* 0: the word is a number; else it is added to that buffer's address */
} args;

static void run(const char *body, const args *given)
{
    wr_gpu_config config = kit_config();
    wr_module *m = compile(body);
    uint32_t params[6];
    wr_launch launch = {.kernel = &m->kernels[0],
                        .grid = {TBS, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = (const uint8_t *)params};

    config.sms = 2;
    wr_gpu *gpu = wr_gpu_create(&config);
    assert_non_null(gpu);
    uint64_t a = wr_gpu_alloc(gpu, BYTES, 256), b = wr_gpu_alloc(gpu, BYTES, 256);

    for (unsigned i = 0; i < 6; i++) {
        uint64_t base = given->buffer[i] == A ? a : given->buffer[i] == B ? b : 0;
        params[i] = (uint32_t)base + given->word[i];
    }
    memset(&now, 0, sizeof now);
    wr_gpu_attach(gpu, &watcher);
    (void)kit_run(gpu, &launch);
    assert_int_equal(now.done, TBS);
    for (unsigned i = 0; i < TBS; i++) {
        assert_true(now.issued[i] > 2);
        assert_int_equal(now.spoilt[i], now.expected[i]);
        assert_false(now.idempotent && now.spoilt[i]);
    }
    wr_gpu_free(gpu);
    wr_module_free(m);
}

static unsigned spoilt_tbs(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < TBS; i++) {
        count += now.spoilt[i] ? 1 : 0;
    }
    return count;
}

static const args two = {.buffer = {A, B}};
static const char copy[] = "ld.global.u32 %r9, [%r6];\nst.global.u32 [%r7], %r9;\n";

static void idempotent(void **state)
{
    (void)state;
    run(copy, &two);
    assert_true(now.idempotent);
    assert_int_equal(spoilt_tbs(), 0);
}

static void one_buffer_twice(void **state)
{
    static const args same = {.buffer = {A, A}, .word = {0, BYTES / 2}};

    (void)state;
    run(copy, &same);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), TBS);
}

/* Odd TBs store in place, the others come to the store with no lane. */
static void false_predicate(void **state)
{
    (void)state;
    run("ld.global.u32 %r9, [%r6];\nand.b32 %r10, %r5, 1;\nsetp.eq.u32 %p1, %r10, 1;\n"
        "@%p1 st.global.u32 [%r6], %r9;\n",
        &two);
    assert_false(now.idempotent);
    assert_int_equal(now.idle, TBS / 2);
    for (unsigned i = 0; i < TBS; i++) {
        assert_int_equal(now.spoilt[i], i % 2);
    }
}

/* One lane is enough. */
static void one_lane(void **state)
{
    (void)state;
    run("ld.global.u32 %r9, [%r6];\nsetp.eq.u32 %p1, %r2, 70;\n@%p1 st.global.u32 [%r6], %r9;\n",
        &two);
    assert_int_equal(spoilt_tbs(), 1);
    assert_true(now.spoilt[70 / THREADS]);
}

static void atomics(void **state)
{
    (void)state;
    run("setp.gt.u32 %p1, %r5, 8;\n@%p1 red.global.add.u32 [%r6], 1;\n", &two);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), TBS - 9);
    run("atom.global.add.u32 %r9, [%r6], 1;\n", &two);
    assert_int_equal(spoilt_tbs(), TBS);
}

static void services(void **state)
{
    (void)state;
    run("setp.gt.u32 %p1, %r5, 3;\n@!%p1 bra END;\n{ .param .b32 p0; .param .b32 p1;\n"
        ".param .b32 x;\nst.param.b32 [p0], %r6;\nst.param.b32 [p1], %r7;\n"
        "call.uni (x), vprintf, (p0, p1); }\nEND:\n",
        &two);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), TBS - 4);
}

static void struct_of_pointers(void **state)
{
    static const char body[] = "ld.param.u32 %r10, [s+4];\nld.param.u32 %r11, [s+8];\n"
                               "ld.global.u32 %r9, [%r10];\nst.global.u32 [%r11+8], %r9;\n";
    static const args apart = {.buffer = {[4] = A, [5] = B}};
    static const args same = {.buffer = {[4] = B, [5] = B}, .word = {[5] = 1024}};

    (void)state;
    run(body, &apart);
    assert_true(now.idempotent);
    run(body, &same);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), TBS);
}

/* n is an index of bytes. As a number it does not matter; where it looks like a pointer to what is
 * read the launch is not called idempotent, though the number added to a pointer would miss. */
static void number_like_a_pointer(void **state)
{
    static const char body[] = "ld.param.u32 %r10, [b];\nadd.u32 %r10, %r10, %r8;\n"
                               "ld.global.u8 %r9, [%r6];\nsetp.lt.u32 %p1, %r8, 99;\n"
                               "@%p1 st.global.u8 [%r10], %r9;\n";
    static const args number = {.buffer = {A, B}, .word = {[2] = 5}};
    static const args like_a = {.buffer = {A, B, A}, .word = {[2] = 5}};
    static const args like_b = {.buffer = {A, B, B}, .word = {[2] = 5}};
    /* a, scaled by nothing, is a number here, and n the pointer: the store is in place */
    static const args turned = {.buffer = {B, 0, B}, .word = {[1] = 64}};

    (void)state;
    run(body, &number);
    assert_true(now.idempotent);
    run(body, &like_a);
    assert_false(now.idempotent);
    run(body, &like_b);
    assert_true(now.idempotent);
    run(body, &turned);
    assert_false(now.idempotent);
}

static void unknown_store(void **state)
{
    /* a holds zeros, so the guard lets no lane through */
    static const char body[] = "ld.global.u32 %r9, [%r6];\nsetp.ne.u32 %p1, %r9, 0;\n"
                               "@%p1 st.global.u32 [%r9], %r9;\n";

    (void)state;
    run(body, &two);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), 0);
    assert_int_equal(now.idle, TBS);
}

/* A TB that comes back is what it was; one that is fresh is not spoilt, whatever its identity says.
 */
static void place_again(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    unsigned *placed = self;

    (void)launch;
    for (unsigned i = 0; i < 4; i++) {
        wr_tb_info tb;

        assert_true(wr_gpu_tb_take(gpu, stream, &tb));
        assert_false(tb.spoilt);
        tb.fresh = (i & 1) != 0;
        tb.spoilt = (i & 2) != 0;
        uint32_t slot = wr_sm_tb_place(sm, &tb, NULL, 0);
        assert_int_not_equal(slot, UINT32_MAX);
        assert_int_equal(wr_sm_tb(sm, slot).spoilt, i == 2);
        wr_sm_tb_start(sm, slot);
        (*placed)++;
    }
}

static void kept_when_placed(void **state)
{
    unsigned placed = 0;
    const wr_system_hooks hooks = {.self = &placed, .launch_begin = place_again};
    wr_gpu_config config = kit_config();
    wr_module *m = compile(copy);
    uint32_t params[6] = {0};
    wr_launch launch = {.kernel = &m->kernels[0],
                        .grid = {TBS, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = (const uint8_t *)params};
    wr_gpu *gpu = wr_gpu_create(&config);

    (void)state;
    assert_non_null(gpu);
    params[0] = (uint32_t)wr_gpu_alloc(gpu, BYTES, 256);
    params[1] = (uint32_t)wr_gpu_alloc(gpu, BYTES, 256);
    wr_gpu_attach(gpu, &hooks);
    wr_run_result r = wr_gpu_run(gpu, &launch, 100000, NULL, NULL);
    assert_int_equal(r.status, WR_RUN_DONE);
    assert_int_equal(placed, 4);
    wr_gpu_free(gpu);
    wr_module_free(m);
}

/* Kernels that no compiler has looked at: nothing is known of their addresses. */
static void without_roots(void **state)
{
    static kit_kernel kk;
    wr_gpu_config config = kit_config();
    wr_gpu *gpu = wr_gpu_create(&config);

    (void)state;
    assert_non_null(gpu);
    uint32_t at = (uint32_t)wr_gpu_alloc(gpu, BYTES, 256);
    kit_begin(&kk, "loads and stores", 4);
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 1, RZ, at));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 1, RZ, at + 4));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch launch = kit_launch(&kk, TBS, THREADS, NULL);
    memset(&now, 0, sizeof now);
    wr_gpu_attach(gpu, &watcher);
    (void)kit_run(gpu, &launch);
    assert_false(now.idempotent);
    assert_int_equal(spoilt_tbs(), TBS);
    wr_gpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idempotent),
        cmocka_unit_test(one_buffer_twice),
        cmocka_unit_test(false_predicate),
        cmocka_unit_test(one_lane),
        cmocka_unit_test(atomics),
        cmocka_unit_test(services),
        cmocka_unit_test(struct_of_pointers),
        cmocka_unit_test(number_like_a_pointer),
        cmocka_unit_test(unknown_store),
        cmocka_unit_test(kept_when_placed),
        cmocka_unit_test(without_roots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
