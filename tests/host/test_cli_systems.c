/* SPDX-License-Identifier: Apache-2.0 */
/* Systems on the command line: what lists them, what is refused, and two on one GPU. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#define WARPREF  WR_BINARY_DIR "/bin/warpref "
#define KERNEL   WR_SOURCE_DIR "/kernels/vecadd.yaml"
#define TOGETHER WR_SOURCE_DIR "/tests/library/together.yaml"
#define BOTH     "--system preemption:period=3000 --system sharing:policy=within_sm,shares=2:1:1 "
#define SWAPPED  "--system sharing:policy=within_sm,shares=2:1:1 --system preemption:period=3000 "

static char folder[] = "/tmp/warpref-systems-XXXXXX";
static char out[1 << 16], err[4096];

static void slurp(const char *name, char *text, size_t size)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    (void)fclose(f);
}

static int run(const char *arguments)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "cd %s && " WARPREF "%s >out 2>err </dev/null", folder,
                   arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    slurp("out", out, sizeof out);
    slurp("err", err, sizeof err);
    return WEXITSTATUS(status);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no \"%s\" in \"%s\"", part, text);
    }
}

static void systems_are_listed(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "preemption: thread blocks give way",
        "Source: Lin-P III, IV\n",
        "period=0 to 1099511627776 cycles (default 10000)\n      cycles between two signals",
        "sm=rotate|random|0 to sms - 1 (default rotate)",
        "Options of every system with blocks\n  blocks=model|rtl|lockstep (default model)",
        "context.pad_bytes 32\n",
        "kernels with preemption points",
        "Blocks\n  ",
    };
    assert_int_equal(run("systems"), 0);
    has(out, "preemption   thread blocks give way");
    has(out, "Lin-P III, IV\n");
    has(out, "sharing      shares SMs");
    assert_int_equal(run("systems preemption"), 0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        has(out, parts[i]);
    }
    assert_int_equal(run("systems sharing"), 0);
    has(out, "policy=leftover|in_order|within_sm (default within_sm)");
    has(out, "Blocks\n  none\n");
    assert_null(strstr(out, "lockstep"));
    assert_null(strstr(out, "Needs"));
    assert_int_equal(run("systems --help"), 0);
    assert_int_equal(run("systems preempt"), 2);
    assert_string_equal(err,
                        "warpref: there is no system 'preempt'; `warpref systems` lists them\n");
    assert_int_equal(run("systems preemption sharing"), 2);
    has(err, "one system at a time");
}

static void wrong_systems_are_2(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"--system nothing",
         "unknown system \"nothing\"; systems are ccbp, ccws, drain, drf, duet, duplicates, "
         "dyncta, haws, locality, mascar"},
        {"--system preemption --system sharing:part=1",
         "system sharing: unknown option \"part\"; options are policy, shares"},
        {"--system sharing:blocks=rtl",
         "system sharing: unknown option \"blocks\"; options are policy, shares"},
        {"--system preemption:period=x",
         "system preemption: period=x is not a whole number from 0 to 1099511627776"},
        {"--system preemption:sm=15",
         "system preemption: sm=15 is not rotate, random or a whole number from 0 to 14"},
        {"--system preemption --system preemption:period=5", "system preemption is given twice"},
        {"--system preemption:period=5,period=6",
         "system preemption: option period is given twice"},
        {"--threads 2 --threads=3",
         "warpref run: --threads is given twice\nTry `warpref run --help'"},
        {"-c gtx480 --config k20x", "warpref run: --config is given twice\n"},
        {"--json --set sms=2 --set sm.max_tbs=2 --js", "warpref run: --json is given twice\n"},
        {"--no-points --max-c 5 --no-pass all --no-pass licm --max-cycles 5",
         "warpref run: --max-cycles is given twice\n"},
        {"--system sharing:shares=1:2", "system sharing: shares=1:2 are 2, one of each stream; the "
                                        "run has 1 streams"},
        {"--with " KERNEL " --system spart:shares=3", "system spart: shares=3 are 1, one of each "
                                                      "stream; the run has 2 streams"},
        {"--system a --system a --system a --system a --system a --system a --system a --system a "
         "--system a",
         "more than 8 --system"},
        {"--system preemption --set context.pad_bytes=64",
         "system preemption needs a configuration with context.pad_bytes 32; it is 64 in gtx480"},
        {"--system sharing --system preemption --no-points",
         "--no-points leaves nothing that --system preemption could preempt at"},
        {"--system sharing --blocks rtl", "need a --system with blocks"},
        {"--system sharing --record v", "need a --system with blocks"},
        {"--record v", "need a --system with blocks"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char arguments[512];
        (void)snprintf(arguments, sizeof arguments, "run " KERNEL " %s", wrong[i][0]);
        if (run(arguments) != 2 || out[0]) {
            fail_msg("%s: not refused", wrong[i][0]);
        }
        has(err, wrong[i][1]);
    }
}

/* What does not preempt needs no points. */
static void sharing_runs_without_points(void **state)
{
    (void)state;
    assert_int_equal(run("run " KERNEL " --no-points --system sharing"), 0);
    has(out, "System sharing: ");
    has(out, "\nPASS\n");
}

/* A file's name may hold commas, which part options only in a system's own text. */
static void paths_hold_commas(void **state)
{
    (void)state;
    assert_int_equal(run("run " KERNEL " --system preemption --wave a,b=c.fst --record d,e"), 0);
    has(out, "  waveform   a,b=c.fst\n");
    slurp("a,b=c.gtkw", out, sizeof out);
    has(out, "preemption.state[3:0]\n");
}

static double value_of(const cJSON *measured, const char *name)
{
    const cJSON *row = cJSON_GetObjectItemCaseSensitive(measured, name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, "value");
    if (!cJSON_IsNumber(value)) {
        fail_msg("no %s", name);
        return 0;
    }
    return value->valuedouble;
}

/* Cycles, and what the systems did, of a run with both. */
static double both(const char *arguments, double figures[3])
{
    static char text[1 << 22];
    char command[512];
    (void)snprintf(command, sizeof command, "run " TOGETHER " --stats s.json %s", arguments);
    if (run(command) != 0) {
        fail_msg("%s", err);
    }
    has(out, "\nPASS\n");
    has(out, "\nSystem preemption: ");
    has(out, "\nSystem sharing: ");
    slurp("s.json", text, sizeof text);
    cJSON *root = cJSON_Parse(text);
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(root, "measured");
    assert_null(cJSON_GetObjectItemCaseSensitive(measured, "signals.due"));
    figures[0] = value_of(measured, "preemption.signals.done");
    figures[1] = value_of(measured, "preemption.latency.mean");
    figures[2] = value_of(measured, "sharing.parts.drawn");
    /* Every TB of the three streams was placed once by the dispatcher. */
    assert_true(value_of(measured, "sharing.stream0.tbs") == 391);
    assert_true(value_of(measured, "sharing.stream1.tbs") == 70);
    assert_true(value_of(measured, "sharing.stream2.tbs") == 61);
    double cycles = cJSON_GetObjectItemCaseSensitive(root, "cycles")->valuedouble;
    cJSON_Delete(root);
    return cycles;
}

/* Both work, the output is right, and their order does not matter, since one of them chooses. */
static void two_systems_on_one_gpu(void **state)
{
    (void)state;
    double figures[3], swapped[3];
    double cycles = both(BOTH, figures);
    assert_true(figures[0] > 0 && figures[1] > 0 && figures[2] > 3);
    assert_true(both(SWAPPED, swapped) == cycles);
    assert_memory_equal(figures, swapped, sizeof figures);
    assert_true(both(BOTH "--threads 2 ", swapped) == cycles);
    assert_memory_equal(figures, swapped, sizeof figures);
    assert_int_equal(run("run " TOGETHER " --json --system preemption:period=3000"), 0);
    has(out, "\"signals.due\":"); /* one alone has its names for itself */
    assert_null(strstr(out, "preemption.signals"));
}

/* Figures of systems stand in the CSV behind their names. */
static void csv_has_them(void **state)
{
    static char text[1 << 22];
    (void)state;
    assert_int_equal(run("run " TOGETHER " --stats s.csv " BOTH), 0);
    slurp("s.csv", text, sizeof text);
    has(text, "\npreemption.signals.done,");
    has(text, "\nsharing.policy,\"within_sm\",,\"policy\"\n");
    has(text, "\nsharing.stream0.share,2,,\"stream 0, share\"\n");
    has(text, "\nsm.issued,");
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
        cmocka_unit_test(systems_are_listed),          cmocka_unit_test(wrong_systems_are_2),
        cmocka_unit_test(sharing_runs_without_points), cmocka_unit_test(paths_hold_commas),
        cmocka_unit_test(two_systems_on_one_gpu),      cmocka_unit_test(csv_has_them),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
