/* SPDX-License-Identifier: Apache-2.0 */
/* `warpref run --timeline`: the intervals of each warp slot tile the run, agree with the counters
 * and with the waveform, and are the same bytes with any number of threads.
 */
#include "tests/host/test_support.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN "run " WR_SOURCE_DIR "/kernels/bfs_kernel1.yaml "
enum { SMS = 15, WARPS = 48, STATES = 10 };

static const char *const names[STATES] = {"empty",  "ready",   "arithmetic", "memory", "fetch",
                                          "membar", "barrier", "stopped",    "placed", "done"};
static char folder[] = "/tmp/warpref-timeline-XXXXXX";

static int shell(const char *before, const char *arguments)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "cd %s && %s %s >out 2>err </dev/null", folder, before,
                   arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int warpref(const char *arguments)
{
    return shell(WR_BINARY_DIR "/bin/warpref", arguments);
}

static FILE *open_file(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

/* Value of a counter in a CSV of figures. */
static uint64_t counter(const char *file, const char *name)
{
    char line[512];
    FILE *f = open_file(file);
    size_t length = strlen(name);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, name, length) == 0 && line[length] == ',') {
            (void)fclose(f);
            return strtoull(line + length + 1, NULL, 10);
        }
    }
    fail_msg("%s has no %s", file, name);
    return 0;
}

typedef struct row {
    uint32_t sm, warp, state;
    uint64_t from, to;
} row;

static bool next_row(FILE *f, row *r)
{
    char line[128], name[32];
    if (!fgets(line, sizeof line, f)) {
        return false;
    }
    int n = sscanf(line, "%" SCNu32 ",%" SCNu32 ",%" SCNu64 ",%" SCNu64 ",%31[a-z]\n", &r->sm,
                   &r->warp, &r->from, &r->to, name);
    assert_int_equal(n, 5);
    for (r->state = 0; r->state < STATES && strcmp(name, names[r->state]) != 0; r->state++) {
    }
    assert_true(r->sm < SMS && r->warp < WARPS && r->state < STATES && r->from < r->to);
    return true;
}

static FILE *open_timeline(const char *name)
{
    char line[128];
    FILE *f = open_file(name);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "sm,warp,from,to,state\n");
    return f;
}

/* Cycles by SM and state; fails unless the intervals of each slot follow one another from `from`
 * to `to`, each with another state than the one before, in the order of the header. */
static void sum_up(const char *name, uint64_t from, uint64_t to, uint64_t sum[SMS][STATES])
{
    static row last[SMS][WARPS];
    row r, before = {0};
    uint32_t slots = 0;
    FILE *f = open_timeline(name);
    memset(last, 0, sizeof last);
    memset(sum, 0, SMS * sizeof *sum);
    while (next_row(f, &r)) {
        row *l = &last[r.sm][r.warp];
        assert_true(r.from == (l->to ? l->to : from));
        assert_true(!l->to || r.state != l->state);
        assert_true(r.to > before.to ||
                    (r.to == before.to && r.sm * WARPS + r.warp > before.sm * WARPS + before.warp));
        slots += l->to == 0 ? 1 : 0;
        sum[r.sm][r.state] += r.to - r.from;
        *l = before = r;
    }
    (void)fclose(f);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        for (uint32_t w = 0; w < WARPS; w++) {
            assert_true(last[sm][w].to == to || last[sm][w].to == 0);
        }
    }
    assert_true(slots == SMS * WARPS || slots == WARPS);
}

/* A warp is in its slot for as many cycles as counters say, whatever it does there, and one more:
 * the counter is through with a cycle when the dispatcher places a TB in it. A TB has 16 warps. */
static void intervals_tile_the_run(void **state)
{
    (void)state;
    static uint64_t sum[SMS][STATES];
    uint64_t busy = 0;
    assert_int_equal(warpref(RUN "--timeline t.csv --stats s.csv"), 0);
    uint64_t cycles = counter("s.csv", "gpu.cycles");
    sum_up("t.csv", 0, cycles, sum);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        char counted[32], placed[32];
        (void)snprintf(counted, sizeof counted, "sm%" PRIu32 ".warp_cycles", sm);
        (void)snprintf(placed, sizeof placed, "sm%" PRIu32 ".tbs_started", sm);
        assert_true(cycles * WARPS - sum[sm][0] ==
                    counter("s.csv", counted) + 16 * counter("s.csv", placed));
        busy += cycles * WARPS - sum[sm][0];
    }
    assert_true(busy > cycles);
    assert_true(sum[0][1] > 0 && sum[0][2] > 0 && sum[0][3] > 0 && sum[0][4] > 0);
}

/* Stopped and placed warps, RTL's clients included, and the same bytes with two threads. */
static void same_bytes_with_threads(void **state)
{
    (void)state;
    static uint64_t sum[SMS][STATES];
    uint64_t all[STATES] = {0};
#define PREEMPTED RUN "--system preemption:period=2000 "
    assert_int_equal(warpref(PREEMPTED "--timeline one.csv --stats one.json"), 0);
    assert_int_equal(warpref(PREEMPTED "--timeline two.csv --stats two.json --threads 2"), 0);
    assert_int_equal(warpref(PREEMPTED "--stats s.csv"), 0);
    assert_int_equal(shell("cmp", "one.csv two.csv"), 0);
    assert_int_equal(shell("cmp", "one.json two.json"), 0);
    sum_up("one.csv", 0, counter("s.csv", "gpu.cycles"), sum);
    for (uint32_t i = 0; i < SMS * STATES; i++) {
        all[i % STATES] += sum[i / STATES][i % STATES];
    }
    assert_true(all[7] > 0 && all[8] > 0);
}

/* One SM and some cycles of it are what the whole says of them. */
static void a_window_is_a_part(void **state)
{
    (void)state;
    static uint64_t sum[SMS][STATES], part[SMS][STATES];
    row r;
    memset(part, 0, sizeof part);
    assert_int_equal(warpref(RUN "--timeline t.csv"), 0);
    assert_int_equal(warpref(RUN "--timeline w.csv,sm=3,from=1001,to=2500"), 0);
    sum_up("w.csv", 1001, 2500, sum);
    FILE *f = open_timeline("t.csv");
    while (next_row(f, &r)) {
        uint64_t from = r.from > 1001 ? r.from : 1001, to = r.to < 2500 ? r.to : 2500;
        if (r.sm == 3 && from < to) {
            part[r.sm][r.state] += to - from;
        }
    }
    (void)fclose(f);
    assert_memory_equal(sum, part, sizeof sum);
    assert_true(sum[3][1] > 0);
    assert_int_equal(warpref(RUN "--timeline w.csv,from=900000000"), 0); /* behind the end */
    f = open_timeline("w.csv");
    assert_false(next_row(f, &r));
    (void)fclose(f);
}

/* With a waveform in the same run, too; and GTKWave's reader says the same of it. */
static void waveform_says_the_same(void **state)
{
    (void)state;
    char line[256], name[64], id[16], ids[WARPS][16] = {""};
    static row rows[1 << 16];
    static bool seen[1 << 16];
    uint32_t count = 0, sm = 99, warp, shown = 0;
    uint64_t now = 0;
    assert_int_equal(warpref(RUN "--timeline alone.csv,sm=2"), 0);
    assert_int_equal(warpref(RUN "--timeline t.csv,sm=2 --wave w.fst"), 0);
    assert_int_equal(shell("cmp", "alone.csv t.csv"), 0);
    assert_int_equal(shell("fst2vcd", "w.fst -o w.vcd"), 0);
    FILE *f = open_timeline("t.csv");
    while (next_row(f, &rows[count])) {
        assert_true(++count < 1 << 16);
    }
    (void)fclose(f);
    f = open_file("w.vcd");
    while (fgets(line, sizeof line, f)) {
        uint32_t value = 0;
        if (sscanf(line, "$scope module sm%" SCNu32, &sm) == 1 ||
            sscanf(line, "#%" SCNu64, &now) == 1) {
            continue;
        }
        if (sm == 2 && sscanf(line, "$var wire 4 %15s warp%" SCNu32, id, &warp) == 2) {
            (void)snprintf(ids[warp], sizeof ids[warp], "%s", id);
        } else if (sscanf(line, "b%63[01] %15s", name, id) == 2) {
            for (const char *p = name; *p; p++) {
                value = 2 * value + (*p == '1');
            }
            for (warp = 0; warp < WARPS && strcmp(ids[warp], id) != 0; warp++) {
            }
            for (uint32_t i = 0; warp < WARPS && i < count; i++) {
                if (rows[i].warp == warp && rows[i].from == now / 10) {
                    assert_int_equal(rows[i].state, value);
                    shown += seen[i] ? 0 : 1;
                    seen[i] = true;
                }
            }
        }
    }
    (void)fclose(f);
    assert_int_equal(shown, count);
}

/* A run with these arguments has this exit status, and says that. */
static void ends(const char *arguments, int status, const char *said)
{
    char words[512], text[1024];
    (void)snprintf(words, sizeof words, RUN "%s", arguments);
    assert_int_equal(warpref(words), status);
    FILE *f = open_file("err");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    if (!strstr(text, said)) {
        fail_msg("%s: %s", arguments, text);
    }
}

static void wrong_ones_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"--timeline=", "take a path"},
        {"--timeline ,sm=1", "takes a path"},
        {"--timeline t.csv,sm=15", "no SM 15; they are 0 to 14"},
        {"--timeline t.csv,sm=x", "sm= takes a number, not 'x'"},
        {"--timeline t.csv,from=-1", "from= takes a number, not '-1'"},
        {"--timeline t.csv,warp=1", "sm=N, from=C or to=C, not 'warp=1'"},
        {"--timeline t.csv,sm", "sm=N, from=C or to=C, not 'sm'"},
        {"--timeline t.csv,from=5,to=5", "no cycle lies from 5 on and before 5"},
        {"--timeline none/t.csv", "none/t.csv: error: cannot be written"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ends(wrong[i][0], 2, wrong[i][1]);
    }
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    ends("--timeline /dev/full", 1, "/dev/full: error: cannot be written");
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
        cmocka_unit_test(intervals_tile_the_run), cmocka_unit_test(same_bytes_with_threads),
        cmocka_unit_test(a_window_is_a_part),     cmocka_unit_test(waveform_says_the_same),
        cmocka_unit_test(wrong_ones_are_refused), cmocka_unit_test(a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
