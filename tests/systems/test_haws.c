/* SPDX-License-Identifier: Apache-2.0 */
/* System haws on the real shell: real kernels end right, and what was executed ahead is passed over
 * or copied; what has no hints takes the cycles of the machine without it; in lockstep it takes
 * those of the models. tests/hints/programs.py holds random kernels, and that each instruction is
 * executed once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/haws/state.h"
#include "tests/systems/jobs.h"

typedef struct found {
    uint64_t chains, ahead, loads, branches, skipped, copied, again, waits, cleared;
} found;

static void note(void *arg, const wr_row *row)
{
    found *f = arg;
    const struct {
        const char *name;
        uint64_t *to;
    } rows[] = {
        {"chains", &f->chains},     {"ahead", &f->ahead},     {"loads", &f->loads},
        {"branches", &f->branches}, {"skipped", &f->skipped}, {"copied", &f->copied},
        {"again", &f->again},       {"waits", &f->waits},     {"cleared", &f->cleared},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(row->name, rows[i].name) == 0) {
            *rows[i].to = row->count;
        }
    }
}

/* Real kernels: what is ahead is passed over or copied, branches are executed again. */
static void test_kernels(void **state)
{
    static const struct {
        const char *kernel, *config;
    } rows[] = {
        {"gemm", "hd7970"},         {"spmv_ellr", "hd7970"},
        {"bfs_kernel1", "gtx480"},  {"dwt2d_copy_components", "k20x"},
        {"btree_findk", "maxwell"},
    };

    uint64_t waits = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = jobs_config(rows[i].config);
        char path[64];
        wr_job job;
        found f = {0};
        found none = {0};

        (void)snprintf(path, sizeof path, "kernels/%s.yaml", rows[i].kernel);
        jobs_load(&job, path, 0);
        const job_outcome plain = jobs_run(&job, &cfg, NULL);
        const job_outcome off = jobs_run_under(&job, &cfg, "haws:entries=0", note, &none);
        const job_outcome on = jobs_run_under(&job, &cfg, "haws", note, &f);

        assert_true(plain.right && off.right && on.right);
        assert_int_equal(off.result.cycles, plain.result.cycles);
        if (cfg.sm.max_warps == 40) { /* the build has this RTL */
            const job_outcome both =
                jobs_run_under(&job, &cfg, "haws:blocks=lockstep", note, &none);

            assert_true(both.right);
            assert_int_equal(both.result.cycles, on.result.cycles);
        }
        const job_outcome each = jobs_run_under(&job, &cfg, "haws:per_scheduler=1", note, &none);

        assert_true(each.right);
        assert_true(none.ahead > 500 && none.chains > 200);
        assert_int_equal(none.skipped + none.copied, none.ahead);
        assert_int_equal(none.again, none.branches);
        assert_true(cfg.sm.schedulers == 1 || each.result.cycles != on.result.cycles);
        assert_true(f.ahead > 500 && f.chains > 200);
        assert_int_equal(f.skipped + f.copied, f.ahead);
        assert_int_equal(f.again, f.branches);
        assert_int_equal(f.cleared, 0);
        print_message("%s on %s: %lu cycles, %lu with haws, %lu ahead\n", rows[i].kernel,
                      rows[i].config, plain.result.cycles, on.result.cycles, f.ahead);
        waits += f.waits;
        wr_job_free(&job);
    }
    assert_true(waits != 0); /* for results that are on their way */
}

/* Nothing to run ahead: the machine's own cycles. */
static void test_no_chain(void **state)
{
    const wr_gpu_config cfg = jobs_config("hd7970");
    wr_job job;
    found f = {0};

    (void)state;
    jobs_load(&job, "kernels/walsh_transform.yaml", 0);
    const job_outcome plain = jobs_run(&job, &cfg, NULL);
    const job_outcome on = jobs_run_under(&job, &cfg, "haws", note, &f);

    assert_int_equal(f.chains, 0);
    assert_int_equal(on.result.cycles, plain.result.cycles);
    wr_job_free(&job);
}

/* Registers for renaming are those that leave the number of TBs as it is. */
static void test_registers(void **state)
{
    wr_gpu_config cfg = jobs_config("hd7970");
    wr_job job;
    uint64_t copied[3];

    (void)state;
    jobs_load(&job, "kernels/gemm.yaml", 0);
    for (uint32_t i = 0; i < 3; i++) {
        found f = {0};
        cfg.sm.registers = i == 2 ? 256 * 40 : 65536; /* all of it is taken */
        const job_outcome on =
            jobs_run_under(&job, &cfg, i == 1 ? "haws:renaming=0" : "haws", note, &f);

        assert_true(on.right);
        copied[i] = f.copied;
    }
    print_message("copied: %lu, %lu without registers for it\n", copied[0], copied[1]);
    assert_true(copied[0] > 100);
    assert_int_equal(copied[1], 0);
    assert_int_equal(copied[2], 0);
    wr_job_free(&job);
}

/* A launch with fewer registers to spare begins while warps of another run ahead: each has hints of
 * its own. */
static void test_two_launches(void **state)
{
    wr_gpu_config cfg = jobs_config("hd7970");
    wr_job job;
    found f = {0};

    (void)state;
    cfg.sms = 4;
    cfg.sm.registers = 256 * 40;
    jobs_load(&job, "tests/hints/two_launches.yaml", 0);
    const job_outcome on = jobs_run_under(&job, &cfg, "haws", note, &f);

    assert_int_equal(on.result.status, WR_RUN_DONE);
    assert_true(on.right);
    assert_true(f.copied > 100 && f.ahead > 2 * f.copied);
    wr_job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_no_chain),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_two_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
