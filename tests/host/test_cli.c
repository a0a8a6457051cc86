/* SPDX-License-Identifier: Apache-2.0 */
/* The program itself: every bad input gives exit status 2 and one line that names file and
 * line; bad usage likewise; good input gives 0, a check that does not hold 1. */
#include "tests/host/test_support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/host/bad_inputs.h"

#define WARPREF WR_BINARY_DIR "/bin/warpref"
#define KERNELS WR_SOURCE_DIR "/kernels/"
#define BAD     WR_SOURCE_DIR "/tests/host/bad/"

typedef struct outcome {
    int status;
    char out[65536], err[4096];
} outcome;

static void slurp(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    (void)fclose(f);
    unlink(path);
}

/* Runs warpref with these arguments through the shell. */
static void run(outcome *o, const char *arguments)
{
    char out[] = "/tmp/warpref-out-XXXXXX", err[] = "/tmp/warpref-err-XXXXXX";
    char command[2048];
    int a = mkstemp(out), b = mkstemp(err);
    assert_true(a >= 0 && b >= 0);
    close(a);
    close(b);
    (void)snprintf(command, sizeof command, WARPREF " %s >%s 2>%s </dev/null", arguments, out, err);
    int status = system(command);
    assert_true(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    slurp(out, o->out, sizeof o->out);
    slurp(err, o->err, sizeof o->err);
}

static size_t line_count(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

static void bad_inputs_give_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_INPUT_COUNT; i++) {
        const bad_input *b = &bad_inputs[i];
        char arguments[512], place[64];
        outcome o;
        (void)snprintf(arguments, sizeof arguments, "run " WR_SOURCE_DIR "/tests/host/bad/%s.yaml",
                       b->name);
        run(&o, arguments);
        if (b->file && b->line) {
            (void)snprintf(place, sizeof place, ":%u", b->line);
        } else if (b->line) {
            (void)snprintf(place, sizeof place, "%s.yaml:%u:", b->name, b->line);
        } else {
            (void)snprintf(place, sizeof place, "%s", b->file);
        }
        if (o.status != 2 || line_count(o.err) != 1 || o.out[0] || !strstr(o.err, place) ||
            (b->file && !strstr(o.err, b->file)) || !strstr(o.err, b->part)) {
            fail_msg("%s: status %d, stdout '%s', stderr '%s', expected '%s' and '%s'", b->name,
                     o.status, o.out, o.err, place, b->part);
        }
    }
}

static void bad_usage_is_2(void **state)
{
    (void)state;
    static const char *const arguments[] = {
        "",
        "nothing",
        "run",
        "run a.yaml b.yaml",
        "run --no-such-option " KERNELS "vecadd.yaml",
        "run --config nowhere " KERNELS "vecadd.yaml",
        "run --set l1.mshrs=0 " KERNELS "vecadd.yaml",
        "run --blocks verilog --system preemption " KERNELS "vecadd.yaml",
        "run --record w " KERNELS "vecadd.yaml",
        "run --system nothing " KERNELS "vecadd.yaml",
        "run --system preemption:perod=3 " KERNELS "vecadd.yaml",
        "run --system preemption:period=-1 " KERNELS "vecadd.yaml",
        "run --max-cycles 0 " KERNELS "vecadd.yaml",
        "run no-such-file.yaml",
        "run --set sm.max_warps=4 " KERNELS "vecadd.yaml",
        "compile",
        "compile no-such-file.ptx",
        "compile --max-regs 64 " KERNELS "vecadd.cu",
        "compile --no-pass nothing " KERNELS "vecadd.cu",
        "run --no-pass nothing " KERNELS "vecadd.yaml",
        "compile --block 0 " KERNELS "vecadd.cu",
        "compile --block 8, " KERNELS "vecadd.cu",
        "compile --block 1,2,3,4 " KERNELS "vecadd.cu",
        "compile --block 64,32 " KERNELS "vecadd.cu",
        "compile --block 64 " KERNELS "vecadd.yaml",
        "compile --address-size 64 " KERNELS "vecadd.yaml",
        "compile no-such-file.yaml",
        "compile --emit-ptx t.ptx " KERNELS "vecadd.yaml",
        "config nowhere",
        "config gtx480 --set sms=0",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        outcome o;
        run(&o, arguments[i]);
        if (o.status != 2 || !o.err[0] || o.out[0]) {
            fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments[i], o.status,
                     o.out, o.err);
        }
    }
}

/* The shape of a TB is that of --block, or of a launch file's launches. */
static void compile_knows_the_block(void **state)
{
    static const char *const commands[] = {
        "compile --block 16,16 " KERNELS "matrixmul.cu",
        "compile " KERNELS "matrixmul.yaml",
        "compile " KERNELS "matrixmul.cu",
    };
    static const char *const said[] = {"block 16 x 16 x 1, groups of 16 lanes",
                                       "block 16 x 16 x 1, groups of 16 lanes",
                                       "block 32 x 2 x 2, groups of 32 lanes"};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        outcome o;
        run(&o, commands[i]);
        if (o.status != 0 || !strstr(o.out, said[i]) || !strstr(o.out, "needed lanes  at most")) {
            fail_msg("warpref %s: status %d, stdout '%s'", commands[i], o.status, o.out);
        }
    }
}

/* Clean-ups that are left out change code and cycles, and no result. */
static void passes_can_be_left_out(void **state)
{
    static const char *const commands[] = {
        "compile --disasm " KERNELS "vecadd.cu",
        "compile --disasm --no-pass all " KERNELS "vecadd.cu",
        "compile --disasm --no-pass clean --no-pass cse " KERNELS "vecadd.cu",
        "run " KERNELS "vecadd.yaml",
        "run --no-pass all " KERNELS "vecadd.yaml",
    };
    outcome o[5];

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        run(&o[i], commands[i]);
        if (o[i].status != 0) {
            fail_msg("warpref %s: status %d, stderr '%s'", commands[i], o[i].status, o[i].err);
        }
    }
    assert_string_not_equal(o[0].out, o[1].out);
    assert_string_not_equal(o[0].out, o[2].out);
    assert_string_not_equal(o[1].out, o[2].out);
    assert_string_not_equal(o[3].out, o[4].out);
}

static void help_is_0(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--help",         "--version",     "run --help",
                                            "compile --help", "config --help", "config"};
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        outcome o;
        run(&o, arguments[i]);
        if (o.status != 0 || o.err[0] || strlen(o.out) < 6) {
            fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments[i], o.status,
                     o.out, o.err);
        }
    }
}

static void good_input_is_0_and_repeats(void **state)
{
    (void)state;
    outcome a, b;
    run(&a, "run --json " KERNELS "vecadd.yaml");
    run(&b, "run --json " KERNELS "vecadd.yaml");
    if (a.status != 0) {
        fail_msg("status %d: %s", a.status, a.err);
    }
    assert_string_equal(a.out, b.out);
    assert_non_null(strstr(a.out, "\"pass\":\ttrue"));
    run(&a, "run " KERNELS "vecadd.yaml");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "PASS c against vecadd: 1000000 elements, all equal"));
    assert_non_null(strstr(a.out, "\nPASS\n"));
    assert_string_equal(a.err, "");
    run(&a, "compile --json " KERNELS "backprop_layerforward.cu");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "\"bar.pp\""));
    assert_non_null(strstr(a.out, "\"idempotent\":\tfalse"));
    assert_non_null(strstr(a.out, "\"why\":\t\"st to the buffer that "));
    run(&a, "compile " KERNELS "vecadd.cu");
    assert_non_null(
        strstr(a.out, "  idempotent      yes, where each pointer is to a buffer of its"));
}

static void a_run_that_does_not_end_is_1(void **state)
{
    (void)state;
    outcome o;
    run(&o, "run --max-cycles 100 " KERNELS "vecadd.yaml");
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.out, "\nFAIL\n"));
    assert_non_null(strstr(o.out, "FAIL cycle limit at cycle 100\n"));
    assert_int_equal(line_count(o.err), 1);
    assert_non_null(strstr(o.err, "vecadd.yaml: error: kernel vecadd has not ended after 100"));
    assert_null(strstr(o.out, "has not ended")); /* told once */
    run(&o, "run --json --max-cycles 100 " KERNELS "vecadd.yaml");
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.out, "\"message\":\t\"kernel vecadd has not ended"));
}

static void a_launch_that_does_not_fit_is_2(void **state)
{
    (void)state;
    outcome o;
    char path[] = "/tmp/warpref-cli-XXXXXX";
    char arguments[256];
    assert_non_null(mkdtemp(path));
    (void)snprintf(arguments, sizeof arguments, "run --stats %s/s.json " BAD "shared_too_big.yaml",
                   path);
    run(&o, arguments);
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err, "shared_too_big.yaml:6: error: one TB of 'scale' does not fit"));
    assert_int_equal(rmdir(path), 0); /* a refused run leaves no file */
}

static void contexts_that_do_not_fit_are_2(void **state)
{
    (void)state;
    outcome o;
    run(&o, "run --system preemption --set sm.shared_bytes=1048576 " BAD "contexts_too_big.yaml");
    assert_int_equal(o.status, 2);
    assert_string_equal(o.out, "");
    assert_int_equal(line_count(o.err), 1);
    assert_non_null(strstr(o.err, "contexts_too_big.yaml:5: error: thread blocks of kernel scale "
                                  "have 1048576 bytes of shared memory, and at most 49152"));
}

/* A FIFO that nobody writes would block for ever; the alarm ends the test if it does, long after a
 * run that does not block has ended on the busiest machine. */
static void modules_are_regular_files(void **state)
{
    (void)state;
    static const char *const names[] = {"m.ptx", "m.cu"};
    char dir[] = "/tmp/warpref-cli-XXXXXX", module[64], yaml[64], arguments[128];
    assert_non_null(mkdtemp(dir));
    alarm(1200);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        outcome o;
        (void)snprintf(module, sizeof module, "%s/%s", dir, names[i]);
        (void)snprintf(yaml, sizeof yaml, "%s/f.yaml", dir);
        assert_int_equal(mkfifo(module, 0600), 0);
        FILE *f = fopen(yaml, "w");
        assert_non_null(f);
        (void)fprintf(f, "module: %s\nlaunches: [{kernel: k, grid: [1], block: [1]}]\n", names[i]);
        assert_int_equal(fclose(f), 0);
        (void)snprintf(arguments, sizeof arguments, "run %s", yaml);
        run(&o, arguments);
        assert_int_equal(o.status, 2);
        assert_non_null(strstr(o.err, "f.yaml:1: error: module"));
        assert_non_null(strstr(o.err, "cannot be read: not a regular file"));
        (void)snprintf(arguments, sizeof arguments, "compile %s", module);
        run(&o, arguments);
        assert_int_equal(o.status, 2);
        assert_non_null(strstr(o.err, "error: cannot be read: not a regular file"));
        unlink(module);
        unlink(yaml);
    }
    alarm(0);
    assert_int_equal(rmdir(dir), 0);
}

static void missed_checkpoints_are_told(void **state)
{
    (void)state;
    outcome o;
    run(&o, "run " KERNELS "scan.yaml --checkpoint /tmp/none.ckpt --checkpoint-at 1000000000");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.err, "in front of --checkpoint-at 1000000000, so there is no"));
    assert_int_equal(access("/tmp/none.ckpt", F_OK), -1);
}

/* Neither a pipe that nobody writes nor a device without end. */
static void readers_want_regular_files(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "run %s",
        "run --config %s " KERNELS "vecadd.yaml",
        "occupancy --table %s",
        "replay hint_decoder %s",
        "replay hint_decoder " WR_SOURCE_DIR "/vectors/golden/hint_decoder.tiny.hex --file %s",
        "cosim hint_decoder --rtl %s",
        "run " KERNELS "vecadd.yaml --system haws --blocks rtl --rtl hint_decoder=%s",
        "checkpoint %s",
    };
    char dir[] = "/tmp/warpref-cli-XXXXXX", fifo[64], arguments[512];
    assert_non_null(mkdtemp(dir));
    (void)snprintf(fifo, sizeof fifo, "%s/f.yaml", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(1200);
    for (size_t i = 0; i < 2 * sizeof commands / sizeof commands[0]; i++) {
        outcome o;
        (void)snprintf(arguments, sizeof arguments, commands[i / 2], i % 2 ? fifo : "/dev/zero");
        run(&o, arguments);
        if (o.status != 2 || o.out[0] || !strstr(o.err, "regular file")) {
            fail_msg("%s: status %d, stdout '%s', stderr '%s'", arguments, o.status, o.out, o.err);
        }
    }
    alarm(0);
    unlink(fifo);
    assert_int_equal(rmdir(dir), 0);
}

/* All of them before the run: its report must not be there. */
static void outputs_are_tried_first(void **state)
{
    (void)state;
    char dir[] = "/tmp/warpref-cli-XXXXXX", fifo[64], arguments[512];
    assert_non_null(mkdtemp(dir));
    (void)snprintf(fifo, sizeof fifo, "%s/f", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    static const char *const options[] = {
        "--stats %s/none/s.json",
        "--stats %s",
        "--stats=",
        "--system preemption --wave %s/none/w.fst",
        "--system preemption --wave %s",
        "--system preemption --wave %s/f", /* the writer would remove it */
        "--system preemption --wave %s/w.gtkw",
        "--system preemption --wave=",
        "--system preemption --record %s/none/r",
        "--system preemption --record %s/f",
        "--system preemption --record=",
        "--blocks lockstep --system preemption:dump=%s/none/d.fst",
        "--blocks lockstep --system preemption:dump=%s",
        "--blocks lockstep --system preemption:dump=%s/f",
        "--blocks lockstep --system preemption:dump=",
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char option[128];
        outcome o;
        size_t n = strcspn(options[i], "%");
        (void)snprintf(option, sizeof option, "%.*s%s%s", (int)n, options[i],
                       options[i][n] ? dir : "", options[i][n] ? options[i] + n + 2 : "");
        (void)snprintf(arguments, sizeof arguments, "run %s " KERNELS "vecadd.yaml", option);
        run(&o, arguments);
        if (o.status != 2 || o.out[0] || !o.err[0]) {
            fail_msg("%s: status %d, stdout '%s', stderr '%s'", arguments, o.status, o.out, o.err);
        }
    }
    struct stat st;
    assert_int_equal(stat(fifo, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    unlink(fifo);
    assert_int_equal(rmdir(dir), 0);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    int status = system(WARPREF " run " KERNELS "vecadd.yaml >/dev/full 2>/dev/null");
    assert_int_equal(WEXITSTATUS(status), 1);
    outcome o;
    run(&o, "run --stats /dev/full " KERNELS "vecadd.yaml");
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err, "/dev/full: error: cannot be written"));
}

/* Waits until the process holds a signal back, which a run does from its first cycle on to take it
 * between two cycles. False: it ended before. */
static bool wait_until_blocked(pid_t pid, int number)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        unsigned long long blocked = 0;
        char line[256];
        FILE *f = fopen(path, "r");
        while (f != NULL && fgets(line, sizeof line, f) != NULL) {
            if (strncmp(line, "SigBlk:", 7) == 0) {
                blocked = strtoull(line + 7, NULL, 16);
            }
        }
        if (f != NULL) {
            (void)fclose(f);
        }
        if (blocked >> (number - 1) & 1) {
            return true;
        }
        (void)usleep(1000);
    }
    return false;
}

/* An endless kernel: figures and one message, then death by the signal that came. */
static void an_interrupted_run_reports(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char out[] = "/tmp/warpref-out-XXXXXX", err[] = "/tmp/warpref-err-XXXXXX";
        static char text[65536];
        int o = mkstemp(out), e = mkstemp(err), status = 0;
        assert_true(o >= 0 && e >= 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            (void)signal(SIGINT, SIG_DFL); /* a shell's background job ignores it */
            (void)signal(SIGTERM, SIG_DFL);
            dup2(o, STDOUT_FILENO);
            dup2(e, STDERR_FILENO);
            execl(WARPREF, WARPREF, "run", WR_SOURCE_DIR "/tests/host/endless.yaml", (char *)NULL);
            _exit(99);
        }
        close(o);
        close(e);
        assert_true(wait_until_blocked(pid, signals[i]));
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        slurp(out, text, sizeof text);
        assert_non_null(strstr(text, "sm.issued"));
        assert_non_null(strstr(text, "FAIL interrupted at cycle"));
        slurp(err, text, sizeof text);
        assert_int_equal(line_count(text), 1);
        assert_non_null(strstr(text, "kernel spin was stopped after"));
    }
}

static void a_module_without_kernels_is_2(void **state)
{
    (void)state;
    outcome o;
    run(&o, "compile " BAD "no_kernel.ptx");
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err, "no_kernel.ptx: error: there is no kernel in it"));
}

static void points_without_live_registers_say_so(void **state)
{
    (void)state;
    outcome o;
    run(&o, "compile --pp-interval 1 " BAD "good.ptx");
    assert_int_equal(o.status, 0);
    assert_null(strstr(o.out, ":\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_inputs_give_one_line),
        cmocka_unit_test(bad_usage_is_2),
        cmocka_unit_test(passes_can_be_left_out),
        cmocka_unit_test(compile_knows_the_block),
        cmocka_unit_test(help_is_0),
        cmocka_unit_test(good_input_is_0_and_repeats),
        cmocka_unit_test(a_run_that_does_not_end_is_1),
        cmocka_unit_test(a_launch_that_does_not_fit_is_2),
        cmocka_unit_test(contexts_that_do_not_fit_are_2),
        cmocka_unit_test(modules_are_regular_files),
        cmocka_unit_test(readers_want_regular_files),
        cmocka_unit_test(missed_checkpoints_are_told),
        cmocka_unit_test(outputs_are_tried_first),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(an_interrupted_run_reports),
        cmocka_unit_test(a_module_without_kernels_is_2),
        cmocka_unit_test(points_without_live_registers_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
