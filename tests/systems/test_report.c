/* SPDX-License-Identifier: Apache-2.0 */
/* One list of rows in three forms: the same figures in text, JSON and CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "systems/frame/report.h"

static wr_report *sample(void)
{
    wr_report *r = wr_report_new();
    wr_row *row;

    assert_non_null(r);
    wr_report_section(r, "context.k", "Context of %s, %d warps", "k", 12);
    row = wr_report_real(r, "occupied", "occupied", 1152, "bytes per warp");
    wr_row_paper(row, 1664, "Lin-P III.B");
    (void)wr_report_real(r, "random", "random", 12.25, "%");
    wr_report_section(r, "", "Latency");
    wr_report_real(r, "latency.mean", "signal to end", 860.94, "cycles")->column = "mean";
    wr_report_count(r, "latency.max", "signal to end", 944, "cycles")->column = "most";
    row = wr_report_count(r, "latency.sum", "signal to end", 10331, "cycles");
    row->column = "sum";
    row->is_detail = true;
    wr_report_real(r, "restore.mean", "restore", 7, "cycles")->column = "mean";
    row = wr_report_count(r, "restore.max", "restore", 8, "cycles");
    row->column = "most";
    wr_row_paper(row, 9, "Lin-P V");
    (void)wr_report_count(r, "tail", "alone", 3, "");
    wr_report_count(r, "hidden", "for files", UINT64_C(1) << 40, "")->is_detail = true;
    wr_report_section(r, "preemption", "Only details");
    wr_report_count(r, "0.cycle", "cycle", 5, "cycles")->is_detail = true;
    wr_report_section(r, "files", "Files");
    (void)wr_report_text(r, "wave", "waveform", "a \"b\",c.fst");
    (void)wr_report_text(r, "", "open", "gtkwave x");
    assert_true(wr_report_whole(r));
    return r;
}

/* What a writer writes. */
static void write_text(const wr_report *r, const char *before, char *text, size_t size)
{
    FILE *f = tmpfile();

    assert_non_null(f);
    if (before) {
        wr_report_csv(r, before, f);
    } else {
        wr_report_print(r, f);
    }
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    (void)fclose(f);
}

static void test_text(void **state)
{
    static const char expected[] = "\n"
                                   "Context of k, 12 warps\n"
                                   "                 ours                     paper\n"
                                   "  occupied     1152.0 bytes per warp     1664.0  Lin-P III.B\n"
                                   "  random         12.2 %\n"
                                   "\n"
                                   "Latency\n"
                                   "                      mean       most             paper\n"
                                   "  signal to end      860.9        944 cycles\n"
                                   "  restore              7.0          8 cycles        9.0  most: "
                                   "Lin-P V\n"
                                   "                      ours             paper\n"
                                   "  alone                  3\n"
                                   "\n"
                                   "Files\n"
                                   "  waveform a \"b\",c.fst\n"
                                   "  open     gtkwave x\n";
    char text[4096];
    wr_report *r = sample();

    (void)state;
    write_text(r, NULL, text, sizeof text);
    assert_string_equal(text, expected);
    wr_report_free(r);
}

static void test_csv(void **state)
{
    static const char expected[] =
        "s.context.k.occupied,1152,bytes per warp,\"occupied; paper: 1664 (Lin-P III.B)\"\n"
        "s.context.k.random,12.25,%,\"random\"\n"
        "s.latency.mean,860.94,cycles,\"signal to end, mean\"\n"
        "s.latency.max,944,cycles,\"signal to end, most\"\n"
        "s.latency.sum,10331,cycles,\"signal to end, sum\"\n"
        "s.restore.mean,7,cycles,\"restore, mean\"\n"
        "s.restore.max,8,cycles,\"restore, most; paper: 9 (Lin-P V)\"\n"
        "s.tail,3,,\"alone\"\n"
        "s.hidden,1099511627776,,\"for files\"\n"
        "s.preemption.0.cycle,5,cycles,\"cycle\"\n"
        "s.files.wave,\"a \"\"b\"\",c.fst\",,\"waveform\"\n";
    char text[4096];
    wr_report *r = sample();

    (void)state;
    write_text(r, "s.", text, sizeof text);
    assert_string_equal(text, expected);
    wr_report_free(r);
}

static void test_json(void **state)
{
    static const char *const expected =
        "{\"context.k.occupied\":{\"value\":1152,\"unit\":\"bytes per warp\",\"paper\":1664,"
        "\"source\":\"Lin-P III.B\"},"
        "\"context.k.random\":{\"value\":12.25,\"unit\":\"%\"},"
        "\"latency.mean\":{\"value\":860.94,\"unit\":\"cycles\"},"
        "\"latency.max\":{\"value\":944,\"unit\":\"cycles\"},"
        "\"latency.sum\":{\"value\":10331,\"unit\":\"cycles\"},"
        "\"restore.mean\":{\"value\":7,\"unit\":\"cycles\"},"
        "\"restore.max\":{\"value\":8,\"unit\":\"cycles\",\"paper\":9,\"source\":\"Lin-P V\"},"
        "\"tail\":{\"value\":3},\"hidden\":{\"value\":1099511627776},"
        "\"preemption.0.cycle\":{\"value\":5,\"unit\":\"cycles\"},"
        "\"files.wave\":{\"value\":\"a \\\"b\\\",c.fst\"}}";
    wr_report *r = sample();

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        cJSON *object = cJSON_CreateObject();

        wr_report_json(r, i == 0 ? "" : "s.", object);
        char *text = cJSON_PrintUnformatted(object);

        assert_non_null(text);
        if (i == 0) {
            assert_string_equal(text, expected);
        } else {
            assert_non_null(cJSON_GetObjectItemCaseSensitive(object, "s.tail"));
            assert_null(cJSON_GetObjectItemCaseSensitive(object, "tail"));
        }
        cJSON_free(text);
        cJSON_Delete(object);
    }
    wr_report_free(r);
}

/* Strings of a row are its own, and stay where many rows follow. */
static void test_many_rows(void **state)
{
    enum { MANY = 5000 };
    wr_report *r = wr_report_new();
    char name[64];

    (void)state;
    assert_non_null(r);
    wr_report_section(r, "n", "Many");
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "row%u", i);
        (void)wr_report_count(r, name, name, i, "");
    }
    memset(name, 0, sizeof name);
    assert_int_equal(wr_report_rows(r), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        const wr_row *row = wr_report_row(r, i);

        (void)snprintf(name, sizeof name, "n.row%u", i);
        assert_string_equal(row->name, name);
        assert_string_equal(row->label, name + 2);
        assert_string_equal(row->section, "Many");
        assert_int_equal(row->count, i);
    }
    wr_report_free(r);
    wr_report_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_many_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
