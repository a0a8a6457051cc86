/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile text: modules cut at every byte, with tokens swapped, dropped, doubled or replaced,
 * and with bytes overwritten. The parser must never crash (run this under the sanitizers) and
 * must either take the text or say one thing about it, with a line that the text has.
 * The random part is seeded by WARPREF_SEED and runs WARPREF_FUZZ_ROUNDS rounds a module.
 */
#include "tests/ptx/ptx_helper.h"

#include "shell/ptx/lexer.h"

static const char *const modules[] = {
    ".version 4.0\n.target sm_50\n.address_size 32\n"
    ".visible .entry vecadd(.param .u32 p0, .param .u32 p1)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .f32 %f<3>; .reg .b32 %r<8>;\n"
    "\tld.param.u32 %r1, [p0];\n\tcvta.to.global.u32 %r2, %r1;\n"
    "\tmov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, 256, %r1;\n"
    "\tsetp.ge.s32 %p1, %r4, 77;\n\t@%p1 bra LBB0_2;\n"
    "\tld.global.f32 %f1, [%r2+-4]; // load\n\tfma.rn.f32 %f2, %f1, 0f3F800000, %f1;\n"
    "\tst.global.v2.f32 [%r2], {%f1, %f2};\nLBB0_2:\n\tret;\n}\n",

    ".version 7.0\n.target sm_70, debug\n.address_size 64\n.file 1 \"a.cu\"\n"
    ".const .align 4 .u32 tab[2][2] = {{1, -2}, {0x3, (1<<2)}};\n"
    ".global .u64 ptr[2] = {tab, generic(tab)+8};\n.extern .shared .align 16 .b8 dyn[];\n"
    ".func (.param .b32 ret0) f(.param .align 8 .b8 s[16], .param .f64 d);\n"
    ".entry k(.param .u64 .ptr .global .align 4 a) .maxntid 64, 1, 1 .minnctapersm 2\n{\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .f64 %d<3>;\n"
    ".local .align 8 .b8 __local_depot0[32];\n.loc 1 3 4\n"
    "mov.b64 %rd1, __local_depot0; cvta.local.u64 %rd2, %rd1; .pragma \"nounroll\";\n"
    "{ .reg .b32 t; .param .align 8 .b8 q[16]; .param .f64 d1; .param .b32 o;\n"
    "st.param.b64 [q+8], %rd1; st.param.f64 [d1+0], 0d3FF0000000000000;\n"
    "call.uni (o), f, (q, d1); ld.param.b32 t, [o+0]; }\n"
    "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1; vote.sync.ballot.b32 %r3, !%p1, %r1;\n"
    "setp.lt.and.u32 %p1|%p2, %r1, WARP_SZ, !%p3; atom.global.add.u32 _, [%rd2], 1;\n"
    "cvt.rzi.sat.s16.f64 %h1, %d1; bar.sync 0; mov.b32 %r4, {%h1, %h2};\n"
    "ts: .branchtargets A, B; brx.idx %r1, ts; A: add.cc.u32 %r1, %r1, %r2;\n"
    "B: @!%p2 bra.uni A; exit; }\n.section .debug_info { .b8 1 }\n",
};

static const char *const spare[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "_",
    "<",
    ">",
    "=",
    "-",
    "1",
    "4294967296",
    "0f3F800000",
    "0d0000000000000000",
    "1.5",
    ".u32",
    ".f64",
    ".pred",
    ".reg",
    ".param",
    ".shared",
    ".global",
    ".func",
    ".entry",
    ".align",
    ".v4",
    "%r1",
    "%r99",
    "%p1",
    "%f1",
    "%tid",
    "%tid.x",
    "add",
    "ld.global.u32",
    "call",
    "bra",
    "brx.idx",
    ".branchtargets",
    ".callprototype",
    "generic",
    "WARP_SZ",
    "\"s\"",
    "/*",
    "//",
    "0x",
    ".loc",
    ".section",
    "tab",
};

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 0) : otherwise;
}

/* Parses a copy of exactly `len` bytes on the heap, so that a read past it is seen. */
static bool survives(const char *text, size_t len)
{
    char *copy = (char *)malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    wr_diag diag = {.message = ""};
    wr_ptx_module *module = wr_ptx_parse("fuzz", copy, len, &diag);
    unsigned lines = 1;
    for (size_t i = 0; i < len; i++) {
        lines += copy[i] == '\n' ? 1 : 0;
    }
    free(copy);
    const wr_diag *why = module != NULL ? first_refusal(module) : NULL;
    bool good = module != NULL && why == NULL;
    if (why != NULL) {
        diag = *why;
    }
    wr_ptx_free(module);
    if (!good &&
        (diag.message[0] == '\0' || diag.line == 0 || diag.line > lines || diag.column == 0)) {
        fail_msg("no proper message (%u:%u '%s') for:\n%.*s", diag.line, diag.column, diag.message,
                 (int)len, text);
    }
    return good;
}

static void test_cut_everywhere(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++) {
        size_t len = strlen(modules[m]);
        assert_true(survives(modules[m], len));
        size_t refused = 0;
        for (size_t cut = 0; cut < len; cut++) {
            refused += survives(modules[m], cut) ? 0 : 1;
        }
        assert_true(refused > len / 2);
    }
}

/* Tokens of a module as (begin, length) pairs. */
static size_t split(const char *text, size_t begins[], size_t lens[], size_t max)
{
    wr_diag diag;
    wr_ptx_lexer lexer;
    size_t count = 0;
    wr_ptx_lexer_init(&lexer, "t", text, strlen(text), &diag);
    for (;;) {
        wr_ptx_token token = wr_ptx_lexer_next(&lexer);
        if (token.kind == WR_PTX_TOK_END || count == max) {
            return count;
        }
        bool dot = token.kind == WR_PTX_TOK_DOT;
        bool quoted = token.kind == WR_PTX_TOK_STRING;
        begins[count] = (size_t)(token.text - text) - (dot || quoted ? 1U : 0U);
        lens[count++] = token.len + (dot ? 1U : 0U) + (quoted ? 2U : 0U);
    }
}

static size_t append(char *out, size_t at, size_t max, const char *text, size_t len)
{
    if (at + len + 1 > max) {
        return at;
    }
    memcpy(out + at, text, len);
    return at + len;
}

static void test_mutated_tokens(void **state)
{
    enum { TOKENS = 1024, ROOM = 16384 };
    static size_t begins[TOKENS];
    static size_t lens[TOKENS];
    static char text[ROOM];
    unsigned long seed = from_environment("WARPREF_SEED", 1);
    unsigned long rounds = from_environment("WARPREF_FUZZ_ROUNDS", 3000);
    uint64_t random = seed;
    size_t refused = 0;
    (void)state;
    print_message("seed %lu, %lu rounds a module\n", seed, rounds);
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++) {
        const char *module = modules[m];
        size_t count = split(module, begins, lens, TOKENS);
        assert_true(count > 100);
        if (count == 0) {
            return;
        }
        for (unsigned long round = 0; round < rounds; round++) {
            size_t changes = 1 + next_random(&random) % 3;
            size_t places[3];
            for (size_t i = 0; i < 3; i++) {
                places[i] = i < changes ? next_random(&random) % count : count;
            }
            size_t at = 0;
            size_t behind = 0;
            for (size_t t = 0; t < count; t++) {
                bool hit = t == places[0] || t == places[1] || t == places[2];
                at = append(text, at, ROOM, module + behind, begins[t] - behind);
                behind = begins[t] + lens[t];
                unsigned how = hit ? (unsigned)(next_random(&random) % 5) : 5;
                size_t other = next_random(&random) % count;
                const char *word = spare[next_random(&random) % (sizeof spare / sizeof spare[0])];
                if (how == 0) {
                    at = append(text, at, ROOM, word, strlen(word));
                } else if (how == 1) {
                    at = append(text, at, ROOM, module + begins[other], lens[other]);
                } else if (how != 2) { /* 2 drops it */
                    at = append(text, at, ROOM, module + begins[t], lens[t]);
                }
                if (how == 3) {
                    at = append(text, at, ROOM, " ", 1);
                    at = append(text, at, ROOM, word, strlen(word));
                } else if (how == 4) {
                    text[at - 1 - next_random(&random) % lens[t]] =
                        (char)(next_random(&random) % 256);
                }
            }
            at = append(text, at, ROOM, module + behind, strlen(module) - behind);
            refused += survives(text, at) ? 0 : 1;
        }
    }
    assert_true(refused > rounds / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_mutated_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
