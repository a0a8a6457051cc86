/* SPDX-License-Identifier: Apache-2.0 */
/* The files of counters that `warpref run` writes: JSON, CSV and samples say the same. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#define RUN WR_BINARY_DIR "/bin/warpref run " WR_SOURCE_DIR "/kernels/bfs_kernel1.yaml "

static char folder[] = "/tmp/warpref-counters-XXXXXX";

static int run(const char *arguments)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "cd %s && " RUN "%s >out 2>err </dev/null", folder,
                   arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static FILE *open_file(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

static char *slurp(const char *name)
{
    FILE *f = open_file(name);
    size_t size = 1 << 22;
    char *text = malloc(size);
    assert_non_null(text);
    text[fread(text, 1, size - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

static double number(const cJSON *root, const char *group, const char *name)
{
    const cJSON *item =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, group), name);
    if (!cJSON_IsNumber(item)) {
        fail_msg("%s has no %s", group, name);
    }
    return item->valuedouble;
}

/* Value of a counter in the CSV; fails where it is not there. */
static double csv_value(const char *csv, const char *name)
{
    char key[128];
    (void)snprintf(key, sizeof key, "\n%s,", name);
    const char *at = strstr(csv, key);
    if (!at) {
        fail_msg("the CSV has no %s", name);
        return 0;
    }
    return strtod(at + strlen(key), NULL);
}

static void json_and_csv_agree(void **state)
{
    (void)state;
    assert_int_equal(run("--stats s.json"), 0);
    assert_int_equal(run("--stats s.csv"), 0);
    char *text = slurp("s.json"), *csv = slurp("s.csv");
    cJSON *root = cJSON_Parse(text);
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(root, "parts");
    assert_non_null(part);
    assert_int_equal(strncmp(csv, "name,value,unit,doc\n", 20), 0);
    assert_true(csv_value(csv, "sm.issued") == number(root, "counters", "sm.issued"));
    assert_true(csv_value(csv, "sm.issued") > 0);
    assert_true(csv_value(csv, "sm3.sched0.stall.memory") ==
                number(part, "sm3.sched0", "stall.memory"));
    assert_true(csv_value(csv, "l2.bank5.misses") == number(part, "l2.bank5", "misses"));
    assert_true(csv_value(csv, "dram.ch2.row_hits") == number(part, "dram.ch2", "row_hits"));
    assert_true(csv_value(csv, "noc.reply.out7.flits") == number(part, "noc.reply.out7", "flits"));
    assert_true(csv_value(csv, "kernel.bfs_kernel1.issued") ==
                number(part, "kernel.bfs_kernel1", "issued"));
    assert_true(csv_value(csv, "sm14.l1.hits") == number(part, "sm14", "l1.hits"));
    cJSON_Delete(root);
    free(text);
    free(csv);
}

/* Each column of the samples adds up to the counter at the end. */
static void samples_add_up(void **state)
{
    (void)state;
    enum { COLUMNS = 4 };
    static const char *const names[COLUMNS] = {"sm.issued", "dram.occupancy", "sched.stall.memory",
                                               "l2.bank5.misses"};
    unsigned long long total[COLUMNS] = {0}, cycle = 0;
    unsigned rows = 0;
    char line[512], *csv;
    assert_int_equal(run("--stats s.csv --samples t.csv --sample 700 --sample-of "
                         "sm.issued,dram.occupancy,sched.stall.memory,l2.bank5.miss*"),
                     0);
    csv = slurp("s.csv");
    FILE *f = open_file("t.csv");
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line,
                        "cycle,sm.issued,sched.stall.memory,dram.occupancy,l2.bank5.misses\n");
    while (fgets(line, sizeof line, f)) {
        unsigned long long now, delta[COLUMNS];
        assert_int_equal(sscanf(line, "%llu,%llu,%llu,%llu,%llu", &now, &delta[0], &delta[2],
                                &delta[1], &delta[3]),
                         5);
        rows++;
        assert_true(now == 700ull * rows ||
                    now == (unsigned long long)csv_value(csv, "gpu.cycles"));
        cycle = now;
        for (unsigned i = 0; i < COLUMNS; i++) {
            total[i] += delta[i];
        }
    }
    (void)fclose(f);
    assert_int_equal(cycle, csv_value(csv, "gpu.cycles"));
    assert_int_equal(rows, (cycle + 699) / 700);
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (total[i] != (unsigned long long)csv_value(csv, names[i]) || total[i] == 0) {
            fail_msg("the samples of %s make %llu", names[i], total[i]);
        }
    }
    free(csv);
}

/* Without a system the waveform is of the GPU alone, and has names for its states. */
static void wave_of_the_gpu(void **state)
{
    (void)state;
    assert_int_equal(run("--wave w.fst"), 0);
    char *text = slurp("w.gtkw"), *out = slurp("out");
    assert_non_null(strstr(text, "[dumpfile] \"w.fst\"\n"));
    assert_non_null(strstr(text, "gpu.sm0.sched1.use[3:0]\n"));
    assert_non_null(strstr(text, "gpu.sm0.warp47[3:0]\n"));
    assert_non_null(strstr(text, "gpu.dram.ch5.reads[15:0]\n"));
    assert_non_null(strstr(out, "Waveform of the GPU: w.fst; gtkwave w.gtkw shows it\n"));
    free(text);
    free(out);
    /* GTKWave's own reader agrees. */
    char command[256];
    (void)snprintf(command, sizeof command, "cd %s && fst2vcd w.fst >w.vcd 2>/dev/null", folder);
    assert_int_equal(system(command), 0);
    FILE *f = open_file("w.vcd");
    char line[256];
    unsigned changes = 0, warps = 0, banks = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned number;
        char part[64];
        changes += line[0] == '#';
        warps += sscanf(line, "$var wire 4 %63s warp%u", part, &number) == 2;
        banks += strcmp(line, "$scope module bank0 $end\n") == 0;
    }
    (void)fclose(f);
    assert_true(changes > 1000);
    assert_int_equal(warps, 15 * 48);
    assert_int_equal(banks, 1);
}

static void wrong_samples_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"--samples t.csv --sample-of sm.nothing", "no counter is called 'sm.nothing'"},
        {"--sample 100", "need --samples"},
        {"--samples t.csv --sample 0", "a number from 1"},
        {"--samples none/t.csv", "cannot be written"},
        {"--samples=", "take a path"},
        {"--wave none/w.fst", "cannot be written"},
        {"--wave w.gtkw", "the saved view goes there"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(run(wrong[i][0]), 2);
        char *text = slurp("err");
        if (!strstr(text, wrong[i][1])) {
            fail_msg("%s: %s", wrong[i][0], text);
        }
        free(text);
    }
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_and_csv_agree),
        cmocka_unit_test(samples_add_up),
        cmocka_unit_test(wave_of_the_gpu),
        cmocka_unit_test(wrong_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
