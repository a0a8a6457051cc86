/* Speed and memory of the compiler as modules grow, as ratios within one run.
 *
 * Two generated modules of each size: one kernel of all lines, and kernels of 250 lines. Both
 * hold straight code, branches, loops, memory accesses and barriers. Time is the best of three
 * compilations, parsing included; memory is the peak that a process of its own adds.
 *
 *   bench_compile_speed [--limit SECONDS]
 *
 * Exit status 1 where the module of 10,000 lines takes longer than the limit (default 1), or
 * where a line of the largest module takes more than twice the memory of one of 10,000 lines.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/compiler/compiler.h"

enum { ROUNDS = 3, SIZES = 3, KERNEL_LINES = 250, LINE_BYTES = 64, RECENT = 6 };

typedef struct text {
    char *at;
    size_t used, size;
    unsigned lines, labels;
    unsigned recent[RECENT]; /* registers that are certainly written */
    uint32_t state;
} text;

typedef struct result {
    double seconds;
    long kilobytes;
    unsigned lines;
    bool ok;
} result;

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned pick(text *t, unsigned n)
{
    t->state = t->state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (t->state >> 8) % n;
}

static void say(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    n = vsnprintf(t->at + t->used, t->size - t->used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->size - t->used)
        abort();
    for (int i = 0; i < n; i++)
        t->lines += t->at[t->used + (size_t)i] == '\n' ? 1 : 0;
    t->used += (size_t)n;
}

/* Registers are written once, as clang does, but for the accumulators %r1 .. %r8. */
static void say_line(text *t, unsigned fresh)
{
    unsigned old = t->recent[pick(t, RECENT)], sum = 1 + pick(t, 8);

    switch (pick(t, 6)) {
    case 0:
        say(t, "ld.global.u32 %%r%u, [%%d0+%u];\n", fresh, 4 * pick(t, 64));
        break;
    case 1:
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\nadd.s32 %%r%u, ", 4 * pick(t, 64), old, fresh);
        say(t, "%%r%u, 5;\n", old);
        break;
    case 2:
        say(t, "mad.lo.s32 %%r%u, %%r%u, 3, %%r1;\n", fresh, old);
        break;
    case 3:
        say(t, "shl.b32 %%r%u, %%r%u, %u;\n", fresh, old, 1 + pick(t, 7));
        break;
    case 4:
        say(t, "xor.b32 %%r%u, %%r%u, %%r%u;\n", fresh, old, sum);
        break;
    default:
        say(t, "add.s32 %%r%u, %%r%u, %%r%u;\n", fresh, old, sum);
        say(t, "mov.u32 %%r%u, %%r%u;\n", sum, fresh);
        break;
    }
    t->recent[fresh % RECENT] = fresh;
}

static void say_kernel(text *t, unsigned number, unsigned lines)
{
    unsigned end = t->lines + lines, fresh = 20;

    say(t, ".visible .entry k%u(.param .u64 out)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<%u>;\n",
        number, lines + 100);
    say(t, ".reg .b64 %%d<2>;\nld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\n");
    for (unsigned r = 1; r < 20; r++)
        say(t, "add.s32 %%r%u, %%r%u, %u;\n", r, r - 1, r);
    for (unsigned i = 0; i < RECENT; i++)
        t->recent[i] = 10 + i;
    while (t->lines + 4 < end) {
        unsigned label = t->labels++, kind = pick(t, 8), outside[RECENT];

        memcpy(outside, t->recent, sizeof outside);
        if (kind < 3)
            say(t, "setp.lt.s32 %%p0, %%r%u, %u;\n@%%p0 bra L%u;\n", 1 + pick(t, 8), pick(t, 99),
                label);
        else if (kind == 3)
            say(t, "mov.u32 %%r9, %u;\nL%u:\n", 1 + pick(t, 9), label);
        for (unsigned i = 3 + pick(t, 6); i > 0 && fresh + 2 < lines + 100; i--) {
            say_line(t, fresh);
            fresh++;
        }
        if (kind < 3) {
            say(t, "L%u:\n", label);
            memcpy(t->recent, outside, sizeof outside);
        } else if (kind == 3) {
            say(t, "sub.s32 %%r9, %%r9, 1;\nsetp.gt.s32 %%p1, %%r9, 0;\n@%%p1 bra L%u;\n", label);
        } else if (kind == 4) {
            say(t, "bar.sync 0;\n");
        }
    }
    for (unsigned r = 1; r < 9; r++)
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\n", 4 * r, r);
    say(t, "ret;\n}\n");
}

static text make_module(unsigned lines, unsigned kernel_lines)
{
    text t = {.size = (size_t)(lines + 1000) * LINE_BYTES, .state = lines};

    t.at = malloc(t.size);
    if (t.at == NULL)
        abort();
    say(&t, ".version 6.0\n.target sm_50\n.address_size 64\n");
    for (unsigned number = 0; t.lines < lines; number++)
        say_kernel(&t, number, kernel_lines < lines - t.lines ? kernel_lines : lines - t.lines);
    return t;
}

static double compile_once(const text *t)
{
    wr_diag diag = {0};
    double start = now(), end;
    wr_ptx_module *ptx = wr_ptx_parse("generated", t->at, t->used, &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;

    end = now();
    if (module == NULL)
        wr_diag_print(&diag, stderr);
    wr_ptx_free(ptx);
    if (module == NULL)
        return -1;
    wr_module_free(module);
    return end - start;
}

static long peak(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* In a process of its own, whose peak memory is the compiler's. */
static result measure_here(unsigned lines, unsigned kernel_lines)
{
    text t = make_module(lines, kernel_lines);
    long before;
    result r = {.lines = t.lines, .ok = true};

    memset(t.at + t.used, 0, t.size - t.used);
    before = peak();
    for (int round = 0; round < ROUNDS && r.ok; round++) {
        double seconds = compile_once(&t);

        r.ok = seconds >= 0;
        if (round == 0)
            r.kilobytes = peak() - before;
        if (round == 0 || seconds < r.seconds)
            r.seconds = seconds;
    }
    free(t.at);
    return r;
}

static result measure(unsigned lines, unsigned kernel_lines)
{
    result r = {0};
    int ends[2], status;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror("bench_compile_speed");
        return r;
    }
    if (child == 0) {
        r = measure_here(lines, kernel_lines);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    (void)close(ends[1]);
    if (read(ends[0], &r, sizeof r) != (ssize_t)sizeof r)
        r.ok = false;
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    return r;
}

/* Prints a table; false where a limit is passed. */
static bool table(const char *what, unsigned kernel_lines, double limit)
{
    static const unsigned sizes[SIZES] = {1000, 10000, 40000};
    result r[SIZES];
    bool good = true;

    printf("%s\n%8s %9s %9s %12s %9s %12s\n", what, "lines", "s", "us/line", "of the first",
           "KiB/line", "of the first");
    for (int i = 0; i < SIZES; i++) {
        double first, now_line, first_kb, kb;

        r[i] = measure(sizes[i], kernel_lines);
        if (!r[i].ok)
            return false;
        first = r[0].seconds / r[0].lines;
        now_line = r[i].seconds / r[i].lines;
        first_kb = (double)r[0].kilobytes / r[0].lines;
        kb = (double)r[i].kilobytes / r[i].lines;
        printf("%8u %9.3f %9.2f %12.2f %9.2f %12.2f\n", r[i].lines, r[i].seconds, 1e6 * now_line,
               now_line / first, kb, kb / first_kb);
        if (sizes[i] == 10000 && r[i].seconds > limit) {
            printf("10,000 lines take more than %g s\n", limit);
            good = false;
        }
    }
    if ((double)r[2].kilobytes / r[2].lines > 2 * (double)r[1].kilobytes / r[1].lines) {
        puts("memory grows faster than the module");
        good = false;
    }
    return good;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    bool given = argc == 3 && strcmp(argv[1], "--limit") == 0;
    double limit = given ? strtod(argv[2], &end) : 1.0;
    bool many, one;

    if ((argc != 1 && !given) || !(limit > 0) || (end != NULL && *end != '\0')) {
        (void)fputs("usage: bench_compile_speed [--limit SECONDS]\n", stderr);
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    many = table("kernels of 250 lines", KERNEL_LINES, limit);
    one = table("one kernel", UINT32_MAX, limit);
    return many && one ? 0 : 1;
}
