/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers that say where and when a thread runs; and trap, which says so too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

/* Every output word is 1 where the text found what it must. */
static void all_ones(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t i = 0; i < 4 * threads; i++) {
        out[i] = 1;
    }
}

static void masks(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t bit = 1u << t % 32, *o = out + (size_t)6 * t;

        o[0] = t % 32;
        o[1] = bit;
        o[2] = bit - 1;
        o[3] = bit - 1 + bit;
        o[4] = ~(bit - 1 + bit);
        o[5] = ~(bit - 1);
    }
}

#define STORE(n) "selp.u32 %r9, 1, 0, %p1;\nst.global.u32 [%out+" #n "], %r9;\n"

static void clocks(void **state)
{
    /* Later readings are not smaller; the halves of the wide ones agree with the narrow ones. */
    static const rig_case c = {
        .name = "clocks",
        .body =
            "mov.u32 %r1, %clock;\nmov.u64 %d1, %clock64;\nmov.u32 %r2, %clock_hi;\n"
            "mov.u64 %d2, %clock64;\nmov.u32 %r3, %clock;\n"
            "setp.gt.u64 %p1, %d2, %d1;\n" STORE(
                0) "sub.u32 %r4, %r3, %r1;\n"
                   "cvt.u32.u64 %r5, %d1;\nsub.u32 %r5, %r5, %r1;\nsetp.lt.u32 %p1, %r5, "
                   "%r4;\n" STORE(4) "mov.u64 %d3, %globaltimer;\nmov.u32 %r6, %globaltimer_lo;\n"
                                     "mov.u32 %r7, %globaltimer_hi;\nmov.b64 %d4, {%r6, "
                                     "%r7};\nsetp.ge.u64 %p1, %d4, %d3;\n" STORE(
                                         8) "shr.u64 %d5, %d2, 32;\ncvt.u32.u64 %r8, "
                                            "%d5;\nsetp.eq.u32 %p1, %r8, %r2;\n" STORE(12),
        .nin = 1,
        .nout = 4,
        .oracle = all_ones,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

static void places(void **state)
{
    static const rig_case c = {
        .name = "places",
        .module = ".shared .align 4 .b8 room[100];",
        .body = "mov.u32 %r1, %smid;\nmov.u32 %r2, %nsmid;\nsetp.lt.u32 %p1, %r1, %r2;\n" STORE(
            0) "mov.u32 %r1, %warpid;\nmov.u32 %r2, %nwarpid;\nsetp.lt.u32 %p1, %r1, "
               "%r2;\n" STORE(4) "mov.u64 %d1, %gridid;\nsetp.eq.u64 %p1, %d1, "
                                 "1;\n" STORE(8) "mov.u32 %r1, room;\nst.shared.u32 "
                                                 "[room], %r1;\n"
                                                 "mov.u32 %r1, "
                                                 "%total_smem_size;\nmov.u32 %r2, "
                                                 "%dynamic_smem_size;\n"
                                                 "mad.lo.u32 %r1, %r2, 1000, "
                                                 "%r1;\nsetp.eq.u32 %p1, %r1, "
                                                 "100;\n" STORE(12),
        .nin = 1,
        .nout = 4,
        .oracle = all_ones,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

/* %envreg1 and 2 lead to 8 bytes of zeros that all threads share, all others read 0. */
static void environment(void **state)
{
    static const rig_case c = {
        .name = "environment",
        .body = "mov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\nmov.b64 %d1, {%r2, %r1};\n"
                "cvt.@P.u64 %a0, %d1;\nld.global.u32 %r3, [%a0];\nsetp.eq.u32 %p1, %r3, 0;\n" STORE(
                    0) "atom.global.or.b32 %r3, [%a0+4], 4;\nand.b32 %r3, %r3, -5;\n"
                       "setp.eq.u32 %p1, %r3, 0;\n" STORE(
                           4) "ld.volatile.global.u32 %r3, [%a0+4];\n"
                              "setp.eq.u32 %p1, %r3, 4;\n" STORE(
                                  8) "mov.u32 %r4, %envreg0;\nmov.u32 %r5, %envreg31;\n"
                                     "or.b32 %r4, %r4, %r5;\nsetp.eq.u32 %p1, %r4, 0;\n" STORE(12),
        .nin = 1,
        .nout = 4,
        .oracle = all_ones,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

static void lanes(void **state)
{
    static const rig_case c = {
        .name = "lanes",
        .body = "mov.u32 %r1, %laneid;\nst.global.u32 [%out], %r1;\n"
                "mov.u32 %r1, %lanemask_eq;\nst.global.u32 [%out+4], %r1;\n"
                "mov.u32 %r1, %lanemask_lt;\nst.global.u32 [%out+8], %r1;\n"
                "mov.u32 %r1, %lanemask_le;\nst.global.u32 [%out+12], %r1;\n"
                "mov.u32 %r1, %lanemask_gt;\nst.global.u32 [%out+16], %r1;\n"
                "mov.u32 %r1, %lanemask_ge;\nst.global.u32 [%out+20], %r1;\n",
        .nin = 1,
        .nout = 6,
        .oracle = masks,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

/* Thread, block and grid in three dimensions; in: the block's number. */
static void number_block(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)seed;
    for (uint32_t t = 0; t < threads; t++) {
        in[t] = block;
    }
}

static void cube(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, out += 12) {
        const uint32_t words[] = {t % 5,     t / 5 % 4,     t / 20,    5, 4, 6,
                                  in[t] % 2, in[t] / 2 % 3, in[t] / 6, 2, 3, 1};

        memcpy(out, words, sizeof words);
    }
}

#define PUT(name, at) "mov.u32 %r1, %" name ";\nst.global.u32 [%out+" #at "], %r1;\n"

static void dimensions(void **state)
{
    static const rig_case c = {
        .name = "dimensions",
        .body = PUT("tid.x", 0) PUT("tid.y", 4) PUT("tid.z", 8) PUT("ntid.x", 12) PUT("ntid.y", 16)
            PUT("ntid.z", 20) PUT("ctaid.x", 24) PUT("ctaid.y", 28) PUT("ctaid.z", 32)
                PUT("nctaid.x", 36)
                    PUT("nctaid.y", 40) "mov.u32 %r1, %ctaid.z;\nmov.u32 %r2, %nctaid.z;\n"
                                        "setp.lt.u32 %p1, %r1, %r2;\n" STORE(44),
        .nin = 1,
        .nout = 12,
        .block = 120,
        .shape = {5, 4, 6},
        .oracle = cube,
        .prepare = number_block,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

/* Without clusters each block is one of its own; nothing is reserved of shared memory. */
static void clusters(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, out += 18) {
        const uint32_t words[] = {
            in[t] % 2, in[t] / 2 % 3, in[t] / 6, 2, 3, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 7};

        memcpy(out, words, sizeof words);
    }
}

static void no_clusters(void **state)
{
    static const rig_case c = {
        .name = "clusters",
        .body = PUT("clusterid.x", 0) PUT("clusterid.y", 4) PUT("clusterid.z", 8)
            PUT("nclusterid.x", 12) PUT("nclusterid.y", 16) PUT("cluster_ctaid.x", 20) PUT(
                "cluster_ctaid.y", 24) PUT("cluster_ctaid.z", 28) PUT("cluster_nctaid.x", 32)
                PUT("cluster_nctaid.y", 36) PUT("cluster_nctaid.z", 40) PUT("cluster_ctarank", 44)
                    PUT("cluster_nctarank", 48) PUT("reserved_smem_offset_begin",
                                                    52) PUT("reserved_smem_offset_end", 56)
                        PUT("reserved_smem_offset_cap",
                            60) "mov.pred %p1, %is_explicit_cluster;\n"
                                "selp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%out+64], %r1;\n"
                                "mov.u32 %r1, %aggr_smem_size;\nmov.u32 %r2, %total_smem_size;\n"
                                "mov.u32 %r3, %reserved_smem_offset_0;\nadd.u32 %r2, %r2, %r3;\n"
                                "mov.u32 %r3, %reserved_smem_offset_1;\nadd.u32 %r2, %r2, %r3;\n"
                                "setp.eq.u32 %p1, %r1, %r2;\nselp.u32 %r1, 7, 0, %p1;\n"
                                "st.global.u32 [%out+68], %r1;\n",
        .nin = 1,
        .nout = 18,
        .block = 120,
        .shape = {5, 4, 6},
        .oracle = clusters,
        .prepare = number_block,
        .subject = "mov",
    };

    (void)state;
    assert_true(rig_check(&c, RIG_ANY) > 0); /* some contexts were saved */
}

/* One thread of 250,000 traps; those before it have gone on, behind the same instruction. */
static void count_up(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = in[t] * 96 + t + 1;
    }
}

static void trap_names_its_thread(void **state)
{
    static const char *const cases[][2] = {
        {"trap", "setp.eq.u32 %p1, %g, 240005;\n@%p1 trap;\nadd.u32 %r1, %g, 1;\n"
                 "st.global.u32 [%out], %r1;\n"},
        {"brkpt", "setp.eq.u32 %p1, %g, 240005;\n@%p1 brkpt;\nadd.u32 %r1, %g, 1;\n"
                  "st.global.u32 [%out], %r1;\n"},
    };
    char message[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rig_case c = {.name = cases[i][0],
                            .body = cases[i][1],
                            .nin = 1,
                            .nout = 1,
                            .oracle = count_up,
                            .prepare = number_block,
                            .subject = cases[i][0],
                            .want = 250000};

        rig_fault(&c, NULL, message);
        assert_non_null(strstr(message, "block (2500,0,0), thread (5,0,0): trap executed"));
        assert_non_null(strstr(message, "kernel k"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks),      cmocka_unit_test(places),
        cmocka_unit_test(environment), cmocka_unit_test(lanes),
        cmocka_unit_test(dimensions),  cmocka_unit_test(trap_names_its_thread),
        cmocka_unit_test(no_clusters),
    };

    return cmocka_run_group_tests_name("special registers", tests, NULL, NULL);
}
