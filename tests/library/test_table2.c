/* SPDX-License-Identifier: Apache-2.0 */
/* The occupancy rule against Lin-P Table II: from the paper's warps, registers and shared memory
 * follow all of its 23 values of TBs per SM and, where the paper is complete, what limits them.
 *
 * Two rows name less than their numbers say: 8 TBs of 6 warps fill both the warps and the TB slots
 * of CFD_1, as the paper says of CFD_2 and LK_1; and 18 registers, 20 with the granule, hold LK_1
 * to 8 TBs too, as the paper says of BP_2 with 6. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "kernels/table2.h"
#include "shell/core/gpu.h"
#include "shell/ptx/diag.h"

static const char *limit_of(const wr_table2_row *row)
{
    if (strcmp(row->label, "CFD_1") == 0) {
        return "warp, TB";
    }
    return strcmp(row->label, "LK_1") == 0 ? "warp, TB, reg" : row->limit;
}

static void occupancy(void **state)
{
    wr_gpu_config config;
    wr_diag diag = {0};
    size_t count = 0;
    const wr_table2_row *rows = wr_table2(&count);

    (void)state;
    if (!wr_config_load("gtx480", &config, &diag)) {
        fail_msg("%s", diag.message);
    }
    assert_int_equal(count, 23);
    for (size_t i = 0; i < count; i++) {
        const wr_kernel kernel = {
            .name = rows[i].kernel, .regs = rows[i].regs, .shared_bytes = rows[i].shared};
        const wr_launch launch = {
            .kernel = &kernel, .grid = {1, 1, 1}, .block = {32 * rows[i].warps, 1, 1}};
        wr_occupancy got = wr_gpu_occupancy(&config, &launch);

        if (got.tbs != rows[i].tbs || strcmp(got.limit, limit_of(&rows[i])) != 0) {
            fail_msg("%s: %u TBs by %s, the paper has %u by %s", rows[i].label, got.tbs, got.limit,
                     rows[i].tbs, rows[i].limit);
        }
        assert_non_null(wr_reference_find(rows[i].kernel));
    }
}

/* One register more than a step of the granule, and the row falls: the test can fail. */
static void granule(void **state)
{
    wr_gpu_config config;
    wr_diag diag = {0};

    (void)state;
    if (!wr_config_load("gtx480", &config, &diag)) {
        fail_msg("%s", diag.message);
    }
    wr_kernel kernel = {.name = "BP_2", .regs = 20, .shared_bytes = 40};
    const wr_launch launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {256, 1, 1}};

    assert_int_equal(wr_gpu_occupancy(&config, &launch).tbs, 6);
    kernel.regs = 21;
    assert_int_equal(wr_gpu_occupancy(&config, &launch).tbs, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy),
        cmocka_unit_test(granule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
