/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the context control block are taken and given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "systems/context/area.h"
#include "tests/systems/bench.h"

/* Entries of the control block: the lowest free one, by a plain array. */
static void test_entries(void **state)
{
    static bool taken[WR_CTX_MAX_ENTRIES];
    static wr_context_area area;
    wr_rng rng;
    uint32_t count = 0;

    (void)state;
    wr_rng_seed(&rng, bench_seed(3));
    memset(taken, 0, sizeof taken);
    area = (wr_context_area){.entries = 1000};
    for (uint32_t i = 0; i < 100000; i++) {
        if (wr_rng_chance(&rng, i / 1000 % 2 != 0 ? 30 : 70)) {
            uint32_t lowest = 0;

            while (lowest < area.entries && taken[lowest]) {
                lowest++;
            }
            uint32_t got = wr_context_entry_take(&area);

            assert_int_equal(got, lowest < area.entries ? lowest : UINT32_MAX);
            if (got != UINT32_MAX) {
                taken[got] = true;
                count++;
            }
        } else {
            uint32_t e = wr_rng_below(&rng, area.entries);

            if (taken[e]) {
                wr_context_entry_free(&area, e);
                taken[e] = false;
                count--;
            }
        }
        assert_int_equal(area.taken, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
