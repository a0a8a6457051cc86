/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers with random numbers, counts and warps: a block of nine warps splits into two groups of
 * warps that meet at barriers of their own, some lanes having exited before. What a warp reads
 * behind the barrier is what the next warp of its group wrote before it.
 *
 * Input words: value; number of one group's barrier, of the other's, and the mask of the first
 * group's warps, the same in all threads of a block. A set of operands is a thread that arrives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

enum { WARPS = 9, BLOCK = 32 * WARPS, ALL = (1 << WARPS) - 1 };

typedef struct kind {
    const char *name; /* up to the operands */
    char what;        /* s: sync  a: arrive  p: reductions */
    bool counted;
} kind;

static bool lives(uint32_t value)
{
    return (value >> 4 & 15) != 0;
}

static bool says_yes(uint32_t value)
{
    return (value & 15) != 0;
}

static uint32_t group_of(const kind *k, uint32_t word, uint32_t warp)
{
    uint32_t first = word >> 8 & ALL;

    if (!k->counted) {
        return ALL;
    }
    return (first >> warp & 1) != 0 ? first : ALL & ~first;
}

/* The next warp of the set behind `warp`, round. */
static uint32_t next_warp(uint32_t set, uint32_t warp)
{
    do {
        warp = (warp + 1) % WARPS;
    } while ((set >> warp & 1) == 0);
    return warp;
}

static void oracle(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const kind *k = arg;

    for (uint32_t t = 0; t < threads; t++) {
        uint32_t warp = t / 32, group = group_of(k, in[1], warp), yes = 0, all = 0;
        bool produces = k->what == 'a' && (in[1] >> 8 >> warp & 1) != 0;
        uint32_t from = k->what == 'a' ? in[1] >> 8 & ALL : group;

        if (!lives(in[(size_t)2 * t])) {
            continue;
        }
        for (uint32_t i = 0; i < threads; i++) {
            bool counts = (group >> i / 32 & 1) != 0 && lives(in[(size_t)2 * i]);

            all += counts ? 1 : 0;
            yes += counts && says_yes(in[(size_t)2 * i]) ? 1 : 0;
        }
        out[2 * t] = produces ? in[2 * t] : in[2 * (32 * next_warp(from, warp) + t % 32)];
        out[2 * t + 1] =
            k->what == 'p' ? yes << 2 | (yes == all ? 1u : 0) | (yes != 0 ? 2u : 0) : 0;
    }
}

/* Numbers differ; both groups have a warp. Often all say yes, or none, or all but one. */
static void prepare(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)block;
    uint64_t r = rig_next(seed);
    uint32_t one = (uint32_t)(r >> 8 & 15), other = (one + 1 + (uint32_t)(r >> 12) % 15) & 15;
    uint32_t mask = 1 + (uint32_t)(r >> 20) % (ALL - 1), how = (uint32_t)(r >> 61);

    for (uint32_t t = 0; t < threads; t++) {
        uint32_t v = (uint32_t)(rig_next(seed) >> 24);

        if (how < 4) {
            v = (v & ~15u) | ((how & 1) != 0 ? 1u : 0);
        }
        in[2 * t] = v;
        in[2 * t + 1] = one | other << 4 | mask << 8;
    }
    if (how == 2 || how == 3) {
        in[2 * ((uint32_t)(r >> 30) % BLOCK)] ^= 1;
    }
}

static uint64_t arrivals(const uint32_t *in, uint32_t threads)
{
    uint64_t n = 0;

    for (uint32_t t = 0; t < threads; t++) {
        n += lives(in[(size_t)2 * t]) ? 1 : 0;
    }
    return n;
}

/* As parts of a format, but for the groups. %r10 number, %r11 count, %r12 the warps to read from,
 * %r13 the warp, %p2 whether it is of the first group, %p1 what it says. */
#define START                                                                                      \
    ".shared .align 4 .b8 s[4096];\nld.global.v2.u32 {%%r1, %%r2}, [%%in];\nmov.u32 %%r3, s;\n"    \
    "shl.b32 %%r4, %%t, 2;\nadd.u32 %%r4, %%r4, %%r3;\nst.shared.u32 [%%r4], %%r1;\n"              \
    "bfe.u32 %%r5, %%r1, 4, 4;\nsetp.eq.u32 %%p3, %%r5, 0;\n@%%p3 exit;\n"                         \
    "and.b32 %%r5, %%r1, 15;\nsetp.ne.u32 %%p1, %%r5, 0;\nshr.u32 %%r13, %%t, 5;\n"                \
    "bfe.u32 %%r12, %%r2, 8, 9;\nshr.u32 %%r5, %%r12, %%r13;\nand.b32 %%r5, %%r5, 1;\n"            \
    "setp.ne.u32 %%p2, %%r5, 0;\nand.b32 %%r10, %%r2, 15;\nbfe.u32 %%r6, %%r2, 4, 4;\n"            \
    "mov.u32 %%r20, 0;\n"
#define TWO_GROUPS                                                                                 \
    "selp.u32 %r10, %r10, %r6, %p2;\nxor.b32 %r5, %r12, 511;\nselp.u32 %r12, %r12, %r5, %p2;\n"    \
    "popc.b32 %r11, %r12;\nshl.b32 %r11, %r11, 5;\n"
#define ONE_GROUP "mov.u32 %r12, 511;\n"
#define PRODUCERS "mov.u32 %%r11, 288;\n"
/* The value of the next warp. */
#define FINISH                                                                                     \
    "add.u32 %%r5, %%r13, 1;\nshr.u32 %%r6, %%r12, %%r5;\nsetp.ne.u32 %%p4, %%r6, 0;\n"            \
    "selp.u32 %%r6, %%r6, %%r12, %%p4;\nselp.u32 %%r5, %%r5, 0, %%p4;\nbrev.b32 %%r6, %%r6;\n"     \
    "clz.b32 %%r6, %%r6;\nadd.u32 %%r5, %%r5, %%r6;\nsub.u32 %%r5, %%r5, %%r13;\nshl.b32 %%r5, "   \
    "%%r5, 7;\n"                                                                                   \
    "add.u32 %%r5, %%r5, %%r4;\nld.shared.u32 %%r7, [%%r5];\nLAST:\n"                              \
    "st.global.v2.u32 [%%out], {%%r7, %%r20};\n"

static const kind kinds[] = {
    {"bar.sync", 's', false},
    {"bar.sync", 's', true},
    {"bar.cta.sync", 's', false},
    {"bar.cta.sync", 's', true},
    {"barrier.sync", 's', false},
    {"barrier.sync", 's', true},
    {"barrier.cta.sync", 's', false},
    {"barrier.cta.sync", 's', true},
    {"barrier.sync.aligned", 's', true},
    {"bar.arrive", 'a', true},
    {"bar.cta.arrive", 'a', true},
    {"barrier.arrive", 'a', true},
    {"barrier.cta.arrive", 'a', true},
    {"bar.red", 'p', false},
    {"bar.red", 'p', true},
    {"barrier.red", 'p', false},
    {"barrier.red", 'p', true},
    {"barrier.cta.red", 'p', false},
    {"barrier.cta.red", 'p', true},
};

static void write_body(const kind *k, char *body, size_t size)
{
    const char *count = k->counted ? ", %r11" : "";
    int n;

    if (k->what == 'a') {
        char sync[32];

        (void)snprintf(sync, sizeof sync, "%.*s", (int)(strrchr(k->name, '.') - k->name), k->name);
        n = snprintf(body, size,
                     START PRODUCERS "@!%%p2 bra CONSUME;\n%s %%r10, %%r11;\nmov.u32 %%r7, %%r1;\n"
                                     "bra LAST;\nCONSUME:\n%s.sync %%r10, %%r11;\n" FINISH,
                     k->name, sync);
    } else if (k->what == 's') {
        n = snprintf(body, size, START "%s%s %%r10%s;\n" FINISH,
                     k->counted ? TWO_GROUPS : ONE_GROUP, k->name, count);
    } else {
        n = snprintf(body, size,
                     START "%s%s.popc.u32 %%r20, %%r10%s, %%p1;\n"
                           "%s.and.pred %%p5, %%r10%s, %%p1;\n%s.or.pred %%p6, %%r10%s, %%p1;\n"
                           "shl.b32 %%r20, %%r20, 2;\nselp.u32 %%r8, 1, 0, %%p5;\n"
                           "selp.u32 %%r9, 2, 0, %%p6;\nor.b32 %%r20, %%r20, %%r8;\n"
                           "or.b32 %%r20, %%r20, %%r9;\n" FINISH,
                     k->counted ? TWO_GROUPS : ONE_GROUP, k->name, count, k->name, count, k->name,
                     count);
    }
    assert_true(n > 0 && (size_t)n < size);
}

static void test_arrivals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char body[4096], subject[64];
        rig_case c = {.name = kinds[i].name,
                      .body = body,
                      .nin = 2,
                      .nout = 2,
                      .block = BLOCK,
                      .subject = subject,
                      .prepare = prepare,
                      .sets = arrivals,
                      .oracle_of = oracle,
                      .arg = &kinds[i]};

        (void)snprintf(subject, sizeof subject, "%s", kinds[i].name);
        write_body(&kinds[i], body, sizeof body);
        if (rig_check(&c, RIG_ANY) == 0) {
            fail_msg("%s: no context was saved", c.name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrivals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
