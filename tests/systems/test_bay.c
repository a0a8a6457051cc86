/* SPDX-License-Identifier: Apache-2.0 */
/* The bay of blocks, with units of one or two compressors: who is shown and recorded when, what
 * the waveform and the vectors hold, what a failed block says, what is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fstapi.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpi/block_wave.h"
#include "dpi/gen/reg_compressor_port.h"
#include "systems/frame/bay.h"
#include "testbench/rng.h"
#include "vectors/vectors.h"

enum { UNITS = 3, PORTS = 2 };

static char dir[] = "/tmp/warpref_bay_XXXXXX";
static char paths[WR_BAY_OPTIONS][64];

typedef struct unit {
    wr_port_reg_compressor port[PORTS];
    wr_reg_compressor_in in[PORTS];
    wr_reg_compressor_out out[PORTS];
    uint32_t id;
} unit;

typedef struct bench {
    wr_option_value values[WR_BAY_OPTIONS];
    wr_bay *bay;
    wr_fst *fst;
    unit unit[UNITS];
    uint32_t state; /* signal */
    wr_rng rng;
} bench;

static bench b;
static const char *const states[] = {"rest", "work", "end"};

/* UNITS units of `ports` compressors; not started. Files: wave and record where asked for. */
static void fill(wr_backend backend, wr_bay_kind kind, uint32_t ports, bool files, uint32_t keep)
{
    static const char *const names[] = {"sm0", "sm1", "sm2"};
    const wr_reg_compressor_cfg cfg = {.lanes = 32};
    char err[512];

    memset(&b, 0, sizeof b);
    wr_rng_seed(&b.rng, 1);
    b.values[WR_BAY_BLOCKS] = (wr_option_value){.word = (uint32_t)backend};
    b.values[WR_BAY_KEEP].number = keep;
    b.values[WR_BAY_WAVE] = (wr_option_value){.given = files, .text = paths[WR_BAY_WAVE]};
    b.values[WR_BAY_RECORD] = (wr_option_value){.given = files, .text = paths[WR_BAY_RECORD]};
    b.values[WR_BAY_DUMP].text = paths[WR_BAY_DUMP];
    b.bay = wr_bay_new("stub", b.values, NULL, 0);
    assert_non_null(b.bay);
    assert_int_equal(wr_bay_backend(b.bay), backend);
    for (uint32_t u = 0; u < UNITS; u++) {
        b.unit[u].id = wr_bay_add_unit(b.bay, names[u], kind);
        for (uint32_t p = 0; p < ports; p++) {
            wr_port_reg_compressor *port = &b.unit[u].port[p];

            if (!wr_reg_compressor_port_open(port, backend, &cfg, err, sizeof err)) {
                fail_msg("%s", err);
            }
            wr_bay_add_port(b.bay, b.unit[u].id, &port->port, &b.unit[u].out[p]);
        }
        if (u == 0) {
            b.state = wr_bay_add_signal(b.bay, 0, "state", 2, states, 3);
        }
    }
}

static void start(void)
{
    char err[512];

    b.fst = b.values[WR_BAY_WAVE].given ? wr_fst_open(paths[WR_BAY_WAVE]) : NULL;
    if (!wr_bay_start(b.bay, b.fst, "", err, sizeof err)) {
        fail_msg("%s", err);
    }
}

static void finish(void)
{
    char err[512];

    if (!wr_bay_finish(b.bay, err, sizeof err)) {
        fail_msg("%s", err);
    }
    wr_fst_close(b.fst);
    b.fst = NULL;
}

static void end(uint32_t ports)
{
    for (uint32_t u = 0; u < UNITS; u++) {
        for (uint32_t p = 0; p < ports; p++) {
            wr_reg_compressor_port_close(&b.unit[u].port[p]);
        }
    }
    wr_bay_free(b.bay);
}

/* One clocked cycle of one port with random pins. */
static void clock_port(uint32_t u, uint32_t p, uint8_t pag)
{
    unit *n = &b.unit[u];

    n->in[p].valid = true;
    n->in[p].ready = wr_rng_chance(&b.rng, 70);
    n->in[p].pag = pag;
    for (uint32_t l = 0; l < 32; l++) {
        n->in[p].lane[l] = wr_rng_u32(&b.rng);
    }
    wr_reg_compressor_port_eval(&n->port[p], &n->in[p], &n->out[p]);
    wr_reg_compressor_port_tick(&n->port[p], &n->in[p]);
}

/* A step of a unit's first port; was it shown? */
static bool step(uint32_t u, uint64_t cycle, uint64_t state)
{
    bool shown = wr_bay_begin(b.bay, u, cycle);

    if (shown) {
        wr_bay_set(b.bay, b.state, state);
    }
    clock_port(u, 0, 2);
    assert_int_equal(wr_bay_end(b.bay, u), shown);
    return shown;
}

/* Changes of one variable of up to 64 bits; a value that is written again is none. */
typedef struct changes {
    fstHandle handle;
    uint32_t count;
    uint64_t time[64], value[64];
} changes;

static void on_change(void *arg, uint64_t time, fstHandle handle, const unsigned char *value)
{
    changes *c = arg;

    if (handle != c->handle || c->count == 64) {
        return;
    }
    c->time[c->count] = time;
    for (; *value; value++) {
        c->value[c->count] = c->value[c->count] << 1 | (*value == '1');
    }
    if (c->count > 0 && c->value[c->count] == c->value[c->count - 1] &&
        c->time[c->count - 1] != 0) {
        c->value[c->count] = 0;
    } else {
        c->count++;
    }
}

/* Of the variable of this name, scopes joined by dots; fails where it is not there. */
static changes read_changes(const char *name)
{
    void *fst = fstReaderOpen(paths[WR_BAY_WAVE]);
    changes c = {0};
    struct fstHier *h;

    assert_non_null(fst);
    fstReaderResetScope(fst);
    while ((h = fstReaderIterateHier(fst)) != NULL) {
        char full[256];

        if (h->htyp == FST_HT_SCOPE) {
            (void)fstReaderPushScope(fst, h->u.scope.name, NULL);
        } else if (h->htyp == FST_HT_UPSCOPE) {
            (void)fstReaderPopScope(fst);
        } else if (h->htyp == FST_HT_VAR) {
            (void)snprintf(full, sizeof full, "%s.%s", fstReaderGetCurrentFlatScope(fst),
                           h->u.var.name);
            c.handle = strcmp(full, name) == 0 ? h->u.var.handle : c.handle;
        }
    }
    if (c.handle != 0) {
        fstReaderSetFacProcessMaskAll(fst);
        (void)fstReaderIterBlocks(fst, on_change, &c, NULL);
    }
    fstReaderClose(fst);
    return c;
}

/* Changes from a time on, unknown values at the start of the file left out. */
static uint32_t from(const changes *c, uint64_t time)
{
    uint32_t i = 0;

    while (i < c->count && c->time[i] < time) {
        i++;
    }
    return i;
}

/* Rows of a vector file, which replay on a fresh model; 0: there is no such file. */
static uint32_t replay(const char *name)
{
    char path[128];
    char err[512];
    wr_vectors v;
    wr_port port;
    wr_reg_compressor model;
    wr_replay_result result;

    (void)snprintf(path, sizeof path, "%s/%s", paths[WR_BAY_RECORD], name);
    if (access(path, F_OK) != 0) {
        return 0;
    }
    if (!wr_vectors_load(&v, path, err, sizeof err) ||
        !wr_port_open(&port, v.block, WR_BACKEND_MODEL, v.cfg, &model, NULL, 1, err, sizeof err)) {
        fail_msg("%s", err);
    }
    wr_vectors_replay(&v, &port, &result);
    assert_int_equal(result.mismatches, 0);
    assert_int_equal(result.cycles, v.count);
    wr_port_close(&port);
    wr_vectors_free(&v);
    assert_int_equal(unlink(path), 0);
    return (uint32_t)result.cycles;
}

/* Without files nothing watches the ports. */
static void test_nothing_written_costs_nothing(void **state)
{
    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_SESSIONS, 1, false, 2);
    start();
    assert_false(b.bay->writes);
    for (uint32_t u = 0; u < UNITS; u++) {
        assert_null(b.unit[u].port[0].port.observers);
        assert_false(step(u, u, 1));
        wr_bay_session_over(b.bay, u);
    }
    assert_true(wr_bay_first_cycle(b.bay) == UINT64_MAX);
    finish();
    end(1);
}

/* Two sessions are shown, one at a time; vectors are of the first two units' first sessions. */
static void test_sessions(void **state)
{
    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_SESSIONS, 1, true, 2);
    start();
    assert_true(step(1, 100, 1));
    assert_true(step(1, 101, 1));
    assert_false(step(2, 101, 2)); /* while unit 1 is shown */
    assert_true(step(1, 102, 2));
    wr_bay_session_over(b.bay, 1);
    assert_true(step(2, 103, 1)); /* in the middle of its session */
    wr_bay_session_over(b.bay, 2);
    assert_false(step(0, 104, 1)); /* both are used up */
    assert_false(step(1, 105, 1));
    assert_int_equal(wr_bay_first_cycle(b.bay), 100);
    finish();
    assert_false(step(1, 106, 1));
    end(1);

    changes clk = read_changes("stub.reg_compressor.clk");
    changes sig = read_changes("stub.state");
    static const uint64_t times[] = {1000, 1005, 1010, 1015, 1020, 1025, 1030, 1035};
    uint32_t at = from(&clk, 1000);

    assert_int_equal(clk.count - at, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(clk.time[at + i], times[i]);
        assert_int_equal(clk.value[at + i], i % 2 == 0);
    }
    at = from(&sig, 1000);
    assert_int_equal(sig.count - at, 3);
    assert_true(sig.time[at] == 1000 && sig.value[at] == 1);
    assert_true(sig.time[at + 1] == 1020 && sig.value[at + 1] == 2);
    assert_true(sig.time[at + 2] == 1030 && sig.value[at + 2] == 1);
    assert_int_equal(replay("sm1_reg_compressor.hex"), 3);
    assert_int_equal(replay("sm2_reg_compressor.hex"), 2);
    assert_int_equal(replay("sm0_reg_compressor.hex"), 0);
}

/* The first unit is shown and recorded from its first cycle to the end, in a scope of its own; of
 * a step of several cycles each is seen, at its time. */
static void test_free_units(void **state)
{
    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_FREE, 1, true, 1);
    start();
    assert_true(step(0, 10, 1));
    assert_false(step(1, 10, 1));
    assert_true(wr_bay_begin(b.bay, 0, 11));
    for (uint32_t i = 0; i < 4; i++) { /* 11 to 14 */
        clock_port(0, 0, 2);
    }
    assert_true(wr_bay_end(b.bay, 0));
    assert_true(step(0, 15, 2));
    finish();
    end(1);

    changes clk = read_changes("stub.sm0.reg_compressor.clk");
    changes sig = read_changes("stub.sm0.state");
    uint32_t at = from(&clk, 100);

    assert_int_equal(clk.count - at, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(clk.time[at + i], 100 + 5 * i);
    }
    at = from(&sig, 100);
    assert_int_equal(sig.count - at, 2);
    assert_int_equal(sig.time[at + 1], 150);
    assert_int_equal(read_changes("stub.sm1.reg_compressor.clk").handle, 0);
    assert_int_equal(replay("sm0_reg_compressor.hex"), 6);
    assert_int_equal(replay("sm1_reg_compressor.hex"), 0);
}

/* The unit that has a place in the waveform is shown, though another begins before it. */
static void test_free_unit_begins_late(void **state)
{
    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_FREE, 1, true, 1);
    start();
    assert_false(step(1, 10, 1));
    assert_true(step(0, 11, 1));
    assert_false(step(1, 11, 2));
    finish();
    end(1);
    assert_int_not_equal(read_changes("stub.sm0.state").handle, 0);
    assert_int_equal(read_changes("stub.sm1.state").handle, 0);
    assert_int_equal(replay("sm0_reg_compressor.hex") + replay("sm1_reg_compressor.hex"), 2);
}

static uint64_t row_of(const char *name)
{
    wr_report *r = wr_report_new();
    uint64_t value = UINT64_MAX;

    assert_non_null(r);
    wr_bay_report(b.bay, "v.gtkw", r);
    for (size_t i = 0; i < wr_report_rows(r); i++) {
        if (strcmp(wr_report_row(r, i)->name, name) == 0) {
            value = wr_report_row(r, i)->count;
        }
    }
    wr_report_free(r);
    return value;
}

/* Counts are sums over all instances; a unit may have a block twice. */
static void test_counts(void **state)
{
    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_SESSIONS, 2, true, 1);
    start();
    for (uint32_t u = 0; u < UNITS; u++) {
        (void)wr_bay_begin(b.bay, u, u);
        for (uint32_t i = 0; i <= u; i++) {
            clock_port(u, 0, 2);
            clock_port(u, 1, 2);
        }
        (void)wr_bay_end(b.bay, u);
        wr_bay_session_over(b.bay, u);
    }
    finish();
    assert_int_equal(row_of("blocks.reg_compressor.cycles"), 12);
    assert_true(row_of("blocks.reg_compressor.transactions") >= 6);
    assert_int_equal(row_of("blocks.reg_compressor.mismatches"), 0);
    assert_int_equal(row_of("files.vectors.count"), 2);
    assert_int_equal(row_of("files.vectors.cycles"), 2);
    end(2);
    assert_true(read_changes("stub.reg_compressor.clk").handle != 0);
    assert_true(read_changes("stub.reg_compressor2.clk").handle != 0);
    assert_int_equal(replay("sm0_reg_compressor.hex"), 1);
    assert_int_equal(replay("sm0_reg_compressor2.hex"), 1);
}

/* The fault pin of one port of one unit. */
static void test_fault_pin(void **state)
{
    char text[256];

    (void)state;
    fill(WR_BACKEND_MODEL, WR_BAY_FREE, 2, false, 0);
    start();
    for (uint32_t i = 0; i < 3; i++) {
        clock_port(1, 0, 2);
        clock_port(1, 1, 3);
    }
    assert_false(wr_bay_check(b.bay, 0, text, sizeof text));
    assert_true(wr_bay_check(b.bay, 1, text, sizeof text));
    assert_string_equal(text, "reg_compressor: cycle 3: pin fault: expected 0, got 1");
    assert_string_equal(wr_bay_fail(b.bay, 1, text), text); /* no mismatch: no file */
    assert_int_equal(access(paths[WR_BAY_DUMP], F_OK), -1);
    finish();
    end(2);
}

/* RTL that answers other than its model: the checker is told so of one cycle. */
static void test_mismatch(void **state)
{
    uint32_t in[WR_MAX_WORDS] = {0};
    uint32_t out[WR_MAX_WORDS] = {0};
    uint32_t registers[WR_MAX_STATE_WORDS] = {0};
    char text[512];
    struct stat st;

    (void)state;
    fill(WR_BACKEND_LOCKSTEP, WR_BAY_FREE, 2, false, 0);
    start();
    for (uint32_t i = 0; i < 20; i++) {
        clock_port(2, 0, 2);
        clock_port(2, 1, 2);
    }
    assert_false(wr_bay_check(b.bay, 2, text, sizeof text));
    assert_int_equal(row_of("blocks.reg_compressor.mismatches"), 0);
    assert_true(row_of("blocks.reg_compressor.comparisons") >= 40);
    out[0] = UINT32_MAX;
    wr_checker_on_cycle(b.unit[2].port[1].port.checker, in, out, registers);
    assert_false(wr_bay_check(b.bay, 1, text, sizeof text));
    assert_true(wr_bay_check(b.bay, 2, text, sizeof text));
    assert_non_null(strstr(text, "reg_compressor: cycle "));
    assert_non_null(strstr(text, ": pin "));
    assert_int_equal(row_of("blocks.reg_compressor.mismatches"), 1);
    const char *message = wr_bay_fail(b.bay, 2, text);

    assert_memory_equal(message, text, strlen(text));
    const char *dump = message + strlen(text) + strlen("; its last cycles are in ");
    const char *inputs = strstr(dump, "; its inputs");
    char shows[512];
    (void)snprintf(shows, sizeof shows, "%s, gtkwave %s shows them; ", paths[WR_BAY_DUMP],
                   paths[WR_BAY_DUMP]);
    assert_memory_equal(dump, shows, strlen(shows));
    assert_non_null(inputs);
    assert_memory_equal(inputs, "; its inputs up to there:\n       13 ", 36);
    assert_string_equal(strrchr(inputs, '\n'), "\n  >    20  valid=0 pag=lanes8 lane=0*32 ready=0");
    assert_int_equal(stat(paths[WR_BAY_DUMP], &st), 0);
    assert_true(st.st_size > 0);
    assert_int_equal(unlink(paths[WR_BAY_DUMP]), 0);
    assert_int_equal(mkdir(paths[WR_BAY_DUMP], 0777), 0); /* no file can be there any more */
    assert_non_null(strstr(wr_bay_fail(b.bay, 2, text), "d.fst: cannot be written"));
    finish();
    end(2);
    assert_int_equal(rmdir(paths[WR_BAY_DUMP]), 0);
}

/* Paths are tried before the run. */
static void test_paths(void **state)
{
    static const struct {
        uint32_t option;
        const char *path, *message;
    } bad[] = {
        {WR_BAY_DUMP, "/nowhere/d.fst",
         "system stub: dump=/nowhere/d.fst cannot be written: No such file or directory"},
        {WR_BAY_DUMP, "/tmp", "system stub: dump=/tmp cannot be written: not a regular file"},
        {WR_BAY_RECORD, "/nowhere/r/s", "/nowhere/r/s: cannot be made: No such file or directory"},
        {WR_BAY_RECORD, "/dev/null", "/dev/null: vectors cannot be written there: Not a directory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char err[512] = "";

        fill(WR_BACKEND_LOCKSTEP, WR_BAY_FREE, 1, false, 1);
        b.values[bad[i].option].given = true;
        b.values[bad[i].option].text = bad[i].path;
        assert_false(wr_bay_start(b.bay, NULL, "", err, sizeof err));
        assert_string_equal(err, bad[i].message);
        end(1);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(dir)) {
        return -1;
    }
    (void)snprintf(paths[WR_BAY_WAVE], sizeof paths[0], "%s/w.fst", dir);
    (void)snprintf(paths[WR_BAY_RECORD], sizeof paths[0], "%s/v", dir);
    (void)snprintf(paths[WR_BAY_DUMP], sizeof paths[0], "%s/d.fst", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(paths[WR_BAY_WAVE]);
    return rmdir(paths[WR_BAY_RECORD]) == 0 && rmdir(dir) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_written_costs_nothing),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_free_units),
        cmocka_unit_test(test_free_unit_begins_late),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_fault_pin),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
