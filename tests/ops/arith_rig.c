/* SPDX-License-Identifier: Apache-2.0 */
/* See arith_rig.h. Operand k of thread t is eight bytes at place k * threads + t, so that a warp's
 * lie together. */
#include "tests/ops/arith_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/core/counters.h"
#include "shell/core/gpu.h"
#include "tests/ops/ops_gpu.h"
#include "tests/ops/ops_list.h"
#include "tests/systems/rows.h"

enum { TEXT = 8192, BLOCK = 256, MANY = 908, FEW = 8, SEVERAL = 1, WORD = 24 };

typedef struct way {
    const char *name, *system;
    uint32_t grid;
    bool constant, guarded;
    wr_compile_options options;
} way;

static const way ways[] = {
    {"guarded", NULL, MANY, false, true, {0}},
    {"plain", NULL, FEW, false, false, {0}},
    {"not cleaned up", NULL, FEW, false, false, {.no_cleanup = true}},
    {"last source constant", NULL, FEW, true, false, {0}},
    {"preempted", "preemption:period=400", FEW, false, true, {.pp_interval = 1}},
};

typedef struct run_state {
    const arith_case *c;
    const arith_corner *corner; /* in place of random operands and the oracle */
    const way *how;
    arith_env env;
    char type[WORD], mode[WORD], code[1024];
    uint64_t seed;
    uint64_t *in, *out;
    uint32_t grid, threads, nin, nout;
    uint32_t modes; /* of the case */
    uint64_t saves; /* preemptions done */
    uint64_t sets;  /* compared, of all modes of the type */
    bool listed;    /* rather than run */
} run_state;

static uint64_t next(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("WARPREF_SEED");

    return (text != NULL ? strtoull(text, NULL, 0) : 1) * 2 + 1;
}

/* ---- which threads are on: in a warp of eight a quarter of the lanes, in others nearly all ----
 */

#define GUARD                                                                                      \
    "mul.lo.u32 %%n, %%t, 0x9e3779b1;\nshr.u32 %%w, %%t, 5;\nand.b32 %%w, %%w, 7;\n"               \
    "shl.b32 %%c, %%w, 25;\nsetp.eq.u32 %%guard, %%w, 7;\n"                                        \
    "selp.b32 %%c, 0xc0000000, %%c, %%guard;\nsetp.ge.u32 %%guard, %%n, %%c;\n"

static bool is_on(const run_state *r, uint32_t t)
{
    uint32_t w = t >> 5 & 7;

    return !r->how->guarded || t * 0x9e3779b1u >= (w == 7 ? 0xc0000000u : w << 25);
}

/* ---- operands ---- */

static unsigned width(const run_state *r, char letter)
{
    unsigned whole = r->env.bits * (r->env.pair ? 2 : 1);

    switch (letter) {
    case 'T':
    case 'o':
        return whole;
    case 'W':
        return 2 * whole;
    case 'h':
    case 'e':
    case 'n':
        return 16;
    case 'd':
    case 'F':
        return 64;
    case 'p':
        return 1;
    default:
        return 32;
    }
}

static uint64_t any_int(uint64_t *s)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     UINT64_MAX,
                                     INT64_MAX,
                                     UINT64_C(1) << 63,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     UINT64_C(0x8000000080000000),
                                     0xff,
                                     0x80,
                                     UINT64_C(0xffffffff00000000)};
    uint64_t r = next(s) >> 8;

    if ((r & 7) < 3) {
        return edges[(r >> 8) % (sizeof edges / sizeof *edges)];
    }
    return (r & 7) == 3 ? next(s) >> 56 : next(s);
}

static uint64_t any_float(uint64_t *s, unsigned bits, unsigned fraction)
{
    uint64_t r = next(s) >> 8;
    uint64_t exponents = (UINT64_C(1) << (bits - 1 - fraction)) - 1;
    uint64_t sign = (r & 1) << (bits - 1);
    uint64_t low = next(s) & ((UINT64_C(1) << fraction) - 1);

    switch (r >> 1 & 7) {
    case 0: /* zero, infinity, NaN, largest and smallest numbers */
        low = (r >> 8 & 3) == 0   ? low
              : (r >> 8 & 3) == 1 ? (UINT64_C(1) << fraction) - 1
                                  : r >> 10 & 1;
        return sign | ((r >> 12 & 3) == 0 ? exponents : r >> 12 & 3) << fraction | low;
    case 1:
        return sign | low; /* subnormal */
    case 2:
    case 3: /* near 1, so that sums meet; few bits, so that ties happen */
        low &= (r >> 9 & 1) != 0 ? ~UINT64_C(0) << (fraction - 3) : UINT64_MAX;
        return sign | (exponents / 2 - 4 + (r >> 16) % 9) << fraction | low;
    case 4:
        return sign | (exponents / 2 + (r >> 16) % (exponents / 2 < 64 ? 15 : 64)) << fraction |
               low;
    default:
        return sign | ((r >> 20) % exponents) << fraction | low;
    }
}

static uint64_t any_half(uint64_t *s, bool bfloat)
{
    return any_float(s, 16, bfloat ? 7 : 10);
}

/* Exponents of 8-bit floats and some beyond; half of them with a fraction of 5 bits, so that ties
 * happen, or one unit beside such a number. */
static uint64_t any_near8(uint64_t *s)
{
    uint64_t r = next(s) >> 8;
    uint64_t value = (r & 1) << 31 | (104 + (r >> 8) % 43) << 23 | (next(s) >> 41);

    if ((r >> 1 & 7) == 0) {
        return any_float(s, 32, 23);
    }
    return (r >> 4 & 1) == 0 ? value : (value & ~UINT64_C(0x3ffff)) + (r >> 20) % 3 - 1;
}

static uint64_t any_value(const run_state *r, char letter, uint64_t *s)
{
    const arith_env *e = &r->env;

    if (letter == 'T' && e->is_float) {
        letter = e->bits == 32 ? 'f' : e->bits == 64 ? 'F' : e->pair ? 'x' : 'e';
    }
    if (letter == 'o') {
        uint64_t v = any_value(r, 'T', s);

        v = (next(s) >> 62) == 0 ? (v & ~UINT64_C(0xffff)) | 0x7ff7 : v;
        return e->pair && (next(s) >> 62) == 0 ? (v & 0xffff) | 0x7ff70000 : v;
    }
    switch (letter) {
    case 'f':
        return any_float(s, 32, 23);
    case 'F':
        return any_float(s, 64, 52);
    case 'e':
        return any_half(s, e->bfloat);
    case 'x':
        return any_half(s, e->bfloat) | any_half(s, e->bfloat) << 16;
    case 'k':
        return any_near8(s);
    case 'c':
        return (next(s) >> 61) == 0 ? arith_cut(any_int(s), 32)
                                    : arith_cut((next(s) >> 32) % 600 - 300, 32);
    case 's':
        return (next(s) >> 60) == 0 ? arith_cut(next(s), 32) : (next(s) >> 32) % 70;
    case 'p':
        return next(s) >> 63;
    default:
        return arith_cut(any_int(s), width(r, letter));
    }
}

/* ---- text ---- */

/* Puts type and mode in, and registers for operands. */
static void make_code(run_state *r)
{
    size_t n = 0;

    for (const char *p = r->c->text; *p != '\0'; p++) {
        bool operand = (p[0] == 'o' || p[0] == 'i') && p[1] >= '0' && p[1] <= '9' &&
                       p > r->c->text &&
                       (p[-1] == ' ' || p[-1] == '|' || p[-1] == '{' || p[-1] == '!');
        const char *part = p[0] != '$' ? NULL : p[1] == 'T' ? r->type : r->mode;

        assert_true(n + WORD < sizeof r->code);
        if (part != NULL) {
            n += (size_t)sprintf(r->code + n, "%s", part);
            p++;
        } else {
            if (operand) {
                r->code[n++] = '%';
            }
            r->code[n++] = *p;
        }
    }
    r->code[n] = '\0';
    if (r->how->guarded) { /* every instruction of the text */
        char plain[sizeof r->code];

        memcpy(plain, r->code, sizeof plain);
        n = (size_t)sprintf(r->code, "@%%guard ");
        for (const char *p = plain; *p != '\0'; p++) {
            r->code[n++] = *p;
            if (*p == ';' && p[1 + strspn(p + 1, " ")] != '\0') {
                n += (size_t)sprintf(r->code + n, " @%%guard ");
            }
            assert_true(n + WORD < sizeof r->code);
        }
        r->code[n] = '\0';
    }
}

static size_t put(char *text, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static size_t put(char *text, size_t n, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    n += (size_t)vsnprintf(text + n, TEXT - n, format, args);
    va_end(args);
    assert_true(n < TEXT);
    return n;
}

static uint64_t *operand(const run_state *r, uint32_t k, uint32_t t)
{
    return &r->in[(size_t)k * r->threads + t];
}

static size_t put_operands(run_state *r, char *text, size_t n)
{
    for (uint32_t i = 0; i < r->nin + r->nout; i++) {
        bool is_in = i < r->nin;
        uint32_t k = is_in ? i : i - r->nin;
        char letter = (is_in ? r->c->in : r->c->out)[k];
        unsigned bits = width(r, letter);
        char name[8];

        (void)snprintf(name, sizeof name, "%%%c%u", is_in ? 'i' : 'o', k);
        if (bits == 1) {
            n = put(text, n, ".reg .pred %s;\n", name);
        } else {
            n = put(text, n, ".reg .b%u %s;\n", bits, name);
        }
        if (is_in && bits == 1) {
            n = put(text, n, "ld.global.b32 %%w, [%%in+%u];\nsetp.ne.u32 %s, %%w, 0;\n",
                    8 * k * r->threads, name);
        } else if (is_in && r->how->constant && k + 1 == r->nin) {
            n = put(text, n, "mov.b%u %s, 0x%llx;\n", bits, name,
                    (unsigned long long)*operand(r, k, 0));
        } else if (is_in) {
            n = put(text, n, "ld.global.b%u %s, [%%in+%u];\n", bits, name, 8 * k * r->threads);
        } else if (bits == 1) {
            n = put(text, n, "setp.eq.u32 %s, %%w, %%w;\n", name);
        } else {
            n = put(text, n, "mov.b%u %s, 0x%x;\n", bits, name, 0x5a5a);
        }
    }
    return n;
}

static void make_text(run_state *r, char *text)
{
    size_t n =
        put(text, 0,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n"
            ".reg .b32 %%w, %%t, %%c, %%n; .reg .b64 %%in, %%out, %%at; .reg .pred %%guard;\n"
            "mov.u32 %%t, %%tid.x;\nmov.u32 %%c, %%ctaid.x;\nmov.u32 %%n, %%ntid.x;\n"
            "mad.lo.u32 %%t, %%c, %%n, %%t;\nmov.u32 %%w, 0;\n"
            "ld.param.u64 %%in, [pin];\nld.param.u64 %%out, [pout];\n"
            "mad.wide.u32 %%in, %%t, 8, %%in;\nmad.wide.u32 %%out, %%t, 8, %%out;\n" GUARD);

    n = put_operands(r, text, n);
    n = put(text, n, "%s\n", r->code);
    for (uint32_t k = 0; k < r->nout; k++) {
        unsigned bits = width(r, r->c->out[k]);

        if (bits == 1) {
            n = put(text, n, "selp.u32 %%w, 1, 0, %%o%u;\nst.global.u32 [%%out+%u], %%w;\n", k,
                    8 * k * r->threads);
        } else {
            n = put(text, n, "st.global.b%u [%%out+%u], %%o%u;\n", bits, 8 * k * r->threads, k);
        }
    }
    put(text, n, "ret;\n}\n");
}

/* ---- a run ---- */

static wr_module *compile(const run_state *r, const char *text)
{
    wr_diag diag = {0};
    wr_ptx_module *tree;
    wr_module *module;

    tree = wr_ptx_parse(r->code, text, strlen(text), &diag);
    module = tree != NULL ? wr_compile(tree, &r->how->options, &diag) : NULL;
    if (module == NULL) {
        fail_msg("%s: line %u: %s\n%s", r->code, diag.line, diag.message, text);
    }
    wr_ptx_free(tree);
    return module;
}

static void add_row(void *arg, const wr_row *row)
{
    if (strcmp(row->name, "signals.done") == 0) {
        *(uint64_t *)arg += row->count;
    }
}

static void launch(run_state *r, const wr_module *module)
{
    wr_gpu_config config = ops_gpu(r->how->grid == MANY);
    wr_system_group *systems = NULL;
    uint64_t base[2], in_bytes = (uint64_t)r->threads * r->nin * 8;
    uint64_t out_bytes = (uint64_t)r->threads * r->nout * 8;
    wr_launch l = {.kernel = &module->kernels[0], .grid = {r->grid, 1, 1}, .block = {BLOCK, 1, 1}};
    wr_run_result result;
    char err[512];

    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    if (r->how->system != NULL) {
        systems = wr_system_group_open(&r->how->system, 1, NULL, &config, err, sizeof err);
        if (systems == NULL) {
            fail_msg("%s", err);
        }
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    }
    base[0] = wr_gpu_alloc(gpu, in_bytes, 256);
    base[1] = wr_gpu_alloc(gpu, out_bytes, 256);
    assert_true(wr_gpu_write(gpu, base[0], r->in, in_bytes));
    assert_true(wr_gpu_write(gpu, base[1], r->out, out_bytes));
    l.params = (const uint8_t *)base;
    result = wr_gpu_run(gpu, &l, 100000000, NULL, NULL);
    if (result.status != WR_RUN_DONE) {
        fail_msg("%s, %s: %s", r->code, r->how->name, result.message);
    }
    if (!wr_gpu_conserved(gpu, err, sizeof err)) {
        fail_msg("%s, %s: %s", r->code, r->how->name, err);
    }
    assert_true(wr_gpu_read(gpu, base[1], r->out, out_bytes));
    if (systems != NULL) {
        each_row(systems, add_row, &r->saves);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
}

static bool same(const run_state *r, char letter, uint64_t got, uint64_t want)
{
    unsigned bits = width(r, letter);
    bool f64 = letter == 'F' || (letter == 'T' && r->env.is_float && bits == 64);
    int64_t apart = arith_signed(got - want, bits == 1 ? 32 : bits);

    got = arith_cut(got, bits);
    want = arith_cut(want, bits);
    if (f64 && isnan(arith_f64(want))) { /* PTX leaves the bits of such a NaN open */
        return isnan(arith_f64(got)) != 0;
    }
    return got == want || (r->c->ulps != 0 && (uint64_t)llabs(apart) <= r->c->ulps);
}

static uint64_t compare(const run_state *r)
{
    uint64_t sets = 0;

    for (uint32_t t = 0; t < r->threads; t++) {
        uint64_t in[ARITH_MAX] = {0}, want[ARITH_MAX] = {0};

        for (uint32_t k = 0; k < r->nin; k++) {
            bool constant = r->how->constant && k + 1 == r->nin && r->c->in[k] != 'p';
            uint32_t from = constant ? 0 : t;

            in[k] = arith_cut(*operand(r, k, from), width(r, r->c->in[k]));
        }
        for (uint32_t k = 0; k < r->nout; k++) {
            want[k] = r->c->out[k] == 'p' ? 1 : 0x5a5a;
        }
        if (is_on(r, t)) {
            if (r->corner != NULL) {
                want[0] = r->corner->rows[t % r->corner->count].out;
            } else {
                r->c->oracle(&r->env, in, want);
            }
            sets++;
        }
        for (uint32_t k = 0; k < r->nout; k++) {
            uint64_t got = r->out[(size_t)k * r->threads + t];

            if (!same(r, r->c->out[k], got, want[k])) {
                fail_msg("%s, %s, seed %llu, thread %u: (%llx, %llx, %llx, %llx) -> o%u = %llx, "
                         "expected %llx",
                         r->code, r->how->name, (unsigned long long)first_seed() / 2, t,
                         (unsigned long long)in[0], (unsigned long long)in[1],
                         (unsigned long long)in[2], (unsigned long long)in[3], k,
                         (unsigned long long)got, (unsigned long long)want[k]);
            }
        }
    }
    return sets;
}

static void check_one(run_state *r)
{
    wr_module *module;
    ops_subject subject = {.sets = 0};
    uint32_t share; /* modes that share the sets wanted of a type */
    char *text = test_malloc(TEXT);

    r->nin = (uint32_t)strlen(r->c->in);
    r->nout = (uint32_t)strlen(r->c->out);
    share = r->modes < 4 || r->nout > SEVERAL ? r->modes : 4;
    r->grid = r->how->grid == MANY ? ((uint32_t)ops_share(MANY) + share - 1) / share : r->how->grid;
    r->threads = BLOCK * r->grid;
    r->in = test_calloc((size_t)r->threads * r->nin + 1, 8);
    r->out = test_calloc((size_t)r->threads * r->nout, 8);
    for (uint32_t t = 0; t < r->threads; t++) {
        for (uint32_t k = 0; k < r->nin; k++) {
            /* both bytes of 'n' take every value, also in the short run */
            *operand(r, k, t) = r->corner != NULL ? r->corner->rows[t % r->corner->count].in[k]
                                : r->c->in[k] == 'n'
                                    ? (t & 0xff) | ((t >> 8 ^ t ^ t >> 3) & 0xff) << 8
                                    : any_value(r, r->c->in[k], &r->seed);
        }
    }
    make_code(r);
    make_text(r, text);
    for (uint32_t t = 0; t < r->threads; t++) {
        subject.sets += is_on(r, t) ? 1 : 0;
    }
    subject.part = r->code;
    r->listed = ops_list(text, &subject);
    if (!r->listed) {
        module = compile(r, text);
        launch(r, module);
        assert_int_equal(compare(r), subject.sets);
        wr_module_free(module);
    }
    r->sets += r->how->grid == MANY ? subject.sets : 0;
    test_free(text);
    test_free(r->in);
    test_free(r->out);
}

static void set_env(run_state *r)
{
    const char *t = r->type;

    r->env = (arith_env){.text = r->c->text, .type = r->type, .mode = r->mode};
    r->env.bfloat = strncmp(t, "bf", 2) == 0;
    r->env.pair = strstr(t, "x2") != NULL;
    r->env.is_float = t[0] == 'f' || r->env.bfloat;
    r->env.is_signed = t[0] == 's';
    r->env.bits = (unsigned)strtoul(t + (r->env.bfloat ? 2 : 1), NULL, 10);
}

/* The n-th word of a list; false behind the end. */
static bool word(const char *list, unsigned n, char out[WORD])
{
    for (; n > 0 && list != NULL; n--) {
        list = strchr(list, ' ');
        list = list != NULL ? list + 1 : NULL;
    }
    if (list == NULL) {
        return false;
    }
    (void)snprintf(out, WORD, "%.*s", (int)strcspn(list, " "), list);
    return true;
}

void arith_check(const arith_case *cases, size_t count)
{
    uint64_t seed = first_seed(), saves = 0;
    bool listed = false;

    print_message("seed %llu (WARPREF_SEED repeats it)\n", (unsigned long long)seed / 2);
    for (size_t i = 0; i < count; i++) {
        const char *modes = cases[i].modes != NULL ? cases[i].modes : "-";
        run_state r = {.c = &cases[i], .seed = seed + 2 * i};

        while (word(modes, r.modes, r.mode)) {
            r.modes++;
        }
        for (unsigned t = 0; word(cases[i].types, t, r.type); t++) {
            r.sets = 0;
            for (unsigned m = 0; word(modes, m, r.mode); m++) {
                set_env(&r);
                for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                    r.how = &ways[w];
                    check_one(&r);
                }
            }
            assert_true(r.sets >= ops_share(OPS_SETS));
        }
        saves += r.saves;
        listed = listed || r.listed;
    }
    print_message("%llu preemptions\n", (unsigned long long)saves);
    assert_true(listed || saves > 0);
}

void arith_check_corners(const arith_corner *corners, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const arith_case c = {
            .text = corners[i].text, .types = "b32", .out = corners[i].out, .in = corners[i].in};
        run_state r = {.c = &c, .corner = &corners[i], .type = "b32", .mode = "-", .modes = 1};

        assert_true(corners[i].count >= 1 && corners[i].count <= 16);
        set_env(&r);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            r.how = &ways[w];
            if (r.how->grid == FEW && !r.how->constant) {
                check_one(&r);
            }
        }
    }
}
