/* SPDX-License-Identifier: Apache-2.0 */
/* Counts spread over a window's cycles: every cycle's value against the rule in spread.h, each part
 * of the window by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "systems/monitor/spread.h"

/* Clocks of cycle t where the first cycles get what does not divide. */
static uint64_t clocks_of(uint64_t clocks, uint64_t n, uint64_t t)
{
    return t < clocks - clocks / n * n ? clocks / n + 1 : clocks / n;
}

static void check(uint64_t count, uint64_t clocks, uint64_t n, uint64_t most)
{
    wr_spread s = wr_spread_over(count, clocks, n);
    wr_spread c = wr_spread_over(clocks, clocks, n);
    const wr_spread both[] = {s, c};
    uint64_t longer = 0; /* in cycles with a clock more */
    uint64_t sum = 0;
    uint64_t seen = 0;
    uint64_t changes = 0;

    for (uint64_t t = 0; t < n; t++) {
        uint64_t mine = clocks_of(clocks, n, t);
        uint64_t value = wr_spread_at(&s, t);

        assert_int_equal(wr_spread_at(&c, t), mine);
        assert_true(value <= most * mine);
        if (t > 0 && mine == clocks_of(clocks, n, t - 1)) { /* falls, by one at most */
            assert_in_range(wr_spread_at(&s, t - 1) - value, 0, 1);
        }
        sum += value;
        longer += t < clocks % n ? value : 0;
    }
    assert_int_equal(sum, count);
    assert_int_equal(longer, clocks ? count * (clocks % n) * (clocks / n + 1) / clocks : 0);
    for (uint64_t t = 0; t < n;) { /* as the block is moved on */
        uint64_t next = wr_spread_change(both, 2, t, n);

        assert_in_range(next, t + 1, n);
        for (uint64_t k = t; k < next; k++, seen++) {
            assert_int_equal(wr_spread_at(&s, k), wr_spread_at(&s, t));
            assert_int_equal(wr_spread_at(&c, k), wr_spread_at(&c, t));
        }
        t = next;
        changes++;
    }
    assert_int_equal(seen, n);
    assert_true(changes <= 4);
}

static void corners(void **state)
{
    (void)state;
    check(0, 0, 1, 1);
    check(0, 0, 4, 1);
    check(1, 1, 1, 1);
    check(0, 7, 4, 1);
    check(7, 7, 4, 1); /* every clock busy */
    check(6, 7, 4, 1);
    check(1, 7, 4, 1);
    check(3, 3, 4, 1); /* a clock slower than the core's */
    check(8, 4, 4, 2);
    check(65535ULL * 62, 65535, 65535, 62); /* widest window, all schedulers issue */
}

static void all_small(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 12; n++) {
        for (uint64_t clocks = 0; clocks <= 3 * n; clocks++) {
            for (uint64_t most = 1; most <= 3; most++) {
                for (uint64_t count = 0; count <= most * clocks; count++) {
                    check(count, clocks, n, most);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners),
        cmocka_unit_test(all_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
