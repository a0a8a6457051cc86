/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only caches: a hit, a miss, a line on its way, LRU; and that whoever has asked for a line
 * finds it, however many others want the same set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shell/core/sm/rocache.h"

enum { LINE = 128, WAYS = 2, ASKERS = 8 };

static const wr_rocache_config one_set = {.bytes = WAYS * LINE, .ways = WAYS, .line_bytes = LINE};

static void test_lru(void **state)
{
    wr_rocache c;
    uint32_t a;
    uint32_t b;
    uint32_t d;

    (void)state;
    assert_true(wr_rocache_init(&c, &one_set, 0));
    assert_int_equal(wr_rocache_look(&c, 0, false, &a), WR_ROCACHE_BLOCKED);
    assert_int_equal(wr_rocache_look(&c, 0, true, &a), WR_ROCACHE_MISS);
    assert_int_equal(wr_rocache_look(&c, LINE - 1, true, &d), WR_ROCACHE_PENDING);
    assert_int_equal(wr_rocache_look(&c, LINE, true, &b), WR_ROCACHE_MISS);
    assert_int_equal(wr_rocache_look(&c, 2 * LINE, true, &d), WR_ROCACHE_BLOCKED);
    wr_rocache_fill(&c, a);
    wr_rocache_fill(&c, b);
    assert_int_equal(wr_rocache_look(&c, 0, true, &d), WR_ROCACHE_HIT);
    assert_int_equal(wr_rocache_look(&c, 2 * LINE, true, &d), WR_ROCACHE_MISS);
    assert_int_equal(d, b); /* used longer ago */
    assert_int_equal(wr_rocache_look(&c, 0, true, &d), WR_ROCACHE_HIT);
    wr_rocache_free(&c);
}

/* Each wants a line of its own, of one set; they look one after the other, to and fro, and fills
 * come when all have looked. Without the hold each line is replaced before it is looked for. */
static uint32_t found_in(uint32_t turns, uint32_t hold)
{
    uint32_t found = 0;
    wr_rocache c;

    assert_true(wr_rocache_init(&c, &one_set, hold));
    for (uint32_t t = 0; t < turns; t++) {
        uint32_t on_its_way[WAYS];
        uint32_t count = 0;

        for (uint32_t i = 0; i < ASKERS; i++) {
            uint32_t line;
            wr_rocache_result r = wr_rocache_look(
                &c, (uint64_t)(t % 2 != 0 ? ASKERS - 1 - i : i) * LINE, true, &line);

            found += r == WR_ROCACHE_HIT;
            if (r == WR_ROCACHE_MISS) {
                assert_true(count < WAYS);
                on_its_way[count++] = line;
            }
        }
        for (uint32_t i = 0; i < count; i++) {
            wr_rocache_fill(&c, on_its_way[i]);
        }
    }
    wr_rocache_free(&c);
    return found;
}

static void test_everybody_finds(void **state)
{
    (void)state;
    assert_int_equal(found_in(64, 0), 0);
    assert_true(found_in(64, ASKERS) >= 64);
}

/* A line that nobody comes for is not kept for ever. */
static void test_hold_ends(void **state)
{
    wr_rocache c;
    uint32_t line;

    (void)state;
    assert_true(wr_rocache_init(&c, &one_set, ASKERS));
    for (uint32_t i = 0; i < WAYS; i++) {
        assert_int_equal(wr_rocache_look(&c, (uint64_t)i * LINE, true, &line), WR_ROCACHE_MISS);
        wr_rocache_fill(&c, line);
    }
    for (uint32_t i = 0; i < ASKERS - 1; i++) {
        assert_int_equal(wr_rocache_look(&c, 5 * LINE, true, &line), WR_ROCACHE_BLOCKED);
    }
    assert_int_equal(wr_rocache_look(&c, 5 * LINE, true, &line), WR_ROCACHE_MISS);
    wr_rocache_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lru),
        cmocka_unit_test(test_everybody_finds),
        cmocka_unit_test(test_hold_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
