/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: faults that need the module, and small runs on the simulated GPU: outputs, addresses,
 * host loops, checks that hold and checks that do not. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/reference.h"
#include "shell/host/job.h"
#include "shell/host/module.h"
#include "tests/host/bad_inputs.h"

#define BAD WR_SOURCE_DIR "/tests/host/bad/"

static void bad_jobs_are_told_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_INPUT_COUNT; i++) {
        const bad_input *b = &bad_inputs[i];
        char path[512];
        wr_job job;
        wr_diag diag = {0};
        if (!b->needs_module) {
            continue;
        }
        (void)snprintf(path, sizeof path, BAD "%s.yaml", b->name);
        if (wr_job_load(path, NULL, wr_reference_find, &job, &diag)) {
            fail_msg("%s was accepted", b->name);
        }
        const char *file = b->file ? b->file : b->name;
        if (diag.line != b->line || !strstr(diag.message, b->part) || !strstr(diag.file, file)) {
            fail_msg("%s: %s:%u: '%s', expected %s:%u and '%s'", b->name, diag.file, diag.line,
                     diag.message, file, b->line, b->part);
        }
    }
}

/* scale: x[i] *= f for i < n. count: word[0] -= 1 by thread 0. */
static const char module_text[] =
    ".version 4.0\n.target sm_50\n.address_size 32\n"
    ".visible .entry scale(.param .u32 a, .param .f32 b, .param .u32 c)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<7>;\n\t.reg .f32 %f<4>;\n"
    "\tld.param.u32 %r1, [a];\n\tld.param.f32 %f1, [b];\n\tld.param.u32 %r2, [c];\n"
    "\tmov.u32 %r3, %tid.x;\n\tsetp.ge.u32 %p1, %r3, %r2;\n\t@%p1 bra DONE;\n"
    "\tshl.b32 %r4, %r3, 2;\n\tadd.s32 %r5, %r1, %r4;\n\tld.global.f32 %f2, [%r5];\n"
    "\tmul.rn.f32 %f3, %f2, %f1;\n\tst.global.f32 [%r5], %f3;\nDONE:\n\tret;\n}\n"
    ".visible .entry count(.param .u32 a)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<5>;\n"
    "\tld.param.u32 %r1, [a];\n\tmov.u32 %r2, %tid.x;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t@%p1 bra "
    "DONE;\n"
    "\tld.global.u32 %r3, [%r1];\n\tadd.s32 %r4, %r3, -1;\n\tst.global.u32 [%r1], "
    "%r4;\nDONE:\n\tret;\n}\n";

typedef struct sandbox {
    char dir[40], yaml[64], ptx[64], bin[64];
} sandbox;

static void write_text(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    (void)fclose(f);
}

static void open_sandbox(sandbox *s, const char *yaml, const void *bin, size_t bin_size)
{
    (void)snprintf(s->dir, sizeof s->dir, "/tmp/warpref-job-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    (void)snprintf(s->yaml, sizeof s->yaml, "%s/f.yaml", s->dir);
    (void)snprintf(s->ptx, sizeof s->ptx, "%s/m.ptx", s->dir);
    (void)snprintf(s->bin, sizeof s->bin, "%s/e.bin", s->dir);
    write_text(s->yaml, yaml, strlen(yaml));
    write_text(s->ptx, module_text, sizeof module_text - 1);
    write_text(s->bin, bin, bin_size);
}

static void close_sandbox(const sandbox *s)
{
    unlink(s->yaml);
    unlink(s->ptx);
    unlink(s->bin);
    rmdir(s->dir);
}

/* Loads and runs on gtx480; the caller frees the job. */
static wr_run_result run_job(const char *path, wr_job *job)
{
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_run_result result;
    wr_job_options options = {.max_cycles = 1000000};
    assert_true(wr_config_load("gtx480", &config, &diag));
    if (!wr_job_load(path, NULL, wr_reference_find, job, &diag) ||
        !wr_job_fit(job, &config, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    wr_gpu *gpu = wr_gpu_create(&config);
    assert_non_null(gpu);
    if (!wr_job_run(job, gpu, &options, &result, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    wr_gpu_free(gpu);
    return result;
}

#define SCALE_YAML                                                                                 \
    "module: m.ptx\n"                                                                              \
    "buffers:\n"                                                                                   \
    "  - {name: pad, type: u8, count: 257, contents: constant, value: 9}\n"                        \
    "  - {name: x, type: f32, count: 40, contents: iota}\n"                                        \
    "launches:\n"                                                                                  \
    "  - {kernel: scale, grid: [1], block: [64], repeat: 2,\n"                                     \
    "     args: [{buffer: x}, {type: f32, value: 2}, {type: u32, value: 33}]}\n"                   \
    "checks: [{buffer: x, file: e.bin}]\n"

static void a_run_is_checked(void **state)
{
    (void)state;
    for (int planted = 0; planted < 2; planted++) {
        float expected[40];
        sandbox s = {0};
        wr_job job;
        wr_diag diag = {0};
        wr_check_result check;
        for (int i = 0; i < 40; i++) {
            expected[i] = (float)(i < 33 ? 4 * i : i);
        }
        if (planted) {
            expected[17] = 0.0f;
        }
        open_sandbox(&s, SCALE_YAML, expected, sizeof expected);
        wr_run_result result = run_job(s.yaml, &job);
        assert_int_equal(result.status, WR_RUN_DONE);
        assert_true(result.cycles > 0);
        assert_int_equal(job.runs, 2);
        assert_true(job.buffers[0].address == WR_MEM_BASE);
        assert_true(job.buffers[1].address == WR_MEM_BASE + 512);
        assert_true(wr_job_check(&job, &check, &diag));
        assert_int_equal(check.comparison.compared, 40);
        assert_int_equal(check.comparison.wrong, planted);
        if (planted) {
            assert_int_equal(check.comparison.first, 17);
        }
        for (size_t i = 0; i < 257; i++) {
            assert_int_equal(job.buffers[0].result[i], 9);
        }
        wr_job_free(&job);
        close_sandbox(&s);
    }
}

static void expected_file_of_another_size(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        const char *part;
    } sizes[] = {{0, "has 0 elements, but buffer 'x' has 40"},
                 {156, "has 39 elements, but buffer 'x' has 40"},
                 {159, "has 159 bytes, which is no whole number of f32"},
                 {164, "has 41 elements, but buffer 'x' has 40"}};
    uint8_t bytes[164] = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sandbox s = {0};
        wr_job job;
        wr_diag diag = {0};
        open_sandbox(&s, SCALE_YAML, bytes, sizes[i].bytes);
        assert_false(wr_job_load(s.yaml, NULL, wr_reference_find, &job, &diag));
        assert_int_equal(diag.line, 8);
        assert_non_null(strstr(diag.message, sizes[i].part));
        close_sandbox(&s);
    }
}

static bool stop_at_once(void *calls, uint64_t cycles, uint64_t tbs_done, uint64_t tbs)
{
    (void)cycles;
    assert_true(tbs_done <= tbs);
    ++*(unsigned *)calls;
    return false;
}

static void a_job_runs_again(void **state)
{
    (void)state;
    float expected[40];
    sandbox s = {0};
    wr_job job;
    wr_diag diag = {0};
    wr_check_result check;
    wr_run_result result;
    wr_gpu_config config;
    for (int i = 0; i < 40; i++) {
        expected[i] = (float)(i < 33 ? 4 * i : i);
    }
    open_sandbox(&s, SCALE_YAML, expected, sizeof expected);
    wr_run_result first = run_job(s.yaml, &job);
    uint64_t hash = wr_job_buffer_hash(&job, 1);
    assert_true(wr_config_load("gtx480", &config, &diag));

    wr_gpu *gpu = wr_gpu_create(&config);
    unsigned calls = 0;
    wr_job_options stop = {.progress = stop_at_once, .progress_arg = &calls};
    assert_true(wr_job_run(&job, gpu, &stop, &result, &diag));
    assert_int_equal(result.status, WR_RUN_STOPPED);
    assert_int_equal(calls, 1);
    assert_int_equal(job.runs, 1);
    assert_true(wr_job_buffer_hash(&job, 1) != hash);
    wr_gpu_free(gpu);

    gpu = wr_gpu_create(&config);
    wr_job_options all = {0};
    assert_true(wr_job_run(&job, gpu, &all, &result, &diag));
    assert_int_equal(result.status, WR_RUN_DONE);
    assert_int_equal(result.cycles, first.cycles);
    assert_int_equal(job.runs, 2);
    assert_true(wr_job_buffer_hash(&job, 1) == hash);
    assert_true(wr_job_check(&job, &check, &diag));
    assert_int_equal(check.comparison.compared, 40);
    assert_int_equal(check.comparison.wrong, 0);
    wr_gpu_free(gpu);
    wr_job_free(&job);
    close_sandbox(&s);
}

static void a_host_loop_ends_by_its_buffer(void **state)
{
    (void)state;
    static const struct {
        const char *start, *at_most;
        uint32_t runs;
    } cases[] = {{"5", "100", 5}, {"5", "3", 3}, {"0", "100", 0}};
    for (size_t i = 0; i < 3; i++) {
        char yaml[512];
        sandbox s = {0};
        wr_job job;
        (void)snprintf(
            yaml, sizeof yaml,
            "module: m.ptx\nbuffers: [{name: w, type: u32, count: 1, contents: constant, "
            "value: %s}]\n"
            "launches:\n  - {kernel: count, grid: [1], block: [32], args: [{buffer: w}],\n"
            "     while: {buffer: w, index: 0, differs_from: 0, at_most: %s}}\n",
            cases[i].start, cases[i].at_most);
        open_sandbox(&s, yaml, "", 0);
        wr_run_result result = run_job(s.yaml, &job);
        assert_int_equal(result.status, WR_RUN_DONE);
        assert_int_equal(job.runs, cases[i].runs);
        wr_job_free(&job);
        close_sandbox(&s);
    }
}

/* From the cycle in which a round of a loop was to come; a job's own priority and arrival are its
 * launches' where they have none. */
static void deadlines_are_counted(void **state)
{
    (void)state;
    static const char yaml[] =
        "module: m.ptx\n"
        "buffers:\n"
        "  - {name: x, type: f32, count: 32, contents: constant, value: 1}\n"
        "  - {name: y, type: f32, count: 32, contents: constant, value: 1}\n"
        "launches:\n"
        "  - {kernel: scale, stream: one, grid: [1], block: [32], repeat: 4, every: 10000,\n"
        "     at: 500, deadline: 9000, priority: 3,\n"
        "     args: [{buffer: x}, {type: f32, value: 2}, {type: u32, value: 32}]}\n"
        "  - {kernel: scale, grid: [1], block: [32], repeat: 4, deadline: 10,\n"
        "     args: [{buffer: y}, {type: f32, value: 3}, {type: u32, value: 32}]}\n";
    sandbox s = {0};
    wr_job job;
    open_sandbox(&s, yaml, "", 0);
    wr_run_result result = run_job(s.yaml, &job);
    assert_int_equal(result.status, WR_RUN_DONE);
    const wr_job_launch *timed = &job.launches[0];
    assert_int_equal(timed->sum.begun, 500);
    assert_true(timed->sum.ended > 30500 && timed->sum.ended < 40500);
    assert_true(timed->runs == 4 && timed->missed == 0 && timed->late == 0);
    assert_int_equal(timed->launch.priority, 3);
    const wr_job_launch *always_late = &job.launches[1];
    assert_true(always_late->sum.begun == 0 && always_late->missed == 4);
    assert_true(always_late->late > 0 && always_late->late < always_late->sum.ended);
    wr_job_free(&job);
    close_sandbox(&s);
}

/* Loops go on inside their streams, side by side; what a launch did is told launch by launch. */
static void streams_run_side_by_side(void **state)
{
    (void)state;
    static const char yaml[] =
        "module: m.ptx\n"
        "buffers:\n"
        "  - {name: x, type: f32, count: 32, contents: constant, value: 1}\n"
        "  - {name: w, type: u32, count: 1, contents: constant, value: 5}\n"
        "  - {name: y, type: f32, count: 32, contents: constant, value: 1}\n"
        "  - {name: z, type: f32, count: 32, contents: constant, value: 1}\n"
        "launches:\n"
        "  - {kernel: scale, stream: one, grid: [1], block: [32], repeat: 3,\n"
        "     args: [{buffer: x}, {type: f32, value: 2}, {type: u32, value: 32}]}\n"
        "  - {kernel: count, stream: 2, grid: [1], block: [32], args: [{buffer: w}],\n"
        "     while: {buffer: w, index: 0, differs_from: 1, at_most: 100}, together: 2}\n"
        "  - {kernel: scale, stream: 2, grid: [1], block: [32],\n"
        "     args: [{buffer: y}, {type: f32, value: 3}, {type: u32, value: 32}]}\n"
        "  - {kernel: scale, grid: [1], block: [32],\n"
        "     args: [{buffer: z}, {type: f32, value: 7}, {type: u32, value: 32}]}\n"
        "  - {kernel: scale, stream: one, grid: [1], block: [32],\n"
        "     args: [{buffer: x}, {type: f32, value: 5}, {type: u32, value: 32}]}\n";
    static const uint32_t runs[] = {3, 4, 4, 1, 1};
    sandbox s = {0};
    wr_job job;
    open_sandbox(&s, yaml, "", 0);
    wr_run_result result = run_job(s.yaml, &job);
    assert_int_equal(result.status, WR_RUN_DONE);
    assert_int_equal(job.loaded.file->stream_count, 3);
    uint64_t last = 0;
    for (size_t i = 0; i < 5; i++) {
        const wr_job_launch *jl = &job.launches[i];
        assert_int_equal(jl->runs, runs[i]);
        assert_int_equal(jl->sum.tbs, runs[i]);
        assert_true(jl->sum.issued > 0 && jl->sum.thread_insns >= jl->sum.issued);
        last = jl->sum.ended > last ? jl->sum.ended : last;
    }
    for (unsigned i = 0; i < 32; i++) {
        assert_true(((const float *)(void *)job.buffers[0].result)[i] == 40);
        assert_true(((const float *)(void *)job.buffers[2].result)[i] == 81);
        assert_true(((const float *)(void *)job.buffers[3].result)[i] == 7);
    }
    assert_int_equal(*(const uint32_t *)(void *)job.buffers[1].result, 1);
    for (size_t i = 0; i < 4; i++) { /* all but the last are first of a stream or turn by turn */
        assert_true(i == 2 || job.launches[i].sum.begun == 0);
    }
    assert_int_equal(job.launches[4].sum.begun, job.launches[0].sum.ended);
    assert_true(job.launches[2].sum.ended == last && last <= result.cycles);
    assert_string_equal(job.launches[0].label, "stream one");
    assert_string_equal(job.launches[3].label, "stream without a name");
    wr_job_free(&job);
    close_sandbox(&s);
}

/* Two jobs at once: buffers of both, in the order of the jobs. */
static void jobs_run_together(void **state)
{
    (void)state;
    float expected[40];
    sandbox s = {0};
    wr_job jobs[2];
    wr_job *both[2] = {&jobs[0], &jobs[1]};
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_run_result result;
    wr_job_options options = {.max_cycles = 1000000};
    wr_check_result check;
    for (int i = 0; i < 40; i++) {
        expected[i] = (float)(i < 33 ? 4 * i : i);
    }
    open_sandbox(&s, SCALE_YAML, expected, sizeof expected);
    wr_run_result alone = run_job(s.yaml, &jobs[0]);
    assert_true(wr_config_load("gtx480", &config, &diag));
    assert_true(wr_job_load(s.yaml, NULL, wr_reference_find, &jobs[1], &diag));
    wr_gpu *gpu = wr_gpu_create(&config);
    assert_true(wr_jobs_run(both, 2, gpu, &options, &result, &diag));
    assert_int_equal(result.status, WR_RUN_DONE);
    assert_true(result.cycles < 2 * alone.cycles);
    for (size_t i = 0; i < 2; i++) {
        assert_true(wr_job_check(both[i], &check, &diag));
        assert_int_equal(check.comparison.compared, 40);
        assert_int_equal(check.comparison.wrong, 0);
        assert_int_equal(jobs[i].launches[0].runs, 2);
        assert_int_equal(jobs[i].launches[0].sum.begun, 0);
        assert_int_equal(jobs[i].buffers[0].address, WR_MEM_BASE + 0x300 * i);
    }
    wr_gpu_free(gpu);
    wr_job_free(&jobs[0]);
    wr_job_free(&jobs[1]);
    close_sandbox(&s);
}

static void an_access_outside_is_a_fault(void **state)
{
    (void)state;
    static const char yaml[] =
        "module: m.ptx\n"
        "buffers: [{name: x, type: f32, count: 8, contents: iota}]\n"
        "launches:\n"
        "  - {kernel: scale, grid: [1], block: [1024],\n"
        "     args: [{buffer: x}, {type: f32, value: 2}, {type: u32, value: 1024}]}\n";
    sandbox s = {0};
    wr_job job;
    open_sandbox(&s, yaml, "", 0);
    wr_run_result result = run_job(s.yaml, &job);
    assert_int_equal(result.status, WR_RUN_MEMORY_FAULT);
    assert_non_null(strstr(result.message, "scale"));
    wr_job_free(&job);
    close_sandbox(&s);
}

static void too_large_a_block_does_not_fit(void **state)
{
    (void)state;
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_job job;
    float expected[40] = {0};
    sandbox s = {0};
    open_sandbox(&s, SCALE_YAML, expected, sizeof expected);
    assert_true(wr_config_load("gtx480", &config, &diag));
    assert_true(wr_job_load(s.yaml, NULL, wr_reference_find, &job, &diag));
    assert_true(wr_job_fit(&job, &config, &diag));
    config.sm.max_warps = 1;
    assert_false(wr_job_fit(&job, &config, &diag));
    assert_int_equal(diag.line, 6);
    assert_non_null(strstr(diag.message, "does not fit"));
    wr_job_free(&job);
    close_sandbox(&s);
}

static void reference_that_cannot_follow(void **state)
{
    (void)state;
    static const char yaml[] =
        "module: m.ptx\n"
        "buffers: [{name: w, type: u32, count: 1, contents: constant, value: 4}]\n"
        "launches: [{kernel: count, grid: [1], block: [32], args: [{buffer: w}]}]\n"
        "checks:\n"
        "  - {buffer: w, reference: vecadd}\n";
    sandbox s = {0};
    wr_job job;
    wr_diag diag = {0};
    wr_check_result check;
    open_sandbox(&s, yaml, "", 0);
    run_job(s.yaml, &job);
    assert_false(wr_job_check(&job, &check, &diag));
    assert_int_equal(diag.line, 5);
    assert_non_null(strstr(diag.message, "vecadd takes"));
    wr_job_free(&job);
    close_sandbox(&s);
}

static void missing_clang_is_told(void **state)
{
    (void)state;
    wr_diag diag = {0};
    size_t length = 0;
    setenv("WARPREF_CLANG", "no-such-clang", 1);
    assert_null(wr_module_ptx(WR_SOURCE_DIR "/kernels/vecadd.cu", NULL, &length, &diag));
    assert_non_null(strstr(diag.message, "install Debian's clang-14"));
    unsetenv("WARPREF_CLANG");
    char *text = wr_module_ptx(WR_SOURCE_DIR "/kernels/vecadd.cu", NULL, &length, &diag);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, ".address_size 32"));
    free(text);
    wr_cuda_options wide = {.address_size = 64};
    text = wr_module_ptx(WR_SOURCE_DIR "/kernels/vecadd.cu", &wide, &length, &diag);
    assert_non_null(text);
    assert_non_null(strstr(text, ".address_size 64"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_jobs_are_told_by_line),
        cmocka_unit_test(a_run_is_checked),
        cmocka_unit_test(expected_file_of_another_size),
        cmocka_unit_test(a_job_runs_again),
        cmocka_unit_test(a_host_loop_ends_by_its_buffer),
        cmocka_unit_test(streams_run_side_by_side),
        cmocka_unit_test(jobs_run_together),
        cmocka_unit_test(deadlines_are_counted),
        cmocka_unit_test(an_access_outside_is_a_fault),
        cmocka_unit_test(too_large_a_block_does_not_fit),
        cmocka_unit_test(reference_that_cannot_follow),
        cmocka_unit_test(missing_clang_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
