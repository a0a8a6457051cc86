/* SPDX-License-Identifier: Apache-2.0 */
/* Real kernels under the preemption system: whatever is preempted when, on whatever backend, a
 * kernel's output is that of the run without preemption; and faults that are planted in a kernel
 * are seen.
 *
 * A kernel without a barrier and with less than K instructions has no preemption point: its TBs
 * run to their end under the signal (Lin-P IV.A). A small K gives a kernel many points, so that
 * `pp` and diverged warps are saved too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/long.h"
#include "tests/systems/jobs.h"

typedef struct outcome {
    job_outcome job;
    uint64_t signalled; /* preemptions, with those that found nothing left to save */
    uint64_t saved;     /* preemptions that saved and restored a context */
    uint64_t mismatches, comparisons;
    /* of the preemption that rows are being read of, and how many were read */
    uint64_t latency, drain, spill, stop, read;
} outcome;

static const char *const kernels[] = {"vecadd", "backprop_layerforward", "pathfinder_dynproc"};

static void load(wr_job *job, const char *kernel, uint32_t pp_interval)
{
    char path[512];

    (void)snprintf(path, sizeof path, "kernels/%s.yaml", kernel);
    jobs_load(job, path, pp_interval);
}

/* One row of one preemption. The latency is a difference of two cycles, its parts are counts.
 * A segment of 128 B takes 5 flits of 32 B at a port that takes one a cycle, so no save writes
 * more than 25.6 bytes a cycle (P37). */
static void add_record(outcome *o, const char *what, uint64_t value)
{
    if (strcmp(what, "latency") == 0) {
        o->latency = value;
    } else if (strcmp(what, "drain") == 0) {
        o->drain = value;
    } else if (strcmp(what, "spill") == 0) {
        o->spill = value;
    } else if (strcmp(what, "stop") == 0) {
        o->stop = value;
    } else if (strcmp(what, "written") == 0) {
        assert_true(o->latency > 0 && o->latency == o->drain + o->spill);
        assert_true(o->stop <= o->latency && o->drain <= o->stop);
        assert_true(value > 0 && value * 10 <= o->spill * 256);
        o->read++;
    }
}

static void add_row(void *arg, const wr_row *row)
{
    outcome *o = arg;
    const char *last = strrchr(row->name, '.');

    if (strcmp(row->name, "signals.done") == 0 || strcmp(row->name, "signals.drained") == 0) {
        o->signalled += row->count;
    }
    if (strcmp(row->name, "signals.done") == 0) {
        o->saved += row->count;
    }
    if (strncmp(row->name, "preemption.", 11) == 0 && last != row->name + 10) {
        add_record(o, last + 1, row->count);
    }
    if (strncmp(row->name, "blocks.", 7) == 0 && strcmp(last, ".mismatches") == 0) {
        o->mismatches += row->count;
    }
    if (strncmp(row->name, "blocks.", 7) == 0 && strcmp(last, ".comparisons") == 0) {
        o->comparisons += row->count;
    }
}

/* Runs the job on a new GPU; spec NULL = no system. */
static outcome run(wr_job *job, const char *spec)
{
    wr_gpu_config config = jobs_config("gtx480");
    outcome o = {0};

    o.job = jobs_run_under(job, &config, spec, add_row, &o);
    return o;
}

/* Preempts one kernel at random cycles on random SMs, in as many runs as it takes until `wanted`
 * contexts were saved and restored on every backend. */
static void preempt(const char *kernel, uint32_t pp_interval, uint64_t wanted, uint64_t seed)
{
    static const char *const backend[] = {"model", "rtl", "lockstep"};
    wr_job job;

    load(&job, kernel, pp_interval);
    outcome plain = run(&job, NULL);
    uint64_t signalled = 0;
    uint64_t saved = 0;
    uint64_t runs = 0;
    uint64_t period = plain.job.result.cycles / 110 + 1;

    assert_int_equal(plain.job.result.status, WR_RUN_DONE);
    assert_true(plain.job.right);
    for (; saved < wanted; runs++) {
        outcome o[3];
        uint64_t run_seed = seed + runs;

        assert_true(runs < 20);
        for (uint32_t i = 0; i < 3; i++) {
            char spec[256];

            (void)snprintf(spec, sizeof spec,
                           "preemption:period=%llu,random_cycles=1,sm=random,seed=%llu,blocks=%s",
                           (unsigned long long)period, (unsigned long long)run_seed, backend[i]);
            o[i] = run(&job, spec);
            if (o[i].job.result.status != WR_RUN_DONE) {
                fail_msg("%s with %s: %s", kernel, spec, o[i].job.result.message);
            }
            if (!o[i].job.right ||
                memcmp(o[i].job.hash, plain.job.hash, sizeof plain.job.hash) != 0) {
                fail_msg("%s with %s: the output %s", kernel, spec,
                         o[i].job.right ? "differs from the run without" : "is wrong");
            }
            assert_int_equal(o[i].mismatches, 0);
            assert_int_equal(o[i].job.result.cycles, o[0].job.result.cycles);
            assert_int_equal(o[i].signalled, o[0].signalled);
            assert_int_equal(o[i].saved, o[0].saved);
            assert_int_equal(o[i].read, o[i].saved);
        }
        assert_true(o[2].comparisons > 0);
        signalled += o[0].signalled;
        saved += o[0].saved;
    }
    print_message("%s, K = %u (0 = the launch file's): %llu preemptions in %llu runs on each "
                  "backend, %llu of them saved and restored a context\n",
                  kernel, pp_interval, (unsigned long long)signalled, (unsigned long long)runs,
                  (unsigned long long)saved);
    wr_job_free(&job);
}

/* In the short form each test takes every second kernel, together all of them. */
static size_t by(void)
{
    return wr_test_long() ? 1 : 2;
}

static void test_kernels_preempted(void **state)
{
    uint64_t seed = jobs_seed();

    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k += by()) {
        preempt(kernels[k], 0, wr_test_long() ? 100 : 20, seed);
    }
}

static void test_kernels_with_many_points(void **state)
{
    uint64_t seed = jobs_seed();

    (void)state;
    for (size_t k = by() - 1; k < sizeof kernels / sizeof kernels[0]; k += by()) {
        preempt(kernels[k], 4, wr_test_long() ? 100 : 20, seed);
    }
}

/* A kernel's words may be changed: the job owns them and the system reads them at run time. */
static uint64_t *word_at(const wr_kernel *kernel, uint32_t pc)
{
    return &kernel->words[pc / 8];
}

/* Each liveness bit that is cleared leaves poison behind, and the run shows it. */
static void test_liveness_bit_cleared(void **state)
{
    static const char spec[] = "preemption:period=500,sm=rotate";
    wr_job job;
    uint32_t seen = 0;
    uint32_t bits = 0;

    (void)state;
    load(&job, "backprop_layerforward", 1000);
    outcome good = run(&job, spec);

    assert_int_equal(good.job.result.status, WR_RUN_DONE);
    assert_true(good.job.right && good.saved > 10);
    const wr_kernel *kernel = job.launches[0].kernel;

    for (size_t p = 0; p < kernel->pp_count; p++) {
        for (uint32_t r = 0; r < kernel->regs; r++) {
            uint64_t *word = word_at(kernel, kernel->pps[p].pc);

            if (!(*word >> r & 1) || !kernel->pps[p].in_loop) {
                continue;
            }
            *word ^= UINT64_C(1) << r;
            outcome bad = run(&job, spec);

            *word ^= UINT64_C(1) << r;
            bits++;
            if (bad.job.result.status == WR_RUN_MEMORY_FAULT || !bad.job.right) {
                seen++;
            } else {
                print_error("bit %u of the point at 0x%x: cleared, not seen\n", r,
                            kernel->pps[p].pc);
            }
        }
    }
    print_message("the sound kernel passes; %u of %u liveness bits, cleared one by one, are seen\n",
                  seen, bits);
    assert_true(bits > 0);
    assert_int_equal(seen, bits);
    wr_job_free(&job);
}

/* bar.pp made a plain barrier: warps that wait at it can't stop, others stop before it (P21). */
static void test_barrier_made_plain(void **state)
{
    static const char spec[] = "preemption:period=300,sm=rotate";
    wr_job job;
    uint32_t changed = 0;

    (void)state;
    load(&job, "backprop_layerforward", 4);
    outcome good = run(&job, spec);

    assert_int_equal(good.job.result.status, WR_RUN_DONE);
    assert_true(good.job.right && good.saved > 10);
    const wr_kernel *kernel = job.launches[0].kernel;

    for (size_t i = 0; i < kernel->insn_count; i++) {
        wr_insn *insn = &kernel->insns[i];
        uint64_t words[2];

        if (insn->op != WR_OP_BAR_PP) {
            continue;
        }
        wr_insn plain = *insn;

        plain.op = WR_OP_BAR;
        plain.live = 0;
        plain.barrier = 1;
        assert_int_equal(wr_isa_encode(&plain, words), 1);
        *word_at(kernel, insn->pc) = words[0];
        assert_int_equal(wr_isa_decode(kernel->words, kernel->word_count, insn->pc / 8, insn), 1);
        changed++;
    }
    assert_true(changed > 0);
    outcome without = run(&job, NULL);

    assert_int_equal(without.job.result.status, WR_RUN_DONE);
    assert_true(without.job.right);
    outcome bad = run(&job, spec);

    assert_int_equal(bad.job.result.status, WR_RUN_DEADLOCK);
    assert_non_null(strstr(bad.job.result.message, "deadlock in kernel backprop_layerforward"));
    assert_non_null(strstr(bad.job.result.message, "stopped for preemption"));
    print_message("the sound kernel passes; with plain barriers: %s\n", bad.job.result.message);
    wr_job_free(&job);
}

/* An argument chooses tests by name, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_liveness_bit_cleared),
        cmocka_unit_test(test_barrier_made_plain),
        cmocka_unit_test(test_kernels_preempted),
        cmocka_unit_test(test_kernels_with_many_points),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
