/* SPDX-License-Identifier: Apache-2.0 */
/* Options of systems: each kind with good values and bad ones, what wins over what, and that the
 * tables of all systems are sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/frame/system.h"

enum { NUMBER, CHOICE, EITHER, FLAG, LIST, NAME, PATH, ROWS };

static const char *const words[] = {"red", "green", "blue", NULL};

static const wr_option rows[ROWS] = {
    [NUMBER] = {.name = "number",
                .kind = WR_OPTION_NUMBER,
                .min = 1,
                .max = 9,
                .unit = "cycles",
                .preset = "5",
                .doc = "d"},
    [CHOICE] =
        {.name = "choice", .kind = WR_OPTION_CHOICE, .words = words, .preset = "green", .doc = "d"},
    [EITHER] = {.name = "either",
                .kind = WR_OPTION_NUMBER_OR_WORD,
                .words = words,
                .below = {"sms", offsetof(wr_gpu_config, sms)},
                .preset = "red",
                .doc = "d"},
    [FLAG] = {.name = "flag", .kind = WR_OPTION_FLAG, .preset = "0", .doc = "d"},
    [LIST] = {.name = "list",
              .kind = WR_OPTION_LIST,
              .min = 1,
              .max = 100,
              .most = 3,
              .preset = "",
              .doc = "d"},
    [NAME] = {.name = "name", .kind = WR_OPTION_TEXT, .preset = "", .doc = "d"},
    [PATH] = {.name = "path", .kind = WR_OPTION_PATH, .preset = "", .doc = "d"},
};

static wr_option_value values[ROWS];
static wr_gpu_config cfg;
static char *store;
static char err[512];

static bool take(const wr_option_text *before, size_t count, const char *spec)
{
    const wr_option_part part = {rows, ROWS, values};

    err[0] = '\0';
    free(store);
    store = NULL;
    cfg.sms = 15;
    return wr_options_read("s", &part, 1, before, count, spec, &cfg, &store, err, sizeof err);
}

static void good(const char *spec)
{
    if (!take(NULL, 0, spec)) {
        fail_msg("%s: %s", spec, err);
    }
}

static void bad(const char *spec, const char *message)
{
    assert_false(take(NULL, 0, spec));
    assert_string_equal(err, message);
}

static void test_presets(void **state)
{
    (void)state;
    good("");
    assert_int_equal(values[NUMBER].number, 5);
    assert_int_equal(values[CHOICE].word, 1);
    assert_true(values[EITHER].is_word && values[EITHER].word == 0);
    assert_int_equal(values[FLAG].number, 0);
    for (uint32_t i = LIST; i < ROWS; i++) {
        assert_false(values[i].given);
        assert_string_equal(values[i].text, "");
        assert_int_equal(values[i].count, 0);
    }
}

static void test_good(void **state)
{
    (void)state;
    good("number=9,choice=blue,either=14,flag=1,list=1:100:7,name=x y,path=a/b=c.fst");
    assert_int_equal(values[NUMBER].number, 9);
    assert_int_equal(values[CHOICE].word, 2);
    assert_true(!values[EITHER].is_word && values[EITHER].number == 14);
    assert_int_equal(values[FLAG].number, 1);
    assert_int_equal(values[LIST].count, 3);
    assert_int_equal(values[LIST].list[1], 100);
    assert_string_equal(values[NAME].text, "x y");
    assert_string_equal(values[PATH].text, "a/b=c.fst");
    assert_true(values[PATH].given);
    good("either=0,list=4");
    assert_int_equal(values[EITHER].number, 0);
    assert_int_equal(values[LIST].count, 1);
}

static void test_bad(void **state)
{
    static const char *const number[] = {"0", "10", "x", "3x", "-1", "", "18446744073709551616",
                                         " 3"};
    static const char *const list[] = {"0", "1:", ":1", "1;2", "-1", "1:2:3:4", "1:101", ""};
    char spec[2048];
    char message[4096];

    (void)state;
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        (void)snprintf(spec, sizeof spec, "number=%s", number[i]);
        (void)snprintf(message, sizeof message, "system s: %s is not a whole number from 1 to 9",
                       spec);
        bad(spec, message);
    }
    bad("choice=yellow", "system s: choice=yellow is not red, green or blue");
    bad("choice=1", "system s: choice=1 is not red, green or blue");
    bad("either=15", "system s: either=15 is not red, green, blue or a whole number from 0 to 14");
    bad("either=gree",
        "system s: either=gree is not red, green, blue or a whole number from 0 to 14");
    bad("flag=2", "system s: flag=2 is not 0 or 1");
    bad("flag=yes", "system s: flag=yes is not 0 or 1");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        (void)snprintf(spec, sizeof spec, "list=%s", list[i]);
        (void)snprintf(message, sizeof message,
                       "system s: %s is not 3 or fewer whole numbers from 1 to 100 with : between "
                       "them, as in 2:1",
                       spec);
        bad(spec, message);
    }
    bad("name=", "system s: name= is not a name");
    bad("path=", "system s: path= is not a path of 1 to 1023 characters");
    memset(spec, 'a', sizeof spec);
    memcpy(spec, "path=", 5);
    spec[5 + WR_OPTION_PATH_SIZE] = '\0';
    assert_false(take(NULL, 0, spec));
    spec[5 + WR_OPTION_PATH_SIZE - 1] = '\0';
    good(spec);
    bad("nothing=1", "system s: unknown option \"nothing\"; options are number, choice, either, "
                     "flag, list, name, path");
    bad("number=1,flag=1,number=1", "system s: option number is given twice");
    bad("numbe=1", "system s: unknown option \"numbe\"; options are number, choice, either, flag, "
                   "list, name, path");
    bad("flag=1,number", "system s: \"number\" is not option=value; options are number, choice, "
                         "either, flag, list, name, path");
    bad("flag=1,,number=1", "system s: \"\" is not option=value; options are number, choice, "
                            "either, flag, list, name, path");
}

/* Texts of the command line's own flags hold commas; the spec wins over them. */
static void test_before(void **state)
{
    const wr_option_text before[] = {{"path", "a,b,c"}, {"choice", "blue"}, {"name", NULL}};

    (void)state;
    assert_true(take(before, 3, ""));
    assert_string_equal(values[PATH].text, "a,b,c");
    assert_int_equal(values[CHOICE].word, 2);
    assert_false(values[NAME].given);
    assert_true(take(before, 3, "choice=red"));
    assert_string_equal(values[PATH].text, "a,b,c");
    assert_int_equal(values[CHOICE].word, 0);
}

static void test_takes(void **state)
{
    static const char *const expected[ROWS] = {
        [NUMBER] = "1 to 9 cycles",
        [CHOICE] = "red|green|blue",
        [EITHER] = "red|green|blue|0 to sms - 1",
        [FLAG] = "0|1",
        [LIST] = "1 to 100, with : between",
        [NAME] = "NAME",
        [PATH] = "PATH",
    };
    const wr_option open_end = {.kind = WR_OPTION_NUMBER, .max = UINT64_MAX};
    char text[128];

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) {
        wr_option_takes(&rows[i], text, sizeof text);
        assert_string_equal(text, expected[i]);
    }
    wr_option_takes(&open_end, text, sizeof text);
    assert_string_equal(text, "0 or more");
}

/* The tables of a system: presets that can be read, no name twice, everything explained. */
static void check_type(const wr_system_type *type)
{
    wr_option_value *own = calloc(type->option_count + 1, sizeof *own);
    wr_option_value common[WR_BAY_OPTIONS];
    const wr_option_part parts[] = {{type->options, type->option_count, own},
                                    {wr_bay_options, WR_BAY_OPTIONS, common}};
    size_t part_count = type->blocks ? 2 : 1;
    char *texts = NULL;

    assert_non_null(own);
    if (!wr_options_read(type->name, parts, part_count, NULL, 0, "", &cfg, &texts, err,
                         sizeof err)) {
        fail_msg("%s", err);
    }
    for (size_t i = 0; i < type->option_count; i++) {
        assert_true(type->options[i].doc[0] != '\0');
        for (size_t p = 0; p < part_count; p++) {
            for (size_t k = 0; k < parts[p].count; k++) {
                bool same = strcmp(type->options[i].name, parts[p].rows[k].name) == 0;

                assert_true(same == (p == 0 && k == i));
            }
        }
    }
    for (size_t i = 0; type->blocks && type->blocks[i]; i++) {
        assert_non_null(wr_block_find(type->blocks[i]));
    }
    assert_true(type->summary[0] != '\0' && type->paper && type->create && type->report);
    free(own);
    free(texts);
}

static void test_registry(void **state)
{
    size_t count;
    const wr_system_type *const *all = wr_system_types(&count);

    (void)state;
    cfg.sms = 15;
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        check_type(all[i]);
        assert_ptr_equal(wr_system_find(all[i]->name, strlen(all[i]->name)), all[i]);
        assert_true(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
    }
    assert_null(wr_system_find("preemptio", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets), cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),     cmocka_unit_test(test_before),
        cmocka_unit_test(test_takes),   cmocka_unit_test(test_registry),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    free(store);
    return failed;
}
