/* SPDX-License-Identifier: Apache-2.0 */
/* Verilated blocks behind ports: lockstep passes on ours, and finds a fault planted in the RTL. */
#include "dpi/gen/reg_compressor_port.h"
#include "dpi/user_rtl.h"
#include "testbench/cosim.h"
#include "testbench/rng.h"
#include "tests/contract/seed.h"
#include "vectors/shrink.h"
#include "vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { CYCLES = 4000 }; /* step cosim of ./check has many more */

static void every_block_and_configuration_in_lockstep(void **state)
{
    uint64_t seed = wr_test_seed();
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < blocks[i]->configs_count; c++) {
            wr_cosim_options o = {.block = blocks[i],
                                  .cfg = blocks[i]->configs[c].value,
                                  .backend = WR_BACKEND_LOCKSTEP,
                                  .seed = seed,
                                  .cycles = CYCLES};
            wr_cosim_result r;
            char err[512];
            if (!wr_cosim_run(&o, &r, err, sizeof(err))) {
                fail_msg("%s", err);
            }
            if (r.stats.mismatches > 0) {
                fail_msg("%s", r.first);
            }
            assert_int_equal(r.stats.cycles, CYCLES);
            assert_true(r.stats.comparisons >= CYCLES);
            assert_true(r.stats.transactions > CYCLES / 1000); /* some take hundreds of cycles */
            assert_false(r.stopped);
        }
    }
}

/* A copy of a file with every `from` of it replaced. */
static void replace(const char *source, const char *path, const char *from, const char *to)
{
    char text[65536];
    FILE *in = fopen(source, "r");
    FILE *out = fopen(path, "w");
    const char *left = text;
    size_t n;

    assert_non_null(in);
    assert_non_null(out);
    n = fread(text, 1, sizeof(text) - 1, in);
    text[n] = '\0';
    assert_non_null(strstr(text, from));
    for (const char *at; (at = strstr(left, from)) != NULL; left = at + strlen(from)) {
        (void)fprintf(out, "%.*s%s", (int)(at - left), left, to);
    }
    (void)fputs(left, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(fclose(in), 0);
}

/* Our own RTL so. */
static void plant(const char *path, const char *from, const char *to)
{
    replace(WR_SOURCE_DIR "/rtl/context/reg_compressor.sv", path, from, to);
}

/* One file behind the pins, module reg_compressor. */
static bool build(wr_user_rtl *user, const wr_block_desc *block, const void *cfg, const char *path,
                  bool pins_only, char *err, size_t err_size)
{
    wr_rtl_sources sources = {0};
    const wr_user_build what = {.block = block,
                                .cfg = cfg,
                                .sources = &sources,
                                .mode = pins_only ? WR_USER_PINS : WR_USER_LOCKSTEP};
    bool good;

    memset(user, 0, sizeof(*user));
    good = wr_sources_file(&sources, path, err, err_size) &&
           wr_user_rtl_build(user, &what, err, err_size);
    wr_sources_free(&sources);
    return good;
}

static wr_cosim_result run_user_rtl(const char *path, bool pins_only)
{
    const wr_block_desc *b = wr_block_find("reg_compressor");
    wr_cosim_options o = {.block = b,
                          .cfg = wr_block_config(b, "tiny")->value,
                          .backend = WR_BACKEND_LOCKSTEP,
                          .seed = 1,
                          .cycles = CYCLES};
    wr_cosim_result r = {0};
    wr_user_rtl user;
    char err[8192];

    if (!build(&user, b, o.cfg, path, pins_only, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    const wr_port_own own = {.lib = user.so};

    o.own = &own;
    if (!wr_cosim_run(&o, &r, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    wr_user_rtl_remove(&user);
    assert_int_not_equal(access(user.folder, F_OK), 0);
    return r;
}

static void a_planted_fault_is_found(void **state)
{
    const char *path = WR_BINARY_DIR "/tests/planted.sv";
    wr_cosim_result r;

    (void)state;
    plant(path, "[Lanes*32-1:0]", "[32*Lanes-1:0]"); /* another way to say the same */
    r = run_user_rtl(path, false);
    assert_int_equal(r.stats.mismatches, 0);
    assert_int_equal(r.stats.cycles, CYCLES);
    plant(path, "localparam logic [1:0] Strided = 2'b11", "localparam logic [1:0] Strided = 2'b10");
    r = run_user_rtl(path, false);
    assert_int_equal(r.stats.mismatches, 1);
    assert_non_null(strstr(r.first, "pin pattern: expected 0x3, got 0x2"));
}

/* The registers that bear the names of ours are compared, unless only the pins shall be. */
static void registers_of_the_same_name_are_compared(void **state)
{
    const char *renamed = WR_BINARY_DIR "/tests/renamed.sv";
    const char *wrong = WR_BINARY_DIR "/tests/wrong.sv";
    wr_cosim_result r;

    (void)state;
    plant(renamed, "fault_q", "sticky_q");
    r = run_user_rtl(renamed, false);
    assert_int_equal(r.stats.mismatches, 0);
    assert_int_equal(r.registers, 2);
    replace(renamed, wrong, "  logic s1_valid_q,",
            "  logic fault_q;\n  assign fault_q = 1'b1;\n  logic s1_valid_q,");
    r = run_user_rtl(wrong, false);
    assert_int_equal(r.registers, 3);
    assert_non_null(strstr(r.first, "cycle 0: register fault_q: expected 0x0, got 0x1"));
    r = run_user_rtl(wrong, true);
    assert_int_equal(r.stats.mismatches, 0);
    assert_int_equal(r.registers, 0);
}

/* A mismatch 1,000 cycles into a run comes down to the operand that shows it, and the file plays on
 * any RTL of the block. */
static void a_mismatch_shrinks(void **state)
{
    const char *path = WR_BINARY_DIR "/tests/shrink.sv";
    const char *file = WR_BINARY_DIR "/tests/shrink.hex";
    const wr_block_desc *b = wr_block_find("reg_compressor");
    wr_cosim_options o = {.block = b,
                          .cfg = wr_block_config(b, "tiny")->value,
                          .backend = WR_BACKEND_LOCKSTEP,
                          .seed = 3,
                          .cycles = 100000};
    _Alignas(8) uint8_t model[4096];
    wr_cosim_result r = {0};
    wr_shrink_result shortest;
    wr_replay_result played;
    wr_user_rtl user;
    wr_vectors v;
    wr_port port;
    char err[8192];

    (void)state;
    assert_true(b->state_size <= sizeof model);
    plant(path, "localparam logic [1:0] Strided = 2'b11", "localparam logic [1:0] Strided = 2'b10");
    if (!build(&user, b, o.cfg, path, false, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    const wr_port_own own = {.lib = user.so};

    o.own = &own;
    assert_true(wr_cosim_run(&o, &r, err, sizeof(err)));
    assert_int_equal(r.stats.mismatches, 1);
    if (!wr_shrink(&o, &r, file, &shortest, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    /* Two stages: taken in the first cycle, at the output in the third. */
    assert_int_equal(shortest.to, 3);
    assert_true(shortest.from >= 3);
    assert_string_equal(shortest.text,
                        "reg_compressor: cycle 2: pin pattern: expected 0x3, got 0x2");

    assert_true(wr_vectors_load(&v, file, err, sizeof(err)));
    assert_int_equal(v.count, 3);
    for (int ours = 0; ours < 2; ours++) {
        assert_true(wr_port_open(&port, b, WR_BACKEND_LOCKSTEP, o.cfg, model, ours ? NULL : &own, 1,
                                 err, sizeof(err)));
        wr_vectors_replay(&v, &port, &played);
        assert_int_equal(played.mismatches, !ours);
        wr_port_close(&port);
    }
    wr_vectors_free(&v);
    wr_user_rtl_remove(&user);
}

static void rtl_that_does_not_build_is_refused(void **state)
{
    const char *path = WR_BINARY_DIR "/tests/broken.sv";
    const wr_block_desc *b = wr_block_find("reg_compressor");
    const void *cfg = wr_block_config(b, "tiny")->value;
    wr_user_rtl user;
    char err[8192];

    (void)state;
    plant(path, "output logic                fault_o", "output logic                broken_o");
    assert_false(build(&user, b, cfg, path, false, err, sizeof(err)));
    assert_non_null(strstr(err, "fault_o"));
    assert_int_not_equal(access(user.folder, F_OK), 0);
    assert_false(build(&user, b, cfg, "/no/such/file.sv", false, err, sizeof(err)));
    assert_non_null(strstr(err, "cannot be read"));
}

/* Two instances of each backend in one process, driven by different inputs: each keeps to itself,
 * and all backends of the same inputs agree. */
static void instances_are_independent(void **state)
{
    static const wr_reg_compressor_cfg cfg = {.lanes = 8};
    static const wr_backend backends[] = {WR_BACKEND_MODEL, WR_BACKEND_RTL, WR_BACKEND_LOCKSTEP};
    wr_port_reg_compressor port[2][3];
    wr_port_stats stats[3];
    wr_rng rng;
    char err[512];

    (void)state;
    wr_rng_seed(&rng, wr_test_seed());
    for (int set = 0; set < 2; set++) {
        for (int b = 0; b < 3; b++) {
            if (!wr_reg_compressor_port_open(&port[set][b], backends[b], &cfg, err, sizeof(err))) {
                fail_msg("%s", err);
            }
        }
    }
    for (int cycle = 0; cycle < 2000; cycle++) {
        if (cycle == 1000) {
            for (int b = 0; b < 3; b++) {
                wr_reg_compressor_port_reset(&port[1][b]);
            }
        }
        for (int set = 0; set < 2; set++) {
            wr_reg_compressor_in in = {.valid = wr_rng_chance(&rng, 60),
                                       .ready = wr_rng_chance(&rng, 60)};
            wr_reg_compressor_out out[3];
            in.tag = (uint8_t)wr_rng_below(&rng, 64);
            in.pag = (uint8_t)wr_rng_below(&rng, 3);
            for (uint32_t lane = 0; lane < cfg.lanes; lane++) {
                in.lane[lane] = wr_rng_below(&rng, 3) * lane;
            }
            memset(out, 0, sizeof(out));
            for (int b = 0; b < 3; b++) {
                wr_reg_compressor_port_eval(&port[set][b], &in, &out[b]);
            }
            for (int b = 1; b < 3; b++) {
                assert_int_equal(out[b].ready, out[0].ready);
                assert_int_equal(out[b].valid, out[0].valid);
                assert_int_equal(out[b].tag, out[0].tag);
                assert_int_equal(out[b].pattern, out[0].pattern);
                assert_memory_equal(out[b].word, out[0].word, cfg.lanes * sizeof(out[0].word[0]));
            }
            for (int b = 0; b < 3; b++) {
                wr_reg_compressor_port_tick(&port[set][b], &in);
            }
        }
    }
    for (int b = 0; b < 3; b++) {
        stats[b] = wr_port_get_stats(&port[0][b].port);
        assert_int_equal(stats[b].cycles, 2000);
        assert_int_equal(stats[b].transactions, stats[0].transactions);
        assert_int_equal(stats[b].mismatches, 0);
        assert_int_equal(stats[b].comparisons,
                         backends[b] == WR_BACKEND_LOCKSTEP ? 2000 * (7 + 3) : 0);
        wr_reg_compressor_port_close(&port[0][b]);
        wr_reg_compressor_port_close(&port[1][b]);
    }
    assert_true(stats[0].transactions > 1000);
}

static void ports_refuse_what_they_cannot_do(void **state)
{
    wr_reg_compressor_cfg cfg = {.lanes = 99};
    wr_port_reg_compressor port;
    char err[512];

    (void)state;
    assert_false(wr_reg_compressor_port_open(&port, WR_BACKEND_MODEL, &cfg, err, sizeof(err)));
    assert_string_equal(err, "reg_compressor: bad configuration: Lanes = 99 (8 to 64)");
    cfg.lanes = 17;
    assert_true(wr_reg_compressor_port_open(&port, WR_BACKEND_MODEL, &cfg, err, sizeof(err)));
    assert_null(wr_port_mismatch(&port.port));
    wr_reg_compressor_port_close(&port);
    cfg.lanes = 8;
    assert_int_equal(setenv("WARPREF_LIB", "/no/such/folder", 1), 0);
    assert_false(wr_reg_compressor_port_open(&port, WR_BACKEND_LOCKSTEP, &cfg, err, sizeof(err)));
    assert_non_null(strstr(err, "WARPREF_LIB"));
    assert_int_equal(unsetenv("WARPREF_LIB"), 0);
}

static unsigned threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned count = 0;

    assert_non_null(tasks);
    while (readdir(tasks) != NULL) {
        count++;
    }
    (void)closedir(tasks);
    return count - 2; /* . and .. */
}

/* Verilator's runtime makes a pool for models that use one: of hundreds of ports it would be too
 * much. */
static void a_port_makes_no_thread(void **state)
{
    wr_reg_compressor_cfg cfg = {.lanes = 32};
    wr_port_reg_compressor port;
    char err[512];

    (void)state;
    assert_int_equal(threads(), 1);
    assert_true(wr_reg_compressor_port_open(&port, WR_BACKEND_LOCKSTEP, &cfg, err, sizeof(err)));
    assert_int_equal(threads(), 1);
    wr_reg_compressor_port_close(&port);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_and_configuration_in_lockstep),
        cmocka_unit_test(a_planted_fault_is_found),
        cmocka_unit_test(registers_of_the_same_name_are_compared),
        cmocka_unit_test(a_mismatch_shrinks),
        cmocka_unit_test(rtl_that_does_not_build_is_refused),
        cmocka_unit_test(instances_are_independent),
        cmocka_unit_test(a_port_makes_no_thread),
        cmocka_unit_test(ports_refuse_what_they_cannot_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
