/* SPDX-License-Identifier: Apache-2.0 */
/* The systems of one GPU, with a registry of stub systems in place of the real one: two with a
 * block, one without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "dpi/gen/reg_compressor_port.h"
#include "systems/frame/group.h"

typedef struct stub {
    wr_system base;
    wr_bay *bay;
    wr_owner owner;
    uint64_t size;
    bool is_open;
    wr_port_reg_compressor port;
} stub;

static stub *made[WR_MAX_OWNERS]; /* by owner */
static uint32_t alive;

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    stub *s = self;
    wr_reg_compressor_in in = {.ready = true};
    wr_reg_compressor_out out;

    (void)gpu;
    (void)wr_bay_begin(s->bay, 0, 5);
    wr_reg_compressor_port_eval(&s->port, &in, &out);
    wr_reg_compressor_port_tick(&s->port, &in);
    (void)wr_bay_end(s->bay, 0);
}

static void destroy(wr_system *system)
{
    stub *s = (stub *)system;

    if (s->is_open) {
        wr_reg_compressor_port_close(&s->port);
    }
    alive--;
    free(s);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_reg_compressor_cfg cfg = {.lanes = 32};
    stub *s = calloc(1, sizeof *s);

    assert_non_null(s);
    alive++;
    s->base.hooks = (wr_system_hooks){.self = s};
    s->bay = setup->bay;
    s->owner = setup->owner;
    s->size = setup->values[0].number;
    if (s->size == 3) {
        (void)snprintf(err, err_size, "size 3 cannot be made");
        destroy(&s->base);
        return NULL;
    }
    if (s->bay) {
        s->base.hooks.gpu_cycle = on_gpu_cycle;
        s->is_open =
            wr_reg_compressor_port_open(&s->port, wr_bay_backend(s->bay), &cfg, err, err_size);
        if (!s->is_open) {
            destroy(&s->base);
            return NULL;
        }
        wr_bay_add_port(s->bay, wr_bay_add_unit(s->bay, "", WR_BAY_FREE), &s->port.port, NULL);
    }
    made[s->owner] = s;
    return &s->base;
}

static void report(const wr_system *system, wr_report *r)
{
    wr_report_section(r, "", "Stub");
    (void)wr_report_count(r, "size", "size", ((const stub *)system)->size, "");
}

static const wr_option options[] = {
    {.name = "size", .kind = WR_OPTION_NUMBER, .max = 9, .preset = "1", .doc = "d"}};
static const char *const blocks[] = {"reg_compressor", NULL};
static const wr_system_need needs[] = {
    {{"sm.warp_size", offsetof(wr_gpu_config, sm.warp_size)}, 32, 32},
    {{"sms", offsetof(wr_gpu_config, sms)}, 2, 16}};

#define STUB(n)                                                                                    \
    .name = (n), .summary = "s", .paper = "", .options = options, .option_count = 1,               \
    .create = create, .destroy = destroy, .report = report

static const wr_system_type types[] = {
    {STUB("alpha"), .blocks = blocks},
    {STUB("beta"), .blocks = blocks, .needs = needs, .need_count = 2},
    {STUB("gamma")},
};
enum { TYPES = sizeof types / sizeof types[0] };

/* The registry: linked instead of systems/frame/system.c. */
const wr_system_type *const *wr_system_types(size_t *count)
{
    static const wr_system_type *const all[TYPES] = {&types[0], &types[1], &types[2]};

    *count = TYPES;
    return all;
}

const wr_system_type *wr_system_find(const char *name, size_t name_size)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (strlen(types[i].name) == name_size && memcmp(types[i].name, name, name_size) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

static wr_gpu_config cfg;
static char err[512];
static char dir[] = "/tmp/warpref_group_XXXXXX";

static wr_system_group *open_group(const char *const *specs, uint32_t count,
                                   const wr_system_given *given)
{
    cfg = (wr_gpu_config){.name = "machine", .sms = 15, .sm.warp_size = 32};
    err[0] = '\0';
    return wr_system_group_open(specs, count, given, &cfg, err, sizeof err);
}

static void refused(const char *const *specs, uint32_t count, const wr_system_given *given,
                    const char *message)
{
    assert_null(open_group(specs, count, given));
    assert_string_equal(err, message);
    assert_int_equal(alive, 0);
}

static wr_system_group *opened(const char *const *specs, uint32_t count,
                               const wr_system_given *given)
{
    wr_system_group *g = open_group(specs, count, given);

    if (!g) {
        fail_msg("%s", err);
    }
    return g;
}

static void test_owners_and_values(void **state)
{
    const char *const specs[] = {"gamma:size=2", "alpha:", "beta:size=9"};
    wr_system_group *g = opened(specs, 3, NULL);

    (void)state;
    assert_int_equal(wr_system_group_count(g), 3);
    assert_int_equal(alive, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(made[i]->owner, i);
    }
    assert_true(made[0]->size == 2 && made[1]->size == 1 && made[2]->size == 9);
    assert_true(!made[0]->bay && made[1]->bay && made[2]->bay);
    assert_ptr_equal(wr_system_group_type(g, 2), &types[1]);
    assert_non_null(wr_system_group_hooks(g)->gpu_cycle);
    assert_null(wr_system_group_hooks(g)->sm_cycle);
    assert_int_equal(wr_system_group_backend(g), WR_BACKEND_MODEL);
    assert_null(wr_system_group_wave(g));
    wr_system_group_close(g);
    assert_int_equal(alive, 0);
    g = opened(specs, 1, NULL);
    assert_ptr_equal(wr_system_group_hooks(g), &made[0]->base.hooks);
    wr_system_group_close(g);
}

static void test_refused(void **state)
{
    const char *const unknown[] = {"alpha", "delta:size=1"};
    const char *const twice[] = {"alpha", "gamma", "alpha:size=2"};
    const char *const option[] = {"alpha:siz=2"};
    const char *const value[] = {"alpha", "gamma:size=10"};
    const char *const no_blocks[] = {"gamma:blocks=rtl"};
    const char *const cannot[] = {"alpha", "gamma:size=3"};
    const char *const nine[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const char *const beta[] = {"beta"};

    (void)state;
    refused(unknown, 2, NULL, "unknown system \"delta\"; systems are alpha, beta, gamma");
    refused(twice, 3, NULL, "system alpha is given twice");
    refused(option, 1, NULL,
            "system alpha: unknown option \"siz\"; options are size, blocks, wave, record, keep, "
            "dump");
    refused(value, 2, NULL, "system gamma: size=10 is not a whole number from 0 to 9");
    refused(no_blocks, 1, NULL, "system gamma: unknown option \"blocks\"; options are size");
    refused(cannot, 2, NULL, "size 3 cannot be made");
    refused(nine, 9, NULL, "9 systems; a GPU has 8 at most");
    cfg = (wr_gpu_config){.name = "machine", .sms = 15, .sm.warp_size = 64};
    assert_null(wr_system_group_open(beta, 1, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system beta needs a configuration with sm.warp_size 32; it is 64 in "
                             "machine");
    cfg = (wr_gpu_config){.name = "machine", .sms = 17, .sm.warp_size = 32};
    assert_null(wr_system_group_open(beta, 1, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system beta needs a configuration with sms from 2 to 16; it is 17 in "
                             "machine");
}

/* Flags go to the systems with blocks; a spec wins; all agree in the end. */
static void test_given(void **state)
{
    const char *const plain[] = {"gamma", "alpha", "beta"};
    const char *const own[] = {"alpha:blocks=model", "beta:blocks=model"};
    const char *const one[] = {"alpha:blocks=model", "beta"};
    const char *const waves[] = {"alpha:wave=/tmp/a.fst", "beta:wave=/tmp/b.fst"};
    const wr_system_given rtl = {.blocks = "rtl"};
    wr_system_group *g = opened(plain, 3, &rtl);

    (void)state;
    assert_int_equal(wr_system_group_backend(g), WR_BACKEND_RTL);
    assert_int_equal(made[1]->port.port.backend, WR_BACKEND_RTL);
    wr_system_group_close(g);
    g = opened(own, 2, &rtl);
    assert_int_equal(wr_system_group_backend(g), WR_BACKEND_MODEL);
    wr_system_group_close(g);
    refused(one, 2, &rtl,
            "system beta: blocks=rtl, but system alpha has blocks=model; one run has one");
    refused(waves, 2, NULL,
            "system beta: wave=/tmp/b.fst, but the waveform of this run goes to /tmp/a.fst");
}

static bool has_line(const char *path, const char *line)
{
    FILE *f = fopen(path, "r");
    char text[256];
    bool found = false;

    assert_non_null(f);
    while (fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = '\0';
        found = found || strcmp(text, line) == 0;
    }
    (void)fclose(f);
    return found;
}

static bool has_row(const wr_system_group *g, uint32_t index, const char *name)
{
    wr_report *r = wr_system_group_report(g, index);
    bool found = false;

    assert_non_null(r);
    for (size_t i = 0; i < wr_report_rows(r); i++) {
        found = found || strcmp(wr_report_row(r, i)->name, name) == 0;
    }
    wr_report_free(r);
    return found;
}

/* One waveform with a scope each, one view with both, vectors that tell whose they are. */
static void test_shared_files(void **state)
{
    const char *const specs[] = {"alpha", "gamma", "beta"};
    char wave[64];
    char record[64];
    char path[128];

    (void)state;
    (void)snprintf(wave, sizeof wave, "%s/w,x.fst", dir);
    (void)snprintf(record, sizeof record, "%s/v", dir);
    const wr_system_given files = {.wave = wave, .record = record};

    for (uint32_t count = 1; count <= 3; count += 2) {
        wr_system_group *g = opened(specs, count, &files);
        const wr_system_hooks *h = wr_system_group_hooks(g);

        assert_non_null(wr_system_group_wave(g));
        h->gpu_cycle(h->self, NULL);
        assert_true(wr_system_group_finish(g, err, sizeof err));
        assert_null(wr_system_group_wave(g));
        assert_true(has_row(g, 0, "size") && has_row(g, 0, "blocks.reg_compressor.cycles"));
        assert_true(has_row(g, 0, "files.wave") && has_row(g, 0, "files.vectors.count"));
        (void)snprintf(path, sizeof path, "%s/w,x.gtkw", dir);
        assert_true(has_line(path, "[dumpfile] \"w,x.fst\""));
        assert_true(has_line(path, "[timestart] 50"));
        assert_true(has_line(path, "alpha.reg_compressor.clk"));
        assert_true(has_line(path, "beta.reg_compressor.clk") == (count == 3));
        assert_int_equal(unlink(path), 0);
        assert_int_equal(unlink(wave), 0);
        if (count == 3) {
            assert_false(has_row(g, 1, "blocks.reg_compressor.cycles"));
            (void)snprintf(path, sizeof path, "%s/v/beta_reg_compressor.hex", dir);
            assert_int_equal(unlink(path), 0);
        }
        (void)snprintf(path, sizeof path, "%s/v/%sreg_compressor.hex", dir,
                       count == 3 ? "alpha_" : "");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(rmdir(record), 0);
        wr_system_group_close(g);
    }
    (void)snprintf(wave, sizeof wave, "%s/w.gtkw", dir);
    (void)snprintf(path, sizeof path, "%s: the saved view goes there; name the wave .fst", wave);
    const wr_system_given view = {.wave = wave};

    refused(specs, 1, &view, path);
    const wr_system_given nowhere = {.wave = "/nowhere/w.fst"};

    refused(specs, 1, &nowhere, "/nowhere/w.fst: cannot be written");
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners_and_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_shared_files),
    };

    if (!mkdtemp(dir)) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
