/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: kinds, values, places, and bad ones. */
#include "tests/ptx/ptx_helper.h"

#include "shell/ptx/lexer.h"

static wr_ptx_token first(const char *text, wr_diag *diag)
{
    wr_ptx_lexer lexer;
    wr_ptx_lexer_init(&lexer, "t", text, strlen(text), diag);
    return wr_ptx_lexer_next(&lexer);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        wr_ptx_token_kind kind;
        bool is_unsigned;
        uint64_t bits;
    } cases[] = {
        {"0", WR_PTX_TOK_INT, false, 0},
        {"42", WR_PTX_TOK_INT, false, 42},
        {"017", WR_PTX_TOK_INT, false, 15},
        {"0x1F", WR_PTX_TOK_INT, false, 31},
        {"0Xff", WR_PTX_TOK_INT, false, 255},
        {"0b101", WR_PTX_TOK_INT, false, 5},
        {"7U", WR_PTX_TOK_INT, true, 7},
        {"0U", WR_PTX_TOK_INT, true, 0},
        {"9223372036854775807", WR_PTX_TOK_INT, false, INT64_MAX},
        {"9223372036854775808", WR_PTX_TOK_INT, true, UINT64_C(1) << 63},
        {"0xFFFFFFFFFFFFFFFF", WR_PTX_TOK_INT, true, UINT64_MAX},
        {"18446744073709551615", WR_PTX_TOK_INT, true, UINT64_MAX},
        {"0f3F800000", WR_PTX_TOK_F32, false, 0x3F800000},
        {"0Fbf800000", WR_PTX_TOK_F32, false, 0xBF800000},
        {"0d3FF0000000000000", WR_PTX_TOK_F64, false, UINT64_C(0x3FF0000000000000)},
        {"1.0", WR_PTX_TOK_REAL, false, UINT64_C(0x3FF0000000000000)},
        {"2e0", WR_PTX_TOK_REAL, false, UINT64_C(0x4000000000000000)},
        {"25.0e-2", WR_PTX_TOK_REAL, false, UINT64_C(0x3FD0000000000000)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_diag diag = {.message = ""};
        wr_ptx_token token = first(cases[i].text, &diag);
        if (token.kind != cases[i].kind || token.bits != cases[i].bits) {
            fail_msg("%s: kind %d bits %llx %s", cases[i].text, (int)token.kind,
                     (unsigned long long)token.bits, diag.message);
        }
        assert_int_equal(token.is_unsigned, cases[i].is_unsigned);
    }
}

static void test_bad_tokens(void **state)
{
    static const char *const cases[] = {
        "0f3F80000", "0f3F8000000", "0f3F80000G", "0d3FF000000000000",
        "0d",        "0x",          "0b",         "0b2",
        "08",        "12ab",        "1.5x",       "1e",
        "1.0e+",     "0xG",         "5UU",        "18446744073709551616",
        "\"open",    "/* open",     "\x01",       "#define",
        "`",         ".",           "\\",         "\"a\nb\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_diag diag = {.message = ""};
        char text[64];
        wr_ptx_lexer lexer;
        (void)snprintf(text, sizeof text, "\n  %s", cases[i]);
        wr_ptx_lexer_init(&lexer, "t", text, strlen(text), &diag);
        wr_ptx_token token = wr_ptx_lexer_next(&lexer);
        if (token.kind != WR_PTX_TOK_ERROR || diag.line != 2 || diag.column != 3 ||
            diag.message[0] == '\0') {
            fail_msg("%s: kind %d at %u:%u '%s'", cases[i], (int)token.kind, diag.line, diag.column,
                     diag.message);
        }
        assert_int_equal(wr_ptx_lexer_next(&lexer).kind, WR_PTX_TOK_ERROR);
    }
}

static void test_words_and_places(void **state)
{
    static const struct {
        wr_ptx_token_kind kind;
        const char *text;
        unsigned line, column;
    } expected[] = {
        {WR_PTX_TOK_IDENT, "ld", 1, 1},       {WR_PTX_TOK_DOT, "global", 1, 3},
        {WR_PTX_TOK_DOT, "L2::128B", 1, 10},  {WR_PTX_TOK_DOT, "f32", 1, 19},
        {WR_PTX_TOK_IDENT, "%f1", 1, 24},     {WR_PTX_TOK_PUNCT, ",", 1, 27},
        {WR_PTX_TOK_IDENT, "$L__1", 3, 3},    {WR_PTX_TOK_PUNCT, ":", 3, 8},
        {WR_PTX_TOK_STRING, "a\\\"b", 3, 10}, {WR_PTX_TOK_PUNCT, "<<", 4, 1},
        {WR_PTX_TOK_PUNCT, "%", 4, 4},        {WR_PTX_TOK_INT, "3", 4, 5},
        {WR_PTX_TOK_IDENT, "_", 4, 7},        {WR_PTX_TOK_END, "", 5, 1},
    };
    (void)state;
    const char *source = "ld.global.L2::128B.f32 %f1, // rest\n/* two\n*/$L__1: \"a\\\"b\"\n"
                         "<< %3 _\n";
    wr_diag diag;
    wr_ptx_lexer lexer;
    wr_ptx_lexer_init(&lexer, "t", source, strlen(source), &diag);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        wr_ptx_token token = wr_ptx_lexer_next(&lexer);
        assert_int_equal(token.kind, expected[i].kind);
        assert_int_equal(token.len, strlen(expected[i].text));
        assert_memory_equal(token.text, expected[i].text, token.len);
        assert_int_equal(token.line, expected[i].line);
        if (token.column != expected[i].column) {
            fail_msg("'%s' at column %u, not %u", expected[i].text, token.column,
                     expected[i].column);
        }
    }
    assert_int_equal(wr_ptx_lexer_next(&lexer).kind, WR_PTX_TOK_END);
}

/* The text need not end in NUL: nothing behind `len` may be read. */
static void test_length_bounds(void **state)
{
    (void)state;
    char *text = (char *)malloc(3);
    assert_non_null(text);
    text[0] = '0';
    text[1] = 'f';
    text[2] = '3';
    for (size_t len = 0; len <= 3; len++) {
        wr_diag diag;
        wr_ptx_lexer lexer;
        wr_ptx_lexer_init(&lexer, "t", text, len, &diag);
        wr_ptx_token token = wr_ptx_lexer_next(&lexer);
        wr_ptx_token_kind kinds[] = {WR_PTX_TOK_END, WR_PTX_TOK_INT, WR_PTX_TOK_ERROR,
                                     WR_PTX_TOK_ERROR};
        assert_int_equal(token.kind, kinds[len]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bad_tokens),
        cmocka_unit_test(test_words_and_places),
        cmocka_unit_test(test_length_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
