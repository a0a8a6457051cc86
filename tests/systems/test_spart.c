/* SPDX-License-Identifier: Apache-2.0 */
/* System spart with preemption, on the real shell: who is on which SM. Outputs and accounts are
 * rivals_run's to check; without preemption test_sharing has the system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/core/kit.h"
#include "tests/systems/rivals.h"

static uint64_t mixed; /* cycles in which an SM has TBs of both streams */

static void watch_mixed(void)
{
    for (uint32_t id = 0; id < rivals_now.cfg.sms; id++) {
        mixed += wr_sm_tb_count(wr_gpu_sm(rivals_now.gpu, id), 1) != 0 &&
                 wr_sm_tb_count(wr_gpu_sm(rivals_now.gpu, id), 2) != 0;
    }
}

/* Spatial partitioning: where TBs on SMs that another stream gets are preempted, it has them for
 * itself soon, and they end elsewhere. */
static void test_spart(void **state)
{
    static const char *const specs[] = {"spart", "spart:preempt=save,context=warp",
                                        "spart:preempt=save", "spart:preempt=ideal"};
    uint64_t moved[4];
    uint64_t alone[4];

    (void)state;
    for (uint32_t s = 0; s < 4; s++) {
        rivals_open(specs[s], 4);
        rivals_now.look = watch_mixed;
        mixed = 0;
        (void)rivals_add(RIVALS_CLEAN, 31, 192, 2000, 0, 0);
        (void)rivals_add(RIVALS_UNEVEN, 40, 128, 500, 0, 3000);
        (void)rivals_run();
        moved[s] = rivals_now.rival[0].result.tbs_restored;
        alone[s] = mixed;
        assert_int_equal(rivals_now.rival[0].result.tbs_evicted, moved[s]);
    }
    assert_int_equal(moved[0], 0);
    assert_true(alone[3] * 10 < alone[2]);
    for (uint32_t s = 1; s < 4; s++) {
        assert_true(moved[s] > 4);
        assert_true(alone[s] * 50 < alone[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_spart, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
