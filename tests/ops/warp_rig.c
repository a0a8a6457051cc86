/* SPDX-License-Identifier: Apache-2.0 */
/* See warp_rig.h. */
#include "tests/ops/warp_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/core/counters.h"
#include "shell/core/gpu.h"
#include "shell/host/image.h"
#include "tests/ops/ops_gpu.h"
#include "tests/ops/ops_list.h"
#include "tests/systems/rows.h"

enum { TEXT = 65536 };

typedef struct outcome {
    wr_run_result result;
    uint64_t saved;
} outcome;

/* The words of a run. */
typedef struct words {
    uint32_t grid, block;
    uint64_t sets;
    uint32_t *in, *got, *expected;
} words;

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size %u\n%s\n"
    ".visible .entry k(.param .@P pin, .param .@P pout, .param .align 16 .b8 pdata[64])\n{\n"
    ".reg .b32 %%r<40>, %%t, %%g;\n.reg .b64 %%d<30>;\n.reg .f32 %%f<10>;\n.reg .b16 %%h<10>;\n"
    ".reg .f64 %%fd<10>;\n.reg .pred %%p<10>;\n.reg .@B %%a<10>, %%in, %%out;\n"
    ".reg .b32 %%s0, %%s1;\n.reg .pred %%on;\n%s"
    "ld.param.@P %%in, [pin];\nld.param.@P %%out, [pout];\n"
    "mul.lo.u32 %%s0, %%g, %u;\ncvt.@P.u32 %%a0, %%s0;\nadd.@P %%in, %%in, %%a0;\n"
    "mul.lo.u32 %%s0, %%g, %u;\ncvt.@P.u32 %%a0, %%s0;\nadd.@P %%out, %%out, %%a0;\n"
    "%s%s\nOFF:\nret;\n}\n";

static const char line_place[] =
    "mov.u32 %t, %tid.x;\nmov.u32 %s0, %ctaid.x;\nmov.u32 %s1, %ntid.x;\n"
    "mad.lo.u32 %g, %s0, %s1, %t;\n";

/* Number in a block and in a grid of three dimensions, x running first. */
#define STEP(at, of, size) "mov.u32 %s0, %" size ";\nmad.lo.u32 " at ", " at ", %s0, " of ";\n"
static const char cube_place[] = "mov.u32 %t, %tid.z;\nmov.u32 %s1, %tid.y;\n" STEP(
    "%t", "%s1",
    "ntid.y") "mov.u32 %s1, %tid.x;\n" STEP("%t", "%s1",
                                            "ntid.x") "mov.u32 %g, %ctaid.z;\nmov.u32 %s1, "
                                                      "%ctaid.y;\n" STEP(
                                                          "%g", "%s1",
                                                          "nctaid.y") "mov.u32 %s1, "
                                                                      "%ctaid.x;"
                                                                      "\n" STEP("%g",
                                                                                "%s"
                                                                                "1",
                                                                                "nct"
                                                                                "aid"
                                                                                ".x")
                                                                          STEP("%g", "0",
                                                                               "ntid"
                                                                               ".z") STEP("%"
                                                                                          "g",
                                                                                          "0",
                                                                                          "n"
                                                                                          "t"
                                                                                          "i"
                                                                                          "d"
                                                                                          "."
                                                                                          "y")
                                                                              STEP("%g", "%t",
                                                                                   "ntid.x");

/* Which threads are on where they are alone: in one warp of eight a quarter of the lanes, in the
 * others more. */
static const char guard[] =
    "mul.lo.u32 %s1, %g, 0x9e3779b1;\nshr.u32 %s0, %g, 5;\nand.b32 %s0, %s0, 7;\n"
    "setp.eq.u32 %on, %s0, 7;\nshl.b32 %s0, %s0, 25;\nselp.b32 %s0, 0xc0000000, %s0, %on;\n"
    "setp.lt.u32 %on, %s1, %s0;\n@%on bra OFF;\n";

static bool is_on(const rig_case *c, uint32_t thread)
{
    uint32_t w = thread >> 5 & 7;

    return !c->alone || thread * 0x9e3779b1u >= (w == 7 ? 0xc0000000u : w << 25);
}

uint8_t rig_pdata(uint32_t i)
{
    return (uint8_t)(i * 83 + 29);
}

uint64_t rig_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("WARPREF_SEED");

    return (text != NULL ? strtoull(text, NULL, 0) : 1) * 2 + 1;
}

static char *kernel_text(const rig_case *c, unsigned bits)
{
    char *raw = test_malloc(TEXT);
    char *text = test_malloc(TEXT);
    size_t n = 0;
    int length = snprintf(raw, TEXT, head, bits, c->module != NULL ? c->module : "",
                          c->shape[0] != 0 ? cube_place : line_place, 4 * c->nin, 4 * c->nout,
                          c->alone ? guard : "", c->body);

    assert_true(length > 0 && length < TEXT / 2);
    for (const char *p = raw; *p != '\0'; p++) {
        bool type = *p == '@' && (p[1] == 'P' || p[1] == 'B');

        if (type) {
            n += (size_t)sprintf(text + n, "%c%u", p[1] == 'P' ? 'u' : 'b', bits);
        } else if (*p == '@' && p[1] == '8') {
            n += (size_t)sprintf(text + n, "%u", bits / 8);
        } else {
            text[n++] = *p;
        }
        p += type || (*p == '@' && p[1] == '8');
    }
    text[n] = '\0';
    test_free(raw);
    return text;
}

static wr_module *compile(const rig_case *c, unsigned bits, const wr_compile_options *options)
{
    char *text = kernel_text(c, bits);
    wr_diag diag = {0};
    wr_ptx_module *tree = wr_ptx_parse(c->name, text, strlen(text), &diag);
    wr_module *module = tree != NULL ? wr_compile(tree, options, &diag) : NULL;

    if (module == NULL) {
        fail_msg("%s, %u bits: line %u: %s", c->name, bits, diag.line, diag.message);
    }
    wr_ptx_free(tree);
    test_free(text);
    return module;
}

static void add_row(void *arg, const wr_row *row)
{
    if (strcmp(row->name, "signals.done") == 0) {
        *(uint64_t *)arg += row->count;
    }
}

static outcome run(const rig_case *c, const wr_module *module, const char *spec, const words *w)
{
    uint64_t threads = (uint64_t)w->block * w->grid;
    uint64_t base[2];
    uint8_t params[512] = {0};
    wr_gpu_config config = ops_gpu(spec == NULL);
    wr_images images;
    wr_system_group *systems = NULL;
    outcome o = {.saved = 0};
    char err[512];
    const wr_kernel *kernel = wr_module_find(module, "k");
    wr_launch launch = {.kernel = kernel, .grid = {w->grid, 1, 1}, .block = {w->block, 1, 1}};

    if (c->shape[0] != 0) {
        launch.grid[0] = 2;
        launch.grid[1] = 3;
        launch.grid[2] = w->grid / 6;
        memcpy(launch.block, c->shape, sizeof launch.block);
    }
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    assert_true(kernel->param_bytes <= sizeof params);
    if (spec != NULL) {
        systems = wr_system_group_open(&spec, 1, NULL, &config, err, sizeof err);
        if (systems == NULL) {
            fail_msg("%s", err);
        }
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    }
    base[0] = wr_gpu_alloc(gpu, threads * c->nin * 4 + 16, 256);
    base[1] = wr_gpu_alloc(gpu, threads * c->nout * 4 + 16, 256);
    assert_true(wr_gpu_write(gpu, base[0], w->in, threads * c->nin * 4));
    assert_true(wr_gpu_write(gpu, base[1], w->got, threads * c->nout * 4));
    assert_true(wr_images_place(module, gpu, &images));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned b = 0; b < module->address_size / 8; b++) {
            params[kernel->params[i].offset + b] = (uint8_t)(base[i] >> 8 * b);
        }
    }
    for (uint32_t b = 0; b < RIG_PDATA; b++) {
        params[kernel->params[2].offset + b] = rig_pdata(b);
    }
    wr_images_bind(&images, module, kernel, params);
    launch.params = params;
    launch.const_base = images.constant;
    o.result = wr_gpu_run(gpu, &launch, 50000000, NULL, NULL);
    if (o.result.status == WR_RUN_DONE && !wr_gpu_conserved(gpu, err, sizeof err)) {
        fail_msg("%s", err);
    }
    if (o.result.status == WR_RUN_DONE || o.result.status == WR_RUN_TRAP) {
        assert_true(wr_gpu_read(gpu, base[1], w->got, threads * c->nout * 4));
    }
    if (systems != NULL) {
        each_row(systems, add_row, &o.saved);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
    return o;
}

static void any_words(rig_inputs inputs, uint32_t *in, uint32_t count, uint64_t *seed)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = (uint32_t)(rig_next(seed) >> 20);

        in[i] = inputs == RIG_FEW || v % 3 == 0 ? (v >> 8) % 4
                : v % 3 == 1                    ? v >> 8
                                                : v * 2654435761u;
    }
}

void rig_warp_masks(uint32_t *in, uint32_t threads, uint32_t nin, uint32_t word, uint64_t *seed)
{
    uint32_t mask = 0;

    for (uint32_t t = 0; t < threads; t++) {
        if (t % 32 == 0) {
            uint64_t r = rig_next(seed), how = r >> 60;

            mask = (uint32_t)(r >> 16);
            mask = how == 0   ? 0
                   : how == 1 ? UINT32_MAX
                   : how == 2 ? 1u << (mask & 31)
                   : how == 3 ? mask & (uint32_t)(rig_next(seed) >> 16)
                              : mask;
        }
        in[(size_t)t * nin + word] = mask;
    }
}

/* Blocks until there are as many sets of operands as wanted, at least RIG_GRID. */
static words make_words(const rig_case *c, rig_inputs inputs, uint64_t seed, uint64_t want)
{
    words w = {.block = c->block != 0 ? c->block : RIG_BLOCK};
    size_t room = 0, out_words;

    assert_true(c->nin >= 1 && c->nin <= RIG_WORDS && c->nout >= 1 && c->nout <= RIG_WORDS);
    assert_true(w.block <= 1024 && !(c->alone && c->sets != NULL));
    while (w.sets < want || w.grid < RIG_GRID || (c->shape[0] != 0 && w.grid % 6 != 0)) {
        size_t size = (size_t)w.block * c->nin;
        uint32_t *in;

        if (w.grid == room) {
            room = 2 * room + RIG_GRID;
            w.in = test_realloc(w.in, room * size * 4);
        }
        in = w.in + w.grid * size;
        any_words(inputs, in, (uint32_t)size, &seed);
        if (c->prepare != NULL) {
            c->prepare(in, w.block, w.grid, &seed);
        }
        for (uint32_t t = 0; t < w.block && c->sets == NULL; t++) {
            w.sets += is_on(c, w.grid * w.block + t) ? 1 : 0;
        }
        w.sets += c->sets != NULL ? c->sets(in, w.block) : 0;
        w.grid++;
    }
    out_words = (size_t)w.grid * w.block * c->nout;
    w.got = test_calloc(out_words, 4);
    w.expected = test_calloc(out_words, 4);
    return w;
}

static void free_words(words *w)
{
    test_free(w->in);
    test_free(w->got);
    test_free(w->expected);
}

static void ask_oracle(const rig_case *c, const words *w)
{
    for (uint32_t b = 0; b < w->grid; b++) {
        const uint32_t *in = w->in + (size_t)b * w->block * c->nin;
        uint32_t *out = w->expected + (size_t)b * w->block * c->nout;

        if (c->oracle_of != NULL) {
            c->oracle_of(c->arg, in, out, w->block);
        } else {
            c->oracle(in, out, w->block);
        }
        for (uint32_t t = 0; t < w->block; t++) {
            if (!is_on(c, b * w->block + t)) {
                memset(out + (size_t)t * c->nout, 0, c->nout * sizeof *out);
            }
        }
    }
}

/* The sets of operands whose result was compared. */
static uint64_t compare(const rig_case *c, unsigned bits, const char *how, const words *w)
{
    uint64_t sets = 0;

    for (uint32_t b = 0; b < w->grid; b++) {
        for (uint32_t t = b * w->block; t < (b + 1) * w->block; t++) {
            for (uint32_t k = 0; k < c->nout; k++) {
                size_t i = (size_t)t * c->nout + k;

                if (w->got[i] != w->expected[i]) {
                    fail_msg("%s, %u bits, %s, seed %llu: thread %u, word %u: 0x%x, expected 0x%x",
                             c->name, bits, how, (unsigned long long)first_seed() / 2, t, k,
                             w->got[i], w->expected[i]);
                }
            }
            sets += c->sets == NULL && is_on(c, t) ? 1 : 0;
        }
        sets += c->sets != NULL ? c->sets(w->in + (size_t)b * w->block * c->nin, w->block) : 0;
    }
    return sets;
}

/* The threads whose results are there before the run ended. */
static uint64_t passed(const rig_case *c, const words *w)
{
    uint64_t sets = 0;

    for (size_t t = 0; t < (size_t)w->grid * w->block; t++) {
        sets += memcmp(w->got + t * c->nout, w->expected + t * c->nout, c->nout * 4) == 0 ? 1 : 0;
    }
    return sets;
}

typedef struct way {
    const char *how, *spec;
    wr_compile_options options;
} way;

static const way ways[] = {
    {"plain", NULL, {0}},
    {"not cleaned up", NULL, {.no_cleanup = true}},
    {"preempted", "preemption:period=150,random_cycles=1,sm=random,seed=3", {.pp_interval = 2}},
    {"preempted often", "preemption:period=40,sm=rotate,count=60", {.pp_interval = 1}},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The words of a way of running it. */
static words way_words(const rig_case *c, rig_inputs inputs, unsigned bits, unsigned way_index)
{
    bool is_long = (bits == 64 || c->both) && way_index == 0 && c->subject != NULL;

    return make_words(c, inputs, first_seed() + 2 * (bits + way_index),
                      is_long ? ops_share(c->want == 0 ? OPS_SETS : c->want) : 0);
}

static bool listed(const rig_case *c, rig_inputs inputs, bool fault)
{
    if (!ops_listing()) {
        return false;
    }
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        char *text = kernel_text(c, bits);
        ops_subject subject = {.words = c->subject};

        subject.sets = fault && c->oracle != NULL && bits == 32 ? OPS_SETS : 0;
        for (unsigned i = 0; i < WAYS && c->subject != NULL && !fault; i++) {
            words w = way_words(c, inputs, bits, i);

            subject.sets += w.sets;
            free_words(&w);
        }
        ops_list(text, &subject);
        test_free(text);
    }
    return true;
}

uint64_t rig_check(const rig_case *c, rig_inputs inputs)
{
    uint64_t saved = 0;

    if (listed(c, inputs, false)) {
        return 1;
    }
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        for (unsigned i = 0; i < WAYS; i++) {
            wr_module *module = compile(c, bits, &ways[i].options);
            words w = way_words(c, inputs, bits, i);
            outcome o = run(c, module, ways[i].spec, &w);

            if (o.result.status != WR_RUN_DONE) {
                fail_msg("%s, %u bits, %s: %s", c->name, bits, ways[i].how, o.result.message);
            }
            ask_oracle(c, &w);
            assert_int_equal(compare(c, bits, ways[i].how, &w), w.sets);
            saved += o.saved;
            free_words(&w);
            wr_module_free(module);
        }
    }
    return saved;
}

const char *rig_fault(const rig_case *c, const char *system, char message[512])
{
    wr_compile_options options = {0};
    wr_module *module;
    words w;

    if (listed(c, RIG_ANY, true)) {
        skip();
    }
    module = compile(c, 32, &options);
    w = make_words(c, RIG_ANY, first_seed(), c->want);
    outcome o = run(c, module, system, &w);

    if (o.result.status == WR_RUN_DONE) {
        fail_msg("%s: came to its end", c->name);
    }
    (void)snprintf(message, 512, "%.511s", o.result.message);
    if (c->oracle != NULL) {
        ask_oracle(c, &w);
        assert_true(passed(c, &w) >= OPS_SETS);
    }
    wr_module_free(module);
    free_words(&w);
    return message;
}
