/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars against a list of calls: whoever is added for a clock is taken at the first look from
 * that clock on, or earlier where the ring ends; nobody is lost, and nobody comes twice. */
#include "shell/memory/calendar.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CLOCKS = 20000, MEMBERS = 64 };

static uint64_t seed;

/* Clocks for which each member is in the calendar, a bit each from `from` on. */
typedef struct calls {
    uint64_t from;
    uint64_t of[MEMBERS];
} calls;

static void add(calls *c, uint64_t at, uint64_t members)
{
    uint64_t clock = at < c->from ? c->from : at > c->from + 63 ? c->from + 63 : at;
    for (unsigned m = 0; m < MEMBERS; m++) {
        c->of[m] |= (members >> m & 1) << (clock - c->from);
    }
}

static uint64_t first_of(const calls *c)
{
    uint64_t first = UINT64_MAX;
    for (unsigned m = 0; m < MEMBERS; m++) {
        for (unsigned k = 0; k < 64; k++) {
            if ((c->of[m] >> k & 1) != 0 && c->from + k < first) {
                first = c->from + k;
            }
        }
    }
    return first;
}

static uint64_t take(calls *c, uint64_t now)
{
    uint64_t members = 0;
    for (; c->from <= now; c->from++) {
        for (unsigned m = 0; m < MEMBERS; m++) {
            members |= (c->of[m] & 1) << m;
            c->of[m] >>= 1;
        }
    }
    return members;
}

static void begin(calls *c, uint64_t now)
{
    uint64_t first = first_of(c);
    uint64_t to = first < now ? first : now;
    for (; c->from < to; c->from++) {
        for (unsigned m = 0; m < MEMBERS; m++) {
            c->of[m] >>= 1;
        }
    }
}

static void test_calls(void **state)
{
    wr_calendar mine = {.from = 5};
    calls theirs = {.from = 5};
    uint64_t now = 5;
    unsigned taken = 0;
    unsigned clipped = 0;
    (void)state;
    for (unsigned i = 0; i < CLOCKS; i++) {
        uint32_t what = traffic_below(&seed, 8);
        if (what < 4) {
            uint32_t reach = what == 0 ? 200 : 12;
            uint64_t at =
                now + traffic_below(&seed, reach) - (now > 8 ? traffic_below(&seed, 8) : 0);
            uint64_t members = UINT64_C(1) << traffic_below(&seed, MEMBERS);
            members |= what == 1 ? UINT64_C(1) << traffic_below(&seed, MEMBERS) : 0;
            clipped += at > theirs.from + 63;
            wr_calendar_add(&mine, at, members);
            add(&theirs, at, members);
        } else if (what < 6) {
            now +=
                traffic_below(&seed, 16) == 0 ? traffic_below(&seed, 150) : traffic_below(&seed, 3);
            uint64_t members = wr_calendar_take(&mine, now);
            assert_true(members == take(&theirs, now));
            taken += members != 0;
        } else if (what == 6) {
            now += traffic_below(&seed, 40);
            wr_calendar_begin(&mine, now);
            begin(&theirs, now);
        }
        assert_true(mine.from == theirs.from);
        assert_true(wr_calendar_next(&mine) == first_of(&theirs));
    }
    assert_true(taken >= 1000 && clipped >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls)};
    seed = traffic_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
