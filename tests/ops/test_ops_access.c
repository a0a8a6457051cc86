/* SPDX-License-Identifier: Apache-2.0 */
/* ld and st of every type, in vectors, in every space and by generic addresses that differ from
 * lane to lane: each thread has a place of 32 bytes in three memories, stores somewhere in it and
 * loads from somewhere in it. The oracle is an array of bytes. Constants and parameters are loaded
 * at random places.
 *
 * Input words: 8 that fill the places; the opposite of words 3 to 6 is the data; bytes of word 7
 * say where to store, where to load, and which memory the generic accesses go to. Output words: 4
 * loaded by each of global, shared, local, generic, then the place in global memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/ops_list.h"
#include "tests/ops/warp_rig.h"

/* Of a type and vector: so every type has some 300,000 accesses, and every space with every vector
 * more. */
enum { NIN = 8, NOUT = 24, PLACE = 32, PER_TYPE = OPS_SETS / 8 };

typedef struct access {
    const char *type;
    uint32_t size, vec;
} access;

static const char *const types[] = {"u8",  "s8",  "u16", "s16", "u32", "s32",   "u64", "s64", "b8",
                                    "b16", "b32", "b64", "f16", "f32", "f16x2", "f64", "bf16"};

static access access_of(const char *type, uint32_t vec)
{
    bool pair = strcmp(type, "f16x2") == 0;

    return (access){
        type, pair ? 4 : (uint32_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8, vec};
}

/* Elements of memory as the words that the kernel stores: each extended to 32 or 64 bits. */
static void loaded(const access *a, const uint8_t *from, uint32_t *out)
{
    for (uint32_t i = 0; i < a->vec; i++) {
        uint64_t v = 0;

        for (uint32_t b = 0; b < a->size; b++) {
            v |= (uint64_t)from[i * a->size + b] << 8 * b;
        }
        if (a->type[0] == 's' && a->size < 4 && (v >> (8 * a->size - 1)) != 0) {
            v |= UINT64_MAX << 8 * a->size;
        }
        if (a->size == 8) {
            out[2 * i + 1] = (uint32_t)(v >> 32);
        }
        out[a->size == 8 ? 2 * i : i] = (uint32_t)v;
    }
}

static void stored(const access *a, const uint32_t *data, uint8_t *to)
{
    uint32_t words = a->size == 8 ? 2 : 1;

    for (uint32_t i = 0; i < a->vec; i++) {
        for (uint32_t b = 0; b < a->size; b++) {
            to[i * a->size + b] = (uint8_t)(data[words * i + b / 4] >> 8 * (b % 4));
        }
    }
}

static void spaces(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const access *a = arg;
    uint32_t bytes = a->size * a->vec;

    for (uint32_t t = 0; t < threads; t++, in += NIN, out += NOUT) {
        uint32_t to = (in[7] & 255) % (PLACE / bytes) * bytes;
        uint32_t from = (in[7] >> 8 & 255) % (PLACE / bytes) * bytes;
        uint32_t generic = (in[7] >> 16 & 255) % 3;
        uint32_t data[] = {~in[3], ~in[4], ~in[5], ~in[6]};
        uint8_t place[3][PLACE];

        for (unsigned m = 0; m < 3; m++) {
            memcpy(place[m], in, PLACE);
            stored(a, data, place[m] + to);
            loaded(a, place[m] + from, out + (size_t)4 * m);
        }
        stored(a, data, place[generic] + from); /* the other way round */
        loaded(a, place[generic] + to, out + 12);
        memcpy(out + 16, place[0], PLACE);
    }
}

static void constants(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const access *a = arg;
    uint32_t bytes = a->size * a->vec;
    uint8_t image[RIG_PDATA];

    for (uint32_t i = 0; i < RIG_PDATA; i++) {
        image[i] = rig_pdata(i);
    }
    for (uint32_t t = 0; t < threads; t++, in += 2, out += 12) {
        loaded(a, image + in[0] % (RIG_PDATA / bytes) * bytes, out);
        loaded(a, image + in[1] % (RIG_PDATA / bytes) * bytes, out + 4);
        memcpy(out + 8, out + (in[0] % 2 == 0 ? 0 : 4), 16);
    }
}

/* ---- text: $T type with vector, $R the registers loaded, $D those stored, $B bytes ---- */

static void expand(const access *a, const char *text, char *out, size_t size)
{
    size_t n = strlen(out);

    for (const char *p = text; *p != '\0'; p++) {
        if (*p != '$') {
            out[n++] = *p;
            continue;
        }
        p++;
        if (*p == 'T') {
            n += (size_t)snprintf(out + n, size - n, "%s%s",
                                  a->vec == 1   ? ""
                                  : a->vec == 2 ? "v2."
                                                : "v4.",
                                  a->type);
        } else if (*p == 'R' || *p == 'D') {
            const char *reg = a->size == 8 ? *p == 'R' ? "%d1" : "%d2" : *p == 'R' ? "%r1" : "%r2";

            n += (size_t)snprintf(out + n, size - n, "%s", a->vec > 1 ? "{" : "");
            for (uint32_t i = 0; i < a->vec; i++) {
                n += (size_t)snprintf(out + n, size - n, "%s%s%u", i > 0 ? ", " : "", reg, i);
            }
            n += (size_t)snprintf(out + n, size - n, "%s", a->vec > 1 ? "}" : "");
        } else if (*p == 'B') {
            n += (size_t)snprintf(out + n, size - n, "%u", a->size * a->vec);
        } else { /* the registers $R as words, for a store of them */
            assert_true(*p == 'W');
            n += (size_t)snprintf(out + n, size - n, "%s", a->size == 8 ? "b64" : "b32");
        }
        assert_true(n + 64 < size);
    }
    out[n] = '\0';
}

/* What was loaded goes to the output word at `at`, as far as there are elements. */
static void store_loaded(const access *a, uint32_t at, char *out, size_t size)
{
    static const char *const lists[2][5] = {
        {"", "st.global.b32 [%out+@], %r10;\n", "st.global.v2.b32 [%out+@], {%r10, %r11};\n", "",
         "st.global.v4.b32 [%out+@], {%r10, %r11, %r12, %r13};\n"},
        {"", "st.global.b64 [%out+@], %d10;\n", "st.global.v2.b64 [%out+@], {%d10, %d11};\n", "",
         ""}};
    size_t n = strlen(out);

    for (const char *p = lists[a->size == 8 ? 1 : 0][a->vec]; *p != '\0'; p++) {
        n += (size_t)(*p == '@' ? snprintf(out + n, size - n, "%u", 4 * at)
                                : snprintf(out + n, size - n, "%c", *p));
    }
    assert_true(n < size);
}

#define FILL(space, reg)                                                                           \
    "st." space ".v4.b32 [" reg "], {%r30, %r31, %r32, %r33};\n"                                   \
    "st." space ".v4.b32 [" reg "+16], {%r34, %r35, %r36, %r37};\n"
/* Stores at %a7, loads from %a8, both from the place in `reg` on. */
#define USE(space, reg)                                                                            \
    "add.@P %a7, " reg ", %a5;\nadd.@P %a8, " reg ", %a6;\nst" space ".$T [%a7], $D;\n"            \
    "ld" space ".$T $R, [%a8];\n"

static void any_places(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)block;
    for (uint32_t t = 0; t < threads; t++) {
        in[(size_t)NIN * t + 7] = (uint32_t)(rig_next(seed) >> 8);
    }
}

static void check_spaces(const access *a)
{
    char name[64], body[8192] = "";
    rig_case c = {.name = name,
                  .body = body,
                  .nin = NIN,
                  .nout = NOUT,
                  .subject = "ld st",
                  .alone = true,
                  .want = PER_TYPE,
                  .prepare = any_places,
                  .oracle_of = spaces,
                  .arg = a};

    (void)snprintf(name, sizeof name, "ld and st of .v%u.%s", a->vec, a->type);
    expand(a,
           ".shared .align 16 .b8 s[4096];\n.local .align 16 .b8 l[32];\n"
           "ld.global.v4.b32 {%r30, %r31, %r32, %r33}, [%in];\n"
           "ld.global.v4.b32 {%r34, %r35, %r36, %r37}, [%in+16];\n"
           "not.b32 %r20, %r33;\nnot.b32 %r21, %r34;\nnot.b32 %r22, %r35;\n"
           "not.b32 %r23, %r36;\nand.b32 %r5, %r37, 255;\nbfe.u32 %r6, %r37, 8, 8;\n"
           "bfe.u32 %r7, %r37, 16, 8;\n"
           "mov.b64 %d20, {%r20, %r21};\nmov.b64 %d21, {%r22, %r23};\n"
           "mov.u32 %r9, 32;\ndiv.u32 %r9, %r9, $B;\nrem.u32 %r5, %r5, %r9;\n"
           "rem.u32 %r6, %r6, %r9;\nmul.lo.u32 %r5, %r5, $B;\nmul.lo.u32 %r6, %r6, $B;\n"
           "cvt.@P.u32 %a5, %r5;\ncvt.@P.u32 %a6, %r6;\n"
           "mov.@P %a1, %out;\nadd.@P %a1, %a1, 64;\nshl.b32 %r9, %t, 5;\ncvt.@P.u32 %a2, %r9;\n"
           "mov.@P %a9, s;\nadd.@P %a2, %a2, %a9;\nmov.@P %a3, l;\n" FILL("global", "%a1")
               FILL("shared", "%a2") FILL("local", "%a3"),
           body, sizeof body);
    expand(a, USE(".global", "%a1"), body, sizeof body);
    store_loaded(a, 0, body, sizeof body);
    expand(a, USE(".shared", "%a2"), body, sizeof body);
    store_loaded(a, 4, body, sizeof body);
    expand(a, USE(".local", "%a3"), body, sizeof body);
    store_loaded(a, 8, body, sizeof body);
    expand(a,
           "rem.u32 %r7, %r7, 3;\ncvta.global.@P %a4, %a1;\ncvta.shared.@P %a2, %a2;\n"
           "cvta.local.@P %a3, %a3;\nsetp.eq.u32 %p1, %r7, 1;\nsetp.eq.u32 %p2, %r7, 2;\n"
           "selp.@B %a4, %a2, %a4, %p1;\nselp.@B %a4, %a3, %a4, %p2;\n"
           "mov.@P %a9, %a5;\nmov.@P %a5, %a6;\nmov.@P %a6, %a9;\n" USE("", "%a4"),
           body, sizeof body);
    store_loaded(a, 12, body, sizeof body);
    (void)rig_check(&c, RIG_ANY);
}

static void check_constants(const access *a)
{
    char name[64], module[1024] = ".const .align 16 .b8 image[64] = {", body[4096] = "";
    rig_case c = {.name = name,
                  .module = module,
                  .body = body,
                  .nin = 2,
                  .nout = 12,
                  .subject = "ld",
                  .alone = true,
                  .want = PER_TYPE,
                  .oracle_of = constants,
                  .arg = a};
    size_t n = strlen(module);

    for (uint32_t i = 0; i < RIG_PDATA; i++) {
        n += (size_t)snprintf(module + n, sizeof module - n, "%s%u", i > 0 ? ", " : "",
                              (unsigned)rig_pdata(i));
    }
    (void)snprintf(module + n, sizeof module - n, "};\n");
    (void)snprintf(name, sizeof name, "ld.const and ld.param of .v%u.%s", a->vec, a->type);
    expand(a,
           "ld.global.v2.b32 {%r5, %r6}, [%in];\nmov.u32 %r9, 64;\ndiv.u32 %r9, %r9, $B;\n"
           "and.b32 %r7, %r5, 1;\nsetp.eq.u32 %p1, %r7, 0;\n"
           "rem.u32 %r5, %r5, %r9;\nrem.u32 %r6, %r6, %r9;\nmul.lo.u32 %r5, %r5, $B;\n"
           "mul.lo.u32 %r6, %r6, $B;\ncvt.@P.u32 %a5, %r5;\ncvt.@P.u32 %a6, %r6;\n"
           "mov.@P %a1, image;\nadd.@P %a1, %a1, %a5;\nld.const.$T $R, [%a1];\n",
           body, sizeof body);
    store_loaded(a, 0, body, sizeof body);
    expand(a, "mov.@P %a2, pdata;\nadd.@P %a2, %a2, %a6;\nld.param.$T $R, [%a2];\n", body,
           sizeof body);
    store_loaded(a, 4, body, sizeof body);
    expand(a,
           "cvta.const.@P %a1, %a1;\ncvta.param.@P %a2, %a2;\nselp.@B %a1, %a1, %a2, %p1;\n"
           "ld.$T $R, [%a1];\n",
           body, sizeof body);
    store_loaded(a, 8, body, sizeof body);
    (void)rig_check(&c, RIG_ANY);
}

static void each(void (*check)(const access *a))
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (uint32_t vec = 1; vec <= 4; vec *= 2) {
            access a = access_of(types[i], vec);

            if (a.size * vec <= 16) {
                check(&a);
            }
        }
    }
}

static void test_spaces(void **state)
{
    (void)state;
    each(check_spaces);
}

static void test_constants(void **state)
{
    (void)state;
    each(check_constants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
