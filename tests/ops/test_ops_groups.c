/* SPDX-License-Identifier: Apache-2.0 */
/* Operations across lanes where each warp splits into two random groups: the lanes whose bit is
 * set in the warp's mask, and the others. Both do the same thing on paths of their own. Values,
 * lanes, segments and masks are random, so every instruction meets groups of every size.
 *
 * Input words: value, second value, control of shuffles, mask of the warp.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

enum { NIN = 4, NOUT = 2, PARTIAL = 90 }; /* the last warp of such a block has 26 lanes */

typedef struct kind {
    const char *name, *subject;
    const char *text; /* # stands for the group's mask; results in %r8 and %r9 */
    /* What lane `lane` of the group `members` gets; in: of the warp. */
    void (*lane)(const struct kind *k, const uint32_t *in, uint32_t members, uint32_t lane,
                 uint32_t *out);
    char what[8];
    uint32_t block;
} kind;

static uint32_t value(const uint32_t *in, uint32_t lane)
{
    return in[(size_t)NIN * lane];
}

static void oracle(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const kind *k = arg;

    for (uint32_t t = 0; t < threads; t++) {
        uint32_t first = t & ~31u, lane = t & 31, live = threads - first;
        uint32_t mask = in[(size_t)NIN * t + 3];
        uint32_t members = (mask >> lane & 1) != 0 ? mask : ~mask;

        members &= live < 32 ? (1u << live) - 1 : UINT32_MAX;
        k->lane(k, in + (size_t)NIN * first, members, lane, out + (size_t)NOUT * t);
    }
}

/* ---- shuffles ---- */

static void shuffled(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane,
                     uint32_t *out)
{
    int b = (int)(in[NIN * lane + 1] & 31), seg = (int)(in[NIN * lane + 2] >> 8 & 31);
    int clamp = (int)(in[NIN * lane + 2] & 31), me = (int)lane, from;
    int most = (me & seg) | (clamp & ~seg), least = me & seg;
    bool inside;

    switch (k->what[0]) {
    case 'u':
        from = me - b;
        inside = from >= most;
        break;
    case 'd':
        from = me + b;
        inside = from <= most;
        break;
    case 'b':
        from = me ^ b;
        inside = from <= most;
        break;
    default:
        from = least | (b & ~seg);
        inside = from <= most;
        break;
    }
    from = inside ? from : me;
    /* A lane that is elsewhere gives 0. */
    out[0] = (members >> from & 1) != 0 ? value(in, (uint32_t)from) : 0;
    out[1] = inside;
}

#define SHFL_SYNC(mode)                                                                            \
    "and.b32 %r3, %r3, 0x1f1f;\nshfl.sync." mode ".b32 %r8|%p2, %r1, %r2, %r3, #;\n"               \
    "selp.u32 %r9, 1, 0, %p2;\n"
#define SHFL(mode)                                                                                 \
    "and.b32 %r3, %r3, 0x1f1f;\nshfl." mode ".b32 %r8|%p2, %r1, %r2, %r3;\n"                       \
    "selp.u32 %r9, 1, 0, %p2;\n"

/* ---- votes ---- */

static void voted(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane, uint32_t *out)
{
    uint32_t yes = 0;

    (void)lane;
    for (uint32_t i = 0; i < 32; i++) {
        if ((members >> i & 1) != 0) {
            yes |= ((value(in, i) & 1) ^ (k->what[0] == '!' ? 1 : 0)) << i;
        }
    }
    out[0] = yes;
    out[1] =
        (yes == members ? 1u : 0) | (yes != 0 ? 2u : 0) | (yes == members || yes == 0 ? 4u : 0);
}

#define VOTE(sync, p, mask)                                                                        \
    "and.b32 %r4, %r1, 1;\nsetp.ne.u32 %p1, %r4, 0;\n"                                             \
    "vote" sync ".ballot.b32 %r8, " p mask ";\nvote" sync ".all.pred %p2, " p mask ";\n"           \
    "vote" sync ".any.pred %p3, " p mask ";\nvote" sync ".uni.pred %p4, " p mask ";\n"             \
    "selp.u32 %r5, 1, 0, %p2;\nselp.u32 %r6, 2, 0, %p3;\nselp.u32 %r7, 4, 0, %p4;\n"               \
    "or.b32 %r5, %r5, %r6;\nor.b32 %r9, %r5, %r7;\n"

static void active(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane,
                   uint32_t *out)
{
    (void)k, (void)in, (void)lane;
    out[0] = members;
    out[1] = ~members;
}

/* ---- match ---- */

static void matched(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane,
                    uint32_t *out)
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < 32; i++) {
        bool equal = (members >> i & 1) != 0 && value(in, i) == value(in, lane) &&
                     (k->what[0] == '3' || in[NIN * i + 1] == in[NIN * lane + 1]);

        same |= equal ? 1u << i : 0;
    }
    out[0] = same;
    out[1] = same == members ? members : 5;
}

#define MATCH(type, reg)                                                                           \
    "match.any.sync." type " %r8, " reg ", #;\nmatch.all.sync." type " %r9|%p2, " reg ", #;\n"     \
    "selp.u32 %r4, 0, 5, %p2;\nxor.b32 %r9, %r9, %r4;\n"

/* ---- redux ---- */

static void reduced(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane,
                    uint32_t *out)
{
    bool first = true;
    uint32_t r = 0;

    (void)lane;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t v = (members >> i & 1) != 0 ? value(in, i) : 0;
        bool less = k->what[1] == 's' ? (int32_t)v < (int32_t)r : v < r;

        if ((members >> i & 1) == 0) {
            continue;
        }
        switch (k->what[0]) {
        case '+':
            r += v;
            break;
        case '&':
            r = first ? v : r & v;
            break;
        case '|':
            r |= v;
            break;
        case '^':
            r ^= v;
            break;
        case '<':
            r = first || less ? v : r;
            break;
        default:
            r = first || !less ? v : r;
            break;
        }
        first = false;
    }
    out[0] = r;
    out[1] = 1;
}

#define REDUX(op) "redux.sync." op " %r8, %r1, #;\nmov.u32 %r9, 1;\n"

/* ---- what a group writes before the barrier of its lanes, it reads behind it ---- */

static void met(const kind *k, const uint32_t *in, uint32_t members, uint32_t lane, uint32_t *out)
{
    uint32_t from = in[NIN * lane + 1] & 31;

    (void)k;
    out[0] = (members >> from & 1) != 0 ? value(in, from) : value(in, lane);
    out[1] = 1;
}

#define MEET                                                                                       \
    "mov.u32 %r4, s;\nmov.u32 %r5, %laneid;\nsub.u32 %r6, %t, %r5;\nand.b32 %r7, %r2, 31;\n"       \
    "shr.u32 %r8, #, %r7;\nand.b32 %r8, %r8, 1;\nsetp.ne.u32 %p2, %r8, 0;\n"                       \
    "selp.u32 %r7, %r7, %r5, %p2;\nadd.u32 %r7, %r7, %r6;\nshl.b32 %r7, %r7, 2;\n"                 \
    "add.u32 %r7, %r7, %r4;\nshl.b32 %r9, %t, 2;\nadd.u32 %r9, %r9, %r4;\n"                        \
    "st.shared.u32 [%r9], %r1;\nbar.warp.sync #;\nld.shared.u32 %r8, [%r7];\nmov.u32 %r9, 1;\n"

static const kind shuffles[] = {
    {"shfl.sync.up", "shfl", SHFL_SYNC("up"), shuffled, "u", 0},
    {"shfl.sync.down", "shfl", SHFL_SYNC("down"), shuffled, "d", 0},
    {"shfl.sync.bfly", "shfl", SHFL_SYNC("bfly"), shuffled, "b", 0},
    {"shfl.sync.idx", "shfl", SHFL_SYNC("idx"), shuffled, "i", 0},
    {"shfl.sync.down of a partial warp", "shfl", SHFL_SYNC("down"), shuffled, "d", PARTIAL},
    {"shfl.up", "shfl", SHFL("up"), shuffled, "u", 0},
    {"shfl.down", "shfl", SHFL("down"), shuffled, "d", 0},
    {"shfl.bfly", "shfl", SHFL("bfly"), shuffled, "b", 0},
    {"shfl.idx", "shfl", SHFL("idx"), shuffled, "i", 0},
    {"shfl.idx of a partial warp", "shfl", SHFL("idx"), shuffled, "i", PARTIAL},
};

static const kind votes[] = {
    {"vote.sync", "vote", VOTE(".sync", "%p1", ", #"), voted, "", 0},
    {"vote.sync of the opposite", "vote", VOTE(".sync", "!%p1", ", #"), voted, "!", 0},
    {"vote.sync of a partial warp", "vote", VOTE(".sync", "%p1", ", #"), voted, "", PARTIAL},
    {"vote", "vote", VOTE("", "%p1", ""), voted, "", 0},
    {"vote of the opposite", "vote", VOTE("", "!%p1", ""), voted, "!", PARTIAL},
    {"activemask", "activemask", "activemask.b32 %r8;\nnot.b32 %r9, %r8;\n", active, "", PARTIAL},
    {"match.b32", "match", MATCH("b32", "%r1"), matched, "3", 0},
    {"match.b32 of a partial warp", "match", MATCH("b32", "%r1"), matched, "3", PARTIAL},
    {"match.b64", "match", "mov.b64 %d1, {%r1, %r2};\n" MATCH("b64", "%d1"), matched, "6", 0},
};

static const kind reductions[] = {
    {"redux.sync.add.u32", "redux", REDUX("add.u32"), reduced, "+", 0},
    {"redux.sync.add.s32", "redux", REDUX("add.s32"), reduced, "+", PARTIAL},
    {"redux.sync.min.u32", "redux", REDUX("min.u32"), reduced, "<u", 0},
    {"redux.sync.max.u32", "redux", REDUX("max.u32"), reduced, ">u", PARTIAL},
    {"redux.sync.min.s32", "redux", REDUX("min.s32"), reduced, "<s", PARTIAL},
    {"redux.sync.max.s32", "redux", REDUX("max.s32"), reduced, ">s", 0},
    {"redux.sync.and.b32", "redux", REDUX("and.b32"), reduced, "&", PARTIAL},
    {"redux.sync.or.b32", "redux", REDUX("or.b32"), reduced, "|", 0},
    {"redux.sync.xor.b32", "redux", REDUX("xor.b32"), reduced, "^", 0},
    {"bar.warp.sync", "bar.warp.sync", MEET, met, "", 0},
};

/* ---- the text, and values that agree often ---- */

static void put(char *body, size_t size, const char *text, const char *mask)
{
    size_t n = strlen(body);

    for (; *text != '\0'; text++) {
        n += (size_t)snprintf(body + n, size - n, "%.*s", *text == '#' ? 4 : 1,
                              *text == '#' ? mask : text);
    }
    assert_true(n < size);
}

static void write_body(const kind *k, char *body, size_t size)
{
    body[0] = '\0';
    put(body, size,
        ".shared .align 4 .b8 s[4096];\nld.global.v4.u32 {%r1, %r2, %r3, %r31}, [%in];\n"
        "mov.u32 %r29, %laneid;\nshr.u32 %r29, %r31, %r29;\nand.b32 %r29, %r29, 1;\n"
        "setp.ne.u32 %p9, %r29, 0;\nnot.b32 %r30, %r31;\n@%p9 bra ONE;\n",
        "");
    put(body, size, k->text, "%r30");
    put(body, size, "bra BOTH;\nONE:\n", "");
    put(body, size, k->text, "%r31");
    put(body, size, "BOTH:\nst.global.v2.u32 [%out], {%r8, %r9};\n", "");
}

static void prepare(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)block;
    uint32_t alike = 0, low = 0, high = 0;

    for (uint32_t t = 0; t < threads; t++) {
        uint64_t r = rig_next(seed);

        if (t % 32 == 0) {
            alike = (uint32_t)(r >> 61);
            low = in[(size_t)NIN * t];
            high = in[(size_t)NIN * t + 1];
        }
        if (alike < 3 || (alike < 6 && (r >> 59) != 0)) { /* all alike, or all but a few */
            in[(size_t)NIN * t] = low;
            in[(size_t)NIN * t + 1] = alike == 1 ? in[(size_t)NIN * t + 1] : high;
        }
        in[(size_t)NIN * t + 2] = (uint32_t)(r >> 8);
    }
    rig_warp_masks(in, threads, NIN, 3, seed);
}

/* Shuffles want other values in every lane. */
static void prepare_shuffle(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)block;
    for (uint32_t t = 0; t < threads; t++) {
        uint64_t r = rig_next(seed);

        in[(size_t)NIN * t] = (uint32_t)rig_next(seed);
        in[(size_t)NIN * t + 1] = (uint32_t)(r >> 32);
        in[(size_t)NIN * t + 2] = (r & 3) == 0 ? 0x1f : (uint32_t)(r >> 8);
    }
    rig_warp_masks(in, threads, NIN, 3, seed);
}

static void check(const kind *kinds, size_t count, bool shuffle)
{
    uint64_t saved = 0;

    for (size_t i = 0; i < count; i++) {
        char body[4096];
        rig_case c = {.name = kinds[i].name,
                      .body = body,
                      .nin = NIN,
                      .nout = NOUT,
                      .block = kinds[i].block,
                      .subject = kinds[i].subject,
                      .prepare = shuffle ? prepare_shuffle : prepare,
                      .oracle_of = oracle,
                      .arg = &kinds[i]};

        write_body(&kinds[i], body, sizeof body);
        saved += rig_check(&c, RIG_ANY);
    }
    assert_true(saved > 0);
}

static void test_shuffles(void **state)
{
    (void)state;
    check(shuffles, sizeof shuffles / sizeof *shuffles, true);
}

static void test_votes(void **state)
{
    (void)state;
    check(votes, sizeof votes / sizeof *votes, false);
}

static void test_reductions(void **state)
{
    (void)state;
    check(reductions, sizeof reductions / sizeof *reductions, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_reductions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
