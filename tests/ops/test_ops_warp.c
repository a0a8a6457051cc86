/* SPDX-License-Identifier: Apache-2.0 */
/* Operations across the lanes of a warp, against loops over lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

#define LOAD2 "ld.global.u32 %r1, [%in];\nld.global.u32 %r2, [%in+4];\n"
#define NIN   2

/* in: what warp `t` of a block belongs to; calls f for each warp of the block. */
#define EACH_WARP(f)                                                                               \
    for (uint32_t w_ = 0; w_ < threads; w_ += 32)                                                  \
    f(in + (size_t)w_ * NIN, out + (size_t)w_ * 2)

/* ---- shuffles: out = value, whether in range ---- */

static void shuffle(char mode, uint32_t b, uint32_t c, const uint32_t *in, uint32_t *out)
{
    for (int lane = 0; lane < 32; lane++) {
        int seg = (int)(c >> 8 & 31), clamp = (int)(c & 31), j;
        int top = (lane & seg) | (clamp & ~seg), bottom = lane & seg;
        int own = (int)(b == UINT32_MAX ? in[NIN * lane + 1] & 31 : b & 31);
        bool ok;

        if (mode == 'u') {
            j = lane - own;
            ok = j >= top;
        } else if (mode == 'd') {
            j = lane + own;
            ok = j <= top;
        } else if (mode == 'b') {
            j = lane ^ own;
            ok = j <= top;
        } else {
            j = bottom | (own & ~seg & 31);
            ok = j <= top;
        }
        out[2 * lane] = in[NIN * (ok ? j : lane)];
        out[2 * lane + 1] = ok;
    }
}

#define SHFL_BODY(mode, b, c, mask)                                                                \
    LOAD2 "shfl.sync." mode ".b32 %r3|%p1, %r1, " b ", " c ", " mask ";\n"                         \
          "selp.u32 %r4, 1, 0, %p1;\nst.global.u32 [%out], %r3;\nst.global.u32 [%out+4], %r4;\n"
#define SHUFFLE(name, mode, b, c)                                                                  \
    static void name##_warp(const uint32_t *in, uint32_t *out)                                     \
    {                                                                                              \
        shuffle(mode, b, c, in, out);                                                              \
    }                                                                                              \
    static void name(const uint32_t *in, uint32_t *out, uint32_t threads)                          \
    {                                                                                              \
        EACH_WARP(name##_warp);                                                                    \
    }

SHUFFLE(shfl_up, 'u', 3, 0)
SHUFFLE(shfl_down, 'd', 16, 31)
SHUFFLE(shfl_bfly, 'b', 5, 31)
SHUFFLE(shfl_idx, 'i', 7, 31)
SHUFFLE(shfl_up_seg, 'u', 2, 0x1800)
SHUFFLE(shfl_down_seg, 'd', 5, 0x1807)
SHUFFLE(shfl_bfly_seg, 'b', 12, 0x1007)
SHUFFLE(shfl_idx_seg, 'i', 13, 0x1c03)
SHUFFLE(shfl_idx_any, 'i', UINT32_MAX, 31)
SHUFFLE(shfl_down_any, 'd', UINT32_MAX, 0x181f)

/* The lanes of one path; a source on the other path gives 0. */
static void shfl_diverged_warp(const uint32_t *in, uint32_t *out)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = lane ^ (lane % 3 == 0 ? 3u : 1u);
        bool same = (from % 3 == 0) == (lane % 3 == 0);

        out[2 * lane] = (same ? in[NIN * from] : 0) + (lane % 3 == 0 ? 100 : 0);
        out[2 * lane + 1] = in[NIN * lane + 1];
    }
}
static void shfl_diverged(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(shfl_diverged_warp);
}

static const rig_case shuffles[] = {
    {"shfl.sync.up", NULL, SHFL_BODY("up", "3", "0", "-1"), NIN, 2, 0, shfl_up, .subject = "shfl"},
    {"shfl.sync.down", NULL, SHFL_BODY("down", "16", "31", "-1"), NIN, 2, 0, shfl_down,
     .subject = "shfl"},
    {"shfl.sync.bfly", NULL, SHFL_BODY("bfly", "5", "31", "-1"), NIN, 2, 0, shfl_bfly,
     .subject = "shfl"},
    {"shfl.sync.idx", NULL, SHFL_BODY("idx", "7", "31", "-1"), NIN, 2, 0, shfl_idx,
     .subject = "shfl"},
    {"shfl.sync.up, segments", NULL, SHFL_BODY("up", "2", "0x1800", "-1"), NIN, 2, 0, shfl_up_seg,
     .subject = "shfl"},
    {"shfl.sync.down, segments", NULL, SHFL_BODY("down", "5", "0x1807", "-1"), NIN, 2, 0,
     shfl_down_seg, .subject = "shfl"},
    {"shfl.sync.bfly, segments", NULL, SHFL_BODY("bfly", "12", "0x1007", "-1"), NIN, 2, 0,
     shfl_bfly_seg, .subject = "shfl"},
    {"shfl.sync.idx, segments", NULL, SHFL_BODY("idx", "13", "0x1c03", "-1"), NIN, 2, 0,
     shfl_idx_seg, .subject = "shfl"},
    {"shfl.sync.idx, lane from a register", NULL, SHFL_BODY("idx", "%r2", "31", "-1"), NIN, 2, 0,
     shfl_idx_any, .subject = "shfl"},
    {"shfl.sync.down, all from registers", NULL,
     "mov.u32 %r10, 0x181f;\nmov.u32 %r11, -1;\n" SHFL_BODY("down", "%r2", "%r10", "%r11"), NIN, 2,
     0, shfl_down_any, .subject = "shfl"},
    {"shfl.down without .sync", NULL,
     LOAD2 "shfl.down.b32 %r3|%p1, %r1, 16, 31;\n"
           "selp.u32 %r4, 1, 0, %p1;\nst.global.u32 [%out], %r3;\nst.global.u32 [%out+4], %r4;\n",
     NIN, 2, 0, shfl_down, .subject = "shfl"},
    {"shfl.sync in a diverged warp", NULL,
     LOAD2 "mov.u32 %r5, %laneid;\nrem.u32 %r6, %r5, 3;\nsetp.eq.u32 %p1, %r6, 0;\n"
           "st.global.u32 [%out+4], %r2;\n@%p1 bra THIRD;\n"
           "shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xb6db6db6;\nbra DONE;\n"
           "THIRD:\nshfl.sync.bfly.b32 %r3, %r1, 3, 31, 0x49249249;\nadd.u32 %r3, %r3, 100;\n"
           "DONE:\nst.global.u32 [%out], %r3;\n",
     NIN, 2, 0, shfl_diverged, .subject = "shfl"},
};

/* ---- votes ---- */

static void votes_warp(const uint32_t *in, uint32_t *out)
{
    uint32_t yes = 0;

    for (uint32_t lane = 0; lane < 32; lane++) {
        yes |= (uint32_t)(in[NIN * lane] % 8 != 0) << lane;
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t all = yes == UINT32_MAX, any = yes != 0;

        out[2 * lane] = yes;
        out[2 * lane + 1] = all | any << 1 | (uint32_t)(all || !any) << 2;
    }
}
static void votes(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(votes_warp);
}

/* Two groups of lanes vote apart in one instruction. */
static void votes_apart_warp(const uint32_t *in, uint32_t *out)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t first = lane & 16, yes = 0, all = 1, any = 0;

        for (uint32_t k = first; k < first + 16; k++) {
            uint32_t v = in[NIN * k] % 8 != 0;

            yes |= v << k;
            all &= v;
            any |= v;
        }
        out[2 * lane] = yes;
        out[2 * lane + 1] = all | any << 1 | (uint32_t)(all || !any) << 2;
    }
}
static void votes_apart(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(votes_apart_warp);
}

/* Only lanes that are still there count. */
static void active_warp(const uint32_t *in, uint32_t *out)
{
    uint32_t odd = 0;

    for (uint32_t lane = 0; lane < 32; lane++) {
        odd |= (in[NIN * lane] & 1) << lane;
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        out[2 * lane] = (in[NIN * lane] & 1) != 0 ? odd : ~odd;
        out[2 * lane + 1] = 0xffffffffu;
    }
}
static void active(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(active_warp);
}

#define VOTES(sync, mask)                                                                          \
    LOAD2 "and.b32 %r3, %r1, 7;\nsetp.ne.u32 %p1, %r3, 0;\n"                                       \
          "vote" sync ".ballot.b32 %r4, %p1" mask ";\nvote" sync ".all.pred %p2, %p1" mask ";\n"   \
          "vote" sync ".any.pred %p3, %p1" mask ";\nvote" sync ".uni.pred %p4, %p1" mask ";\n"     \
          "selp.u32 %r5, 1, 0, %p2;\nselp.u32 %r6, 2, 0, %p3;\nselp.u32 %r7, 4, 0, %p4;\n"         \
          "or.b32 %r5, %r5, %r6;\nor.b32 %r5, %r5, %r7;\n"                                         \
          "st.global.u32 [%out], %r4;\nst.global.u32 [%out+4], %r5;\n"

static const rig_case vote_cases[] = {
    {"vote.sync", NULL, VOTES(".sync", ", 0xffffffff"), NIN, 2, 0, votes, .subject = "vote"},
    {"vote", NULL, VOTES("", ""), NIN, 2, 0, votes, .subject = "vote"},
    {"vote.sync of two groups", NULL,
     "mov.u32 %r10, %laneid;\nshr.u32 %r10, %r10, 4;\nmul.lo.u32 %r10, %r10, 16;\n"
     "mov.u32 %r11, 0xffff;\nshl.b32 %r11, %r11, %r10;\n" VOTES(".sync", ", %r11"),
     NIN, 2, 0, votes_apart, .subject = "vote"},
    {"activemask", NULL,
     LOAD2 "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra ODD;\n"
           "activemask.b32 %r4;\nbra.uni DONE;\nODD:\nactivemask.b32 %r4;\nDONE:\n"
           "activemask.b32 %r5;\nbar.warp.sync 0xffffffff;\n"
           "st.global.u32 [%out], %r4;\nst.global.u32 [%out+4], %r5;\n",
     NIN, 2, 0, active, .subject = "activemask"},
};

/* ---- match and redux ---- */

static void match32_warp(const uint32_t *in, uint32_t *out)
{
    uint32_t all = 1;

    for (uint32_t lane = 0; lane < 32; lane++) {
        all &= in[NIN * lane] == in[0];
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        out[2 * lane] = 0;
        for (uint32_t k = 0; k < 32; k++) {
            out[2 * lane] |= (uint32_t)(in[NIN * k] == in[NIN * lane]) << k;
        }
        out[2 * lane + 1] = all != 0 ? UINT32_MAX : 7;
    }
}
static void match32(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(match32_warp);
}

static void match64_warp(const uint32_t *in, uint32_t *out)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        out[2 * lane] = 0;
        for (uint32_t k = 0; k < 32; k++) {
            out[2 * lane] |=
                (uint32_t)(in[NIN * k] == in[NIN * lane] && in[NIN * k + 1] == in[NIN * lane + 1])
                << k;
        }
        out[2 * lane + 1] = UINT32_MAX;
    }
}
static void match64(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    EACH_WARP(match64_warp);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type can't stand in parentheses */
#define REDUX(name, type, start, combine)                                                          \
    static void name##_warp(const uint32_t *in, uint32_t *out)                                     \
    {                                                                                              \
        type all = (type)(start), low = (type)(start);                                             \
        for (uint32_t k = 0; k < 32; k++) {                                                        \
            type v = (type)in[NIN * k];                                                            \
            type *into = &all;                                                                     \
            type x = *into;                                                                        \
            *into = (type)(combine);                                                               \
            into = &low;                                                                           \
            x = *into;                                                                             \
            if (k < 8)                                                                             \
                *into = (type)(combine);                                                           \
        }                                                                                          \
        for (uint32_t k = 0; k < 32; k++) {                                                        \
            out[2 * k] = (uint32_t)all;                                                            \
            out[2 * k + 1] = k < 8 ? (uint32_t)low : 9;                                            \
        }                                                                                          \
    }                                                                                              \
    static void name(const uint32_t *in, uint32_t *out, uint32_t threads)                          \
    {                                                                                              \
        EACH_WARP(name##_warp);                                                                    \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

REDUX(redux_add, uint32_t, 0, x + v)
REDUX(redux_umin, uint32_t, UINT32_MAX, x < v ? x : v)
REDUX(redux_umax, uint32_t, 0, x > v ? x : v)
REDUX(redux_smin, int32_t, INT32_MAX, x < v ? x : v)
REDUX(redux_smax, int32_t, INT32_MIN, x > v ? x : v)
REDUX(redux_and, uint32_t, UINT32_MAX, x &v)
REDUX(redux_or, uint32_t, 0, x | v)
REDUX(redux_xor, uint32_t, 0, x ^ v)

/* All lanes, then the first eight. */
#define REDUX_CASE(op, oracle)                                                                     \
    {                                                                                              \
        "redux.sync." op, NULL,                                                                    \
            LOAD2 "redux.sync." op " %r3, %r1, 0xffffffff;\nst.global.u32 [%out], %r3;\n"          \
                  "mov.u32 %r4, %laneid;\nsetp.ge.u32 %p1, %r4, 8;\nmov.u32 %r5, 9;\n"             \
                  "@%p1 bra SKIP;\nmov.u32 %r6, 255;\nredux.sync." op " %r5, %r1, %r6;\n"          \
                  "SKIP:\nst.global.u32 [%out+4], %r5;\n",                                         \
            NIN, 2, 0, oracle, .subject = "redux"                                                  \
    }

static const rig_case match_cases[] = {
    {"match.b32", NULL,
     LOAD2 "match.any.sync.b32 %r3, %r1, 0xffffffff;\nst.global.u32 [%out], %r3;\n"
           "match.all.sync.b32 %r4|%p1, %r1, 0xffffffff;\nselp.u32 %r5, %r4, 7, %p1;\n"
           "or.b32 %r5, %r5, %r4;\nst.global.u32 [%out+4], %r5;\n",
     NIN, 2, 0, match32, .subject = "match"},
    {"match.b64", NULL,
     LOAD2 "mov.b64 %d1, {%r1, %r2};\nmatch.any.sync.b64 %r3, %d1, 0xffffffff;\n"
           "st.global.u32 [%out], %r3;\nmov.u64 %d2, 0x123456789;\n"
           "match.all.sync.b64 %r4|%p1, %d2, 0xffffffff;\nselp.u32 %r5, %r4, 0, %p1;\n"
           "st.global.u32 [%out+4], %r5;\n",
     NIN, 2, 0, match64, .subject = "match"},
    REDUX_CASE("add.u32", redux_add),
    REDUX_CASE("add.s32", redux_add),
    REDUX_CASE("min.u32", redux_umin),
    REDUX_CASE("max.u32", redux_umax),
    REDUX_CASE("min.s32", redux_smin),
    REDUX_CASE("max.s32", redux_smax),
    REDUX_CASE("and.b32", redux_and),
    REDUX_CASE("or.b32", redux_or),
    REDUX_CASE("xor.b32", redux_xor),
};

/* ---- what must not go on ---- */

static const rig_case faults[] = {
    {"shfl.sync: member mask without the lane", NULL,
     LOAD2 "shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xfffffffe;\nst.global.u32 [%out], %r3;\n", NIN, 2,
     0, NULL, .subject = NULL},
    {"vote.sync: lanes on another path", NULL,
     LOAD2 "mov.u32 %r3, %laneid;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra LOW;\n"
           "vote.sync.ballot.b32 %r4, %p1, 0xffffffff;\nst.global.u32 [%out], "
           "%r4;\nLOW:\nst.global.u32 [%out+4], %r3;\n",
     NIN, 2, 0, NULL, .subject = NULL},
    {"bar.warp.sync: lanes on another path", NULL,
     LOAD2
     "mov.u32 %r3, %laneid;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra LOW;\n"
     "bar.warp.sync 0xffffffff;\nst.global.u32 [%out], %r3;\nLOW:\nst.global.u32 [%out+4], %r3;\n",
     NIN, 2, 0, NULL, .subject = NULL},
};

static void check_all(const rig_case *cases, size_t count, rig_inputs inputs)
{
    uint64_t saved = 0;

    for (size_t i = 0; i < count; i++) {
        saved += rig_check(&cases[i], inputs);
    }
    print_message("%zu cases, %llu contexts saved\n", count, (unsigned long long)saved);
    assert_true(saved > 0);
}

static void test_shuffles(void **state)
{
    (void)state;
    check_all(shuffles, sizeof shuffles / sizeof *shuffles, RIG_ANY);
}

static void test_votes(void **state)
{
    (void)state;
    check_all(vote_cases, sizeof vote_cases / sizeof *vote_cases, RIG_FEW);
}

static void test_match_and_redux(void **state)
{
    (void)state;
    check_all(match_cases, sizeof match_cases / sizeof *match_cases, RIG_FEW);
    check_all(match_cases, sizeof match_cases / sizeof *match_cases, RIG_ANY);
}

static void test_faults(void **state)
{
    char message[512];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strstr(rig_fault(&faults[i], NULL, message), "member mask") == NULL) {
            fail_msg("%s: '%s'", faults[i].name, message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_match_and_redux),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
