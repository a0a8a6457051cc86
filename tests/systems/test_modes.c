/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of register contexts under real kernels: with barriers, divergence and shared memory, TBs
 * of several shapes, of which some fit tb_compressor and some do not. Whatever is saved how, the
 * output is that of the run without preemption, and takes the same cycles on every backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/systems/jobs.h"

typedef struct outcome {
    job_outcome job;
    uint64_t saved, wholes, by_warp, drained;
    double stored, live, occupied; /* bytes per warp */
    double warp_level, compressed; /* of wholes */
    double classes;                /* percent, all together */
} outcome;

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name);

    return size >= strlen(end) && strcmp(name + size - strlen(end), end) == 0;
}

static void add_row(void *arg, const wr_row *row)
{
    outcome *o = arg;
    bool context = strncmp(row->name, "context.", 8) == 0;
    const char *last = strrchr(row->name, '.') + 1;

    if (strcmp(row->name, "signals.done") == 0) {
        o->saved = row->count;
    } else if (strcmp(row->name, "latency.drain.mean") == 0) {
        o->drained = (uint64_t)row->real;
    } else if (!context) {
        return;
    } else if (ends_with(row->name, ".tb.tbs")) {
        o->wholes += row->count;
    } else if (ends_with(row->name, ".tb.by_warp")) {
        o->by_warp += row->count;
    } else if (ends_with(row->name, ".tb.compressed")) {
        o->compressed = row->real;
    } else if (ends_with(row->name, ".tb.warp_level")) {
        o->warp_level = row->real;
    } else if (strstr(row->name, ".tb.") && row->kind == WR_ROW_REAL && strcmp(last, "live") != 0) {
        o->classes += row->real;
    } else if (ends_with(row->name, ".compressed")) {
        o->stored = row->real;
    } else if (strcmp(last, "live") == 0 && !strstr(row->name, ".tb.")) {
        o->live = row->real;
    } else if (strcmp(last, "occupied") == 0) {
        o->occupied = row->real;
    }
}

static outcome run(wr_job *job, const char *spec)
{
    wr_gpu_config config = jobs_config("gtx480");
    outcome o = {0};

    o.job = jobs_run_under(job, &config, spec, add_row, &o);
    return o;
}

static const char *const kinds[] = {"warp", "live", "all", "tb"};
static const char *const backends[] = {"model", "lockstep", "rtl"};

typedef struct kernel_case {
    const char *path;
    bool is_whole; /* TBs of it are saved as wholes */
} kernel_case;

static const kernel_case cases[] = {
    {"kernels/backprop_layerforward.yaml", true},    /* 16 x 16 */
    {"kernels/pathfinder_dynproc.yaml", true},       /* 256, diverges */
    {"kernels/hybridsort_histogram1024.yaml", true}, /* 96 */
    {"kernels/dct8x8.yaml", true},
    {"kernels/matrixmul.yaml", true},
    {"kernels/vecadd.yaml", false}, /* no barrier */
};

static void check_case(const kernel_case *c)
{
    wr_job job;

    jobs_load(&job, c->path, 0);
    outcome plain = run(&job, NULL);
    uint64_t period = plain.job.result.cycles / 16 + 1;

    assert_int_equal(plain.job.result.status, WR_RUN_DONE);
    for (uint32_t k = 0; k < 4; k++) {
        outcome first = {0};

        for (uint32_t b = 0; b < (c == cases ? 3 : 2); b++) {
            char spec[160];

            (void)snprintf(spec, sizeof spec,
                           "preemption:period=%llu,random_cycles=1,sm=random,context=%s,blocks=%s",
                           (unsigned long long)period, kinds[k], backends[b]);
            outcome o = run(&job, spec);

            if (o.job.result.status != WR_RUN_DONE) {
                fail_msg("%s with %s: %s", c->path, spec, o.job.result.message);
            }
            if (!o.job.right || memcmp(o.job.hash, plain.job.hash, sizeof plain.job.hash) != 0) {
                fail_msg("%s with %s: the output is wrong", c->path, spec);
            }
            first = b == 0 ? o : first;
            assert_int_equal(o.job.result.cycles, first.job.result.cycles);
            assert_int_equal(o.saved, first.saved);
            assert_true(o.saved > 0);
        }
        print_message(
            "%s, %s: %llu saves, %.0f of %.0f B a warp stored; wholes %llu, others %llu\n", c->path,
            kinds[k], (unsigned long long)first.saved, first.stored, first.occupied,
            (unsigned long long)first.wholes, (unsigned long long)first.by_warp);
        assert_true(k != 1 || first.stored == first.live);
        assert_true(k != 2 || first.stored == first.occupied);
        assert_true(k == 3 || (first.wholes == 0 && first.by_warp == 0));
        if (k == 3) {
            assert_true(first.wholes + first.by_warp > 0);
            assert_true((first.wholes > 0) == c->is_whole);
            assert_true(first.wholes == 0 || (first.compressed > 0 && first.warp_level > 0));
            assert_true(first.wholes == 0 || (first.classes > 99.9 && first.classes < 100.1));
        }
    }
    wr_job_free(&job);
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_case(&cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
