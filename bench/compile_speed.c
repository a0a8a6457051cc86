/* SPDX-License-Identifier: Apache-2.0 */
/* Speed and memory of the compiler as modules grow, as ratios within one run.
 *
 * Each shape of tests/compiler/shapes.h, large in one way of its own, in four sizes. Time is that
 * of the processor, the better of two compilations, parsing included; memory is the peak that a
 * process of its own adds. Ratios are to a line of the smallest module. Both are printed only:
 * bench/cost counts instructions, tests/compiler/test_growth.c bytes.
 *
 *   bench_compile_speed [--quick]
 *
 * --quick: the smallest size only. Exit status 1 where a module does not compile.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/compiler/compiler.h"
#include "tests/compiler/shapes.h"

enum { ROUNDS = 2, SIZES = 4 };

typedef struct result {
    double seconds;
    long kilobytes;
    unsigned lines;
    bool ok;
} result;

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double compile_once(const wr_shape_text *t)
{
    wr_diag diag = {0};
    double start = now(), end;
    wr_ptx_module *ptx = wr_ptx_parse("generated", t->at, t->used, &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;

    end = now();
    if (module == NULL) {
        wr_diag_print(&diag, stderr);
    }
    wr_ptx_free(ptx);
    if (module == NULL) {
        return -1;
    }
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
static result measure_here(const wr_shape *shape, unsigned lines)
{
    wr_shape_text t = wr_shape_make(shape, lines);
    long before = peak();
    result r = {.lines = t.lines, .ok = true};

    for (int round = 0; round < ROUNDS && r.ok; round++) {
        double seconds = compile_once(&t);

        r.ok = seconds >= 0;
        if (round == 0) {
            r.kilobytes = peak() - before;
        }
        if (round == 0 || seconds < r.seconds) {
            r.seconds = seconds;
        }
    }
    free(t.at);
    return r;
}

static result measure(const wr_shape *shape, unsigned lines)
{
    result r = {0};
    int ends[2], status;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror("bench_compile_speed");
        return r;
    }
    if (child == 0) {
        r = measure_here(shape, lines);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    (void)close(ends[1]);
    if (read(ends[0], &r, sizeof r) != (ssize_t)sizeof r) {
        r.ok = false;
    }
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    return r;
}

/* Prints a table; false where a module does not compile. */
static bool table(const wr_shape *shape, int count)
{
    static const unsigned sizes[SIZES] = {10000, 20000, 40000, 80000};
    result r[SIZES];

    printf("%s: %s\n%8s %7s %8s %6s %9s %6s\n", shape->name, shape->what, "lines", "s", "us/line",
           "ratio", "KiB/line", "ratio");
    for (int i = 0; i < count; i++) {
        double first, time, first_kb, kb;

        r[i] = measure(shape, sizes[i]);
        if (!r[i].ok) {
            return false;
        }
        first = r[0].seconds / r[0].lines;
        time = r[i].seconds / r[i].lines;
        first_kb = (double)r[0].kilobytes / r[0].lines;
        kb = (double)r[i].kilobytes / r[i].lines;
        printf("%8u %7.3f %8.2f %6.2f %9.2f %6.2f\n", r[i].lines, r[i].seconds, 1e6 * time,
               time / first, kb, kb / first_kb);
    }
    return true;
}

int main(int argc, char **argv)
{
    bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0, good = true;

    if (argc != 1 && !quick) {
        (void)fputs("usage: bench_compile_speed [--quick]\n", stderr);
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < wr_shape_count; i++) {
        good = table(&wr_shapes[i], quick ? 1 : SIZES) && good;
    }
    return good ? 0 : 1;
}
