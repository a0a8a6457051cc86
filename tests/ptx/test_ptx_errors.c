/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input: each gives one message, at its place, that says what is wrong. */
#include "tests/ptx/ptx_helper.h"

typedef struct bad_case {
    const char *text;
    unsigned line, column;
    const char *message; /* part of it */
} bad_case;

static void expect_bad(const bad_case *c, bool is_body)
{
    wr_diag diag = {.message = ""};
    wr_ptx_module *module = is_body ? parse_body_text(c->text, &diag) : parse_text(c->text, &diag);
    unsigned line = is_body ? c->line + PTX_BODY_LINE - 1 : c->line;
    if (module != NULL) { /* what is not supported refuses the function alone */
        const wr_diag *refused = first_refusal(module);
        for (const wr_ptx_var *v = module->vars; v != NULL && refused == NULL; v = v->next) {
            refused = v->refused; /* or those that name a variable */
        }
        if (refused == NULL) {
            fail_msg("'%s' was taken", c->text);
        } else {
            diag = *refused;
        }
        wr_ptx_free(module);
    }
    if (strcmp(diag.file, "test.ptx") != 0 || diag.line != line || diag.column != c->column ||
        strstr(diag.message, c->message) == NULL) {
        fail_msg("'%s':\n  got  %s:%u:%u %s\n  want %u:%u ...%s...", c->text, diag.file, diag.line,
                 diag.column, diag.message, line, c->column, c->message);
    }
}

static void test_bodies(void **state)
{
    static const bad_case cases[] = {
        {"foo.u32 %r1, %r2;", 1, 1, "unknown instruction 'foo.u32'"},
        {"add.u32 %r1, %r2, %r99;", 1, 19, "register '%r99' is not declared"},
        {"add.u32 %r1, %r2, %r9;", 1, 19, "register '%r9' is not declared"},
        {"add.rn.rz.f32 %f1, %f2, %f3;", 1, 7, "modifier '.rz' cannot be used"},
        {"add.ftz.ftz.f32 %f1, %f2, %f3;", 1, 8, "modifier '.ftz' cannot be used"},
        {"\n  add.u32 %q, %r2, %r1;", 2, 11, "register '%q' is not declared"},
        {"add.u32 %r1, %r2;", 1, 1, "'add' takes 3 operands here, not 2"},
        {"add.u32 %r1, %r2, %r3, %r4;", 1, 1, "takes 3 operands here, not 4"},
        {"add.u32 %r1, %r2, %f3;", 1, 19, "needs type .u32, but register '%f3' is .f32 (line 7)"},
        {"add.b32 %r1, %r2, %r3;", 1, 4, "does not take type '.b32'"},
        {"add %r1, %r2, %r3;", 1, 1, "'add' lacks a type; add one of .u16"},
        {"add.frob.u32 %r1, %r2, %r3;", 1, 4, "unknown modifier '.frob' of 'add'"},
        {"add.lo.u32 %r1, %r2, %r3;", 1, 4, "modifier '.lo' cannot be used"},
        {"div.f32 %f1, %f2, %f3;", 1, 1, "lacks a modifier for this type; add one of .rn"},
        {"setp.u32 %p1, %r2, %r3;", 1, 1, "lacks a modifier"},
        {"cvt.f32.s32 %f1, %r1;", 1, 1, "add one of .rn"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [x, {%f1,%f2}];", 1, 1,
         "'tex.2d.v4.f32.f32' is not supported: textures"},
        {"suld.b.1d.b32 %r1, [s, {%r2}];", 1, 1, "not supported: textures"},
        {"wmma.load.a.sync.f16 {%r1}, [%rd1];", 1, 1, "not supported: tensor-core"},
        {"mma.sync.aligned.m8n8k4.f32 {%r1};", 1, 1, "not supported: tensor-core"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 4;", 1, 1, "not supported: asynchronous"},
        {"fence.proxy.async;", 1, 1, "not supported: asynchronous"},
        {"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", 1, 1, "not supported: video"},
        {"mov.u32 %r1, %pm3;", 1, 14, "'%pm3' is not supported"},
        {"mov.u32 %r1, %envreg32;", 1, 14, "register '%envreg32' is not declared"},
        {"mov.u32 %r1, %tid;", 1, 14, "'%tid' needs a component"},
        {"mov.u32 %r1, %laneid.x;", 1, 14, "'%laneid' has no components"},
        {"bra NOWHERE;", 1, 5, "label 'NOWHERE' does not stand in this function"},
        {"bra A;\nbra B;", 1, 5, "label 'A'"},
        {"L: ret;\n L: ret;", 2, 2, "'L' is declared twice; the first is on line 12"},
        {".reg .u32 %r3;", 1, 11, "'%r3' is declared twice; the first is on line 7"},
        {".reg .u32 %n1;\n.reg .u32 %n<4>;", 2, 11, "register '%n1' is declared twice"},
        {".reg .u32 %n4, %n4;", 1, 16, "'%n4' is declared twice"},
        {".reg .v2 .pred %n;", 1, 10, "predicates make no vectors"},
        {".reg .v2 .u32 %v; mov.u32 %r1, %v.z;", 1, 34, "of 2 has no element '.z'"},
        {".reg .v2 .u32 %v; add.u32 %r1, %v, 1;", 1, 32, "must be a register, not a vector"},
        {".reg .v4 .u32 %v; ld.global.v2.u32 %v, [%rd1];", 1, 36, "has 4 elements"},
        {"lop3.or.b32 %r1, %r2, %r3, %r4, 7, %p1;", 1, 13, "needs a predicate"},
        {".reg .b128 %q; ld.global.b64 %q, [%rd1];", 1, 30, "needs type .b64"},
        {".reg .quad %n;", 1, 6, "expected a type behind .reg, found '.quad'"},
        {"@%r1 bra L; L:", 1, 2, "guard '%r1' is not a register of type .pred"},
        {"@%p77 bra L; L:", 1, 2, "predicate '%p77' is not declared"},
        {"add.u32 %r1 %r2, %r3;", 1, 13, "expected ',' or ';' behind an operand, found '%r2'"},
        {"add.u32 %r1, %r2,;", 1, 18, "expected an operand, found ';'"},
        {"add.u32 %r1, %r2, 1.5;", 1, 19, "is a float, but type .u32 needs an integer"},
        {"add.f32 %f1, %f2, 1;", 1, 19, "is an integer, but type .f32 needs a float"},
        {"add.u32 %r1, %r2, 0x;", 1, 19, "bad number '0x'"},
        {"mov.f32 %f1, 0f3F80;", 1, 14, "bad number '0f3F80': 0f takes 8"},
        {"mov.u32 %r1, 089;", 1, 14, "bad number '089'"},
        {"mov.u32 %r1, 99999999999999999999;", 1, 14, "does not fit in 64 bits"},
        {"mov.u32 %r1, 1/0;", 1, 15, "division by zero"},
        {"mov.f32 %f1, 1.0+2;", 1, 14, "takes no floating-point number"},
        {"mov.f64 %d1, 1.0&2.0;", 1, 14, "takes no floating-point number"},
        {"mov.f64 %d1, 1 ? 2.0 : 3;", 1, 18, "both choices of '?'"},
        {"ld.global.u32 %r1, [%r2];", 1, 20, "is a 64-bit address, but register '%r2' is .b32"},
        {"ld.shared.u32 %r1, [dep];", 1, 20, "is in .shared, but 'dep' is in .local"},
        {"ld.u32 %r1, [b];", 1, 13, "the instruction needs .param"},
        {"ld.param.u32 %r1, [c];", 1, 20, "'c' is not declared"},
        {"st.param.u32 [b], %r1;", 1, 14, "input parameter 'b', which cannot be written"},
        {"ld.global.u32 %r1, %rd1;", 1, 20, "must be an address in brackets, not a register"},
        {"ld.global.u64 %r1, [%rd1];", 1, 15, "needs type .u64, but register '%r1' is .b32"},
        {"ld.global.v2.u32 %r1, [%rd1];", 1, 18, "must be a vector of 2"},
        {"ld.global.v4.u32 {%r1,%r2}, [%rd1];", 1, 18,
         "has 2 elements, but the instruction moves 4"},
        {"bar.sync 16;", 1, 10, "barrier 16; there are 0 to 15"},
        {"bar.sync 0, 33;", 1, 13, "must be a multiple of the warp size"},
        {"cvta.to.global.u32 %r1, %r2;", 1, 1, "does not agree with .address_size 64"},
        {"call nothing;", 1, 6, "'nothing' is not declared"},
        {"call k;", 1, 6, "'k' is a kernel"},
        {"call %rd1, (1);", 1, 6, "needs a .callprototype"},
        {"brx.idx %r1, %r2;", 1, 14, "must be a .branchtargets table"},
        {"t: .branchtargets Q;", 1, 19, "label 'Q' does not stand"},
        {".local .b8 x[];", 1, 12, "array 'x' lacks its size"},
        {".shared .align 3 .b8 x[4];", 1, 16, "power of two, not 3"},
        {".shared .b8 x[4] = {1};", 1, 20, "'x' cannot be initialised"},
        {".local .b32 x[70000][70000];", 1, 22, "array 'x' is too large"},
        {".local .pred x;", 1, 8, "cannot be .pred"},
        {"mov.u32 %r1, \x02;", 1, 14, "does not belong in PTX"},
        {"/* open", 1, 1, "this comment has no end"},
        {"mov.u32 %r1, L; L:", 1, 14, "'L' is not declared"},
        {".pragma nounroll;", 1, 9, "expected a string behind .pragma"},
        {".loc 1 2;", 1, 9, "expected a column number"},
        {"]", 1, 1, "expected an instruction or '}'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_bad(&cases[i], true);
    }
}

#define HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"

static void test_modules(void **state)
{
    static const bad_case cases[] = {
        {"", 1, 1, "the file ends where '.version'"},
        {"int main() {}", 1, 1, "expected '.version' at the beginning"},
        {".version 7\n", 1, 10, "expected a version such as 7.5"},
        {".version 0.0\n", 1, 10, "no PTX version"},
        {".version 7.0\n.entry", 2, 1, "expected '.target'"},
        {".version 7.0\n.target gfx90;", 2, 14, "sm_50"},
        {".version 7.0\n.target sm_50\n.address_size 16", 3, 15, "must be 32 or 64"},
        {HEAD ".global .u32 x; .address_size 32", 4, 31, "must stand before"},
        {HEAD ".entry k() {\n ret;\n", 6, 1, "the file ends where an instruction or '}'"},
        {HEAD ".entry k( {", 4, 11, "expected '.param' or ')', found '{'"},
        {HEAD ".entry k(.param .u32 a, .param .u32 a) { ret; }", 4, 37, "'a' is declared twice"},
        {HEAD ".entry k() { ret; }\n.entry k() { ret; }", 5, 8, "'k' is declared twice"},
        {HEAD ".entry f(.reg .u32 a) { ret; }", 4, 20, "a kernel's parameters must be .param"},
        {HEAD ".func f(.reg .u32 a) { .reg .u32 a; ret; }", 4, 34, "'a' is declared twice"},
        {HEAD ".func f(.reg .u32 a)\n.entry g() { ret; }", 5, 1, "expected '{'"},
        {HEAD ".extern .func f() { ret; }", 4, 19, "is .extern and has a body"},
        {HEAD ".entry k() .maxntid 0 { ret; }", 4, 21, "must be above 0"},
        {HEAD ".entry k() .reqnctapercluster 2 { ret; }", 4, 12, "clusters are not modelled"},
        {HEAD ".entry k(.param .texref t) {}", 4, 17, "'.texref' is not supported: textures"},
        {HEAD ".global .samplerref s = { force", 4, 32, "the file ends where ';'"},
        {HEAD ".param .u32 t;", 4, 1, "outside functions must be"},
        {HEAD ".global .u32 t[2] = {1,2,3};", 4, 26, "more values than elements"},
        {HEAD ".global .u32 t[2] = {{{1}}};", 4, 22, "nested deeper"},
        {HEAD ".global .u32 t[2] = 1;", 4, 21, "expected '{'"},
        {HEAD ".global .u32 t = 1.5;", 4, 18, "does not fit type .u32"},
        {HEAD ".global .u64 t = nowhere;", 4, 18, "no variable or function declared above"},
        {HEAD ".global .u8 s; .global .u8 t = s;", 4, 32, "address does not fit"},
        {HEAD ".global .u32 t", 4, 15, "the file ends where ';'"},
        {HEAD ".section .debug { .b8 1", 4, 24, "the file ends where '}' of the section"},
        {HEAD ".func f(.param .b32 x);\n.entry k() {\n call f;\n}", 6, 7,
         "has 0 arguments, but the function 1"},
        {HEAD "ret;", 4, 1, "expected a directive"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_bad(&cases[i], false);
    }
}

/* What is not supported refuses the function that holds it, and the text behind is read on. */
static void test_refused_alone(void **state)
{
    static const struct {
        const char *name, *message; /* NULL: it is taken */
        unsigned line;
    } want[] = {
        {"f", "'wmma.load.a' is not supported: tensor-core", 9},
        {"good", NULL, 0},
        {"twice", "unknown instruction 'first.u32'", 12},
        {"regs", "'%pm3' is not supported", 13},
        {"cluster", "'.reqnctapercluster' is not supported", 14},
        {"param", "'.samplerref' is not supported: textures", 15},
        {"form", "modifier '.lo' cannot be used", 16},
        {"last", NULL, 0},
    };
    wr_ptx_module *module =
        parse_text(HEAD ".global .texref t;\n"
                        ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear };\n"
                        ".tex .u64 old;\n"
                        ".global .u32 plain = 5;\n"
                        "\n"
                        ".func f() { wmma.load.a {%x, {y}}, [z], 4; ret; }\n"
                        ".entry good() { ret; }\n"
                        ".entry twice() {\n"
                        "first.u32 %r1; L: second %r2, L; bra L; }\n"
                        ".entry regs() { .reg .u32 %r; mov.u32 %r, %pm3; ret; }\n"
                        ".entry cluster() .reqnctapercluster 2, 1, 1 { ret; }\n"
                        ".entry param(.param .samplerref s1) { ret; }\n"
                        ".entry form() { .reg .u32 %r; add.lo.u32 %r, %r, 1; ret; }\n"
                        ".entry last() { ret; }\n",
                   NULL);
    (void)state;
    assert_non_null(module);
    assert_int_equal(module->func_count, sizeof want / sizeof want[0]);
    const wr_ptx_func *func = module->funcs;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++, func = func->next) {
        assert_string_equal(func->name, want[i].name);
        assert_int_equal(func->refused != NULL, want[i].message != NULL);
        if (func->refused != NULL && want[i].message != NULL) {
            assert_int_equal(func->refused->line, want[i].line);
            assert_non_null(strstr(func->refused->message, want[i].message));
        }
    }
    for (const wr_ptx_var *var = module->vars; var != NULL; var = var->next) {
        assert_int_equal(var->refused != NULL, strcmp(var->name, "plain") != 0);
    }
    wr_ptx_free(module);
    /* A broken text is one all the same. */
    wr_diag diag = {.message = ""};
    assert_null(parse_text(HEAD ".entry k() { tex.1d {a, b}, [c }\n.entry g() { ret; }", &diag));
    assert_non_null(strstr(diag.message, "expected ';'"));
}

/* Nesting is bounded, so that no text can exhaust the stack. */
static void test_depth(void **state)
{
    static const struct {
        const char *open, *around;
    } cases[] = {{"(", "mov.u32 %%r1, %s"},
                 {"-", "mov.u32 %%r1, %s1;"},
                 {"{", "%s"},
                 {"1?", "mov.u32 %%r1, %s"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum { DEPTH = 20000 };
        size_t len = strlen(cases[i].open);
        char *deep = (char *)calloc(DEPTH * len + 1, 1);
        char *body = (char *)calloc(DEPTH * len + 64, 1);
        assert_non_null(deep);
        assert_non_null(body);
        for (size_t k = 0; k < DEPTH; k++) {
            memcpy(deep + k * len, cases[i].open, len);
        }
        const char *mark = strstr(cases[i].around, "%s");
        size_t before = (size_t)(mark - cases[i].around);
        size_t at = 0;
        for (size_t k = 0; k < before; k++) {
            body[at++] = cases[i].around[k];
            k += cases[i].around[k] == '%' ? 1 : 0;
        }
        (void)snprintf(body + at, DEPTH * len + 64 - at, "%s%s", deep, mark + 2);
        wr_diag diag = {.message = ""};
        wr_ptx_module *module = parse_body_text(body, &diag);
        assert_null(module);
        if (strstr(diag.message, "deeper than") == NULL) {
            fail_msg("'%s': %s", cases[i].open, diag.message);
        }
        free(deep);
        free(body);
    }
}

static void test_files(void **state)
{
    (void)state;
    wr_diag diag = {.message = ""};
    char line[512];
    assert_null(wr_ptx_parse_file("no/such/file.ptx", &diag));
    wr_diag_format(&diag, line, sizeof line);
    assert_string_equal(line, "no/such/file.ptx: error: cannot open this file; check its path");
    assert_null(wr_ptx_parse_file(".", &diag));
    assert_int_equal(diag.line, 0);
    assert_string_not_equal(diag.message, "");
    assert_null(wr_ptx_parse("x", "?", 1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_refused_alone), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
