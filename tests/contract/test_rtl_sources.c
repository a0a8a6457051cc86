/* SPDX-License-Identifier: Apache-2.0 */
/* What RTL of the user's is made of: options and file lists, and what is refused, with its line. */
#include "dpi/rtl_sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/warpref-sources-XXXXXX";

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A tree: a.sv, b.sv, sub/c.sv, sub/dpi.c, sub/inc/, "with space.sv". The test runs in it. */
static int make_tree(void **state)
{
    static const char *const files[] = {"a.sv", "b.sv", "sub/c.sv", "sub/dpi.c", "with space.sv"};

    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("sub", 0700) != 0 ||
        mkdir("sub/inc", 0700) != 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put(files[i], "");
    }
    return 0;
}

static int remove_tree(void **state)
{
    char command[64];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

/* The arguments in a row, the folder's path as %. */
static const char *args_of(const wr_rtl_sources *s)
{
    static char text[4096];
    char real[256];
    size_t used = 0;

    assert_non_null(realpath(folder, real));
    text[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        const char *at = strstr(s->args[i], real);
        const int before = at != NULL ? (int)(at - s->args[i]) : (int)strlen(s->args[i]);
        const char *behind = at != NULL ? at + strlen(real) : "";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s%s%s", i > 0 ? " " : "",
                                 before, s->args[i], at != NULL ? "%" : "", behind);
    }
    return text;
}

static void options(void **state)
{
    wr_rtl_sources s = {0};
    char err[512];

    (void)state;
    assert_true(wr_sources_file(&s, "sub/dpi.c", err, sizeof err));
    assert_true(wr_sources_file(&s, "a.sv", err, sizeof err));
    assert_true(wr_sources_file(&s, "b.sv", err, sizeof err));
    assert_true(wr_sources_dir(&s, "sub", err, sizeof err));
    assert_true(wr_sources_include(&s, "sub/inc", err, sizeof err));
    assert_true(wr_sources_define(&s, "WIDE", err, sizeof err));
    assert_true(wr_sources_define(&s, "DEPTH=8'h4", err, sizeof err));
    assert_true(wr_sources_param(&s, "Step=2", err, sizeof err));
    assert_true(wr_sources_param(&s, "Name=\"x\"", err, sizeof err));
    assert_true(wr_sources_top(&s, "mine", err, sizeof err));
    assert_string_equal(args_of(&s),
                        "%/sub/dpi.c %/b.sv -y %/sub/. -I%/sub/inc/. -DWIDE -DDEPTH=8'h4");
    assert_string_equal(s.title, "a.sv");
    assert_string_equal(s.top, "mine");
    assert_string_equal(s.params, ", .Step(2), .Name(\"x\")");
    assert_true(wr_sources_sets(&s, "Step"));
    assert_false(wr_sources_sets(&s, "Ste"));
    wr_sources_free(&s);
}

static void a_list(void **state)
{
    wr_rtl_sources s = {0};
    char err[512];

    (void)state;
    assert_int_equal(setenv("WR_TEST_SUB", "inc", 1), 0);
    put("sub/all.f", "// a list\n"
                     "# another comment\n"
                     "+incdir+inc+../sub/inc +define+A+B=1   // behind\n"
                     "\t-y ../sub  +libext+.sv+.svh\r\n"
                     "c.sv \"../with space.sv\" -v b.sv\n" /* the last from the working folder */
                     "-I${WR_TEST_SUB} -D C=2 -f more.f\n"
                     "-top mine dpi.c\n");
    put("sub/more.f", "../a.sv\n");
    if (!wr_sources_list(&s, "sub/all.f", err, sizeof err)) {
        fail_msg("%s", err);
    }
    assert_string_equal(args_of(&s),
                        "-I%/sub/inc/. -I%/sub/inc/. -DA -DB=1 -y %/sub/. +libext+.sv+.svh "
                        "%/with space.sv %/b.sv -I%/sub/inc/. -DC=2 %/a.sv %/sub/dpi.c");
    assert_string_equal(s.title, "c.sv");
    assert_string_equal(s.top, "mine");
    wr_sources_free(&s);
}

static void what_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"a.sv\n\nno.sv\n", "bad.f:3: no.sv: cannot be read"},
        {"sub\n", "bad.f:1: sub: cannot be read: it is a folder"},
        {"-y a.sv\n", "bad.f:1: a.sv: is no folder"},
        {"+incdir+none\n", "bad.f:1: none: cannot be read"},
        {"\n+define+3=4\n", "bad.f:2: define '3=4': must be NAME or NAME=VALUE"},
        {"-O3\n", "bad.f:1: option '-O3' is not understood; -f, -F, -y,"},
        {"+access+r\n", "bad.f:1: '+access+r' is not understood; +incdir+,"},
        {"-top 3x\n", "bad.f:1: top '3x': must be the name of a module"},
        {"\"a\033\r.sv\"\n", "bad.f:1: a??.sv: cannot be read"},
        {"a.sv -y\n", "bad.f:1: the last option lacks its value"},
        {"\"a.sv\n", "bad.f:1: a quote that does not end on its line"},
        {"$WR_TEST_NONE/a.sv\n", "bad.f:1: $WR_TEST_NONE is not set"},
        {"${A/a.sv\n", "bad.f:1: '$' without the name of a variable behind it"},
        {"a.sv\n-f bad.f\n", "bad.f:2: lists in lists, more than 16 deep: does one name itself?"},
    };
    char err[512];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wr_rtl_sources s = {0};
        put("bad.f", bad[i].text);
        assert_false(wr_sources_list(&s, "bad.f", err, sizeof err));
        if (strncmp(err, bad[i].message, strlen(bad[i].message)) != 0) {
            fail_msg("'%s' gives '%s', expected '%s'", bad[i].text, err, bad[i].message);
        }
        wr_sources_free(&s);
    }

    wr_rtl_sources s = {0};
    assert_false(wr_sources_file(&s, "no.sv", err, sizeof err));
    assert_string_equal(err, "no.sv: cannot be read");
    assert_false(wr_sources_list(&s, "no.f", err, sizeof err));
    assert_false(wr_sources_param(&s, "Step", err, sizeof err));
    assert_string_equal(err, "parameter 'Step': must be NAME=VALUE");
    assert_false(wr_sources_top(&s, "a b", err, sizeof err));
    assert_string_equal(err, "top 'a b': must be the name of a module");
    wr_sources_free(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(options),
        cmocka_unit_test(a_list),
        cmocka_unit_test(what_is_refused),
    };

    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
