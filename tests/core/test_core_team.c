/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that play rounds: each does its part once a round and gets its order, all parts are over
 * when the round is, those in order come one after the other, and runs of no round at all end too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/team.h"

enum { MOST = 5, RUNS = 500 };

typedef struct plan {
    uint64_t parts[MOST]; /* by thread */
    uint64_t last[MOST];  /* orders */
    uint32_t turns[MOST]; /* threads as they came in a round in order */
    uint32_t turn;
} plan;

static void part(void *arg, uint32_t thread, const uint64_t order[WR_TEAM_WORDS],
                 uint64_t report[WR_TEAM_WORDS])
{
    plan *p = arg;

    p->parts[thread]++;
    p->last[thread] = order[0];
    if (order[WR_TEAM_WORDS - 1] != 0) { /* in order: nobody else is at it */
        p->turns[p->turn++] = thread;
    }
    for (uint32_t i = 0; i < WR_TEAM_WORDS; i++) {
        report[i] = order[i] * 10 + thread;
    }
}

static void check_round(wr_team *team, plan *p, uint32_t threads, uint64_t number, bool in_order)
{
    const uint64_t order[WR_TEAM_WORDS] = {number, 2, 3, 4, UINT64_MAX / 16, in_order};

    p->turn = 0;
    if (in_order) {
        wr_team_run_in_order(team, order);
    } else {
        (void)wr_team_run(team, order);
    }
    for (uint32_t i = 0; i < threads; i++) {
        assert_int_equal(p->parts[i], number);
        assert_int_equal(p->last[i], number);
        for (uint32_t w = 0; w < WR_TEAM_WORDS; w++) {
            assert_int_equal(wr_team_report(team, i)[w], order[w] * 10 + i);
        }
        assert_true(!in_order || p->turns[i] == i);
    }
    assert_int_equal(p->turn, in_order ? threads : 0);
}

static void rounds_are_whole(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= MOST; threads++) {
        plan p = {0};
        wr_team *team = wr_team_create(threads, part, &p);

        assert_non_null(team);
        assert_int_equal(wr_team_size(team), threads);
        for (uint64_t number = 1; number <= 60; number++) {
            if (number % 20 == 1) {
                wr_team_begin(team);
            }
            check_round(team, &p, threads, number, number % 3 == 0);
            if (number % 20 == 0) {
                wr_team_end(team);
            }
        }
        wr_team_free(team);
    }
}

/* A kernel that is refused before its first cycle: the run is over before the threads have woken
 * up. With rounds in every fifth run, and a team that never runs. */
static void runs_without_rounds_end(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= MOST; threads++) {
        plan p = {0};
        uint64_t number = 0;
        wr_team *team = wr_team_create(threads, part, &p);

        assert_non_null(team);
        for (uint32_t run = 0; run < RUNS; run++) {
            wr_team_begin(team);
            if (run % 5 == 4) {
                number++;
                check_round(team, &p, threads, number, false);
            }
            wr_team_end(team);
        }
        assert_int_equal(p.parts[threads - 1], RUNS / 5);
        wr_team_free(team);
        team = wr_team_create(threads, part, &p);
        wr_team_free(team);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_whole),
        cmocka_unit_test(runs_without_rounds_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
