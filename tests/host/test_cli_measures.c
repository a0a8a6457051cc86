/* SPDX-License-Identifier: Apache-2.0 */
/* `warpref network` and `warpref occupancy`: what they print is what was asked and what the papers
 * have; bad usage and bad tables end with status 2 and a message. */
#include "tests/host/test_support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#define WARPREF WR_BINARY_DIR "/bin/warpref "
#define TABLE_2 WR_SOURCE_DIR "/studies/lin_p/table_2.csv"
#define KERNELS WR_SOURCE_DIR "/kernels/"

typedef struct outcome {
    int status;
    char out[65536], err[4096];
} outcome;

static char folder[] = "/tmp/warpref-measures-XXXXXX";

static void slurp(const char *name, char *text, size_t size)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, size, f);
    assert_true(n < size);
    text[n] = '\0';
    (void)fclose(f);
}

static void run(outcome *o, const char *arguments)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "cd %s && " WARPREF "%s >out 2>err </dev/null", folder,
                   arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    slurp("out", o->out, sizeof o->out);
    slurp("err", o->err, sizeof o->err);
}

/* The JSON that it prints with this status. */
static cJSON *json(const char *arguments, int status)
{
    static outcome o;
    run(&o, arguments);
    cJSON *root = cJSON_Parse(o.out);
    if (o.status != status || root == NULL || o.err[0] != '\0') {
        fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments, o.status, o.out,
                 o.err);
    }
    return root;
}

static double value(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item)) {
        fail_msg("there is no number %s", name);
    }
    return item->valuedouble;
}

static const char *text(const cJSON *object, const char *name)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    assert_non_null(found);
    return found;
}

static void near(const char *what, double got, double wanted, double by)
{
    if (!(fabs(got - wanted) <= by)) {
        fail_msg("%s: %.6f, should be %.6f +- %.6f", what, got, wanted, by);
    }
}

/* Karol, Hluchyj, Morgan 1987. */
static void network_saturates_as_karol_has_it(void **state)
{
    (void)state;
    static const struct {
        int ports;
        double throughput;
    } rows[] = {{2, .7500}, {4, .6552}, {8, .6184}, {16, .6016}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[160];
        (void)snprintf(arguments, sizeof arguments,
                       "network --inputs %d --set noc.output_packets=16 --cycles 400000 --json",
                       rows[i].ports);
        cJSON *root = json(arguments, 0);
        near(arguments, value(root, "throughput"), rows[i].throughput, .003);
        assert_true(value(root, "throughput_error") > 0);
        assert_true(value(root, "throughput_error") < .001);
        assert_true(value(root, "inputs") == rows[i].ports);
        assert_true(value(root, "outputs") == rows[i].ports);
        cJSON_Delete(root);
    }
}

/* Lin-D 3.2.2: close to 60 % of the peak; lines of 128 B are five flits. With one flit a packet the
 * eight places behind the switch, for nine cycles from crossing to crossing, cost a little. */
static void network_of_lin_d(void **state)
{
    (void)state;
    cJSON *root = json("network maxwell --way reply --flits 5 --json", 0);
    near("five flits", value(root, "of_peak"), .60, .01);
    assert_string_equal(text(root, "configuration"), "maxwell");
    assert_string_equal(text(root, "way"), "reply");
    assert_true(value(root, "inputs") == 16 && value(root, "speedup") == 1);
    cJSON_Delete(root);
    root = json("network --config maxwell --json", 0);
    near("one flit", value(root, "of_peak"), .60, .03);
    assert_true(value(root, "of_peak") < .59);
    cJSON_Delete(root);
}

static void network_says_what_it_measured(void **state)
{
    (void)state;
    cJSON *root = json("network kayiran --inputs 36 --outputs 30 --flits 5:1 --shares 1:3 --rate "
                       "0.1 --pattern hotspot --hot 0.05 --cycles 20000 --warmup 500 --seed 7 "
                       "--json",
                       0);
    assert_string_equal(text(root, "kind"), "mesh");
    assert_string_equal(text(root, "pattern"), "hotspot");
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(root, "way")));
    static const struct {
        const char *name;
        double wanted;
    } given[] = {{"inputs", 36}, {"outputs", 30},   {"hot", .05},
                 {"rate", .1},   {"cycles", 20000}, {"warmup", 500},
                 {"seed", 7},    {"mean_flits", 2}, {"width", 6}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        near(given[i].name, value(root, given[i].name), given[i].wanted, 0);
    }
    const cJSON *shares = cJSON_GetObjectItemCaseSensitive(root, "shares");
    assert_int_equal(cJSON_GetArraySize(shares), 2);
    assert_int_equal(cJSON_GetArrayItem(shares, 1)->valueint, 3);
    near("throughput", value(root, "throughput") * 30 / 36, .1, .005);
    assert_true(value(root, "latency") > 10);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(root, "falls_behind")));
    cJSON_Delete(root);
    root = json("network --inputs 16 --rate 0.9 --json", 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "falls_behind")));
    cJSON_Delete(root);
}

static void network_takes_its_seed_back(void **state)
{
    (void)state;
    static outcome a, b;
    run(&a, "network gtx980 --rate 0.2 --flits 1:5 --cycles 5000 --seed 99");
    run(&b, "network gtx980 --rate 0.2 --flits 1:5 --cycles 5000 --seed 99");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "--seed 99"));
    assert_string_equal(a.out, b.out);
    run(&b, "network gtx980 --rate 0.2 --flits 1:5 --cycles 5000 --seed 98");
    assert_int_equal(b.status, 0);
    assert_string_not_equal(strstr(a.out, "\nthroughput"), strstr(b.out, "\nthroughput"));
}

static const cJSON *row_of(const cJSON *root, const char *label)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *row = NULL;
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(text(row, "label"), label) == 0) {
            return row;
        }
    }
    fail_msg("there is no row %s", label);
    return NULL;
}

/* Lin-P Table II, II.B (HS), III and III.A (BP_1). */
static void occupancy_is_lin_ps(void **state)
{
    (void)state;
    cJSON *root = json("occupancy --table " TABLE_2 " --json", 0);
    const cJSON *agree = cJSON_GetObjectItemCaseSensitive(root, "agree");
    assert_true(value(agree, "rows") == 23 && value(agree, "tbs") == 23);
    assert_true(value(agree, "limit") == 21 && value(agree, "limit_named") == 23);
    const cJSON *bp = row_of(root, "BP_1"), *hs = row_of(root, "HS_1");
    near("registers of BP_1", value(bp, "registers_share"), .609, .0005);
    near("shared memory of BP_1", value(bp, "shared_share"), .137, .001); /* the paper cuts */
    near("warps of BP_1", value(bp, "warps_share"), 1, 0);
    assert_true(value(bp, "context_tb_bytes") == 14440);
    assert_true(value(hs, "context_sm_bytes") == 139552);
    near("stores of HS", value(hs, "store_us"), 15 * 139552 / 177.4e3, .01); /* paper: 12 us */
    assert_true(value(row_of(root, "LK_1"), "agree_limit") == 0);
    assert_true(value(row_of(root, "LK_1"), "agree_limit_named") == 1);
    assert_string_equal(text(row_of(root, "BP_2"), "limit"), "warp, reg");
    cJSON_Delete(root);

    /* without rounding BP_2 is limited by its warps alone, and LK_1 too */
    root = json("occupancy --table " TABLE_2 " --set sm.register_granule=1 --json", 1);
    agree = cJSON_GetObjectItemCaseSensitive(root, "agree");
    assert_true(value(agree, "tbs") == 23 && value(agree, "limit_named") == 22);
    cJSON_Delete(root);
    root = json("occupancy --table " TABLE_2 " --config maxwell --json", 1);
    assert_true(value(cJSON_GetObjectItemCaseSensitive(root, "agree"), "tbs") < 23);
    cJSON_Delete(root);

    /* II.A: warps of 3 KB, TBs of 8 KB */
    root = json("occupancy --warps 8 --registers 24 --shared 8192 --json", 0);
    const cJSON *row = row_of(root, "");
    assert_true(value(row, "tbs") == 5);
    assert_string_equal(text(row, "limit"), "reg");
    assert_null(cJSON_GetObjectItemCaseSensitive(root, "agree"));
    cJSON_Delete(root);
}

static void occupancy_of_what_does_not_fit(void **state)
{
    (void)state;
    static const char *const demands[] = {"--warps 49 --registers 1", "--warps 48 --registers 22",
                                          "--warps 1 --registers 0 --shared 49153",
                                          "--warps 1024 --registers 255 --shared 1073741824"};
    static const char *const limits[] = {"warp", "reg", "smem", "warp, reg, smem"};
    for (size_t i = 0; i < sizeof demands / sizeof demands[0]; i++) {
        char arguments[160];
        (void)snprintf(arguments, sizeof arguments, "occupancy %s --json", demands[i]);
        cJSON *root = json(arguments, 1);
        assert_true(value(row_of(root, ""), "tbs") == 0);
        assert_string_equal(text(row_of(root, ""), "limit"), limits[i]);
        cJSON_Delete(root);
    }
    cJSON *root = json("occupancy --warps 48 --registers 20 --shared 49152 --json", 0);
    assert_true(value(row_of(root, ""), "tbs") == 1);
    cJSON_Delete(root);
}

/* What a run reports of its launches. */
static void occupancy_is_that_of_a_run(void **state)
{
    (void)state;
    cJSON *ran = json("run " KERNELS "lud_internal.yaml --json", 0);
    cJSON *root = json("occupancy " KERNELS "lud_internal.yaml --json", 0);
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *row = NULL;
    assert_int_equal(cJSON_GetArraySize(rows), 3);
    cJSON_ArrayForEach(row, rows)
    {
        const cJSON *launch = NULL;
        bool found = false;
        cJSON_ArrayForEach(launch, cJSON_GetObjectItemCaseSensitive(ran, "launches"))
        {
            if (strcmp(text(launch, "kernel"), text(row, "name")) == 0) {
                found = true;
                assert_true(value(launch, "tbs_per_sm") == value(row, "tbs"));
                assert_string_equal(text(launch, "limit"), text(row, "limit"));
                assert_true(value(launch, "registers") == value(row, "registers"));
                assert_true(value(launch, "shared_bytes") == value(row, "shared"));
            }
        }
        assert_true(found);
    }
    cJSON_Delete(ran);
    cJSON_Delete(root);
    root = json("occupancy " KERNELS "bfs_kernel1.cu --warps 16 --json", 0);
    rows = cJSON_GetObjectItemCaseSensitive(root, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), 2);
    assert_true(value(cJSON_GetArrayItem(rows, 0), "tbs") == 3);
    cJSON_Delete(root);
}

static void write_file(const char *name, const char *contents)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(contents, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A row for each block, shared memory and registers that a kernel is launched with. */
static void occupancy_of_each_launch(void **state)
{
    (void)state;
    write_file("k.cu", "#include \"cuda.h\"\n"
                       "extern \"C\" __global__ void k(int *a) { a[threadIdx.x] = 1; }\n");
    write_file("k.yaml",
               "module: k.cu\nbuffers:\n  - {name: a, type: s32, count: 256, contents: zeros}\n"
               "launches:\n"
               "  - {kernel: k, grid: [1], block: [100], args: [buffer: a]}\n"
               "  - {kernel: k, grid: [1], block: [10, 10], args: [buffer: a]}\n"
               "  - {kernel: k, grid: [1], block: [128], shared: 16384, args: [buffer: a]}\n"
               "  - {kernel: k, grid: [1], block: [8, 8, 4], registers: 33, args: [buffer: a]}\n");
    cJSON *root = json("occupancy k.yaml --json", 0);
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows");
    static const struct {
        double warps, shared, tbs;
        const char *limit;
    } wanted[] = {{4, 0, 8, "TB"}, {4, 16384, 3, "smem"}, {8, 0, 3, "reg"}};
    assert_int_equal(cJSON_GetArraySize(rows), 3);
    for (int i = 0; i < 3; i++) {
        const cJSON *row = cJSON_GetArrayItem(rows, i);
        assert_string_equal(text(row, "name"), "k");
        assert_true(value(row, "warps") == wanted[i].warps);
        assert_true(value(row, "shared") == wanted[i].shared);
        assert_true(value(row, "tbs") == wanted[i].tbs);
        assert_string_equal(text(row, "limit"), wanted[i].limit);
    }
    assert_true(value(cJSON_GetArrayItem(rows, 2), "registers") == 33);
    cJSON_Delete(root);
}

static void refused(const char *const *arguments, size_t count)
{
    static outcome o;
    for (size_t i = 0; i < count; i++) {
        run(&o, arguments[i]);
        if (o.status != 2 || !o.err[0] || o.out[0]) {
            fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments[i], o.status,
                     o.out, o.err);
        }
    }
}

static void bad_usage_is_2(void **state)
{
    (void)state;
    static const char *const arguments[] = {
        "network nowhere",
        "network --inputs 0",
        "network --inputs 65",
        "network --outputs x",
        "network --inputs 4 --way reply",
        "network --way up",
        "network --flits 0",
        "network --flits 1:",
        "network --flits 1:2:3:4:5:6:7:8:9",
        "network --flits 1:5 --shares 1",
        "network --shares 1:2",
        "network --rate 0",
        "network --rate 1.1",
        "network --rate nan",
        "network --rate 0.1x",
        "network --hot 0.5",
        "network --pattern hotspot --hot 2",
        "network --pattern tornado",
        "network --cycles 10",
        "network --seed -1",
        "network --set noc.output_packets=0",
        "network --set noc.kind=mesh",
        "network kayiran --set noc.mesh.width=1",
        "network gtx480 maxwell",
        "occupancy",
        "occupancy --warps 8",
        "occupancy --registers 8",
        "occupancy --warps 0 --registers 8",
        "occupancy --warps 8 --registers eight",
        "occupancy --warps 8 --registers 256",
        "occupancy --warps 1025 --registers 8",
        "occupancy --warps 8 --registers 8 --shared -1",
        "occupancy --warps 8 --registers 8 --config nowhere",
        "occupancy --warps 8 --registers 8 --set sm.max_tbs=0",
        "occupancy no-such-file.yaml",
        "occupancy no-such-file.cu --warps 8",
        "occupancy --table no-such-file.csv",
        "occupancy --table /",
    };
    static const char *const files[] = {
        "occupancy " KERNELS "vecadd.cu",
        "occupancy " KERNELS "vecadd.cu --warps 8 --registers 4",
        "occupancy " KERNELS "vecadd.yaml --warps 8",
        "occupancy " KERNELS "vecadd.yaml --table " TABLE_2,
        "occupancy " KERNELS "vecadd_ref.c --warps 8",
    };
    refused(arguments, sizeof arguments / sizeof arguments[0]);
    refused(files, sizeof files / sizeof files[0]);
}

/* One line that names the table's line. */
static void bad_tables_are_2(void **state)
{
    (void)state;
    static const struct {
        const char *table, *says;
    } rows[] = {
        {"", "t.csv: error: there is no row"},
        {"name,warps,registers,shared\n", "t.csv: error: there is no row"},
        {"name,warps,registers\na,1,2\n", "t.csv:1: error: 'shared'"},
        {"name,warps,registers,shared,Limit\n", "t.csv:1: error: 'Limit'"},
        {"name,warps,name,registers,shared\n", "t.csv:1: error: 'name'"},
        {"name,warps,registers,shared\na,8,2\n", "t.csv:2: error: 'a'"},
        {"# x\n\nname,warps,registers,shared\na,8,2,0\nb,0,2,0\n", "t.csv:5: error: '0'"},
        {"name,warps,registers,shared\na,8,two,0\n", "t.csv:2: error: 'two'"},
        {"name,warps,registers,shared\na,8,-2,0\n", "t.csv:2: error: '-2'"},
        {"name,warps,registers,shared\na,8,2,99999999999999999999\n", "t.csv:2: error: '9999"},
        {"name,warps,registers,shared\n,8,2,0\n", "t.csv:2: error: ''"},
        {"name,warps,registers,shared,limit\na,8,2,0,\"warp, heat\"\n", "t.csv:2: error: 'warp, h"},
        {"name,warps,registers,shared,limit\na,8,2,0,\"warp\n", "t.csv:2: error: '"},
        {"name,warps,registers,shared,limit\na,8,2,0,\"warp\"x\n", "t.csv:2: error: '"},
        {"name,warps,registers,shared\n1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7\n", "t.csv:2: error: '"},
    };
    static outcome o;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_file("t.csv", rows[i].table);
        run(&o, "occupancy --table t.csv");
        const char *end = strchr(o.err, '\n');
        if (o.status != 2 || o.out[0] || strncmp(o.err, rows[i].says, strlen(rows[i].says)) != 0 ||
            end == NULL || end[1] != '\0') {
            fail_msg("'%s': status %d, stdout '%s', stderr '%s'", rows[i].table, o.status, o.out,
                     o.err);
        }
    }
}

/* Rows in other columns' order, quotes, line ends of other systems; a value that differs is 1. */
static void tables_are_compared(void **state)
{
    (void)state;
    write_file("t.csv", "tbs,shared,registers,warps,name\r\n6,0,16,8,\"a \"\"b\"\", c\"\r\n"
                        "5,0,16,8,d\r\n");
    cJSON *root = json("occupancy --table t.csv --json", 1);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "rows"), 0);
    assert_string_equal(text(row, "name"), "a \"b\", c");
    assert_true(value(row, "agree_tbs") == 1);
    row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "rows"), 1);
    assert_true(value(row, "agree_tbs") == 0);
    assert_true(value(cJSON_GetObjectItemCaseSensitive(root, "agree"), "tbs") == 1);
    cJSON_Delete(root);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_saturates_as_karol_has_it),
        cmocka_unit_test(network_of_lin_d),
        cmocka_unit_test(network_says_what_it_measured),
        cmocka_unit_test(network_takes_its_seed_back),
        cmocka_unit_test(occupancy_is_lin_ps),
        cmocka_unit_test(occupancy_of_what_does_not_fit),
        cmocka_unit_test(occupancy_is_that_of_a_run),
        cmocka_unit_test(occupancy_of_each_launch),
        cmocka_unit_test(bad_usage_is_2),
        cmocka_unit_test(bad_tables_are_2),
        cmocka_unit_test(tables_are_compared),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
