/* SPDX-License-Identifier: Apache-2.0 */
/* Warps that a system holds for ever come to no preemption point: after its patience the checkpoint
 * ends the run and says who it is; nothing has been written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/warp.h"
#include "systems/checkpoint/checkpoint.h"
#include "systems/frame/chain.h"
#include "tests/systems/jobs.h"

enum { SM = 3, FROM = 2000, AT = 4000 };

typedef struct holder {
    wr_system_hooks hooks;
    bool holds;
} holder;

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    const holder *h = self;

    if (h->holds && wr_gpu_cycle(gpu) >= FROM) {
        wr_sm_hold(wr_gpu_sm(gpu, SM), 0, 1); /* the warp in slot 0 */
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    (void)self;
    return now < FROM ? FROM : now + 1;
}

static bool on_write(void *arg, const wr_gpu *gpu, const wr_saved_contexts *contexts)
{
    unsigned *written = arg;

    assert_true(wr_gpu_quiet(gpu));
    assert_true(contexts->tbs > 0);
    (*written)++;
    return true;
}

static wr_run_result run(bool holds, unsigned *written)
{
    wr_gpu_config config = jobs_config("gtx480");
    holder h = {.hooks = {.gpu_cycle = on_gpu_cycle, .next_cycle = on_next_cycle}, .holds = holds};
    wr_checkpoint_plan plan = {.at = AT, .write = on_write, .arg = written};
    wr_chain chain;
    wr_job job;
    char err[256];
    wr_checkpoint *c = wr_checkpoint_open_engines(&config, 1, &plan, err, sizeof err);

    assert_non_null(c);
    h.hooks.self = &h;
    const wr_system_hooks *tables[] = {&h.hooks, wr_checkpoint_hooks(c)};

    jobs_load(&job, "kernels/backprop_layerforward.yaml", 0);
    wr_run_result result = jobs_run(&job, &config, wr_chain_join(&chain, tables, 2)).result;

    wr_job_free(&job);
    wr_checkpoint_close_engines(c);
    return result;
}

static void held_for_ever(void **state)
{
    unsigned written = 0;
    (void)state;
    wr_run_result result = run(true, &written);

    assert_int_equal(written, 0);
    assert_int_equal(result.status, WR_RUN_SYSTEM);
    assert_non_null(strstr(result.message, "no checkpoint: after 1000000 cycles warp 0 of block"));
    assert_non_null(strstr(result.message, "backprop_layerforward on SM 3"));
    assert_true(result.cycles > AT + WR_CHECKPOINT_PATIENCE &&
                result.cycles < AT + WR_CHECKPOINT_PATIENCE + 10);
}

static void not_held(void **state)
{
    unsigned written = 0;
    (void)state;
    wr_run_result result = run(false, &written);

    assert_int_equal(written, 1);
    assert_int_equal(result.status, WR_RUN_SAVED);
    assert_true(result.cycles > AT && result.cycles < AT + 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_for_ever), cmocka_unit_test(not_held)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
