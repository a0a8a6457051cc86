/* SPDX-License-Identifier: Apache-2.0 */
/* Trace files of CPU cores: both forms give what stands in them, again and again; a core runs them
 * as it runs the same accesses made; and what is wrong is told with its place. */
#include "shell/cpu/cpus.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/ptx/diag.h"

static char path[2][64];

static void path_of(uint32_t i, const char *ending)
{
    (void)snprintf(path[i], sizeof path[i], "./trace-%ld%s", (long)getpid(), ending);
}

static void write_file(uint32_t i, const char *ending, const void *bytes, size_t size)
{
    path_of(i, ending);
    FILE *f = fopen(path[i], "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static int remove_files(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        (void)remove(path[i]);
    }
    return 0;
}

static wr_cpu_trace *opened(uint32_t i)
{
    char error[300] = "";
    wr_cpu_trace *t = wr_cpu_trace_open(path[i], error, sizeof error);
    if (t == NULL) {
        fail_msg("%s", error);
    }
    return t;
}

static void expect(wr_cpu_trace *t, uint64_t at, uint64_t address, bool store)
{
    wr_cpu_trace_access a = wr_cpu_trace_next(t);
    assert_int_equal(a.at, at);
    assert_true(a.address == address && a.store == store);
}

static void text_by_hand(void **state)
{
    static const char text[] = "# number, R or W, address\n"
                               "0 R 0x1f40\n"
                               "\n"
                               "  3 W 64   # a store\n"
                               "4 R 0xffffffffffffffff\n"
                               "9 W 0x0";
    (void)state;
    write_file(0, ".txt", text, sizeof text - 1);
    wr_cpu_trace *t = opened(0);
    for (uint64_t pass = 0; pass < 3; pass++) {
        expect(t, 10 * pass, 0x1f40, false);
        expect(t, 10 * pass + 3, 64, true);
        expect(t, 10 * pass + 4, UINT64_MAX, false);
        expect(t, 10 * pass + 9, 0, true);
    }
    wr_cpu_trace_close(t);
}

static void put(uint8_t *record, uint32_t at, uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++) {
        record[at + i] = (uint8_t)(value >> 8 * i);
    }
}

/* Bytes as ChampSim's header has them; what is no address means nothing. */
static void records_by_hand(void **state)
{
    uint8_t r[4][64];
    (void)state;
    memset(r, 0, sizeof r);
    for (uint32_t i = 0; i < 4; i++) {
        memset(r[i], 0xa5, 16);
    }
    put(r[1], 40, 0x1122334455667788); /* the second that it reads */
    put(r[2], 16, 0x80);               /* writes, */
    put(r[2], 24, 0xc0);               /* again, */
    put(r[2], 32, 0x40);               /* and reads */
    write_file(0, ".trace", r, sizeof r);
    wr_cpu_trace *t = opened(0);
    for (uint64_t pass = 0; pass < 3; pass++) { /* of 1, 1, 3 and 1 */
        expect(t, 6 * pass + 1, 0x1122334455667788, false);
        expect(t, 6 * pass + 2, 0x40, false);
        expect(t, 6 * pass + 3, 0x80, true);
        expect(t, 6 * pass + 4, 0xc0, true);
    }
    wr_cpu_trace_close(t);
    memset(r, 0, sizeof r);
    write_file(0, ".trace", r, sizeof r);
    t = opened(0);
    expect(t, UINT64_MAX, 0, false);
    wr_cpu_trace_close(t);
}

enum { ACCESSES = 6000 };

/* Accesses of a made stream, as both files: then the same accesses come out, and cores run both
 * alike, of more records than are read at a time. */
static void both_are_a_stream(void **state)
{
    wr_gpu_config cfg;
    wr_diag diag = {0};
    wr_cpu_stream made;
    wr_cpu_stream s[2];
    wr_cpu_stats stats[2];
    wr_cpu_access a = {0};
    uint64_t next = 0;
    (void)state;
    assert_true(wr_config_load("kayiran", &cfg, &diag));
    path_of(0, ".txt");
    path_of(1, ".champsim");
    FILE *text = fopen(path[0], "w");
    FILE *records = fopen(path[1], "wb");
    assert_true(text != NULL && records != NULL);
    wr_cpu_stream_init(&made, &cfg, 498, 3);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        a = wr_cpu_stream_next(&made);
        (void)fprintf(text, "%" PRIu64 " %c %" PRIu64 "\n", a.at, a.store ? 'W' : 'R',
                      (a.line - WR_CONFIG_CPU_NEAR_LINES) * cfg.l2.line_bytes + i % 128);
        for (; next <= a.at; next++) {
            uint8_t r[64] = {0};
            if (next == a.at) {
                put(r, a.store ? 16 : 56,
                    (a.line - WR_CONFIG_CPU_NEAR_LINES) * cfg.l2.line_bytes + i % 128);
            }
            assert_int_equal(fwrite(r, 1, sizeof r, records), sizeof r);
        }
    }
    assert_true(fclose(text) == 0 && fclose(records) == 0);
    wr_cpu_stream_init(&made, &cfg, 498, 3);
    wr_cpu_trace *t[2] = {opened(0), opened(1)};
    for (uint32_t k = 0; k < 2; k++) {
        wr_cpu_stream_of_trace(&s[k], &cfg, t[k]);
    }
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const wr_cpu_access want = wr_cpu_stream_next(&made);
        const uint64_t line = want.line - WR_CONFIG_CPU_NEAR_LINES;
        for (uint32_t k = 0; k < 2; k++) {
            const wr_cpu_access got = wr_cpu_stream_next(&s[k]);
            assert_true(got.at == want.at && got.store == want.store);
            assert_int_equal(got.line, WR_CONFIG_CPU_NEAR_LINES + (line & (made.cold_lines - 1)));
        }
    }
    for (uint32_t k = 0; k < 2; k++) {
        wr_memsys *ms = wr_memsys_create(&cfg);
        wr_cpus *cpus = wr_cpus_create(&cfg, ms);
        char error[300] = "";
        char list[200];
        (void)snprintf(list, sizeof list, "gcc,@%s*2", path[k]);
        if (!wr_cpus_start(cpus, 0, list, error, sizeof error)) {
            fail_msg("%s", error);
        }
        assert_string_equal(wr_cpus_app(cpus, 1)->name, path[k] + 2);
        assert_null(wr_cpus_app(cpus, 3));
        for (uint64_t now = 0; now < 150000; now++) {
            wr_memsys_tick(ms, now);
            wr_cpus_tick(cpus, now);
        }
        stats[k] = *wr_cpus_stats(cpus, 2);
        assert_true(stats[k].l2_misses > 1000 && stats[k].instructions > a.at);
        wr_cpus_free(cpus);
        wr_memsys_free(ms);
        wr_cpu_trace_close(t[k]);
    }
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
}

static void wrong_files_are_told(void **state)
{
    static const struct {
        const char *ending, *text, *part;
    } cases[] = {
        {".txt", "", "has no access to memory"},
        {".txt", "# nothing\n\n", "has no access to memory"},
        {".txt", "0 R 64\n0 R 64\n", ":2: a line has a higher instruction number"},
        {".txt", "5 R 64\n4 R 64\n", ":2: a line has a higher instruction number"},
        {".txt", "x R 64\n", ":1: a line begins with the number"},
        {".txt", "-1 R 64\n", ":1: a line begins with the number"},
        {".txt", "99999999999999999999 R 64\n", ":1: a line begins with the number"},
        {".txt", "18446744073709551615 R 64\n", ":1: a line has an instruction number below"},
        {".txt", "0R 64\n", ":1: a line begins with the number"},
        {".txt", "0 X 64\n", ":1: a line has R or W"},
        {".txt", "0\n", ":1: a line has R or W"},
        {".txt", "0 R\n", ":1: a line has R or W"},
        {".txt", "0 R y\n", ":1: a line has an address"},
        {".txt", "0 R 0x\n", ":1: a line has an address"},
        {".txt", "0 R 64 7\n", ":1: a line has nothing behind"},
        {".trace", "", "0 bytes are not whole records of 64"},
        {".trace", "0 R 64\n", "7 bytes are not whole records of 64"},
    };
    char error[300];
    char line[400] = "1 R ";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(0, cases[i].ending, cases[i].text, strlen(cases[i].text));
        assert_null(wr_cpu_trace_open(path[0], error, sizeof error));
        if (strstr(error, cases[i].part) == NULL || strstr(error, path[0]) == NULL) {
            fail_msg("'%s': %s", cases[i].text, error);
        }
        (void)remove(path[0]);
    }
    memset(line + 4, '7', sizeof line - 4);
    write_file(0, ".txt", line, sizeof line);
    assert_null(wr_cpu_trace_open(path[0], error, sizeof error));
    assert_non_null(strstr(error, ":1: a line is shorter than 256"));
    assert_null(wr_cpu_trace_open("./there/is/none", error, sizeof error));
    assert_non_null(strstr(error, "./there/is/none: No such file"));
    assert_null(wr_cpu_trace_open(".", error, sizeof error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(text_by_hand, remove_files),
        cmocka_unit_test_teardown(records_by_hand, remove_files),
        cmocka_unit_test_teardown(both_are_a_stream, remove_files),
        cmocka_unit_test_teardown(wrong_files_are_told, remove_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
