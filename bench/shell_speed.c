/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of the timing shell: simulated warp instructions and cycles a second, the state that an SM
 * takes, and how the time of a warp instruction changes with the number of SMs and the length of
 * the run.
 *
 * The kernels and machines of work.h. Time is that of the processor, or that of the clock on the
 * wall with several threads, the best of some runs. It depends on the machine and on what else
 * runs there, so nothing here passes or fails by it: bench/cost counts instructions for that.
 * Threads gain only where nothing else runs: the table also says how long a word takes from one
 * thread to another and back, of which each cycle takes at least one.
 *
 *   bench_shell_speed [--quick]
 *
 * --quick: short runs on 15 SMs and one thread only, nothing worth quoting. Exit status 1 where a
 * run fails, or its figures depend on the number of threads. "without time": M warp instructions a
 * second of fast-forward, and how many times as fast that is.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/work.h"

enum { ROUNDS = 3 };

static wr_work_result measure(const wr_module *module, const wr_work_kernel *s,
                              const wr_gpu_config *config, uint32_t blocks, uint32_t loops,
                              uint32_t threads)
{
    wr_work_result best = {0};

    for (int round = 0; round < ROUNDS; round++) {
        wr_work_result r = wr_work_run(module, s, config, blocks, loops, threads);

        if (!r.ok) {
            return r;
        }
        if (round == 0 || (threads > 1 ? r.wall < best.wall : r.seconds < best.seconds)) {
            best = r;
        }
    }
    return best;
}

static double nanoseconds(const wr_work_result *r)
{
    return 1e9 * r->seconds / (double)r->issued;
}

static bool speeds(const wr_module *module, uint32_t length)
{
    wr_gpu_config config;

    if (!wr_work_machine(15, &config)) {
        return false;
    }
    printf("gtx480, 15 SMs, one thread; best of %d\n", ROUNDS);
    printf("%-8s %10s %9s %7s %10s %10s %13s %6s   %s\n", "kernel", "warp insns", "cycles", "s",
           "M insn/s", "kcycles/s", "without time", "times", "what");
    for (int i = 0; i < WR_WORK_KERNELS; i++) {
        const wr_work_kernel *s = &wr_work_kernels[i];
        wr_work_result r =
            measure(module, s, &config, s->blocks * config.sms, s->loops * length, 1);

        wr_work_result f =
            measure(module, s, &config, s->blocks * config.sms, s->loops * length, WR_WORK_FORWARD);
        if (!r.ok || !f.ok) {
            return false;
        }
        printf("%-8s %10llu %9llu %7.3f %10.2f %10.1f %13.2f %6.1f   %s\n", s->name,
               (unsigned long long)r.issued, (unsigned long long)r.cycles, r.seconds,
               (double)r.issued / r.seconds * 1e-6, (double)r.cycles / r.seconds * 1e-3,
               (double)f.issued / f.seconds * 1e-6, nanoseconds(&r) / nanoseconds(&f), s->what);
    }
    printf("state of an SM: %zu bytes, of which registers and shared memory of all slots %zu\n",
           wr_work_sm_bytes(&config), wr_work_sm_storage(&config));
    return true;
}

/* One table: the time of a warp instruction in each row, and its ratio to the first row's. */
typedef struct row {
    uint32_t sms, blocks, length;
} row;

static bool table(const wr_module *module, const char *title, const char *head, const row *rows)
{
    double first[WR_WORK_KERNELS] = {0};

    printf("\n%s\n%8s", title, head);
    for (int i = 0; i < WR_WORK_KERNELS; i++) {
        printf("  %8s ratio", wr_work_kernels[i].name);
    }
    printf("   (ns per warp instruction)\n");
    for (const row *w = rows; w->sms != 0; w++) {
        wr_gpu_config config;

        if (!wr_work_machine(w->sms, &config)) {
            return false;
        }
        printf("%8u", strcmp(head, "length") == 0 ? w->length : w->sms);
        for (int i = 0; i < WR_WORK_KERNELS; i++) {
            const wr_work_kernel *s = &wr_work_kernels[i];
            wr_work_result r =
                measure(module, s, &config, w->blocks != 0 ? w->blocks : s->blocks * w->sms,
                        s->loops * w->length, 1);

            if (!r.ok) {
                return false;
            }
            first[i] = w == rows ? nanoseconds(&r) : first[i];
            printf("  %8.1f %5.2f", nanoseconds(&r), nanoseconds(&r) / first[i]);
        }
        printf("\n");
    }
    return true;
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One word, back and forth between two threads, until it has taken a tenth of a second: each way
 * may take that long where others use the processors. */
typedef struct ball {
    _Alignas(64) _Atomic uint32_t there;
    _Alignas(64) _Atomic uint32_t back;
} ball;
enum { THROWS = 100000 };
#define LAST UINT32_MAX

static void *throw_back(void *arg)
{
    ball *b = arg;
    uint32_t last = 0;

    while (last != LAST) {
        uint32_t i = atomic_load_explicit(&b->there, memory_order_acquire);
        if (i != last) {
            atomic_store_explicit(&b->back, i, memory_order_release);
            last = i;
        }
    }
    return NULL;
}

static void throw_over(ball *b, uint32_t i)
{
    atomic_store_explicit(&b->there, i, memory_order_release);
    while (atomic_load_explicit(&b->back, memory_order_acquire) != i) {
        ;
    }
}

/* Nanoseconds. */
static double round_trip(void)
{
    ball b = {0, 0};
    pthread_t other;
    uint32_t throws = 0;
    double start, end;

    if (pthread_create(&other, NULL, throw_back, &b) != 0) {
        return 0;
    }
    start = end = now();
    while (throws < THROWS && end - start < 0.1) {
        throw_over(&b, ++throws);
        end = throws % 64 == 0 || throws < 64 ? now() : end;
    }
    throw_over(&b, LAST);
    (void)pthread_join(other, NULL);
    return (end - start) / throws * 1e9;
}

/* The same runs with more threads: the figures must be the same, only sooner. */
static bool threads(const wr_module *module)
{
    static const uint32_t machines[] = {15, 60};
    const uint32_t length = 8;
    bool good = true;

    printf("\nthreads: times as fast as with one; a word goes to another thread and back in %.0f "
           "ns\n%8s %8s",
           round_trip(), "SMs", "threads");
    for (int i = 0; i < WR_WORK_KERNELS; i++) {
        printf("  %8s", wr_work_kernels[i].name);
    }
    printf("\n");
    for (uint32_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        wr_gpu_config config;
        wr_work_result one[WR_WORK_KERNELS] = {0};

        if (!wr_work_machine(machines[m], &config)) {
            return false;
        }
        for (uint32_t n = 1; n <= 2; n++) {
            printf("%8u %8u", machines[m], n);
            for (int i = 0; i < WR_WORK_KERNELS; i++) {
                const wr_work_kernel *s = &wr_work_kernels[i];
                wr_work_result r =
                    measure(module, s, &config, s->blocks * config.sms, s->loops * length, n);

                one[i] = n == 1 ? r : one[i];
                good = good && r.ok && r.cycles == one[i].cycles && r.issued == one[i].issued;
                printf("  %8.2f", r.ok ? one[i].wall / r.wall : 0);
            }
            printf("\n");
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    /* Blocks 0: as many as fill all SMs, so that the work of an SM stays. */
    static const row weak[] = {{1, 0, 4}, {5, 0, 4}, {15, 0, 4}, {30, 0, 4}, {60, 0, 4}, {0}};
    static const row idle[] = {{1, 1, 40}, {15, 1, 40}, {60, 1, 40}, {0}};
    static const row length[] = {{15, 0, 1}, {15, 0, 4}, {15, 0, 16}, {0}};
    bool quick = false, good = true;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") != 0) {
            (void)fputs("usage: bench_shell_speed [--quick]\n", stderr);
            return 2;
        }
        quick = true;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    wr_module *module = wr_work_compile();

    if (module == NULL) {
        return 1;
    }
    good = speeds(module, quick ? 1 : 8);
    if (!quick) {
        good = table(module, "more SMs, each with the same work", "SMs", weak) && good;
        good = table(module, "one block of 256 threads, all other SMs idle", "SMs", idle) && good;
        good = table(module, "longer runs on 15 SMs", "length", length) && good;
        good = threads(module) && good;
    }
    printf("\n%s\n",
           good ? "PASS" : "FAIL: figures depend on the number of threads, or a run failed");
    wr_module_free(module);
    return good ? 0 : 1;
}
