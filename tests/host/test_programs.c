/* SPDX-License-Identifier: Apache-2.0 */
/* Launch files that say what real host programs do: C++ names, structs, module variables, shared
 * memory by address, lists and outputs; and forms that clang emits, from text to result. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/core/counters.h"
#include "shell/host/job.h"
#include "shell/host/names.h"
#include "shell/isa/name.h"

typedef struct sandbox {
    char dir[40], yaml[80], module[80];
} sandbox;

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
}

static void open_box(sandbox *s, const char *module, const char *text, const char *yaml)
{
    (void)snprintf(s->dir, sizeof s->dir, "/tmp/warpref-programs-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    (void)snprintf(s->yaml, sizeof s->yaml, "%s/j.yaml", s->dir);
    (void)snprintf(s->module, sizeof s->module, "%s/%s", s->dir, module);
    write_file(s->module, text);
    write_file(s->yaml, yaml);
}

static void close_box(const sandbox *s)
{
    unlink(s->yaml);
    unlink(s->module);
    assert_int_equal(rmdir(s->dir), 0);
}

static void run(const char *path, wr_job *job)
{
    wr_diag diag = {0};
    wr_gpu_config config;
    wr_run_result result;
    wr_job_options options = {.max_cycles = 1000000};
    assert_true(wr_config_load("gtx480", &config, &diag));
    if (!wr_job_load(path, NULL, NULL, job, &diag) || !wr_job_fit(job, &config, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    wr_gpu *gpu = wr_gpu_create(&config);
    assert_non_null(gpu);
    if (!wr_job_run(job, gpu, &options, &result, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    assert_int_equal(result.status, WR_RUN_DONE);
    if (!wr_gpu_conserved(gpu, result.message, sizeof result.message)) {
        fail_msg("%s", result.message);
    }
    wr_gpu_free(gpu);
}

/* Runs and compares the first buffer's words. */
static void expect(const char *module, const char *text, const char *yaml, const int32_t *want,
                   size_t count)
{
    sandbox s = {0};
    wr_job job;
    open_box(&s, module, text, yaml);
    run(s.yaml, &job);
    assert_true(job.loaded.file->buffers[0].bytes >= count * sizeof *want);
    for (size_t i = 0; i < count; i++) {
        int32_t got;
        memcpy(&got, job.buffers[0].result + i * sizeof got, sizeof got);
        if (got != want[i]) {
            fail_msg("word %zu is %d, expected %d", i, (int)got, (int)want[i]);
        }
    }
    wr_job_free(&job);
    close_box(&s);
}

static void cxx_names_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *encoded, *name;
        bool same;
    } names[] = {{"_Z3addPf", "add", true},
                 {"_ZL3addPf", "add", true},
                 {"_ZN2la3addEPf", "add", true},
                 {"_ZN2la3addEPf", "la::add", true},
                 {"_ZN2la3addEPf", "a::add", false},
                 {"_ZN2la3addEPf", "x::la::add", false},
                 {"_ZN12_GLOBAL__N_13addEPf", "add", true},
                 {"_ZN2la12_GLOBAL__N_13addEPf", "la::add", true},
                 {"_Z3addILi4EEvPf", "add", true},
                 {"_ZL6atable", "atable", true},
                 {"_Z3addPf", "ad", false},
                 {"_Z3addPf", "addPf", false},
                 {"_Z3addPf", "", false},
                 {"_Z9addPf", "addPf", false},
                 {"_Z99999999999999999999add", "add", false},
                 {"_ZN", "add", false},
                 {"_Z", "", false},
                 {"add", "add", false}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (wr_name_is(names[i].encoded, names[i].name) != names[i].same) {
            fail_msg("'%s' as '%s'", names[i].encoded, names[i].name);
        }
    }
}

/* struct pair { float by; int *from; }; d[tid] = (int)(e[tid] * by) + from[tid] */
static const char pair_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry _ZN3geo5shiftEPiPf4pair(.param .u64 d, .param .u64 e,\n"
    "\t.param .align 8 .b8 p[16])\n{\n"
    "\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<9>;\n\t.reg .f32 %f<4>;\n"
    "\tld.param.u64 %rd1, [d];\n\tld.param.u64 %rd2, [e];\n"
    "\tld.param.f32 %f1, [p];\n\tld.param.u64 %rd3, [p+8];\n"
    "\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd4, %r1, 4;\n"
    "\tadd.s64 %rd5, %rd2, %rd4;\n\tld.global.f32 %f2, [%rd5];\n"
    "\tmul.rn.f32 %f3, %f2, %f1;\n\tcvt.rzi.s32.f32 %r2, %f3;\n"
    "\tadd.s64 %rd6, %rd3, %rd4;\n\tld.global.u32 %r3, [%rd6];\n\tadd.s32 %r4, %r2, %r3;\n"
    "\tadd.s64 %rd7, %rd1, %rd4;\n\tst.global.u32 [%rd7], %r4;\n\tret;\n}\n";

static void structs_offsets_and_lists(void **state)
{
    (void)state;
    expect("m.ptx", pair_text,
           "module: m.ptx\n"
           "buffers:\n"
           "  - {name: d, type: s32, count: 3, contents: zeros}\n"
           "  - {name: e, type: f32, count: 4, contents: iota, value: 0.5}\n"
           "  - {name: f, type: s32, contents: list, values: [9, 100, 0x10, -7]}\n"
           "launches:\n"
           "  - kernel: geo::shift\n"
           "    grid: [1]\n"
           "    block: [3]\n"
           "    args:\n"
           "      - buffer: d\n"
           "      - {buffer: e, offset: 4}\n"
           "      - fields: [{type: f32, value: 2}, {buffer: f, offset: 4}]\n",
           (int32_t[]){103, 21, 0}, 3);
}

/* sum += weight[i] * n for the four constant weights; the result stays in a module variable. */
static const char variable_text[] =
    ".version 6.0\n.target sm_50\n.address_size 32\n"
    ".const .align 4 .b8 _ZL7weights[16];\n.global .align 4 .u32 total = 5;\n"
    ".visible .entry k(.param .u32 n)\n{\n\t.reg .b32 %r<9>;\n"
    "\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, %tid.x;\n\tshl.b32 %r3, %r2, 2;\n"
    "\tmov.u32 %r4, _ZL7weights;\n\tadd.s32 %r5, %r4, %r3;\n\tld.const.u32 %r6, [%r5];\n"
    "\tmul.lo.s32 %r7, %r6, %r1;\n\tred.global.add.u32 [total], %r7;\n\tret;\n}\n";

#define VARIABLE_YAML(total, weights)                                                              \
    "module: m.ptx\n"                                                                              \
    "buffers:\n"                                                                                   \
    "  - {name: t, type: s32, count: 1, contents: constant, value: 1000, variable: " total "}\n"   \
    "  - {name: w, type: s32, contents: list, values: [1, 2, 3, 40" weights                        \
    "], variable: weights}\n"                                                                      \
    "launches: [{kernel: k, grid: [1], block: [4], args: [{type: u32, value: 10}]}]\n"

static void buffers_that_are_variables(void **state)
{
    (void)state;
    expect("m.ptx", variable_text, VARIABLE_YAML("total", ""), (int32_t[]){1460}, 1);
}

/* Each thread leaves its number in both arrays and reads the other end's out of them. */
static const char shared_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry k(.param .u64 d, .param .u64 .ptr .shared .align 4 x,\n"
    "\t.param .u64 .ptr .shared .align 4 y)\n{\n"
    "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<12>;\n\t.shared .align 4 .b8 own[20];\n"
    "\tld.param.u64 %rd1, [d];\n\tld.param.u64 %rd2, [x];\n\tld.param.u64 %rd3, [y];\n"
    "\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd4, %r1, 4;\n"
    "\tmov.u32 %r6, 77;\n\tst.shared.u32 [own+16], %r6;\n"
    "\tadd.s64 %rd5, %rd2, %rd4;\n\tadd.s64 %rd6, %rd3, %rd4;\n"
    "\tst.shared.u32 [%rd5], %r1;\n\tadd.s32 %r2, %r1, 100;\n\tst.shared.u32 [%rd6], %r2;\n"
    "\tbar.sync 0;\n"
    "\tsub.s64 %rd7, 12, %rd4;\n\tadd.s64 %rd8, %rd2, %rd7;\n\tadd.s64 %rd9, %rd3, %rd7;\n"
    "\tld.shared.u32 %r3, [%rd8];\n\tld.shared.u32 %r4, [%rd9];\n"
    "\tmad.lo.s32 %r5, %r3, 1000, %r4;\n\tld.shared.u32 %r7, [own+16];\n"
    "\tmad.lo.s32 %r8, %r7, 100000, %r5;\n"
    "\tadd.s64 %rd10, %rd1, %rd4;\n\tst.global.u32 [%rd10], %r8;\n\tret;\n}\n";

static void shared_memory_by_address(void **state)
{
    (void)state;
    expect("m.ptx", shared_text,
           "module: m.ptx\n"
           "buffers: [{name: d, type: s32, count: 4, contents: zeros}]\n"
           "launches:\n"
           "  - {kernel: k, grid: [1], block: [4], args: [{buffer: d}, {shared: 16}, {shared: "
           "16}]}\n",
           (int32_t[]){7703103, 7702102, 7701101, 7700100}, 4);
}

/* A .func may take the address of its parameter and read it through a register. */
static const char by_address_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".func (.param .b32 back) pick(.param .align 4 .b8 both[8], .param .b32 which)\n{\n"
    "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<5>;\n"
    "\tld.param.u32 %r1, [which];\n\tmov.b64 %rd1, both;\n\tmul.wide.u32 %rd2, %r1, 4;\n"
    "\tadd.s64 %rd3, %rd1, %rd2;\n\tld.param.u32 %r2, [%rd3];\n"
    "\tst.param.b32 [back], %r2;\n\tret;\n}\n"
    ".visible .entry k(.param .u64 d, .param .u32 a, .param .u32 b)\n{\n"
    "\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<4>;\n"
    "\tld.param.u64 %rd1, [d];\n\tld.param.u32 %r1, [a];\n\tld.param.u32 %r2, [b];\n"
    "\tmov.u32 %r3, %tid.x;\n\tand.b32 %r4, %r3, 1;\n"
    "\t{\n\t.param .align 4 .b8 p0[8];\n\tst.param.b32 [p0], %r1;\n\tst.param.b32 [p0+4], %r2;\n"
    "\t.param .b32 p1;\n\tst.param.b32 [p1], %r4;\n\t.param .b32 r;\n"
    "\tcall.uni (r), pick, (p0, p1);\n\tld.param.b32 %r5, [r];\n\t}\n"
    "\tmul.wide.u32 %rd2, %r3, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tst.global.u32 [%rd3], %r5;\n\tret;\n}\n";

static void parameters_of_functions_by_address(void **state)
{
    (void)state;
    expect("m.ptx", by_address_text,
           "module: m.ptx\n"
           "buffers: [{name: d, type: s32, count: 3, contents: zeros}]\n"
           "launches:\n"
           "  - kernel: k\n"
           "    grid: [1]\n"
           "    block: [3]\n"
           "    args: [{buffer: d}, {type: u32, value: 11}, {type: u32, value: 22}]\n",
           (int32_t[]){11, 22, 11}, 3);
}

/* Structs with 8-byte members on multiples of 4, and results declared `.align 1`, as clang for
 * 32-bit addresses has them. */
static const char uneven_text[] =
    ".version 6.0\n.target sm_50\n.address_size 32\n"
    ".func (.param .align 1 .b8 back[12]) pass(.param .b8 lead, .param .align 4 .b8 p[12])\n{\n"
    "\t.reg .b32 %r<3>;\n\t.reg .f64 %fd<3>;\n"
    "\tld.param.u32 %r1, [p];\n\tld.param.f64 %fd1, [p+4];\n"
    "\tadd.s32 %r2, %r1, 1;\n\tadd.rn.f64 %fd2, %fd1, %fd1;\n"
    "\tst.param.b32 [back], %r2;\n\tst.param.f64 [back+4], %fd2;\n\tret;\n}\n"
    ".visible .entry k(.param .u32 d, .param .align 4 .b8 s[12])\n{\n"
    "\t.reg .b16 %rs<2>;\n\t.reg .b32 %r<6>;\n\t.reg .f64 %fd<4>;\n"
    "\tld.param.u32 %r1, [d];\n\tld.param.u32 %r2, [s];\n\tld.param.f64 %fd1, [s+4];\n"
    "\tmov.u16 %rs1, 3;\n"
    "\t{\n\t.param .b8 c0;\n\tst.param.b8 [c0], %rs1;\n"
    "\t.param .align 4 .b8 c1[12];\n\tst.param.b32 [c1], %r2;\n\tst.param.f64 [c1+4], %fd1;\n"
    "\t.param .align 1 .b8 r[12];\n\tcall.uni (r), pass, (c0, c1);\n"
    "\tld.param.b32 %r3, [r];\n\tld.param.f64 %fd2, [r+4];\n\t}\n"
    "\t{\n\t.param .b8 c0;\n\tst.param.b8 [c0], %rs1;\n"
    "\t.param .align 4 .b8 c1[12];\n\tst.param.b32 [c1], 6;\n"
    "\tst.param.f64 [c1+4], 0d4008000000000000;\n"
    "\t.param .align 1 .b8 r[12];\n\tcall.uni (r), pass, (c0, c1);\n"
    "\tld.param.b32 %r5, [r];\n\tld.param.f64 %fd3, [r+4];\n\t}\n"
    "\tcvt.rzi.s32.f64 %r4, %fd2;\n\tst.global.u32 [%r1], %r3;\n\tst.global.u32 [%r1+4], %r4;\n"
    "\tcvt.rzi.s32.f64 %r4, %fd3;\n\tst.global.u32 [%r1+8], %r5;\n"
    "\tst.global.u32 [%r1+12], %r4;\n\tret;\n}\n";

static void uneven_members_of_structs(void **state)
{
    (void)state;
    expect("m.ptx", uneven_text,
           "module: m.ptx\n"
           "buffers: [{name: d, type: s32, count: 4}]\n"
           "launches:\n"
           "  - kernel: k\n"
           "    grid: [1]\n"
           "    block: [1]\n"
           "    args: [{buffer: d}, {fields: [{type: u32, value: 41}, {type: f64, value: 2.5}]}]\n",
           (int32_t[]){42, 5, 7, 6}, 4);
}

/* clang's own barrier lets it keep `carry` in a register (kernels/cuda.h). */
static const char carry_text[] = "#include \"cuda.h\"\n"
                                 "__global__ void scan(int *d, int n)\n"
                                 "{\n"
                                 "    __shared__ int carry;\n"
                                 "    carry = 0;\n"
                                 "    __syncthreads();\n"
                                 "    for (int i = 0; i < n; i++) {\n"
                                 "        int v = d[2 * i + threadIdx.x];\n"
                                 "        d[2 * i + threadIdx.x] = v + carry;\n"
                                 "        __syncthreads();\n"
                                 "        if (threadIdx.x == 1)\n"
                                 "            carry += v;\n"
                                 "        __syncthreads();\n"
                                 "    }\n"
                                 "}\n";

static void barriers_keep_shared_variables(void **state)
{
    (void)state;
    expect(
        "m.cu", carry_text,
        "module: m.cu\n"
        "buffers: [{name: d, type: s32, count: 6, contents: iota, value: 1}]\n"
        "launches:\n"
        "  - {kernel: scan, grid: [1], block: [2], args: [{buffer: d}, {type: s32, value: 3}]}\n",
        (int32_t[]){1, 2, 5, 6, 11, 12}, 6);
}

static void outputs_are_written(void **state)
{
    (void)state;
    sandbox s = {0};
    wr_job job;
    char raw[100], text[100], got[64] = "";
    uint32_t word = 0;
    open_box(&s, "m.ptx", variable_text,
             VARIABLE_YAML("total", "") "outputs:\n"
                                        "  - {buffer: t, file: t.bin}\n"
                                        "  - {buffer: w, file: w.txt}\n");
    (void)snprintf(raw, sizeof raw, "%s/t.bin", s.dir);
    (void)snprintf(text, sizeof text, "%s/w.txt", s.dir);
    run(s.yaml, &job);
    FILE *f = fopen(raw, "rb");
    assert_non_null(f);
    assert_int_equal(fread(&word, 1, sizeof word, f), sizeof word);
    assert_int_equal(fgetc(f), EOF);
    (void)fclose(f);
    assert_int_equal(word, 1460);
    f = fopen(text, "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got - 1, f), strlen("1\n2\n3\n40\n"));
    (void)fclose(f);
    assert_string_equal(got, "1\n2\n3\n40\n");
    wr_job_free(&job);
    unlink(raw);
    unlink(text);
    close_box(&s);
}

/* x = 2 x and x = x - 1 take turns until x is 9, or thrice. */
static const char turns_text[] =
    ".version 6.0\n.target sm_50\n.address_size 32\n"
    ".visible .entry twice(.param .u32 x)\n{\n\t.reg .b32 %r<4>;\n"
    "\tld.param.u32 %r1, [x];\n\tld.global.u32 %r2, [%r1];\n\tshl.b32 %r3, %r2, 1;\n"
    "\tst.global.u32 [%r1], %r3;\n\tret;\n}\n"
    ".visible .entry less(.param .u32 x)\n{\n\t.reg .b32 %r<4>;\n"
    "\tld.param.u32 %r1, [x];\n\tld.global.u32 %r2, [%r1];\n\tadd.s32 %r3, %r2, -1;\n"
    "\tst.global.u32 [%r1], %r3;\n\tret;\n}\n";

#define TURNS_YAML(first, second)                                                                  \
    "module: m.ptx\n"                                                                              \
    "buffers: [{name: x, type: s32, contents: list, values: [2]}]\n"                               \
    "launches:\n"                                                                                  \
    "  - {kernel: twice, grid: [1], block: [1], args: [{buffer: x}], " first "}\n"                 \
    "  - {kernel: less, grid: [1], block: [1], args: [{buffer: x}]" second "}\n"                   \
    "  - {kernel: twice, grid: [1], block: [1], args: [{buffer: x}]}\n"

static void launches_take_turns(void **state)
{
    (void)state;
    expect("m.ptx", turns_text, TURNS_YAML("together: 2, repeat: 3", ""), (int32_t[]){18}, 1);
    expect("m.ptx", turns_text, TURNS_YAML("repeat: 3", ""), (int32_t[]){30}, 1);
    expect("m.ptx", turns_text, TURNS_YAML("together: 3, repeat: 2", ""), (int32_t[]){22}, 1);
    expect(
        "m.ptx", turns_text,
        TURNS_YAML("together: 2, while: {buffer: x, index: 0, differs_from: 5, at_most: 99}", ""),
        (int32_t[]){10}, 1);
}

/* What outputs write as text, contents and checks read. */
static void text_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *data, *check, *part; /* of the fault, NULL = none */
        uint64_t wrong;
    } cases[] = {{"1\n2 3\t0x28\n", "values: [1, 2, 3, 40]", NULL, 0},
                 {"1 2 3 40", "values: [1, 2, 4, 40]", NULL, 1},
                 {"1 2 3 40", "file: w.txt", NULL, 0},
                 {"1 2 3 40", "values: [1, 2, 3]", "3 values, but buffer 'w' has 4", 0},
                 {"1 2 3 40", "values: [1, 2, 3, x]", "'x' is not a value of type s32", 0},
                 {"1 2 3", "file: w.txt", "3 elements of s32, which is not 'count'", 0},
                 {"1 2 3 4.5", "file: w.txt", "'4.5' as element 3", 0},
                 {"\n", "file: w.txt", "a buffer needs one", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sandbox s = {0};
        wr_job job;
        wr_diag diag = {0};
        wr_check_result check;
        char yaml[600], text[100];
        (void)snprintf(
            yaml, sizeof yaml,
            "module: m.ptx\n"
            "buffers:\n"
            "  - {name: t, type: s32, count: 1, variable: total}\n"
            "  - {name: w, type: s32, count: 4, contents: file, file: w.txt, variable: weights}\n"
            "launches: [{kernel: k, grid: [1], block: [4], args: [{type: u32, value: 10}]}]\n"
            "checks: [{buffer: w, %s}]\n",
            cases[i].check);
        open_box(&s, "m.ptx", variable_text, yaml);
        (void)snprintf(text, sizeof text, "%s/w.txt", s.dir);
        write_file(text, cases[i].data);
        if (cases[i].part) {
            assert_false(wr_job_load(s.yaml, NULL, NULL, &job, &diag));
            if (!strstr(diag.message, cases[i].part)) {
                fail_msg("case %zu: '%s', expected '%s'", i, diag.message, cases[i].part);
            }
        } else {
            run(s.yaml, &job);
            assert_true(wr_job_check(&job, &check, &diag));
            assert_int_equal(check.comparison.compared, 4);
            assert_int_equal(check.comparison.wrong, cases[i].wrong);
            wr_job_free(&job);
        }
        unlink(text);
        close_box(&s);
    }
}

#define PAIR_YAML(args, more)                                                                      \
    "module: m.ptx\n"                                                                              \
    "buffers:\n"                                                                                   \
    "  - {name: d, type: s32, count: 3, contents: zeros" more "}\n"                                \
    "launches:\n"                                                                                  \
    "  - {kernel: shift, grid: [1], block: [3], args: [{buffer: d}, {buffer: d}, " args "]}\n"
#define TWO_KERNELS                                                                                \
    ".version 6.0\n.target sm_50\n.address_size 32\n"                                              \
    ".visible .entry _Z1kILi1EEvv()\n{\n\tret;\n}\n.visible .entry _Z1kILi2EEvv()\n{\n\tret;\n}\n"

static void faults_are_told_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *yaml, *part;
        unsigned line;
    } bad[] = {
        {pair_text, PAIR_YAML("{type: f32, value: 1}", ""), "give its members", 5},
        {pair_text, PAIR_YAML("{fields: [{type: f32, value: 1}]}", ""),
         "take 4 bytes, but parameter 'p'", 5},
        {pair_text, PAIR_YAML("{fields: [{type: f32, value: 1}], shared: 4}", ""), "one of them",
         5},
        {pair_text, PAIR_YAML("{shared: 0}", ""), "1 to 1048576", 5},
        {pair_text, PAIR_YAML("{shared: 8}", ""), "is shared memory, but parameter 'p'", 5},
        {pair_text, PAIR_YAML("{buffer: d, offset: 2}", ""), "multiple of the element's size", 5},
        {pair_text, PAIR_YAML("{buffer: d, offset: 12}", ""), "below the buffer's 12", 5},
        {pair_text, PAIR_YAML("{type: s32, value: 1, offset: 4}", ""), "goes with 'buffer'", 5},
        {pair_text, PAIR_YAML("{buffer: d}", ", values: [1]"), "go together", 3},
        {variable_text, VARIABLE_YAML("gone", ""), "no .global or .const variable 'gone'", 3},
        {variable_text, VARIABLE_YAML("total", ", 5"), "has 20 bytes, but variable '_ZL7weights'",
         4},
        {variable_text, VARIABLE_YAML("total", ", x"), "'x' is not a value of type s32", 4},
        {variable_text, VARIABLE_YAML("total", "") "outputs: [{buffer: t, file: gone/t.bin}]\n",
         "'gone/t.bin' cannot be written", 6},
        {variable_text, VARIABLE_YAML("total", "") "outputs: [{buffer: u, file: t.bin}]\n",
         "there is no buffer 'u'", 6},
        {turns_text, TURNS_YAML("together: 2", ""), "goes with 'repeat'", 4},
        {turns_text, TURNS_YAML("together: 4, repeat: 2", ""), "only 3 launches", 4},
        {turns_text, TURNS_YAML("together: 2, repeat: 2", ", repeat: 2"), "can't loop itself", 5},
        {turns_text, TURNS_YAML("hint: 4", ""), "a hint is 0", 4},
        {"", "module: m.cu\nlaunches: [{kernel: k, grid: [1], block: [1], args: []}]\n",
         "include \"cuda.h\"", 1},
        {TWO_KERNELS, "module: m.ptx\nlaunches: [{kernel: k, grid: [1], block: [1], args: []}]\n",
         "may be '_Z1kILi1EEvv' or '_Z1kILi2EEvv'", 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sandbox s = {0};
        wr_job job;
        wr_diag diag = {0};
        bool ptx = *bad[i].text != '\0';
        open_box(&s, ptx ? "m.ptx" : "m.cu", ptx ? bad[i].text : "__global__ void k() {}\n",
                 bad[i].yaml);
        if (wr_job_load(s.yaml, NULL, NULL, &job, &diag)) {
            fail_msg("case %zu was accepted", i);
        }
        if (diag.line != bad[i].line || !strstr(diag.message, bad[i].part)) {
            fail_msg("case %zu: line %u: '%s', expected line %u and '%s'", i, diag.line,
                     diag.message, bad[i].line, bad[i].part);
        }
        close_box(&s);
    }
}

/* .global and .const variables that are declared in bodies, one name in two of them and in the
 * module: three places, and the values that were written there. */
static void variables_in_bodies_are_apart(void **state)
{
    (void)state;
    expect("m.ptx",
           ".version 6.0\n.target sm_50\n.address_size 32\n"
           ".global .align 4 .u32 v = 1;\n.global .align 4 .u32 w = 2;\n"
           ".func add(.param .u32 x)\n{\n\t.reg .b32 %r<4>;\n\t.global .align 4 .u32 v = 10;\n"
           "\tld.param.u32 %r1, [x];\n\tld.global.u32 %r2, [v];\n\tadd.u32 %r2, %r2, %r1;\n"
           "\tst.global.u32 [v], %r2;\n\tst.global.u32 [%r1+4], %r2;\n\tret;\n}\n"
           ".visible .entry k(.param .u32 o)\n{\n\t.reg .b32 %r<9>;\n"
           "\t.const .align 4 .u32 c[2] = {7, 8};\n\t.global .align 4 .u32 v = 100;\n"
           "\tld.param.u32 %r1, [o];\n\tld.global.u32 %r2, [v];\n\tst.global.u32 [%r1], %r2;\n"
           "\t{\n\t.param .u32 p;\n\tst.param.u32 [p], %r1;\n\tcall add, (p);\n\t}\n"
           "\tld.global.u32 %r3, [%r1+4];\n\tsub.u32 %r3, %r3, %r1;\n"
           "\tst.global.u32 [%r1+4], %r3;\n\tld.global.u32 %r4, [w];\n"
           "\tst.global.u32 [%r1+8], %r4;\n\tld.const.u32 %r5, [c+4];\n"
           "\tst.global.u32 [%r1+12], %r5;\n\tret;\n}\n",
           "module: m.ptx\nbuffers: [{name: o, type: s32, count: 4}]\n"
           "launches: [{kernel: k, grid: [1], block: [1], args: [{buffer: o}]}]\n",
           (int32_t[]){100, 10, 2, 8}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cxx_names_are_read),
        cmocka_unit_test(structs_offsets_and_lists),
        cmocka_unit_test(buffers_that_are_variables),
        cmocka_unit_test(shared_memory_by_address),
        cmocka_unit_test(parameters_of_functions_by_address),
        cmocka_unit_test(uneven_members_of_structs),
        cmocka_unit_test(barriers_keep_shared_variables),
        cmocka_unit_test(outputs_are_written),
        cmocka_unit_test(text_files_are_read),
        cmocka_unit_test(launches_take_turns),
        cmocka_unit_test(variables_in_bodies_are_apart),
        cmocka_unit_test(faults_are_told_by_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
