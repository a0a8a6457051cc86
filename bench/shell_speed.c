/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of the timing shell: simulated warp instructions and cycles a second, the state that an SM
 * takes, and how the cost of a warp instruction changes with the number of SMs and the length of
 * the run.
 *
 * Four kernels of one character each, on the gtx480 with as many SMs as a table says; DRAM
 * channels, L2 banks and L2 bytes grow with the SMs, so that each SM has the same share. Time is
 * that of the processor, or that of the clock on the wall with several threads, of wr_gpu_run
 * alone, the best of some runs. Times of two machines differ; the ratios, taken in one run, are
 * what to look at. Threads gain only where nothing else runs: the table also says how long a word
 * takes from one thread to another and back, of which each cycle takes at least one.
 *
 *   bench_shell_speed [--quick] [--limit RATIO]
 *
 * --quick: smaller runs, no table of speeds worth quoting. Exit status 1 where a warp instruction
 * costs more than RATIO (default 2.5) times what it costs in the first row of its table.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"

enum { ROUNDS = 3, THREADS = 256, TABLE_WORDS = 1 << 20, MAX_ROWS = 8 };

#define HEAD(name)                                                                                 \
    ".visible .entry " name "(.param .u64 out, .param .u64 in, .param .u32 n)\n"                   \
    "{\n"                                                                                          \
    "  .reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %d<16>; .reg .f32 %f<16>;\n"                  \
    "  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];\n"                  \
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"                        \
    "  mad.lo.s32 %r5, %r2, %r3, %r4; mul.wide.u32 %d3, %r5, 4;\n"                                 \
    "  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"

#define FOUR(x) x x x x

/* Arithmetic alone. */
#define COMPUTE                                                                                    \
    HEAD("compute")                                                                                \
    "  cvt.rn.f32.u32 %f1, %r5; mov.f32 %f2, 0f3F800001; mov.f32 %f3, 0f3E800000;\n"               \
    "  mov.u32 %r6, 0; mov.u32 %r7, %r5;\n"                                                        \
    "L1:\n" FOUR(                                                                                  \
        "  fma.rn.f32 %f1, %f1, %f2, %f3; mul.lo.s32 %r7, %r7, 747796405;\n"                       \
        "  add.s32 %r7, %r7, 12345; fma.rn.f32 %f3, %f3, %f2, %f1;\n") "  add.s32 %r6, %r6, 1; "   \
                                                                       "setp.lt.u32 %p1, %r6, "    \
                                                                       "%r1; @%p1 bra L1;\n"       \
                                                                       "  cvt.rn.f32.u32 %f4, "    \
                                                                       "%r7; add.f32 %f1, %f1, "   \
                                                                       "%f4; st.global.f32 "       \
                                                                       "[%d4], %f1; ret;\n}\n"

/* Shared memory and barriers: tiles of 16 x 16, as a matrix product reads them. */
#define TILE_STEP(k, row)                                                                          \
    "  ld.shared.f32 %f4, [%r12+" k "]; ld.shared.f32 %f5, [%r13+" row "];\n"                      \
    "  fma.rn.f32 %f1, %f4, %f5, %f1;\n"
#define TILES                                                                                      \
    HEAD("tiles")                                                                                  \
    "  .shared .align 4 .b8 tile[2048];\n"                                                         \
    "  mov.f32 %f1, 0f00000000; mov.u32 %r6, 0; mov.u32 %r8, tile;\n"                              \
    "  shl.b32 %r9, %r4, 2; add.s32 %r10, %r8, %r9;\n"                                             \
    "  and.b32 %r11, %r9, 960; add.s32 %r12, %r8, %r11;\n"                                         \
    "  and.b32 %r11, %r9, 60; add.s32 %r13, %r8, %r11;\n"                                          \
    "L1:\n"                                                                                        \
    "  ld.global.f32 %f2, [%d5]; st.shared.f32 [%r10], %f2; st.shared.f32 [%r10+1024], %f2;\n"     \
    "  bar.sync 0;\n" TILE_STEP("0", "1024") TILE_STEP("4", "1088") TILE_STEP("8", "1152")         \
        TILE_STEP("12", "1216") TILE_STEP("16", "1280") TILE_STEP("20", "1344")                    \
            TILE_STEP("24", "1408") TILE_STEP(                                                     \
                "28", "1472") "  bar.sync 0;\n"                                                    \
                              "  add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra L1;\n"   \
                              "  st.global.f32 [%d4], %f1; ret;\n}\n"

/* Bandwidth: every word is read once and written once. */
#define STREAM                                                                                     \
    HEAD("stream")                                                                                 \
    "  mov.u32 %r6, %nctaid.x; mul.lo.s32 %r6, %r6, %r3; mul.wide.u32 %d6, %r6, 4;\n"              \
    "  mov.u32 %r6, 0;\n"                                                                          \
    "L1:\n"                                                                                        \
    "  ld.global.f32 %f1, [%d5]; add.f32 %f1, %f1, 0f3F800000; st.global.f32 [%d4], %f1;\n"        \
    "  add.s64 %d5, %d5, %d6; add.s64 %d4, %d4, %d6;\n"                                            \
    "  add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra L1;\n"                             \
    "  ret;\n}\n"

/* Loads that scatter over a table of 4 MiB, and branches that part the lanes. */
#define GATHER                                                                                     \
    HEAD("gather")                                                                                 \
    "  mul.lo.s32 %r7, %r5, 747796405; mov.u32 %r6, 0; mov.u32 %r8, 0;\n"                          \
    "L1:\n"                                                                                        \
    "  mad.lo.s32 %r7, %r7, 1664525, 1013904223; shr.u32 %r9, %r7, 12;\n"                          \
    "  mul.wide.u32 %d6, %r9, 4; add.s64 %d7, %d2, %d6; ld.global.u32 %r10, [%d7];\n"              \
    "  add.s32 %r8, %r8, %r10; and.b32 %r11, %r8, 1; setp.eq.u32 %p2, %r11, 0; @%p2 bra L2;\n"     \
    "  mul.lo.s32 %r8, %r8, 3; add.s32 %r8, %r8, 1; xor.b32 %r8, %r8, %r7;\n"                      \
    "L2:\n"                                                                                        \
    "  add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra L1;\n"                             \
    "  st.global.u32 [%d4], %r8; ret;\n}\n"

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n" COMPUTE TILES STREAM GATHER;

typedef struct subject {
    const char *name, *what;
    uint32_t loops;  /* of a thread, in a run of length 1 */
    uint32_t blocks; /* per SM */
    bool strides;    /* touches a new word in every turn */
} subject;

static const subject subjects[] = {
    {"compute", "fma and integer arithmetic", 60, 12, false},
    {"tiles", "shared memory, barriers", 30, 12, false},
    {"stream", "reads and writes memory once", 24, 12, true},
    {"gather", "scattered loads, divergent branches", 6, 6, false},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

typedef struct result {
    double seconds, wall;
    uint64_t cycles, issued;
    bool ok;
} result;

static double now(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The gtx480 with another number of SMs, memory in proportion. */
static bool machine(uint32_t sms, wr_gpu_config *config)
{
    wr_diag diag = {0};
    uint32_t per_channel, banks;

    if (!wr_config_load("gtx480", config, &diag)) {
        wr_diag_print(&diag, stderr);
        return false;
    }
    per_channel = config->l2.bytes / config->dram.channels;
    banks = config->l2.banks / config->dram.channels;
    config->dram.channels = (sms * config->dram.channels + config->sms - 1) / config->sms;
    config->l2.banks = config->dram.channels * banks;
    config->l2.bytes = config->dram.channels * per_channel;
    config->sms = sms;
    if (!wr_config_check(config, &diag)) {
        wr_diag_print(&diag, stderr);
        return false;
    }
    return true;
}

static void count(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    if (strcmp(name, "sm.issued") == 0) {
        ((result *)arg)->issued = value;
    }
}

/* Input that is the same every time. */
static bool fill(wr_gpu *gpu, uint64_t at, uint32_t words)
{
    uint32_t *values = malloc((size_t)words * sizeof *values), state = 1;
    bool ok = values != NULL;

    for (uint32_t i = 0; ok && i < words; i++) {
        state = state * 1664525 + 1013904223;
        values[i] = state >> 9;
    }
    ok = ok && wr_gpu_write(gpu, at, values, (uint64_t)words * sizeof *values);
    free(values);
    return ok;
}

static result run_once(const wr_module *module, const subject *s, const wr_gpu_config *config,
                       uint32_t blocks, uint32_t loops, uint32_t threads)
{
    result r = {0};
    wr_gpu *gpu = wr_gpu_create(config);
    uint32_t words = blocks * THREADS * (s->strides ? loops : 1);
    uint8_t params[24] = {0};
    wr_launch launch = {.kernel = wr_module_find(module, s->name),
                        .grid = {blocks, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = params};
    wr_run_result run;

    words = words > TABLE_WORDS ? words : TABLE_WORDS;
    if (gpu != NULL && launch.kernel != NULL && launch.kernel->param_bytes <= sizeof params) {
        uint64_t out = wr_gpu_alloc(gpu, UINT64_C(4) * words, 256);
        uint64_t in = wr_gpu_alloc(gpu, UINT64_C(4) * words, 256);

        memcpy(params, &out, 8);
        memcpy(params + 8, &in, 8);
        memcpy(params + 16, &loops, 4);
        if (out != 0 && in != 0 && fill(gpu, in, words) && wr_gpu_set_threads(gpu, threads)) {
            double start = now(CLOCK_PROCESS_CPUTIME_ID);
            double start_wall = now(CLOCK_MONOTONIC);

            run = wr_gpu_run(gpu, &launch, UINT64_MAX, NULL, NULL);
            r.seconds = now(CLOCK_PROCESS_CPUTIME_ID) - start;
            r.wall = now(CLOCK_MONOTONIC) - start_wall;
            r.cycles = run.cycles;
            r.ok = run.status == WR_RUN_DONE;
            wr_gpu_stats(gpu, count, &r);
            if (!r.ok) {
                (void)fprintf(stderr, "%s\n", run.message);
            }
        }
    }
    if (!r.ok) {
        (void)fprintf(stderr, "%s did not run\n", s->name);
    }
    wr_gpu_free(gpu);
    return r;
}

static result measure(const wr_module *module, const subject *s, const wr_gpu_config *config,
                      uint32_t blocks, uint32_t loops, uint32_t threads)
{
    result best = {0};

    for (int round = 0; round < ROUNDS; round++) {
        result r = run_once(module, s, config, blocks, loops, threads);

        if (!r.ok) {
            return r;
        }
        if (round == 0 || (threads > 1 ? r.wall < best.wall : r.seconds < best.seconds)) {
            best = r;
        }
    }
    return best;
}

static double nanoseconds(const result *r)
{
    return 1e9 * r->seconds / (double)r->issued;
}

/* Allocated for `sms` SMs, the memory system being the same. */
static size_t allocated(const wr_gpu_config *base, uint32_t sms)
{
    wr_gpu_config config = *base;
    struct mallinfo2 before = mallinfo2(), after;
    wr_gpu *gpu;

    config.sms = sms;
    gpu = wr_gpu_create(&config);
    after = mallinfo2();
    wr_gpu_free(gpu);
    return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
}

static bool speeds(const wr_module *module, uint32_t length)
{
    wr_gpu_config config;
    size_t one, most;

    if (!machine(15, &config)) {
        return false;
    }
    printf("gtx480, 15 SMs, one thread; best of %d\n", ROUNDS);
    printf("%-8s %10s %9s %7s %10s %10s   %s\n", "kernel", "warp insns", "cycles", "s", "M insn/s",
           "kcycles/s", "what");
    for (int i = 0; i < SUBJECTS; i++) {
        const subject *s = &subjects[i];
        result r = measure(module, s, &config, s->blocks * config.sms, s->loops * length, 1);

        if (!r.ok) {
            return false;
        }
        printf("%-8s %10llu %9llu %7.3f %10.2f %10.1f   %s\n", s->name,
               (unsigned long long)r.issued, (unsigned long long)r.cycles, r.seconds,
               (double)r.issued / r.seconds * 1e-6, (double)r.cycles / r.seconds * 1e-3, s->what);
    }
    one = allocated(&config, 1);
    most = allocated(&config, 15);
    printf("state of an SM: %zu bytes, of which registers and shared memory of all slots %zu\n",
           (most - one) / 14,
           (size_t)config.sm.max_warps * 64 * 32 * 4 +
               (size_t)config.sm.max_tbs * config.sm.shared_bytes);
    return true;
}

/* One table: the cost of a warp instruction in each row, and its ratio to the first row's. */
typedef struct row {
    uint32_t sms, blocks, length;
} row;

static bool table(const wr_module *module, const char *title, const char *head, const row *rows,
                  double limit)
{
    double first[SUBJECTS] = {0};
    bool good = true;

    printf("\n%s\n%8s", title, head);
    for (int i = 0; i < SUBJECTS; i++) {
        printf("  %8s ratio", subjects[i].name);
    }
    printf("   (ns per warp instruction)\n");
    for (const row *w = rows; w->sms != 0; w++) {
        wr_gpu_config config;

        if (!machine(w->sms, &config)) {
            return false;
        }
        printf("%8u", strcmp(head, "length") == 0 ? w->length : w->sms);
        for (int i = 0; i < SUBJECTS; i++) {
            const subject *s = &subjects[i];
            result r = measure(module, s, &config, w->blocks != 0 ? w->blocks : s->blocks * w->sms,
                               s->loops * w->length, 1);

            if (!r.ok) {
                return false;
            }
            first[i] = w == rows ? nanoseconds(&r) : first[i];
            printf("  %8.1f %5.2f", nanoseconds(&r), nanoseconds(&r) / first[i]);
            good = good && nanoseconds(&r) <= limit * first[i];
        }
        printf("\n");
    }
    return good;
}

/* One word, back and forth between two threads. */
typedef struct ball {
    _Alignas(64) _Atomic uint32_t there;
    _Alignas(64) _Atomic uint32_t back;
} ball;
enum { THROWS = 100000 };

static void *throw_back(void *arg)
{
    ball *b = arg;

    for (uint32_t i = 1; i <= THROWS; i++) {
        while (atomic_load_explicit(&b->there, memory_order_acquire) != i) {
            ;
        }
        atomic_store_explicit(&b->back, i, memory_order_release);
    }
    return NULL;
}

static double round_trip(void)
{
    ball b = {0, 0};
    pthread_t other;
    double start;

    if (pthread_create(&other, NULL, throw_back, &b) != 0) {
        return 0;
    }
    start = now(CLOCK_MONOTONIC);
    for (uint32_t i = 1; i <= THROWS; i++) {
        atomic_store_explicit(&b.there, i, memory_order_release);
        while (atomic_load_explicit(&b.back, memory_order_acquire) != i) {
            ;
        }
    }
    (void)pthread_join(other, NULL);
    return (now(CLOCK_MONOTONIC) - start) / THROWS * 1e9;
}

/* The same runs with more threads: the figures must be the same, only sooner. */
static bool threads(const wr_module *module, uint32_t length)
{
    static const uint32_t machines[] = {15, 60};
    bool good = true;

    printf("\nthreads: times as fast as with one; a word goes to another thread and back in %.0f "
           "ns\n%8s %8s",
           round_trip(), "SMs", "threads");
    for (int i = 0; i < SUBJECTS; i++) {
        printf("  %8s", subjects[i].name);
    }
    printf("\n");
    for (uint32_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        wr_gpu_config config;
        result one[SUBJECTS] = {0};

        if (!machine(machines[m], &config)) {
            return false;
        }
        for (uint32_t n = 1; n <= 2; n++) {
            printf("%8u %8u", machines[m], n);
            for (int i = 0; i < SUBJECTS; i++) {
                const subject *s = &subjects[i];
                result r =
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
    static const row weak_quick[] = {{5, 0, 1}, {60, 0, 1}, {0}};
    static const row idle[] = {{1, 1, 40}, {15, 1, 40}, {60, 1, 40}, {0}};
    static const row idle_quick[] = {{1, 1, 40}, {60, 1, 40}, {0}};
    static const row length[] = {{15, 0, 1}, {15, 0, 4}, {15, 0, 16}, {0}};
    static const row length_quick[] = {{15, 0, 1}, {15, 0, 4}, {0}};
    double limit = 2.5;
    bool quick = false, good = true;
    wr_diag diag = {0};

    for (int i = 1; i < argc; i++) {
        char *end = NULL;

        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc &&
                   (limit = strtod(argv[i + 1], &end)) > 0 && *end == '\0') {
            i++;
        } else {
            (void)fputs("usage: bench_shell_speed [--quick] [--limit RATIO]\n", stderr);
            return 2;
        }
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    wr_ptx_module *ptx = wr_ptx_parse("built in", text, sizeof text - 1, &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;

    if (module == NULL) {
        wr_diag_print(&diag, stderr);
        wr_ptx_free(ptx);
        return 1;
    }
    good = speeds(module, quick ? 1 : 8);
    good = table(module, "more SMs, each with the same work", "SMs", quick ? weak_quick : weak,
                 limit) &&
           good;
    good = table(module, "one block of 256 threads, all other SMs idle", "SMs",
                 quick ? idle_quick : idle, limit) &&
           good;
    good = table(module, "longer runs on 15 SMs", "length", quick ? length_quick : length, limit) &&
           good;
    good = threads(module, quick ? 1 : 8) && good;
    printf("\n%s\n",
           good ? "PASS" : "FAIL: a ratio is above the limit, threads differ, or a run failed");
    wr_module_free(module);
    wr_ptx_free(ptx);
    return good ? 0 : 1;
}
