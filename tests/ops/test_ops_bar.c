/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of every form: what a warp reads behind one is what the others wrote before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

#define SHARED ".shared .align 4 .b8 s[4096];\n"
#define PUT                                                                                        \
    "ld.global.u32 %r1, [%in];\nshl.b32 %r2, %t, 2;\nmov.u32 %r3, s;\n"                            \
    "add.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
/* The value of the thread whose number is %r4. */
#define GET                                                                                        \
    "shl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r3;\nld.shared.u32 %r5, [%r4];\n"                    \
    "st.global.u32 [%out], %r5;\n"

/* out = in of the thread 32 further on, round the block. */
static void round_block(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = in[(t + 32) % threads];
    }
}
#define ROUND "add.u32 %r4, %t, 32;\nmov.u32 %r5, %ntid.x;\nrem.u32 %r4, %r4, %r5;\n"

/* Warps 0 and 1 exchange, warp 2 keeps its own. */
static void first_two(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = in[t < 64 ? t ^ 32u : t];
    }
}
#define FIRST_TWO(bar)                                                                             \
    SHARED PUT "setp.ge.u32 %p1, %t, 64;\nmov.u32 %r4, %t;\n@%p1 bra OWN;\n" bar                   \
               "xor.b32 %r4, %t, 32;\nOWN:\n" GET

/* The other warps' values, added up in rounds; warp 0 consumes, the others produce and go on. */
static void produced(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = 0;
        for (uint32_t round = 0; round < 6 && t < 32; round++) {
            out[t] += 3 * (in[t + 32] + round) + (in[t + 64] ^ round);
        }
    }
}

static void handed_over(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = t < 32 ? in[t + 32] + in[t + 64] : 0;
    }
}

static void reduced(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    uint32_t yes = 0, low = 0;

    for (uint32_t t = 0; t < threads; t++) {
        yes += in[t] & 1;
        low += t < 64 && in[t] < 0xf0000000u;
    }
    for (uint32_t t = 0; t < threads; t++) {
        out[4 * t] = yes;
        out[4 * t + 1] = (uint32_t)(yes == threads) | (uint32_t)(yes != 0) << 1;
        out[4 * t + 2] = t < 64 ? low : 5;
        out[4 * t + 3] = t < 64 ? (uint32_t)(low == 64) | (uint32_t)(low != 0) << 1 : 5;
    }
}
#define REDUCED(bar)                                                                               \
    "ld.global.u32 %r1, [%in];\nand.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\n" bar              \
    ".red.popc.u32 %r3, 0, %p1;\nst.global.u32 [%out], %r3;\n" bar                                 \
    ".red.and.pred %p2, 1, %p1;\n" bar ".red.or.pred %p3, 1, %p1;\n"                               \
    "selp.u32 %r4, 1, 0, %p2;\nselp.u32 %r5, 2, 0, %p3;\nor.b32 %r4, %r4, %r5;\n"                  \
    "st.global.u32 [%out+4], %r4;\n"                                                               \
    "mov.u32 %r6, 5;\nmov.u32 %r7, 5;\nsetp.ge.u32 %p4, %t, 64;\n@%p4 bra LAST;\n"                 \
    "setp.lt.u32 %p5, %r1, 0xf0000000;\n" bar ".red.popc.u32 %r6, 3, 64, %p5;\n"                   \
    "mov.u32 %r10, 4;\nmov.u32 %r11, 64;\n" bar ".red.and.pred %p2, %r10, %r11, %p5;\n" bar        \
    ".red.or.pred %p3, %r10, %r11, !%p6;\n" /* as below */                                         \
    "selp.u32 %r7, 1, 0, %p2;\nselp.u32 %r8, 2, 0, %p3;\nor.b32 %r7, %r7, %r8;\n"                  \
    "LAST:\nst.global.u32 [%out+8], %r6;\nst.global.u32 [%out+12], %r7;\n"
#define NOT_P5 "ld.global.u32 %r1, [%in];\nsetp.ge.u32 %p6, %r1, 0xf0000000;\n"

/* Two warps produce in rounds, one consumes: barrier 1 = full, barrier 2 = empty. */
#define PIPE                                                                                       \
    SHARED "mov.u32 %r3, s;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r3;\n"                        \
           "ld.global.u32 %r1, [%in];\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\n"                         \
           "setp.lt.u32 %p1, %t, 32;\n@%p1 bra CONSUME;\nsetp.lt.u32 %p2, %t, 64;\n"               \
           "PRODUCE:\n"                                                                            \
           "xor.b32 %r8, %r1, %r6;\nadd.u32 %r9, %r1, %r6;\nmul.lo.u32 %r9, %r9, 3;\n"             \
           "selp.u32 %r8, %r9, %r8, %p2;\nst.shared.u32 [%r2], %r8;\n"                             \
           "bar.arrive 1, 96;\nbar.sync 2, 96;\n"                                                  \
           "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 6;\n@%p3 bra PRODUCE;\nbra DONE;\n"        \
           "CONSUME:\nbar.sync 1, 96;\n"                                                           \
           "ld.shared.u32 %r8, [%r2+128];\nld.shared.u32 %r9, [%r2+256];\n"                        \
           "add.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\n"                                      \
           "bar.arrive 2, 96;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 6;\n"                   \
           "@%p3 bra CONSUME;\nDONE:\nst.global.u32 [%out], %r7;\n"

/* The producers arrive and exit; the consumer comes much later. */
#define HAND_OVER                                                                                  \
    SHARED PUT "mov.u32 %r6, 0;\nst.global.u32 [%out], %r6;\nsetp.lt.u32 %p1, %t, 32;\n"           \
               "@%p1 bra SLOW;\nbar.arrive 5, 96;\nexit;\n"                                        \
               "SLOW:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 200;\n@%p2 bra SLOW;\n"         \
               "bar.sync 5, 96;\nld.shared.u32 %r7, [%r2+128];\nld.shared.u32 %r8, [%r2+256];\n"   \
               "add.u32 %r7, %r7, %r8;\nst.global.u32 [%out], %r7;\n"

static const rig_case cases[] = {
    {"bar.sync 0", NULL, SHARED PUT "bar.sync 0;\n" ROUND GET, 1, 1, 0, round_block,
     .subject = "bar barrier"},
    {"bar.sync 7", NULL, SHARED PUT "bar.sync 7;\n" ROUND GET, 1, 1, 0, round_block,
     .subject = "bar barrier"},
    {"bar.cta.sync 7", NULL, SHARED PUT "bar.cta.sync 7;\n" ROUND GET, 1, 1, 0, round_block,
     .subject = "bar barrier"},
    {"barrier.sync.aligned 0", NULL, SHARED PUT "barrier.sync.aligned 0;\n" ROUND GET, 1, 1, 0,
     round_block, .subject = "bar barrier"},
    {"barrier.cta.sync 15", NULL, SHARED PUT "barrier.cta.sync 15;\n" ROUND GET, 1, 1, 0,
     round_block, .subject = "bar barrier"},
    {"bar.sync with a number from a register", NULL,
     SHARED PUT
     "mov.u32 %r6, %ctaid.x;\nand.b32 %r6, %r6, 7;\nadd.u32 %r6, %r6, 3;\nbar.sync %r6;\n" ROUND
         GET,
     1, 1, 0, round_block, .subject = "bar barrier"},
    {"bar.sync 0 and 1 in a loop", NULL,
     SHARED PUT "mov.u32 %r6, 0;\nTOP:\nbar.sync 0;\nadd.u32 %r6, %r6, 1;\nbar.sync 1;\n"
                "setp.lt.u32 %p1, %r6, 9;\n@%p1 bra TOP;\n" ROUND GET,
     1, 1, 0, round_block, .subject = "bar barrier"},
    {"bar.sync 2, 64", NULL, FIRST_TWO("bar.sync 2, 64;\n"), 1, 1, 0, first_two,
     .subject = "bar barrier"},
    {"bar.sync 0, 64", NULL, FIRST_TWO("bar.sync 0, 64;\n"), 1, 1, 0, first_two,
     .subject = "bar barrier"},
    {"barrier.sync 2, 64", NULL, FIRST_TWO("barrier.sync 2, 64;\n"), 1, 1, 0, first_two,
     .subject = "bar barrier"},
    {"bar.sync, count from a register", NULL, FIRST_TWO("mov.u32 %r6, 64;\nbar.sync 2, %r6;\n"), 1,
     1, 0, first_two, .subject = "bar barrier"},
    {"bar.sync, both from registers", NULL,
     FIRST_TWO("mov.u32 %r6, 64;\nmov.u32 %r7, 9;\nbar.sync %r7, %r6;\n"), 1, 1, 0, first_two,
     .subject = "bar barrier"},
    {"bar.arrive", NULL, PIPE, 1, 1, 0, produced, .subject = "bar barrier"},
    {"bar.arrive, then exit", NULL, HAND_OVER, 1, 1, 0, handed_over, .subject = "bar barrier"},
    {"bar.red", NULL, NOT_P5 REDUCED("bar"), 1, 4, 0, reduced, .subject = "bar barrier"},
    {"barrier.red", NULL, NOT_P5 REDUCED("barrier"), 1, 4, 0, reduced, .subject = "bar barrier"},
    {"barrier.cta.red", NULL, NOT_P5 REDUCED("barrier.cta"), 1, 4, 0, reduced,
     .subject = "bar barrier"},
};

static void test_barriers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t saved = rig_check(&cases[i], i % 2 == 0 ? RIG_ANY : RIG_FEW);

        if (saved == 0) {
            fail_msg("%s: no context was saved", cases[i].name);
        }
    }
}

static void test_wrong_use(void **state)
{
    static const struct {
        rig_case c;
        const char *part;
    } faults[] = {
        {{"number", NULL, "mov.u32 %r1, 16;\nbar.sync %r1;\n", 1, 1, 0, NULL, .subject = NULL},
         "numbered 0 to 15"},
        {{"count", NULL, "mov.u32 %r1, 40;\nbar.sync 1, %r1;\n", 1, 1, 0, NULL, .subject = NULL},
         "multiple of 32"},
        {{"counts differ", NULL,
          "setp.ge.u32 %p2, %t, 64;\n@%p2 exit;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\n"
          "bar.sync 1, 64;\nexit;\nA:\nbar.sync 1, 96;\n",
          1, 1, 0, NULL, .subject = NULL},
         "same count everywhere"},
        {{"twice", NULL,
          "setp.ge.u32 %p1, %t, 32;\n@%p1 exit;\nbar.arrive 1, 96;\nbar.arrive 1, 96;\n", 1, 1, 0,
          NULL, .subject = NULL},
         "second arrival"},
        {{"too few", NULL, "setp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\nexit;\nA:\nbar.sync 1, 96;\n", 1,
          1, 0, NULL, .subject = NULL},
         "deadlock"},
    };
    char message[512];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strstr(rig_fault(&faults[i].c, NULL, message), faults[i].part) == NULL) {
            fail_msg("%s: '%s'", faults[i].c.name, message);
        }
        /* Preemption moves warps that wait, but must not hide that they wait for ever. */
        if (strstr(rig_fault(&faults[i].c, "preemption:period=1000", message), faults[i].part) ==
            NULL) {
            fail_msg("%s, preempted: '%s'", faults[i].c.name, message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_wrong_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
