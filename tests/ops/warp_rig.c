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
#include "shell/core/gpu.h"
#include "shell/host/image.h"
#include "systems/system.h"
#include "tests/ops/ops_list.h"

enum { TEXT = 65536, MOST = RIG_GRID * 1024 * RIG_WORDS };

typedef struct outcome {
    wr_run_result result;
    uint64_t saved;
} outcome;

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size %u\n%s\n"
    ".visible .entry k(.param .@P pin, .param .@P pout)\n{\n"
    ".reg .b32 %%r<40>, %%t, %%g;\n.reg .b64 %%d<20>;\n.reg .f32 %%f<10>;\n.reg .b16 %%h<10>;\n"
    ".reg .f64 %%fd<10>;\n.reg .pred %%p<10>;\n.reg .@B %%a<10>, %%in, %%out;\n"
    ".reg .b32 %%s0, %%s1;\n"
    "mov.u32 %%t, %%tid.x;\nmov.u32 %%s0, %%ctaid.x;\nmov.u32 %%s1, %%ntid.x;\n"
    "mad.lo.u32 %%g, %%s0, %%s1, %%t;\n"
    "ld.param.@P %%in, [pin];\nld.param.@P %%out, [pout];\n"
    "mul.lo.u32 %%s0, %%g, %u;\ncvt.@P.u32 %%a0, %%s0;\nadd.@P %%in, %%in, %%a0;\n"
    "mul.lo.u32 %%s0, %%g, %u;\ncvt.@P.u32 %%a0, %%s0;\nadd.@P %%out, %%out, %%a0;\n"
    "%s\nret;\n}\n";

static uint64_t next(uint64_t *state)
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
    int length = snprintf(raw, TEXT, head, bits, c->module != NULL ? c->module : "", 4 * c->nin,
                          4 * c->nout, c->body);

    assert_true(length > 0 && length < TEXT / 2);
    for (const char *p = raw; *p != '\0'; p++) {
        bool type = *p == '@' && (p[1] == 'P' || p[1] == 'B');

        if (type)
            n += (size_t)sprintf(text + n, "%c%u", p[1] == 'P' ? 'u' : 'b', bits);
        else if (*p == '@' && p[1] == '8')
            n += (size_t)sprintf(text + n, "%u", bits / 8);
        else
            text[n++] = *p;
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

    if (module == NULL)
        fail_msg("%s, %u bits: line %u: %s", c->name, bits, diag.line, diag.message);
    wr_ptx_free(tree);
    test_free(text);
    return module;
}

static bool listed(const rig_case *c)
{
    bool done = false;

    for (unsigned bits = 32; bits <= 64; bits += 32) {
        char *text = kernel_text(c, bits);

        done = ops_list(text);
        test_free(text);
    }
    return done;
}

static void add_row(void *arg, const wr_system_row *row)
{
    if (strcmp(row->name, "signals.done") == 0)
        *(uint64_t *)arg += row->count;
}

static outcome run(const rig_case *c, const wr_module *module, const char *spec, const uint32_t *in,
                   uint32_t *out)
{
    uint32_t block = c->block != 0 ? c->block : RIG_BLOCK;
    uint32_t threads = block * RIG_GRID;
    uint64_t base[2];
    uint8_t params[512] = {0};
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_images images;
    wr_system *system = NULL;
    outcome o = {.saved = 0};
    char err[512];
    const wr_kernel *kernel = wr_module_find(module, "k");
    wr_launch launch = {.kernel = kernel, .grid = {RIG_GRID, 1, 1}, .block = {block, 1, 1}};

    assert_true(wr_config_load("gtx480", &config, &diag));
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    assert_true(kernel->param_bytes <= sizeof params);
    if (spec != NULL) {
        system = wr_system_create(spec, NULL, 0, &config, err, sizeof err);
        if (system == NULL)
            fail_msg("%s", err);
        wr_gpu_attach(gpu, wr_system_get_hooks(system));
    }
    base[0] = wr_gpu_alloc(gpu, (uint64_t)threads * c->nin * 4 + 16, 256);
    base[1] = wr_gpu_alloc(gpu, (uint64_t)threads * c->nout * 4 + 16, 256);
    assert_true(wr_gpu_write(gpu, base[0], in, (uint64_t)threads * c->nin * 4));
    assert_true(wr_gpu_write(gpu, base[1], out, (uint64_t)threads * c->nout * 4));
    assert_true(wr_images_place(module, gpu, &images));
    for (unsigned i = 0; i < 2; i++)
        for (unsigned b = 0; b < module->address_size / 8; b++)
            params[kernel->params[i].offset + b] = (uint8_t)(base[i] >> 8 * b);
    wr_images_bind(&images, module, kernel, params);
    launch.params = params;
    launch.const_base = images.constant;
    o.result = wr_gpu_run(gpu, &launch, 5000000, NULL, NULL);
    if (o.result.status == WR_RUN_DONE)
        assert_true(wr_gpu_read(gpu, base[1], out, (uint64_t)threads * c->nout * 4));
    if (system != NULL)
        wr_system_rows(system, add_row, &o.saved);
    wr_system_destroy(system);
    wr_gpu_free(gpu);
    return o;
}

static void fill(const rig_case *c, rig_inputs inputs, uint64_t seed, uint32_t *in, uint32_t *out)
{
    uint32_t words = RIG_GRID * (c->block != 0 ? c->block : RIG_BLOCK);

    for (uint32_t i = 0; i < words * c->nin; i++) {
        uint32_t v = (uint32_t)(next(&seed) >> 20);

        in[i] = inputs == RIG_FEW || v % 3 == 0 ? (v >> 8) % 4
                : v % 3 == 1                    ? v >> 8
                                                : v * 2654435761u;
    }
    memset(out, 0, (size_t)words * c->nout * 4);
}

static void compare(const rig_case *c, unsigned bits, const char *how, const uint32_t *got,
                    const uint32_t *expected)
{
    uint32_t words = RIG_GRID * (c->block != 0 ? c->block : RIG_BLOCK) * c->nout;

    for (uint32_t i = 0; i < words; i++)
        if (got[i] != expected[i])
            fail_msg("%s, %u bits, %s, seed %llu: thread %u, word %u: 0x%x, expected 0x%x", c->name,
                     bits, how, (unsigned long long)first_seed() / 2, i / c->nout, i % c->nout,
                     got[i], expected[i]);
}

uint64_t rig_check(const rig_case *c, rig_inputs inputs)
{
    static const struct {
        const char *how, *spec;
        wr_compile_options options;
    } ways[] = {
        {"plain", NULL, {0}},
        {"not cleaned up", NULL, {.no_cleanup = true}},
        {"preempted", "preemption:period=150,random_cycles=1,sm=random,seed=3", {.pp_interval = 2}},
        {"preempted often", "preemption:period=40,sm=rotate,count=60", {.pp_interval = 1}},
    };
    uint32_t block = c->block != 0 ? c->block : RIG_BLOCK;
    uint32_t *in, *got, *expected;
    uint64_t saved = 0;

    if (listed(c))
        return 1;
    in = test_calloc(MOST, 4);
    got = test_calloc(MOST, 4);
    expected = test_calloc(MOST, 4);
    assert_true(c->nin <= RIG_WORDS && c->nout >= 1 && c->nout <= RIG_WORDS && block <= 1024);
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            wr_module *module = compile(c, bits, &ways[w].options);

            fill(c, inputs, first_seed(), in, expected);
            memset(got, 0, MOST * 4);
            for (uint32_t b = 0; b < RIG_GRID; b++)
                c->oracle(in + (size_t)b * block * c->nin, expected + (size_t)b * block * c->nout,
                          block);
            outcome o = run(c, module, ways[w].spec, in, got);

            if (o.result.status != WR_RUN_DONE)
                fail_msg("%s, %u bits, %s: %s", c->name, bits, ways[w].how, o.result.message);
            compare(c, bits, ways[w].how, got, expected);
            saved += o.saved;
            wr_module_free(module);
        }
    }
    test_free(in);
    test_free(got);
    test_free(expected);
    return saved;
}

const char *rig_fault(const rig_case *c, const char *system, char message[512])
{
    wr_compile_options options = {0};
    uint32_t *in, *out;
    wr_module *module;

    if (listed(c))
        skip();
    in = test_calloc(MOST, 4);
    out = test_calloc(MOST, 4);
    module = compile(c, 32, &options);
    fill(c, RIG_ANY, first_seed(), in, out);
    outcome o = run(c, module, system, in, out);

    assert_int_not_equal(o.result.status, WR_RUN_DONE);
    (void)snprintf(message, 512, "%s", o.result.message);
    wr_module_free(module);
    test_free(in);
    test_free(out);
    return message;
}
