/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in parameters that no named configuration has: Verilated on first use, kept in the cache,
 * and made anew when what they are made of changes. */
#include "testbench/cosim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK  "switch_queues"
#define FOLDER WR_BINARY_DIR "/tests/any_parameters"
#define TREE   FOLDER "/tree"
#define CACHE  FOLDER "/cache"

enum { CYCLES = 20000 };

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

static size_t count(const char *pattern)
{
    glob_t found;
    size_t n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;

    globfree(&found);
    return n;
}

static size_t objects(void)
{
    return count(CACHE "/wr_*.so");
}

/* How often the tree's verilate.sh has run. */
static size_t builds(void)
{
    FILE *f = fopen(FOLDER "/builds", "r");
    size_t n = 0;

    while (f != NULL && fgetc(f) != EOF) {
        n++;
    }
    if (f != NULL) {
        assert_int_equal(fclose(f), 0);
    }
    return n;
}

/* A tree of our own, whose verilate.sh leaves a mark each time that it runs, and an empty cache. */
static int set_up(void **state)
{
    (void)state;
    shell("rm -rf " FOLDER " && mkdir -p " TREE " && cd " WR_SOURCE_DIR
          " && cp -r --parents dpi/*.sh dpi/*.sv dpi/*.vlt dpi/*.cpp dpi/*.h dpi/gen rtl " TREE);
    shell("sed -i '3i printf . >>" FOLDER "/builds' " TREE "/dpi/verilate.sh");
    return setenv("WARPREF_ROOT", TREE, 1) | setenv("WARPREF_CACHE", CACHE, 1) |
           setenv("WR_CXX_OPTIMIZE", "-O0", 1);
}

static bool run(const uint32_t *cfg, wr_backend backend, wr_cosim_result *result, char *err,
                size_t err_size)
{
    wr_cosim_options o = {
        .block = wr_block_find(BLOCK), .cfg = cfg, .backend = backend, .seed = 1, .cycles = CYCLES};

    assert_null(wr_block_config_of(o.block, cfg));
    return wr_cosim_run(&o, result, err, err_size);
}

static void expect_pass(const uint32_t *cfg, wr_backend backend)
{
    wr_cosim_result r;
    char err[2048];

    if (!run(cfg, backend, &r, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    assert_string_equal(r.first, "");
    assert_int_equal(r.stats.cycles, CYCLES);
    assert_int_equal(r.stats.mismatches, 0);
    assert_true(r.stats.transactions > CYCLES / 100);
    assert_true((r.stats.comparisons >= CYCLES) == (backend == WR_BACKEND_LOCKSTEP));
}

static void expect_refused(const uint32_t *cfg, const char *message)
{
    wr_cosim_result r;
    char err[2048];

    assert_false(run(cfg, WR_BACKEND_LOCKSTEP, &r, err, sizeof(err)));
    if (strstr(err, message) == NULL || strchr(err, '\n') != NULL) {
        fail_msg("'%s', expected '%s'", err, message);
    }
}

static void built_once_and_kept(void **state)
{
    static const uint32_t cfg[] = {7, 3};
    static const uint32_t other[] = {7, 4};
    struct stat before;
    struct stat after;
    glob_t found;

    (void)state;
    expect_pass(cfg, WR_BACKEND_LOCKSTEP);
    assert_int_equal(objects(), 1);
    assert_int_equal(builds(), 1);
    assert_int_equal(glob(CACHE "/wr_" BLOCK "_lockstep_*.so", 0, NULL, &found), 0);
    assert_int_equal(stat(found.gl_pathv[0], &before), 0);
    expect_pass(cfg, WR_BACKEND_LOCKSTEP);
    assert_int_equal(objects(), 1);
    assert_int_equal(builds(), 1);
    assert_int_equal(stat(found.gl_pathv[0], &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    globfree(&found);

    expect_pass(other, WR_BACKEND_LOCKSTEP); /* the parameters are in the key, and the mode */
    expect_pass(cfg, WR_BACKEND_RTL);
    assert_int_equal(objects(), 3);
    assert_int_equal(builds(), 3);
    assert_int_equal(count(CACHE "/*"), 6); /* and their logs: nothing is left behind */
}

static void a_change_of_its_sources_makes_another(void **state)
{
    static const uint32_t cfg[] = {7, 3};
    static const char *const sources[] = {"rtl/duet/switch_queues.sv", "rtl/duet/onchip_bitmap.sv",
                                          "rtl/gen/" BLOCK "_pkg.sv",  "dpi/gen/" BLOCK "_wrap.sv",
                                          "dpi/wr_checker.sv",         "dpi/rtl_host.cpp",
                                          "dpi/gen/" BLOCK "_bind.sv", "dpi/rtl_abi.h",
                                          "dpi/verilator.vlt"};
    const size_t before = builds();

    (void)state;
    /* Each gets a line that is no code, so that its build fails: cheap, and shows that one ran. */
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const bool used = strstr(sources[i], "onchip_bitmap") == NULL;
        char command[1024];
        (void)snprintf(command, sizeof(command),
                       "cd " TREE " && cp %s kept && sed -i '1i no code' %s", sources[i],
                       sources[i]);
        shell(command);
        if (used) {
            expect_refused(cfg, BLOCK
                           " (WarpDepth=7, TbDepth=3, lockstep): Verilating failed, see " CACHE
                           "/wr_" BLOCK "_lockstep_");
        } else {
            expect_pass(cfg, WR_BACKEND_LOCKSTEP);
        }
        assert_int_equal(builds(), before + i + 1);
        (void)snprintf(command, sizeof(command), "cd " TREE " && mv kept %s", sources[i]);
        shell(command);
    }
    expect_pass(cfg, WR_BACKEND_LOCKSTEP); /* as it was: still there */
    assert_int_equal(builds(), before + sizeof(sources) / sizeof(sources[0]));
    assert_int_equal(count(CACHE "/*.??????"), 0);
}

static void two_programs_build_one(void **state)
{
    static const uint32_t cfg[] = {9, 2};
    const size_t before = builds();
    pid_t child[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            wr_cosim_result r;
            char err[2048];
            _exit(run(cfg, WR_BACKEND_LOCKSTEP, &r, err, sizeof(err)) && r.stats.mismatches == 0 &&
                          r.stats.comparisons >= CYCLES
                      ? 0
                      : 1);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(builds(), before + 1);
}

static void what_cannot_be_had_is_said(void **state)
{
    static const uint32_t bad[] = {7, 99};
    static const uint32_t cfg[] = {6, 6};
    char path[4096];
    const size_t before = builds();

    (void)state;
    expect_refused(bad, BLOCK ": bad configuration: WarpDepth = 7 (");
    (void)snprintf(path, sizeof(path), "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", "/no/such/folder", 1), 0);
    expect_refused(cfg, "verilator is not installed: apt-get install verilator");
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(setenv("WARPREF_CACHE", "/proc/no/such", 1), 0);
    expect_refused(cfg, "/proc/no/such: cannot be written; set WARPREF_CACHE");
    assert_int_equal(setenv("WARPREF_CACHE", CACHE, 1), 0);
    assert_int_equal(setenv("WARPREF_ROOT", "/no/such/tree", 1), 0);
    expect_refused(cfg, "set WARPREF_ROOT to the source tree");
    assert_int_equal(setenv("WARPREF_ROOT", TREE, 1), 0);
    assert_int_equal(builds(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_once_and_kept),
        cmocka_unit_test(a_change_of_its_sources_makes_another),
        cmocka_unit_test(two_programs_build_one),
        cmocka_unit_test(what_cannot_be_had_is_said),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
