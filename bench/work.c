/* SPDX-License-Identifier: Apache-2.0 */
/* See work.h. Input is the same every time, and so is every count. */
#include "bench/work.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell/core/gpu.h"

enum { THREADS = 256, TABLE_WORDS = 1 << 20 };

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

const wr_work_kernel wr_work_kernels[WR_WORK_KERNELS] = {
    {"compute", "fma and integer arithmetic", 60, 12, false},
    {"tiles", "shared memory, barriers", 30, 12, false},
    {"stream", "reads and writes memory once", 24, 12, true},
    {"gather", "scattered loads, divergent branches", 6, 6, false},
};
wr_module *wr_work_compile(void)
{
    wr_diag diag = {0};
    wr_ptx_module *ptx = wr_ptx_parse("built in", text, sizeof text - 1, &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;

    wr_ptx_free(ptx);
    if (module == NULL) {
        wr_diag_print(&diag, stderr);
    }
    return module;
}

/* The gtx480 with another number of SMs, memory in proportion. */
bool wr_work_machine(uint32_t sms, wr_gpu_config *config)
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

static double now(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void count(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    if (strcmp(name, "sm.issued") == 0) {
        ((wr_work_result *)arg)->issued = value;
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

wr_work_result wr_work_run(const wr_module *module, const wr_work_kernel *s,
                           const wr_gpu_config *config, uint32_t blocks, uint32_t loops,
                           uint32_t threads)
{
    wr_work_result r = {0};
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
        const wr_forward_to all = {.insns = UINT64_MAX};
        bool ready = threads == WR_WORK_FORWARD ? wr_gpu_forward(gpu, &all)
                                                : wr_gpu_set_threads(gpu, threads);
        if (out != 0 && in != 0 && fill(gpu, in, words) && ready) {
            double start = now(CLOCK_PROCESS_CPUTIME_ID);
            double start_wall = now(CLOCK_MONOTONIC);

            run = wr_gpu_run(gpu, &launch, UINT64_MAX, NULL, NULL);
            r.seconds = now(CLOCK_PROCESS_CPUTIME_ID) - start;
            r.wall = now(CLOCK_MONOTONIC) - start_wall;
            r.cycles = run.cycles;
            r.ok = run.status == WR_RUN_DONE;
            wr_gpu_stats(gpu, count, &r);
            r.issued += wr_gpu_forwarded(gpu).insns;
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

size_t wr_work_sm_bytes(const wr_gpu_config *config)
{
    return (allocated(config, 15) - allocated(config, 1)) / 14;
}

size_t wr_work_sm_storage(const wr_gpu_config *config)
{
    return (size_t)config->sm.max_warps * 64 * 32 * 4 +
           (size_t)config->sm.max_tbs * config->sm.shared_bytes;
}
