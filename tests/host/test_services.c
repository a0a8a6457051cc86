/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine does for kernels beside instructions: printf, the heap, assertions, the stack;
 * and that a kernel that is refused leaves the others alone. Through the program itself, with 32
 * and 64 bits, alone and preempted. */
#include "tests/host/test_support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARPREF WR_BINARY_DIR "/bin/warpref"
#define HERE    WR_SOURCE_DIR "/tests/host/"
#define PREEMPT " --system preemption:period=400"

enum { THREADS = 64 };

typedef struct outcome {
    int status;
    char out[131072], err[4096];
} outcome;

typedef struct folder {
    char dir[64], out[96], err[96], yaml[96], expected[96], text[96];
} folder;

static void open_folder(folder *f)
{
    (void)snprintf(f->dir, sizeof f->dir, "/tmp/warpref-services-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->out, sizeof f->out, "%s/out", f->dir);
    (void)snprintf(f->err, sizeof f->err, "%s/err", f->dir);
    (void)snprintf(f->yaml, sizeof f->yaml, "%s/run.yaml", f->dir);
    (void)snprintf(f->expected, sizeof f->expected, "%s/expected.bin", f->dir);
    (void)snprintf(f->text, sizeof f->text, "%s/text", f->dir);
}

static void close_folder(const folder *f)
{
    unlink(f->out);
    unlink(f->err);
    unlink(f->yaml);
    unlink(f->expected);
    unlink(f->text);
    assert_int_equal(rmdir(f->dir), 0);
}

static void slurp(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    (void)fclose(f);
}

static void run(const folder *f, outcome *o, const char *arguments)
{
    char command[1024];
    (void)snprintf(command, sizeof command, WARPREF " %s >%s 2>%s </dev/null", arguments, f->out,
                   f->err);
    int status = system(command);
    assert_true(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    slurp(f->out, o->out, sizeof o->out);
    slurp(f->err, o->err, sizeof o->err);
}

/* A launch of one kernel: `more` are keys of the file, `args` those behind the buffer `out`. */
typedef struct job {
    const char *module, *kernel, *more, *args;
    unsigned bits, grid, block;
    bool has_out, check; /* buffer `out`; it must become f->expected */
} job;

static void run_job(const folder *f, outcome *o, const job *j, const char *options)
{
    char arguments[512];
    FILE *y = fopen(f->yaml, "w");
    assert_non_null(y);
    (void)fprintf(y, "module: " HERE "%s\n", j->module);
    if (j->bits != 0) {
        (void)fprintf(y, "compile: {address_size: %u}\n", j->bits);
    }
    (void)fprintf(y, "%s\n", j->more != NULL ? j->more : "");
    if (j->has_out) {
        (void)fprintf(y,
                      "buffers:\n  - {name: out, type: s32, count: %d, contents: iota, value: 0}\n",
                      THREADS);
    }
    (void)fprintf(y, "launches:\n  - kernel: %s\n    grid: [%u]\n    block: [%u]\n", j->kernel,
                  j->grid, j->block);
    if (j->has_out || j->args != NULL) {
        (void)fprintf(y, "    args: [%s%s%s]\n", j->has_out ? "{buffer: out}" : "",
                      j->has_out && j->args != NULL ? ", " : "", j->args != NULL ? j->args : "");
    }
    if (j->check) {
        (void)fprintf(y, "checks: [{buffer: out, file: %s}]\n", f->expected);
    }
    assert_int_equal(fclose(y), 0);
    (void)snprintf(arguments, sizeof arguments, "run %s%s", f->yaml, options);
    run(f, o, arguments);
}

static void write_expected(const folder *f, const int32_t *values)
{
    FILE *out = fopen(f->expected, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(values, sizeof *values, THREADS, out), THREADS);
    assert_int_equal(fclose(out), 0);
}

static void want_status(const outcome *o, int status)
{
    if (o->status != status) {
        fail_msg("status %d, not %d:\n%s%s", o->status, status, o->out, o->err);
    }
}

static void want_error(const outcome *o, int status, const char *part)
{
    want_status(o, status);
    if (strstr(o->err, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, o->err);
    }
}

static void printf_writes_as_c_does(void **state)
{
    static outcome o;
    char want[4096] = "";
    size_t n = 0;
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (int i = 0; i < 7; i++) {
        n += (size_t)snprintf(want + n, sizeof want - n, "%d: %s %6.2f %c%5u|%-4x|%lld\n", i,
                              i % 2 ? "odd" : "even", 1.25 * i, 'a' + i, (unsigned)(i * i), i * 17,
                              (long long)i << 40);
    }
    (void)snprintf(want + n, sizeof want - n, "no arguments\n");
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        job j = {"services.cu", "say", NULL, "{type: s32, value: 7}, {type: f64, value: 1.25}",
                 bits,          1,     32,   false,
                 false};
        run_job(&f, &o, &j, "");
        want_status(&o, 0);
        assert_memory_equal(o.out, want, strlen(want));
        assert_non_null(strstr(o.out, "\nDONE, nothing was checked\n"));
        /* To a file; beside JSON. */
        char options[128];
        (void)snprintf(options, sizeof options, " --printf %s", f.text);
        run_job(&f, &o, &j, options);
        want_status(&o, 0);
        assert_null(strstr(o.out, "no arguments"));
        slurp(f.text, o.out, sizeof o.out);
        assert_string_equal(o.out, want);
        run_job(&f, &o, &j, " --json");
        want_status(&o, 0);
        assert_int_equal(o.out[0], '{');
        assert_memory_equal(o.err, want, strlen(want));
    }
    run_job(&f, &o,
            &(job){"services.cu", "say", NULL, "{type: s32, value: 7}, {type: f64, value: 1}", 32,
                   1, 32, false, false},
            " --printf /no/such/folder/x");
    want_error(&o, 2, "/no/such/folder/x: error: cannot be written");
    close_folder(&f);
}

enum { ROUNDS = 20, TBS = 20 };

/* Counts each line of `chat`; in a warp's call lanes come in order. */
static unsigned count_lines(const char *text, uint8_t seen[TBS][THREADS][ROUNDS])
{
    unsigned lines = 0;
    int block, thread, round, used = 0, last_block = -1, last_thread = 0, last_round = 0;
    while (sscanf(text, "%d.%d.%d\n%n", &block, &thread, &round, &used) == 3) {
        assert_in_range(block, 0, TBS - 1);
        assert_in_range(thread, 0, THREADS - 1);
        assert_in_range(round, 0, ROUNDS - 1);
        assert_int_equal((thread + round) % 3, 0);
        seen[block][thread][round]++;
        if (block == last_block && thread / 32 == last_thread / 32 && round == last_round) {
            assert_true(thread > last_thread);
        }
        last_block = block;
        last_thread = thread;
        last_round = round;
        text += used;
        lines++;
    }
    return lines;
}

static void no_call_is_lost_or_repeated(void **state)
{
    static uint8_t seen[TBS][THREADS][ROUNDS];
    static outcome o, again;
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (unsigned i = 0; i < 4; i++) {
        job j = {"services.cu", "chat", NULL, "{type: s32, value: 20}", i % 2 ? 64 : 32, TBS,
                 THREADS,       false,  false};
        const char *options = i < 2 ? "" : PREEMPT ",sm=random,seed=3";
        memset(seen, 0, sizeof seen);
        run_job(&f, &o, &j, options);
        want_status(&o, 0);
        unsigned lines = count_lines(o.out, seen);
        for (unsigned b = 0; b < TBS; b++) {
            for (unsigned t = 0; t < THREADS; t++) {
                for (unsigned r = 0; r < ROUNDS; r++) {
                    assert_int_equal(seen[b][t][r], (t + r) % 3 == 0 ? 1 : 0);
                }
            }
        }
        assert_true(lines > TBS * THREADS * ROUNDS / 4);
        const char *written = strstr(o.out, "ctx.write_bytes");
        assert_non_null(written);
        assert_int_equal(strtoull(written + strlen("ctx.write_bytes"), NULL, 10) > 0, i >= 2);
        run_job(&f, &again, &j, options); /* the same bytes again */
        assert_string_equal(again.out, o.out);
    }
    close_folder(&f);
}

typedef struct walk_log {
    char line[512][352];
    unsigned count;
    int32_t sum;
} walk_log;

/* What kernel `climb` does, thread by thread. */
static int32_t walk(walk_log *w, int thread, int n)
{
    assert_true(w->count < 512);
    (void)snprintf(w->line[w->count++], sizeof w->line[0], "%d:%d %.1f", thread, n, n * 0.5);
    int32_t r = n;
    if (n > 0) {
        r += walk(w, thread, n - 1 - (thread & 1));
        r += walk(w, thread, n - 2);
    }
    w->sum += r;
    return r;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void calls_from_the_stack(void **state)
{
    static walk_log want, got;
    static outcome o;
    int32_t values[THREADS];
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    want.count = 0;
    for (int t = 0; t < THREADS; t++) {
        values[t] = t;
    }
    for (int t = 0; t < 20; t++) {
        want.sum = 0;
        int32_t r = walk(&want, t, 4);
        values[t] = r * 1000 + want.sum;
    }
    write_expected(&f, values);
    qsort(want.line, want.count, sizeof want.line[0], by_text);
    for (unsigned i = 0; i < 4; i++) {
        job j = {"services.cu", "climb", NULL, "{type: s32, value: 4}", i % 2 ? 64 : 32, 1, 20,
                 true,          true};
        run_job(&f, &o, &j, i < 2 ? "" : " --system preemption:period=150");
        want_status(&o, 0);
        got.count = 0;
        for (char *save = NULL, *line = strtok_r(o.out, "\n", &save);
             line != NULL && line[0] >= '0' && line[0] <= '9'; line = strtok_r(NULL, "\n", &save)) {
            assert_true(got.count < 512);
            (void)snprintf(got.line[got.count++], sizeof got.line[0], "%s", line);
        }
        assert_int_equal(got.count, want.count);
        qsort(got.line, got.count, sizeof got.line[0], by_text);
        for (unsigned k = 0; k < want.count; k++) {
            assert_string_equal(got.line[k], want.line[k]);
        }
    }
    close_folder(&f);
}

static void heap_gives_and_takes(void **state)
{
    static outcome o;
    int32_t want[THREADS];
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (int t = 0; t < THREADS; t++) {
        want[t] = t * (10 * 9 / 2);
    }
    write_expected(&f, want);
    for (unsigned i = 0; i < 4; i++) {
        job j = {"services.cu",
                 "lists",
                 NULL,
                 "{type: s32, value: 10}",
                 i % 2 ? 64 : 32,
                 THREADS / 32,
                 32,
                 true,
                 true};
        run_job(&f, &o, &j, i < 2 ? "" : PREEMPT);
        want_status(&o, 0);
        j.more = "heap: 10240"; /* 640 nodes: just enough */
        run_job(&f, &o, &j, i < 2 ? "" : PREEMPT);
        want_status(&o, 0);
        run_job(&f, &o, &j, " --heap 10000"); /* goes before the file's */
        want_status(&o, 1);
        assert_non_null(strstr(o.out, "FAIL"));
    }
    /* Thread by thread, as long as there is room. */
    for (int t = 0; t < THREADS; t++) {
        want[t] = t < 32;
    }
    write_expected(&f, want);
    job j = {"services.cu", "exhaust", "heap: 4096", "{type: s32, value: 128}", 64, 1, 64,
             true,          true};
    run_job(&f, &o, &j, "");
    want_status(&o, 0);
    close_folder(&f);
}

/* Blocks outlive the kernel that took them. */
static void heap_lasts_for_the_run(void **state)
{
    static const char text[] = "module: " HERE "services.cu\n"
                               "buffers:\n"
                               "  - {name: out, type: s32, count: 64, contents: zeros}\n"
                               "  - {name: ptr, type: u32, count: 64, contents: zeros}\n"
                               "launches:\n"
                               "  - {kernel: keep, grid: [2], block: [32], args: [{buffer: ptr}]}\n"
                               "  - {kernel: use, grid: [2], block: [32], args: [{buffer: ptr}, "
                               "{buffer: out}]}\n"
                               "checks: [{buffer: out, file: expected.bin}]\n";
    static outcome o;
    int32_t want[THREADS];
    char arguments[256];
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (int t = 0; t < THREADS; t++) {
        want[t] = 3 * t + 1;
    }
    write_expected(&f, want);
    FILE *y = fopen(f.yaml, "w");
    assert_non_null(y);
    assert_true(fputs(text, y) >= 0);
    assert_int_equal(fclose(y), 0);
    (void)snprintf(arguments, sizeof arguments, "run %s --heap 1024", f.yaml); /* 64 blocks of 16 */
    run(&f, &o, arguments);
    want_status(&o, 0);
    close_folder(&f);
}

static void faults_say_what_and_where(void **state)
{
    static const struct {
        job j;
        const char *part;
    } cases[] = {
        {{"services.cu", "spoil", NULL, "{type: s32, value: 0}", 32, 1, 2, true, false},
         "10: no block of malloc that is in use begins there"},
        {{"services.cu", "spoil", NULL, "{type: s32, value: 1}", 64, 1, 2, true, false},
         "thread (0,0,0): free of 0xc0000000: no block"},
        {{"services.cu", "spoil", NULL, "{type: s32, value: 2}", 64, 1, 2, true, false},
         "00: no block"},
        {{"services.cu", "claim", NULL, NULL, 32, 1, 64, true, false},
         "thread (5,0,0): assertion 'out[threadIdx.x] != 5' failed at"},
        {{"services.cu", "claim", NULL, NULL, 64, 1, 64, true, false}, "services.cu:95 in claim"},
        {{"services.cu", "stray", NULL, NULL, 32, 1, 64, true, false},
         "thread (0,0,0): printf: the text of a %s at 0xc03d0900 lies outside every buffer"},
        {{"services.cu", "deep", NULL, "{type: s32, value: 400}", 32, 1, 64, true, false},
         "the thread's stack of 4096 bytes is full: calls nest too deeply; allow more with "
         "'stack'"},
        {{"refused.ptx", "wild", NULL, NULL, 0, 1, 1, true, false},
         "an indirect call of a value that is no function which it may mean"},
    };
    static outcome o;
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_job(&f, &o, &cases[i].j, "");
        want_error(&o, 1, cases[i].part);
        assert_non_null(strstr(o.out, "FAIL"));
        run_job(&f, &o, &cases[i].j, PREEMPT);
        want_error(&o, 1, cases[i].part);
    }
    close_folder(&f);
}

static void stack_is_as_large_as_asked(void **state)
{
    static outcome o;
    int32_t want[THREADS];
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (int t = 0; t < THREADS; t++) {
        want[t] = 400 + t % 2;
    }
    write_expected(&f, want);
    job j = {"services.cu", "deep", NULL, "{type: s32, value: 400}", 64, 1, 64, true, true};
    run_job(&f, &o, &j, " --stack 65536");
    want_status(&o, 0);
    j.bits = 0;
    j.more = "compile: {stack: 32768}";
    run_job(&f, &o, &j, "");
    want_status(&o, 0);
    run_job(&f, &o, &j, " --stack 100"); /* goes before the file's */
    want_error(&o, 1, "is full");
    j.grid = 100; /* 50 GiB */
    run_job(&f, &o, &j, " --stack 8388608");
    want_error(&o, 2, "bytes of local memory; use less a thread, the stack included");
    j.grid = 1;
    j.more = "compile: {stack: 99999999}";
    run_job(&f, &o, &j, "");
    want_error(&o, 2, "run.yaml:2: error: stack may be 8388608 bytes at most");
    j.more = "heap: 99999999999";
    run_job(&f, &o, &j, "");
    want_error(&o, 2, "run.yaml:2: error: heap may be 536870912 bytes at most");
    close_folder(&f);
}

static void a_refused_kernel_leaves_the_others(void **state)
{
    static const struct {
        const char *kernel, *part;
    } refused[] = {
        {"calls_matrix", "refused.ptx:13:2: error: 'wmma.load"},
        {"texture", "refused.ptx:34:2: error: 'tex.2d.v4.f32.f32' is not supported: textures"},
        {"outside", "refused.ptx:5:22: error: variable 'elsewhere' is external"},
        {"waits", "refused.ptx:47:2: error: 'call' is not supported: 'cudaDeviceSynchronize' is"},
        {"helped", "refused.ptx:53:2: error: 'call' is not supported: 'helper' has no body"},
    };
    static outcome o;
    int32_t want[THREADS];
    folder f = {.dir = ""};
    (void)state;
    open_folder(&f);
    for (int t = 0; t < THREADS; t++) {
        want[t] = t == 0 ? 7 : t;
    }
    write_expected(&f, want);
    job j = {"refused.ptx", "good", NULL, NULL, 0, 1, 1, true, true};
    run_job(&f, &o, &j, "");
    want_status(&o, 0);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        j = (job){"refused.ptx", refused[i].kernel, NULL, NULL, 0, 1, 1, false, false};
        run_job(&f, &o, &j, "");
        want_error(&o, 2, refused[i].part);
        assert_string_equal(o.out, "");
    }
    run(&f, &o, "compile " HERE "refused.ptx");
    want_status(&o, 2);
    assert_non_null(strstr(o.out, "kernel good\n"));
    assert_non_null(strstr(o.out, "kernel wild\n"));
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "kernel %s is refused:\n", refused[i].kernel);
        assert_non_null(strstr(o.err, line));
        assert_non_null(strstr(o.err, refused[i].part));
        (void)snprintf(line, sizeof line, "kernel %s\n", refused[i].kernel);
        assert_null(strstr(o.out, line));
    }
    run(&f, &o, "compile --json " HERE "refused.ptx");
    want_status(&o, 2);
    assert_non_null(strstr(o.out, "\"refused\":"));
    run(&f, &o, "compile --stack 5000 " HERE "services.cu");
    want_status(&o, 0);
    assert_non_null(strstr(o.out, "5000 B of it the stack of recursive calls"));
    close_folder(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printf_writes_as_c_does),
        cmocka_unit_test(no_call_is_lost_or_repeated),
        cmocka_unit_test(calls_from_the_stack),
        cmocka_unit_test(heap_gives_and_takes),
        cmocka_unit_test(heap_lasts_for_the_run),
        cmocka_unit_test(faults_say_what_and_where),
        cmocka_unit_test(stack_is_as_large_as_asked),
        cmocka_unit_test(a_refused_kernel_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
