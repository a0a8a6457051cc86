/* SPDX-License-Identifier: Apache-2.0 */
/* The directed intervals of concurrency_manager: the events A to D of Kayiran Fig. 14, the whole
 * staircase of CM-CPU down and up, and whole intervals in which everything stalls. */
#ifndef WR_TESTBENCH_THROTTLE_CONCURRENCY_PLAN_H
#define WR_TESTBENCH_THROTTLE_CONCURRENCY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEEP, INCREASE, REDUCE };
enum { MOST = 2048 };

typedef struct planned {
    bool start;
    bool balance;
    uint8_t wish;
    uint32_t stall; /* of every core in one interval */
    uint32_t times;
    uint32_t length;
} planned;

static const planned plan_of[] = {
    {true, true, REDUCE, 0, 1, 20},   /* 48 to 24 */
    {false, true, REDUCE, 0, 1, 20},  /* 24 to 16 */
    {false, true, REDUCE, 40, 1, 20}, /* Fig. 14 A: the level above stalled less, up to 24 */
    {false, true, REDUCE, 0, 3, 20},  /* B: the level below stalled more, stays */
    {false, true, REDUCE, 0, 1, 20},  /* C: the fourth in a row, forced down */
    {false, true, REDUCE, 0, 2, 20},  /* D: nothing in the way, down */
    {false, true, INCREASE, 3, 12, 20},   {false, true, KEEP, 3, 6, 20},
    {true, false, REDUCE, 5, 30, 14}, /* CM-CPU: 48 to 1, and stays */
    {false, false, KEEP, 5, 2, 14},       {false, false, INCREASE, 5, 30, 14}, /* and back */
    {true, true, REDUCE, 0, 12, 14}, /* CM-BAL down all levels */
    {false, true, KEEP, 0, 5, 14},   /* forced up */
    {true, true, REDUCE, 0, 3, 20},  /* 8 stalls by 32 more than 16, which is k and no more */
    {false, true, INCREASE, 32, 1, 20},   {false, true, REDUCE, 0, 2, 20},
    {true, true, REDUCE, MOST, 1, 1024}, /* 48 stalls most, 24 not at all, and 48 again: */
    {false, true, INCREASE, 0, 1, 20}, /* the largest sums that are compared, with the largest k */
    {false, true, REDUCE, MOST, 1, 1024}, {false, true, KEEP, 0, 1, 20},
};
enum { PLANS = sizeof plan_of / sizeof plan_of[0] };

static inline const planned *plan_at(uint32_t step)
{
    for (uint32_t i = 0; i < PLANS; i++) {
        if (step < plan_of[i].times) {
            return &plan_of[i];
        }
        step -= plan_of[i].times;
    }
    return NULL;
}

static inline uint32_t planned_intervals(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < PLANS; i++) {
        sum += plan_of[i].times;
    }
    return sum;
}

#endif
