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

#include "systems/context/engine.h"
#include "tests/long.h"
#include "tests/systems/jobs.h"

typedef struct outcome {
    job_outcome job;
    uint64_t saved, wholes, by_warp, drained;
    uint64_t warps;
    double stored, live, occupied; /* bytes per warp */
    double random;                 /* percent of live */
    double warp_level, compressed; /* of wholes */
    double classes;                /* percent, all together */
    uint64_t tbs, kept_shared, shared_bytes, ccb_bytes;
    double spilled; /* cycles, the mean */
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
    } else if (strcmp(row->name, "latency.spill.mean") == 0) {
        o->spilled = row->real;
    } else if (strcmp(row->name, "tbs.saved") == 0) {
        o->tbs = row->count;
    } else if (strcmp(row->name, "tbs.kept_shared") == 0) {
        o->kept_shared = row->count;
    } else if (!context) {
        return;
    } else if (ends_with(row->name, ".written.ccb")) {
        o->ccb_bytes = row->count;
    } else if (ends_with(row->name, ".written.shared")) {
        o->shared_bytes = row->count;
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
    } else if (strcmp(last, "warps") == 0 && !strstr(row->name, ".tb.")) {
        o->warps += row->count;
    } else if (strcmp(last, "random") == 0 && row->kind == WR_ROW_REAL) {
        o->random = row->real;
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
    /* of the kinds one for each kernel in turn, in the long form all */
    uint32_t by = wr_test_long() ? 1 : 4;

    for (uint32_t k = (uint32_t)(c - cases) % by; k < 4; k += by) {
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

/* Registers that compress well leave sooner by two pipelines; the output is right by any number. */
static void test_pipelines(void **state)
{
    outcome o[WR_CONTEXT_PIPELINES] = {0};
    wr_job job;

    (void)state;
    jobs_load(&job, "kernels/backprop_layerforward.yaml", 0);
    for (uint32_t p = 0; p < WR_CONTEXT_PIPELINES; p++) {
        char spec[96];

        for (uint32_t b = 0; b < 3; b++) {
            (void)snprintf(spec, sizeof spec, "preemption:period=4000,pipelines=%u,blocks=%s",
                           p + 1, backends[b]);
            outcome now = run(&job, spec);

            o[p] = b == 0 ? now : o[p];
            assert_int_equal(now.job.result.status, WR_RUN_DONE);
            assert_true(now.job.right && now.saved > 0);
            assert_int_equal(now.job.result.cycles, o[p].job.result.cycles);
        }
        print_message("%u pipelines: %.0f cycles of spilling\n", p + 1, o[p].spilled);
    }
    assert_true(o[1].spilled < 0.95 * o[0].spilled);
    wr_job_free(&job);
}

/* Shared memory that stays in place is not written, what leaves is, all of it. */
static void test_kept(void **state)
{
    static const char *const demands[] = {"104:1128:3", "300:12000:3", "300:15000:3"};
    uint64_t left = 0;
    wr_job job;

    (void)state;
    jobs_load(&job, "kernels/backprop_layerforward.yaml", 0);
    uint64_t bytes = job.launches[0].launch.kernel->shared_bytes;

    for (size_t i = 0; i < 3; i++) {
        char spec[80];

        (void)snprintf(spec, sizeof spec, "preemption:in_place=1,demand=%s", demands[i]);
        outcome o = run(&job, spec);

        assert_true(o.job.right);
        assert_true(o.kept_shared > 0 && o.ccb_bytes == 24 * o.tbs);
        assert_int_equal(o.shared_bytes, (o.tbs - o.kept_shared) * bytes);
        left += o.shared_bytes;
    }
    assert_true(left > 0);
    wr_job_free(&job);
}

/* The first preemption finds the same warps at the same points with either group. Where the TB is
 * narrower than the warp, thread indices are random over the warp: other bytes. Where it is not,
 * nothing differs, not one cycle. The output is always right. */
static void check_groups(const char *path, bool is_narrow)
{
    static const char *const form[] = {"preemption:first=%llu,count=1,pag=%s",
                                       "preemption:period=%llu,sm=random,pag=%s"};
    wr_job job;

    jobs_load(&job, path, 0);
    outcome plain = run(&job, NULL);

    for (uint32_t often = 0; often < 2; often++) {
        outcome o[2];

        for (uint32_t g = 0; g < 2; g++) {
            char spec[96];

            (void)snprintf(spec, sizeof spec, form[often],
                           (unsigned long long)plain.job.result.cycles / (often ? 16 : 4) + 1,
                           g == 0 ? "block" : "warp");
            o[g] = run(&job, spec);
            assert_int_equal(o[g].job.result.status, WR_RUN_DONE);
            if (!o[g].job.right ||
                memcmp(o[g].job.hash, plain.job.hash, sizeof plain.job.hash) != 0) {
                fail_msg("%s with %s: the output is wrong", path, spec);
            }
        }
        print_message("%s: %llu saves, %.1f B a warp stored, %.1f %% random; over the warp %llu, "
                      "%.1f B, %.1f %%\n",
                      path, (unsigned long long)o[0].saved, o[0].stored, o[0].random,
                      (unsigned long long)o[1].saved, o[1].stored, o[1].random);
        assert_true(o[0].saved > 0 && o[1].saved > 0);
        if (is_narrow) {
            assert_true(o[1].random > o[0].random && o[1].stored > o[0].stored);
        } else {
            assert_true(o[1].random == o[0].random && o[1].stored == o[0].stored);
            assert_int_equal(o[1].job.result.cycles, o[0].job.result.cycles);
        }
        if (often == 0) {
            assert_true(o[0].saved == 1 && o[1].saved == 1 && o[0].warps > 0);
            assert_int_equal(o[1].warps, o[0].warps);
            assert_true(o[1].live == o[0].live && o[1].occupied == o[0].occupied);
        }
    }
    wr_job_free(&job);
}

static void test_groups(void **state)
{
    (void)state;
    check_groups("kernels/backprop_layerforward.yaml", true); /* 16 x 16 */
    check_groups("kernels/dct8x8.yaml", true);                /* 8 x 32 */
    check_groups("kernels/pathfinder_dynproc.yaml", false);   /* 256 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
