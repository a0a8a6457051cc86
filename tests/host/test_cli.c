/* The program itself: every bad input gives exit status 2 and one line that names file and
 * line; bad usage likewise; good input gives 0, a check that does not hold 1. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/host/bad_inputs.h"

#define WARPREF WR_BINARY_DIR "/bin/warpref"
#define KERNELS WR_SOURCE_DIR "/kernels/"

typedef struct outcome {
    int status;
    char out[65536], err[4096];
} outcome;

static void slurp(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
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
    snprintf(command, sizeof command, WARPREF " %s >%s 2>%s </dev/null", arguments, out, err);
    int status = system(command);
    assert_true(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    slurp(out, o->out, sizeof o->out);
    slurp(err, o->err, sizeof o->err);
}

static size_t line_count(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void bad_inputs_give_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_INPUT_COUNT; i++) {
        const bad_input *b = &bad_inputs[i];
        char arguments[512], place[64];
        outcome o;
        snprintf(arguments, sizeof arguments, "run " WR_SOURCE_DIR "/tests/host/bad/%s.yaml",
                 b->name);
        run(&o, arguments);
        if (b->file && b->line)
            snprintf(place, sizeof place, ":%u", b->line);
        else if (b->line)
            snprintf(place, sizeof place, "%s.yaml:%u:", b->name, b->line);
        else
            snprintf(place, sizeof place, "%s", b->file);
        if (o.status != 2 || line_count(o.err) != 1 || o.out[0] || !strstr(o.err, place) ||
            (b->file && !strstr(o.err, b->file)) || !strstr(o.err, b->part))
            fail_msg("%s: status %d, stdout '%s', stderr '%s', expected '%s' and '%s'", b->name,
                     o.status, o.out, o.err, place, b->part);
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
        "run --wave w.fst " KERNELS "vecadd.yaml",
        "run --system nothing " KERNELS "vecadd.yaml",
        "run --system preemption:perod=3 " KERNELS "vecadd.yaml",
        "run --system preemption:period=0 " KERNELS "vecadd.yaml",
        "run --max-cycles 0 " KERNELS "vecadd.yaml",
        "run no-such-file.yaml",
        "run --set sm.max_warps=4 " KERNELS "vecadd.yaml",
        "compile",
        "compile no-such-file.ptx",
        "compile --max-regs 64 " KERNELS "vecadd.cu",
        "compile " KERNELS "vecadd.yaml",
        "config nowhere",
        "config gtx480 --set sms=0",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        outcome o;
        run(&o, arguments[i]);
        if (o.status != 2 || !o.err[0] || o.out[0])
            fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments[i], o.status,
                     o.out, o.err);
    }
}

static void help_is_0(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--help",         "--version",     "run --help",
                                            "compile --help", "config --help", "config"};
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        outcome o;
        run(&o, arguments[i]);
        if (o.status != 0 || o.err[0] || strlen(o.out) < 6)
            fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments[i], o.status,
                     o.out, o.err);
    }
}

static void good_input_is_0_and_repeats(void **state)
{
    (void)state;
    outcome a, b;
    run(&a, "run --json " KERNELS "vecadd.yaml");
    run(&b, "run --json " KERNELS "vecadd.yaml");
    if (a.status != 0)
        fail_msg("status %d: %s", a.status, a.err);
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
}

static void a_run_that_does_not_end_is_1(void **state)
{
    (void)state;
    outcome o;
    run(&o, "run --max-cycles 100 " KERNELS "vecadd.yaml");
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.out, "\nFAIL\n"));
    assert_int_equal(line_count(o.err), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_inputs_give_one_line),
        cmocka_unit_test(bad_usage_is_2),
        cmocka_unit_test(help_is_0),
        cmocka_unit_test(good_input_is_0_and_repeats),
        cmocka_unit_test(a_run_that_does_not_end_is_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
