/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: the shipped one against the paper, overrides, printing, and bad files. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/config/config.h"
#include "shell/ptx/diag.h"

/* The text of a configuration; the caller frees it. */
static char *printed(const wr_gpu_config *config)
{
    enum { SIZE = 16384 };
    char *text = malloc(SIZE);
    FILE *f = tmpfile();
    assert_non_null(text);
    assert_non_null(f);
    assert_true(wr_config_print(config, f));
    rewind(f);
    size_t size = fread(text, 1, SIZE - 1, f);
    assert_in_range(size, 1, SIZE - 2);
    text[size] = '\0';
    (void)fclose(f);
    return text;
}

static void load_gtx480(wr_gpu_config *config)
{
    wr_diag diag = {0};
    if (!wr_config_load("gtx480", config, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
}

/* Loads `text` as a file; returns the line of the error, 0 for none. */
static unsigned load_text(const char *text, wr_gpu_config *config, wr_diag *diag)
{
    char path[] = "/tmp/warpref-config-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    *diag = (wr_diag){0};
    bool ok = wr_config_load(path, config, diag);
    unlink(path);
    if (!ok) {
        assert_string_equal(diag->file, path);
        assert_true(diag->line > 0);
        return diag->line;
    }
    return 0;
}

/* `text` with the line that holds `key` replaced by `line` ("" removes it); sets its number. */
static char *with_line(const char *text, const char *key, const char *line, unsigned *number)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    while (at > text && at[-1] != '\n') {
        at--;
    }
    size_t rest = strcspn(at, "\n") + 1;
    size_t size = strlen(text) + strlen(line) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    *number = 1;
    for (const char *p = text; p < at; p++) {
        *number += *p == '\n';
    }
    int n = snprintf(out, size, "%.*s%s%s", (int)(at - text), text, line, at + rest);
    assert_in_range(n, 1, size - 1);
    return out;
}

static void gtx480_is_table_1(void **state)
{
    (void)state;
    wr_gpu_config c;
    load_gtx480(&c);
    assert_string_equal(c.name, "gtx480");
    assert_int_equal(c.sms, 15);
    assert_int_equal(c.clock.core_mhz, 700);
    assert_int_equal(c.sm.warp_size, 32);
    assert_int_equal(c.sm.max_tbs, 8);
    assert_int_equal(c.sm.max_warps, 48);
    assert_int_equal(c.sm.registers * 4, 128 * 1024);
    assert_int_equal(c.sm.shared_bytes, 48 * 1024);
    assert_int_equal(c.sm.schedulers, 2);
    assert_int_equal(c.sm.policy, WR_SCHED_LRR);
    assert_int_equal(c.l1.bytes, 16 * 1024);
    assert_int_equal(c.l1.line_bytes, 128);
    assert_int_equal(c.l2.bytes, 6 * 128 * 1024);
    assert_int_equal(c.dram.channels, 6);
    assert_int_equal(c.clock.dram_mhz, 924);
    /* 177 GB/s */
    assert_int_equal(c.dram.burst_bytes / c.dram.burst_clocks * c.dram.channels, 4 * 384 / 8);
}

static void printing_loads_back(void **state)
{
    (void)state;
    wr_gpu_config c, again;
    wr_diag diag;
    load_gtx480(&c);
    assert_true(wr_config_set(&c, "sm.policy=gto", &diag));
    char *text = printed(&c);
    assert_int_equal(load_text(text, &again, &diag), 0);
    char *text2 = printed(&again);
    assert_string_equal(text, text2);
    assert_int_equal(again.sm.policy, WR_SCHED_GTO);
    free(text);
    free(text2);
}

/* Each loads, is what its file's name says, and is the same again after printing. */
static void shipped_ones_load(void **state)
{
    (void)state;
    size_t count;
    char **names = wr_config_names(&count);
    assert_in_range(count, 6, 64);
    for (size_t i = 0; i < count; i++) {
        wr_gpu_config c, again;
        wr_diag diag = {0};
        if (!wr_config_load(names[i], &c, &diag)) {
            fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
        }
        assert_string_equal(c.name, names[i]);
        char *text = printed(&c);
        assert_int_equal(load_text(text, &again, &diag), 0);
        char *text2 = printed(&again);
        assert_string_equal(text, text2);
        free(text);
        free(text2);
    }
    wr_config_names_free(names, count);
}

static void refreshes_leave_time_for_others(void **state)
{
    (void)state;
    wr_gpu_config c;
    wr_diag diag = {0};
    load_gtx480(&c);
    c.dram.timing.refi = c.dram.timing.rfc + c.dram.timing.rc + c.dram.banks;
    assert_false(wr_config_check(&c, &diag));
    assert_non_null(strstr(diag.message, "dram.timing.refi"));
    c.dram.timing.refi++;
    assert_true(wr_config_check(&c, &diag));
    c.dram.timing.refi = 0;
    assert_true(wr_config_check(&c, &diag));
}

static void set_takes_names_of_units(void **state)
{
    (void)state;
    wr_gpu_config c;
    wr_diag diag = {0};
    load_gtx480(&c);
    assert_true(wr_config_set(&c, "timing.integer.mad.unit=sp+imu", &diag));
    assert_int_equal(c.timing.integer.mad.unit, WR_ON_SP | WR_ON_IMU);
    assert_false(wr_config_check(&c, &diag));
    assert_non_null(strstr(diag.message, "timing.integer.mad"));
    assert_true(wr_config_set(&c, "units.imu.count=1", &diag));
    assert_true(wr_config_set(&c, "units.imu.owner=private", &diag));
    assert_true(wr_config_check(&c, &diag));
    assert_int_equal(c.units.imu.owner, WR_UNITS_PRIVATE);
    char *text = printed(&c);
    assert_non_null(strstr(text, "unit: sp+imu\n"));
    free(text);
    assert_false(wr_config_set(&c, "timing.integer.mad.unit=alu", &diag));
    assert_non_null(strstr(diag.message, "sp or sp2 or sp+sp2"));
}

static void set_takes_text(void **state)
{
    (void)state;
    wr_gpu_config c;
    wr_diag diag = {0};
    char long_text[300];
    assert_true(wr_config_load("kayiran", &c, &diag));
    assert_true(wr_config_set(&c, "noc.mesh.memory_nodes=0,1,2,3,4,5,6,7", &diag));
    assert_string_equal(c.noc.mesh.memory_nodes, "0,1,2,3,4,5,6,7");
    assert_true(wr_config_check(&c, &diag));
    assert_true(wr_config_set(&c, "noc.mesh.memory_nodes=0,1", &diag));
    assert_false(wr_config_check(&c, &diag));
    assert_non_null(strstr(diag.message, "memory_nodes"));
    (void)snprintf(long_text, sizeof long_text, "noc.mesh.memory_nodes=%0*d",
                   (int)sizeof c.noc.mesh.memory_nodes - 1, 7);
    assert_true(wr_config_set(&c, long_text, &diag));
    (void)snprintf(long_text, sizeof long_text, "noc.mesh.memory_nodes=%0*d",
                   (int)sizeof c.noc.mesh.memory_nodes, 7);
    assert_false(wr_config_set(&c, long_text, &diag));
    assert_non_null(strstr(diag.message, "takes 0 to 191 characters"));
    assert_false(wr_config_set(&c, "dram.address_map=", &diag));
    assert_non_null(strstr(diag.message, "takes 1 to"));
}

/* Loads that all queues may have under way are in one table. */
static void queues_have_loads_enough(void **state)
{
    (void)state;
    wr_gpu_config c;
    wr_diag diag = {0};
    load_gtx480(&c);
    assert_true(wr_config_set(&c, "sm.lsu_queues=4", &diag));
    assert_true(wr_config_set(&c, "sm.loads_in_flight=128", &diag));
    assert_true(wr_config_check(&c, &diag));
    assert_true(wr_config_set(&c, "sm.loads_in_flight=129", &diag));
    assert_false(wr_config_check(&c, &diag));
    assert_non_null(strstr(diag.message, "sm.lsu_queues * sm.loads_in_flight must not exceed 512"));
    assert_false(wr_config_set(&c, "sm.lsu_queues=3", &diag));
    assert_non_null(strstr(diag.message, "a power of two"));
    assert_false(wr_config_set(&c, "sm.lsu_queues=8", &diag));
}

static void set_changes_one_value(void **state)
{
    (void)state;
    wr_gpu_config c, before;
    wr_diag diag;
    load_gtx480(&c);
    before = c;
    assert_true(wr_config_set(&c, "timing.fp32.div.latency=77", &diag));
    assert_int_equal(c.timing.fp32.div.latency, 77);
    c.timing.fp32.div.latency = before.timing.fp32.div.latency;
    char *a = printed(&c), *b = printed(&before);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void set_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"l1.mshrs=0", "must be 1 to 1024"},
        {"l1.mshrs=1025", "must be 1 to 1024"},
        {"l1.mshrs=-1", "takes a number"},
        {"l1.mshrs=12a", "takes a number"},
        {"l1.mshrs=", "takes a number"},
        {"l1.mshrs", "path=value"},
        {"=3", "path=value"},
        {"l1=3", "cannot be set"},
        {"l1.lines=3", "has no 'l1.lines'"},
        {"sm.policy=rr", "lrr or gto"},
        {"name=x", "cannot be set"},
        {"l1.line_bytes=96", "a power of two"},
        {"sms=99999999999999999999", "takes a number"},
        {"sms=4294967297", "must be 1 to"},
    };
    wr_gpu_config c;
    load_gtx480(&c);
    char *before = printed(&c);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_diag diag = {0};
        if (wr_config_set(&c, cases[i].text, &diag)) {
            fail_msg("'%s' was accepted", cases[i].text);
        }
        if (!strstr(diag.message, cases[i].part)) {
            fail_msg("'%s' gave '%s', without '%s'", cases[i].text, diag.message, cases[i].part);
        }
    }
    char *after = printed(&c);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void bad_files_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *key, *line, *part;
        bool missing; /* told at the mapping, not at the line */
    } cases[] = {
        {"  mshrs:", "  mshrs: many\n", "whole number", false},
        {"  mshrs:", "  mshrs: -5\n", "whole number", false},
        {"  mshrs:", "  mshrs: 5000\n", "must be 1 to 1024", false},
        {"  mshrs:", "  mshr: 5\n", "no key 'mshr'", false},
        {"  mshrs:", "", "'mshrs' is missing", true},
        {"  policy:", "  policy: fifo\n", "'fifo' is not among", false},
        {"sms:", "sms: [\n", "not YAML", true},
        {"sms:", "sms: 15\nsms: 14\n", "given twice", true},
        {"name:", "name: [a, b]\n", "", true},
    };
    wr_gpu_config c, out;
    load_gtx480(&c);
    char *good = printed(&c);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned line = 0;
        wr_diag diag;
        char *bad = with_line(good, cases[i].key, cases[i].line, &line);
        unsigned got = load_text(bad, &out, &diag);
        if (got == 0) {
            fail_msg("'%s' was accepted", cases[i].line);
        }
        if (!strstr(diag.message, cases[i].part)) {
            fail_msg("'%s' gave '%s'", cases[i].line, diag.message);
        }
        if (!cases[i].missing && got != line) {
            fail_msg("'%s': line %u, expected %u", cases[i].line, got, line);
        }
        free(bad);
    }
    free(good);
}

static void hostile_files_end(void **state)
{
    (void)state;
    /* Ten times ten times ten ... values from a few bytes. */
    static const char bomb[] = "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
                               "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                               "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                               "e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n";
    static const char *const texts[] = {"",
                                        "-",
                                        "just words\n",
                                        "- 1\n- 2\n",
                                        "a: &a [*a]\n",
                                        "\x01\x02\x03",
                                        "{{{{{{{{",
                                        "? [a]\n: b\n",
                                        bomb};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        wr_gpu_config out;
        wr_diag diag;
        if (load_text(texts[i], &out, &diag) == 0) {
            fail_msg("'%s' was accepted", texts[i]);
        }
        assert_true(diag.message[0]);
    }
}

/* Every prefix of a good file loads or is refused with a line; never anything else. */
static void every_cut_is_refused(void **state)
{
    (void)state;
    wr_gpu_config c, out;
    wr_diag diag;
    load_gtx480(&c);
    char *good = printed(&c);
    size_t n = strlen(good), refused = 0;
    for (size_t cut = 0; cut + 2 < n; cut += 7) {
        char keep = good[cut];
        good[cut] = '\0';
        refused += load_text(good, &out, &diag) != 0;
        good[cut] = keep;
    }
    assert_true(refused > n / 7 - 3);
    free(good);
}

static void sizes_must_fit_each_other(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.bytes=16400",           "l2.ways=7",
                                       "l1.line_bytes=64",         "dram.channels=5",
                                       "context.segment_bytes=32", "units.dp.count=0"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        wr_gpu_config c;
        wr_diag diag = {0};
        load_gtx480(&c);
        c.context.pad_bytes = 64;
        assert_true(wr_config_check(&c, &diag));
        assert_true(wr_config_set(&c, sets[i], &diag));
        if (wr_config_check(&c, &diag)) {
            fail_msg("%s was accepted", sets[i]);
        }
        assert_true(diag.message[0]);
    }
}

static void names_and_search_path(void **state)
{
    (void)state;
    char dir[] = "/tmp/warpref-configs-XXXXXX";
    char path[64];
    wr_gpu_config c, found;
    wr_diag diag;
    size_t count = 0, shipped = 0;
    bool listed = false;
    load_gtx480(&c);
    char **before = wr_config_names(&shipped);
    wr_config_names_free(before, shipped);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/mine.yaml", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    c.sms = 3;
    assert_true(wr_config_print(&c, f));
    (void)fclose(f);
    assert_false(wr_config_load("mine", &found, &diag));
    assert_non_null(strstr(diag.message, "no configuration of this name"));
    setenv("WARPREF_CONFIG_PATH", dir, 1);
    assert_true(wr_config_load("mine", &found, &diag));
    assert_int_equal(found.sms, 3);
    char **names = wr_config_names(&count);
    assert_int_equal(count, shipped + 1);
    for (size_t i = 0; i < count; i++) {
        listed |= strcmp(names[i], "mine") == 0;
    }
    assert_true(listed);
    wr_config_names_free(names, count);
    unsetenv("WARPREF_CONFIG_PATH");
    unlink(path);
    rmdir(dir);
}

/* Writes a file of this name into the folder. */
static void put_file(const char *dir, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* What a file with `base:` does not say is the base's, to the last byte. */
static void bases(void **state)
{
    static const struct {
        const char *text, *message;
        unsigned line;
    } bad[] = {
        {"sms: 3\nbase: nowhere\n", "base nowhere: there is no configuration of this name", 2},
        {"base: none.yaml\n", "base none.yaml: cannot be read", 1},
        {"sms: 3\nbase: bad.yaml\n", "more than 8 bases", 2},
        {"base: gtx480\n\nsms: 3000\n", "sms is 3000", 3},
        {"base: gtx480\nsm: {policy: gto}\nl1:\n  mshr: 3\n", "no key 'mshr'", 4},
        {"base: gtx480\nbase: maxwell\n", "'base' is given twice", 2},
        {"base: [gtx480]\n", "one word or text must stand here", 1},
        {"base: gtx480\nl2: {bytes: 786430}\n", "l2.bytes must be a multiple", 0},
        {"bases: gtx480\n", "no key 'bases'", 1},
        {"sms: 3\n", "the key 'name' is missing", 1},
    };
    char dir[] = "/tmp/warpref-bases-XXXXXX", path[128];
    wr_gpu_config whole, derived;
    wr_diag diag = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    put_file(dir, "a.yaml", "sms: 3\nsm: {policy: gto}\nl1:\n  mshrs: 7\nbase: k20x\n");
    put_file(dir, "b.yaml",
             "base: a.yaml\nname: mine\ntiming: {fp32: {div: {latency: 77}}}\nl1: {mshrs: 9}\n"
             "dram: {address_map: R}\n");
    put_file(dir, "all.yaml", "base: gtx480\nname: gtx480\n");
    (void)snprintf(path, sizeof path, "%s/all.yaml", dir);
    load_gtx480(&whole);
    assert_true(wr_config_load(path, &derived, &diag));
    assert_memory_equal(&whole, &derived, sizeof whole);

    assert_true(wr_config_load("k20x", &whole, &diag));
    (void)snprintf(path, sizeof path, "%s/a.yaml", dir);
    assert_true(wr_config_load(path, &derived, &diag));
    assert_string_equal(derived.name, "a");
    static const char *const sets[] = {"sms=3", "sm.policy=gto", "l1.mshrs=7"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(wr_config_set(&whole, sets[i], &diag));
    }
    memset(whole.name, 0, sizeof whole.name);
    memset(derived.name, 0, sizeof derived.name);
    assert_memory_equal(&whole, &derived, sizeof whole);

    (void)snprintf(path, sizeof path, "%s/b.yaml", dir);
    assert_false(wr_config_load(path, &derived, &diag)); /* an address map of one letter */
    put_file(dir, "b.yaml",
             "base: a.yaml\nname: mine\ntiming: {fp32: {div: {latency: 77}}}\nl1: {mshrs: 9}\n");
    assert_true(wr_config_load(path, &derived, &diag));
    assert_string_equal(derived.name, "mine");
    assert_true(wr_config_set(&whole, "timing.fp32.div.latency=77", &diag));
    assert_true(wr_config_set(&whole, "l1.mshrs=9", &diag));
    memset(derived.name, 0, sizeof derived.name);
    assert_memory_equal(&whole, &derived, sizeof whole);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_file(dir, "bad.yaml", bad[i].text);
        (void)snprintf(path, sizeof path, "%s/bad.yaml", dir);
        diag = (wr_diag){0};
        assert_false(wr_config_load(path, &derived, &diag));
        if (strstr(diag.message, bad[i].message) == NULL || diag.line != bad[i].line) {
            fail_msg("'%s': line %u: %s", bad[i].text, diag.line, diag.message);
        }
    }
    static const char *const files[] = {"a", "b", "all", "bad"};
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s.yaml", dir, files[i]);
        unlink(path);
    }
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gtx480_is_table_1),
        cmocka_unit_test(printing_loads_back),
        cmocka_unit_test(shipped_ones_load),
        cmocka_unit_test(set_takes_names_of_units),
        cmocka_unit_test(set_takes_text),
        cmocka_unit_test(bases),
        cmocka_unit_test(queues_have_loads_enough),
        cmocka_unit_test(set_changes_one_value),
        cmocka_unit_test(set_refuses),
        cmocka_unit_test(bad_files_name_the_line),
        cmocka_unit_test(hostile_files_end),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(sizes_must_fit_each_other),
        cmocka_unit_test(names_and_search_path),
        cmocka_unit_test(refreshes_leave_time_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
